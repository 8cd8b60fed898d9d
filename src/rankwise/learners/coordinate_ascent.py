r"""Coordinate Ascent: a linear ranker whose weights are searched one by one for the greatest measure itself.

.. math:: \max_w \; M(Xw) \; - \; \mathrm{slack} \, \Bigl\lVert \frac{w}{\lVert w \rVert_1} -
          \frac{w_0}{\lVert w_0 \rVert_1} \Bigr\rVert_2

Metzler & Croft 2007 (`metzler2007`); the pull towards the start w₀ is off by default (`slack=0`).

The search along a weight is exact (Och 2003, `och2003`). Along w + δ e_f each document's score is a line s + δ x_f; the
order of a list changes only where two lines cross, and between crossings the measure stands still. All crossings that
touch the top k are found, the changes of the measure there are summed over lists, and the step leads into the best
interval: of equally good ones the widest, its middle. Rules where that leaves a choice:

- If the interval holds −w_f, the weight becomes 0 and the feature is switched off, unless −w_f lies nearer to an end
  than 1/64 of the width.
- The interval beyond the last crossing δ that changes the measure is taken to end at 2 δ; where none does on one side
  of 0, at twice the size of the largest weight (at 2 if all are 0).
- Intervals narrower than 10⁻⁹ of their distance from 0 are left out: rounding could close them.
- Documents with the same score and the same x_f stay tied all along; the convention's rule of ties says what they
  count, under `expected` in closed form.
- A step is taken only if the measure, computed under the whole convention at the new scores, has risen; if it falls on
  a point where documents meet, another point of the interval is tried.

A sweep searches along every weight once, in an order drawn anew, and along `directions` random directions among them
(Cer, Jurafsky & Manning 2008, `cer2008`). A restart ends with the first sweep that gains nothing, or less than
`tolerance`. Restart 0 begins with equal weights, the others with weights drawn evenly from −1 to 1. All of them stand
for choice on validation after each sweep; without validation the one with the greatest training value is kept. Values
are counted in whole units, so that conventions whose values differ by a constant on the same lists (yahoo, ranklib)
give the same model.

`search="probe"` tries the steps that RankLib tries: 0.001, or 0.05 |w_f| where 0.001 is more than half of the weight,
doubled 25 times, up, then down, then the weight 0, until one direction gains. It departs from RankLib 2.18, whose
search adds the scores of a switched-off feature twice, steps upwards alone where |w_f| < 0.002, and begins every
restart at the same point. What no line can be followed for is probed too: a measure of one's own, ties 'kept' or of
RankLib 1's selection sort, and tools that count positive scores alone; the ranker's `about` says which search it was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.errors import RankwiseError, message
from rankwise.learners.base import Learner, _whole
from rankwise.learners.training import Training
from rankwise.measures.base import Measure
from rankwise.measures.user import UserMeasure
from rankwise.rankers.base import Scorer
from rankwise.rankers.linear import Linear

__all__ = ["CoordinateAscent"]

Floats = npt.NDArray[np.float64]

SEARCHES = ("exact", "probe")
# RankLib's steps: the first one, the share of a small weight, how much longer the next one is, how many there are.
FIRST, SHARE, LONGER, PROBES = 0.001, 0.05, 2.0, 25


@dataclass(frozen=True, slots=True)
class Climbed:
    """Where each restart stands; the `chosen` one is the ranker."""

    weights: Floats
    """A row a restart."""
    starts: Floats
    values: Floats
    """The training measure, its sign turned where less is better."""
    ended: npt.NDArray[np.bool_]
    chosen: int
    search: str
    """How the training lists are searched."""


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """The training lists, ready to be searched; without a `search` they are probed."""

    training: Training
    search: _kernels.LineSearch | None
    sign: float
    constant: float
    """What the lists add to the mean whose value no ranking changes."""

    @property
    def how(self) -> str:
        return "probe" if self.search is None else "exact"

    def value(self, weights: Floats) -> float:
        if self.search is not None:
            return self.search.value(weights)
        return self.judged(Linear(weights).scores(self.training.table))

    def judged(self, scores: Floats) -> float:
        return self.sign * self.training.judge.mean(scores)


@dataclass(kw_only=True, eq=False, repr=False)
class CoordinateAscent(Learner):
    """A linear ranker for any measure, by exact line searches from several starts.

    `restarts` starts, each for at most `sweeps` sweeps over all weights, until one gains nothing, or less than
    `tolerance`. `directions` random directions are searched in each sweep beside the weights. `slack` pulls weights
    towards those of the start. `search` is "exact", or "probe" for RankLib's steps.

    >>> from rankwise import Dataset
    >>> data = Dataset.of([[1, 9], [2, 4], [3, 5], [4, 1]], [0, 1, 0, 2], group=[4], feature_names=["price", "stars"])
    >>> fitted = CoordinateAscent(measure="nDCG@2").fit(data)
    >>> float(fitted.curve_.training[-1]), fitted.ranker_.about["search"]
    (1.0, 'exact')
    """

    restarts: int = 10
    sweeps: int = 25
    tolerance: float = 0.0
    directions: int = 0
    slack: float = 0.0
    search: str = "exact"
    scaling: str = "z-score"

    name: ClassVar[str] = "coordinate-ascent"
    states: ClassVar[tuple[type, ...]] = (Climbed,)
    chooses_on_training: ClassVar[bool] = True
    ignores_constants: ClassVar[bool] = True
    lengthens: ClassVar[str] = "sweeps"

    def steps(self) -> int:
        return self.sweeps

    def check(self) -> None:
        _whole("restarts", self.restarts, least=1)
        _whole("sweeps", self.sweeps, least=1)
        _whole("directions", self.directions, least=0)
        for name in ("tolerance", "slack"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
                raise RankwiseError(message(f"{name} must be a number from 0, not {value!r}"))
        if self.search not in SEARCHES:
            raise RankwiseError(message(f"search is {self.search!r}", hint=f"choose {' or '.join(SEARCHES)}."))
        super().check()

    def prepare(self, data: Training) -> Slopes:
        sign = 1.0 if data.measure.higher_is_better else -1.0
        if self.search == "probe" or not can_be_followed(data.measure):
            return Slopes(data, None, sign, 0.0)
        lists, measure, weights = data.judge.lists, data.measure, sign * data.weights
        values = data.judge.values(np.zeros(len(data.labels)))
        counted = ~np.isnan(values)
        total = float(data.weights[counted].sum())
        search = _kernels.LineSearch(
            np.zeros(len(data.labels)),
            lists.grades,
            lists.offsets,
            lists.outside_offsets,
            lists.ids(measure.convention.ties),
            lists.order(measure.convention),
            lists.plan(measure),
            data.table,
            weights,
            total,
        )
        counted[search.searched] = False
        return Slopes(data, search, sign, math.fsum(weights[counted] * values[counted]) / total)

    def start(self, data: Slopes, rng: np.random.Generator) -> Climbed:
        features = data.training.table.shape[1]
        return self._from(data, np.full(features, 1 / features), rng)

    def start_from(self, data: Slopes, scorer: Scorer, rng: np.random.Generator) -> tuple[Climbed, int]:
        if not isinstance(scorer, Linear):
            raise RankwiseError(message("CoordinateAscent goes on from a linear ranker alone"))
        return self._from(data, scorer.weights, rng), 0

    def _from(self, data: Slopes, first: Floats, rng: np.random.Generator) -> Climbed:
        others = rng.uniform(-1, 1, (self.restarts - 1, len(first)))
        starts = np.vstack([first, others])
        values = np.array([data.value(weights) for weights in starts])
        return Climbed(starts, starts, values, np.zeros(self.restarts, np.bool_), int(values.argmax()), data.how)

    def step(self, data: Slopes, state: Climbed, rng: np.random.Generator) -> Climbed:
        """One sweep of each restart that has not ended."""
        features = state.weights.shape[1]
        directions = rng.normal(size=(self.directions, features))
        # Each restart draws its own order, whether others have ended or not.
        lots = np.tile(np.arange(features + self.directions), (len(state.weights), 1))
        order = rng.permuted(lots, axis=1)
        on = np.flatnonzero(~state.ended)
        weights, values, ended = state.weights.copy(), state.values.copy(), state.ended.copy()
        weights[on], values[on] = self._swept(data, state.weights[on], order[on], directions, state.starts[on])
        for at in on:
            gained = values[at] - state.values[at]
            gained -= pull(weights[at], state.starts[at], self.slack)
            gained += pull(state.weights[at], state.starts[at], self.slack)
            ended[at] = gained < self.tolerance or gained == 0
        return Climbed(weights, state.starts, values, ended, int(values.argmax()), state.search)

    def _swept(
        self, data: Slopes, weights: Floats, order: npt.NDArray[np.int64], directions: Floats, starts: Floats
    ) -> tuple[Floats, Floats]:
        if data.search is not None:
            found, values, _ = data.search.sweeps(weights, order, directions, starts, self.slack, data.training.threads)
            return rescaled(found), values
        every = np.vstack([np.eye(weights.shape[1]), directions])
        climbed = [self._probed(data, *one, every) for one in zip(weights, order, starts, strict=True)]
        return np.array([weights for weights, _ in climbed]), np.array([value for _, value in climbed])

    def _probed(
        self, data: Slopes, weights: Floats, order: npt.NDArray[np.int64], start: Floats, directions: Floats
    ) -> tuple[Floats, float]:
        """A sweep that tries some steps along each direction."""
        scores = Linear(weights).scores(data.training.table)
        value = data.judged(scores)
        for at in order:
            along = Linear(directions[at]).scores(data.training.table)
            best, taken = value - pull(weights, start, self.slack), 0.0
            for steps in probes(float(weights[at]) if at < len(weights) else 0.0):
                for step in steps:
                    pulled = pull(weights + step * directions[at], start, self.slack)
                    found = data.judged(scores + step * along) - pulled
                    if found > best:
                        best, taken = found, step
                if taken:
                    break
            if taken:
                weights = weights + taken * directions[at]
                size = np.abs(weights).sum()
                weights = weights / size if size > 0 else np.full(len(weights), 1 / len(weights))
                scores = Linear(weights).scores(data.training.table)
                value = data.judged(scores)
        return weights, value

    def candidates(self, state: Climbed) -> Sequence[Climbed]:
        others = (replace(state, chosen=at) for at in range(len(state.weights)) if at != state.chosen)
        return (state, *others)

    def scorer(self, state: Climbed) -> Linear:
        return Linear(state.weights[state.chosen])

    def finished(self, state: Climbed) -> str:
        return "no restart gains more" if state.ended.all() else ""

    def training_value(self, data: Slopes, state: Climbed) -> float:
        return data.sign * (float(state.values[state.chosen]) + data.constant)

    def facts(self, state: Climbed) -> dict[str, Any]:
        return {"search": state.search, "restart": int(state.chosen)}


def can_be_followed(measure: Measure) -> bool:
    """Whether a measure's value between crossings is known to the kernel."""
    convention = measure.convention
    is_settled = convention.ties not in ("kept", "selection-sort")
    return is_settled and "positive-scores" not in convention.quirks and not isinstance(measure, UserMeasure)


def pull(weights: Floats, start: Floats, slack: float) -> float:
    """What is taken off for the distance of both, each over the sum of its sizes."""
    if slack == 0:
        return 0.0
    mine, theirs = (one / size if (size := np.abs(one).sum()) > 0 else one for one in (weights, start))
    return slack * float(np.linalg.norm(mine - theirs))


def rescaled(weights: Floats) -> Floats:
    """The same rankings, the largest weight between 1/2 and 1: powers of two round nothing, and so change no order."""
    largest = np.abs(weights).max(axis=1, keepdims=True)
    return np.ldexp(weights, -np.where(largest > 0, np.frexp(largest)[1], 0))


def probes(weight: float) -> list[Floats]:
    """The steps to try: upwards, downwards, and to 0."""
    first = SHARE * abs(weight) if weight != 0 and 0.5 * abs(weight) < FIRST else FIRST
    steps = first * np.cumsum(LONGER ** np.arange(PROBES))
    return [steps, -steps, np.array([-weight] if weight else [])]
