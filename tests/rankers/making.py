"""Random trees of every kind that the layout has."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.rankers import Trees

FEATURES = 5


def tree(rng: Any, leaves: int, *, counted: bool = True) -> Trees:
    """A tree grown by splitting a random leaf, again and again."""
    left, right = [-1] * (leaves - 1), [-1] * (leaves - 1)
    slots: list[tuple[list[int], int]] = []
    for node in range(leaves - 1):
        if slots:
            column, at = slots.pop(int(rng.integers(len(slots))))
            column[at] = node
        slots += [(left, node), (right, node)]
    for number, (column, at) in enumerate(slots):
        column[at] = -1 - number
    nodes = leaves - 1
    sets = [rng.choice(70, int(rng.integers(0, 20)), replace=False) for _ in range(3)]
    return Trees.of(
        FEATURES,
        feature=rng.integers(0, FEATURES, nodes),
        threshold=np.where(rng.random(nodes) < 0.5, rng.integers(-3, 4, nodes), rng.normal(size=nodes)),
        left=left,
        right=right,
        missing=rng.integers(0, 3, nodes),
        missing_left=rng.random(nodes) < 0.5,
        category_set=np.where(rng.random(nodes) < 0.2, rng.integers(0, 3, nodes), -1),
        leaf_value=rng.normal(size=leaves),
        leaf_count=rng.integers(0, 4, leaves) if counted else None,
        gain=rng.random(nodes),
        sets=sets,
    )


def table(rng: Any, rows: int) -> Any:
    """Values that lie on thresholds, are missing, are 0 or nearly so, or name categories."""
    kinds = [
        rng.normal(size=(rows, FEATURES)),
        rng.integers(-4, 5, (rows, FEATURES)),
        rng.integers(-2, 80, (rows, FEATURES)) + rng.random((rows, FEATURES)),
        rng.choice([0.0, -0.0, 1e-36, -1e-35, 1e-34, np.nan, 3e38, -3e38], (rows, FEATURES)),
    ]
    which = rng.integers(0, len(kinds), (rows, FEATURES))
    return np.choose(which, kinds).astype(np.float32)
