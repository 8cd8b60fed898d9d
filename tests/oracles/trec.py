"""TREC files and the join, slowly: dictionaries, one line after the other."""

from __future__ import annotations

import math
import re

NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
LONGEST = 65_535

Lists = dict[bytes, dict[bytes, float]]


class Refused(Exception):
    """The number of the first bad line; 0 for the file as a whole."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def qrels(content: bytes) -> Lists:
    return parse(content, columns=4, value=3, more=False)[0]


def run(content: bytes) -> tuple[Lists, bytes]:
    return parse(content, columns=6, value=4, more=True)


def parse(content: bytes, *, columns: int, value: int, more: bool) -> tuple[Lists, bytes]:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Refused(0)
    lists: Lists = {}
    tag = b""
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        words = line.split()
        if not words or words[0].startswith(b"#"):
            continue
        inner_return = len(words) > columns and b"\r" in line.removesuffix(b"\r")
        if len(words) < columns or inner_return or (len(words) > columns and not more):
            raise Refused(number)
        query, document = words[0], words[2]
        if len(query) > LONGEST or len(document) > LONGEST:
            raise Refused(number)
        if not NUMBER.fullmatch(words[value]) or not math.isfinite(float(words[value])):
            raise Refused(number)
        if document in lists.setdefault(query, {}):
            raise Refused(number)
        lists[query][document] = float(words[value])
        tag = words[5] if columns == 6 else b""
    if not lists:
        raise Refused(0)
    return lists, tag


def judge(judgments: Lists, results: Lists) -> dict[str, list[object]]:
    """Each list of the qrels: (document, score, label or None) if retrieved, (document, label) if not."""
    retrieved: list[object] = []
    unretrieved: list[object] = []
    for query, judged in judgments.items():
        answer = results.get(query, {})
        retrieved.append([(document, score, judged.get(document)) for document, score in answer.items()])
        unretrieved.append([(document, label) for document, label in judged.items() if document not in answer])
    return {
        "queries": list(judgments),
        "retrieved": retrieved,
        "unretrieved": unretrieved,
        "missing": [query not in results for query in judgments],
        "unknown": [query for query in results if query not in judgments],
    }
