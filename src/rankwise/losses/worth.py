"""What a document counts to a loss: its label, or its gain under a convention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.errors import MeasureError, message
from rankwise.losses.base import Floats
from rankwise.measures.base import Measure
from rankwise.measures.convention import Convention

__all__ = ["WithMeasure", "WithWorth", "by_label", "named"]


@dataclass(frozen=True, kw_only=True)
class WithWorth:
    """A loss in which labels count as they are, or as the gains of a convention."""

    convention: Convention | str | None = None

    def worths(self, labels: Floats) -> Floats:
        if self.convention is None:
            return np.nan_to_num(labels, nan=0.0, posinf=np.inf, neginf=-np.inf)
        convention = named(self.convention)
        return by_label(convention.gains, convention, labels)


def named(convention: Convention | str | None) -> Convention:
    """The convention meant; `standard` if none is."""
    if isinstance(convention, Convention):
        return convention
    from rankwise.measures.tools import convention as of_name

    return of_name(convention or "standard")


def by_label(worth: Any, convention: Convention, labels: Floats) -> Floats:
    """What documents of these labels are worth: asked once a label, all of which occur."""
    distinct, which = np.unique(labels, return_inverse=True)

    def present() -> Any:
        return np.ones(len(distinct), np.bool_)

    convention.check_labels(distinct, present)
    return np.asarray(worth(distinct, present), np.float64)[which]


@dataclass(frozen=True, kw_only=True)
class WithMeasure:
    """A loss that follows nDCG or DCG under a convention: its gains, its discounts, its ideal."""

    measure: Measure | str = "nDCG@10"

    def resolved(self) -> Measure:
        found = self.measure
        if isinstance(found, str):
            from rankwise.measures.parse import measure as parse

            found = parse(found)
        if not isinstance(found, Measure) or found.formula not in ("dcg", "ndcg"):
            hint = "choose nDCG or DCG, under any convention."
            raise MeasureError(message(f"{type(self).__name__} has no gains and discounts of {found}", hint=hint))
        return found

    def worths(self, labels: Floats) -> Floats:
        measure = self.resolved()
        return by_label(measure.worth, measure.convention, labels)

    def depth(self, wide: int) -> int:
        """How many ranks count, of so many places."""
        measure = self.resolved()
        return wide if measure.k is None or measure.convention.cut == "ignored" else min(measure.k, wide)

    def scale(self, worth: Floats, there: npt.NDArray[np.bool_]) -> Floats:
        """What the DCG of each list is multiplied by: 1 over that of its ideal order, 0 where this has none.

        A list that the convention zeroes for being short has 0 too: nothing can change in it.
        """
        measure, (n, m) = self.resolved(), worth.shape
        sizes = there.sum(axis=1)
        one = np.ones(n)
        if measure.formula == "ndcg":
            cut = m if measure.convention.ideal_cut == "none" else self.depth(m)
            ideal = (np.maximum(worth, 0) * there)[:, :cut] @ measure.discounts(cut)
            one = np.divide(1.0, ideal, out=np.zeros(n), where=ideal > 0)
        if measure.convention.short == "zero" and measure.k is not None:
            one[sizes < measure.k] = 0.0
        return one
