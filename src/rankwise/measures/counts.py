"""NumQ, NumRet, NumRel, NumRelRet: how many lists and documents there are."""

from __future__ import annotations

from rankwise.measures.base import Measure

__all__ = ["NumQ", "NumRel", "NumRelRet", "NumRet"]


class NumQ(Measure):
    """1 for every list: its sum is the number of lists that a convention counts.

    >>> NumQ().of([1, 0, 2])
    1.0
    """

    __slots__ = ()
    name = "NumQ"
    formula = "lists"
    takes_k = False


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
