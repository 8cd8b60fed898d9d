"""ApproxNDCG: the measure itself, with smooth ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rankwise.learners.networks import NetworkLearner
from rankwise.measures.base import Measure

if TYPE_CHECKING:
    from rankwise.losses.base import Loss

__all__ = ["ApproxNDCG"]


@dataclass(kw_only=True, eq=False, repr=False)
class ApproxNDCG(NetworkLearner):
    r"""Climbs nDCG (or DCG) under the convention of `measure`, with ranks that are sums of sigmoids.

    Qin et al. 2010 (`qin2010`); the smaller the `temperature`, the nearer to the measure and the steeper. The formula
    is that of `rankwise.losses.ApproxNDCG`.

    `hidden`, `activation`, `norm`, `dropout`, `epochs`, `batch`, `optimizer`, `learning_rate`, `schedule` and
    `weight_decay` are those of every network.

    >>> from rankwise import Dataset
    >>> data = Dataset.of([[1, 0], [0, 1], [1, 1], [0, 0]] * 5, [1, 0, 1, 0] * 5, group=[4] * 5)
    >>> ApproxNDCG().fit(data).predict([[1, 0], [0, 0]]).argmax()
    np.int64(0)
    """

    temperature: float = 1.0

    name: ClassVar[str] = "approx-ndcg"
    trains_by_measure: ClassVar[bool] = True

    def loss(self, measure: Measure) -> Loss:
        from rankwise.losses import ApproxNDCG as Smooth

        return Smooth(measure=measure, temperature=self.temperature)
