"""RankNet: pairs in the right order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rankwise.learners.networks import NetworkLearner
from rankwise.measures.base import Measure

if TYPE_CHECKING:
    from rankwise.losses.base import Loss

__all__ = ["RankNet"]


@dataclass(kw_only=True, eq=False, repr=False)
class RankNet(NetworkLearner):
    r"""Learns to have the better document of each pair of a list ahead: the logistic loss of pairs.

    .. math:: \min \sum_q \frac{1}{|P_q|} \sum_{(i, j) \in P_q} \log\left(1 + e^{-\sigma (s_i - s_j)}\right)

    Burges et al. 2005 (`burges2005`); P are the pairs of different labels, and each list counts alike (or by its
    weight). `sigma` is the slope.

    `hidden`, `activation`, `norm`, `dropout`, `epochs`, `batch`, `optimizer`, `learning_rate`, `schedule` and
    `weight_decay` are those of every network.

    >>> from rankwise import Dataset
    >>> data = Dataset.of([[1, 0], [0, 1], [1, 1], [0, 0]] * 5, [1, 0, 1, 0] * 5, group=[4] * 5)
    >>> RankNet().fit(data).predict([[1, 0], [0, 0]]).argmax()
    np.int64(0)
    """

    sigma: float = 1.0

    name: ClassVar[str] = "ranknet"

    def loss(self, measure: Measure) -> Loss:
        from rankwise.losses import PairLogistic

        return PairLogistic(sigma=self.sigma)
