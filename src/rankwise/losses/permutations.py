"""ListNet's cross-entropy over the orders of the first k places, term by term."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from math import perm
from typing import Any

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, RankwiseError, message
from rankwise.losses.base import Block, Floats, Loss, Places, masked
from rankwise.losses.worth import WithWorth

__all__ = ["TopOrders"]

MOST = 200_000


@dataclass(frozen=True, kw_only=True)
class TopOrders(WithWorth, Loss):
    r"""The cross-entropy of the orders of the first k places: by the labels, and by the scores.

    .. math:: -\sum_{\pi} P_w(\pi) \log P_s(\pi), \qquad
              P_s(\pi) = \prod_{i=1}^{k} \frac{e^{s_{\pi(i)}}}{\sum_{j \notin \{\pi(1), \ldots, \pi(i - 1)\}} e^{s_j}}

    Cao et al. 2007 (`cao2007`), over all m! / (m − k)! orders π of k of the m documents. :math:`w` is the label, or its
    gain under a `convention`. For k = 1 it is `SoftmaxCrossEntropy`. A list of fewer than k documents is ordered
    whole. Lists that are padded to 8, 16, 32, … places are refused where so many have more
    than 200,000 orders; the time of `PlackettLuceLikelihood` is that of m.

    >>> round(float(TopOrders(k=2)([1.0, 0.0, 0.0], [1, 0, 0], [0, 3])), 6)
    1.621448
    """

    k: int = 2

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, (int, np.integer)) or self.k < 1:
            raise RankwiseError(message(f"k must be a whole number from 1, not {self.k!r}"))

    def check(self, worth: Floats, there: npt.NDArray[np.bool_], lists: Places) -> None:
        places = worth.shape[1]
        orders = perm(places, min(self.k, places))
        if orders > MOST:
            longest = int(there.sum(axis=1).argmax())
            hint = "take a smaller k, or PlackettLuceLikelihood, whose time is that of the list's length."
            what = f"{orders:,} orders of the first {self.k} of up to {places:,} documents"
            raise DataError(message(what, place=f"list {lists[longest]}, counted from 0", hint=hint))

    def of(self, scores: Any, block: Block, key: Any = None) -> Any:
        orders = np.array(list(permutations(range(scores.shape[1]), min(self.k, scores.shape[1]))))
        sizes = block.there.sum(1)
        mine, _ = chances(masked(scores, block.there), orders, sizes)
        theirs, possible = chances(masked(jnp.asarray(block.worth, scores.dtype), block.there), orders, sizes)
        return -jnp.where(possible, jnp.exp(theirs) * mine, 0).sum(1)


def chances(scores: Any, orders: Any, sizes: Any) -> tuple[Any, Any]:
    """The logarithm of each order's probability in each list, and whether the list has that order."""
    first = jnp.arange(scores.shape[1])
    taken = jnp.zeros((len(orders), scores.shape[1]), bool)
    total = jnp.zeros((len(scores), len(orders)), scores.dtype)
    possible = jnp.ones((len(scores), len(orders)), bool)
    for place in range(orders.shape[1]):
        mine = orders[:, place]
        left = jnp.where(taken[None], jnp.finfo(scores.dtype).min / 4, scores[:, None, :])
        top = left.max(2)
        rest = top + jnp.log(jnp.exp(left - top[:, :, None]).sum(2))
        # A list shorter than k is done once all its documents stand.
        goes_on = place < sizes[:, None]
        total += jnp.where(goes_on, scores[:, mine] - rest, 0)
        # Behind a short list's end the places stand in one way only.
        possible &= jnp.where(goes_on, mine < sizes[:, None], (mine == place)[None])
        taken |= first == mine[:, None]
    return total, possible
