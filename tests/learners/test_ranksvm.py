"""RankSVM: equal to explicit pairs, optimal as general solvers say, under four conventions of C."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.settings import easy
from oracles import rank_svm as oracle
from rankwise import DataError, Dataset, RankwiseError, _kernels
from rankwise.learners.ranksvm import LOSSES, PER, RankSVM, converted, costs
from rankwise.learners.trust_region import newton

KNEES = (math.inf, 1.0, 0.25, 2.0)


def lists(seed: int, *, grades: int = 3, sizes=(5, 1, 8, 3), features: int = 3, coarse: bool = False):
    """A table, labels and offsets; coarse tables have equal scores."""
    rng = np.random.default_rng(seed)
    rows = sum(sizes)
    table = rng.integers(0, 3, (rows, features)) if coarse else rng.normal(size=(rows, features))
    labels = rng.integers(0, grades, rows).astype(np.float64)
    return table.astype(np.float32), labels, np.cumsum([0, *sizes])


def of_kernel(table, labels, offsets, weights, price, knee, threads=1):
    """Value, gradient, second derivatives."""
    pairs = _kernels.Pairs(labels, offsets)
    (_, squares, beyond, steep), gradient, curvature = pairs.loss(table, weights, price, knee, threads)
    value = squares / 2 + (knee * beyond - knee * knee / 2 * steep if knee < math.inf else 0.0)
    columns = [curvature.times(table, price, unit, threads) for unit in np.eye(len(weights))]
    return value, gradient, np.array(columns)


@pytest.mark.parametrize("knee", KNEES)
@pytest.mark.parametrize("grades", [2, 3, 5, 40])
@pytest.mark.parametrize("coarse", [False, True])
def test_loss_gradient_and_curvature_are_those_of_explicit_pairs(knee: float, grades: int, coarse: bool) -> None:
    for seed in range(5):
        table, labels, offsets = lists(seed, grades=grades, sizes=(5, 1, 30, 3), coarse=coarse)
        rng = np.random.default_rng(seed)
        weights = rng.normal(size=3) * rng.choice([0.1, 1.0, 10.0])
        price = rng.random(4) + 0.1
        wanted = oracle.loss(table, labels, offsets, weights, price, knee)
        for mine, theirs in zip(of_kernel(table, labels, offsets, weights, price, knee), wanted, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)


def test_labels_may_be_any_numbers_and_unjudged_documents_are_in_no_pair() -> None:
    table, labels, offsets = lists(1, sizes=(6, 4))
    labels = np.array([0.5, -1.25, np.nan, 0.5, 7.0, 3.0, np.nan, np.nan, 1.0, 1.0])
    pairs = _kernels.Pairs(labels, offsets)
    assert pairs.counts.tolist() == [9.0, 0.0]
    weights = np.array([0.3, -0.2, 0.1])
    wanted = oracle.loss(table, labels, offsets, weights, [1.0, 1.0], math.inf)
    np.testing.assert_allclose(of_kernel(table, labels, offsets, weights, np.ones(2), math.inf)[0], wanted[0])


def test_at_equal_scores_every_pair_lacks_its_whole_margin() -> None:
    table, labels, offsets = lists(2)
    pairs = _kernels.Pairs(labels, offsets)
    sums, *_ = pairs.loss(table, np.zeros(3), np.ones(4), math.inf, 1)
    assert sums == (pairs.counts.sum(), pairs.counts.sum(), 0.0, 0.0)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(KNEES))
def test_the_gradient_is_that_of_finite_differences(seed: int, knee: float) -> None:
    table, labels, offsets = lists(seed, grades=4)
    weights, price = np.random.default_rng(seed).normal(size=3), np.ones(4)
    gradient = of_kernel(table, labels, offsets, weights, price, knee)[1]
    for at, step in enumerate(1e-6 * np.eye(3)):
        above, below = (of_kernel(table, labels, offsets, weights + s * step, price, knee)[0] for s in (1, -1))
        assert (above - below) / 2e-6 == pytest.approx(gradient[at], abs=1e-3 * (1 + abs(gradient[at])))


def test_margins_of_any_size_are_finite() -> None:
    table, labels, offsets = lists(3)
    for size in (1e-8, 1e4, 1e8):
        value, gradient, _ = of_kernel(table, labels, offsets, np.full(3, size), np.ones(4), math.inf)
        assert math.isfinite(value) and np.isfinite(gradient).all()


def test_the_bits_are_the_same_for_any_number_of_threads() -> None:
    table, labels, offsets = lists(4, sizes=(900,) * 12, features=9)
    found = [of_kernel(table, labels, offsets, np.ones(9), np.ones(12), 0.5, threads) for threads in (1, 2, 3)]
    for one, other in itertools.pairwise(found):
        assert one[0] == other[0] and one[1].tobytes() == other[1].tobytes() and one[2].tobytes() == other[2].tobytes()


def as_dataset(seed: int, **how) -> Dataset:
    table, labels, offsets = lists(seed, **how)
    return Dataset.of(table, labels, group=np.diff(offsets))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [1e-3, 0.1, 1.0, 100.0])
def test_the_objective_is_within_the_tolerance_of_what_a_general_solver_finds(loss: str, C: float) -> None:
    for seed, coarse in itertools.product(range(3), (False, True)):
        data = as_dataset(seed, coarse=coarse, sizes=(6, 9, 4))
        fitted = RankSVM(C=C, per="pair", loss=loss, scaling="none", tolerance=1e-5).fit(data)
        price, about = np.full(3, C), fitted.ranker_.about
        squared = loss == "squared-hinge"
        mine = oracle.objective(data.features, data.labels, data.offsets, fitted.ranker_.scorer.weights, price, squared)
        least = oracle.smallest(data.features, data.labels, data.offsets, price, squared)
        assert about["objective"] == pytest.approx(mine, rel=1e-9)
        # Neither may the gap promise more than the best objective that anyone found.
        assert -1e-7 * mine <= least - (mine - about["gap"])
        assert mine - least <= about["gap"] + 1e-7 * mine
        assert about["gap"] <= 1e-5 * mine


@pytest.mark.parametrize(("loss", "theirs"), [("squared-hinge", "squared_hinge"), ("hinge", "hinge")])
def test_it_agrees_with_liblinear_on_explicit_pairs(loss: str, theirs: str) -> None:
    from sklearn.svm import LinearSVC

    data = easy(3, lists=8)
    rows = oracle.pairs(data.labels, data.offsets)
    x = np.array([data.features[i].astype(np.float64) - data.features[j] for i, j, _ in rows])
    sign = np.where(np.arange(len(x)) % 2, 1.0, -1.0)
    svc = LinearSVC(C=0.5, loss=theirs, fit_intercept=False, dual=True, tol=1e-8, max_iter=10**6)
    svc.fit(x * sign[:, None], sign)
    fitted = RankSVM(C=0.5, per="pair", loss=loss, scaling="none", tolerance=1e-8).fit(data)
    np.testing.assert_allclose(fitted.ranker_.scorer.weights, svc.coef_[0], atol=2e-3)


def test_costs_are_what_each_convention_says() -> None:
    pairs = np.array([4.0, 0.0, 2.0])
    assert costs(3.0, pairs, per="pair").tolist() == [3, 3, 3]
    assert costs(3.0, pairs, per="list").tolist() == [0.75, 0, 1.5]
    assert costs(3.0, pairs, per="svmrank").tolist() == [1, 1, 1]
    assert costs(3.0, pairs, per="dlib").tolist() == [0.5, 0.5, 0.5]


@pytest.mark.parametrize(("start", "to"), list(itertools.permutations(["pair", "svmrank", "dlib"], 2)))
def test_a_converted_C_gives_the_same_model(start: str, to: str) -> None:
    data = easy(5, lists=6)
    pairs = _kernels.Pairs(data.labels, data.offsets).counts
    first = RankSVM(C=0.7, per=start, scaling="none", tolerance=1e-9).fit(data)
    second = RankSVM(C=converted(0.7, pairs, start=start, to=to), per=to, scaling="none", tolerance=1e-9).fit(data)
    np.testing.assert_allclose(first.ranker_.scorer.weights, second.ranker_.scorer.weights, rtol=1e-4)


def test_C_per_list_converts_where_lists_have_as_many_pairs() -> None:
    assert converted(6.0, np.array([3.0, 0.0, 3.0]), start="list", to="pair") == 2.0
    assert converted(2.0, np.array([3.0, 0.0, 3.0]), start="pair", to="list") == 6.0
    with pytest.raises(RankwiseError, match="no C per list costs each pair what C per pair does: lists have 2 to 3"):
        converted(2.0, np.array([3.0, 2.0]), start="pair", to="list")
    with pytest.raises(DataError, match="no list has a pair"):
        converted(2.0, np.zeros(2), start="pair", to="dlib")


def test_a_path_is_each_C_by_itself() -> None:
    data, validation = easy(1), easy(2)
    path = [0.001, 0.1, 10.0]
    seen = []
    fitted = RankSVM(C=path, tolerance=1e-7).fit(data, validation=validation, callbacks=[seen.append])
    alone = [RankSVM(C=C, tolerance=1e-7).fit(data, validation=validation) for C in path]
    np.testing.assert_allclose([step.validation for step in seen], [one.curve_.validation[0] for one in alone])
    best = int(np.argmax([step.validation for step in seen]))
    assert fitted.ranker_.about["C"] == path[best]
    np.testing.assert_allclose(fitted.ranker_.scorer.weights, alone[best].ranker_.scorer.weights, rtol=1e-3)


def test_a_list_of_weight_two_is_a_list_given_twice() -> None:
    X, y = easy(4, lists=2).features, easy(4, lists=2).labels
    sizes = np.diff(easy(4, lists=2).offsets)
    twice = np.r_[np.arange(len(y)), np.arange(sizes[0])]
    how = {"C": 0.3, "scaling": "none", "tolerance": 1e-9, "per": "list"}
    weighted = RankSVM(**how).fit(Dataset.of(X, y, group=sizes, weights=[2.0, 1.0]))
    given_twice = RankSVM(**how).fit(Dataset.of(X[twice], y[twice], group=[*sizes, sizes[0]]))
    np.testing.assert_allclose(weighted.ranker_.scorer.weights, given_twice.ranker_.scorer.weights, rtol=1e-5)


def test_it_goes_on_from_a_linear_ranker() -> None:
    data = easy(6)
    first = RankSVM(C=1.0).fit(data)
    again = RankSVM(C=1.0).fit(data, start_from=first.ranker_)
    assert again.ranker_.about["newton_steps"] == 0
    assert again.ranker_.scorer.weights.tolist() == first.ranker_.scorer.weights.tolist()


def test_steps_of_newton_end_at_the_least_of_a_parabola() -> None:
    bend = np.diag([1.0, 100.0])

    def function(w):
        slope = bend @ (w - [3.0, -2.0])
        return 0.5 * (w - [3.0, -2.0]) @ slope, slope, lambda v: bend @ v, float(np.linalg.norm(slope))

    found = newton(function, np.zeros(2), lambda norm: norm < 1e-9)
    np.testing.assert_allclose(found.weights, [3.0, -2.0])
    assert found.products >= 2 and found.steps < 50


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"C": 0.0}, "C must be a number above 0, or several, not 0.0"),
        ({"C": ()}, r"C must be a number above 0, or several, not \(\)"),
        ({"C": (1.0, math.nan)}, "C must be a number above 0"),
        ({"C": "much"}, "C must be a number above 0, or several, not 'much'"),
        ({"C": None}, "C must be a number above 0, or several, not None"),
        ({"C": 1e300}, r"C = 1e\+300 makes pairs cost more than numbers can say"),
        ({"C": (1.0, 0.1)}, "the values of C must rise"),
        ({"per": "query"}, "per is 'query'"),
        ({"loss": "logistic"}, "loss is 'logistic'"),
        ({"tolerance": 0}, "the tolerance must be a number between 0 and 1, not 0"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(parameters, words: str) -> None:
    with pytest.raises(RankwiseError, match=words):
        RankSVM(**parameters).fit(easy(0))


def test_conventions_of_C_have_names() -> None:
    with pytest.raises(RankwiseError, match="per is 'query'"):
        costs(1.0, np.ones(2), per="query")
    assert len(PER) == 4


@pytest.mark.parametrize("C", [0.0, -1.0, math.nan, math.inf])
def test_only_a_C_above_0_is_converted(C: float) -> None:
    with pytest.raises(RankwiseError, match=f"C must be a number above 0, not {C}"):
        converted(C, np.array([3.0, 1.0]), start="pair", to="svmrank")


def test_lists_without_pairs_and_weights_of_documents_are_refused() -> None:
    with pytest.raises(DataError, match="no list has two judged documents with different labels"):
        RankSVM().fit(Dataset.of([[1.0], [2.0]], [np.nan, 1.0], group=[2]))
    with pytest.raises(DataError, match="nothing to learn"):
        RankSVM().fit(Dataset.of([[1.0], [2.0]], [1.0, 1.0], group=[2]))
    with pytest.raises(DataError, match="no meaning for weights of documents"):
        RankSVM().fit(Dataset.of([[1.0], [2.0]], [0, 1], group=[2], document_weights=[1.0, 2.0]))


def test_the_kernel_refuses_columns_that_do_not_fit() -> None:
    pairs = _kernels.Pairs(np.array([0.0, 1.0]), np.array([0, 2]))
    with pytest.raises(DataError, match="4 values, 2 costs and 2 weights for 2 rows, 1 lists and 2 features"):
        pairs.loss(np.zeros((2, 2), np.float32), np.zeros(2), np.zeros(2), 1.0, 1)
    with pytest.raises(DataError, match="offsets: must start at 0"):
        _kernels.Pairs(np.zeros(3), np.array([0, 2]))
