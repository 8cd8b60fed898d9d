"""The table engine, DuckDB: opens a file or a frame, says which columns it has, and hands some of them over.

Columns come as an Arrow stream, which the kernels read: no value becomes a Python object.
The engine is imported when a table is opened, never before.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.data.formats.doors import is_frame, is_parquet
from rankwise.data.formats.files import PathLike, placing
from rankwise.errors import DataError, message

if TYPE_CHECKING:
    import duckdb

__all__ = ["Table", "kind", "literal", "opened", "quoted", "write_parquet"]

DELIMITERS = (",", "\t", ";", "|")
ABSENT = ("", "NULL", "null")
# Texts that stand for an absent number in columns of text.
ABSENT_NUMBERS = (*ABSENT, "NA", "N/A", "nan", "NaN", "None", "\\N", "?")
COMPRESSIONS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
OTHERWISE_PACKED = {b"PK\x03\x04": "zip", b"\xfd7zXZ\x00": "xz", b"BZh": "bzip2"}

WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "BOOLEAN")
NUMBERS = ("FLOAT", "DOUBLE", "UBIGINT", "HUGEINT", "UHUGEINT", "DECIMAL", '"NULL"', "BIGNUM", "VARINT")
TEXTS = ("VARCHAR", "ENUM", "UUID", "TIME", "TIME_NS", "TIMETZ", "INTERVAL", "JSON", "CHAR")


def kind(column_type: str) -> str:
    """What a column of an engine's type holds: `whole`, `number`, `time`, `text` or `nested`."""
    if column_type.endswith("]"):
        return "nested"
    if column_type.startswith(("TIMESTAMP", "DATE")):
        return "time"
    name = column_type.partition("(")[0]
    groups = {"whole": WHOLE, "number": NUMBERS, "text": TEXTS}
    return next((group for group, members in groups.items() if name.partition(" ")[0] in members), "nested")


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


class Table:
    """A table that is open: `types` says of each column, in the table's order, what the engine takes it for."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, place: str, first: int) -> None:
        self.connection = connection
        self.place = place
        self.first = first
        self.types: dict[str, str] = {}
        self.source = "source"
        self.rows = 0

    def read_as(self, types: Mapping[str, str]) -> None:
        """What a text file's columns are to be read as; a frame's and a Parquet file's types are their own."""

    def skipped_lines(self) -> int:
        """How many lines were left out so far because they could not be read."""
        return 0

    def columns(self, wanted: Sequence[tuple[str, str]], *, where: str = "") -> _kernels.TableColumns:
        """Columns as the kernels make them of SQL expressions and roles."""
        chosen = ", ".join(f"{expression} AS c{at}" for at, (expression, _) in enumerate(wanted))
        with self.refusals():
            stream = self._select(f"{chosen} FROM {self.source} {where}").__arrow_c_stream__()
            roles = [role for _, role in wanted]
            return _kernels.read_arrow(stream, roles, rows=self.rows, name=self.place, first=self.first)

    def first_text_that_is_no_number(self, name: str) -> tuple[int, str] | None:
        """The row and the text of a column of texts that no number can be made of."""
        column, absent = quoted(name), _texts(ABSENT_NUMBERS)
        odd = f"TRY_CAST(c AS DOUBLE) IS NULL AND trim(c) NOT IN ({absent})"
        rows = f"SELECT row_number() OVER () AS n, {column}::VARCHAR AS c FROM {self.source}"
        with self.refusals():
            found = self._rows(f"n, c FROM ({rows}) WHERE {odd} ORDER BY n LIMIT 1")
        return (int(found[0][0]) - 1, str(found[0][1])) if found else None

    def _select(self, rest: str) -> duckdb.DuckDBPyRelation:
        import duckdb

        relation = duckdb.sql(f"SELECT {rest}", connection=self.connection)
        assert relation is not None, "a SELECT is a relation"
        return relation

    def _rows(self, rest: str) -> list[Any]:
        """All rows of a small result: one that is not fetched to its end blocks the connection."""
        return self._select(rest).fetchall()

    def describe(self) -> dict[str, str]:
        relation = self._select(f"* FROM {self.source}")
        return dict(zip(relation.columns, map(str, relation.types), strict=True))

    @contextmanager
    def refusals(self) -> Iterator[None]:
        """The engine's errors in our words."""
        import duckdb

        try:
            yield
        except duckdb.Error as error:
            raise _refusal(str(error), self.place) from None
        except DataError as error:
            if "Error: " not in str(error):
                raise
            raise _refusal(str(error), self.place) from None


class _Parquet(Table):
    def __init__(self, connection: duckdb.DuckDBPyConnection, path: str) -> None:
        super().__init__(connection, path, 1)
        self.source = f"read_parquet({literal(_no_pattern(path))})"
        with self.refusals():
            self.types = self.describe()
            self.rows = int(self._rows(f"count(*) FROM {self.source}")[0][0])


class _Delimited(Table):
    """A file of delimited text, whose every line is to have as many fields as its first."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: str, *, skip_bad_lines: bool) -> None:
        super().__init__(connection, path, 1)
        self.path = literal(_no_pattern(path))
        self.skip_bad_lines = skip_bad_lines
        self.compression = _compression(path)
        with self.refusals():
            self.delimiter, names = self._header()
            self.types = self._sniffed(names)
        self.read_as(self.types)

    def read_as(self, types: Mapping[str, str]) -> None:
        self.types = {**self.types, **types}
        columns = ", ".join(f"{literal(name)}: {literal(kept)}" for name, kept in self.types.items())
        skipping = ", ignore_errors=true, store_rejects=true" if self.skip_bad_lines else ""
        dialect = f"{self._dialect()}, strict_mode=true, auto_detect=false{skipping}"
        self.source = f"read_csv({self.path}, {dialect}, columns={{{columns}}})"

    def skipped_lines(self) -> int:
        if not self.skip_bad_lines:
            return 0
        return int(self._rows("count(DISTINCT line) FROM reject_errors")[0][0])

    def _dialect(self) -> str:
        absent = f"[{_texts(ABSENT)}]"
        marks = f"delim={literal(self.delimiter)}, quote='\"', escape='\"', header=true, nullstr={absent}"
        return f"{marks}, compression='{self.compression}'"

    def _header(self) -> tuple[str, list[str]]:
        """The delimiter and the names, from the first line."""
        import csv

        # A line as one field: no text has this delimiter.
        whole = "delim='\x01', quote='', escape='', columns={'line': 'VARCHAR'}, auto_detect=false, header=false"
        options = f"{whole}, strict_mode=false, compression='{self.compression}'"
        found = self._rows(f"line FROM read_csv({self.path}, {options}) LIMIT 1")
        line = str(found[0][0] or "") if found else ""
        if not line.strip():
            raise DataError(message("the file is empty", place=self.place))
        delimiter = max(DELIMITERS, key=line.count)
        if line.count('"') % 2:
            what = "a name in the first line goes on in the next, or its quotation mark is not closed"
            raise DataError(message(what, place=f"{self.place}, line 1"))
        names = [name.strip() for name in next(csv.reader([line], delimiter=delimiter))]
        names = [name or f"column {at}" for at, name in enumerate(names, 1)]
        _refuse_twice(names, self.place)
        return delimiter, names

    def _sniffed(self, names: list[str]) -> dict[str, str]:
        import duckdb

        named = f"names=[{_texts(names)}]"
        source = f"read_csv({self.path}, {self._dialect()}, {named}, ignore_errors=true)"
        # Where the engine cannot say, or sees more columns than names, reading says what is wrong with which line.
        unknown = dict.fromkeys(names, "VARCHAR")
        try:
            types = [str(column_type) for column_type in self._select(f"* FROM {source}").types]
        except duckdb.Error:
            return unknown
        return dict(zip(names, types, strict=True)) if len(types) == len(names) else unknown


class _Frame(Table):
    def __init__(self, connection: duckdb.DuckDBPyConnection, frame: Any) -> None:
        super().__init__(connection, "", 0)
        names = getattr(frame, "column_names", None)
        _refuse_twice([str(name) for name in (getattr(frame, "columns", ()) if names is None else names)], "")
        with self.refusals():
            connection.register("source", frame if _is_pandas(frame) or isinstance(frame, dict) else _Stream(frame))
            self.types = self.describe()
        size = getattr(frame, "__len__", None)
        self.rows = size() if size is not None and not isinstance(frame, dict) else 0


class _Stream:
    """Nothing of an object but its Arrow stream: the engine needs no further package to read that."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


@contextmanager
def opened(source: Any, *, skip_bad_lines: bool = False, threads: int | None = None) -> Iterator[Table]:
    """A path, a frame or a dictionary of arrays as an open table."""
    connection = _connected(threads)
    try:
        yield _table(connection, source, skip_bad_lines)
    finally:
        connection.close()


def write_parquet(columns: Mapping[str, Any], path: PathLike) -> None:
    """Arrays of one length as a Parquet file, which appears under its name once it is complete."""
    with opened(columns) as table, placing(path) as part, table.refusals():
        table.connection.execute(f"COPY (SELECT * FROM {table.source}) TO {literal(str(part))} (FORMAT parquet)")


def _connected(threads: int | None) -> duckdb.DuckDBPyConnection:
    if threads is not None and threads < 1:
        raise DataError(message(f"threads must be a whole number from 1, not {threads}"))
    try:
        import duckdb
    except ImportError:
        hint = "pip install duckdb."
        raise DataError(message("tables need the package duckdb, which is not installed", hint=hint)) from None
    # Nothing is fetched from elsewhere while a file is read.
    config: dict[str, Any] = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    return duckdb.connect(config=config | ({"threads": threads} if threads is not None else {}))


def _table(connection: duckdb.DuckDBPyConnection, source: Any, skip_bad_lines: bool) -> Table:
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        _refuse_no_file(path)
        if path.lower().endswith(".parquet") or is_parquet(path):
            return _Parquet(connection, path)
        return _Delimited(connection, path, skip_bad_lines=skip_bad_lines)
    if isinstance(source, Mapping):
        return _Frame(connection, _columns(source))
    if is_frame(source):
        return _Frame(connection, source)
    hint = "give a path, a frame with Arrow's interface (pandas, Polars, pyarrow, DuckDB), or {name: array}."
    raise DataError(message(f"a table is wanted, not {type(source).__name__}", hint=hint))


def _columns(arrays: Mapping[Any, Any]) -> dict[str, Any]:
    """Arrays of one length, by name."""
    columns = {str(name): _plain(str(name), np.asarray(values)) for name, values in arrays.items()}
    if not columns:
        raise DataError(message("the table has no columns"))
    first, size = next(iter(columns)), next(iter(columns.values())).size
    for name, values in columns.items():
        if values.ndim != 1:
            raise DataError(message(f"column '{name}' must have 1 dimension, not {values.ndim}"))
        if len(values) != size:
            raise DataError(message(f"column '{name}' has {len(values):,} rows, column '{first}' has {size:,}"))
    return columns


def _plain(name: str, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array as the engine takes it: in a row, in this machine's order of bytes, texts and times of one kind."""
    kind = values.dtype.kind
    if kind in "cVm":
        raise DataError(message(f"column '{name}' is of type {values.dtype}, which is no column of numbers or texts"))
    if kind == "S":
        return np.char.decode(values, "utf-8", "backslashreplace")
    plain = np.dtype("datetime64[us]") if kind == "M" else values.dtype.newbyteorder("=")
    return np.ascontiguousarray(values, dtype=plain) if values.ndim else values


def _refuse_no_file(path: str) -> None:
    if path == "-":
        raise DataError(message("a table is not read from standard input", hint="give the path of a file."))
    if not os.path.exists(path):
        raise DataError(message("no such file", place=path, hint="check the path."))
    if os.path.isdir(path):
        raise DataError(message("is a directory, not a file", place=path))


def _refuse_twice(names: Sequence[str], place: str) -> None:
    known: dict[str, str] = {}
    for name in names:
        other = known.get(name.casefold())
        if other is not None:
            twice = f"two columns are called '{name}'"
            what = twice if other == name else f"the columns '{other}' and '{name}' differ in case alone"
            raise DataError(message(what, place=place, hint="rename or remove one of them."))
        known[name.casefold()] = name


def _is_pandas(source: object) -> bool:
    return type(source).__module__.partition(".")[0] == "pandas" and hasattr(source, "columns")


def _compression(path: str) -> str:
    with open(path, "rb") as file:
        start = file.read(6)
    packer = next((name for magic, name in OTHERWISE_PACKED.items() if start.startswith(magic)), None)
    if packer is not None:
        hint = "unpack it first; gzip and zstd are read as they are."
        raise DataError(message(f"is packed with {packer}", place=path, hint=hint))
    return next((name for magic, name in COMPRESSIONS.items() if start.startswith(magic)), "none")


def _no_pattern(path: str) -> str:
    """A path whose signs stand for themselves, not for any file."""
    return re.sub(r"[*?\[]", r"[\g<0>]", path)


def _texts(texts: Sequence[str]) -> str:
    return ", ".join(map(literal, texts))


def _refusal(text: str, place: str) -> DataError:
    """The first of what the engine says, with the line, and what to do."""
    text = re.sub(r"^.*?Error: ", "", text, count=1, flags=re.DOTALL)
    broken = re.search(r"reading the stream .*? failed: (?:Unknown error: )?(.*?)(?: Detail: |$)", text, re.DOTALL)
    if broken is not None:
        return DataError(message(f"the stream broke off: {_short(broken[1])}", place=place))
    line = re.search(r"CSV Error on Line: (\d+)\n", text)
    if line is None:
        if "end of GZIP stream" in text:
            hint = "copy or download it again."
            return DataError(message("the packed file is cut off", place=place, hint=hint))
        if "magic bytes" in text:
            what = "it begins or ends as no Parquet file does"
            return DataError(message(what, place=place, hint="it may be cut off: copy or download it again."))
        if "at least one column" in text:
            return DataError(message("the table has no columns", place=place))
        if "invalid state" in text:
            return DataError(message("ends of lines or quotation marks are of several kinds", place=place))
        return DataError(message(_short(text.strip().partition("\n")[0]), place=place))
    where = f"{place}, line {line[1]}"
    fields = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if fields:
        hint = "lines that cannot be read are left out with `skip_bad_lines=True` (`--skip-bad-lines`)."
        return DataError(message(f"{fields[2]} fields where the first line has {fields[1]}", place=where, hint=hint))
    value = re.search(r'converting column "(.*?)"\. Could not convert string "(.*?)" to \'(\w+)', text, re.DOTALL)
    if value:
        return DataError(message(f"column '{value[1]}': '{value[2]}' is no {_noun(value[3])}", place=where))
    if "unterminated quote" in text:
        return DataError(message("a quotation mark is not closed", place=where))
    if "unicode" in text:
        hint = "save the file as UTF-8, for example with `iconv`."
        return DataError(message("the text is not UTF-8", place=where, hint=hint))
    lines = [said for said in text.splitlines()[1:] if said and not said.startswith("Original Line")]
    return DataError(message(_short(lines[0] if lines else "the line cannot be read"), place=where))


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"


def _noun(column_type: str) -> str:
    return {"whole": "whole number", "number": "number", "time": "time"}.get(kind(column_type), column_type)
