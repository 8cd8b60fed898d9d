"""The multinomial logit of lists with one relevant document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, RankwiseError, message
from rankwise.losses.base import Block, Floats, Loss, Places, masked
from rankwise.losses.worth import by_label, named
from rankwise.measures.convention import Convention

__all__ = ["Multinomial"]


@dataclass(frozen=True, kw_only=True)
class Multinomial(Loss):
    r"""How unlikely the one relevant document of a list is to be chosen from it.

    .. math:: -\log \frac{e^{s_c}}{\sum_j e^{s_j}}

    McFadden 1974 (`mcfadden1974`): the conditional logit of choices, Plackett–Luce's first place. Relevant is what the
    convention's `rel` says, as in a search that ended with one booking. A list without a relevant document says nothing
    and has 0. One with several is refused; with `several='share'` each of R relevant documents counts 1 / R.

    >>> round(float(Multinomial()([1.0, 0.0], [1, 0], [0, 2])), 6)
    0.313262
    """

    convention: Convention | str | None = None
    several: str = "refuse"

    def __post_init__(self) -> None:
        if self.several not in ("refuse", "share"):
            raise RankwiseError(message(f"several is 'refuse' or 'share', not {self.several!r}"))

    def worths(self, labels: Floats) -> Floats:
        convention = named(self.convention)
        return by_label(lambda distinct, _: convention.relevant(distinct), convention, labels)

    def check(self, worth: Floats, there: npt.NDArray[np.bool_], lists: Places) -> None:
        relevant = worth.sum(axis=1)
        if self.several == "refuse" and (relevant > 1).any():
            at = int((relevant > 1).argmax())
            hint = "several='share' takes the mean over them; PlackettLuce and ListNet are of several."
            what = f"{relevant[at]:.0f} documents are relevant, and this loss is of the one that was chosen"
            raise DataError(message(what, place=f"list {lists[at]}, counted from 0", hint=hint))

    def of(self, scores: Any, block: Block, key: Any = None) -> Any:
        share = block.worth / jnp.maximum(block.worth.sum(1, keepdims=True), 1)
        return -(share * jax.nn.log_softmax(masked(scores, block.there), axis=1)).sum(1)
