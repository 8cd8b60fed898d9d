"""RR: reciprocal rank."""

from __future__ import annotations

from rankwise.measures.base import Measure

__all__ = ["RR"]


class RR(Measure):
    r"""Reciprocal rank: 1 over the rank of the first relevant document, 0 if none stands among the first k.

    .. math:: \mathrm{RR@}k = 1 / \min \{\, i \le k : l_i \text{ relevant} \,\}

    Its mean over lists is MRR. *Empty* where no judged document is relevant.
    Expected value over ties: McSherry & Najork 2008 (`mcsherry2008`).

    >>> RR().of([0, 0, 1]), (RR @ 2).of([0, 0, 1])
    (0.3333333333333333, 0.0)
    """

    __slots__ = ()
    name = "RR"
    formula = "reciprocal_rank"
    axes = ("rel", "ideal", "empty", "cut")
