"""How well LambdaMART ranks with its defaults, and beside LightGBM's own lambdarank.

    python benchmarks/quality/lambdamart.py --data DIR [--only NAME…]

DIR holds `mq2008/`, `clueweb09-ltr/` and `lightgbm-lambdarank/`.

MQ2008: five folds; learnt for nDCG@10 with the defaults, stopped on the validation part; the test parts under three
conventions, the standard error that of the mean over the 784 lists. LightGBM's lambdarank with 10 leaves, rate 0.1 and
early stopping by its NDCG@10 on validation stands beside it.

ClueWeb09-LTR (five folds, no validation part: the number of trees is fixed) and LightGBM's example (its training and
test part): the same trees, leaves and rate, half of the features and four fifths of the lists drawn for each tree, ten
seeds; nDCG@10, mean over test lists, then over seeds, with the standard error over seeds.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

import rankwise
from rankwise import Dataset, Result, evaluate
from rankwise.data import collections
from rankwise.learners.lambdamart import LambdaMART

CONVENTIONS = ("letor4:MeanNDCG", "letor4:nDCG@10", "nDCG@10", "yahoo:nDCG@10")
SEEDS = range(10)
SAME = {"trees": 100, "leaves": 10, "learning_rate": 0.1}
DRAWN = {"feature_share": 0.5, "list_share": 0.8}

Fold = tuple[Dataset, Dataset]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="*", choices=("mq2008", "clueweb09-ltr", "lightgbm-lambdarank"))
    arguments = parser.parse_args()
    data, only = arguments.data, arguments.only or ("mq2008", "clueweb09-ltr", "lightgbm-lambdarank")
    if "mq2008" in only:
        print(f"| MQ2008 | {' | '.join(CONVENTIONS)} |\n|{' --- |' * (len(CONVENTIONS) + 1)}")
        for name, results in of_mq2008(data / "mq2008").items():
            cells = [f"{one.mean:.4f} ± {one.stderr:.4f}" for one in results]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)
    rest = [name for name in ("clueweb09-ltr", "lightgbm-lambdarank") if name in only]
    if rest:
        print("\n| nDCG@10 | LightGBM lambdarank | Rankwise | Rankwise, as LightGBM |\n| --- | --- | --- | --- |")
    for name in rest:
        folds = list(clueweb(data / name) if name.startswith("clueweb") else example(data / name))
        print(f"| {name} | {' | '.join(beside(folds))} |", flush=True)


def of_mq2008(folder: Path) -> dict[str, Result]:
    found: dict[str, list[Result]] = {}
    parts = [rankwise.read_letor(folder / f"S{part}.txt.gz") for part in range(1, 6)]
    for fold in range(5):
        *three, validation, test = (parts[(fold + at) % 5] for at in range(5))
        train = Dataset.join(three)
        systems = {
            "Rankwise, defaults": LambdaMART(measure="nDCG@10").fit(train, validation=validation).predict(test),
            "LightGBM lambdarank": stopped_early(train, validation).predict(test.features),
        }
        for name, scores in systems.items():
            found.setdefault(name, []).append(evaluate(test, scores, CONVENTIONS, name=name))
    return {name: Result.merge(results) for name, results in found.items()}


def stopped_early(train: Dataset, validation: Dataset) -> Any:
    settings = {
        "objective": "lambdarank",
        "num_leaves": 10,
        "learning_rate": 0.1,
        "eval_at": [10],
        "verbosity": -1,
        "num_threads": 1,
    }
    bins, others = (
        lightgbm.Dataset(part.features, part.labels, group=np.diff(part.offsets)) for part in (train, validation)
    )
    stop = lightgbm.early_stopping(100, verbose=False)
    return lightgbm.train(settings, bins, 500, valid_sets=[others], callbacks=[stop])


def clueweb(folder: Path) -> Iterator[Fold]:
    parts = [rankwise.read_letor(path) for path in sorted(folder.glob("S*.txt.gz"))]
    for at, test in enumerate(parts):
        yield Dataset.join(parts[:at] + parts[at + 1 :]), test


def example(folder: Path) -> Iterator[Fold]:
    found = collections.lightgbm_example(folder)
    yield found.read("train"), found.read("test")


def beside(folds: list[Fold]) -> list[str]:
    """The mean and its standard error over seeds of LightGBM's lambdarank, of ours, and of ours in its manner."""
    usual = {"measure": "lightgbm:ndcg@30", "below": "discounted", "normalized": True}
    ways: list[dict[str, Any]] = [{"measure": "nDCG@10"}, usual]
    of_seeds = [
        [
            mean(folds, lambda train, test, seed=seed: own(train, seed).predict(test.features)),
            *(
                mean(
                    folds,
                    lambda train, test, seed=seed, way=way: (
                        LambdaMART(**SAME, **DRAWN, seed=seed, **way).fit(train).predict(test)
                    ),
                )
                for way in ways
            ),
        ]
        for seed in SEEDS
    ]
    values = np.array(of_seeds)
    errors = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return [f"{m:.4f} ± {e:.4f}" for m, e in zip(values.mean(axis=0), errors, strict=True)]


def mean(folds: list[Fold], scores: Any) -> float:
    return float(Result.merge([evaluate(test, scores(train, test), "nDCG@10") for train, test in folds])[0].mean)


def own(train: Dataset, seed: int) -> Any:
    settings = {
        "objective": "lambdarank", "num_leaves": SAME["leaves"], "learning_rate": SAME["learning_rate"], "seed": seed,
        "feature_fraction": DRAWN["feature_share"], "bagging_fraction": DRAWN["list_share"], "bagging_freq": 1,
        "bagging_by_query": True, "verbosity": -1, "num_threads": 1,
    }  # fmt: skip
    bins = lightgbm.Dataset(train.features, train.labels, group=np.diff(train.offsets))
    return lightgbm.train(settings, bins, SAME["trees"])


if __name__ == "__main__":
    main()
