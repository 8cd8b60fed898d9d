"""Tuning: the hyper-parameters of a learner by their value on validation lists, or on lists in folds.

Each candidate on each fold is a record in a folder, under a key of all it depends on: whoever is killed and starts
again computes what is missing, and two processes on one folder share the work.
"""

from __future__ import annotations

import math
import os
import statistics
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.folds import folds as in_folds
from rankwise.data.formats.files import PathLike
from rankwise.data.formats.lists import digest
from rankwise.errors import DataError, RankwiseError, RankwiseWarning, message
from rankwise.evaluation.judge import Judge
from rankwise.evaluation.table import Table
from rankwise.learners import learner as learner_named
from rankwise.learners.parameters import refuse_unknown
from rankwise.measures.base import Measure
from rankwise.measures.parse import measure as parsed
from rankwise.study.candidates import Range, candidates
from rankwise.study.cells import facts_of
from rankwise.study.record import Record, Records

if TYPE_CHECKING:
    from rankwise.learners.base import Learner
    from rankwise.rankers.base import Ranker

__all__ = ["Candidate", "Progress", "Tuning", "tune"]

Cell = tuple[int, int]
"""A candidate and a fold, counted from 0."""


class Progress(NamedTuple):
    """How far a search is."""

    done: int
    of: int
    computed: int
    """How many were not there before."""
    best: float
    """The best value of a candidate that all folds have judged; NaN before."""
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One point of the search, and what it was worth on each fold."""

    parameters: Mapping[str, Any]
    values: tuple[float, ...]
    """Of the selecting measure, one a fold."""
    errors: tuple[float, ...]
    """Standard errors over the lists of each fold."""
    steps: tuple[int, ...]
    """How many steps were kept."""
    seconds: float
    failure: str = ""
    """Why it could not be learnt; empty if it could."""

    @property
    def value(self) -> float:
        """The mean over folds; NaN of what could not be learnt."""
        return math.nan if self.failure else math.fsum(self.values) / len(self.values)

    @property
    def error(self) -> float:
        """√(Σ error²) / folds, the errors of the folds being independent."""
        return math.nan if self.failure else math.sqrt(math.fsum(e * e for e in self.errors)) / len(self.errors)

    @property
    def words(self) -> str:
        return " · ".join(f"{name}={value}" for name, value in self.parameters.items())


class Tuning:
    """All candidates with their values, the best of them, and the ranker that was learnt with it."""

    def __init__(self, learner: Learner, found: Sequence[Candidate], select: Measure, folds: int) -> None:
        self.learner = learner
        self.candidates = tuple(found)
        self.select = select
        self.folds = folds
        """1 where validation lists were given."""

    @cached_property
    def best(self) -> Candidate:
        """The first of those with the best value."""
        sign = 1 if self.select.higher_is_better else -1
        known = [one for one in self.candidates if not math.isnan(one.value)]
        if not known:
            raise RankwiseError(f"no candidate could be learnt: {self.candidates[0].failure}")
        return max(known, key=lambda one: sign * one.value)

    @property
    def ranker(self) -> Ranker:
        """Learnt with the best parameters from all lists."""
        found: Ranker = self.learner.ranker_
        return found

    def table(self, top: int | None = None) -> Table:
        """Candidates from the best on."""
        names = list(self.candidates[0].parameters)
        sign = -1 if self.select.higher_is_better else 1
        order = sorted(self.candidates, key=lambda one: (math.isnan(one.value), sign * one.value))
        rows = [
            [
                *(str(one.parameters[name]) for name in names),
                *(["–", ""] if one.failure else [f"{one.value:.4f}", _error(one.error)]),
                *([] if self.folds == 1 else [_spread(one.values)]),
                _steps(one.steps),
                "← chosen" if one is self.best else f"failed: {one.failure.partition(chr(10))[0]}" * bool(one.failure),
            ]
            for one in order[:top]
        ]
        over = "validation" if self.folds == 1 else f"{self.folds} folds"
        head = [*names, str(self.select), "±", *([] if self.folds == 1 else ["folds"]), "steps", ""]
        more = len(order) - len(rows)
        notes = [f"{len(order):,} candidates on {over}; ± is the standard error over lists"]
        notes += [f"{more:,} more are not shown"] if more else []
        return Table(head, rows, notes, left=frozenset({len(head) - 1}))

    def as_dict(self) -> dict[str, Any]:
        """All candidates as values of JSON; what is not known is null."""
        return {
            "select": str(self.select),
            "folds": self.folds,
            "best": dict(self.best.parameters),
            "candidates": [
                {
                    "parameters": dict(one.parameters),
                    "value": _number(one.value),
                    "error": _number(one.error),
                    "values": [_number(value) for value in one.values],
                    "errors": [_number(error) for error in one.errors],
                    "steps": list(one.steps),
                    "seconds": one.seconds,
                    "failure": one.failure or None,
                }
                for one in self.candidates
            ],
        }

    def __str__(self) -> str:
        return str(self.table())

    __repr__ = __str__


def tune(
    learner: Learner | str,
    grid: Mapping[str, Sequence[Any] | Range],
    data: Dataset,
    *,
    validation: Dataset | None = None,
    folds: int = 5,
    random: int | None = None,
    seed: int = 0,
    records: PathLike | None = None,
    jobs: int = 1,
    callbacks: Sequence[Callable[[Progress], object]] = (),
    refit: bool = True,
) -> Tuning:
    r"""Searches the hyper-parameters of a learner, and learns with the best of them at the end.

    `learner` is a learner with what stays as it is, or its name; `grid` the values to try of each parameter, all
    combinations, or `random` of them, and then also a `Range`. A candidate is worth the value of the learner's
    selecting measure on `validation`; without, `data` are divided into `folds` by lists, it learns from all but one and
    is judged on that one, and its value is the mean. Its error is :math:`\sqrt{\sum_f e_f^2}/F`, :math:`e_f` the
    standard error over the lists of a fold. The step that is kept is chosen on the same lists, and the best of many is
    a little too good by luck: an honest value comes from lists that took no part.

    At the end (`refit`) the best learns from `data`, with `validation` as before; after folds from all lists, as many
    steps as the median of the folds kept. `records` is a folder: a search that was killed and is started again goes on
    from it. `jobs` processes work at once; the result does not depend on it.

    >>> from rankwise import hotel_searches
    >>> found = tune("best-feature", {"scaling": ["none", "rank"]}, hotel_searches(60), folds=3)
    >>> found.best.parameters, len(found.best.values)
    ({'scaling': 'none'}, 3)
    """
    one = learner_named(learner)() if isinstance(learner, str) else learner
    points = candidates(grid, random, seed)
    learners = [_candidate(one, point) for point in points]
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise RankwiseError(message(f"jobs must be a whole number from 1, not {jobs!r}"))
    if data.features is None:
        raise DataError(message("the dataset has no features to learn from"))
    parts = _Validation(data, validation) if validation is not None else _InFolds(data, folds, seed)
    with _folder(records) as folder:
        search = _Search(learners, parts, Records(folder))
        search.run(jobs, callbacks)
        found = [search.candidate(at, point) for at, point in enumerate(points)]
    tuning = Tuning(one, found, _select(one), len(parts))
    at = next(at for at, candidate in enumerate(tuning.candidates) if candidate is tuning.best)
    tuning.learner = _final(learners[at], tuning, validated=validation is not None)
    if refit:
        tuning.learner.fit(data, validation=validation)
    return tuning


def _candidate(learner: Learner, point: Mapping[str, Any]) -> Learner:
    """The learner with the parameters of a candidate, which are refused before anything is learnt."""
    from sklearn.base import clone

    refuse_unknown(type(learner), point)
    if "measure" in point or "select" in point:
        hint = "tune once for each measure."
        raise RankwiseError(message("candidates with different measures cannot be compared", hint=hint))
    found: Learner = clone(learner).set_params(**point)
    try:
        found.check()
    except RankwiseError as refusal:
        raise type(refusal)(f"{' · '.join(f'{name}={value}' for name, value in point.items())}: {refusal}") from None
    return found


def _select(learner: Learner) -> Measure:
    return _measure(learner.measure if learner.select is None else learner.select)


def _measure(given: Measure | str) -> Measure:
    return given if isinstance(given, Measure) else parsed(given)


def _with_measures(learner: Learner) -> Learner:
    """The same with its measures as such, not as texts."""
    from sklearn.base import clone

    found: Learner = clone(learner).set_params(measure=_measure(learner.measure), select=_select(learner))
    return found


class _Validation:
    """One fold: the lists to learn from, and those to be judged on."""

    def __init__(self, data: Dataset, validation: Dataset) -> None:
        self.data = data
        self.validation = validation

    def __len__(self) -> int:
        return 1

    def pair(self, fold: int) -> tuple[Dataset, Dataset]:
        return self.data, self.validation

    def facts(self, fold: int) -> dict[str, Any]:
        return {"data": self._digests[0], "validation": self._digests[1]}

    @cached_property
    def _digests(self) -> tuple[str, str]:
        return digest(self.data), digest(self.validation)


class _InFolds:
    """Folds by lists; the one in use is held in memory."""

    def __init__(self, data: Dataset, count: int, seed: int) -> None:
        self.data = data
        self.count = len(in_folds(data, count, seed=seed, validation=False))
        self.seed = seed
        self.held: tuple[int, tuple[Dataset, Dataset]] | None = None

    def __len__(self) -> int:
        return self.count

    def pair(self, fold: int) -> tuple[Dataset, Dataset]:
        """All but one part, and that part."""
        if self.held is None or self.held[0] != fold:
            found = in_folds(self.data, self.count, seed=self.seed, validation=False)[fold]
            self.held = fold, (found.train, found.test)
        return self.held[1]

    def facts(self, fold: int) -> dict[str, Any]:
        return {"data": self._digest, "fold": fold, "folds": self.count, "seed of folds": self.seed}

    @cached_property
    def _digest(self) -> str:
        return digest(self.data)


def _final(learner: Learner, tuning: Tuning, *, validated: bool) -> Learner:
    """The best candidate; where no validation lists say when to stop, the folds do."""
    if validated or not learner.lengthens or learner.chooses_on_training:
        return learner
    steps = max(1, round(statistics.median(tuning.best.steps)))
    found: Learner = learner.set_params(**{learner.lengthens: steps})
    return found


@contextmanager
def _folder(records: PathLike | None) -> Iterator[str]:
    if records is not None:
        yield os.fspath(records)
        return
    with TemporaryDirectory(prefix="rankwise-tune-") as folder:
        yield folder


class _Search:
    """Cells, candidate × fold, each a record."""

    def __init__(self, learners: Sequence[Learner], parts: _Validation | _InFolds, records: Records) -> None:
        self.learners = learners
        self.parts = parts
        self.records = records
        # Fold by fold, so that one fold is in use at a time.
        self.cells = [(at, fold) for fold in range(len(parts)) for at in range(len(learners))]
        of_learners = [facts_of(_with_measures(one)) for one in learners]
        self.facts = {
            (at, fold): {"what": "candidate", **of_learners[at], **parts.facts(fold)} for at, fold in self.cells
        }
        self.known: dict[Cell, Mapping[str, Any]] = {}

    def run(self, jobs: int, callbacks: Sequence[Callable[[Progress], object]]) -> None:
        """Has every cell computed; with more jobs, other processes take cells from the same folder."""
        began = time.monotonic()
        waiting = [cell for cell in self.cells if self.values(cell) is None]
        before = len(self.cells) - len(waiting)

        def tell() -> None:
            done = len(self.cells) - len(waiting)
            told = Progress(done, len(self.cells), done - before, self._best(), time.monotonic() - began)
            for callback in callbacks:
                callback(told)

        if before:
            tell()
        with _helpers(self, min(jobs, len(waiting)) - 1):
            while waiting:
                left = self.work(waiting)
                if len(left) == len(waiting):
                    # All that is left is being computed elsewhere; whoever dies there leaves it to us.
                    time.sleep(0.05)
                    continue
                waiting = left
                tell()

    def work(self, waiting: Sequence[Cell]) -> list[Cell]:
        """Computes the first cell that nobody else is at; the cells that are left."""
        left: list[Cell] = []
        for place, cell in enumerate(waiting):
            if self.values(cell) is not None:
                continue
            with self.records.claim(self.facts[cell]) as mine:
                if mine and self.values(cell) is None:
                    self.records.write(self.facts[cell], _computed(self.learners[cell[0]], *self.parts.pair(cell[1])))
                    self.values(cell)
                    return [*left, *waiting[place + 1 :]]
                if not mine:
                    left.append(cell)
        return left

    def values(self, cell: Cell) -> Mapping[str, Any] | None:
        """What a cell's record says, if there is one."""
        if cell not in self.known:
            record = self.records.read(self.facts[cell])
            if record is None:
                return None
            self.known[cell] = record.values
        return self.known[cell]

    def candidate(self, at: int, point: Mapping[str, Any]) -> Candidate:
        values = [self.values((at, fold)) or {} for fold in range(len(self.parts))]
        failures = [str(one["failure"]) for one in values if "failure" in one]
        return Candidate(
            parameters=dict(point),
            values=tuple(_float(one.get("value")) for one in values),
            errors=tuple(_float(one.get("error")) for one in values),
            steps=tuple(int(one.get("steps", 0)) for one in values),
            seconds=math.fsum(float(one.get("seconds", 0.0)) for one in values),
            failure=failures[0] if failures else "",
        )

    def _best(self) -> float:
        folds = range(len(self.parts))
        judged = [at for at in range(len(self.learners)) if all((at, fold) in self.known for fold in folds)]
        values = [value for at in judged if not math.isnan(value := self.candidate(at, {}).value)]
        higher = _select(self.learners[0]).higher_is_better
        return math.nan if not values else max(values) if higher else min(values)


def _computed(learner: Learner, train: Dataset, validation: Dataset) -> Record:
    """What a candidate is worth on a fold: a value, or why there is none."""
    from sklearn.base import clone

    began = time.monotonic()
    try:
        # What is to be warned of is said once, of the ranker that is learnt at the end.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankwiseWarning)
            fitted = clone(learner).fit(train, validation=validation)
    except MemoryError:
        # That depends on the machine and the hour: it is told, and not kept.
        raise
    except Exception as error:
        told = str(error) if isinstance(error, RankwiseError) else f"{type(error).__name__}: {error}"
        return Record({"failure": told, "seconds": time.monotonic() - began})
    scores = fitted.ranker_.predict(validation, threads=learner.threads)
    outcome = Judge(validation, _select(learner), threads=learner.threads).outcome(validation.reorder(scores))
    values = {
        "value": _number(outcome.mean),
        "error": _number(outcome.stderr),
        "steps": int(fitted.ranker_.about["steps"]),
        "stopped": fitted.stopped_,
        "seconds": time.monotonic() - began,
    }
    return Record(values, {"values": np.asarray(outcome.values, np.float64)})


@contextmanager
def _helpers(search: _Search, count: int) -> Iterator[None]:
    """Further processes at the same cells; they end with the block, or when this process ends."""
    if count < 1:
        yield
        return
    import multiprocessing

    # A fork would copy the locks of threads that are at work in the kernels.
    context = multiprocessing.get_context("spawn")
    share = max(1, (os.cpu_count() or 1) // (count + 1))
    before = [one.threads for one in search.learners]
    for one in search.learners:
        one.threads = share if one.threads is None else one.threads
    processes = [context.Process(target=_help, args=(search, os.getpid()), daemon=True) for _ in range(count)]
    try:
        for process in processes:
            process.start()
        yield
    finally:
        for process in processes:
            if process.is_alive():
                process.terminate()
        for process in processes:
            process.join()
        for one, threads in zip(search.learners, before, strict=True):
            one.threads = threads


def _help(search: _Search, parent: int) -> None:
    """Takes cells until none is free; Ctrl-C is the parent's, and without a parent there is nothing to do."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    waiting = search.cells
    while waiting and os.getppid() == parent:
        left = search.work(waiting)
        if len(left) == len(waiting):
            return
        waiting = left


def _float(value: Any) -> float:
    return math.nan if value is None else float(value)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _error(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.4f}"


def _spread(values: Sequence[float]) -> str:
    known = [value for value in values if not math.isnan(value)]
    return f"{min(known):.4f} – {max(known):.4f}" if known else ""


def _steps(steps: Sequence[int]) -> str:
    return f"{min(steps):,}" if min(steps) == max(steps) else f"{min(steps):,} – {max(steps):,}"
