"""Bytes to qrels and runs, and back to the oracle's form."""

from __future__ import annotations

from oracles import trec as oracle
from rankwise import _kernels
from rankwise.data.judgments import Qrels, Run


def qrels_of(content: bytes, threads: int | None = None) -> Qrels:
    return Qrels._of_table(_kernels.read_qrels(_kernels.Text.from_bytes("qrels.txt", content), threads))


def run_of(content: bytes, threads: int | None = None) -> Run:
    table = _kernels.read_run(_kernels.Text.from_bytes("run.txt", content), threads)
    run = Run._of_table(table)
    run.name = table.tag.decode("utf-8", "backslashreplace")
    return run


def raw(lists: Qrels | Run) -> oracle.Lists:
    """Query → document → value, in bytes, in order."""
    table = lists._table
    at, ends = table.text.at, table.offsets.tolist()
    rows = [
        (at(document), value) for document, value in zip(table.documents.tolist(), table.values.tolist(), strict=True)
    ]
    return {at(q): dict(rows[start:end]) for q, start, end in zip(table.queries.tolist(), ends, ends[1:], strict=False)}
