"""What RankLib 2.10 takes for the change of a measure where two documents of a list exchange their places.

Pairs count unless both documents stand below rank k + 1 (one too low). Under NDCG@k discounts go on below k. Under MAP
k is 0, so that only pairs with the top document count. Under ERR most changes are wrong: the chance to read on is
multiplied twice, and grades below the cut-off are read as 0.

Sums go term by term, and exp is the C library's: where two splits are equal, the last bit decides between them.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp

import numpy as np
import numpy.typing as npt

from rankwise.errors import MeasureError, message
from rankwise.measures.base import Measure

__all__ = ["Changes", "changes_of", "pushes"]

Floats = npt.NDArray[np.float64]
# Labels by rank → how much the exchange of two ranks changes the measure, without its sign.
Changes = Callable[[Floats], Floats]
# Of greater margins exp overflows.
HUGE = 700.0


def changes_of(measure: Measure) -> tuple[Changes, int]:
    """The changes under a measure, and its cut-off as RankLib has it."""
    k = measure.k
    if measure.name == "nDCG" and k is not None:
        return lambda labels: _ndcg(labels, k), k
    if measure.name == "AP":
        return _average_precision, 0
    if measure.name == "ERR" and k is not None:
        return lambda labels: _err(labels, k), k
    hint = "choose one of ranklib:NDCG@k, ranklib:MAP, ranklib:ERR@k."
    raise MeasureError(message(f"RankLib's changes are not known for {measure}", hint=hint))


def pushes(labels: Floats, scores: Floats, changes: Changes, cutoff: int) -> tuple[Floats, Floats]:
    """λ and weight of each document of a list."""
    order = np.argsort(-scores, kind="stable")
    y, s = labels[order], scores[order]
    below = np.arange(len(y)) > cutoff
    delta = np.where((y[:, None] > y) & ~(below[:, None] & below), changes(y), 0.0)
    rho = np.zeros_like(delta)
    rho[delta > 0] = [1 / (1 + exp(min(margin, HUGE))) for margin in (s[:, None] - s)[delta > 0].tolist()]
    push, weight = rho * delta, rho * (1 - rho) * delta
    found, weights = np.empty(len(y)), np.empty(len(y))
    found[order] = _in_turn(push, -push)
    weights[order] = _in_turn(weight, weight)
    return found, weights


def _in_turn(as_upper: Floats, as_lower: Floats) -> Floats:
    """What pairs bring to each document, added as the loops over ranks come by: equal splits hang on the last bit."""
    lower = as_lower.T
    parts = np.hstack([np.tril(lower), as_upper, np.triu(lower)])
    found: Floats = np.add.accumulate(parts, axis=1)[:, -1]
    return found


def _gains(labels: Floats) -> Floats:
    return np.exp2(np.trunc(labels)) - 1


def _ndcg(labels: Floats, k: int) -> Floats:
    gains = _gains(labels)
    discounts = 1 / (np.log(np.arange(len(labels)) + 2.0) / np.log(2.0))
    ideal = np.add.accumulate((np.sort(gains)[::-1] * discounts)[:k])[-1]
    if ideal <= 0:
        return np.zeros((len(labels), len(labels)))
    changes = np.abs((discounts[:, None] - discounts) * (gains[:, None] - gains)) / ideal
    ranks = np.arange(len(labels))
    return np.where(np.minimum(ranks[:, None], ranks) < k, changes, 0.0)


def _average_precision(labels: Floats) -> Floats:
    relevant = (labels > 0).astype(np.float64)
    found = relevant.cumsum()
    changes = np.zeros((len(labels), len(labels)))
    if not relevant.any():
        return changes
    shares = np.concatenate([[0.0], np.cumsum(relevant / np.arange(1, len(labels) + 1))])
    for i in range(len(labels)):
        for j in range(i + 1, len(labels)):
            rise = relevant[j] - relevant[i]
            if rise:
                upper = ((found[i] + rise) * relevant[j] - found[i] * relevant[i]) / (i + 1)
                between = rise * (shares[j] - shares[i + 1])
                changes[i, j] = changes[j, i] = abs(upper + between - found[j] * rise / (j + 1))
    changes /= relevant.sum()
    return changes


def _err(labels: Floats, k: int) -> Floats:
    n = len(labels)
    size = min(n, k)
    grades, chances, reads = np.zeros(n), np.zeros(n), np.zeros(n)
    p = 1.0
    for i in range(size):
        grades[i], chances[i] = labels[i], _gains(labels[i : i + 1])[0] / 16
        reads[i] = p * (1 - chances[i])
        p *= reads[i]
    changes = np.zeros((n, n))
    for i in range(size):
        before = 1.0 if i == 0 else reads[i - 1]
        for j in range(i + 1, n):
            if grades[i] == grades[j]:
                continue
            change = before / (i + 1) * (chances[j] - chances[i])
            p = before * (chances[i] - chances[j])
            for between in range(i + 1, j):
                change += p * chances[between] / (1 + between)
                p *= 1 - chances[between]
            last = reads[j - 1] * (1 - chances[j]) * chances[i] / (1 - chances[i])
            change += (last - reads[j - 1] * chances[j]) / (j + 1)
            changes[i, j] = changes[j, i] = abs(change)
    return changes
