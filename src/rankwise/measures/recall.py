"""R: recall at a cut-off."""

from __future__ import annotations

from rankwise.measures.base import Measure

__all__ = ["R"]


class R(Measure):
    r"""Recall: the share of the relevant documents that stand among the first k.

    .. math:: \mathrm{R@}k = \frac{1}{R} \sum_{i=1}^{\min(k, n)} [\, l_i \text{ relevant} \,]

    R counts all judged documents that are relevant (convention: `ideal`). *Empty* where R = 0.

    >>> (R @ 2).of([1, 0, 1])
    0.5
    """

    __slots__ = ()
    name = "R"
    formula = "recall"
    document_weights = "worth"
    axes = ("rel", "ideal", "empty", "cut")
