"""TREC files: qrels (`query iteration document relevance`) and runs (`query Q0 document rank score tag`).

Columns are parted by white space; blank lines and lines that begin with `#` are skipped; gzip is recognised.
Of a run the score alone decides, never the rank or the order of lines, as in trec_eval.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import numpy as np

from rankwise import _kernels
from rankwise.data.judgments import Qrels, Run, _Lists
from rankwise.errors import DataError, message

__all__ = ["read_qrels", "read_run", "write_qrels", "write_run"]


# A path, or a file that is being read already.
Place = str | os.PathLike[str] | _kernels.Reading


def read_qrels(path: Place, *, threads: int | None = None) -> Qrels:
    """Judgments from a file; `-` is standard input."""
    if isinstance(path, _kernels.Reading):
        return Qrels._of_table(path.table())
    return Qrels._of_table(_kernels.read_qrels(_kernels.Text.open(os.fspath(path)), threads))


def read_run(path: Place, *, threads: int | None = None) -> Run:
    """A run from a file; `-` is standard input."""
    if isinstance(path, _kernels.Reading):
        table = path.table()
    else:
        table = _kernels.read_run(_kernels.Text.open(os.fspath(path)), threads)
    run = Run._of_table(table)
    run.name = table.tag.decode("utf-8", "backslashreplace")
    return run


def write_qrels(path: str | os.PathLike[str], qrels: Qrels) -> None:
    """Writes judgments, packed if the name ends in `.gz`; `-` is standard output.

    The file appears whole or not at all.
    """
    rows = _rows(qrels)
    _write(path, (b"%s 0 %s %s\n" % (query, document, _text(value)) for query, document, _, value in rows))


def write_run(path: str | os.PathLike[str], run: Run) -> None:
    """Writes a run, each list by falling score (equal scores in the order they have), ranks counted from 1.

    Packed if the name ends in `.gz`; `-` is standard output. A run without a name gets the tag `rankwise`.
    """
    tag = (run.name or "rankwise").encode()
    if tag.split() != [tag]:
        raise DataError(message(f"the run's name {run.name!r} cannot be a tag", hint="a tag is one word."))
    rows = _rows(run, fall=True)
    line = b"%s Q0 %s %d %s %s\n"
    _write(path, (line % (query, document, rank, _text(value), tag) for query, document, rank, value in rows))


def _rows(lists: _Lists, *, fall: bool = False) -> Iterator[tuple[bytes, bytes, int, float]]:
    """Query, document, rank from 1 and value of each row."""
    table = lists._table
    at = table.text.at
    ends = table.offsets.tolist()
    for span, start, end in zip(table.queries.tolist(), ends, ends[1:], strict=False):
        query = _column(at(span), "query")
        values = table.values[start:end]
        documents = table.documents[start:end]
        if fall:
            order = np.argsort(-values, kind="stable")
            values, documents = values[order], documents[order]
        for rank, (document, value) in enumerate(zip(documents.tolist(), values.tolist(), strict=True), 1):
            yield query, _column(at(document), "document"), rank, value


# What a file must not begin with: a comment, byte order marks, gzip, zstd.
_BEGINNINGS = (b"#", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")


def _column(word: bytes, what: str) -> bytes:
    """Refuses an id that would not be read back."""
    if word.split() != [word] or (what == "query" and word.startswith(_BEGINNINGS)):
        shown = word.decode("utf-8", "backslashreplace")
        hint = "an id is not empty and has no white space; a query's does not begin with `#` or a byte order mark."
        raise DataError(message(f"the {what} id {shown!r} cannot stand in a TREC file", hint=hint))
    return word


def _text(value: float) -> bytes:
    """The shortest text that reads back as `value`; whole numbers without a point."""
    return (str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)).encode()


def _write(path: str | os.PathLike[str], lines: Iterable[bytes]) -> None:
    # Readers are in more of a hurry than writers, and do without these imports.
    from rankwise.data.formats.files import writing

    with writing(path) as file:
        file.writelines(lines)
