"""`compare`: several systems on the same lists, and whether their differences could be chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, MeasureError, RankwiseError, message
from rankwise.evaluation import comparison_tables as tables
from rankwise.evaluation.gate import Failure, Gate
from rankwise.evaluation.groups import Groups
from rankwise.evaluation.merge import merge_results
from rankwise.evaluation.paired import Contrast, Family, Paired, Settings
from rankwise.evaluation.result import Result
from rankwise.evaluation.significance import PERMUTATIONS
from rankwise.measures.base import Measure

if TYPE_CHECKING:
    from rankwise.evaluation.table import Table

__all__ = ["Comparison", "Contrast", "compare"]

Rows = npt.NDArray[np.intp]
Systems = Iterable[Result | Sequence[Result]] | Mapping[str, Result | Sequence[Result]]


def compare(
    results: Systems,
    *,
    baseline: str | int | None = None,
    tests: str | Iterable[str] = ("randomisation", "t"),
    correction: str = "holm",
    level: float = 0.95,
    by: Any = None,
    bootstrap: str | None = None,
    detect: float | None = None,
    permutations: int = PERMUTATIONS,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
) -> Comparison:
    """Compares results of `evaluate` on the same lists: differences with intervals, and tests of each.

    `results` are two or more `Result`s with names of their own, or {name: result}. A sequence of results in the place
    of one is that of a system's folds: means are then means of the folds' means, with errors √(Σ error²) / folds.
    Lists are matched by query; those that are not in all results are left out of all and counted, as are those without
    a value under a measure in one of them.

    `baseline` is the name or the place of the system that all others are compared with; without, all pairs are.
    `tests` are some of randomisation, t, wilcoxon, sign and tukey; the first decides what is called significant.
    Each test's p values are corrected together over systems, measures and segments by `correction`: holm, bh,
    bonferroni or none. `level` is that of the intervals; a corrected p below 1 − level is significant.
    `by` makes segments, as in `evaluate`: {query: group}, or one group a list of the first result; without, the groups
    that the results were evaluated by.
    `bootstrap` shows the interval of each difference over resampled lists: "percentile", or "bca", which is
    corrected for skewness.
    `detect` is a difference that would matter: it shows how likely it is found, and how many lists it takes.

    >>> from rankwise import evaluate
    >>> labels, group = [1, 0, 0, 1] * 6, [2] * 12
    >>> old = evaluate(labels, [1.0, 2, 2, 1] * 6, "RR", group=group, name="old")
    >>> new = evaluate(labels, [2.0, 1, 2, 1] * 6, "RR", group=group, name="new")
    >>> found = compare([old, new], baseline="old").contrasts[0]
    >>> found.difference, found.counts, found.p["randomisation"], found.significant
    (0.25, (6, 6, 0), 0.03125, True)
    """
    wanted = (tests,) if isinstance(tests, str) else tuple(tests)
    settings = Settings(
        tests=tuple(dict.fromkeys(wanted)),
        correction=correction,
        level=level,
        permutations=permutations,
        resamples=resamples,
        bootstrap=bootstrap,
        detect=detect,
        seed=seed,
        threads=threads,
    )
    matched = _Matched(_systems(results))
    return Comparison(
        matched, None if baseline is None else _place(matched.names, baseline), settings, _groups(matched, by)
    )


class Comparison:
    """Systems under measures: means, the contrasts of their pairs, segments.

    `comparison["AP"]` is one measure (`Paired`), `comparison.contrasts` the difference of each pair under each measure,
    `comparison.contrast("AP", "new")` one of them. Printing shows the means with letters for significant differences,
    and the differences.
    """

    def __init__(
        self,
        matched: _Matched,
        baseline: int | None,
        settings: Settings,
        groups: Groups | None = None,
        *,
        rows: Rows | None = None,
    ) -> None:
        self.matched = matched
        self.baseline = baseline
        self.settings = settings
        self._groups = groups
        pairs = _pairs(len(matched.names), baseline)
        self.paired = tuple(matched.paired(at, pairs, settings, rows) for at in range(len(matched.measures)))
        self.family = Family(self.paired, settings.correction)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.matched.names

    @property
    def measures(self) -> tuple[Measure, ...]:
        return tuple(one.measure for one in self.paired)

    def __getitem__(self, measure: str | Measure | int) -> Paired:
        """One measure of all systems: `.values`, `.means`, `.queries`."""
        return self.paired[measure] if isinstance(measure, int) else self.paired[self.matched.find(measure)]

    @property
    def contrasts(self) -> list[Contrast]:
        """The difference of each pair under each measure."""
        return [Contrast(paired, self.family, at) for paired in self.paired for at in range(len(paired))]

    def contrast(self, measure: str | Measure, system: str, baseline: str | None = None) -> Contrast:
        """The difference of two systems under a measure; without `baseline`, to that of the comparison."""
        if baseline is None and self.baseline is None:
            hint = "name the other system too, or give compare(…, baseline=…)."
            raise RankwiseError(message("this comparison has no baseline", hint=hint))
        first = self.baseline if baseline is None else _place(self.systems, baseline)
        second = _place(self.systems, system)
        paired = self[measure]
        for at, (one, other) in enumerate(paired.pairs.tolist()):
            if (one, other) == (first, second):
                return Contrast(paired, self.family, at)
        hint = f"the differences are those to {self.systems[self.baseline]}." if self.baseline is not None else ""
        hint = hint or "the later system stands first: its value less that of the earlier."
        what = f"'{system}' is not compared with '{baseline or self.systems[self.baseline or 0]}'"
        raise RankwiseError(message(what, hint=hint))

    @cached_property
    def segments(self) -> dict[str, Comparison]:
        """A comparison of each group of lists; their tests are corrected together."""
        if self._groups is None:
            hint = "compare(…, by={query: group}), or evaluate(…, by=…)."
            raise DataError(message("this comparison has no segments", hint=hint))
        made = {
            name: Comparison(self.matched, self.baseline, self.settings, rows=rows)
            for name, rows in zip(self._groups.names, self._groups.rows(), strict=True)
        }
        family = Family([one for part in made.values() for one in part.paired], self.settings.correction)
        for part in made.values():
            part.family = family
        return made

    @property
    def has_segments(self) -> bool:
        return self._groups is not None

    def failures(self, condition: str) -> list[Failure]:
        """The systems for which a condition holds, such as 'nDCG@10 < baseline - 0.005'; see docs/compare.md.

        With `significantly` at its end, it must hold beyond chance: for the baseline by the first test, corrected, for
        a number by the interval of the mean.
        """
        return Gate.parse(condition).failures(self)

    # Its forms.

    def table(self, *, digits: int = 4) -> Table:
        """One row a system, one column a measure; letters say which systems it is significantly better than."""
        return tables.means(self, digits=digits)

    def differences(self, *, digits: int = 4) -> Table:
        """One row a measure and pair: difference, interval, p of each test, effect size, better – same – worse."""
        return tables.differences(self, digits=digits)

    def lists(self, *, most: int = 3, digits: int = 4) -> Table:
        """The lists with the largest gain and loss of each pair under each measure."""
        return tables.extremes(self, most=most, digits=digits)

    def by_segment(self, *, digits: int = 4) -> Table:
        """One row a measure, segment and pair."""
        return tables.segments(self, digits=digits)

    def tables(self, *, digits: int = 4) -> list[Table]:
        """All that is shown."""
        found = [self.table(digits=digits), self.differences(digits=digits)]
        return [*found, self.by_segment(digits=digits)] if self.has_segments else found

    def to_csv(self) -> str:
        """One row a segment, measure and pair, with full precision; docs/compare.md lists the columns."""
        return tables.csv(self)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return tables.as_dict(self)

    def __repr__(self) -> str:
        return "\n\n".join(map(str, self.tables()))

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        return "".join(table.to_html() for table in self.tables())

    def to_markdown(self) -> str:
        return "\n\n".join(table.to_markdown() for table in self.tables())

    def to_latex(self) -> str:
        return "\n\n".join(table.to_latex() for table in self.tables())


class _Matched:
    """The systems' values on the lists that all results have."""

    def __init__(self, systems: Mapping[str, tuple[Result, npt.NDArray[np.intp] | None]]) -> None:
        self.names = tuple(systems)
        self.results = [result for result, _ in systems.values()]
        first = self.results[0]
        self._order = [self._of_measures(result) for result in self.results]
        self.rows = _common(self.names, self.results)
        self.queries = [first.queries[at] for at in self.rows[0].tolist()]
        self.left_out = {
            name: len(result.evaluated) - len(self.queries)
            for name, result in zip(self.names, self.results, strict=True)
        }
        """How many lists of each system are not in all others."""
        self.folds = _common_folds(self.names, [folds for _, folds in systems.values()], self.rows)
        self._values: dict[int, npt.NDArray[np.float64]] = {}

    @property
    def measures(self) -> list[Measure]:
        return list(self.results[0].measures)

    def find(self, measure: str | Measure) -> int:
        wanted = self.results[0][measure]
        return next(at for at, outcome in enumerate(self.results[0]) if outcome is wanted)

    def paired(self, at: int, pairs: Rows, settings: Settings, rows: Rows | None) -> Paired:
        outcome = self.results[0].outcomes[at]
        if at not in self._values:
            columns = zip(self.results, self._order, self.rows, strict=True)
            self._values[at] = np.stack([r.outcomes[order[at]].values[places] for r, order, places in columns])
        about = outcome.given, outcome.measure, self.names
        values, queries, folds = self._values[at], self.queries, self.folds
        if rows is not None:
            values, queries = values[:, rows], [queries[row] for row in rows.tolist()]
            folds = None if folds is None else folds[rows]
        return Paired(*about, values, queries, folds, pairs, settings)

    def _of_measures(self, result: Result) -> list[int]:
        """Where each of the first result's measures stands in another."""
        order = []
        for measure in self.measures:
            if measure not in result.measures:
                hint = "evaluate all under the same measures; `explain` says what two conventions change."
                others = ", ".join(map(str, result.measures))
                what = f"{self.names[0]} has {measure}, {result.name or 'another result'} has {others}"
                raise MeasureError(message(what, hint=hint))
            order.append(result.measures.index(measure))
        return order


def _systems(results: Systems) -> dict[str, tuple[Result, npt.NDArray[np.intp] | None]]:
    """Each system's name, its result, and the fold of each list."""
    if isinstance(results, Result):
        raise RankwiseError(message("one result is no comparison", hint="give a list of two or more."))
    given = list(results.items()) if isinstance(results, Mapping) else [(None, one) for one in results]
    systems: dict[str, tuple[Result, npt.NDArray[np.intp] | None]] = {}
    for at, (key, one) in enumerate(given, 1):
        result, folds = _with_folds(one)
        name = str(key) if key is not None else result.name or f"system {at}"
        if name in systems:
            hint = "evaluate(…, name=…), or give {name: result}."
            raise RankwiseError(message(f"two results have the name '{name}'", hint=hint))
        systems[name] = (result, folds)
    if len(systems) < 2:
        hint = "give two or more results of `evaluate` on the same lists."
        raise RankwiseError(message(f"{_counted(len(systems), 'result')} cannot be compared", hint=hint))
    return systems


def _with_folds(one: Any) -> tuple[Result, npt.NDArray[np.intp] | None]:
    if isinstance(one, Result):
        result, folds = one, None
    elif isinstance(one, Sequence) and len(one) and all(isinstance(part, Result) for part in one):
        result = merge_results(one)
        folds = np.repeat(np.arange(len(one)), [len(part.evaluated) for part in one])
    else:
        raise RankwiseError(message(f"a result of `evaluate` is compared, not {type(one).__name__}"))
    if result.evaluated.weights is not None:
        hint = "the tests take each list as one; evaluate without weights=."
        raise DataError(message("results with weights of lists cannot be compared", hint=hint))
    return result, folds


def _place(names: Sequence[str], wanted: str | int) -> int:
    """Where a system stands."""
    if isinstance(wanted, int) and not isinstance(wanted, bool) and 0 <= wanted < len(names):
        return wanted
    if isinstance(wanted, str) and wanted in names:
        return list(names).index(wanted)
    raise RankwiseError(message(f"there is no system {wanted!r}", hint=f"there are {', '.join(names)}."))


def _pairs(systems: int, baseline: int | None) -> Rows:
    """Each system with the baseline, or each with each; what is subtracted stands first."""
    if baseline is None:
        return np.array(list(combinations(range(systems), 2)), dtype=np.intp)
    return np.array([(baseline, other) for other in range(systems) if other != baseline], dtype=np.intp)


def _common(names: Sequence[str], results: Sequence[Result]) -> list[Rows]:
    """Of each result, the places of the lists that all have, by query: then their order changes no bit of a test."""
    anonymous = [result.evaluated.queries is None for result in results]
    counts = {len(result.evaluated) for result in results}
    if any(anonymous) and (not all(anonymous) or len(counts) > 1):
        hint = "evaluate all with query ids, qid=, or all on the same lists without."
        raise DataError(message("lists without ids cannot be matched with others", hint=hint))
    first = results[0].queries
    places = [_places(first, result.queries) for result in results]
    common = np.flatnonzero(np.all([at >= 0 for at in places], axis=0))
    if not len(common):
        hint = f"they are matched by query; {names[0]} has {_some(first)}, {names[1]} {_some(results[1].queries)}."
        raise DataError(message("the results have no list in common", hint=hint))
    if not anonymous[0]:
        common = np.array(sorted(common.tolist(), key=first.__getitem__), dtype=np.intp)
    return [at[common] for at in places]


def _places(queries: Sequence[str], among: Sequence[str]) -> Rows:
    if queries == among:
        return np.arange(len(queries))
    at = {query: place for place, query in enumerate(among)}
    return np.array([at.get(query, -1) for query in queries], dtype=np.intp)


def _common_folds(names: Sequence[str], folds: Sequence[Rows | None], rows: Sequence[Rows]) -> Rows | None:
    """The fold of each list, which must be the same in all systems."""
    first, *others = [None if one is None else one[places] for one, places in zip(folds, rows, strict=True)]
    for name, other in zip(names[1:], others, strict=True):
        if (first is None) != (other is None):
            hint = "give the folds of each system, or one result of each."
            raise DataError(message(f"{names[0]} and {name}: one has folds and the other has none", hint=hint))
        if first is not None and other is not None and (first != other).any():
            hint = "the folds must hold the same lists, in the same order."
            raise DataError(message(f"{names[0]} and {name} have other folds", hint=hint))
    return first


def _groups(matched: _Matched, by: Any) -> Groups | None:
    """The group of each list that is compared."""
    first = matched.results[0].evaluated
    found = first.groups if by is None else Groups.of_queries(by, first.queries, len(first))
    if found is None:
        return None
    groups = found.of_each()
    return Groups.of_lists(groups[at] for at in matched.rows[0].tolist())


def _some(queries: Sequence[str], most: int = 3) -> str:
    return ", ".join(f"'{query}'" for query in queries[:most]) + (", …" if len(queries) > most else "")


def _counted(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count or 'no'} {what}s"
