r"""Popularity: every user gets what most users had.

.. math:: \hat y_{ui} = \sum_{u'} w_{u'i} \left[ x_{u'i} > 0 \right]

A baseline that every table should hold; nothing is learnt of a user.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.rankers.factors import Factors
from rankwise.recommenders.base import RecommenderLearner
from rankwise.recommenders.interactions import Interactions
from rankwise.recommenders.pairwise import Floats

__all__ = ["Popularity"]


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    counts: Floats
    users: int


@dataclass(kw_only=True, eq=False, repr=False)
class Popularity(RecommenderLearner):
    """How many users had an item with a value above 0; weights count where there are any.

    >>> from rankwise.recommenders.interactions import Interactions
    >>> seen = Interactions.of([1, 2, 3], ["tea", "tea", "jam"])
    >>> Popularity().fit(seen).recommend([3], 1)["3"]
    [('tea', 2.0)]
    """

    name: ClassVar[str] = "popularity"
    states: ClassVar[tuple[type, ...]] = (Counted,)

    def steps(self) -> int:
        return 1

    def start(self, data: Interactions, rng: np.random.Generator) -> Counted:
        return Counted(np.zeros(len(data.items), np.float32), len(data.users))

    def step(self, data: Interactions, state: Counted, rng: np.random.Generator) -> Counted:
        liked = data.values > 0
        weights = None if data.weights is None else data.weights[liked]
        counts = np.bincount(data.item[liked], weights, minlength=len(data.items))
        return Counted(counts.astype(np.float32), state.users)

    def model(self, state: Counted) -> Factors:
        users, items = np.zeros((state.users, 0), np.float32), np.zeros((len(state.counts), 0), np.float32)
        return Factors(users, items, None, state.counts)

    def fold_in(self, model: Any, interactions: Interactions) -> Factors:
        users = np.zeros((len(interactions.users), 0), np.float32)
        return Factors(users, model.items, None, model.item_biases)
