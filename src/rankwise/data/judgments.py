"""Judgments and runs as lists, and the join of the two.

*Qrels* say how relevant documents are to a query; a *run* holds the scores that a system gave to documents.
A *judged run* has one list for each query of the qrels: the documents retrieved for it, each with its score and label.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Self

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.data.ids import Ids
from rankwise.errors import DataError, message

__all__ = ["JudgedRun", "Qrels", "Run", "judge"]


class _Lists:
    """What qrels and runs share: a table of the kernels, looked at without copies."""

    __slots__ = ("_table",)
    _table: _kernels.Table

    @classmethod
    def _of_table(cls, table: _kernels.Table) -> Self:
        lists = cls.__new__(cls)
        lists._table = table
        return lists

    @property
    def queries(self) -> Ids:
        """One id a list, in order of first appearance."""
        return Ids(self._table.text, self._table.queries)

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Rows `offsets[q]` to `offsets[q + 1]` belong to list `q`."""
        return self._table.offsets

    @property
    def documents(self) -> Ids:
        """One id a row."""
        return Ids(self._table.text, self._table.documents)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Query → document → value."""
        documents, values = list(self.documents), self._table.values.tolist()
        ends = self.offsets.tolist()
        return {
            query: dict(zip(documents[start:end], values[start:end], strict=True))
            for query, start, end in zip(self.queries, ends, ends[1:], strict=False)
        }

    def __len__(self) -> int:
        """The number of lists."""
        return len(self._table.queries)

    def __eq__(self, other: object) -> bool:
        """The same lists with the same rows, in the same order."""
        if type(other) is not type(self):
            return NotImplemented
        mine, theirs = self._table, other._table
        return (
            np.array_equal(mine.offsets, theirs.offsets)
            and np.array_equal(mine.values, theirs.values)
            and self.queries == other.queries
            and self.documents == other.documents
        )

    __hash__ = None  # type: ignore[assignment]

    def _counts(self) -> str:
        lists, rows = len(self), len(self._table.documents)
        return f"{lists:,} {'query' if lists == 1 else 'queries'}, {rows:,} document{'' if rows == 1 else 's'}"


class Qrels(_Lists):
    """Judgments: for each query, how relevant the judged documents are.

    >>> qrels = Qrels.of({"q1": {"a": 2, "b": 0}, "q2": {"c": 1}})
    >>> qrels
    <Qrels: 2 queries, 3 documents>
    >>> list(qrels.queries), list(qrels.documents), qrels.labels.tolist(), qrels.offsets.tolist()
    (['q1', 'q2'], ['a', 'b', 'c'], [2.0, 0.0, 1.0], [0, 2, 3])
    """

    __slots__ = ()

    @classmethod
    def of(cls, judgments: Mapping[object, Mapping[object, float]]) -> Qrels:
        """From query → document → relevance."""
        return cls._of_table(_table_of(judgments, "relevance"))

    @property
    def labels(self) -> npt.NDArray[np.float64]:
        """The relevance of each row's document."""
        return self._table.values

    def __repr__(self) -> str:
        return f"<Qrels: {self._counts()}>"


class Run(_Lists):
    """A run: for each query, the documents that a system retrieved and the scores it gave them.

    >>> run = Run.of({"q1": {"b": 0.5, "x": 0.25}}, name="bm25")
    >>> run
    <Run 'bm25': 1 query, 2 documents>
    >>> list(run.documents), run.scores.tolist()
    (['b', 'x'], [0.5, 0.25])
    """

    __slots__ = ("name",)
    name: str
    """The tag in a run file (that of its last line, as in trec_eval)."""

    @classmethod
    def of(cls, results: Mapping[object, Mapping[object, float]], *, name: str = "") -> Run:
        """From query → document → score."""
        run = cls._of_table(_table_of(results, "score"))
        run.name = name
        return run

    @property
    def scores(self) -> npt.NDArray[np.float64]:
        """The score of each row's document."""
        return self._table.values

    def __repr__(self) -> str:
        return f"<Run {self.name!r}: {self._counts()}>"


class JudgedRun:
    """The lists of the qrels, in their order, as a run answered them.

    Attributes
    ----------
    queries, offsets
        One id a list; rows `offsets[q]` to `offsets[q + 1]` were retrieved for list `q`, in the order of the run.
    documents, scores, labels
        One value a row; a label is NaN where the document was not judged.
    unretrieved_offsets, unretrieved_documents, unretrieved_labels
        The same for what was judged but not retrieved.
    missing
        One truth value a list: whether the run lacks its query.
    unknown_queries
        Queries of the run that were never judged; their rows are left out.
    name
        The run's name.
    """

    __slots__ = (
        "documents",
        "labels",
        "missing",
        "name",
        "offsets",
        "queries",
        "scores",
        "unknown_queries",
        "unretrieved_documents",
        "unretrieved_labels",
        "unretrieved_offsets",
    )

    name: str
    queries: Ids
    offsets: npt.NDArray[np.int64]
    documents: Ids
    scores: npt.NDArray[np.float64]
    labels: npt.NDArray[np.float64]
    unretrieved_offsets: npt.NDArray[np.int64]
    unretrieved_documents: Ids
    unretrieved_labels: npt.NDArray[np.float64]
    missing: npt.NDArray[np.bool_]
    unknown_queries: Ids

    def __init__(self, **columns: object) -> None:
        # What `dataclass(frozen=True, slots=True)` would do, without the time to import it.
        for name in self.__slots__:
            object.__setattr__(self, name, columns.pop(name))
        if columns:
            raise TypeError(f"a judged run has no {', '.join(columns)}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a judged run is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a judged run is immutable: cannot delete {name!r}")

    def __len__(self) -> int:
        """The number of lists."""
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        missing, unknown = int(self.missing.sum()), len(self.unknown_queries)
        queries = f"{len(self):,} queries ({missing:,} missing from the run, {unknown:,} more never judged)"
        retrieved, left = len(self.scores), len(self.unretrieved_labels)
        return f"<JudgedRun {self.name!r}: {queries}, {retrieved:,} documents retrieved, {left:,} judged but not>"


def judge(qrels: Qrels, run: Run, *, threads: int | None = None) -> JudgedRun:
    """Joins a run with the judgments of its documents.

    A query that was judged but is missing from the run is a list without rows.

    >>> qrels = Qrels.of({"q1": {"a": 2, "b": 0}, "q2": {"c": 1}})
    >>> judged = judge(qrels, Run.of({"q1": {"b": 0.5, "x": 0.25}, "q9": {"a": 1}}))
    >>> list(judged.documents), judged.labels.tolist(), judged.offsets.tolist()
    (['b', 'x'], [0.0, nan], [0, 2, 2])
    >>> list(judged.unretrieved_documents), judged.unretrieved_labels.tolist(), judged.unretrieved_offsets.tolist()
    (['a', 'c'], [2.0, 1.0], [0, 1, 2])
    >>> judged.missing.tolist(), list(judged.unknown_queries)
    ([False, True], ['q9'])
    """
    if not isinstance(qrels, Qrels):
        raise TypeError(f"qrels must be Qrels, not {type(qrels).__name__}; make them with `Qrels.of` or `read_qrels`")
    if not isinstance(run, Run):
        raise TypeError(f"run must be a Run, not {type(run).__name__}; make it with `Run.of` or `read_run`")
    joined = _kernels.judge(qrels._table, run._table, threads)
    judged, retrieved = qrels._table.text, run._table.text
    return JudgedRun(
        name=run.name,
        queries=qrels.queries,
        offsets=joined.offsets,
        documents=Ids(retrieved, joined.documents),
        scores=joined.scores,
        labels=joined.labels,
        unretrieved_offsets=joined.unretrieved_offsets,
        unretrieved_documents=Ids(judged, joined.unretrieved_documents),
        unretrieved_labels=joined.unretrieved_labels,
        missing=joined.missing,
        unknown_queries=Ids(retrieved, joined.unknown_queries),
    )


def _table_of(lists: Mapping[object, Mapping[object, float]], what: str) -> _kernels.Table:
    if not isinstance(lists, Mapping):
        raise DataError(message(f"expected query → document → {what}, found {type(lists).__name__}"))
    sizes = [0]
    documents: list[object] = []
    values = []
    for query, row in lists.items():
        if not isinstance(row, Mapping):
            place = f"query {str(query)!r}"
            raise DataError(message(f"expected document → {what}, found {type(row).__name__}", place=place))
        documents.extend(row)
        values.append(_numbers(query, row, what))
        sizes.append(len(row))
    ids = Ids.of([*lists, *documents])
    column = np.concatenate(values) if values else np.empty(0)
    return _kernels.table(ids.text, ids.spans[: len(lists)], np.cumsum(sizes), ids.spans[len(lists) :], column)


def _numbers(query: object, row: Mapping[object, float], what: str) -> npt.NDArray[np.float64]:
    """The values of one list; refuses what is not a number, or is one that has no place in an order."""
    values = [*row.values()]
    column = _as_numbers(values)
    if column is None or not np.isfinite(column).all():
        for document, value in row.items():
            _refuse_odd(query, document, value, what)
        column = np.array([float(value) for value in values])
    return column


def _as_numbers(values: Iterable[object]) -> npt.NDArray[np.float64] | None:
    """All values at once, if NumPy finds nothing but numbers."""
    try:
        column = np.asarray(values)
    except (ValueError, OverflowError):
        return None
    plain = column.ndim == 1 and (column.dtype.kind in "biuf" or not column.size)
    return column.astype(np.float64) if plain else None


def _refuse_odd(query: object, document: object, value: object, what: str) -> None:
    place = f"query {str(query)!r}, document {str(document)!r}"
    if not isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)):
        raise DataError(message(f"the {what} {value!r} is not a number", place=place))
    try:
        finite = np.isfinite(float(value))
    except OverflowError:
        finite = False
    if not finite:
        raise DataError(message(f"the {what} {value!r} is not a finite number", place=place))
