"""Softmax cross-entropy, ListNet's loss of the first place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, RankwiseError, message
from rankwise.losses.base import Block, Floats, Loss, Places, masked
from rankwise.losses.worth import WithWorth

__all__ = ["SoftmaxCrossEntropy"]

TARGETS = ("softmax", "share", "worth")


@dataclass(frozen=True, kw_only=True)
class SoftmaxCrossEntropy(WithWorth, Loss):
    r"""The cross-entropy of who is first: by the labels, and by the scores.

    .. math:: -\sum_i t_i \log \frac{e^{s_i}}{\sum_j e^{s_j}}, \qquad t_i = \frac{e^{w_i}}{\sum_j e^{w_j}}

    Cao et al. 2007 (`cao2007`), top 1. :math:`w_i` is the label; with a `convention` it is the gain that this gives the
    label. `target='share'` takes :math:`t_i = w_i / \sum_j w_j` instead (0 for a list without worth), and `'worth'`
    :math:`t_i = w_i` as it is, which is Rax's softmax loss.

    >>> round(float(SoftmaxCrossEntropy()([1.0, 0.0], [1, 0], [0, 2])), 6)
    0.582203
    >>> round(float(SoftmaxCrossEntropy(target="share", convention="standard")([1.0, 0.0], [2, 1], [0, 2])), 6)
    0.563262
    """

    target: str = "softmax"

    def __post_init__(self) -> None:
        if self.target not in TARGETS:
            raise RankwiseError(message(f"target is one of {', '.join(map(repr, TARGETS))}, not {self.target!r}"))

    def check(self, worth: Floats, there: npt.NDArray[np.bool_], lists: Places) -> None:
        if self.target == "share" and (worth < 0).any():
            place = f"list {lists[int((worth < 0).any(axis=1).argmax())]}"
            raise DataError(message("a share of a worth below 0 has no meaning", place=place, hint="target='softmax'."))

    def columns(self, worth: Floats, there: npt.NDArray[np.bool_]) -> tuple[Any, ...]:
        if self.target == "worth":
            return (worth,)
        if self.target == "softmax":
            lifted = np.where(there, worth, -np.inf)
            worth = np.where(there, np.exp(lifted - np.where(there, worth, 0).max(axis=1, keepdims=True)), 0.0)
        total = worth.sum(axis=1, keepdims=True)
        return (np.divide(worth, total, out=np.zeros_like(worth), where=total > 0),)

    def of(self, scores: Any, block: Block, key: Any = None) -> Any:
        return -(block.columns[0] * jax.nn.log_softmax(masked(scores, block.there), axis=1)).sum(1)
