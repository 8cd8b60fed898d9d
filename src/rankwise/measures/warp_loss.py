"""WARPLoss: what the others above each relevant document cost."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankwise.errors import MeasureError, message
from rankwise.measures.base import Measure
from rankwise.measures.convention import Convention, is_finite

__all__ = ["WARPLoss"]


class WARPLoss(Measure):
    r"""Weighted approximate-rank pairwise loss: the mean, over relevant documents, of what their ranks cost.

    .. math:: \frac{1}{|P|} \sum_{u \in P} L(r_u), \qquad L(r) = \sum_{j=1}^{r} \alpha_j, \qquad
              r_u = \sum_{v \in N} [\, s_v \ge s_u \,]

    P are the relevant documents of the list, N the others, s the scores: the rank of a relevant document counts those
    others that score as much or more, no relevant ones, and is 0 where there is none. Where scores are tied,
    `ties='kept'` counts as the formula does, all that score the same; `ties='expected'` is the mean over all orders,
    in which only those others that stand above count. Usunier et al. 2009 (`usunier2009`), Weston et al. 2010
    (`weston2010`).

    `alpha` gives α₁ ≥ α₂ ≥ … ≥ 0: 'harmonic' 1/j; 'first' 1, then 0, so that only being first counts; 'top-10' (or
    any number) ten times 1, then 0; or a tuple, 0 beyond its end. Lower is better. A relevant document that was not
    retrieved has no rank and is left out. *Empty* where P is: 0 would be the best loss of all, so that under
    `standard` such a list, and one that is missing from the run, is left out of the mean.

    >>> WARPLoss().of([1, 0, 0, 1]), WARPLoss(alpha="first").of([1, 0, 0, 1]), WARPLoss(alpha=(1, 1)).of([0, 1])
    (0.75, 0.5, 1.0)
    """

    __slots__ = ("alpha",)
    name = "WARPLoss"
    formula = "warp_loss"
    axes = ("rel", "empty")
    takes_k = False
    keeps_ties = True
    higher_is_better = False
    preset_choices: ClassVar[dict[str, object]] = {"empty": "skip", "missing": "skip"}
    alpha: str | tuple[float, ...]

    def __init__(
        self,
        k: int | None = None,
        *,
        alpha: str | tuple[float, ...] = "harmonic",
        convention: Convention | str | None = None,
        **choices: Any,
    ) -> None:
        super().__init__(k, convention=convention, **choices)
        object.__setattr__(self, "alpha", _checked(alpha))

    def _parameters(self) -> dict[str, Any]:
        return {} if self.alpha == "harmonic" else {"alpha": self.alpha}

    def discounts(self, depth: int) -> npt.NDArray[np.float64]:
        """α₁ … of as many documents as the longest list has."""
        rank = np.arange(1, depth + 1, dtype=np.float64)
        if self.alpha == "harmonic":
            return 1 / rank
        if isinstance(self.alpha, str):
            most = 1 if self.alpha == "first" else int(self.alpha.removeprefix("top-"))
            return (rank <= most).astype(np.float64)
        table = np.asarray(self.alpha[:depth], dtype=np.float64)
        return np.concatenate([table, np.zeros(depth - len(table))])


def _checked(alpha: Any) -> str | tuple[float, ...]:
    if isinstance(alpha, str):
        if alpha in ("harmonic", "first") or _is_top(alpha):
            return alpha
    elif isinstance(alpha, (tuple, list, np.ndarray)) and len(alpha) and all(map(is_finite, alpha)):
        falling = tuple(float(a) + 0.0 for a in alpha)  # no −0
        if falling[-1] >= 0 and sorted(falling, reverse=True) == list(falling):
            return falling
    hint = "it is 'harmonic', 'first', 'top-10' (or another number), or numbers that never rise and end at 0 or above."
    raise MeasureError(message(f"alpha={alpha!r} is no cost of ranks", hint=hint))


def _is_top(word: str) -> bool:
    number = word.removeprefix("top-")
    return word != number and number.isascii() and number.isdigit() and number[0] != "0" and len(number) < 19
