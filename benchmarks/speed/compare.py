"""Comparisons: Rankwise beside NumPy and SciPy, in one run.

    python benchmarks/speed/compare.py [--qrels FILE --runs FILE FILE…]

The randomisation test of all pairs of 1,000 systems on 50 lists, 10,000 draws, beside a NumPy loop over pairs that is
timed on a sample of them, once drawing signs for each pair and once with the same signs for all. Six systems on 43
lists under four measures with all tests, beside SciPy's; with judgments and runs, also those, read and evaluated.
"""

from __future__ import annotations

import argparse
import time
from itertools import combinations
from typing import Any

import numpy as np
from kit import interleaved, table
from scipy import stats

import rankwise
from rankwise.data.ids import Ids
from rankwise.evaluation.columns import Evaluated, Saved
from rankwise.evaluation.paired import TESTS
from rankwise.evaluation.significance import randomisation

SYSTEMS, LISTS, DRAWS, SAMPLE = 1_000, 50, 10_000, 40
MEASURES = ("nDCG@10", "AP(rel=2)", "RR(rel=2)@10", "P(rel=2)@10")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--qrels")
    parser.add_argument("--runs", nargs="+")
    arguments = parser.parse_args()
    print(_many_pairs(), end="\n\n")
    print(_all_tests(_drawn(6, 43)), end="\n\n")
    if arguments.runs:
        started = time.perf_counter()
        qrels = rankwise.read_qrels(arguments.qrels)
        results = [rankwise.evaluate(qrels, rankwise.read_run(run), MEASURES, name=run) for run in arguments.runs]
        print(f"{len(results)} runs read and evaluated: {time.perf_counter() - started:.3f} s\n")
        print(_all_tests(results))


def _many_pairs() -> str:
    rng = np.random.default_rng(0)
    values = rng.random((SYSTEMS, LISTS))
    pairs = np.array(list(combinations(range(SYSTEMS), 2)))
    sample = pairs[rng.choice(len(pairs), SAMPLE, replace=False)]
    signs = rng.choice([-1.0, 1.0], (DRAWS, LISTS))

    def share(a: int, b: int, signs: Any) -> float:
        d = values[a] - values[b]
        return (1 + (np.abs(signs @ d) >= abs(d.sum())).sum()) / (1 + DRAWS)

    ours = {
        f"Rankwise, {n} thread{'s' * (n > 1)}": lambda n=n: randomisation(values, pairs, permutations=DRAWS, threads=n)
        for n in (1, 2)
    }
    theirs = {
        "NumPy, signs drawn for each pair": lambda: [
            share(a, b, rng.choice([-1.0, 1.0], (DRAWS, LISTS))) for a, b in sample
        ],
        "NumPy, the same signs for all pairs": lambda: [share(a, b, signs) for a, b in sample],
    }
    near = randomisation(values, sample, permutations=DRAWS)
    np.testing.assert_allclose(near, [share(a, b, signs) for a, b in sample], atol=0.03)
    times = interleaved(ours | theirs, 2)
    times = {name: t * (len(pairs) / SAMPLE if name in theirs else 1) for name, t in times.items()}
    base = times["Rankwise, 2 threads"]
    return table(["contender", "s", "× Rankwise"], [[n, f"{t:.2f}", f"{t / base:.0f}"] for n, t in times.items()])


def _drawn(systems: int, lists: int) -> list[rankwise.Result]:
    rng = np.random.default_rng(0)
    about = Evaluated(lists, Saved({}), queries=Ids.of(map(str, range(lists))))
    chosen = [(text, rankwise.measure(text)) for text in MEASURES]
    flags = np.zeros(lists, dtype=np.uint8)
    return [
        rankwise.Result(about, chosen, columns=[(rng.random(lists), flags) for _ in chosen], name=f"s{at}")
        for at in range(systems)
    ]


def _all_tests(results: list[rankwise.Result]) -> str:
    times = interleaved({"Rankwise": lambda: _rankwise(results), "SciPy": lambda: _scipy(results)}, 1)
    base = times["Rankwise"]
    rows = [[name, f"{t:.3f}", f"{t / base:.0f}"] for name, t in times.items()]
    return table([f"{len(results)} systems, all tests", "s", "× Rankwise"], rows)


def _rankwise(results: list[rankwise.Result]) -> str:
    return str(rankwise.compare(results, tests=TESTS, bootstrap="percentile"))


def _scipy(results: list[rankwise.Result]) -> list[Any]:
    """The same tests and interval, pair after pair, with as many draws and resamples; its Tukey is one-way."""
    found: list[Any] = []
    for at in range(len(MEASURES)):
        values = [result.outcomes[at].values for result in results]
        found.append(stats.tukey_hsd(*values).pvalue)
        for a, b in combinations(values, 2):
            d = b - a
            found += [stats.ttest_rel(a, b).pvalue, stats.wilcoxon(d).pvalue]
            found.append(stats.binomtest(int((d > 0).sum()), max(1, int((d != 0).sum()))).pvalue)
            found.append(
                stats.permutation_test(
                    (d,), np.mean, permutation_type="samples", n_resamples=100_000, batch=1000, vectorized=True
                ).pvalue
            )
            found.append(stats.bootstrap((d,), np.mean, method="percentile", n_resamples=10_000).confidence_interval)
    return found


if __name__ == "__main__":
    main()
