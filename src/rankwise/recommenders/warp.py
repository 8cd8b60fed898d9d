r"""WARP: the higher something that was not liked stands above what was, the more it costs.

.. math:: \min_\Theta \sum_{(u, i)} L(r_{ui}), \qquad L(r) = \sum_{j=1}^{r} \alpha_j, \qquad
          r_{ui} = \sum_{j \notin H_u} \left[ \hat y_{uj} > \hat y_{ui} - 1 \right], \qquad
          \hat y_{ui} = \langle p_u, q_i \rangle + b_i

Weston, Bengio & Usunier 2010 (`weston2010`). The rank is guessed: negatives j are drawn until one scores higher than
:math:`\hat y_{ui} - 1`; with n items that the user did not like and N draws it is about :math:`\lfloor n / N \rfloor`.
The step then goes down the gradient of

.. math:: L(\lfloor n / N \rfloor) \left( 1 - \hat y_{ui} + \hat y_{uj} \right)
          + \lambda \left( \|p_u\|^2 + \|q_i\|^2 + \|q_j\|^2 \right) + \lambda' \left( b_i^2 + b_j^2 \right)

and is left out if no such j turns up in so many trials. Positives are no trials: each draw is of an item that the user
did not like. The paper bounds the lengths of rows; a penalty does that here. On the command line it is `warp-mf`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise import _kernels
from rankwise.measures.warp_loss import WARPLoss
from rankwise.recommenders.base import whole
from rankwise.recommenders.pairwise import Floats, Pairwise, Seen

__all__ = ["WARP"]


@dataclass(kw_only=True, eq=False, repr=False)
class WARP(Pairwise):
    """Weighted approximate-rank pairwise loss.

    `alpha` gives α₁ ≥ α₂ ≥ … as in the measure WARPLoss: 'harmonic' (1/j), 'first', 'top-10', or a tuple. `trials` is
    the most negatives drawn for one interaction. `factors` a row, `epochs` passes, `rate` of learning, `shrinkage` λ
    (`bias_shrinkage` λ', the same if None), `spread` of the uniform numbers that rows begin with. `negatives` are drawn
    'uniform' or by 'popularity'; `disliked` is the share of them that is drawn from what the user turned down (values
    of 0 or less), where there is any. `deterministic`: the same bits for any number of threads; else threads race.

    >>> from rankwise.recommenders.interactions import Interactions
    >>> seen = Interactions.of([1, 1, 2, 2, 3], ["a", "b", "a", "b", "c"])
    >>> WARP(factors=2, epochs=50, rate=0.05).fit(seen).recommend([1], 1, exclude_seen=False)[1][0][0] in ("a", "b")
    True
    """

    rate: float = 0.002
    shrinkage: float = 0.2
    alpha: str | tuple[float, ...] = "harmonic"
    trials: int = 10

    name: ClassVar[str] = "warp-mf"

    def check(self) -> None:
        super().check()
        whole("trials", self.trials, least=1)
        self._costs(1)

    def _pass(self, epoch: dict[str, Any], plan: dict[str, Any], data: Seen) -> tuple[Floats, Floats, Floats, Floats]:
        return _kernels.warp_epoch(epoch, plan, int(self.trials), self._costs(data.items))

    def _costs(self, items: int) -> Floats:
        """L of each rank from 0 to the number of items."""
        alpha = tuple(self.alpha) if isinstance(self.alpha, list) else self.alpha
        table = np.zeros(items + 1, np.float32)
        table[1:] = np.cumsum(WARPLoss(alpha=alpha).discounts(items))
        return table
