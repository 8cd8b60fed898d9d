"""RW3: features that say nothing, the same twice, or too much."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from rankwise.data.duplicates import equal_columns
from rankwise.evaluation.by_tool import by_tool
from rankwise.evaluation.checks.base import Finding, Subject, found, in_words, nouns
from rankwise.measures import MEASURES

__all__ = ["LEAK", "LISTS", "check", "pair_shares", "tied_documents"]

# A feature tells the labels if it puts this share of the pairs of a list in their order, or in the reverse of it …
LEAK = 0.99
# … as the mean over so many lists at least: in fewer, one of many features does so by chance.
LISTS = 10
# More levels of labels than these are looked at in steps.
LEVELS = 5
# Features are called tied if they tie this share of the documents with another of their list.
TIED = 0.9

ROWS_AT_ONCE = 1 << 16

Table = npt.NDArray[np.float32]


def check(subject: Subject) -> Iterator[Finding]:
    table = subject.data.features
    if table is None or table.size == 0:
        return
    least, greatest = np.fmin.reduce(table, axis=0), np.fmax.reduce(table, axis=0)
    absent = _missing(table)
    yield from _infinite(subject, table, np.isinf(least) | np.isinf(greatest))
    yield from _absent(subject, absent)
    constant = ((least == greatest) & (absent == 0)) | np.isnan(least)
    yield from _constant(subject, constant)
    yield from _equal(subject, table, constant)
    within = _constant_within(subject, table)
    yield from _of_the_query(subject, within & ~constant)
    yield from _telling(subject, table, np.flatnonzero(~within))
    if subject.scores is None:
        yield from _tied(subject, table, np.flatnonzero(~within))


def pair_shares(subject: Subject, scores: npt.NDArray[np.floating]) -> list[tuple[float, float, int]]:
    """How well any scores tell labels: level of label, AUC of "at least that label" as a mean over lists, lists."""
    levels = np.unique(subject.data.labels[~np.isnan(subject.data.labels)])[1:]
    chosen = levels[np.unique(np.linspace(0, len(levels) - 1, LEVELS).astype(int))] if len(levels) else levels
    measures = [MEASURES["AUC"](rel=float(level), negative="as is", empty="nan", ideal="list") for level in chosen]
    shares = []
    for level, values in zip(chosen, subject.unweighted(scores, measures), strict=False):
        known = values[~np.isnan(values)]
        if len(known):
            shares.append((float(level), float(known.mean()), len(known)))
    return shares


def _missing(table: Table) -> npt.NDArray[np.int64]:
    """How often each feature is missing."""
    counts = np.zeros(table.shape[1], np.int64)
    for start in range(0, len(table), ROWS_AT_ONCE):
        counts += np.isnan(table[start : start + ROWS_AT_ONCE]).sum(axis=0)
    return counts


def _infinite(subject: Subject, table: Table, features: npt.NDArray[np.bool_]) -> Iterator[Finding]:
    if features.any():
        infinite = np.isinf(table[:, features])
        yield found(
            "RW306",
            f"{{n}} of {{of}} values of features {nouns(int(infinite.sum()), 'is', 'are')} infinite",
            int(infinite.sum()),
            table.size,
            hint="no learner can use them; mend the rows or leave them out.",
            examples=subject.rows(np.logical_or.reduce(infinite, axis=1)),
        )


def _absent(subject: Subject, absent: npt.NDArray[np.int64]) -> Iterator[Finding]:
    if absent.any():
        features, rows = np.flatnonzero(absent), len(subject.data.labels)
        yield found(
            "RW304",
            f"{{n}} of {{of}} values are missing, in {len(features):,} {nouns(len(features), 'feature')}",
            int(absent.sum()),
            rows * len(absent),
            hint="trees take NaN as it is, other learners need a value.",
            examples=[
                f"{name} {absent[at] / rows:.1%}"
                for at, name in zip(features[:3], subject.feature_names(features[:3].tolist()), strict=True)
            ],
        )


def _constant(subject: Subject, constant: npt.NDArray[np.bool_]) -> Iterator[Finding]:
    if constant.any():
        count, of = int(constant.sum()), len(constant)
        yield found(
            "RW301",
            f"{{n}} of {{of}} {nouns(of, 'feature')} {nouns(count, 'has', 'have')} one value only",
            count,
            of,
            effects=["a ranking by it is a ranking by the order of ties"],
            hint="leave them out, unless other files have more values.",
            examples=subject.feature_names(np.flatnonzero(constant)[:6].tolist()),
        )


def _equal(subject: Subject, table: Table, constant: npt.NDArray[np.bool_]) -> Iterator[Finding]:
    varied = np.flatnonzero(~constant)
    pairs = [(int(varied[later]), int(varied[first])) for later, first in equal_columns(table[:, varied])]
    if pairs:
        count, of = len(pairs), table.shape[1]
        yield found(
            "RW302",
            f"{{n}} of {{of}} {nouns(of, 'feature')} {nouns(count, 'equals', 'equal')} another in every row",
            count,
            of,
            hint="leave them out: they share the weight of the other and make importances wrong.",
            examples=[f"{later} = {first}" for later, first in (subject.feature_names(pair) for pair in pairs[:6])],
        )


def _constant_within(subject: Subject, table: Table) -> npt.NDArray[np.bool_]:
    """Which features have one value in each list."""
    starts = subject.data.offsets[:-1]
    same = np.fmin.reduceat(table, starts) == np.fmax.reduceat(table, starts)
    absent = np.add.reduceat(np.isnan(table), starts, dtype=np.int64)
    sizes = np.diff(subject.data.offsets).reshape(-1, 1)
    whole: npt.NDArray[np.bool_] = ((same & (absent == 0)) | (absent == sizes)).all(axis=0)
    return whole


def _of_the_query(subject: Subject, within: npt.NDArray[np.bool_]) -> Iterator[Finding]:
    if within.any():
        count, of = int(within.sum()), len(within)
        yield found(
            "RW305",
            f"{{n}} of {{of}} {nouns(of, 'feature')} {nouns(count, 'is', 'are')} constant within every list",
            count,
            of,
            effects=["such a feature alone orders nothing; a linear ranker cannot use it"],
            hint="they describe the query: keep them for trees and networks.",
            examples=subject.feature_names(np.flatnonzero(within)[:6].tolist()),
        )


def _telling(subject: Subject, table: Table, features: npt.NDArray[np.intp]) -> Iterator[Finding]:
    telling: dict[int, tuple[float, float, int]] = {}
    for at in features.tolist():
        shares = [share for share in pair_shares(subject, _as_scores(table[:, at])) if share[2] >= LISTS]
        best = max(shares, key=lambda share: abs(share[1] - 0.5), default=None)
        if best is not None and abs(best[1] - 0.5) >= LEAK - 0.5:
            telling[at] = best
    if telling:
        count, of = len(telling), table.shape[1]
        names = subject.feature_names([*telling])
        yield found(
            "RW303",
            f"{{n}} of {{of}} {nouns(of, 'feature')} {nouns(count, 'tells', 'tell')} the labels: in the mean over "
            f"lists {LEAK:.0%} of the pairs or more are in the order of the labels, or in its reverse",
            count,
            of,
            effects=["every measure of a ranker trained on it is too good to be true, under every convention"],
            hint="find out whether it is known before the label is; if not, leave it out.",
            examples=[
                f"{name}: AUC {share:.4f} of labels from {level:g} in {lists:,} lists"
                for name, (level, share, lists) in zip(names, telling.values(), strict=True)
            ][:6],
        )


def _as_scores(column: Table) -> Table:
    """A feature as scores: what is missing stands last."""
    return np.where(np.isnan(column), np.float32(-np.inf), column)


def _tied(subject: Subject, table: Table, features: npt.NDArray[np.intp]) -> Iterator[Finding]:
    if len(features) == 0:
        return
    shares = np.array([tied_documents(subject, table[:, at]) for at in features]) / len(table)
    most = shares >= TIED
    if most.any():
        count, of = int(most.sum()), table.shape[1]
        kinds = by_tool(lambda c: c.words("ties"), "nDCG", subject.k)
        yield found(
            "RW307",
            f"{{n}} of {{of}} {nouns(of, 'feature')} {nouns(count, 'ties', 'tie')} {TIED:.0%} of the documents or more "
            f"with another of their list (the median feature: {np.median(shares):.0%})",
            count,
            of,
            effects=[f"a ranking by one of them hangs on the order of ties: {in_words(kinds)}"],
            examples=subject.feature_names(features[most][:6].tolist()),
        )


def tied_documents(subject: Subject, column: Table) -> int:
    """How many documents have the value of another of their list."""
    bits = (column + np.float32(0)).view(np.uint32)
    keys = np.sort((subject.lists.astype(np.uint64) << np.uint64(32)) | bits)
    same = keys[1:] == keys[:-1]
    return int((np.append(same, False) | np.append(False, same)).sum())
