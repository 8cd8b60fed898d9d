"""Measures of pairs on one long list and on many short ones: Rankwise beside SciPy and scikit-learn, in one run.

    python benchmarks/speed/pairs.py

The clock runs from labels and scores to per-list values; the peers are called once a list.
Ratios are of the best times.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from kit import interleaved, table
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import roc_auc_score

import rankwise

REPEATS = 7
DATA = {"1 × 100,000": (1, 100_000), "1,000 × 100": (1_000, 100)}


def main() -> None:
    rows = []
    for name, (lists, documents) in DATA.items():
        for measure, grades, theirs in (
            ("AUC", 2, lambda labels, scores: roc_auc_score(labels, scores)),
            ("Tau(ties='kept')", 5, lambda labels, scores: kendalltau(scores, labels).statistic),
            ("Spearman(ties='kept')", 5, lambda labels, scores: spearmanr(scores, labels).statistic),
        ):
            peer, ours = _times(measure, grades, theirs, lists, documents)
            rows.append([name, measure, f"{1e3 * peer:.1f}", f"{1e3 * ours:.2f}", f"{peer / ours:.1f}"])
    print(table(["lists × documents", "measure", "peer ms", "Rankwise ms", "peer / Rankwise"], rows))


def _times(
    measure: str, grades: int, theirs: Callable[[Any, Any], float], lists: int, documents: int
) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, grades, (lists, documents))
    # Rounded, so that more than half of the scores are tied with another.
    scores = (labels + rng.normal(0, 2, labels.shape)).round(int(np.log10(documents)) - 1)
    group = np.full(lists, documents)
    fns = {
        "peer": lambda: [theirs(*pair) for pair in zip(labels, scores, strict=True)],
        "Rankwise": lambda: rankwise.evaluate(labels.ravel(), scores.ravel(), measure, group=group).values[0],
    }
    np.testing.assert_allclose(fns["Rankwise"](), fns["peer"](), atol=1e-10)
    best = interleaved(fns, REPEATS)
    return best["peer"], best["Rankwise"]


if __name__ == "__main__":
    main()
