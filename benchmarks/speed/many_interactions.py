"""Twenty million made-up interactions: what reading and learning take, and the most memory.

    python benchmarks/speed/many_interactions.py [--interactions 20000000] [--learner bpr] [--factors 64] [--epochs 3]

138,493 users and 26,744 items, as MovieLens 20M has: items by a power law, users' activity log-normal. Progress goes to
standard error; the last line has seconds and the peak of resident memory, the making of the data included.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time

import numpy as np

from rankwise import Interactions, recommender_learner
from rankwise.cli.progress import Line, Progress

USERS, ITEMS = 138_493, 26_744


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--interactions", type=int, default=20_000_000)
    parser.add_argument("--learner", default="bpr")
    parser.add_argument("--factors", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=3)
    arguments = parser.parse_args()
    start = time.perf_counter()
    users, items, values = made(arguments.interactions)
    made_in = time.perf_counter() - start
    start = time.perf_counter()
    data = Interactions.of(users, items, values, duplicates="last")
    del users, items, values
    read_in = time.perf_counter() - start
    print(f"{data!r}: made in {made_in:.0f} s, read in {read_in:.0f} s", file=sys.stderr)
    start = time.perf_counter()
    own = (
        {}
        if arguments.learner in ("popularity", "item-knn")
        else {"factors": arguments.factors, "epochs": arguments.epochs}
    )
    one = recommender_learner(arguments.learner)(**own)
    one.fit(data, callbacks=[Progress(Line())])
    fitted_in = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
    print(f"{arguments.learner}: {len(data):,} interactions, read {read_in:.0f} s, {len(one.curve_)} passes "
          f"{fitted_in:.0f} s, peak {peak / 1024:.2f} GB")  # fmt: skip


def made(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """More rows than pairs are wanted, since some come twice."""
    rng = np.random.default_rng(0)
    activity = rng.lognormal(0, 1, USERS)
    popularity = 1 / np.arange(1, ITEMS + 1) ** 0.6
    users = rng.choice(USERS, count, p=activity / activity.sum()).astype(np.int32)
    items = rng.choice(ITEMS, count, p=popularity / popularity.sum()).astype(np.int32)
    return users, items, rng.integers(1, 6, count).astype(np.float32)


if __name__ == "__main__":
    main()
