"""Neighbours: the score of an item is how similar it is to what the user had to do with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.errors import DataError, message
from rankwise.rankers.histories import Histories
from rankwise.rankers.inputs import array_of

__all__ = ["Neighbours"]

Numbers = npt.NDArray[np.int64]
# Users whose scores for all items are held at once.
BLOCK = 1024


@dataclass(frozen=True, eq=False, repr=False)
class Neighbours:
    r"""The sum of similarities to the items of the user's history.

    .. math:: \hat y_{ui} = \sum_{j \in H_u} v_{uj} \, s_{ji}

    Of each item j only its nearest neighbours have a similarity that is not 0: `items[offsets[j]:offsets[j + 1]]`,
    ascending, and `similarities`.

    >>> model = Neighbours(np.array([0, 1, 2, 2]), np.array([1, 0], np.uint32), np.array([0.5, 0.5], np.float32))
    >>> model.scores(np.array([0]), Histories(np.array([0, 1]), np.array([1], np.uint32)))
    array([[0.5, 0. , 0. ]])
    """

    kind: ClassVar[str] = "neighbours"

    offsets: npt.NDArray[np.int64]
    items: npt.NDArray[np.uint32]
    similarities: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        count = len(self.offsets) - 1
        fits = len(self.items) == len(self.similarities) and count >= 0
        if not fits or self.offsets[0] != 0 or self.offsets[-1] != len(self.items) or (np.diff(self.offsets) < 0).any():
            raise DataError(message("the neighbours of items do not fit together"))
        if len(self.items) and int(self.items.max()) >= count:
            raise DataError(message(f"a neighbour is item {self.items.max()} of {count:,}"))
        if not np.isfinite(self.similarities).all():
            raise DataError(message("a similarity is not finite"))

    def top(
        self,
        users: Numbers,
        k: int,
        histories: Histories | None = None,
        *,
        left_out: Histories | None = None,
        items: Numbers | None = None,
        threads: int | None = None,
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """The `k` best of those items for each user but those `left_out`; see `Factors.top`."""
        out = left_out or Histories.none(len(users))
        parts = []
        for first in range(0, len(users), BLOCK):
            some = np.arange(first, min(first + BLOCK, len(users)))
            scores = self._scores(_histories(histories).take(some))
            scores = scores if items is None else np.ascontiguousarray(scores[:, items])
            mine = out.take(some).among(items, len(self.offsets) - 1)
            found, best = _kernels.top_of_scores(scores, mine.offsets, mine.items, k, threads)
            parts.append((found if items is None else np.where(found < 0, -1, items[found]), best))
        found, best = (np.concatenate(part) for part in zip(*parts, strict=True))
        return found.astype(np.int32), best.astype(np.float64)

    def scores(
        self, users: Numbers, histories: Histories | None = None, threads: int | None = None
    ) -> npt.NDArray[np.float64]:
        """The score of each user, whose histories these are, for each item."""
        return self._scores(_histories(histories)).astype(np.float64)

    def pair_scores(
        self, users: Numbers, items: Numbers, histories: Histories | None = None, threads: int | None = None
    ) -> npt.NDArray[np.float64]:
        """The score of each of those users for the item beside it; `histories` are those of all users."""
        found = np.empty(len(users))
        named, place = np.unique(users, return_inverse=True)
        order = np.argsort(place, kind="stable")
        for first in range(0, len(named), BLOCK):
            rows = order[np.searchsorted(place[order], first) : np.searchsorted(place[order], first + BLOCK)]
            scores = self._scores(_histories(histories).take(named[first : first + BLOCK]))
            found[rows] = scores[place[rows] - first, items[rows]]
        return found

    def similar(
        self, items: Numbers, k: int, threads: int | None = None
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """The `k` nearest neighbours of each item, and their similarities."""
        scores = np.ascontiguousarray(self._matrix()[items].toarray(), np.float32)
        scores[scores == 0] = np.nan
        itself = Histories(np.arange(len(items) + 1), items.astype(np.uint32))
        found, best = _kernels.top_of_scores(scores, itself.offsets, itself.items, k, threads)
        return found, best.astype(np.float64)

    def text(self) -> str:
        return f"{len(self.offsets) - 1:,} items, {len(self.items):,} similarities"

    def plain(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        return {}, {"offsets": self.offsets, "items": self.items, "similarities": self.similarities}

    @classmethod
    def of_plain(
        cls, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], users: int, items: int
    ) -> Self:
        return cls(
            array_of(arrays, "offsets", np.int64, items + 1),
            array_of(arrays, "items", np.uint32),
            array_of(arrays, "similarities", np.float32),
        )

    def _scores(self, histories: Histories) -> npt.NDArray[np.float32]:
        items = len(self.offsets) - 1
        found: npt.NDArray[np.float32] = (histories.matrix(items) @ self._matrix()).toarray()
        return np.ascontiguousarray(found, np.float32)

    def _matrix(self) -> Any:
        from scipy.sparse import csr_array

        count = len(self.offsets) - 1
        return csr_array((self.similarities, self.items.astype(np.int64), self.offsets), (count, count))

    def __repr__(self) -> str:
        return f"Neighbours({len(self.items):,} of {len(self.offsets) - 1:,} items)"


def _histories(histories: Histories | None) -> Histories:
    if histories is None:
        raise DataError(message("neighbours score by what the user had to do with, and that is not given"))
    return histories
