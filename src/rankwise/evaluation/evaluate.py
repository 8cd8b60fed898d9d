"""`evaluate`: one function for all inputs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rankwise.errors import MeasureError, RankwiseError, message
from rankwise.evaluation.lists import Lists
from rankwise.evaluation.result import Result
from rankwise.measures.base import Measure
from rankwise.measures.convention import Convention

__all__ = ["DEFAULT", "chosen_measures", "evaluate"]

# What is computed where no measure is named; a preset may have its own.
DEFAULT = ("nDCG@10", "AP", "RR", "P@10")
DEFAULT_OF = {"hotels": ("nDCG@5",)}


def evaluate(
    judgments: Any,
    scores: Any = None,
    measures: Measure | str | Iterable[Measure | str] | None = None,
    *,
    qid: Any = None,
    group: Any = None,
    convention: Convention | str | None = None,
    weights: Any = None,
    document_weights: Any = None,
    by: Any = None,
    bounds: bool = False,
    bootstrap: bool = False,
    name: str = "",
    keep: int | None = None,
    threads: int | None = None,
) -> Result:
    """Evaluates one ranking of lists under measures, each with its convention.

    `judgments` and `scores` are one of

    - a `Dataset` and one score a row, in the order in which the caller gave the rows, or the name of its column;
    - a frame (pandas, Polars, pyarrow, DuckDB) that holds both and the name of the column of scores;
    - arrays of labels and scores, cut into lists by `qid=` (a query id a row, rows in any order) or `group=` (sizes);
    - qrels and a run: `Qrels` and `Run`, frames, paths of TREC files or of tables, or `{query: {document: label}}` and
      the same of scores;
    - a `JudgedRun` alone.

    `measures` are `Measure`s or their texts; `convention` (default `standard`) is that of texts without a prefix.
    Without `measures`: nDCG@10, AP, RR and P@10, or those of them that the tool named as `convention` computes.
    `weights` are one a list, in the order in which queries first appear, or {query: weight}; every mean is then a
    weighted one. `document_weights` are one a row; what a document counts is multiplied by its weight, and measures for
    which that means nothing refuse it.
    `by` makes a breakdown by groups of lists, `result.groups`: an array with one group a list or a row, {query: group},
    or the name of a column of a `Dataset`.
    `bounds=True` shows the best and the worst case over ties, `bootstrap=True` the bootstrap interval of each mean.
    `keep` looks at that many documents of each list only (which needs an order of ties where scores are tied).

    >>> labels, scores, qid = [3, 0, 1, 0, 2], [0.5, 0.4, 0.3, 0.2, 0.2], [1, 1, 1, 2, 2]
    >>> result = evaluate(labels, scores, ["nDCG@10", "letor4:nDCG@10"], qid=qid)
    >>> round(result["nDCG@10"].mean, 4), result["nDCG@10"].counts.tied, result["letor4:nDCG@10"].mean
    (0.8992, 1, 0.0)
    """
    for what, count in {"keep": keep, "threads": threads}.items():
        if count is not None and (isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1):
            raise RankwiseError(message(f"{what} must be a whole number from 1, not {count!r}"))
    chosen = chosen_measures(measures, convention)
    lists = Lists.of(
        judgments,
        scores,
        qid=qid,
        group=group,
        weights=weights,
        document_weights=document_weights,
        by=by,
        threads=threads,
    )
    lists.refuse_strangers()
    return Result(lists, chosen, name=name, keep=keep, show_bounds=bounds, show_bootstrap=bootstrap)


def chosen_measures(
    wanted: Measure | str | Iterable[Measure | str] | None, convention: Convention | str | None
) -> list[tuple[str, Measure]]:
    """Each measure with its text as it was given."""
    if wanted is None:
        wanted = _default(convention)
    if isinstance(wanted, (Measure, str)) or not isinstance(wanted, Iterable):
        wanted = [wanted]
    from rankwise.measures.parse import measures as parse

    wanted = list(wanted)
    chosen: list[tuple[str, Measure]] = []
    for one in wanted:
        if isinstance(one, Measure):
            chosen.append((str(one), one))
        elif isinstance(one, type) and issubclass(one, Measure):
            chosen.append((str(one()), one()))
        elif isinstance(one, str):
            found = parse(one, convention)
            chosen += [(one if len(found) == 1 else _range_member(one, m), m) for m in found]
        else:
            raise MeasureError(message(f"a measure or its text is wanted, not {one!r}"))
    if convention is not None and not any(isinstance(one, str) for one in wanted):
        hint = "give the measure as text, or make it with its convention: nDCG(5, convention='hotels')."
        raise MeasureError(message("`convention` is that of measures given as text; these carry their own", hint=hint))
    if not chosen:
        raise MeasureError(message("no measure is named", hint="leave `measures` out for nDCG@10, AP, RR and P@10."))
    return chosen


def _default(convention: Convention | str | None) -> list[str]:
    """What is computed where no measure is named; of a tool's convention, what the tool computes."""
    name = convention.name if isinstance(convention, Convention) else convention
    texts = DEFAULT_OF.get(str(name), DEFAULT)
    if not isinstance(convention, str):
        return list(texts)
    from rankwise.measures.tools import PRESETS, tool

    if convention in PRESETS:
        return list(texts)
    return [text for text in texts if text.partition("@")[0] in tool(convention).measures]


def _range_member(text: str, measure: Measure) -> str:
    return f"{text.partition('..')[0].rpartition('@')[0]}@{measure.k}"
