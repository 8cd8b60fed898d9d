"""Histories: the items that each of some users had to do with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

__all__ = ["Histories"]


@dataclass(frozen=True, slots=True, eq=False)
class Histories:
    """The items of user u are `items[offsets[u]:offsets[u + 1]]`, ascending; `values` say how much, 1 without."""

    offsets: npt.NDArray[np.int64]
    items: npt.NDArray[np.uint32]
    values: npt.NDArray[np.float32] | None = None

    @classmethod
    def none(cls, users: int) -> Self:
        return cls(np.zeros(users + 1, np.int64), np.zeros(0, np.uint32))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def of(self, user: int) -> npt.NDArray[np.uint32]:
        return self.items[self.offsets[user] : self.offsets[user + 1]]

    def take(self, users: npt.NDArray[np.int64]) -> Histories:
        """Those of some users."""
        sizes = np.diff(self.offsets)[users]
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        rows = np.repeat(self.offsets[users] - offsets[:-1], sizes) + np.arange(offsets[-1])
        return Histories(offsets, self.items[rows], None if self.values is None else self.values[rows])

    def among(self, items: npt.NDArray[np.int64] | None, count: int) -> Histories:
        """What of them is among those items, an ascending selection of `count`, numbered by their places in it."""
        if items is None:
            return self
        place = np.full(count, -1, np.int64)
        place[items] = np.arange(len(items))
        found = place[self.items]
        there = found >= 0
        users = np.repeat(np.arange(len(self)), np.diff(self.offsets))[there]
        offsets = np.concatenate(([0], np.cumsum(np.bincount(users, minlength=len(self)))))
        return Histories(offsets, found[there].astype(np.uint32), None if self.values is None else self.values[there])

    def matrix(self, items: int) -> Any:
        """A SciPy sparse array, users × items."""
        from scipy.sparse import csr_array

        values = np.ones(len(self.items), np.float32) if self.values is None else self.values
        return csr_array((values, self.items.astype(np.int64), self.offsets), (len(self), items))
