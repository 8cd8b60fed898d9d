"""What is wrong or odd with data, before anyone trains on them, and what it does to which tool's number."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.formats.doors import read
from rankwise.data.judgments import JudgedRun, Qrels, Run, judge
from rankwise.errors import DataError, RankwiseError, message
from rankwise.evaluation.checks import divisions, features, labels, lists, rows
from rankwise.evaluation.checks import scores as ranked
from rankwise.evaluation.checks.base import ADDED, Finding, Subject, found, nouns
from rankwise.evaluation.table import Table

__all__ = ["Report", "inspect"]

SEVERITIES = ("error", "warning", "note")
_WIDTH = 110


def inspect(source: Any, scores: Any = None, *, k: int = 10, name: str = "", **options: Any) -> Report:
    """Looks for what is wrong or odd with labelled lists.

    `source` is a `Dataset`; whatever `rankwise.read` reads, with its `options`; `Qrels`, with or without a `Run` as
    `scores`; or a `JudgedRun`. `{name: source}` of several is also searched for queries that are in two of them.
    `scores`, one a row in the caller's order or the name of a column of the dataset, are looked at too. `k` is the
    cut-off that lists may be too short for.

    A division of interactions is searched for leaks: `Parts`, as `rankwise.recommenders.splits` gives them, or
    `{name: Interactions}` of which the first are learnt from and the others judged on.

    What each code means, and from when something is called so, is in `docs/inspect.md`.

    >>> report = inspect(Dataset.of([[0.5], [0.4], [0.1]], [0, 1, 0], qid=["a", "a", "b"]), k=2)
    >>> [(finding.code, finding.words) for finding in report][:2]
    [('RW101', '1 of 2 lists has no relevant document'), ('RW102', '1 of 2 lists has fewer than 2 documents')]
    """
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise RankwiseError(message(f"k must be a whole number from 1, not {k!r}"))
    division = divisions.division(source)
    if division is not None:
        if scores is not None or name or options:
            raise DataError(message("a division of interactions has no scores, no name and no options"))
        return Report(k, {part: repr(data) for part, data in division.parts.items()}, divisions.check(division), {})
    several = _several(source)
    if several is None:
        return _of_lists([_subject(source, scores, name, k, options)])
    if scores is not None or name:
        what = "scores and a name are those of one source, and several are given"
        raise DataError(message(what, hint="inspect them one by one."))
    return _of_lists([_subject(one, None, called, k, options) for called, one in several.items()])


def _of_lists(subjects: Sequence[Subject]) -> Report:
    sizes = {
        "lists": sum(len(subject) for subject in subjects),
        "rows": sum(len(subject.data.labels) for subject in subjects),
    }
    own = [replace(one, place=subject.name) for subject in subjects for one in _findings(subject)]
    sources = {subject.name: repr(subject.data) for subject in subjects}
    return Report(subjects[0].k, sources, [*own, *_in_several(subjects)], sizes)


class Report:
    """What was found, the gravest first; iterates over findings."""

    def __init__(
        self, k: int, sources: Mapping[str, str], findings: Iterable[Finding], sizes: Mapping[str, int]
    ) -> None:
        """`sources` are what was looked at, by name; `sizes` says how many lists and rows they have together."""
        self.k = k
        self.sources = dict(sources)
        self._sizes = sizes
        self.findings = sorted(findings, key=lambda one: (SEVERITIES.index(one.severity), one.code))

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, code: str) -> list[Finding]:
        """The findings of one code."""
        return [one for one in self.findings if one.code == code]

    @property
    def codes(self) -> set[str]:
        return {one.code for one in self.findings}

    def of_severity(self, severity: str) -> list[Finding]:
        return [one for one in self.findings if one.severity == severity]

    def passes(self, *, strict: bool = False) -> bool:
        """Whether nothing is wrong: no error, nor a warning if `strict`."""
        return not self.of_severity("error") and not (strict and self.of_severity("warning"))

    @property
    def together(self) -> dict[str, tuple[int, int]]:
        """Of codes that were found in several sources and count lists or rows: how many of how many in all sources.

        >>> first, second = Dataset.of(labels=[0, 1], qid=["a", "b"]), Dataset.of(labels=[0, 0, 1], qid=["c", "d", "d"])
        >>> inspect({"first": first, "second": second}, k=2).together
        {'RW101': (2, 4), 'RW102': (3, 4)}
        """
        found_in = {code: self[code] for code in ADDED}
        return {
            code: (sum(one.count for one in several), self._sizes[ADDED[code]])
            for code, several in found_in.items()
            if len(several) > 1
        }

    def summary(self) -> str:
        """How many of each severity.

        >>> inspect(Dataset.of(labels=[0, 1], group=[2]), k=2).summary()
        '0 errors, 0 warnings, 0 notes'
        """
        counts = {severity: len(self.of_severity(severity)) for severity in SEVERITIES}
        return ", ".join(f"{count} {nouns(count, severity)}" for severity, count in counts.items())

    def __str__(self) -> str:
        heads = [f"{name}: {what}" if name else what for name, what in self.sources.items()]
        return "\n\n".join(["\n".join(heads), *self._paragraphs(), self.summary()])

    __repr__ = __str__

    def _paragraphs(self) -> Iterator[str]:
        """Each finding; what was said of its code before, of another source, is not said again."""
        said: set[tuple[str, str]] = set()
        together = self._in_all()
        for finding in self.findings:
            below = [
                *together.get(finding.code, ()),
                *finding.effects,
                *([f"Hint: {finding.hint}"] if finding.hint else []),
            ]
            new = [line for line in below if (finding.code, line) not in said]
            said |= {(finding.code, line) for line in new}
            filled = [fill(line, _WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 6) for line in new]
            yield "\n".join([fill(self._head(finding), _WIDTH, subsequent_indent=" " * 4), *filled])

    def _in_all(self) -> dict[str, list[str]]:
        """The same in words, for codes that have it."""
        several = len(self.sources)
        return {
            code: [f"in all {several} sources: {count:,} of {of:,} {ADDED[code]}"]
            for code, (count, of) in self.together.items()
        }

    def _head(self, finding: Finding) -> str:
        place = f"{finding.place}: " if finding.place and len(self.sources) > 1 else ""
        shown = f" ({', '.join(finding.examples)}{', …' if self._has_more(finding) else ''})"
        return f"{finding.severity} {finding.code}: {place}{finding.words}{shown if finding.examples else ''}"

    @staticmethod
    def _has_more(finding: Finding) -> bool:
        return len(finding.examples) < finding.count

    def _table(self) -> Table:
        head = ["", "code", "found", "what it does", "hint"]
        several = len(self.sources) > 1
        cells = [
            [f.severity, f.code, f"{f.place}: {f.words}" if several else f.words, "; ".join(f.effects), f.hint]
            for f in self.findings
        ]
        title = "; ".join(f"{name}: {what}" if name else what for name, what in self.sources.items())
        notes = [f"{code} {words}" for code, (words,) in self._in_all().items()]
        return Table(head, cells, [*notes, self.summary()], title, left=frozenset(range(5)))

    def to_markdown(self) -> str:
        return self._table().to_markdown()

    def to_html(self) -> str:
        return self._table().to_html()

    _repr_html_ = to_html

    def as_dict(self) -> dict[str, Any]:
        """Everything, as plain values."""
        fields = ("code", "severity", "title", "place", "words", "count", "of", "examples", "effects", "hint")
        return {
            "k": self.k,
            "sources": self.sources,
            "counts": {severity: len(self.of_severity(severity)) for severity in SEVERITIES},
            "together": {code: {"count": count, "of": of} for code, (count, of) in self.together.items()},
            "findings": [
                {field: _plain(getattr(finding, field)) for field in fields} for finding in self.findings
            ],
        }  # fmt: skip


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _several(source: Any) -> dict[str, Any] | None:
    """Sources by name, if there are several: a dictionary whose values are no columns, or a list of paths."""
    kinds = (Dataset, Qrels, JudgedRun, str, os.PathLike)
    if isinstance(source, Mapping) and source and all(isinstance(one, kinds) for one in source.values()):
        return {str(name): one for name, one in source.items()}
    if isinstance(source, (list, tuple)) and source and all(isinstance(one, (str, os.PathLike)) for one in source):
        paths = [str(path) for path in source]
        if len(set(paths)) < len(paths):
            twice = next(path for path in paths if paths.count(path) > 1)
            raise DataError(message(f"{twice} is given twice"))
        return {path: path for path in paths}
    return None


def _findings(subject: Subject) -> Iterator[Finding]:
    skipped = subject.data.skipped_lines
    if skipped:
        rows_of = skipped + len(subject.data.labels)
        words = f"{{n}} of {{of}} lines {nouns(skipped, 'was', 'were')} left out as bad"
        hint = "a last line that was cut off means that the rest of the file is missing too."
        yield found("RW001", words, skipped, rows_of, hint=hint)
    # Where there is no document, there is nothing to say of it.
    if len(subject.data.labels) == 0:
        raise DataError(message("there are no documents", place=subject.name))
    for room in (labels, lists, features, rows, ranked):
        yield from room.check(subject)


def _in_several(subjects: Sequence[Subject]) -> Iterator[Finding]:
    """Queries that are in two of the sources, pair by pair; lists that were only counted have no ids to compare."""
    names = [dict.fromkeys(subject.data.queries) for subject in subjects]
    counted = [_is_counted(subject) for subject in subjects]
    for later, subject in enumerate(subjects):
        for earlier in range(later):
            both = [name for name in names[earlier] if name in names[later]]
            if both and not (counted[earlier] and counted[later]):
                other = subjects[earlier].name
                finding = found(
                    "RW105",
                    f"{{n}} of {{of}} {nouns(len(subject), 'query', 'queries')} "
                    f"{nouns(len(both), 'is', 'are')} in {other} too",
                    len(both),
                    len(subject),
                    effects=["what is learnt from one is measured by the other: every measure of it is too good"],
                    hint="divide by list: `rankwise split` never cuts one; or give the files different query ids.",
                    examples=both[:3],
                )
                yield replace(finding, place=subject.name)


def _is_counted(subject: Subject) -> bool:
    """Whether lists are called 1, 2, …, as those given by sizes are."""
    return all(name == str(number) for number, name in enumerate(subject.data.queries, 1))


def _subject(source: Any, scores: Any, name: str, k: int, options: dict[str, Any]) -> Subject:
    if isinstance(source, (Qrels, JudgedRun)):
        if options:
            raise DataError(message(f"{', '.join(options)}: options are those of reading a file or a table"))
        return _of_judgments(source, scores, name, k)
    if isinstance(source, Dataset) and options:
        raise DataError(message(f"a dataset is read already, and {', '.join(options)} given"))
    data = source if isinstance(source, Dataset) else _read(source, options)
    if not name and isinstance(source, (str, os.PathLike)):
        name = Path(source).name
    return Subject(data=data, name=name, k=k, scores=None if scores is None else _scores(data, scores))


def _read(source: Any, options: dict[str, Any]) -> Dataset:
    if isinstance(source, Run):
        hint = "inspect(qrels, run)."
        raise DataError(message("a run alone has no labels", hint=hint))
    if isinstance(source, (np.ndarray, list, tuple)):
        hint = "inspect(Dataset.of(features, labels, qid=…))."
        raise DataError(message(f"nothing says what the columns of {_a(source)} are", hint=hint))
    try:
        return read(source, **options)
    except TypeError as error:
        if "unexpected keyword" not in str(error):
            raise
        what = str(error).partition("argument ")[2]
        hint = "the options are those of rankwise.read_table for tables, of rankwise.read_letor for all other files."
        raise DataError(message(f"there is no option {what} for this kind of source", hint=hint)) from None


def _a(source: object) -> str:
    return f"an object of type {type(source).__name__}"


def _scores(data: Dataset, scores: Any) -> Any:
    """One score a row, in the order of the dataset; what is no number is found later."""
    if isinstance(scores, str):
        if scores not in data.columns or not isinstance(data.columns[scores], np.ndarray):
            hint = f"there are {', '.join(data.columns) or 'none'}."
            raise DataError(message(f"the dataset has no column of numbers '{scores}'", hint=hint))
        return np.asarray(data.columns[scores], np.float64)
    column = np.asarray(scores)
    if column.dtype.kind not in "iufb":
        raise DataError(message(f"scores: numbers are needed, not {column.dtype}"))
    if column.shape != data.labels.shape:
        found_ = f"{len(column):,}" if column.ndim == 1 else f"an array of shape {column.shape}"
        raise DataError(message(f"scores: {found_} for {len(data.labels):,} documents; each document needs one score"))
    return data.reorder(column if column.dtype == np.float32 else column.astype(np.float64))


def _of_judgments(source: Qrels | JudgedRun, scores: Any, name: str, k: int) -> Subject:
    if isinstance(source, Qrels) and scores is None:
        data = Dataset(
            features=None, labels=source.labels, offsets=source.offsets, queries=source.queries,
            documents=source.documents,
        )  # fmt: skip
        return Subject(data=data, name=name, k=k, is_ranked=False)
    if isinstance(source, Qrels):
        if not isinstance(scores, Run):
            hint = "inspect(qrels, run): a Run, as rankwise.read_run reads it."
            raise DataError(message(f"judgments need a run, not {_a(scores)}", hint=hint))
        judged = judge(source, scores)
    elif scores is not None:
        raise DataError(message("a judged run holds its scores already, and others are given"))
    else:
        judged = source
    data = Dataset(
        features=None, labels=judged.labels, offsets=judged.offsets, queries=judged.queries, documents=judged.documents
    )
    return Subject(
        data=data,
        name=name or judged.name,
        k=k,
        scores=judged.scores,
        outside=judged.unretrieved_labels,
        outside_offsets=judged.unretrieved_offsets,
        missing=judged.missing,
        unknown=judged.unknown_queries,
    )
