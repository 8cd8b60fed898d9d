"""InfAP: average precision where only a sample of the pool was judged."""

from __future__ import annotations

import numpy as np

from rankwise.measures.base import Measure, Present
from rankwise.measures.convention import Labels

__all__ = ["InfAP"]


class InfAP(Measure):
    r"""Inferred AP: the precision at each relevant document, estimated from the judged documents above it.

    .. math::
        \mathrm{infAP} = \frac{1}{R} \sum_r \frac{1}{i_r} \Bigl( 1 +
            (h_r + w_r + u_r) \, \frac{h_r + \varepsilon}{h_r + w_r + 2 \varepsilon} \Bigr)

    r runs over the relevant documents retrieved, i_r is the rank; above it stand h_r relevant documents, w_r judged
    ones that are not, and u_r of the pool without a judgment, which have a negative label. Documents without any label
    lie outside the pool: not relevant. ε = 0.00001. Yilmaz & Aslam 2006 (`yilmaz2006`) in the form of trec_eval.
    *Empty* where R = 0. No closed form over ties, nor a known best and
    worst order.

    >>> round(InfAP(negative="zero", ties="input").of([1, -1, 0, 1]), 4)
    0.8125
    """

    __slots__ = ()
    name = "InfAP"
    formula = "inferred_average_precision"
    axes = ("rel", "ideal", "empty")
    takes_k = False
    closed_form = False
    best_first = False

    def worth(self, labels: Labels, present: Present) -> Labels:
        # Below 0: in the pool, but not judged.
        return np.where(labels < 0, -1.0, super().worth(labels, present))
