"""RnDCG: nDCG averaged over the places where the ideal list changes its gain."""

from __future__ import annotations

from rankwise.measures.dcg import DCG

__all__ = ["RnDCG"]


class RnDCG(DCG):
    r"""nDCG averaged over the ranks after which the ideal list goes to a lower gain, and over the end of the list.

    .. math:: \mathrm{RnDCG} = \frac{1}{|E|} \sum_{e \in E} \mathrm{nDCG@}e

    trec_eval's experimental `Rndcg`: with five documents of gain 2 and ten of gain 1, E = {5, 15}, and n itself if
    n > 16. *Empty* where no judged document has a gain.

    >>> round(RnDCG(gain="linear").of([1, 2, 0]), 4)
    0.6799
    """

    __slots__ = ()
    name = "RnDCG"
    formula = "rndcg"
    document_weights = ""
    axes = ("gain", "outside", "discount", "ideal", "empty")
    takes_k = False
