"""AdaRank: equal to its paper, to itself under conventions that differ by a constant, to RankLib where it says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from contracts.settings import quick
from learners.ranklib.reading import numbers, part, printed
from oracles.adarank import adarank
from rankwise import DataError, Dataset, RankwiseError, evaluate, measure
from rankwise.learners.adarank import AdaRank
from rankwise.measures import nDCG


def mixed(seed: int, lists: int) -> Dataset:
    """Lists of six documents whose labels hang a little on each feature; each list teaches."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6 * lists, 4)).astype(np.float32)
    worth = (X.sum(axis=1) + 2 * rng.normal(size=6 * lists)).reshape(lists, 6)
    labels = np.argsort(np.argsort(worth, axis=1), axis=1) // 2
    return Dataset.of(X, labels.ravel(), qid=np.repeat([f"q{at:02}" for at in range(lists)], 6))


DATA = mixed(0, 12)
PAPER = {"keep": "all", "tolerance": None, "directions": "given"}


def by_hand(labels: Any, scores: Any) -> float:
    order = np.argsort(-np.asarray(scores), kind="stable")
    return nDCG(5).of(np.asarray(labels)[order])


def lists_of(data: Dataset) -> list[Any]:
    cuts = data.offsets[1:-1]
    return list(zip(np.split(data.features.astype(float), cuts), np.split(data.labels, cuts), strict=True))


# Definition.


def test_it_is_the_algorithm_of_the_paper_if_asked() -> None:
    fitted = AdaRank(rounds=6, measure="nDCG@5", **PAPER).fit(DATA)
    details = fitted.ranker_.about
    chosen, trace = adarank(lists_of(DATA), by_hand, 6)
    assert fitted.counts_.teaching == 12
    assert details["columns"] == [feature for feature, _ in chosen]
    np.testing.assert_allclose(details["alphas"], [alpha for _, alpha in chosen], rtol=1e-10)
    np.testing.assert_allclose(fitted.list_weights(DATA), trace, rtol=1e-10)


def test_the_first_weak_ranker_is_the_best_single_feature_in_either_direction() -> None:
    turned = Dataset.of(-DATA.features, DATA.labels, qid=np.repeat(range(12), np.diff(DATA.offsets)))
    first, other = (AdaRank(rounds=1).fit(data).ranker_.scorer.weights for data in (DATA, turned))
    values = [evaluate(DATA, column, "nDCG@10")[0].mean for column in DATA.features.T]
    assert np.flatnonzero(first).tolist() == [int(np.argmax(values))] and first.max() > 0
    np.testing.assert_allclose(other, -first)
    assert (AdaRank(rounds=1, directions="given").fit(turned).ranker_.scorer.weights >= 0).all()


def test_each_weak_ranker_lifts_the_training_value() -> None:
    fitted = AdaRank().fit(DATA)
    assert (np.diff(fitted.curve_.training[:-1]) > 0).all()
    assert fitted.stopped_ == "no weak ranker lifts the training value"
    assert fitted.score(DATA) == fitted.curve_.training[-1] == max(fitted.curve_.training)
    steep = AdaRank(rise=0.01).fit(DATA)
    assert (np.diff(steep.curve_.training[:-1]) > 0.01).all() and len(steep.curve_) < len(fitted.curve_)


def test_one_try_and_no_halving_end_where_the_best_weak_ranker_does_not_help() -> None:
    short, long = AdaRank(tries=1, halvings=0).fit(DATA), AdaRank().fit(DATA)
    assert len(short.curve_) <= len(long.curve_) and short.score(DATA) <= long.score(DATA)


def test_with_a_tolerance_all_are_kept_until_the_training_value_falls() -> None:
    patient = AdaRank(keep="all", tolerance=None, rounds=40).fit(DATA)
    assert len(patient.curve_) == 40
    falls = np.diff(patient.curve_.training).min()
    strict = AdaRank(keep="all", tolerance=0.0, rounds=40).fit(DATA)
    assert falls > 0 or (strict.stopped_ == "the training value falls" and len(strict.curve_) <= 40)


# Weights of lists.


def test_lists_that_are_ranked_badly_weigh_more() -> None:
    fitted = AdaRank(rounds=3).fit(DATA)
    weights = fitted.list_weights(DATA)
    assert weights.shape == (4, len(DATA)) and np.allclose(weights.sum(axis=1), 1)
    values = evaluate(DATA, fitted.predict(DATA), "nDCG@10")[0].values
    np.testing.assert_allclose(weights[-1], np.exp(-values) / np.exp(-values).sum())


def test_lists_that_cannot_teach_weigh_nothing_and_weights_of_lists_multiply() -> None:
    X, y = [[1.0], [2.0], [3.0], [1.0], [2.0], [1.0], [5.0]], [0, 1, 0, 2, 1, 0, 0]
    data = Dataset.of(X, y, group=[3, 2, 2], weights=[1.0, 3.0, 5.0])
    fitted = AdaRank(rounds=1).fit(data)
    assert fitted.list_weights(data)[0].tolist() == [0.25, 0.75, 0.0]
    assert fitted.list_weights(data.take([2])).tolist() == [[0.0], [0.0]]


def test_conventions_that_differ_by_a_constant_give_the_same_model() -> None:
    empty = Dataset.of([[0.3, 1, 2, 9], [4, 0.1, 2, 9]], [0, 0], qid=["none"] * 2)
    data = Dataset.join([DATA, empty])
    models = [
        AdaRank(measure=f"nDCG(empty={empty})@5").fit(data).ranker_.scorer.weights for empty in (0, 1, 0.5, "'skip'")
    ]
    assert all(model.tolist() == models[0].tolist() for model in models[1:])
    yahoo, ranklib = (AdaRank(measure=f"{t}:nDCG@5").fit(data).ranker_.scorer.weights for t in ("yahoo", "ranklib"))
    np.testing.assert_allclose(yahoo, ranklib, atol=1e-12)
    # Another gain changes the values of lists that teach.
    other = AdaRank(measure="nDCG(gain='linear')@5").fit(data).ranker_.scorer.weights
    assert other.tolist() != models[0].tolist()


@pytest.mark.parametrize("text", ["AP", "RR", "ERR@5", "DCG@10", "WARPLoss", "tau", "P(rel=2)@3"])
def test_any_measure_can_be_boosted(text: str) -> None:
    known = {"tau": "Tau"}.get(text, text)
    fitted = AdaRank(measure=known, rounds=10).fit(DATA)
    assert np.isfinite(fitted.predict(DATA)).all()
    rises = np.diff(fitted.curve_.training[:-1])
    assert (rises > 0).all() if measure(known).higher_is_better else (rises < 0).all()


# Edge cases.


def test_a_perfect_feature_has_a_finite_weight() -> None:
    data = Dataset.of([[1.0], [2.0], [3.0]] * 4, [0, 1, 2] * 4, group=[3] * 4)
    fitted = AdaRank().fit(data)
    assert fitted.ranker_.scorer.weights == pytest.approx(0.5 * np.log(2e6), rel=1e-6)
    assert AdaRank(compat="ranklib").fit(data).predict(data).max() < 1000


def test_a_training_goes_on_from_a_linear_ranker() -> None:
    first = AdaRank(rounds=2).fit(DATA)
    further = AdaRank(rounds=3, halvings=0).fit(DATA, start_from=first.ranker_)
    assert further.score(DATA) >= first.score(DATA)
    with pytest.raises(RankwiseError, match="AdaRank cannot go on from a ranker"):
        AdaRank().fit(DATA, start_from=quick("rankboost").fit(DATA).ranker_)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"keep": "some"}, "keep must be 'better' or 'all', not 'some'"),
        ({"directions": "up"}, "directions must be 'both' or 'given', not 'up'"),
        ({"compat": "RankLib"}, "compat must be None or 'ranklib', not 'RankLib'"),
        ({"tries": 0}, "tries must be a whole number from 1, not 0"),
        ({"halvings": -1}, "halvings must be a whole number from 0, not -1"),
        ({"max_selections": 2.5}, "max_selections must be a whole number from 1, not 2.5"),
        ({"rise": -1.0}, "rise must be a number from 0, not -1.0"),
        ({"tolerance": float("nan")}, "tolerance must be a number from 0, not nan"),
        ({"rounds": 0}, "the number of steps must be a whole number from 1, not 0"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(RankwiseError, match=words):
        AdaRank(**parameters).fit(DATA)


def test_lists_without_anything_to_learn_are_refused() -> None:
    with pytest.raises(DataError, match="there is nothing to learn"):
        AdaRank().fit(Dataset.of([[1.0], [2.0], [3.0]], [0, 0, 0], group=[2, 1]))
    with pytest.raises(DataError, match=r"nothing to learn under AP\(rel=3.*\)@5"):
        AdaRank(measure="AP(rel=3)@5").fit(Dataset.of([[1.0], [2.0], [3.0]], [0, 1, 2], group=[2, 1]))


# As RankLib.


@pytest.mark.parametrize(
    ("model", "parameters", "validation"),
    [
        ("adarank_ndcg5", {}, False),
        ("adarank_ndcg5_noeq", {"enqueue": False}, False),
        ("adarank_ndcg5_val", {}, True),
        ("adarank_map", {"measure": "ranklib:MAP"}, False),
    ],
)
def test_it_learns_what_ranklib_learns(model: str, parameters: dict[str, Any], validation: bool) -> None:
    learner = AdaRank(compat="ranklib", **{"measure": "ranklib:NDCG@5", **parameters})
    fitted = learner.fit(part("tr"), validation=part("va") if validation else None)
    details, wanted = fitted.ranker_.about, numbers(model)
    assert details["columns"] == [feature - 1 for feature, _ in wanted]
    np.testing.assert_allclose(details["alphas"], [alpha for _, alpha in wanted], rtol=1e-10)
    assert fitted.score(part("te")) == pytest.approx(printed(model)["test"], abs=5.1e-5)
    assert fitted.score(part("tr")) == pytest.approx(printed(model)["training"], abs=5.1e-5)
    weights = fitted.list_weights(part("tr"))
    assert weights.shape == (len(wanted) + 1, 60) and weights[0] == pytest.approx(np.float32(1 / 60))
    assert weights[-1].sum() < 1e-3


def test_under_err_ranklib_goes_on_when_all_weights_have_faded() -> None:
    fitted = AdaRank(compat="ranklib", measure="ranklib:ERR@10").fit(part("tr"))
    details, wanted = fitted.ranker_.about, numbers("adarank_err10")
    assert fitted.stopped_ == "the weights of the lists have faded to nothing"
    # Its last weak ranker has an α of NaN, which makes every score NaN.
    assert np.isnan(wanted[-1][1]) and len(details["columns"]) == len(wanted) - 1
    assert details["columns"] == [feature - 1 for feature, _ in wanted[:-1]]
    # Near the smallest doubles, weights have few digits left.
    np.testing.assert_allclose(details["alphas"][:177], [alpha for _, alpha in wanted[:177]], rtol=1e-10)
    np.testing.assert_allclose(details["alphas"], [alpha for _, alpha in wanted[:-1]], atol=1e-6)
