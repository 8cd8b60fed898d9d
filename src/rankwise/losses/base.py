"""What all losses share: lists become blocks of one width, a loss is a formula on a block.

A *block* holds lists of similar length, padded to one width, each with its documents by falling worth. Blocks are made
once, outside compiled code, by NumPy; what a loss computes of them is JAX and can be differentiated. Widths are those
of a fixed ladder, so that what is compiled for one fold serves the next.

Vocabulary: n lists of a block, m places of each (its width), `there` where a place holds a document.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, message

__all__ = ["Block", "Loss", "masked", "width"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


class Block(NamedTuple):
    """Lists of one width; a pytree, so that it can be an argument of a compiled function."""

    rows: Any
    """n × m: which row stands at each place; 0 where there is none."""
    there: Any
    """n × m: whether a document stands there."""
    worth: Any
    """n × m: what it counts, falling along each list."""
    uppers: Any
    """n: how many documents of each list are worth more than another one of it."""
    lists: Any
    """n: the number of each list."""
    weights: Any
    """n: how much it counts; 0 for lists that only fill the block."""
    columns: tuple[Any, ...]
    """Whatever else the loss wants to know of each list or place, as `Loss.columns` says."""


@dataclass(frozen=True, kw_only=True)
class Loss(ABC):
    """A loss: how much an order of lists by these scores is to be regretted.

    `loss(scores, labels, offsets)` is the mean over lists, weighted by `weights`; `jax.grad` of it is its gradient by
    score. In compiled code prepare labels once: `blocks = loss.blocks(labels, offsets)`, then `loss.value(scores,
    blocks)`. The order of rows within a list and that of lists make no difference.
    """

    def __call__(self, scores: Any, labels: Any, offsets: Any, *, weights: Any = None, key: Any = None) -> Any:
        """The weighted mean over lists; labels and offsets are plain arrays, scores may be traced."""
        return self.value(scores, self.blocks(labels, offsets, weights=weights), key=key)

    def value(self, scores: Any, blocks: tuple[Block, ...], *, key: Any = None) -> Any:
        """The same of lists that were prepared."""
        scores = jnp.asarray(scores)
        total = jnp.zeros((), scores.dtype)
        for number, block in enumerate(blocks):
            mine = None if key is None else jax.random.fold_in(key, number)
            total += (block.weights * of_block(self, scores, block, mine)).sum()
        return total / sum(block.weights.sum() for block in blocks)

    def each(self, scores: Any, labels: Any, offsets: Any, *, key: Any = None) -> Any:
        """The loss of each list."""
        scores = jnp.asarray(scores)
        found = jnp.zeros(len(offsets) - 1, scores.dtype)
        for number, block in enumerate(self.blocks(labels, offsets)):
            mine = None if key is None else jax.random.fold_in(key, number)
            found = found.at[block.lists].set(of_block(self, scores, block, mine))
        return found

    def blocks(self, labels: Any, offsets: Any, *, weights: Any = None) -> tuple[Block, ...]:
        """The lists in blocks, one for each width that occurs."""
        labels, offsets = _plain(labels, "labels").astype(np.float64), _checked(offsets)
        if labels.shape != (offsets[-1],):
            raise DataError(
                message(f"labels: {labels.size:,} for {offsets[-1]:,} rows that the offsets cut into lists")
            )
        counts = np.ones(len(offsets) - 1) if weights is None else _plain(weights, "weights").astype(np.float64)
        if counts.shape != (len(offsets) - 1,):
            raise DataError(message(f"weights: {counts.size:,} for {len(offsets) - 1:,} lists"))
        worth = self.worths(labels)
        widths = np.array([width(size) for size in np.diff(offsets).tolist()])
        chosen = [np.flatnonzero(widths == one) for one in np.unique(widths)]
        return tuple(self.block(worth, offsets, counts, lists, int(widths[lists[0]])) for lists in chosen)

    def block(self, worth: Floats, offsets: Places, weights: Floats, lists: Places, wide: int, fill: int = 0) -> Block:
        """One block of the lists named, `wide` places each, with empty ones up to `fill` lists."""
        n = max(len(lists), fill)
        sizes, starts = np.zeros(n, np.int64), np.zeros(n, np.int64)
        sizes[: len(lists)], starts[: len(lists)] = np.diff(offsets)[lists], offsets[lists]
        there = np.arange(wide) < sizes[:, None]
        rows = np.where(there, starts[:, None] + np.arange(wide), 0)
        mine = np.where(there, worth[rows], -np.inf)
        order = np.argsort(-mine, axis=1, kind="stable")
        rows, mine = (np.take_along_axis(table, order, 1) for table in (rows, mine))
        lowest = np.where(there, mine, np.inf).min(axis=1, initial=np.inf, keepdims=True)
        uppers = (there & (mine > lowest)).sum(axis=1)
        mine[~there] = 0.0
        self.check(mine, there, lists)
        counts = np.zeros(n)
        counts[: len(lists)] = weights[lists]
        numbers = np.zeros(n, np.int64)
        numbers[: len(lists)] = lists
        columns = self.columns(mine, there)
        whole = [part.astype(np.int32) for part in (rows, uppers, numbers)]
        return Block(whole[0], there, mine, whole[1], whole[2], counts, columns)

    # What a loss says of itself.

    def worths(self, labels: Floats) -> Floats:
        """What a document counts by its label; the label itself unless a loss says otherwise, 0 without a judgment."""
        return np.nan_to_num(labels, nan=0.0, posinf=np.inf, neginf=-np.inf)

    def check(self, worth: Floats, there: npt.NDArray[np.bool_], lists: Places) -> None:  # noqa: B027
        """Refuses lists that the loss is not defined for; `lists` are the numbers of the first ones of these."""

    def columns(self, worth: Floats, there: npt.NDArray[np.bool_]) -> tuple[Any, ...]:
        """Whatever else the formula needs of each list or place, computed once; the first axis is that of lists."""
        return ()

    @abstractmethod
    def of(self, scores: Any, block: Block, key: Any = None) -> Any:
        """The loss of each list of a block; `scores` n × m, 0 where there is no document."""


@partial(jax.jit, static_argnums=0)
def of_block(loss: Loss, scores: Any, block: Block, key: Any) -> Any:
    """The loss of each list of a block, by the scores of all rows."""
    return loss.of(jnp.where(block.there, scores[block.rows], 0), block, key)


def masked(scores: Any, there: Any) -> Any:
    """Scores so low where there is no document that it takes no part in a softmax, and finite."""
    return jnp.where(there, scores, jnp.finfo(scores.dtype).min / 4)


def width(size: int) -> int:
    """How many places a list of this size gets: 8, 16, 32, 48, 64, 96, 128, 192 and so on.

    >>> [width(size) for size in (1, 8, 9, 33, 49, 100, 100_000)]
    [8, 8, 16, 48, 64, 128, 131072]
    """
    wide = 8
    while wide < size:
        wide *= 2
    return wide * 3 // 4 if wide >= 64 and size <= wide * 3 // 4 else wide


def _plain(values: Any, name: str) -> npt.NDArray[Any]:
    if isinstance(values, jax.core.Tracer):
        hint = "prepare them outside, `blocks = loss.blocks(labels, offsets)`, and call `loss.value(scores, blocks)`."
        raise DataError(message(f"{name} are needed as plain arrays, and here they are being compiled", hint=hint))
    return np.asarray(values)


def _checked(offsets: Any) -> Places:
    cuts = _plain(offsets, "offsets")
    if cuts.ndim != 1 or len(cuts) < 2 or cuts.dtype.kind not in "iu" or cuts[0] != 0 or (np.diff(cuts) < 0).any():
        hint = "lists of 3 and 2 documents have the offsets [0, 3, 5]."
        raise DataError(message("offsets must be whole numbers from 0 that never fall", hint=hint))
    return cuts.astype(np.int64)
