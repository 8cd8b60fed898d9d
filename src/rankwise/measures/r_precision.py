"""Rprec: precision after R documents, or after a multiple of R."""

from __future__ import annotations

from typing import Any

from rankwise.errors import MeasureError, message
from rankwise.measures.base import Measure
from rankwise.measures.convention import Convention, is_finite

__all__ = ["Rprec"]


class Rprec(Measure):
    r"""R-precision: the precision after as many documents as are relevant.

    .. math:: \mathrm{Rprec} = \mathrm{P@} \lfloor t R + 0.9 \rfloor

    Buckley & Voorhees 2005 (`buckley2005`), where t = 1; other multiples (`times`) are trec_eval's `Rprec_mult`.
    *Empty* where R = 0; 0 where the rank is 0.

    >>> Rprec().of([1, 0, 1]), Rprec(times=0.5).of([1, 0, 1])
    (0.5, 1.0)
    """

    __slots__ = ("times",)
    name = "Rprec"
    formula = "r_precision"
    axes = ("rel", "ideal", "empty")
    takes_k = False
    times: float

    def __init__(
        self, k: int | None = None, *, times: float = 1.0, convention: Convention | str | None = None, **choices: Any
    ) -> None:
        super().__init__(k, convention=convention, **choices)
        if not (is_finite(times) and times >= 0):
            raise MeasureError(message(f"a multiple of R is a number from 0, not {times!r}"))
        object.__setattr__(self, "times", float(times))

    def _parameters(self) -> dict[str, Any]:
        return {} if self.times == 1.0 else {"times": self.times}

    def _numbers(self) -> list[float]:
        return [self.times]
