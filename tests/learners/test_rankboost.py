"""RankBoost: equal to explicit pairs, and to RankLib where it says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.settings import easy
from learners.ranklib.reading import numbers, part, printed
from oracles.rankboost import pairs_of, potentials_of, rankboost, weights_of
from rankwise import DataError, Dataset, RankwiseError
from rankwise._kernels import Bins, Preferences
from rankwise.learners.adarank import AdaRank
from rankwise.learners.rankboost import RankBoost

DATA = easy(3, lists=8).in_canonical_order(rows_too=True)
LISTS = np.repeat(range(8), np.diff(DATA.offsets))


# Definition.


@given(st.integers(0, 10**6), st.sampled_from([2, 3, 5, 40]))
@settings(max_examples=40, deadline=None)
def test_potentials_are_those_of_the_pair_matrix(seed: int, grades: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, 6)
    rows = int(sizes.sum())
    offsets, lists = np.r_[0, np.cumsum(sizes)], np.repeat(range(6), sizes)
    labels = rng.integers(0, grades, rows) / 2
    margins, importance, of_lists = rng.normal(scale=3, size=rows), rng.random(rows), rng.random(6)
    pairs = pairs_of(labels, lists)
    preferences = Preferences.of(labels, offsets, of_lists, importance)
    found, log_weight = preferences.potentials(margins)
    assert preferences.pairs == len(pairs)
    if not pairs:
        assert not found.any() and log_weight == -np.inf
        return
    raw = np.array(
        [of_lists[lists[i]] * importance[i] * importance[k] * np.exp(margins[k] - margins[i]) for i, k in pairs]
    )
    weights = raw / raw.sum()
    np.testing.assert_allclose(found, potentials_of(pairs, weights, rows), atol=1e-12)
    assert log_weight == pytest.approx(np.log(raw.sum()))
    above = rng.random(rows) < 0.5
    right = sum(w for (i, k), w in zip(pairs, weights, strict=True) if above[i] > above[k])
    wrong = sum(w for (i, k), w in zip(pairs, weights, strict=True) if above[i] < above[k])
    assert preferences.split(margins, above) == pytest.approx((right, wrong), abs=1e-12)


def test_weights_of_documents_are_the_oracles() -> None:
    margins = np.random.default_rng(0).normal(size=len(LISTS))
    pairs = pairs_of(DATA.labels, LISTS)
    found, _ = Preferences.of(DATA.labels.astype(float), DATA.offsets).potentials(margins)
    weights = weights_of(pairs, margins, np.ones(len(LISTS)))
    np.testing.assert_allclose(found, potentials_of(pairs, weights, len(LISTS)), atol=1e-12)


@pytest.mark.parametrize("alpha", ["bound", "exact"])
@pytest.mark.parametrize("rounded", [False, True])
def test_it_is_boosting_over_explicit_pairs(alpha: str, rounded: bool) -> None:
    features = np.round(DATA.features * 2) if rounded else DATA.features
    data = Dataset.of(features, DATA.labels, qid=LISTS)
    scorer = RankBoost(rounds=8, thresholds=None, alpha=alpha).fit(data).ranker_.scorer
    wanted = rankboost(features.astype(float).tolist(), DATA.labels.tolist(), LISTS.tolist(), 8, exact=alpha == "exact")
    assert scorer.feature.tolist() == [feature for feature, _, _ in wanted]
    np.testing.assert_allclose(scorer.threshold, [threshold for _, threshold, _ in wanted])
    np.testing.assert_allclose(scorer.above, [a for _, _, a in wanted], rtol=1e-9)
    assert not scorer.below.any()


def test_the_exact_alpha_makes_the_pairs_weigh_least() -> None:
    data = Dataset.of(DATA.features, DATA.labels, qid=LISTS)
    scorer = RankBoost(rounds=1, alpha="exact").fit(data).ranker_.scorer
    preferences = Preferences.of(DATA.labels.astype(float), DATA.offsets)
    lifted = DATA.features[:, scorer.feature[0]] > scorer.threshold[0]
    weights = [preferences.potentials(a * lifted)[1] for a in scorer.above[0] + np.array([-0.01, 0, 0.01])]
    assert weights[1] == min(weights)


def test_thresholds_are_at_most_so_many_and_share_the_rows() -> None:
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=1000), rng.integers(0, 3, 1000)]).astype(np.float32)
    bins = Bins.of(table, 9)
    shares = np.diff(np.searchsorted(np.sort(table[:, 0]), [-np.inf, *bins.thresholds(0), np.inf]))
    assert len(bins.thresholds(0)) == 9 and shares.min() >= 99 and shares.max() <= 101
    assert bins.thresholds(1).tolist() == [0.5, 1.5]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_search_is_the_same_for_any_number_of_threads(threads: int) -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(20_000, 60)).astype(np.float32)
    table[:, 7] = np.round(table[:, 7])
    potentials = rng.normal(size=20_000)
    for most in (None, 100):
        found = Bins.of(table, most, threads).search(potentials, True, threads)
        assert found == Bins.of(table, most, 1).search(potentials, True, 1)
        feature, threshold, _, r = found
        assert r == pytest.approx(potentials[table[:, feature] > threshold].sum())


# Laws.


def test_stumps_may_say_that_less_is_better() -> None:
    turned = Dataset.of(-DATA.features, DATA.labels, qid=LISTS)
    plain, other = (RankBoost(rounds=20).fit(data).score(data) for data in (DATA, turned))
    assert other == pytest.approx(plain, abs=0.02)
    rising = RankBoost(rounds=20, directions="given").fit(turned)
    assert (rising.ranker_.scorer.above > 0).all() and rising.score(turned) < other


def test_weights_of_lists_are_repetitions_of_lists() -> None:
    X, y = DATA.features, DATA.labels
    weights = np.where(np.arange(8) < 3, 2.0, 1.0)
    weighted = RankBoost(rounds=5, thresholds=None).fit(X, y, qid=LISTS, weights=weights).ranker_.scorer
    twice = LISTS < 3
    repeated = (
        RankBoost(rounds=5, thresholds=None)
        .fit(np.vstack([X, X[twice]]), np.r_[y, y[twice]], qid=np.r_[LISTS, LISTS[twice] + 100])
        .ranker_.scorer
    )
    assert weighted.feature.tolist() == repeated.feature.tolist()
    np.testing.assert_allclose(weighted.above, repeated.above, rtol=1e-9)


def test_missing_values_go_to_the_better_side() -> None:
    nan = np.nan
    X, y = [[nan], [1.0], [2.0], [nan], [3.0], [1.0]], [1, 0, 0, 1, 1, 0]
    scorer = RankBoost(rounds=1).fit(X, y, group=[3, 3]).ranker_.scorer
    assert scorer.threshold.tolist() == [2.5] and scorer.missing.tolist() == scorer.above.tolist()
    known = RankBoost(rounds=1).fit([[nan], [1.0], [2.0]], [0, 1, 1], group=[3]).ranker_.scorer
    assert known.threshold < 1 and known.missing.tolist() == [0.0] and known.above > 0


def test_documents_without_a_label_are_in_no_pair() -> None:
    assert Preferences.of(np.array([2.0, np.nan, 0.0, np.nan]), np.array([0, 3, 4])).pairs == 1


# Edge cases and refusals.


def test_a_perfect_stump_has_a_finite_weight() -> None:
    scorer = RankBoost(rounds=400).fit([[0.0], [0.0], [1.0]], [0, 0, 1], group=[3]).ranker_.scorer
    assert scorer.above[0] == pytest.approx(0.5 * np.log(1 / (0.5 / 2)))
    assert np.isfinite(scorer.above).all()
    emulated = RankBoost(rounds=4, compat="ranklib", thresholds=10)
    assert np.isfinite(emulated.fit([[0.0], [0.0], [1.0]], [0, 0, 1], group=[3]).ranker_.scorer.above).all()


def test_features_that_tell_nothing_apart_end_the_training() -> None:
    fitted = RankBoost().fit([[3.0], [3.0], [3.0]], [0, 1, 2], group=[3])
    assert fitted.stopped_ == "no stump tells pairs apart better than chance"
    assert not fitted.predict([[1.0]], qid=[1]).any()


def test_it_goes_on_from_its_own_rankers_as_if_it_had_not_stopped() -> None:
    whole = RankBoost(rounds=10).fit(DATA)
    first = RankBoost(rounds=4).fit(DATA)
    further = RankBoost(rounds=10).fit(DATA, start_from=first.ranker_)
    assert further.ranker_.scorer.feature.tolist() == whole.ranker_.scorer.feature.tolist()
    np.testing.assert_allclose(further.ranker_.scorer.above, whole.ranker_.scorer.above, rtol=1e-9)
    with pytest.raises(RankwiseError, match="RankBoost cannot go on from a ranker of linear"):
        RankBoost().fit(DATA, start_from=AdaRank(rounds=1).fit(DATA).ranker_)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"directions": "down"}, "directions must be 'both' or 'given', not 'down'"),
        ({"alpha": "newton"}, "alpha must be 'bound' or 'exact', not 'newton'"),
        ({"compat": "quickrank"}, "compat must be None or 'ranklib', not 'quickrank'"),
        ({"thresholds": 0}, "thresholds must be a whole number from 1, not 0"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(RankwiseError, match=words):
        RankBoost(**parameters).fit(DATA)


def test_kernels_refuse_what_does_not_fit() -> None:
    labels, offsets = np.array([1.0, 0.0]), np.array([0, 2])
    with pytest.raises(DataError, match="offsets: must start at 0"):
        Preferences.of(labels, np.array([0, 1]))
    with pytest.raises(DataError, match="weights of lists: must be 1 numbers from 0"):
        Preferences.of(labels, offsets, np.array([-1.0]))
    preferences = Preferences.of(labels, offsets)
    with pytest.raises(DataError, match="margins: 3 for 2 rows"):
        preferences.potentials(np.zeros(3))
    with pytest.raises(DataError, match="margins, row 1: the margin is not finite"):
        preferences.potentials(np.array([0.0, np.inf]))
    with pytest.raises(DataError, match="above: 1 for 2 rows"):
        preferences.split(np.zeros(2), np.array([True]))
    table = np.zeros((2, 1), np.float32)
    with pytest.raises(DataError, match="thresholds of column 0: must be finite and rise"):
        Bins.cut(table, [np.array([1.0, 1.0])])
    with pytest.raises(DataError, match="table: 0 values are no rows of 0 features"):
        Bins.of(np.zeros((2, 0), np.float32))
    with pytest.raises(DataError, match="potentials: 3 for 2 rows"):
        Bins.of(table).search(np.zeros(3), True)


# As RankLib.


@pytest.mark.parametrize(("model", "thresholds"), [("rankboost_r30_tc10", 10), ("rankboost_r30_tcall", None)])
def test_it_learns_what_ranklib_learns(model: str, thresholds: int | None) -> None:
    learner = RankBoost(compat="ranklib", rounds=30, thresholds=thresholds, measure="ranklib:NDCG@10")
    fitted = learner.fit(part("tr"))
    scorer, wanted = fitted.ranker_.scorer, numbers(model)
    assert scorer.feature.tolist() == [feature - 1 for feature, _, _ in wanted]
    assert scorer.threshold.tolist() == [threshold for _, threshold, _ in wanted]
    np.testing.assert_allclose(scorer.above, [alpha for _, _, alpha in wanted], rtol=0, atol=1e-9)
    assert fitted.score(part("te")) == pytest.approx(printed(model)["test"], abs=5.1e-5)
    # What RankLib prints for the training lists is that of lists sorted by label beforehand.
    assert fitted.score(part("tr")) < printed(model)["training"] - 0.002


def test_ranklib_has_no_place_for_missing_values() -> None:
    with pytest.raises(DataError, match="compat='ranklib' has no place for missing values"):
        RankBoost(compat="ranklib").fit([[np.nan], [1.0]], [0, 1], group=[2])
