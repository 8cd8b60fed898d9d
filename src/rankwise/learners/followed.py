"""Lists whose measure is followed as a learner learns, and the scores that are carried from step to step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.errors import DataError, message
from rankwise.evaluation.judge import Judge
from rankwise.measures.base import Measure
from rankwise.rankers.base import list_scores

if TYPE_CHECKING:
    from rankwise.learners.base import Learner
    from rankwise.learners.training import Training

__all__ = ["Followed", "Follows", "Learning", "add_arrays"]

Scores = npt.NDArray[np.float64]
Table = npt.NDArray[np.float32]


class Follows(Protocol):
    """What the loop asks of data that it follows."""

    @property
    def measure(self) -> Measure: ...
    def begin(self, learner: Any, data: Any, state: Any) -> None:
        """Before the first step."""

    def advance(self, learner: Any, data: Any, before: Any, after: Any) -> float:
        """The measure's value after a step."""

    def value_of(self, learner: Any, state: Any) -> float:
        """The measure's value of a state that does not follow from the one before."""

    def columns(self) -> dict[str, Any]:
        """What a snapshot keeps."""

    def restore(self, columns: dict[str, Any], place: str) -> None:
        """What a snapshot kept."""

    def add_to(self, digest: Any) -> None:
        """All that tells these data from others."""


class Followed:
    """Validation lists, as the scorer sees them."""

    def __init__(self, table: Table, judge: Judge, dataset: Dataset) -> None:
        self.table = table
        self.judge = judge
        self.dataset = dataset
        self.scores: Scores | None = None

    @property
    def measure(self) -> Measure:
        return self.judge.measure

    def begin(self, learner: Learner, data: Any, state: Any) -> None:
        self.scores = _scored(learner, state, self.table, self.dataset)

    def advance(self, learner: Learner, data: Any, before: Any, after: Any) -> float:
        assert self.scores is not None
        self.scores = _rescored(learner, self.table, self.dataset, self.scores, before, after)
        return self.judge.mean(self.scores)

    def value_of(self, learner: Learner, state: Any) -> float:
        return self.judge.mean(_scored(learner, state, self.table, self.dataset))

    def columns(self) -> dict[str, Any]:
        return {"validation": self.scores}

    def restore(self, columns: dict[str, Any], place: str) -> None:
        self.scores = _kept(columns, "validation", len(self.table), place)

    def add_to(self, digest: Any) -> None:
        add_arrays(digest, self.dataset)


class Learning:
    """The lists that are learnt from: a state may know their scores, or the measure's value, itself."""

    def __init__(self, training: Training) -> None:
        self.training = training
        self.scores: Scores | None = None

    @property
    def measure(self) -> Measure:
        return self.training.measure

    def begin(self, learner: Learner, data: Any, state: Any) -> None: ...

    def advance(self, learner: Learner, data: Any, before: Any, after: Any) -> float:
        known = learner.training_value(data, after)
        if known is not None:
            return known
        scores = learner.training_scores(data, after)
        if scores is None:
            scores = self.scores = self._rescored(learner, before, after)
        return self.training.judge.mean(scores)

    def _rescored(self, learner: Learner, before: Any, after: Any) -> Scores:
        table, dataset = self.training.table, self.training.dataset
        if self.scores is None:
            self.scores = _scored(learner, before, table, dataset)
        return _rescored(learner, table, dataset, self.scores, before, after)

    def value_of(self, learner: Learner, state: Any) -> float:
        return self.training.judge.mean(_scored(learner, state, self.training.table, self.training.dataset))

    def columns(self) -> dict[str, Any]:
        return {} if self.scores is None else {"training": self.scores}

    def restore(self, columns: dict[str, Any], place: str) -> None:
        if "training" in columns:
            self.scores = _kept(columns, "training", len(self.training.table), place)

    def add_to(self, digest: Any) -> None:
        add_arrays(digest, self.training.dataset)


def _scored(learner: Learner, state: Any, table: Table, dataset: Dataset) -> Scores:
    return list_scores(learner.scorer(state), table, dataset.offsets, learner.threads)


def _rescored(learner: Learner, table: Table, dataset: Dataset, scores: Scores, before: Any, after: Any) -> Scores:
    if learner.compares_documents:
        return _scored(learner, after, table, dataset)
    return learner.rescore(table, scores, before, after)


def _kept(columns: dict[str, Any], name: str, rows: int, place: str) -> Scores:
    scores = columns.get(name)
    if scores is None or scores.shape != (rows,) or scores.dtype != np.float64:
        hint = "remove the checkpoint to train from the start."
        raise DataError(message(f"the scores of the {name} lists are not there, or of others", place=place, hint=hint))
    found: Scores = scores
    return found


def add_arrays(digest: Any, data: Dataset) -> None:
    """Features, labels, lists and weights."""
    columns = [data.features, data.labels, data.offsets, data.weights, data.document_weights, data.positions]
    for column in columns:
        if column is not None:
            digest.update(f"{column.dtype} {column.shape}".encode())
            digest.update(np.ascontiguousarray(column))
