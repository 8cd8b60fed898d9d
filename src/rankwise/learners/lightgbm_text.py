"""LightGBM's text form of a model: trees from it, and trees to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.rankers.trees import Trees

__all__ = ["read", "read_each", "write"]

# The bits of a node's `decision_type`: it asks for categories; missing goes left; what is missing, two bits.
CATEGORIES, MISSING_LEFT, MISSING = 1, 2, 2
Lines = dict[str, str]


def read(text: str, features: int) -> Trees:
    """The trees of a model, exactly: its text has all digits of thresholds and leaf values."""
    return Trees.join(read_each(text, features), features)


def read_each(text: str, features: int) -> list[Trees]:
    """The same one by one."""
    trees = text.partition("end of trees")[0].split("\nTree=")[1:]
    return [_tree(dict(_pairs(tree)), features) for tree in trees]


def _pairs(tree: str) -> Iterator[tuple[str, str]]:
    for line in tree.split("\n"):
        name, equals, value = line.partition("=")
        if equals:
            yield name, value


def _tree(lines: Lines, features: int) -> Trees:
    if int(lines["num_leaves"]) == 1:
        leaf: dict[str, Any] = {name: [] for name in ("feature", "threshold", "left", "right", "gain")}
        return Trees.of(features, **leaf, leaf_value=_numbers(lines, "leaf_value"), leaf_count=[0.0])
    decision, threshold = _whole(lines, "decision_type"), _numbers(lines, "threshold")
    by_category = (decision & CATEGORIES) != 0
    return Trees.of(
        features,
        feature=_whole(lines, "split_feature"),
        threshold=np.where(by_category, 0.0, threshold),
        left=_whole(lines, "left_child"),
        right=_whole(lines, "right_child"),
        leaf_value=_numbers(lines, "leaf_value"),
        missing=decision >> MISSING & 3,
        missing_left=(decision & MISSING_LEFT) != 0,
        category_set=np.where(by_category, threshold, -1),
        leaf_count=_numbers(lines, "leaf_count"),
        gain=_numbers(lines, "split_gain"),
        sets=_sets(lines) if by_category.any() else (),
    )


def _sets(lines: Lines) -> list[npt.NDArray[np.int64]]:
    words = _whole(lines, "cat_threshold").astype("<u4")
    return [_members(words[begin:end]) for begin, end in pairwise(_whole(lines, "cat_boundaries").tolist())]


def _members(words: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    return np.flatnonzero(np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little"))


def _numbers(lines: Lines, name: str) -> npt.NDArray[np.float64]:
    return np.array([float(word) for word in lines[name].split()])


def _whole(lines: Lines, name: str) -> npt.NDArray[np.int64]:
    return np.array([int(word) for word in lines[name].split()], np.int64)


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
