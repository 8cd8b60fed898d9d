"""P: precision at a cut-off."""

from __future__ import annotations

from rankwise.measures.base import Measure

__all__ = ["P"]


class P(Measure):
    r"""Precision: the share of the first k documents that are relevant.

    .. math:: \mathrm{P@}k = \frac{1}{k} \sum_{i=1}^{\min(k, n)} [\, l_i \text{ relevant} \,]

    Over k even if the list is shorter, over min(k, n), or over min(k, R), the most that k documents can hold
    (convention: `p_over`). Without k, the whole list: k = n. Never undefined.

    >>> (P @ 4).of([1, 0, 1]), P(p_over="min(k, n)", k=4).of([1, 0, 1])
    (0.5, 0.6666666666666666)
    """

    __slots__ = ()
    name = "P"
    formula = "precision"
    document_weights = "worth"
    axes = ("rel", "p_over", "cut")
