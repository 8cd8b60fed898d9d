"""WARP: what the ranks of relevant documents cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rankwise.learners.networks import NetworkLearner
from rankwise.measures.base import Measure

if TYPE_CHECKING:
    from rankwise.losses.base import Loss

__all__ = ["Warp"]


@dataclass(kw_only=True, eq=False, repr=False)
class Warp(NetworkLearner):
    r"""Learns to have few others within a `margin` above each relevant document, by what a rank costs: `alpha`.

    Usunier et al. 2009 (`usunier2009`), Weston et al. 2010 (`weston2010`). `alpha` is 'harmonic', 'first', 'top-10' or
    falling numbers, as in the measure WARPLoss. Ranks are exact, by sorting; `tries` estimates them from so many draws
    instead. Which labels are relevant is said by the convention of `measure`.

    `hidden`, `activation`, `norm`, `dropout`, `epochs`, `batch`, `optimizer`, `learning_rate`, `schedule` and
    `weight_decay` are those of every network.

    >>> from rankwise import Dataset
    >>> data = Dataset.of([[1, 0], [0, 1], [1, 1], [0, 0]] * 5, [1, 0, 1, 0] * 5, group=[4] * 5)
    >>> Warp().fit(data).predict([[1, 0], [0, 0]]).argmax()
    np.int64(0)
    """

    alpha: str | tuple[float, ...] = "harmonic"
    margin: float = 1.0
    tries: int | None = None

    name: ClassVar[str] = "warp"

    def loss(self, measure: Measure) -> Loss:
        from rankwise.losses import RankCost

        return RankCost(alpha=self.alpha, margin=self.margin, tries=self.tries, convention=measure.convention)
