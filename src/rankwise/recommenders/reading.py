"""Interactions from a table: which column is which, and its rows as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise.data.formats import engine, tables
from rankwise.data.formats.column_names import chosen
from rankwise.data.ids import Ids
from rankwise.errors import DataError, message

__all__ = ["Columns", "columns"]

# What a column is → its names in MovieLens, recommenders, and logs of shops.
KNOWN: Mapping[str, tuple[str, ...]] = {
    "user": ("user_id", "userId", "userID", "user", "customer_id", "visitorid", "session_id"),
    "item": ("item_id", "itemId", "itemID", "item", "movieId", "product_id", "article_id"),
    "value": ("rating", "value", "count"),
    "time": ("timestamp", "time"),
    "weight": ("weight",),
}

Coded = tuple[list[str], npt.NDArray[np.int64]]


class Columns(NamedTuple):
    """Ids and the number of each row's; one number a row of the rest."""

    users: Coded
    items: Coded
    values: npt.NDArray[Any] | None
    times: npt.NDArray[Any] | None
    weights: npt.NDArray[Any] | None
    name: str
    first: int

    def place(self, at: int) -> str:
        return _place(self.name, at + self.first)


def columns(source: Any, names: Mapping[str, str | None], threads: int | None) -> Columns:
    """The columns of a table; users and items have to be there."""
    with engine.opened(source, threads=threads) as table:
        there = [*table.types]
        found = {
            what: chosen(what, names[what], there, table.place, wanted=what in ("user", "item"), known=KNOWN)
            for what in KNOWN
        }
        numbers = [name for what in ("value", "weight") if (name := found[what]) is not None]
        ids = {str(found[what]): "VARCHAR" for what in ("user", "item")}
        table.read_as(tables.as_numbers(table, numbers) | ids)
        users, items = (_coded(table, str(found[what]), what) for what in ("user", "item"))
        rest = [(what, name) for what in ("value", "time", "weight") if (name := found[what]) is not None]
        wanted = [tables.further(table, name, number=what != "time") for what, name in rest]
        arrays = table.columns(wanted).columns if wanted else []
        of = {what: _plain(array, table, name) for (what, name), array in zip(rest, arrays, strict=True)}
        return Columns(users, items, of.get("value"), of.get("time"), of.get("weight"), table.place, table.first)


def _coded(table: engine.Table, name: str, what: str) -> Coded:
    try:
        found = table.columns([(tables.identity(table, name, what), "query")])
    except DataError as error:
        # The kernel takes whatever gathers rows for queries.
        raise DataError(str(error).replace("there is no query id", f"there is no {what}")) from None
    if found.rows == 0 or found.offsets is None or found.queries is None:
        raise DataError(message("there are no rows", place=table.place))
    codes = np.repeat(np.arange(len(found.queries)), np.diff(found.offsets))
    if found.order is not None:
        placed = np.empty_like(codes)
        placed[found.order] = codes
        codes = placed
    names = list(Ids(found.text, found.queries))
    if "" in names:
        row = int((codes == names.index("")).argmax())
        raise DataError(message(f"there is no {what}", place=_place(table.place, row + table.first)))
    return names, codes


def _place(name: str, row: int) -> str:
    return f"{name}, row {row}" if name else f"row {row}"


def _plain(array: npt.NDArray[Any], table: engine.Table, name: str) -> npt.NDArray[Any]:
    if array.dtype == np.uint64:
        raise DataError(message(f"column '{name}' holds texts, where times are wanted", place=table.place))
    return array.view("datetime64[us]") if engine.kind(table.types[name]) == "time" else array
