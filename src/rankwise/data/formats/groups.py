"""Files of two columns, query and group: which lists a breakdown puts together."""

from __future__ import annotations

import os

from rankwise.data.formats.files import PathLike, opened
from rankwise.errors import DataError, message

__all__ = ["read"]


def read(path: PathLike) -> dict[str, str]:
    """{query: group} of a file; `-` is standard input. Empty lines are passed over."""
    groups: dict[str, str] = {}
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        place = f"{os.fspath(path)}, line {number}"
        words = line.strip("\r\n").split("\t") if "\t" in line else line.split()
        words = [word.strip() for word in words]
        if len(words) != 2 or not all(words):
            hint = "each line has a query and its group, separated by a tab, or by blanks if neither has one."
            raise DataError(message("a query and its group are wanted, no more and no less", place=place, hint=hint))
        query, group = words
        if groups.setdefault(query, group) != group:
            what = f"query '{query}' is in the groups '{groups[query]}' and '{group}'"
            raise DataError(message(what, place=place))
    return groups


def _lines(path: PathLike) -> list[str]:
    try:
        return opened(path).content().decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        what = f"it is no UTF-8 ({error.reason} at byte {error.start:,})"
        raise DataError(message(what, place=os.fspath(path))) from None
