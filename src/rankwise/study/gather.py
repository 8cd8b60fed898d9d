"""From records to a result: grid points are chosen on validation, and their test scores judged under every measure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.data.formats import lists as file_of_lists
from rankwise.errors import RankwiseError, message
from rankwise.evaluation.evaluate import evaluate
from rankwise.evaluation.judge import Judge
from rankwise.measures.base import Measure
from rankwise.study.cells import Asked, Prepared, part_path
from rankwise.study.notices import notices
from rankwise.study.plan import Contender, Plan
from rankwise.study.record import Record, key_of
from rankwise.study.result import Cell, Curve, Entry, StudyResult
from rankwise.study.work import records_of

__all__ = ["gathered"]

CAME_OUT = "the same values came out"

Values = npt.NDArray[np.float64]
Flags = npt.NDArray[np.uint8]


def gathered(
    plan: Plan,
    folder: Path,
    folds: Sequence[Prepared],
    asked: Sequence[Asked],
    died: Mapping[str, str],
    about: Mapping[str, Any],
) -> StudyResult:
    """The result of all records; entries that lack a fold with every seed are left out, and told among the cells."""
    found = [_Fold(plan, folder, fold) for fold in folds]
    chosen, cells, curves = _chosen(plan, folder, folds, found, asked, died)
    entries, seeds_of, flags_of = _entries(plan, folds, found, asked, chosen)
    if not entries:
        why = next((cell.failed for cell in cells if cell.failed), "")
        raise RankwiseError(message(f"every learner failed; the first because: {why}"))
    flags = next(iter(flags_of.values()))
    queries, fold_of = _queries(folds, found)
    told = notices(plan, [fold.test for fold in found], flags_of, cells, entries, _warnings(chosen))
    return StudyResult(
        name=plan.name,
        plan=plan.tables,
        plan_text=plan.text,
        training=plan.training,
        evaluation=plan.evaluation,
        main=plan.main,
        entries=tuple(entries),
        folds=tuple(fold.facts for fold in folds),
        queries=queries,
        fold_of=fold_of,
        seeds_of=seeds_of,
        flags=flags,
        cells=tuple(cells),
        curves=tuple(curves),
        notices=tuple(told),
        baseline=plan.baseline,
        statistics=plan.statistics,
        about=about,
    )


class _Fold:
    """The lists of a fold, and what scores are worth on them."""

    def __init__(self, plan: Plan, folder: Path, fold: Prepared) -> None:
        digests = fold.facts.digests
        self.measures = [named.measure for named in plan.evaluation]
        self.test = file_of_lists.read(part_path(folder, digests["test"]))
        self.judges: dict[Measure, Judge] = {}
        self.validation: Dataset | None = None
        if "validation" in digests:
            self.validation = file_of_lists.read(part_path(folder, digests["validation"]))

    def validated(self, record: Record, select: Measure) -> float:
        """The value of what chooses, on the validation lists."""
        if self.validation is None or "validation" not in record.arrays:
            return math.nan
        if select not in self.judges:
            self.judges[select] = Judge(self.validation, select)
        return self.judges[select].mean(record.arrays["validation"])

    def judged(self, scores: Values) -> tuple[Values, Flags]:
        """Values and flags of all evaluation measures × the test lists."""
        result = evaluate(self.test, scores, self.measures)
        return result.values, np.stack([outcome.flags for outcome in result])


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The grid point that an entry takes on a fold with a seed."""

    cell: Asked
    record: Record


Place = tuple[str, str, int, int]


def _chosen(
    plan: Plan,
    folder: Path,
    folds: Sequence[Prepared],
    found: Sequence[_Fold],
    asked: Sequence[Asked],
    died: Mapping[str, str],
) -> tuple[dict[Place, _Chosen], list[Cell], list[Curve]]:
    """Of each entry, fold and seed the best point on validation; the first of equally good ones."""
    records, groups = records_of(folder), _groups(asked)
    chosen: dict[Place, _Chosen] = {}
    cells: list[Cell] = []
    curves: list[Curve] = []
    for place, points in groups.items():
        told = [_told(records.read(cell.facts), died.get(key_of(cell.facts), "")) for cell in points]
        select = plan.selecting(points[0].training)
        values = [math.nan if failed else found[place[2]].validated(record, select) for record, failed in told]
        best = _best(values, [not failed for _, failed in told], select)
        for at, (cell, (record, failed), value) in enumerate(zip(points, told, values, strict=True)):
            cells.append(_cell(cell, folds[cell.fold], record, failed, value, chosen=at == best))
        if best is not None:
            chosen[place] = _Chosen(points[best], told[best][0])
            curves.append(_curve(points[best], folds[place[2]], told[best][0]))
    return chosen, cells, curves


def _groups(asked: Sequence[Asked]) -> dict[Place, list[Asked]]:
    groups: dict[Place, list[Asked]] = {}
    for cell in asked:
        groups.setdefault((cell.contender.label, cell.training.name, cell.fold, cell.seed), []).append(cell)
    return groups


def _told(record: Record | None, died: str) -> tuple[Record, str]:
    """A record, and why there is nothing in it."""
    if record is None:
        return Record(), died or "its record is missing"
    return record, str(record.values["failed"])


def _best(values: Sequence[float], trained: Sequence[bool], select: Measure) -> int | None:
    sign = 1 if select.higher_is_better else -1
    known = [at for at, is_trained in enumerate(trained) if is_trained]
    return max(known, key=lambda at: -math.inf if math.isnan(values[at]) else sign * values[at], default=None)


def _cell(cell: Asked, fold: Prepared, record: Record, failed: str, value: float, *, chosen: bool) -> Cell:
    values = record.values
    return Cell(
        learner=cell.contender.label,
        training=cell.training.name,
        fold=fold.facts.name,
        seed=cell.seed,
        parameters=cell.point,
        key=key_of(cell.facts),
        failed=failed,
        chosen=chosen,
        validation=value,
        steps=int(values.get("best", 0)),
        stopped=str(values.get("stopped", "")),
        seconds=float(values.get("seconds", math.nan)),
        shared=cell.shared,
    )


def _curve(cell: Asked, fold: Prepared, record: Record) -> Curve:
    return Curve(
        learner=cell.contender.label,
        training=cell.training.name,
        fold=fold.facts.name,
        seed=cell.seed,
        steps=record.arrays["curve.number"],
        values=record.arrays["curve.training"],
        validation=record.arrays["curve.validation"],
        best=int(record.values["best"]),
    )


def _entries(
    plan: Plan,
    folds: Sequence[Prepared],
    found: Sequence[_Fold],
    asked: Sequence[Asked],
    chosen: Mapping[Place, _Chosen],
) -> tuple[list[Entry], dict[tuple[str, str], Values], dict[tuple[str, str], Flags]]:
    """Entries with their values and, of the first seed, their flags."""
    entries: list[Entry] = []
    seeds_of: dict[tuple[str, str], Values] = {}
    flags_of: dict[tuple[str, str], Flags] = {}
    judged: dict[tuple[int, str], tuple[Values, Flags]] = {}
    for contender in plan.contenders:
        first_with: dict[Any, str] = {}
        for name in contender.training:
            places = [[(contender.label, name, fold, seed) for fold in range(len(folds))] for seed in contender.seeds]
            whole = [of_seed for of_seed in places if all(place in chosen for place in of_seed)]
            if not whole:
                continue
            keys = [[key_of(chosen[place].cell.facts) for place in of_seed] for of_seed in whole]
            for of_seed, keys_of_seed in zip(whole, keys, strict=True):
                for place, key in zip(of_seed, keys_of_seed, strict=True):
                    if (place[2], key) not in judged:
                        judged[place[2], key] = found[place[2]].judged(chosen[place].record.arrays["test"])
            columns = [[judged[fold, key] for fold, key in enumerate(keys_of_seed)] for keys_of_seed in keys]
            seeds_of[contender.label, name] = np.stack([np.concatenate([v for v, _ in one], axis=1) for one in columns])
            flags_of[contender.label, name] = np.concatenate([f for _, f in columns[0]], axis=1)
            run_once = first_with.setdefault(tuple(key for one in keys for key in one), name) != name
            same = first_with.setdefault(seeds_of[contender.label, name].tobytes(), name)
            entries.append(
                Entry(
                    learner=contender.label,
                    kind=contender.kind,
                    training=name,
                    seeds=tuple(of_seed[0][3] for of_seed in whole),
                    same_as="" if same == name else same,
                    why_same="" if same == name else _why(contender, name, asked) if run_once else CAME_OUT,
                )
            )
    return entries, seeds_of, flags_of


def _why(contender: Contender, name: str, asked: Sequence[Asked]) -> str:
    """Why the cells of an entry were run for another one."""
    return next((c.why for c in asked if c.why and (c.contender, c.training.name) == (contender, name)), CAME_OUT)


def _queries(folds: Sequence[Prepared], found: Sequence[_Fold]) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]:
    """Query ids, fold after fold; with the fold before them where two folds share an id."""
    ids = [list(fold.test.queries) for fold in found]
    every = [query for part in ids for query in part]
    if len(set(every)) < len(every):
        ids = [[f"{fold.facts.name}/{query}" for query in part] for fold, part in zip(folds, ids, strict=True)]
    fold_of = np.repeat(np.arange(len(ids)), [len(part) for part in ids]).astype(np.int64)
    return tuple(query for part in ids for query in part), fold_of


def _warnings(chosen: Mapping[Place, _Chosen]) -> list[tuple[str, str]]:
    """What chosen trainings warned of, and whose they were."""
    return [(one.cell.contender.label, words) for one in chosen.values() for words in one.record.values["warnings"]]
