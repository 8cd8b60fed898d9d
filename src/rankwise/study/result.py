"""What a study found: per-list values of every learner, for every training measure, under every evaluation measure.

An *entry* is a learner trained for a training measure: a row of the tables, a contender for the verdict. Its values
stand list by list, the folds' test lists joined; those of several seeds are averaged list by list, and their spread is
that of the means of the seeds. A mean is the mean of the folds' means, its error √(Σ error²) / folds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankwise.data.ids import Ids
from rankwise.errors import MeasureError, RankwiseError, message
from rankwise.evaluation.columns import Evaluated, Saved
from rankwise.evaluation.compare import Comparison, compare
from rankwise.evaluation.paired import Settings
from rankwise.evaluation.result import Result
from rankwise.measures.base import Measure

if TYPE_CHECKING:
    from rankwise.data.formats.files import PathLike
    from rankwise.evaluation.table import Table
    from rankwise.study.verdict import Verdict

__all__ = ["Cell", "Curve", "Entry", "FoldFacts", "Named", "Notice", "Score", "StudyResult"]

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Named:
    """A measure with the name that the plan gives it: its text, unless the plan says otherwise."""

    name: str
    measure: Measure

    @property
    def convention(self) -> str:
        """The name of its convention, as it is shown."""
        return self.measure.convention.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A learner trained for a training measure."""

    learner: str
    """As the plan calls it."""
    kind: str
    """The learner's name on the command line."""
    training: str
    """The name of the training measure."""
    seeds: tuple[int, ...]
    same_as: str = ""
    """The earlier training measure that makes the same models, since nothing else could come: run once."""
    why_same: str = ""

    @property
    def name(self) -> str:
        return f"{self.learner} for {self.training}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldFacts:
    """A division of the lists, and digests of its parts."""

    name: str
    lists: Mapping[str, int]
    """Of `train`, `validation` (where there is one) and `test`."""
    rows: Mapping[str, int]
    digests: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One training: a learner's grid point, for a training measure, on a fold, with a seed; or why there is none."""

    learner: str
    training: str
    fold: str
    seed: int
    parameters: Mapping[str, Any]
    """Those of the grid alone."""
    key: str
    """The name of its record."""
    failed: str = ""
    """Why it has no model; empty if it has."""
    chosen: bool = False
    """Whether it is the grid point that validation chose; its ranker makes the test scores."""
    validation: float = math.nan
    """The selection measure on the validation lists."""
    steps: int = 0
    stopped: str = ""
    seconds: float = math.nan
    shared: str = ""
    """The training measure whose training this is too, if it was not run for itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """How a chosen cell learnt: one value a step."""

    learner: str
    training: str
    fold: str
    seed: int
    steps: npt.NDArray[np.int64]
    values: Values
    """Of the training measure on the training lists."""
    validation: Values
    """Of the selection measure on the validation lists; NaN where there are none."""
    best: int
    """The number of the step that was kept."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What whoever reads the numbers should know."""

    code: str
    text: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.code}: {self.text}" + (f"\n  {self.hint}" if self.hint else "")


@dataclass(frozen=True, slots=True)
class Score:
    """An entry under an evaluation measure."""

    mean: float
    stderr: float
    """Over lists, the folds' errors in quadrature."""
    spread: float
    """The standard deviation of the seeds' means; NaN for one seed."""
    folds: Values
    """The mean of each fold, over seeds."""
    seeds: Values
    """The mean of each seed, over folds."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StudyResult:
    """All that a study found; printing shows the verdict and the tables.

    `entries` are the learners × training measures that have values, `evaluation` the measures they are judged by, of
    which `main` decides the verdict. `score(learner, training, measure)` is a number with its errors,
    `values(…)` its per-list values, `comparison(measure)` all entries with their paired differences. `cells` are the
    trainings, failed ones among them, `curves` those of the chosen ones; `notices` say what to know before a number is
    quoted. `plan` is the plan as it was given, `about` versions, hardware and time.
    """

    name: str
    plan: Mapping[str, Any]
    """The tables of the plan, as plain values."""
    plan_text: str
    """The plan as it can be run again."""
    training: tuple[Named, ...]
    evaluation: tuple[Named, ...]
    main: Named
    """The measure of the verdict, under `standard`; one of `evaluation`."""
    entries: tuple[Entry, ...]
    folds: tuple[FoldFacts, ...]
    queries: tuple[str, ...]
    """One a test list, fold after fold."""
    fold_of: npt.NDArray[np.int64]
    """Of each list the place of its fold."""
    seeds_of: Mapping[tuple[str, str], npt.NDArray[np.float64]]
    """Of each entry, by learner and training measure: seeds × evaluation measures × lists."""
    flags: npt.NDArray[np.uint8]
    """Evaluation measures × lists: what was special, as `rankwise.evaluation.result` writes it."""
    cells: tuple[Cell, ...] = ()
    curves: tuple[Curve, ...] = ()
    notices: tuple[Notice, ...] = ()
    baseline: str = ""
    """The training measure that the others are held against."""
    statistics: Settings = field(default_factory=Settings)
    about: Mapping[str, Any] = field(default_factory=dict)

    # What it holds.

    @cached_property
    def learners(self) -> tuple[str, ...]:
        """The learners that have values, in the plan's order."""
        return tuple(dict.fromkeys(entry.learner for entry in self.entries))

    def entry(self, learner: str, training: str) -> Entry:
        for one in self.entries:
            if (one.learner, one.training) == (learner, training):
                return one
        hint = f"there are {', '.join(one.name for one in self.entries)}."
        raise RankwiseError(message(f"this study has no {learner} for {training}", hint=hint))

    def place(self, measure: str | Measure | Named) -> int:
        """Where an evaluation measure stands."""
        wanted = measure.measure if isinstance(measure, Named) else measure
        for at, named in enumerate(self.evaluation):
            if wanted in (named.name, named.measure, str(named.measure)):
                return at
        if isinstance(wanted, str):
            from rankwise.measures.parse import measure as parse

            parsed = parse(wanted)
            for at, named in enumerate(self.evaluation):
                if named.measure == parsed:
                    return at
        hint = f"it has {', '.join(named.name for named in self.evaluation)}."
        raise MeasureError(message(f"this study has no {wanted}", hint=hint))

    def values(self, learner: str, training: str, measure: str | Measure | Named) -> Values:
        """Per-list values, the mean over seeds; NaN where the convention leaves a list out."""
        found: Values = self._of(learner, training)[:, self.place(measure)].mean(axis=0)
        return found

    def score(self, learner: str, training: str, measure: str | Measure | Named) -> Score:
        """The value of an entry, its error over lists, its spread over seeds."""
        places = [self.place(measure)]
        seeds = self._of(learner, training)
        outcomes = [part.outcomes[0] for part in self._results(seeds.mean(axis=0), places=places)]
        of_seeds = np.array([_mean([part.outcomes[0].mean for part in self._results(s, places=places)]) for s in seeds])
        return Score(
            mean=_mean([outcome.mean for outcome in outcomes]),
            stderr=math.sqrt(math.fsum(outcome.stderr**2 for outcome in outcomes)) / len(outcomes),
            spread=float(of_seeds.std(ddof=1)) if len(of_seeds) > 1 else math.nan,
            folds=np.array([outcome.mean for outcome in outcomes]),
            seeds=of_seeds,
        )

    def results(self, learner: str, training: str) -> list[Result]:
        """The result of each fold under all evaluation measures, the mean over seeds, as `evaluate` makes them."""
        return self._results(self._of(learner, training).mean(axis=0), self.entry(learner, training).name)

    @cached_property
    def conventions(self) -> tuple[Named, ...]:
        """The main measure under each convention that the study evaluates, the main one first."""
        alike = [one for one in self.evaluation if _is_like(one.measure, self.main.measure) and one != self.main]
        return (self.main, *alike)

    # Entries held against each other.

    def comparison(
        self,
        measures: str | Measure | Named | Sequence[str | Measure | Named] | None = None,
        *,
        entries: Sequence[Entry] | None = None,
        baseline: Entry | None = None,
    ) -> Comparison:
        """Entries with their paired differences, as `rankwise.compare` makes them; entries that are one stand once.

        `measures` are the main one, unless others are named; `baseline` is what all others are compared with.
        """
        places = [self.place(one) for one in self._named(measures)]
        chosen = self.distinct if entries is None else tuple(entries)
        s = self.statistics
        return compare(
            {one.name: self._parts(one, places) for one in chosen},
            baseline=None if baseline is None else baseline.name,
            tests=s.tests,
            correction=s.correction,
            level=s.level,
            bootstrap=s.bootstrap,
            detect=s.detect,
            permutations=s.permutations,
            resamples=s.resamples,
            seed=s.seed,
            threads=s.threads,
        )

    @cached_property
    def distinct(self) -> tuple[Entry, ...]:
        """The entries without those that are the same as an earlier one."""
        return tuple(entry for entry in self.entries if not entry.same_as)

    @cached_property
    def verdict(self) -> Verdict:
        """Who wins under the main measure, by how much and how surely, and whether another convention changes it."""
        from rankwise.study.verdict import Verdict

        return Verdict.of(self)

    # Its forms; the words are in `tables`.

    def table(self, *, digits: int = 4) -> Table:
        """One row an entry, one column a convention of the main measure."""
        from rankwise.study import tables

        return tables.means(self, digits=digits)

    def by_training(self, *, digits: int = 4) -> Table:
        """What training for another measure changes: each entry less that of the same learner for the baseline."""
        from rankwise.study import tables

        return tables.by_training(self, digits=digits)

    def tables(self, *, digits: int = 4) -> list[Table]:
        """All that is shown."""
        from rankwise.study import tables

        if digits not in self._shown:
            self._shown[digits] = tables.all_of(self, digits=digits)
        return self._shown[digits]

    @cached_property
    def _shown(self) -> dict[int, list[Table]]:
        """Tables that were made before: their tests take a while."""
        return {}

    def __repr__(self) -> str:
        return "\n\n".join([*map(str, self.tables()), self.words()])

    def words(self) -> str:
        """What to know before a number is quoted, if there is anything, and the verdict."""
        from rankwise.study import tables

        return "\n\n".join([*([tables.notices(self)] if self.notices else []), str(self.verdict)])

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        from html import escape

        return "".join(table.to_html() for table in self.tables()) + f"<pre>{escape(self.words())}</pre>"

    def to_markdown(self) -> str:
        return "\n\n".join([*(table.to_markdown() for table in self.tables()), f"```\n{self.words()}\n```"])

    def to_latex(self) -> str:
        return "\n\n".join(table.to_latex() for table in self.tables())

    def to_csv(self) -> str:
        """A row an entry and evaluation measure, with full precision: mean, error, spread, seeds, lists."""
        from rankwise.study import tables

        return tables.csv(self)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        from rankwise.study import tables

        return tables.as_dict(self)

    def save(self, path: PathLike) -> None:
        """Writes the result to one file, which `rankwise.load_study` reads."""
        from rankwise.study.saved import save

        save(self, path)

    def _named(self, measures: Any) -> list[Any]:
        if measures is None:
            return [self.main]
        return [measures] if isinstance(measures, (str, Measure, Named)) else list(measures)

    def _of(self, learner: str, training: str) -> Values:
        return self.seeds_of[(entry := self.entry(learner, training)).learner, entry.training]

    def _results(self, values: Values, name: str = "", places: Sequence[int] | None = None) -> list[Result]:
        """One a fold, of values evaluation measures × lists."""
        shown = range(len(self.evaluation)) if places is None else places
        measures = [(self.evaluation[at].name, self.evaluation[at].measure) for at in shown]
        made = []
        for fold in range(len(self.folds)):
            rows = np.flatnonzero(self.fold_of == fold)
            columns = [(values[at, rows], self.flags[at, rows]) for at in shown]
            about = Evaluated(len(rows), Saved({}), queries=self._ids[rows])
            made.append(Result(about, measures, columns=columns, name=name))
        return made

    def _parts(self, entry: Entry, places: Sequence[int]) -> list[Result]:
        return self._results(self._of(entry.learner, entry.training).mean(axis=0), entry.name, places)

    @cached_property
    def _ids(self) -> Ids:
        return Ids.of(self.queries)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _is_like(one: Measure, other: Measure) -> bool:
    """The same formula, cut at the same rank, whatever the convention."""
    return type(one) is type(other) and one.k == other.k and one._parameters() == other._parameters()
