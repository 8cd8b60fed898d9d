"""SetAP: average precision of a list without an order."""

from __future__ import annotations

from rankwise.measures.base import Measure

__all__ = ["SetAP"]


class SetAP(Measure):
    r"""Precision times recall of the whole list: AP where each relevant document retrieved has the set's precision.

    .. math:: \mathrm{SetAP} = \frac{h^2}{n R}

    h is the number of relevant documents retrieved. trec_eval's `set_map`. *Empty* where R = 0.

    >>> SetAP().of([1, 0, 1, 0])
    0.5
    """

    __slots__ = ()
    name = "SetAP"
    formula = "set_average_precision"
    axes = ("rel", "ideal", "empty")
    takes_k = False
