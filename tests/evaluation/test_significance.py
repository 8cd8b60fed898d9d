"""Tests of significance: equal to SciPy where it has the same design, right where input is degenerate."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankwise import RankwiseError, _kernels
from rankwise.evaluation import significance as s

RNG = np.random.default_rng(5)
SHAPES = [(3, 2), (4, 5), (3, 13), (5, 30), (2, 51), (3, 200)]


def differences(pairs: int, lists: int, *, tied: bool = False) -> np.ndarray:
    found = RNG.normal(0.05, 0.3, (pairs, lists))
    return np.round(found, 1) if tied else found


def all_pairs(systems: int) -> np.ndarray:
    return np.array(list(combinations(range(systems), 2)))


# Agreement.


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("tied", [False, True])
def test_the_t_test_is_scipys(shape: tuple[int, int], tied: bool) -> None:
    rows = differences(*shape, tied=tied)
    with np.errstate(invalid="ignore"):
        wanted = stats.ttest_1samp(rows, 0, axis=1).pvalue
    np.testing.assert_allclose(s.paired_t(rows), wanted, rtol=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_sign_test_is_scipys_binomial_test(shape: tuple[int, int]) -> None:
    rows = differences(*shape, tied=True)
    wanted = [stats.binomtest(int((r > 0).sum()), max(1, int((r != 0).sum()))).pvalue for r in rows]
    np.testing.assert_allclose(s.sign(rows), wanted, rtol=1e-10)


@pytest.mark.parametrize("lists", [1, 2, 5, 13, 30, 50, 51, 200])
def test_the_signed_rank_test_is_scipys_where_nothing_is_tied(lists: int) -> None:
    rows = differences(4, lists)
    method = "exact" if lists <= 50 else "approx"
    wanted = [stats.wilcoxon(r, method=method).pvalue for r in rows]
    np.testing.assert_allclose(s.wilcoxon(rows), wanted, rtol=1e-10)


def test_the_signed_rank_test_is_scipys_for_many_tied_differences() -> None:
    rows = differences(4, 150, tied=True)
    wanted = [stats.wilcoxon(r, method="approx").pvalue for r in rows]
    np.testing.assert_allclose(s.wilcoxon(rows), wanted, rtol=1e-10)


@pytest.mark.parametrize("lists", [3, 6, 10])
def test_tied_differences_have_the_distribution_over_all_signs(lists: int) -> None:
    for row in differences(5, lists, tied=True):
        row = row[row != 0]
        ranks = stats.rankdata(np.abs(row))
        signs = np.array(np.meshgrid(*[[0, 1]] * len(row))).reshape(len(row), -1).T
        sums = signs @ ranks
        observed, middle = ranks[row > 0].sum(), ranks.sum() / 2
        wanted = (np.abs(sums - middle) >= abs(observed - middle) - 1e-9).mean()
        assert s.wilcoxon(row[None])[0] == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize("lists", [1, 2, 5, 11])
@pytest.mark.parametrize("tied", [False, True])
def test_the_randomisation_test_of_few_lists_is_scipys_exact_one(lists: int, tied: bool) -> None:
    values = RNG.normal(0, 1, (3, lists))
    values = np.round(values) if tied else values
    pairs = all_pairs(3)
    wanted = [
        stats.permutation_test(
            (values[a], values[b]),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            n_resamples=np.inf,
            vectorized=True,
        ).pvalue
        if lists > 1
        else 1.0
        for a, b in pairs
    ]
    np.testing.assert_allclose(s.randomisation(values, pairs), wanted, rtol=1e-10)


def test_the_drawn_randomisation_test_is_near_the_exact_one() -> None:
    values = np.round(RNG.normal(0, 1, (4, 15)), 1)
    exact = s.randomisation(values, all_pairs(4), permutations=2**15)
    drawn = s.randomisation(values, all_pairs(4), permutations=2**15 - 1)
    np.testing.assert_allclose(drawn, exact, atol=5 * math.sqrt(0.25 / 2**15))
    assert (drawn != exact).any()


def test_the_randomisation_kernel_counts_what_its_signs_say() -> None:
    """The slow way: the patterns themselves are read off by systems that have a value on one list alone."""
    lists, count, seed = 70, 300, 9
    values = np.round(RNG.normal(0, 1, (3, lists)), 2)
    pairs = all_pairs(3)
    signs = np.array([[1 - 2 * (_mixed(p, seed, i // 64) >> (i % 64) & 1) for i in range(lists)] for p in range(count)])
    sums = signs @ values.T
    wanted = [(np.abs(sums[:, a] - sums[:, b]) >= abs((values[a] - values[b]).sum()) - 1e-9).sum() for a, b in pairs]
    found = _kernels.randomisation(values, pairs.astype(np.uint32), count, seed)
    assert found.tolist() == wanted


def _mixed(pattern: int, seed: int, word: int) -> int:
    def mix(x: int) -> int:
        x = (x + 0x9E3779B97F4A7C15) % 2**64
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
        return x ^ x >> 31

    return mix(mix(seed ^ mix(pattern)) ^ word)


@pytest.mark.parametrize(("groups", "freedom"), [(2, 3), (3, 20), (6, 210), (10, 1000)])
def test_the_studentized_range_is_scipys(groups: int, freedom: int) -> None:
    q = np.array([0.1, 1.0, 3.5, 5.0, 7.0])
    wanted = stats.studentized_range.sf(q, groups, freedom)
    np.testing.assert_allclose(s.studentized_range_sf(q, groups, freedom), wanted, rtol=1e-6, atol=1e-10)


def test_many_ranges_at_once_are_near_the_single_ones() -> None:
    q = np.linspace(0, 6, 3000)
    few = s.studentized_range_sf(q[::300], 5, 40)
    np.testing.assert_allclose(s.studentized_range_sf(q, 5, 40)[::300], few, atol=1e-10)


def test_tukeys_test_of_two_systems_is_the_t_test() -> None:
    values = RNG.normal(0, 1, (2, 25))
    wanted = stats.ttest_rel(*values).pvalue
    np.testing.assert_allclose(s.tukey(values, np.array([[0, 1]])), wanted, rtol=1e-8)


def test_power_is_what_the_noncentral_distribution_says() -> None:
    for effect, lists in [(0.1, 20), (0.5, 34), (1.0, 8), (-0.3, 100)]:
        critical = stats.t.ppf(0.975, lists - 1)
        nc = effect * math.sqrt(lists)
        wanted = stats.nct.sf(critical, lists - 1, nc) + stats.nct.cdf(-critical, lists - 1, nc)
        assert s.power(effect, lists) == pytest.approx(wanted, rel=1e-8)


@pytest.mark.parametrize("lists", [2, 3, 5, 20, 50, 400, 5000])
def test_power_rises_with_the_effect_however_far(lists: int) -> None:
    found = [s.power(shift / math.sqrt(lists), lists) for shift in np.arange(0, 60, 0.25)]
    assert (np.diff(found) >= -1e-12).all() and found[0] == pytest.approx(0.05)


@pytest.mark.parametrize("lists", [2, 5, 43, 400, 5000])
def test_what_is_detectable_has_the_power_that_is_wanted(lists: int) -> None:
    assert s.power(s.detectable(lists, wanted=0.9), lists) == pytest.approx(0.9)
    assert math.isnan(s.detectable(1))


def test_the_lists_needed_are_the_fewest() -> None:
    for effect in (0.05, 0.2, 0.7, 3.0):
        n = s.lists_needed(effect, 1.0)
        assert s.power(effect, n) >= 0.8
        assert n == 2 or s.power(effect, n - 1) < 0.8


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_corrections_are_what_their_definitions_say(p: list[float]) -> None:
    n = len(p)
    rank = sorted(range(n), key=lambda i: p[i])
    holm = [min(1.0, max((n - j) * p[rank[j]] for j in range(rank.index(i) + 1))) for i in range(n)]
    bh = [min(1.0, min(n / (j + 1) * p[rank[j]] for j in range(rank.index(i), n))) for i in range(n)]
    np.testing.assert_allclose(s.correct(p, "holm"), holm, rtol=1e-12)
    np.testing.assert_allclose(s.correct(p, "bh"), bh, rtol=1e-12)
    np.testing.assert_allclose(s.correct(p, "bh"), stats.false_discovery_control(p), rtol=1e-12)
    np.testing.assert_allclose(s.correct(p, "bonferroni"), [min(1.0, x * n) for x in p], rtol=1e-12)


# Degenerate input.


TESTS = {"t": s.paired_t, "sign": s.sign, "wilcoxon": s.wilcoxon}


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@pytest.mark.parametrize("lists", [1, 2, 60])
def test_systems_that_agree_everywhere_have_p_1(test, lists: int) -> None:
    assert test(np.zeros((2, lists))).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("lists", [1, 2, 60])
def test_randomisation_and_tukey_of_equal_systems_have_p_1(lists: int) -> None:
    values = np.tile(RNG.normal(0, 1, lists), (3, 1))
    assert s.randomisation(values, all_pairs(3)).tolist() == [1.0] * 3
    assert s.tukey(values, all_pairs(3)).tolist() == [1.0] * 3


def test_one_list_can_prove_nothing() -> None:
    one = np.array([[0.3]])
    assert math.isnan(s.paired_t(one)[0])
    assert s.sign(one)[0] == s.wilcoxon(one)[0] == 1.0
    assert s.randomisation(np.array([[0.3], [0.1]]), np.array([[0, 1]]))[0] == 1.0
    assert math.isnan(s.tukey(np.array([[0.3], [0.1]]), np.array([[0, 1]]))[0])
    assert math.isnan(s.effect_size(one)[0]) and math.isnan(s.power(0.5, 1))


def test_a_constant_difference_is_no_chance() -> None:
    assert s.paired_t(np.full((1, 10), 0.1))[0] == 0.0
    assert math.isnan(s.effect_size(np.full((1, 10), 0.5))[0])
    assert s.lists_needed(0.1, 0.0) is None and s.lists_needed(0.0, 1.0) is None


def test_a_correction_passes_over_what_was_not_tested() -> None:
    found = s.correct([0.01, math.nan, 0.02], "holm")
    assert found[[0, 2]].tolist() == [0.02, 0.02] and math.isnan(found[1])
    assert s.correct([], "holm").size == 0


# Laws.


def test_the_p_of_the_randomisation_test_is_uniform_under_the_null() -> None:
    values = RNG.normal(0, 1, (600, 30))
    pairs = np.arange(600).reshape(-1, 2)
    p = s.randomisation(values, pairs, permutations=2000)
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_the_same_call_gives_the_same_p_whatever_the_threads() -> None:
    values = RNG.normal(0, 1, (5, 40))
    first = s.randomisation(values, all_pairs(5), seed=3, threads=1)
    np.testing.assert_array_equal(first, s.randomisation(values, all_pairs(5), seed=3, threads=4))
    assert (first != s.randomisation(values, all_pairs(5), seed=4)).any()


# Refusals.


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(RankwiseError, match="there is no correction 'fdr'"):
        s.correct([0.1], "fdr")
    with pytest.raises(RankwiseError, match="permutations must be a whole number from 1, not 0"):
        s.randomisation(np.zeros((2, 30)), all_pairs(2), permutations=0)
