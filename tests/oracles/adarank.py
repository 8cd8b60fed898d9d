"""AdaRank as its paper writes it, one list and one feature at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, log

List = tuple[Sequence[Sequence[float]], Sequence[float]]


def adarank(
    lists: Sequence[List], value: Callable[[Sequence[float], Sequence[float]], float], rounds: int
) -> tuple[list[tuple[int, float]], list[list[float]]]:
    """Features with their α, and the weights of the lists in each round and after the last.

    `value(labels, scores)` is E of a list. Every list weighs.
    """
    count, features = len(lists), len(lists[0][0][0])
    weights = [1 / count] * count
    chosen: list[tuple[int, float]] = []
    trace = [weights]
    for _ in range(rounds):
        made = [[value(y, [row[f] for row in X]) for X, y in lists] for f in range(features)]
        worth = [sum(p * e for p, e in zip(weights, made[f], strict=True)) for f in range(features)]
        best = worth.index(max(worth))
        good = sum(p * (1 + e) for p, e in zip(weights, made[best], strict=True))
        bad = sum(p * (1 - e) for p, e in zip(weights, made[best], strict=True))
        chosen.append((best, 0.5 * log(good / bad)))
        found = [value(y, [sum(a * row[f] for f, a in chosen) for row in X]) for X, y in lists]
        raised = [exp(-e) for e in found]
        weights = [one / sum(raised) for one in raised]
        trace.append(weights)
    return chosen, trace
