"""IAP: the mean of interpolated precision over levels of recall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwise.errors import MeasureError, message
from rankwise.measures.base import Measure
from rankwise.measures.convention import Convention, is_finite

__all__ = ["IAP"]

ELEVEN = tuple(level / 10 for level in range(11))


class IAP(Measure):
    r"""Interpolated average precision: the mean of interpolated precision over levels of recall, 0, 0.1, …, 1.

    .. math:: \mathrm{IAP} = \frac{1}{|L|} \sum_{\rho \in L} \mathrm{IPrec@}\rho

    trec_eval's `11pt_avg`, the average precision of the years before AP. *Empty* where R = 0.
    No closed form over ties, as for IPrec.

    >>> IAP(ties="input").of([1, 0, 0, 1]), IAP(levels=(0.5,), ties="input").of([0, 1, 1, 0])
    (0.8636363636363636, 0.6666666666666666)
    """

    __slots__ = ("levels",)
    name = "IAP"
    formula = "interpolated_precision"
    axes = ("rel", "ideal", "empty")
    takes_k = False
    closed_form = False
    levels: tuple[float, ...]

    def __init__(
        self,
        k: int | None = None,
        *,
        levels: Sequence[float] = ELEVEN,
        convention: Convention | str | None = None,
        **choices: Any,
    ) -> None:
        super().__init__(k, convention=convention, **choices)
        found = tuple(levels) if isinstance(levels, (tuple, list)) else ()
        if not found or not all(is_finite(level) and 0 <= level <= 1 for level in found):
            raise MeasureError(message(f"levels of recall lie between 0 and 1, not at {levels!r}"))
        object.__setattr__(self, "levels", tuple(float(level) for level in found))

    def _parameters(self) -> dict[str, Any]:
        return {} if self.levels == ELEVEN else {"levels": self.levels}

    def _numbers(self) -> list[float]:
        return list(self.levels)
