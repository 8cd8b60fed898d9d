"""nDCGrel: nDCG averaged over the ranks of the documents that gain anything."""

from __future__ import annotations

from rankwise.measures.dcg import DCG

__all__ = ["nDCGrel"]


class nDCGrel(DCG):
    r"""nDCG at the rank of each document with a gain, averaged over all of them.

    .. math:: \mathrm{nDCGrel} = \frac{1}{R} \sum_{r} \mathrm{nDCG@}\mathrm{rank}(r)

    trec_eval's experimental `ndcg_rel`. A document that was not retrieved counts with the DCG of the whole list over
    the whole ideal. *Empty* where no judged document has a gain. No closed form over ties.

    >>> round(nDCGrel(gain="linear", ties="input").of([1, 2, 0]), 4)
    0.6799
    """

    __slots__ = ()
    name = "nDCGrel"
    formula = "ndcg_rel"
    document_weights = ""
    axes = ("gain", "outside", "discount", "ideal", "empty")
    takes_k = False
    closed_form = False
