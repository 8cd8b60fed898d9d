"""Datasets from arrays: grouping, order, refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.data.ids import Ids
from rankwise.errors import DataError

# Definition


def test_rows_of_a_query_become_neighbours_in_the_order_of_first_appearance():
    data = Dataset.of(
        [[1], [2], [3], [4]], [0, 1, 2, 3], qid=[9, 5, 9, 7], documents=["a", "b", "c", "d"], positions=[1, 1, 2, 1]
    )
    assert list(data.queries) == ["9", "5", "7"]
    assert data.offsets.tolist() == [0, 2, 3, 4]
    assert data.features.ravel().tolist() == [1, 3, 2, 4]
    assert data.labels.tolist() == [0, 2, 1, 3]
    assert list(data.documents) == ["a", "c", "b", "d"]
    assert data.positions.tolist() == [1, 2, 1, 1]
    assert data.rows.tolist() == [0, 2, 1, 3]
    assert len(data) == 3


def test_grouped_rows_are_not_moved():
    data = Dataset.of(labels=[0, 1, 2], qid=["b", "b", "a"])
    assert data.rows is None
    assert data.features is None
    assert data.offsets.tolist() == [0, 2, 3]


def test_group_sizes_name_lists_by_number():
    data = Dataset.of([[1], [2], [3]], [0, 1, 2], group=[1, 2], weights=[1, 0.5])
    assert list(data.queries) == ["1", "2"]
    assert data.offsets.tolist() == [0, 1, 3]
    assert data.weights.tolist() == [1, 0.5]


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
def test_labels_keep_their_type(dtype):
    labels = np.array([1, 0], dtype)
    assert Dataset.of(labels=labels, group=[2]).labels.dtype == dtype


@pytest.mark.parametrize("labels", [[1, 0], [True, False], np.array([1, 0], np.int64), np.array([1, 0], np.float16)])
def test_other_labels_become_float64(labels):
    data = Dataset.of(labels=labels, group=[2])
    assert (data.labels.dtype, data.labels.tolist()) == (np.float64, [1, 0])


def test_features_become_contiguous_float32():
    features = np.asfortranarray(np.arange(6.0).reshape(3, 2))
    table = Dataset.of(features, [0, 0, 0], group=[3]).features
    assert (table.dtype, table.flags.c_contiguous, table.tolist()) == (np.float32, True, features.tolist())


@pytest.mark.parametrize(
    "qid",
    [
        [3, 1, 3],
        np.array([3, 1, 3], np.uint8),
        np.array([3.0, 1.0, 3.0]),
        ["3", "1", "3"],
        np.array(["3", "1", "3"], object),
        np.array([3, "1", "3"], object),
        np.array([b"3", b"1", b"3"]),
        Ids.of(["3", "1", "3"]),
    ],
)
def test_query_ids_of_any_type_are_their_text(qid):
    data = Dataset.of(labels=[0, 1, 2], qid=qid)
    assert (list(data.queries), data.rows.tolist()) == (["3", "1"], [0, 2, 1])


def test_repr_shows_the_shape_and_the_labels():
    data = Dataset.of([[1, 2]] * 3, [0, 1, float("nan")], group=[3])
    assert repr(data) == "Dataset(1 list, 3 rows, 2 features; labels 0: 1, 1: 1, unjudged: 1)"
    assert repr(Dataset.of(labels=np.arange(20), group=[20])) == "Dataset(1 list, 20 rows; labels from 0 to 19)"
    assert repr(Dataset.of(labels=[float("nan")], group=[1])) == "Dataset(1 list, 1 row; no labels)"


# Laws


@given(st.lists(st.sampled_from("abcdef"), min_size=1))
def test_grouping_is_stable_and_order_comes_back(qid):
    rows = np.arange(len(qid))
    data = Dataset.of(labels=rows, qid=qid)
    slow = [row for name in dict.fromkeys(qid) for row in rows if qid[row] == name]
    assert data.labels.tolist() == slow
    assert list(data.queries) == list(dict.fromkeys(qid))
    assert np.diff(data.offsets).tolist() == [qid.count(name) for name in data.queries]
    assert data.in_callers_order(data.labels).tolist() == rows.tolist()
    assert data.reorder(rows).tolist() == slow
    table = rows[:, None] * [1, 2]
    assert data.in_callers_order(data.reorder(table)).tolist() == table.tolist()


# Refusals

NAN, INF = float("nan"), float("inf")

REFUSED = {
    "no labels": ({"qid": [1]}, "there are no labels"),
    "no rows": ({"labels": [], "qid": []}, "there are no rows"),
    "words for labels": ({"labels": ["good"], "qid": [1]}, "labels must be numbers"),
    "labels in a table": ({"labels": [[1]], "qid": [1]}, "labels must have 1 dimension, not 2"),
    "infinite label": ({"labels": [0, INF], "group": [2]}, "the label of row 1 is infinite\nHint: NaN stands for"),
    "no lists": ({"labels": [1]}, "nothing says which rows belong to one list"),
    "both": ({"labels": [1], "qid": [1], "group": [1]}, "both `qid` and `group` are given"),
    "qid too short": ({"labels": [1, 2], "qid": [1]}, "there are 1 query ids for 2 rows"),
    "qid in a table": ({"labels": [1], "qid": [[1]]}, "query ids must have 1 dimension, not 2"),
    "qid nan": ({"labels": [1, 2], "qid": [1, NAN]}, "row 1 has no query id"),
    "qid none": ({"labels": [1, 2], "qid": ["a", None]}, "row 1 has no query id"),
    "groups too few": ({"labels": [1, 2], "group": [1]}, "the group sizes sum to 1 for 2 rows"),
    "group of 0": (
        {"labels": [1], "group": [1, 0]},
        "the size of group 1 is 0; a list has at least one row\nHint: leave",
    ),
    "group below 0": ({"labels": [1], "group": [2, -1]}, "the size of group 1 is -1; a list has at least one row"),
    "group of a half": ({"labels": [1], "group": [0.5, 0.5]}, "group sizes must be whole numbers"),
    "features too few": (
        {"features": [[1]], "labels": [1, 2], "qid": [1, 1]},
        "there are 1 rows of features for 2 rows",
    ),
    "one feature": (
        {"features": [1, 2], "labels": [1, 2], "qid": [1, 1]},
        "features must have 2 dimensions, not 1\nHint: a",
    ),
    "feature inf": ({"features": [[1, INF]], "labels": [1], "qid": [1]}, "feature 2 of row 0 is infinite"),
    "feature 1e39": ({"features": [[1e39]], "labels": [1], "qid": [1]}, "too large for a 32-bit float"),
    "feature words": ({"features": [["a"]], "labels": [1], "qid": [1]}, "features must be numbers"),
    "ragged features": ({"features": [[1], [1, 2]], "labels": [1, 2], "qid": [1, 1]}, "features must be numbers"),
    "documents": ({"labels": [1], "qid": [1], "documents": ["a", "b"]}, "there are 2 documents for 1 rows"),
    "weights": (
        {"labels": [1, 2], "qid": [1, 1], "weights": [1, 1]},
        "there are 2 weights for 1 lists\nHint: a weight is",
    ),
    "weight nan": ({"labels": [1], "qid": [1], "weights": [NAN]}, "the weight of list 0 is nan"),
    "weight below 0": ({"labels": [1], "qid": [1], "weights": [-1]}, "the weight of list 0 is -1; weights are finite"),
    "positions": ({"labels": [1], "qid": [1], "positions": [1, 2]}, "there are 2 positions for 1 rows"),
    "position 0": (
        {"labels": [1, 1], "qid": [1, 1], "positions": [1, 0]},
        "the position of row 1 is 0; positions count from 1",
    ),
}


@pytest.mark.parametrize(("arguments", "says"), REFUSED.values(), ids=REFUSED)
def test_data_that_do_not_fit_together_are_refused(arguments, says):
    with pytest.raises(DataError, match=re.escape(says)):
        Dataset.of(**arguments)


def test_a_sparse_matrix_is_refused_with_the_way_out():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(DataError, match="toarray"):
        Dataset.of(scipy_sparse.eye(2, format="csr"), [0, 1], group=[2])


def test_values_of_another_length_are_refused():
    data = Dataset.of(labels=[1, 2], group=[2])
    for change in (data.in_callers_order, data.reorder):
        with pytest.raises(DataError, match="there are 3 values for 2 rows"):
            change(np.zeros(3))
