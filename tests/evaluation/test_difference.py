"""Equality and difference of two results."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rankwise import Dataset, MeasureError, Result, evaluate
from rankwise.measures import RR, nDCG

QID = ["a", "a", "b", "b", "c", "c"]
LABELS = [1, 0, 2, 0, 0, 0]


def result_of(scores: list[float], measures: Any = ("RR", "nDCG@2"), **how: Any) -> Result:
    return evaluate(LABELS, scores, list(measures), qid=how.pop("qid", QID), **how)


SAME = [3.0, 1, 2, 1, 2, 1]
# The lists a and b the other way round.
OTHER = [1.0, 3, 1, 2, 2, 1]


# Equality.


def test_results_are_equal_if_measures_values_and_queries_are() -> None:
    assert result_of(SAME, name="one") == result_of(SAME, name="other")
    assert result_of(SAME) != result_of(OTHER)
    assert result_of(SAME) != result_of(SAME, ["RR"])
    assert result_of(SAME) != result_of(SAME, ["RR", "nDCG(gain='linear')@2"])
    assert result_of(SAME) != result_of(SAME, qid=["a", "a", "b", "b", "d", "d"])
    assert result_of(SAME) != evaluate(LABELS[:4], SAME[:4], ["RR", "nDCG@2"], qid=QID[:4])
    assert result_of(SAME, ["RR(empty='skip')"]) == result_of(SAME, [RR(empty="skip")])
    assert result_of(SAME) != "RR"


def test_the_order_of_lists_does_not_matter() -> None:
    order = [4, 5, 0, 1, 2, 3]
    moved = evaluate(
        [LABELS[i] for i in order], [SAME[i] for i in order], ["RR", "nDCG@2"], qid=[QID[i] for i in order]
    )
    assert moved.queries != result_of(SAME).queries
    assert moved == result_of(SAME)
    assert not moved.diff(result_of(SAME))


def test_what_was_special_and_weights_matter() -> None:
    tied = result_of([1.0, 1, 2, 1, 2, 2], ["RR(ties='input')"])
    assert np.array_equal(tied.values, result_of(SAME, ["RR(ties='input')"]).values)
    assert tied != result_of(SAME, ["RR(ties='input')"])
    one, two, again = (
        evaluate(Dataset.of(labels=LABELS, qid=QID, weights=weights), SAME, "RR")
        for weights in ([1.0, 1, 1], [1.0, 2, 1], [1.0, 1, 1])
    )
    assert one == again != two
    assert one != evaluate(LABELS, SAME, "RR", qid=QID)


def test_a_result_is_not_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(result_of(SAME))


# Difference.


def test_no_difference() -> None:
    diff = result_of(SAME).diff(result_of(SAME))
    assert not diff
    assert repr(diff) == "no difference"
    assert all(change.queries == [] and math.isnan(change.greatest) for change in diff)


def test_lists_that_differ_come_with_the_greatest_first() -> None:
    diff = result_of(SAME).diff(result_of(OTHER))
    assert diff
    change = diff["nDCG@2"]
    assert change.queries == ["a", "b"]
    assert change.before.tolist() == [1.0, 1.0]
    loss = 1 - 1 / math.log2(3)
    assert change.differences.tolist() == pytest.approx([-loss, -loss])
    assert change.greatest == pytest.approx(loss)
    assert repr(diff).splitlines() == [
        "measure  lists    this   other  difference  greatest",
        "RR           2  0.6667  0.3333     -0.3333    0.5000",
        "nDCG@2       2  0.6667  0.4206     -0.2460    0.3691",
        "",
        "measure  query    this   other  difference",
        "RR       a      1.0000  0.5000     -0.5000",
        "RR       b      1.0000  0.5000     -0.5000",
        "nDCG@2   a      1.0000  0.6309     -0.3691",
        "nDCG@2   b      1.0000  0.6309     -0.3691",
    ]
    assert diff.to_csv().splitlines()[:3] == ["measure,query,this,other", "RR,a,1.0,0.5", "RR,b,1.0,0.5"]
    for form in (diff._repr_html_(), diff.to_markdown(), diff.to_latex()):
        assert "-0.3333" in form and "0.6309" in form


def test_the_greatest_change_comes_first_and_a_list_without_a_number_before_it() -> None:
    labels, qid = [1, 0, 0, 1, 0, 0, 0, 0, 0], np.repeat(["a", "b", "c"], 3)
    one = evaluate(labels, [3.0, 2, 1, 3, 2, 1, 3, 2, 1], "RR(empty='skip')", qid=qid)
    two = evaluate([1, 0, 0, 1, 0, 0, 1, 0, 0], [2.0, 3, 1, 1, 2, 3, 3, 2, 1], "RR(empty='skip')", qid=qid)
    (change,) = one.diff(two)
    assert change.queries == ["c", "b", "a"]
    assert change.differences.tolist()[1:] == pytest.approx([1 / 3 - 1, -0.5])
    assert change.greatest == pytest.approx(2 / 3)


def test_a_measure_under_another_convention_is_matched_by_its_text() -> None:
    diff = result_of(SAME, ["nDCG@2"]).diff(result_of(SAME, ["nDCG@2"], convention="yahoo"))
    assert diff["nDCG@2"].queries == ["c"]
    assert diff["nDCG@2"].differences.tolist() == [1.0]
    assert "nDCG@2: empty lists: 0, there 1" in repr(diff)


def test_a_list_left_out_of_the_mean_is_a_difference() -> None:
    diff = evaluate(LABELS, SAME, nDCG(2), qid=QID).diff(evaluate(LABELS, SAME, nDCG(2, empty="skip"), qid=QID))
    assert not diff.changes
    assert repr(diff).endswith("only this has nDCG@2\nonly the other has nDCG(empty='skip')@2")
    skipped = evaluate(LABELS, SAME, "nDCG@2", qid=QID, convention="standard").diff(
        evaluate(LABELS, SAME, "nDCG@2", qid=QID, convention=nDCG(empty="skip").convention)
    )
    assert skipped["nDCG@2"].queries == ["c"]
    assert math.isnan(skipped["nDCG@2"].greatest)


def test_lists_that_only_one_has_and_special_lists_are_said() -> None:
    diff = result_of(SAME, ["RR"]).diff(evaluate([1, 0, 1], [2.0, 2, 1], "RR", qid=["a", "a", "z"]))
    assert (diff.only_this, diff.only_other) == (["b", "c"], ["z"])
    shown = repr(diff)
    assert "2 lists only in this: b, c" in shown and "1 list only in the other: z" in shown
    assert "RR: empty 1, there 0; tied 0, there 1; tied_decided 0, there 1" in shown


def test_many_lists_are_cut_in_the_table_only() -> None:
    labels, qid = [1, 0] * 30, np.repeat(np.arange(30), 2)
    diff = evaluate(labels, [2.0, 1] * 30, "RR", qid=qid).diff(evaluate(labels, [1.0, 2] * 30, "RR", qid=qid))
    assert repr(diff).endswith("\n\nand 20 more")
    assert len(diff.to_csv().splitlines()) == 31


def test_refusals() -> None:
    with pytest.raises(MeasureError, match="a result is compared with a result, not with dict"):
        result_of(SAME).diff({})  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="the other result has no RR"):
        result_of(SAME).diff(result_of(SAME, ["nDCG@2"]))["RR"]
    with pytest.raises(MeasureError, match="this result has no AP"):
        result_of(SAME).diff(result_of(SAME))["AP"]
