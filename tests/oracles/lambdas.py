"""Lambdas once more, slow and plain: exchange two documents, compute the measure again over all orders of ties.

A pair's change is how much higher the measure is with i in the higher of the two places. Under an open rule of ties two
documents in different blocks exchange their scores, and of two in one block all orders in which they are neighbours
are looked at.
"""

from __future__ import annotations

import itertools
import math
import struct

from oracles import measures as oracle
from oracles import weights as weighted
from rankwise.measures import DCG, Measure

SETTLED = ("input", "reversed", "docid", "docid-desc", "selection-sort")


def lambdas(measure: Measure, labels, scores, outside=(), documents=(), *, sigma=1.0, below="zero", normalized=False):
    """Gradient and hessian of each row; where documents have weights, `labels` are pairs of label and weight."""
    c = measure.convention
    kept = [i for i, label in enumerate(labels) if isinstance(label, tuple) or not oracle.is_removed(c, label)]
    places = [rounded(c, scores[i]) for i in kept]
    mine = [labels[i] for i in kept]
    names = [documents[i] for i in kept] if documents else [""] * len(kept)
    gradient, hessian, total = [0.0] * len(labels), [0.0] * len(labels), 0.0
    apart = normalized and len(set(places)) > 1
    for i, j in itertools.combinations(range(len(kept)), 2):
        delta = change(measure, i, j, mine, places, list(outside), names, below)
        if delta < 0:
            i, j, delta = j, i, -delta
        margin = places[i] - places[j]
        if apart:
            delta /= 0.01 + abs(margin)
        rho = 1 / (1 + math.exp(min(sigma * margin, 700.0)))
        gradient[kept[i]] -= sigma * delta * rho
        gradient[kept[j]] += sigma * delta * rho
        total += 2 * sigma * delta * rho
        for one in (i, j):
            hessian[kept[one]] += sigma**2 * delta * rho * (1 - rho)
    factor = math.log2(1 + total) / total if normalized and total > 0 else 1.0
    return [g * factor for g in gradient], [h * factor for h in hessian]


def rounded(c, score: float) -> float:
    return struct.unpack("f", struct.pack("f", score))[0] if c.precision == "float32" else score


def value(measure: Measure, ranked: list, outside: list[float]) -> float:
    if ranked and isinstance(ranked[0], tuple):
        found = weighted.value(measure, ranked)
    else:
        found = oracle.value(measure, ranked, outside)
    return 0.0 if math.isnan(found) else found


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


def change(measure, i, j, labels, scores, outside, documents, below) -> float:
    """By how much the measure is higher with document i in the higher of the places of i and j."""
    if below == "discounted":
        return change_below(measure, i, j, labels, scores, outside, documents)
    c = measure.convention
    if c.ties in SETTLED:
        rows = oracle.settled(c.ties, scores, documents)
        return difference(measure, [rows], i, j, labels, outside)
    if c.ties in ("best", "worst"):
        return difference(measure, arranged(measure, labels, scores), i, j, labels, outside)
    if scores[i] == scores[j]:
        neighbours = [rows for rows in all_orders(scores) if abs(rows.index(i) - rows.index(j)) == 1]
        return difference(measure, neighbours, i, j, labels, outside)
    high, low = max(scores[i], scores[j]), min(scores[i], scores[j])
    values = []
    for mine, theirs in ((high, low), (low, high)):
        exchanged = [mine if row == i else theirs if row == j else s for row, s in enumerate(scores)]
        orders = all_orders(exchanged)
        values.append(mean([value(measure, [labels[row] for row in rows], outside) for rows in orders]))
    return values[0] - values[1]


def difference(measure, orders, i, j, labels, outside) -> float:
    """The mean over orders of the value with i above less the value with j above."""
    differences = []
    for rows in orders:
        other = [j if row == i else i if row == j else row for row in rows]
        above, below = (rows, other) if rows.index(i) < rows.index(j) else (other, rows)
        of_each = [value(measure, [labels[row] for row in order], outside) for order in (above, below)]
        differences.append(of_each[0] - of_each[1])
    return mean(differences)


def all_orders(scores) -> list[list[int]]:
    ways = [list(itertools.permutations(block)) for block in oracle.blocks(scores)]
    return [list(itertools.chain(*way)) for way in itertools.product(*ways)]


def arranged(measure, labels, scores) -> list[list[int]]:
    """The orders in which blocks stand by what documents are worth, best or worst first."""
    sign = -1 if measure.convention.ties == "best" else 1
    worth = [sign * worth_of(measure, label) for label in labels]
    return [
        rows
        for rows in all_orders(scores)
        if all(scores[a] != scores[b] or worth[a] <= worth[b] for a, b in itertools.pairwise(rows))
    ]


def worth_of(measure, label) -> float:
    c = measure.convention
    if isinstance(label, tuple):
        return weighted.worths(measure, [label])[0]
    if measure.name in ("nDCG", "DCG") or (measure.name == "RBP" and measure.graded):
        return oracle.gain(c, label)
    return oracle.chance(c, label) if measure.name == "ERR" else float(oracle.is_relevant(c, label))


def change_below(measure, i, j, labels, scores, outside, documents) -> float:
    """nDCG or DCG whose discounts go on below the cut-off, for pairs of which one can be among the first k."""
    c, k = measure.convention, 10**9 if measure.k is None else measure.k
    uncut = measure.but(k=len(labels) + 1)
    if measure.convention.short == "zero" and measure.k is not None and len(labels) < measure.k:
        return 0.0
    ahead = [sum(s > scores[row] for s in scores) for row in (i, j)]
    if c.ties in SETTLED:
        rows = oracle.settled(c.ties, scores, documents)
        ahead = [rows.index(row) for row in (i, j)]
    if min(ahead) >= k:
        return 0.0
    ideal = 1.0
    if measure.name == "nDCG":
        cut = {"k": k, "none": 10**9, "hits": min(k, len(labels))}[c.ideal_cut]
        ideal = oracle.sum_of_gains(c, oracle.ideal_gains(c, labels, outside), cut)
    if ideal <= 0:
        return 0.0
    plain = DCG(uncut.k, convention=c.but(short="as is"))
    return change(plain, i, j, labels, scores, outside, documents, "zero") / ideal
