"""Linear models, stumps, and the ranker around a model: what it predicts, explains and says of itself."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankwise
from rankwise import DataError, Dataset, Ranker
from rankwise.rankers import Inputs, Linear, Stumps, Trees

NAN = float("nan")


def table(rng: Any, rows: int, columns: int) -> Any:
    x = rng.integers(-4, 5, (rows, columns)).astype(np.float32)
    x[rng.random(x.shape) < 0.2] = np.nan
    return x


@given(st.integers(0, 10**6), st.integers(1, 20), st.integers(1, 70))
def test_a_linear_model_is_its_formula(seed: int, columns: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    model, x = Linear(rng.integers(-9, 9, columns) / 4, 0.5), table(rng, rows, columns)
    expected = [0.5 + sum(w * float(v) for w, v in zip(model.weights, row, strict=True) if v == v) for row in x]
    assert model.scores(x).tolist() == expected
    np.testing.assert_array_equal(model.contributions(x).sum(axis=1), expected)


@given(st.integers(0, 10**6), st.integers(0, 40), st.integers(1, 70))
def test_stumps_are_their_formula(seed: int, count: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    x = table(rng, rows, 3)
    model = Stumps(3, rng.integers(0, 3, count), rng.integers(-4, 5, count) / 2, *rng.integers(-9, 9, (3, count)) / 4)
    expected = np.zeros((rows, 4))
    for at in range(count):
        for row in range(rows):
            value = x[row, model.feature[at]]
            known = model.above[at] if value > model.threshold[at] else model.below[at]
            expected[row, model.feature[at]] += model.missing[at] if np.isnan(value) else known
    np.testing.assert_array_equal(model.contributions(x), expected)
    np.testing.assert_array_equal(model.scores(x), expected.sum(axis=1))
    np.testing.assert_array_equal(model.scores(x), model.scores_of(x, 0, count))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).scores(x), model.scores(x))


def test_scores_of_linear_models_are_the_same_bits_for_any_threads_and_order() -> None:
    rng = np.random.default_rng(0)
    model, x = Linear(rng.normal(size=37)), rng.normal(size=(5000, 37)).astype(np.float32)
    order = rng.permutation(len(x))
    np.testing.assert_array_equal(model.scores(x[order], 3), model.scores(x, 1)[order])


def test_importances_name_the_columns_the_largest_first() -> None:
    ranker = Ranker(Inputs(3, ("a", "b", "c")), Linear([0.5, -2, 0]))
    assert list(ranker.importances().items()) == [("b", 2), ("a", 0.5), ("c", 0)]
    stumps = Ranker(Inputs(2), Stumps(2, [1, 1, 0], [0, 1, 0], [1, 0, 0], [0, 2, 1], [0, 0, 0]))
    assert list(stumps.importances().items()) == [("2", 3), ("1", 1)]


def test_contributions_of_one_document_have_names() -> None:
    ranker = Ranker(Inputs(2, ("stars", "price")), Linear([2.0, -0.5], bias=1))
    found = ranker.contributions([[1, 1], [3, 8]], row=1, qid=["b", "a"])
    assert (found.names, found.values.tolist(), found.constant, found.score) == (("stars", "price"), [6, -4], 1, 3)
    assert str(found).split("\n") == [
        "          +1  for every document", "          +6  stars", "          -4  price", "          +3  = the score",
    ]  # fmt: skip
    assert repr(found) == "Contributions(2 columns, score 3)"
    # Rows of lists that the caller mixed.
    mixed = ranker.contributions([[1, 0], [2, 0], [3, 0]], row=2, qid=["a", "b", "a"])
    assert mixed.values.tolist() == [6, 0]
    assert ranker.contributions([[1, 0], [2, 0]], row=-1).score == 5
    with pytest.raises(DataError, match="there is no row 2; 2 rows count from 0"):
        ranker.contributions([[1, 0], [2, 0]], row=2)


def test_scores_stand_in_the_callers_order() -> None:
    ranker = Ranker(Inputs(1), Linear([1.0]))
    data = Dataset.of([[1], [2], [3]], [0, 0, 0], qid=["a", "b", "a"])
    assert ranker.predict(data).tolist() == [1, 2, 3]


def test_texts_can_be_read() -> None:
    inputs = Inputs(3, ("stars", "price", "age"), relative=("share",))
    linear = Ranker(inputs, Linear([0.5, -2, 0, 0, 0, 1e-3], 0.25), {"learner": "ranksvm"})
    assert str(linear).split("\n") == [
        "Ranker(ranksvm: Linear(3 weights) of Inputs(3 features, share))",
        "          -2  price",
        "        +0.5  stars",
        "      +0.001  age as a share of the list's maximum",
        "       +0.25  for every document",
        "3 of 6 columns have weight 0",
    ]
    stumps = Stumps(2, [1, 0, 1], [0.27, 3, 0], [0, -1, 0], [0.41, 1, 0.5], [0, 0, -0.1])
    assert stumps.text(["stars", "price"], 2).split("\n") == [
        "       +0.41 if price > 0.27",
        "          +1 if stars > 3",
        "          -1 if stars ≤ 3",
        "… and 1 more stump",
    ]
    assert "        -0.1 if price is missing" in stumps.text(["stars", "price"])
    assert repr(Inputs(1, transform="rank", over="list")) == "Inputs(1 feature, rank over list)"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Linear([[1.0]]), "weights must have 1 dimension, not 2"),
        (lambda: Linear([1.0, NAN]), "the weight of column 2 is not finite"),
        (lambda: Linear([1.0], NAN), "the bias is not finite"),
        (lambda: Stumps(1, [1], [0], [0], [0], [0]), "a stump looks at a column that is not among the 1"),
        (lambda: Stumps(1, [-1], [0], [0], [0], [0]), "a stump looks at a column that is not among the 1"),
        (lambda: Stumps(1, [0], [NAN], [0], [0], [0]), "a stump has no threshold"),
        (lambda: Stumps(1, [0], [0], [0], [NAN], [0]), "a stump adds a number that is not finite ('above')"),
        (lambda: Stumps(1, [0], [0, 1], [0], [0], [0]), "stumps need columns of one length"),
        (lambda: Inputs(0), "inputs are of 1 to 1,048,576 features, not 0"),
        (lambda: Inputs(2, ("a", "a")), "2 features need as many different names"),
        (lambda: Ranker(Inputs(2), Linear([1.0])), "a model of 1 columns cannot read inputs of 2"),
        (
            lambda: Ranker(Inputs(2), Linear([0, 0])).save("x.gz"),
            "a ranker is written to a file of its own",
        ),
    ],
)
def test_what_does_not_fit_is_refused(make: Any, says: str) -> None:
    with pytest.raises(DataError, match=re.escape(says)):
        make()


@pytest.mark.parametrize("value", [NAN, np.float64(1).reshape(1), {1, 2}])
def test_only_plain_values_are_said_about_a_ranker(value: Any, tmp_path: Any) -> None:
    ranker = Ranker(Inputs(1), Linear([1.0]), {"curve": [value]})
    with pytest.raises(DataError, match="what is said about the ranker cannot be written"):
        ranker.save(tmp_path / "some.ranker")
    assert not (tmp_path / "some.ranker").exists()


def test_the_room_is_public() -> None:
    assert rankwise.rankers.Trees is Trees and rankwise.Ranker is rankwise.rankers.Ranker
