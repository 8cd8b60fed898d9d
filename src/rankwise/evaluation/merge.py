"""One result from results of parts of the lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

from rankwise.data.ids import Ids
from rankwise.errors import DataError, MeasureError, message
from rankwise.evaluation.columns import Evaluated, Joined, joined
from rankwise.evaluation.groups import Groups
from rankwise.evaluation.result import Result

__all__ = ["merge_results"]

Part = TypeVar("Part")


def merge_results(parts: Iterable[Result], *, name: str | None = None) -> Result:
    """The result of all lists, from results of disjoint parts of them under the same measures.

    Means, errors, intervals and counts are the same bits as those of one evaluation of all lists, in whatever order
    the parts come.

    >>> from rankwise import evaluate
    >>> first = evaluate([1, 0], [1.0, 2.0], "RR", qid=["a", "a"])
    >>> second = evaluate([1, 0], [2.0, 1.0], "RR", qid=["b", "b"])
    >>> merge_results([first, second])["RR"].mean
    0.75
    """
    given = list(parts)
    if not given:
        raise DataError(message("there are no results to merge"))
    for part in given:
        if not isinstance(part, Result):
            raise MeasureError(message(f"results are merged, not {type(part).__name__}"))
    first = given[0]
    for part in given[1:]:
        _refuse_other_measures(first, part)
    _refuse_common_queries(given)
    about = _joined([part.evaluated for part in given])
    columns = zip(*([(o.values, o.flags) for o in part] for part in given), strict=True)
    return Result(
        about,
        [(outcome.given, outcome.measure) for outcome in first],
        columns=[joined(column) for column in columns],
        name=first.name if name is None else name,
        show_bounds=first.show_bounds,
        show_bootstrap=first.show_bootstrap,
    )


def _refuse_other_measures(first: Result, part: Result) -> None:
    if len(first) != len(part):
        raise MeasureError(message(f"results of {len(first)} and of {len(part)} measures cannot be merged"))
    for one, other in zip(first, part, strict=True):
        if one.measure != other.measure:
            axes = one.measure.convention.differences(other.measure.convention)
            why = "".join(f"; {axis}: {mine!r} and {theirs!r}" for axis, (mine, theirs) in axes.items())
            what = f"results of {one.measure} and of {other.measure} cannot be merged{why}"
            raise MeasureError(message(what, hint="evaluate the parts under the same measures, in the same order."))
    if first.evaluated.keep != part.evaluated.keep:
        raise MeasureError(message("results that looked at different numbers of documents (keep=) cannot be merged"))


def _refuse_common_queries(parts: Sequence[Result]) -> None:
    if any(part.evaluated.queries is None for part in parts):
        raise DataError(message("results without query ids cannot be merged", hint="evaluate with qid=."))
    query, times = Counter(query for part in parts for query in part.queries).most_common(1)[0] if parts else ("", 0)
    if times > 1:
        hint = "parts have no list in common; lists given by group= need ids of their own, qid=."
        raise DataError(message(f"query '{query}' is in {times} of the results", hint=hint))


def _joined(parts: Sequence[Evaluated]) -> Evaluated:
    first = parts[0]
    weights = _all_or_none([part.weights for part in parts], "weights")
    groups = _all_or_none([part.groups for part in parts], "groups")
    if any(part.judged_run != first.judged_run for part in parts):
        raise DataError(message("results of judged runs and of datasets cannot be merged"))
    return Evaluated(
        sum(map(len, parts)),
        Joined(parts),
        queries=Ids.of(query for part in parts for query in part.queries or ()),
        unknown_queries=_unknown(parts) if first.judged_run else None,
        weights=None if weights is None else np.concatenate(weights),
        groups=None if groups is None else Groups.joined(groups),
        judged_run=first.judged_run,
        keep=first.keep,
        threads=first.threads,
    )


def _unknown(parts: Sequence[Evaluated]) -> Ids:
    """Queries that no part judged: what one part does not know may be another's."""
    known = {query for part in parts for query in part.queries or ()}
    unknown = {query for part in parts for query in part.unknown_queries or ()}
    return Ids.of(sorted(unknown - known))


def _all_or_none(found: Sequence[Part | None], what: str) -> list[Part] | None:
    """What all parts have, None if no part has it."""
    having = [one for one in found if one is not None]
    if having and len(having) < len(found):
        raise DataError(message(f"{len(having)} of {len(found)} results have {what}", hint="all of them or none."))
    return having or None
