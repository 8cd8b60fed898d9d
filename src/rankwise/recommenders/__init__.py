"""Recommenders: users × items instead of features, one algorithm a file; trained on pairs, scoring points."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rankwise.errors import RankwiseError, message

if TYPE_CHECKING:
    from rankwise.recommenders.base import RecommenderLearner

__all__ = ["RECOMMENDERS", "recommender_learner"]

# Name on the command line → module and class.
RECOMMENDERS = {
    "bpr": "bpr:BPR",
    "item-knn": "item_knn:ItemKNN",
    "popularity": "popularity:Popularity",
    "svd": "svd:SVD",
    "warp-mf": "warp:WARP",
}


def recommender_learner(name: str) -> type[RecommenderLearner]:
    """The learner of interactions of that name.

    >>> recommender_learner("bpr").__name__
    'BPR'
    """
    if name not in RECOMMENDERS:
        hint = f"there are {', '.join(sorted(RECOMMENDERS))}."
        raise RankwiseError(message(f"there is no learner of interactions '{name}'", hint=hint))
    module, _, kind = RECOMMENDERS[name].partition(":")
    found: type[RecommenderLearner] = getattr(import_module(f"rankwise.recommenders.{module}"), kind)
    return found
