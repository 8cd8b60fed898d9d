"""ListNet: the cross-entropy of who comes first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rankwise.learners.networks import NetworkLearner
from rankwise.measures.base import Measure

if TYPE_CHECKING:
    from rankwise.losses.base import Loss

__all__ = ["ListNet"]


@dataclass(kw_only=True, eq=False, repr=False)
class ListNet(NetworkLearner):
    r"""Learns the probabilities by which the labels of a list put each order of `k` documents first.

    Cao et al. 2007 (`cao2007`): the cross-entropy of two softmaxes for `k` = 1, and the sum over all orders of the
    first k places beyond, which only short lists have few enough of. A document counts its label, or with `gains`, the
    name of a convention, the gain that this gives it.

    `hidden`, `activation`, `norm`, `dropout`, `epochs`, `batch`, `optimizer`, `learning_rate`, `schedule` and
    `weight_decay` are those of every network.

    >>> from rankwise import Dataset
    >>> data = Dataset.of([[1, 0], [0, 1], [1, 1], [0, 0]] * 5, [1, 0, 1, 0] * 5, group=[4] * 5)
    >>> ListNet().fit(data).predict([[1, 0], [0, 0]]).argmax()
    np.int64(0)
    """

    learning_rate: float = 0.001
    k: int = 1
    gains: str | None = None

    name: ClassVar[str] = "listnet"

    def loss(self, measure: Measure) -> Loss:
        from rankwise.losses import SoftmaxCrossEntropy, TopOrders

        return SoftmaxCrossEntropy(convention=self.gains) if self.k == 1 else TopOrders(k=self.k, convention=self.gains)
