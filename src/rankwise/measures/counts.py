"""NumRet, NumRel, NumRelRet: how many documents there are."""

from __future__ import annotations

from rankwise.measures.base import Measure

__all__ = ["NumRel", "NumRelRet", "NumRet"]


class NumRet(Measure):
    """The documents retrieved.

    >>> NumRet().of([1, 0, 2])
    3.0
    """

    __slots__ = ()
    name = "NumRet"
    formula = "retrieved"
    takes_k = False


class NumRel(Measure):
    """The relevant documents, retrieved or not (convention: `ideal`).

    >>> NumRel().of([1, 0, 2])
    2.0
    """

    __slots__ = ()
    name = "NumRel"
    formula = "relevant"
    axes = ("rel", "ideal")
    takes_k = False


class NumRelRet(Measure):
    """The relevant documents retrieved.

    >>> NumRelRet().of([1, 0, 2])
    2.0
    """

    __slots__ = ()
    name = "NumRelRet"
    formula = "relevant_retrieved"
    axes = ("rel",)
    takes_k = False
