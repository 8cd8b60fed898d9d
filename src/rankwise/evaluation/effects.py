"""What each choice of a convention does to a number: one choice changed at a time, everything else left as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.evaluation.result import Result
from rankwise.measures.base import Measure
from rankwise.measures.convention import GOES_WITH, Convention

__all__ = ["Effect", "effects", "single_changes"]

# Sums in another order differ by less; a choice that does no more, such as ln for log2 in nDCG, changes nothing.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Effect:
    """One choice and what it alone does to a measure on some runs."""

    axis: str
    measure: Measure
    """The measure with this one choice changed."""
    changes: tuple[float, ...]
    """By how much the mean changes, one a run."""
    lists: int
    """How many lists get another value, on the run where these are most."""

    @property
    def size(self) -> float:
        return max(map(abs, self.changes))


def single_changes(measure: Measure, other: Convention) -> dict[str, Measure]:
    """By axis, the measure with that one choice of another convention.

    >>> from rankwise.measures import nDCG
    >>> from rankwise.measures.tools import convention
    >>> single_changes(nDCG @ 5, convention("hotels"))
    {'gain': nDCG(gain='linear')@5}
    """
    changed = [axis for axis in measure.convention.differences(other) if axis in measure.relevant_axes]
    leading = [axis for axis in changed if GOES_WITH.get(axis) not in changed]
    return {
        axis: measure.but(**{a: getattr(other, a) for a in changed if axis in (a, GOES_WITH.get(a))})
        for axis in leading
    }


def effects(results: Sequence[Result], measure: Measure, other: Convention) -> list[Effect]:
    """The single choices of another convention that change a value of some run, the greatest change first.

    The results must hold the measure and its `single_changes`.
    """
    found = [_effect(results, measure, axis, changed) for axis, changed in single_changes(measure, other).items()]
    return sorted((effect for effect in found if effect.lists), key=lambda effect: -effect.size)


def _effect(results: Sequence[Result], measure: Measure, axis: str, changed: Measure) -> Effect:
    pairs = [(result[measure], result[changed]) for result in results]
    # NaN, a list left out of the mean, is a value like another here.
    same = [np.isclose(before.values, after.values, rtol=0, atol=_ROUNDING, equal_nan=True) for before, after in pairs]
    moved = [int((~one).sum()) for one in same]
    return Effect(axis, changed, tuple(after.mean - before.mean for before, after in pairs), max(moved))
