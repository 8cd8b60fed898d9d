"""Measures of weighted documents, slow and plain: what a document counts is multiplied by its weight.

A list is `ranked`, its documents by rank, each a label and a weight. None where a formula is undefined.
"""

from __future__ import annotations

import itertools
import math

from oracles.measures import NAN, blocks, discount, gain, is_relevant, over
from rankwise.measures import Measure

Documents = list[tuple[float, float]]


def worths(measure: Measure, documents: Documents) -> list[float]:
    c = measure.convention
    if measure.name in ("DCG", "nDCG", "MeanNDCG"):
        return [gain(c, label) * weight for label, weight in documents]
    return [is_relevant(c, label) * weight for label, weight in documents]


def found(measure: Measure, documents: Documents, k: int) -> float:
    return math.fsum(worths(measure, documents)[:k])


def ideal(measure: Measure, documents: Documents, k: int) -> float:
    return math.fsum(sorted(worths(measure, documents), reverse=True)[:k])


def discounted(measure: Measure, values: list[float], k: int) -> float:
    return math.fsum(value * discount(measure.convention, i) for i, value in enumerate(values[:k], 1))


def dcg(measure, k, ranked):
    return discounted(measure, worths(measure, ranked), k)


def ndcg(measure, k, ranked):
    best = sorted(worths(measure, ranked), reverse=True)
    cut = {"k": k, "none": len(ranked), "hits": min(k, len(ranked))}[measure.convention.ideal_cut]
    return over(dcg(measure, k, ranked), discounted(measure, best, cut))


def mean_ndcg(measure, k, ranked):
    best = sorted(worths(measure, ranked), reverse=True)
    ranks = range(1, min(k, len(ranked)) + 1)
    values = [over(dcg(measure, i, ranked), discounted(measure, best, i)) for i in ranks]
    # Where the first document of the ideal list gains nothing, none does.
    return None if not values or None in values else math.fsum(values) / len(values)


def rbp(measure, k, ranked):
    p = measure.p
    return math.fsum((1 - p) * p ** (i - 1) * w for i, w in enumerate(worths(measure, ranked)[:k], 1))


def precision(measure, k, ranked):
    n = len(ranked)
    looked_at = n if k == 10**9 else k
    most = {"k": looked_at, "min(k, n)": min(k, n), "min(k, R)": ideal(measure, ranked, looked_at)}
    return over(found(measure, ranked, k), most[measure.convention.p_over]) or 0.0


def recall(measure, k, ranked):
    return over(found(measure, ranked, k), ideal(measure, ranked, len(ranked)))


def f_measure(measure, k, ranked):
    p, r = precision(measure, k, ranked), recall(measure, k, ranked)
    w = measure.weight
    return None if r is None else over((w + 1) * p * r, w * p + r) or 0.0


def average_precision(measure, k, ranked):
    values = worths(measure, ranked)[:k]
    total = math.fsum(value * math.fsum(values[:i]) / i for i, value in enumerate(values, 1))
    most = {"R": ideal(measure, ranked, len(ranked)), "min(R, k)": ideal(measure, ranked, k), "hits": math.fsum(values)}
    return over(total, most[measure.convention.ap_over])


def pair_accuracy(measure, k, ranked):
    right = every = 0.0
    for (upper, u), (lower, v) in itertools.combinations(ranked, 2):
        a, b = (level(measure, label) for label in (upper, lower))
        every += u * v * (a != b)
        right += u * v * (a > b)
    return over(right, every)


def level(measure: Measure, label: float) -> float:
    if measure.name == "AUC":
        return float(is_relevant(measure.convention, label))
    return 0.0 if math.isnan(label) else label


FORMULAS = {
    "DCG": dcg, "nDCG": ndcg, "MeanNDCG": mean_ndcg, "RBP": rbp, "P": precision, "R": recall, "F": f_measure,
    "AP": average_precision, "AUC": pair_accuracy, "PairAccuracy": pair_accuracy,
}  # fmt: skip


def value(measure: Measure, ranked: Documents) -> float:
    c = measure.convention
    result = FORMULAS[measure.name](measure, 10**9 if measure.k is None else measure.k, ranked)
    return (NAN if isinstance(c.empty, str) else c.empty) if result is None else result


def over_orders(measure: Measure, documents: Documents, scores: list[float]) -> tuple[float, float, float]:
    """The mean, the greatest and the least value over all orders of ties."""
    ways = [list(itertools.permutations([documents[row] for row in block])) for block in blocks(scores)]
    values = [value(measure, list(itertools.chain(*way))) for way in itertools.product(*ways)]
    return math.fsum(values) / len(values), max(values), min(values)
