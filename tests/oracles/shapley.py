"""Shapley values as their definition says: the mean over all orders of changing one thing at a time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations


def shapley(things: list[str], value: Callable[[frozenset[str]], float]) -> dict[str, float]:
    orders = list(permutations(things))
    parts = dict.fromkeys(things, 0.0)
    for order in orders:
        taken: frozenset[str] = frozenset()
        for thing in order:
            parts[thing] += (value(taken | {thing}) - value(taken)) / len(orders)
            taken |= {thing}
    return parts
