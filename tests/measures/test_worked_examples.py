"""Numbers that were worked out by hand or in print."""

from __future__ import annotations

import math

import numpy as np
import pytest

from measures.making import List, random_list, values_of
from rankwise import evaluate, measure
from rankwise.measures import AP, DCG, ERR, HOTELS, RBP, GradedAP, Judged, P, Unjudged, nDCG

R = [3, 2, 3, 0, 1, 2]


def test_two_discounts_of_one_ranking() -> None:
    assert nDCG(gain="linear", discount="jarvelin").of([2, 1, 2, 0]) == pytest.approx(0.9203, abs=5e-5)
    assert nDCG(gain="linear").of([2, 1, 2, 0]) == pytest.approx(0.9652, abs=5e-5)


def test_average_precision_of_three_hits() -> None:
    assert AP().of([1, 0, 1, 0, 1]) == pytest.approx((1 + 2 / 3 + 3 / 5) / 3)
    assert AP().of([1, 0, 1, 0, 1]) == pytest.approx(0.7556, abs=5e-5)


def test_the_dcg_of_six_documents() -> None:
    how = {"gain": "linear", "discount": "jarvelin"}
    assert DCG(**how).of(R) == pytest.approx(8.0972, abs=5e-5)
    assert DCG(**how).of(sorted(R, reverse=True)) == pytest.approx(8.6925, abs=5e-5)
    assert nDCG(**how).of(R) == pytest.approx(0.9315, abs=5e-5)


def test_the_same_with_logarithms_rounded_as_a_source_rounds_them() -> None:
    """It divides the ranking by logarithms of two decimals, which gives 8.09, but the ideal by exact ones: 8.693."""
    exact = {"gain": "linear", "discount": "jarvelin"}
    dcg = round(DCG(gain="linear", discount=tuple(1 / log for log in (1, 1, 1.59, 2, 2.32, 2.59))).of(R), 2)
    ideal = round(DCG(**exact).of(sorted(R, reverse=True)), 3)
    assert (dcg, ideal) == (8.09, 8.693)
    assert round(dcg / ideal, 4) == 0.9306
    assert round(nDCG(**exact).of(R), 4) == 0.9315


def test_bookings_and_clicks() -> None:
    """A booking is worth 5, a click 1: the booked hotel at rank 3 below a clicked one at rank 1."""
    dcg = 1 + 5 / math.log2(4)
    ideal = 5 + 1 / math.log2(3)
    assert nDCG(5, convention=HOTELS).of([1, 0, 5, 0]) == pytest.approx(dcg / ideal)
    assert evaluate([1, 0, 5, 0], [4, 3, 2, 1], convention="hotels")["nDCG@5"].mean == pytest.approx(dcg / ideal)
    # Two clicks, and the booking tied with the first of them.
    tied = values_of([nDCG(5, convention=HOTELS)], [List([1.0, 5.0, 1.0], [2.0, 2.0, 1.0])])
    worth = 3 + 3 / math.log2(3) + 1 / 2
    assert tied == pytest.approx(worth / (5 + 1 / math.log2(3) + 1 / 2))


def test_err_of_a_perfect_and_a_worthless_document() -> None:
    assert ERR().of([4, 0]) == 15 / 16
    assert ERR().of([0, 4]) == 15 / 32
    assert ERR(1).of([0, 4]) == 0


def test_precision_of_a_short_list() -> None:
    assert P(10).of([1, 1, 0, 0]) == 0.2
    assert P(10, p_over="min(k, n)").of([1, 1, 0, 0]) == 0.5


def test_trec_eval_with_mapped_labels_is_ranklib() -> None:
    """0, 1, 2 read as 0, 1, 3 under a linear gain are 2^label − 1, where there are no ties and nothing is missing."""
    rng = np.random.default_rng(4)
    lists = [random_list(rng, rows, 0, unjudged=0, grades=3) for rows in (1, 4, 11, 40) for _ in range(5)]
    for one in lists:
        one.outside = []
    mapped = [List([{2.0: 3.0}.get(x, x) for x in one.labels], one.scores, [], one.documents) for one in lists]
    for k in (1, 3, 10, 50):
        theirs = values_of([measure(f"trec_eval:ndcg_cut_{k}")], mapped)
        ours = values_of([measure(f"ranklib2_1:NDCG@{k}")], lists)
        np.testing.assert_allclose(theirs, ours, rtol=1e-14)


def test_two_conventions_in_one_process_do_not_touch() -> None:
    before = nDCG(10).of(R)
    nDCG(10, gain={0: 0, 1: 100, 2: 101, 3: 102}).of(R)
    measure("letor4:NDCG@10").of([2, 1, 0])
    assert nDCG(10).of(R) == before
    labels, scores = [3, 0, 2, 1], [1.0, 2.0, 3.0, 4.0]
    both = evaluate(labels, scores, [nDCG(3), nDCG(3, gain="linear")]).means
    assert list(both.values()) == [
        evaluate(labels, scores, m).outcomes[0].mean for m in (nDCG(3), nDCG(3, gain="linear"))
    ]


def test_rank_biased_precision() -> None:
    """Hits at 1, 3 and 6 with p = 0.8: 0.2 (1 + 0.64 + 0.32768)."""
    assert RBP().of([1, 0, 1, 0, 0, 1]) == pytest.approx(0.2 * (1 + 0.8**2 + 0.8**5))
    assert (RBP(p=0.8) @ 3).of([1, 0, 1, 0, 0, 1]) == pytest.approx(0.2 * (1 + 0.8**2))
    assert RBP(p=0).of([1, 0, 1]) == 1 and RBP(p=0).of([0, 1]) == 0
    assert RBP(p=0.5, graded=True, gain={0: 0, 1: 0.25, 2: 0.5}).of([1, 2]) == pytest.approx(0.5 * (0.5 + 0.5))


def test_graded_average_precision() -> None:
    """Labels 1, 0, 2 with g = (0.3, 0.7): the second relevant document shares 0.3 with the first."""
    assert GradedAP(g={1: 0.3, 2: 0.7}).of([1, 0, 2]) == pytest.approx((0.3 + (0.3 + 1) / 3) / 1.3)
    tied = values_of([GradedAP(g={1: 0.3, 2: 0.7})], [List([1.0, 2.0], [1.0, 1.0])])
    assert tied == pytest.approx(((0.3 + 1.3 / 2) + (1 + 0.6 / 2)) / 2 / 1.3)


def test_judged_and_unjudged_documents_are_all_there_are() -> None:
    labels = [1.0, math.nan, 0.0, -1.0, 2.0]
    assert Judged(negative="as is").of(labels) == 0.6
    assert Judged(5, negative="as is").of(labels) + Unjudged(5, negative="as is").of(labels) == 1
    tied = values_of([Judged(1), Judged(2, p_over="min(k, n)")], [List([math.nan, 0.0, 3.0], [1.0, 1.0, 1.0])])
    assert tied.ravel().tolist() == pytest.approx([2 / 3, 2 / 3])
