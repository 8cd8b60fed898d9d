"""Utility: what documents retrieved and missed are worth to a reader, added up."""

from __future__ import annotations

from typing import Any

from rankwise.errors import MeasureError, message
from rankwise.measures.base import Measure
from rankwise.measures.convention import Convention, is_finite

__all__ = ["Utility"]


class Utility(Measure):
    r"""Linear utility of a list without an order.

    .. math:: \mathrm{U} = a \, h + b \, (n - h) + c \, (R - h)

    h relevant documents were retrieved; a (`hit`), b (`noise`) and c (`miss`) say what each relevant document
    retrieved, each other one, and each relevant one not retrieved is worth. trec_eval's `utility` without its fourth
    weight, for which the size of the collection would have to be known. Never undefined.

    >>> Utility().of([1, 0, 1, 0, 0]), Utility(hit=2, noise=-0.5).of([1, 0, 1, 0, 0])
    (-1.0, 2.5)
    """

    __slots__ = ("hit", "miss", "noise")
    name = "Utility"
    formula = "utility"
    axes = ("rel", "ideal")
    takes_k = False
    hit: float
    noise: float
    miss: float

    def __init__(
        self,
        k: int | None = None,
        *,
        hit: float = 1.0,
        noise: float = -1.0,
        miss: float = 0.0,
        convention: Convention | str | None = None,
        **choices: Any,
    ) -> None:
        super().__init__(k, convention=convention, **choices)
        for name, weight in {"hit": hit, "noise": noise, "miss": miss}.items():
            if not is_finite(weight):
                raise MeasureError(message(f"{name} must be a finite number, not {weight!r}"))
            object.__setattr__(self, name, float(weight))

    def _parameters(self) -> dict[str, Any]:
        weights = {"hit": self.hit, "noise": self.noise, "miss": self.miss}
        return {} if self._numbers() == [1.0, -1.0, 0.0] else weights

    def _numbers(self) -> list[float]:
        return [self.hit, self.noise, self.miss]
