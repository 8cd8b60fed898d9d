"""Trees, slow and obvious: one row, one node at a time, and Shapley values as the mean over all orders."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from oracles.shapley import shapley
from rankwise.rankers import Trees

Row = Any


def goes_left(trees: Trees, node: int, x: float) -> bool:
    if trees.category_set[node] >= 0:
        return not math.isnan(x) and math.trunc(x) in members(trees, int(trees.category_set[node])) and x > -1
    kind = ("none", "zero", "nan")[trees.missing[node]]
    if kind == "none" and math.isnan(x):
        x = 0.0
    if math.isnan(x) or (kind == "zero" and abs(x) <= float(np.float32(1e-35))):
        return bool(trees.missing_left[node])
    return x <= trees.threshold[node]


def members(trees: Trees, number: int) -> set[int]:
    words = trees.set_words[trees.set_starts[number] : trees.set_starts[number + 1]]
    return {32 * at + bit for at, word in enumerate(words.tolist()) for bit in range(32) if word >> bit & 1}


def leaf(trees: Trees, tree: int, row: Row) -> int:
    start = int(trees.starts[tree]) - tree
    at = 0 if trees.starts[tree + 1] - trees.starts[tree] > 1 else -1
    while at >= 0:
        left = goes_left(trees, start + at, float(row[trees.feature[start + at]]))
        at = int((trees.left if left else trees.right)[start + at])
    return -1 - at


def score(trees: Trees, row: Row) -> float:
    total = 0.0
    for tree in range(len(trees)):
        total += float(trees.leaf_value[trees.starts[tree] + leaf(trees, tree, row)])
    return total


def expected(trees: Trees, tree: int, row: Row, known: frozenset[str]) -> float:
    """The mean value of a tree over training rows, where the features that are known are those of the row."""
    assert trees.leaf_count is not None
    start, first, counts = int(trees.starts[tree]) - tree, int(trees.starts[tree]), trees.leaf_count

    def rows(child: int) -> float:
        if child < 0:
            return float(counts[first - 1 - child])
        return rows(int(trees.left[start + child])) + rows(int(trees.right[start + child]))

    def value(child: int) -> float:
        if child < 0:
            return float(trees.leaf_value[first - 1 - child])
        node = start + child
        left, right = int(trees.left[node]), int(trees.right[node])
        if str(trees.feature[node]) in known:
            return value(left if goes_left(trees, node, float(row[trees.feature[node]])) else right)
        share = rows(left) / rows(child) if rows(child) else 0.5
        return share * value(left) + (1 - share) * value(right)

    return value(0 if trees.starts[tree + 1] - trees.starts[tree] > 1 else -1)


def contributions(trees: Trees, row: Row) -> list[float]:
    found = [0.0] * (trees.features + 1)
    for tree in range(len(trees)):
        begin, end = int(trees.starts[tree]) - tree, int(trees.starts[tree + 1]) - tree - 1
        own = sorted({str(feature) for feature in trees.feature[begin:end]})
        parts = shapley(own, lambda known, tree=tree: expected(trees, tree, row, known))
        for feature, part in parts.items():
            found[int(feature)] += part
        found[-1] += expected(trees, tree, row, frozenset())
    return found
