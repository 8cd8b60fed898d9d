r"""Pointwise baselines: a regressor or classifier of single documents, whatever their lists.

.. math:: s(x) = \hat{y}(x) \qquad\text{or}\qquad s(x) = \sum_c g_c \, \hat{P}(c \mid x)

A regressor learns the labels, or what they count (:math:`g`, the gain of the training measure under its convention;
Cossock & Zhang 2008, `cossock2008`). A classifier learns the labels as classes and ranks by the expected gain (Li,
Burges & Wu 2007, `li2007`, McRank). Well-tuned regression is often as good as what looks at pairs or lists, and should
stand in every table.

Lists matter in one way only: their weights, and those of documents, are the weights of rows. Unjudged documents count
as not relevant, or are left out, as the convention says.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, RankwiseError, message, not_installed
from rankwise.learners.base import Learner
from rankwise.learners.estimators import Estimator, allows_missing, refuse_no_estimator, scorer_of, seeded
from rankwise.learners.training import Training
from rankwise.rankers.base import Scorer
from rankwise.rankers.linear import Linear
from rankwise.rankers.trees import Trees

__all__ = ["Pointwise"]

Floats = npt.NDArray[np.float64]
TARGETS = ("label", "gain")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fitted:
    scorer: Scorer | None
    """None before the only step."""
    features: int


@dataclass(kw_only=True, eq=False, repr=False)
class Pointwise(Learner):
    """Ranks by what a regressor or classifier of scikit-learn's kind predicts of each document.

    `estimator` is any of them; without one, LightGBM's regression with `trees` trees of `leaves` leaves and
    `learning_rate`, at least `min_documents` documents in a leaf. `target` is what a regressor learns: 'label', or
    'gain', what a label counts for the training measure; a classifier learns the labels.

    Linear models, trees and ensembles of trees become rankers that need no scikit-learn and can be saved.

    >>> from rankwise import Dataset
    >>> from sklearn.linear_model import Ridge
    >>> data = Dataset.of([[1, 9], [2, 4], [3, 1], [2, 2]], [0, 1, 2, 1], group=[4], feature_names=["stars", "price"])
    >>> Pointwise(estimator=Ridge(alpha=0.1)).fit(data).ranker_.scorer.weights.round(2)
    array([ 0.76, -0.05])
    """

    estimator: Any = None
    target: str = "label"
    trees: int = 200
    leaves: int = 10
    learning_rate: float = 0.05
    min_documents: int = 20

    name: ClassVar[str] = "pointwise"
    ignores_constants: ClassVar[bool] = True
    packages: ClassVar[tuple[str, ...]] = ("lightgbm", "scikit-learn")
    states: ClassVar[tuple[type, ...]] = (Fitted, Linear, Trees)

    @property
    def trains_by_measure(self) -> bool:  # type: ignore[override]
        """The measure says what labels count."""
        return self.target == "gain" or _is_classifier(self.estimator)

    @property
    def takes_missing(self) -> bool:  # type: ignore[override]
        """As the estimator says."""
        return self.estimator is None or allows_missing(self.estimator)

    def check(self) -> None:
        super().check()
        if self.target not in TARGETS:
            hint = f"choose one of {', '.join(TARGETS)}."
            raise RankwiseError(message(f"target is {self.target!r}", hint=hint))
        if self.estimator is not None:
            refuse_no_estimator(self.estimator, "a regressor or a classifier", "Ridge()")
        if _is_classifier(self.estimator) and not hasattr(self.estimator, "predict_proba"):
            what = f"{type(self.estimator).__name__} gives no probabilities of classes to expect a gain from"
            raise RankwiseError(message(what, hint="choose a classifier with `predict_proba`."))

    def steps(self) -> int:
        return 1

    def start(self, data: Training, rng: np.random.Generator) -> Fitted:
        return Fitted(None, data.table.shape[1])

    def step(self, data: Training, state: Fitted, rng: np.random.Generator) -> Fitted:
        estimator = self._estimator(int(rng.integers(2**31 - 1)))
        judged = ~np.isnan(data.labels)
        # An unjudged document is one that is not relevant, unless the convention removes it.
        rows = judged if data.measure.convention.unjudged == "removed" else np.ones(len(judged), bool)
        labels = np.where(judged, data.labels, 0).astype(np.float64)[rows]
        classes, worth = _worth(data, labels)
        is_classifier = _is_classifier(estimator)
        target = worth[np.searchsorted(classes, labels)] if self.target == "gain" and not is_classifier else labels
        table = data.table[rows]
        estimator.fit(table, target, **_weights(estimator, data, rows))
        return Fitted(scorer_of(estimator, worth if is_classifier else None, table), state.features)

    def scorer(self, state: Fitted) -> Scorer:
        return Linear(np.zeros(state.features)) if state.scorer is None else state.scorer

    def pack(self, state: Fitted) -> Fitted:
        if isinstance(state.scorer, Estimator):
            state.scorer.plain()
        return state

    def _estimator(self, seed: int) -> Any:
        """A copy of the estimator, seeded unless it is already."""
        from sklearn.base import clone

        return seeded(self._regression() if self.estimator is None else clone(self.estimator), seed)

    def _regression(self) -> Any:
        try:
            import lightgbm
        except ImportError:
            raise not_installed("lightgbm", "train", "regression by trees") from None
        return lightgbm.LGBMRegressor(
            n_estimators=self.trees,
            num_leaves=self.leaves,
            learning_rate=self.learning_rate,
            min_child_samples=self.min_documents,
            n_jobs=self.threads or 0,
            deterministic=True,
            force_col_wise=True,
            verbosity=-1,
        )


def _is_classifier(estimator: Any) -> bool:
    from sklearn.base import is_classifier

    return estimator is not None and bool(is_classifier(estimator))


def _worth(data: Training, labels: Floats) -> tuple[Floats, Floats]:
    """The distinct labels, and what each counts for the training measure."""
    classes = np.unique(labels)
    worth = data.measure.worth(classes, lambda: np.ones(len(classes), bool))
    return classes, np.asarray(worth, np.float64)


def _weights(estimator: Any, data: Training, rows: npt.NDArray[np.bool_]) -> dict[str, Floats]:
    """Weights of rows, if there are any."""
    if data.dataset.weights is None and data.document_weights is None:
        return {}
    if "sample_weight" not in inspect.signature(estimator.fit).parameters:
        what = f"{type(estimator).__name__} takes no weights, and these lists have some"
        raise DataError(message(what, hint="leave the weights out, or choose an estimator with `sample_weight`."))
    weights = np.repeat(data.weights, np.diff(data.offsets))
    if data.document_weights is not None:
        weights = weights * data.document_weights
    return {"sample_weight": weights[rows]}
