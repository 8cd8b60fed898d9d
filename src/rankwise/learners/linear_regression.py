r"""Linear regression of the labels: the plainest baseline with more than one feature.

.. math:: \min_{w, b} \sum_x v_x \left(y_x - b - w \cdot x\right)^2 + \lambda \lVert w \rVert^2

v are the weights of documents and of their lists. It is solved in closed form; of several solutions (features that hang
on each other, constant ones) it is the one with the least :math:`\lVert w \rVert`. Documents without a label are left
out. The measure plays no part but in the learning curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from rankwise.learners.base import Learner
from rankwise.learners.ranges import choice, number
from rankwise.learners.ranklib import linear_regression as ranklib
from rankwise.learners.training import Training
from rankwise.rankers.linear import Linear

__all__ = ["LinearRegression"]

Floats = npt.NDArray[np.float64]
# Directions in which the features vary less than this, relative to the greatest, are taken for constant.
FLAT = 1e-12


@dataclass(frozen=True, slots=True)
class Solved:
    weights: Floats
    """One a column."""
    bias: float


@dataclass(kw_only=True, eq=False, repr=False)
class LinearRegression(Learner):
    """Least squares on the labels, with `l2` × the squared weights added.

    `compat` is None, or "ranklib" to follow RankLib 2.10, which has its own `l2` and loses the last feature.

    >>> from rankwise import Dataset
    >>> data = Dataset.of([[1, 9], [2, 4], [3, 1], [2, 2]], [0, 1, 2, 1], group=[4], feature_names=["stars", "price"])
    >>> LinearRegression(l2=0.1).fit(data).ranker_.scorer.weights.round(3)
    array([ 0.762, -0.05 ])
    """

    l2: float = 0.0
    compat: str | None = None

    name: ClassVar[str] = "linear-regression"
    states: ClassVar[tuple[type, ...]] = (Solved,)
    trains_by_measure: ClassVar[bool] = False

    def check(self) -> None:
        super().check()
        number("l2", self.l2)
        choice("compat", self.compat, (None, "ranklib"))

    def steps(self) -> int:
        return 1

    def start(self, data: Training, rng: np.random.Generator) -> Solved:
        return Solved(np.zeros(data.table.shape[1]), 0.0)

    def step(self, data: Training, state: Solved, rng: np.random.Generator) -> Solved:
        judged = ~np.isnan(data.labels)
        X, y = data.table[judged].astype(np.float64), data.labels[judged].astype(np.float64)
        # One thread adds in the same order on every machine.
        with threadpool_limits(limits=1):
            if self.compat:
                return Solved(*ranklib.solved(X, y))
            return Solved(*_solved(X, y, _row_weights(data)[judged], self.l2))

    def scorer(self, state: Solved) -> Linear:
        return Linear(state.weights, state.bias)


def _row_weights(data: Training) -> Floats:
    weights = np.repeat(data.weights, np.diff(data.offsets))
    return weights if data.document_weights is None else weights * data.document_weights


def _solved(X: Floats, y: Floats, weights: Floats, l2: float) -> tuple[Floats, float]:
    share = weights / weights.sum()
    means, mean = share @ X, float(share @ y)
    centred = X - means
    covariance = centred.T @ (share[:, None] * centred)
    values, directions = np.linalg.eigh(covariance)
    # Each feature has its own unit; what is flat is flat beside what can be told of rounding.
    kept = values > FLAT * max(float(values[-1]), np.finfo(np.float64).tiny)
    along = directions[:, kept].T @ (centred.T @ (share * (y - mean)))
    found = directions[:, kept] @ (along / (values[kept] + l2 / weights.sum()))
    return found, float(mean - means @ found)
