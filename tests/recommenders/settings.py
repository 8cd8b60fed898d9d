"""Settings under which each recommender learns easy interactions in a moment; a new one is one line here."""

from __future__ import annotations

from typing import Any

from rankwise.recommenders import RECOMMENDERS, recommender_learner
from rankwise.recommenders.base import RecommenderLearner

QUICK: dict[str, dict[str, Any]] = {
    "bpr": {"factors": 8, "epochs": 12, "rate": 0.1},
    "item-knn": {},
    "popularity": {},
    "svd": {"factors": 4, "epochs": 4, "form": "implicit"},
    "warp-mf": {"factors": 8, "epochs": 12, "rate": 0.01, "shrinkage": 0.05},
}


def quick(name: str, **parameters: Any) -> RecommenderLearner:
    return recommender_learner(name)(**{**QUICK[name], **parameters})


def names() -> list[str]:
    return sorted(RECOMMENDERS)
