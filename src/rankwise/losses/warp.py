"""WARP: what the rank of each relevant document costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from rankwise.errors import RankwiseError, message
from rankwise.losses.base import Block, Floats, Loss, masked
from rankwise.losses.worth import by_label, named
from rankwise.measures.convention import Convention
from rankwise.measures.warp_loss import WARPLoss

__all__ = ["RankCost"]


@dataclass(frozen=True, kw_only=True)
class RankCost(Loss):
    r"""Weighted approximate ranks: how far others stand above each relevant document, by what its rank costs.

    .. math:: \frac{1}{|P|} \sum_{u \in P} \frac{L(r_u)}{r_u} \sum_{v \in N} \max(0, 1 - s_u + s_v), \qquad
              r_u = |\{v \in N : s_v + 1 \ge s_u\}|, \quad L(r) = \sum_{j=1}^{r} \alpha_j

    Usunier et al. 2009 (`usunier2009`), Weston et al. 2010 (`weston2010`). P are the relevant documents, N the others,
    1 the `margin`; L is held fast where the loss is differentiated. `alpha` is as in the measure `WARPLoss`:
    'harmonic', 'first' (α₁ = 1 only), 'top-10' (ten times 1), or numbers that never rise. A list without relevant
    documents, or without others, has 0.

    Ranks are exact, by one sort of the list's others. `tries` draws instead, for each relevant document, so many others
    by lot with the `key` of the call, and takes the first one that breaks the margin: if the n-th does, the rank is
    taken to be ⌊|N| / n⌋ and the document costs L(rank) · max(0, 1 − s_u + s_v), as sampling programs have it.

    >>> round(float(RankCost()([0.5, 0.0, 1.0], [1, 0, 0], [0, 3])), 6)
    1.5
    """

    alpha: str | tuple[float, ...] = "harmonic"
    margin: float = 1.0
    tries: int | None = None
    convention: Convention | str | None = None

    def __post_init__(self) -> None:
        WARPLoss(alpha=self.alpha)
        if self.tries is not None and (
            isinstance(self.tries, bool) or not isinstance(self.tries, int) or self.tries < 1
        ):
            raise RankwiseError(message(f"tries must be a whole number from 1, not {self.tries!r}"))
        if not 0 < self.margin < float("inf"):
            raise RankwiseError(message(f"margin must be a number above 0, not {self.margin!r}"))

    def worths(self, labels: Floats) -> Floats:
        convention = named(self.convention)
        return by_label(lambda distinct, _: convention.relevant(distinct), convention, labels)

    def costs(self, most: int) -> Floats:
        """L of ranks 0 … most."""
        return np.concatenate(([0.0], np.cumsum(WARPLoss(alpha=self.alpha).discounts(most))))

    def columns(self, worth: Floats, there: npt.NDArray[np.bool_]) -> tuple[Any, ...]:
        return (worth > 0, there & (worth <= 0))

    def of(self, scores: Any, block: Block, key: Any = None) -> Any:
        relevant, others = block.columns
        if self.tries is None:
            of_each = self.exact(scores, others)
        elif key is None:
            raise RankwiseError(message("ranks by lot need a key", hint="loss(…, key=jax.random.key(0))."))
        else:
            of_each = self.by_lot(scores, relevant, others, key)
        return jnp.where(relevant, of_each, 0).sum(1) / jnp.maximum(relevant.sum(1), 1)

    def exact(self, scores: Any, others: Any) -> Any:
        m = scores.shape[1]
        # Sums of scores near 0 keep their digits.
        scores = scores - jax.lax.stop_gradient(masked(scores, others).max(1, keepdims=True, initial=0))
        ranked = -jnp.sort(-masked(scores, others), axis=1)
        count = others.sum(1, keepdims=True)
        sums = jnp.pad(jnp.cumsum(jnp.where(jnp.arange(m) < count, ranked, 0), axis=1), ((0, 0), (1, 0)))
        reach = jax.lax.stop_gradient(scores) - self.margin
        rank = jax.vmap(lambda falling, wanted: jnp.searchsorted(-falling, -wanted, side="right"))(
            jax.lax.stop_gradient(ranked), reach
        )
        rank = jnp.minimum(rank, count)
        excess = rank * (self.margin - scores) + jnp.take_along_axis(sums, rank, axis=1)
        per = self.costs(m) / np.maximum(np.arange(m + 1), 1)
        return jnp.asarray(per, scores.dtype)[rank] * excess

    def by_lot(self, scores: Any, relevant: Any, others: Any, key: Any) -> Any:
        n, m = scores.shape
        count, first = others.sum(1), relevant.sum(1)
        lots = jax.random.uniform(key, (n, m, self.tries))
        # The others stand behind the relevant ones.
        drawn = first[:, None, None] + jnp.floor(lots * count[:, None, None]).astype(jnp.int32)
        drawn = jnp.minimum(drawn, jnp.maximum(first + count - 1, 0)[:, None, None])
        theirs = jax.vmap(lambda mine, places: mine[places])(scores, drawn)
        excess = self.margin - scores[:, :, None] + theirs
        breaks = (excess >= 0) & (count > 0)[:, None, None]
        which = breaks.argmax(2)
        rank = jnp.where(breaks.any(2), count[:, None] // (which + 1), 0)
        mine = jnp.take_along_axis(excess, which[:, :, None], axis=2)[:, :, 0]
        return jnp.asarray(self.costs(m), scores.dtype)[rank] * jnp.where(rank > 0, mine, 0)
