"""Inputs: each transform is its formula, whatever the order of lists and rows; other features are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import inputs as oracle
from rankwise import DataError, Dataset
from rankwise.rankers import Inputs, Linear, Ranker
from rankwise.rankers.inputs import RELATIVE
from rankwise.rankers.transforms import KNOTS, LARGEST

FITTED = ("min-max", "z-score", "rank")
VALUE = st.sampled_from([0.0, -0.0, 1.0, -2.0, 0.1, 1e-30, 3e30, float("nan")]) | st.floats(-9, 9, width=32)
SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=4)


@st.composite
def lists(draw: Any) -> Dataset:
    sizes = draw(SIZES)
    rows = st.lists(VALUE, min_size=sum(sizes), max_size=sum(sizes))
    table = np.array([draw(rows), draw(rows)], np.float32).T
    return Dataset.of(table, np.zeros(sum(sizes)), group=sizes)


def columns(data: Dataset) -> Any:
    assert data.features is not None
    return data.features.astype(float).T.tolist()


def of_lists(data: Dataset, what: str) -> Any:
    spans = list(zip(data.offsets[:-1], data.offsets[1:], strict=True))
    found = np.array([[x for a, b in spans for x in oracle.within(c[a:b], what)] for c in columns(data)]).T
    return np.clip(found, -LARGEST, LARGEST)


@given(lists(), st.sampled_from(FITTED))
def test_a_transform_over_lists_is_its_formula(data: Dataset, transform: str) -> None:
    found = Inputs.fit(data, transform=transform, over="list").table(data)
    np.testing.assert_allclose(found, of_lists(data, transform), rtol=1e-6, atol=1e-6)
    assert found.dtype == np.float32


@given(lists(), st.sampled_from([*FITTED, "log1p"]))
def test_a_transform_over_the_training_set_is_its_formula(data: Dataset, transform: str) -> None:
    found = Inputs.fit(data, transform=transform).table(data)
    expected = [[oracle.of_statistics(x, c, transform) for x in c] for c in columns(data)]
    np.testing.assert_allclose(found, np.array(expected).T, rtol=1e-6, atol=1e-6)


@given(lists())
def test_relative_features_are_further_columns_of_the_features_as_they_are(data: Dataset) -> None:
    inputs = Inputs.fit(data, transform="log1p", relative=list(RELATIVE))
    found = inputs.table(data)
    assert found.shape[1] == inputs.columns == len(inputs.names) == 8
    for at, what in enumerate(RELATIVE):
        own = found[:, 2 + 2 * at : 4 + 2 * at]
        # A mean is of float64, and what is kept of float32: 24 bits of the largest value.
        scale = np.nanmax(np.abs(data.features), initial=1) if what == "minus-mean" else 1
        np.testing.assert_allclose(own, of_lists(data, what), rtol=1e-6, atol=1e-6 * scale)


@pytest.mark.parametrize("over", ["train", "list"])
@pytest.mark.parametrize("transform", FITTED)
def test_the_order_of_rows_and_lists_and_threads_change_no_bit(transform: str, over: str) -> None:
    rng = np.random.default_rng(0)
    x = (rng.normal(size=(9000, 3)) * 10.0 ** rng.integers(-6, 7, (9000, 3))).astype(np.float32)
    x[rng.random(x.shape) < 0.1] = np.nan
    qid, order = rng.integers(0, 90, 9000), rng.permutation(9000)

    def table(rows: Any, threads: int) -> Any:
        data = Dataset.of(x[rows], np.zeros(9000), qid=qid[rows])
        inputs = Inputs.fit(data, transform=transform, over=over, relative=["minus-mean", "rank", "share"])
        return data.in_callers_order(inputs.table(data, threads=threads)), inputs.statistics

    (found, statistics), (other, others) = table(np.arange(9000), 1), table(order, 3)
    np.testing.assert_array_equal(found[order], other)
    assert set(statistics) == set(others) and (over == "list") == (not statistics)
    for name in statistics:
        np.testing.assert_array_equal(statistics[name], others[name])


def test_values_that_training_never_saw() -> None:
    train = Dataset.of([[0, 5, np.nan], [10, 5, np.nan], [10, 5, np.nan], [20, 5, np.nan]], [0] * 4, group=[4])
    new = [[-10, 7, 1], [15, 5, np.nan], [40, np.nan, 0]]

    def table(transform: str) -> Any:
        return Inputs.fit(train, transform=transform).table(new).tolist()

    nan = pytest.approx(np.nan, nan_ok=True)
    # Nothing is clipped; a feature that was constant or always missing is 0.
    assert table("min-max") == [[-0.5, 0, 0], [0.75, 0, nan], [2, nan, 0]]
    # A place is linear between known values, and 0 and 1 outside of them.
    assert table("rank") == [[0, 1, 0], [0.6875, 0.5, nan], [1, nan, 0]]


def test_a_value_far_from_training_stays_finite() -> None:
    train = Dataset.of([[0.0], [1e-38]], [0, 0], group=[2])
    assert Inputs.fit(train, transform="min-max").table([[3e38]]).tolist() == [[np.finfo(np.float32).max]]


def test_ranks_of_many_values_keep_some_of_them() -> None:
    x = np.random.default_rng(0).normal(size=(3 * KNOTS, 1)).astype(np.float32)
    data = Dataset.of(x, np.zeros(len(x)), group=[len(x)])
    inputs = Inputs.fit(data, transform="rank")
    assert len(inputs.statistics["values"]) <= KNOTS
    exact = (np.argsort(np.argsort(x[:, 0])) + 0.5) / len(x)
    np.testing.assert_allclose(inputs.table(data)[:, 0], exact, atol=1 / KNOTS)


def test_a_list_of_one_document_and_maxima_that_are_not_above_0() -> None:
    data = Dataset.of([[3.0], [-1], [0]], [0, 0, 0], group=[1, 2])
    found = {name: Inputs.fit(data, transform=name, over="list").table(data)[:, 0].tolist() for name in FITTED}
    assert found == {"min-max": [0, 0, 1], "z-score": [0, -1, 1], "rank": [0.5, 0, 1]}
    relative = Inputs.fit(data, relative=["minus-mean", "share"]).table(data)
    assert relative[:, 1:].tolist() == [[0, 1], [-0.5, 0], [0.5, 0]]


def test_nothing_is_copied_where_nothing_is_to_be_done() -> None:
    data = Dataset.of(np.zeros((3, 2), np.float32), [0, 0, 0], group=[3])
    assert Inputs.fit(data).table(data) is data.features


def frame_of(kind: str, columns: dict[str, Any]) -> Any:
    if kind == "dict":
        return columns
    if kind == "polars lazily":
        return pytest.importorskip("polars").LazyFrame(columns)
    package = pytest.importorskip(kind)
    return package.table(columns) if kind == "pyarrow" else package.DataFrame(columns)


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "polars lazily", "pyarrow"])
def test_columns_of_frames_are_found_by_name(kind: str) -> None:
    ranker = Ranker(Inputs(3, ("stars", "price", "new")), Linear([1.0, 10.0, 100.0]))
    frame = frame_of(kind, {"new": [True, False], "price": [2.5, None if kind != "dict" else np.nan], "stars": [1, 4]})
    assert ranker.predict(frame).tolist() == [126.0, 4.0]


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.uint16, np.float16, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_array_of_numbers_is_read(dtype: Any, order: Any) -> None:
    ranker = Ranker(Inputs(2, ("a", "b")), Linear([1.0, 2.0]))
    x = np.array([[1, 0], [1, 1], [0, 1]], dtype, order=order)
    assert ranker.predict(x).tolist() == ranker.predict(x[::-1])[::-1].tolist() == [1, 3, 2]


REFUSED = [
    ([[1, 2, 3]], "there are 3 features, and the ranker was trained with 2"),
    ([[1.0, np.inf]], "feature 2 of row 0 is infinite"),
    ([[1.0, 1e39]], "feature 2 of row 0 is infinite, or too large for a 32-bit float"),
    ([1.0, 2.0], "features must have 2 dimensions, not 1"),
    ([["a", "b"]], "features must be numbers"),
    ({"price": [1], "age": [2]}, "feature 'stars' is not among these, and 'age' was not known"),
    ({"price": [1], "stars": ["many"]}, "feature 'stars' must be numbers"),
    ({"price": [1, 2], "stars": [1]}, "feature 'stars' has 1 value, and 'price' 2"),
    ({"price": [1], "stars": [[1]]}, "feature 'stars' must be a column of numbers"),
    ([], "there are no rows"),
    (np.zeros((0, 2)), "there are no rows"),
]  # fmt: skip


@pytest.mark.parametrize(("x", "says"), REFUSED, ids=lambda x: x if isinstance(x, str) else "")
def test_other_features_are_refused(x: Any, says: str) -> None:
    with pytest.raises(DataError, match=says):
        Ranker(Inputs(2, ("stars", "price")), Linear([1.0, 2.0])).predict(x)


def test_data_without_features_have_nothing_to_learn_from() -> None:
    data = Dataset.of(labels=[0, 1], group=[2])
    with pytest.raises(DataError, match="these lists have no features to learn from"):
        Inputs.fit(data)
    with pytest.raises(DataError, match="these lists have no features"):
        Inputs(1).table(data)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"transform": "sum"}, "transform is 'sum'\nHint: choose one of none, min-max, z-score, rank, log1p"),
        ({"over": "all"}, "over is 'all'\nHint: choose one of train, list"),
        ({"relative": ["mean"]}, "a list-relative feature is 'mean'\nHint: choose one of minus-mean, rank, share"),
        ({"relative": "rank"}, "list-relative features are a list of names, not the text 'rank'"),
        ({"relative": ["rank", "rank"]}, "a list-relative feature is named twice"),
    ],
)
def test_what_is_unknown_is_refused(how: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError, match=says):
        Inputs.fit(Dataset.of([[1.0]], [0], group=[1]), **how)


def test_lists_are_asked_for_where_they_matter() -> None:
    data = Dataset.of([[1.0], [3.0]], [0, 1], group=[2])
    inputs = Inputs.fit(data, relative=["minus-mean"])
    ranker = Ranker(inputs, Linear([0.0, 1.0]))
    with pytest.raises(DataError, match="this ranker looks at whole lists, and nothing says which rows are one"):
        ranker.predict([[1.0], [3.0]])
    with pytest.raises(DataError, match="these inputs look at whole lists"):
        inputs.table([[1.0], [3.0]])
    with pytest.raises(DataError, match="a dataset knows its lists"):
        ranker.predict(data, qid=[1, 1])
    assert ranker.predict([[1.0], [5.0], [3.0]], qid=["a", "b", "a"]).tolist() == [-1, 0, 1]
    assert ranker.predict(data).tolist() == [-1, 1]
    assert not Inputs(1, transform="log1p", over="list").needs_lists
