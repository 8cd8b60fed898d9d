"""LambdaMART: Rankwise beside LightGBM's own lambdarank, in one run.

    python benchmarks/speed/lambdamart.py --kit DIR --data DIR

Trees of 31 leaves without validation, features cut into bins and all, on about 1,000 lists of 105 documents with 136
features from the kit's generator, and on the training part of MQ2008's first fold (DIR/mq2008). LightGBM's lambdarank
stands at its own settings; its pairs touch the first 30 documents, those of nDCG@10 the first 10, so that nDCG@30 is
there too. "Regression" is LightGBM without the cost of lambdas.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from kit import Kit, interleaved, table

import rankwise
from rankwise import Dataset
from rankwise.learners.lambdamart import LambdaMART

REPEATS = 5
LEAVES = 31


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kit", required=True, type=Path)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--threads", type=int, nargs="+", default=(1, 2))
    arguments = parser.parse_args()
    for name, data in {"MQ2008": mq2008(arguments.data), "MSLR-like": mslr_like(Kit(arguments.kit))}.items():
        print(f"\n{name}: {len(data):,} lists, {len(data.labels):,} documents, {data.features.shape[1]} features\n")
        rows = []
        for threads in arguments.threads:
            times = interleaved(contenders(data, arguments.trees, threads), arguments.repeats)
            base = times["LightGBM lambdarank"]
            rows += [[n, threads, f"{1e3 * t / arguments.trees:.2f}", f"{t / base:.2f}"] for n, t in times.items()]
        print(table(["contender", "threads", "ms a tree", "× lambdarank"], rows), flush=True)


def contenders(data: Dataset, trees: int, threads: int) -> dict[str, Callable[[], Any]]:
    def ours(measure: str) -> Callable[[], Any]:
        settings = {"trees": trees, "leaves": LEAVES, "learning_rate": 0.1, "measure": measure, "threads": threads}
        return lambda: LambdaMART(**settings).fit(data)

    return {
        "LightGBM lambdarank": lambda: lightgbms(data, "lambdarank", trees, threads),
        "Rankwise nDCG@10": ours("nDCG@10"),
        "Rankwise nDCG@30": ours("nDCG@30"),
        "LightGBM regression": lambda: lightgbms(data, "regression", trees, threads),
    }


def lightgbms(data: Dataset, objective: str, trees: int, threads: int) -> Any:
    settings = {
        "objective": objective, "num_leaves": LEAVES, "learning_rate": 0.1, "num_threads": threads, "verbosity": -1,
        "force_col_wise": True, "deterministic": True,
    }  # fmt: skip
    bins = lightgbm.Dataset(data.features, data.labels, group=np.diff(data.offsets), params=settings)
    return lightgbm.train(settings, bins, trees)


def mslr_like(kit: Kit) -> Dataset:
    features, labels, sizes = kit.common.features(1000, 105, 136, 11, snr=1.2)
    return Dataset.of(features, labels, group=sizes)


def mq2008(data: Path) -> Dataset:
    return Dataset.join([rankwise.read_letor(data / f"mq2008/S{part}.txt.gz") for part in (1, 2, 3)])


if __name__ == "__main__":
    main()
