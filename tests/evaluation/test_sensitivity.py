"""Who wins under which convention: laws, agreement with `evaluate`, refusals."""

from __future__ import annotations

import json
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pytest import approx

import rankwise
from rankwise import DataError, MeasureError, RankwiseError, Result, evaluate, load_result, sensitivity, user_measure
from rankwise.evaluation.choices import Grid, alternatives
from rankwise.evaluation.sensitivity import Sensitivity
from rankwise.evaluation.significance import correct, randomisation
from rankwise.evaluation.winners import Field, Standing
from rankwise.measures import AP, DCG, ERR, RBP, P, nDCG
from rankwise.measures.base import Measure
from rankwise.measures.parse import measure as parse


@st.composite
def fields(draw: st.DrawFn) -> list[Result]:
    """Two to four systems on some lists, of which some are empty, short or tied."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    labels = [draw(st.integers(0, 2)) for _ in range(sum(sizes))]
    scores = [[draw(st.integers(0, 3)) for _ in labels] for _ in range(draw(st.integers(2, 4)))]
    return systems(labels, scores, sizes)


def systems(labels: list[Any], scores: list[Any], group: list[int]) -> list[Result]:
    return [evaluate(labels, of, "P@1", group=group, name=f"s{at}") for at, of in enumerate(scores)]


def signs(results: list[Result], measure: Measure) -> list[int]:
    """Who wins each pair by `evaluate` alone."""
    means = [Result(r.evaluated, [("m", measure)])[0].mean for r in results]
    return [0 if abs(a - b) <= 1e-12 else 1 if a > b else -1 for a, b in combinations(means, 2)]


# Laws.


@given(fields())
@settings(max_examples=40)
def test_what_an_empty_list_scores_never_changes_a_winner_where_all_systems_have_it(results: list[Result]) -> None:
    found = sensitivity(results, "nDCG@3", permutations=50)
    empty = next(verdict for verdict in found.axes if verdict.axis == "empty")
    assert empty.cannot
    ways = [signs(results, (nDCG @ 3).but(empty=value)) for value in (0.0, 0.5, 1.0)]
    skipped = Result(results[0].evaluated, [("m", (nDCG @ 3).but(empty="skip"))])[0]
    ways += [signs(results, (nDCG @ 3).but(empty="skip"))] if skipped.included else []
    assert all(way == ways[0] for way in ways)


@given(fields(), st.sampled_from([nDCG @ 3, AP(), P @ 2, ERR @ 3, DCG @ 2, RBP(graded=True)]))
@settings(max_examples=60)
def test_an_axis_that_cannot_change_a_winner_changes_none_in_any_setting(
    results: list[Result], measure: Measure
) -> None:
    found = sensitivity(results, measure, permutations=50)
    grid = found._grid
    assume(len(grid.codes) <= 64)
    for code in grid.codes:
        for verdict in (verdict for verdict in found.axes if verdict.cannot):
            tried = [choice.on(grid.measure(code)) for group in verdict.groups for choice in group]
            standings = Field([r.evaluated for r in results]).standings(tried)
            seen = {tuple(s.signs.tolist()) for s in standings if isinstance(s, Standing) and s.is_defined}
            assert len(seen) <= 1, (verdict, code)


@given(fields())
@settings(max_examples=40)
def test_winners_are_those_of_evaluate(results: list[Result]) -> None:
    found = sensitivity(results, "AP", permutations=50)
    for named in found.named:
        for name in named.names:
            means = [Result(r.evaluated, [("m", parse(f"{name}:AP()"))])[0].mean for r in results]
            assert named.standing.means.tolist() == approx(means, abs=1e-12, nan_ok=True)
            assert found.systems[int(np.argmax(means))] in found.winners[name]


@given(fields(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_the_order_of_systems_is_irrelevant(results: list[Result], random: Any) -> None:
    shuffled = random.sample(results, len(results))
    one, other = (sensitivity(of, "nDCG@3", permutations=50) for of in (results, shuffled))
    assert one.tau == approx(other.tau)
    said = [{v.axis: {frozenset(c.pair) for c in v.changes} for v in found.axes} for found in (one, other)]
    assert said[0] == said[1]
    assert {frozenset(one.pairs[at]) for at in one.changing} == {frozenset(other.pairs[at]) for at in other.changing}
    for named in one.named:
        twin = next(n for n in other.named if n.names == named.names)
        p = {frozenset(pair): value for pair, value in zip(other.pairs, twin.p.tolist(), strict=True)}
        assert [p[frozenset(pair)] for pair in one.pairs] == approx(named.p.tolist())


@given(fields())
@settings(max_examples=40)
def test_the_agreement_of_a_convention_with_itself_is_one(results: list[Result]) -> None:
    found = sensitivity(results, "nDCG@3", permutations=50)
    assert np.diag(found.tau) == approx(1) and found.tau == approx(found.tau.T)
    assert np.abs(found.tau).max() <= 1 + 1e-12


@given(fields())
@settings(max_examples=25)
def test_agreement_is_kendalls_tau_b(results: list[Result]) -> None:
    from scipy.stats import kendalltau

    found = sensitivity(results, "nDCG@2", permutations=50)
    for (i, a), (j, b) in product(enumerate(found.named), repeat=2):
        expected = kendalltau(a.standing.ranks, b.standing.ranks).statistic
        if not np.isnan(expected):
            assert found.tau[i, j] == approx(expected)


@given(fields())
@settings(max_examples=25)
def test_changes_by_an_axis_are_those_of_all_pairs_of_settings(results: list[Result]) -> None:
    """The slow way: every two settings that differ on one axis."""
    field = Field([r.evaluated for r in results])
    conventions = [parse(f"{name}:nDCG@2").convention for name in ("letor4", "sklearn", "trec_eval", "xgboost")]
    choices = {a: c[:2] for a, c in alternatives(nDCG @ 2, conventions).items() if a in ("discount", "ties", "short")}
    grid = Grid(field, nDCG @ 2, choices, 100)
    assert grid.whole and len(grid.codes) == 8
    for at, axis in enumerate(choices):
        slow: dict[int, set[tuple[int, ...]]] = {}
        clear: dict[int, list[list[float]]] = {}
        for a, b in permutations(range(len(grid.codes)), 2):
            if [k for k in range(3) if grid.codes[a][k] != grid.codes[b][k]] == [at]:
                for pair in np.flatnonzero((grid.signs[a] > 0) & (grid.signs[b] < 0)).tolist():
                    slow.setdefault(pair, set()).add(tuple(np.delete(grid.codes[a], at).tolist()))
                    clear.setdefault(pair, []).append(sorted([abs(grid.t[a][pair]), abs(grid.t[b][pair])]))
        assert set(grid.alone(axis)) == {pair for pair, lines in slow.items() if (0, 0) in lines}
        found = list(grid.changes(axis))
        assert {pair: round(share * 4) for pair, share, _ in found} == {pair: len(s) for pair, s in slow.items()}
        for pair, _, witnesses in found:
            t = [[abs(s.t[pair]) for s in field.standings(both) if isinstance(s, Standing)] for both in witnesses]
            assert max(map(max, t)) == approx(max(most for _, most in clear[pair]))
            assert max(map(min, t)) == approx(max(least for least, _ in clear[pair]))


# Definition.

SHORT = ([1, 0, 1, 0, 1, 0, 0, 0], [[2, 1, 2, 1, 2, 4, 3, 1], [1, 2, 1, 2, 4, 3, 2, 1]], [2, 2, 4])


def test_the_choice_that_changes_the_winner_is_named() -> None:
    found = sensitivity(systems(*SHORT), "nDCG@3", conventions=["letor4", "lightgbm"])
    assert found.winners == {"standard": "s0", "letor4": "s1", "lightgbm": "s0"}
    assert found.named[0].names == ("standard", "lightgbm")
    verdicts = {verdict.axis: verdict for verdict in found.axes}
    assert verdicts["short"].alone == verdicts["discount"].alone == (("s0", "s1"),)
    assert found.combinations == 4 and found.covers_product
    (change,) = verdicts["short"].changes
    assert change.share == 0.5 and change.significant(0.05) == 0
    assert verdicts["empty"].why == "no list is empty"
    assert verdicts["ties"].why == "no scores are equal within reach of the cut-off"


def test_a_clear_winner_on_either_side_is_significant() -> None:
    """Short lists favour one system, long ones the other; each rule makes one of them the clear winner."""
    labels, group = [1, 0] * 40 + [1, 0, 0, 0] * 40, [2] * 40 + [4] * 40
    first = [2, 1] * 40 + [2, 4, 3, 1] * 40
    second = [1, 2] * 40 + [2, 4, 3, 1] * 37 + [4, 3, 2, 1] * 3
    found = sensitivity(systems(labels, [first, second], group), "nDCG(discount='log2')@3", conventions=["letor4"])
    (pair,) = found.changing
    (one, p), (other, q) = found.sides(pair)
    assert (one.names[0], other.names[0]) == ("standard", "letor4")
    assert p < 0.001 and q > 0.05
    short = next(verdict for verdict in found.axes if verdict.axis == "short")
    assert [change.significant(0.05) for change in short.changes] == [1]
    assert "1 of 1 pair changes winner among them, significantly on one side" in found.summary


def test_lists_that_are_empty_for_one_system_only_may_decide() -> None:
    """With the ideal of the list, whoever finds nothing relevant has an empty list, which lightgbm scores 1."""
    qrels = {"a": {"x": 1, "y": 0}, "b": {"x": 1, "y": 0}}
    finds = {"a": {"x": 2.0, "y": 3.0}, "b": {"x": 2.0, "y": 3.0}}
    misses = {"a": {"y": 1.0}, "b": {"y": 1.0}}
    found = sensitivity([evaluate(qrels, run, "P@1", name=n) for n, run in (("finds", finds), ("misses", misses))])
    assert found.winners["sklearn"] == "finds" and found.winners["lightgbm"] == "misses"
    empty = next(verdict for verdict in found.axes if verdict.axis == "empty")
    assert not empty.cannot and [change.pair for change in empty.changes] == [("finds", "misses")]


def test_a_table_without_a_label_that_occurs_is_set_aside() -> None:
    found = sensitivity(systems([3, 0, 1], [[3, 2, 1], [1, 2, 3]], [3]), "nDCG@2")
    why = "query '1': label 3 has no gain; the table has 0, 1 and 2"
    assert found.set_aside["letor4"] == f"{why}; the tool lets it count 0, as if not relevant"
    assert "letor4" not in found.winners and "mslr" in found.winners


def test_a_tool_that_refuses_such_a_label_itself_is_set_aside_for_that() -> None:
    found = sensitivity(systems([5, 0, 1], [[3, 2, 1], [1, 2, 3]], [3]), "nDCG@2")
    assert found.set_aside["gdeval"] == "query '1': label 5 has no gain; the table has 0, 1, 2, 3 and 4"
    assert found.set_aside["mslr"].endswith("the tool lets it count 0, as if not relevant")


def test_where_no_convention_that_was_named_fits_it_is_refused() -> None:
    graded = systems([3, 0, 1], [[3, 2, 1], [1, 2, 3]], [3])
    with pytest.raises(MeasureError, match=r"no convention is left beside standard: letor4: query '1': label 3 has no"):
        sensitivity(graded, "nDCG@2", conventions=["letor4"])
    with pytest.raises(MeasureError, match=r"ranks no systems here: .* the tool lets it count 0") as refusal:
        sensitivity(graded, "letor4:nDCG@2")
    assert "`evaluate` gives the number itself" in str(refusal.value)


def test_the_level_is_that_of_compare() -> None:
    assert sensitivity(systems(*SHORT), "nDCG@3").alpha == 0.05
    assert "p < 0.1)" in str(sensitivity(systems(*SHORT), "nDCG@3", level=0.9))


@pytest.mark.parametrize(
    ("measure", "name", "why"),
    [
        ("AP", "letor4", "labels above 2 occur, and only 1 and 2 are relevant"),
        ("ERR@2", "catboost", "labels above 1 occur, and a label is read as a chance"),
    ],
)
def test_labels_of_another_scale_are_not_read(measure: str, name: str, why: str) -> None:
    found = sensitivity(systems([3, 0, 1], [[3, 2, 1], [1, 2, 3]], [3]), measure, everything=True)
    assert found.set_aside[name] == why and name not in found.winners
    assert name in sensitivity(systems([1, 0, 0], [[3, 2, 1], [1, 2, 3]], [3]), measure).winners


def test_lists_are_matched_by_their_queries() -> None:
    qrels = {"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 1}}
    first, second = {"a": {"x": 2.0, "y": 1.0}, "b": {"x": 2.0, "y": 1.0}}, {"a": {"x": 1.0}, "b": {"y": 5.0, "x": 1.0}}
    turned = {query: second[query] for query in ("b", "a")}, {query: qrels[query] for query in ("b", "a")}
    straight = sensitivity([evaluate(qrels, run, "P@1", name=n) for n, run in (("one", first), ("two", second))])
    other = [evaluate(qrels, first, "P@1", name="one"), evaluate(turned[1], turned[0], "P@1", name="two")]
    assert sensitivity(other).as_dict() == straight.as_dict()


def test_the_order_of_lists_changes_no_bit() -> None:
    rng = np.random.default_rng(0)
    qid, labels = np.repeat(np.arange(30), 10), rng.integers(0, 3, 300)
    scores, turned = [rng.normal(size=300) for _ in range(3)], np.arange(300)[::-1]
    straight = [evaluate(labels, s, "P@1", qid=qid, name=str(at)) for at, s in enumerate(scores)]
    other = [evaluate(labels[turned], s[turned], "P@1", qid=qid[turned], name=str(at)) for at, s in enumerate(scores)]
    assert (
        sensitivity(straight).as_dict()
        == sensitivity(other).as_dict()
        == sensitivity([*other[:1], *straight[1:]]).as_dict()
    )


def test_a_choice_that_exists_with_some_others_only_is_in_the_product() -> None:
    """AP over the hits has no mean over ties, so that it is refused beside `standard`."""
    ties = systems([1, 0, 1, 1], [[4, 4, 1, 1], [1, 2, 3, 3]], [4])
    found = sensitivity(ties, "AP@3", conventions=["torchmetrics", "lightgbm"], everything=True)
    verdict = next(verdict for verdict in found.axes if verdict.axis == "ap_over")
    assert {choice.words for group in verdict.groups for choice in group} == {"R", "min(R, k)", "the hits in the top k"}


def test_weights_of_lists_decide_too() -> None:
    labels, scores = [1, 0, 1, 0], ([2, 1, 1, 2], [1, 2, 2, 1])
    found = sensitivity(
        [evaluate(labels, s, "P@1", group=[2, 2], weights=[1, 3], name=n) for n, s in zip("ab", scores, strict=True)]
    )
    assert found.winners["standard"] == found.winners["trec_eval_9_0_8"] == "b"
    assert found.reference.standing.shares.sum(axis=1) == approx(found.reference.standing.means)


def test_p_is_that_of_the_values_corrected_over_the_pairs() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 120)
    results = systems(labels.tolist(), [(labels * a + rng.normal(size=120)).tolist() for a in (0, 1, 3)], [10] * 12)
    found = sensitivity(results, "nDCG@5", permutations=5000)
    values = np.array([Result(r.evaluated, [("m", nDCG @ 5)])[0].values for r in results])
    ordered = values[:, np.argsort([str(at + 1) for at in range(12)], kind="stable")]
    raw = randomisation(ordered, np.array([[0, 1], [0, 2], [1, 2]]), permutations=5000)
    assert found.reference.p.tolist() == correct(raw, "holm").tolist() != raw.tolist()


def test_either_side_of_a_pair_is_where_its_winner_leads_most_clearly() -> None:
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 3, 120).tolist()
    found = sensitivity(systems(labels, rng.integers(0, 4, (4, 120)).tolist(), [3, 9] * 10), "nDCG@5")
    assert found.changing
    for pair in found.changing:
        for sign, (named, p) in zip((1, -1), found.sides(pair), strict=True):
            led = [other for other in found.named if other.standing.signs[pair] == sign]
            assert abs(named.standing.t[pair]) == max(abs(other.standing.t[pair]) for other in led)
            assert p == named.p[pair]


@pytest.mark.parametrize("measure", [(nDCG @ 2).but(empty="skip"), AP(mean="geometric"), AP(mean="sum")])
def test_shares_sum_to_the_mean(measure: Measure) -> None:
    results = systems([1, 0, 0, 0, 0, 1], [[2, 1, 2, 1, 2, 1], [1, 2, 2, 1, 1, 2]], [2, 2, 2])
    (standing,) = Field([r.evaluated for r in results]).standings([measure])
    assert isinstance(standing, Standing)
    sums = standing.shares.sum(axis=1)
    assert standing.means == approx(np.exp(sums) if measure.convention.mean == "geometric" else sums)


def test_a_geometric_mean_is_no_rescaling() -> None:
    results = systems([1, 0], [[2, 1], [1, 2]], [2])
    one, other = Field([r.evaluated for r in results]).standings([AP(), AP(mean="geometric")])
    assert isinstance(one, Standing) and isinstance(other, Standing)
    assert not one.rescales(other) and one.rescales(one)


def test_a_function_as_a_measure_has_the_presets() -> None:
    first = user_measure("first", lambda labels: labels[0])
    found = sensitivity(systems([1, 0, 0], [[3, 2, 1], [1, 2, 3]], [3]), first)
    assert set(found.winners.values()) == {"s0"} and found.set_aside["standard"].startswith("user:first")


def test_a_measure_of_which_less_is_better_is_won_by_less() -> None:
    found = sensitivity(systems([1, 0, 0], [[3, 2, 1], [1, 2, 3]], [3]), "FirstRelevant")
    assert set(found.winners.values()) == {"s0"}


def test_above_the_limit_choices_change_alone_and_in_pairs() -> None:
    whole = sensitivity(systems(*SHORT), "nDCG@3")
    assert whole.covers_product
    part = sensitivity(systems(*SHORT), "nDCG@3", settings=3)
    assert not part.covers_product and "each choice changed alone and in pairs" in str(part)
    # Two axes with two choices each: alone and in pairs is everything.
    assert part.combinations == whole.combinations == 4


def test_choices_of_no_tool_are_looked_at_where_asked() -> None:
    usual, everything = (sensitivity(systems(*SHORT), "nDCG@3", everything=e) for e in (False, True))
    words = [next(v.words for v in found.axes if v.axis == "discount") for found in (usual, everything)]
    assert "1/i" not in words[0] and "1/i" in words[1]


def test_a_convention_of_ones_own_is_what_the_others_are_held_against() -> None:
    found = sensitivity(systems(*SHORT), "nDCG(short='zero')@3")
    assert found.reference.names[0] == "nDCG(short='zero')@3" and "letor4" in found.winners
    assert (
        found.statement.startswith("nDCG@3 (gain 2^label − 1; ") and "lists shorter than k: scores 0" in found.statement
    )
    assert next(iter(sensitivity(systems(*SHORT), "letor4:nDCG@3").winners)) == "letor4"


def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads() -> None:
    rng = np.random.default_rng(0)
    labels, group = rng.integers(0, 3, 300), [10] * 30
    scores = [rng.normal(size=300) for _ in range(3)]
    found = [
        sensitivity([evaluate(labels, s, "P@1", group=group, name=str(i), threads=t) for i, s in enumerate(scores)])
        for t in (1, 3)
    ]
    assert found[0].as_dict() == found[1].as_dict()


def test_real_runs_change_winner_with_the_ideal(trec_data: Path) -> None:
    """Average precision over what a run returned favours the shorter runs, significantly on both sides."""
    qrels = rankwise.read_qrels(trec_data / "qrels.dl19-passage.txt.gz")
    runs = {path.name.partition(".")[0]: rankwise.read_run(path) for path in sorted((trec_data / "dl19").glob("*.gz"))}
    results = [evaluate(qrels, run, "P@1", name=name) for name, run in runs.items()]
    found = sensitivity(results, "AP")
    assert found.winners["trec_eval_9_0_8"] == "REP_LLAMA" and found.winners["xgboost"] == "SPLADE_P_P_ENSEMBLE_DISTIL"
    ideal = next(verdict for verdict in found.axes if verdict.axis == "ideal")
    assert sum(change.significant(0.05) == 2 for change in ideal.changes) == 3
    close = sensitivity(results, "nDCG@10")
    assert len(close.changing) == 2 and all(p > 0.05 for at in close.changing for _, p in close.sides(at))
    assert "2 of 15 pairs change winner among them, none significantly on either side" in close.summary


# Forms.


def test_its_forms_say_the_same() -> None:
    found = sensitivity(systems(*SHORT), "nDCG@3", conventions=["letor4", "lightgbm"])
    text = repr(found)
    assert "The best system is not the same under all 3 conventions: s0, s1" in text
    assert "standard +1: standard, lightgbm" in text and "choices that cannot change a winner here" in text
    assert "<td" in found._repr_html_() and "| letor4 |" in found.to_markdown() and r"\toprule" in found.to_latex()
    head, *rows = found.to_csv().splitlines()
    assert head == "convention,system,mean,rank" and len(rows) == 6
    plain = json.loads(json.dumps(found.as_dict()))
    assert plain["conventions"][1]["ranks"] == {"s0": 2, "s1": 1} and plain["tau"] == [[1, -1], [-1, 1]]


def test_where_no_winner_changes_it_says_so() -> None:
    found = sensitivity(systems([1, 0, 0], [[3, 2, 1], [1, 2, 3]], [3]), "nDCG@2")
    assert found.summary.startswith("The best system is s0 under all 29 conventions; the order of the two never ")
    assert "no other winner" in found.statement and "pairs that change winner" not in str(found)


def test_systems_without_names_are_counted() -> None:
    found = sensitivity([evaluate([1, 0], s, "P@1") for s in ([1, 2], [2, 1])], "P@1")
    assert found.systems == ["system 1", "system 2"]


# Refusals.


def _two() -> list[Result]:
    return systems([1, 0], [[1, 2], [2, 1]], [2])


@pytest.mark.parametrize(
    ("results", "options", "error", "refusal"),
    [
        (_two()[:1], {}, RankwiseError, "several results are ranked, and this is 1 of them"),
        (["a", "b"], {}, RankwiseError, "several results are ranked, and this is something else"),
        (_two(), {"level": 1.5}, RankwiseError, "level lies between 0 and 1, not at 1.5"),
        (_two(), {"settings": 0}, RankwiseError, "settings must be a whole number from 1, not 0"),
        (_two(), {"permutations": 0}, RankwiseError, "permutations must be a whole number from 1, not 0"),
        (_two(), {"measure": "ERR@3", "conventions": ["letor4"]}, MeasureError, "LETOR 4.0.* does not compute ERR"),
        (_two(), {"conventions": ["leror4"]}, RankwiseError, "there is no convention 'leror4'"),
        (_two(), {"measure": "nDGC"}, MeasureError, "there is no measure 'nDGC'"),
        (
            systems([0, 0], [[1, 2], [2, 1]], [2]),
            {"measure": "nDCG(empty='nan')"},
            MeasureError,
            "the mean is undefined",
        ),
    ],
)
def test_what_cannot_be_ranked_is_refused(results: Any, options: Any, error: Any, refusal: str) -> None:
    with pytest.raises(error, match=refusal):
        sensitivity(results, **options)


def test_other_lists_and_other_weights_are_refused() -> None:
    one = evaluate({"a": {"x": 1}, "b": {"x": 1}}, {"a": {"x": 1}}, "P@1")
    with pytest.raises(
        DataError, match=r"system 2 is not over the same lists as the first \(list 'b' is in the first\)"
    ):
        sensitivity([one, evaluate({"a": {"x": 1}}, {"a": {"x": 1}}, "P@1")])
    with pytest.raises(DataError, match="it has lists that the first lacks"):
        sensitivity([evaluate({"a": {"x": 1}}, {"a": {"x": 1}}, "P@1"), one])
    heavy = evaluate([1, 0], [1, 2], "P@1", group=[1, 1], weights=[1, 2])
    with pytest.raises(DataError, match="the lists of system 2 have other weights"):
        sensitivity([evaluate([1, 0], [1, 2], "P@1", group=[1, 1]), heavy])


def test_a_saved_result_is_refused(tmp_path: Path) -> None:
    evaluate([1, 0], [1, 2], "P@1").save(tmp_path / "saved")
    saved = load_result(tmp_path / "saved")
    with pytest.raises(MeasureError, match="result 1 has no scores to compute P@1 from"):
        sensitivity([saved, saved], "P@1")


def test_it_is_one_public_name() -> None:
    assert isinstance(sensitivity(_two(), "P@1"), Sensitivity)
