"""NumQ, NumRet, NumRel, NumRelRet, NumNonrelRet: how many lists and documents there are."""

from __future__ import annotations

import numpy as np

from rankwise.measures.base import Measure, Present
from rankwise.measures.convention import Labels

__all__ = ["NumNonrelRet", "NumQ", "NumRel", "NumRelRet", "NumRet"]


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
    """The relevant documents retrieved, or those among the first k.

    >>> NumRelRet().of([1, 0, 2]), (NumRelRet @ 2).of([1, 0, 2])
    (2.0, 1.0)
    """

    __slots__ = ()
    name = "NumRelRet"
    formula = "relevant_retrieved"
    axes = ("rel", "cut")


class NumNonrelRet(Measure):
    """The documents retrieved that were judged and are not relevant.

    >>> NumNonrelRet().of([1, 0, 2, float("nan")])
    1.0
    """

    __slots__ = ()
    name = "NumNonrelRet"
    formula = "relevant_retrieved"
    axes = ("rel",)
    takes_k = False

    def worth(self, labels: Labels, present: Present) -> Labels:
        return np.where(labels >= 0, 1.0 - super().worth(labels, present), 0.0)
