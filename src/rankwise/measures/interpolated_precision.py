"""IPrec: interpolated precision at a level of recall."""

from __future__ import annotations

from typing import Any

from rankwise.errors import MeasureError, message
from rankwise.measures.base import Measure
from rankwise.measures.convention import Convention, is_finite

__all__ = ["IPrec"]


class IPrec(Measure):
    r"""Interpolated precision: the greatest precision at any rank where at least the level of recall is reached.

    .. math:: \mathrm{IPrec@}\rho = \max \{\, \mathrm{P@}i : \mathrm{R@}i \ge \rho \,\}

    The level ρ becomes round(ρR) relevant documents, as in trec_eval 10; 9 truncates ρR + 0.9 (a quirk).
    *Empty* where R = 0. No closed form over ties: a maximum is not linear.

    >>> IPrec(recall=0.5, ties="input").of([0, 1, 1, 0])
    0.6666666666666666
    """

    __slots__ = ("recall",)
    name = "IPrec"
    formula = "interpolated_precision"
    axes = ("rel", "ideal", "empty")
    takes_k = False
    closed_form = False
    recall: float

    def __init__(
        self, k: int | None = None, *, recall: float = 0.0, convention: Convention | str | None = None, **choices: Any
    ) -> None:
        super().__init__(k, convention=convention, **choices)
        if not (is_finite(recall) and 0 <= recall <= 1):
            raise MeasureError(message(f"a level of recall lies between 0 and 1, not at {recall!r}"))
        object.__setattr__(self, "recall", float(recall))

    def _parameters(self) -> dict[str, Any]:
        return {"recall": self.recall}

    def _numbers(self) -> list[float]:
        return [self.recall]
