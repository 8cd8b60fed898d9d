"""The choices of conventions: which of them can tell winners apart, and who wins in which setting of their product.

Vocabulary: a *setting* is one choice on each axis.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.evaluation.winners import Field, Rows, Standing, Values
from rankwise.measures.base import Measure
from rankwise.measures.convention import AXES, GOES_WITH, Convention

__all__ = ["Choice", "Grid", "Kinds", "alternatives", "settled"]

# From how many settings of the product it is looked, at most, whether a choice changes a winner.
_LOOKS = 64


@dataclass(frozen=True)
class Choice:
    """One choice on an axis, with those that mean nothing without it."""

    axis: str
    fields: tuple[tuple[str, Any], ...]

    def on(self, measure: Measure) -> Measure:
        return measure.but(**dict(self.fields))

    @property
    def words(self) -> str:
        return Convention(**dict(self.fields)).words(self.axis)


# Choices of an axis that are numbers, so that `AXES` cannot list them.
_NUMBERS: Mapping[str, tuple[Any, ...]] = {"empty": (0.0, 0.5, 1.0), "rel": (1.0, 2.0)}
# Choices that are looked at only where a tool makes them: the best and the worst case over ties are bounds, lots are
# drawn by whoever draws them, an undefined mean and a refusal have no winner.
_OF_TOOLS_ONLY = {
    "ties": ("best", "worst", "random", "kept"), "empty": ("nan",), "missing": ("error",), "gain": ("exp2-int32",),
}  # fmt: skip


def alternatives(
    measure: Measure, conventions: Iterable[Convention], *, everything: bool = False
) -> dict[str, list[Choice]]:
    """By axis that the measure looks at, the choices that conventions make, the measure's own first.

    `everything` adds the choices that no convention makes.

    >>> from rankwise.measures import nDCG
    >>> [choice.words for choice in alternatives(nDCG @ 10, [], everything=True)["discount"]]
    ['1/log2(i + 1)', '1/ln(i + 1)', '1, then 1/log2(i) from rank 2', '1/i']
    """
    looked_at = dict.fromkeys(axis for axis in measure.relevant_axes if axis != "seed")
    leading = [axis for axis in looked_at if GOES_WITH.get(axis) not in looked_at]
    used = [measure.convention, *conventions]
    found = {}
    for axis in leading:
        values = [getattr(convention, axis) for convention in used]
        if everything:
            more = (*_NUMBERS.get(axis, ()), *AXES[axis][1])
            values += [value for value in more if value not in _OF_TOOLS_ONLY.get(axis, ())]
        found[axis] = list(dict.fromkeys(_choice(axis, value) for value in values))
    return found


def _choice(axis: str, value: Any) -> Choice:
    # A table that lacks a label which occurs is a misreading of these labels, not a convention for them.
    followers = (("outside", "error"),) if axis == "gain" else ()
    return Choice(axis, ((axis, getattr(Convention(**{axis: value}), axis)), *followers))


class Kinds:
    """The choices of one axis, those together that rescale one another wherever it was looked."""

    def __init__(self, axis: str, choices: Sequence[Choice]) -> None:
        self.axis = axis
        self.choices = choices
        self.refusals: dict[Choice, str] = {}
        # Of two choices: whether they gave the same numbers, and the same winners for certain, wherever it was looked.
        self.equal = np.ones((len(choices), len(choices)), dtype=bool)
        self.alike = self.equal.copy()
        self.seen = np.zeros(len(choices), dtype=bool)

    @property
    def together(self) -> list[int]:
        """The places of the choices that are in a group with others."""
        return [at for group in self._groups for at in group if group[1:]]

    def look(self, standings: Mapping[int, Standing | RankwiseError]) -> None:
        """From one more place; of some choices, the standings there."""
        defined = {}
        for at, standing in standings.items():
            if isinstance(standing, RankwiseError):
                self.refusals.setdefault(self.choices[at], str(standing).partition("\n")[0])
            elif standing.is_defined:
                defined[at] = standing
        self.seen[list(defined)] = True
        for (one, here), (other, there) in combinations(defined.items(), 2):
            self.equal[one, other] &= here.equals(there)
            if self.alike[one, other]:
                self.alike[one, other] &= here.rescales(there)
            self.equal[other, one], self.alike[other, one] = self.equal[one, other], self.alike[one, other]

    @property
    def _groups(self) -> list[list[int]]:
        found: list[list[int]] = []
        for at in np.flatnonzero(self.seen).tolist():
            home = next((group for group in found if self.alike[at, group].all()), None)
            if home is None:
                found.append([at])
            else:
                home.append(at)
        return found

    @property
    def groups(self) -> list[list[Choice]]:
        """The choices that can be made, those together among which no winner changes."""
        return [[self.choices[at] for at in group] for group in self._groups]

    @property
    def changes_numbers(self) -> bool:
        seen = np.flatnonzero(self.seen)
        return not self.equal[np.ix_(seen, seen)].all()


def look(field: Field, place: Measure, asked: Sequence[tuple[Kinds, Sequence[int]]]) -> None:
    """Changes each axis alone to some of its choices, given by their places."""
    found = iter(field.standings([axis.choices[at].on(place) for axis, places in asked for at in places]))
    for axis, places in asked:
        axis.look({at: next(found) for at in places})


def settled(
    field: Field, base: Measure, choices: Mapping[str, Sequence[Choice]], anchors: Sequence[Measure], most: int
) -> tuple[dict[str, Kinds], Grid]:
    """The choices of each axis by kind, and the product of those that may change a winner.

    It is looked from the anchors first, then from settings of the product, whose axes grow by what is told apart there.
    """
    axes = {axis: Kinds(axis, of_axis) for axis, of_axis in choices.items()}
    for anchor in anchors:
        look(field, anchor, [(kinds, range(len(kinds.choices))) for kinds in axes.values()])
    while True:
        groups = {axis: [group[0] for group in kinds.groups] for axis, kinds in axes.items() if len(kinds.groups) > 1}
        grid = Grid(field, base, groups, most)
        for setting in grid.some(_LOOKS):
            look(field, setting, [(kinds, kinds.together) for kinds in axes.values()])
        if sum(len(kinds.groups) for kinds in axes.values() if kinds.groups[1:]) == sum(map(len, groups.values())):
            return axes, grid


# The product of the axes.


class Grid:
    """Who wins in each setting of some axes; the other axes stay as they are in `base`.

    The whole product if it has no more than `most` settings, else each choice changed alone and in pairs.
    """

    def __init__(self, field: Field, base: Measure, axes: Mapping[str, Sequence[Choice]], most: int) -> None:
        self.axes = list(axes)
        self._choices = list(axes.values())
        self._base = base
        self.whole = math.prod(map(len, self._choices)) <= most
        codes = _product(self._choices) if self.whole else _alone_and_in_pairs(self._choices)
        kept, signs, t = [], [], []
        for start in range(0, len(codes), field.at_once):
            some = codes[start : start + field.at_once]
            for code, standing in zip(some, field.standings([self.measure(code) for code in some]), strict=True):
                if isinstance(standing, Standing) and standing.is_defined:
                    kept.append(code)
                    signs.append(standing.signs)
                    t.append(standing.t)
        self.codes = np.array(kept, dtype=np.intp).reshape(len(kept), len(self.axes))
        self.signs, self.t = np.array(signs), np.array(t)

    def measure(self, code: Sequence[int]) -> Measure:
        """The measure in a setting, given by the place of each axis's choice."""
        chosen = [choices[at] for choices, at in zip(self._choices, code, strict=True)]
        return self._base.but(**{name: value for choice in chosen for name, value in choice.fields})

    def some(self, most: int) -> list[Measure]:
        """The measures of that many settings, spread evenly; of all if there are no more."""
        at = np.unique(np.linspace(0, len(self.codes) - 1, min(most, len(self.codes))).round().astype(int))
        return [self.measure(code) for code in self.codes[at]]

    @property
    def changing(self) -> Rows:
        """The pairs of systems whose winner is not the same in all settings."""
        return np.flatnonzero((self.signs.max(axis=0) > 0) & (self.signs.min(axis=0) < 0))

    def changes(self, axis: str) -> Iterator[tuple[int, float, list[tuple[Measure, Measure]]]]:
        """Each pair of systems whose winner the axis alone changes somewhere.

        With it: in which share of the settings of the other axes, and two settings in which either system wins: those
        with the clearest winner, and those in which both winners are clear.
        """
        line = self._lines(axis)
        for pair in self.changing.tolist():
            most, least = _extremes(line, self.t[:, pair])
            changed = np.flatnonzero((self.t[most, pair] > 0) & (self.t[least, pair] < 0))
            if len(changed):
                ends = np.abs(np.stack([self.t[most[changed], pair], self.t[least[changed], pair]]))
                told = dict.fromkeys((changed[ends.max(axis=0).argmax()], changed[ends.min(axis=0).argmax()]))
                witnesses = [(self.measure(self.codes[most[at]]), self.measure(self.codes[least[at]])) for at in told]
                yield pair, len(changed) / len(most), witnesses

    def alone(self, axis: str) -> list[int]:
        """The pairs whose winner the axis changes while all others are as they are in `base`."""
        at = self.axes.index(axis)
        others = np.delete(self.codes, at, axis=1)
        signs = self.signs[(others == 0).all(axis=1)]
        return [int(pair) for pair in np.flatnonzero((signs.max(axis=0) > 0) & (signs.min(axis=0) < 0))]

    def _lines(self, axis: str) -> Rows:
        """Of each setting, which settings differ from it on this axis only, as a number of theirs."""
        others = np.delete(self.codes, self.axes.index(axis), axis=1)
        line = np.unique(others, axis=0, return_inverse=True)[1].reshape(-1)
        alone = np.bincount(line)[line] < 2
        # A setting without neighbours on the axis says nothing of it.
        return np.where(alone, -1, line)


def _product(choices: Sequence[Sequence[Choice]]) -> list[tuple[int, ...]]:
    return list(product(*(range(len(of_axis)) for of_axis in choices)))


def _alone_and_in_pairs(choices: Sequence[Sequence[Choice]]) -> list[tuple[int, ...]]:
    """All settings that differ from the first choices on at most two axes."""
    codes = [tuple(0 for _ in choices)]
    for some in (1, 2):
        for axes in combinations(range(len(choices)), some):
            for values in product(*(range(1, len(choices[axis])) for axis in axes)):
                chosen = dict(zip(axes, values, strict=True))
                codes.append(tuple(chosen.get(axis, 0) for axis in range(len(choices))))
    return codes


def _extremes(line: Rows, t: Values) -> tuple[Rows, Rows]:
    """Of each line, the place of its greatest and of its least value."""
    order = np.lexsort((t, line))
    order = order[line[order] >= 0]
    ordered = line[order]
    first = np.flatnonzero(np.diff(ordered, prepend=-2))
    last = np.append(first[1:], len(ordered)) - 1 if len(first) else first
    return order[last], order[first]
