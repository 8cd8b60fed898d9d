"""Breakdowns: each group is evaluated as if its lists were all there are."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise import DataError, Dataset, evaluate, hotel_searches, read_table
from rankwise.data.ids import Ids
from rankwise.evaluation.groups import Groups

LABELS = [3, 0, 1, 0, 2, 0, 1]
SCORES = [0.5, 0.4, 0.3, 0.2, 0.2, 0.1, 0.9]
QID = ["a", "a", "b", "b", "c", "c", "d"]
MEASURES = ["nDCG@2", "RR(empty='skip')"]


# Definition.


@settings(deadline=None)
@given(kinds=st.lists(st.integers(0, 4), min_size=1, max_size=25), seed=st.integers(0, 1000))
def test_a_group_is_evaluated_as_if_it_were_alone(kinds: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = len(kinds)
    qid = np.repeat(np.arange(n), 3)
    labels, scores = rng.integers(0, 3, 3 * n), rng.integers(0, 3, 3 * n) / 2
    weights = rng.integers(1, 4, n).astype(float)
    data = Dataset.of(labels=labels, qid=qid, weights=weights)
    result = evaluate(data, scores, MEASURES, by=kinds, name="x")
    assert result.groups.names == tuple(map(str, sorted(set(kinds))))
    for kind in set(kinds):
        rows = np.isin(qid, np.flatnonzero(np.array(kinds) == kind))
        own = Dataset.of(labels=labels[rows], qid=qid[rows], weights=weights[np.array(kinds) == kind])
        alone = evaluate(own, scores[rows], MEASURES, name="x")
        assert repr(result.groups[kind]) == repr(alone)
        assert result.groups[kind] == alone


# All forms of `by` say the same.


@pytest.mark.parametrize(
    "by",
    [
        ["x", "y", "x", "y"],
        ["x", "x", "y", "y", "x", "x", "y"],
        np.array(["x", "y", "x", "y"], dtype=object),
        {"a": "x", "b": "y", "c": "x", "d": "y", "another": "z"},
        Ids.of(["x", "x", "y", "y", "x", "x", "y"]),
    ],
    ids=lambda by: type(by).__name__,
)
def test_by_takes_an_array_of_lists_or_rows_or_a_mapping(by: Any) -> None:
    groups = evaluate(LABELS, SCORES, MEASURES, qid=QID, by=by).groups
    assert groups.names == ("x", "y")
    assert groups["x"].queries == ["a", "c"]


def test_rows_may_come_in_any_order() -> None:
    order = np.random.default_rng(0).permutation(7)
    by = np.array(["x", "x", "y", "y", "x", "x", "y"])
    moved = evaluate(np.array(LABELS)[order], np.array(SCORES)[order], MEASURES, qid=np.array(QID)[order], by=by[order])
    assert moved.groups["x"] == evaluate(LABELS, SCORES, MEASURES, qid=QID, by=by).groups["x"]


def test_by_names_a_feature_of_a_dataset() -> None:
    searches = hotel_searches(searches=50, seed=1)
    result = evaluate(searches, -searches.feature("price"), "nDCG@5", by="guests")
    guests = searches.feature("guests")[searches.offsets[:-1]]
    assert result.groups.names == tuple(str(int(g)) for g in np.unique(guests))
    assert sum(len(part.queries) for _, part in result.groups.items()) == len(searches)


def test_by_names_a_column_of_a_table() -> None:
    table = {
        "qid": [7, 8, 7, 9], "label": [0, 1, 1, 1], "bm25": [0.5, 1.0, 0.25, 2.0], "country": ["GB", "DE", "GB", ""],
        "page": [1.0, 10.0, 1.0, math.nan], "late": [True, False, True, True],
    }  # fmt: skip
    data = read_table(table, score="bm25", keep=["country", "page", "late"])
    scores = data.in_callers_order(data.columns["bm25"])
    by_country = evaluate(data, scores, "RR", by="country").groups
    assert [(name, part["RR"].mean) for name, part in by_country.items()] == [("DE", 1), ("GB", 0.5), ("(none)", 1)]
    assert evaluate(data, scores, "RR", by="page").groups.names == ("1", "10", "(none)")
    assert evaluate(data, scores, "RR", by="late").groups.names == ("False", "True")
    with pytest.raises(DataError, match=r"rows 0 and 2: column 'bm25' is '0\.5' and '0\.25' within query '7'"):
        evaluate(data, scores, "RR", by="bm25")
    table["country"][2] = "FR"
    other = read_table(table, score="bm25", keep=["country"])
    with pytest.raises(DataError, match="rows 0 and 2: column 'country' is 'GB' and 'FR' within query '7'"):
        evaluate(other, scores, "RR", by="country")


def test_by_of_judgments_and_a_run_is_by_query() -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    result = evaluate(qrels, run, "RR", by={"q1": "who", "q2": "what"}, bounds=True)
    assert [(name, part["RR"].mean) for name, part in result.groups.items()] == [("what", 0.0), ("who", 1.0)]
    assert "trec_eval" in repr(result.groups["who"])
    assert result.groups["who"]["RR"].bounds == (1.0, 1.0)
    assert repr(result.by(["what", "who"])["who"]) == repr(result.groups["what"])


def test_groups_are_sorted_as_numbers_and_those_without_a_value_come_last() -> None:
    assert Groups.of_lists([10, 9.0, "b", None, "a", math.nan, -1.5, True]).names == (
        "-1.5", "9", "10", "True", "a", "b", "(none)",
    )  # fmt: skip


# Its forms.


def breakdown(**how: Any) -> Any:
    return evaluate(LABELS, SCORES, MEASURES, qid=QID, by=["x", "y", "x", "z"], name="mine", **how)


def test_the_table_has_a_row_a_measure_and_group() -> None:
    lines = repr(breakdown().groups).splitlines()
    assert lines[:3] == [
        "mine",
        "",
        "measure           group  lists   value    95 % interval  short",
    ]
    assert [line.split()[:3] for line in lines[3:9]] == [
        ["nDCG@2", "x", "2"], ["nDCG@2", "y", "1"], ["nDCG@2", "z", "1"],
        ["RR(empty='skip')", "x", "2"], ["RR(empty='skip')", "y", "1"], ["RR(empty='skip')", "z", "1"],
    ]  # fmt: skip
    assert " – " in lines[3] and " – " not in lines[4]
    assert lines[10] == "4 lists" and lines[11].startswith("standard: gain 2^label − 1")


def test_a_result_by_groups_prints_both_tables() -> None:
    result = breakdown(bootstrap=True)
    for form in (repr, type(result).to_markdown, type(result).to_latex, type(result)._repr_html_):
        assert form(result).count("95 ") == 4
    assert repr(result).count("standard: ") == 1


def test_the_csv_of_a_breakdown_keeps_every_digit() -> None:
    result = breakdown()
    rows = list(csv.DictReader(io.StringIO(result.groups.to_csv())))
    assert list(rows[0]) == ["run", "measure", "group", "lists", "mean", "low", "high"]
    outcome = result.groups["x"][0]
    assert (float(rows[0]["mean"]), float(rows[0]["low"]), float(rows[0]["high"])) == (outcome.mean, *outcome.interval)
    assert [(row["run"], row["group"], row["lists"], row["low"]) for row in rows[1:3]] == [
        ("mine", "y", "1", ""), ("mine", "z", "1", ""),
    ]  # fmt: skip
    assert result.to_csv().splitlines()[0] == "run,measure,query,value"


# Refusals.


@pytest.mark.parametrize(
    ("by", "says"),
    [
        (["x"] * 3, "`by` has 3 values for 4 lists of 7 rows\nHint: give an array with one group a list or a row"),
        ([["x"] * 4], "`by` must have 1 dimension, not 2"),
        ({"a": 1, "b": 1, "d": 2}, "query .c. has no group\nHint: give every query a group in `by` .*; None stands"),
        ("country", "there is no column 'country' to group by"),
        (
            ["x", "x", "y", "z", "x", "x", "y"],
            "rows 2 and 3: `by` is 'y' and 'z' within query 'b'; all rows of a list belong to one group",
        ),
        ([1.0, math.nan, 1, 1, 1, 1, 1], r"rows 0 and 1: `by` is '1' and '\(none\)' within query 'a'"),
        (Ids.of("xyyyxxy"), "rows 0 and 1: `by` is 'x' and 'y' within query 'a'"),
    ],
)
def test_what_is_no_grouping_is_refused(by: Any, says: str) -> None:
    with pytest.raises(DataError, match=says):
        evaluate(LABELS, SCORES, MEASURES, qid=QID, by=by)


def test_a_row_that_differs_is_named_as_the_caller_gave_it() -> None:
    with pytest.raises(DataError, match="rows 0 and 2: `by` is '1' and '2' within query 'b'"):
        evaluate([1, 0, 0], [1.0, 2.0, 3.0], "RR", qid=["b", "a", "b"], by=[1, 1, 2])


def test_columns_and_groups_that_are_not_there_are_refused() -> None:
    searches = hotel_searches(searches=20, seed=1)
    price = searches.feature("price")
    with pytest.raises(DataError, match="there is no column 'country' to group by\nHint: there are price, stars"):
        evaluate(searches, price, "RR", by="country")
    with pytest.raises(DataError, match="`by` names a column 'kind', and there are none here\nHint: only a Dataset"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR", by="kind")
    with pytest.raises(DataError, match="`by` has 2 values for 1 lists"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR", by=["x", "y"])
    result = evaluate(LABELS, SCORES, MEASURES, qid=QID)
    with pytest.raises(DataError, match="this result has no groups\nHint: evaluate"):
        result.groups  # noqa: B018
    with pytest.raises(DataError, match="there is no group 'q'\nHint: there are x, y"):
        result.by(["x", "y", "x", "y"])["q"]
