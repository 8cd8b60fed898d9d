"""What a study would take: trainings, time and memory, before it is run."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rankwise.data.formats import lists as file_of_lists
from rankwise.data.formats.files import PathLike
from rankwise.evaluation.table import Table
from rankwise.study.cells import Asked, Prepared, asked, part_path, prepared
from rankwise.study.plan import Contender, Plan, read_plan
from rankwise.study.record import Record, key_of
from rankwise.study.run import cores, workers_of
from rankwise.study.work import memory, records_of

__all__ = ["Forecast", "Share", "forecast"]

# A learner is tried for so many seconds, and the rest is reckoned from the time of its steps; once more for longer
# where what comes before the second step, such as compiling, takes all of them.
TRIED = (1.0, 10.0)


@dataclass(frozen=True, slots=True)
class Share:
    """What one learner will take."""

    learner: str
    cells: int
    """As the plan asks for them."""
    trainings: int
    """Without those that must come out the same."""
    kept: int
    """Whose records are there."""
    seconds: float
    """Of one training: as its records say, else at most, if it goes through all its steps; NaN where trying failed."""
    how: str

    @property
    def left(self) -> float:
        return self.seconds * (self.trainings - self.kept) if self.trainings > self.kept else 0.0


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a study would take."""

    shares: tuple[Share, ...]
    workers: int
    memory: int | None
    """Bytes of all workers, as far as the system tells."""

    @property
    def trainings(self) -> int:
        return sum(share.trainings for share in self.shares)

    @property
    def kept(self) -> int:
        return sum(share.kept for share in self.shares)

    @property
    def seconds(self) -> float:
        """From begin to end, with all workers at work."""
        return math.fsum(share.left for share in self.shares) / self.workers

    def table(self) -> Table:
        """One row a learner."""
        rows = [
            [s.learner, f"{s.cells:,}", f"{s.trainings:,}", f"{s.kept:,}", f"{s.seconds:.2f}", s.how]
            for s in self.shares
        ]
        head = ["learner", "cells", "trainings", "kept", "seconds each", ""]
        notes = [
            f"{self.trainings:,} trainings, of which {self.kept:,} are kept; {self.workers} at a time",
            "cells that must come out the same are one training",
            f"time: about {_words(self.seconds)}" + ("" if self.memory is None else f", memory: {_bytes(self.memory)}"),
        ]
        return Table(head, rows, notes, left=frozenset({0, 5}))

    def __str__(self) -> str:
        return str(self.table())


def forecast(plan: Plan | PathLike, folder: PathLike, *, workers: int | None = None) -> Forecast:
    """Reads the lists, tries each learner for a second on the first fold, and reckons; nothing is written.

    >>> tables = {
    ...     "data": {"simulated": "hotels", "searches": 60, "folds": 3},
    ...     "measures": {"train": ["yahoo_v1_0:nDCG@5", "yahoo_v0_5:nDCG@5"]},
    ...     "learner": [{"name": "best-feature"}],
    ... }
    >>> found = forecast(Plan.of(tables), "nowhere")
    >>> found.shares[0].cells, found.trainings, found.kept
    (6, 3, 0)
    """
    plan = plan if isinstance(plan, Plan) else read_plan(plan)
    number = workers_of(workers)
    with TemporaryDirectory() as aside:
        folds = [prepared(plan, fold, Path(aside)) for fold in plan.data.folds()]
        cells, _ = asked(plan, folds, threads=None)
        threads = max(1, cores() // number)
        shares = tuple(
            _share(plan, one, cells, folds[0], Path(aside), Path(folder), threads) for one in plan.contenders
        )
    most = memory()
    return Forecast(shares, number, None if most is None else most * number)


def _share(
    plan: Plan, contender: Contender, cells: list[Asked], fold: Prepared, aside: Path, folder: Path, threads: int
) -> Share:
    mine = [cell for cell in cells if cell.contender is contender]
    records = records_of(folder)
    paths: dict[str, list[Record | None]] = {}
    for cell in {key_of(cell.facts): cell for cell in mine}.values():
        paths.setdefault(cell.path, []).append(records.read(cell.facts))
    whole = [[one for one in found if one is not None] for found in paths.values()]
    kept = [path for path, found in zip(whole, paths.values(), strict=True) if len(path) == len(found)]
    done = [path for path in kept if not any(one.values["failed"] for one in path)]
    times = [math.fsum(float(one.values["seconds"]) for one in path) for path in done]
    if times:
        seconds, how = math.fsum(times) / len(times), "as on record"
    else:
        seconds, how = _tried(plan, contender, fold, aside, threads)
    return Share(contender.label, len(mine), len(paths), len(kept), seconds, how)


def _tried(plan: Plan, contender: Contender, fold: Prepared, aside: Path, threads: int) -> tuple[float, str]:
    """Seconds of a training that goes through all its steps; of a grid the mean of its first and its last point."""
    points = contender.points()
    ends = points[:1] if len(points) == 1 else [points[0], points[-1]]
    found = [_of_point(plan, contender, point, fold, aside, threads) for point in ends]
    return math.fsum(seconds for seconds, _ in found) / len(found), found[-1][1]


def _of_point(
    plan: Plan, contender: Contender, point: Mapping[str, Any], fold: Prepared, aside: Path, threads: int
) -> tuple[float, str]:
    """By the pace of the first steps."""
    named = plan.trained_for(contender.training[0])
    learner = contender.learner(point, named.measure, plan.selecting(named), contender.seeds[0], threads)
    parts = {part: file_of_lists.read(part_path(aside, digest)) for part, digest in fold.facts.digests.items()}
    for tried in TRIED:
        began = time.perf_counter()
        try:
            learner.fit(parts["train"], validation=parts.get("validation"), time_budget=plan.time_budget or tried)
        except Exception as error:
            return math.nan, f"fails: {str(error).partition(chr(10))[0]}"
        seconds = time.perf_counter() - began
        if learner.stopped_ != "the time is up" or plan.time_budget is not None:
            return seconds, "as tried"
        if len(learner.curve_) > 1:
            break
    at, steps = learner.curve_.seconds, learner.steps()
    if not len(at):
        return math.nan, f"no step in {TRIED[-1]:g} seconds"
    # The first step may have to compile what the others find.
    pace = (at[-1] - at[0]) / (len(at) - 1) if len(at) > 1 else at[0]
    return seconds + float(pace) * (steps - len(at)), f"at most: {len(at):,} of {steps:,} steps were tried"


def _words(seconds: float) -> str:
    if math.isnan(seconds):
        return "unknown"
    return (
        f"{seconds:.0f} s"
        if seconds < 100
        else f"{seconds / 60:.0f} min"
        if seconds < 6_000
        else f"{seconds / 3600:.1f} h"
    )


def _bytes(count: int) -> str:
    return f"{count / 2**20:,.0f} MiB" if count < 2**30 else f"{count / 2**30:.1f} GiB"
