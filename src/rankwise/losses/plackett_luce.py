"""The Plackett–Luce likelihood of the order that the labels say, of the first k places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from rankwise.errors import RankwiseError, message
from rankwise.losses.base import Block, Floats, Loss, masked

__all__ = ["PlackettLuceLikelihood"]


@dataclass(frozen=True, kw_only=True)
class PlackettLuceLikelihood(Loss):
    r"""How unlikely the order of labels is if documents are drawn one by one, by the softmax of those left.

    .. math:: -\sum_{i=1}^{\min(k, m)} \log \frac{e^{s_{\pi(i)}}}{\sum_{j=i}^{m} e^{s_{\pi(j)}}}

    π orders the documents by falling label: Plackett 1975 (`plackett1975`), Luce 1959 (`luce1959`), as a loss ListMLE
    (Xia et al. 2008, `xia2008`). Its time is that of the list's length. Documents of one label, of which nobody says
    which comes first, count by Efron 1977 (`efron1977`): in a block B of b of them the l-th draw (l = 0 … b − 1) is
    from :math:`\sum_{j \ge B} e^{s_j} - \frac{l}{b} \sum_{j \in B} e^{s_j}`, and of a block that k cuts each document
    counts as much as all others. The documents of the lowest label have no order to be found: they are only drawn
    from.

    >>> round(float(PlackettLuceLikelihood()([1.0, 0.0, 0.0], [2, 1, 0], [0, 3])), 6)
    1.244592
    """

    k: int | None = None

    def __post_init__(self) -> None:
        if self.k is not None and (isinstance(self.k, bool) or not isinstance(self.k, (int, np.integer)) or self.k < 1):
            raise RankwiseError(message(f"k must be a whole number from 1, or None for the whole list, not {self.k!r}"))

    def columns(self, worth: Floats, there: npt.NDArray[np.bool_]) -> tuple[Any, ...]:
        n, m = worth.shape
        place = np.broadcast_to(np.arange(m), (n, m))
        starts = np.ones((n, m), np.bool_)
        starts[:, 1:] = (worth[:, 1:] != worth[:, :-1]) | ~there[:, 1:]
        start = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
        ends = np.ones((n, m), np.bool_)
        ends[:, :-1] = starts[:, 1:]
        end = np.minimum.accumulate(np.where(ends, place, m)[:, ::-1], axis=1)[:, ::-1]
        size = end - start + 1
        k = m if self.k is None else self.k
        # The block that ends where the list does has no order to be found.
        counts = there & (end < there.sum(axis=1, keepdims=True) - 1)
        drawn = counts & (place < k)
        share = np.where(counts, np.clip(k - start, 0, size) / size, 0.0)
        return start.astype(np.int32), (place - start) / size, drawn, share

    def of(self, scores: Any, block: Block, key: Any = None) -> Any:
        start, part, drawn, share = block.columns
        n, m = scores.shape
        low = masked(scores, block.there)
        left = jnp.take_along_axis(from_here_on(low), start, axis=1)
        # What the document's own block has of all that is left; at most 1.
        own = jnp.where(share > 0, jnp.exp(jnp.where(share > 0, low - left, 0)), 0)
        numbers = (jnp.arange(n)[:, None] * m + start).ravel()
        of_block = jax.ops.segment_sum(own.ravel(), numbers, num_segments=n * m)[numbers].reshape(n, m)
        draws = jnp.where(drawn, left + jnp.log1p(-part * jnp.minimum(of_block, 1)), 0).sum(1)
        return draws - (share * scores).sum(1)


def from_here_on(scores: Any) -> Any:
    """log Σ exp of each place and all behind it, each sum relative to its own greatest term.

    Places are cut into about √m stretches, all of which are summed up side by side.
    """
    n, m = scores.shape
    stretch = m & -m
    while stretch * stretch > 2 * m and stretch > 8:
        stretch //= 2
    cut = scores.reshape(n, m // stretch, stretch)
    nothing = jnp.finfo(scores.dtype).min / 4

    def add(later: Any, here: Any) -> tuple[Any, Any]:
        both = jnp.logaddexp(later, here)
        return both, both

    of_places = jnp.moveaxis(cut, 2, 0)
    _, within = jax.lax.scan(add, jnp.full(cut.shape[:2], nothing), of_places, reverse=True)
    _, behind = jax.lax.scan(add, jnp.full(n, nothing), jnp.moveaxis(within[0], 1, 0), reverse=True)
    behind = jnp.concatenate([behind[1:], jnp.full((1, n), nothing)])
    return jnp.logaddexp(jnp.moveaxis(within, 0, 2), behind.T[:, :, None]).reshape(n, m)
