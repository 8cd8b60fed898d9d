"""The bootstrap interval: Rankwise beside SciPy and NumPy, in one run.

    python benchmarks/speed/bootstrap.py

10,000 resamples of 10,000 lists, from values to the interval; SciPy and NumPy draw in blocks, as their memory wants.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from kit import interleaved, table
from scipy import stats

from rankwise.evaluation.interval import bootstrap_interval

LISTS = RESAMPLES = 10_000
BLOCK = 200


def main() -> None:
    rng = np.random.default_rng(0)
    values, weights = rng.random(LISTS), rng.random(LISTS)
    ours = {
        "Rankwise, 1 thread": lambda: bootstrap_interval(values, threads=1),
        "Rankwise, 2 threads": lambda: bootstrap_interval(values, threads=2),
        "Rankwise, weighted, 2 threads": lambda: bootstrap_interval(values, weights=weights, threads=2),
    }
    theirs = {"NumPy": lambda: _numpy(values), "SciPy": lambda: _scipy(values)}
    np.testing.assert_allclose(ours["Rankwise, 1 thread"](), theirs["SciPy"](), atol=5e-4)
    times = interleaved(ours | theirs, 3)
    base = times["Rankwise, 2 threads"]
    print(table(["contender", "s", "× Rankwise"], [[n, f"{t:.3f}", f"{t / base:.1f}"] for n, t in times.items()]))


def _numpy(values: Any) -> Any:
    rng = np.random.default_rng(0)
    means = [values[rng.integers(0, LISTS, (BLOCK, LISTS))].mean(axis=1) for _ in range(RESAMPLES // BLOCK)]
    return np.quantile(np.concatenate(means), [0.025, 0.975])


def _scipy(values: Any) -> Any:
    found = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=RESAMPLES, batch=BLOCK, rng=0)
    return tuple(found.confidence_interval)


if __name__ == "__main__":
    main()
