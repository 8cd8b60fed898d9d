"""Spearman: the correlation of ranks with those of the labels."""

from __future__ import annotations

from rankwise.measures.base import Measure, Present
from rankwise.measures.convention import Labels

__all__ = ["Spearman"]


class Spearman(Measure):
    r"""Spearman's ρ between a ranking and the labels of its documents, from −1 to 1.

    .. math:: \rho = \frac{\sum_u (x_u - \bar x)(y_u - \bar y)}
              {\sqrt{\sum_u (x_u - \bar x)^2 \, \sum_u (y_u - \bar y)^2}}

    x are the ranks, y the ranks by falling label, of which equal labels share the mean: Spearman 1904
    (`spearman1904`). Under `ties='expected'` the value is the mean over all orders of tied scores; with `ties='kept'`
    tied scores share their mean rank as labels do, as in SciPy's `spearmanr`. A document without a judgment is as one
    of label 0. *Empty* where all labels are the same, and with `ties='kept'` where all scores are.

    >>> Spearman().of([3, 1, 2]), Spearman().of([0, 1])
    (0.5, -1.0)
    """

    __slots__ = ()
    name = "Spearman"
    formula = "spearman"
    axes = ("empty",)
    takes_k = False
    keeps_ties = True

    def worth(self, labels: Labels, present: Present) -> Labels:
        return self.convention.levels(labels)
