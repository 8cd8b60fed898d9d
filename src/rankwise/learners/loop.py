"""The one loop: the only place that counts steps, keeps the best of them, stops, and writes snapshots."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from rankwise.errors import DataError, message
from rankwise.learners.curve import Callback, Checkpoint, Curve, Step
from rankwise.learners.followed import Follows
from rankwise.learners.plain import of_plain, to_plain

__all__ = ["Algorithm", "Loop", "parameters_of"]

_REMOVE = "remove the checkpoint to train from the start, or name another file."
# What may differ between the two parts of a training that was interrupted.
_FREE = ("threads", "warm_start")


class Algorithm(Protocol):
    """What the loop asks of a learner; `rankwise.learners.base.Learner` says what each is."""

    name: Any
    states: Any
    chooses_on_training: Any
    lengthens: Any
    seed: int
    patience: int | None

    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def steps(self) -> int: ...
    def start(self, data: Any, rng: np.random.Generator) -> Any: ...
    def start_from(self, data: Any, scorer: Any, rng: np.random.Generator) -> tuple[Any, int]: ...
    def step(self, data: Any, state: Any, rng: np.random.Generator) -> Any: ...
    def prepare(self, data: Any) -> Any: ...
    def finished(self, state: Any) -> str: ...
    def candidates(self, state: Any) -> Sequence[Any]: ...
    def pack(self, state: Any) -> Any: ...
    def unpack(self, state: Any, data: Any) -> Any: ...


class Loop:
    """One training; `followed` are the validation data, if there are any."""

    def __init__(
        self,
        learner: Algorithm,
        learning: Any,
        followed: Follows | None,
        checkpoint: Checkpoint | None = None,
        callbacks: tuple[Callback, ...] = (),
        time_budget: float | None = None,
    ) -> None:
        self.learner = learner
        self.learning: Follows = learning
        self.followed = followed
        self.checkpoint = checkpoint
        self.callbacks = callbacks
        self.time_budget = math.inf if time_budget is None else time_budget
        chooses_by = learning if followed is None else followed
        self.select = chooses_by.measure
        self.chooses = followed is not None or learner.chooses_on_training
        self.why = ""
        self.number = self.first = self.best = 0
        self.best_value = math.nan
        self.path: list[Step] = []
        self.before = 0.0
        self.began = time.monotonic()
        self.data = learner.prepare(learning.training)
        self._begun_from = ""
        self._identity: dict[str, Any] | None = None

    @property
    def seconds(self) -> float:
        return self.before + time.monotonic() - self.began

    def run(self, start_from: Any = None) -> None:
        """Steps until there is a reason to stop, `why`; begins with a scorer, or where the checkpoint ended."""
        self._begun_from = "" if start_from is None else _digest(start_from)
        if not self._resumed():
            self._begin(start_from)
        while not (self.why or self._is_over()):
            self._advance()
            if self.checkpoint is not None and self.checkpoint.is_due():
                self._save()
        if self.checkpoint is not None:
            self._save()

    def curve(self) -> Curve:
        return Curve(self.path, self.best)

    def value_of_best(self) -> Step:
        at = self.best - self.first - 1
        return self.path[at] if 0 <= at < len(self.path) else Step(self.best, 0, math.nan, math.nan, self.best, 0.0)

    def _begin(self, start_from: Any) -> None:
        if start_from is None:
            self.state = self.learner.start(self.data, self._rng(0))
        else:
            self.state, self.number = self.learner.start_from(self.data, start_from, self._rng(0))
            self.first = self.number
            if self.number > self.learner.steps():
                what = f"the ranker to go on from has {self.number:,} steps, more than the {self.learner.steps():,}"
                hint = "ask for as many as there shall be in all, or train from the start."
                raise DataError(message(f"{what} that are asked for", hint=hint))
        self.best_state, self.best = self.state, self.number
        self.learning.begin(self.learner, self.data, self.state)
        if self.followed is not None:
            self.followed.begin(self.learner, self.data, self.state)
            if self.number:
                self.best_value = self.followed.value_of(self.learner, self.state)

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
        if self.chooses and learner.patience is not None and self.number - self.best >= learner.patience:
            return f"no better value in {learner.patience} steps"
        return "the time is up" if self.seconds >= self.time_budget else ""

    def _advance(self) -> None:
        before = self.state
        self.number += 1
        self.state = self.learner.step(self.data, before, self._rng(self.number))
        training = self.learning.advance(self.learner, self.data, before, self.state)
        validation = math.nan if self.followed is None else self._choose(self.followed, before)
        if self.followed is None:
            self._keep(self.state, training if self.chooses else math.nan)
        step = Step(self.number, self.learner.steps(), training, validation, self.best, self.seconds)
        self.path.append(step)
        told = [callback(step) for callback in self.callbacks]
        if any(answer is True for answer in told):
            self.why = "stopped by a callback"

    def _choose(self, followed: Follows, before: Any) -> float:
        """Keeps the best candidate if it is better than what was best; its value on the validation data."""
        value = followed.advance(self.learner, self.data, before, self.state)
        candidates = self.learner.candidates(self.state)
        best, found = self.state, value if any(state is self.state for state in candidates) else math.nan
        for state in candidates:
            if state is not self.state:
                other = followed.value_of(self.learner, state)
                if math.isnan(found) or self._is_better(other, found):
                    best, found = state, other
        self._keep(best, found)
        return found

    def _keep(self, state: Any, value: float) -> None:
        """Where nothing is chosen, values are NaN and the last state stays."""
        if math.isnan(self.best_value) or self._is_better(value, self.best_value):
            self.best, self.best_state, self.best_value = self.number, state, value

    def _is_better(self, value: float, than: float) -> bool:
        return value > than if self.select.higher_is_better else value < than

    # Snapshots.

    def identity(self) -> dict[str, Any]:
        """What must be the same for a training to be resumed."""
        if self._identity is None:
            parameters = parameters_of(self.learner)
            for name in (self.learner.lengthens, *_FREE):
                parameters.pop(name, None)
            digest = hashlib.sha256()
            for data in (self.learning, self.followed):
                if data is not None:
                    data.add_to(digest)
            self._identity = {
                "learner": self.learner.name,
                "parameters": parameters,
                "data": digest.hexdigest(),
                "begun from": self._begun_from,
            }
        return self._identity

    def _save(self) -> None:
        assert self.checkpoint is not None
        columns = self.learning.columns() | ({} if self.followed is None else self.followed.columns())
        pack = self.learner.pack
        header = {
            **self.identity(),
            "step": self.number,
            "first": self.first,
            "seconds": self.seconds,
            "best": self.best,
            "best value": to_plain(self.best_value, "", columns),
            "state": to_plain(pack(self.state), "state", columns),
            "best state": None if self.best_state is self.state else to_plain(pack(self.best_state), "best", columns),
            "curve": to_plain(tuple(tuple(step) for step in self.path), "", columns),
        }
        self.checkpoint.save(header, columns)

    def _resumed(self) -> bool:
        """Whether there was a snapshot of this training, from which it goes on."""
        found = None if self.checkpoint is None else self.checkpoint.load()
        if found is None or self.checkpoint is None:
            return False
        header, columns = found
        place = self.checkpoint.place
        _refuse_another(header, self.identity(), place)
        records = {kind.__name__: kind for kind in self.learner.states}

        def read(name: str) -> Any:
            return of_plain(header.get(name), columns, records, place)

        self.number, self.first, self.best = (_count(header.get(name), place) for name in ("step", "first", "best"))
        if self.number > self.learner.steps():
            what = f"the checkpoint has {self.number:,} steps, more than the {self.learner.steps():,}"
            raise DataError(message(f"{what} that are asked for", place=place, hint=_REMOVE))
        self.before = _seconds(header.get("seconds"), place)
        self.best_value = read("best value")
        self.state = self.learner.unpack(read("state"), self.data)
        self.best_state = self.state
        if header.get("best state") is not None:
            self.best_state = self.learner.unpack(read("best state"), self.data)
        self.path = [Step(*step) for step in read("curve")]
        for data in (self.learning, self.followed):
            if data is not None:
                data.restore(columns, place)
        return True


def _refuse_another(header: Mapping[str, Any], mine: Mapping[str, Any], place: str) -> None:
    """A snapshot of another training is no beginning of this one."""
    if header.get("learner") != mine["learner"]:
        what = f"the checkpoint is of the learner '{header.get('learner')}', not of '{mine['learner']}'"
        raise DataError(message(what, place=place, hint=_REMOVE))
    theirs = header.get("parameters")
    if theirs != mine["parameters"]:
        known = theirs if isinstance(theirs, dict) else {}
        name = next((name for name, value in mine["parameters"].items() if known.get(name) != value), "parameters")
        what = f"the checkpoint is of a training with {name}={known.get(name)!r}, not {mine['parameters'].get(name)!r}"
        raise DataError(message(what, place=place, hint=_REMOVE))
    if header.get("data") != mine["data"]:
        raise DataError(message("the checkpoint is of a training on other lists", place=place, hint=_REMOVE))
    if header.get("begun from") != mine["begun from"]:
        what = "the checkpoint is of a training that began from another ranker, or from none"
        raise DataError(message(what, place=place, hint=_REMOVE))


def _digest(scorer: Any) -> str:
    """A model in a few letters."""
    header, columns = scorer.plain()
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name in sorted(columns):
        digest.update(f"{name} {columns[name].dtype} {columns[name].shape}".encode())
        digest.update(np.ascontiguousarray(columns[name]).tobytes())
    return digest.hexdigest()


def _count(value: Any, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise DataError(message(f"the number of steps is {value!r}", place=place, hint=_REMOVE))
    return value


def _seconds(value: Any, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise DataError(message(f"the seconds are {value!r}", place=place, hint=_REMOVE))
    return float(value)


def parameters_of(learner: Algorithm) -> dict[str, Any]:
    """Parameters as values of JSON."""
    return {name: _plain(value) for name, value in sorted(learner.get_params(deep=False).items())}


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    return str(value)
