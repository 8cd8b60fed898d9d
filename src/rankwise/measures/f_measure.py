"""F: the weighted harmonic mean of precision and recall."""

from __future__ import annotations

from typing import Any

from rankwise.errors import MeasureError, message
from rankwise.measures.base import Measure
from rankwise.measures.convention import Convention, is_finite

__all__ = ["F"]


class F(Measure):
    r"""The harmonic mean of precision and recall of the first k documents, or of the whole list.

    .. math:: \mathrm{F@}k = \frac{(w + 1) \, P R}{w P + R}

    P is P@k (convention: `p_over`), R is R@k, and w (`weight`) how much recall matters against precision; the β² of
    van Rijsbergen 1979 (`vanrijsbergen1979`). *Empty* where R = 0; 0 where nothing relevant is found.

    >>> F().of([1, 0, 1, 0]), F(weight=4).of([1, 0, 0, 0])
    (0.6666666666666666, 0.625)
    """

    __slots__ = ("weight",)
    name = "F"
    formula = "f_measure"
    document_weights = "worth"
    axes = ("rel", "ideal", "p_over", "empty", "cut")
    weight: float

    def __init__(
        self, k: int | None = None, *, weight: float = 1.0, convention: Convention | str | None = None, **choices: Any
    ) -> None:
        super().__init__(k, convention=convention, **choices)
        if not (is_finite(weight) and weight >= 0):
            raise MeasureError(message(f"the weight of recall is a number from 0, not {weight!r}"))
        object.__setattr__(self, "weight", float(weight))

    def _parameters(self) -> dict[str, Any]:
        return {} if self.weight == 1.0 else {"weight": self.weight}

    def _numbers(self) -> list[float]:
        return [self.weight]
