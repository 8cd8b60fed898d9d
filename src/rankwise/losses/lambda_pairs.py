"""Pairs that weigh what their exchange changes: LambdaRank, LambdaLoss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from rankwise.errors import RankwiseError, message
from rankwise.losses.base import Block, Floats, Loss, masked
from rankwise.losses.pairs import both_there, over_chunks
from rankwise.losses.worth import WithMeasure

__all__ = ["LambdaPairs"]

WEIGHTS = ("lambdarank", "ndcg-loss2", "ndcg-loss2++")


@dataclass(frozen=True, kw_only=True)
class LambdaPairs(WithMeasure, Loss):
    r"""The logistic loss of pairs, each times what exchanging the two changes nDCG or DCG under its convention.

    .. math:: \sum_{g_i > g_j} \Delta_{ij} \log\left(1 + e^{-\sigma (s_i - s_j)}\right), \qquad
              \Delta_{ij} = \frac{(g_i - g_j) \, |d(r_i) - d(r_j)|}{\mathrm{IDCG}}

    Burges 2010 (`burges2010`); its gradient is that of `rankwise.losses.lambdas`, Δ held fast. r is the place by these
    scores, g and d the gain and the discount of the measure, 0 below its cut. Tied documents have their block's mean
    discount, and of two in one block one stands directly above the other, on the mean over the block: the rule of
    `ties='expected'`, whichever the convention has, so that the order of rows makes no difference.

    `weight='ndcg-loss2'` is LambdaLoss (Wang et al. 2018, `wang2018`), whose
    :math:`\Delta_{ij} = (g_i - g_j) \, |d(|r_i - r_j|) - d(|r_i - r_j| + 1)| / \mathrm{IDCG}` bounds the measure, for
    pairs of which one is within the cut, with tied documents at their mean rank (and two of a block of b at the mean
    distance (b + 1) / 3, linear between whole ranks); `'ndcg-loss2++'` is the sum of the first and `mu` times that.

    >>> round(float(LambdaPairs(measure="nDCG@10")([0.0, 1.0], [1, 0], [0, 2])), 6)
    0.484686
    """

    weight: str = "lambdarank"
    sigma: float = 1.0
    mu: float = 10.0

    def __post_init__(self) -> None:
        if self.weight not in WEIGHTS:
            raise RankwiseError(message(f"weight is one of {', '.join(map(repr, WEIGHTS))}, not {self.weight!r}"))
        if not 0 < self.sigma < float("inf"):
            raise RankwiseError(message(f"sigma must be a number above 0, not {self.sigma!r}"))
        self.resolved()

    def columns(self, worth: Floats, there: npt.NDArray[np.bool_]) -> tuple[Any, ...]:
        return (self.scale(worth, there),)

    def of(self, scores: Any, block: Block, key: Any = None) -> Any:
        m = scores.shape[1]
        first, last = tied_places(jax.lax.stop_gradient(masked(scores, block.there)))
        measure, depth = self.resolved(), self.depth(m)
        table = np.zeros(m + 1)
        table[:depth] = measure.discounts(depth)
        mean, step = mean_discounts(table, first, last, scores.dtype)
        bounds = Bounds(measure.discounts(m + 1), depth, scores.dtype) if self.weight != "lambdarank" else None

        def term(scores: Any, at: Any) -> Any:
            above, below = at(scores)[:, :, None], scores[:, None, :]
            gains = at(block.worth)[:, :, None] - block.worth[:, None, :]
            is_pair = (gains > 0) & both_there(block, at)
            is_tied = at(first)[:, :, None] == first[:, None, :]
            weight = jnp.where(is_tied, at(step)[:, :, None], abs(at(mean)[:, :, None] - mean[:, None, :]))
            if bounds is not None:
                bound = bounds.of(at(first)[:, :, None], at(last)[:, :, None], first[:, None, :], last[:, None, :])
                weight = bound if self.weight == "ndcg-loss2" else weight + self.mu * bound
            cost = jax.nn.softplus(-self.sigma * jnp.where(is_pair, above - below, 0))
            return jnp.where(is_pair, gains * weight * cost, 0).sum((1, 2))

        return over_chunks(term, scores, block.uppers) * block.columns[0]


@dataclass(frozen=True)
class Bounds:
    """LambdaLoss' change of a pair by the distance of its ranks."""

    discounts: Floats
    depth: int
    dtype: Any

    def of(self, first: Any, last: Any, other_first: Any, other_last: Any) -> Any:
        steps = jnp.asarray(np.abs(np.diff(self.discounts)), self.dtype)
        apart = abs((first + last) - (other_first + other_last)) / 2
        distance = jnp.where(first == other_first, (last - first + 2) / 3, apart)
        # steps[0] is that of distance 1.
        low = jnp.clip(jnp.floor(distance).astype(jnp.int32), 1, len(steps) - 1)
        part = jnp.clip(distance - low, 0, 1)
        change = steps[low - 1] * (1 - part) + steps[low] * part
        return jnp.where(jnp.minimum(first, other_first) < self.depth, change, 0)


def tied_places(scores: Any) -> tuple[Any, Any]:
    """The first and the last place, from 0, of the documents that score what each does."""
    n, m = scores.shape
    order = jnp.argsort(-scores, axis=1)
    ranked = jnp.take_along_axis(scores, order, axis=1)
    starts = jnp.concatenate([jnp.ones((n, 1), bool), ranked[:, 1:] != ranked[:, :-1]], axis=1)
    ends = jnp.concatenate([starts[:, 1:], jnp.ones((n, 1), bool)], axis=1)
    place = jnp.arange(m)[None]
    first = jax.lax.cummax(jnp.where(starts, place, 0), axis=1)
    last = jax.lax.cummin(jnp.where(ends, place, m), axis=1, reverse=True)
    back = jnp.argsort(order, axis=1)
    return jnp.take_along_axis(first, back, axis=1), jnp.take_along_axis(last, back, axis=1)


def mean_discounts(table: Floats, first: Any, last: Any, dtype: Any) -> tuple[Any, Any]:
    """Of each tied block, the mean discount of its places, and that of the steps between neighbours.

    `table` has one place more than a list can have.
    """
    sums = np.concatenate(([0.0], np.cumsum(table)))
    # In two parts, so that a difference of sums is as exact as the discounts.
    coarse = sums.astype(dtype)
    parts = [jnp.asarray(part, dtype) for part in (coarse, sums - coarse)]
    between = sum(part[last + 1] - part[first] for part in parts)
    discounts = jnp.asarray(table, dtype)
    mean = jnp.where(first == last, discounts[first], between / (last - first + 1))
    return mean, (discounts[first] - discounts[last]) / jnp.maximum(last - first, 1)
