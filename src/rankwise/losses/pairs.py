"""Losses of pairs: each document of a list against each one that is worth less.

The pairs of a list are looked at in chunks of the documents worth more, which stand first, so that memory stays small
for any length of list, and lists with few such documents are cheap. Value and gradient come from one pass.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from rankwise.errors import RankwiseError, message
from rankwise.losses.base import Block, Floats, Loss

__all__ = ["PairLoss", "over_chunks"]

# How many pairs are looked at in one go: they stay in a processor's cache.
AT_ONCE = 2**16
SMALL = 2**15


@dataclass(frozen=True, kw_only=True)
class PairLoss(Loss):
    """The mean over the pairs of a list, or their sum (`total='sum'`), of a function of the margin."""

    total: str = "mean"

    def __post_init__(self) -> None:
        if self.total not in ("mean", "sum"):
            raise RankwiseError(message(f"total is 'mean' or 'sum' over a list's pairs, not {self.total!r}"))

    def columns(self, worth: Floats, there: npt.NDArray[np.bool_]) -> tuple[Any, ...]:
        return (1 / np.maximum(pairs(worth, there), 1) if self.total == "mean" else np.ones(len(worth)),)

    @abstractmethod
    def of_margin(self, margin: Any) -> Any:
        """What a pair costs whose better document is ahead by the margin."""

    def of(self, scores: Any, block: Block, key: Any = None) -> Any:
        def term(scores: Any, at: Any) -> Any:
            """Pairs of the chunk's documents with all."""
            above, below = at(scores)[:, :, None], scores[:, None, :]
            is_pair = (at(block.worth)[:, :, None] > block.worth[:, None, :]) & both_there(block, at)
            return jnp.where(is_pair, self.of_margin(jnp.where(is_pair, above - below, 0)), 0).sum((1, 2))

        return over_chunks(term, scores, block.uppers) * block.columns[0]


def pairs(worth: Floats, there: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """How many pairs each list has: all pairs of documents but those worth the same, which stand together."""
    n, m = worth.shape
    starts = np.ones((n, m), np.bool_)
    starts[:, 1:] = worth[:, 1:] != worth[:, :-1]
    place = np.arange(m)
    # Of each document, those before its own block of equals.
    before = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
    counts: npt.NDArray[np.int64] = np.where(there, before, 0).sum(axis=1)
    return counts


def both_there(block: Block, at: Any) -> Any:
    return at(block.there)[:, :, None] & block.there[:, None, :]


def over_chunks(term: Callable[[Any, Any], Any], scores: Any, uppers: Any) -> Any:
    """The sum, over chunks of the first `uppers` places of each list, of `term(scores, at)`, one number a list.

    `at(table)` are the chunk's columns of an n × m table. The gradient is summed up beside the value, not by going
    through the chunks again.
    """
    n, m = scores.shape
    if n * m * m <= SMALL:
        return term(scores, lambda table: table)
    chunk = m & -m  # The ladder's widths are a power of 2, or three of them: this divides them.
    while chunk > 8 and n * m * chunk > AT_ONCE:
        chunk //= 2
    held = jax.lax.stop_gradient(scores)

    def one(number: Any, sums: tuple[Any, Any]) -> tuple[Any, Any]:
        def at(table: Any) -> Any:
            return jax.lax.dynamic_slice_in_dim(table, number * chunk, chunk, axis=1)

        value, pull = jax.vjp(lambda scores: term(scores, at), held)
        return sums[0] + value, sums[1] + pull(jnp.ones_like(value))[0]

    zeros = (jnp.zeros(n, scores.dtype), jnp.zeros((n, m), scores.dtype))
    value, gradient = jax.lax.fori_loop(0, (uppers.max() + chunk - 1) // chunk, one, zeros)
    # The value as it is, with the gradient that was found.
    return value + (gradient * (scores - held)).sum(1)
