"""nDCG: DCG over the DCG of the ideal list."""

from __future__ import annotations

from rankwise.measures.dcg import DCG

__all__ = ["nDCG"]


class nDCG(DCG):
    r"""Normalised discounted cumulative gain: DCG over that of the best possible list.

    .. math:: \mathrm{nDCG@}k = \mathrm{DCG@}k \, / \, \mathrm{IDCG@}k

    Järvelin & Kekäläinen 2002 (`jarvelin2002`). The ideal list holds all judged documents by falling gain
    (convention: `ideal`), cut at k (`ideal_cut`). Undefined, hence *empty*, where no judged document has a gain.

    >>> nDCG(gain="linear").of([2, 1, 0, 2])
    0.9283395254626584
    >>> nDCG(gain="linear") @ 2
    nDCG(gain='linear')@2
    """

    __slots__ = ()
    name = "nDCG"
    formula = "ndcg"
    axes = ("gain", "outside", "discount", "ideal", "ideal_cut", "empty", "cut")
