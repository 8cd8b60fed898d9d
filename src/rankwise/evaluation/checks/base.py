"""What is inspected, and what is found: a code, how many of how many, and what that does to which tool's number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.data.duplicates import list_of_row
from rankwise.data.ids import Ids
from rankwise.errors import ConventionError
from rankwise.evaluation.lists import Lists
from rankwise.measures.base import Measure

__all__ = ["ADDED", "CODES", "Finding", "Subject", "found", "in_words", "nouns"]

# Code → severity and what is found. An error makes numbers or models wrong, a warning makes tools disagree or lists
# useless, a note is to be known. A code keeps its meaning for good.
CODES: dict[str, tuple[str, str]] = {
    "RW001": ("warning", "lines left out because they cannot be read"),
    "RW101": ("warning", "lists without a relevant document"),
    "RW102": ("warning", "lists shorter than k"),
    "RW103": ("note", "lists with one label, which is relevant"),
    "RW104": ("warning", "queries whose rows are not next to each other"),
    "RW105": ("error", "queries that are in two files"),
    "RW106": ("warning", "judged queries that the run lacks"),
    "RW107": ("note", "queries of the run that nobody judged"),
    "RW201": ("warning", "a label set with gaps"),
    "RW202": ("warning", "negative labels"),
    "RW203": ("warning", "fractional labels"),
    "RW204": ("error", "no relevant document in any list"),
    "RW205": ("note", "documents without a judgment"),
    "RW206": ("note", "labels to which a tool gives no gain"),
    "RW207": ("error", "no judged document"),
    "RW301": ("warning", "constant features"),
    "RW302": ("warning", "features equal to another"),
    "RW303": ("error", "features that tell the labels"),
    "RW304": ("note", "missing values (NaN)"),
    "RW305": ("note", "features constant within every list"),
    "RW306": ("error", "infinite values"),
    "RW307": ("note", "documents that tie by most features"),
    "RW401": ("warning", "rows that repeat another of their list"),
    "RW402": ("note", "different documents with the same label and features"),
    "RW403": ("error", "document ids that occur twice in a list"),
    "RW404": ("warning", "an order of rows that tells the labels"),
    "RW405": ("note", "equal features with different labels"),
    "RW501": ("warning", "documents with tied scores"),
    "RW502": ("error", "scores that are no finite numbers"),
    "RW503": ("warning", "lists in which all scores are equal"),
    "RW601": ("error", "interactions that are in two parts"),
    "RW602": ("warning", "judged interactions before what is learnt of the same user"),
    "RW603": ("note", "interactions learnt from that are later than the first that is judged"),
    "RW604": ("warning", "judged users that were never learnt from"),
    "RW605": ("warning", "judged items that were never learnt from"),
}

# Codes that count lists or rows, of which those of several sources add up.
ADDED = {
    "RW101": "lists", "RW102": "lists", "RW103": "lists", "RW104": "lists",
    "RW401": "rows", "RW402": "rows", "RW405": "rows",
}  # fmt: skip
SHOWN = 3
# Where so many conventions agree against others, they are not named.
OTHERS = 4
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong or odd."""

    code: str
    words: str
    """What was found, in a sentence."""
    count: int
    of: int
    effects: tuple[str, ...] = ()
    """What it does to which tool's number."""
    hint: str = ""
    examples: tuple[str, ...] = ()
    """The first that were found: queries, features or documents."""
    place: str = ""
    """The file or the run."""

    @property
    def severity(self) -> str:
        return CODES[self.code][0]

    @property
    def title(self) -> str:
        return CODES[self.code][1]


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Labelled lists, however they came: a dataset, qrels, or qrels and a run."""

    data: Dataset
    name: str = ""
    k: int = 10
    scores: npt.NDArray[Any] | None = None
    """In the order of `data`."""
    outside: npt.NDArray[np.float64] | None = None
    """Labels of judged documents that were not retrieved, cut into lists by `outside_offsets`."""
    outside_offsets: npt.NDArray[np.int64] | None = None
    missing: Mask | None = None
    """Which lists the run lacks."""
    unknown: Ids | None = None
    """Queries of the run that nobody judged."""
    is_ranked: bool = True
    """Whether the rows are what is ranked; those of qrels alone are what was judged."""

    def __len__(self) -> int:
        return len(self.data)

    @cached_property
    def lists(self) -> npt.NDArray[np.intp]:
        """The list of each row."""
        return list_of_row(self.data.offsets)

    @cached_property
    def all_labels(self) -> npt.NDArray[np.float64]:
        """The labels of all judged documents, retrieved or not."""
        labels = np.concatenate([self.data.labels, [] if self.outside is None else self.outside]).astype(np.float64)
        return labels[~np.isnan(labels)]

    @cached_property
    def relevant(self) -> npt.NDArray[np.int64]:
        """How many relevant documents each list has."""
        counts = self.per_list(self.data.labels > 0)
        if self.outside is None or self.outside_offsets is None:
            return counts
        return counts + np.bincount(list_of_row(self.outside_offsets)[self.outside > 0], minlength=len(self))

    @cached_property
    def usable_scores(self) -> npt.NDArray[Any] | None:
        """The scores, if all of them are numbers."""
        return self.scores if self.scores is not None and not np.isnan(self.scores).any() else None

    def per_list(self, rows: Mask) -> npt.NDArray[np.int64]:
        """How many of the rows each list has."""
        return np.bincount(self.lists[rows], minlength=len(self))

    def queries(self, lists: Mask) -> tuple[str, ...]:
        """The first few of some lists."""
        return tuple(self.data.queries[int(at)] for at in np.flatnonzero(lists)[:SHOWN])

    def rows(self, rows: Mask) -> tuple[str, ...]:
        """The first few of some rows, by query and document, or by the number of the row as it was given."""
        return tuple(self._row(int(at)) for at in np.flatnonzero(rows)[:SHOWN])

    def _row(self, at: int) -> str:
        query = self.data.queries[int(self.lists[at])]
        if self.data.documents is not None:
            return f"{query} {self.data.documents[at]}"
        return f"{query} row {at if self.data.rows is None else int(self.data.rows[at])}"

    def feature_names(self, features: Sequence[int]) -> tuple[str, ...]:
        names = self.data.feature_names
        return tuple(f"feature {at + 1}" if names is None else names[at] for at in features)

    def columns(self, scores: npt.NDArray[Any], measures: Sequence[Measure]) -> list[npt.NDArray[np.float64]]:
        """Per-list values of measures of any scores on these lists.

        There are none where the convention refuses the labels, nor with weights of documents, which are left out here.
        """
        return [] if self.data.document_weights is not None else self.unweighted(scores, measures)

    def mean(self, values: npt.NDArray[np.float64], lists: Mask | None = None) -> float:
        """The mean over some lists, with their weights."""
        chosen = np.ones(len(values), np.bool_) if lists is None else lists
        weights = np.ones(len(values)) if self.data.weights is None else self.data.weights
        total = float(weights[chosen].sum())
        return float((values * weights)[chosen].sum() / total) if total else float("nan")

    def unweighted(self, scores: npt.NDArray[Any], measures: Sequence[Measure]) -> list[npt.NDArray[np.float64]]:
        """The same, as if all documents had one weight."""
        try:
            lists = copy(self._as_lists)
            lists.scores = np.ascontiguousarray(scores)
            return [values for values, _ in lists.compute(list(measures))]
        except ConventionError:
            return []

    @cached_property
    def _as_lists(self) -> Lists:
        """The lists for the kernels, all documents with one score."""
        data = self.data
        return Lists(
            data.labels,
            np.zeros(len(data.labels)),
            data.offsets,
            queries=data.queries,
            outside=self.outside,
            outside_offsets=self.outside_offsets,
        )


def found(
    code: str,
    words: str,
    count: int,
    of: int,
    *,
    effects: Sequence[str] = (),
    hint: str = "",
    examples: Sequence[str] = (),
) -> Finding:
    """A finding; `{n}` in its words is the count, `{of}` that of which."""
    said = words.format(n=f"{count:,}", of=f"{of:,}")
    kept = tuple(effect for effect in effects if effect)
    return Finding(code=code, words=said, count=count, of=of, effects=kept, hint=hint, examples=tuple(examples))


def in_words(said: Mapping[str, Sequence[str]]) -> str:
    """What all tools say; what most say stands last, without their names.

    >>> in_words({"0": ["standard", "ranklib", "ranx", "rax"], "1": ["lightgbm", "xgboost"]})
    '1 in lightgbm, xgboost; 0 in standard and all others'
    """
    if not said:
        return ""
    most = max(said, key=lambda words: len(said[words]))
    if len(said) == 1:
        return f"{most} in every convention"
    if len(said[most]) < OTHERS:
        return "; ".join(f"{words} in {', '.join(names)}" for words, names in said.items())
    rest = [f"{words} in {', '.join(names)}" for words, names in said.items() if words != most]
    others = "standard and all others" if "standard" in said[most] else "all others"
    return "; ".join([*rest, f"{most} in {others}"])


def nouns(count: int, one: str, several: str = "") -> str:
    """The noun, and the verb that comes with it, for so many.

    >>> nouns(1, "list has", "lists have"), nouns(2, "list has", "lists have")
    ('list has', 'lists have')
    """
    return one if count == 1 else several or f"{one}s"
