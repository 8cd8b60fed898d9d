"""Some of the lists of a dataset, and the lists of several."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from rankwise import DataError, Dataset, read_table


def hotels() -> Dataset:
    """Three lists of 2, 1 and 3 rows, with everything that a dataset can hold; rows given out of order."""
    return Dataset.of(
        [[1, 10], [2, 20], [3, 30], [4, 40], [5, 50], [6, 60]],
        [0, 1, 2, 0, 1, 5],
        qid=["c", "a", "c", "b", "c", "a"],
        documents=["d1", "d2", "d3", "d4", "d5", "d6"],
        weights=[1, 2, 3],
        positions=[1, 1, 2, 1, 3, 2],
        feature_names=["stars", "price"],
    )


def lists(data: Dataset) -> dict[str, list[tuple[object, ...]]]:
    """Query → its rows, all that is known of each."""
    assert data.features is not None and data.documents is not None and data.positions is not None
    rows = list(
        zip(
            data.labels.tolist(),
            map(tuple, data.features.tolist()),
            data.documents,
            data.positions.tolist(),
            strict=True,
        )
    )
    return {
        name: rows[start:end]
        for name, start, end in zip(data.queries, data.offsets.tolist(), data.offsets[1:].tolist(), strict=False)
    }


@pytest.mark.parametrize("chosen", [[0], [2, 0], [1, 2, 0], np.array([2])])
def test_the_lists_taken_are_those_that_stood_there(chosen: list[int]) -> None:
    data = hotels()
    whole = lists(data)
    names = [data.queries[at] for at in chosen]
    taken = data.take(chosen)
    assert list(lists(taken).items()) == [(name, whole[name]) for name in names]
    assert taken.weights is not None and data.weights is not None
    assert taken.weights.tolist() == data.weights[list(chosen)].tolist()
    assert taken.feature_names == ("stars", "price")


def test_taking_leaves_what_was_not_there_out() -> None:
    taken = Dataset.of(labels=[1, 0], qid=["a", "b"]).take([1])
    assert taken.features is taken.documents is taken.weights is taken.positions is taken.rows is None


@pytest.mark.parametrize(
    ("chosen", "refusal"),
    [
        ([], "no list is chosen"),
        ([0, 3], "there is no list 3; 3 lists count from 0"),
        ([-1], "there is no list -1"),
        ([1, 1], "a list is chosen twice"),
        ([0.5], "numbers of lists must be whole numbers"),
        (np.array([True, False, True]), "lists are chosen by numbers, not by a mask"),
    ],
)
def test_lists_that_cannot_be_taken_are_refused(chosen: object, refusal: str) -> None:
    with pytest.raises(DataError, match=refusal):
        hotels().take(chosen)


def test_what_was_taken_apart_joins_again() -> None:
    data = hotels()
    joined = Dataset.join([data.take([0]), data.take([1, 2])])
    assert lists(joined) == lists(data)
    assert joined.weights is not None and joined.weights.tolist() == [1, 2, 3]
    assert joined.offsets.tolist() == data.offsets.tolist()


def with_columns(queries: list[str], sites: object) -> Dataset:
    return read_table({"qid": queries, "label": [1] * len(queries), "site": sites}, keep=["site"])


@pytest.mark.parametrize("sites", [["x", "y", "x"], [3, 4, 3], [0.5, 1.5, 0.5]])
def test_further_columns_go_with_their_rows(sites: list[object]) -> None:
    data = with_columns(["b", "a", "b"], sites)
    assert list(data.take([1]).columns["site"]) == [sites[1]]
    joined = Dataset.join([data.take([1]), data.take([0])])
    assert list(joined.columns["site"]) == [sites[1], sites[0], sites[2]]


def test_columns_that_do_not_fit_are_not_joined() -> None:
    one = with_columns(["a"], ["x"])
    with pytest.raises(DataError, match="column 'site' holds texts in one of the datasets to join, and numbers"):
        Dataset.join([one, with_columns(["b"], [3])])
    with pytest.raises(DataError, match="datasets to join have different further columns"):
        Dataset.join([one, Dataset.of(labels=[1], qid=["b"])])


def test_every_field_goes_along() -> None:
    """A field that a dataset gets one day is to be taken and joined too."""
    data = replace(hotels(), document_weights=np.arange(6.0), columns={"site": np.arange(6)}, rows=None)
    assert [field.name for field in fields(data) if getattr(data, field.name) is None] == ["rows"]
    joined = Dataset.join([data.take([0]), data.take([1, 2])])
    for name in {field.name for field in fields(data)} - {"rows", "columns", "skipped_lines"}:
        assert np.array_equal(list(getattr(joined, name)), list(getattr(data, name))), name
    assert joined.columns["site"].tolist() == data.columns["site"].tolist()


ONE = Dataset.of([[1, 2]], [1], qid=["a"])


@pytest.mark.parametrize(
    ("other", "refusal"),
    [
        (Dataset.of([[1, 2]], [1], qid=["a"]), "query 'a' is in 2 of the datasets"),
        (Dataset.of([[1]], [1], qid=["b"]), "datasets to join have 1 and 2 features"),
        (Dataset.of(labels=[1], qid=["b"]), "only 1 of 2 datasets to join have features"),
        (Dataset.of([[1, 2]], [1], qid=["b"], weights=[2]), "only 1 of 2 datasets to join have weights"),
        (Dataset.of([[1, 2]], [1], qid=["b"], feature_names=["x", "y"]), "features of different names"),
    ],
)
def test_datasets_that_do_not_fit_are_not_joined(other: Dataset, refusal: str) -> None:
    with pytest.raises(DataError, match=refusal):
        Dataset.join([ONE, other])


def test_nothing_cannot_be_joined() -> None:
    with pytest.raises(DataError, match="there are no datasets to join"):
        Dataset.join([])
