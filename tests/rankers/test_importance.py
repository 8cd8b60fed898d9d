"""Permutation importances: what a measure loses where a feature's values are mixed up."""

from __future__ import annotations

import numpy as np
import pytest

from contracts.settings import easy
from rankwise import DataError, Dataset, RankwiseError, evaluate, measure, permutation_importances
from rankwise.rankers import Inputs, Linear, Ranker

DATA = easy(3, names=True)
NAMES = DATA.feature_names
LINEAR = Ranker(Inputs(4, NAMES), Linear([2.0, 1.0, 0.0, -0.1]), {"measure": "AP"})


def test_it_is_what_evaluate_loses() -> None:
    found = permutation_importances(LINEAR, DATA, "nDCG@5", repeats=3, seed=7)
    ordered = DATA.in_canonical_order(rows_too=False)
    whole = evaluate(ordered, LINEAR.predict(ordered), "nDCG@5")["nDCG@5"].mean
    assert found.value == whole
    for feature in range(4):
        for repeat in range(3):
            table = ordered.features.copy()
            table[:, feature] = np.random.default_rng([7, feature, repeat]).permutation(table[:, feature])
            changed = evaluate(ordered, LINEAR.predict(table), "nDCG@5")["nDCG@5"].mean
            assert found.losses[feature, repeat] == whole - changed
    np.testing.assert_allclose(found.errors, found.losses.std(axis=1, ddof=1) / np.sqrt(3))


def test_what_the_model_does_not_look_at_loses_nothing() -> None:
    found = permutation_importances(LINEAR, DATA, repeats=2)
    assert str(found.measure) == "AP"
    assert found.losses[2].tolist() == [0.0, 0.0]
    assert found.means[0] > found.means[1] > 0
    assert [found.names[at] for at in found.order[:2]] == ["f0", "f1"]


def test_a_feature_is_lost_in_all_its_forms() -> None:
    inputs = Inputs.fit(DATA, relative=["rank", "minus-mean"])
    weights = np.zeros(12)
    weights[4 + 1] = 1.0  # the second feature's rank in its list
    found = permutation_importances(Ranker(inputs, Linear(weights)), DATA, "nDCG@10", repeats=2)
    assert found.means[1] != 0
    assert not found.losses[[0, 2, 3]].any()
    assert found.names == NAMES


def test_neither_the_order_of_lists_nor_the_data_change() -> None:
    before = DATA.features.copy()
    found = permutation_importances(LINEAR, DATA, repeats=2)
    assert np.array_equal(DATA.features, before)
    other = permutation_importances(LINEAR, DATA.take(np.arange(len(DATA))[::-1]), repeats=2)
    assert found.losses.tobytes() == other.losses.tobytes()


def test_less_may_be_better() -> None:
    one = permutation_importances(LINEAR, DATA, "WARPLoss")
    assert not measure("WARPLoss").higher_is_better
    assert one.means[0] > 0


def test_features_are_found_by_name() -> None:
    turned = Dataset.of(DATA.features[:, ::-1], DATA.labels, group=np.diff(DATA.offsets), feature_names=NAMES[::-1])
    same = Dataset.of(DATA.features, DATA.labels, group=np.diff(DATA.offsets), feature_names=NAMES)
    one, other = (permutation_importances(LINEAR, data, repeats=2) for data in (same, turned))
    assert one.names == other.names
    assert one.losses.tobytes() == other.losses.tobytes()


def test_the_table_says_value_loss_and_error() -> None:
    told = str(permutation_importances(LINEAR, DATA, repeats=2).table(1))
    assert told.startswith("loss of AP (0.") and "f0" in told and "f1" not in told
    assert "±" in told
    assert permutation_importances(LINEAR, DATA, repeats=1).table(1).rows[0][2] == ""


def test_what_is_refused() -> None:
    with pytest.raises(RankwiseError, match="repeats must be a whole number from 1, not 0"):
        permutation_importances(LINEAR, DATA, repeats=0)
    with pytest.raises(RankwiseError, match="does not know what it was trained for"):
        permutation_importances(Ranker(LINEAR.inputs, LINEAR.scorer), DATA)
    with pytest.raises(DataError, match="there are 3 features, and the ranker was trained with 4"):
        permutation_importances(LINEAR, easy(features=3))
    with pytest.raises(DataError, match="these lists have no features"):
        permutation_importances(LINEAR, Dataset.of(labels=[1, 0], group=[2]))
