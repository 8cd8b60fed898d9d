"""A ranker in one file: what is saved is loaded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankwise
from rankwise.rankers import Inputs, Linear, Ranker, Scorer, Stumps, Trees

SCORERS: list[Scorer] = [
    Linear([0.5, -2.0], 0.25),
    Stumps(2, [1, 0], [0.3, -1.0], [0.0, 0.5], [1.0, 0.0], [0.0, -0.25]),
    Trees.of(
        2, feature=[1, 0], threshold=[0.5, 3], left=[1, -1], right=[-2, -3], leaf_value=[1, 2, 3],
        category_set=[-1, 0], sets=[[1, 40]], leaf_count=[1, 2, 3], gain=[0.5, 0.25],
    ),
]  # fmt: skip


@pytest.mark.parametrize("scorer", SCORERS, ids=lambda scorer: scorer.kind)
def test_what_is_saved_is_loaded(scorer: Scorer, tmp_path: Path) -> None:
    ranker = Ranker(Inputs(2, ("a", "b")), scorer, {"learner": "some", "seed": 3})
    ranker.save(tmp_path / "some.ranker")
    found = rankwise.load_ranker(tmp_path / "some.ranker")
    table = np.random.default_rng(0).normal(size=(50, 2)).astype(np.float32)
    np.testing.assert_array_equal(found.predict(table), ranker.predict(table))
    assert found.about == ranker.about
    assert found.inputs.names == ("a", "b")
    assert str(found) == str(ranker)
