"""RW4: rows that repeat or contradict each other, and an order of rows that tells the labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from rankwise.data.duplicates import contradictions, document_repeats, repeats, twins
from rankwise.evaluation.by_tool import by_tool
from rankwise.evaluation.checks.base import Finding, Mask, Subject, found, in_words, nouns
from rankwise.measures import nDCG
from rankwise.measures.convention import Convention

__all__ = ["ORDER", "check"]

# The order of rows tells the labels if nDCG of a constant score moves this much with the order of ties …
ORDER = 0.05
# … and by more than so many standard errors, over so many lists at least, which chance does not reach.
ERRORS = 4
LISTS = 10


def check(subject: Subject) -> Iterator[Finding]:
    data = subject.data
    yield from _of_rows(
        subject,
        "RW401",
        repeats(data),
        ("row", "repeats", "repeat"),
        "an earlier row of {its} list",
        effect="a document that stands twice counts twice, in the ranking and in the ideal",
        hint="`rankwise clean --drop duplicates` keeps the first of each.",
    )
    yield from _of_rows(
        subject,
        "RW402",
        twins(data),
        ("document", "has", "have"),
        "label and features of another of {its} list",
        effect="no ranker can tell them apart: their scores tie",
        hint="`rankwise clean --drop twins` keeps the first of each, if they are copies.",
    )
    yield from _of_rows(
        subject,
        "RW403",
        document_repeats(data),
        ("row", "names", "name"),
        "a document that {its} list has already",
        effect="as qrels and run it is refused, here and by the TREC tools; tools of LETOR files read it twice",
        hint="`rankwise clean --drop documents` keeps the first of each.",
    )
    yield from _of_rows(
        subject,
        "RW405",
        contradictions(data),
        ("row", "has", "have"),
        "the features of another of {its} list and another label",
        effect="no ranker of these features orders them rightly",
    )
    if subject.is_ranked and subject.outside is None:
        yield from _order(subject)


def _of_rows(
    subject: Subject, code: str, rows: Mask, does: tuple[str, str, str], what: str, *, effect: str, hint: str = ""
) -> Iterator[Finding]:
    """Rows that have something in common with others of their list."""
    count, of = int(rows.sum()), len(rows)
    if not count:
        return
    noun, one, several = does
    said = what.format(its=nouns(count, "its", "their"))
    words = f"{{n}} of {{of}} {nouns(of, noun)} {nouns(count, one, several)} {said}"
    yield found(code, words, count, of, effects=[effect], hint=hint, examples=subject.rows(rows))


def _order(subject: Subject) -> Iterator[Finding]:
    if not (subject.relevant > 0).any():
        return
    k = subject.k
    measures = [nDCG(k, negative="zero", empty="nan", ties=ties) for ties in ("input", "reversed", "expected")]
    columns = subject.columns(np.zeros(len(subject.data.labels)), measures)
    if not columns:
        return
    known = ~np.isnan(columns[2])
    means = dict(zip(("input", "reversed", "expected"), (subject.mean(c, known) for c in columns), strict=True))
    if not any(_is_moved(column - columns[2]) for column in columns[:2]):
        return

    def words(convention: Convention) -> str:
        value = means.get(convention.ties)
        return f"decided by {convention.words('ties')}" if value is None else f"{value:.4f}"

    yield found(
        "RW404",
        "the order of the rows tells the labels",
        int((np.abs(columns[0] - columns[2]) > ORDER).sum()),
        len(subject),
        effects=[f"nDCG@{k} of one score for all documents (without empty lists): "
                 f"{in_words(by_tool(words, 'nDCG', k))}"],
        hint="shuffle the rows of each list before a tool that keeps the order of ties sees them.",
    )  # fmt: skip


def _is_moved(changes: npt.NDArray[np.float64]) -> bool:
    """Whether the changes of lists are one way and large in the mean."""
    known = changes[~np.isnan(changes)]
    if len(known) < LISTS:
        return False
    mean, error = abs(float(known.mean())), float(known.std(ddof=1)) / len(known) ** 0.5
    return mean >= ORDER and mean > ERRORS * error
