"""Any classifier of pairs: the contrast to learners that give each document a score of its own."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, RankwiseError, message
from rankwise.learners.base import Learner
from rankwise.learners.comparator import PAIRS, RANKINGS, Comparator, Consistency, seen_as
from rankwise.learners.estimators import allows_missing, refuse_no_estimator, seeded
from rankwise.learners.training import Training
from rankwise.rankers.base import Scorer
from rankwise.rankers.inputs import dataset_of
from rankwise.rankers.linear import Linear

__all__ = ["PairwiseClassifier"]

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Compared:
    scorer: Scorer | None
    """None before the only step."""
    features: int


@dataclass(kw_only=True, eq=False, repr=False)
class PairwiseClassifier(Learner):
    r"""Learns by any classifier of scikit-learn's kind which of two documents of a list has the higher label.

    It learns 1 of (better, worse) and 0 of (worse, better), for pairs of different labels, and sees their `pairs` as
    the 'difference' of their rows or as 'both' beside each other. `estimator` is any classifier; without one, logistic
    regression without an intercept. `most_pairs` are drawn by lot where there are more. A list is ranked by `ranking`:
    'borda' counts the pairs a document wins, of all n(n − 1), 'sort' is a merge sort of n log₂ n calls at most. Where
    the classifier goes in circles the two differ, and what is sorted hangs on the sort; `consistency` counts that.

    A linear classifier of differences without an intercept is a linear model: one evaluation a document, and the ranker
    can be saved. Any other lives as long as the process, and its documents have scores only beside those of their list.

    >>> from rankwise import Dataset
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> data = Dataset.of([[1, 9], [2, 4], [3, 1], [2, 2]], [0, 1, 2, 1], group=[4])
    >>> fitted = PairwiseClassifier(estimator=DecisionTreeClassifier()).fit(data)
    >>> fitted.predict(data).argmax()
    np.int64(2)
    >>> fitted.consistency(data).lists_with_cycles
    0
    """

    scaling: str = "z-score"
    estimator: Any = None
    pairs: str = "difference"
    ranking: str = "borda"
    most_pairs: int = 200_000

    name: ClassVar[str] = "pairwise-classifier"
    states: ClassVar[tuple[type, ...]] = (Compared, Linear)
    trains_by_measure: ClassVar[bool] = False
    ignores_constants: ClassVar[bool] = True
    compares_documents: ClassVar[bool] = True
    packages: ClassVar[tuple[str, ...]] = ("scikit-learn",)

    @property
    def takes_missing(self) -> bool:  # type: ignore[override]
        """As the classifier says."""
        return self.estimator is not None and allows_missing(self.estimator)

    def check(self) -> None:
        super().check()
        for name, value, words in (("pairs", self.pairs, PAIRS), ("ranking", self.ranking, RANKINGS)):
            if value not in words:
                raise RankwiseError(message(f"{name} is one of {', '.join(map(repr, words))}, not {value!r}"))
        most = self.most_pairs
        if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1:
            raise RankwiseError(message(f"most_pairs must be a whole number from 1, not {most!r}"))
        if self.estimator is not None:
            from sklearn.base import is_classifier

            refuse_no_estimator(self.estimator, "a classifier", "LogisticRegression()")
            if not is_classifier(self.estimator):
                hint = "give a classifier; regressors of single documents are for `Pointwise`."
                raise RankwiseError(message(f"{type(self.estimator).__name__} is no classifier", hint=hint))

    def steps(self) -> int:
        return 1

    def start(self, data: Training, rng: np.random.Generator) -> Compared:
        return Compared(None, data.table.shape[1])

    def step(self, data: Training, state: Compared, rng: np.random.Generator) -> Compared:
        if data.document_weights is not None:
            hint = "give weights of lists."
            raise DataError(message("PairwiseClassifier has no meaning for weights of documents", hint=hint))
        classifier = self._classifier(int(rng.integers(2**31 - 1)))
        better, worse, lists = self._pairs(data, rng)
        ahead, behind = data.table[better], data.table[worse]
        seen = np.vstack([seen_as(self.pairs, ahead, behind), seen_as(self.pairs, behind, ahead)])
        wanted = np.repeat([1, 0], len(better))
        classifier.fit(seen, wanted, **_weights(classifier, data, lists))
        return Compared(self._scorer(classifier, state.features), state.features)

    def _classifier(self, seed: int) -> Any:
        from sklearn.base import clone
        from sklearn.linear_model import LogisticRegression

        return seeded(
            LogisticRegression(fit_intercept=False) if self.estimator is None else clone(self.estimator), seed
        )

    def _pairs(self, data: Training, rng: np.random.Generator) -> tuple[Numbers, Numbers, Numbers]:
        """Pairs of different labels, the better document and the worse one, and the list of each."""
        labels = np.nan_to_num(data.labels, nan=0.0)
        sizes = np.diff(data.offsets)
        lists = np.repeat(np.arange(len(sizes)), sizes)
        # In order of list and label a document is better than all of its list before the first of its own label.
        order = np.lexsort((labels, lists))
        place = np.arange(len(order)) - data.offsets[lists]
        is_first = (place == 0) | np.append(True, np.diff(labels[order]) != 0)
        worse_ones = np.maximum.accumulate(np.where(is_first, np.arange(len(order)), 0)) - data.offsets[lists]
        ends = np.cumsum(np.where(data.weights[lists] > 0, worse_ones, 0))
        total = int(ends[-1])
        if not total:
            hint = "give judged documents of different labels."
            raise DataError(message("there is nothing to learn: no list has two documents to tell apart", hint=hint))
        if total > self.most_pairs:
            pairs = np.sort(rng.choice(total, self.most_pairs, replace=False))
        else:
            pairs = np.arange(total)
        better = np.searchsorted(ends, pairs, side="right")
        which = pairs - np.append(0, ends)[better]
        return order[better], order[data.offsets[lists[better]] + which], lists[better]

    def _scorer(self, classifier: Any, features: int) -> Scorer:
        """A linear model if the classifier of differences is one, without an intercept; else one that asks it."""
        weights = np.ravel(getattr(classifier, "coef_", ()))
        is_linear = self.pairs == "difference" and len(weights) == features
        if is_linear and not np.any(getattr(classifier, "intercept_", 0.0)):
            return Linear(weights)
        return Comparator(classifier, self.pairs, self.ranking, features)

    def scorer(self, state: Compared) -> Scorer:
        return Linear(np.zeros(state.features)) if state.scorer is None else state.scorer

    def pack(self, state: Compared) -> Compared:
        if isinstance(state.scorer, Comparator):
            state.scorer.plain()
        return state

    def consistency(self, X: Any, *, qid: Any = None, group: Any = None) -> Consistency:
        """Whether the classifier's answers about whole lists fit together, and what ranking by it costs."""
        ranker = self._fitted()
        data = dataset_of(X, qid=qid, group=group)
        scorer = ranker.scorer
        if not isinstance(scorer, Comparator):
            scorer = Comparator(_OfScores(scorer), "difference", self.ranking, scorer.features)
        return scorer.consistency(ranker.inputs.table(data), data.offsets)


@dataclass(frozen=True)
class _OfScores:
    """A linear model of differences as the classifier it was."""

    scorer: Scorer

    def predict(self, differences: Any) -> Any:
        return self.scorer.scores(np.ascontiguousarray(differences, np.float32)) > 0


def _weights(classifier: Any, data: Training, lists: Numbers) -> dict[str, Any]:
    """Weights of pairs, if lists have any: each pair counts its list's, both ways."""
    if data.dataset.weights is None:
        return {}
    if "sample_weight" not in inspect.signature(classifier.fit).parameters:
        what = f"{type(classifier).__name__} takes no weights, and these lists have some"
        raise DataError(message(what, hint="leave the weights out, or choose a classifier with `sample_weight`."))
    return {"sample_weight": np.tile(data.weights[lists], 2)}
