"""A regression tree as RankLib 2.10 grows it.

Thresholds are all distinct values of a feature, or, if there are more than so many, steps of equal width in single
precision. A split is the one with the greatest Σ(sum² / count) of its two sides, the first of equals; the node whose
responses vary most is split next.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

__all__ = ["Binned", "Node", "grown"]

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
HIGHEST = np.finfo(np.float32).max


@dataclass(frozen=True, slots=True, eq=False)
class Binned:
    """Features as places among their thresholds."""

    thresholds: tuple[npt.NDArray[np.float32], ...]
    codes: Whole
    """Rows × features, each feature's counted on from the last one's."""
    starts: Whole
    """Where each feature's thresholds begin, and where the last one's end."""

    @classmethod
    def of(cls, table: npt.NDArray[np.float32], most: int) -> Binned:
        thresholds = tuple(_thresholds(column, most) for column in table.T)
        starts = np.cumsum([0, *map(len, thresholds)])
        columns = [np.searchsorted(t, column, side="left") for t, column in zip(thresholds, table.T, strict=True)]
        return cls(thresholds, np.array(columns).T + starts[:-1], starts)


def _thresholds(column: npt.NDArray[np.float32], most: int) -> npt.NDArray[np.float32]:
    values = np.unique(column)
    if len(values) <= most:
        return np.append(values, HIGHEST)
    least, width = values[0], np.abs(values[-1] - values[0]) / np.float32(most)
    steps = np.add.accumulate(np.append(least, np.full(most - 1, width, np.float32)), dtype=np.float32)
    return np.append(steps, HIGHEST)


@dataclass(slots=True, eq=False)
class Node:
    """A node while the tree grows: its rows, and sums of responses and rows up to each threshold."""

    rows: Whole
    sums: Floats
    counts: Whole
    total: float
    squares: float
    deviance: float
    feature: int = -1
    threshold: float = 0.0
    left: Node | None = None
    right: Node | None = None


def grown(data: Binned, responses: Floats, leaves: int, least: int) -> Node:
    """The root of a tree with at most so many leaves of at least so many rows."""
    root = _node(data, np.arange(len(responses)), responses)
    root.deviance = float(HIGHEST)
    queue: list[Node] = []
    if _split(data, root, responses, least):
        _insert(queue, root)
    taken = 0
    while queue and taken + len(queue) < leaves:
        node = queue.pop(0)
        if len(node.rows) < 2 * least or not _split(data, node, responses, least):
            taken += 1
        else:
            _insert(queue, node)
    return root


def _insert(queue: list[Node], parent: Node) -> None:
    """Both children, before those that vary as much."""
    for child in (parent.left, parent.right):
        assert child is not None
        at = next((at for at, other in enumerate(queue) if other.deviance <= child.deviance), len(queue))
        queue.insert(at, child)


def _in_turn(values: Floats) -> float:
    """A sum, one term after the other."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0


def _node(data: Binned, rows: Whole, responses: Floats) -> Node:
    of_rows = responses[rows]
    features = len(data.thresholds)
    codes, width = data.codes[rows].ravel(), int(data.starts[-1])
    sums: Floats = np.bincount(codes, np.repeat(of_rows, features), width).astype(np.float64, copy=False)
    counts = np.bincount(codes, minlength=width)
    for first, last in pairwise(data.starts):
        sums[first:last] = np.add.accumulate(sums[first:last])
        counts[first:last] = np.add.accumulate(counts[first:last])
    total, squares = _in_turn(of_rows), _in_turn(of_rows * of_rows)
    return Node(rows, sums, counts, total, squares, squares - total * total / len(rows))


def _split(data: Binned, node: Node, responses: Floats, least: int) -> bool:
    if node.deviance == 0:
        return False
    count = len(node.rows)
    others = count - node.counts
    possible = (node.counts >= least) & (others >= least)
    if not possible.any():
        return False
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = node.sums * node.sums / node.counts + (node.total - node.sums) ** 2 / others
    best = int(np.argmax(np.where(possible, worth, -1.0)))
    feature = int(np.searchsorted(data.starts, best, side="right")) - 1
    goes_left = data.codes[node.rows, feature] <= best
    left = _node(data, node.rows[goes_left], responses)
    total, squares, rows = node.total - left.total, node.squares - left.squares, node.rows[~goes_left]
    deviance = squares - total * total / len(rows)
    # What is left of the parent's sums, not summed anew.
    node.right = Node(rows, node.sums - left.sums, node.counts - left.counts, total, squares, deviance)
    node.left, node.feature = left, feature
    node.threshold = float(data.thresholds[feature][best - data.starts[feature]])
    return True
