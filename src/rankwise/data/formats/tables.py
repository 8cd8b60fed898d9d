"""Tables: CSV, Parquet, and any frame with Arrow's interface (pandas, Polars, pyarrow, DuckDB), one document a row.

The columns of a table are found by the names that other tools give them, or named by the caller.
Rows stand in any order; rows of one query become one list, in the order in which they come.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.data.dataset import Dataset, weights_of_documents
from rankwise.data.formats import engine
from rankwise.data.formats.column_names import chosen, listed, refuse_unknown
from rankwise.data.ids import Ids
from rankwise.data.judgments import Qrels, Run
from rankwise.errors import DataError, message

__all__ = ["as_numbers", "further", "identity", "read", "read_qrels", "read_run"]


def read(
    source: Any,
    *,
    query: str | None = None,
    document: str | None = None,
    label: str | None = None,
    labels: Mapping[str, float] | None = None,
    score: str | None = None,
    features: Iterable[str] | None = None,
    weight: str | None = None,
    document_weight: str | None = None,
    position: str | None = None,
    keep: Iterable[str] = (),
    labelled: bool = True,
    skip_bad_lines: bool = False,
    threads: int | None = None,
) -> Dataset:
    """Reads a table into a dataset.

    `source` is the path of a `.csv`, `.tsv` or `.parquet` file (text may be packed as `.gz` or `.zst`), a frame with
    Arrow's interface, or a dictionary of arrays. `query`, `document`, `label` and `score` name columns;
    without a name, those of ir_measures, PyTerrier, ranx, Hugging Face and recommenders are understood.

    `labels={"booking_bool": 5, "click_bool": 1}` makes labels of events: the highest of those that hold, else 0.
    `features` names the columns of the matrix; without, all numeric columns that are nothing else.
    `weight` is one value a list, `document_weight` one a row, `position` where a document was shown, from 1.
    `keep` names further columns: they and the score are found in `Dataset.columns`.
    `labelled=False` reads a table without labels too, whose documents are all unjudged, for a ranker to score.
    `skip_bad_lines` leaves out lines of text that cannot be read; `Dataset.skipped_lines` counts them.

    A label that is absent means that the document is unjudged; an absent feature is NaN.

    >>> data = read({"qid": [7, 7, 8], "click": [0, 1, 1], "book": [0, 1, 0], "bm25": [0.5, 0.25, 2.0]},
    ...             labels={"book": 5, "click": 1}, score="bm25")
    >>> data.labels.tolist(), list(data.queries), data.columns["bm25"].tolist()
    ([0.0, 5.0, 1.0], ['7', '8'], [0.5, 0.25, 2.0])
    """
    with engine.opened(source, skip_bad_lines=skip_bad_lines, threads=threads) as table:
        single = (weight, document_weight, position)
        roles = _Roles(table, query, document, label, labels, score, single, _named(keep, "keep"), labelled=labelled)
        matrix = roles.features(None if features is None else _named(features, "features"))
        table.read_as(roles.types(matrix))
        return _dataset(table, roles, matrix)


def read_qrels(
    source: Any,
    *,
    query: str | None = None,
    document: str | None = None,
    label: str | None = None,
    threads: int | None = None,
) -> Qrels:
    """Judgments from a table with a row for each query and document; rows without a label are left out.

    >>> read_qrels({"query_id": ["q1", "q1"], "doc_id": ["a", "b"], "relevance": [2, 0]})
    <Qrels: 1 query, 2 documents>
    """
    # ranx and Hugging Face call the label a score.
    with engine.opened(source, threads=threads) as table:
        value = chosen("label", label, [*table.types], table.place, wanted=False)
        value = value or chosen("score", None, [*table.types], table.place, wanted=False)
        value = value or chosen("label", None, [*table.types], table.place)
        return Qrels._of_table(_values(table, query, document, str(value), absent_is_left_out=True, threads=threads))


def read_run(
    source: Any,
    *,
    query: str | None = None,
    document: str | None = None,
    score: str | None = None,
    threads: int | None = None,
) -> Run:
    """A run from a table with a row for each query and document; its name is that of the file.

    >>> read_run({"qid": ["q1", "q1"], "docno": ["a", "b"], "score": [0.5, 2]}).scores.tolist()
    [0.5, 2.0]
    """
    with engine.opened(source, threads=threads) as table:
        value = chosen("score", score, [*table.types], table.place)
        run = Run._of_table(_values(table, query, document, str(value), absent_is_left_out=False, threads=threads))
        run.name = Path(table.place).name.partition(".")[0]
        return run


class _Roles:
    """Which column is what."""

    def __init__(
        self,
        table: engine.Table,
        query: str | None,
        document: str | None,
        label: str | None,
        labels: Mapping[str, float] | None,
        score: str | None,
        single: tuple[str | None, str | None, str | None],
        keep: Sequence[str],
        *,
        labelled: bool,
    ) -> None:
        names, place = [*table.types], table.place
        self.table = table
        self.query = str(chosen("query", query, names, place))
        self.document = chosen("document", document, names, place, wanted=False)
        if label is not None and labels is not None:
            raise DataError(message("both `label` and `labels` are given", place=place, hint="leave one of them out."))
        if labels is not None:
            _refuse_no_events(labels, names, place)
        self.events = labels
        self.label = chosen("label", label, names, place, wanted=labelled) if labels is None else None
        self.score = chosen("score", score, names, place, wanted=False)
        self.weight, self.document_weight, self.position = single
        self.single = [name for name in single if name is not None]
        refuse_unknown([*self.single, *keep], names, place)
        self.kept = [name for name in dict.fromkeys(keep) if name != self.score]

    def used(self) -> list[str]:
        """Columns that are no features, unless the caller says so."""
        named = (self.query, self.document, self.label, self.score, *self.single)
        return [name for name in (*named, *(self.events or ()), *self.kept) if name is not None]

    def features(self, named: Sequence[str] | None) -> list[str]:
        types = self.table.types
        if named is None:
            used = set(self.used())
            numeric = [name for name in types if engine.kind(types[name]) in ("whole", "number")]
            # A column without a name is a frame's index, written along.
            return [name for name in numeric if name not in used and not name.startswith("column ")]
        refuse_unknown(named, [*types], self.table.place)
        return list(named)

    def types(self, matrix: Sequence[str]) -> dict[str, str]:
        """What the columns of a text file are to be read as: ids as they stand, numbers with their fractions."""
        numeric = [self.label, self.score, *self.single, *(self.events or ()), *matrix]
        ids = {name: "VARCHAR" for name in (self.query, self.document) if name is not None}
        return as_numbers(self.table, [name for name in numeric if name is not None]) | ids


def as_numbers(table: engine.Table, names: Sequence[str]) -> dict[str, str]:
    """Columns of a text file that are read as numbers: also those that do not look so, to say in which line."""

    def is_read_so(name: str) -> bool:
        column_type = table.types[name]
        kind = engine.kind(column_type)
        odd = kind == "text" and table.first_text_that_is_no_number(name) is not None
        # `inf` alone is taken for a time.
        return odd or kind == "time" or column_type in ("BIGINT", "DOUBLE")

    return {name: "DOUBLE" for name in names if is_read_so(name)}


def _no_rows(table: engine.Table) -> DataError:
    skipped = table.skipped_lines()
    if not skipped:
        return DataError(message("there are no rows", place=table.place))
    hint = "without `skip_bad_lines=True` (`--skip-bad-lines`) the first is named, with what is wrong with it."
    what = f"there are no rows but bad lines, which are left out: {skipped:,}"
    return DataError(message(what, place=table.place, hint=hint))


Wanted = list[tuple[str, str]]


def _dataset(table: engine.Table, roles: _Roles, matrix: Sequence[str]) -> Dataset:
    kept = ([] if roles.score is None else [roles.score]) + roles.kept
    wanted: Wanted = [(identity(table, roles.query, "query"), "query")]
    wanted.append((_label(table, roles), "number"))
    wanted += [] if roles.document is None else [(identity(table, roles.document, "document"), "document")]
    wanted += [(_number(table, name), "number") for name in roles.single]
    wanted += [further(table, name, number=name == roles.score) for name in kept]
    wanted += [(_number(table, name, single=True), "feature") for name in matrix]
    found = table.columns(wanted)
    if found.rows == 0 or found.offsets is None or found.queries is None:
        raise _no_rows(table)
    order, columns = found.order, iter(found.columns)

    def placed(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Values in the order of the lists; what is refused is named by its row in the table."""
        return values if order is None else values[order]

    labels, features = next(columns), found.features
    _refuse_infinite(labels.reshape(-1, 1), [roles.label or "label"], table)
    if features is not None:
        _refuse_infinite(features, matrix, table)
        features = placed(features)
    documents = None if roles.document is None else Ids(found.text, placed(next(columns)))
    weights = None
    if roles.weight is not None:
        queries = Ids(found.text, found.queries)
        weights = _one_a_list(placed(next(columns)), found.offsets, queries, roles.weight, table.place)
    of_documents = None if roles.document_weight is None else placed(weights_of_documents(next(columns), found.rows))
    positions = None if roles.position is None else placed(_positions(next(columns), roles.position, table.place))
    return Dataset(
        features=features,
        labels=placed(labels),
        offsets=found.offsets,
        queries=Ids(found.text, found.queries),
        documents=documents,
        weights=weights,
        document_weights=of_documents,
        positions=positions,
        rows=order,
        feature_names=tuple(matrix) if matrix else None,
        columns={name: _as_kept(placed(next(columns)), table.types[name], found.text) for name in kept},
        skipped_lines=table.skipped_lines(),
    )


def _values(
    table: engine.Table,
    query: str | None,
    document: str | None,
    value: str,
    *,
    absent_is_left_out: bool,
    threads: int | None,
) -> _kernels.Table:
    """Queries, documents and one number of each, as the kernels hold qrels and runs."""
    names = [*table.types]
    query = str(chosen("query", query, names, table.place))
    document = str(chosen("document", document, names, table.place))
    table.read_as(as_numbers(table, [value]) | {query: "VARCHAR", document: "VARCHAR"})
    number = _number(table, value)
    ids = [(identity(table, name, role), role) for name, role in ((query, "query"), (document, "document"))]
    wanted = [*ids, (number, "number")]
    found = table.columns(wanted, where=f"WHERE NOT isnan({number})" if absent_is_left_out else "")
    if found.rows == 0 or found.offsets is None or found.queries is None:
        raise _no_rows(table)
    documents, values = found.columns
    if not absent_is_left_out and np.isnan(values).any():
        raise DataError(message(f"there is no {value}", place=_row(table, int(np.isnan(values).argmax()))))
    if found.order is not None:
        documents, values = documents[found.order], values[found.order]
    try:
        return _kernels.table(found.text, found.queries, found.offsets, documents, values, threads)
    except DataError as error:
        raise DataError(f"{table.place}: {error}" if table.place else str(error)) from None


def _named(names: Iterable[str], what: str) -> list[str]:
    if isinstance(names, str):
        raise DataError(message(f"{what} must be a list of names, not the text {names!r}", hint=f"{what}=[{names!r}]."))
    return list(names)


def _refuse_no_events(labels: Mapping[str, float], names: Sequence[str], place: str) -> None:
    if not isinstance(labels, Mapping):
        hint = "write labels={'booked': 5, 'clicked': 1}; a single column of labels is `label=`."
        raise DataError(message("`labels` says what each event is worth, by column", place=place, hint=hint))
    if not labels:
        raise DataError(message("`labels` names no column", place=place, hint=listed(names)))
    refuse_unknown(labels, names, place)
    for name, label in labels.items():
        if isinstance(label, bool) or not isinstance(label, (int, float, np.number)) or not np.isfinite(float(label)):
            raise DataError(message(f"the label of '{name}' must be a number, not {label!r}", place=place))


def _events(table: engine.Table, labels: Mapping[str, float]) -> str:
    """An expression: the highest of the labels whose event holds, else 0."""
    falling = sorted(labels.items(), key=lambda item: -float(item[1]))
    whens = " ".join(f"WHEN {_holds(table, name)} THEN {float(label)!r}" for name, label in falling)
    return f"CASE {whens} ELSE 0.0 END::DOUBLE"


def _label(table: engine.Table, roles: _Roles) -> str:
    """An expression: the label of a row; NaN where there is none."""
    if roles.events is not None:
        return _events(table, roles.events)
    return "'nan'::DOUBLE" if roles.label is None else _number(table, roles.label)


def _holds(table: engine.Table, name: str) -> str:
    """Whether an event happened: a true, or a number other than 0; NaN and what is absent are not."""
    if table.types[name] == "BOOLEAN":
        return f"coalesce({engine.quoted(name)}, false)"
    return f"{_number(table, name)} NOT IN (0, 'nan'::DOUBLE)"


def _kind(table: engine.Table, name: str, purpose: str) -> str:
    kind = engine.kind(table.types[name])
    if kind == "nested":
        raise DataError(message(f"column '{name}' is {table.types[name]}, which is no {purpose}", place=table.place))
    return kind


def identity(table: engine.Table, name: str, purpose: str) -> str:
    """An id: a whole number or a text; a float that is whole reads like one, as frames make of ids with gaps."""
    column, column_type = engine.quoted(name), table.types[name]
    kind = _kind(table, name, f"{purpose} id")
    if kind == "whole" and column_type != "BOOLEAN":
        return f"{column}::BIGINT"
    if column_type in ("FLOAT", "DOUBLE"):
        whole = f"{column} = trunc({column}) AND abs({column}) < 9007199254740992"
        text = f"CASE WHEN {whole} THEN {column}::BIGINT::VARCHAR ELSE {column}::VARCHAR END"
        return f"CASE WHEN isnan({column}) THEN NULL ELSE {text} END"
    return f"{column}::VARCHAR"


def _number(table: engine.Table, name: str, *, single: bool = False) -> str:
    column, column_type = engine.quoted(name), table.types[name]
    kind = _kind(table, name, "number")
    if kind == "time":
        raise DataError(message(f"column '{name}' holds times, where numbers are wanted", place=table.place))
    if kind == "text":
        odd = table.first_text_that_is_no_number(name)
        if odd is not None:
            raise DataError(message(f"column '{name}': '{odd[1]}' is no number", place=_row(table, odd[0])))
        # What is no number here has been found to stand for an absent one.
        return f"coalesce(TRY_CAST({column}::VARCHAR AS DOUBLE), 'nan'::DOUBLE)"
    if single and column_type == "FLOAT":
        return f"{column}::FLOAT"
    return f"coalesce({column}::DOUBLE, 'nan'::DOUBLE)"


def further(table: engine.Table, name: str, *, number: bool) -> tuple[str, str]:
    """A further column: whole numbers, numbers, times as microseconds, or texts."""
    column = engine.quoted(name)
    kind = _kind(table, name, "column of numbers or texts")
    if number or kind == "number":
        return _number(table, name), "number"
    if kind == "whole":
        return f"{column}::BIGINT", "whole"
    if kind == "time":
        # The least whole number is NumPy's "not a time".
        exact = "TIMESTAMPTZ" if table.types[name].startswith(("TIMESTAMPTZ", "TIMESTAMP WITH")) else "TIMESTAMP"
        return f"coalesce(epoch_us({column}::{exact}), {np.iinfo(np.int64).min + 1} - 1)", "whole"
    return f"{column}::VARCHAR", "ids"


def _as_kept(values: npt.NDArray[Any], column_type: str, text: _kernels.Text) -> npt.NDArray[Any] | Ids:
    kind = engine.kind(column_type)
    if kind == "time":
        return values.view("datetime64[us]")
    if kind == "whole" and column_type == "BOOLEAN" and values.dtype == np.int64:
        return values.astype(np.bool_)
    return Ids(text, values) if values.dtype == np.uint64 else values


def _one_a_list(
    values: npt.NDArray[np.float64], offsets: npt.NDArray[np.int64], queries: Ids, name: str, place: str
) -> npt.NDArray[np.float64]:
    """The weight of each list, which all its rows repeat."""
    weights = values[offsets[:-1]]
    same = values == np.repeat(weights, np.diff(offsets))
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        what = f"column '{name}': the weight of list '{queries[int(bad.argmax())]}' is {weights[bad][0]:g}"
        raise DataError(message(what, place=place, hint="weights are finite and not negative."))
    if not same.all():
        at = int(np.searchsorted(offsets, int((~same).argmax()), side="right")) - 1
        what = f"column '{name}' has two values within list '{queries[at]}'"
        raise DataError(message(what, place=place, hint="a weight is of a list: all its rows have the same."))
    return weights


def _positions(values: npt.NDArray[np.float64], name: str, place: str) -> npt.NDArray[np.int64]:
    bad = ~((values >= 1) & (values == np.trunc(values)) & (values < 2**53))
    if bad.any():
        what = f"column '{name}' holds {values[bad][0]:g}, which is no position"
        raise DataError(message(what, place=place, hint="positions are whole numbers from 1."))
    return values.astype(np.int64)


def _refuse_infinite(values: npt.NDArray[Any], names: Sequence[str], table: engine.Table) -> None:
    # Two reductions need no array of flags; both pass over NaN, which stands for what is absent.
    if values.size and np.isinf([np.fmax.reduce(values, axis=None), np.fmin.reduce(values, axis=None)]).any():
        row, column = (int(place[0]) for place in np.nonzero(np.isinf(values)))
        what = f"column '{names[column]}' is infinite, or too large for a 32-bit float"
        raise DataError(message(what, place=_row(table, row)))


def _row(table: engine.Table, row: int) -> str:
    return f"{table.place}, row {row + table.first}" if table.place else f"row {row + table.first}"
