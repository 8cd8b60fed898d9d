"""Comparisons: equal to SciPy where it has the same design, right where input is degenerate, refusals that help."""

from __future__ import annotations

import csv
import io
import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evaluation.systems import drawn, result
from rankwise import DataError, MeasureError, RankwiseError, compare, evaluate, hotel_searches
from rankwise.evaluation.interval import bca_interval, bootstrap_interval, resampled_means
from rankwise.evaluation.paired import TESTS, Settings
from rankwise.evaluation.significance import correct, detectable, lists_needed, power, tukey

RNG = np.random.default_rng(11)


# Agreement.


@pytest.mark.parametrize("lists", [2, 3, 20, 43, 200])
@pytest.mark.parametrize("tied", [False, True])
def test_the_interval_of_a_difference_is_scipys(lists: int, tied: bool) -> None:
    first, second = drawn(2, lists, seed=lists, tied=tied)
    found = compare([first, second], baseline="a", level=0.9).contrasts[0]
    wanted = stats.ttest_rel(second["AP"].values, first["AP"].values)
    np.testing.assert_allclose(found.interval, wanted.confidence_interval(0.9), rtol=1e-10, atol=1e-12)
    assert found.p["t"] == pytest.approx(wanted.pvalue, rel=1e-9)
    assert found.difference == pytest.approx(second["AP"].mean - first["AP"].mean, abs=1e-14)


@pytest.mark.parametrize("lists", [5, 20, 43])
@pytest.mark.parametrize(("kind", "theirs"), [("bootstrap", "percentile"), ("bca", "BCa")])
def test_the_bootstrap_intervals_are_scipys_of_the_same_resamples(lists: int, kind: str, theirs: str) -> None:
    first, second = drawn(2, lists, seed=lists)
    found = compare([first, second], baseline="a").contrasts[0]
    d = second["AP"].values - first["AP"].values
    means = resampled_means(d)
    given = SimpleNamespace(bootstrap_distribution=means)
    wanted = stats.bootstrap((d,), np.mean, n_resamples=0, bootstrap_result=given, method=theirs).confidence_interval
    # SciPy interpolates between two of 10,000 means.
    between = np.diff(np.sort(means)).max()
    np.testing.assert_allclose(getattr(found, kind), wanted, atol=between)


def test_the_bca_interval_is_its_definition() -> None:
    values = RNG.exponential(1, 12)
    means, mean = np.sort(resampled_means(values)), values.mean()
    z0 = stats.norm.ppf(((means < mean).mean() + (means <= mean).mean()) / 2)
    left_out = np.array([np.delete(values, i).mean() for i in range(12)])
    u = left_out.mean() - left_out
    a = (u**3).sum() / (6 * (u**2).sum() ** 1.5)
    ends = []
    for p in (0.025, 0.975):
        z = z0 + stats.norm.ppf(p)
        ends.append(np.quantile(means, stats.norm.cdf(z0 + z / (1 - a * z)), method="nearest"))
    assert bca_interval(values) == pytest.approx(tuple(ends), rel=1e-12)
    assert bca_interval(values) != bootstrap_interval(values)


def test_each_test_is_corrected_over_systems_and_measures() -> None:
    found = compare(drawn(4, 30, measures=3), tests=TESTS, permutations=999)
    assert len(found.contrasts) == 18
    for test in ("randomisation", "t", "wilcoxon", "sign"):
        wanted = correct([c.raw_p[test] for c in found.contrasts], "holm")
        np.testing.assert_array_equal([c.p[test] for c in found.contrasts], wanted)
    for contrast in found.contrasts:
        assert contrast.p["tukey"] == min(1.0, 3 * contrast.raw_p["tukey"])
    raw = compare(drawn(4, 30, measures=3), tests=TESTS, permutations=999, correction="none")
    assert [c.p for c in raw.contrasts] == [c.raw_p for c in found.contrasts]


def test_tukeys_test_is_of_all_systems_also_with_a_baseline() -> None:
    systems = drawn(4, 25)
    found = compare(systems, baseline="c", tests="tukey").contrasts
    values = np.stack([one["AP"].values for one in systems])
    wanted = tukey(values, np.array([[2, 0], [2, 1], [2, 3]]))
    np.testing.assert_allclose([c.raw_p["tukey"] for c in found], wanted)


def test_means_errors_and_intervals_are_those_of_evaluate() -> None:
    systems = drawn(3, 40, measures=2)
    found = compare(systems)
    for at, one in enumerate(systems):
        for outcome in one:
            paired = found[outcome.measure]
            assert (paired.means[at], paired.mean_errors[at]) == (outcome.mean, outcome.stderr)
            assert paired.interval(at) == pytest.approx(outcome.interval, rel=1e-14)


# Laws.


def test_lists_are_matched_by_query_in_any_order() -> None:
    first, second = drawn(2, 30, measures=2)
    order = RNG.permutation(30)
    turned = result("b", *(o.values[order] for o in second), queries=[second.queries[i] for i in order])
    assert compare([first, turned]).to_csv() == compare([first, second]).to_csv()
    both = [result(o.name, *(c.values[order] for c in o), queries=turned.queries) for o in (first, second)]
    assert compare(both).to_csv() == compare([first, second]).to_csv()


def test_measures_are_matched_in_any_order() -> None:
    first = result("a", [1, 0, 1], [0, 0, 1], measures=["AP", "RR"])
    second = result("b", [1, 1, 1], [0, 1, 1], measures=["RR", "AP"])
    found = compare([first, second], baseline="a")
    assert found["AP"].values.tolist() == [[1, 0, 1], [0, 1, 1]]
    assert found.contrast("RR", "b").counts == (2, 1, 0)


def test_lists_that_not_all_have_are_left_out_and_counted() -> None:
    first = result("a", [0.1, 0.2, 0.3, 0.4], queries=["p", "q", "r", "s"])
    second = result("b", [0.5, 0.4, 0.5], queries=["s", "q", "t"])
    found = compare([first, second], baseline="a")
    assert found["AP"].queries == ["q", "s"]
    assert found.matched.left_out == {"a": 2, "b": 1}
    assert "left out: 2 lists of a that not all systems have" in str(found)
    assert found.contrasts[0].difference == pytest.approx(0.15)


def test_lists_without_a_value_in_one_system_are_left_out_of_all() -> None:
    first = result("a", [0.1, math.nan, 0.3, math.nan])
    second = result("b", [0.5, 0.4, math.nan, math.nan])
    found = compare([first, second])
    assert found["AP"].queries == ["q0"] and (found["AP"].partly, found["AP"].nowhere) == (2, 1)
    assert "left out under AP: 2 lists without a value in some systems" in str(found)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=15))
def test_exchanging_two_systems_turns_the_sign(values: list[tuple[float, float]]) -> None:
    first, second = (result(name, [v[at] for v in values]) for at, name in enumerate("ab"))
    there = compare([first, second], tests=TESTS).contrasts[0]
    back = compare([second, first], tests=TESTS).contrasts[0]
    assert there.difference == -back.difference and there.counts == back.counts[::-1]
    assert there.interval == pytest.approx([-end for end in back.interval[::-1]], abs=1e-12)
    assert list(there.p.values()) == pytest.approx(list(back.p.values()), abs=1e-9, nan_ok=True)
    assert there.gains() == [(query, -value) for query, value in back.losses()]


def test_the_same_call_gives_the_same_whatever_the_threads() -> None:
    one = compare(drawn(3, 60), bootstrap="percentile", threads=1, seed=4)
    assert one.to_csv() == compare(drawn(3, 60), bootstrap="percentile", threads=3, seed=4).to_csv()
    assert one.to_csv() != compare(drawn(3, 60), bootstrap="percentile", seed=5).to_csv()


def test_less_is_better_where_the_measure_says_so() -> None:
    first = result("a", [5.0, 4, 6, 7, 5, 6, 5, 8], measures=["FirstRelevant"])
    second = result("b", [1.0, 2, 1, 2, 5, 1, 1, 2], measures=["FirstRelevant"])
    found = compare([first, second])
    assert found.contrasts[0].difference < 0 and found.contrasts[0].counts == (7, 1, 0)
    assert found.contrasts[0].gains(1) == [("q7", -6.0)]
    assert found.table().rows[1][2].mark == "a" and "FirstRelevant: less is better" in str(found)


def test_what_differs_by_rounding_does_not_differ() -> None:
    found = compare([result("a", [0.3, 0.6]), result("b", [0.1 + 0.2, 0.6])], tests=TESTS).contrasts[0]
    assert found.counts == (0, 2, 0) and set(found.p.values()) == {1.0}


def test_a_p_at_the_level_is_not_below_it() -> None:
    assert Settings().alpha == 0.05
    found = compare([result("a", [0, 0, 0]), result("b", [1, 1, 1])], tests="randomisation", level=0.75).contrasts[0]
    assert found.p["randomisation"] == 0.25 and not found.significant


def test_letters_say_what_is_significantly_worse() -> None:
    low, high = RNG.uniform(0, 0.3, 40), RNG.uniform(0.6, 0.9, 40)
    found = compare([result("low", low), result("high", high), result("higher", high + 0.05)])
    assert [row[2].mark for row in found.table().rows] == ["", "a", "ab"]
    assert (
        "$^{ab}$" in found.to_latex() and "<sup>ab</sup>" in found.to_html() and "<sup>ab</sup>" in found.to_markdown()
    )
    assert (
        "randomisation test (100,000 draws, seed 0), p < 0.05 after Holm's correction over 3 tests" in found.to_latex()
    )


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_the_letter_is_on_the_side_of_the_test(test: str) -> None:
    # Better on 30 lists, and worse in the mean by two.
    base = np.full(32, 0.4)
    other = np.concatenate([np.full(30, 0.41), [0.0, 0.0]])
    found = compare([result("a", base), result("b", other)], baseline="a", tests=test)
    contrast = found.contrasts[0]
    assert contrast.difference < 0 and contrast.favours == 1 and contrast.significant
    assert [row[2].mark for row in found.table().rows] == ["", "a"]
    assert found.failures("AP < baseline") and not found.failures("AP < baseline significantly")
    back = compare([result("b", other), result("a", base)], tests=test)
    assert back.contrasts[0].favours == -1 and [row[2].mark for row in back.table().rows] == ["b", ""]


def test_it_says_if_nothing_can_be_significant() -> None:
    few = compare([result("a", [0, 0, 0, 0]), result("b", [1, 1, 1, 1])], tests="sign")
    assert few.contrasts[0].p["sign"] == 0.125
    assert "no p can be below 0.12 here, so that nothing is called significant: more lists" in str(few)
    many = drawn(10, 40)
    assert "no p can be below 0.45 here, so that nothing is called significant: more permutations" in str(
        compare(many, permutations=99)
    )
    for options in ({}, {"tests": "t"}, {"permutations": 99, "correction": "none"}):
        assert "no p can be below" not in str(compare(many, **options))


def test_tukeys_residual_is_that_of_least_squares() -> None:
    systems = drawn(4, 20)
    values = np.stack([one["AP"].values for one in systems])
    rows, columns = np.divmod(np.arange(80), 20)
    design = np.hstack([rows[:, None] == np.arange(4), columns[:, None] == np.arange(1, 20)]).astype(float)
    _, residual, rank, _ = np.linalg.lstsq(design, values.ravel(), rcond=None)
    error = math.sqrt(residual[0] / (80 - rank) / 20)
    for contrast in compare(systems, tests="tukey").contrasts:
        wanted = stats.studentized_range.sf(abs(contrast.difference) / error, 4, 80 - rank)
        assert contrast.raw_p["tukey"] == pytest.approx(wanted, rel=1e-6, abs=1e-12)


def test_sums_and_geometric_means_are_compared_as_they_are_shown() -> None:
    sums = ["trec_eval:num_rel_ret"]
    found = compare([result("a", [3, 4, 5], measures=sums), result("b", [4, 4, 7], measures=sums)]).contrasts[0]
    assert found.difference == 3 and found.paired.means.tolist() == [12, 15]
    wanted = stats.ttest_1samp([1, 0, 2], 0).confidence_interval()
    np.testing.assert_allclose(found.interval, 3 * np.array(wanted))
    # A sum that differs by 3 is a mean that differs by 1, with deviation 1.
    assert found.power(3) == pytest.approx(power(1, 3)) and power(1, found.lists_needed(3)) >= 0.8
    assert found.lists_needed(3) == lists_needed(1, 1) and power(found.detectable / 3, 3) == pytest.approx(0.8)
    np.testing.assert_allclose(found.paired.shifted(3, 0).p("t"), stats.ttest_1samp([1, 0, 2], 1).pvalue)
    logs = ["trec_eval:gm_map"]
    values = [0.1, 0.2, 0.4], [0.2, 0.4, 0.5]
    found = compare([result(n, v, measures=logs) for n, v in zip("ab", values, strict=True)]).contrasts[0]
    assert found.difference == pytest.approx(stats.gmean(values[1]) - stats.gmean(values[0]))
    assert math.isnan(found.interval[0]) and math.isnan(found.bootstrap[0])
    assert found.raw_p["t"] == pytest.approx(stats.ttest_rel(*np.log(values)).pvalue)


# Power.


def test_power_and_the_lists_needed_are_of_the_differences_deviation() -> None:
    first, second = drawn(2, 50)
    found = compare([first, second], detect=0.1).contrasts[0]
    deviation = (second["AP"].values - first["AP"].values).std(ddof=1)
    assert found.power(0.1) == pytest.approx(power(0.1 / deviation, 50))
    needed = found.lists_needed(0.1)
    assert power(0.1 / deviation, needed) >= 0.8 > power(0.1 / deviation, needed - 1)
    assert found.power(found.detectable) == pytest.approx(0.8, abs=1e-6)
    assert power(detectable(50), 50) == pytest.approx(0.8) and math.isnan(detectable(1))


# Folds.


def folds(name: str, seed: int, sizes: tuple[int, ...] = (5, 8, 30)) -> list:
    rng = np.random.default_rng(seed)
    return [
        result(name, np.clip(rng.normal(0.4, 0.2, n), 0, 1), queries=[f"{f}-{i}" for i in range(n)])
        for f, n in enumerate(sizes)
    ]


def test_folds_are_combined_in_quadrature() -> None:
    first, second = folds("a", 1), folds("b", 2)
    found = compare({"a": first, "b": second}, baseline="a")
    for at, parts in enumerate((first, second)):
        assert found["AP"].means[at] == pytest.approx(np.mean([part["AP"].mean for part in parts]))
        wanted = math.sqrt(sum(part["AP"].stderr ** 2 for part in parts)) / 3
        assert found["AP"].mean_errors[at] == pytest.approx(wanted)
    contrast = found.contrasts[0]
    apart = [two["AP"].values - one["AP"].values for one, two in zip(first, second, strict=True)]
    assert contrast.difference == pytest.approx(np.mean([d.mean() for d in apart]))
    errors = [d.std(ddof=1) / math.sqrt(len(d)) for d in apart]
    assert contrast.stderr == pytest.approx(math.sqrt(sum(e * e for e in errors)) / 3)
    low, high = contrast.bootstrap
    assert low < contrast.difference < high
    assert "43 lists in 3 folds" in str(found)


def test_one_fold_is_no_folds() -> None:
    (first,), (second,) = folds("a", 1, (20,)), folds("b", 2, (20,))
    one, other = compare([[first], [second]]).contrasts[0], compare([first, second]).contrasts[0]
    assert one.difference == pytest.approx(other.difference) and one.interval == pytest.approx(other.interval)
    assert one.p == pytest.approx(other.p) and one.bootstrap == other.bootstrap


def test_two_folds_of_equal_sizes_have_welchs_degrees_of_freedom() -> None:
    first, second = folds("a", 1, (12, 9)), folds("b", 2, (12, 9))
    found = compare([first, second]).contrasts[0]
    # The mean of two means is half the difference of one and the negative other.
    apart = [two["AP"].values - one["AP"].values for one, two in zip(first, second, strict=True)]
    wanted = stats.ttest_ind(apart[0], -apart[1], equal_var=False)
    assert found.raw_p["t"] == pytest.approx(wanted.pvalue)
    np.testing.assert_allclose(found.interval, np.array(wanted.confidence_interval()) / 2)


def test_the_randomisation_test_of_folds_is_of_the_mean_over_folds() -> None:
    first, second = folds("a", 1, (2, 5)), folds("b", 2, (2, 5))
    apart = [two["AP"].values - one["AP"].values for one, two in zip(first, second, strict=True)]
    share = np.concatenate([d / (2 * len(d)) for d in apart])
    signs = np.array(np.meshgrid(*[[-1, 1]] * 7)).reshape(7, -1).T
    wanted = (np.abs(signs @ share) >= abs(share.sum()) - 1e-12).mean()
    assert compare([first, second]).contrasts[0].raw_p["randomisation"] == wanted


def test_resamples_of_one_fold_do_not_follow_those_of_another() -> None:
    d = np.random.default_rng(3).normal(0, 0.2, 50)
    zeros, values = (
        [result(n, v, queries=[f"{f}{i}" for i in range(50)]) for f in "xyz"] for n, v in (("a", 0 * d), ("b", d))
    )
    found = compare([zeros, values]).contrasts[0]
    low, high = found.bootstrap
    assert (high - low) / 2 == pytest.approx(1.96 * found.stderr, rel=0.05)


def test_folds_that_differ_alike_or_not_at_all() -> None:
    same = [result("a", [0.5] * 4, queries=[f"{f}{i}" for i in range(4)]) for f in "xy"]
    more = [result("b", [0.75] * 4, queries=part.queries) for part in same]
    assert compare([same, more]).contrasts[0].raw_p["t"] == 0.0
    assert compare({"a": same, "b": same}, tests=TESTS).contrasts[0].raw_p == dict.fromkeys(TESTS, 1.0)


# Segments.


def test_a_segment_is_a_comparison_of_its_lists() -> None:
    systems = drawn(3, 400, measures=2)
    by = {f"q{i}": "odd" if i % 2 else "even" for i in range(400)}
    found = compare(systems, by=by, correction="bonferroni")
    odd = np.arange(1, 400, 2)
    alone = compare([one.take(odd) for one in systems], correction="bonferroni")
    for one, other in zip(found.segments["odd"].contrasts, alone.contrasts, strict=True):
        assert (one.difference, one.interval, one.raw_p) == (other.difference, other.interval, other.raw_p)
        # Two segments, three pairs, two measures.
        assert one.p["t"] == pytest.approx(min(1.0, 12 * one.raw_p["t"]))
    assert min(one.p["t"] for one in found.segments["odd"].contrasts) < 0.1
    assert found.contrasts[0].p["t"] == pytest.approx(min(1.0, 6 * found.contrasts[0].raw_p["t"]))
    assert [row[1] for row in found.by_segment().rows[:6]] == ["even"] * 3 + ["odd"] * 3


def test_segments_of_folds_keep_their_folds() -> None:
    found = compare([folds("a", 1), folds("b", 2)], by={f"{f}-{i}": i % 2 for f in range(3) for i in range(30)})
    even = found.segments["0"]["AP"]
    fold = np.array([int(query[0]) for query in even.queries])
    assert even.means[0] == pytest.approx(np.mean([even.values[0][fold == f].mean() for f in range(3)]))


def test_groups_of_evaluate_are_segments() -> None:
    first, second = (result(n, [0.1, 0.5, 0.3], by=["x", "y", "x"]) for n in "ab")
    found = compare([first, second])
    assert list(found.segments) == ["x", "y"] and len(found.segments["x"]["AP"].queries) == 2
    assert "p randomisation" in found.by_segment().head


# Degenerate input.


@pytest.mark.parametrize("lists", [1, 2, 60])
def test_identical_systems_do_not_differ(lists: int) -> None:
    values = RNG.uniform(0, 1, lists)
    found = compare([result("a", values), result("b", values)], tests=TESTS, bootstrap="bca", detect=0.01)
    contrast = found.contrasts[0]
    assert contrast.difference == 0 and contrast.counts == (0, lists, 0) and not contrast.significant
    assert set(contrast.p.values()) == {1.0}
    assert contrast.lists_needed(0.01) is None and math.isnan(contrast.power(0.01))
    assert contrast.gains() == contrast.losses() == []
    if lists > 1:
        assert contrast.interval == contrast.bootstrap == contrast.bca == (0, 0)
    assert str(found) and found.to_csv() and json.dumps(found.as_dict(), allow_nan=False)


def test_one_list_has_no_interval() -> None:
    found = compare([result("a", [0.2]), result("b", [0.7])], tests=TESTS, bootstrap="percentile", detect=0.1)
    contrast = found.contrasts[0]
    assert math.isnan(contrast.interval[0]) and math.isnan(contrast.bootstrap[0]) and math.isnan(contrast.p["t"])
    assert not contrast.significant and "–" in str(found) and "nan" not in str(found)
    assert json.dumps(found.as_dict(), allow_nan=False)


def test_no_value_anywhere_is_no_crash() -> None:
    found = compare([result(name, [math.nan, math.nan]) for name in "ab"], tests=TESTS, by=["x", "y"])
    assert math.isnan(found.contrasts[0].difference) and not found.contrasts[0].significant
    assert str(found) and json.dumps(found.as_dict(), allow_nan=False)


def test_differences_that_are_all_alike_are_no_chance() -> None:
    found = compare([result("a", np.full(30, 0.5)), result("b", np.full(30, 0.6))]).contrasts[0]
    assert found.raw_p["t"] == 0 and found.significant
    assert found.interval == pytest.approx((0.1, 0.1)) == found.bca


# Gates.


def test_a_condition_names_who_fails_by_how_much() -> None:
    found = compare([result("a", [0.4, 0.5]), result("b", [0.4, 0.44]), result("c", [0.4, 0.495])], baseline="a")
    (failure,) = found.failures("AP < baseline - 0.005")
    assert failure.system == "b" and failure.by == pytest.approx(0.025)
    assert str(failure) == "b: AP = 0.42 < baseline − 0.005 = 0.445, by 0.025"
    assert [f.system for f in found.failures("AP <= baseline")] == ["b", "c"]
    assert found.failures("AP > 0.45") == []
    assert [f.system for f in found.failures("AP >= 0.45")] == ["a"]
    assert [f.system for f in found.failures("AP<.43")] == ["b"]


def test_significantly_asks_for_more_than_a_difference() -> None:
    rng = np.random.default_rng(2)
    base = rng.uniform(0.3, 0.7, 60)
    worse = base - rng.normal(0.1, 0.05, 60)
    noise = rng.normal(0, 0.3, 60)
    hardly = base - 0.01 - (noise - noise.mean())
    found = compare([result(n, v) for n, v in zip("abc", (base, worse, hardly), strict=True)], baseline="a")
    assert [f.system for f in found.failures("AP < baseline")] == ["b", "c"]
    assert [f.system for f in found.failures("AP < baseline significantly")] == ["b"]
    assert [f.system for f in found.failures("AP < baseline - 0.05 significantly")] == ["b"]
    assert found.failures("AP < baseline - 0.09 significantly") == []
    high = found["AP"].interval(0)[1]
    assert "a" in [f.system for f in found.failures(f"AP < {high + 0.001} significantly")]
    assert "a" not in [f.system for f in found.failures(f"AP < {high - 0.001} significantly")]


@pytest.mark.parametrize("test", TESTS)
def test_a_shifted_test_is_of_shifted_values(test: str) -> None:
    first, second = drawn(2, 30)
    moved = result("b", second["AP"].values + 0.05)
    paired = compare([first, second], baseline="a", tests=test).paired[0]
    wanted = compare([first, moved], baseline="a", tests=test).paired[0]
    np.testing.assert_allclose(paired.shifted(-0.05, 0).p(test), wanted.p(test), rtol=1e-9)


# Forms.


def test_the_csv_has_a_stable_header() -> None:
    rows = list(csv.DictReader(io.StringIO(compare(drawn(2, 10), tests="sign").to_csv())))
    assert list(rows[0])[:11] == [
        "segment", "measure", "system", "baseline", "lists", "mean", "baseline_mean", "difference", "stderr", "low",
        "high",
    ]  # fmt: skip
    everything = compare(drawn(2, 10), tests=TESTS, bootstrap="bca", detect=0.01, by=["x", "y"] * 5)
    full = list(csv.DictReader(io.StringIO(everything.to_csv())))
    assert list(full[0]) == list(rows[0]) and [row["segment"] for row in full] == ["", "x", "y"]
    assert all(value for key, value in full[0].items() if key != "segment")
    shown = [float(full[0][f"bootstrap_{end}"]) for end in ("low", "high")]
    assert tuple(shown) == everything.contrasts[0].bca != everything.contrasts[0].bootstrap
    assert rows[0]["p_t"] == "" and float(rows[0]["p_sign"]) == compare(drawn(2, 10)).contrasts[0].paired.p("sign")[0]


def test_the_legend_counts_the_tests() -> None:
    assert "p < 0.05, the one test" in str(compare(drawn(2, 10)))
    assert "p < 0.05 after Holm's correction over 6 tests" in str(compare(drawn(3, 10, measures=2)))
    assert "p < 0.1, not corrected" in str(compare(drawn(3, 10), correction="none", level=0.9))
    tukeys = str(compare(drawn(3, 10, measures=2), tests="tukey"))
    assert "Tukey's HSD test, p < 0.05, times 2 measures" in tukeys
    assert "p tukey: for all pairs of the 3 systems at once, times 2 measures" in tukeys


def test_many_systems_have_no_letters() -> None:
    found = compare([result(f"s{i}", RNG.uniform(0, 1, 5)) for i in range(30)], permutations=99)
    assert "30 systems are too many for letters" in str(found.table())
    assert "and 235 more, in the CSV" in str(found.differences())


def test_real_rankings_are_compared() -> None:
    searches = hotel_searches(150, seed=3)
    rules = {"cheapest": -searches.feature("price"), "stars": searches.feature("stars")}
    found = compare([evaluate(searches, s, ["nDCG@5", "AP"], name=n) for n, s in rules.items()], baseline="cheapest")
    assert found.measures == evaluate(searches, rules["stars"], ["nDCG@5", "AP"]).measures
    assert len(found.lists(most=2).rows) == 2


# Refusals.


A, B = result("a", [0.1, 0.2]), result("b", [0.3, 0.1])


@pytest.mark.parametrize(
    ("results", "options", "refusal"),
    [
        ([A], {}, "1 result cannot be compared"),
        ([], {}, "no results cannot be compared"),
        (A, {}, "one result is no comparison"),
        ([A, 3], {}, "a result of `evaluate` is compared, not int"),
        ([A, result("a", [1, 1])], {}, "two results have the name 'a'"),
        ([A, B], {"baseline": "c"}, "there is no system 'c'\nHint: there are a, b"),
        ([A, B], {"baseline": 2}, "there is no system 2"),
        ([A, B], {"tests": "anova"}, "there is no test 'anova'"),
        ([A, B], {"tests": []}, "no test is named"),
        ([A, B], {"correction": "fdr"}, "there is no correction 'fdr'"),
        ([A, B], {"level": 95}, "the level lies between 0 and 1, not at 95"),
        ([A, B], {"bootstrap": "basic"}, "there is no bootstrap interval 'basic'"),
        ([A, B], {"detect": 0}, "a difference to detect is above 0"),
        ([A, B], {"permutations": 0}, "permutations must be a whole number from 1"),
        ([A, B], {"resamples": 0}, "resamples must be a whole number from 1"),
        ([A, B], {"seed": -1}, "a seed is a whole number"),
        ([A, B], {"by": {"q0": "x"}}, "query 'q1' has no group"),
        ([A, result("b", [1, 1], weights=[1, 2])], {}, "results with weights of lists cannot be compared"),
        ([A, result("b", [1, 1], queries=["x", "y"])], {}, "no list in common\nHint: .* a has 'q0', 'q1', b 'x'"),
        ([A, result("b", [1, 1], anonymous=True)], {}, "lists without ids cannot be matched"),
        ([A, result("b", [1, 1], measures=["RR"])], {}, "a has AP, b has RR"),
        ([[A], B], {}, "one has folds and the other has none"),
        ([folds("a", 1, (2, 3)), folds("b", 1, (2, 3))[::-1]], {}, "a and b have other folds"),
    ],
)
def test_what_cannot_be_compared_is_refused(results: object, options: dict, refusal: str) -> None:
    with pytest.raises(RankwiseError, match=refusal):
        compare(results, **options)


def test_what_was_not_compared_is_refused() -> None:
    found = compare([A, B])
    with pytest.raises(RankwiseError, match="has no baseline"):
        found.contrast("AP", "b")
    with pytest.raises(RankwiseError, match="'a' is not compared with 'b'"):
        found.contrast("AP", "a", "b")
    with pytest.raises(DataError, match="this comparison has no segments"):
        _ = found.segments
    with pytest.raises(RankwiseError, match="the bca interval is not for folds"):
        _ = compare([folds("a", 1), folds("b", 2)]).contrasts[0].bca


@pytest.mark.parametrize(
    ("condition", "refusal"),
    [
        ("AP", "it has no of <, <=, >, >="),
        ("AP < 0.1 < 0.2", "it has 2 of <"),
        ("< 0.3", "it has no measure"),
        ("AP < ", "'' is neither a number nor the baseline"),
        ("AP < basline", "'basline' is neither"),
        ("AP < baseline * 2", "'baseline \\* 2' is neither"),
        ("AP < baseline - 0.005 maybe", "is neither"),
        ("AP < __import__('os')", "is neither"),
        ("RR < 0.3", "'RR < 0.3': this result has no RR"),
        ("AP < baseline", "needs a baseline, and there is none"),
    ],
)
def test_what_is_no_condition_is_refused(condition: str, refusal: str) -> None:
    with pytest.raises(RankwiseError, match=refusal):
        compare([A, B]).failures(condition)


def test_a_condition_on_nothing_is_refused_and_does_not_pass() -> None:
    nothing = compare([result(name, [math.nan]) for name in "ab"], baseline="a")
    for condition in ("AP < 0.3", "AP < baseline"):
        with pytest.raises(DataError, match=r"cannot be checked: AP of [ab] is undefined"):
            nothing.failures(condition)
    logs = ["trec_eval:gm_map"]
    geometric = compare([result(n, [0.2, 0.1], measures=logs) for n in "ab"], baseline="a")
    with pytest.raises(MeasureError, match="is a geometric mean, which cannot be shifted"):
        geometric.failures("trec_eval:gm_map <= baseline + 0.1 significantly")


# Over many simulations.


def _even(rng: np.random.Generator, lists: int) -> np.ndarray:
    """Differences as of two rankers of about the same quality: three in ten are 0; their mean is 0.014."""
    return np.where(rng.random(lists) < 0.3, 0.0, rng.beta(2, 3, lists) - rng.beta(2, 3, lists) + 0.02)


def _skewed(rng: np.random.Generator, lists: int) -> np.ndarray:
    """Differences as of a change that few lists see: six in ten are 0; their mean is 0.4 · (2/7 − 0.2)."""
    return np.where(rng.random(lists) < 0.6, 0.0, rng.beta(2, 5, lists) - 0.2)


POPULATIONS = {"even": (_even, 0.014), "skewed": (_skewed, 0.4 * (2 / 7 - 0.2))}


def coverage(population: str, lists: int, simulations: int, resamples: int = 1000) -> dict[str, float]:
    """How often each 95 % interval holds the mean."""
    draw, mean = POPULATIONS[population]
    rng = np.random.default_rng(lists)
    hits = dict.fromkeys(("interval", "bootstrap", "bca"), 0)
    zeros = result("a", np.zeros(lists))
    for _ in range(simulations):
        found = compare([zeros, result("b", draw(rng, lists))], tests="t", resamples=resamples).contrasts[0]
        for kind in hits:
            low, high = getattr(found, kind)
            hits[kind] += low <= mean <= high
    return {kind: count / simulations for kind, count in hits.items()}


@pytest.mark.slow
@pytest.mark.parametrize("population", POPULATIONS)
def test_intervals_cover_95_of_100_at_200_lists(population: str) -> None:
    for kind, share in coverage(population, 200, 10_000).items():
        assert 0.94 < share < 0.96, kind


@pytest.mark.slow
def test_the_t_interval_is_the_one_for_20_lists() -> None:
    even, skewed = (coverage(population, 20, 3_000) for population in POPULATIONS)
    assert 0.935 < even["interval"] < 0.965
    for shares in (even, skewed):
        assert shares["interval"] > shares["bca"] > 0.88 and shares["interval"] > shares["bootstrap"]


@pytest.mark.slow
def test_the_p_of_the_randomisation_test_is_uniform_under_the_null() -> None:
    values = np.random.default_rng(8).normal(0, 1, (6000, 40))
    zero = result("z", np.zeros(40))
    # Each is compared with zero alone, so that the values of p are independent.
    others = {f"s{i}": result(f"s{i}", row) for i, row in enumerate(values)}
    found = compare({"z": zero} | others, baseline="z", tests="randomisation", permutations=4000)
    assert stats.kstest(found.paired[0].p("randomisation"), "uniform").pvalue > 0.01
