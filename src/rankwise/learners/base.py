"""A learner is a start and a step; here is the one loop around them.

An algorithm says how a state begins (`start`), how the next one follows (`step`), and which scorer a state is
(`scorer`); none of them changes the learner. The loop adds all that is true of every learner: lists in any order,
transforms of features, validation and early stopping under any measure and convention, the learning curve, a time
budget, checkpoints, continuing from a ranker, callbacks.

A state is plain data: a frozen dataclass of arrays, numbers, texts, tuples and such dataclasses. Therefore it can be
kept, compared and written down without a word from the algorithm.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.errors import DataError, RankwiseError, message, not_installed
from rankwise.evaluation.judge import Judge
from rankwise.learners.curve import Callback, Checkpoint, Curve, Step
from rankwise.learners.plain import of_plain, to_plain
from rankwise.learners.training import Training, as_dataset
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
        callbacks: Iterable[Callback] = (),
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
        loop = _Loop(self, training, followed, start_from, checkpoint, tuple(callbacks), time_budget)
        loop.run()
        self.counts_ = training.counts
        self.curve_ = loop.curve()
        self.stopped_ = loop.why
        self.n_features_in_ = inputs.features
        if data.feature_names is not None:
            self.feature_names_in_ = np.array(data.feature_names, dtype=object)
        self.ranker_ = Ranker(inputs=inputs, scorer=loop.best_scorer(), about=self._about(loop, measure, select))
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

    def _followed(self, validation: Any, inputs: Inputs, select: Measure) -> _Followed:
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
        return _Followed(table, judge, data)

    def _refuse_missing(self, table: Table, names: Sequence[str], where: str) -> None:
        if self.takes_missing or not np.isnan(np.add.reduce(table, axis=None, dtype=np.float64)):
            return
        row, column = (int(place[0]) for place in np.nonzero(np.isnan(table)))
        hint = "fill it before, or learn with trees (lambdamart), which have a place for missing values."
        what = f"{type(self).__name__} has no place for missing values: feature '{names[column]}' is NaN"
        raise DataError(message(what, place=f"{where}, in order of their ids, row {row}", hint=hint))

    def _about(self, loop: _Loop, measure: Measure, select: Measure) -> dict[str, Any]:
        """What a ranker knows of how it came to be."""
        from rankwise import __version__

        return {
            "learner": self.name,
            "parameters": _parameters(self),
            "measure": str(measure),
            "select": str(select),
            "rankwise": __version__,
            "counts": loop.training.counts._asdict(),
            "steps": loop.best,
            "stopped": loop.why,
            "training": _number(loop.value_of_best().training),
            "validation": _number(loop.value_of_best().validation),
        }

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ranker_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = self.takes_missing
        return tags


@dataclass(slots=True)
class _Followed:
    """Validation lists, as the scorer sees them."""

    table: Table
    judge: Judge
    dataset: Dataset

    def value(self, scores: Scores) -> float:
        return self.judge.mean(scores)


class _Loop:
    """One training: the only place that counts steps."""

    def __init__(
        self,
        learner: Learner,
        training: Training,
        followed: _Followed | None,
        start_from: Ranker | None,
        checkpoint: Checkpoint | None,
        callbacks: tuple[Callback, ...],
        time_budget: float | None,
    ) -> None:
        self.learner = learner
        self.training = training
        self.followed = followed
        self.checkpoint = checkpoint
        self.callbacks = callbacks
        self.time_budget = math.inf if time_budget is None else time_budget
        self.select = training.measure if followed is None else followed.judge.measure
        self.why = ""
        self.best = 0
        self.best_value = math.nan
        self.path: list[Step] = []
        self.scores: Scores | None = None
        self.training_scores: Scores | None = None
        self.before = 0.0
        self.began = time.monotonic()
        self.data = learner.prepare(training)
        if not self._resumed():
            self._begin(start_from)

    @property
    def seconds(self) -> float:
        return self.before + time.monotonic() - self.began

    def run(self) -> None:
        while not (self.why or self._is_over()):
            self._advance()
            if self.checkpoint is not None and self.checkpoint.is_due():
                self._save()
        if self.checkpoint is not None:
            self._save()

    def _begin(self, start_from: Ranker | None) -> None:
        self.number = self.first = 0
        if start_from is None:
            self.state = self.learner.start(self.data, self._rng(0))
        else:
            self.state, self.number = self.learner.start_from(self.data, start_from.scorer, self._rng(0))
            self.first = self.number
        self.best_state = self.state
        self.best = self.number
        if self.followed is not None:
            self.scores = self.learner.scorer(self.state).scores(self.followed.table, threads=self.learner.threads)
            if self.number:
                self.best_value = self.followed.value(self.scores)

    def _rng(self, step: int) -> np.random.Generator:
        """Lots hang on the seed and the step alone: a resumed training draws the same."""
        return np.random.default_rng([self.learner.seed, step])

    def _is_over(self) -> bool:
        self.why = self._reason()
        return bool(self.why)

    def _reason(self) -> str:
        learner = self.learner
        if reason := learner.finished(self.state):
            return reason
        if self.number >= learner.steps():
            return "all steps done"
        chooses = self.followed is not None or learner.chooses_on_training
        if chooses and learner.patience is not None and self.number - self.best >= learner.patience:
            return f"no better value in {learner.patience} steps"
        return "the time is up" if self.seconds >= self.time_budget else ""

    def _advance(self) -> None:
        before = self.state
        self.number += 1
        self.state = self.learner.step(self.data, before, self._rng(self.number))
        training, validation = self._training_value(before), math.nan
        if self.followed is None:
            self._keep(self.state, training if self.learner.chooses_on_training else math.nan)
        else:
            validation = self._choose(before)
        step = Step(self.number, self.learner.steps(), training, validation, self.best, self.seconds)
        self.path.append(step)
        told = [callback(step) for callback in self.callbacks]
        if any(answer is True for answer in told):
            self.why = "stopped by a callback"

    def _training_value(self, before: Any) -> float:
        learner, state = self.learner, self.state
        known = learner.training_value(self.data, state)
        if known is not None:
            return known
        scores = learner.training_scores(self.data, state)
        if scores is None:
            table = self.training.table
            if self.training_scores is None:
                self.training_scores = learner.scorer(before).scores(table, threads=learner.threads)
            scores = self.training_scores = learner.rescore(table, self.training_scores, before, state)
        return self.training.judge.mean(scores)

    def _choose(self, before: Any) -> float:
        """Keeps the best candidate if it is better than what was best; its value on the validation lists."""
        assert self.followed is not None and self.scores is not None
        learner = self.learner
        found = []
        for state in learner.candidates(self.state):
            if state is self.state:
                scores = self.scores = learner.rescore(self.followed.table, self.scores, before, state)
            else:
                scores = learner.scorer(state).scores(self.followed.table, threads=learner.threads)
            found.append((state, self.followed.value(scores)))
        best, value = found[0]
        for state, other in found[1:]:
            if self._is_better(other, value):
                best, value = state, other
        self._keep(best, value)
        return value

    def _keep(self, state: Any, value: float) -> None:
        """Where nothing is chosen, values are NaN and the last state stays."""
        if math.isnan(self.best_value) or self._is_better(value, self.best_value):
            self.best, self.best_state, self.best_value = self.number, state, value

    def _is_better(self, value: float, than: float) -> bool:
        return value > than if self.select.higher_is_better else value < than

    def best_scorer(self) -> Scorer:
        return self.learner.scorer(self.best_state)

    def curve(self) -> Curve:
        return Curve(self.path, self.best)

    def value_of_best(self) -> Step:
        at = self.best - self.first - 1
        return self.path[at] if 0 <= at < len(self.path) else Step(self.best, 0, math.nan, math.nan, self.best, 0.0)

    # Snapshots.

    def _identity(self) -> dict[str, Any]:
        """What must be the same for a training to be resumed."""
        parameters = _parameters(self.learner)
        for name in (self.learner.lengthens, "threads", "warm_start"):
            parameters.pop(name, None)
        digest = hashlib.sha256()
        for data in [self.training.dataset, *([] if self.followed is None else [self.followed.dataset])]:
            _add_dataset(digest, data)
        return {"learner": self.learner.name, "parameters": parameters, "data": digest.hexdigest()}

    def _save(self) -> None:
        assert self.checkpoint is not None
        if not hasattr(self, "identity"):
            self.identity = self._identity()
        columns: dict[str, Any] = {} if self.scores is None else {"validation": self.scores}
        if self.training_scores is not None:
            columns["training"] = self.training_scores
        pack = self.learner.pack
        header = {
            **self.identity,
            "step": self.number,
            "first": self.first,
            "seconds": self.seconds,
            "best": self.best,
            "best value": to_plain(self.best_value, "", columns),
            "state": to_plain(pack(self.state), "state", columns),
            "best state": None if self.best_state is self.state else to_plain(pack(self.best_state), "best", columns),
            "curve": [to_plain(tuple(step), "", columns) for step in self.path],
        }
        self.checkpoint.save(header, columns)

    def _resumed(self) -> bool:
        """Whether there was a snapshot of this training, from which it goes on."""
        found = None if self.checkpoint is None else self.checkpoint.load()
        if found is None or self.checkpoint is None:
            return False
        header, columns = found
        place = self.checkpoint.place
        self.identity = self._identity()
        _refuse_another(header, self.identity, place)
        records = {kind.__name__: kind for kind in self.learner.states}

        def read(name: str) -> Any:
            return of_plain(header.get(name), columns, records, place)

        self.number, self.first, self.best = (_count(header.get(name), place) for name in ("step", "first", "best"))
        self.before = float(header.get("seconds", 0.0))
        self.best_value = read("best value")
        self.state = self.learner.unpack(read("state"), self.data)
        self.best_state = self.state
        if header.get("best state") is not None:
            self.best_state = self.learner.unpack(read("best state"), self.data)
        self.path = [Step(*step) for step in of_plain({"tuple": header.get("curve")}, columns, records, place)]
        self.scores, self.training_scores = columns.get("validation"), columns.get("training")
        self._refuse_lost_scores(place)
        return True

    def _refuse_lost_scores(self, place: str) -> None:
        for scores, rows in (
            (self.scores, None if self.followed is None else len(self.followed.table)),
            (self.training_scores, len(self.training.table)),
        ):
            if scores is not None and scores.shape != (rows,):
                raise DataError(message("the scores are not those of these lists", place=place, hint=_REMOVE))
        if self.followed is not None and self.scores is None:
            raise DataError(message("the scores of the validation lists are missing", place=place, hint=_REMOVE))


_REMOVE = "remove the checkpoint to train from the start, or name another file."


def _refuse_another(header: Mapping[str, Any], mine: Mapping[str, Any], place: str) -> None:
    """A snapshot of another training is no beginning of this one."""
    if header.get("learner") != mine["learner"]:
        what = f"the checkpoint is of the learner '{header.get('learner')}', not of '{mine['learner']}'"
        raise DataError(message(what, place=place, hint=_REMOVE))
    theirs = header.get("parameters")
    if not isinstance(theirs, dict) or theirs != mine["parameters"]:
        known = theirs if isinstance(theirs, dict) else {}
        name = next((name for name, value in mine["parameters"].items() if known.get(name) != value), "parameters")
        what = f"the checkpoint is of a training with {name}={known.get(name)!r}, not {mine['parameters'].get(name)!r}"
        raise DataError(message(what, place=place, hint=_REMOVE))
    if header.get("data") != mine["data"]:
        raise DataError(message("the checkpoint is of a training on other lists", place=place, hint=_REMOVE))


def _count(value: Any, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise DataError(message(f"the number of steps is {value!r}", place=place, hint=_REMOVE))
    return value


def _add_dataset(digest: Any, data: Dataset) -> None:
    columns = [data.features, data.labels, data.offsets, data.weights, data.document_weights, data.positions]
    for column in columns:
        if column is not None:
            digest.update(f"{column.dtype} {column.shape}".encode())
            digest.update(np.ascontiguousarray(column))


def _measure(given: Measure | str) -> Measure:
    if isinstance(given, Measure):
        return given
    from rankwise.measures.parse import measure

    return measure(given)


def _parameters(learner: Learner) -> dict[str, Any]:
    """Parameters as values of JSON."""
    return {name: _plain_parameter(value) for name, value in sorted(learner.get_params(deep=False).items())}


def _plain_parameter(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain_parameter(part) for part in value]
    if isinstance(value, Mapping):
        return {str(key): _plain_parameter(part) for key, part in value.items()}
    return str(value)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _whole(name: str, value: Any, *, least: int, may_be_none: bool = False) -> None:
    if value is None and may_be_none:
        return
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise RankwiseError(message(f"{name} must be a whole number from {least}, not {value!r}"))


def _check_budget(seconds: float | None) -> None:
    is_number = isinstance(seconds, (int, float, np.number)) and not isinstance(seconds, bool)
    if seconds is not None and not (is_number and seconds > 0):
        raise RankwiseError(message(f"the time budget must be a number of seconds above 0, not {seconds!r}"))
