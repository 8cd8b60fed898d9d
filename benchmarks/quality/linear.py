"""How well the linear rankers rank with their defaults.

    python benchmarks/quality/linear.py --data DIR [--only NAME…] [--seeds N]

DIR holds `mq2008/`, `clueweb09-ltr/` and `lightgbm-lambdarank/`. RankSVM and Coordinate Ascent learn for nDCG@10; C,
the restart and the sweep are chosen on the validation part. MQ2008: its five folds. ClueWeb09-LTR: of five parts one is
the test, the next one validation. LightGBM's example: a fifth of its training lists is validation. The standard error
is that of the mean over test lists; Coordinate Ascent also stands as the mean over N seeds, with the standard error
over them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import rankwise
from rankwise import Dataset, Result, evaluate
from rankwise.data import collections
from rankwise.learners.base import Learner
from rankwise.learners.coordinate_ascent import CoordinateAscent
from rankwise.learners.ranksvm import RankSVM

MEASURES = ("letor4:MeanNDCG", "letor4:nDCG@10", "nDCG@10", "AP")
Fold = tuple[Dataset, Dataset, Dataset]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="*", choices=list(SETS), default=list(SETS))
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    print(f"| set | learner | validation | {' | '.join(MEASURES)} |\n|{' --- |' * (len(MEASURES) + 3)}")
    for name in options.only:
        folds = list(SETS[name](options.data / name))
        row(name, "RankSVM", *tested(folds, RankSVM))
        seeds = [tested(folds, lambda seed=seed: CoordinateAscent(seed=seed)) for seed in range(options.seeds)]
        row(name, "Coordinate Ascent, seed 0", *seeds[0])
        values = np.array([[value, *(one.mean for one in result)] for value, result in seeds])
        errors = values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.zeros(len(MEASURES) + 1)
        cells = [f"{mean:.4f} ± {error:.4f}" for mean, error in zip(values.mean(axis=0), errors, strict=True)]
        print(f"| {name} | the same, {len(seeds)} seeds | {' | '.join(cells)} |", flush=True)


def row(name: str, learner: str, value: float, result: Result) -> None:
    cells = [f"{one.mean:.4f} ± {one.stderr:.4f}" for one in result]
    print(f"| {name} | {learner} | {value:.4f} | {' | '.join(cells)} |", flush=True)


def tested(folds: list[Fold], make: Callable[[], Learner]) -> tuple[float, Result]:
    """The mean value on validation, and what the test lists of all folds say."""
    values, results = [], []
    for train, validation, test in folds:
        fitted = make().fit(train, validation=validation)
        values.append(fitted.ranker_.about["validation"])
        results.append(evaluate(test, fitted.predict(test), MEASURES))
    return float(np.mean(values)), Result.merge(results)


def mq2008(folder: Path) -> Iterator[Fold]:
    parts = [rankwise.read_letor(folder / f"S{part}.txt.gz") for part in range(1, 6)]
    for fold in range(5):
        *three, validation, test = (parts[(fold + at) % 5] for at in range(5))
        yield Dataset.join(three), validation, test


def clueweb(folder: Path) -> Iterator[Fold]:
    parts = [rankwise.read_letor(path) for path in sorted(folder.glob("S*.txt.gz"))]
    for fold in range(5):
        test, validation, *three = (parts[(fold + at) % 5] for at in range(5))
        yield Dataset.join(three), validation, test


def example(folder: Path) -> Iterator[Fold]:
    found = collections.lightgbm_example(folder)
    train, test = found.read("train"), found.read("test")
    fifth = np.arange(len(train)) % 5 == 4
    yield train.take(np.flatnonzero(~fifth)), train.take(np.flatnonzero(fifth)), test


SETS: dict[str, Callable[[Path], Iterator[Fold]]] = {
    "mq2008": mq2008,
    "clueweb09-ltr": clueweb,
    "lightgbm-lambdarank": example,
}

if __name__ == "__main__":
    main()
