r"""Bayesian personalised ranking: what a user liked is to score higher than what the user did not.

.. math:: \max_\Theta \sum_{(u, i)} \mathbb{E}_j \left[ \ln \sigma(\hat y_{ui} - \hat y_{uj})
          - \lambda \left( \|p_u\|^2 + \|q_i\|^2 + \|q_j\|^2 \right) - \lambda' \left( b_i^2 + b_j^2 \right) \right],
          \qquad \hat y_{ui} = \langle p_u, q_i \rangle + b_i

Rendle et al. 2009 (`rendle2009`). It is learnt on pairs and scores points: at run time a user's score of an item stands
by itself. A bias of the user would cancel in the difference, so that there is none; the item's bias does not, and is
part of the score.

One step is a pass: each interaction once, in random order, with one negative j that the user did not like, drawn anew.
The gradient at an interaction, with :math:`z = \sigma(\hat y_{uj} - \hat y_{ui})`, is
:math:`-z (q_i - q_j) + 2 \lambda p_u` for the user, :math:`-z p_u + 2 \lambda q_i` and
:math:`z p_u + 2 \lambda q_j` for the items. Where the paper draws interactions with replacement, each is drawn once a
pass here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from rankwise import _kernels
from rankwise.recommenders.pairwise import Floats, Pairwise, Seen

__all__ = ["BPR"]


@dataclass(kw_only=True, eq=False, repr=False)
class BPR(Pairwise):
    """Bayesian personalised ranking.

    `factors` a row, `epochs` passes, `rate` of learning, `shrinkage` λ (`bias_shrinkage` λ', the same if None),
    `spread` of the uniform numbers that rows begin with. `negatives` are drawn 'uniform' or by 'popularity';
    `disliked` is the share of them that is drawn from what the user turned down (values of 0 or less), where there is
    any. `deterministic`: the same bits for any number of threads; else threads race.

    >>> from rankwise.recommenders.interactions import Interactions
    >>> seen = Interactions.of([1, 1, 2, 2, 3], ["a", "b", "a", "b", "c"])
    >>> BPR(factors=2, epochs=50, rate=0.2).fit(seen).recommend([1], 1, exclude_seen=False)[1][0][0] in ("a", "b")
    True
    """

    name: ClassVar[str] = "bpr"

    def _pass(self, epoch: dict[str, Any], plan: dict[str, Any], data: Seen) -> tuple[Floats, Floats, Floats, Floats]:
        return _kernels.bpr_epoch(epoch, plan)
