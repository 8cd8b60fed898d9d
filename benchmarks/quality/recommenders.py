"""What recommenders reach: nDCG@10 over unseen items, and the error of ratings, on MovieLens 100k.

    python benchmarks/quality/recommenders.py --data DIR [--kit DIR] [--seeds 5]

`DIR` holds the folder `ml-100k`. A fifth of all ratings, drawn by lot, is judged on; each rating counts as liked, and
all items that a user has not rated in the other part are ranked. With `--kit` the same on the kit's made-up matrix of
the same size, whose split is that of its script `cf.py`. Ratings are predicted on the split `ua` that comes with the
data. Means of the seeds and their standard deviations.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "speed"))
from kit import Kit, table

from rankwise import Interactions, collections, evaluate, recommender_learner
from rankwise.rankers.factors import Factors

# Twenty passes each, as the peers have.
LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "Popularity": ("popularity", {}),
    "ItemKNN": ("item-knn", {}),
    "SVD, explicit": ("svd", {}),
    "SVD, implicit": ("svd", {"form": "implicit", "factors": 32, "alpha": 10.0, "beta": 10.0, "confidence": 4.0}),
    "BPR": ("bpr", {}),
    "BPR, popular negatives": ("bpr", {"negatives": "popularity"}),
    "WARP": ("warp-mf", {}),
}
RATINGS: dict[str, dict[str, Any]] = {
    "SVD by sgd, as Surprise's defaults": {
        "solver": "sgd", "penalty": "per-rating", "factors": 100, "rate": 0.005,
        "alpha": 0.02, "beta": 0.02, "gamma": 0.02, "theta": 0.02,
    },
    "SVD by als, its own defaults": {},
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--kit", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    folder = arguments.data / "ml-100k"
    columns = {"MovieLens 100k": films(folder)}
    if arguments.kit is not None:
        columns["made-up matrix"] = made_up(arguments.kit)
    rows = [
        [name, *(shown(ranked(kind, parameters, *parts, arguments.seeds)) for parts in columns.values())]
        for name, (kind, parameters) in LEARNERS.items()
    ]
    rows.append(["BPR without the items' biases", *(shown(unbiased(*p, arguments.seeds)) for p in columns.values())])
    print(table(["nDCG@10", *columns], rows))
    print()
    print(table(["RMSE on ua", ""], [[name, shown(errors(folder, p, arguments.seeds))] for name, p in RATINGS.items()]))


def films(folder: Path) -> tuple[Interactions, Interactions]:
    data = Interactions.of_dataset(collections.movielens(folder).read())
    judged = np.random.default_rng(9).random(len(data)) < 0.2
    return data.where(~judged), data.where(judged)


def made_up(root: Path) -> tuple[Interactions, Interactions]:
    os.environ["CF_SET"] = "ml100k"
    kit = Kit(root)
    sys.path.insert(0, str(kit.bench))
    import cf  # type: ignore[import-not-found]

    user, item, value, judged, shape = cf.matrix()
    from scipy.sparse import coo_array

    whole = Interactions.of_matrix(coo_array((value, (user, item)), shape=tuple(int(n) for n in shape)))
    cells = np.zeros(tuple(int(n) for n in shape), np.bool_)
    cells[user[judged], item[judged]] = True
    mask = cells[whole.user, whole.item]
    return whole.where(~mask), whole.where(mask)


def ranked(kind: str, parameters: dict[str, Any], train: Interactions, test: Interactions, seeds: int) -> list[float]:
    liked = replace(test, values=np.ones_like(test.values))
    learnt = (
        train
        if "explicit" in str(parameters.get("form", "")) or (kind == "svd" and not parameters)
        else as_liked(train)
    )
    found = []
    for seed in range(1, seeds + 1):
        recommender = recommender_learner(kind)(seed=seed, **parameters).fit(learnt).recommender_
        found.append(evaluate(*recommender.lists(liked), "nDCG@10")["nDCG@10"].mean)
        if kind in ("popularity", "item-knn"):
            break
    return found


def as_liked(data: Interactions) -> Interactions:
    return replace(data, values=np.ones_like(data.values))


def unbiased(train: Interactions, test: Interactions, seeds: int) -> list[float]:
    """What ⟨p, q⟩ alone would rank."""
    found = []
    for seed in range(1, seeds + 1):
        recommender = recommender_learner("bpr")(seed=seed).fit(as_liked(train)).recommender_
        model = recommender.model
        assert isinstance(model, Factors)
        plain = replace(recommender, model=Factors(model.users, model.items))
        found.append(evaluate(*plain.lists(as_liked(test)), "nDCG@10")["nDCG@10"].mean)
    return found


def errors(folder: Path, parameters: dict[str, Any], seeds: int) -> list[float]:
    """On the items of the training part, without clipping."""
    fold = next(fold for fold in collections.movielens(folder).folds if fold.name == "ua")
    train, test = Interactions.of_dataset(fold.train), Interactions.of_dataset(fold.test)
    test = test.known_to(train)
    users, items = [test.users[u] for u in test.user], [test.items[i] for i in test.item]
    found = []
    for seed in range(1, seeds + 1):
        recommender = recommender_learner("svd")(seed=seed, **parameters).fit(train).recommender_
        found.append(float(np.sqrt(np.mean((recommender.predict(users, items) - test.values) ** 2))))
    return found


def shown(values: list[float]) -> str:
    spread = f" ± {np.std(values, ddof=1):.4f}" if len(values) > 1 else ""
    return f"{np.mean(values):.4f}{spread}"


if __name__ == "__main__":
    main()
