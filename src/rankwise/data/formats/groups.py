"""Files of two columns, query and group: which lists a breakdown puts together."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

from rankwise.data.formats.files import PathLike
from rankwise.errors import DataError, message

__all__ = ["read"]

_HINT = "each line has a query and its group, separated by a tab, or by blanks if neither has one."


def read(path: PathLike) -> dict[str, str]:
    """{query: group} of a file, plain or gzip; `-` is standard input. Empty lines are passed over."""
    groups: dict[str, str] = {}
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        place = f"{os.fspath(path)}, line {number}"
        words = line.strip("\r\n").split("\t") if "\t" in line else line.split()
        if len(words) != 2 or not all(word.strip() for word in words):
            raise DataError(message(f"there are {len(words)} columns, not two", place=place, hint=_HINT))
        query, group = (word.strip() for word in words)
        if groups.setdefault(query, group) != group:
            what = f"query '{query}' is in the groups '{groups[query]}' and '{group}'"
            raise DataError(message(what, place=place))
    return groups


def _lines(path: PathLike) -> list[str]:
    name = os.fspath(path)
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        packed = content.startswith(b"\x1f\x8b")
        return (gzip.decompress(content) if packed else content).decode("utf-8-sig").split("\n")
    except FileNotFoundError:
        raise DataError(message("no such file", place=name, hint="check the path.")) from None
    except (OSError, EOFError) as error:
        raise DataError(message(f"cannot be read ({error})", place=name)) from None
    except UnicodeDecodeError as error:
        raise DataError(message(f"it is no UTF-8 ({error.reason} at byte {error.start:,})", place=name)) from None
