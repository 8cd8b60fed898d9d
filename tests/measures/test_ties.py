"""Ties: the mean, the best and the worst over all orders by brute force, and the rules that settle an order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measures.making import (
    List,
    every_measure,
    few_scores,
    fits,
    lists_of,
    name_of,
    random_list,
    single_choices,
    small_lists,
    values_of,
)  # fmt: skip
from oracles import measures as oracle
from rankwise import MeasureError
from rankwise.measures import AP, ERR, MEASURES, RR, STANDARD, Convention, IPrec, P, R, nDCG, nDCGrel

TIED = small_lists(most=7, scores=few_scores)
# `hits` among the denominators has no mean over orders, and unlike all others its best order is not by falling worth.
CHOICES = [choices for choices in single_choices() if choices.get("ap_over") != "hits"]


def tied_lists(rng: np.random.Generator, how_many: int) -> list[List]:
    """Lists of up to 7 documents with at most 3 different scores."""
    return [random_list(rng, int(rng.integers(1, 8)), int(rng.integers(1, 4)), grades=3) for _ in range(how_many)]


@pytest.mark.parametrize("choices", CHOICES, ids=name_of)
def test_expected_best_and_worst_are_what_all_orders_say(choices: dict) -> None:
    rng = np.random.default_rng(11)
    lists = [fits(Convention(**choices), one) for one in tied_lists(rng, 8)]
    found = {}
    for ties in ("expected", "best", "worst"):
        measures = every_measure(STANDARD.but(ties=ties, **choices), (1, 3, 9, None))
        for m, values in zip(measures, values_of(measures, lists), strict=True):
            found[(m.name, m.k, *m._parameters().values(), ties)] = m, values
    for (*_, ties), (m, values) in found.items():
        for one, value in zip(lists, values.tolist(), strict=True):
            mean, most, least = oracle.over_orders(m, one.labels, one.scores, one.outside)
            best, worst = (most, least) if m.higher_is_better else (least, most)
            wanted = {"expected": mean, "best": best, "worst": worst}[ties]
            assert value == pytest.approx(wanted, abs=1e-12, nan_ok=True), f"{m} of {one}"


@settings(max_examples=60)
@given(one=TIED, k=st.integers(1, 9))
def test_the_expected_value_is_the_mean_over_all_orders(one: List, k: int) -> None:
    measures = [
        nDCG(k),
        AP(k),
        RR(k),
        P(k),
        R(k),
        ERR(k),
        AP(k, ap_over="min(R, k)"),
        MEASURES["Bpref"](),
        MEASURES["Rprec"](),
    ]
    for m, (value,) in zip(measures, values_of(measures, [one]).tolist(), strict=True):
        assert value == pytest.approx(oracle.over_orders(m, one.labels, one.scores, one.outside)[0], abs=1e-12)


@settings(max_examples=40)
@given(one=TIED, ties=st.sampled_from(["best", "worst"]))
def test_the_bounds_are_those_over_all_orders(one: List, ties: str) -> None:
    measures = every_measure(STANDARD.but(ties=ties), (2,))
    for m, (value,) in zip(measures, values_of(measures, [one]).tolist(), strict=True):
        _, most, least = oracle.over_orders(m, one.labels, one.scores, one.outside)
        wanted = most if (ties == "best") == m.higher_is_better else least
        assert value == pytest.approx(wanted, abs=1e-12), str(m)


@pytest.mark.parametrize("ties", ["input", "reversed", "docid", "docid-desc", "selection-sort"])
@pytest.mark.parametrize("precision", ["float64", "float32"])
@settings(max_examples=40)
@given(lists=st.lists(small_lists(), min_size=1, max_size=3))
def test_a_rule_that_settles_ties_gives_the_order_it_says(ties: str, precision: str, lists: list[List]) -> None:
    settle_as_said(ties, precision, lists, (1, 3, 8, None))


@pytest.mark.parametrize("ties", ["input", "reversed", "docid", "docid-desc", "selection-sort"])
@pytest.mark.parametrize("k", [3, 17, 50, None])
def test_it_does_so_on_every_path_through_the_ordering(ties: str, k: int | None) -> None:
    rng = np.random.default_rng(5)
    lists = [random_list(rng, rows, kinds) for rows in (65, 300, 900) for kinds in (5, 60, 500)]
    settle_as_said(ties, "float64", lists, (k,))


def settle_as_said(ties: str, precision: str, lists: list[List], cuts) -> None:
    measures = [kind(k, ties=ties, precision=precision) for kind in (nDCG, ERR) for k in cuts]
    for m, row in zip(measures, values_of(measures, lists), strict=True):
        for one, value in zip(lists, row.tolist(), strict=True):
            rows = oracle.settled(ties, one.scores, one.documents, single=precision == "float32")
            wanted = oracle.value(m, [one.labels[r] for r in rows], one.outside)
            assert value == pytest.approx(wanted, abs=1e-12), f"{m} of {one}"


def test_lots_depend_on_seed_query_and_document_and_on_nothing_else() -> None:
    rng = np.random.default_rng(8)
    lists = [random_list(rng, 40, 4) for _ in range(30)]
    shuffled = [one.reordered(rng.permutation(40).tolist()) for one in lists]

    def drawn(which: list[List], seed: int) -> np.ndarray:
        return values_of([nDCG(5, ties="random", seed=seed)], which)[0]

    np.testing.assert_array_equal(drawn(lists, 1), drawn(shuffled, 1))
    assert (drawn(lists, 1) != drawn(lists, 2)).mean() > 0.5
    # The same documents under another query are drawn anew.
    twice = drawn([lists[0]] * 30, 1)
    assert len(set(twice.tolist())) > 15


def test_lots_are_fair() -> None:
    """Of many seeds the mean is the expected value, within five standard errors."""
    one = List([3.0, 0, 1, 0, 2, 0], [1.0] * 6)
    for kind in (nDCG, ERR, AP):
        ((expected,),) = values_of([kind(3)], [one])
        drawn = values_of([kind(3, ties="random", seed=seed) for seed in range(2000)], [one])[:, 0]
        assert abs(drawn.mean() - expected) < 5 * drawn.std() / np.sqrt(2000)


def test_seeds_matter_without_ids_as_well() -> None:
    from rankwise.evaluation.lists import Lists

    bare = Lists(np.arange(30) % 4 / 1.0, np.zeros(30), np.array([0, 30]))
    values = {bare.compute([nDCG(5, ties="random", seed=seed)])[0][0][0] for seed in range(20)}
    assert len(values) > 10


@pytest.mark.parametrize("ties", ["expected", "best", "worst"])
def test_the_order_of_rows_does_not_matter_where_ties_stay_open(ties: str) -> None:
    rng = np.random.default_rng(9)
    lists = [random_list(rng, rows, kinds) for rows in (7, 64, 65, 300, 900) for kinds in (1, 3, 30)]
    for one in lists:  # gains that no sum adds up exactly
        one.labels = [label * 0.3 for label in one.labels]
    shuffled = [one.reordered(rng.permutation(len(one.labels)).tolist()) for one in lists]
    for cuts in ((1,), (10,), (17, None)):
        measures = every_measure(STANDARD.but(ties=ties), cuts)
        for m, a, b in zip(
            measures, lists_of(lists).compute(measures), lists_of(shuffled).compute(measures), strict=True
        ):
            np.testing.assert_array_equal(a[0], b[0], err_msg=f"values of {m}")
            np.testing.assert_array_equal(a[1], b[1], err_msg=f"flags of {m}")


@pytest.mark.parametrize("ties", ["docid", "docid-desc", "random"])
def test_nor_does_it_where_ids_settle_them(ties: str) -> None:
    rng = np.random.default_rng(10)
    lists = [random_list(rng, rows, 5) for rows in (7, 65, 300, 900)]
    shuffled = [one.reordered(rng.permutation(len(one.labels)).tolist()) for one in lists]
    measures = every_measure(STANDARD.but(ties=ties), (1, 10, None))
    np.testing.assert_array_equal(values_of(measures, lists), values_of(measures, shuffled))


def test_long_ties_are_exact() -> None:
    """All tied: the expected values are known by hand."""
    n, r = 1000, 10
    one = List([1.0] * r + [0.0] * (n - r), [0.0] * n)
    discounts = 1 / np.log2(np.arange(2, n + 2))
    assert values_of([nDCG(10, gain="linear")], [one]) == pytest.approx(
        r / n * discounts[:10].sum() / discounts[:10].sum()
    )
    assert values_of([P(10)], [one]) == pytest.approx(r / n)
    harmonic = (1 / np.arange(1, n + 1)).sum()
    # AP of a random order: (1 / n) Σ_j (1 + (j − 1)(r − 1)/(n − 1)) / j.
    q = (r - 1) / (n - 1)
    assert values_of([AP()], [one]) == pytest.approx((harmonic * (1 - q) + n * q) / n)


def test_measures_without_a_mean_over_orders_say_so() -> None:
    one = List([1.0, 0.0], [1.0, 1.0])
    for m in (IPrec(), nDCGrel(), AP(5, ap_over="hits")):
        with pytest.raises(MeasureError, match=f"{m.name} has no closed form over ties"):
            values_of([m], [one])


@pytest.mark.parametrize("ties", ["best", "worst"])
def test_ap_over_hits_has_no_bounds_either(ties: str) -> None:
    """With the cut in a tied block the best order may be one that pushes a relevant document beyond it."""
    one = List([1.0, 0.0, 0.0, 1.0, 0.0], [5.0, 4.0, 3.0, 1.0, 1.0])
    by_hand = oracle.over_orders(AP(4, ap_over="hits"), one.labels, one.scores)
    assert by_hand[1:] == (1.0, 0.75)
    with pytest.raises(MeasureError, match="AP has no closed form over ties"):
        values_of([AP(4, ap_over="hits", ties=ties)], [one])
