"""Coordinate Ascent: its line search equals a brute-force scan, and what follows from its definition."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contracts.settings import easy
from oracles import line_search as oracle
from rankwise import Dataset, RankwiseError, evaluate, user_measure
from rankwise.learners.coordinate_ascent import CoordinateAscent, can_be_followed, probes, pull, rescaled
from rankwise.learners.training import Training
from rankwise.measures.parse import measure as parse
from rankwise.rankers.inputs import Inputs

MEASURES = (
    "nDCG@3", "nDCG", "nDCG(gain='linear')@2", "letor4:nDCG@2", "lightgbm:ndcg@3", "DCG@4", "RBP(p=0.7)",
    "RBP(p=0.5)@3", "P@2", "P(rel=2)@3", "AP", "AP@3", "RR", "RR@2", "ERR", "ERR@3", "R@2", "Rprec", "MeanNDCG",
    "Success@2", "Bpref(ties='input')", "AUC", "GradedAP(ties='input')", "yahoo:nDCG@3", "FirstRelevant",
)  # fmt: skip
TIES = ("expected", "input", "reversed", "best", "worst", "random", "docid", "docid-desc")


def some_lists(
    seed: int, *, coarse: bool, sizes=(6, 2, 9, 1, 5), features: int = 3, documents: bool = False
) -> Dataset:
    """Coarse lists have equal features, and so documents that stay tied along a line."""
    rng = np.random.default_rng(seed)
    rows = sum(sizes)
    table = rng.integers(0, 3, (rows, features)) if coarse else rng.normal(size=(rows, features))
    names = [f"d{at}" for at in rng.permutation(rows)] if documents else None
    return Dataset.of(table, rng.integers(0, 3, rows), group=sizes, documents=names)


def slopes_of(data: Dataset, measure) -> tuple:
    """The kernel's search, and the lists in its order."""
    chosen = parse(measure) if isinstance(measure, str) else measure
    training = Training.of(data, Inputs.fit(data), chosen, 1)
    return CoordinateAscent().prepare(training), training.dataset


def check(data: Dataset, measure, weights, direction) -> None:
    slopes, lists = slopes_of(data, measure)
    assert slopes.search is not None
    chosen = slopes.training.measure
    found = slopes.search.along(weights, direction, 1)
    wanted = oracle.best(lists, chosen, weights, direction, slopes.sign)
    step, value, width = found
    most, places = wanted
    assert slopes.sign * (value + slopes.constant) == pytest.approx(most, abs=1e-9), f"{measure} {found} {wanted}"
    table = lists.features.astype(np.float64)
    meeting = oracle.crossings(table @ weights, table @ direction, lists.offsets)
    if np.abs(np.array(meeting) - step).min() > 1e-12:
        # Where documents meet whose crossing changes nothing, they are tied.
        there = evaluate(lists, table @ weights + step * (table @ direction), [chosen]).values[0]
        assert float(np.nanmean(there)) == pytest.approx(most, abs=1e-9)
    assert any(begin < step < end and end - begin >= width * (1 - 1e-9) for begin, end in places)


def a_line(seed: int, features: int = 3, *, coarse: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed + 1)
    weights = rng.integers(-2, 3, features).astype(np.float64) if coarse else rng.normal(size=features)
    direction = np.eye(features)[rng.integers(features)] if rng.random() < 0.7 else rng.normal(size=features)
    return weights, direction


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("coarse", [False, True], ids=["fine", "coarse"])
def test_the_best_interval_is_that_of_a_brute_force_scan(measure: str, coarse: bool) -> None:
    for seed in range(6):
        check(some_lists(seed, coarse=coarse), measure, *a_line(seed, coarse=coarse))


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("base", ["nDCG", "AP", "ERR", "RR", "P"])
def test_documents_that_stay_tied_count_what_the_convention_says(ties: str, base: str) -> None:
    for seed in range(4):
        data = some_lists(seed, coarse=True, features=2, documents=True)
        check(data, f"{base}(ties='{ties}')@3", *a_line(seed, 2, coarse=True))


@settings(max_examples=60)
@given(st.integers(0, 10**9), st.sampled_from(MEASURES), st.booleans())
@example(1, "Success@2", True)
@example(152, "nDCG@3", True)
def test_any_lists_are_searched_as_brute_force_does(seed: int, measure: str, coarse: bool) -> None:
    sizes = np.random.default_rng(seed).integers(1, 12, 4).tolist()
    check(some_lists(seed, coarse=coarse, sizes=sizes), measure, *a_line(seed, coarse=coarse))


def test_the_top_of_a_long_list_needs_few_documents() -> None:
    for seed in range(3):
        check(some_lists(seed, coarse=False, sizes=(80, 3)), "nDCG@3", *a_line(seed, coarse=False))
        check(some_lists(seed, coarse=True, sizes=(80, 3)), "ERR@2", *a_line(seed, coarse=True))


def test_weights_of_lists_and_of_documents_count() -> None:
    data = some_lists(3, coarse=False)
    weights, direction = a_line(3, coarse=False)
    heavy = replace(data, weights=np.array([0.0, 1.0, 5.0, 1.0, 2.0]))
    slopes, lists = slopes_of(heavy, "nDCG@3")
    step, value, _ = slopes.search.along(weights, direction, 1)
    table = lists.features.astype(np.float64)
    scores = table @ weights + step * (table @ direction)
    assert evaluate(lists, scores, "nDCG@3")["nDCG@3"].mean == pytest.approx(value + slopes.constant)
    rng = np.random.default_rng(0)
    check(replace(data, document_weights=rng.random(len(data.labels)) + 0.1), "nDCG@3", weights, direction)


def test_unjudged_documents_are_treated_as_the_convention_says() -> None:
    for unjudged in ("not relevant", "removed"):
        for seed in range(4):
            data = some_lists(seed, coarse=False)
            labels = np.where(np.random.default_rng(seed).random(len(data.labels)) < 0.3, np.nan, data.labels)
            for base in ("nDCG", "AP", "ERR"):
                measure = f"{base}(unjudged='{unjudged}')@3"
                check(replace(data, labels=labels), measure, *a_line(seed, coarse=False))


def test_where_no_crossing_changes_the_measure_the_interval_ends_at_twice_the_largest_weight() -> None:
    # Above 0 the best document stays on top, though the others cross at δ = 2.
    data = Dataset.of([[2.0, 1.0], [1.0, 0.0], [0.0, 0.5]], [1, 0, 0], group=[3])
    slopes, _ = slopes_of(data, "RR")
    step, value, width = slopes.search.along(np.array([1.0, 0.0]), np.array([0.0, 1.0]), 1)
    assert (step, value, width) == (1.0, pytest.approx(1.0), 2.0)


def test_the_middle_of_the_widest_interval_is_taken() -> None:
    # Documents a (better) and b: a comes above b for δ > 1; and above c for δ < 4.
    data = Dataset.of([[2.0, 0.0], [1.0, 1.0], [3.0, -4.0]], [1, 0, 0], group=[3])
    slopes, _ = slopes_of(data, "RR")
    step, value, width = slopes.search.along(np.array([0.0, 1.0]), np.array([1.0, 0.0]), 1)
    assert (step, value, width) == (2.5, pytest.approx(1.0), 3.0)


def test_a_weight_is_switched_off_where_that_is_as_good() -> None:
    # Without the second feature the first one ranks all documents right.
    data = Dataset.of([[3.0, 0.0], [2.0, 1.0], [1.0, 3.0]], [2, 1, 0], group=[3])
    slopes, _ = slopes_of(data, "nDCG")
    step, value, _ = slopes.search.along(np.array([1.0, 2.0]), np.array([0.0, 1.0]), 1)
    assert (step, value) == (-2.0, pytest.approx(1.0))
    fitted = CoordinateAscent(restarts=1).fit(data)
    assert fitted.curve_.training[-1] == 1.0


def test_steps_never_lower_the_measure_and_the_curve_tells_its_value() -> None:
    data = easy(3)
    for measure in ("nDCG@3", "AP", "ERR@5", "lightgbm:ndcg@5", "FirstRelevant", "user"):
        chosen = user_measure("top", lambda labels: float(labels[0])) if measure == "user" else parse(measure)
        fitted = CoordinateAscent(measure=chosen, restarts=2, sweeps=5).fit(data)
        values = fitted.curve_.training
        better = np.diff(values) if chosen.higher_is_better else -np.diff(values)
        assert (better >= 0).all()
        at_best = evaluate(data, fitted.predict(data), [chosen])
        assert next(iter(at_best.means.values())) == pytest.approx(values[fitted.curve_.best - 1], abs=1e-12)


def test_conventions_that_differ_by_a_constant_give_the_same_model() -> None:
    data, validation = with_empty_lists(easy(5)), with_empty_lists(easy(6))
    found = {
        measure: CoordinateAscent(measure=measure, restarts=3, sweeps=5).fit(data, validation=validation)
        for measure in ("yahoo:nDCG@3", "ranklib:nDCG@3")
    }
    first, second = (one.ranker_.scorer.weights for one in found.values())
    assert first.tobytes() == second.tobytes()
    values = [one.curve_.training[-1] for one in found.values()]
    assert values[0] != values[1]


def with_empty_lists(data: Dataset) -> Dataset:
    labels = data.labels.copy()
    labels[: data.offsets[3]] = 0
    return replace(data, labels=labels)


def test_random_restarts_are_drawn_by_the_seed_and_the_first_is_not() -> None:
    data = easy(1)
    training = Training.of(data, Inputs.fit(data), parse("nDCG@3"), 1)
    starts = []
    for seed in (0, 1):
        one = CoordinateAscent(restarts=4, seed=seed)
        starts.append(one.start(one.prepare(training), np.random.default_rng([seed, 0])).weights)
    assert (starts[0][0] == 0.25).all() and (starts[1][0] == 0.25).all()
    assert len(np.unique(np.vstack([starts[0][1:], starts[1][1:]]), axis=0)) == 6
    assert np.abs(starts[0]).max() <= 1 and (starts[0][1:] < 0).any()


def test_restarts_are_judged_on_validation_and_do_not_touch_each_other() -> None:
    data, validation = easy(1), easy(2)
    seen: list = []
    three = CoordinateAscent(restarts=3, sweeps=3, measure="nDCG@3").fit(
        data, validation=validation, callbacks=[seen.append]
    )
    assert three.ranker_.about["restart"] in (0, 1, 2)
    one = CoordinateAscent(restarts=1, sweeps=3, measure="nDCG@3").fit(data, validation=validation)
    assert three.ranker_.about["validation"] >= one.ranker_.about["validation"]


def test_random_directions_are_searched_too() -> None:
    data = easy(4)
    fitted = CoordinateAscent(restarts=2, sweeps=5, directions=4).fit(data)
    assert np.isfinite(fitted.ranker_.scorer.weights).all()
    with_them, without = (CoordinateAscent(restarts=1, sweeps=1, directions=d, seed=1).fit(data) for d in (4, 0))
    assert with_them.ranker_.scorer.weights.tolist() != without.ranker_.scorer.weights.tolist()


def test_a_pull_keeps_weights_at_the_start() -> None:
    data = easy(4)
    found = [CoordinateAscent(restarts=1, slack=slack).fit(data).ranker_.scorer.weights for slack in (0.0, 0.05, 100.0)]
    away = [pull(weights, np.ones(4), 1.0) for weights in found]
    assert away[2] == 0.0 and away[0] > away[1] > 0


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("restarts", [1, 4])
def test_the_bits_are_the_same_for_any_number_of_threads(threads: int, restarts: int) -> None:
    rng = np.random.default_rng(0)
    sizes = [40] * 400
    table = rng.normal(size=(sum(sizes), 3))
    data = Dataset.of(table, rng.integers(0, 3, sum(sizes)), group=sizes)
    how = {"restarts": restarts, "sweeps": 2, "measure": "nDCG@5"}
    first, second = (CoordinateAscent(threads=t, **how).fit(data) for t in (1, threads))
    assert first.ranker_.scorer.weights.tobytes() == second.ranker_.scorer.weights.tobytes()


def test_constant_features_and_lists_of_one_document_change_nothing() -> None:
    data = easy(2)
    wide = Dataset.of(
        np.hstack([data.features, np.ones((len(data.labels), 1))]), data.labels, group=np.diff(data.offsets)
    )
    slopes, _ = slopes_of(wide, "nDCG@3")
    _, value, _ = slopes.search.along(np.ones(5), np.eye(5)[4], 1)
    assert value == pytest.approx(slopes.search.value(np.ones(5)))
    alone = Dataset.of([[1.0], [2.0], [3.0]], [1, 1, 0], group=[1, 2])
    slopes, _ = slopes_of(alone, "nDCG")
    assert len(slopes.search.searched) == 1


def test_it_goes_on_from_a_linear_ranker() -> None:
    data = easy(6)
    first = CoordinateAscent(restarts=1, sweeps=2, measure="nDCG@3").fit(data)
    again = CoordinateAscent(restarts=2, sweeps=2, measure="nDCG@3").fit(data, start_from=first.ranker_)
    assert again.curve_.training[-1] >= first.curve_.training[-1]


# RankLib's steps, without its defects.


def test_probes_go_both_ways_with_steps_that_double() -> None:
    up, down, off = probes(1.0)
    assert up[:3].tolist() == [0.001, 0.003, 0.007] and len(up) == 25
    assert (down == -up).all() and off.tolist() == [-1.0]


def test_small_weights_are_lowered_too_not_like_ranklib() -> None:
    up, down, off = probes(-0.0015)
    assert up[0] == 0.05 * 0.0015 and (down < 0).all() and off.tolist() == [0.0015]
    assert probes(0.0)[2].tolist() == []


def test_switching_off_a_feature_leaves_no_trace_in_the_scores_not_like_ranklib() -> None:
    data = easy(7)
    fitted = CoordinateAscent(search="probe", restarts=2, sweeps=3).fit(data)
    value = evaluate(data, fitted.predict(data), "nDCG@10")["nDCG@10"].mean
    assert fitted.ranker_.about["training"] == pytest.approx(value, abs=1e-12)


def test_exact_search_ends_at_least_as_high_as_probing() -> None:
    gains = []
    for seed in range(4):
        data = easy(seed, lists=40)
        exact, probe = (
            CoordinateAscent(search=search, restarts=2, measure="nDCG@3").fit(data).curve_.training.max()
            for search in ("exact", "probe")
        )
        gains.append(exact - probe)
    assert np.mean(gains) >= 0


def test_what_no_line_can_be_followed_for_is_probed() -> None:
    top = user_measure("top", lambda labels: float(labels[0]))
    for measure in (top, parse("nDCG(ties='selection-sort')@3"), parse("Bpref(ties='selection-sort')")):
        assert not can_be_followed(measure)
        fitted = CoordinateAscent(measure=measure, restarts=1, sweeps=2).fit(easy(0))
        assert fitted.ranker_.about["search"] == "probe"
    assert CoordinateAscent(restarts=1).fit(easy(0)).ranker_.about["search"] == "exact"


def test_scaling_by_powers_of_two_changes_no_ranking() -> None:
    weights = np.array([[3.0, -40.0, 0.1], [0.0, 0.0, 0.0], [1e-9, 2e-9, -1e-12]])
    scaled = rescaled(weights)
    factors = scaled[[0, 2]] / weights[[0, 2]]
    assert (np.log2(factors) == np.round(np.log2(factors))).all() and (np.ptp(factors, axis=1) == 0).all()
    assert ((np.abs(scaled[[0, 2]]).max(axis=1) >= 0.5) & (np.abs(scaled).max() < 1)).all()
    assert (scaled[1] == 0).all()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"restarts": 0}, "restarts must be a whole number from 1, not 0"),
        ({"sweeps": 1.5}, "sweeps must be a whole number from 1, not 1.5"),
        ({"directions": -1}, "directions must be a whole number from 0, not -1"),
        ({"tolerance": -0.1}, "tolerance must be a number from 0, not -0.1"),
        ({"slack": math.nan}, "slack must be a number from 0, not nan"),
        ({"search": "grid"}, "search is 'grid'"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(parameters, words: str) -> None:
    with pytest.raises(RankwiseError, match=words):
        CoordinateAscent(**parameters).fit(easy(0))
