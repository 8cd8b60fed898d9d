"""A learner is a start and a step; the one loop around them is in `loop`.

An algorithm says how a state begins (`start`), how the next one follows (`step`), and which scorer a state is
(`scorer`); none of them changes the learner. The loop adds all that is true of every learner: lists in any order,
transforms of features, validation and early stopping under any measure and convention, the learning curve, a time
budget, checkpoints, continuing from a ranker, callbacks.

A state is plain data: a frozen dataclass of arrays, numbers, texts, tuples and such dataclasses. Therefore it can be
kept, compared and written down without a word from the algorithm.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.errors import DataError, RankwiseError, RankwiseWarning, message, not_installed
from rankwise.evaluation.judge import Judge
from rankwise.learners.curve import Callback, Checkpoint
from rankwise.learners.followed import Followed, Learning
from rankwise.learners.loop import Loop, parameters_of
from rankwise.learners.training import Training, as_dataset, kinds_that_teach_nothing
from rankwise.measures.base import Measure
from rankwise.rankers.base import Ranker, Scorer
from rankwise.rankers.inputs import Inputs

try:
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError
except ImportError:
    raise not_installed("scikit-learn", "train", "learning") from None

__all__ = ["Learner", "NotFitted"]

Scores = npt.NDArray[np.float64]
Table = npt.NDArray[np.float32]


class NotFitted(RankwiseError, NotFittedError):  # type: ignore[misc]
    """A learner is asked to rank before it has learnt."""


@dataclass(kw_only=True, eq=False, repr=False)
class Learner(BaseEstimator):  # type: ignore[misc]
    """What all learners share; an algorithm is a subclass in a file of its own.

    `measure` is learnt for, under its convention, wherever the algorithm looks at a measure; `select` (default: the
    same) stops early and chooses the step that is kept, on validation lists. `patience` is after how many steps without
    a better value there the training stops (None: never). `scaling`, `over` and `relative` say what is made of the
    features: the transform of `rankwise.rankers.Inputs` (scikit-learn takes what has a `transform` for a transformer).
    The same seed gives the same bits, for any number of `threads` and any order of lists. With `warm_start` a further
    `fit` goes on from the ranker that is there.
    """

    measure: Measure | str = "nDCG@10"
    select: Measure | str | None = None
    patience: int | None = None
    scaling: str = "none"
    over: str = "train"
    relative: Sequence[str] = ()
    seed: int = 0
    threads: int | None = None
    warm_start: bool = False

    name: ClassVar[str]
    """On the command line."""
    states: ClassVar[tuple[type, ...]] = ()
    """The dataclasses that a state is made of."""
    trains_by_measure: ClassVar[bool] = True
    """Whether the algorithm itself looks at the measure, and not the choice on validation alone."""
    takes_missing: ClassVar[bool] = False
    """Whether features may be NaN."""
    chooses_on_training: ClassVar[bool] = False
    """Without validation the best step on the training lists is kept, not the last."""
    ignores_constants: ClassVar[bool] = False
    """Whether a constant added to the measure's value of a list, whatever its ranking, changes nothing."""
    packages: ClassVar[tuple[str, ...]] = ()
    """Packages whose version may change what is learnt."""
    compares_documents: ClassVar[bool] = False
    """Whether its scorers may look at the documents of a list together."""
    lengthens: ClassVar[str] = ""
    """The parameter that says how many steps there are: a resumed training may have another one."""

    # What an algorithm says.

    def steps(self) -> int:
        """At most so many steps."""
        raise NotImplementedError

    def prepare(self, data: Training) -> Any:
        """What is computed of the lists once, and given to `start` and `step` as their data."""
        return data

    def start(self, data: Any, rng: np.random.Generator) -> Any:
        """The state before the first step."""
        raise NotImplementedError

    def step(self, data: Any, state: Any, rng: np.random.Generator) -> Any:
        """The state after a further step; neither the learner nor the old state changes."""
        raise NotImplementedError

    def scorer(self, state: Any) -> Scorer:
        """What has been learnt so far."""
        raise NotImplementedError

    # What an algorithm may say.

    def check(self) -> None:
        """Refuses parameters that mean nothing."""
        _whole("seed", self.seed, least=0)
        _whole("patience", self.patience, least=1, may_be_none=True)
        _whole("threads", self.threads, least=1, may_be_none=True)
        _whole("the number of steps", self.steps(), least=1)

    def start_from(self, data: Any, scorer: Scorer, rng: np.random.Generator) -> tuple[Any, int]:
        """The state that goes on from a scorer, and how many steps that scorer has already."""
        raise RankwiseError(message(f"{type(self).__name__} cannot go on from a ranker", hint="train from the start."))

    def finished(self, state: Any) -> str:
        """Why there is nothing left to do; empty if there is."""
        return ""

    def candidates(self, state: Any) -> Sequence[Any]:
        """The states among which the best is kept, such as restarts that stand side by side."""
        return (state,)

    def rescore(self, table: Table, scores: Scores, before: Any, after: Any) -> Scores:
        """The scores of rows under the state `after`, given those under the state `before` it."""
        return self.scorer(after).scores(table, threads=self.threads)

    def training_scores(self, data: Any, state: Any) -> Scores | None:
        """The scores of the training rows, if a state knows them."""
        return None

    def training_value(self, data: Any, state: Any) -> float | None:
        """The value of the training measure, if a state knows it."""
        return None

    def facts(self, state: Any) -> dict[str, Any]:
        """What a state knows of itself that a ranker's `about` should tell: numbers and texts."""
        return {}

    def pack(self, state: Any) -> Any:
        """A state as plain data, where it is not."""
        return state

    def unpack(self, state: Any, data: Any) -> Any:
        """The state that was packed."""
        return state

    # What everyone uses.

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        qid: Any = None,
        group: Any = None,
        weights: Any = None,
        document_weights: Any = None,
        validation: Any = None,
        start_from: Ranker | None = None,
        checkpoint: Checkpoint | None = None,
        callbacks: Iterable[Callback] | Callback = (),
        time_budget: float | None = None,
    ) -> Self:
        """Learns from a `Dataset`, or from features, labels and the query id of each row.

        `validation` is a `Dataset` or (X, y, qid). `start_from` is a ranker to go on from. `checkpoint` keeps
        snapshots; if it holds one of the same training, that training is resumed. `callbacks` are told of each step,
        and stop the training by returning True. `time_budget` is in seconds.
        Sets `ranker_`, `curve_`, `counts_` and `stopped_`, why it ended.
        """
        self.check()
        _check_budget(time_budget)
        measure = _measure(self.measure)
        select = measure if self.select is None else _measure(self.select)
        data = as_dataset(X, y, qid=qid, group=group, weights=weights, document_weights=document_weights)
        if start_from is None and self.warm_start:
            start_from = getattr(self, "ranker_", None)
        inputs = self._inputs(data, start_from)
        training = Training.of(data, inputs, measure, self.threads)
        training.refuse_nothing_to_learn(by_measure=self.trains_by_measure)
        self._refuse_missing(training.table, training.names, "the training lists")
        followed = None if validation is None else self._followed(validation, inputs, select)
        loop = Loop(self, Learning(training), followed, checkpoint, _several(callbacks), time_budget)
        loop.run(None if start_from is None else start_from.scorer)
        self.counts_ = training.counts
        self.curve_ = loop.curve()
        self.stopped_ = loop.why
        self.n_features_in_ = inputs.features
        if data.feature_names is not None:
            self.feature_names_in_ = np.array(data.feature_names, dtype=object)
        about = self._about(loop, training, measure, select)
        self.ranker_ = Ranker(inputs=inputs, scorer=self.scorer(loop.best_state), about=about)
        return self

    def predict(self, X: Any, *, qid: Any = None, group: Any = None) -> Scores:
        """One score a row, in the caller's order of rows; `qid` or `group` where features are seen beside their list's.

        The same as that of `ranker_`.
        """
        return self._fitted().predict(X, qid=qid, group=group, threads=self.threads)

    def score(self, X: Any, y: Any = None, *, qid: Any = None, group: Any = None) -> float:
        """The value of the selecting measure; of a measure that is better where it is less, its negative."""
        ranker = self._fitted()
        select = _measure(self.measure if self.select is None else self.select)
        data = as_dataset(X, y, qid=qid, group=group)
        value = Judge(data, select, threads=self.threads).mean(data.reorder(ranker.predict(data, threads=self.threads)))
        return value if select.higher_is_better else -value

    def _fitted(self) -> Ranker:
        if not hasattr(self, "ranker_"):
            hint = "call `fit` first, or read a ranker with `rankwise.load_ranker`."
            raise NotFitted(message(f"this {type(self).__name__} has not learnt yet", hint=hint))
        ranker: Ranker = self.ranker_
        return ranker

    def _inputs(self, data: Dataset, start_from: Ranker | None) -> Inputs:
        if start_from is not None:
            return start_from.inputs
        return Inputs.fit(data, transform=self.scaling, over=self.over, relative=tuple(self.relative))

    def _followed(self, validation: Any, inputs: Inputs, select: Measure) -> Followed:
        given = validation if isinstance(validation, tuple) else (validation,)
        if not 1 <= len(given) <= 3:
            raise DataError(message("validation is a Dataset, or (X, y, qid)"))
        X, y, qid = (*given, None, None)[:3]
        try:
            data = as_dataset(X, y, qid=qid)
            table = inputs.table(data)
        except DataError as refusal:
            raise DataError(f"validation: {refusal}") from None
        self._refuse_missing(table, inputs.names, "the validation lists")
        judge = Judge(data, select, threads=self.threads)
        if math.isnan(judge.mean(np.zeros(len(data.labels)))):
            hint = "give lists with relevant documents, or select under a convention that scores empty lists."
            raise DataError(message(f"validation: {select} has no value on these lists", hint=hint))
        if np.logical_or.reduce(kinds_that_teach_nothing(data, judge)).all():
            what = f"validation: no ranking of these lists changes {select}, and the first step is kept"
            hint = "give lists with better and worse documents; `rankwise inspect` tells what is odd with data."
            warnings.warn(RankwiseWarning(message(what, hint=hint)), stacklevel=3)
        return Followed(table, judge, data)

    def _refuse_missing(self, table: Table, names: Sequence[str], where: str) -> None:
        if self.takes_missing or not np.isnan(np.add.reduce(table, axis=None, dtype=np.float64)):
            return
        row, column = (int(place[0]) for place in np.nonzero(np.isnan(table)))
        hint = "fill it before, or learn with trees (lambdamart), which have a place for missing values."
        what = f"{type(self).__name__} has no place for missing values: feature '{names[column]}' is NaN"
        raise DataError(message(what, place=f"{where}, in order of their ids, row {row}", hint=hint))

    def _about(self, loop: Loop, training: Training, measure: Measure, select: Measure) -> dict[str, Any]:
        """What a ranker knows of how it came to be."""
        from rankwise import __version__

        return {
            "learner": self.name,
            "parameters": parameters_of(self),
            "measure": str(measure),
            "select": str(select),
            "rankwise": __version__,
            "counts": training.counts._asdict(),
            "steps": loop.best,
            "stopped": loop.why,
            "training": _number(loop.value_of_best().training),
            "validation": _number(loop.value_of_best().validation),
            **self.facts(loop.best_state),
        }

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ranker_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = self.takes_missing
        return tags


def _measure(given: Measure | str) -> Measure:
    if isinstance(given, Measure):
        return given
    from rankwise.measures.parse import measure

    return measure(given)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _whole(name: str, value: Any, *, least: int, may_be_none: bool = False) -> None:
    if value is None and may_be_none:
        return
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise RankwiseError(message(f"{name} must be a whole number from {least}, not {value!r}"))


def _several(callbacks: Iterable[Callback] | Callback) -> tuple[Callback, ...]:
    return (callbacks,) if callable(callbacks) else tuple(callbacks)


def _check_budget(seconds: float | None) -> None:
    is_number = isinstance(seconds, (int, float, np.number)) and not isinstance(seconds, bool)
    if seconds is not None and not (is_number and seconds > 0):
        raise RankwiseError(message(f"the time budget must be a number of seconds above 0, not {seconds!r}"))
