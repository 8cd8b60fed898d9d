"""LETOR text read slowly: one regular expression a line, numbers rounded with fractions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

NUMBER = rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
BLANK = rb"[ \t\r]"
QUERY = BLANK + rb"+qid:([^ \t\r\n]++)"
FEATURES = rb"((?:" + BLANK + rb"+[0-9]+:" + NUMBER + rb")*)"
COMMENT = BLANK + rb"*(?:#(.*))?"
LINE = re.compile(BLANK + rb"*(" + NUMBER + rb")" + QUERY + FEATURES + COMMENT, re.DOTALL)
NOTHING = re.compile(BLANK + rb"*(?:#.*)?", re.DOTALL)
DOCUMENT = re.compile(BLANK + rb"*docid" + BLANK + rb"*=" + BLANK + rb"*([^ \t\r\n]*)")
LARGEST = np.finfo(np.float32).max


class Refused(Exception):
    """The number of the first bad line, 0 for the whole file."""


@dataclass
class Read:
    labels: list[float] = field(default_factory=list)
    queries: list[bytes] = field(default_factory=list)
    documents: list[bytes] = field(default_factory=list)
    rows: list[dict[int, np.float32]] = field(default_factory=list)

    @property
    def features(self) -> np.ndarray:
        width = max((max(row, default=0) for row in self.rows), default=0)
        return np.array([[row.get(i, np.float32(0)) for i in range(1, width + 1)] for row in self.rows], np.float32)

    @property
    def order(self) -> list[int]:
        """Rows grouped by query, queries in the order in which they appear."""
        return [row for name in dict.fromkeys(self.queries) for row, query in enumerate(self.queries) if query == name]


def read(text: bytes, max_features: int = 100_000) -> Read:
    out = Read()
    for number, line in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if NOTHING.fullmatch(line):
            continue
        match = LINE.fullmatch(line)
        if not match:
            raise Refused(number)
        label, query, features, comment = match.groups()
        row = {}
        for word in features.split():
            index, value = word.split(b":")
            if not max([0, *row]) < int(index) <= max_features or not np.isfinite(float32(value.decode())):
                raise Refused(number)
            row[int(index)] = float32(value.decode())
        if not np.isfinite(float(label)):
            raise Refused(number)
        document = DOCUMENT.match(comment or b"")
        out.labels.append(float(label))
        out.queries.append(query)
        out.documents.append(document[1] if document else b"")
        out.rows.append(row)
    if not out.rows:
        raise Refused(0)
    return out


def float32(word: str) -> np.float32:
    """The nearest float32, the even one of two equally near: rounded once, which `np.float32(word)` is not."""
    sign = np.float32(-1 if word.startswith("-") else 1)
    # Exponents of many digits, which a fraction would write out.
    if float(word) in (0.0, float("inf"), float("-inf")):
        return sign * np.float32(abs(float(word)))
    value = abs(Fraction(word))
    # From half a step above the largest float32 on, the nearest is infinity.
    if value >= Fraction(2) ** 128 - Fraction(2) ** 103:
        return sign * np.float32(np.inf)
    # A float64 first, then a float32: off by one step at most.
    with np.errstate(over="ignore"):
        guess = min(np.float32(float(value)), LARGEST)
    near = [np.nextafter(guess, np.float32(0)), guess]
    if guess < LARGEST:
        near.append(np.nextafter(guess, LARGEST))
    return sign * min(near, key=lambda number: (abs(Fraction(float(number)) - value), int(number.view(np.uint32)) & 1))
