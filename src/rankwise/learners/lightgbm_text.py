"""LightGBM's text form of a model: trees from it, and trees to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.rankers.trees import Trees

__all__ = ["read", "write"]

# The bits of a node's `decision_type`: it asks for categories; missing goes left; what is missing, two bits.
CATEGORIES, MISSING_LEFT, MISSING = 1, 2, 2
Lines = dict[str, str]


def read(text: str, features: int) -> Trees:
    """The trees of a model, exactly: its text has all digits of thresholds and leaf values."""
    trees = [dict(_pairs(tree)) for tree in text.partition("end of trees")[0].split("\nTree=")[1:]]
    leaves = [int(tree["num_leaves"]) for tree in trees]
    grown = [tree for tree, count in zip(trees, leaves, strict=True) if count > 1]
    decision, threshold = _numbers(grown, "decision_type").astype(np.int64), _numbers(grown, "threshold")
    by_category = (decision & CATEGORIES) != 0
    sets = [int(tree["num_cat"]) for tree in grown]
    # A split by categories names a set of its own tree.
    first_set = np.repeat(np.cumsum([0, *sets])[:-1], [count - 1 for count in leaves if count > 1])
    return Trees(
        features=features,
        starts=np.cumsum([0, *leaves], dtype=np.int64),
        feature=_numbers(grown, "split_feature").astype(np.int32),
        threshold=np.where(by_category, 0.0, threshold),
        left=_numbers(grown, "left_child").astype(np.int32),
        right=_numbers(grown, "right_child").astype(np.int32),
        missing=(decision >> MISSING & 3).astype(np.uint8),
        missing_left=(decision & MISSING_LEFT) != 0,
        category_set=np.where(by_category, first_set + threshold, -1).astype(np.int32),
        leaf_value=_numbers(trees, "leaf_value"),
        # A tree of one leaf has no counts.
        leaf_count=_numbers([tree if "leaf_count" in tree else {"leaf_count": "0"} for tree in trees], "leaf_count"),
        gain=_numbers(grown, "split_gain"),
        set_starts=_set_starts(grown),
        set_words=_numbers([tree for tree in grown if "cat_threshold" in tree], "cat_threshold").astype(np.uint32),
    )


def _pairs(tree: str) -> Iterator[tuple[str, str]]:
    for line in tree.split("\n"):
        name, equals, value = line.partition("=")
        if equals:
            yield name, value


def _numbers(trees: Sequence[Lines], name: str) -> npt.NDArray[np.float64]:
    """A column of all trees; whole numbers of 32 bits have a place in float64."""
    return np.fromstring(" ".join(tree[name] for tree in trees), np.float64, sep=" ")


def _set_starts(trees: Sequence[Lines]) -> npt.NDArray[np.int64]:
    sizes = [np.diff(_numbers([tree], "cat_boundaries")) for tree in trees if "cat_boundaries" in tree]
    return np.cumsum(np.concatenate([[0.0], *sizes])).astype(np.int64)


def write(trees: Trees, names: Sequence[str]) -> str:
    """A model that LightGBM loads (`Booster(model_str=…)`), which predicts what the trees do."""
    head = [
        "tree", "version=v4", "num_class=1", "num_tree_per_iteration=1", "label_index=0",
        f"max_feature_idx={trees.features - 1}", f"feature_names={' '.join(map(_word, names))}",
        f"feature_infos={' '.join(['none'] * trees.features)}",
    ]  # fmt: skip
    written = [_written(trees, at) for at in range(len(trees))]
    sizes = " ".join(str(len(tree.encode())) for tree in written)
    body = "".join(written)
    return "\n".join([*head, f"tree_sizes={sizes}", "", body]) + "end of trees\n\nparameters:\nend of parameters\n"


def _word(name: str) -> str:
    """Names stand in a line with spaces between them; LightGBM has no room for JSON's signs either."""
    return "".join("_" if sign.isspace() or sign in '",:[]{}' else sign for sign in name)


def _written(trees: Trees, at: int) -> str:
    first, last = (int(start) for start in trees.starts[at : at + 2])
    nodes = slice(first - at, last - at - 1)
    chosen = trees.category_set[nodes]
    # Sets are numbered anew within the tree.
    own, number = np.unique(chosen[chosen >= 0], return_inverse=True)
    threshold = trees.threshold[nodes].copy()
    threshold[chosen >= 0] = number
    decision = np.where(
        chosen >= 0,
        CATEGORIES,
        trees.missing[nodes].astype(int) << MISSING | np.where(trees.missing_left[nodes], MISSING_LEFT, 0),
    )
    words = [trees.set_words[trees.set_starts[k] : trees.set_starts[k + 1]] for k in own]
    count = np.zeros(last - first) if trees.leaf_count is None else trees.leaf_count[first:last]
    columns: dict[str, Any] = {
        "num_leaves": [last - first],
        "num_cat": [len(own)],
        "split_feature": trees.feature[nodes],
        "split_gain": np.zeros(last - first - 1) if trees.gain is None else trees.gain[nodes],
        "threshold": threshold,
        "decision_type": decision,
        "left_child": trees.left[nodes],
        "right_child": trees.right[nodes],
        "leaf_value": trees.leaf_value[first:last],
        "leaf_weight": count,
        "leaf_count": count.astype(np.int64),
        **_inner(trees, at, count),
    }
    if len(own):
        columns["cat_boundaries"] = np.cumsum([0, *map(len, words)])
        columns["cat_threshold"] = np.concatenate(words)
    lines = [
        f"{name}={' '.join(repr(value) for value in np.asarray(column).tolist())}" for name, column in columns.items()
    ]
    return "\n".join([f"Tree={at}", *lines, "is_linear=0", "shrinkage=1", "", "", ""])


def _inner(trees: Trees, at: int, count: npt.NDArray[np.float64]) -> dict[str, Any]:
    """How many rows reach each inner node, and the mean value below it."""
    first, last = (int(start) for start in trees.starts[at : at + 2])
    nodes, value = first - at, trees.leaf_value[first:last]
    reached, total = np.zeros(last - first - 1), np.zeros(last - first - 1)
    for node in reversed(range(last - first - 1)):
        for child in (int(trees.left[nodes + node]), int(trees.right[nodes + node])):
            reached[node] += reached[child] if child >= 0 else count[-1 - child]
            total[node] += total[child] if child >= 0 else count[-1 - child] * value[-1 - child]
    mean = np.divide(total, reached, out=np.zeros_like(total), where=reached > 0)
    return {"internal_value": mean, "internal_weight": reached, "internal_count": reached.astype(np.int64)}
