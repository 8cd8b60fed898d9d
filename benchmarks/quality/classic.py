"""What the classic learners reach on real lists, with their defaults: tables for docs/classic.md.

    python benchmarks/quality/classic.py --data DIR [--collection mq2008] [--learner adarank]

DIR holds `mq2008/` with `mq2008-scores/`, `clueweb09-ltr/` and `lightgbm-lambdarank/`. A data set that is not there is
left out. Each learner trains for nDCG@10 and keeps the step that is best on validation lists; nothing is chosen on
test lists. ClueWeb09-LTR: fold f tests on part f, validates on part f + 1. LightGBM's example: a fifth of its training
lists, drawn once, validates. The standard error is that of the mean over all test lists.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import rankwise
from rankwise import Dataset, Result
from rankwise.data.collections import clueweb09_ltr, lightgbm_example, mq2008

MEASURES = ("letor4:MeanNDCG", "letor4:nDCG@10", "nDCG@10", "AP")
# The name of a row → a learner's name and parameters.
ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "best-feature": ("best-feature", {}),
    "linear-regression": ("linear-regression", {}),
    "adarank": ("adarank", {}),
    "adarank, as in its paper": ("adarank", {"keep": "all", "tolerance": None, "directions": "given"}),
    "adarank, as in RankLib": ("adarank", {"compat": "ranklib", "measure": "ranklib:NDCG@10"}),
    "rankboost": ("rankboost", {}),
    "rankboost, all thresholds": ("rankboost", {"thresholds": None}),
    "rankboost, exact α": ("rankboost", {"alpha": "exact"}),
    "rankboost, as in RankLib": ("rankboost", {"compat": "ranklib", "thresholds": 10}),
    "coordinate-ascent": ("coordinate-ascent", {}),
    "lambdamart": ("lambdamart", {}),
}
THIRD_PARTY = {"AdaRank": "RankLib 2.1's AdaRank", "RankBoost": "RankLib 2.1's RankBoost", "svm_rank": "SVMrank"}


class Fold(NamedTuple):
    train: Dataset
    validation: Dataset
    test: Dataset
    third_party: dict[str, Any]


def mq2008_folds(data: Path) -> Iterator[Fold]:
    scores = data / "mq2008-scores"
    for at, fold in enumerate(mq2008(data / "mq2008").folds, start=1):
        files = {title: scores / name / f"Fold{at}.score.gz" for name, title in THIRD_PARTY.items()}
        known = {title: rankwise.read_scores(path) for title, path in files.items() if path.exists()}
        yield Fold(fold.train, fold.validation, fold.test, known)


def clueweb_folds(data: Path) -> Iterator[Fold]:
    collection = clueweb09_ltr(data / "clueweb09-ltr")
    parts = [collection.read(name) for name in collection.parts]
    for at in range(len(parts)):
        turned = [parts[(at + step) % len(parts)] for step in range(len(parts))]
        yield Fold(Dataset.join(turned[2:]), turned[1], turned[0], {})


def lightgbm_folds(data: Path) -> Iterator[Fold]:
    collection = lightgbm_example(data / "lightgbm-lambdarank")
    lists, test = collection.read("train"), collection.read("test")
    drawn = np.random.default_rng(0).permutation(len(lists))
    yield Fold(lists.take(np.sort(drawn[len(lists) // 5 :])), lists.take(np.sort(drawn[: len(lists) // 5])), test, {})


COLLECTIONS = {
    "mq2008": ("mq2008", mq2008_folds),
    "clueweb09-ltr": ("clueweb09-ltr", clueweb_folds),
    "lightgbm-example": ("lightgbm-lambdarank", lightgbm_folds),
}


def row(name: str, folds: list[Fold]) -> list[str]:
    kind, parameters = ROWS[name]
    results, validation, seconds = [], [], 0.0
    for fold in folds:
        learner = rankwise.learner(kind)(**{"measure": "nDCG@10", "select": "nDCG@10", **parameters})
        start = time.perf_counter()
        fitted = learner.fit(fold.train, validation=fold.validation)
        seconds += time.perf_counter() - start
        validation.append(rankwise.evaluate(fold.validation, fitted.predict(fold.validation), "nDCG@10")[0].mean)
        results.append(rankwise.evaluate(fold.test, fitted.predict(fold.test), MEASURES))
    return [name, f"{np.mean(validation):.4f}", *cells(results), f"{seconds / len(folds):.2f}"]


def cells(results: list[Result]) -> list[str]:
    """The mean of the folds' means, with the standard error over all their test lists."""
    pooled = Result.merge(results)
    means = [np.mean([result[at].mean for result in results]) for at in range(len(MEASURES))]
    return [f"{mean:.4f} ± {pooled[at].stderr:.4f}" for at, mean in enumerate(means)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--collection", action="append", choices=COLLECTIONS)
    parser.add_argument("--learner", action="append", choices=ROWS)
    options = parser.parse_args()
    for name in options.collection or COLLECTIONS:
        folder, read = COLLECTIONS[name]
        if not (options.data / folder).is_dir():
            continue
        folds = list(read(options.data))
        head = [name, "validation nDCG@10", *MEASURES, "s a fold"]
        print(f"\n| {' | '.join(head)} |\n|{' --- |' * len(head)}")
        for title in folds[0].third_party:
            results = [rankwise.evaluate(fold.test, fold.third_party[title], MEASURES) for fold in folds]
            print(f"| {' | '.join([title, '', *cells(results), ''])} |", flush=True)
        for learner in options.learner or ROWS:
            print(f"| {' | '.join(row(learner, folds))} |", flush=True)


if __name__ == "__main__":
    main()
