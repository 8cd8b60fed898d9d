"""Interactions whose measure is followed as a recommender learns: one list a user, all items not seen in training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise.errors import DataError, message
from rankwise.evaluation.judge import Judge
from rankwise.measures.base import Measure
from rankwise.recommenders.interactions import Interactions
from rankwise.recommenders.lists import UserLists

if TYPE_CHECKING:
    from rankwise.recommenders.base import RecommenderLearner

__all__ = ["FollowedUsers", "LearntInteractions"]


class FollowedUsers:
    """Validation interactions; nothing is carried from step to step, since scores of all items are computed anew."""

    def __init__(self, lists: UserLists, judge: Judge, validation: Interactions) -> None:
        self.lists = lists
        self.judge = judge
        self.validation = validation

    @classmethod
    def of(
        cls, training: Interactions, validation: Interactions, select: Measure, learner: RecommenderLearner
    ) -> FollowedUsers:
        try:
            lists = UserLists.of(training, validation)
            judge = Judge(lists.dataset, select, threads=learner.threads)
        except DataError as refusal:
            raise DataError(f"validation: {refusal}") from None
        if np.isnan(judge.mean(np.zeros(len(lists.dataset.labels)))):
            hint = "give interactions of values above 0, or select under a convention that scores empty lists."
            raise DataError(message(f"validation: {select} has no value on these users", hint=hint))
        return cls(lists, judge, validation)

    @property
    def measure(self) -> Measure:
        return self.judge.measure

    def begin(self, learner: RecommenderLearner, data: Any, state: Any) -> None: ...

    def advance(self, learner: RecommenderLearner, data: Any, before: Any, after: Any) -> float:
        return self.value_of(learner, after)

    def value_of(self, learner: RecommenderLearner, state: Any) -> float:
        return self.judge.mean(self.lists.scores(learner.model(state), learner.threads))

    def columns(self) -> dict[str, Any]:
        return {}

    def restore(self, columns: dict[str, Any], place: str) -> None: ...

    def add_to(self, digest: Any) -> None:
        add_interactions(digest, self.validation)


class LearntInteractions:
    """The interactions that are learnt from."""

    def __init__(self, training: Interactions, measure: Measure) -> None:
        self.training = training
        self.measure = measure

    def begin(self, learner: RecommenderLearner, data: Any, state: Any) -> None: ...

    def advance(self, learner: RecommenderLearner, data: Any, before: Any, after: Any) -> float:
        return self.value_of_data(learner, data, after)

    def value_of_data(self, learner: RecommenderLearner, data: Any, state: Any) -> float:
        known = learner.training_value(data, state)
        return np.nan if known is None else known

    def value_of(self, learner: RecommenderLearner, state: Any) -> float:
        return np.nan

    def columns(self) -> dict[str, Any]:
        return {}

    def restore(self, columns: dict[str, Any], place: str) -> None: ...

    def add_to(self, digest: Any) -> None:
        add_interactions(digest, self.training)


def add_interactions(digest: Any, data: Interactions) -> None:
    """Users, items, values and weights."""
    for names in (data.users, data.items):
        digest.update("\n".join(names).encode())
    for column in (data.offsets, data.item, data.values, data.weights):
        if column is not None:
            digest.update(f"{column.dtype} {column.shape}".encode())
            digest.update(np.ascontiguousarray(column))
