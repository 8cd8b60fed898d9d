"""What a study has to compute: a cell is a learner at a point of its grid, for a training measure, on a fold, a seed.

Cells that cannot but come out the same are one training: where the learner does not look at the training measure, or
where two measures differ by a constant on the lists and the learner looks at differences alone. What a training depends
on are its *facts*; its record is found under them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise import __version__
from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold
from rankwise.data.formats import lists as file_of_lists
from rankwise.errors import DataError, RankwiseError, message
from rankwise.evaluation.lists import Lists
from rankwise.measures.base import Measure
from rankwise.measures.record import record
from rankwise.study.alike import alike
from rankwise.study.plan import Contender, Plan
from rankwise.study.record import key_of, made
from rankwise.study.result import FoldFacts, Named
from rankwise.study.sources import PARTS

if TYPE_CHECKING:
    from rankwise.learners.base import Learner

__all__ = ["Asked", "Job", "Prepared", "asked", "facts_of", "part_path", "prepared"]

ALIKE = "run once, since the measures differ by a constant at most on these lists"
BLIND = "run once, since the learner does not look at the training measure"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A fold whose parts are in the study's folder."""

    facts: FoldFacts
    rows: int
    features: int
    equal: Mapping[tuple[str, bool], frozenset[frozenset[Measure]]] = field(repr=False)
    """Of a part, and whether up to constants, the pairs of measures that agree on it."""
    readings: Mapping[Measure, str] = field(repr=False)
    """What each measure takes for relevant among the training labels: more than that no learner is told that does not
    look at the measure itself."""

    def agree(self, part: str, one: Measure, other: Measure, *, constants: bool) -> bool:
        return one == other or frozenset((one, other)) in self.equal[part, constants]

    def reads_alike(self, one: Measure, other: Measure) -> bool:
        return self.readings[one] == self.readings[other]


@dataclass(frozen=True, slots=True)
class Choice:
    """A learner with what chooses among its steps, and the facts of its record."""

    learner: Learner
    facts: Mapping[str, Any]

    @property
    def key(self) -> str:
        return key_of(self.facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One training, for a worker: it finds the lists and leaves the records in the folder."""

    choices: tuple[Choice, ...]
    """Several where the learner goes the same way for each."""
    folder: Path
    time_budget: float | None
    again: bool = False
    """Whether a failure that is on record is tried again."""

    @property
    def key(self) -> str:
        return self.choices[0].key


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A cell that the plan asks for, and the training that answers it."""

    contender: Contender
    training: Named
    fold: int
    seed: int
    point: Mapping[str, Any]
    facts: Mapping[str, Any]
    path: str
    """The same for cells that are one training, of which each chooses its own step."""
    shared: str = ""
    """The earlier training measure whose training it is."""
    why: str = ""


def part_path(folder: Path, digest: str) -> Path:
    """Where the lists of a part are."""
    return folder / "data" / f"{digest}.lists"


def prepared(plan: Plan, fold: Fold, folder: Path) -> Prepared:
    """Reads the parts of a fold, refuses what nothing can be learnt from, and keeps them for the workers."""
    parts = {part: _read(fold, part) for part in PARTS if part != "validation" or fold.has_validation}
    if not fold.has_validation and any(len(one.points()) > 1 for one in plan.contenders):
        hint = "give validation lists, or leave out the grids."
        raise DataError(message("there are no validation lists to choose grid points by", place=_at(fold), hint=hint))
    digests = {}
    for part, data in parts.items():
        digests[part] = file_of_lists.digest(data)
        path = part_path(folder, digests[part])
        if not path.exists():
            made(path.parent)
            file_of_lists.write(data, path)
    facts = FoldFacts(
        name=fold.name,
        lists={part: len(data) for part, data in parts.items()},
        rows={part: len(data.labels) for part, data in parts.items()},
        digests=digests,
    )
    train = parts["train"]
    assert train.features is not None
    readings = {measure: _reading(measure, train) for named in plan.training for measure in _both(plan, named)}
    return Prepared(facts, len(train.labels), train.features.shape[1], _equal(plan, parts), readings)


def _both(plan: Plan, named: Named) -> tuple[Measure, Measure]:
    return named.measure, plan.selecting(named)


def _reading(measure: Measure, train: Dataset) -> str:
    """Which labels are read how, which are relevant, and what becomes of documents without one."""
    c, labels = measure.convention, np.unique(train.labels).astype(np.float64)
    judged = labels[~np.isnan(labels)]
    unjudged = c.unjudged if len(judged) < len(labels) else ""
    return repr((c.relevant(judged).tolist(), c.levels(judged).tolist(), unjudged))


def _read(fold: Fold, part: str) -> Dataset:
    place = _at(fold, part)
    try:
        data: Dataset = getattr(fold, part)
    except RankwiseError as error:
        raise type(error)(f"{place}: {error}") from None
    if data.features is None:
        raise DataError(message("the lists have no features to learn from", place=place))
    if not len(data):
        raise DataError(message("there are no lists", place=place))
    starts = data.offsets[:-1]
    if not (np.fmax.reduceat(data.labels, starts) > np.fmin.reduceat(data.labels, starts)).any():
        hint = "give lists that have better and worse documents; `rankwise inspect` tells what is odd with data."
        raise DataError(message("no list has documents of different labels", place=place, hint=hint))
    return data


def _at(fold: Fold, part: str = "") -> str:
    return f"fold {fold.name}" + (f", {part}" if part else "")


def _equal(plan: Plan, parts: Mapping[str, Dataset]) -> dict[tuple[str, bool], frozenset[frozenset[Measure]]]:
    measures = {"train": [named.measure for named in plan.training]}
    measures["validation"] = list(dict.fromkeys(plan.selecting(named) for named in plan.training))
    found = {}
    for part in ("train", "validation"):
        # What chooses without validation lists chooses on the training lists.
        data = parts.get(part, parts["train"])
        lists = Lists.of(data, np.zeros(len(data.labels)))
        for constants in (False, True):
            pairs = combinations(measures[part], 2)
            agreeing = {frozenset(pair) for pair in pairs if alike(lists, *pair, constants=constants)}
            found[part, constants] = frozenset(agreeing)
    return found


def asked(plan: Plan, folds: Sequence[Prepared], *, threads: int | None) -> tuple[list[Asked], dict[str, Learner]]:
    """All cells of a plan, fold after fold, and the learner of each distinct training by its key."""
    cells: list[Asked] = []
    learners: dict[str, Learner] = {}
    for at, fold in enumerate(folds):
        for contender in plan.contenders:
            for seed in contender.seeds:
                for point in contender.points():
                    _add(plan, contender, at, fold, seed, point, threads, cells, learners)
    return cells, learners


def _add(
    plan: Plan,
    contender: Contender,
    at: int,
    fold: Prepared,
    seed: int,
    point: Mapping[str, Any],
    threads: int | None,
    cells: list[Asked],
    learners: dict[str, Learner],
) -> None:
    """The cells of all training measures at one point; those that must be the same have the first one's facts."""
    before: list[Named] = []
    for name in contender.training:
        named = plan.trained_for(name)
        learner = contender.learner(point, named.measure, plan.selecting(named), seed, threads)
        first = next((other for other in before if _must_be_same(plan, learner, fold, other, named)), named)
        if first is named:
            before.append(named)
        else:
            learner = contender.learner(point, first.measure, plan.selecting(first), seed, threads)
        if not learner.trains_by_measure and fold.reads_alike(first.measure, plan.selecting(first)):
            # What it does not look at must not tell two trainings apart.
            learner = contender.learner(point, plan.selecting(first), plan.selecting(first), seed, threads)
        facts = _facts(learner, fold.facts, plan.time_budget)
        why = "" if first is named else ALIKE if learner.trains_by_measure else BLIND
        shared = "" if first is named else first.name
        path = _path(plan, learner, fold, facts)
        cells.append(
            Asked(contender=contender, training=named, fold=at, seed=seed, point=point, facts=facts, path=path,
                  shared=shared, why=why)
        )  # fmt: skip
        learners.setdefault(key_of(facts), learner)


def _must_be_same(plan: Plan, learner: Learner, fold: Prepared, one: Named, other: Named) -> bool:
    validated = "validation" in fold.facts.lists
    if learner.trains_by_measure:
        trained = fold.agree("train", one.measure, other.measure, constants=learner.ignores_constants)
    else:
        trained = fold.reads_alike(one.measure, other.measure)
    chooses = (validated or learner.chooses_on_training) and not _has_one_model(learner)
    if not trained or not chooses:
        return trained
    return fold.agree("validation", plan.selecting(one), plan.selecting(other), constants=True)


def _has_one_model(learner: Learner) -> bool:
    """One step and one state: there is nothing to choose from."""
    from rankwise.learners.base import Learner as Base

    return learner.steps() == 1 and type(learner).candidates is Base.candidates


def _path(plan: Plan, learner: Learner, fold: Prepared, facts: Mapping[str, Any]) -> str:
    """What tells the way of a learner from others: not what chooses among its steps, if that is all it asks for.

    Time that is up ends each training where it is.
    """
    if learner.trains_by_measure or plan.time_budget is not None:
        return key_of(facts)
    rest = {name: value for name, value in facts.items() if name not in ("measure", "select")}
    # The rows of a list stand in another order where the rule of ties looks at it, and states hold one score a row.
    assert isinstance(learner.measure, Measure)
    return key_of({**rest, "ties": learner.measure.convention.ties, "reading": fold.readings[learner.measure]})


def jobs(
    cells: Sequence[Asked], learners: Mapping[str, Learner], folder: Path, time_budget: float | None, *, again: bool
) -> dict[str, Job]:
    """One a training, by its path."""
    paths: dict[str, dict[str, Choice]] = {}
    for cell in cells:
        key = key_of(cell.facts)
        paths.setdefault(cell.path, {}).setdefault(key, Choice(learners[key], cell.facts))
    return {
        path: Job(choices=tuple(choices.values()), folder=folder, time_budget=time_budget, again=again)
        for path, choices in paths.items()
    }


def _facts(learner: Learner, fold: FoldFacts, time_budget: float | None) -> dict[str, Any]:
    """All that a training depends on, as plain values."""
    return {"what": "training", **facts_of(learner), "parts": dict(fold.digests), "time_budget": time_budget}


def facts_of(learner: Learner) -> dict[str, Any]:
    """All of a learner that a training depends on, as plain values; its measures are given as such."""
    from rankwise.learners.loop import parameters_of

    parameters = parameters_of(learner)
    for name in ("measure", "select", "threads", "warm_start"):
        parameters.pop(name)
    return {
        "learner": learner.name,
        "parameters": parameters,
        "measure": _choices(learner.measure),
        "select": _choices(learner.select),
        "versions": {"rankwise": __version__, **{name: _version(name) for name in ("numpy", *learner.packages)}},
    }


def _choices(measure: Any) -> dict[str, Any]:
    """A measure as its choices: what it is called changes nothing."""
    kept = record(measure)
    del kept["measure"]
    kept["convention"].pop("name")
    return kept


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
