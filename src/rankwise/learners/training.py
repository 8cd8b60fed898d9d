"""What an algorithm sees of the lists that it learns from."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.errors import DataError, RankwiseWarning, message
from rankwise.evaluation.judge import Judge
from rankwise.evaluation.lists import OPEN
from rankwise.evaluation.result import EMPTY, SHORT
from rankwise.measures.base import Measure
from rankwise.rankers.inputs import Inputs, matrix

if TYPE_CHECKING:
    from rankwise.data.dataset import Labels

__all__ = ["Counts", "Training", "as_dataset", "kinds_that_teach_nothing"]


class Counts(NamedTuple):
    """What there was to learn from, as the convention of the training measure sees it."""

    lists: int
    rows: int
    features: int
    empty: int
    """Lists whose denominator is 0: no ranking of them changes the measure."""
    single_label: int
    """Lists whose documents all have one label."""
    zeroed: int
    """Lists that the convention scores 0 because they are shorter than k."""
    teaching: int
    """Lists that are none of these."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Training:
    """Lists to learn from: the table that a scorer sees, labels, and the measure to learn for.

    Lists stand in the order of their ids, and the rows of a list in an order of their own unless the convention's rule
    of ties looks at it: whatever the order in which they were given, an algorithm sees the same.
    """

    dataset: Dataset
    """The lists, with the table as their features."""
    names: tuple[str, ...]
    """One a column of the table."""
    measure: Measure
    judge: Judge
    """The measure at any scores of these rows."""
    teaches: npt.NDArray[np.bool_]
    """Of each list, whether its order can change the measure."""
    counts: Counts
    threads: int | None

    @property
    def table(self) -> npt.NDArray[np.float32]:
        """One row a document, C-contiguous."""
        assert self.dataset.features is not None
        return self.dataset.features

    @property
    def labels(self) -> Labels:
        return self.dataset.labels

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        return self.dataset.offsets

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """One a list: 1 where none were given."""
        return np.ones(len(self.dataset)) if self.dataset.weights is None else self.dataset.weights

    @property
    def document_weights(self) -> npt.NDArray[np.float64] | None:
        return self.dataset.document_weights

    @property
    def positions(self) -> npt.NDArray[np.int64] | None:
        return self.dataset.positions

    @classmethod
    def of(cls, data: Dataset, inputs: Inputs, measure: Measure, threads: int | None) -> Training:
        data = canonical(data, measure)
        seen = replace(data, features=inputs.table(data), feature_names=inputs.names)
        judge = Judge(seen, measure, threads=threads)
        empty, single, zeroed = kinds_that_teach_nothing(seen, judge)
        teaches = ~(empty | single | zeroed)
        counts = Counts(
            lists=len(seen),
            rows=len(seen.labels),
            features=len(inputs.names),
            empty=int(empty.sum()),
            single_label=int(single.sum()),
            zeroed=int(zeroed.sum()),
            teaching=int(teaches.sum()),
        )
        return cls(
            dataset=seen,
            names=inputs.names,
            measure=measure,
            judge=judge,
            teaches=teaches,
            counts=counts,
            threads=threads,
        )

    def refuse_nothing_to_learn(self, *, by_measure: bool) -> None:
        """Lists that are all alike teach nothing; some that a convention loses are worth a word."""
        c = self.counts
        if c.single_label == c.lists:
            hint = "give lists that have better and worse documents; `rankwise inspect` tells what is odd with data."
            raise DataError(
                message(f"there is nothing to learn: each of {c.lists:,} lists has a single label", hint=hint)
            )
        if by_measure and not c.teaching:
            hint = "train under another measure or convention; evaluation may keep this one."
            what = f"there is nothing to learn under {self.measure}: of {c.lists:,} lists {_reasons(c)}"
            raise DataError(message(what, hint=hint))
        if not self.weights[self.teaches if by_measure else ~_single_label(self.dataset)].any():
            raise DataError(message("there is nothing to learn: each list that could teach has the weight 0"))
        if by_measure and c.zeroed:
            convention = self.measure.convention.name
            what = f"{c.zeroed:,} of {c.lists:,} lists teach nothing: {convention} scores lists shorter than"
            hint = "to learn from them too, train under another convention, such as standard."
            warnings.warn(RankwiseWarning(message(f"{what} {self.measure.k} documents 0", hint=hint)), stacklevel=4)


def kinds_that_teach_nothing(data: Dataset, judge: Judge) -> tuple[npt.NDArray[np.bool_], ...]:
    """Of each list, whether it is empty, of a single label, zeroed by the convention: its order changes no value."""
    flags = judge.outcome(np.zeros(len(data.labels))).flags
    zeroed = ((flags & SHORT) != 0) & (judge.measure.convention.short == "zero")
    return (flags & EMPTY) != 0, _single_label(data), zeroed


def canonical(data: Dataset, measure: Measure) -> Dataset:
    """The lists in an order that does not hang on the one given."""
    ties = measure.convention.ties
    by_id = data.documents is not None and (ties.startswith("docid") or ties == "random")
    return data.in_canonical_order(rows_too=ties in OPEN or by_id)


def _single_label(data: Dataset) -> npt.NDArray[np.bool_]:
    # A list's labels are all one if the greatest is the least; unjudged documents are passed over.
    starts = data.offsets[:-1]
    most, least = np.fmax.reduceat(data.labels, starts), np.fmin.reduceat(data.labels, starts)
    unjudged = np.add.reduceat(np.isnan(data.labels).astype(np.int64), starts) > 0
    alike = (most == least) & ~unjudged
    found: npt.NDArray[np.bool_] = alike | np.isnan(most)
    return found


def _reasons(c: Counts) -> str:
    words = {"are empty": c.empty, "have a single label": c.single_label, "are zeroed for being short": c.zeroed}
    return ", ".join(f"{number:,} {what}" for what, number in words.items() if number)


def as_dataset(
    X: Any, y: Any = None, *, qid: Any = None, group: Any = None, weights: Any = None, document_weights: Any = None
) -> Dataset:
    """A dataset as it is, or of features, labels and what says which rows belong together, as scikit-learn gives them.

    The columns' names of a frame become the features' names.
    """
    if isinstance(X, Dataset):
        given = {"y": y, "qid": qid, "group": group, "weights": weights, "document_weights": document_weights}
        twice = [name for name, value in given.items() if value is not None]
        if twice:
            what = f"a dataset holds its labels, lists and weights, and `{twice[0]}` is given beside it"
            raise DataError(message(what, hint="make the dataset with it: Dataset.of(…)."))
        if X.features is None:
            raise DataError(message("the dataset has no features to learn from"))
        return X
    if y is None:
        hint = "fit(X, y, qid=qid), or fit(dataset)."
        raise DataError(message("learning requires y to be passed, but the target y is None", hint=hint))
    features, names = matrix(X)
    data = Dataset.of(
        features,
        y,
        qid=qid,
        group=group,
        weights=weights,
        document_weights=document_weights,
        feature_names=names,
    )
    if data.features is not None and not data.features.shape[1]:
        shape = f"(shape=({len(data.labels)}, 0))"
        raise DataError(message(f"features: 0 feature(s) {shape} while a minimum of 1 is required."))
    return data
