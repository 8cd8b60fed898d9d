"""Who wins under which measure: several systems on the same lists, under many measures at once.

Vocabulary: a *share* is what a list adds to a system's mean, so that the shares of a system sum to it; a *contrast* is
a share less the mean of that list's shares over the systems, which is 0 where all systems get the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.errors import ConventionError, DataError, RankwiseError, message
from rankwise.evaluation.columns import Column, Evaluated
from rankwise.evaluation.result import Outcome
from rankwise.measures import NumRel
from rankwise.measures.base import Measure
from rankwise.measures.convention import STANDARD

__all__ = ["Field", "Rows", "Standing", "Values", "pairs"]

Values = npt.NDArray[np.float64]
Signs = npt.NDArray[np.int8]
Rows = npt.NDArray[np.intp]

# Sums in another order differ by less.
ROUNDING = 1e-12
# How many measures are computed at once.
_AT_ONCE = 256
# How many shares are held at once.
_HELD = 1 << 23


@dataclass(frozen=True)
class Standing:
    """The systems under one measure."""

    measure: Measure
    outcomes: tuple[Outcome, ...]
    shares: Values
    """Systems × lists; of a geometric mean, what a list adds to its logarithm."""

    @cached_property
    def means(self) -> Values:
        return np.array([outcome.mean for outcome in self.outcomes])

    @property
    def is_defined(self) -> bool:
        return not np.isnan(self.means).any()

    @cached_property
    def contrasts(self) -> Values:
        return np.asarray(self.shares - self.shares.mean(axis=0))

    @property
    def leads(self) -> Values:
        """By how much the first of each pair of systems is better than the second; 0 for a difference of rounding."""
        first, second = pairs(len(self.means))
        lead = self.means[first] - self.means[second]
        lead[np.abs(lead) <= ROUNDING * np.maximum(1.0, np.abs(self.means[first]))] = 0.0
        return lead if self.measure.higher_is_better else -lead

    @property
    def signs(self) -> Signs:
        """1 where the first of a pair of systems wins, −1 where the second does, 0 where neither."""
        return np.sign(self.leads).astype(np.int8)

    @property
    def ranks(self) -> list[int]:
        """1 is the best; systems whose means are equal share the better rank."""
        wins = np.zeros((len(self.means), len(self.means)), dtype=bool)
        for (first, second), sign in zip(combinations(range(len(self.means)), 2), self.signs, strict=True):
            wins[first, second], wins[second, first] = sign > 0, sign < 0
        return [1 + int(count) for count in wins.sum(axis=0)]

    @property
    def t(self) -> Values:
        """Student's t of each pair's shares: how clearly the winner leads."""
        first, second = pairs(len(self.means))
        difference = self.shares[first] - self.shares[second]
        n = difference.shape[1]
        spread = difference.std(axis=1, ddof=1) if n > 1 else np.zeros(len(difference))
        with np.errstate(divide="ignore", invalid="ignore"):
            size = np.abs(difference.mean(axis=1)) * math.sqrt(n) / spread
        return np.asarray(self.signs * np.nan_to_num(size, nan=0.0, posinf=np.finfo(float).max))

    def equals(self, other: Standing) -> bool:
        """Whether every number is the same, but for rounding."""
        same = np.allclose(self.means, other.means, rtol=0, atol=ROUNDING, equal_nan=True)
        return bool(same and np.allclose(self.shares, other.shares, rtol=0, atol=ROUNDING))

    def rescales(self, other: Standing) -> bool:
        """Whether each difference between two systems, on each list, is that of the other times one positive factor.

        Then no winner differs, and no test of the paired differences. A constant for lists that are empty for every
        system leaves all differences as they are; leaving them out, or another base of the logarithm, is a factor.
        """
        mine, theirs = self.contrasts, other.contrasts
        if not (self.is_defined and other.is_defined) or self._is_geometric != other._is_geometric:
            return self is other
        size, least = float((theirs * theirs).sum()), ROUNDING / max(1, mine.shape[1])
        if max(np.abs(mine).max(initial=0.0), np.abs(theirs).max(initial=0.0)) <= least:
            return True
        factor = float((mine * theirs).sum()) / size if size > 0 else 0.0
        return factor > 0 and bool(np.abs(mine - factor * theirs).max() <= 1e-9 * np.abs(mine).max())

    @property
    def _is_geometric(self) -> bool:
        return self.measure.convention.mean == "geometric"


class Field:
    """Several systems on the same lists, matched by their queries."""

    def __init__(self, systems: Sequence[Evaluated]) -> None:
        self.systems = systems
        self._labels_above: dict[float, bool] = {}
        first = systems[0]
        # By query, so that neither the order of lists nor that of systems changes a bit of a test.
        by_query = _by_query(first)
        self.orders = [by_query, *(_order(first, other, at)[by_query] for at, other in enumerate(systems[1:], start=2))]

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def lists(self) -> int:
        return len(self.systems[0])

    def standings(self, measures: Sequence[Measure]) -> list[Standing | RankwiseError]:
        """Each measure's standing, or why it is refused on these lists; refused too is what misreads their labels."""
        found: list[Standing | RankwiseError] = []
        for start in range(0, len(measures), _AT_ONCE):
            found += self._some(measures[start : start + _AT_ONCE])
        return found

    @property
    def at_once(self) -> int:
        """How many standings may be held at once."""
        return max(8, min(_AT_ONCE, _HELD // max(1, len(self) * self.lists)))

    def _some(self, measures: Sequence[Measure]) -> list[Standing | RankwiseError]:
        try:
            columns = [lists.compute(list(measures)) for lists in self.systems]
        except RankwiseError as refusal:
            if len(measures) == 1:
                return [refusal]
            half = len(measures) // 2
            return self._some(measures[:half]) + self._some(measures[half:])
        return [self._standing(m, of_one) for m, of_one in zip(measures, zip(*columns, strict=True), strict=True)]

    def _standing(self, measure: Measure, columns: Sequence[Column]) -> Standing | RankwiseError:
        misread = self._misread(measure)
        if misread:
            return ConventionError(message(misread))
        try:
            outcomes = tuple(
                Outcome("", measure, *column, lists) for column, lists in zip(columns, self.systems, strict=True)
            )
        except RankwiseError as refusal:
            return refusal
        shares = [self._matched(at, _shares(outcome)) for at, outcome in enumerate(outcomes)]
        return Standing(measure, outcomes, np.stack(shares))

    def _misread(self, measure: Measure) -> str:
        """What a convention takes labels for that they are not: those of another scale."""
        c = measure.convention
        if "rel" in measure.relevant_axes and isinstance(c.rel, frozenset) and self._has_labels_above(max(c.rel)):
            return f"labels above {max(c.rel):g} occur, and only {c.words('rel')} are relevant"
        if "gmax" in measure.relevant_axes and isinstance(c.gmax, str) and self._has_labels_above(1.0):
            return "labels above 1 occur, and a label is read as a chance"
        return ""

    def _has_labels_above(self, label: float) -> bool:
        if label not in self._labels_above:
            counted = NumRel(convention=STANDARD.but(rel=f">{label:g}", negative="as is"))
            columns = [lists.compute([counted])[0][0] for lists in self.systems]
            self._labels_above[label] = any(bool((column > 0).any()) for column in columns)
        return self._labels_above[label]

    def _matched(self, system: int, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(column[self.orders[system]])


def pairs(systems: int) -> tuple[Rows, Rows]:
    """The first and the second system of every pair."""
    return np.triu_indices(systems, 1)


def _by_query(lists: Evaluated) -> Rows:
    """The places of the lists by their ids; without ids, as they are."""
    if lists.queries is None:
        return np.arange(len(lists), dtype=np.intp)
    queries = list(lists.queries)
    return np.array(sorted(range(len(queries)), key=queries.__getitem__), dtype=np.intp)


def _order(first: Evaluated, other: Evaluated, at: int) -> Rows:
    """Where the first system's lists stand in another one's."""
    mine, theirs = (list(range(len(e))) if e.queries is None else list(e.queries) for e in (first, other))
    place = {query: at for at, query in enumerate(theirs)}
    lacking = next((query for query in mine if query not in place), None)
    if lacking is not None or len(mine) != len(theirs):
        where = f"list '{lacking}' is in the first" if lacking is not None else "it has lists that the first lacks"
        hint = "evaluate all of them with the same judgments."
        raise DataError(message(f"system {at} is not over the same lists as the first ({where})", hint=hint))
    order = np.array([place[query] for query in mine], dtype=np.intp)
    if not _same_weights(first, other, order):
        hint = "give all systems the same weights."
        raise DataError(message(f"the lists of system {at} have other weights than those of the first", hint=hint))
    return order


def _same_weights(first: Evaluated, other: Evaluated, order: Rows) -> bool:
    if first.weights is None or other.weights is None:
        return first.weights is other.weights
    return np.array_equal(first.weights, other.weights[order])


def _shares(outcome: Outcome) -> Values:
    """What each list adds to the mean; a list left out adds nothing."""
    rule, values = outcome.measure.convention.mean, outcome.values
    known = ~np.isnan(values)
    counted = np.where(known, values, 0.0)
    if rule == "geometric":
        counted = np.where(known, np.log(np.maximum(counted, 1e-5)), 0.0)
    weights = outcome.evaluated.weights
    if weights is not None:
        counted = counted * weights
    if rule == "sum":
        return counted
    total = float(known.sum() if weights is None else weights[known].sum())
    return np.asarray(counted / total) if total > 0 else counted
