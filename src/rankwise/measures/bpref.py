"""Bpref: preference of relevant over judged non-relevant documents."""

from __future__ import annotations

from rankwise.measures.base import Measure

__all__ = ["Bpref"]


class Bpref(Measure):
    r"""Binary preference: how seldom judged non-relevant documents stand above relevant ones.

    .. math:: \mathrm{bpref} = \frac{1}{R} \sum_{r} \Bigl( 1 - \frac{\min(n_r, R)}{\min(N, R)} \Bigr)

    r runs over the relevant documents retrieved, n_r counts judged non-relevant ones above r, N all of them.
    Buckley & Voorhees 2004 (`buckley2004`) in the form of trec_eval since 8.0. Documents without a judgment, or with a
    negative label, do not exist for it. *Empty* where R = 0.

    >>> Bpref().of([1, 0, 1, 0])
    0.75
    """

    __slots__ = ()
    name = "Bpref"
    formula = "bpref"
    axes = ("rel", "ideal", "empty")
    takes_k = False
