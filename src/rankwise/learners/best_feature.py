r"""The best single feature: the one feature, and its direction, that ranks the training lists best.

.. math:: s(x) = d \, x_f, \qquad (f, d) = \arg\max_{f,\ d \in \{1, -1\}} M(d \, x_f)

with :math:`M` the training measure. It learns next to nothing, and is often hard to beat by much: a baseline that every
table should hold. Of equally good ones the first is taken, rising before falling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankwise.learners.base import Learner, Scores
from rankwise.learners.training import Training
from rankwise.rankers.linear import Linear

__all__ = ["BestFeature"]


@dataclass(frozen=True, slots=True)
class Chosen:
    values: npt.NDArray[np.float64]
    """The measure by feature, rising and falling."""
    weights: npt.NDArray[np.float64]
    value: float


@dataclass(kw_only=True, eq=False, repr=False)
class BestFeature(Learner):
    """The one feature and direction that ranks best.

    >>> from rankwise import Dataset
    >>> data = Dataset.of([[1, 9], [2, 4], [3, 1]], [2, 1, 0], group=[3], feature_names=["price", "stars"])
    >>> BestFeature().fit(data).ranker_.scorer.weights
    array([-1.,  0.])
    """

    name: ClassVar[str] = "best-feature"
    ignores_constants: ClassVar[bool] = True
    states: ClassVar[tuple[type, ...]] = (Chosen,)

    def steps(self) -> int:
        return 1

    def start(self, data: Training, rng: np.random.Generator) -> Chosen:
        features = data.table.shape[1]
        return Chosen(np.full((features, 2), np.nan), np.zeros(features), np.nan)

    def step(self, data: Training, state: Chosen, rng: np.random.Generator) -> Chosen:
        columns = data.table.T
        values = np.array([[data.judge.mean(sign * column) for sign in (1, -1)] for column in columns])
        better = values if data.measure.higher_is_better else -values
        feature, falling = divmod(int(np.nanargmax(better)), 2)
        weights = np.zeros(len(columns))
        weights[feature] = -1.0 if falling else 1.0
        return Chosen(values, weights, float(values[feature, falling]))

    def scorer(self, state: Chosen) -> Linear:
        return Linear(state.weights, 0.0)

    def training_value(self, data: Any, state: Chosen) -> float:
        return state.value

    def rescore(self, table: Any, scores: Scores, before: Chosen, after: Chosen) -> Scores:
        return self.scorer(after).scores(table)
