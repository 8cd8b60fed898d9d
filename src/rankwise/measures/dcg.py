"""DCG: discounted cumulative gain."""

from __future__ import annotations

from typing import ClassVar

from rankwise.measures.base import Measure, Present
from rankwise.measures.convention import Labels

__all__ = ["DCG"]


class DCG(Measure):
    r"""Discounted cumulative gain: what the documents are worth, less and less down the list.

    .. math:: \mathrm{DCG@}k = \sum_{i=1}^{\min(k, n)} g(l_i) \, d(i)

    Järvelin & Kekäläinen 2002 (`jarvelin2002`) with the gain of Burges et al. 2005 (`burges2005`) unless the
    convention says otherwise. Never undefined. Under `ties='expected'` each tied document gains its block's mean.

    >>> DCG(gain="linear", discount="jarvelin").of([3, 2, 3, 0, 1, 2])
    8.097171433256849
    """

    __slots__ = ()
    name = "DCG"
    formula = "dcg"
    document_weights = "worth"
    axes: ClassVar[tuple[str, ...]] = ("gain", "outside", "discount", "cut")

    def worth(self, labels: Labels, present: Present) -> Labels:
        return self.convention.gains(labels, present)
