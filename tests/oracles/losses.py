"""Losses once more, slow and plain: loops over the documents of one list, in the words of the docstrings."""

from __future__ import annotations

import itertools
import math

from oracles import measures as oracle


def logistic(x: float) -> float:
    """log(1 + e^-x)."""
    return math.log1p(math.exp(-x)) if x > 0 else -x + math.log1p(math.exp(x))


def sigmoid(x: float) -> float:
    return math.exp(-logistic(x))


def log_sum(values) -> float:
    values = list(values)
    top = max(values)
    return top + math.log(math.fsum(math.exp(value - top) for value in values))


def pairs(labels):
    return [(i, j) for i in range(len(labels)) for j in range(len(labels)) if labels[i] > labels[j]]


def of_pairs(cost, scores, labels, total="mean"):
    found = [cost(scores[i] - scores[j]) for i, j in pairs(labels)]
    if not found:
        return 0.0
    return math.fsum(found) / (len(found) if total == "mean" else 1)


def cross_entropy(target, scores):
    whole = log_sum(scores) if scores else 0.0
    return -math.fsum(t * (s - whole) for t, s in zip(target, scores, strict=True))


def shares(values):
    total = math.fsum(values)
    return [value / total if total > 0 else 0.0 for value in values]


def softmax_cross_entropy(scores, worth, target="softmax"):
    if not scores:
        return 0.0
    targets = {
        "softmax": [math.exp(w - log_sum(worth)) for w in worth],
        "share": shares(worth),
        "worth": worth,
    }
    return cross_entropy(targets[target], scores)


def xe_ndcg(scores, gains, gamma=0.5):
    return cross_entropy(shares([gain + 1 - gamma for gain in gains]), scores)


def chance(order, scores):
    """The logarithm of the probability that documents are drawn in this order."""
    left, total = list(range(len(scores))), 0.0
    for row in order:
        total += scores[row] - log_sum(scores[other] for other in left)
        left.remove(row)
    return total


def top_orders(scores, worth, k):
    orders = itertools.permutations(range(len(scores)), min(k, len(scores)))
    return -math.fsum(math.exp(chance(order, worth)) * chance(order, scores) for order in orders)


def plackett_luce(scores, labels, k=None):
    k = len(scores) if k is None else k
    total, start = 0.0, 0
    levels = sorted(set(labels), reverse=True)
    for level in levels[:-1]:
        block = [row for row in range(len(labels)) if labels[row] == level]
        left = [row for row in range(len(labels)) if labels[row] <= level]
        within = min(max(k - start, 0), len(block))
        for drawn in range(within):
            everyone = math.fsum(math.exp(scores[row]) for row in left)
            total += math.log(everyone - drawn / len(block) * math.fsum(math.exp(scores[row]) for row in block))
        total -= within / len(block) * math.fsum(scores[row] for row in block)
        start += len(block)
    return total


def rank_cost(scores, relevant, alpha, margin=1.0):
    """`alpha` is a function of the rank."""
    mine = [s for s, r in zip(scores, relevant, strict=True) if r]
    others = [s for s, r in zip(scores, relevant, strict=True) if not r]
    total = 0.0
    for score in mine:
        rank = sum(other + margin >= score for other in others)
        if rank:
            cost = math.fsum(alpha(j) for j in range(1, rank + 1))
            total += cost / rank * math.fsum(max(0.0, margin - score + other) for other in others)
    return total / len(mine) if mine else 0.0


def ideal(convention, k, gains):
    """1 over the DCG of the best order, 0 where there is none."""
    cut = len(gains) if k is None or convention.ideal_cut == "none" else k
    best = sorted((max(gain, 0.0) for gain in gains), reverse=True)[:cut]
    value = math.fsum(gain * oracle.discount(convention, rank) for rank, gain in enumerate(best, 1))
    return 1 / value if value > 0 else 0.0


def interpolated(function, x):
    low = math.floor(x)
    return function(low) + (x - low) * (function(low + 1) - function(low)) if x > low else function(low)


def approx_ndcg(scores, gains, convention, k, temperature=1.0):
    def discount(rank):
        if convention.discount == "jarvelin":
            return 1 / max(1.0, math.log2(rank))
        if convention.discount in ("log2", "ln", "reciprocal"):
            return oracle.discount(convention, rank)
        return interpolated(lambda place: oracle.discount(convention, place), rank)

    total = 0.0
    for i, gain in enumerate(gains):
        others = [score for j, score in enumerate(scores) if j != i]
        rank = 1 + math.fsum(sigmoid((other - scores[i]) / temperature) for other in others)
        total += gain * discount(rank)
    return 1 - total * ideal(convention, k, gains)


def lambda_loss(scores, gains, convention, k, weight, held, sigma=1.0, mu=10.0):
    """`held` are the scores at which the changes are taken."""
    depth = len(scores) if k is None else k

    def cut(rank):
        return oracle.discount(convention, rank) if rank <= depth else 0.0

    def apart(distance):
        def step(whole):
            return abs(oracle.discount(convention, whole) - oracle.discount(convention, whole + 1))

        return interpolated(step, distance)

    total = 0.0
    for i, j in pairs(gains):
        mine, theirs = places(held, i), places(held, j)
        if mine == theirs:
            ranks = list(range(mine[0], mine[1] + 1))
            swap = math.fsum(cut(r) - cut(r + 1) for r in ranks[:-1]) / (len(ranks) - 1)
            distance = (len(ranks) + 1) / 3
        else:
            swap = abs(mean_of(cut, mine) - mean_of(cut, theirs))
            distance = abs(sum(mine) - sum(theirs)) / 2
        bound = apart(distance) if min(mine[0], theirs[0]) <= depth else 0.0
        change = {"lambdarank": swap, "ndcg-loss2": bound, "ndcg-loss2++": swap + mu * bound}[weight]
        total += (gains[i] - gains[j]) * change * logistic(sigma * (scores[i] - scores[j]))
    return total * ideal(convention, k, gains)


def places(scores, i):
    """The first and the last rank of the documents that score what i does."""
    ahead = sum(score > scores[i] for score in scores)
    return ahead + 1, ahead + sum(score == scores[i] for score in scores)


def mean_of(discount, block):
    ranks = range(block[0], block[1] + 1)
    return math.fsum(map(discount, ranks)) / len(ranks)
