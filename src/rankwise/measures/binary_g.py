"""BinG: relevant documents, discounted by the others above them."""

from __future__ import annotations

from rankwise.measures.base import Measure

__all__ = ["BinG"]


class BinG(Measure):
    r"""Binary G: each relevant document, discounted by how many that are not relevant stand above it.

    .. math:: \mathrm{binG} = \frac{1}{R} \sum_r \frac{1}{\log_2(2 + n_r)}

    r runs over the relevant documents retrieved, n_r counts the documents above that are not relevant. An experimental
    measure of trec_eval. *Empty* where R = 0. No closed form over ties.

    >>> round(BinG(ties="input").of([1, 0, 1]), 4)
    0.8155
    """

    __slots__ = ()
    name = "BinG"
    formula = "binary_g"
    axes = ("rel", "ideal", "empty")
    takes_k = False
    closed_form = False
