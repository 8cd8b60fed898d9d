r"""RankBoost: stumps that follow the pairs of documents which the stumps before them get wrong.

.. math:: H_t = H_{t-1} + \alpha_t h_t, \qquad h_t(x) = [x_{j} > \theta], \qquad
          D_t(i, k) \propto e^{H_{t-1}(k) - H_{t-1}(i)} \ \text{ for } y_i > y_k \text{ of one list}

Freund, Iyer, Schapire & Singer 2003 (`freund2003`). The stump of a round is the one with the greatest |r|,

.. math:: r = \sum_{i, k} D_t(i, k) \, (h(i) - h(k)) = \sum_{x_j > \theta} \pi(x), \qquad
          \pi(x) = \sum_k D_t(x, k) - \sum_i D_t(i, x), \qquad \alpha = \frac12 \ln \frac{1 + r}{1 - r}

which bounds the weight of all pairs after it. No pair is ever written down: D is a product of what the upper document
brings and what the lower one does, so that running sums over the rows of a list, sorted by label, give all potentials π
in O(rows) for any number of grades; sums by value of a feature give r for all its thresholds.

`alpha="exact"` takes the α that makes the pairs weigh least, ½ ln(W₊ / W₋), with W₊ the weight of the pairs that the
stump puts right and W₋ of those that it puts wrong; the bound is loose by the pairs that it does not tell apart.

Departures from the paper, each with the parameter that takes it back: a stump may also say that less is better, with a
negative α (`directions="both"`; the paper's: "given"); a feature has at most `thresholds` thresholds, which divide the
rows as evenly as they can (None: one between any two neighbouring values, as in the paper). Where a feature is missing,
the better side for it is part of the stump.

Edge cases. Documents without a label are in no pair. Weights of lists multiply those of their pairs, and so do weights
of documents. α is finite: neither side counts as less than half a pair of those that there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from rankwise._kernels import Bins, Preferences
from rankwise.errors import RankwiseError, message
from rankwise.learners.base import Learner, Scores, Table
from rankwise.learners.ranges import choice, whole
from rankwise.learners.ranklib import rankboost as ranklib
from rankwise.learners.training import Training
from rankwise.rankers.base import Scorer
from rankwise.rankers.stumps import Stumps

__all__ = ["RankBoost"]

DIRECTIONS, ALPHAS, COMPAT = ("both", "given"), ("bound", "exact"), (None, "ranklib")
# A stump whose potentials sum to less than this tells pairs apart by rounding alone.
NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class Boosted:
    """The stumps so far."""

    features: int
    """How many columns the table has."""
    feature: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float64]
    above: npt.NDArray[np.float64]
    missing: npt.NDArray[np.float64]
    margins: Scores
    """The scores of the training rows."""
    ended: str

    def stumps(self, first: int = 0) -> Stumps:
        """Those from `first` on, as a scorer."""
        above = self.above[first:]
        return Stumps(
            self.features, self.feature[first:], self.threshold[first:], 0 * above, above, self.missing[first:]
        )


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """The pairs, and the features of their documents as codes of thresholds."""

    training: Training
    paired: npt.NDArray[np.int64]
    """The rows of lists that have a pair."""
    preferences: Preferences
    bins: Bins

    def potentials(self, margins: Scores) -> tuple[Scores, float]:
        return self.preferences.potentials(margins[self.paired], self.training.threads)


@dataclass(kw_only=True, eq=False, repr=False)
class RankBoost(Learner):
    """Boosting of stumps over pairs of documents.

    At most `rounds` stumps, over at most `thresholds` thresholds a feature (None: all). `directions` of features are
    "both" or as "given". `alpha` is "bound", the closed form that bounds the weight of the pairs, or "exact".
    `compat` is None, or "ranklib" to follow RankLib 2.10: `thresholds` (its -tc, 10 there) are then steps of equal
    width from a feature's greatest value down (None: all values), `directions` are as given, `alpha` is "bound".
    The measure plays a part in choosing on validation lists alone.

    >>> from rankwise import Dataset
    >>> data = Dataset.of([[1, 5], [2, 1], [3, 3], [2, 0]], [0, 0, 1, 0], group=[4], feature_names=["stars", "price"])
    >>> print(RankBoost(rounds=1).fit(data).ranker_.scorer.text(["stars", "price"]))
        +0.89588 if stars > 2.5
    """

    rounds: int = 300
    thresholds: int | None = 200
    directions: str = "both"
    alpha: str = "bound"
    compat: str | None = None

    name: ClassVar[str] = "rankboost"
    states: ClassVar[tuple[type, ...]] = (Boosted,)
    trains_by_measure: ClassVar[bool] = False
    takes_missing: ClassVar[bool] = True
    lengthens: ClassVar[str] = "rounds"

    def check(self) -> None:
        super().check()
        for name, choices in (("directions", DIRECTIONS), ("alpha", ALPHAS), ("compat", COMPAT)):
            choice(name, getattr(self, name), choices)
        if self.thresholds is not None:
            whole("thresholds", self.thresholds, 1)

    def steps(self) -> int:
        return self.rounds

    def prepare(self, data: Training) -> Prepared:
        if self.compat:
            ranklib.refuse_missing(data)
        lists = np.flatnonzero(_has_pairs(data))
        pairs = data.dataset.take(lists) if len(lists) < len(data.dataset) else data.dataset
        table = data.table if pairs is data.dataset else np.ascontiguousarray(pairs.features)
        preferences = Preferences.of(
            np.ascontiguousarray(pairs.labels, np.float64), pairs.offsets, pairs.weights, pairs.document_weights
        )
        bins = (
            Bins.cut(table, ranklib.thresholds(data.table, self.thresholds), data.threads)
            if self.compat
            else Bins.of(table, self.thresholds, data.threads)
        )
        paired = np.flatnonzero(np.repeat(_has_pairs(data), np.diff(data.offsets)))
        return Prepared(data, paired, preferences, bins)

    def start(self, data: Prepared, rng: np.random.Generator) -> Boosted:
        none = np.zeros(0)
        rows, features = data.training.table.shape
        return Boosted(features, none.astype(np.int32), none, none, none, np.zeros(rows), "")

    def start_from(self, data: Prepared, scorer: Scorer, rng: np.random.Generator) -> tuple[Boosted, int]:
        if not isinstance(scorer, Stumps) or scorer.below.any():
            hint = "train from the start, or go on from a ranker that RankBoost made."
            raise RankwiseError(message(f"RankBoost cannot go on from a ranker of {scorer.kind}", hint=hint))
        parts = (scorer.feature, scorer.threshold, scorer.above, scorer.missing)
        return Boosted(scorer.features, *parts, scorer.scores(data.training.table), ""), len(scorer)

    def step(self, data: Prepared, state: Boosted, rng: np.random.Generator) -> Boosted:
        threads = data.training.threads
        potentials, log_weight = data.potentials(state.margins)
        if log_weight == -np.inf:
            return replace(state, ended="no pair weighs anything any more")
        both = self.directions == "both" and not self.compat
        found = data.bins.search(potentials, both, threads)
        if found is None or abs(found[3]) < NOTHING:
            return replace(state, ended="no stump tells pairs apart better than chance")
        feature, threshold, missing_above, r = found
        above = _above(data.training.table[:, feature], threshold, missing_above)
        alpha = self._alpha(data, state, r, above)
        return Boosted(
            features=state.features,
            feature=np.append(state.feature, np.int32(feature)),
            threshold=np.append(state.threshold, threshold),
            above=np.append(state.above, alpha),
            missing=np.append(state.missing, alpha if missing_above else 0.0),
            margins=state.margins + alpha * above,
            ended="",
        )

    def _alpha(self, data: Prepared, state: Boosted, r: float, above: npt.NDArray[np.bool_]) -> float:
        right, wrong = (1 + r) / 2, (1 - r) / 2
        if self.alpha == "exact" and not self.compat:
            right, wrong = data.preferences.split(state.margins[data.paired], above[data.paired], data.training.threads)
        least = 0.5 / data.preferences.pairs
        return float(0.5 * np.log(max(right, least) / max(wrong, least)))

    def scorer(self, state: Boosted) -> Stumps:
        return state.stumps()

    def rescore(self, table: Table, scores: Scores, before: Boosted, after: Boosted) -> Scores:
        for at in range(len(before.feature), len(after.feature)):
            column = table[:, after.feature[at]]
            above = _above(column, after.threshold[at], bool(after.missing[at]))
            scores = scores + after.above[at] * above
        return scores

    def training_scores(self, data: Prepared, state: Boosted) -> Scores:
        return state.margins

    def finished(self, state: Boosted) -> str:
        return state.ended


def _above(column: npt.NDArray[np.float32], threshold: float, missing_above: bool) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = column.astype(np.float64) > threshold
    return found | np.isnan(column) if missing_above else found


def _has_pairs(data: Training) -> npt.NDArray[np.bool_]:
    """Of each list, whether two of its documents have different labels."""
    starts = data.offsets[:-1]
    found: npt.NDArray[np.bool_] = np.fmax.reduceat(data.labels, starts) > np.fmin.reduceat(data.labels, starts)
    return found
