"""LightGBM's boosters as trees, for the tests; read from the text of the model, as its own documents describe it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from rankwise.rankers import Trees


def trees_of(booster: Any) -> Trees:
    text = booster.model_to_string()
    blocks = text.split("end of trees")[0].split("\nTree=")[1:]
    return Trees.join(
        [_tree(dict(line.split("=", 1) for line in b.split("\n") if "=" in line), booster) for b in blocks]
    )


def _tree(lines: dict[str, str], booster: Any) -> Trees:
    def numbers(name: str, dtype: Any = float) -> Any:
        return np.array(lines.get(name, "").split(), float).astype(dtype)

    decision, threshold = numbers("decision_type", int), numbers("threshold")
    categorical = (decision & 1) == 1
    words, ends = numbers("cat_threshold", np.uint32), numbers("cat_boundaries", int)
    sets = [np.flatnonzero(np.unpackbits(words[a:b].view(np.uint8), bitorder="little")) for a, b in pairwise(ends)]
    return Trees.of(
        booster.num_feature(),
        feature=numbers("split_feature", np.int32),
        threshold=np.where(categorical, 0, threshold),
        left=numbers("left_child", np.int32),
        right=numbers("right_child", np.int32),
        leaf_value=numbers("leaf_value"),
        missing=(decision >> 2) & 3,
        missing_left=(decision & 2) == 2,
        category_set=np.where(categorical, threshold, -1),
        leaf_count=numbers("leaf_count") if "leaf_count" in lines else np.ones(1),
        gain=numbers("split_gain"),
        sets=sets,
    )
