"""PairAccuracy: the share of pairs with different labels that are in the right order."""

from __future__ import annotations

from rankwise.measures.base import Measure, Present
from rankwise.measures.convention import Labels

__all__ = ["PairAccuracy"]


class PairAccuracy(Measure):
    r"""The share of pairs of documents with different labels in which the one with the higher label stands above.

    .. math:: \frac{\sum_{l_u > l_v} \bigl( [\, s_u > s_v \,] + \tfrac12 [\, s_u = s_v \,] \bigr)}
                   {\sum_{l_u > l_v} 1}

    With two labels it is AUC; Fürnkranz & Hüllermeier 2010 (`furnkranz2010`). A tie of scores s counts ½, which is its
    mean over both orders: `ties='expected'` and `ties='kept'` are the same. A document without a judgment is as one
    of label 0. *Empty* where all labels are the same.

    >>> PairAccuracy().of([2, 0, 1])
    0.6666666666666666
    """

    __slots__ = ()
    name = "PairAccuracy"
    formula = "pair_accuracy"
    document_weights = "pairs"
    axes = ("empty",)
    takes_k = False
    keeps_ties = True

    def worth(self, labels: Labels, present: Present) -> Labels:
        return self.convention.levels(labels)
