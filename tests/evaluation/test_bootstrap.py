"""The bootstrap interval: its generator, its laws, its agreement with SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import bootstrap as oracle
from rankwise import Dataset, RankwiseError, _kernels, evaluate
from rankwise.evaluation.interval import bootstrap_interval

stats = pytest.importorskip("scipy.stats")

VALUES = st.lists(st.floats(0, 1) | st.just(math.nan), min_size=1, max_size=30)


# Definition.


@settings(deadline=None)
@given(values=VALUES, seed=st.integers(0, 2**64 - 1), data=st.data())
def test_the_kernel_draws_as_the_slow_generator(values: list[float], seed: int, data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.floats(0, 5), min_size=len(values), max_size=len(values)))
    found = _kernels.bootstrap(np.array(values), np.array(weights), 70, seed, 1)
    np.testing.assert_allclose(found, oracle.means(values, weights, 70, seed), rtol=1e-12, atol=1e-300)
    if any(value == value for value in values):
        plain = oracle.means(values, [1.0] * len(values), 70, seed)
        np.testing.assert_allclose(_kernels.bootstrap(np.array(values), None, 70, seed, 1), plain, rtol=1e-12)


# Laws.


def test_threads_and_the_order_of_lists_change_no_bit() -> None:
    rng = np.random.default_rng(1)
    values, weights = rng.random(777), rng.random(777)
    order = rng.permutation(777)
    one = _kernels.bootstrap(values, weights, 500, 3, 1)
    for threads in (2, 3, None):
        np.testing.assert_array_equal(one, _kernels.bootstrap(values[order], weights[order], 500, 3, threads))
    assert bootstrap_interval(values) == bootstrap_interval(values[::-1], threads=2)


def test_another_seed_draws_others() -> None:
    values = np.random.default_rng(5).random(50)
    assert bootstrap_interval(values, seed=1) != bootstrap_interval(values, seed=2)


@given(values=VALUES)
def test_the_interval_stays_within_the_values(values: list[float]) -> None:
    known = [value for value in values if value == value]
    low, high = bootstrap_interval(np.array(values), resamples=200)
    if known:
        assert min(known) * (1 - 1e-12) <= low <= high <= max(known) * (1 + 1e-12)
    else:
        assert math.isnan(low) and math.isnan(high)


def test_a_higher_level_is_wider() -> None:
    values = np.random.default_rng(5).random(50)
    low, high = bootstrap_interval(values)
    narrow = bootstrap_interval(values, level=0.5)
    assert low < narrow[0] < narrow[1] < high


# Agreement.


@pytest.mark.parametrize("n", [8, 50, 400])
def test_it_is_scipys_percentile_interval(n: int) -> None:
    values = np.random.default_rng(n).beta(0.5, 0.8, n)
    theirs = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=20_000, rng=1).confidence_interval
    # Two ends of 10,000 resamples differ by chance: some four standard errors of such a quantile.
    assert bootstrap_interval(values) == pytest.approx(tuple(theirs), abs=0.1 * values.std() / math.sqrt(n))


def test_weighted_lists_are_resampled_with_their_weights() -> None:
    rng = np.random.default_rng(2)
    values, weights = rng.random(60), rng.exponential(size=60)

    def mean(v: np.ndarray, w: np.ndarray, axis: int = -1) -> np.ndarray:
        return (v * w).sum(axis) / w.sum(axis)

    theirs = stats.bootstrap(
        (values, weights), mean, paired=True, method="percentile", n_resamples=20_000, rng=1
    ).confidence_interval
    assert bootstrap_interval(values, weights=weights) == pytest.approx(tuple(theirs), abs=0.01)


def test_a_geometric_mean_is_resampled_as_one() -> None:
    rng = np.random.default_rng(3)
    labels, scores = rng.integers(0, 2, 400), rng.random(400)
    outcome = evaluate(labels, scores, "AP(mean='geometric')", group=[10] * 40)[0]
    low, high = bootstrap_interval(np.log(np.maximum(outcome.values, 1e-5)))
    assert outcome.bootstrap == (math.exp(low), math.exp(high))
    assert low < math.log(outcome.mean) < high


# In a result.


def test_a_result_shows_it_when_asked() -> None:
    labels, scores = [1, 0, 0, 1, 1, 0], [2.0, 1, 2, 1, 1, 0]
    shown = repr(evaluate(labels, scores, "RR", group=[2, 2, 2], bootstrap=True))
    assert "95 % interval   95 % bootstrap" in shown
    assert "0.5000 – 1.0000" in shown
    assert shown.endswith("bootstrap: percentiles of 10,000 resamples of the lists, seed 0")
    assert "bootstrap" not in repr(evaluate(labels, scores, "RR", group=[2, 2, 2]))


def test_weights_of_a_dataset_weigh_the_resamples() -> None:
    weights = [3.0, 0.0, 1.0]
    data = Dataset.of(labels=[1, 0, 0, 1, 0, 1], group=[2, 2, 2], weights=weights)
    outcome = evaluate(data, [2.0, 1, 2, 1, 2, 1], "RR")[0]
    assert outcome.bootstrap == bootstrap_interval(outcome.values, weights=np.array(weights))
    assert outcome.bootstrap == (0.5, 1.0)


@pytest.mark.parametrize("measure", ["NumRel(mean='sum')", "AP(empty='nan')"])
def test_what_is_no_mean_of_numbers_has_none(measure: str) -> None:
    outcome = evaluate([1, 0, 0, 0], [2.0, 1, 2, 1], measure, group=[2, 2])[0]
    assert all(map(math.isnan, outcome.bootstrap))


def test_one_list_has_none() -> None:
    assert all(map(math.isnan, evaluate([1, 0], [2.0, 1], "AP")[0].bootstrap))


@pytest.mark.parametrize(
    "wrong, says",
    [
        ({"level": 1.0}, "the level of an interval lies between 0 and 1, not at 1.0"),
        ({"resamples": 0}, "at least one resample is needed, not 0"),
        ({"seed": -1}, "a seed is a whole number from 0 to 2\\^64 − 1, not -1"),
    ],
)
def test_refusals(wrong: dict[str, float], says: str) -> None:
    with pytest.raises(RankwiseError, match=says):
        bootstrap_interval(np.array([0.0, 1.0]), **wrong)
