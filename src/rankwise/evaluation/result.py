"""What `evaluate` returns: numbers that cannot be quoted without their convention."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.errors import DataError, MeasureError, message
from rankwise.evaluation.lists import Lists
from rankwise.measures.base import Measure

__all__ = ["Counts", "Outcome", "Result"]

Values = npt.NDArray[np.float64]

# The bits that the evaluation kernel sets.
EMPTY, SHORT, TIED, UNJUDGED, MISSING, TIE_DECIDED, SHORT_DECIDED = (1 << bit for bit in range(7))
_CODES = np.arange(128)


class Counts:
    """How many lists were special under a measure, and for how many of them the convention decided the value.

    `empty`: the measure's denominator is 0; `short`: fewer than k documents; `tied`: equal scores within reach of the
    cut-off; `unjudged`: a document without a judgment among the first k; `missing`: judged, but not in the run.
    """

    __slots__ = ("empty", "lists", "missing", "short", "short_decided", "tied", "tied_decided", "unjudged")

    def __init__(self, flags: npt.NDArray[np.uint8]) -> None:
        seen = np.bincount(flags, minlength=128)

        def having(bit: int) -> int:
            return int(seen[(_CODES & bit) != 0].sum())

        self.lists = len(flags)
        self.empty = having(EMPTY)
        self.short = having(SHORT)
        self.tied = having(TIED)
        self.unjudged = having(UNJUDGED)
        self.missing = having(MISSING)
        self.tied_decided = having(TIE_DECIDED)
        self.short_decided = having(SHORT_DECIDED)

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
        lists: Lists,
        keep: int | None = None,
    ) -> None:
        self.given = given
        self.measure = measure
        self.counts = Counts(flags)
        self.flags = flags
        self._lists = lists
        self._keep = keep
        if self.counts.missing:
            values = self._without_missing(values)
        self.values = values
        self.included, self.mean, self.stderr = self._summary(values)

    def _without_missing(self, values: Values) -> Values:
        missing = (self.flags & MISSING) != 0
        rule = self.measure.convention.missing
        if rule == "error":
            query = self._lists.queries[int(missing.argmax())] if self._lists.queries is not None else "?"
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
        if c.mean == "geometric":
            values = np.log(np.maximum(values, 1e-5))
        n, total, mean, deviation = _kernels.summary(values)
        if c.empty == "nan" and self.counts.empty:
            return n, math.nan, math.nan
        if self._lists.weights is not None and c.mean == "lists":
            return _weighted(values, self._lists.weights)
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
        """The 95 % percentile interval over 10,000 resamples of the lists, seed 0; NaN for any but a plain mean."""
        if math.isnan(self.stderr) or self.measure.convention.mean != "lists" or self._lists.weights is not None:
            return math.nan, math.nan
        from rankwise.evaluation.interval import bootstrap_interval

        return bootstrap_interval(self.values)

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
        ((values, flags),) = self._lists.compute([measure], keep=self._keep)
        return Outcome(str(measure), measure, values, flags, self._lists, self._keep)

    def __float__(self) -> float:
        return self.mean

    def __repr__(self) -> str:
        return f"{self.measure} = {self.mean:.4f} ± {self.stderr:.4f} over {self.included} lists"


def _weighted(values: Values, weights: Values) -> tuple[int, float, float]:
    known = ~np.isnan(values)
    v, w = values[known], weights[known]
    total = math.fsum(w.tolist())
    if not total > 0:
        return int(known.sum()), math.nan, math.nan
    mean = math.fsum((w * v).tolist()) / total
    n = len(v)
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
        lists: Lists,
        measures: list[tuple[str, Measure]],
        *,
        name: str = "",
        keep: int | None = None,
        show_bounds: bool = False,
    ) -> None:
        self.name = name
        self.show_bounds = show_bounds
        self._lists = lists
        self._keep = keep
        columns = lists.compute([measure for _, measure in measures], keep=keep)
        self.outcomes = tuple(
            Outcome(given, measure, values, flags, lists, keep)
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
        ids = self._lists.queries
        return [str(i) for i in range(len(self._lists))] if ids is None else list(ids)

    @property
    def unknown_queries(self) -> int:
        """Queries of the run that nobody judged; they are left out."""
        return 0 if self._lists.unknown_queries is None else len(self._lists.unknown_queries)

    @cached_property
    def trec_eval(self) -> dict[int, Outcome]:
        """For a judged run: trec_eval's value of each bare measure of the `standard` convention, by its place."""
        if not self._lists.judged_run:
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
        columns = self._lists.compute(list(theirs.values()), keep=self._keep)
        return {
            at: Outcome(str(measure), measure, values, flags, self._lists, self._keep)
            for (at, measure), (values, flags) in zip(theirs.items(), columns, strict=True)
        }

    # Its forms. The words are in `present`, which is imported when somebody looks.

    def __repr__(self) -> str:
        from rankwise.evaluation.present import table

        return str(table([self]))

    def _repr_html_(self) -> str:
        from rankwise.evaluation.present import table

        return table([self]).to_html()

    def to_markdown(self) -> str:
        from rankwise.evaluation.present import table

        return table([self]).to_markdown()

    def to_latex(self) -> str:
        from rankwise.evaluation.present import table

        return table([self]).to_latex()

    def to_csv(self, *, per_query: bool = False) -> str:
        """`run,measure,query,value` with full precision; the mean has the query `all`."""
        from rankwise.evaluation.present import csv

        return csv([self], per_query=per_query)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Per-list values as an Arrow stream of the columns run, measure, query, value."""
        from rankwise.evaluation.present import arrow

        return arrow(self).__arrow_c_stream__(requested_schema)
