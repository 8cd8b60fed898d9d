"""What was learnt of users or items as plain arrays and as a Parquet file, for programs that search for neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankwise.data.formats.files import PathLike
from rankwise.errors import DataError, message
from rankwise.rankers.factors import Factors

if TYPE_CHECKING:
    from rankwise.recommenders.recommender import Recommender

__all__ = ["Rows", "rows_of"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rows:
    """The rows of users or of items.

    A score is the mean, the bias of both, and the product of their factors. To order the items of a user, the product
    of their rows in `products` is enough.

    >>> rows = Rows("item", np.array(["jam", "tea"]), np.float32([0.5, 1.0]), np.float32([[2, 3], [4, 5]]))
    >>> rows
    Rows(2 items, 2 factors)
    >>> rows.products.tolist()
    [[2.0, 3.0, 0.5], [4.0, 5.0, 1.0]]
    """

    what: str
    """'user' or 'item'."""
    ids: npt.NDArray[np.str_]
    biases: npt.NDArray[np.float32]
    factors: npt.NDArray[np.float32]

    @property
    def products(self) -> npt.NDArray[np.float32]:
        """The factors with one more column: of items their biases, of users 1, which takes them up."""
        last = self.biases if self.what == "item" else np.ones_like(self.biases)
        return np.column_stack([self.factors, last])

    def table(self) -> dict[str, npt.NDArray[Any]]:
        """Columns: the id (`user` or `item`), `bias`, `factor_1`, `factor_2`, …"""
        columns = {f"factor_{at}": column for at, column in enumerate(self.factors.T, 1)}
        return {self.what: self.ids, "bias": self.biases, **columns}

    def write_parquet(self, path: PathLike) -> None:
        """The table as a Parquet file, which appears under its name once it is complete."""
        from rankwise.data.formats import engine

        engine.write_parquet(self.table(), path)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Rows({len(self):,} {self.what}{'s' * (len(self) != 1)}, {self.factors.shape[1]} factors)"


def rows_of(recommender: Recommender, of: str) -> Rows:
    """The rows of 'users' or 'items'."""
    model = recommender.model
    if of not in ("users", "items"):
        raise DataError(message(f"there are no factors of {of!r}", hint="choose one of users, items."))
    if not isinstance(model, Factors):
        what = f"a model of the kind '{model.kind}' has no factors"
        raise DataError(message(what, hint="bpr, warp-mf and svd learn factors."))
    biases = model.user_biases if of == "users" else model.item_biases
    ids = np.array(list(getattr(recommender, of)), np.str_)
    return Rows(of.removesuffix("s"), ids, np.array(biases), np.array(getattr(model, of)))
