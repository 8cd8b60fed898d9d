"""DirectRanker: an antisymmetric network of pairs that needs one pass a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rankwise.learners.networks import NetworkLearner
from rankwise.measures.base import Measure

if TYPE_CHECKING:
    from rankwise.losses.base import Loss

__all__ = ["DirectRanker"]


@dataclass(kw_only=True, eq=False, repr=False)
class DirectRanker(NetworkLearner):
    r"""Learns which of two documents comes first, by an output that changes its sign when they change places.

    .. math:: o(x_1, x_2) = \tanh\left(\tfrac{1}{2}\, w \cdot (f(x_1) - f(x_2))\right)

    Köppel et al. 2019 (`koppel2019`): f is the network's last layer; without a bias o is antisymmetric, and the order
    it says is reflexive, antisymmetric and transitive whatever the weights. Therefore the score w · f(x) of a document
    alone sorts a list as all its pairs would. `form` 'squared' learns by (1 − o)², 'probability' by −log((1 + o) / 2),
    for pairs of different labels of a list, formed after one forward pass a document.

    `hidden`, `activation`, `norm`, `dropout`, `epochs`, `batch`, `optimizer`, `learning_rate`, `schedule` and
    `weight_decay` are those of every network.

    >>> from rankwise import Dataset
    >>> data = Dataset.of([[1, 0], [0, 1], [1, 1], [0, 0]] * 5, [1, 0, 1, 0] * 5, group=[4] * 5)
    >>> DirectRanker().fit(data).predict([[1, 0], [0, 0]]).argmax()
    np.int64(0)
    """

    form: str = "squared"
    hidden: Sequence[int] = (10,)

    name: ClassVar[str] = "direct-ranker"

    def loss(self, measure: Measure) -> Loss:
        from rankwise.losses import PairDirect

        return PairDirect(form=self.form)
