"""A recommender learner is a start and a step over interactions; the one loop around them is that of all learners.

Users × items instead of features: what is learnt is a row of numbers for each user and each item (or how similar items
are), so that a user's scores are points, however they were learnt. One step is one pass over all interactions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from rankwise.errors import DataError, RankwiseError, message, not_installed
from rankwise.learners.curve import Callback, Checkpoint
from rankwise.learners.loop import Loop, parameters_of
from rankwise.measures.base import Measure
from rankwise.recommenders.followed import FollowedUsers, LearntInteractions
from rankwise.recommenders.interactions import Interactions, as_interactions
from rankwise.recommenders.recommender import Model, Recommender, histories_of

try:
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError
except ImportError:
    raise not_installed("scikit-learn", "train", "learning") from None

__all__ = ["RecommenderLearner"]


class NotFitted(RankwiseError, NotFittedError):  # type: ignore[misc]
    """A learner is asked to recommend before it has learnt."""


@dataclass(kw_only=True, eq=False, repr=False)
class RecommenderLearner(BaseEstimator):  # type: ignore[misc]
    """What all learners of interactions share; an algorithm is a subclass in a file of its own.

    `select` is the measure that stops early and chooses the step that is kept, on validation interactions: of each of
    their users all items are ranked that the user has not had to do with in training. `patience` is after how many
    steps without a better value there the training stops (None: never). The same seed gives the same bits, for any
    number of `threads` and any order of rows. With `warm_start` a further `fit` goes on from the recommender that is
    there.
    """

    select: Measure | str = "nDCG@10"
    patience: int | None = None
    seed: int = 0
    threads: int | None = None
    warm_start: bool = False

    name: ClassVar[str]
    """On the command line."""
    states: ClassVar[tuple[type, ...]] = ()
    """The dataclasses that a state is made of."""
    chooses_on_training: ClassVar[bool] = False
    lengthens: ClassVar[str] = ""
    """The parameter that says how many steps there are: a resumed training may have another one."""

    # What an algorithm says.

    def steps(self) -> int:
        """At most so many passes."""
        raise NotImplementedError

    def prepare(self, data: Interactions) -> Any:
        """What is computed of the interactions once, and given to `start` and `step` as their data."""
        return data

    def start(self, data: Any, rng: np.random.Generator) -> Any:
        """The state before the first step."""
        raise NotImplementedError

    def step(self, data: Any, state: Any, rng: np.random.Generator) -> Any:
        """The state after a further pass; neither the learner nor the old state changes."""
        raise NotImplementedError

    def model(self, state: Any) -> Model:
        """What has been learnt so far."""
        raise NotImplementedError

    # What an algorithm may say.

    def check(self) -> None:
        """Refuses parameters that mean nothing."""
        whole("seed", self.seed, least=0)
        whole("patience", self.patience, least=1, may_be_none=True)
        whole("threads", self.threads, least=1, may_be_none=True)
        whole("the number of steps", self.steps(), least=1)

    def start_from(self, data: Any, scorer: Any, rng: np.random.Generator) -> tuple[Any, int]:
        """The state that goes on from a recommender's model, and how many steps that has already."""
        what = f"{type(self).__name__} cannot go on from a recommender"
        raise RankwiseError(message(what, hint="train from the start."))

    def fold_in(self, model: Model, interactions: Interactions) -> Model | None:
        """The model with rows for the users of those interactions, as they would be learnt while the items stay."""
        return None

    def finished(self, state: Any) -> str:
        """Why there is nothing left to do; empty if there is."""
        return ""

    def candidates(self, state: Any) -> Sequence[Any]:
        """The states among which the best is kept."""
        return (state,)

    def training_value(self, data: Any, state: Any) -> float | None:
        """What the algorithm itself makes smaller or larger, if a state knows it."""
        return None

    def pack(self, state: Any) -> Any:
        """A state as plain data, where it is not."""
        return state

    def unpack(self, state: Any, data: Any) -> Any:
        """The state that was packed."""
        return state

    # What everyone uses.

    def fit(
        self,
        interactions: Any,
        y: Any = None,
        *,
        validation: Any = None,
        start_from: Recommender | None = None,
        checkpoint: Checkpoint | None = None,
        callbacks: Iterable[Callback] = (),
        time_budget: float | None = None,
    ) -> Self:
        """Learns from `Interactions`, a SciPy sparse matrix, or a table of them.

        `validation` are other interactions of users that are learnt from. `start_from` is a recommender to go on from.
        `checkpoint`, `callbacks` and `time_budget` are those of every learner.
        Sets `recommender_`, `curve_` and `stopped_`, why it ended.
        """
        self.check()
        check_budget(time_budget)
        data = as_interactions(interactions)
        if not len(data):
            raise DataError(message("there are no interactions to learn from"))
        select = measure_of(self.select)
        if start_from is None and self.warm_start:
            start_from = getattr(self, "recommender_", None)
        followed = None if validation is None else FollowedUsers.of(data, as_interactions(validation), select, self)
        learning = LearntInteractions(data, select)
        loop = Loop(self, learning, followed, checkpoint, tuple(callbacks), time_budget)
        loop.run(None if start_from is None else start_from.model_for(data))
        self.curve_ = loop.curve()
        self.stopped_ = loop.why
        self.recommender_ = Recommender(
            users=data.users,
            items=data.items,
            model=self.model(loop.best_state),
            histories=histories_of(data),
            about=self._about(loop, data, select),
        )
        return self

    def recommend(self, users: Any = None, k: int = 10, **options: Any) -> Any:
        """The best items of users; the same as that of `recommender_`."""
        return self._fitted().recommend(users, k, threads=self.threads, **options)

    def _fitted(self) -> Recommender:
        if not hasattr(self, "recommender_"):
            hint = "call `fit` first, or read a recommender with `rankwise.load_recommender`."
            raise NotFitted(message(f"this {type(self).__name__} has not learnt yet", hint=hint))
        found: Recommender = self.recommender_
        return found

    def _about(self, loop: Loop, data: Interactions, select: Measure) -> dict[str, Any]:
        """What a recommender knows of how it came to be."""
        from rankwise import __version__

        value = loop.value_of_best().validation
        return {
            "learner": self.name,
            "parameters": parameters_of(self),
            "select": str(select),
            "rankwise": __version__,
            "counts": {"users": len(data.users), "items": len(data.items), "interactions": len(data)},
            "steps": loop.best,
            "stopped": loop.why,
            "validation": value if np.isfinite(value) else None,
        }

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "recommender_")


def measure_of(given: Measure | str) -> Measure:
    if isinstance(given, Measure):
        return given
    from rankwise.measures.parse import measure

    return measure(given)


def whole(name: str, value: Any, *, least: int, may_be_none: bool = False) -> None:
    """Refuses what is no whole number from `least`."""
    if value is None and may_be_none:
        return
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise RankwiseError(message(f"{name} must be a whole number from {least}, not {value!r}"))


def number(name: str, value: Any, *, least: float = 0.0, above: bool = False, most: float = np.inf) -> None:
    """Refuses what is no finite number from `least` (or above it) to `most`."""
    is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and np.isfinite(value)
    if not is_number or value < least or value > most or (above and value == least):
        bounds = f"above {least:g}" if above else f"from {least:g}"
        to = f" to {most:g}" if np.isfinite(most) else ""
        raise RankwiseError(message(f"{name} must be a number {bounds}{to}, not {value!r}"))


def check_budget(seconds: float | None) -> None:
    if seconds is not None:
        number("the time budget", seconds, above=True)
