"""What networks learn on MQ2008, five folds: python benchmarks/quality/neural.py --data FOLDER_WITH_mq2008 [NAME…]

Training on three parts, the step that is kept chosen on validation by nDCG@10 (`standard`), the test part measured
under letor4; all hyper-parameters at their defaults unless a grid is asked for. Prints a table for docs/neural.md.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from rankwise import Dataset, evaluate, read_letor
from rankwise.learners import learner

# Beside the defaults: name → parameters.
SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "RankNet": ("ranknet", {}),
    "ListNet": ("listnet", {}),
    "Plackett–Luce": ("plackett-luce", {}),
    "DirectRanker, linear": ("direct-ranker", {"hidden": ()}),
    "DirectRanker": ("direct-ranker", {}),
    "LambdaRank": ("lambdarank", {}),
    "LambdaLoss (NDCG-Loss2++)": ("lambdarank", {"weight": "ndcg-loss2++"}),
    "ApproxNDCG": ("approx-ndcg", {}),
    "WARP": ("warp", {}),
    "Softmax, several='share'": ("softmax", {"several": "share"}),
    "RankNet, 64 units": ("ranknet", {"hidden": (64,)}),
    "ListNet, 64 units": ("listnet", {"hidden": (64,)}),
}
MEASURES = ["letor4:MeanNDCG", "letor4:nDCG@10"]


def folds(folder: Path) -> list[tuple[Dataset, Dataset, Dataset]]:
    parts = [read_letor(folder / f"S{number}.txt.gz") for number in range(1, 6)]
    turned = [[parts[(fold + at) % 5] for at in range(5)] for fold in range(5)]
    return [(Dataset.join(five[:3]), five[3], five[4]) for five in turned]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("names", nargs="*", help="some of the rows")
    given = parser.parse_args()
    data = folds(given.data / "mq2008")
    print("| learner | MeanNDCG | standard error over folds | nDCG@10 | seconds for five folds |")
    print("|---|---|---|---|---|")
    for words, (name, parameters) in SETTINGS.items():
        if given.names and words not in given.names:
            continue
        began = time.perf_counter()
        values = []
        for train, validation, test in data:
            fitted = learner(name)(**parameters).fit(train, validation=validation)
            values.append(evaluate(test, fitted.predict(test), MEASURES).values.mean(axis=1))
        seconds = time.perf_counter() - began
        of_folds = np.array(values)
        error = of_folds[:, 0].std(ddof=1) / np.sqrt(5)
        mean = of_folds.mean(axis=0)
        print(f"| {words} | {mean[0]:.4f} | {error:.4f} | {mean[1]:.4f} | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
