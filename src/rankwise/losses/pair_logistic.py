"""The logistic loss of pairs, RankNet's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax

from rankwise.errors import RankwiseError, message
from rankwise.losses.pairs import PairLoss

__all__ = ["PairLogistic"]


@dataclass(frozen=True, kw_only=True)
class PairLogistic(PairLoss):
    r"""RankNet's cross-entropy: how unlikely the right order of each pair is.

    .. math:: \frac{1}{|\{i, j : y_i > y_j\}|} \sum_{y_i > y_j} \log\left(1 + e^{-\sigma (s_i - s_j)}\right)

    Burges et al. 2005 (`burges2005`), with target probabilities of 1; pairs of equal labels have no part. 0 for a list
    without a pair. `total='sum'` does not divide.

    >>> round(float(PairLogistic()([0.5, 0.0, 0.0], [1, 0, 0], [0, 3])), 6)
    0.474077
    """

    sigma: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.sigma < float("inf"):
            raise RankwiseError(message(f"sigma must be a number above 0, not {self.sigma!r}"))

    def of_margin(self, margin: Any) -> Any:
        # softplus is log(1 + exp(x)) without overflow for x far above 0.
        return jax.nn.softplus(-self.sigma * margin)
