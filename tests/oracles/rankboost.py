"""RankBoost with every pair written down."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import exp, log


def pairs_of(labels: Sequence[float], lists: Sequence[object]) -> list[tuple[int, int]]:
    """(upper, lower) of each pair of rows of one list of which one has the higher label."""
    rows = range(len(labels))
    return [(i, k) for i in rows for k in rows if lists[i] == lists[k] and labels[i] > labels[k]]


def weights_of(pairs: Sequence[tuple[int, int]], margins: Sequence[float], importance: Sequence[float]) -> list[float]:
    """What each pair weighs, together 1."""
    raw = [exp(margins[k] - margins[i]) * importance[i] * importance[k] for i, k in pairs]
    return [one / sum(raw) for one in raw]


def potentials_of(pairs: Sequence[tuple[int, int]], weights: Sequence[float], rows: int) -> list[float]:
    """The weight of the pairs that a row leads, minus that of the pairs in which it is the lower one."""
    found = [0.0] * rows
    for (i, k), weight in zip(pairs, weights, strict=True):
        found[i] += weight
        found[k] -= weight
    return found


def rankboost(
    X: Sequence[Sequence[float]], labels: Sequence[float], lists: Sequence[object], rounds: int, *, exact: bool = False
) -> list[tuple[int, float, float]]:
    """Feature, threshold and α of each stump; both directions, a threshold between any two neighbouring values."""
    pairs, rows, features = pairs_of(labels, lists), len(X), len(X[0])
    margins = [0.0] * rows
    stumps = []
    for _ in range(rounds):
        weights = weights_of(pairs, margins, [1.0] * rows)
        best = (0.0, 0, 0.0)
        for feature in range(features):
            values = sorted({row[feature] for row in X}, reverse=True)
            for high, low in pairwise(values):
                threshold = (high + low) / 2
                lifted = [row[feature] > threshold for row in X]
                r = sum(w * (lifted[i] - lifted[k]) for (i, k), w in zip(pairs, weights, strict=True))
                if abs(r) > abs(best[0]) + 1e-12:
                    best = (r, feature, threshold)
        r, feature, threshold = best
        lifted = [row[feature] > threshold for row in X]
        if exact:
            right = sum(w for (i, k), w in zip(pairs, weights, strict=True) if lifted[i] > lifted[k])
            wrong = sum(w for (i, k), w in zip(pairs, weights, strict=True) if lifted[i] < lifted[k])
        else:
            right, wrong = (1 + r) / 2, (1 - r) / 2
        least = 0.5 / len(pairs)
        alpha = 0.5 * log(max(right, least) / max(wrong, least))
        margins = [m + alpha * up for m, up in zip(margins, lifted, strict=True)]
        stumps.append((feature, threshold, alpha))
    return stumps
