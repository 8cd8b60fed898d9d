"""RW1: lists that cannot tell rankings apart, or that tools treat each in its own way."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankwise.evaluation.by_tool import by_tool, scoring_zero_if_short
from rankwise.evaluation.checks.base import Finding, Mask, Subject, found, in_words, nouns
from rankwise.measures import nDCG
from rankwise.measures.parse import measure

__all__ = ["check"]


def check(subject: Subject) -> Iterator[Finding]:
    yield from _empty(subject)
    if subject.is_ranked:
        yield from _short(subject)
        yield from _single_label(subject)
    yield from _interleaved(subject)
    yield from _missing(subject)


def _empty(subject: Subject) -> Iterator[Finding]:
    empty = subject.relevant == 0
    # That no list has any is a finding of labels.
    if not empty.any() or empty.all():
        return
    k, count, of = subject.k, int(empty.sum()), len(subject)
    values = by_tool(lambda c: "left out of the mean" if c.empty == "skip" else c.words("empty"), "nDCG", k)
    yield found(
        "RW101",
        f"{{n}} of {{of}} {nouns(of, 'list')} {nouns(count, 'has', 'have')} no relevant document",
        count,
        of,
        effects=[f"nDCG@{k} of such a list: {in_words(values)}", _means(subject, empty)],
        hint=f"remove them (`rankwise clean --drop empty`), or say what they count, as in nDCG(empty='skip')@{k}.",
        examples=subject.queries(empty),
    )


def _means(subject: Subject, empty: Mask) -> str:
    """How far the mean moves by the choice alone: with scores what it is, else the most that it can be."""
    k, share = subject.k, subject.mean(empty.astype(np.float64))
    scores = subject.usable_scores
    columns = [] if scores is None else subject.columns(scores, [nDCG(k, negative="zero")])
    if not columns:
        return f"by this choice alone the mean of one and the same ranking moves by up to {share:.4f}"
    counted = subject.mean(columns[0], ~empty)
    zero, one = counted * (1 - share), counted * (1 - share) + share
    return f"mean nDCG@{k} of these scores: {zero:.4f} if they count 0, {one:.4f} if 1, {counted:.4f} if left out"


def _short(subject: Subject) -> Iterator[Finding]:
    sizes = np.diff(subject.data.offsets)
    short = sizes < subject.k
    if not short.any():
        return
    k, count, of = subject.k, int(short.sum()), len(subject)
    over = by_tool(lambda c: c.words("p_over"), "P", k)
    lists = nouns(of, "list")
    yield found(
        "RW102",
        f"{{n}} of {{of}} {lists} {nouns(count, 'has', 'have')} fewer than {k} documents",
        count,
        of,
        effects=[
            f"0 for such a list, even in a perfect order: {', '.join(scoring_zero_if_short(k))}",
            _perfect(subject),
            f"P@{k} is over: {in_words(over)}",
        ],
        hint=f"a cut-off of {max(int(sizes.min()), 1)} leaves no list short; else name the tool with the number.",
        examples=subject.queries(short),
    )


def _perfect(subject: Subject) -> str:
    """What the best ranking there is scores where short lists score 0."""
    words = [] if subject.outside is not None else scoring_zero_if_short(subject.k)
    columns = subject.columns(np.nan_to_num(subject.data.labels, nan=-np.inf), [measure(word) for word in words])
    means = [f"{word} {subject.mean(values):.4f}" for word, values in zip(words, columns, strict=False)]
    return f"a perfect order of all lists gets {', '.join(means)}" if means else ""


def _single_label(subject: Subject) -> Iterator[Finding]:
    labels, starts = subject.data.labels, subject.data.offsets[:-1]
    if subject.outside is not None or len(labels) == 0:
        return
    single = np.minimum.reduceat(labels, starts) == np.maximum.reduceat(labels, starts)
    alike = single & (subject.relevant > 0)
    if not alike.any():
        return
    count, of, empty = int(alike.sum()), len(subject), int((subject.relevant == 0).sum())
    beside = f" (beside the {empty:,} without a relevant document)" if empty else ""
    yield found(
        "RW103",
        f"{{n}} of {{of}} {nouns(of, 'list')} {nouns(count, 'holds', 'hold')} one label only{beside}",
        count,
        of,
        effects=["every order of such a list is perfect: it raises the mean of every ranking alike"],
        hint="they teach a ranker nothing; `rankwise clean --drop single-label` removes them.",
        examples=subject.queries(alike),
    )


def _interleaved(subject: Subject) -> Iterator[Finding]:
    if subject.data.rows is None:
        return
    given = subject.data.in_callers_order(subject.lists)
    starts = np.flatnonzero(np.concatenate(([True], given[1:] != given[:-1])))
    apart = np.bincount(given[starts], minlength=len(subject)) > 1
    if not apart.any():
        return
    count, of = int(apart.sum()), len(subject)
    yield found(
        "RW104",
        f"the rows of {{n}} of {{of}} {nouns(of, 'query', 'queries')} are not next to each other",
        count,
        of,
        effects=[f"a tool for which each run of equal ids is a list sees {len(starts):,} lists, not {of:,}"],
        hint="here they are grouped; for other tools sort the file by query.",
        examples=subject.queries(apart),
    )


def _missing(subject: Subject) -> Iterator[Finding]:
    if subject.missing is not None and subject.missing.any():
        count, of = int(subject.missing.sum()), len(subject)
        yield found(
            "RW106",
            f"the run lacks {{n}} of {{of}} judged {nouns(of, 'query', 'queries')}",
            count,
            of,
            effects=[f"such a query: {in_words(by_tool(lambda c: c.words('missing'), 'nDCG', subject.k))}"],
            hint="check that run and judgments belong together.",
            examples=subject.queries(subject.missing),
        )
    if subject.unknown is not None and len(subject.unknown):
        count = len(subject.unknown)
        yield found(
            "RW107",
            f"nobody judged {{n}} of {{of}} {nouns(count, 'query', 'queries')} of the run",
            count,
            count + len(subject) - int(0 if subject.missing is None else subject.missing.sum()),
            effects=["they count nowhere"],
            examples=list(subject.unknown[:3]),
        )
