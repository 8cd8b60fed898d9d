"""Lambdas: equal to brute force over exchanges and orders, and what follows from their definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measures.making import List, few_scores, fits, name_of, random_list, single_choices, small_lists
from oracles import lambdas as oracle
from rankwise import DataError, Dataset, MeasureError, RankwiseError, evaluate
from rankwise.data.ids import Ids
from rankwise.data.judgments import JudgedRun
from rankwise.losses import Lambdas, PreparedLambdas, lambdas
from rankwise.measures import AP, DCG, ERR, RBP, RR, STANDARD, Convention, Measure, P, nDCG

KINDS = (nDCG, DCG, P, AP, RR, ERR)
CUTS = (1, 2, 3, 9, None)
OPEN = ("expected", "best", "worst")
SETTLED = ("input", "reversed", "docid", "docid-desc", "selection-sort")


def judged_run(lists: list[List]) -> JudgedRun:
    """Lists with documents that were not retrieved."""

    def joined(name: str) -> np.ndarray:
        return np.array([x for one in lists for x in getattr(one, name)], np.float64)

    return JudgedRun(
        name="run",
        queries=Ids.of(range(len(lists))),
        documents=Ids.of([d for one in lists for d in one.documents]),
        labels=joined("labels"),
        scores=joined("scores"),
        offsets=np.cumsum([0, *(len(one.labels) for one in lists)]),
        unretrieved_labels=joined("outside"),
        unretrieved_offsets=np.cumsum([0, *(len(one.outside) for one in lists)]),
        unretrieved_documents=Ids.of([f"x{i}" for i in range(sum(len(one.outside) for one in lists))]),
        missing=np.array([not one.labels and bool(one.outside) for one in lists]),
        unknown_queries=Ids.of([]),
    )


def of_lists(lists: list[List], measure: Measure, **how) -> list[Lambdas]:
    found = lambdas(judged_run(lists), None, measure, **how)
    cuts = np.cumsum([len(one.labels) for one in lists])[:-1]
    return [Lambdas(*pair) for pair in zip(*(np.split(column, cuts) for column in found), strict=True)]


def check(lists: list[List], measure: Measure, **how) -> None:
    for one, found in zip(lists, of_lists(lists, measure, **how), strict=True):
        wanted = oracle.lambdas(measure, one.labels, one.scores, one.outside, one.documents, **how)
        for mine, theirs in zip(found, wanted, strict=True):
            assert mine.tolist() == pytest.approx(theirs, abs=1e-12, rel=1e-11), f"{measure} of {one}"


def measures_of(convention: Convention, cuts=CUTS) -> list[Measure]:
    found: list[Measure] = [kind(k, convention=convention) for kind in KINDS for k in cuts]
    found += [RBP(k, p=0.5, graded=graded, convention=convention) for k in (2, None) for graded in (False, True)]
    if convention.ties == "expected":
        found = [m for m in found if m.closed_form]
    return [m for m in found if convention.ties not in ("best", "worst") or m.best_first]


def tied_lists(rng: np.random.Generator, how_many: int, most: int = 5) -> list[List]:
    return [
        random_list(rng, int(rng.integers(0, most + 1)), int(rng.integers(1, 4)), grades=3) for _ in range(how_many)
    ]


# Definition.


@pytest.mark.parametrize("ties", [*OPEN, *SETTLED])
@pytest.mark.parametrize("choices", single_choices(), ids=name_of)
def test_lambdas_are_what_exchanges_change(choices: dict, ties: str) -> None:
    rng = np.random.default_rng(3)
    convention = STANDARD.but(**choices, ties=ties)
    lists = [fits(convention, one) for one in tied_lists(rng, 4)]
    for m in measures_of(convention, (1, 3, None)):
        check(lists, m)


@settings(max_examples=60, deadline=None)
@given(
    one=small_lists(most=6, scores=few_scores),
    k=st.sampled_from(CUTS),
    ties=st.sampled_from(OPEN),
    precision=st.sampled_from(["float64", "float32"]),
)
def test_they_are_so_for_any_small_list(one: List, k: int | None, ties: str, precision: str) -> None:
    for m in measures_of(STANDARD.but(ties=ties, precision=precision), (k,)):
        check([one], m)


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_so_in_one_tied_block(kind: type[Measure]) -> None:
    for labels in ([2.0, 0, 1, 0, 2], [0.0, 0, 1], [1.0, 0], [1.0, 1, 1, 0]):
        for k in CUTS:
            check([List(labels, [0.5] * len(labels))], kind(k))


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_so_in_longer_lists_without_ties(kind: type[Measure]) -> None:
    rng = np.random.default_rng(5)
    for k in (5, None):
        check([random_list(rng, rows, 0) for rows in (9, 30)], kind(k))


@pytest.mark.parametrize("ties", ["expected", "input"])
@pytest.mark.parametrize("sigma", [1.0, 0.3, 2.5])
def test_options_are_as_said(ties: str, sigma: float) -> None:
    rng = np.random.default_rng(6)
    lists = tied_lists(rng, 8)
    for m in (nDCG(2, ties=ties), AP(ties=ties), ERR(3, ties=ties)):
        check(lists, m, sigma=sigma)
        check(lists, m, sigma=sigma, normalized=True)


@pytest.mark.parametrize("ties", ["expected", "input"])
@pytest.mark.parametrize(
    "choices", [{}, {"ideal_cut": "none"}, {"short": "zero"}, {"discount": "jarvelin"}], ids=name_of
)
def test_discounts_may_go_on_below_the_cut(choices: dict, ties: str) -> None:
    rng = np.random.default_rng(7)
    lists = tied_lists(rng, 6)
    for m in (nDCG(1), nDCG(3), DCG(2), nDCG()):
        check(lists, m.but(ties=ties, **choices), below="discounted")


def test_the_usual_variant_is_lightgbms_formula() -> None:
    """Pairs that touch the top 2; gains 2^l − 1, uncut discounts, over the ideal DCG@2, normalised."""
    rng = np.random.default_rng(8)
    labels, scores = rng.integers(0, 4, 12), rng.permutation(12) / 4
    order = np.argsort(-scores, kind="stable")
    gain, discount = 2.0 ** labels[order] - 1, 1 / np.log2(np.arange(2, 14))
    ideal = np.sort(gain)[::-1][:2] @ discount[:2]
    gradient, hessian, total = np.zeros(12), np.zeros(12), 0.0
    for i in range(2):
        for j in range(i + 1, 12):
            high, low = (i, j) if gain[i] > gain[j] else (j, i)
            margin = scores[order[high]] - scores[order[low]]
            delta = abs((gain[i] - gain[j]) * (discount[i] - discount[j])) / ideal / (0.01 + abs(margin))
            rho = 1 / (1 + np.exp(margin))
            gradient[order[[high, low]]] += [-delta * rho, delta * rho]
            hessian[order[[high, low]]] += delta * rho * (1 - rho)
            total += 2 * delta * rho
    data = Dataset.of(labels=labels, group=[12])
    found = lambdas(data, scores, "lightgbm:ndcg@2", below="discounted", normalized=True)
    factor = np.log2(1 + total) / total
    np.testing.assert_allclose(found.gradient, gradient * factor, atol=1e-13)
    np.testing.assert_allclose(found.hessian, hessian * factor, atol=1e-13)


TOOLS = [
    "letor3:nDCG@3", "letor4:nDCG@3", "mslr:nDCG@3", "yahoo_v1_0:nDCG@3", "yahoo_v1_0:ERR@3", "ranklib1:AP",
    "ranklib2:RR@3", "ranklib2:ERR@3", "trec_eval:map", "trec_eval:ndcg_cut_3", "xgboost:ndcg@3", "lightgbm:map@3",
    "catboost:NDCG:top=3", "sklearn:ndcg_score", "gdeval:ERR@3", "rax:nDCG@3", "torchmetrics:nDCG@3",
    "torchmetrics:AP", "torchmetrics:RR", "torchmetrics:P@3",
]  # fmt: skip


@pytest.mark.parametrize("text", TOOLS)
def test_a_tools_lambdas_are_what_its_own_values_say_of_exchanged_scores(text: str) -> None:
    rng = np.random.default_rng(9)
    labels = rng.integers(0, 3 if text.startswith("letor") else 2 if "map" in text else 5, 7)
    scores = rng.permutation(7) - 2.5
    data = Dataset.of(labels=labels, group=[7], documents=[f"d{i}" for i in range(7)])
    gradient = np.zeros(7)

    def value(s: np.ndarray) -> float:
        return float(evaluate(data, s, text).values[0, 0])

    for i in range(7):
        for j in range(i):
            exchanged = scores.copy()
            exchanged[[i, j]] = scores[[j, i]]
            delta = (value(scores) - value(exchanged)) * (1 if scores[i] > scores[j] else -1)
            high, low = (i, j) if delta > 0 else (j, i)
            push = abs(delta) / (1 + np.exp(scores[high] - scores[low]))
            gradient[[high, low]] += [-push, push]
    np.testing.assert_allclose(lambdas(data, scores, text).gradient, gradient, atol=1e-12)


# Laws.


def long_lists(rng: np.random.Generator, kinds=(0, 1, 5, 60)) -> list[List]:
    lists = [random_list(rng, rows, kind) for rows in (0, 1, 7, 64, 65, 150) for kind in kinds]
    for one in lists:  # gains that no sum adds up exactly
        one.labels = [label * 0.3 for label in one.labels]
    return lists


LONG = [kind(k) for kind in (nDCG, DCG, AP, P, RR) for k in (1, 10, None)] + [ERR(10), ERR()]


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("ties", ["expected", "worst", "input"])
def test_gradients_of_a_list_sum_to_zero_and_hessians_are_not_negative(ties: str, normalized: bool) -> None:
    lists = long_lists(np.random.default_rng(10))
    for m in LONG:
        for found in of_lists(lists, m.but(ties=ties), normalized=normalized):
            assert abs(found.gradient.sum()) <= 1e-12 * (1 + np.abs(found.gradient).sum())
            assert (found.hessian >= 0).all()


@pytest.mark.parametrize("ties", ["expected", "best", "worst", "docid", "random"])
def test_the_order_of_rows_does_not_matter_where_ties_are_open_or_ids_settle_them(ties: str) -> None:
    rng = np.random.default_rng(11)
    lists = long_lists(rng)
    orders = [rng.permutation(len(one.labels)).tolist() for one in lists]
    shuffled = [one.reordered(order) for one, order in zip(lists, orders, strict=True)]
    for m in LONG:
        m = m.but(ties=ties)
        for mine, theirs, order in zip(of_lists(lists, m), of_lists(shuffled, m), orders, strict=True):
            np.testing.assert_array_equal(mine.gradient[order], theirs.gradient, err_msg=str(m))
            np.testing.assert_array_equal(mine.hessian[order], theirs.hessian, err_msg=str(m))


def test_neither_threads_nor_the_order_of_lists_change_a_bit() -> None:
    rng = np.random.default_rng(12)
    lists = [random_list(rng, int(rng.integers(1, 300)), kind) for kind in (0, 4, 100) for _ in range(40)]
    order = rng.permutation(len(lists))
    for m in (nDCG(10), ERR(10), AP()):
        one = of_lists(lists, m, threads=1)
        other = of_lists([lists[i] for i in order], m, threads=3)
        for i, found in zip(order, other, strict=True):
            np.testing.assert_array_equal(one[i].gradient, found.gradient)
            np.testing.assert_array_equal(one[i].hessian, found.hessian)


@pytest.mark.parametrize("choice", [1.0, 0.5, "nan", "skip"])
def test_what_an_empty_list_scores_changes_no_bit(choice: object) -> None:
    lists = [*long_lists(np.random.default_rng(13)), List([0.0, 0.0], [1.0, 2.0])]
    for m in (nDCG(10), AP(), RR()):
        for a, b in zip(of_lists(lists, m), of_lists(lists, m.but(empty=choice)), strict=True):
            np.testing.assert_array_equal(a.gradient, b.gradient)
            np.testing.assert_array_equal(a.hessian, b.hessian)


def test_yahoo_and_ranklib_teach_the_same() -> None:
    """Empty lists score 1 in one and 0 in the other."""
    rng = np.random.default_rng(14)
    labels = rng.integers(0, 5, 400) * (np.arange(400) % 40 > 10)
    data = Dataset.of(labels=labels, group=[10] * 40)
    scores = rng.permutation(400) / 64
    mine, theirs = (lambdas(data, scores, f"{tool}:nDCG@5") for tool in ("yahoo_v1_0", "ranklib2"))
    assert np.abs(mine.gradient).sum() > 1
    # The natural logarithm of one and the binary one of the other cancel but for rounding.
    np.testing.assert_allclose(mine.gradient, theirs.gradient, rtol=1e-13, atol=1e-16)
    same = nDCG(5, convention="yahoo_v1_0").but(discount="log2", precision="float32")
    np.testing.assert_array_equal(lambdas(data, scores, same).gradient, theirs.gradient)
    np.testing.assert_array_equal(lambdas(data, scores, same).hessian, theirs.hessian)


def test_they_are_the_derivatives_of_the_smooth_surrogate() -> None:
    """With the changes held fast at the scores where they were taken."""
    rng = np.random.default_rng(15)
    one = random_list(rng, 9, 0, unjudged=0.0)
    for m in (nDCG(4), AP(), ERR()):
        pairs = [
            (i, j, oracle.change(m, i, j, one.labels, one.scores, one.outside, one.documents, "zero"))
            for i in range(9)
            for j in range(i)
        ]

        def surrogate(scores: np.ndarray, pairs=pairs) -> float:
            return sum(abs(d) * np.logaddexp(0, -0.7 * (scores[i] - scores[j]) * np.sign(d)) for i, j, d in pairs)

        (found,) = of_lists([one], m, sigma=0.7)
        at, step = np.array(one.scores), 1e-4
        for row in range(9):
            up, down = at.copy(), at.copy()
            up[row] += step
            down[row] -= step
            here = (surrogate(up) - surrogate(down)) / (2 * step)
            bend = (surrogate(up) - 2 * surrogate(at) + surrogate(down)) / step**2
            assert found.gradient[row] == pytest.approx(here, abs=1e-7)
            assert found.hessian[row] == pytest.approx(bend, abs=1e-6)


@pytest.mark.parametrize("ties", [*OPEN, "input", "reversed"])
@pytest.mark.parametrize("kind", KINDS)
def test_training_moves_from_equal_scores(kind: type[Measure], ties: str) -> None:
    one = List([0.0, 2.0, 0.0, 1.0, 0.0], [0.0] * 5)
    (found,) = of_lists([one], kind(3, ties=ties))
    assert np.abs(found.gradient).sum() > 0
    assert found.gradient[1] < 0 < found.gradient[0]


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("margin", [1e4, 1e8, 700.0, 599.0])
def test_far_scores_stay_finite_and_right(margin: float, normalized: bool) -> None:
    """The better document is far below: its push is σ Δ; far above: nothing."""
    for labels, push in (([0.0, 1.0], 1.0), ([1.0, 0.0], 0.0)):
        (found,) = of_lists([List(labels, [margin, 0.0])], nDCG(), normalized=normalized)
        assert np.isfinite(found.gradient).all()
        assert np.isfinite(found.hessian).all()
        if not normalized:
            delta = 1 - 1 / np.log2(3)
            assert found.gradient[1] == pytest.approx(-push * delta if labels[1] else 0.0, abs=1e-15)


def test_scores_far_apart_and_near_are_computed_alike() -> None:
    """A range of 600 divides the two ways to compute the same."""
    rng = np.random.default_rng(16)
    labels = rng.integers(0, 4, 40)
    scores = rng.normal(size=40)
    near = lambdas(Dataset.of(labels=labels, group=[40]), scores, "nDCG@10", normalized=True)
    # One more document, so worthless and far below that it moves no other's pairs but its own.
    data = Dataset.of(labels=np.append(labels, 0), group=[41])
    pushed = lambdas(data, np.append(scores, -1e4), "nDCG@10")
    plain = lambdas(Dataset.of(labels=labels, group=[40]), scores, "nDCG@10")
    assert pushed.gradient[-1] == 0
    np.testing.assert_allclose(pushed.gradient[:-1], plain.gradient, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(pushed.hessian[:-1], plain.hessian, rtol=1e-12, atol=1e-15)
    assert np.isfinite(near.gradient).all()


def test_lists_that_cannot_teach_give_zeros() -> None:
    alike, none, short = List([2.0] * 3, [1.0, 2, 3]), List([0.0] * 3, [1.0, 2, 3]), List([0.0, 2, 1], [3.0, 2, 1])
    for kind in KINDS:
        for one in (alike, none, List([], []), List([1.0], [1.0])):
            (found,) = of_lists([one], kind(2))
            assert not found.gradient.any()
            assert not found.hessian.any()
        (found,) = of_lists([short], kind(5, short="zero"))
        assert not found.gradient.any()
        (found,) = of_lists([short], kind(2, short="zero"))
        assert found.gradient.any()


def test_a_lists_weight_multiplies_its_lambdas() -> None:
    labels, scores = [0, 2, 1, 1, 0], [3.0, 2.0, 1.0, 1.0, 2.0]
    plain = lambdas(Dataset.of(labels=labels, group=[3, 2]), scores, "nDCG")
    weighed = lambdas(Dataset.of(labels=labels, group=[3, 2], weights=[2.0, 0.0]), scores, "nDCG")
    np.testing.assert_array_equal(weighed.gradient, plain.gradient * [2, 2, 2, 0, 0])
    np.testing.assert_array_equal(weighed.hessian, plain.hessian * [2, 2, 2, 0, 0])


WEIGHTED = [{}, {"gain": "linear"}, {"discount": "reciprocal"}, {"ideal_cut": "none"}, {"p_over": "min(k, n)"},
            {"p_over": "min(k, R)"}, {"rel": 2}]  # fmt: skip


@pytest.mark.parametrize("ties", [*OPEN, "input"])
@pytest.mark.parametrize("choices", WEIGHTED, ids=str)
def test_a_documents_weight_multiplies_what_it_is_worth(choices: dict, ties: str) -> None:
    rng = np.random.default_rng(19)
    convention = STANDARD.but(**choices, ties=ties)
    for size in (1, 3, 5):
        labels, scores = rng.integers(0, 4, size).astype(float), rng.integers(0, 3, size).astype(float)
        weights = rng.choice([0.0, 0.25, 1.0, 2.5], size)
        data = Dataset.of(labels=labels, group=[size], document_weights=weights)
        pairs = list(zip(labels.tolist(), weights.tolist(), strict=True))
        for m in [kind(k, convention=convention) for kind in (nDCG, DCG, P) for k in (1, 3, None)]:
            wanted = oracle.lambdas(m, pairs, scores.tolist())
            for mine, theirs in zip(lambdas(data, scores, m), wanted, strict=True):
                assert mine.tolist() == pytest.approx(theirs, abs=1e-12, rel=1e-11), str(m)
        m = RBP(3, p=0.5, convention=convention)
        wanted = oracle.lambdas(m, pairs, scores.tolist())
        assert lambdas(data, scores, m).gradient.tolist() == pytest.approx(wanted[0], abs=1e-12, rel=1e-11)


def test_weights_of_1_change_no_bit() -> None:
    rng = np.random.default_rng(20)
    labels, scores = rng.integers(0, 4, 60), rng.integers(0, 20, 60) / 4
    plain = Dataset.of(labels=labels, group=[25, 35])
    for m in (nDCG(5), P(5), DCG()):
        mine, theirs = (lambdas(d, scores, m) for d in (plain, replace(plain, document_weights=np.ones(60))))
        np.testing.assert_array_equal(mine.gradient, theirs.gradient)


def test_prepared_once_they_are_those_of_each_call() -> None:
    """In the dataset's own order of rows, which the function puts back into the caller's."""
    rng = np.random.default_rng(21)
    labels, qid = rng.integers(0, 3, 40), rng.integers(0, 4, 40)
    data = Dataset.of(
        labels=labels, qid=qid, weights={q: 0.5 + q for q in range(4)}, documents=[f"d{i}" for i in range(40)]
    )
    for text in ("nDCG@3", "AP", "nDCG(ties='docid')@5", "ERR(ties='random')@4", "lightgbm:ndcg@3"):
        prepared = PreparedLambdas.of(data, text, sigma=1.5, threads=1)
        for _ in range(2):
            scores = rng.integers(0, 9, 40) / 4
            for mine, theirs in zip(
                prepared(data.reorder(scores)), lambdas(data, scores, text, sigma=1.5), strict=True
            ):
                np.testing.assert_array_equal(data.in_callers_order(mine), theirs)


def test_lists_that_weigh_nothing_are_left_out() -> None:
    data = Dataset.of(labels=[0, 2, 1, 1, 0], group=[3, 2])
    prepared, scores = PreparedLambdas.of(data, "nDCG"), np.array([3.0, 2.0, 1.0, 1.0, 2.0])
    plain, some = prepared(scores), prepared(scores, np.array([0.0, 3.0]))
    np.testing.assert_array_equal(some.gradient, plain.gradient * [0, 0, 0, 3, 3])
    np.testing.assert_array_equal(some.hessian, plain.hessian * [0, 0, 0, 3, 3])


def test_rows_come_back_in_the_callers_order() -> None:
    rng = np.random.default_rng(17)
    labels, scores, qid = rng.integers(0, 3, 30), rng.normal(size=30), rng.integers(0, 4, 30)
    found = lambdas(Dataset.of(labels=labels, qid=qid), scores, AP())
    for query in range(4):
        rows = np.flatnonzero(qid == query)
        alone = lambdas(Dataset.of(labels=labels[rows], group=[len(rows)]), scores[rows], AP())
        np.testing.assert_array_equal(found.gradient[rows], alone.gradient)
        np.testing.assert_array_equal(found.hessian[rows], alone.hessian)


def test_single_precision_scores_are_taken_as_they_are() -> None:
    data = Dataset.of(labels=[0, 2, 1], group=[3])
    scores = np.array([0.1, 0.7, 0.3], np.float32)
    for a, b in zip(lambdas(data, scores, nDCG()), lambdas(data, scores.astype(np.float64), nDCG()), strict=True):
        np.testing.assert_array_equal(a, b)


def test_two_conventions_in_one_process_do_not_meet() -> None:
    data = Dataset.of(labels=[0, 2, 1, 0], group=[4])
    scores = [4.0, 3.0, 2.0, 1.0]
    before = lambdas(data, scores, nDCG(gain="linear"))
    lambdas(data, scores, nDCG(gain={0: 0, 1: 5, 2: 6}))
    np.testing.assert_array_equal(before.gradient, lambdas(data, scores, nDCG(gain="linear")).gradient)


# Refusals.

DATA = Dataset.of(labels=[0, 2, 1], group=[3])


@pytest.mark.parametrize(
    ("how", "error", "match"),
    [
        ({"measure": "Bpref"}, MeasureError, r"of two documents changes is not known for Bpref\nHint: choose"),
        ({"measure": 3}, MeasureError, "a measure or its text is wanted, not 3"),
        ({"measure": "AP(ap_over='hits')"}, MeasureError, "AP has no closed form over ties"),
        ({"measure": "nDCG(ties='kept')"}, MeasureError, "nDCG has no rule for scores that stay tied"),
        ({"measure": "nDCG(ties='docid')"}, DataError, "ties='docid' needs document ids, and these lists have none"),
        ({"sigma": 0.0}, RankwiseError, "sigma must be a number above 0, not 0.0"),
        ({"sigma": float("nan")}, RankwiseError, "sigma must be a number above 0, not nan"),
        ({"sigma": True}, RankwiseError, "sigma must be a number above 0, not True"),
        ({"sigma": "1"}, RankwiseError, "sigma must be a number above 0, not '1'"),
        ({"below": "cut"}, RankwiseError, "below is 'zero' or 'discounted', not 'cut'"),
        ({"measure": "AP@2", "below": "discounted"}, MeasureError, "AP@2 has no discounts that could go on below its"),
        ({"scores": [0.0, np.inf, 1.0]}, DataError, r"scores, row 1: the score is not finite\nHint: mend the ranker"),
        ({"scores": [0.0, 1.0]}, DataError, "scores: 2 for 3 documents"),
    ],
)  # fmt: skip
def test_what_has_no_lambdas_is_refused(how: dict, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        lambdas(**{"data": DATA, "scores": [0.0, 2.0, 1.0], "measure": "nDCG@2", **how})


def test_a_score_that_single_precision_cannot_hold_is_refused_where_it_is_read_so() -> None:
    with pytest.raises(DataError, match="scores, row 0: the score is not finite"):
        lambdas(DATA, [1e300, 1.0, 2.0], nDCG(precision="float32"))
    assert np.isfinite(lambdas(DATA, [1e300, 1.0, 2.0], nDCG()).gradient).all()


def test_documents_that_single_precision_ties_are_one_block() -> None:
    rng = np.random.default_rng(18)
    near = 1 + rng.permutation(12) * 2.0**-40
    one = List(rng.integers(0, 3, 12).astype(float).tolist(), near.tolist())
    rows = rng.permutation(12).tolist()
    ((found,), (shuffled,)) = (of_lists([x], nDCG(5, precision="float32")) for x in (one, one.reordered(rows)))
    np.testing.assert_array_equal(found.gradient[rows], shuffled.gradient)
    alike = [g for g, label in zip(found.gradient.tolist(), one.labels, strict=True) if label == 2.0]
    assert len(set(alike)) == 1 < len(alike)


def test_the_row_that_is_refused_is_the_callers() -> None:
    data = Dataset.of(labels=[0, 2, 1], qid=[1, 2, 1])
    with pytest.raises(DataError, match="scores, row 2: the score is not finite"):
        lambdas(data, [0.0, 1.0, np.inf], "nDCG")


def test_weights_of_documents_are_refused_where_a_measure_is_no_sum_over_them() -> None:
    data = replace(DATA, document_weights=np.ones(3))
    with pytest.raises(
        DataError, match=r"weights of documents have no lambdas under AP@3\nHint: give weights of lists, or"
    ):
        lambdas(data, [0.0, 1.0, 2.0], "AP@3")
    with pytest.raises(DataError, match="weights of documents have no lambdas under RR"):
        lambdas(data, [0.0, 1.0, 2.0], "RR")
