"""Rows of a list that say the same as an earlier one, and columns that are one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.data.ids import Ids

__all__ = ["contradictions", "document_repeats", "equal_columns", "list_of_row", "repeats", "twins"]

Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]
# Rows whose bits are widened at once.
_AT_ONCE = 1 << 14


def list_of_row(offsets: npt.NDArray[np.int64]) -> Rows:
    """The number of each row's list.

    >>> list_of_row(np.array([0, 2, 3])).tolist()
    [0, 0, 1]
    """
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def repeats(data: Dataset) -> Mask:
    """Which rows repeat an earlier row of their list in all that is known: document, label, features, columns.

    >>> repeats(Dataset.of([[1], [1], [1], [2]], [0, 0, 1, 0], group=[4])).tolist()
    [False, True, False, False]
    """
    if not _is_described(data) and data.documents is None:
        return np.zeros(len(data.labels), np.bool_)
    places = [] if data.positions is None else [data.positions]
    return _is_later(data.offsets, [*_said(data), *places, *_documents(data)])


def twins(data: Dataset) -> Mask:
    """Which rows say the same as an earlier row of their list, and are another document by their id."""
    if not _is_described(data) or data.documents is None:
        return np.zeros(len(data.labels), np.bool_)
    return _is_later(data.offsets, _said(data)) & ~repeats(data)


def document_repeats(data: Dataset) -> Mask:
    """Which rows name a document that an earlier row of their list names; an empty id names none.

    >>> document_repeats(Dataset.of(labels=[1, 0, 1], group=[2, 1], documents=["a", "a", "a"])).tolist()
    [False, True, False]
    """
    if data.documents is None:
        return np.zeros(len(data.labels), np.bool_)
    named = (data.documents.spans & np.uint64(0xFFFF)) > 0
    return _is_later(data.offsets, _documents(data)) & named


def contradictions(data: Dataset) -> Mask:
    """Which rows have the features of an earlier row of their list, and a label that none of those has.

    >>> contradictions(Dataset.of([[1], [1], [1], [2]], [0, 0, 1, 0], group=[4])).tolist()
    [False, False, True, False]
    """
    if data.features is None:
        return np.zeros(len(data.labels), np.bool_)
    return _is_later(data.offsets, [data.features]) & ~_is_later(data.offsets, [data.labels, data.features])


def equal_columns(table: npt.NDArray[np.float32]) -> list[tuple[int, int]]:
    """Pairs of columns that are equal in every row: each with the first that it equals.

    >>> equal_columns(np.array([[1, 2, 1], [3, 4, 3]], np.float32))
    [(2, 0)]
    """
    hashes = np.zeros(table.shape[1], np.uint64)
    weights = _weights(len(table))
    for start in range(0, len(table), _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        hashes += weights[rows] @ _bits(table[rows]).astype(np.uint64)
    first = _first_of(hashes)
    later = np.flatnonzero(first != np.arange(len(first)))
    return [(int(c), int(first[c])) for c in later if np.array_equal(_bits(table[:, c]), _bits(table[:, first[c]]))]


def _said(data: Dataset) -> list[npt.NDArray[Any]]:
    """What a row says of its document, but for the id and where it was shown."""
    matrix = [] if data.features is None else [data.features]
    further = [_numbered(column) if isinstance(column, Ids) else column for column in data.columns.values()]
    return [data.labels, *matrix, *further]


def _is_described(data: Dataset) -> bool:
    """Whether a row says more than its label."""
    return data.features is not None or bool(data.columns)


def _documents(data: Dataset) -> list[npt.NDArray[Any]]:
    return [] if data.documents is None else [_numbered(data.documents)]


def _numbered(ids: Ids) -> npt.NDArray[np.uint64]:
    """Equal ids as equal numbers."""
    known: dict[str, int] = {}
    return np.fromiter((known.setdefault(name, len(known)) for name in ids), np.uint64, len(ids))


def _bits(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Numbers as whole ones that are equal where the numbers are, and where both are NaN."""
    if values.dtype.kind != "f":
        return values.view(np.int64) if values.dtype.kind in "mM" else values
    # −0 + 0 is 0.
    plain: npt.NDArray[Any] = values + values.dtype.type(0)
    absent = np.isnan(plain)
    if absent.any():
        plain[absent] = np.nan
    return plain.view(np.uint32 if values.dtype.itemsize == 4 else np.uint64)


def _is_later(offsets: npt.NDArray[np.int64], columns: Sequence[npt.NDArray[Any]]) -> Mask:
    """Which rows equal an earlier row of their list in all columns."""
    lists = list_of_row(offsets)
    hashes = _hashed(lists.astype(np.uint64).reshape(-1, 1))
    for at, column in enumerate(columns, 1):
        hashes += _hashed(column.reshape(len(lists), -1)) * np.uint64(2 * at + 1)
    first = _first_of(hashes)
    later: Mask = first != np.arange(len(first))
    # Equal hashes of rows that differ would need 2^32 rows to be likely; what is called equal has been compared.
    rows, earlier = np.flatnonzero(later), first[later]
    same = lists[rows] == lists[earlier]
    for column in columns:
        equal = _bits(column[rows]) == _bits(column[earlier])
        same &= equal if equal.ndim == 1 else equal.all(axis=1)
    later[rows] = same
    return later


def _hashed(table: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """One number a row."""
    weights = _weights(table.shape[1])
    starts = range(0, len(table), _AT_ONCE)
    parts = [_bits(table[start : start + _AT_ONCE]).astype(np.uint64) @ weights for start in starts]
    # The low bits of a product know nothing of the high bits of its factors.
    whole = np.concatenate(parts) if parts else np.zeros(0, np.uint64)
    mixed: npt.NDArray[np.uint64] = (whole ^ (whole >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return mixed


def _weights(count: int) -> npt.NDArray[np.uint64]:
    """Odd numbers without a pattern, always the same."""
    drawn = np.random.default_rng(0).integers(0, 2**64, count, np.uint64)
    odd: npt.NDArray[np.uint64] = drawn | np.uint64(1)
    return odd


def _first_of(hashes: npt.NDArray[np.uint64]) -> Rows:
    """The place at which each number first stands."""
    order = np.argsort(hashes, kind="stable")
    ranked = hashes[order]
    starts = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1])))
    first = np.empty_like(order)
    first[order] = np.repeat(order[starts], np.diff(starts, append=len(order)))
    return first
