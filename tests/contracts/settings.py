"""Settings under which each learner learns an easy set in a moment; a new learner is one line here."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise import Dataset
from rankwise.learners import LEARNERS, learner
from rankwise.learners.base import Learner

QUICK: dict[str, dict[str, Any]] = {
    "warp": {"epochs": 25, "learning_rate": 0.05, "batch": 8},
    "softmax": {"several": "share"},
    "ranknet": {"epochs": 25, "learning_rate": 0.05, "batch": 8},
    "plackett-luce": {"epochs": 25, "learning_rate": 0.05, "batch": 8},
    "listnet": {"epochs": 25, "learning_rate": 0.05, "batch": 8},
    "lambdarank": {"epochs": 25, "learning_rate": 0.05, "batch": 8},
    "direct-ranker": {"epochs": 40, "learning_rate": 0.05, "batch": 8},
    "approx-ndcg": {"epochs": 40, "learning_rate": 0.1, "batch": 8},
    "adarank": {},
    "best-feature": {},
    "coordinate-ascent": {"restarts": 3, "sweeps": 4},
    "ranksvm": {"C": (0.01, 0.1, 1.0)},
    "rankboost": {"rounds": 20},
    "mart": {"trees": 12, "leaves": 4},
    "linear-regression": {},
    "lambdamart": {"trees": 12, "leaves": 4, "min_documents": 2, "learning_rate": 0.3},
    "pairwise-classifier": {},
    "pointwise": {"trees": 20, "min_documents": 5},
}


def quick(name: str, **parameters: Any) -> Learner:
    return learner(name)(**{**QUICK[name], **parameters})


def names() -> list[str]:
    return sorted(LEARNERS)


def easy(seed: int = 0, lists: int = 24, features: int = 4, names: bool = False) -> Dataset:
    """Lists of 4 to 9 documents, whose labels follow from the first feature, less so from the second."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(4, 10, lists)
    table = rng.normal(size=(sizes.sum(), features)).astype(np.float32)
    worth = 2 * table[:, 0] + table[:, min(1, features - 1)] + 0.3 * rng.normal(size=len(table))
    labels = np.digitize(worth, [0.5, 1.5, 3.0])
    qid = np.repeat([f"q{at:02}" for at in range(lists)], sizes)
    called = [f"f{at}" for at in range(features)] if names else None
    return Dataset.of(table, labels, qid=qid, feature_names=called)


def arrays(data: Dataset) -> tuple[Any, Any, Any]:
    """Features, labels and query ids of the rows."""
    return data.features, data.labels, np.repeat(list(data.queries), np.diff(data.offsets))


def shuffled(data: Dataset, seed: int, *, rows_too: bool) -> tuple[Any, Any, Any, Any]:
    """The same rows in another order, and where each came from."""
    rng = np.random.default_rng(seed)
    if rows_too:
        order = rng.permutation(len(data.labels))
    else:
        lists = np.split(np.arange(len(data.labels)), data.offsets[1:-1])
        order = np.concatenate([lists[at] for at in rng.permutation(len(lists))])
    X, y, qid = arrays(data)
    return X[order], y[order], qid[order], order
