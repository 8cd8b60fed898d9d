"""AdaRank as RankLib 2.10 has it: `AdaRank(compat="ranklib")`.

What differs from the paper:

- a list's weight is multiplied by exp(−α E) and divided by the sum of exp(−α E), which does not make the weights sum
  to 1 again; from round to round they fade;
- features are taken in their own direction only, and ranked by a selection sort with swaps where they are tied;
- a feature that is the best one twice in a row is set aside with the round before it ("enqueue"), and comes back after
  the rest has been learnt: the last one set aside first, each for as long as the training value does not fall;
- in those later phases a feature that was chosen `max_selections` times without a change is barred until there is one.

A step here is a round that RankLib keeps, or the last one of a phase, which it judges on validation lists and then
drops. What was best on validation is forgotten there whenever a feature is set aside; here it is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankwise.evaluation.judge import Judge
from rankwise.learners.training import Training

if TYPE_CHECKING:
    from rankwise.learners.adarank import AdaRank

__all__ = ["Emulated", "Prepared", "candidates", "start", "step", "traced"]

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Emulated:
    """Where the training stands."""

    columns: Whole
    alphas: Floats
    weights: Floats
    """One a column: the sum of its alphas."""
    list_weights: tuple[Floats, ...]
    """Of each round, and of the one to come."""
    value: float
    """The training value that the next round is held against; −1 before the first."""
    value_before: float
    dropped: tuple[int, float] | None
    """The weak ranker that ended a phase: judged on validation lists, and then taken out."""
    round: int
    enqueues: bool
    queue: tuple[int, ...]
    last: int
    repeats: int
    barred: tuple[int, ...]
    ended: str


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What each feature makes of each list, and who judges the sum of features."""

    training: Training
    values: Floats
    """Lists × columns."""
    judge: Judge

    @classmethod
    def of(cls, training: Training) -> Prepared:
        # Inside, scores are doubles; features are put in order by another sort than their sum is.
        measure = training.measure.but(precision="float64")
        by_feature = Judge(training.dataset, measure.but(ties="selection-sort"), threads=training.threads)
        columns = np.ascontiguousarray(training.table.T)
        values = np.array([by_feature.values(column) for column in columns]).T
        return cls(training, np.nan_to_num(values), Judge(training.dataset, measure, threads=training.threads))

    def scores(self, columns: Whole, alphas: Floats) -> Floats:
        """α x, one weak ranker after the other."""
        scores = np.zeros(len(self.training.labels))
        for column, alpha in zip(columns, alphas, strict=True):
            scores += alpha * self.training.table[:, column]
        return scores


def start(data: Prepared, enqueues: bool) -> Emulated:
    lists, features = data.values.shape
    none = np.zeros(0)
    return Emulated(
        columns=none.astype(np.int64),
        alphas=none,
        weights=np.zeros(features),
        list_weights=(np.full(lists, float(np.float32(1) / np.float32(lists))),),
        value=-1.0,
        value_before=-1.0,
        dropped=None,
        round=1,
        enqueues=enqueues,
        queue=(),
        last=-1,
        repeats=0,
        barred=(),
        ended="",
    )


def step(data: Prepared, state: Emulated, learner: AdaRank) -> Emulated:
    """The next round that adds a weak ranker, whatever has to be gone through before it."""
    if state.dropped is not None:
        state = _next_phase(replace(state, dropped=None))
    while not state.ended:
        if not state.list_weights[-1].any():
            # There α is 0/0 from here on; the last one may stay in the model, whose scores are then all NaN.
            return replace(state, ended="the weights of the lists have faded to nothing")
        best = _best(data, state) if state.round <= learner.rounds else None
        if best is None:
            state = _next_phase(state)
        elif state.enqueues and best == state.last:
            state = _set_aside(state, best)
        else:
            return _with(data, state, best, learner)
    return state


def _best(data: Prepared, state: Emulated) -> int | None:
    """The first of the features with the greatest weighted value."""
    weighted = (state.list_weights[-1][:, None] * data.values).sum(axis=0)
    allowed = [column for column in range(len(weighted)) if column not in (*state.queue, *state.barred)]
    best = max(allowed, key=lambda column: weighted[column], default=None)
    return None if best is None or not weighted[best] > -1 else best


def _next_phase(state: Emulated) -> Emulated:
    if not state.queue:
        return replace(state, ended="the training value falls, and no feature is set aside")
    return replace(state, enqueues=False, queue=state.queue[:-1])


def _set_aside(state: Emulated, column: int) -> Emulated:
    """Takes the round before back."""
    return replace(
        state,
        columns=state.columns[:-1],
        alphas=state.alphas[:-1],
        weights=_summed(state.columns[:-1], state.alphas[:-1], len(state.weights)),
        list_weights=state.list_weights[:-1],
        value=state.value_before,
        round=state.round + 1,
        queue=(*state.queue, column),
    )


def _with(data: Prepared, state: Emulated, column: int, learner: AdaRank) -> Emulated:
    weights, values = state.list_weights[-1], data.values[:, column]
    alpha = _alpha((weights * (1 + values)).sum(), (weights * (1 - values)).sum())
    columns, alphas = np.append(state.columns, column), np.append(state.alphas, alpha)
    found = data.judge.values(data.scores(columns, alphas))
    value = float(np.nanmean(found))
    state = replace(state if state.enqueues else _counted(state, column, value, learner), last=column)
    if learner.tolerance is not None and value + learner.tolerance - state.value <= 0:
        return replace(state, dropped=(column, alpha))
    faded = np.exp(-alpha * np.nan_to_num(found))
    return replace(
        state,
        columns=columns,
        alphas=alphas,
        weights=_summed(columns, alphas, len(state.weights)),
        list_weights=(*state.list_weights, weights * faded / faded.sum()),
        value=value,
        value_before=state.value,
        round=state.round + 1,
    )


def _counted(state: Emulated, column: int, value: float, learner: AdaRank) -> Emulated:
    """How often a feature has been chosen without any change."""
    if value != state.value or column != state.last:
        return replace(state, repeats=0, barred=())
    if state.repeats + 1 < learner.max_selections:
        return replace(state, repeats=state.repeats + 1)
    return replace(state, repeats=0, barred=(*state.barred, column))


def _alpha(good: float, bad: float) -> float:
    """There infinite where a feature is perfect; here as large as a double can tell from it."""
    return float(0.5 * np.log(good / max(bad, np.finfo(np.float64).eps * good)))


def _summed(columns: Whole, alphas: Floats, features: int) -> Floats:
    weights = np.zeros(features)
    np.add.at(weights, columns, alphas)
    return weights


def candidates(state: Emulated) -> tuple[Emulated, ...]:
    """A weak ranker that is dropped is part of what validation lists see."""
    if state.dropped is None:
        return (state,)
    column, alpha = state.dropped
    columns, alphas = np.append(state.columns, column), np.append(state.alphas, alpha)
    weights = _summed(columns, alphas, len(state.weights))
    return replace(state, columns=columns, alphas=alphas, weights=weights, dropped=None), state


def traced(training: Training, columns: Any, alphas: Any) -> Floats:
    """The weights of lists while these weak rankers are added one after the other."""
    data = Prepared.of(training)
    weights = [start(data, True).list_weights[0]]
    for until in range(1, len(columns) + 1):
        scores = data.scores(np.array(columns[:until]), np.array(alphas[:until]))
        faded = np.exp(-alphas[until - 1] * np.nan_to_num(data.judge.values(scores)))
        weights.append(weights[-1] * faded / faded.sum())
    return np.array(weights)
