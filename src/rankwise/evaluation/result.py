"""What `evaluate` returns: numbers that cannot be quoted without their convention."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.errors import DataError, MeasureError, message
from rankwise.evaluation.columns import Column, Evaluated
from rankwise.evaluation.lists import Lists
from rankwise.measures.base import Measure

if TYPE_CHECKING:
    from rankwise.data.formats.files import PathLike
    from rankwise.evaluation.breakdown import Breakdown
    from rankwise.evaluation.difference import Difference

__all__ = ["Counts", "Outcome", "Result"]

Values = npt.NDArray[np.float64]

# The bits that the evaluation kernel sets.
EMPTY, SHORT, TIED, UNJUDGED, MISSING, TIE_DECIDED, SHORT_DECIDED = (1 << bit for bit in range(7))
_FLAGS = (EMPTY, SHORT, TIED, UNJUDGED, MISSING, TIE_DECIDED, SHORT_DECIDED)
# Flags × values of a byte of flags.
_HAVING = np.array([[(byte & flag) != 0 for byte in range(128)] for flag in _FLAGS]).astype(np.int64)


class Counts:
    """How many lists were special under a measure, and for how many of them the convention decided the value.

    `empty`: the measure's denominator is 0; `short`: fewer than k documents; `tied`: equal scores within reach of the
    cut-off; `unjudged`: a document without a judgment among the first k; `missing`: judged, but not in the run.
    """

    __slots__ = ("empty", "lists", "missing", "short", "short_decided", "tied", "tied_decided", "unjudged")

    def __init__(self, flags: npt.NDArray[np.uint8]) -> None:
        having: list[int] = (_HAVING @ np.bincount(flags, minlength=128)).tolist()
        self.lists = len(flags)
        self.empty, self.short, self.tied, self.unjudged, self.missing, self.tied_decided, self.short_decided = having

    def as_dict(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in sorted(self.__slots__)}

    def __repr__(self) -> str:
        return f"Counts({', '.join(f'{name}={value}' for name, value in self.as_dict().items())})"


class Outcome:
    """One measure on the lists: per-list values, their mean, its error, and what was special.

    `values` has NaN where the convention leaves a list out of the mean.
    """

    def __init__(
        self,
        given: str,
        measure: Measure,
        values: Values,
        flags: npt.NDArray[np.uint8],
        lists: Evaluated,
    ) -> None:
        self.given = given
        self.measure = measure
        self.counts = Counts(flags)
        self.flags = flags
        self.evaluated = lists
        if self.counts.missing:
            values = self._without_missing(values)
        self.values = values
        self.included, self.mean, self.stderr = self._summary(values)

    def _without_missing(self, values: Values) -> Values:
        missing = (self.flags & MISSING) != 0
        rule = self.measure.convention.missing
        if rule == "error":
            query = self.evaluated.called(int(missing.argmax()))
            what = f"query '{query}' is judged but not in the run, which {self.measure.convention.name} refuses"
            raise DataError(
                message(
                    what, hint="choose a convention that skips it (trec_eval_9_0_8) or scores it 0 (trec_eval_10_0_c)."
                )
            )
        if rule == "as is":
            return values
        return np.where(missing, np.nan if rule == "skip" else 0.0, values)

    def _summary(self, values: Values) -> tuple[int, float, float]:
        """How many lists are in the mean, the mean, its standard error."""
        c = self.measure.convention
        n, total, mean, deviation = _kernels.summary(_averaged(values, c.mean))
        if not n and "mean-of-none-0" in c.quirks:
            return 0, 0.0, math.nan
        if c.empty == "nan" and self.counts.empty:
            return n, math.nan, math.nan
        if self.evaluated.weights is not None:
            return _weighted(values, self.evaluated.weights, c.mean)
        error = deviation / math.sqrt(n) if n > 1 else math.nan
        if c.mean == "geometric":
            return n, math.exp(mean), math.nan
        if c.mean == "sum":
            return n, total, math.nan
        return n, mean, error

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean over lists, by Student's t; NaN below two lists."""
        if math.isnan(self.stderr):
            return math.nan, math.nan
        from rankwise.evaluation.interval import t_quantile

        half = t_quantile(0.975, self.included - 1) * self.stderr
        return self.mean - half, self.mean + half

    @cached_property
    def bootstrap(self) -> tuple[float, float]:
        """The 95 % interval of the mean over 10,000 resamples of the lists, seed 0; NaN below two lists, and of a sum.

        Lists are drawn with their weights. It is the percentile interval: it needs no normal distribution and stays
        within the range of the values, but is somewhat narrow for few lists.
        """
        kind = self.measure.convention.mean
        if self.included < 2 or kind == "sum" or math.isnan(self.mean):
            return math.nan, math.nan
        from rankwise.evaluation.interval import bootstrap_interval

        averaged = _averaged(self.values, kind)
        low, high = bootstrap_interval(averaged, weights=self.evaluated.weights, threads=self.evaluated.threads)
        return (math.exp(low), math.exp(high)) if kind == "geometric" else (low, high)

    @cached_property
    def worst(self) -> Outcome:
        """The same measure with ties in the worst order."""
        return self._with(ties="worst")

    @cached_property
    def best(self) -> Outcome:
        """The same measure with ties in the best order."""
        return self._with(ties="best")

    @property
    def bounds(self) -> tuple[float, float]:
        """The mean in the worst and in the best case over ties."""
        return self.worst.mean, self.best.mean

    def _with(self, **choices: Any) -> Outcome:
        measure = self.measure.but(**choices)
        ((values, flags),) = self.evaluated.compute([measure])
        return Outcome(str(measure), measure, values, flags, self.evaluated)

    def __float__(self) -> float:
        return self.mean

    def __repr__(self) -> str:
        return f"{self.measure} = {self.mean:.4f} ± {self.stderr:.4f} over {self.included} lists"


def _averaged(values: Values, kind: str) -> Values:
    """What a mean of that kind adds up."""
    return np.log(np.maximum(values, 1e-5)) if kind == "geometric" else values


def _weighted(values: Values, weights: Values, kind: str) -> tuple[int, float, float]:
    """As `_summary`, a list of weight 2 counting as two lists."""
    known = ~np.isnan(values)
    v, w = _averaged(values[known], kind), weights[known]
    total = math.fsum(w.tolist())
    if not total > 0:
        return int(known.sum()), math.nan, math.nan
    n, sum_of_values = len(v), math.fsum((w * v).tolist())
    mean = sum_of_values / total
    if kind == "geometric":
        return n, math.exp(mean), math.nan
    if kind == "sum":
        return n, sum_of_values, math.nan
    # The error of a ratio of sums over lists drawn independently.
    spread = math.fsum((w * w * (v - mean) ** 2).tolist())
    return n, mean, math.sqrt(spread * n / (n - 1)) / total if n > 1 else math.nan


class Result:
    """The outcomes of all measures on one ranking of lists.

    `result["AP"]` is an `Outcome`, `result.values` the per-list values (measures × lists), `result.queries` the query
    ids. Printing shows values with intervals, what was special, and the conventions.
    """

    def __init__(
        self,
        lists: Lists | Evaluated,
        measures: Sequence[tuple[str, Measure]],
        *,
        columns: Sequence[Column] | None = None,
        name: str = "",
        keep: int | None = None,
        show_bounds: bool = False,
        show_bootstrap: bool = False,
    ) -> None:
        """Computes the columns of values and flags, or takes those that were computed before."""
        self.name = name
        self.show_bounds = show_bounds
        self.show_bootstrap = show_bootstrap
        self.evaluated = lists if isinstance(lists, Evaluated) else Evaluated.of(lists, keep=keep)
        if columns is None:
            columns = self.evaluated.compute([measure for _, measure in measures])
        self.outcomes = tuple(
            Outcome(given, measure, values, flags, self.evaluated)
            for (given, measure), (values, flags) in zip(measures, columns, strict=True)
        )

    def __len__(self) -> int:
        return len(self.outcomes)

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.outcomes)

    def __getitem__(self, measure: str | Measure | int) -> Outcome:
        if isinstance(measure, int):
            return self.outcomes[measure]
        for outcome in self.outcomes:
            if measure in (outcome.given, outcome.measure):
                return outcome
        if isinstance(measure, str):
            from rankwise.measures.parse import measure as parse

            parsed = parse(measure)
            for outcome in self.outcomes:
                if outcome.measure == parsed:
                    return outcome
        hint = f"there are {', '.join(outcome.given for outcome in self.outcomes)}."
        raise MeasureError(message(f"this result has no {measure}", hint=hint))

    @property
    def measures(self) -> tuple[Measure, ...]:
        return tuple(outcome.measure for outcome in self.outcomes)

    @property
    def means(self) -> dict[str, float]:
        """The mean of each measure, by the measure as it was given."""
        return {outcome.given: outcome.mean for outcome in self.outcomes}

    @cached_property
    def values(self) -> Values:
        """Per-list values, measures × lists."""
        return np.stack([outcome.values for outcome in self.outcomes])

    @cached_property
    def queries(self) -> list[str]:
        """The query ids, one a list; counted from 0 where there are none."""
        ids = self.evaluated.queries
        return [str(i) for i in range(len(self.evaluated))] if ids is None else list(ids)

    @property
    def unknown_queries(self) -> int:
        """Queries of the run that nobody judged; they are left out."""
        return 0 if self.evaluated.unknown_queries is None else len(self.evaluated.unknown_queries)

    @cached_property
    def groups(self) -> Breakdown:
        """The breakdown by the groups that `evaluate` was given as `by=`."""
        if self.evaluated.groups is None:
            hint = "evaluate(…, by=…), or result.by(…) with one group a list."
            raise DataError(message("this result has no groups", hint=hint))
        from rankwise.evaluation.breakdown import Breakdown

        return Breakdown(self, self.evaluated.groups)

    def by(self, groups: Any) -> Breakdown:
        """The breakdown by other groups: {query: group}, or an array with one group a list.

        >>> from rankwise import evaluate
        >>> result = evaluate([1, 0, 0, 1], [2.0, 1, 2, 1], "RR", qid=["a", "a", "b", "b"])
        >>> result.by({"a": "phone", "b": "desk"})["desk"]["RR"].mean
        0.5
        """
        from rankwise.evaluation.breakdown import Breakdown
        from rankwise.evaluation.groups import Groups

        return Breakdown(self, Groups.of_queries(groups, self.evaluated.queries, len(self.evaluated)))

    def take(self, rows: npt.NDArray[np.intp]) -> Result:
        """The result of some of the lists, by their places."""
        return Result(
            self.evaluated.take(rows),
            [(outcome.given, outcome.measure) for outcome in self.outcomes],
            columns=[(outcome.values[rows], outcome.flags[rows]) for outcome in self.outcomes],
            name=self.name,
            show_bounds=self.show_bounds,
            show_bootstrap=self.show_bootstrap,
        )

    # Results and others.

    def __eq__(self, other: object) -> bool:
        """The same measures under the same conventions, and the same value, flags and weight of each query.

        The order of the lists and the names of the results do not matter.
        """
        if not isinstance(other, Result):
            return NotImplemented
        from rankwise.evaluation.difference import are_equal

        return are_equal(self, other)

    __hash__ = None  # type: ignore[assignment]

    def diff(self, other: Result) -> Difference:
        """Which lists have other values in another result, and by how much.

        >>> from rankwise import evaluate
        >>> before, after = (evaluate([1, 0], scores, ["RR", "P@1"]) for scores in ([1.0, 2.0], [2.0, 1.0]))
        >>> print(before.diff(after))
        measure  lists    this   other  difference  greatest
        RR           1  0.5000  1.0000     +0.5000    0.5000
        P@1          1  0.0000  1.0000     +1.0000    1.0000
        <BLANKLINE>
        measure  query    this   other  difference
        RR       1      0.5000  1.0000     +0.5000
        P@1      1      0.0000  1.0000     +1.0000
        """
        from rankwise.evaluation.difference import Difference

        return Difference(self, other)

    @staticmethod
    def merge(parts: Iterable[Result], *, name: str | None = None) -> Result:
        """The result of all lists, from results of disjoint parts of them; see `merge_results`."""
        from rankwise.evaluation.merge import merge_results

        return merge_results(parts, name=name)

    def save(self, path: PathLike) -> None:
        """Writes the result to one small file, which `load_result` reads; docs/results.md describes it."""
        from rankwise.evaluation.saved import save

        save(self, path)

    @cached_property
    def trec_eval(self) -> dict[int, Outcome]:
        """For a judged run: trec_eval's value of each bare measure of the `standard` convention, by its place."""
        if not self.evaluated.judged_run:
            return {}
        from rankwise.measures.tools import tool

        which = tool("trec_eval")
        theirs = {
            at: type(o.measure)(o.measure.k, convention=which.convention_for(o.measure.name))
            for at, o in enumerate(self.outcomes)
            if o.measure.convention.name == "standard"
            and o.measure.name in which.measures
            and not o.measure._parameters()
        }
        # A file of an older version may lack some.
        theirs = {at: measure for at, measure in theirs.items() if self.evaluated.has(measure)}
        columns = self.evaluated.compute(list(theirs.values()))
        return {
            at: Outcome(str(measure), measure, values, flags, self.evaluated)
            for (at, measure), (values, flags) in zip(theirs.items(), columns, strict=True)
        }

    # Its forms. The words are in `present`, which is imported when somebody looks.

    def __repr__(self) -> str:
        from rankwise.evaluation.present import tables

        return "\n\n".join(map(str, tables([self])))

    def _repr_html_(self) -> str:
        from rankwise.evaluation.present import tables

        return "".join(table.to_html() for table in tables([self]))

    def to_markdown(self) -> str:
        from rankwise.evaluation.present import tables

        return "\n\n".join(table.to_markdown() for table in tables([self]))

    def to_latex(self) -> str:
        from rankwise.evaluation.present import tables

        return "\n\n".join(table.to_latex() for table in tables([self]))

    def to_csv(self, *, per_query: bool = False) -> str:
        """`run,measure,query,value` with full precision; the mean has the query `all`."""
        from rankwise.evaluation.present import csv

        return csv([self], per_query=per_query)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Per-list values as an Arrow stream of the columns run, measure, query, value."""
        from rankwise.evaluation.present import arrow

        return arrow(self).__arrow_c_stream__(requested_schema)
