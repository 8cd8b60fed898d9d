"""AP: average precision."""

from __future__ import annotations

from typing import ClassVar

from rankwise.measures.base import Measure

__all__ = ["AP"]


class AP(Measure):
    r"""Average precision: the mean, over relevant documents, of the precision at their ranks.

    .. math:: \mathrm{AP@}k = \frac{1}{R} \sum_{i=1}^{\min(k, n)} [\, l_i \text{ relevant} \,] \; \mathrm{P@}i

    Over R, or min(R, k), or the hits in the top k (convention: `ap_over`). *Empty* where R = 0.
    Its mean over lists is MAP. Expected value over ties: McSherry & Najork 2008 (`mcsherry2008`).

    >>> AP().of([1, 0, 1, 0, 1])
    0.7555555555555555
    """

    __slots__ = ()
    name = "AP"
    formula = "average_precision"
    document_weights = "worth"
    axes: ClassVar[tuple[str, ...]] = ("rel", "ideal", "ap_over", "empty", "cut")

    @property
    def closed_form(self) -> bool:  # type: ignore[override]
        """The hits in the top k are themselves uncertain under ties."""
        return self.convention.ap_over != "hits"

    @property
    def best_first(self) -> bool:  # type: ignore[override]
        """Over the hits in the top k, a relevant document at a low rank is better left beyond k."""
        return self.convention.ap_over != "hits"
