"""AUC: the share of pairs of a relevant and another document in which the relevant one stands above."""

from __future__ import annotations

from rankwise.measures.base import Measure

__all__ = ["AUC"]


class AUC(Measure):
    r"""Area under the ROC curve of one list: how often a relevant document stands above one that is not.

    .. math:: \mathrm{AUC} = \frac{1}{|P| |N|} \sum_{u \in P} \sum_{v \in N}
              \bigl( [\, s_u > s_v \,] + \tfrac12 [\, s_u = s_v \,] \bigr)

    P are the relevant documents of the list, N the others, s the scores; Hanley & McNeil 1982 (`hanley1982`). A tie
    counts ½, which is its mean over both orders: `ties='expected'` and `ties='kept'` are the same. A document without
    a judgment is one of the others. *Empty* where P or N is.

    >>> AUC().of([1, 0, 1, 0])
    0.75
    """

    __slots__ = ()
    name = "AUC"
    # The pairs with different worth, which is 1 or 0 here.
    formula = "pair_accuracy"
    document_weights = "pairs"
    axes = ("rel", "empty")
    takes_k = False
    keeps_ties = True
