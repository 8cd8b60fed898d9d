"""ApproxNDCG: nDCG with ranks that have a derivative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from rankwise.errors import RankwiseError, message
from rankwise.losses.base import Block, Floats, Loss
from rankwise.losses.pairs import both_there, over_chunks
from rankwise.losses.worth import WithMeasure

__all__ = ["ApproxNDCG"]


@dataclass(frozen=True, kw_only=True)
class ApproxNDCG(WithMeasure, Loss):
    r"""One less nDCG, with each rank replaced by a sum of sigmoids.

    .. math:: 1 - \frac{1}{\mathrm{IDCG}} \sum_i g_i \, d(\hat r_i), \qquad
              \hat r_i = 1 + \sum_{j \ne i} \frac{1}{1 + e^{(s_i - s_j) / T}}

    Qin et al. 2010 (`qin2010`); T is the `temperature`. Gains, discounts and the ideal are those of the measure under
    its convention; between whole ranks a discount that is a table or a function is taken to be linear. Discounts go on
    below the cut, where a smooth rank could otherwise find no way up; the ideal is cut. A list without an ideal has 1.
    For DCG it is the negative DCG.

    >>> round(float(ApproxNDCG(temperature=0.1)([1.0, 0.0], [1, 0], [0, 2])), 6)
    3.3e-05
    """

    temperature: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.temperature < float("inf"):
            raise RankwiseError(message(f"temperature must be a number above 0, not {self.temperature!r}"))
        self.resolved()

    def columns(self, worth: Floats, there: npt.NDArray[np.bool_]) -> tuple[Any, ...]:
        return (self.scale(worth, there),)

    def of(self, scores: Any, block: Block, key: Any = None) -> Any:
        measure = self.resolved()
        discount = smooth(measure.convention.discount, measure.discounts(scores.shape[1] + 1))

        def term(scores: Any, at: Any) -> Any:
            both = both_there(block, at)
            margin = jnp.where(both, scores[:, None, :] - at(scores)[:, :, None], 0) / self.temperature
            # A document is not ahead of itself, of which the sum has one half.
            rank = jnp.where(both, jax.nn.sigmoid(margin), 0).sum(2) + 0.5
            return (jnp.where(at(block.there), at(block.worth), 0) * discount(jnp.maximum(rank, 1))).sum(1)

        # Those worth nothing stand last, and have no part of their own.
        value = over_chunks(term, scores, (block.worth != 0).sum(1)) * block.columns[0]
        return 1 - value if measure.formula == "ndcg" else -value


def smooth(discount: Any, table: Floats) -> Any:
    """The discount of a rank that is no whole number."""
    if discount == "log2":
        return lambda rank: 1 / jnp.log2(rank + 1)
    if discount == "ln":
        return lambda rank: 1 / jnp.log(rank + 1)
    if discount == "jarvelin":
        return lambda rank: 1 / jnp.maximum(1, jnp.log2(rank))
    if discount == "reciprocal":
        return lambda rank: 1 / rank

    def linear(rank: Any) -> Any:
        known = jnp.asarray(table, rank.dtype)
        low = jnp.clip(jnp.floor(rank).astype(jnp.int32), 1, len(table) - 1)
        return known[low - 1] + (rank - low) * (known[low] - known[low - 1])

    return linear
