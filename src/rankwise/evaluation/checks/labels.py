"""RW2: labels that conventions read differently."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from rankwise.evaluation.by_tool import by_tool, gain
from rankwise.evaluation.checks.base import Finding, Subject, found, in_words, nouns
from rankwise.measures.convention import Convention

__all__ = ["check"]

Values = npt.NDArray[np.float64]
# More kinds of labels than these are measurements, not grades.
GRADES = 50


def check(subject: Subject) -> Iterator[Finding]:
    labels = subject.all_labels
    if len(labels) == 0:
        hint = "name the column of labels, or check that judgments and run belong together."
        yield found("RW207", "none of {of} documents is judged", len(subject.data.labels), len(subject.data.labels),
                    hint=hint)  # fmt: skip
        return
    if not (labels > 0).any():
        hint = "check that the column of labels is the right one."
        words = f"no list has a relevant document: {_few(np.unique(labels))} is all there is"
        yield found("RW204", words, len(subject), len(subject), hint=hint)
    values = np.unique(labels)
    yield from _unjudged(subject)
    yield from _negative(subject, labels)
    yield from _fractional(subject, labels)
    if len(values) <= GRADES and (values == np.trunc(values)).all():
        yield from _gaps(subject, values[values >= 0])
        yield from _without_gain(subject, values[values > 0])


def _unjudged(subject: Subject) -> Iterator[Finding]:
    unjudged = np.isnan(subject.data.labels)
    if not unjudged.any():
        return
    count, of = int(unjudged.sum()), len(unjudged)
    yield found(
        "RW205",
        f"{{n}} of {{of}} {nouns(of, 'document')} {nouns(count, 'has', 'have')} no judgment",
        count,
        of,
        effects=[f"such a document: {in_words(by_tool(lambda c: c.words('unjudged'), 'nDCG', subject.k))}"],
        hint=f"Judged@{subject.k} says how many of them a ranking puts first.",
    )


def _negative(subject: Subject, labels: Values) -> Iterator[Finding]:
    count, of = int((labels < 0).sum()), len(labels)
    if count:
        yield found(
            "RW202",
            f"{{n}} of {{of}} {nouns(of, 'label')} {nouns(count, 'is', 'are')} negative (the least is "
            f"{labels.min():g})",
            count,
            of,
            effects=[f"negative labels are: {in_words(by_tool(lambda c: c.words('negative'), 'nDCG', subject.k))}"],
            hint="if they stand for spam or for no judgment, make them 0, or say nDCG(negative='zero').",
            examples=subject.rows(subject.data.labels < 0),
        )


def _fractional(subject: Subject, labels: Values) -> Iterator[Finding]:
    fractional = labels != np.trunc(labels)
    if not fractional.any():
        return
    values, counts = np.unique(labels[fractional], return_counts=True)
    usual, count, of = float(values[counts.argmax()]), int(fractional.sum()), len(labels)
    relevant = by_tool(lambda c: "relevant" if c.relevant(np.array([usual]))[0] else "not relevant", "P", subject.k)
    yield found(
        "RW203",
        f"{{n}} of {{of}} {nouns(of, 'label')} {nouns(count, 'is', 'are')} no whole "
        f"{nouns(count, 'number')}, as {usual:g}",
        count,
        of,
        effects=[
            f"nDCG's gain of {usual:g}: {in_words(by_tool(lambda c: _shown(gain(usual, c)), 'nDCG', subject.k))}",
            f"to P, {usual:g} is {in_words(relevant)}" if len(relevant) > 1 else "",
        ],
        hint="use gain='linear' where labels are measured values, or round them to grades.",
        examples=subject.rows(subject.data.labels != np.trunc(subject.data.labels)),
    )


def _gaps(subject: Subject, values: Values) -> Iterator[Finding]:
    positive = values[values > 0]
    if len(values) < 2 or not (np.diff(values) > 1).any() or len(positive) == 0:
        return
    low, top = float(positive[0]), float(positive[-1])
    weights = by_tool(lambda c: _weight(top, low, c), "nDCG", subject.k)
    against = f"as many documents of label {low:g}" if low < top else "so much gain"
    table = ", ".join(f"{value:g}: {value:g}" for value in values)
    yield found(
        "RW201",
        f"the labels are {_few(values)}, with gaps",
        int((np.diff(values) > 1).sum()),
        len(values) - 1,
        effects=[f"to nDCG a document of label {top:g} weighs {against}: {in_words(weights)}"],
        hint=f"if {top:g} is meant as a weight, say so: nDCG(gain='linear')@{subject.k}, or a table of your own: "
        f"nDCG(gain={{{table}}})@{subject.k}.",
    )


def _weight(top: float, low: float, of: Convention) -> str:
    """How many documents of a low label one of the top label outweighs; its gain if there is no other label."""
    high, unit = gain(top, of), gain(low, of) if low < top else 1.0
    if high is None or unit is None:
        return _shown(None)
    return f"{high / unit:g}" if unit else "no number"


def _without_gain(subject: Subject, positive: Values) -> Iterator[Finding]:
    lost: dict[str, list[float]] = {}
    for label in positive.tolist():
        tools = by_tool(partial(_lost, label), "nDCG", subject.k)
        said = "; ".join(f"{words} in {', '.join(names)}" for words, names in tools.items())
        if said:
            lost.setdefault(said, []).append(label)
    if not lost:
        return
    labels = np.sort(np.concatenate([*lost.values()]))
    graded = bool((np.diff(positive, prepend=0) <= 1).all())
    which = f"{nouns(len(labels), 'label')} {_few(labels)}, {nouns(len(labels), 'that', 'those')}"
    mend = "merge the highest grades" if graded else "number the grades from 0 without gaps"
    relevant = by_tool(lambda c: _few(positive[c.relevant(positive)]), "P", subject.k)
    yield found(
        "RW206",
        f"some tools give no gain to {which} of {{n}} of {{of}} documents",
        int(np.isin(subject.all_labels, labels).sum()),
        len(subject.all_labels),
        effects=[
            *(f"{nouns(len(those), 'label')} {_few(np.array(those))}: {said}" for said, those in lost.items()),
            f"labels that P counts as relevant: {in_words(relevant)}" if len(relevant) > 1 else "",
        ],
        hint=f"leave those tools out, or {mend} for them.",
    )


def _lost(label: float, of: Convention) -> str:
    worth = gain(label, of)
    return _shown(worth) if worth is None else "no gain" if worth <= 0 else ""


def _shown(value: float | None) -> str:
    return "refused" if value is None else f"{value:.4g}"


def _few(values: Values) -> str:
    """Labels in words: "0, 1, 2"; the ends of many."""
    shown = [f"{value:g}" for value in values]
    return ", ".join(shown if len(shown) <= 8 else [*shown[:3], "…", shown[-1]]) or "none"
