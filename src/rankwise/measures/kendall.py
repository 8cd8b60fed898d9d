"""Tau: Kendall's rank correlation of a ranking with its labels."""

from __future__ import annotations

from rankwise.measures.base import Measure, Present
from rankwise.measures.convention import Labels

__all__ = ["Tau"]


class Tau(Measure):
    r"""Kendall's τ-b between a ranking and the labels of its documents, from −1 to 1.

    .. math:: \tau_b = \frac{C - D}{\sqrt{(n_0 - n_1)(n_0 - n_2)}}, \qquad n_0 = \tfrac12 n (n - 1)

    C pairs are in the order of their labels, D in the reverse; n₁ pairs are tied in their scores, n₂ in their labels:
    Kendall 1945 (`kendall1945`). Under `ties='expected'` the value is the mean over all orders of tied scores, in each
    of which n₁ is 0; `ties='kept'` is τ-b itself, as SciPy's `kendalltau` computes it. A document without a judgment
    is as one of label 0. *Empty* where all labels are the same, and with `ties='kept'` where all scores are.

    >>> Tau().of([3, 1, 2]), Tau().of([0, 1])
    (0.3333333333333333, -1.0)
    """

    __slots__ = ()
    name = "Tau"
    formula = "kendall"
    axes = ("empty",)
    takes_k = False
    keeps_ties = True

    def worth(self, labels: Labels, present: Present) -> Labels:
        return self.convention.levels(labels)
