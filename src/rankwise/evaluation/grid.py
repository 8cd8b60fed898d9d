"""A finite grid of conventions, and the mean of a measure at each of its points.

A point has one choice on every axis that the measure looks at. What an empty, a short and a missing list scores needs
no new evaluation: those means are put together from sums over the lists of each kind. Axes that cannot matter on the
lists at hand have one choice left, which stands for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, RankwiseError
from rankwise.evaluation.columns import Column, Evaluated
from rankwise.evaluation.result import EMPTY, MISSING, SHORT, Outcome
from rankwise.measures.base import Measure, literal
from rankwise.measures.convention import Convention

__all__ = ["CHOICES", "Grid", "axes_of", "columns_or_none", "outcomes_or_none", "spelled"]

Values = npt.NDArray[np.float64]
Wanted = npt.NDArray[np.bool_]

# The gain tables of the scripts for LETOR and MSLR, under which other labels gain nothing.
LETOR_GAINS = ((0.0, 0.0), (1.0, 1.0), (2.0, 3.0))
MSLR_GAINS = (*LETOR_GAINS, (3.0, 7.0), (4.0, 15.0))

# The choices on each axis, without what is drawn by lot and what a user defines. The axes of the order of documents
# stand first, and those that need no new evaluation last.
CHOICES: dict[str, tuple[Any, ...]] = {
    "negative": ("as is", "zero"),
    "unjudged": ("not relevant", "removed"),
    "precision": ("float64", "float32"),
    "ties": ("input", "reversed", "docid", "docid-desc", "selection-sort", "expected", "kept", "best", "worst"),
    "gain": ("exp2", "linear", LETOR_GAINS, MSLR_GAINS),
    "labels": ("as is", "truncated"),
    "discount": ("log2", "ln", "jarvelin", "reciprocal"),
    "ideal": ("judged", "list"),
    "ideal_cut": ("k", "none", "hits"),
    "rel": (1.0, 2.0, ">0", frozenset({1.0, 2.0}), frozenset({2.0, 3.0, 4.0})),
    "gmax": (1.0, 2.0, 3.0, 4.0, 5.0),
    "cut": ("kept", "ignored"),
    "p_over": ("k", "min(k, n)", "min(k, R)"),
    "ap_over": ("R", "min(R, k)", "hits"),
    "empty": (0.0, 0.5, 1.0, "skip"),
    "short": ("as is", "zero"),
    "missing": ("zero", "skip", "as is"),
}
_ORDER = ("negative", "unjudged", "precision", "ties")
_LATE = ("empty", "short", "missing")
# Axes without meaning for the whole list.
_OF_A_CUT = ("cut", "short")
# How many values of lists are held at once.
_AT_ONCE = 1 << 22


def axes_of(measure: Measure) -> tuple[str, ...]:
    """The axes of the grid that a measure looks at, in the order of the grid.

    >>> from rankwise.measures import P
    >>> axes_of(P @ 5)[-4:]
    ('cut', 'p_over', 'short', 'missing')
    """
    seen = set(measure.relevant_axes) - (set(_OF_A_CUT) if measure.k is None else set())
    return tuple(axis for axis in CHOICES if axis in seen)


def spelled(choice: Any) -> str:
    """A choice as it is written in a measure, without quotes; the two tables by whose they are.

    >>> spelled(LETOR_GAINS), spelled("zero"), spelled(frozenset({1.0, 2.0})), spelled(0.5)
    ("LETOR's table", 'zero', '{1, 2}', '0.5')
    """
    known = {LETOR_GAINS: "LETOR's table", MSLR_GAINS: "MSLR's table"}
    return known.get(choice, choice if isinstance(choice, str) else literal(choice))


class Grid:
    """The product of the axes that some measures look at, on some lists."""

    def __init__(self, measures: Collection[Measure], lists: Sequence[Evaluated]) -> None:
        seen = {axis for measure in measures for axis in axes_of(measure)}
        silent = frozenset.intersection(*(one.silent_axes() for one in lists))
        ties = [tie for tie in CHOICES["ties"] if tie != "kept" or any(m.keeps_ties for m in measures)]
        self.choices = {axis: tuple(ties) if axis == "ties" else CHOICES[axis] for axis in CHOICES if axis in seen}
        # The first choice on an axis that cannot matter stands for all.
        self.kept = {axis: all_[:1] if axis in silent else all_ for axis, all_ in self.choices.items()}
        self._conventions: dict[tuple[Any, ...], Convention] = {}

    @property
    def points(self) -> int:
        """How many conventions the grid has, those alike on these lists counted singly."""
        return math.prod(map(len, self.choices.values()))

    @property
    def shape(self) -> tuple[int, ...]:
        """How many choices are tried on each axis."""
        return tuple(map(len, self.kept.values()))

    def convention(self, base: Convention, place: int) -> Convention:
        """The convention at a point of `shape`, by its place in the flat grid."""
        at = np.unravel_index(place, self.shape)
        return self._at(base, {axis: all_[i] for (axis, all_), i in zip(self.kept.items(), at, strict=True)})

    def _at(self, base: Convention, choices: dict[str, Any]) -> Convention:
        key = (base, *choices.items())
        if key not in self._conventions:
            if isinstance(choices.get("gain"), tuple):
                choices = {**choices, "outside": "zero"}
            self._conventions[key] = base.but(**choices)
        return self._conventions[key]

    def means(self, lists: Evaluated, measure: Measure, wanted: Wanted | None = None) -> Values:
        """The mean at each point, with an axis of length 1 where the measure does not look; NaN where it is refused.

        `wanted` marks the points of `shape` that are asked for; others may stay NaN.
        """
        mine = axes_of(measure)
        early = [axis for axis in mine if axis not in _LATE]
        late = [self.kept[axis] if axis in mine else (None,) for axis in _LATE]
        means = np.full([len(self.kept[axis]) for axis in early] + list(map(len, late)), np.nan)
        flat = means.reshape(-1, *map(len, late))
        asked = self._asked(early, wanted)
        for order in self._orders(early):
            places = [at for at in order if asked[at]]
            measures = [self._measure(measure, early, np.unravel_index(at, means.shape[: len(early)])) for at in places]
            room = max(1, _AT_ONCE // max(1, len(lists)))
            for start in range(0, len(places), room):
                columns = columns_or_none(lists, measures[start : start + room])
                found = [(at, one) for at, one in zip(places[start:], columns, strict=False) if one is not None]
                if found:
                    flat[[at for at, _ in found]] = _late_means([one for _, one in found], lists.weights, late)
        return means.reshape([len(self.kept[axis]) if axis in mine else 1 for axis in self.kept])

    def _measure(self, measure: Measure, early: list[str], at: Sequence[Any]) -> Measure:
        choices = {axis: self.kept[axis][i] for axis, i in zip(early, at, strict=True)}
        late = {"empty": 0.0, "short": "as is", "missing": "as is"}
        return type(measure)(
            measure.k, convention=self._at(measure.convention, choices | late), **measure._parameters()
        )

    def _asked(self, early: list[str], wanted: Wanted | None) -> Wanted:
        """Which points of the axes that need an evaluation are asked for."""
        count = math.prod(len(self.kept[axis]) for axis in early)
        if wanted is None:
            return np.ones(count, bool)
        others = tuple(at for at, axis in enumerate(self.kept) if axis not in early)
        return np.asarray(wanted.any(axis=others).ravel())

    def _orders(self, early: list[str]) -> Iterator[range]:
        """The places, flat, that share an order of the documents: it is the outermost of the product."""
        inner = math.prod(len(self.kept[axis]) for axis in early if axis not in _ORDER)
        outer = math.prod(len(self.kept[axis]) for axis in early if axis in _ORDER)
        return (range(at * inner, (at + 1) * inner) for at in range(outer))


def columns_or_none(lists: Evaluated, measures: Sequence[Measure]) -> list[Column | None]:
    """Values and flags of each measure; None for those that are refused."""
    try:
        return list(lists.compute(list(measures)))
    except RankwiseError as refusal:
        if len(measures) == 1:
            return [None]
        if isinstance(refusal, DataError):
            return _by_reach(lists, measures)
    half = len(measures) // 2
    return columns_or_none(lists, measures[:half]) + columns_or_none(lists, measures[half:])


def _by_reach(lists: Evaluated, measures: Sequence[Measure]) -> list[Column | None]:
    """As `columns_or_none`, of an order by ids that are not known, which is refused where equal scores are in reach."""
    reaches = [None if one.convention.cut == "ignored" else one.k for one in measures]
    found: dict[int | None, list[Column | None]] = {}
    if len(set(reaches)) == 1:
        return [None] * len(measures)
    for reach in set(reaches):
        found[reach] = columns_or_none(lists, [m for m, mine in zip(measures, reaches, strict=True) if mine == reach])
    return [found[reach].pop(0) for reach in reaches]


def outcomes_or_none(lists: Evaluated, measures: Sequence[Measure]) -> list[Outcome | None]:
    """The outcome of each measure; None for those that are refused."""
    distinct = list(dict.fromkeys(measures))
    orders: dict[Any, list[Measure]] = {}
    for one in distinct:
        orders.setdefault((one.convention.ties, one.convention.precision), []).append(one)
    found: dict[Measure, Outcome | None] = {}
    for members in orders.values():
        for one, column in zip(members, columns_or_none(lists, members), strict=True):
            try:
                found[one] = None if column is None else Outcome(str(one), one, *column, lists)
            except DataError:  # a query that the run lacks
                found[one] = None
    return [found[one] for one in measures]


def _late_means(columns: list[Column], weights: Values | None, late: list[tuple[Any, ...]]) -> Values:
    """The means of columns under each choice for empty, short and missing lists."""
    values = np.stack([values for values, _ in columns])
    flags = np.stack([flags for _, flags in columns])
    w = np.ones(values.shape[1]) if weights is None else weights
    missing, empty, short = (flags & MISSING != 0), (flags & EMPTY != 0), (flags & SHORT != 0)

    def sums(chosen: Wanted) -> tuple[Values, Values]:
        """Sum of the values and of the weights of some lists, a column each."""
        return np.where(chosen, values, 0.0) @ w, chosen @ w

    usual, usual_weight = sums(~missing & ~empty & ~short)
    brief, brief_weight = sums(~missing & ~empty & short)
    _, empty_weight = sums(~missing & empty)
    lacking, lacking_weight = sums(missing & ~empty & ~short)
    lacking_brief, lacking_brief_weight = sums(missing & ~empty & short)
    _, lacking_empty_weight = sums(missing & empty)

    means = np.empty((len(columns), *map(len, late)))
    for e, s, m in product(*(range(len(choices)) for choices in late)):
        of_empty, of_short, of_missing = late[0][e], late[1][s], late[2][m]
        skips, zeros = of_empty == "skip", of_short == "zero"
        worth = 0.0 if skips or of_empty is None else of_empty
        total, weight = usual + (0.0 if zeros else brief), usual_weight + brief_weight
        total = total + worth * empty_weight
        weight = weight + (0.0 if skips else empty_weight)
        if of_missing == "as is":
            total = total + lacking + (0.0 if zeros else lacking_brief) + worth * lacking_empty_weight
            weight = weight + lacking_weight + lacking_brief_weight + (0.0 if skips else lacking_empty_weight)
        elif of_missing == "zero":
            weight = weight + lacking_weight + lacking_brief_weight + lacking_empty_weight
        with np.errstate(invalid="ignore", divide="ignore"):
            means[:, e, s, m] = total / weight
    return means
