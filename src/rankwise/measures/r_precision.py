"""Rprec: precision after R documents."""

from __future__ import annotations

from rankwise.measures.base import Measure

__all__ = ["Rprec"]


class Rprec(Measure):
    r"""R-precision: the precision after as many documents as are relevant.

    .. math:: \mathrm{Rprec} = \mathrm{P@}R

    Buckley & Voorhees 2005 (`buckley2005`). *Empty* where R = 0.

    >>> Rprec().of([1, 0, 1])
    0.5
    """

    __slots__ = ()
    name = "Rprec"
    formula = "r_precision"
    axes = ("rel", "ideal", "empty")
    takes_k = False
