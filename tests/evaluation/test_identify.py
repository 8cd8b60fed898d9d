"""Which conventions make a reported number: the tools that printed it are found, and what is left open is said."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from evaluation.test_grid import judged_run
from evaluation.test_mq2008 import labels_and_queries, printed
from golden import reading
from rankwise import DataError, MeasureError, Outcome, RankwiseError, evaluate, identify, load_result, measure
from rankwise.evaluation.grid import CHOICES, Grid, axes_of
from rankwise.evaluation.result import Result
from rankwise.measures import NumRet, nDCG
from rankwise.measures.tools import names

LABELS, SCORES = [0, 2, 1, 2, 0, 1, 0, 0, 1, 2, 0], [7, 6, 5, 4, 7, 6, 5, 7, 6, 5, 4]


def small(name: str = "") -> Result:
    return evaluate(LABELS, SCORES, "P@1", group=[4, 3, 4], name=name)


# Definition.


def test_lists_count_with_their_weights() -> None:
    result = evaluate(LABELS, SCORES, "P@1", group=[4, 3, 4], weights=[1, 5, 2])
    weighted = evaluate(LABELS, SCORES, "letor4:nDCG@4", group=[4, 3, 4], weights=[1, 5, 2])[0].mean
    assert "letor4" in identify(result, {"nDCG@4": round(weighted, 4)}).names
    assert "letor4" not in identify(small(), {"nDCG@4": round(weighted, 4)}).names


def test_chance_is_how_many_others_print_alike() -> None:
    result = judged_run(3)
    grid = Grid([nDCG @ 3], [result.evaluated])
    values = np.unique(grid.means(result.evaluated, nDCG @ 3).round(11))
    values = values[~np.isnan(values)]
    found = identify(result, {"nDCG@3": "0.50"})
    assert found.distinct == len(values)
    others = [sum(f"{v:.2f}" == f"{w:.2f}" for w in values) - 1 for v in values]
    assert found.chance == pytest.approx(np.mean(others))
    cut_off = np.floor(values * 100 + 1e-9)
    found = identify(result, {"nDCG@3": "0.50"}, truncated=True)
    assert found.chance == pytest.approx(np.mean([(cut_off == one).sum() - 1 for one in cut_off]))


def test_the_groups_of_a_candidate_are_all_points_that_fit_and_no_others() -> None:
    result = judged_run(4)
    value = format(evaluate_one(result, "nDCG(ties='input', negative='zero')@3"), ".4f")
    found = identify(result, {"nDCG@3": value})
    means = found.grid.means(result.evaluated, nDCG @ 3)
    fits = np.abs(means - float(value)) <= 0.5e-4 + 1e-9
    covered = np.zeros(found.grid.shape, bool)
    for candidate in found.candidates:
        assert len(candidate.groups) < 12, "all groups are worked out"
        for group in candidate.groups:
            chosen = [[all_.index(c) for c in group.get(axis, all_)] for axis, all_ in found.grid.kept.items()]
            covered[np.ix_(*chosen)] = True
    assert (covered == fits).all() and fits.any()


def evaluate_one(result: Result, text: str) -> float:
    return outcome_of(result, text).mean


def outcome_of(result: Result, text: str) -> Outcome:
    one = measure(text)
    ((values, flags),) = result.evaluated.compute([one])
    return Outcome(text, one, values, flags, result.evaluated)


# What the tools printed.


def at_least_ten_lists() -> list[tuple[str, str]]:
    tools = [name for name in names() if name in reading.manifest()]
    found = [(tool, case) for tool in tools for case, of in reading.expectations(tool) if of["status"] == "ok"]
    return [(tool, case) for tool, case in found if len(reading.judged_queries(case)) >= 10]


WANTED = ["nDCG@10", "AP", "P@5", "nDCG@5", "ERR@10", "RR", "nDCG", "AP@10", "P@10", "R@10"]


def mean_of_lists(found: dict, metric: str, ours: Outcome) -> float:
    """Of a tool that prints no mean, that of its values; of lists that it refuses, of ours."""
    queries = [ours.evaluated.called(at) for at in range(len(ours.values))]
    lists = zip(queries, ours.values.tolist(), strict=True)
    return float(np.nanmean([found["per_query"].get(query, {}).get(metric, value) for query, value in lists]))


def check_found(tool: str, case: str) -> None:
    """Two numbers that the tool printed, with four digits, name it or a point that is equal to it here."""
    found = next(of for name, of in reading.expectations(tool) if name == case)
    if found.get("unstable_queries"):
        pytest.skip("the tool prints other numbers at each call")
    reported, ours = {}, {}
    result = Result(reading.as_lists(case), [("", NumRet(negative="as is"))])
    for metric in found["mean"] or reading.metrics(found):
        try:
            one = measure(f"{tool}:{metric}")
        except MeasureError:
            continue
        bare = str(type(one)(one.k, **one._parameters()))
        if one.convention.mean != "lists" or bare in reported:
            continue
        outcome = outcome_of(result, f"{tool}:{metric}")
        mean = found["mean"][metric] if found["mean"] else mean_of_lists(found, metric, outcome)
        reported[bare], ours[bare] = f"{mean:.4f}", outcome.mean
    wanted = [text for text in WANTED if text in reported][:2]
    identified = identify(result, {text: reported[text] for text in wanted})
    assert wanted
    assert any(np.allclose(c.values, [ours[text] for text in wanted], atol=1e-9) for c in identified.candidates)


ALL = at_least_ten_lists()


@pytest.mark.parametrize("which", ["letor4", "ranklib1_busarobi", "yahoo_v1_0", "trec_eval_9_0a3", "lightgbm", "rax"])
def test_a_tool_is_found_by_two_of_its_numbers(which: str) -> None:
    check_found(which, "fifty_queries_g4")


@pytest.mark.slow
@pytest.mark.parametrize(("tool", "case"), ALL)
def test_every_tool_is_found_by_two_of_its_numbers(tool: str, case: str) -> None:
    check_found(tool, case)


MODELS = ("AdaRank", "RankBoost", "svm_rank")
PRINTED = [*(f"nDCG@{k}" for k in range(1, 11)), "MeanNDCG", *(f"P@{k}" for k in range(1, 11)), "MAP"]


@pytest.fixture(scope="module")
def mq2008(request: pytest.FixtureRequest) -> tuple[list[Result], dict[str, dict[str, str]]]:
    """Three models on the five test parts, and what Eval-Score-4.0.pl printed for them."""
    data = request.getfixturevalue("real_data")
    if not (data / "mq2008").is_dir():
        pytest.skip(f"no folder mq2008 in {data}")
    results, reported = [], {}
    for model in MODELS:
        folder = data / "mq2008-scores" / model
        for fold, numbers in enumerate(printed(folder / "letor4_eval.txt"), 1):
            labels, queries = labels_and_queries(data / "mq2008" / f"S{(fold + 3) % 5 + 1}.txt.gz")
            with gzip.open(folder / f"Fold{fold}.score.gz", "rt") as lines:
                scores = np.array([float(line) for line in lines])
            results.append(evaluate(labels, scores, "P@1", qid=queries, name=f"{model} {fold}"))
            reported[f"{model} {fold}"] = dict(zip(PRINTED, numbers, strict=True))
    return results, reported


def test_the_script_of_letor_4_is_found_by_the_tables_of_three_models(mq2008: tuple[list[Result], dict]) -> None:
    found = identify(*mq2008)
    assert len(found.numbers) == 330 and found.names == ["letor4"] and found.is_settled


def test_one_number_that_another_script_would_print_finds_nothing(mq2008: tuple[list[Result], dict]) -> None:
    results, reported = mq2008
    mixed = {**reported, "AdaRank 1": {**reported["AdaRank 1"], "nDCG@10": "0.4653"}}
    found = identify(results, mixed)
    assert not found.candidates and found.further is None and "no convention of the grid" in found.verdict


@pytest.mark.parametrize(
    ("at", "numbers"), [(0, ("0.2266", "0.4766", "0.4854")), (5, ("0.2306", "0.4752", "0.4835"))], ids=MODELS[:2]
)
def test_means_over_folds_are_found(at: int, numbers: tuple[str, ...], mq2008: tuple[list[Result], dict]) -> None:
    reported = dict(zip(["nDCG@10", "MAP", "MeanNDCG"], numbers, strict=True))
    assert identify(mq2008[0][at : at + 5], reported, mean_of_folds=True).names == ["letor4"]


# Laws.


def test_more_numbers_never_leave_more() -> None:
    result = evaluate(LABELS, SCORES, [f"letor4:nDCG@{k}" for k in (4, 2, 3)], group=[4, 3, 4])
    reported = {f"nDCG@{o.measure.k}": f"{o.mean:.2f}" for o in result}
    fits = [identify(result, dict(list(reported.items())[:n])) for n in (1, 2, 3)]
    points = [sum(candidate.points for candidate in found.candidates) for found in fits]
    assert points[0] >= points[1] >= points[2] > 0
    assert all("letor4" in found.names for found in fits)


def test_a_number_has_the_digits_that_its_text_shows() -> None:
    one, two = identify(small(), {"nDCG@4": "0.5"}), identify(small(), {"nDCG@4": 0.5})
    assert "letor4" in one.names and "letor4" not in two.names
    assert "letor4" in identify(small(), {"nDCG@4": 0.5}, digits=1).names


def test_digits_may_have_been_cut_off() -> None:
    assert "letor4" in identify(small(), {"nDCG@4": "0.49"}, truncated=True).names
    assert "letor4" not in identify(small(), {"nDCG@4": "0.49"}).names
    assert "letor4" not in identify(small(), {"nDCG@4": "0.50"}, truncated=True).names


def test_the_name_that_a_tool_gives_to_a_measure_is_its_own() -> None:
    value = evaluate(LABELS, SCORES, "ranklib2:NDCG", group=[4, 3, 4])[0]
    assert value.measure.k == 10
    assert "ranklib2" in identify(small(), {"NDCG": round(value.mean, 4)}).names


def test_a_further_number_tells_candidates_apart() -> None:
    # Of one list, its value is the number that is known already.
    result = evaluate([0, 1, 2, 1, 0, 1, 2, 0, 1, 0, 0, 2], np.arange(12)[::-1], "P@1")
    found = identify(result, {"nDCG@5": "0.3"})
    assert len(found.candidates) > 1 and not found.is_settled and "not identifiable" in found.verdict
    assert [bool(candidate.names) for candidate in found.candidates[:2]] == [True, False]
    assert found.verdict.endswith("would fit by chance; of them the first alone has a name.")
    told = found.further.predictions
    assert len(told) > 1 and {at for places in told.values() for at in places} <= set(
        range(1, len(found.candidates) + 1)
    )
    # The further number of one candidate leaves fewer of them.
    value, places = next(iter(told.items()))
    fewer = identify(result, {"nDCG@5": "0.3", found.further.what: value})
    assert len(places) <= len(fewer.candidates) < len(found.candidates)


def test_two_runs_are_made_by_one_convention() -> None:
    other = evaluate(LABELS, SCORES[::-1], "P@1", group=[4, 3, 4], name="b")
    a = evaluate(LABELS, SCORES, "letor4:nDCG@4", group=[4, 3, 4])[0].mean
    b = evaluate(LABELS, SCORES[::-1], "letor4:nDCG@4", group=[4, 3, 4])[0].mean
    c = evaluate(LABELS, SCORES[::-1], "trec_eval:nDCG@4", group=[4, 3, 4])[0].mean
    runs = [small("a"), other]
    assert "letor4" in identify(runs, {"a": {"nDCG@4": round(a, 4)}, "b": {"nDCG@4": round(b, 4)}}).names
    assert not identify(runs, {"a": {"nDCG@4": round(a, 4)}, "b": {"nDCG@4": round(c, 4)}}).candidates


def test_every_point_of_a_measure_is_counted() -> None:
    sizes = [len(CHOICES[axis]) - (axis == "ties") for axis in axes_of(nDCG @ 10)]
    assert identify(small(), {"nDCG@10": 0.5}).points == np.prod(sizes) == 589_824


def test_its_forms() -> None:
    found = identify(small(), {"nDCG@4": "0.4990"})
    plain = found.as_dict()
    assert plain["candidates"][0]["names"] == ["letor3", "letor4", "mslr"] and plain["settled"]
    assert plain["candidates"][0]["choices"][0]["gain"] == ["exp2", "LETOR's table", "MSLR's table"]
    assert "discount jarvelin" in repr(found) and "<table" in found._repr_html_()
    nothing = identify(small(), {"nDCG@4": "0.1234"})
    assert "the nearest has nDCG@4 = " in nothing.verdict and not nothing.names
    said = str(nothing)
    assert "none fits" in said and f"{nothing.nearest[0]:.6f}" in said and "chance matches" not in said
    means = nothing.grid.means(nothing.results[0].evaluated, nDCG @ 4).ravel()
    assert nothing.as_dict()["nearest"] == [means[np.nanargmin(np.abs(means - 0.1234))]]


# Refusals.


@pytest.mark.parametrize(
    ("reported", "options", "what"),
    [
        ({}, {}, "no reported number is given"),
        ({"ndgc@10": 0.5}, {}, "there is no measure 'ndgc@10'"),
        ({"letor4:nDCG@10": 0.5}, {}, "names a convention, which is what is looked for"),
        ({"standard:nDCG@10": 0.5}, {}, "names a convention, which is what is looked for"),
        ({"nDCG(gain='linear')@10": 0.5}, {}, "makes choices of a convention"),
        ({"nDCG@1..3": 0.5}, {}, "names 3 measures where one is wanted"),
        ({"nDCG@10": 22.66}, {}, "out of range, nDCG is at most 1\nHint: a percentage is written as a share: 0.2266"),
        ({"nDCG@10": -0.5}, {}, "out of range, nDCG is never negative"),
        ({"nDCG@10": float("nan")}, {}, "no value of a measure"),
        ({"nDCG@10": 0.22661}, {}, "has more than the 4 digits that were printed"),
        ({"nDCG@10": "1"}, {}, "'1' shows no decimals"),
        ({"nDCG@10": "0.x"}, {}, "'0.x' is not a number with a point and decimals"),
        ({"nDCG@10": "50.58%"}, {}, "'50.58%' is not a number with a point and decimals"),
        ({"nDCG@10": "0,5058"}, {}, "'0,5058' is not a number with a point and decimals"),
        ({"nDCG@10": None}, {}, "None is not a number"),
        ({"nDCG@10": "0." + "1" * 16}, {}, "more decimals than a number holds"),
        ({"nDCG@10": 0.5}, {"digits": 0}, "digits lies between 1 and 15, not at 0"),
        ({"nDCG@10": 0.5, "b": {"AP": 0.5}}, {}, "numbers stand beside tables of runs"),
        ({"b": {"nDCG@10": 0.5}}, {}, "there is no run 'b'"),
        ({"a": {"nDCG@10": 0.5}}, {"mean_of_folds": True}, "a mean of folds is a number of all results together"),
    ],
)
def test_what_cannot_be_looked_for_is_refused(reported: dict, options: dict, what: str) -> None:
    with pytest.raises(RankwiseError) as refusal:
        identify(small("a"), reported, **options)
    assert what in str(refusal.value)


def test_runs_must_be_told_apart() -> None:
    with pytest.raises(RankwiseError, match="there are 2 results, and whose the numbers are is not said"):
        identify([small("a"), small("b")], {"nDCG@4": 0.5})
    with pytest.raises(DataError, match="there are several runs 'a'"):
        identify([small("a"), small("a")], {"a": {"nDCG@4": 0.5}})


@pytest.mark.parametrize("results", [[], "run", None, [1]])
def test_results_are_needed(results: object) -> None:
    with pytest.raises(DataError, match="a result of `evaluate` is needed"):
        identify(results, {"nDCG@4": 0.5})


def test_a_saved_result_lacks_the_scores(tmp_path: Path) -> None:
    small().save(tmp_path / "kept")
    with pytest.raises(MeasureError, match="other conventions need the scores"):
        identify(load_result(tmp_path / "kept"), {"nDCG@4": 0.5})


def test_kinds_of_measures_that_make_too_large_a_grid_are_refused() -> None:
    result = judged_run(1)
    with pytest.raises(MeasureError, match="together are too many to search"):
        identify(result, {"nDCG@3": 0.5, "AP@3": 0.5, "P@3": 0.5, "ERR@3": 0.5})
