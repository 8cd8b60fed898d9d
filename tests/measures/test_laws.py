"""What holds for every measure, whatever the data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measures.making import List, every_measure, lists_of, random_list, small_lists, values_of
from rankwise import evaluate
from rankwise.measures import (
    AP,
    DCG,
    ERR,
    RBP,
    RR,
    STANDARD,
    GradedAP,
    MeanNDCG,
    NumRel,
    P,
    R,
    RnDCG,
    Rprec,
    nDCG,
    nDCGrel,
)

judged = st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0])
rankings = st.lists(judged, min_size=1, max_size=15)
INPUT = STANDARD.but(ties="input")
# Each of them is 1 for an ideal order of which all is retrieved.
NORMALISED = [
    nDCG(5),
    nDCG(),
    MeanNDCG(),
    AP(),
    RR(),
    Rprec(),
    RnDCG(),
    nDCGrel(ties="input"),
    AP(3, ap_over="min(R, k)"),
    GradedAP(),
    GradedAP(g={2: 0.5, 4: 0.5}, empty=1),
]
NEVER_HURT = [nDCG(4), nDCG(), DCG(3), MeanNDCG(), AP(4), AP(), RR(2), P(3), R(3), ERR(4), ERR(), Rprec(), RnDCG(),
              RBP(), RBP(3, graded=True), GradedAP(4), GradedAP(g={2: 0.4, 4: 0.6})]  # fmt: skip

# Counts, sums that are over nothing, ranks; correlations, which reach −1.
UNBOUNDED = {
    "DCG", "NumRet", "NumRel", "NumRelRet", "NumNonrelRet", "Utility", "FirstRelevant", "WARPLoss", "Tau", "Spearman",
}  # fmt: skip


def in_order(labels: list[float]) -> List:
    return List(labels, [float(-rank) for rank in range(len(labels))])


def random_lists(seed: int) -> list[List]:
    rng = np.random.default_rng(seed)
    return [random_list(rng, int(rows), int(kinds)) for rows in (0, 1, 6, 30, 70, 200, 600) for kinds in (0, 2, 20)]


@given(labels=rankings.filter(any))
def test_the_ideal_order_scores_1(labels: list[float]) -> None:
    ideal = in_order(sorted(labels, reverse=True))
    assert values_of(NORMALISED, [ideal])[:, 0].tolist() == pytest.approx([1.0] * len(NORMALISED), abs=1e-15)


@given(lists=st.lists(small_lists(), min_size=1, max_size=3))
def test_values_lie_between_0_and_1(lists: list[List]) -> None:
    for ties in ("expected", "input", "best", "worst"):
        measures = [m for m in every_measure(STANDARD.but(ties=ties)) if m.name not in UNBOUNDED]
        values = values_of(measures, lists)
        assert (values >= 0).all() and (values <= 1 + 1e-12).all()


@given(labels=rankings, place=st.integers(0, 13))
def test_repairing_an_inversion_never_hurts(labels: list[float], place: int) -> None:
    if place + 1 >= len(labels) or labels[place] >= labels[place + 1]:
        return
    repaired = labels.copy()
    repaired[place], repaired[place + 1] = labels[place + 1], labels[place]
    before, after = values_of(NEVER_HURT, [in_order(labels), in_order(repaired)]).T
    assert (after >= before - 1e-15).all()


@given(one=small_lists())
def test_the_worst_is_no_better_than_the_mean_and_the_best_no_worse(one: List) -> None:
    worst, mean, best = (
        values_of([m.but(ties=ties) for m in NEVER_HURT], [one]) for ties in ("worst", "expected", "best")
    )
    assert (worst <= mean + 1e-12).all() and (mean <= best + 1e-12).all()


@pytest.mark.parametrize("ties", ["expected", "input", "worst"])
def test_a_cut_past_the_end_changes_nothing(ties: str) -> None:
    for one in random_lists(1):
        n = len(one.labels)
        for kind in (nDCG, DCG, AP, RR, R, ERR, MeanNDCG):
            uncut, past, far = values_of(
                [kind(ties=ties), kind(max(n, 1) + 3, ties=ties), kind(10**9, ties=ties)], [one]
            )
            # The ideal of all judged documents may be longer than the list.
            if kind not in (nDCG, MeanNDCG) or not one.outside:
                assert uncut == past
            assert uncut == far


@given(labels=rankings, k=st.integers(1, 16))
def test_graded_ap_of_one_grade_is_ap(labels: list[float], k: int) -> None:
    binary = in_order([float(label > 2) for label in labels])
    for over in ("R", "min(R, k)"):
        graded, plain = values_of([GradedAP(k, ap_over=over), AP(k, ap_over=over)], [binary])[:, 0]
        assert graded == pytest.approx(plain, abs=1e-15)


@given(labels=rankings)
def test_graded_ap_weighs_the_ap_of_each_threshold_by_how_much_is_relevant_to_it(labels: list[float]) -> None:
    """The paper's reading of it: the expected area under a reader's curve, over the expected number relevant."""
    one = in_order(labels)
    chances = {1: 0.1, 2: 0.2, 3: 0.3, 4: 0.4}
    (graded,) = values_of([GradedAP(g=chances)], [one])[:, 0]
    areas = values_of([AP(rel=t) for t in chances], [one])[:, 0]
    numbers = values_of([NumRel(rel=t) for t in chances], [one])[:, 0]
    weights = np.array(list(chances.values())) * numbers
    assert graded == pytest.approx((weights * areas).sum() / weights.sum() if weights.sum() else 0, abs=1e-12)


@given(labels=rankings, p=st.floats(0, 0.99), k=st.integers(1, 16))
def test_rbp_of_all_relevant_documents_is_what_the_reader_sees(labels: list[float], p: float, k: int) -> None:
    n = len(labels)
    assert RBP(k, p=p).of([1.0] * n) == pytest.approx(1 - p ** min(k, n), abs=1e-12)
    assert RBP(k, p=p).of(labels) == pytest.approx(RBP(p=p).of(labels[:k]), abs=1e-15)


def test_the_order_of_lists_does_not_matter() -> None:
    rng = np.random.default_rng(2)
    sizes = rng.integers(1, 40, 200)
    qid = np.repeat(np.arange(200), sizes)
    labels, scores = rng.integers(0, 5, sizes.sum()), rng.integers(0, 9, sizes.sum()) / 3
    measures = every_measure(STANDARD, (1, 10, None))
    first = evaluate(labels, scores, measures, qid=qid)
    order = np.concatenate([np.flatnonzero(qid == q) for q in rng.permutation(200)])
    second = evaluate(labels[order], scores[order], measures, qid=qid[order])
    places = [second.queries.index(q) for q in first.queries]
    np.testing.assert_array_equal(first.values, second.values[:, places])
    for a, b in zip(first, second, strict=True):
        assert (a.mean, a.stderr, a.interval) == (b.mean, b.stderr, b.interval)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_number_of_threads_does_not_matter(threads: int) -> None:
    rng = np.random.default_rng(3)
    # Enough rows that several threads get work.
    lists = [random_list(rng, int(rows), 7) for rows in rng.integers(0, 3000, 100)]
    measures = every_measure(STANDARD, (10, None))
    one = lists_of(lists, threads=None).compute(measures)
    many = lists_of(lists, threads=threads).compute(measures)
    for m, a, b in zip(measures, one, many, strict=True):
        np.testing.assert_array_equal(a[0], b[0], err_msg=str(m))
        np.testing.assert_array_equal(a[1], b[1], err_msg=str(m))


def cubes_of_ranks(scores: np.ndarray) -> np.ndarray:
    return np.unique(scores, return_inverse=True)[1] ** 3 / 7


@pytest.mark.parametrize("change", [lambda s: s + 1000, lambda s: s / 2 - 3, cubes_of_ranks], ids=["+", "/", "ranks"])
def test_only_the_order_of_scores_matters(change) -> None:
    lists = random_lists(4)
    changed = [List(one.labels, change(np.array(one.scores)).tolist(), one.outside, one.documents) for one in lists]
    for convention in (STANDARD, INPUT):
        measures = every_measure(convention, (5, None))
        np.testing.assert_array_equal(values_of(measures, lists), values_of(measures, changed))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [4, 100, 600])
def test_zero_has_no_sign(dtype: type, rows: int) -> None:
    labels = [float(i % 3) for i in range(rows)]
    plain, signed = List(labels, [0.0] * rows), List(labels, [0.0 if i % 2 else -0.0 for i in range(rows)])
    for k in (3, 20, 500, None):
        for ties in ("expected", "input"):
            a, b = values_of([nDCG(k, ties=ties)], [plain, signed], scores=dtype)[0]
            assert a == b


def test_infinite_scores_have_a_place() -> None:
    one = List([0.0, 2.0, 1.0], [-np.inf, np.inf, 0.0])
    assert values_of([nDCG(), nDCG(ties="input")], [one]) == pytest.approx(1.0)
    many = random_list(np.random.default_rng(1), 300, 0)

    def ended(low: float, high: float) -> List:
        scores = [low if s < 10 else high if s > 30 else s for s in many.scores]
        return List(many.labels, scores, [], many.documents)

    measures = every_measure(STANDARD, (3, 20, None))
    np.testing.assert_array_equal(values_of(measures, [ended(-np.inf, np.inf)]), values_of(measures, [ended(9, 31)]))


def test_single_precision_makes_ties() -> None:
    one = List([0.0, 1.0], [1.0 + 2**-40, 1.0])
    double, single = values_of([RR(), RR(precision="float32")], [one])
    assert (double, single) == (0.5, 0.75)
    assert values_of([RR()], [one], scores=np.float32) == 0.75


@settings(max_examples=20)
@given(one=small_lists())
def test_a_document_worth_nothing_below_all_others_changes_nothing(one: List) -> None:
    longer = List(
        [*one.labels, 0.0], [*one.scores, min(one.scores, default=0) - 1], one.outside, [*one.documents, "last"]
    )
    measures = [nDCG(3), AP(), RR(), R(3), P(3), ERR(), DCG(), nDCG()]
    a, b = values_of(measures, [one, longer]).T
    np.testing.assert_array_equal(a, b)
