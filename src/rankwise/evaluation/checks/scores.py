"""RW5: scores that leave the order open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.evaluation.by_tool import by_tool
from rankwise.evaluation.checks.base import Finding, Mask, Subject, found, in_words, nouns
from rankwise.measures import nDCG

__all__ = ["check"]


def check(subject: Subject) -> Iterator[Finding]:
    scores = subject.scores
    if scores is None or len(scores) == 0:
        return
    bad = ~np.isfinite(scores)
    if bad.any():
        count, of = int(bad.sum()), len(bad)
        yield found(
            "RW502",
            f"{{n}} of {{of}} {nouns(of, 'score')} {nouns(count, 'is', 'are')} NaN or infinite",
            count,
            of,
            effects=["NaN has no place in an order: tools put it first, last, or anywhere; here it is refused"],
            hint="a ranker that returns NaN has usually been fed NaN.",
            examples=subject.rows(bad),
        )
    if not np.isnan(scores).any():
        yield from _ties(subject, scores)


def _ties(subject: Subject, scores: npt.NDArray[Any]) -> Iterator[Finding]:
    tied = _tied(subject, scores)
    if not tied.any():
        return
    constant = (subject.per_list(tied) > 1) & _one_score(subject, scores)
    if constant.any():
        count, of = int(constant.sum()), len(subject)
        yield found(
            "RW503",
            f"in {{n}} of {{of}} {nouns(of, 'list')} all scores are equal",
            count,
            of,
            effects=["the value of such a list is that of the order of ties"],
            hint="a ranker that cannot tell documents apart has often been given constant or missing features.",
            examples=subject.queries(constant),
        )
    count, of, lists = int(tied.sum()), len(tied), int((subject.per_list(tied) > 0).sum())
    orders = in_words(by_tool(lambda c: c.words("ties"), "nDCG", subject.k))
    yield found(
        "RW501",
        f"{{n}} of {{of}} {nouns(of, 'document')} in {lists:,} of {len(subject):,} {nouns(len(subject), 'list')} "
        f"{nouns(count, 'has', 'have')} the score of another",
        count,
        of,
        effects=[_bounds(subject, scores), f"order of ties: {orders}"],
        hint="`rankwise evaluate --bounds` shows what ties may do to each measure.",
        examples=subject.queries(subject.per_list(tied) > 0),
    )


def _tied(subject: Subject, scores: npt.NDArray[Any]) -> Mask:
    """Which documents have the score of another of their list."""
    order = np.lexsort((scores, subject.lists))
    same = (scores[order][1:] == scores[order][:-1]) & (subject.lists[order][1:] == subject.lists[order][:-1])
    tied = np.empty(len(scores), np.bool_)
    tied[order] = np.append(same, False) | np.append(False, same)
    return tied


def _one_score(subject: Subject, scores: npt.NDArray[Any]) -> Mask:
    sizes = np.diff(subject.data.offsets)
    some = sizes > 0
    starts = subject.data.offsets[:-1][some]
    one = np.zeros(len(sizes), np.bool_)
    one[some] = np.minimum.reduceat(scores, starts) == np.maximum.reduceat(scores, starts)
    return one


def _bounds(subject: Subject, scores: npt.NDArray[Any]) -> str:
    k = subject.k
    measures = [nDCG(k, negative="zero", ties=ties) for ties in ("worst", "best")]
    means = [subject.mean(values) for values in subject.columns(scores, measures)]
    if not means or means[0] == means[1]:
        return f"mean nDCG@{k} is {means[0]:.4f} in every order of them" if means else ""
    return f"mean nDCG@{k} lies between {means[0]:.4f} and {means[1]:.4f}"
