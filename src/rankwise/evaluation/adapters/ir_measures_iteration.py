"""ir_measures: values as its `iter_calc` yields them, and its named tuples as judgments and runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, NamedTuple

from rankwise.data.judgments import Qrels, Run
from rankwise.errors import DataError, message
from rankwise.evaluation.adapters.base import Wanted, some_of
from rankwise.evaluation.evaluate import evaluate
from rankwise.measures.base import Measure

__all__ = ["Metric", "ir_measures"]


class Metric(NamedTuple):
    """The value of one measure for one query."""

    query_id: str
    measure: Measure
    value: float


def ir_measures(measures: Wanted, qrels: Any, run: Any) -> Iterator[Metric]:
    """The value of each measure for each judged query, query by query.

    `qrels` and `run` are all that `evaluate` takes, and rows with `query_id`, `doc_id` and `relevance` or `score`:
    ir_measures' own `Qrel` and `ScoredDoc`, or a pandas frame of such columns. A query that the convention leaves out
    of the mean is left out here, so that the mean of what comes is the mean.

    >>> for found in ir_measures(["nDCG@10", "RR"], {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.5, "d2": 0.7}}):
    ...     print(found.query_id, found.measure, round(found.value, 4))
    q1 nDCG@10 0.6309
    q1 RR 0.5
    """
    result = evaluate(_nested(qrels, "relevance"), _nested(run, "score"), list(some_of(measures)))
    for at, query in enumerate(result.queries):
        for outcome in result:
            value = float(outcome.values[at])
            if not math.isnan(value) or outcome.measure.convention.empty == "nan":
                yield Metric(query, outcome.measure, value)


def _nested(given: Any, value: str) -> Any:
    """What `evaluate` takes: as it is, or made of rows with names."""
    if isinstance(given, (Mapping, Qrels, Run, str, PathLike)):
        return given
    rows: Iterable[Any] = given.itertuples(index=False) if hasattr(given, "itertuples") else given
    nested: dict[str, dict[str, float]] = {}
    for row in rows:
        if not all(hasattr(row, name) for name in ("query_id", "doc_id", value)):
            hint = f"give {{query: {{document: {value}}}}}, a path, or rows with query_id, doc_id and {value}."
            raise DataError(message(f"{row!r:.80} has no query_id, doc_id and {value}", hint=hint))
        documents = nested.setdefault(row.query_id, {})
        if row.doc_id in documents:
            raise DataError(message(f"document '{row.doc_id}' of query '{row.query_id}' has two values of {value}"))
        documents[row.doc_id] = getattr(row, value)
    return nested
