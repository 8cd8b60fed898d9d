"""Divides a file of lists into files: the lines of text as they are, the rows of Parquet by the table engine."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import IO, Any

import numpy as np

from rankwise.data.folds import assign, cyclic
from rankwise.data.formats.files import PathLike, placing, unpacked, writing
from rankwise.errors import DataError, message

__all__ = ["ROW", "Division", "ParquetRows", "Piece", "TextRows", "split_file", "text_or_parquet"]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One file that was written."""

    part: str
    path: Path
    lists: int
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """What went where."""

    pieces: tuple[Piece, ...]
    lists: int
    rows: int
    left_out: int
    """Lines without a document: blank, or only a comment."""
    skipped: int
    """Lines that could not be read."""


def split_file(
    path: PathLike,
    directory: PathLike,
    into: Mapping[str, float] | None = None,
    *,
    folds: int | None = None,
    query: str | None = None,
    group: str | None = None,
    time: str | None = None,
    seed: int = 0,
    skip_bad_lines: bool = False,
    overwrite: bool = False,
) -> Division:
    """Divides a file into one file a part, or into folders `Fold1`, `Fold2`, … with three files each.

    Lists are dealt as `rankwise.split` and `rankwise.folds` deal them. The file is LETOR text, whose columns `group`
    and `time` are numbers of features, or a `.csv`, `.tsv` or `.parquet` table, whose column `query` says which list a
    row belongs to. Text goes to its file byte for byte; rows keep their order; a file appears once it is complete.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "all.txt").write_text("".join(f"1 qid:{name} 1:2\\n" for name in "abcde"))
    ...     division = split_file(Path(folder, "all.txt"), folder, {"train": 0.6, "test": 0.4})
    >>> [(piece.part, piece.lists, piece.rows) for piece in division.pieces]
    [('train.txt', 3, 3), ('test.txt', 2, 2)]
    """
    source, target = Path(path), Path(directory)
    if (into is None) == (folds is None):
        raise DataError(message("a file is divided either into named parts or into folds"))
    if str(path) == "-":
        raise DataError(message("standard input cannot be divided: it is read twice", hint="save it to a file first."))
    if group is not None and time is not None:
        raise DataError(message("lists are divided either by group or by time, not by both"))
    if folds is not None and time is not None:
        hint = "divide it into parts: the first gets the oldest lists."
        raise DataError(message("folds by time would learn from the future", hint=hint))
    shares = dict.fromkeys(_fold_parts(folds), 1.0) if into is None else dict(into)
    suffix = "".join(source.suffixes[-2:]) if source.suffix in (".gz", ".zst") else source.suffix
    files = _files(shares, suffix) if folds is None else _fold_files(folds, suffix)
    if target.exists() and not target.is_dir():
        raise DataError(message("is a file, and a folder is wanted", place=str(target), hint="choose another name."))
    _refuse_overwriting(source, target, files, overwrite=overwrite)
    reader = text_or_parquet(source, query, group or time, skip_bad_lines)
    lists = reader.lists()
    column = {"group": lists.values} if group else {"time": _times(lists, source)} if time else {}
    parts = assign(lists.names, shares, seed=seed, **column).tolist()
    of_part = [[name for name, of in files.items() if part in of] for part in range(len(shares))]
    for name in files:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
    rows = reader.write(target, [of_part[part] for part in parts])
    count = [sum(part in of for part in parts) for of in files.values()]
    pieces = [
        Piece(part=name, path=target / name, lists=lists_of, rows=rows[name])
        for name, lists_of in zip(files, count, strict=True)
    ]
    return Division(
        pieces=tuple(pieces),
        lists=len(parts),
        rows=lists.rows,
        left_out=lists.left_out,
        skipped=lists.skipped,
    )


@dataclass(slots=True, kw_only=True)
class _Lists:
    """The lists of a file, in the order in which they first appear."""

    names: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    """Of each list what stands in the column that was asked for."""
    rows: int = 0
    left_out: int = 0
    skipped: int = 0


Row = tuple[int, bytes, bytes | None, Any]
"""Line number, bytes, query id (none where there is no document), what stands in the column that was asked for."""


@dataclass(slots=True, kw_only=True)
class TextRows:
    """A text file, a document a line."""

    path: Path
    column: str | None
    records: Callable[[], Iterator[Row]]
    head: bytes = b""
    skipped: int = 0
    place: dict[bytes, int] = field(default_factory=dict)

    def lists(self) -> _Lists:
        lists = _Lists()
        for number, _, query, value in self.records():
            if query is None:
                lists.left_out += 1
                continue
            lists.rows += 1
            at = self.place.setdefault(query, len(self.place))
            if at == len(lists.names):
                lists.names.append(query.decode("utf-8", "backslashreplace"))
                lists.values.append(value)
            elif lists.values[at] != value:
                raise _several(lists.names[at], self.column, lists.values[at], value, f"{self.path}, line {number}")
        if not lists.rows:
            raise DataError(message("there is no data line in it", place=str(self.path)))
        lists.skipped = self.skipped
        return lists

    def write(self, target: Path, files: list[list[str]]) -> dict[str, int]:
        """Each line to the files of its list; how many went to each."""
        counts = dict.fromkeys([name for names in files for name in names], 0)
        with ExitStack() as stack:
            outputs: dict[str, IO[bytes] | Any] = {name: stack.enter_context(writing(target / name)) for name in counts}
            for output in outputs.values():
                output.write(self.head)
            for _, line, query, _ in self.records():
                if query is None:
                    continue
                # The last line of a file may lack its end, and another may follow it now.
                whole = line if line.endswith(b"\n") else line + b"\n"
                for name in files[self.place[query]]:
                    outputs[name].write(whole)
                    counts[name] += 1
        return counts


def _several(name: str, column: str | None, one: object, other: object, place: str) -> DataError:
    what = f"list '{name}' has several values of {column} ({one} and {other})"
    return DataError(
        message(what, place=place, hint="lists are divided whole, by what all rows of a list have in common.")
    )


def text_or_parquet(
    source: Path, query: str | None, column: str | None, skip_bad_lines: bool
) -> TextRows | ParquetRows:
    # The engine of tables is no part of reading text.
    from rankwise.data.formats.doors import is_table

    if source.suffix == ".zst":
        raise DataError(message("a file packed as .zst is not divided", place=str(source), hint="unpack it first."))
    if source.suffix == ".parquet":
        return ParquetRows(source, query, column)
    if is_table(source):
        return _delimited(source, query, column, skip_bad_lines)
    if query is not None or skip_bad_lines:
        what = "the column of queries" if query is not None else "leaving out lines that cannot be read"
        raise DataError(message(f"{what} belongs to tables; this is read as LETOR text", place=str(source)))
    start = None if column is None else _start_of(column)
    return TextRows(path=source, column=f"feature {column}", records=lambda: _letor(source, start))


# LETOR text.


def _letor(path: Path, start: bytes | None) -> Iterator[Row]:
    with unpacked(path) as file:
        for number, line in enumerate(file, 1):
            whole = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
            words = whole.split(None, 2)
            if not words or words[0].startswith(b"#"):
                yield number, whole, None, None
                continue
            if len(words) < 2 or not words[1].startswith(b"qid:") or len(words[1]) == 4:
                hint = "a line of LETOR text is `label qid:ID index:value …`."
                raise DataError(message("there is no query id", place=f"{path}, line {number}", hint=hint))
            value = None if start is None else _value(whole, start, f"{path}, line {number}")
            yield number, whole, words[1][4:], value


def _start_of(feature: str) -> bytes:
    if not feature.isascii() or not feature.isdigit() or feature.startswith("0"):
        hint = "the columns of LETOR text are its features, counted from 1."
        raise DataError(message(f"'{feature}' is no feature of LETOR text", hint=hint))
    return feature.encode() + b":"


def _value(line: bytes, start: bytes, place: str) -> float:
    """A feature's value; 0 if the line leaves it out."""
    word = next((word for word in line.partition(b"#")[0].split() if word.startswith(start)), start + b"0")
    try:
        # As a dataset holds it.
        value = float(np.float32(word[len(start) :]))
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        shown = word.decode("utf-8", "backslashreplace")
        raise DataError(message(f"the value of a feature must be a number: {shown!r}", place=place))
    return value


# Delimited text.


def _delimited(path: Path, query: str | None, column: str | None, skip_bad_lines: bool) -> TextRows:
    from rankwise.data.formats.column_names import chosen, refuse_unknown
    from rankwise.data.formats.engine import DELIMITERS

    with unpacked(path) as file:
        head = next(_joined(file), (0, b""))[1]
    line = head.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "backslashreplace")
    if not line.strip():
        raise DataError(message("the file is empty", place=str(path)))
    delimiter = max(DELIMITERS, key=line.count)
    names = [name.strip() for name in next(csv.reader([line], delimiter=delimiter))]
    refuse_unknown([] if column is None else [column], names, str(path))
    places = [names.index(name) for name in (str(chosen("query", query, names, str(path))), column) if name is not None]
    text = TextRows(path=path, column=f"'{column}'", records=lambda: records(), head=head)

    def records() -> Iterator[Row]:
        text.skipped = 0
        with unpacked(path) as file:
            for number, record in _joined(file):
                if number == 1 or not record.strip():
                    if number > 1:
                        yield number, record, None, None
                    continue
                fields = _fields(record, delimiter)
                if len(fields) != len(names):
                    if not skip_bad_lines:
                        what = f"{len(fields)} fields where the first line has {len(names)}"
                        what = what if fields else "a quotation mark is not closed"
                        hint = (
                            "a line that was cut off can be left out with `skip_bad_lines=True`, or --skip-bad-lines."
                        )
                        raise DataError(message(what, place=f"{path}, line {number}", hint=hint))
                    text.skipped += 1
                    continue
                found = [fields[place] for place in places]
                if not found[0]:
                    raise DataError(message("there is no query id", place=f"{path}, line {number}"))
                yield number, record, found[0], found[1].decode("utf-8", "backslashreplace") if column else None

    return text


def _joined(file: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Records, each with the number of its first line: a line break within quotation marks does not end one."""
    record, first = b"", 1
    for number, line in enumerate(file, 1):
        if not record:
            first = number
        record += line
        if record.count(b'"') % 2 == 0:
            yield first, record
            record = b""
    if record:
        yield first, record


def _fields(record: bytes, delimiter: str) -> list[bytes]:
    if b'"' not in record:
        return record.rstrip(b"\r\n").split(delimiter.encode())
    text = record.decode("utf-8", "surrogateescape")
    try:
        words = next(csv.reader([text], delimiter=delimiter))
    except csv.Error:
        # A quotation mark that is not closed makes the rest of the file one field, which may be too long a one.
        return []
    return [word.encode("utf-8", "surrogateescape") for word in words]


def _times(lists: _Lists, path: Path) -> list[float]:
    """Times as numbers: numbers as they are, dates by ISO 8601 as seconds."""
    return [_time(value, name, path) for value, name in zip(lists.values, lists.names, strict=True)]


def _time(value: Any, name: str, path: Path) -> float:
    if isinstance(value, str):
        for reading in (float, datetime.fromisoformat):
            try:
                value = reading(value.strip())
                break
            except ValueError:
                continue
    if isinstance(value, datetime):
        # A time without a zone is as good as any other of its file.
        value = (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    if not isinstance(value, (int, float)) or not isfinite(value):
        hint = "times are numbers, or dates as 2026-01-31 or 2026-01-31 12:00:00."
        raise DataError(message(f"list '{name}': {value!r} is no time", place=str(path), hint=hint))
    return value


# Parquet.

# No column of a table is called this.
ROW = '"row of the file"'


class ParquetRows:
    """A Parquet file, a document a row."""

    def __init__(self, path: Path, query: str | None, column: str | None) -> None:
        self.path = path
        self.query = query
        self.column = column

    def lists(self) -> _Lists:
        from rankwise.data.formats import engine
        from rankwise.data.formats.column_names import chosen, refuse_unknown

        lists = _Lists()
        with engine.opened(self.path) as table:
            names = [*table.types]
            refuse_unknown([] if self.column is None else [self.column], names, table.place)
            self.query = str(chosen("query", self.query, names, table.place))
            value = "NULL" if self.column is None else engine.quoted(self.column)
            numbered = f"SELECT row_number() OVER () AS n, {engine.quoted(self.query)} AS q, {value} AS v"
            wanted = "q::VARCHAR, min(v), max(v), count(*) - count(v), count(*)"
            with table.refusals():
                found = table._rows(f"{wanted} FROM ({numbered} FROM {table.source}) GROUP BY q ORDER BY min(n)")
        for name, least, greatest, absent, rows in found:
            if name is None:
                raise DataError(message("there are rows without a query id", place=str(self.path)))
            if self.column is not None and (least != greatest or absent not in (0, rows)):
                raise _several(name, f"'{self.column}'", least, greatest, str(self.path))
            lists.names.append(name)
            lists.values.append(_plain(least))
            lists.rows += rows
        if not lists.rows:
            raise DataError(message("there are no rows", place=str(self.path)))
        return lists

    def write(self, target: Path, files: list[list[str]]) -> dict[str, int]:
        from rankwise.data.formats import engine

        names = list(dict.fromkeys(name for of in files for name in of))
        counts = {}
        with engine.opened(self.path) as table, ExitStack() as stack, table.refusals():
            query = engine.quoted(str(self.query))
            rows = f"SELECT *, row_number() OVER () AS {ROW} FROM {table.source}"
            lists = (
                f"SELECT {query}, row_number() OVER (ORDER BY min({ROW})) - 1 AS place FROM numbered GROUP BY {query}"
            )
            given = f"WITH numbered AS ({rows}), lists AS ({lists})"
            for name in names:
                part = stack.enter_context(placing(target / name))
                chosen = ", ".join(str(at) for at, of in enumerate(files) if name in of)
                taken = f"SEMI JOIN (SELECT * FROM lists WHERE place IN ({chosen})) USING ({query})"
                copied = f"{given} SELECT * EXCLUDE ({ROW}) FROM (FROM numbered {taken} ORDER BY {ROW})"
                to = engine.literal(str(part))
                found = table.connection.execute(f"COPY ({copied}) TO {to} (FORMAT parquet)").fetchone()
                counts[name] = int(found[0]) if found else 0
        return counts


def _plain(value: Any) -> Any:
    """What the engine gives for a day is a date without an hour."""
    return value.isoformat() if hasattr(value, "isoformat") and not isinstance(value, datetime) else value


# Names of files.


def _fold_parts(folds: int | None) -> list[str]:
    if folds is None or isinstance(folds, bool) or not isinstance(folds, int) or folds < 3:
        raise DataError(message(f"the number of folds must be a whole number from 3, not {folds!r}"))
    return [f"S{part}" for part in range(1, folds + 1)]


Files = dict[str, frozenset[int]]
"""Of each file the parts whose lists go there."""


def _files(shares: Mapping[str, Any], suffix: str) -> Files:
    for name in shares:
        if not name or name.startswith(".") or any(mark in name for mark in '/\\:*?"<>|\0'):
            raise DataError(message(f"a part cannot be called '{name}': its file would have that name"))
    return {f"{name}{suffix}": frozenset({part}) for part, name in enumerate(shares)}


def _fold_files(folds: int, suffix: str) -> Files:
    files: Files = {}
    for fold in range(1, folds + 1):
        learnt, chosen, judged = cyclic(fold, folds)
        for name, parts in (("train", learnt), ("validation", [chosen]), ("test", [judged])):
            files[f"Fold{fold}/{name}{suffix}"] = frozenset(parts)
    return files


def _refuse_overwriting(source: Path, target: Path, names: Iterable[str], *, overwrite: bool) -> None:
    for place in (target / name for name in names):
        if place.exists() and (not overwrite or place.samefile(source)):
            hint = "choose another folder." if overwrite else "choose another folder, or say `overwrite`."
            raise DataError(message("there is such a file already", place=str(place), hint=hint))
