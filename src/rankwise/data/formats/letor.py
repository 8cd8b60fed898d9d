"""LETOR (SVMlight) text: `label qid:ID 1:0.5 2:0 … # comment`, one document a line.

The format of the LETOR, MSLR, Istella and Yahoo! collections, of RankLib, SVMrank and XGBoost.
Feature indices start at 1 and rise within a line; a feature that a line leaves out has the value `missing`.
A comment `#docid = X …` names the document.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.data.dataset import Dataset
from rankwise.data.formats import scores
from rankwise.data.formats.files import PathLike, opened, writing
from rankwise.data.ids import Ids
from rankwise.errors import DataError, message

__all__ = ["read", "write"]

ROWS_AT_ONCE = 4096


def read(
    path: PathLike,
    *,
    group: Any = None,
    missing: float = 0.0,
    sort_features: bool = False,
    zero_based: bool = False,
    n_features: int | None = None,
    max_features: int = 100_000,
    threads: int | None = None,
) -> Dataset:
    """Reads a file, plain or gzip, into a dataset; `-` is standard input.

    The rows of a query need not be next to each other. For a file without query ids, `group` gives the size of each
    list, or the path of a file that holds one size a line, as LightGBM's `.query` files do.

    `missing` is the value of features that a line leaves out. `sort_features` accepts indices in any order,
    `zero_based` indices that start at 0. `n_features` sets the number of features, for files whose last features may
    all be missing; `max_features` is the largest index accepted without it.
    """
    for what, count in {"n_features": n_features, "max_features": max_features, "threads": threads}.items():
        if count is not None and count < 0:
            raise DataError(message(f"{what} must be a whole number from 0, not {count}"))
    text = opened(path)
    found = _kernels.read_letor(
        text,
        missing=missing,
        sort_features=sort_features,
        zero_based=zero_based,
        n_features=n_features,
        max_features=max_features,
        has_queries=group is None,
        threads=threads,
    )
    documents = None if found.documents is None else Ids(text, found.documents)
    if found.offsets is None or found.queries is None:
        return Dataset.of(found.features, found.labels, group=_sizes(group, len(found.labels)), documents=documents)
    features, labels, rows = found.features, found.labels, found.rows
    if rows is not None:
        features, labels = features[rows], labels[rows]
        documents = None if documents is None else documents[rows]
    return Dataset(
        features=features,
        labels=labels,
        offsets=found.offsets,
        queries=Ids(text, found.queries),
        documents=documents,
        rows=rows,
    )


def write(dataset: Dataset, path: PathLike) -> None:
    """Writes a dataset, in its own order of rows, packed if the name ends in `.gz`; `-` is standard output.

    Numbers are written with as few digits as read back to the same bits. A feature that is NaN is left out.
    The file appears under its name once it is complete.
    """
    _check_writable(dataset)
    with writing(path) as file:
        for start in range(0, len(dataset.labels), ROWS_AT_ONCE):
            lines = _lines(dataset, slice(start, start + ROWS_AT_ONCE))
            file.write("".join(lines).encode())


def _sizes(group: Any, rows: int) -> Any:
    """The size of each list, as given or from a file, which a refusal names."""
    if not isinstance(group, (str, os.PathLike)):
        return group
    sizes = scores.read(group)
    if sizes.sum() != rows:
        raise DataError(
            message(f"the sizes of lists sum to {sizes.sum():,g} for {rows:,} rows", place=os.fspath(group))
        )
    return sizes


def _check_writable(dataset: Dataset) -> None:
    unjudged = np.isnan(dataset.labels)
    if unjudged.any():
        raise DataError(message(f"row {int(unjudged.argmax())} has no label; the format cannot say so"))
    for kind, ids in (("query", dataset.queries), ("document", dataset.documents or ())):
        for name in ids:
            if any(blank in name for blank in " \t\r\n") or (kind == "query" and not name):
                raise DataError(message(f"the {kind} id {name!r} cannot be written: ids hold no blanks"))


def _lines(dataset: Dataset, rows: slice) -> Iterator[str]:
    labels = _shortest(dataset.labels[rows])
    first, last, _ = rows.indices(len(dataset.labels))
    lists = np.searchsorted(dataset.offsets, np.arange(first, last), side="right") - 1
    names = {q: dataset.queries[q] for q in np.unique(lists).tolist()}
    heads = (f"{label} qid:{names[q]}" for label, q in zip(labels, lists.tolist(), strict=True))
    features = _features(dataset, rows)
    comments = (
        [f" #docid = {name}" if name else "" for name in dataset.documents[rows]]
        if dataset.documents
        else [""] * len(labels)
    )
    return (f"{head}{values}{comment}\n" for head, values, comment in zip(heads, features, comments, strict=True))


def _features(dataset: Dataset, rows: slice) -> list[str]:
    """The features of each row as text."""
    if dataset.features is None:
        return [""] * len(dataset.labels[rows])
    table = dataset.features[rows]
    columns = [f" {index}:" for index in range(1, table.shape[1] + 1)]
    texts = np.array(_shortest(table.ravel()), dtype=object).reshape(table.shape).tolist()
    return [
        "".join([column + value for column, value in zip(columns, row, strict=True) if value != "nan"]) for row in texts
    ]


def _shortest(values: npt.NDArray[Any]) -> list[str]:
    """The shortest text of each number that reads back to the same bits of its own type."""
    return [text.removesuffix(".0") for text in values.astype(np.str_).tolist()]
