"""Unjudged: how much of the top nobody has judged."""

from __future__ import annotations

import numpy as np

from rankwise.measures.base import Measure, Present
from rankwise.measures.convention import Labels

__all__ = ["Unjudged"]


class Unjudged(Measure):
    r"""The share of the first k documents that have no judgment, or a negative label, which stands for none.

    .. math:: \mathrm{Unjudged@}k = \frac{1}{k} \sum_{i=1}^{\min(k, n)} [\, l_i \text{ is no judgment} \,]

    trec_eval 10's `unj`: a warning, not a measure of quality. Never undefined.

    >>> (Unjudged @ 4).of([1, float("nan"), 0])
    0.25
    """

    __slots__ = ()
    name = "Unjudged"
    formula = "precision"
    axes = ("p_over", "cut")

    def worth(self, labels: Labels, present: Present) -> Labels:
        return np.where(labels >= 0, 0.0, 1.0)
