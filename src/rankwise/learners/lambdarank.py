"""LambdaRank: pairs by what their exchange changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rankwise.learners.networks import NetworkLearner
from rankwise.measures.base import Measure

if TYPE_CHECKING:
    from rankwise.losses.base import Loss

__all__ = ["LambdaRank"]


@dataclass(kw_only=True, eq=False, repr=False)
class LambdaRank(NetworkLearner):
    r"""RankNet whose pairs count what their exchange changes nDCG or DCG, under the convention of `measure`.

    Burges 2010 (`burges2010`); with `weight` 'ndcg-loss2' or 'ndcg-loss2++' (of which `mu` is the share of the bound)
    it is LambdaLoss (Wang et al. 2018, `wang2018`). `sigma` is the slope. The formula is that of
    `rankwise.losses.LambdaPairs`. Lists in which nothing can change, such as those that the convention zeroes for being
    short, teach nothing.

    `hidden`, `activation`, `norm`, `dropout`, `epochs`, `batch`, `optimizer`, `learning_rate`, `schedule` and
    `weight_decay` are those of every network.

    >>> from rankwise import Dataset
    >>> data = Dataset.of([[1, 0], [0, 1], [1, 1], [0, 0]] * 5, [1, 0, 1, 0] * 5, group=[4] * 5)
    >>> LambdaRank().fit(data).predict([[1, 0], [0, 0]]).argmax()
    np.int64(0)
    """

    weight: str = "lambdarank"
    sigma: float = 1.0
    mu: float = 10.0

    name: ClassVar[str] = "lambdarank"
    trains_by_measure: ClassVar[bool] = True

    def loss(self, measure: Measure) -> Loss:
        from rankwise.losses import LambdaPairs

        return LambdaPairs(measure=measure, weight=self.weight, sigma=self.sigma, mu=self.mu)
