"""XE-NDCG: a cross-entropy that bounds nDCG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, RankwiseError, message
from rankwise.losses.base import Block, Floats, Loss, Places, masked
from rankwise.losses.worth import WithWorth, by_label, named

__all__ = ["CrossEntropyNDCG"]


@dataclass(frozen=True, kw_only=True)
class CrossEntropyNDCG(WithWorth, Loss):
    r"""The cross-entropy of shares of gain, of which no document has none, and the softmax of scores.

    .. math:: -\sum_i \frac{\varphi_i}{\sum_j \varphi_j} \log \frac{e^{s_i}}{\sum_j e^{s_j}}, \qquad
              \varphi_i = g(l_i) + 1 - \gamma_i

    Bruch 2021 (`bruch2021`), whose :math:`2^{l} - \gamma` this is under the gain 2^l − 1; here the gain is that of the
    `convention` (None: `standard`). The γ are drawn from 0 to 1 with the `key` of each call; without one they are
    `gamma`. Gains below 0 are refused.

    >>> round(float(CrossEntropyNDCG()([1.0, 0.0], [1, 0], [0, 2])), 6)
    0.563262
    """

    gamma: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.gamma < 1:
            raise RankwiseError(message(f"gamma must be a number from 0 to below 1, not {self.gamma!r}"))

    def worths(self, labels: Floats) -> Floats:
        convention = named(self.convention)
        return by_label(convention.gains, convention, labels)

    def check(self, worth: Floats, there: npt.NDArray[np.bool_], lists: Places) -> None:
        if (worth < 0).any():
            at = int((worth < 0).any(axis=1).argmax())
            raise DataError(message("a share of a gain below 0 has no meaning", place=f"list {lists[at]}"))

    def of(self, scores: Any, block: Block, key: Any = None) -> Any:
        gamma = self.gamma if key is None else jax.random.uniform(key, scores.shape, scores.dtype)
        share = jnp.where(block.there, block.worth + 1 - gamma, 0)
        target = share / jnp.maximum(share.sum(1, keepdims=True), jnp.finfo(scores.dtype).tiny)
        return -(target * jax.nn.log_softmax(masked(scores, block.there), axis=1)).sum(1)
