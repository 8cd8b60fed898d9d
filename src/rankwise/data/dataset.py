"""A dataset is lists: rows of documents with features and labels, the rows of one query next to each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rankwise.data.ids import Ids
from rankwise.errors import DataError, message

__all__ = ["Dataset", "weights_of_documents", "weights_of_lists"]

Labels = npt.NDArray[np.int32] | npt.NDArray[np.float32] | npt.NDArray[np.float64]
Values = TypeVar("Values", bound=np.generic)

LABEL_TYPES = (np.int32, np.float32, np.float64)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Dataset:
    """Lists of documents, their features and labels.

    Rows `offsets[q]` to `offsets[q + 1]` belong to list `q`. Rows that a caller gave in another order were grouped,
    without changing their order within a list; `rows` then says which of the caller's rows stands at each place.

    >>> data = Dataset.of([[0.5], [0.1], [0.9]], [1, 0, 2], qid=["b", "a", "b"])
    >>> data
    Dataset(2 lists, 3 rows, 1 feature; labels 0: 1, 1: 1, 2: 1)
    >>> list(data.queries), data.labels, data.offsets
    (['b', 'a'], array([1., 2., 0.]), array([0, 2, 3]))
    >>> data.in_callers_order(data.labels)
    array([1., 0., 2.])
    """

    features: npt.NDArray[np.float32] | None
    """One row a document, C-contiguous; NaN where a feature is missing."""
    labels: Labels
    """One a row; NaN where the document is unjudged."""
    offsets: npt.NDArray[np.int64]
    queries: Ids
    documents: Ids | None = None
    weights: npt.NDArray[np.float64] | None = None
    """One a list."""
    document_weights: npt.NDArray[np.float64] | None = None
    """One a row."""
    positions: npt.NDArray[np.int64] | None = None
    """Where each document was shown, counted from 1, for data from clicks."""
    rows: npt.NDArray[np.int64] | None = None
    feature_names: tuple[str, ...] | None = None
    """One a column of `features`."""
    columns: Mapping[str, npt.NDArray[Any] | Ids] = field(default_factory=dict)
    """Further columns of a table, by name: one value a row, in this dataset's order."""
    skipped_lines: int = 0
    """How many lines of a file were left out because they could not be read."""

    @classmethod
    def of(
        cls,
        features: Any = None,
        labels: Any = None,
        *,
        qid: Any = None,
        group: Any = None,
        documents: Any = None,
        weights: Any = None,
        document_weights: Any = None,
        positions: Any = None,
        feature_names: Iterable[str] | None = None,
    ) -> Dataset:
        """A dataset from arrays, lists or frames, its rows in any order.

        Give either `qid`, the query id of each row, or `group`, the size of each list where rows are grouped already.
        Lists stand in the order in which their queries first appear; `weights` follow that order, or are
        {query: weight}. `document_weights` are one a row. Lists given by `group` are called 1, 2, ….
        """
        values = _labels(labels)
        table = None if features is None else _features(features, len(values))
        offsets, queries, rows = _lists(qid, group, len(values))
        places = None if positions is None else _positions(positions, len(values))
        names = None if documents is None else _documents(documents, len(values))
        of_documents = None if document_weights is None else weights_of_documents(document_weights, len(values))
        if rows is not None:
            values = values[rows]
            table = None if table is None else table[rows]
            places = None if places is None else places[rows]
            names = None if names is None else names[rows]
            of_documents = None if of_documents is None else of_documents[rows]
        return cls(
            features=table,
            labels=values,
            offsets=offsets,
            queries=queries,
            documents=names,
            weights=None if weights is None else weights_of_lists(weights, queries),
            document_weights=of_documents,
            positions=places,
            rows=rows,
            feature_names=None if feature_names is None else _feature_names(feature_names, table),
        )

    def feature(self, name: str) -> npt.NDArray[np.float32]:
        """The feature of that name, one value a row.

        >>> Dataset.of([[3, 80], [4, 120]], [0, 1], group=[2], feature_names=["stars", "price"]).feature("price")
        array([ 80., 120.], dtype=float32)
        """
        if self.features is None or self.feature_names is None:
            hint = "name the columns with `Dataset.of(…, feature_names=…)`."
            raise DataError(message(f"there is no feature '{name}': these features have no names", hint=hint))
        if name not in self.feature_names:
            raise DataError(
                message(f"there is no feature '{name}'", hint=f"there are {', '.join(self.feature_names)}.")
            )
        return self.features[:, self.feature_names.index(name)]

    def in_callers_order(self, values: npt.NDArray[Values]) -> npt.NDArray[Values]:
        """Results of rows, put back into the order in which the caller gave the rows."""
        values = self._one_a_row(values)
        if self.rows is None:
            return values
        out = np.empty_like(values)
        out[self.rows] = values
        return out

    def reorder(self, values: npt.NDArray[Values]) -> npt.NDArray[Values]:
        """Values in the caller's order of rows, such as scores, put into the order of this dataset."""
        values = self._one_a_row(values)
        return values if self.rows is None else values[self.rows]

    def take(self, lists: Any) -> Dataset:
        """Some of the lists, in the order in which they are named.

        >>> list(Dataset.of(labels=[1, 0, 2], qid=["a", "b", "c"]).take([2, 0]).queries)
        ['c', 'a']
        """
        chosen = _chosen(lists, len(self))
        sizes = np.diff(self.offsets)[chosen]
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        rows = np.repeat(self.offsets[chosen] - offsets[:-1], sizes) + np.arange(offsets[-1])
        return self._at(chosen, rows, offsets)

    def _at(
        self, chosen: npt.NDArray[np.int64], rows: npt.NDArray[np.int64], offsets: npt.NDArray[np.int64]
    ) -> Dataset:
        """Those lists, of those rows of this dataset."""
        return replace(
            self,
            features=None if self.features is None else self.features[rows],
            labels=self.labels[rows],
            offsets=offsets,
            queries=self.queries[chosen],
            documents=None if self.documents is None else self.documents[rows],
            weights=None if self.weights is None else self.weights[chosen],
            document_weights=None if self.document_weights is None else self.document_weights[rows],
            positions=None if self.positions is None else self.positions[rows],
            columns={name: values[rows] for name, values in self.columns.items()},
            rows=None,
        )

    def in_canonical_order(self, *, rows_too: bool) -> Dataset:
        """The same lists in an order of their own, whatever order they were given in: that of their ids.

        `rows_too`: the rows of a list by what they hold (document id, label, features), else as they stand.

        >>> list(Dataset.of(labels=[1, 0, 2], qid=["b", "c", "a"]).in_canonical_order(rows_too=False).queries)
        ['a', 'b', 'c']
        """
        names = list(self.queries)
        chosen = np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
        sizes = np.diff(self.offsets)[chosen]
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        rows = np.repeat(self.offsets[chosen] - offsets[:-1], sizes) + np.arange(offsets[-1])
        if rows_too:
            list_of_row = np.repeat(np.arange(len(self)), sizes)
            ids = () if self.documents is None else (_ranks(list(self.documents))[rows],)
            rows = rows[np.lexsort((_contents(self)[rows], *ids, list_of_row))]
        if (rows[1:] > rows[:-1]).all():
            return replace(self, rows=None)
        return self._at(chosen, rows, offsets)

    @classmethod
    def join(cls, parts: Iterable[Dataset]) -> Dataset:
        """The lists of several datasets, one after the other; no query may be in two of them.

        What only some of them have, such as document ids or weights, is refused.

        >>> one, two = Dataset.of(labels=[1, 0], qid=["a", "a"]), Dataset.of(labels=[2], qid=["b"])
        >>> Dataset.join([one, two])
        Dataset(2 lists, 3 rows; labels 0: 1, 1: 1, 2: 1)
        """
        return _joined(list(parts))

    def __len__(self) -> int:
        """The number of lists."""
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        parts = [_count(len(self), "list"), _count(len(self.labels), "row")]
        if self.features is not None:
            parts.append(_count(self.features.shape[1], "feature"))
        return f"Dataset({', '.join(parts)}; {_histogram(self.labels)})"

    def _one_a_row(self, values: npt.NDArray[Values]) -> npt.NDArray[Values]:
        values = np.asarray(values)
        if values.ndim == 0 or len(values) != len(self.labels):
            raise _lengths("values", len(values) if values.ndim else 0, len(self.labels))
        return values


def _ranks(texts: list[str]) -> npt.NDArray[np.int64]:
    """Where each text stands among the distinct ones, in their order."""
    places = {text: place for place, text in enumerate(sorted(set(texts)))}
    return np.array([places[text] for text in texts], np.int64)


def _contents(data: Dataset) -> npt.NDArray[np.uint64]:
    """A number made of all that a row holds, which hardly any two different rows share."""
    columns = [data.labels, data.document_weights, data.positions]
    parts = [np.asarray(column, np.float64).reshape(-1, 1) for column in columns if column is not None]
    found = _mixed(np.hstack(parts).view(np.uint32), 0)
    if data.features is not None:
        # Zeros of both signs are one value, and so are all NaN.
        for start in range(0, len(found), 4096):
            block = data.features[start : start + 4096] + np.float32(0)
            block[np.isnan(block)] = np.nan
            found[start : start + 4096] += _mixed(block.view(np.uint32), 64)
    return found


def _mixed(words: npt.NDArray[np.uint32], first: int) -> npt.NDArray[np.uint64]:
    """A weighted sum of the words of each row, modulo 2⁶⁴; the odd weights are those of SplitMix64."""
    seeds = (np.arange(first, first + words.shape[1], dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        seeds = (seeds ^ (seeds >> np.uint64(shift))) * np.uint64(factor)
    weights = (seeds ^ (seeds >> np.uint64(31))) | np.uint64(1)
    found: npt.NDArray[np.uint64] = (words.astype(np.uint64) * weights).sum(axis=1, dtype=np.uint64)
    return found


def _chosen(lists: Any, count: int) -> npt.NDArray[np.int64]:
    """Numbers of lists, each once."""
    chosen = np.asarray(lists)
    if chosen.dtype == np.bool_:
        hint = "name lists by their numbers: `np.flatnonzero(mask)`."
        raise DataError(message("lists are chosen by numbers, not by a mask", hint=hint))
    chosen = _whole_numbers(chosen, "numbers of lists")
    if len(chosen) == 0:
        raise DataError(message("no list is chosen; a dataset has one at least"))
    if chosen.min() < 0 or chosen.max() >= count:
        wrong = int(chosen[(chosen < 0) | (chosen >= count)][0])
        raise DataError(message(f"there is no list {wrong}; {_count(count, 'list')} count from 0"))
    if len(np.unique(chosen)) < len(chosen):
        raise DataError(message("a list is chosen twice"))
    return chosen


def _joined(parts: list[Dataset]) -> Dataset:
    if not parts:
        raise DataError(message("there are no datasets to join"))
    queries = Ids.of(name for part in parts for name in part.queries)
    name, times = Counter(queries).most_common(1)[0]
    if times > 1:
        raise DataError(message(f"query '{name}' is in {times} of the datasets to join"))
    if len({part.feature_names for part in parts}) > 1:
        raise DataError(message("datasets to join have features of different names"))
    if len({frozenset(part.columns) for part in parts}) > 1:
        raise DataError(message("datasets to join have different further columns"))
    widths = sorted({part.features.shape[1] for part in parts if part.features is not None})
    if len(widths) > 1:
        hint = "read the files with the same `n_features=`."
        raise DataError(message(f"datasets to join have {widths[0]} and {widths[1]} features", hint=hint))
    documents = _of_all(parts, "documents")
    ends = np.cumsum([len(part.labels) for part in parts])
    starts = ends - [len(part.labels) for part in parts]
    offsets = [part.offsets[:-1] + start for part, start in zip(parts, starts, strict=True)]
    return Dataset(
        features=_stacked(parts, "features"),
        labels=np.concatenate([part.labels for part in parts]),
        offsets=np.concatenate([*offsets, ends[-1:]]),
        queries=queries,
        documents=None if documents is None else Ids.of(name for names in documents for name in names),
        weights=_stacked(parts, "weights"),
        document_weights=_stacked(parts, "document_weights"),
        positions=_stacked(parts, "positions"),
        feature_names=parts[0].feature_names,
        columns={name: _appended([part.columns[name] for part in parts], name) for name in parts[0].columns},
        skipped_lines=sum(part.skipped_lines for part in parts),
    )


def _of_all(parts: list[Dataset], name: str) -> list[Any] | None:
    """A field of each, or none if no part has it."""
    found = [value for part in parts if (value := getattr(part, name)) is not None]
    if found and len(found) < len(parts):
        raise DataError(message(f"only {len(found)} of {len(parts)} datasets to join have {name}"))
    return found or None


def _appended(values: list[npt.NDArray[Any] | Ids], name: str) -> npt.NDArray[Any] | Ids:
    """A further column of all of them."""
    arrays = [array for array in values if not isinstance(array, Ids)]
    if not arrays:
        return Ids.of(text for ids in values for text in ids)
    if len(arrays) < len(values):
        raise DataError(message(f"column '{name}' holds texts in one of the datasets to join, and numbers in another"))
    return np.concatenate(arrays)


def _stacked(parts: list[Dataset], name: str) -> npt.NDArray[Any] | None:
    found = _of_all(parts, name)
    return None if found is None else np.concatenate(found)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _histogram(labels: Labels) -> str:
    """How often each label occurs, or their range if there are many."""
    judged = labels[~np.isnan(labels)]
    values, counts = np.unique(judged, return_counts=True)
    if len(values) == 0:
        return "no labels"
    if len(values) > 10:
        return f"labels from {values[0]:g} to {values[-1]:g}"
    shown = [f"{value:g}: {count:,}" for value, count in zip(values, counts, strict=True)]
    unjudged = len(labels) - len(judged)
    return f"labels {', '.join(shown)}{f', unjudged: {unjudged:,}' if unjudged else ''}"


def _lengths(name: str, found: int, rows: int) -> DataError:
    return DataError(message(f"there are {found:,} {name} for {rows:,} rows"))


def _array(values: Any, name: str, dimensions: int, dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
    """`values` as an array of numbers, or a refusal that names them."""
    if hasattr(values, "toarray"):
        raise DataError(message(f"{name} are a sparse matrix", hint="make it an array with `.toarray()`."))
    if getattr(getattr(values, "dtype", None), "kind", "") == "c":
        raise DataError(message(f"Complex data not supported: {name} must be real numbers"))
    try:
        # A number too large for the type becomes infinite, which is refused later.
        with np.errstate(over="ignore", invalid="ignore"):
            array = np.asarray(values, dtype=dtype, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(message(f"{name} must be numbers ({error})")) from None
    if array.ndim != dimensions:
        column = (
            "a single feature is a column. Reshape your data: `values.reshape(-1, 1)`."
            if (array.ndim, dimensions) == (1, 2)
            else ""
        )
        raise DataError(message(f"{name} must have {_count(dimensions, 'dimension')}, not {array.ndim}", hint=column))
    if array.dtype.kind not in "biuf":
        raise DataError(message(f"{name} must be numbers, not {array.dtype}"))
    return array


def _labels(labels: Any) -> Labels:
    if labels is None:
        raise DataError(message("there are no labels", hint="`Dataset.of(features, labels, qid=…)`."))
    kept = getattr(labels, "dtype", None) in LABEL_TYPES
    array: Labels = _array(labels, "labels", 1, None if kept else np.float64)
    if len(array) == 0:
        raise DataError(message("there are no rows"))
    if np.isinf(array).any():
        row = int(np.isinf(array).argmax())
        raise DataError(message(f"the label of row {row} is infinite", hint="NaN stands for an unjudged document."))
    return array


def _features(features: Any, rows: int) -> npt.NDArray[np.float32]:
    table = _array(features, "features", 2, np.float32)
    if len(table) != rows:
        raise _lengths("rows of features", len(table), rows)
    # Two reductions need no array of flags; both pass over NaN, which stands for a missing feature.
    if table.size and np.isinf([np.fmax.reduce(table, axis=None), np.fmin.reduce(table, axis=None)]).any():
        row, column = (int(place[0]) for place in np.nonzero(np.isinf(table)))
        raise DataError(message(f"feature {column + 1} of row {row} is infinite, or too large for a 32-bit float"))
    return table


def _feature_names(names: Iterable[str], features: npt.NDArray[np.float32] | None) -> tuple[str, ...]:
    if isinstance(names, str):
        raise DataError(message(f"feature names must be a list of names, not the text {names!r}"))
    words = tuple(str(name) for name in names)
    columns = 0 if features is None else features.shape[1]
    if len(words) != columns:
        raise DataError(message(f"there are {_count(len(words), 'feature name')} for {_count(columns, 'feature')}"))
    name, times = Counter(words).most_common(1)[0] if words else ("", 1)
    if times > 1:
        raise DataError(message(f"{times} features are called '{name}'"))
    return words


def _whole_numbers(values: Any, name: str) -> npt.NDArray[np.int64]:
    array = _array(values, name, 1)
    if array.dtype.kind == "f" and not (np.isfinite(array) & (array == np.trunc(array))).all():
        raise DataError(message(f"{name} must be whole numbers"))
    return array.astype(np.int64)


def _positions(positions: Any, rows: int) -> npt.NDArray[np.int64]:
    array = _whole_numbers(positions, "positions")
    if len(array) != rows:
        raise _lengths("positions", len(array), rows)
    if array.min() < 1:
        row = int(array.argmin())
        raise DataError(message(f"the position of row {row} is {array[row]}; positions count from 1"))
    return array


def weights_of_lists(weights: Any, queries: Ids) -> npt.NDArray[np.float64]:
    """Weights one a list in the lists' order, or {query: weight}, as an array."""
    if isinstance(weights, Mapping):
        table = {str(query): weight for query, weight in weights.items()}
        lacking = [query for query in queries if query not in table]
        if lacking:
            hint = "a list of weight 0 is left out of the mean."
            raise DataError(message(f"query '{lacking[0]}' has no weight", hint=hint))
        weights = [table[query] for query in queries]
    array = _array(weights, "weights", 1, np.float64)
    if len(array) != len(queries):
        what = f"there are {len(array):,} weights for {len(queries):,} lists"
        raise DataError(message(what, hint="a weight is of a list; those of rows are `document_weights`."))
    return _weights(array, "list")


def weights_of_documents(weights: Any, rows: int) -> npt.NDArray[np.float64]:
    """Weights one a row, as an array."""
    array = _array(weights, "document weights", 1, np.float64)
    if len(array) != rows:
        raise _lengths("document weights", len(array), rows)
    return _weights(array, "row")


def _weights(array: npt.NDArray[np.float64], of: str) -> npt.NDArray[np.float64]:
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        what = f"the weight of {of} {int(bad.argmax())} is {array[bad][0]:g}; weights are finite and not negative"
        raise DataError(message(what))
    return array


def _documents(documents: Any, rows: int) -> Ids:
    ids = documents if isinstance(documents, Ids) else Ids.of(documents)
    if len(ids) != rows:
        raise _lengths("documents", len(ids), rows)
    return ids


Lists = tuple[npt.NDArray[np.int64], Ids, npt.NDArray[np.int64] | None]


def _lists(qid: Any, group: Any, rows: int) -> Lists:
    """Offsets, queries, and the permutation of rows if grouping moves any."""
    if qid is not None and group is not None:
        raise DataError(
            message("both `qid` and `group` are given", hint="one of them says which rows belong together.")
        )
    if group is not None:
        return _lists_by_size(group, rows)
    if qid is None:
        hint = "give the query id of each row as `qid=`, or the size of each list as `group=`."
        raise DataError(message("nothing says which rows belong to one list", hint=hint))
    return _lists_by_id(qid, rows)


def _lists_by_size(group: Any, rows: int) -> Lists:
    sizes = _whole_numbers(group, "group sizes")
    if len(sizes) and sizes.min() < 1:
        number = int((sizes < 1).argmax())
        hint = "leave out lists without rows." if sizes[number] == 0 else ""
        raise DataError(
            message(f"the size of group {number} is {sizes[number]}; a list has at least one row", hint=hint)
        )
    if sizes.sum() != rows:
        raise DataError(message(f"the group sizes sum to {sizes.sum():,} for {rows:,} rows"))
    return np.concatenate(([0], np.cumsum(sizes))), Ids.of(range(1, len(sizes) + 1)), None


def _lists_by_id(qid: Any, rows: int) -> Lists:
    ids = _query_ids(qid)
    if len(ids) != rows:
        raise _lengths("query ids", len(ids), rows)
    starts = np.concatenate(([0], np.flatnonzero(ids[1:] != ids[:-1]) + 1))
    runs = ids[starts]
    names, first, name_of_run = np.unique(runs, return_index=True, return_inverse=True)
    if len(names) == len(runs):
        return np.append(starts, rows), Ids.of(runs.tolist()), None

    # `unique` sorts; lists stand in the order in which their first runs appear.
    order = np.argsort(first)
    list_of_name = np.empty_like(order)
    list_of_name[order] = np.arange(len(order))
    list_of_row = np.repeat(list_of_name[name_of_run], np.diff(starts, append=rows))
    offsets = np.concatenate(([0], np.cumsum(np.bincount(list_of_row))))
    permutation = np.argsort(list_of_row, kind="stable")
    return offsets, Ids.of(names[order].tolist()), permutation


def _query_ids(qid: Any) -> npt.NDArray[Any]:
    """Query ids as an array of integers or strings."""
    if isinstance(qid, Ids):
        return np.array(list(qid), dtype=np.str_)
    ids = np.asarray(qid)
    if ids.ndim != 1:
        raise DataError(message(f"query ids must have 1 dimension, not {ids.ndim}"))
    kind = ids.dtype.kind
    if kind in "iuU":
        return ids
    # NaN is the one value that differs from itself.
    absent = [row for row, value in enumerate(ids.tolist()) if value is None or value != value]
    if absent:
        raise DataError(message(f"row {absent[0]} has no query id"))
    if kind == "f" and (ids == np.trunc(ids)).all() and (np.abs(ids) < 2**53).all():
        return ids.astype(np.int64)
    if kind == "S":
        return np.char.decode(ids, "utf-8", "backslashreplace")
    return np.array([str(value) for value in ids.tolist()], dtype=np.str_)
