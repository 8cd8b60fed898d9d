"""Trees: what each row gets, and what each column gives it."""

from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import trees as oracle
from rankers.making import FEATURES, table, tree
from rankwise import DataError
from rankwise.rankers import Trees

ONE = {"feature": [1], "threshold": [0.5], "left": [-1], "right": [-2], "leaf_value": [-1.0, 2.0]}
# On both sides of what fits into 32 and 64 bits.
SIZES = (1, 2, 5, 31, 32, 33, 64, 65, 200)


def forest(seed: int, sizes: Any = SIZES) -> Trees:
    rng = np.random.default_rng(seed)
    return Trees.join([tree(rng, int(rng.choice(sizes))) for _ in range(7)])


@pytest.mark.parametrize("rows", [1, 7, 8, 63, 64, 65, 130])
@pytest.mark.parametrize("seed", range(4))
def test_scores_and_leaves_are_those_of_walking_down(seed: int, rows: int) -> None:
    trees = forest(seed)
    x = table(np.random.default_rng(100 + seed), rows)
    expected = [[oracle.leaf(trees, t, row) for t in range(len(trees))] for row in x]
    np.testing.assert_array_equal(trees.leaves(x), expected)
    np.testing.assert_array_equal(trees.scores(x), [oracle.score(trees, row) for row in x])


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_contributions_are_the_shapley_values(seed: int) -> None:
    trees = forest(seed, (1, 2, 4, 12))
    x = table(np.random.default_rng(seed), 4)
    expected = [oracle.contributions(trees, row) for row in x]
    np.testing.assert_allclose(trees.contributions(x), expected, rtol=1e-9, atol=1e-12)


def test_contributions_of_deep_trees_sum_to_the_score() -> None:
    rng = np.random.default_rng(5)
    chain = 300
    trees = Trees.of(
        200,
        feature=rng.permutation(np.arange(chain) % 200),
        threshold=rng.normal(size=chain) - 1,
        left=-1 - np.arange(chain),
        right=[*range(1, chain), -chain - 1],
        leaf_value=rng.normal(size=chain + 1),
        leaf_count=rng.integers(0, 3, chain + 1),
    )
    x = rng.normal(size=(20, 200)).astype(np.float32)
    np.testing.assert_allclose(trees.contributions(x).sum(axis=1), trees.scores(x), atol=1e-12)


def test_scores_are_the_same_bits_for_any_number_of_threads_and_any_order_of_rows() -> None:
    trees, x = forest(0), table(np.random.default_rng(0), 3000)
    scores, parts = trees.scores(x, threads=1), trees.contributions(x, threads=1)
    order = np.random.default_rng(1).permutation(len(x))
    np.testing.assert_array_equal(trees.scores(x, threads=3), scores)
    np.testing.assert_array_equal(trees.scores(x[order]), scores[order])
    np.testing.assert_array_equal([trees.scores(row[None])[0] for row in x[:20]], scores[:20])
    np.testing.assert_array_equal(trees.contributions(x, threads=3), parts)
    np.testing.assert_array_equal(trees.leaves(x, threads=3), trees.leaves(x, threads=1))


def test_parts_of_a_model_add_up() -> None:
    trees, x = forest(3), table(np.random.default_rng(3), 100)
    np.testing.assert_array_equal(trees.first(3).scores(x), trees.scores_of(x, 0, 3))
    total = np.zeros(len(x))
    for at in range(len(trees)):
        total += trees.scores_of(x, at, at + 1)
    np.testing.assert_array_equal(total, trees.scores(x))
    again = Trees.join([trees.first(2), trees])
    np.testing.assert_array_equal(again.leaves(x)[:, 2:], trees.leaves(x))
    assert len(Trees.join([], 3)) == 0
    np.testing.assert_array_equal(Trees.join([], 3).scores(x[:, :3].copy()), np.zeros(len(x)))


def test_copies_predict_the_same() -> None:
    trees, x = forest(4), table(np.random.default_rng(4), 50)
    for other in (pickle.loads(pickle.dumps(trees)), copy.deepcopy(trees)):
        np.testing.assert_array_equal(other.scores(x), trees.scores(x))


def test_importances_are_gains_of_splits_or_their_number() -> None:
    trees = Trees.of(3, feature=[2, 0], threshold=[0, 0], left=[1, -1], right=[-2, -3], leaf_value=[0, 0, 0])
    assert trees.importances().tolist() == [1, 0, 1]
    worth = Trees.of(
        3, feature=[2, 0], threshold=[0, 0], left=[1, -1], right=[-2, -3], leaf_value=[0, 0, 0], gain=[5, -1]
    )
    assert worth.importances().tolist() == [0, 0, 5]


def test_the_text_is_a_tree_with_names() -> None:
    trees = Trees.of(
        2, feature=[0, 1], threshold=[0.25, 0], left=[1, -1], right=[-2, -3], leaf_value=[1, -2, 3],
        category_set=[-1, 0], missing_left=[True, False], sets=[range(0, 40, 4)],
    )  # fmt: skip
    assert Trees.join([trees] * 5).text(["price", "city"], trees=1).split("\n") == [
        "tree 1",
        "  price ≤ 0.25 or missing:",
        "    city in {0, 4, 8, 12, 16, 20, 24, 28, …}: +1",
        "    city not in {0, 4, 8, 12, 16, 20, 24, 28, …}: +3",
        "  price > 0.25: -2",
        "… and 4 more trees",
    ]
    assert repr(trees) == "Trees(1 tree, 3 leaves)"
    zero = Trees.of(1, feature=[0], threshold=[-1], left=[-1], right=[-2], leaf_value=[0, 1], missing=1)
    assert zero.text(["x"]) == "tree 1\n  x ≤ -1: +0\n  x > -1 or 0 or missing: +1"
    alone = Trees.of(1, feature=[], threshold=[], left=[], right=[], leaf_value=[0.5])
    assert alone.text(["x"]) == "tree 1\n  +0.5"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"left": [0]}, "tree 1, node 0: its left child 0 cannot be"),
        ({"left": [1]}, "its left child 1 cannot be"),
        ({"right": [-3]}, "its right child -3 cannot be"),
        ({"right": [-1]}, "its right child -1 is that of another node"),
        ({"feature": [2]}, "it looks at column 2 of 2, counted from 0"),
        ({"feature": [-1]}, "it looks at column -1"),
        ({"threshold": [np.nan]}, "its threshold is no number"),
        ({"leaf_value": [np.inf, 0]}, "the value of a leaf is inf"),
        ({"leaf_value": [0]}, "'feature' of trees has 1 values, not 0"),
        ({"leaf_count": [-1, 0]}, "the count of a leaf is -1"),
        ({"leaf_count": [1]}, "'leaf_count' of trees has 1 values, not 2"),
        ({"gain": [np.nan]}, "'gain' of trees must be a finite number a node"),
        ({"missing": 3}, "what it takes for missing is not 0, 1 or 2"),
        ({"category_set": 0}, "there is no set 0 of categories"),
        ({"starts": [0, 2, 2]}, "'starts' of trees must begin with 0 and rise"),
        ({"starts": []}, "'starts' of trees must begin with 0 and rise"),
        ({"sets": [[-1]]}, "categories are whole numbers from 0 to"),
        ({"sets": [[2**40]]}, "categories are whole numbers from 0 to"),
    ],
)
def test_a_layout_that_cannot_be_is_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError, match=re.escape(says)):
        Trees.of(2, **{**ONE, **changes})


def test_a_path_in_a_circle_is_refused() -> None:
    with pytest.raises(DataError, match="tree 1, node 2: its left child 1 cannot be"):
        Trees.of(1, feature=[0] * 3, threshold=[0] * 3, left=[-1, 2, 1], right=[-2, -3, -4], leaf_value=[0] * 4)


def test_what_cannot_be_asked_is_refused() -> None:
    trees = Trees.of(2, **ONE)
    x = np.zeros((3, 2), np.float32)
    with pytest.raises(DataError, match="there are no trees 0 to 2; there are 1"):
        trees.scores_of(x, 0, 2)
    with pytest.raises(DataError, match="there are no first 2 trees; there are 1"):
        trees.first(2)
    with pytest.raises(DataError, match="trees without counts have no contributions\nHint: how many"):
        trees.contributions(x)
    with pytest.raises(DataError, match="trees to join are of different numbers of columns"):
        Trees.join([trees, Trees.of(3, **ONE)])


def test_contributions_of_endless_paths_are_refused() -> None:
    nodes = 2000
    trees = Trees.of(
        nodes, feature=np.arange(nodes), threshold=0, left=-1 - np.arange(nodes), right=[*range(1, nodes), -nodes - 1],
        leaf_value=np.zeros(nodes + 1), leaf_count=np.ones(nodes + 1),
    )  # fmt: skip
    with pytest.raises(DataError, match="a path of a tree looks at 2000 features, too many for contributions"):
        trees.contributions(np.zeros((1, nodes), np.float32))


@pytest.mark.parametrize("zero_as_missing", [False, True])
@pytest.mark.parametrize("categories", [[], [2]])
@pytest.mark.parametrize("leaves", [7, 50, 100])
def test_lightgbm_gives_the_same_scores_leaves_and_contributions(
    zero_as_missing: bool, categories: list[int], leaves: int
) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    from rankwise.learners import lightgbm_text

    rng = np.random.default_rng(leaves)
    x = rng.normal(size=(3000, 6)).astype(np.float32)
    x[:, 2] = rng.integers(0, 40, len(x))
    x[rng.random(x.shape) < 0.1] = np.nan
    x[rng.random(x.shape) < 0.1] = 0
    y = np.nansum(x[:, :2], axis=1) + 2 * np.isin(x[:, 2], [3, 5, 17, 33]) + rng.normal(size=len(x))
    settings = {
        "objective": "regression", "num_leaves": leaves, "verbose": -1, "zero_as_missing": zero_as_missing,
        "min_data_in_leaf": 3, "min_data_per_group": 5, "cat_smooth": 1, "num_threads": 2,
    }  # fmt: skip
    booster = lightgbm.train(settings, lightgbm.Dataset(x, y, categorical_feature=categories), 15)
    trees = lightgbm_text.read(booster.model_to_string(), 6)
    other = rng.normal(size=(500, 6)).astype(np.float32)
    other[:, 2] = rng.integers(-3, 60, len(other))
    other[rng.random(other.shape) < 0.2] = np.nan
    other[rng.random(other.shape) < 0.2] = 0
    np.testing.assert_array_equal(trees.scores(other), booster.predict(other))
    np.testing.assert_array_equal(trees.leaves(other), booster.predict(other, pred_leaf=True))
    theirs = booster.predict(other[:40], pred_contrib=True)
    np.testing.assert_allclose(trees.contributions(other[:40]), theirs, atol=1e-12)
    assert trees.features == FEATURES + 1


def test_scikit_learn_s_trees_can_be_expressed() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 4)).astype(np.float32)
    model = ensemble.RandomForestRegressor(8, max_leaf_nodes=20, random_state=0).fit(x, x[:, 0] * x[:, 1])
    parts = []
    for estimator in model.estimators_:
        own = estimator.tree_
        inner = own.children_left >= 0
        number = np.where(inner, np.cumsum(inner) - 1, -np.cumsum(~inner))
        parts.append(
            Trees.of(
                4, feature=own.feature[inner], threshold=own.threshold[inner],
                left=number[own.children_left[inner]], right=number[own.children_right[inner]],
                leaf_value=own.value[~inner, 0, 0] / 8, leaf_count=own.weighted_n_node_samples[~inner],
            )
        )  # fmt: skip
    np.testing.assert_allclose(Trees.join(parts).scores(x), model.predict(x), atol=1e-12)
