"""Removes from a file what cannot tell rankings apart, or stands twice, and writes down what was removed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.data.divide import ROW, ParquetRows, TextRows, text_or_parquet
from rankwise.data.duplicates import document_repeats, list_of_row, repeats, twins
from rankwise.data.formats.doors import is_table, read
from rankwise.data.formats.files import PathLike, placing, writing
from rankwise.errors import DataError, message

__all__ = ["DEFAULT", "DROPS", "Cleaning", "clean", "removed_rows"]

# What can be removed: of rows, then of the lists that are left.
OF_ROWS = {
    "duplicates": "rows that repeat an earlier row of their list in all that they say",
    "documents": "rows that name a document of their list again",
    "twins": "rows that say the same as an earlier row of their list, under another document id",
}
OF_LISTS = {
    "empty": "lists without a relevant document",
    "single-label": "lists whose documents all have the same label",
}
DROPS = OF_ROWS | OF_LISTS
DEFAULT = ("empty", "duplicates")

Reasons = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaning:
    """What was kept and what was removed."""

    output: Path
    removed: Path | None
    """The file that names each row that was removed."""
    lists: int
    rows: int
    kept_lists: int
    kept_rows: int
    reasons: Mapping[str, tuple[int, int]]
    """Reason → how many whole lists and how many rows were removed for it."""
    skipped: int
    """Lines that could not be read."""


def clean(
    path: PathLike,
    output: PathLike,
    drop: Iterable[str] = DEFAULT,
    *,
    removed: PathLike | None = None,
    query: str | None = None,
    document: str | None = None,
    label: str | None = None,
    labels: Mapping[str, float] | None = None,
    sort_features: bool = False,
    skip_bad_lines: bool = False,
    overwrite: bool = False,
) -> Cleaning:
    """Copies a file of lists without what `drop` names: `empty`, `single-label`, `duplicates`, `documents`, `twins`.

    First rows are removed, the first of each that is said twice is kept; then lists, by the rows that are left. The
    lines of LETOR text and of `.csv` and `.tsv` tables that are kept are copied byte for byte, in their order, with the
    blank lines and comments between them and without a byte order mark; of `.parquet` the rows are. `query`,
    `document`, `label` and `labels` name the columns of a table, as in `read_table`.

    What was removed is written to `removed` (by default beside the output, as `NAME.removed.csv`): its line, or row of
    Parquet, counted from 1, its query, and the reason.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "all.txt").write_text("0 qid:a 1:2\\n0 qid:a 1:3\\n1 qid:b 1:2\\n1 qid:b 1:2\\n")
    ...     found = clean(Path(folder, "all.txt"), Path(folder, "clean.txt"))
    ...     print(Path(folder, "clean.txt").read_text() + Path(folder, "clean.txt.removed.csv").read_text())
    1 qid:b 1:2
    line,query,reason
    1,a,empty
    2,a,empty
    4,b,duplicates
    <BLANKLINE>
    >>> found.reasons
    {'duplicates': (0, 1), 'empty': (1, 2)}
    """
    source, target = Path(path), Path(output)
    drops = _checked(drop)
    report = _report_path(target, removed)
    _refuse_places(source, target, report, overwrite=overwrite)
    columns = {"query": query, "document": document, "label": label, "labels": labels}
    named = {name: value for name, value in columns.items() if value is not None}
    data, rows = _read(source, target, named, sort_features=sort_features, skip_bad_lines=skip_bad_lines)
    reasons = removed_rows(data, drops)
    if reasons.all():
        what = "nothing would be left"
        raise DataError(message(what, place=str(source), hint=f"it was to lose {', '.join(drops)}; drop less."))
    given = data.in_callers_order(reasons)
    with ExitStack() as stack:
        listed = _Listed(stack, report, drops, "row" if isinstance(rows, ParquetRows) else "line")
        if isinstance(rows, ParquetRows):
            _copy_parquet(rows, target, given, data.in_callers_order(_names(data)), listed)
        else:
            _copy_text(rows, target, given, listed)
    return _cleaning(data, reasons, drops, target, report)


def removed_rows(data: Dataset, drop: Iterable[str] = DEFAULT) -> Reasons:
    """Why each row is to be removed: 0 to be kept, else the number of its reason in `drop`, counted from 1.

    >>> data = Dataset.of([[2], [3], [2], [2]], [0, 0, 1, 1], qid=["a", "a", "b", "b"])
    >>> removed_rows(data, ["empty", "duplicates"]).tolist()
    [1, 1, 0, 2]
    """
    drops = _checked(drop)
    reasons = np.zeros(len(data.labels), np.int64)
    for at, name in enumerate(drops, 1):
        if name in OF_ROWS:
            found = {"duplicates": repeats, "documents": document_repeats, "twins": twins}[name](data)
            reasons[found & (reasons == 0)] = at
    lists, left = list_of_row(data.offsets), reasons == 0
    for at, name in enumerate(drops, 1):
        if name in OF_LISTS:
            dropped = {"empty": _empty, "single-label": _single_label}[name](data, lists, left)
            reasons[dropped[lists] & (reasons == 0)] = at
    return reasons


def _empty(data: Dataset, lists: Any, left: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    empty: npt.NDArray[np.bool_] = np.bincount(lists[left & (data.labels > 0)], minlength=len(data)) == 0
    return empty


def _single_label(data: Dataset, lists: Any, left: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    known = left & ~np.isnan(data.labels)
    least, greatest = np.full(len(data), np.inf), np.full(len(data), -np.inf)
    np.minimum.at(least, lists[known], data.labels[known])
    np.maximum.at(greatest, lists[known], data.labels[known])
    return least >= greatest


def _checked(drop: Iterable[str]) -> tuple[str, ...]:
    names = tuple(dict.fromkeys([drop] if isinstance(drop, str) else drop))
    unknown = [name for name in names if name not in DROPS]
    if unknown or not names:
        what = f"there is no reason '{unknown[0]}' to remove anything" if unknown else "nothing is named to be removed"
        raise DataError(message(what, hint=f"the reasons are {', '.join(DROPS)}."))
    return names


def _report_path(target: Path, removed: PathLike | None) -> Path | None:
    if removed is not None:
        return Path(removed)
    return None if str(target) == "-" or not target.name else target.with_name(f"{target.name}.removed.csv")


def _refuse_places(source: Path, target: Path, report: Path | None, *, overwrite: bool) -> None:
    if str(source) == "-":
        raise DataError(message("standard input cannot be cleaned: it is read twice", hint="save it to a file first."))
    for place in (target, report):
        if place is None or str(place) == "-" or not place.exists():
            continue
        if source.exists() and place.samefile(source):
            raise DataError(message("this is the file to be cleaned", place=str(place), hint="write to another file."))
        if not place.is_file():
            hint = "name a file; - is standard output."
            raise DataError(message("a folder or a device cannot be replaced", place=str(place), hint=hint))
        if not overwrite:
            hint = "choose another name, or say `overwrite`."
            raise DataError(message("there is such a file already", place=str(place), hint=hint))
    if report is not None and report == target:
        raise DataError(message("what is kept and what is removed would go to one file", place=str(target)))


def _read(
    source: Path, target: Path, named: dict[str, Any], *, sort_features: bool, skip_bad_lines: bool
) -> tuple[Dataset, TextRows | ParquetRows]:
    """The lists of a file, and its rows as they are written there."""
    if source.suffix == ".zst":
        hint = "unpack it first, with `zstd -d`."
        raise DataError(message("a file packed as .zst is not read line by line", place=str(source), hint=hint))
    table = is_table(source)
    if not table and (named or skip_bad_lines):
        what = next(iter(named), "skip_bad_lines")
        raise DataError(message(f"{what} belongs to tables; this is read as LETOR text", place=str(source)))
    if table and sort_features:
        raise DataError(message("sort_features belongs to LETOR text; this is a table", place=str(source)))
    parquet = source.suffix == ".parquet"
    if (parquet, table) != (target.suffix == ".parquet", _is_named_as_table(target, table)):
        hint = "rows are copied as they are: give the output the same kind of name."
        raise DataError(message(f"what is read from {source} cannot be written as such a file", place=str(target),
                                hint=hint))  # fmt: skip
    if table:
        options: dict[str, Any] = {} if parquet else {"skip_bad_lines": skip_bad_lines}
        data = read(source, **named, **options, features=(), keep=_other_columns(source, named, skip_bad_lines))
    else:
        data = read(source, sort_features=sort_features)
    return data, text_or_parquet(source, named.get("query"), None, skip_bad_lines and not parquet)


def _is_named_as_table(target: Path, table: bool) -> bool:
    """Standard output may be either."""
    return table if str(target) == "-" else is_table(target)


def _other_columns(source: Path, named: dict[str, Any], skip_bad_lines: bool) -> list[str]:
    """The columns that a row says something in, beside its query and document."""
    from rankwise.data.formats import engine
    from rankwise.data.formats.column_names import chosen

    with engine.opened(source, skip_bad_lines=skip_bad_lines) as table:
        names = [*table.types]
        ids = {chosen(role, named.get(role), names, table.place, wanted=False) for role in ("query", "document")}
    return [name for name in names if name not in ids]


class _Listed:
    """The file that says what was removed, and why."""

    def __init__(self, stack: ExitStack, path: Path | None, drops: tuple[str, ...], unit: str) -> None:
        self.drops = drops
        self.file = None if path is None else stack.enter_context(writing(path))
        self._write(unit, "query", "reason")

    def add(self, number: int, query: str, reason: int) -> None:
        self._write(str(number), query, self.drops[reason - 1])

    def _write(self, *fields: str) -> None:
        if self.file is not None:
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerow(fields)
            self.file.write(text.getvalue().encode("utf-8", "surrogateescape"))


def _copy_text(rows: TextRows, target: Path, reasons: Reasons, listed: _Listed) -> None:
    """Lines as they are, but for those with a reason."""
    why = iter(reasons.tolist())
    read = 0
    with writing(target) as output:
        output.write(rows.head)
        for number, line, query, _ in rows.records():
            reason = 0
            if query is not None:
                reason = next(why, -1)
                read += 1
            if reason > 0 and query is not None:
                listed.add(number, query.decode("utf-8", "backslashreplace"), reason)
            elif reason == 0:
                output.write(line)
        if read != len(reasons):
            what = f"{read:,} lines hold a document, and {len(reasons):,} were read"
            raise DataError(message(what, place=str(rows.path), hint="rows that hold line breaks cannot be cleaned."))


def _copy_parquet(rows: ParquetRows, target: Path, reasons: Reasons, names: Any, listed: _Listed) -> None:
    from rankwise.data.formats import engine

    gone = np.flatnonzero(reasons)
    for row in gone.tolist():
        listed.add(row + 1, names[row], int(reasons[row]))
    with engine.opened(rows.path) as table, placing(target) as part, table.refusals():
        table.connection.execute("CREATE TEMP TABLE gone AS SELECT unnest(?::BIGINT[]) AS n", [(gone + 1).tolist()])
        numbered = f"SELECT *, row_number() OVER () AS {ROW} FROM {table.source}"
        kept = f"FROM ({numbered}) WHERE {ROW} NOT IN (SELECT n FROM gone) ORDER BY {ROW}"
        to = engine.literal(str(part))
        table.connection.execute(f"COPY (SELECT * EXCLUDE ({ROW}) {kept}) TO {to} (FORMAT parquet)")


def _names(data: Dataset) -> npt.NDArray[Any]:
    """The query of each row."""
    return np.array(list(data.queries), dtype=object)[list_of_row(data.offsets)]


def _cleaning(data: Dataset, reasons: Reasons, drops: tuple[str, ...], target: Path, report: Path | None) -> Cleaning:
    lists, left = list_of_row(data.offsets), np.bincount(list_of_row(data.offsets)[reasons == 0], minlength=len(data))
    counts = {}
    for name in (*(n for n in drops if n in OF_ROWS), *(n for n in drops if n in OF_LISTS)):
        hit = reasons == drops.index(name) + 1
        whole = int((np.bincount(lists[hit], minlength=len(data)) > 0).sum()) if name in OF_LISTS else 0
        counts[name] = (whole, int(hit.sum()))
    return Cleaning(
        output=target,
        removed=report,
        lists=len(data),
        rows=len(data.labels),
        kept_lists=int((left > 0).sum()),
        kept_rows=int((reasons == 0).sum()),
        reasons=counts,
        skipped=data.skipped_lines,
    )
