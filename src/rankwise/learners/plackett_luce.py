"""Plackett–Luce: the likelihood of the order that the labels say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rankwise.learners.networks import NetworkLearner
from rankwise.measures.base import Measure

if TYPE_CHECKING:
    from rankwise.losses.base import Loss

__all__ = ["PlackettLuce"]


@dataclass(kw_only=True, eq=False, repr=False)
class PlackettLuce(NetworkLearner):
    r"""Learns to draw documents one by one in the order of their labels: ListMLE, of the first `k` places or all.

    Plackett 1975 (`plackett1975`), Luce 1959 (`luce1959`), Xia et al. 2008 (`xia2008`); documents of one label count by
    Efron's rule. The formula is that of `rankwise.losses.PlackettLuceLikelihood`.

    `hidden`, `activation`, `norm`, `dropout`, `epochs`, `batch`, `optimizer`, `learning_rate`, `schedule` and
    `weight_decay` are those of every network.

    >>> from rankwise import Dataset
    >>> data = Dataset.of([[1, 0], [0, 1], [1, 1], [0, 0]] * 5, [1, 0, 1, 0] * 5, group=[4] * 5)
    >>> PlackettLuce().fit(data).predict([[1, 0], [0, 0]]).argmax()
    np.int64(0)
    """

    k: int | None = None

    name: ClassVar[str] = "plackett-luce"

    def loss(self, measure: Measure) -> Loss:
        from rankwise.losses import PlackettLuceLikelihood

        return PlackettLuceLikelihood(k=self.k)
