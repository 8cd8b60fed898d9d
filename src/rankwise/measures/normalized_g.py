"""G: gains, discounted by what an ideal list would have gained by then."""

from __future__ import annotations

from rankwise.measures.dcg import DCG

__all__ = ["G"]


class G(DCG):
    r"""Normalized gain: each gain, discounted by how far the list has fallen behind the ideal one.

    .. math:: \mathrm{G} = \frac{1}{\sum_j g^*_j} \sum_{i=1}^{n}
        \frac{g(l_i)}{\log_2 \bigl( 2 + \sum_{j \le i} \max(g^*_j, 1) - \sum_{j \le i} g(l_j) \bigr)}

    g* are the gains of the ideal list, 0 below its end. An experimental measure of trec_eval. *Empty* where no judged
    document has a gain. No closed form over ties, nor a known best
    and worst order: an early gain makes those below it count for more.

    >>> round(G(gain="linear", ties="input").of([0, 2, 1]), 4)
    0.6309
    """

    __slots__ = ()
    name = "G"
    formula = "normalized_g"
    document_weights = ""
    axes = ("gain", "outside", "ideal", "empty")
    takes_k = False
    closed_form = False
    best_first = False
