"""MeanNDCG: the mean of nDCG over all cut-offs."""

from __future__ import annotations

from rankwise.measures.dcg import DCG

__all__ = ["MeanNDCG"]


class MeanNDCG(DCG):
    r"""The mean of nDCG@1 … nDCG@n over all n positions of the list, as the LETOR 4.0 script defines it.

    .. math:: \mathrm{MeanNDCG} = \frac{1}{n} \sum_{k=1}^{n} \mathrm{nDCG@}k

    Qin & Liu 2013 (`qin2013`). n is the length of each list, not 10; with a cut-off, min(k, n).
    Undefined, hence *empty*, where no document has a gain.

    >>> MeanNDCG(gain="linear").of([1, 0]), MeanNDCG(gain="linear").of([0, 1])
    (1.0, 0.31546487678572877)
    """

    __slots__ = ()
    name = "MeanNDCG"
    formula = "mean_ndcg"
    axes = ("gain", "outside", "discount", "ideal", "empty", "cut")
