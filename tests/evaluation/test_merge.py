"""Results of parts make the result of all, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise import DataError, Dataset, Result, evaluate, load_result, merge_results
from rankwise.errors import MeasureError, RankwiseError

MEASURES = ["nDCG@3", "AP(empty='skip')", "RR(mean='geometric')", "NumRel(mean='sum')"]


def data_of(seed: int, lists: int, weights: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(lists), 4)
    labels, scores = rng.integers(0, 3, 4 * lists), rng.integers(0, 5, 4 * lists) / 4
    return labels, scores, qid, rng.random(lists) if weights else None


def part(data: Any, lists: np.ndarray, **how: Any) -> Result:
    labels, scores, qid, weights = data
    rows = np.isin(qid, lists)
    chosen = None if weights is None else weights[np.sort(lists)]
    dataset = Dataset.of(labels=labels[rows], qid=qid[rows], weights=chosen)
    return evaluate(dataset, scores[rows], MEASURES, **how)


@settings(deadline=None)
@given(
    seed=st.integers(0, 10_000), cuts=st.lists(st.integers(1, 19), max_size=4), weights=st.booleans(), data=st.data()
)
def test_the_parts_make_the_whole_in_any_order(seed: int, cuts: list[int], weights: bool, data: st.DataObject) -> None:
    given_data = data_of(seed, 20, weights)
    shuffled = np.random.default_rng(seed).permutation(20)
    parts = [part(given_data, lists, bounds=True) for lists in np.split(shuffled, sorted(set(cuts)))]
    merged = merge_results(data.draw(st.permutations(parts)))
    whole = part(given_data, np.arange(20), bounds=True)
    assert merged == whole
    assert repr(merged) == repr(whole)
    for one, other in zip(merged, whole, strict=True):
        assert repr((one.mean, one.stderr, one.interval, one.bootstrap, one.bounds, one.included)) == repr(
            (other.mean, other.stderr, other.interval, other.bootstrap, other.bounds, other.included)
        )
        assert one.counts.as_dict() == other.counts.as_dict()


def test_groups_are_merged_by_name() -> None:
    data = data_of(1, 6, False)
    parts = [part(data, np.arange(3), by=["x", "y", "x"]), part(data, np.arange(3, 6), by=["z", "x", "x"])]
    whole = part(data, np.arange(6), by=["x", "y", "x", "z", "x", "x"])
    assert Result.merge(parts).groups.to_csv() == whole.groups.to_csv()


def test_judged_runs_are_merged_and_what_one_part_does_not_know_may_be_anothers(tmp_path: Path) -> None:
    qrels = {"a": {"x": 1, "y": 0}, "b": {"x": 2}, "c": {"y": 1}}
    run = {"a": {"x": 1.0, "y": 2.0}, "b": {"z": 1.0}, "c": {"y": 0.5}, "nowhere": {"x": 1.0}}
    whole = evaluate(qrels, run, ["nDCG@5", "AP"], name="bm25")
    parts = [evaluate({q: qrels[q]}, run, ["nDCG@5", "AP"], name="bm25") for q in qrels]
    assert [p.unknown_queries for p in parts] == [3, 3, 3]
    assert repr(merge_results(parts)) == repr(whole)
    for at, one in enumerate(parts):
        one.save(tmp_path / str(at))
    loaded = merge_results(load_result(tmp_path / str(at)) for at in range(3))
    assert repr(loaded) == repr(whole)
    assert loaded == whole
    assert merge_results(parts, name="all").name == "all"


def test_a_merged_result_can_be_saved(tmp_path: Path) -> None:
    data = data_of(3, 8, True)
    merged = merge_results([part(data, np.arange(4)), part(data, np.arange(4, 8))])
    merged.save(tmp_path / "r")
    assert load_result(tmp_path / "r") == merged == part(data, np.arange(8))


# Refusals.

ONE = evaluate([1, 0], [2.0, 1.0], ["RR", "AP"], qid=["a", "a"])


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (ONE, "query 'a' is in 2 of the results\nHint: parts have no list in common"),
        (evaluate([1], [1.0], ["RR"], qid=["b"]), "results of 2 and of 1 measures cannot be merged"),
        (
            evaluate([1], [1.0], ["RR", "P@1"], qid=["b"]),
            "results of AP and of P@1 cannot be merged\nHint: evaluate the parts under the same measures",
        ),
        (
            evaluate([1], [1.0], ["RR", "AP(ties='worst')"], qid=["b"]),
            r"results of AP and of AP\(ties='worst'\) cannot be merged; ties: 'expected' and 'worst'",
        ),
        (
            evaluate(Dataset.of(labels=[1], qid=["b"], weights=[2.0]), [1.0], ["RR", "AP"]),
            "1 of 2 results have weights\nHint: all of them or none",
        ),
        (evaluate([1], [1.0], ["RR", "AP"], qid=["b"], by=["x"]), "1 of 2 results have groups"),
        (evaluate([1], [1.0], ["RR", "AP"], qid=["b"], keep=5), "looked at different numbers of documents"),
        (evaluate({"b": {"x": 1}}, {"b": {"x": 1.0}}, ["RR", "AP"]), "results of judged runs and of datasets"),
    ],
)
def test_what_is_no_part_of_one_whole_is_refused(other: Result, says: str) -> None:
    with pytest.raises(RankwiseError):
        merge_results([other, ONE])
    with pytest.raises(RankwiseError, match=says):
        merge_results([ONE, other])


def test_nothing_cannot_be_merged() -> None:
    with pytest.raises(DataError, match="there are no results to merge"):
        merge_results([])


def test_what_is_no_result_is_not_merged() -> None:
    with pytest.raises(MeasureError, match="results are merged, not int"):
        merge_results([ONE, 3])  # type: ignore[list-item]
