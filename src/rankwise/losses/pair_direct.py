"""DirectRanker's losses of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from rankwise.errors import RankwiseError, message
from rankwise.losses.pairs import PairLoss

__all__ = ["PairDirect"]


@dataclass(frozen=True, kw_only=True)
class PairDirect(PairLoss):
    r"""DirectRanker's: how far an antisymmetric output falls short of 1, the certainty of the right order.

    .. math:: \frac{1}{|\{i, j : y_i > y_j\}|} \sum_{y_i > y_j} (1 - o_{ij})^2, \qquad
              o_{ij} = \tanh\left(\tfrac{1}{2} (s_i - s_j)\right)

    Köppel et al. 2019 (`koppel2019`). `form='probability'` reads :math:`(1 + o_{ij}) / 2` as the probability that i
    stands before j, and takes the mean of its negative logarithm: the logistic loss, since
    :math:`(1 + \tanh(x / 2)) / 2 = 1 / (1 + e^{-x})`. 0 for a list without a pair.

    >>> round(float(PairDirect()([2.0, 0.0], [1, 0], [0, 2])), 6)
    0.056837
    """

    form: str = "squared"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form not in ("squared", "probability"):
            raise RankwiseError(message(f"form is 'squared' or 'probability', not {self.form!r}"))

    def of_margin(self, margin: Any) -> Any:
        if self.form == "probability":
            return jax.nn.softplus(-margin)
        return (1 - jnp.tanh(margin / 2)) ** 2
