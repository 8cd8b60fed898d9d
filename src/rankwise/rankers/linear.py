"""A linear model: a weighted sum of the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.errors import DataError, message
from rankwise.rankers.inputs import Table, array_of, counted, number_of

__all__ = ["Linear"]


@dataclass(frozen=True, eq=False, repr=False)
class Linear:
    r"""The weighted sum of the columns.

    .. math:: s = b + \sum_j w_j x_j

    A missing value (NaN) adds nothing. The sum is in double precision.

    >>> Linear([2.0, -1.0], bias=0.5).scores(np.array([[1, 1], [0, 3]], np.float32))
    array([ 1.5, -2.5])
    """

    kind: ClassVar[str] = "linear"

    weights: npt.NDArray[np.float64]
    bias: float = 0.0

    def __post_init__(self) -> None:
        weights = np.array(self.weights, np.float64)
        if weights.ndim != 1:
            raise DataError(message(f"weights must have 1 dimension, not {weights.ndim}"))
        if not np.isfinite(weights).all():
            raise DataError(message(f"the weight of column {int((~np.isfinite(weights)).argmax()) + 1} is not finite"))
        if not np.isfinite(self.bias):
            raise DataError(message("the bias is not finite"))
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "bias", float(self.bias))

    @property
    def features(self) -> int:
        return len(self.weights)

    def scores(self, table: Table, threads: int | None = None) -> npt.NDArray[np.float64]:
        return _kernels.weighted_sums(table, self.weights, self.bias, threads)

    def contributions(self, table: Table, threads: int | None = None) -> npt.NDArray[np.float64]:
        parts = self.weights * np.nan_to_num(table)
        return np.column_stack([parts, np.full(len(table), self.bias)])

    def importances(self) -> npt.NDArray[np.float64]:
        return np.abs(self.weights)

    def text(self, names: Sequence[str]) -> str:
        order = np.argsort(-np.abs(self.weights), kind="stable")
        lines = [f"{self.weights[at]:+12.6g}  {names[at]}" for at in order if self.weights[at] != 0]
        absent = len(self.weights) - len(lines)
        if self.bias:
            lines.append(f"{self.bias:+12.6g}  for every document")
        if absent:
            lines.append(f"{absent} of {len(self.weights)} columns have weight 0")
        return "\n".join(lines)

    def plain(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        return {"bias": self.bias}, {"weights": self.weights}

    @classmethod
    def of_plain(cls, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], features: int) -> Self:
        return cls(array_of(arrays, "weights", np.float64, features), number_of(header, "bias"))

    def __repr__(self) -> str:
        return f"Linear({counted(int(np.count_nonzero(self.weights)), 'weight')})"
