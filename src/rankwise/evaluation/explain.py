"""Why two numbers differ: the difference of two means, split exactly over the choices that differ.

Each choice's part is its Shapley value: what changing it alone adds to the mean, averaged over all orders in which the
choices can be changed one at a time. The parts sum to the difference, for the mean and for each list.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.errors import ConventionError, DataError, MeasureError, message
from rankwise.evaluation.columns import Evaluated
from rankwise.evaluation.result import EMPTY, MISSING, SHORT, TIED, UNJUDGED, Outcome
from rankwise.evaluation.table import Table
from rankwise.measures.base import Measure
from rankwise.measures.convention import AXES, GOES_WITH

__all__ = ["Explanation", "Part", "explain"]

Values = npt.NDArray[np.float64]

# Sums in another order differ by less.
_ROUNDING = 1e-12
# How many hybrids of the two conventions are evaluated at once.
_AT_ONCE = 256


def explain(first: Outcome, second: Outcome) -> Explanation:
    """Splits the difference between two numbers over what differs between them.

    The numbers are outcomes of `evaluate`: one measure under two conventions on the same run, or on two runs over the
    same lists, under one convention or two.

    >>> from rankwise import evaluate
    >>> labels, scores = [0, 2, 1, 0, 0], [4.0, 3.0, 2.0, 1.0, 0.5]
    >>> found = explain(*evaluate(labels, scores, ["yahoo:nDCG@2", "ranklib2:nDCG@2"], group=[3, 2]))
    >>> found
    yahoo_v1_0:nDCG@2 = 0.7606, ranklib2:nDCG@2 = 0.2606
    <BLANKLINE>
    choice   effect  lists  why
    empty   -0.5000      1  1 of 2 lists is empty (its denominator is 0): yahoo_v1_0 1, ranklib2 0
    sum     -0.5000         0.2606 − 0.7606
    <BLANKLINE>
    differs, but changes nothing here: gain, labels, discount, precision, quirks
    lists that carry most of it: 2 (-0.5000)
    """
    return Explanation(first, second)


@dataclass(frozen=True, slots=True)
class Part:
    """What one choice adds to the difference."""

    axis: str
    """The axes that change together, joined by `+`; `k` is the cut-off, `run` the ranking itself."""
    effect: float
    """What it adds to the mean."""
    per_list: Values
    """What it adds to the mean through each list; sums to `effect`. NaN where the mean is not over lists."""
    words: str

    @property
    def lists(self) -> int:
        """How many lists it changes."""
        return int((np.abs(self.per_list) > _ROUNDING).sum())


class Explanation:
    """The difference of two means and its parts, the greatest first."""

    def __init__(self, first: Outcome, second: Outcome) -> None:
        _refuse_other_things(first, second)
        self.first, self.second = first, second
        sides = _Sides(first, second)
        self._order = sides.order
        steps = _steps(sides)
        means, shares = _shapley(sides, steps)
        self.parts = sorted(
            (self._part(step, mean, share) for step, mean, share in zip(steps, means, shares, strict=True)),
            # What is nothing but rounding stays in the order of the axes.
            key=lambda part: -abs(part.effect) if abs(part.effect) > _ROUNDING else 0.0,
        )

    @property
    def difference(self) -> float:
        """The second mean less the first."""
        return self.second.mean - self.first.mean

    @cached_property
    def queries(self) -> list[str]:
        lists = self.first.evaluated
        return [lists.called(at) for at in range(len(lists))]

    def of_list(self, query: str) -> dict[str, float]:
        """What each choice adds through one list."""
        if query not in self.queries:
            raise DataError(message(f"there is no list '{query}'"))
        at = self.queries.index(query)
        return {part.axis: float(part.per_list[at]) for part in self.parts}

    def carriers(self, most: int = 5) -> list[tuple[str, float]]:
        """The lists that carry most of the difference, each with what it adds to the mean."""
        total = np.sum([part.per_list for part in self.parts], axis=0) if self.parts else np.zeros(0)
        order = np.argsort(-np.abs(np.nan_to_num(total)), kind="stable")[:most]
        return [(self.queries[at], float(total[at])) for at in order if abs(total[at]) > _ROUNDING]

    # Its forms.

    def table(self, *, digits: int = 4) -> Table:
        """One row a choice, the greatest effect first; below, what changes nothing, and the lists that carry most."""
        a, b = self.first, self.second
        telling = [part for part in self.parts if abs(part.effect) > _ROUNDING or part.lists]
        rows = [[part.axis, f"{part.effect:+.{digits}f}", f"{part.lists:,}", part.words] for part in telling]
        rows.append(["sum", f"{self.difference:+.{digits}f}", "", f"{b.mean:.{digits}f} − {a.mean:.{digits}f}"])
        title = f"{self._called(0)} = {a.mean:.{digits}f}, {self._called(1)} = {b.mean:.{digits}f}"
        silent = [part.axis for part in self.parts if part not in telling]
        notes = [f"differs, but changes nothing here: {', '.join(silent)}"] if silent else []
        carriers = self.carriers() if len(self.queries) > 1 else []
        said = ", ".join(f"{query} ({effect:+.{digits}f})" for query, effect in carriers)
        notes += [f"lists that carry most of it: {said}"] if said else []
        return Table(["choice", "effect", "lists", "why"], rows, notes, title, frozenset({0, 3}))

    def per_query(self, *, digits: int = 4) -> Table:
        """One row a list that differs, one column a choice: what it adds to the mean through the list."""
        parts = [part for part in self.parts if part.lists]
        total = np.sum([part.per_list for part in parts], axis=0) if parts else np.zeros(0)
        rows = [
            [self.queries[at], *(f"{part.per_list[at]:+.{digits}f}" for part in parts), f"{total[at]:+.{digits}f}"]
            for at in np.flatnonzero(np.any([np.abs(part.per_list) > _ROUNDING for part in parts], axis=0))
        ]
        return Table(["query", *(part.axis for part in parts), "sum"], rows)

    def to_csv(self) -> str:
        """`query,choice,effect` with full precision; what a choice adds to the mean has the query `all`."""
        import csv
        import io

        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["query", "choice", "effect"])
        for part in self.parts:
            effects = zip(self.queries, part.per_list.tolist(), strict=True)
            rows.writerows([query, part.axis, repr(effect)] for query, effect in effects if abs(effect) > _ROUNDING)
            rows.writerow(["all", part.axis, repr(part.effect)])
        return out.getvalue()

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        sides = [{"measure": str(o.measure), "value": o.mean} for o in (self.first, self.second)]
        parts = [{"choice": p.axis, "effect": p.effect, "lists": p.lists, "why": p.words} for p in self.parts]
        carriers = [{"query": query, "effect": effect} for query, effect in self.carriers()]
        return {
            "first": sides[0], "second": sides[1], "difference": self.difference, "parts": parts, "lists": carriers,
        }  # fmt: skip

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().to_html()

    # Its words.

    def _called(self, side: int) -> str:
        text = str((self.first, self.second)[side].measure)
        two_runs = any("run" in part.axis.split("+") and part.lists for part in self.parts)
        return f"{text} of the {('first', 'second')[side]} run" if two_runs else text

    def _part(self, step: tuple[str, ...], mean: float, share: Values) -> Part:
        said = [axis for axis in step if GOES_WITH.get(axis) not in step]
        return Part("+".join(said), float(mean), share, " and ".join(map(self._words, said)))

    def _words(self, axis: str) -> str:
        """What a choice is on either side, with how many lists it concerns."""
        a, b = self.first.measure, self.second.measure
        if axis == "run":
            return "the ranking itself"
        if axis == "k":
            return f"cut-off: {a.k or 'the whole list'} → {b.k or 'the whole list'}"
        told = a.convention.name != b.convention.name
        words = [_CHOICES.get(axis, {}).get(m.convention.words(axis), m.convention.words(axis)) for m in (a, b)]
        both = f"{a.convention.name} {words[0]}, {b.convention.name} {words[1]}" if told else " → ".join(words)
        return f"{self._concerned(axis)}: {both}"

    def _concerned(self, axis: str) -> str:
        """What an axis is about; the lists that it concerns, where the kernel marks them."""
        if axis not in _CONCERNS:
            return AXES[axis][0]
        flag, one, several = _CONCERNS[axis]
        many = int(((self.first.flags | self._flags_of_second()) & flag != 0).sum())
        return f"{many:,} of {len(self.first.flags):,} lists {one if many == 1 else several}"

    def _flags_of_second(self) -> npt.NDArray[np.uint8]:
        return self.second.flags if self._order is None else self.second.flags[self._order]


# Which lists an axis concerns: the kernel's mark, and what is said of one and of several.
_CONCERNS = {
    "empty": (EMPTY, "is empty (its denominator is 0)", "are empty (their denominator is 0)"),
    "short": (SHORT, "has fewer than k documents", "have fewer than k documents"),
    "ties": (TIED, "has equal scores within reach", "have equal scores within reach"),
    "unjudged": (
        UNJUDGED, "has a document without a judgment within reach", "have documents without a judgment within reach",
    ),
    "missing": (MISSING, "is missing from the run", "are missing from the run"),
}  # fmt: skip
# Words of choices that read better of lists in the plural.
_CHOICES = {
    "short": {"scores 0": "scores 0", "as it is": "as they are"},
    "ties": {"the mean over all orders": "takes the mean over all orders"},
}


class _Sides:
    """Two numbers and every hybrid of what made them."""

    def __init__(self, first: Outcome, second: Outcome) -> None:
        self.measures = first.measure, second.measure
        self.lists = first.evaluated, second.evaluated
        self.two_runs = self.lists[0] is not self.lists[1]
        self.order = _order(*self.lists) if self.two_runs else None

    def outcomes(self, choices: Sequence[Collection[str]]) -> list[Outcome]:
        """The number that takes these choices from the second side, the others from the first."""
        found: list[Outcome | None] = [None] * len(choices)
        for run, lists in enumerate(self.lists):
            places = [at for at, taken in enumerate(choices) if int("run" in taken) == run]
            measures = [self._hybrid(choices[at]) for at in places]
            for at, measure, (values, flags) in zip(places, measures, lists.compute(measures), strict=True):
                found[at] = Outcome(str(at), measure, *self._matched(run, values, flags), self.lists[0])
        return [outcome for outcome in found if outcome is not None]

    def _hybrid(self, taken: Collection[str]) -> Measure:
        a, b = self.measures
        axes = [axis for axis in taken if axis in AXES]
        convention = a.convention.but(**{axis: getattr(b.convention, axis) for axis in axes}).named("hybrid")
        return type(a)(b.k if "k" in taken else a.k, convention=convention, **a._parameters())

    def _matched(self, run: int, values: Values, flags: npt.NDArray[np.uint8]) -> tuple[Values, npt.NDArray[np.uint8]]:
        """The columns of the second run in the order of the first one's lists."""
        return (values, flags) if run == 0 or self.order is None else (values[self.order], flags[self.order])


def _order(a: Evaluated, b: Evaluated) -> npt.NDArray[np.intp]:
    """Where the lists of one run stand in the other."""
    mine, theirs = (list(range(len(e))) if e.queries is None else list(e.queries) for e in (a, b))
    if len(mine) != len(theirs) or set(mine) != set(theirs):
        hint = "evaluate both runs with the same judgments."
        raise DataError(message("the two runs are not over the same lists", hint=hint))
    place = {query: at for at, query in enumerate(theirs)}
    return np.array([place[query] for query in mine], dtype=np.intp)


def _steps(sides: _Sides) -> list[tuple[str, ...]]:
    """What is changed one at a time; a choice that means nothing without another goes with it."""
    a, b = sides.measures
    seen = {*a.relevant_axes, *b.relevant_axes}
    changed = [axis for axis in a.convention.differences(b.convention) if axis in seen]
    leading = [axis for axis in changed if GOES_WITH.get(axis) not in changed]
    steps = [(axis, *(f for f in changed if GOES_WITH.get(f) == axis)) for axis in leading]
    steps += [("k",)] if a.k != b.k else []
    steps += [("run",)] if sides.two_runs else []
    return _joined(sides, steps)


def _joined(sides: _Sides, steps: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Makes one of the choices that exist only together, such as an order of ties and what needs one."""
    every = [axis for step in steps for axis in step]
    without = {step: [axis for axis in every if axis not in step] for step in steps}
    bound = [step for step in steps if not (_exists(sides, step) and _exists(sides, without[step]))]
    if len(bound) == 1:
        bound = steps
    # The order of ties leads, since it is what is usually asked for.
    bound.sort(key=lambda step: "ties" not in step)
    together = [tuple(axis for step in bound for axis in step)] if bound else []
    return [*together, *(step for step in steps if step not in bound)]


def _exists(sides: _Sides, taken: Collection[str]) -> bool:
    try:
        sides.outcomes([taken])
    except (MeasureError, ConventionError):
        return False
    return True


def _shapley(sides: _Sides, steps: Sequence[tuple[str, ...]]) -> tuple[Values, Values]:
    """Each step's part of the mean, and of each list's share in it."""
    count = len(steps)
    means, shares = np.zeros(count), np.zeros((count, len(sides.lists[0])))
    for start in range(0, 1 << count, _AT_ONCE):
        masks = range(start, min(1 << count, start + _AT_ONCE))
        taken = [[axis for bit, step in enumerate(steps) if mask >> bit & 1 for axis in step] for mask in masks]
        outcomes = sides.outcomes(taken)
        weights = np.array([_weights(mask, count) for mask in masks])
        adds = np.array([_shares(outcome) for outcome in outcomes])
        means += weights.T @ np.array([_mean(outcome, add) for outcome, add in zip(outcomes, adds, strict=True)])
        shares += weights.T @ adds
    return means, shares


def _mean(outcome: Outcome, shares: Values) -> float:
    # A hybrid may have no mean where both numbers have one: every list is empty under the gains of the one side, and
    # left out by the rule of the other. What its lists add, nothing, stands for it.
    return float(np.nansum(shares)) if math.isnan(outcome.mean) else outcome.mean


def _weights(mask: int, count: int) -> Values:
    """What a hybrid's value counts in each step's Shapley value: with the step it adds, without it subtracts."""
    size = mask.bit_count()
    added = math.factorial(size - 1) * math.factorial(count - size) / math.factorial(count) if size else 0.0
    left = math.factorial(size) * math.factorial(count - size - 1) / math.factorial(count) if size < count else 0.0
    return np.array([added if mask >> bit & 1 else -left for bit in range(count)])


def _shares(outcome: Outcome) -> Values:
    """What each list adds to the mean; a list left out adds nothing. NaN if the mean is not a sum over lists."""
    rule = outcome.measure.convention.mean
    values = np.nan_to_num(outcome.values, nan=0.0)
    if rule == "geometric":
        return np.full(len(values), np.nan)
    weights = outcome.evaluated.weights
    if rule == "sum":
        return values if weights is None else values * weights
    if weights is None:
        return values / max(1, outcome.included)
    total = weights[~np.isnan(outcome.values)].sum()
    return np.asarray(values * weights / total if total > 0 else np.zeros(len(values)), dtype=np.float64)


def _refuse_other_things(first: Outcome, second: Outcome) -> None:
    a, b = first.measure, second.measure
    if a.name != b.name or a._parameters() != b._parameters():
        hint = f"compare two conventions of one measure, such as letor4:{a.name} and ranklib:{a.name}."
        raise MeasureError(message(f"{a} and {b} are different measures, not one under two conventions", hint=hint))
    for outcome in (first, second):
        if math.isnan(outcome.mean):
            hint = "choose what an empty list scores, as in nDCG(empty='skip')."
            raise MeasureError(message(f"the mean of {outcome.measure} is undefined here", hint=hint))
