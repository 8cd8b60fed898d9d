"""Weights of lists: every mean is a weighted one, whatever holds the lists and whatever an empty list scores."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankwise import DataError, Dataset, Qrels, Run, evaluate, judge
from rankwise.measures import AP, NumRel, nDCG

LABELS, SCORES, QID = [0, 1, 0, 0], [2.0, 1.0, 2.0, 1.0], ["full", "full", "empty", "empty"]
FULL = 1 / math.log2(3)


@pytest.mark.parametrize(
    "empty, mean", [(1.0, (FULL + 9) / 10), (0.0, FULL / 10), (0.5, (FULL + 4.5) / 10), ("skip", FULL)]
)
def test_a_weighted_mean_with_an_empty_list_is_right(empty: object, mean: float) -> None:
    """LightGBM adds 1 for a list without a relevant document, whatever its weight: 0.171 where 0.971 is right."""
    m = nDCG(2, empty=empty)
    for weights in ([1, 9], {"full": 1, "empty": 9, "unheard": 3}, np.array([0.5, 4.5], np.float32)):
        outcome = evaluate(LABELS, SCORES, m, qid=QID, weights=weights)[0]
        assert outcome.mean == pytest.approx(mean, abs=1e-15)
        assert (outcome.included, outcome.counts.empty) == (1 if empty == "skip" else 2, 1)
    assert math.isnan(evaluate(LABELS, SCORES, nDCG(2, empty="nan"), qid=QID, weights=[1, 9])[0].mean)


def test_all_that_holds_lists_takes_them() -> None:
    qrels = {"full": {"a": 0, "b": 1}, "empty": {"a": 0}}
    run = {"full": {"a": 2.0, "b": 1.0}, "empty": {"a": 1.0}}
    data = Dataset.of(labels=LABELS, qid=QID)
    weights = {"empty": 9, "full": 1}
    found = [
        evaluate(LABELS, SCORES, nDCG(2), qid=QID, weights=weights),
        evaluate(data, SCORES, nDCG(2), weights=weights),
        evaluate(Dataset.of(labels=LABELS, qid=QID, weights=weights), SCORES, nDCG(2)),
        evaluate(qrels, run, nDCG(2), weights=weights),
        evaluate(judge(Qrels.of(qrels), Run.of(run)), measures=nDCG(2), weights=weights),
    ]
    assert [result[0].mean for result in found] == pytest.approx([FULL / 10] * 5)
    numbered = evaluate([1, 0], [1.0, 1.0], AP(), group=[1, 1], weights={1: 3, 2: 1})
    assert numbered["AP"].mean == 0.75


def test_a_list_missing_from_the_run_has_its_weight_too() -> None:
    qrels, run = {"a": {"x": 1}, "b": {"x": 1}}, {"a": {"x": 1.0}}
    means = [evaluate(qrels, run, AP(missing=rule), weights={"a": 1, "b": 3})[0].mean for rule in ("zero", "skip")]
    assert means == [0.25, 1.0]


@pytest.mark.parametrize("mean", ["lists", "geometric", "sum"])
@pytest.mark.parametrize("empty", [0.0, 1.0, "skip"])
def test_a_list_of_weight_3_counts_as_three_lists(mean: str, empty: object) -> None:
    rng = np.random.default_rng(5)
    labels, scores = rng.integers(0, 2, (12, 4)), rng.random((12, 4))
    labels[:3] = 0
    times = rng.integers(0, 4, 12)
    measures = [kind(mean=mean, empty=empty) for kind in (nDCG, AP)] + [NumRel(mean=mean)]
    weighted = evaluate(labels.ravel(), scores.ravel(), measures, group=[4] * 12, weights=times)
    repeated = evaluate(
        np.repeat(labels, times, axis=0).ravel(), np.repeat(scores, times, axis=0).ravel(), measures,
        group=[4] * times.sum(),
    )  # fmt: skip
    for a, b in zip(weighted, repeated, strict=True):
        assert a.mean == pytest.approx(b.mean, rel=1e-12), str(a.measure)


def test_equal_weights_are_none() -> None:
    rng = np.random.default_rng(6)
    labels, scores = rng.integers(0, 3, 200), rng.random(200)
    plain = evaluate(labels, scores, ["nDCG@5", "AP"], group=[10] * 20)
    equal = evaluate(labels, scores, ["nDCG@5", "AP"], group=[10] * 20, weights=[2.5] * 20)
    for a, b in zip(plain, equal, strict=True):
        assert (b.mean, b.stderr) == pytest.approx((a.mean, a.stderr), rel=1e-12)


def test_weights_that_sum_to_0_leave_no_mean() -> None:
    assert math.isnan(evaluate([1, 0], [2.0, 1.0], "AP", group=[1, 1], weights=[0, 0])["AP"].mean)


def test_what_is_refused() -> None:
    def weigh(weights: object) -> None:
        evaluate(LABELS, SCORES, "AP", qid=QID, weights=weights)

    with pytest.raises(DataError, match=r"there are 4 weights for 2 lists\nHint: .* `document_weights`"):
        weigh([1, 1, 1, 1])
    with pytest.raises(DataError, match=r"query 'empty' has no weight\nHint: a list of weight 0 is left out"):
        weigh({"full": 1})
    for bad in (-1.0, math.nan, math.inf):
        with pytest.raises(DataError, match=f"the weight of list 1 is {bad:g}; weights are finite and not negative"):
            weigh([1, bad])
    with pytest.raises(DataError, match="weights must be numbers"):
        weigh({"full": "much", "empty": 1})
    data = Dataset.of(labels=LABELS, qid=QID, weights=[1, 2])
    with pytest.raises(DataError, match=r"has weights of lists already, and others are given\nHint: leave out"):
        evaluate(data, SCORES, "AP", weights=[1, 2])
