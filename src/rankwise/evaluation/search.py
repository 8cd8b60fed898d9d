"""The search: which points of a grid, and which named conventions, make all reported numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.errors import RankwiseError
from rankwise.evaluation.columns import Evaluated
from rankwise.evaluation.grid import CHOICES, Grid, outcomes_or_none, spelled
from rankwise.evaluation.reported import SAME, Number
from rankwise.measures.base import Measure
from rankwise.measures.parse import measure as parse
from rankwise.measures.tools import names as convention_names

__all__ = ["Candidate", "Search", "candidates", "named_fits"]

Values = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

# So many numbers are searched over the whole grid; further ones are asked of what is left.
_IN_FULL = 8
# How many groups of choices are worked out for a candidate.
_GROUPS = 12


@dataclass(frozen=True, slots=True)
class Candidate:
    """Conventions that make the same values of all reported numbers, which fit."""

    names: tuple[str, ...]
    """Tools among them, and presets."""
    values: tuple[float, ...]
    """The value of each reported number."""
    groups: tuple[dict[str, tuple[Any, ...]], ...]
    """The points of the grid, as products of choices; an axis that is not there may have any choice."""
    points: int
    """How many points of the grid they are, where axes that cannot matter on these lists are not counted."""
    places: Codes = field(repr=False, compare=False)

    @property
    def words(self) -> str:
        """Its choices in words; for several groups of choices, the first ones."""
        said = [_said(group) for group in self.groups[:3]]
        more = f"; and {len(self.groups) - 3} more groups" if len(self.groups) > 3 else ""
        return ("; or ".join(said) or "no one point of the grid") + more


class Search:
    """The points of the grid that make all numbers, and how many values the grid takes."""

    def __init__(self, grid: Grid, lists: Sequence[Evaluated], numbers: Sequence[Number]) -> None:
        self.grid, self.count = grid, len(numbers)
        self.fit = np.ones(grid.shape, bool)
        self.means: dict[int, Values] = {}
        self._off = np.zeros((1,) * len(grid.shape))
        # Spread over the numbers, so that they are of many runs and measures.
        full = dict.fromkeys(np.linspace(0, len(numbers) - 1, min(len(numbers), _IN_FULL)).astype(int).tolist())
        for at in [*full, *(at for at in range(len(numbers)) if at not in full)]:
            number = numbers[at]
            wanted = None if at in full else self.fit
            means = np.mean([grid.means(lists[place], number.measure, wanted) for place in number.places], axis=0)
            self.means[at] = means
            self.fit &= number.fits(means)
            off = np.where(np.isnan(means), np.inf, np.abs(means - number.value) * 10.0**number.digits)
            self._off = np.maximum(self._off, off)
            if wanted is not None and not self.fit.any():
                break
        firsts = _firsts([self.means[at] for at in full], grid.shape)
        self.distinct = len(firsts)
        printed = np.array([numbers[at].printed(self.at(at, firsts)) for at in full])
        alike = np.unique(printed, axis=1, return_counts=True)[1] if self.distinct else np.zeros(0)
        self.chance = float((alike * (alike - 1)).sum() / max(1, self.distinct))

    @property
    def nearest(self) -> tuple[float, ...]:
        """The values at the point whose greatest deviation, in units of the last digit, is least."""
        place = int(np.broadcast_to(self._off, self.grid.shape).argmin())
        return tuple(float(self.at(n, place)) if n in self.means else math.nan for n in range(self.count))

    def values(self, place: int) -> tuple[float, ...]:
        """The value of each number at a point, by its place in the flat grid."""
        return tuple(float(self.at(number, place)) for number in range(self.count))

    def at(self, number: int, places: Codes | int) -> Values:
        """The values of one number at some places in the flat grid."""
        shape = self.grid.shape
        return np.asarray(np.broadcast_to(self.means[number], shape)[np.unravel_index(places, shape)])


def _firsts(means: Iterable[Values], shape: tuple[int, ...]) -> Codes:
    """The first place, in the flat grid, of each distinct vector of means; where one is undefined there is none."""
    codes = np.zeros((1,) * len(shape), np.int64)
    # Numbers that look at the same axes first: their arrays are small.
    for one in sorted(means, key=lambda array: array.shape):
        mine = _classes(one)
        both = np.where((codes < 0) | (mine < 0), -1, codes * (int(mine.max()) + 1) + mine)
        codes = np.unique(both, return_inverse=True)[1].reshape(both.shape) - int(both.min() < 0)
    found, firsts = np.unique(np.broadcast_to(codes, shape), return_index=True)
    return firsts[found >= 0]


def _classes(means: Values) -> Codes:
    """Equal codes for values that are one but for rounding; −1 for what is undefined."""
    flat = means.ravel()
    order = np.argsort(flat, kind="stable")
    rises = np.diff(flat[order], prepend=-np.inf) > SAME
    codes = np.empty(len(flat), np.int64)
    codes[order] = np.cumsum(rises) - 1
    codes[np.isnan(flat)] = -1
    return codes.reshape(means.shape)


def candidates(search: Search, by_values: dict[tuple[float, ...], list[str]], grid: Grid) -> list[Candidate]:
    """The points that fit by the values that they have, with the named conventions of the same values."""
    found: list[Candidate] = []
    if search.fit.any():
        places = np.flatnonzero(search.fit)
        # Numbers that were not searched in full may tell points apart that have one code.
        mine = [_classes(search.at(number, places)) for number in search.means]
        of_place = np.unique(np.stack(mine), axis=1, return_inverse=True)[1].ravel()
        for which in range(int(of_place.max()) + 1):
            members = places[of_place == which]
            values = search.values(int(members[0]))
            alike = [key for key in by_values if np.allclose(key, values, rtol=0, atol=SAME)]
            names = [name for key in alike for name in by_values.pop(key)]
            found.append(Candidate(tuple(names), values, _groups(grid, members), len(members), members))
    found += [Candidate(tuple(names), values, (), 0, np.zeros(0, np.int64)) for values, names in by_values.items()]
    order = convention_names()
    first = {id(c): min((order.index(name) for name in c.names), default=len(order)) for c in found}
    return sorted(found, key=lambda c: (not c.names, first[id(c)], -c.points))


def _groups(grid: Grid, places: Codes) -> tuple[dict[str, tuple[Any, ...]], ...]:
    """Points as few products of choices: each is grown axis by axis from a point that is in none yet."""
    fit = np.zeros(grid.shape, bool)
    fit.flat[places] = True
    left = fit.copy()
    found: list[dict[str, tuple[Any, ...]]] = []
    while left.any() and len(found) < _GROUPS:
        chosen = [[int(i)] for i in np.unravel_index(int(left.argmax()), grid.shape)]
        for axis, size in enumerate(grid.shape):
            others = [i for i in range(size) if i not in chosen[axis]]
            chosen[axis] += [i for i in others if fit[np.ix_(*chosen[:axis], [i], *chosen[axis + 1 :])].all()]
        left[np.ix_(*chosen)] = False
        kept = zip(grid.kept.items(), chosen, strict=True)
        found.append({axis: tuple(all_[i] for i in sorted(at)) for (axis, all_), at in kept if len(at) < len(all_)})
    return tuple(found)


def _said(group: Mapping[str, Sequence[Any]]) -> str:
    """The choices on the axes that are not free; of most of an axis, those that are not among them."""
    parts = []
    for axis, choices in group.items():
        # That scores stay tied is a choice for the few measures with a rule for it.
        others = [one for one in CHOICES[axis] if one not in choices and (axis, one) != ("ties", "kept")]
        few, word = (others, "not ") if len(others) < len(choices) else (choices, "")
        parts.append(f"{axis} {word}{' or '.join(map(spelled, few))}")
    return ", ".join(parts) or "any"


# Named conventions.


def named_fits(lists: Sequence[Evaluated], numbers: Sequence[Number]) -> dict[tuple[float, ...], list[str]]:
    """The named conventions that make all numbers, by the values they give."""
    left: dict[str, tuple[float, ...]] = dict.fromkeys(convention_names(), ())
    for number in numbers:
        measures = {name: one for name in left if (one := _of_tool(number, name)) is not None}
        means = np.mean([_means(lists[place], list(measures.values())) for place in number.places], axis=0)
        fits = number.fits(means)
        left = {name: (*left[name], float(mean)) for name, mean, fit in zip(measures, means, fits, strict=True) if fit}
        if not left:
            break
    found: dict[tuple[float, ...], list[str]] = {}
    for name, values in left.items():
        key = next((k for k in found if np.allclose(k, values, rtol=0, atol=SAME)), values)
        found.setdefault(key, []).append(name)
    return found


def _of_tool(number: Number, name: str) -> Measure | None:
    """The measure as the tool computes it; its own words first, such as NDCG of RankLib, which is cut at 10."""
    try:
        return parse(number.text, name)
    except RankwiseError:
        return None


def _means(lists: Evaluated, measures: Sequence[Measure]) -> Values:
    """The mean of each measure; NaN where it is refused."""
    return np.array([math.nan if o is None else o.mean for o in outcomes_or_none(lists, measures)])
