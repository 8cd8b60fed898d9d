"""A model of 1,000 trees on 100,000 rows of 136 features: Rankwise beside LightGBM's own prediction, in one run.

    python benchmarks/speed/trees.py [--trees 1000] [--leaves 31]

LightGBM grows the trees; Rankwise reads its model text. Scores, leaves and contributions must agree before clocks run.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import lightgbm
import numpy as np
from kit import interleaved, table

from rankwise.learners import lightgbm_text
from rankwise.rankers import Trees

ROWS, FEATURES = 100_000, 136


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=int, default=1000)
    parser.add_argument("--leaves", type=int, default=31)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    booster, x = grown(options.trees, options.leaves)
    trees = lightgbm_text.read(booster.model_to_string(), FEATURES)
    check_agreement(booster, trees, x)
    for what, rows, contenders in _tasks(booster, trees, x):
        times = interleaved(contenders, options.repeats)
        print(f"\n{what}, {rows:,} rows, {len(trees):,} trees of {options.leaves} leaves\n")
        lines = [[name, f"{1e3 * t:.2f}", f"{t / times[f'Rankwise, {name[-9:]}']:.2f}"] for name, t in times.items()]
        print(table(["contender", "ms", "× Rankwise"], lines))


def grown(count: int, leaves: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, FEATURES)).astype(np.float32)
    x[:, ::3] = np.round(x[:, ::3] * 4)
    x[rng.random(x.shape) < 0.05] = np.nan
    y = np.nan_to_num(x[:, :20]) @ rng.normal(size=20) + np.nan_to_num(x[:, 20] * x[:, 21]) + rng.normal(size=ROWS)
    settings = {"objective": "regression", "num_leaves": leaves, "learning_rate": 0.05, "verbose": -1, "max_bin": 63}
    return lightgbm.train(settings, lightgbm.Dataset(x[:20_000], y[:20_000]), count), x


def check_agreement(booster: Any, trees: Trees, x: Any) -> None:
    few = x[:2000]
    np.testing.assert_array_equal(trees.scores(few, threads=2), booster.predict(few))
    np.testing.assert_array_equal(trees.leaves(few), booster.predict(few, pred_leaf=True))
    few = x[:20]
    np.testing.assert_allclose(trees.contributions(few), booster.predict(few, pred_contrib=True), atol=1e-9)


def _tasks(booster: Any, trees: Trees, x: Any) -> list[tuple[str, int, dict[str, Callable[[], Any]]]]:
    def beside(ours: Callable[[int], Any], theirs: Callable[[int], Any]) -> dict[str, Callable[[], Any]]:
        found = {}
        for n in (1, 2):
            words = f"{n} thread{'s' if n > 1 else ' '}"
            found[f"LightGBM, {words}"] = lambda n=n: theirs(n)
            found[f"Rankwise, {words}"] = lambda n=n: ours(n)
        return found

    tasks: list[tuple[str, int, dict[str, Callable[[], Any]]]] = []
    for rows in (len(x), 100, 1):
        part = x[:rows]
        both = beside(lambda n, p=part: trees.scores(p, n), lambda n, p=part: booster.predict(p, num_threads=n))
        tasks.append(("scores", rows, both))
    both = beside(
        lambda n: trees.contributions(x[:50], n), lambda n: booster.predict(x[:50], pred_contrib=True, num_threads=n)
    )
    tasks.append(("contributions", 50, both))
    both = beside(
        lambda n: trees.scores_of(x, len(trees) - 1, len(trees), n),
        lambda n: booster.predict(x, start_iteration=len(trees) - 1, num_iteration=1, num_threads=n),
    )
    tasks.append(("scores of the last tree", len(x), both))
    return tasks


if __name__ == "__main__":
    main()
