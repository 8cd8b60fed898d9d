"""Factors: a row of numbers for each user and each item, whose product is the score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.errors import DataError, message
from rankwise.rankers.histories import Histories
from rankwise.rankers.inputs import array_of, number_of

__all__ = ["Factors"]

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Factors:
    r"""The product of a user's and an item's factors, with biases.

    .. math:: \hat y_{ui} = \mu + b_u + b_i + \langle p_u, q_i \rangle

    The product and the item's bias are summed in single precision, factor after factor; the rest is added in double
    precision. To order the items of one user, :math:`\langle p_u, q_i \rangle + b_i` is enough.

    >>> model = Factors([[1.0], [2.0]], [[0.5], [-1.0]], item_biases=[0.0, 3.0])
    >>> model.scores(np.array([0, 1]))
    array([[0.5, 2. ],
           [1. , 1. ]])
    """

    kind: ClassVar[str] = "factors"

    users: Floats
    items: Floats
    user_biases: Floats | None = None
    item_biases: Floats | None = None
    mean: float = 0.0

    def __post_init__(self) -> None:
        users, items = _finite(self.users, 2, "users"), _finite(self.items, 2, "items")
        if users.shape[1] != items.shape[1]:
            raise DataError(message(f"users have {users.shape[1]} factors, and items {items.shape[1]}"))
        object.__setattr__(self, "users", users)
        object.__setattr__(self, "items", items)
        for side, rows in (("user", users), ("item", items)):
            given = getattr(self, f"{side}_biases")
            biases = np.zeros(len(rows), np.float32) if given is None else _finite(given, 1, f"{side} biases")
            if len(biases) != len(rows):
                raise DataError(message(f"there are {len(biases):,} {side} biases for {len(rows):,} {side}s"))
            object.__setattr__(self, f"{side}_biases", biases)
        if not np.isfinite(self.mean):
            raise DataError(message("the mean is not finite"))
        object.__setattr__(self, "mean", float(self.mean))

    @property
    def factors(self) -> int:
        return int(self.items.shape[1])

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
        """The `k` best of those items (None: all) for each user but those `left_out`, and their scores.

        −1 and NaN where there are fewer; of equal scores the item of the lower number.
        """
        rows, biases = (self.items, self._biases) if items is None else (self.items[items], self._biases[items])
        out = (left_out or Histories.none(len(users))).among(items, len(self.items))
        found, scores = _kernels.top_items(self.users[users], rows, biases, out.offsets, out.items, k, threads)
        if items is not None:
            found = np.where(found < 0, -1, items[found]).astype(np.int32)
        return found, scores + self._constants(users)

    def scores(
        self, users: Numbers, histories: Histories | None = None, threads: int | None = None
    ) -> npt.NDArray[np.float64]:
        """The score of each user for each item."""
        found = _kernels.all_scores(self.users[users], self.items, self._biases, threads)
        return found + self._constants(users)

    def pair_scores(
        self, users: Numbers, items: Numbers, histories: Histories | None = None, threads: int | None = None
    ) -> npt.NDArray[np.float64]:
        """The score of each of those users for the item beside it; the same bits as in `scores`."""
        of, with_items = users.astype(np.uint32), items.astype(np.uint32)
        found = _kernels.some_scores(self.users, self.items, self._biases, of, with_items, threads)
        return found + self._constants(users)[:, 0]

    def directions(self) -> Floats:
        """Each item's factors, of length 1: their products are cosines."""
        rows = self.items.astype(np.float64)
        lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
        found: Floats = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0).astype(np.float32)
        return found

    def similar(
        self, items: Numbers, k: int, threads: int | None = None
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """The `k` items whose factors point most nearly as those of each item do, and the cosines."""
        rows = self.directions()
        itself = Histories(np.arange(len(items) + 1), items.astype(np.uint32))
        none = np.zeros(len(rows), np.float32)
        found, scores = _kernels.top_items(rows[items], rows, none, itself.offsets, itself.items, k, threads)
        return found, scores.astype(np.float64)

    def text(self) -> str:
        parts = [f"{len(self.users):,} users × {len(self.items):,} items, {self.factors} factors"]
        for words, biases in (("users' biases", self._user_biases), ("items' biases", self._biases)):
            if biases.any():
                parts.append(f"{words} from {biases.min():.6g} to {biases.max():.6g}")
        return "\n".join([*parts, *([f"{self.mean:.6g} for every pair"] if self.mean else [])])

    def plain(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        arrays = {"users": self.users, "items": self.items}
        return {"mean": self.mean}, arrays | {"user_biases": self._user_biases, "item_biases": self._biases}

    @classmethod
    def of_plain(
        cls, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], users: int, items: int
    ) -> Self:
        return cls(
            _table(arrays, "users", users),
            _table(arrays, "items", items),
            array_of(arrays, "user_biases", np.float32, users),
            array_of(arrays, "item_biases", np.float32, items),
            number_of(header, "mean"),
        )

    @property
    def _biases(self) -> Floats:
        assert self.item_biases is not None
        return self.item_biases

    @property
    def _user_biases(self) -> Floats:
        assert self.user_biases is not None
        return self.user_biases

    def _constants(self, users: Numbers) -> npt.NDArray[np.float64]:
        """What all items have in common, for each user."""
        return (self.mean + self._user_biases[users].astype(np.float64))[:, np.newaxis]

    def __repr__(self) -> str:
        return f"Factors({self.factors} of {len(self.users):,} users and {len(self.items):,} items)"


def _finite(values: Any, dimensions: int, what: str) -> Floats:
    found = np.ascontiguousarray(values, np.float32)
    if found.ndim != dimensions:
        raise DataError(message(f"{what} must have {dimensions} dimensions, not {found.ndim}"))
    if not np.isfinite(found).all():
        raise DataError(message(f"{what}: row {int(np.nonzero(~np.isfinite(found))[0][0])} is not finite"))
    return found


def _table(arrays: Mapping[str, npt.NDArray[Any]], name: str, rows: int) -> Floats:
    found = arrays.get(name)
    if found is None or found.dtype != np.float32 or found.ndim != 2 or len(found) != rows:
        raise DataError(message(f"its array '{name}' is not a table of {rows:,} rows of 32-bit floats"))
    return found
