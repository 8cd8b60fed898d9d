"""Stumps: trees of one split, as boosting of rankers grows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, message
from rankwise.rankers.inputs import Table, array_of, counted
from rankwise.rankers.trees import Trees

__all__ = ["Stumps"]


@dataclass(frozen=True, eq=False, repr=False)
class Stumps:
    r"""A sum of steps, one column each.

    .. math:: s = \sum_t \begin{cases} a_t & x_{j_t} > \theta_t \\ b_t & x_{j_t} \le \theta_t \\ m_t & x_{j_t}
              \text{ is missing} \end{cases}

    `feature` names the column j of each stump, counted from 0; `above`, `below` and `missing` (NaN) are its values.
    x is compared in float64. The sum is in double precision and in the order of the stumps.

    >>> stumps = Stumps(2, feature=[1, 0], threshold=[0.27, 3], below=[0, 0], above=[0.41, -0.1], missing=[0, 0])
    >>> stumps.scores(np.array([[3, 0.2], [4, 0.3]], np.float32)).round(2)
    array([0.  , 0.31])
    """

    kind: ClassVar[str] = "stumps"

    features: int
    feature: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float64]
    below: npt.NDArray[np.float64]
    above: npt.NDArray[np.float64]
    missing: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "feature", np.array(self.feature, np.int32))
        for name in ("threshold", "below", "above", "missing"):
            object.__setattr__(self, name, np.array(getattr(self, name), np.float64))
        lengths = {getattr(self, name).shape for name in _NAMES}
        if lengths != {(len(self.feature),)}:
            raise DataError(message(f"stumps need columns of one length, not {sorted(lengths)}"))
        if len(self) and not (self.feature.min() >= 0 and self.feature.max() < self.features):
            raise DataError(message(f"a stump looks at a column that is not among the {self.features}"))
        for name in ("below", "above", "missing"):
            if not np.isfinite(getattr(self, name)).all():
                raise DataError(message(f"a stump adds a number that is not finite ('{name}')"))
        if np.isnan(self.threshold).any():
            raise DataError(message("a stump has no threshold"))

    def __len__(self) -> int:
        """The number of stumps."""
        return len(self.feature)

    def scores(self, table: Table, threads: int | None = None) -> npt.NDArray[np.float64]:
        return self._trees.scores(table, threads)

    def scores_of(self, table: Table, first: int, last: int, threads: int | None = None) -> npt.NDArray[np.float64]:
        """The sum of the stumps from `first` up to `last`, that one left out."""
        return self._trees.scores_of(table, first, last, threads)

    @cached_property
    def _trees(self) -> Trees:
        """Each stump as a tree of three leaves, of which the first takes what is missing."""
        count = len(self)
        return Trees.of(
            self.features,
            starts=3 * np.arange(count + 1),
            feature=np.repeat(self.feature, 2),
            threshold=np.column_stack([np.full(count, -np.inf), self.threshold]).ravel(),
            left=np.tile([-1, -2], count),
            right=np.tile([1, -3], count),
            missing_left=True,
            leaf_value=np.column_stack([self.missing, self.below, self.above]).ravel(),
        )

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled or copied: the arrays."""
        return {name: value for name, value in self.__dict__.items() if name != "_trees"}

    def contributions(self, table: Table, threads: int | None = None) -> npt.NDArray[np.float64]:
        """What each column's stumps add; the last column is 0."""
        parts = np.zeros((len(table), self.features + 1))
        for feature in np.unique(self.feature):
            own = self.feature == feature
            stumps = Stumps(1, np.zeros(own.sum(), np.int32), *(getattr(self, name)[own] for name in _NAMES[1:]))
            parts[:, feature] = stumps.scores(np.ascontiguousarray(table[:, feature : feature + 1]), threads)
        return parts

    def importances(self) -> npt.NDArray[np.float64]:
        """How far apart each column's stumps bring documents: Σ |above − below|."""
        found = np.zeros(self.features)
        np.add.at(found, self.feature, np.abs(self.above - self.below))
        return found

    def text(self, names: Sequence[str], stumps: int = 30) -> str:
        """The first stumps, and how many more there are."""
        shown = min(stumps, len(self))
        lines = [line for at in range(shown) for line in self._lines(at, names[self.feature[at]])]
        rest = len(self) - shown
        return "\n".join(lines + [f"… and {rest:,} more stump{'' if rest == 1 else 's'}"] * (rest > 0))

    def _lines(self, at: int, name: str) -> list[str]:
        ways = [
            (self.above[at], f"{name} > {self.threshold[at]:.6g}"),
            (self.below[at], f"{name} ≤ {self.threshold[at]:.6g}"),
            (self.missing[at], f"{name} is missing"),
        ]
        return [f"{value:+12.6g} if {condition}" for value, condition in ways if value != 0]

    def plain(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        return {}, {name: getattr(self, name) for name in _NAMES}

    @classmethod
    def of_plain(cls, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], features: int) -> Self:
        feature = array_of(arrays, "feature", np.int32)
        return cls(features, feature, *(array_of(arrays, name, np.float64, len(feature)) for name in _NAMES[1:]))

    def __repr__(self) -> str:
        return f"Stumps({counted(len(self), 'stump')})"


_NAMES = ("feature", "threshold", "below", "above", "missing")
