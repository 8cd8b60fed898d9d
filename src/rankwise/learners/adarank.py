r"""AdaRank: boosting whose weak rankers are single features, and whose weights follow the measure itself.

.. math:: f_t = f_{t-1} + \alpha_t h_t, \qquad
          \alpha_t = \frac12 \ln \frac{\sum_q P_t(q) (1 + E(q, h_t))}{\sum_q P_t(q) (1 - E(q, h_t))}, \qquad
          P_{t+1}(q) = \frac{e^{-E(q, f_t)}}{\sum_p e^{-E(p, f_t)}}

Xu & Li 2007 (`xu2007`), algorithm 1: E is the value of a list under the measure, whatever it is; a list that the sum of
weak rankers so far ranks badly weighs more. A weak ranker :math:`h` is a feature, rising or falling. What each of them
makes of each list does not change, and is computed once: a round costs a sum over lists × features and a few rankings.

Departures from the paper, each with the parameter that takes it back:

- Its loop takes the weak ranker of the greatest weighted value, whatever comes of it. Once that one alone makes up the
  sum, values and weights stay as they are, and it is taken for ever. Here a weak ranker must lift the training value;
  if the best one does not, the next best is tried (`keep="better"`; the paper's: `keep="all"`). If none of `tries`
  does, α is halved from there on, `halvings` times in all.
- A falling feature is a weak ranker too (`directions="both"`; the paper's: "given").
- Lists that cannot teach, whose value is the same under every ranking, weigh nothing. In the paper they weigh like all
  others, which moves α, and by another amount under each convention. Therefore conventions that differ by a constant on
  such lists, as tools do on empty ones, give the same model here.

Edge cases. A measure with values beyond 1 (DCG) is divided by the greatest value of a single feature; one that is
better where it is less counts as 1 minus that. α is finite: a weighted value counts as 1 − 10⁻⁶ at most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankwise.evaluation.judge import Judge
from rankwise.learners.base import Learner, Scores, Table
from rankwise.learners.ranges import choice, number, whole
from rankwise.learners.ranklib import adarank as ranklib
from rankwise.learners.training import Training, as_dataset
from rankwise.measures.base import Measure
from rankwise.rankers.base import Scorer
from rankwise.rankers.linear import Linear

__all__ = ["AdaRank"]

Weights = npt.NDArray[np.float64]
MOST = 1 - 1e-6
"""The greatest weighted value of a weak ranker that α is taken of."""
DIRECTIONS, KEEP, COMPAT = ("both", "given"), ("better", "all"), (None, "ranklib")


@dataclass(frozen=True, slots=True)
class Boosted:
    """What has been boosted so far."""

    weights: Weights
    """One a column."""
    columns: npt.NDArray[np.int64]
    """The column of each weak ranker."""
    alphas: Weights
    """Negative where the feature is taken falling."""
    scores: Scores
    """Of the rows of lists that teach."""
    list_weights: tuple[Weights, ...]
    """Those of lists that teach, of each round and of the one to come."""
    value: float
    """The mean of the lists that teach, weighted; −∞ before the first round."""
    halved: int
    ended: str


@dataclass(frozen=True, slots=True, eq=False)
class WeakRankers:
    """The lists that teach, and what each single feature makes of each of them."""

    judge: Judge
    columns: npt.NDArray[np.float32]
    """Features × rows."""
    good: npt.NDArray[np.float64]
    """Lists × weak rankers, the rising ones first: their values, 1 being best."""
    scale: float
    importance: Weights
    """One a list; they sum to 1."""

    @classmethod
    def of(cls, training: Training, directions: str) -> WeakRankers:
        lists = training.dataset if training.teaches.all() else training.dataset.take(np.flatnonzero(training.teaches))
        judge = Judge(lists, training.measure, threads=training.threads)
        columns = np.ascontiguousarray(training.table.T if lists is training.dataset else lists.features.T)  # type: ignore[union-attr]
        signs = (1, -1) if directions == "both" else (1,)
        raw = np.array([judge.values(sign * column) for sign in signs for column in columns]).T
        scale = max(1.0, float(np.abs(raw).max()))
        importance = training.weights[training.teaches]
        return cls(judge, columns, goodness(raw, training.measure, scale), scale, importance / importance.sum())

    def made_of(self, scores: Scores) -> npt.NDArray[np.float64]:
        """How good the lists are at these scores."""
        return goodness(self.judge.values(scores), self.judge.measure, self.scale)

    def mean(self, good: npt.NDArray[np.float64]) -> float:
        return float((self.importance * good).sum())

    def ranker(self, candidate: int) -> tuple[int, float]:
        """Which column a weak ranker is, and in which direction."""
        features = len(self.columns)
        return candidate % features, 1.0 if candidate < features else -1.0


def goodness(values: npt.NDArray[np.float64], measure: Measure, scale: float) -> npt.NDArray[np.float64]:
    """Values of lists as AdaRank wants them, at most 1 and better where they are more; 0 where there is none."""
    scaled = np.nan_to_num(values) / scale
    return scaled if measure.higher_is_better else 1 - scaled


def reweighted(importance: Weights, good: npt.NDArray[np.float64]) -> Weights:
    """The weight of each list in the next round."""
    weights = importance * np.exp(-good)
    found: Weights = weights / weights.sum()
    return found


@dataclass(kw_only=True, eq=False, repr=False)
class AdaRank(Learner):
    """Boosting of single features for any measure, list by list.

    At most `rounds` weak rankers are added. With `keep="better"` each must lift the training value by more than `rise`:
    `tries` of them are tried, the best by weighted value first; if none does, α is halved, up to `halvings` times, and
    then there is nothing left to do. `keep="all"` keeps every one, as in the paper, until the training value falls by
    `tolerance` or more (None: never). `directions` of features are "both" or as "given".
    `compat` is None, or "ranklib" to follow RankLib 2.10: `keep`, `rise`, `tries`, `halvings` and `directions` then
    play no part; `enqueue` and `max_selections` are its tricks against a feature that is always best.

    >>> from rankwise import Dataset
    >>> data = Dataset.of([[1, 5], [2, 1], [3, 3], [2, 0], [9, 1]], [2, 1, 0, 0, 1], group=[3, 2])
    >>> print(AdaRank().fit(data).ranker_.scorer.text(["price", "stars"]))
        +2.34991  stars
    1 of 2 columns have weight 0
    """

    rounds: int = 500
    keep: str = "better"
    rise: float = 0.0
    tries: int = 30
    halvings: int = 2
    tolerance: float | None = 0.002
    directions: str = "both"
    compat: str | None = None
    enqueue: bool = True
    max_selections: int = 5

    name: ClassVar[str] = "adarank"
    states: ClassVar[tuple[type, ...]] = (Boosted, ranklib.Emulated)
    lengthens: ClassVar[str] = "rounds"

    def check(self) -> None:
        super().check()
        for name, choices in (("directions", DIRECTIONS), ("keep", KEEP), ("compat", COMPAT)):
            choice(name, getattr(self, name), choices)
        for name, least in (("tries", 1), ("halvings", 0), ("max_selections", 1)):
            whole(name, getattr(self, name), least)
        number("rise", self.rise)
        if self.tolerance is not None:
            number("tolerance", self.tolerance)

    def steps(self) -> int:
        return self.rounds

    def prepare(self, data: Training) -> Any:
        return ranklib.Prepared.of(data) if self.compat else WeakRankers.of(data, self.directions)

    def start(self, data: Any, rng: np.random.Generator) -> Any:
        if self.compat:
            return ranklib.start(data, self.enqueue)
        features, rows = data.columns.shape
        none = np.zeros(0)
        return Boosted(
            np.zeros(features), none.astype(np.int64), none, np.zeros(rows), (data.importance,), -np.inf, 0, ""
        )

    def start_from(self, data: Any, scorer: Scorer, rng: np.random.Generator) -> tuple[Any, int]:
        """Weights hang on the scores alone, whoever made them; the ranker that is there counts as one step."""
        if self.compat or not isinstance(scorer, Linear) or scorer.bias:
            return super().start_from(data, scorer, rng)
        scores = scorer.scores(np.ascontiguousarray(data.columns.T))
        good = data.made_of(scores)
        columns = np.flatnonzero(scorer.weights)
        state = replace(self.start(data, rng), weights=scorer.weights, columns=columns, alphas=scorer.weights[columns])
        weights = reweighted(data.importance, good)
        return replace(state, scores=scores, value=data.mean(good), list_weights=(weights,)), 1

    def step(self, data: Any, state: Any, rng: np.random.Generator) -> Any:
        if self.compat:
            return ranklib.step(data, state, self)
        weighted = (state.list_weights[-1][:, None] * data.good).sum(axis=0)
        tries, halvings = (self.tries, self.halvings) if self.keep == "better" else (1, 0)
        best_first = np.argsort(-weighted, kind="stable")[:tries].tolist()
        for halved in range(state.halved, halvings + 1):
            for candidate in best_first:
                column, sign = data.ranker(candidate)
                alpha = sign * _alpha(weighted[candidate]) * 0.5**halved
                scores = state.scores + alpha * data.columns[column]
                good = data.made_of(scores)
                if self._stays(data.mean(good) - state.value):
                    return _added(data, replace(state, halved=halved), column, alpha, scores, good)
        why = "no weak ranker lifts the training value" if self.keep == "better" else "the training value falls"
        return replace(state, ended=why)

    def _stays(self, rise: float) -> bool:
        if self.keep == "all":
            return self.tolerance is None or rise + self.tolerance > 0
        return rise > self.rise

    def scorer(self, state: Any) -> Linear:
        return Linear(state.weights, 0.0)

    def rescore(self, table: Table, scores: Scores, before: Any, after: Any) -> Scores:
        if self.compat:
            return self.scorer(after).scores(table)
        for column, alpha in zip(after.columns[len(before.columns) :], after.alphas[len(before.alphas) :], strict=True):
            scores = scores + alpha * table[:, column]
        return scores

    def candidates(self, state: Any) -> tuple[Any, ...]:
        return ranklib.candidates(state) if self.compat else (state,)

    def training_value(self, data: Any, state: Any) -> float | None:
        return float(state.value) if self.compat else None

    def finished(self, state: Any) -> str:
        return str(state.ended)

    def facts(self, state: Any) -> dict[str, Any]:
        return {"columns": state.columns.tolist(), "alphas": state.alphas.tolist()}

    def list_weights(self, X: Any, y: Any = None, *, qid: Any = None, group: Any = None) -> npt.NDArray[np.float64]:
        """The weight of each list in each round and after the last: rounds + 1 × lists, in the order of the lists.

        For the lists that the ranker was trained on they are those of its training; for others, what they would weigh
        if they were boosted with the same weak rankers. Lists that cannot teach weigh 0.

        >>> from rankwise import Dataset
        >>> data = Dataset.of([[1], [2], [3], [2], [9]], [2, 1, 0, 0, 1], group=[3, 2])
        >>> AdaRank(rounds=1).fit(data).list_weights(data).round(3)
        array([[0.5  , 0.5  ],
               [0.409, 0.591]])
        """
        ranker = self._fitted()
        data = as_dataset(X, y, qid=qid, group=group)
        training = Training.of(data, ranker.inputs, self._measured(), self.threads)
        traced = ranklib.traced if self.compat else self._traced
        found = traced(training, ranker.about["columns"], ranker.about["alphas"])
        order = {query: at for at, query in enumerate(training.dataset.queries)}
        return found[:, [order[query] for query in data.queries]]

    def _traced(self, training: Training, columns: Any, alphas: Any) -> npt.NDArray[np.float64]:
        """The weights of lists while these weak rankers are added one after the other."""
        if not training.teaches.any():
            return np.zeros((len(alphas) + 1, len(training.teaches)))
        rankers = WeakRankers.of(training, self.directions)
        scores = np.zeros(rankers.columns.shape[1])
        weights = [rankers.importance]
        for column, alpha in zip(columns, alphas, strict=True):
            scores = scores + alpha * rankers.columns[column]
            weights.append(reweighted(rankers.importance, rankers.made_of(scores)))
        found = np.zeros((len(weights), len(training.teaches)))
        found[:, training.teaches] = weights
        return found

    def _measured(self) -> Measure:
        from rankwise.measures.parse import measure

        return self.measure if isinstance(self.measure, Measure) else measure(self.measure)


def _added(
    data: WeakRankers, state: Boosted, column: int, alpha: float, scores: Scores, good: npt.NDArray[np.float64]
) -> Boosted:
    """The state with one more weak ranker."""
    weights = state.weights.copy()
    weights[column] += alpha
    return replace(
        state,
        weights=weights,
        columns=np.append(state.columns, column),
        alphas=np.append(state.alphas, alpha),
        scores=scores,
        list_weights=(*state.list_weights, reweighted(data.importance, good)),
        value=data.mean(good),
    )


def _alpha(weighted: float) -> float:
    r = min(max(weighted, -MOST), MOST)
    return float(0.5 * np.log((1 + r) / (1 - r)))
