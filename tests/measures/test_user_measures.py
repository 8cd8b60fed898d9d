"""A user's function of ranked labels is a measure: put in order by the kernels, averaged and counted like any other."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measures.making import NAN, List, lists_of, random_list, small_lists, values_of
from oracles import measures as oracle
from rankwise import MeasureError, Qrels, Run, evaluate, judge, measure, user_measure
from rankwise.measures import AP, ERR, RR, Measure, P


def reciprocal_rank(labels: np.ndarray) -> float:
    relevant = np.flatnonzero(labels >= 1)
    return 1 / (1 + relevant[0]) if len(relevant) else NAN


def places(labels: np.ndarray) -> float:
    """A number that another order of the labels nearly always changes."""
    return float(np.sum(np.where(np.isnan(labels), 7.3, labels) * np.sqrt(np.arange(1, len(labels) + 1))))


SETTLED = ["input", "reversed", "docid", "docid-desc", "selection-sort"]


@pytest.mark.parametrize("ties", SETTLED)
@pytest.mark.parametrize("precision", ["float64", "float32"])
@settings(max_examples=30, deadline=None)
@given(lists=st.lists(small_lists(), min_size=1, max_size=3))
def test_it_sees_the_labels_in_ranked_order(ties: str, precision: str, lists: list[List]) -> None:
    for one, value in zip(lists, seen(ties, precision, lists), strict=True):
        rows = oracle.settled(ties, one.scores, one.documents, single=precision == "float32")
        assert value == places(np.array([one.labels[row] for row in rows])), str(one)


@pytest.mark.parametrize("ties", SETTLED)
def test_so_it_does_on_every_path_through_the_ordering(ties: str) -> None:
    rng = np.random.default_rng(5)
    lists = [random_list(rng, rows, kinds) for rows in (65, 300, 900) for kinds in (0, 5, 500)]
    for one, value in zip(lists, seen(ties, "float64", lists), strict=True):
        rows = oracle.settled(ties, one.scores, one.documents)
        assert value == places(np.array([one.labels[row] for row in rows]))


def seen(ties: str, precision: str, lists: list[List]) -> list[float]:
    return values_of([user_measure("places", places, ties=ties, precision=precision)], lists)[0].tolist()


def test_it_is_the_measure_of_the_same_formula() -> None:
    rng = np.random.default_rng(7)
    lists = [random_list(rng, int(rows), 4) for rows in rng.integers(0, 60, 40)]
    for one in lists:
        one.outside = []
    mine = user_measure("rr", reciprocal_rank, empty=0.25)
    for choices in ({}, {"unjudged": "removed"}, {"precision": "float32"}, {"ties": "random", "seed": 3}):
        own, kernel = lists_of(lists).compute([mine.but(**choices), RR(**{"ties": "input", "empty": 0.25, **choices})])
        np.testing.assert_array_equal(own[0], kernel[0])
        np.testing.assert_array_equal(own[1] & 1, kernel[1] & 1)


def test_an_empty_list_is_what_the_convention_says() -> None:
    data = [1, 0, 0], [3.0, 2.0, 1.0]
    for empty, mean, included in ((0.0, 0.5, 2), (1.0, 1.0, 2), ("skip", 1.0, 1), ("nan", NAN, 1)):
        outcome = evaluate(*data, user_measure("rr", reciprocal_rank, empty=empty), group=[2, 1])[0]
        assert outcome.mean == pytest.approx(mean, nan_ok=True)
        assert (outcome.included, outcome.counts.empty) == (included, 1)


def test_what_was_special_is_counted() -> None:
    labels, scores = [1, 0, 0, 0, 1, NAN], [1.0, 1.0, 2.0, 2.0, 3.0, 1.0]
    counts = evaluate(labels, scores, user_measure("rr", reciprocal_rank), group=[2, 2, 2])[0].counts
    assert (counts.tied, counts.tied_decided, counts.unjudged, counts.empty, counts.short) == (2, 1, 1, 1, 0)


def test_a_missing_list_is_what_the_convention_says() -> None:
    judged = judge(Qrels.of({"a": {"x": 1}, "b": {"x": 1}}), Run.of({"a": {"x": 1.0}}))
    calls: list[int] = []

    def size(labels: np.ndarray) -> float:
        calls.append(len(labels))
        return len(labels)

    found = {rule: evaluate(judged, measures=user_measure("size", size, missing=rule))[0] for rule in ("zero", "skip")}
    assert calls == [1, 1]
    assert (found["zero"].mean, found["skip"].mean) == (0.5, 1.0)
    assert evaluate(judged, measures=user_measure("size", size, missing="as is"))[0].mean == 0.5
    assert calls == [1, 1, 1, 0]


def test_it_may_look_at_the_top_alone() -> None:
    result = evaluate([0, 1, 1], [3.0, 2.0, 1.0], [user_measure("n", len), "P(ties='input')@3"], keep=2)
    assert result.values[:, 0].tolist() == [2.0, pytest.approx(1 / 3)]


def test_it_stands_among_others_in_any_order() -> None:
    mine, other = user_measure("rr", reciprocal_rank), user_measure("n", len, ties="reversed")
    result = evaluate([0, 1, 1], [1.0, 1.0, 0.5], [mine, "P@1", other, RR(ties="input"), P(1, ties="input")])
    assert result.values[:, 0].tolist() == [0.5, 0.5, 3.0, 0.5, 0.0]
    assert result[mine].mean == 0.5 and result["user:n(ties='reversed')"].mean == 3.0
    assert "user:rr" in repr(result)


def test_labels_are_read_as_the_convention_says() -> None:
    one = List([2.7, -1.0], [2.0, 1.0])
    total = user_measure("sum", lambda labels: float(np.nansum(labels)), labels="truncated", negative="as is")
    assert values_of([total], [one]) == 1.0
    assert values_of([total.but(negative="zero")], [one]) == 2.0
    with pytest.raises(Exception, match="label -1 is negative"):
        values_of([total.but(negative="error")], [one])


def test_a_function_cannot_change_what_others_see() -> None:
    def spoil(labels: np.ndarray) -> float:
        labels[:] = 9
        return 0.0

    result = evaluate([1, 0], [2.0, 1.0], [user_measure("spoil", spoil), user_measure("rr", reciprocal_rank), "AP"])
    assert result.values[:, 0].tolist() == [0.0, 1.0, 1.0]


def test_it_is_a_value() -> None:
    mine = user_measure("rr", reciprocal_rank)
    assert mine == user_measure("rr", reciprocal_rank, ties="input") != user_measure("rr", len)
    assert isinstance(mine, Measure) and str(mine) == "user:rr(ties='input')"
    assert str(user_measure("n", len, ties="input", rel={1, 2})) == "user:n(ties='input', rel={1, 2})"
    assert user_measure("n", len, convention="letor4").convention.name == "letor4"
    assert user_measure("n", len, convention="hotels").convention.ties == "input"
    assert mine.but(empty=1.0).convention.empty == 1.0 and mine.but(empty=1.0).name == "user:rr"
    assert pickle.loads(pickle.dumps(mine)) == mine and hash(mine) == hash(user_measure("rr", reciprocal_rank))
    assert mine.of([0, 1]) == 0.5
    with pytest.raises(AttributeError, match="a measure does not change"):
        mine.function = len  # type: ignore[misc]


@pytest.mark.parametrize("ties", ["expected", "best", "worst", "kept"])
def test_it_needs_one_order(ties: str) -> None:
    with pytest.raises(MeasureError, match=rf"user:rr is not known for ties='{ties}'\nHint: .* such as ties='input'"):
        evaluate([1, 0], [1.0, 1.0], user_measure("rr", reciprocal_rank, ties=ties))


def test_no_text_stands_for_it() -> None:
    for text in ("user:rr", "user:rr(ties='input')", str(user_measure("rr", reciprocal_rank))):
        with pytest.raises(MeasureError, match=r"a user's function, which no text holds\nHint: .*user_measure\('rr'"):
            measure(text)


def test_its_errors_name_the_list() -> None:
    with pytest.raises(MeasureError, match=r"user:bad, list 'q2': its function failed with ZeroDivisionError") as info:
        evaluate([1, 0], [1.0, 1.0], user_measure("bad", lambda labels: 1 / labels.sum().item()), qid=["q1", "q2"])
    assert isinstance(info.value.__cause__, ZeroDivisionError)
    for wrong in ("much", None, np.zeros(2), [1]):
        with pytest.raises(MeasureError, match=r"user:bad, list 'q1': its function returned .*, not a number"):
            evaluate([1], [1.0], user_measure("bad", lambda labels, wrong=wrong: wrong), qid=["q1"])
    for right in (True, np.bool_(True), 1, np.float32(1), np.array(1.0)):
        assert user_measure("good", lambda labels, right=right: right).of([0]) == 1.0


@pytest.mark.parametrize("name", ["", " ", 3, None])
def test_it_has_a_name(name: object) -> None:
    with pytest.raises(MeasureError, match="the name of a user's measure is a text"):
        user_measure(name, len)  # type: ignore[arg-type]


def test_it_has_a_function_and_no_cut_off() -> None:
    with pytest.raises(MeasureError, match=r"'mine' needs a function, not 3\nHint: give a function of an array"):
        user_measure("mine", 3)  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="user:mine takes no cut-off"):
        user_measure("mine", len) @ 5


def test_what_is_not_known_for_functions_is_refused_in_files() -> None:
    result = evaluate([1], [1.0], user_measure("mine", len))
    with pytest.raises(MeasureError, match="is a measure of yours, which a file cannot hold"):
        result.save("unwritten.rankwise")


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(3)
    lists = [random_list(rng, int(rows), 7) for rows in rng.integers(0, 1500, 100)]
    mine = [user_measure("places", places), ERR(ties="input"), AP(ties="input")]
    one, two = (values_of(mine, lists, threads=threads) for threads in (1, 2))
    np.testing.assert_array_equal(one, two)
    assert math.isfinite(one.sum())
