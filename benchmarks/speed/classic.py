"""Training the classic learners beside LightGBM, one thread each, in one run.

    python benchmarks/speed/classic.py --kit DIR [--data DIR]

DIR of `--kit` holds the kit's generator, whose MSLR-like set has 1,000 lists, 105,522 documents and 136 features; DIR
of `--data` holds `mq2008/`, of which fold 1 is learnt from. The yardstick is LightGBM's lambdarank, 100 trees of 31
leaves, on features that are binned already; Rankwise's clock runs from a `Dataset` in memory to a ranker.

RankLib is not run here. Its figures are those of the survey that the kit comes with, where it was run beside the same
yardstick; what it took to start and to load is taken off. Its ratio over ours is how many times faster we are.

Seconds are of processor time, which a busy machine changes less than those of the clock; the best of several turns.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from kit import Kit, table

import rankwise
from rankwise import Dataset
from rankwise.data.collections import mq2008

REPEATS = 3
# Seconds of RankLib without its start, and of the yardstick beside it.
RANKLIB = {
    ("MQ2008 fold 1", "AdaRank, at most 500 rounds"): (2.85 - 0.41, 0.26),
    ("MQ2008 fold 1", "RankBoost, 300 rounds"): (3.45 - 0.41, 0.26),
    ("MSLR-like", "RankBoost, 20 rounds"): (10.3 - 5.98, 5.0),
}
OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "AdaRank, at most 500 rounds": ("adarank", {}),
    "AdaRank, all tries": ("adarank", {"tries": 1000}),
    "AdaRank, as in RankLib": ("adarank", {"compat": "ranklib", "measure": "ranklib:NDCG@10"}),
    "RankBoost, 300 rounds": ("rankboost", {}),
    "RankBoost, 20 rounds": ("rankboost", {"rounds": 20}),
    "RankBoost, 300 rounds, as in RankLib": ("rankboost", {"compat": "ranklib", "thresholds": 10}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kit", required=True, type=Path)
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    kit = Kit(options.kit)
    for name, data in sets(kit, options.data).items():
        print(f"\n{name}: {data}")
        contenders = {title: ours(data, *how) for title, how in OURS.items()}
        times = in_turns({"LightGBM": yardstick(data), **contenders})
        rows = [row(name, title, seconds, times["LightGBM"]) for title, seconds in times.items()]
        print(table(["contender", "s", "× LightGBM", "RankLib × LightGBM", "times faster"], rows), flush=True)


def sets(kit: Kit, data: Path | None) -> dict[str, Dataset]:
    X, y, sizes = kit.common.features(1000, 105, 136, 11, snr=1.2)
    found = {"MSLR-like": Dataset.of(X, y, group=sizes)}
    if data is not None:
        found["MQ2008 fold 1"] = mq2008(data / "mq2008").folds[0].train
    return dict(reversed(found.items()))


def ours(data: Dataset, kind: str, parameters: dict[str, Any]) -> Callable[[], Any]:
    return lambda: rankwise.learner(kind)(**{"measure": "nDCG@10", "threads": 1, **parameters}).fit(data)


def yardstick(data: Dataset) -> Callable[[], Any]:
    import lightgbm

    parameters = {"objective": "lambdarank", "num_leaves": 31, "learning_rate": 0.1, "num_threads": 1, "verbosity": -1}
    binned = lightgbm.Dataset(
        data.features, data.labels, group=np.diff(data.offsets), params=parameters, free_raw_data=False
    ).construct()
    return lambda: lightgbm.train({**parameters, "force_col_wise": True}, binned, 100)


def in_turns(contenders: dict[str, Callable[[], Any]]) -> dict[str, float]:
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(REPEATS):
        for name, run in contenders.items():
            gc.collect()
            start = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - start)
    return best


def row(data: str, title: str, seconds: float, unit: float) -> list[str]:
    ratio = seconds / unit
    theirs = RANKLIB.get((data, title))
    known = ["", ""] if theirs is None else [f"{theirs[0] / theirs[1]:.2f}", f"{theirs[0] / theirs[1] / ratio:.0f}"]
    return [title, f"{seconds:.3f}", f"{ratio:.2f}", *known]


if __name__ == "__main__":
    main()
