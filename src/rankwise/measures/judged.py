"""Judged: how much of the top has been judged."""

from __future__ import annotations

import numpy as np

from rankwise.measures.base import Measure, Present
from rankwise.measures.convention import Labels

__all__ = ["Judged"]


class Judged(Measure):
    r"""The share of the first k documents that have a judgment; a negative label stands for none (but for a quirk).

    .. math:: \mathrm{Judged@}k = \frac{1}{k} \sum_{i=1}^{\min(k, n)} [\, l_i \text{ is a judgment} \,]

    Over k, or over min(k, n), the documents that there are (convention: `p_over`); without k, the whole list.
    No measure of quality, but of how far the others can be trusted: they take what is not judged as not relevant.
    Never undefined.

    >>> (Judged @ 4).of([1, float("nan"), 0, 2])
    0.75
    """

    __slots__ = ()
    name = "Judged"
    formula = "precision"
    axes = ("p_over", "cut", "quirks")

    def worth(self, labels: Labels, present: Present) -> Labels:
        negative = "negative-judged" in self.convention.quirks
        return np.where((labels >= 0) | (negative & (labels < 0)), 1.0, 0.0)
