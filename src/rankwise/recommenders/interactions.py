"""Interactions: which users had to do with which items, how much, and when.

Users and items are numbered in an order of their own, that of their ids (whole numbers by size, texts by text), and the
interactions stand by user and item: whatever the order of the rows given, a learner sees the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.data.ids import Ids
from rankwise.errors import DataError, message

__all__ = ["DUPLICATES", "Interactions", "Names", "as_interactions"]

# What becomes of several rows of one user and one item.
DUPLICATES = ("error", "sum", "mean", "max", "last")

Codes = npt.NDArray[np.int64]
Values = npt.NDArray[np.float32]


class Names:
    """Ids and their numbers.

    >>> names = Names.of(["10", "9", "b"])
    >>> names.number("9"), list(names), len(names)
    (1, ['10', '9', 'b'], 3)
    """

    def __init__(self, ids: Ids) -> None:
        self.ids = ids

    @classmethod
    def of(cls, ids: Iterable[object]) -> Self:
        return cls(ids if isinstance(ids, Ids) else Ids.of(ids))

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Any:
        return iter(self.ids)

    def __getitem__(self, number: int) -> str:
        return self.ids[number]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.ids)}

    def number(self, name: object) -> int | None:
        """The number of an id; None if there is no such."""
        return self._numbers.get(str(name))

    def numbers(self, names: Iterable[object]) -> Codes:
        """The number of each id, −1 where there is none."""
        known = self._numbers
        return np.array([known.get(str(name), -1) for name in names], np.int64)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Interactions:
    """Users with items: the items of user u are `item[offsets[u]:offsets[u + 1]]`, ascending, each once.

    >>> seen = Interactions.of(["ann", "bob", "ann"], ["tea", "tea", "jam"], [5, 3, 4])
    >>> seen
    Interactions(2 users, 2 items, 3 interactions)
    >>> list(seen.users), list(seen.items), seen.offsets, seen.item.tolist(), seen.values.tolist()
    (['ann', 'bob'], ['jam', 'tea'], array([0, 2, 3]), [0, 1, 1], [4.0, 5.0, 3.0])
    """

    users: Names
    items: Names
    offsets: npt.NDArray[np.int64]
    item: npt.NDArray[np.uint32]
    values: Values
    """Ratings, counts, or 1; above 0 is liked, the rest was turned down."""
    times: npt.NDArray[np.int64] | npt.NDArray[np.float64] | None = None
    weights: Values | None = None
    """How much each interaction counts."""

    @classmethod
    def of(
        cls,
        users: Any,
        items: Any,
        values: Any = None,
        *,
        times: Any = None,
        weights: Any = None,
        duplicates: str | None = None,
    ) -> Interactions:
        """Interactions of columns, one row an event.

        Without `values` each row counts 1. `duplicates` says what becomes of several rows of one user and one item:
        'sum', 'mean', 'max', 'last' (by `times`, else by row), or 'error'. Without it, rows without values are counted,
        and rows with values are refused. The time and the weight kept are those of the last; 'sum' adds weights.
        """
        of_users, user_names = _coded(users, "user")
        of_items, item_names = _coded(items, "item")
        rows = len(of_users)
        if len(of_items) != rows:
            raise DataError(message(f"there are {len(of_items):,} items for {rows:,} users"))
        return cls._of_codes(
            user_names,
            item_names,
            of_users,
            of_items,
            None if values is None else _column(values, "value", rows),
            None if times is None else _times(times, rows),
            None if weights is None else _weights(weights, rows),
            duplicates,
        )

    @classmethod
    def of_matrix(cls, matrix: Any, *, users: Any = None, items: Any = None) -> Interactions:
        """Interactions of a SciPy sparse matrix, users × items, its stored entries.

        Without names, users and items are called 0, 1, …. Entries that are stored twice are added up, as SciPy has it;
        rows and columns without entries are users and items of which nothing is known.

        >>> from scipy.sparse import csr_array
        >>> Interactions.of_matrix(csr_array([[0, 2], [1, 0]]), users=["ann", "bob"])
        Interactions(2 users, 2 items, 2 interactions)
        """
        if not hasattr(matrix, "tocoo"):
            what = f"a sparse matrix is wanted, not {type(matrix).__name__}"
            raise DataError(message(what, hint="scipy.sparse.csr_array(matrix) makes one."))
        found = matrix.tocoo()
        row, column = (np.asarray(part, np.int64) for part in (found.row, found.col))
        names = [
            _names(given, size, what) for given, size, what in zip((users, items), found.shape, _SIDES, strict=True)
        ]
        values = _column(found.data, "value", len(row), lambda at: f"row {row[at]}, column {column[at]}")
        return cls._of_codes(names[0], names[1], row, column, values, None, None, "sum")

    @classmethod
    def of_dataset(cls, data: Dataset) -> Interactions:
        """Interactions of lists: a list is a user, its documents are items, labels are values.

        So collections read them (`rankwise.collections.movielens`); a column `timestamp` says when.
        """
        if data.documents is None:
            raise DataError(message("these lists do not say which item a row is", hint="read them with document ids."))
        rows = np.repeat(np.arange(len(data)), np.diff(data.offsets))
        users, user_names = _sorted(list(data.queries), rows)
        items, item_names = _coded(data.documents, "item")
        times = data.columns.get("timestamp")
        stamps = None if times is None or isinstance(times, Ids) else _times(times, len(rows))
        values = _column(data.labels, "value", len(rows))
        return cls._of_codes(user_names, item_names, users, items, values, stamps, None, None)

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        user: str | None = None,
        item: str | None = None,
        value: str | None = None,
        time: str | None = None,
        weight: str | None = None,
        duplicates: str | None = None,
        threads: int | None = None,
    ) -> Interactions:
        """Interactions of a table: CSV, Parquet, or any frame with Arrow's interface, one row an event.

        The arguments name columns; without, names that recommenders and MovieLens use are understood.

        >>> Interactions.read({"userId": [1, 1, 2], "movieId": [10, 20, 10], "rating": [4.0, 2.5, 5.0]})
        Interactions(2 users, 2 items, 3 interactions)
        """
        from rankwise.recommenders import reading

        names = {"user": user, "item": item, "value": value, "time": time, "weight": weight}
        found = reading.columns(source, names, threads)
        users, user_names = _sorted(*found.users)
        items, item_names = _sorted(*found.items)
        rows = len(users)
        place = found.place
        return cls._of_codes(
            user_names,
            item_names,
            users,
            items,
            None if found.values is None else _column(found.values, "value", rows, place),
            None if found.times is None else _times(found.times, rows, place),
            None if found.weights is None else _weights(found.weights, rows, place),
            duplicates,
        )

    @classmethod
    def _of_codes(
        cls,
        users: Names,
        items: Names,
        of_users: Codes,
        of_items: Codes,
        values: Values | None,
        times: Any,
        weights: Values | None,
        duplicates: str | None,
    ) -> Interactions:
        if not len(of_users):
            raise DataError(message("there are no interactions"))
        how = duplicates or ("sum" if values is None else "error")
        if how not in DUPLICATES:
            raise DataError(message(f"duplicates is {how!r}", hint=f"choose one of {', '.join(DUPLICATES)}."))
        key = of_users * len(items) + of_items
        order = np.argsort(key, kind="stable") if times is None else np.lexsort((times, key))
        key = key[order]
        first = np.concatenate(([True], key[1:] != key[:-1]))
        if values is None:
            values = np.ones(len(key), np.float32)
        if first.all():
            last = order
            kept, kept_weights = values[order], None if weights is None else weights[order]
        else:
            if how == "error":
                raise _twice(users, items, key, first)
            starts = np.flatnonzero(first)
            last = order[np.append(starts[1:], len(key)) - 1]
            kept = _merged(values[order], starts, how, values[last])
            kept_weights = weights
            if weights is not None:
                kept_weights = _merged(weights[order], starts, "sum" if how == "sum" else "last", weights[last])
        found = key[first]
        counts = np.bincount(found // len(items), minlength=len(users))
        return cls(
            users=users,
            items=items,
            offsets=np.concatenate(([0], np.cumsum(counts))),
            item=(found % len(items)).astype(np.uint32),
            values=kept,
            times=None if times is None else times[last],
            weights=kept_weights,
        )

    def __len__(self) -> int:
        """The number of interactions."""
        return len(self.item)

    @property
    def user(self) -> npt.NDArray[np.int64]:
        """The user of each interaction."""
        return np.repeat(np.arange(len(self.users)), np.diff(self.offsets))

    def where(self, mask: npt.NDArray[np.bool_]) -> Interactions:
        """Some of the interactions; users and items keep their numbers, whether or not anything is left of them."""
        counts = np.bincount(self.user[mask], minlength=len(self.users))
        return replace(
            self,
            offsets=np.concatenate(([0], np.cumsum(counts))),
            item=self.item[mask],
            values=self.values[mask],
            times=None if self.times is None else self.times[mask],
            weights=None if self.weights is None else self.weights[mask],
        )

    def implicit(self, at_least: float = 0.0, *, below: str = "drop") -> Interactions:
        """What was liked: 1 for values of at least that much.

        Of what is below, nothing is kept (below='drop'), or it becomes 0, turned down (below='negative').

        >>> Interactions.of([1, 1, 2], [7, 8, 7], [5, 2, 4]).implicit(4)
        Interactions(2 users, 2 items, 2 interactions)
        """
        if below not in ("drop", "negative"):
            raise DataError(message(f"below is {below!r}", hint="choose one of drop, negative."))
        liked = self.values >= at_least
        if not liked.any():
            what = f"no value is {at_least:g} or more; the highest is {self.values.max(initial=-np.inf):g}"
            raise DataError(message(what))
        if below == "drop":
            kept = self.where(liked)
            return replace(kept, values=np.ones(len(kept), np.float32))
        return replace(self, values=liked.astype(np.float32))

    def known_to(self, training: Interactions) -> Interactions:
        """Those of users and items that have interactions in the other ones too; a number alone is not enough."""
        users = _are_in(self.users, training.users, np.unique(training.user))
        items = _are_in(self.items, training.items, np.unique(training.item))
        return self.where(users[self.user] & items[self.item])

    def of_users(self, users: Iterable[object]) -> Interactions:
        """Those of some users, by their ids."""
        names = list(users)
        numbers = self.users.numbers(names)
        if (numbers < 0).any():
            raise DataError(message(f"there is no user '{names[int((numbers < 0).argmax())]}'"))
        return self.where(np.isin(self.user, numbers))

    def matrix(self) -> Any:
        """A SciPy sparse array, users × items."""
        from scipy.sparse import csr_array

        return csr_array((self.values, self.item.astype(np.int64), self.offsets), (len(self.users), len(self.items)))

    def __repr__(self) -> str:
        parts = [(len(self.users), "user"), (len(self.items), "item"), (len(self), "interaction")]
        return f"Interactions({', '.join(f'{n:,} {noun}' + 's' * (n != 1) for n, noun in parts)})"


def as_interactions(given: Any) -> Interactions:
    """Interactions as they are, or of a sparse matrix, lists, or a table."""
    if isinstance(given, Interactions):
        return given
    if isinstance(given, Dataset):
        return Interactions.of_dataset(given)
    if hasattr(given, "tocoo"):
        return Interactions.of_matrix(given)
    return Interactions.read(given)


_SIDES = ("users", "items")


def _are_in(names: Names, others: Names, there: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which names are among those of the others that are there; what has none is numbered −1."""
    return np.isin(others.numbers(names), there)


def _merged(values: Values, starts: npt.NDArray[np.int64], how: str, last: Values) -> Values:
    if how == "last":
        return last
    if how == "max":
        return np.maximum.reduceat(values, starts)
    sums = np.add.reduceat(values, starts, dtype=np.float64)
    if how == "mean":
        sums /= np.diff(np.append(starts, len(values)))
    return sums.astype(np.float32)


def _twice(users: Names, items: Names, key: Codes, first: npt.NDArray[np.bool_]) -> DataError:
    pair = int(key[int((~first).argmax())])
    times = int((key == pair).sum())
    what = f"user '{users[pair // len(items)]}' has item '{items[pair % len(items)]}' {times} times, with values"
    hint = "say what becomes of them: duplicates='last', 'mean', 'max' or 'sum'."
    return DataError(message(what, hint=hint))


def _coded(ids: Any, what: str) -> tuple[Codes, Names]:
    """The number of each row's id, and the ids."""
    if isinstance(ids, Ids):
        return _texts(list(ids))
    array = np.asarray(ids)
    if array.ndim != 1:
        raise DataError(message(f"{what}s must have 1 dimension, not {array.ndim}"))
    if array.dtype.kind in "iub":
        distinct, codes = np.unique(array, return_inverse=True)
        return codes.astype(np.int64), Names.of(distinct.tolist())
    # NaN is the one value that differs from itself.
    absent = [row for row, value in enumerate(array.tolist()) if value is None or value == "" or value != value]
    if absent:
        raise DataError(message(f"row {absent[0]} has no {what}"))
    if array.dtype.kind == "f" and (array == np.trunc(array)).all() and (np.abs(array) < 2**53).all():
        return _coded(array.astype(np.int64), what)
    return _texts([str(value) for value in array.tolist()])


def _texts(texts: list[str]) -> tuple[Codes, Names]:
    numbers: dict[str, int] = {}
    codes = np.fromiter((numbers.setdefault(text, len(numbers)) for text in texts), np.int64, len(texts))
    return _sorted(list(numbers), codes)


def _sorted(names: list[str], codes: Codes) -> tuple[Codes, Names]:
    """Names in the order of ids, and the codes that go with it."""
    numeric = all(name.isascii() and name.isdigit() and (name == "0" or name[0] != "0") for name in names)
    order = sorted(range(len(names)), key=(lambda at: int(names[at])) if numeric else names.__getitem__)
    place = np.empty(len(names), np.int64)
    place[order] = np.arange(len(names))
    return place[codes], Names.of(names[at] for at in order)


def _names(given: Any, size: int, what: str) -> Names:
    if given is None:
        return Names.of(range(size))
    names = Names.of(given)
    if len(names) != size:
        raise DataError(message(f"there are {len(names):,} names for {size:,} {what}"))
    if len(set(names)) < size:
        raise DataError(message(f"two {what} have one name"))
    return names


Place = Callable[[int], str]


def _row(at: int) -> str:
    return f"row {at}"


def _column(values: Any, what: str, rows: int, place: Place = _row) -> Values:
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(message(f"{what}s must be numbers ({error})")) from None
    if array.shape != (rows,):
        raise DataError(message(f"there are {array.size:,} {what}s for {rows:,} interactions"))
    with np.errstate(over="ignore"):
        found = array.astype(np.float32)
    if not np.isfinite(found).all():
        at = int((~np.isfinite(found)).argmax())
        hint = "leave the row out, or give the event without values."
        raise DataError(message(f"the {what} is {array[at]:g}; it must be finite", place=place(at), hint=hint))
    return found


def _weights(values: Any, rows: int, place: Place = _row) -> Values:
    found = _column(values, "weight", rows, place)
    if (found < 0).any():
        at = int((found < 0).argmax())
        raise DataError(message(f"the weight is {found[at]:g}; weights are not negative", place=place(at)))
    return found


def _times(times: Any, rows: int, place: Place = _row) -> Any:
    array = np.asarray(times)
    if array.shape != (rows,):
        raise DataError(message(f"there are {array.size:,} times for {rows:,} interactions"))
    if array.dtype.kind == "M":
        absent = np.isnat(array)
        array = array.astype("datetime64[us]").astype(np.int64)
    elif array.dtype.kind in "iub":
        absent = np.zeros(rows, np.bool_)
        array = array.astype(np.int64)
    elif array.dtype.kind == "f":
        absent = ~np.isfinite(array)
        array = array.astype(np.float64)
    else:
        raise DataError(message(f"times must be numbers or dates, not {array.dtype}"))
    if absent.any():
        raise DataError(message("there is no time", place=place(int(absent.argmax()))))
    return array
