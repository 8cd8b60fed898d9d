"""The measures that look at pairs of documents, and where equal scores stay tied."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measures.making import (
    NAN,
    List,
    every_measure,
    few_scores,
    fits,
    lists_of,
    name_of,
    single_choices,
    small_lists,
    values_of,
)
from oracles import measures as oracle
from rankwise import Measure, MeasureError, evaluate, measure
from rankwise.evaluation.result import TIE_DECIDED, TIED
from rankwise.measures import (
    AUC,
    MEASURES,
    STANDARD,
    Convention,
    FirstRelevant,
    PairAccuracy,
    PairAgreement,
    Perfect,
    Spearman,
    Tau,
    WARPLoss,
)

judged = st.sampled_from([0.0, 1.0, 2.0, 3.0])
rankings = st.lists(judged, min_size=1, max_size=12)
OF_PAIRS = [AUC(), PairAccuracy(), *(PairAgreement(weights=w) for w in ("uniform", "label", "gain")), Tau(), Spearman()]
LOSSES = [WARPLoss(), WARPLoss(alpha="first"), WARPLoss(alpha="top-3"), WARPLoss(alpha=(1.0, 0.25)), FirstRelevant()]


def in_order(labels: list[float]) -> List:
    return List(list(labels), [float(-rank) for rank in range(len(labels))])


# Where ties are kept.


@pytest.mark.parametrize("choices", single_choices(), ids=name_of)
@settings(max_examples=25)
@given(lists=st.lists(small_lists(scores=few_scores), min_size=1, max_size=4))
def test_ties_that_are_kept_count_as_the_formula_says(choices: dict, lists: list[List]) -> None:
    lists = [fits(Convention(**choices), one) for one in lists]
    measures = every_measure(STANDARD.but(ties="kept", **choices))
    for m, row in zip(measures, values_of(measures, lists), strict=True):
        for one, value in zip(lists, row.tolist(), strict=True):
            wanted = oracle.with_ties_kept(m, one.labels, one.scores)
            assert value == pytest.approx(wanted, abs=1e-12, nan_ok=True), f"{m} of {one}"


@given(one=small_lists(scores=few_scores))
def test_a_tie_that_counts_half_is_the_mean_of_both_orders(one: List) -> None:
    measures = [m for m in OF_PAIRS if m.name not in ("Tau", "Spearman")]
    expected, kept = (values_of([m.but(ties=ties) for m in measures], [one]) for ties in ("expected", "kept"))
    np.testing.assert_array_equal(expected, kept)


@given(one=small_lists(scores=few_scores))
def test_warp_loss_counts_ties_as_the_worst_order_does(one: List) -> None:
    measures = [m for m in LOSSES if m.keeps_ties]
    kept, worst = (values_of([m.but(ties=ties) for m in measures], [one]) for ties in ("kept", "worst"))
    np.testing.assert_allclose(kept, worst, atol=1e-12)


@pytest.mark.parametrize("name", [name for name, kind in MEASURES.items() if not kind.keeps_ties])
def test_measures_without_a_rule_for_ties_refuse_to_keep_them(name: str) -> None:
    with pytest.raises(
        MeasureError, match=rf"{name} has no rule for scores that stay tied\nHint: leave out .*{name}\(ties='input'\)"
    ):
        evaluate([1, 0], [1.0, 2.0], f"{name}(ties='kept')")


def test_the_top_of_a_list_is_unknown_where_ties_are_kept() -> None:
    with pytest.raises(MeasureError, match=r"the first 1 documents are not known while Tau\(ties='kept'\) leaves"):
        evaluate([1, 0], [1.0, 1.0], Tau(ties="kept"), keep=1)
    assert evaluate([1, 0, 1], [3.0, 2.0, 1.0], Tau(ties="kept"), keep=2)[0].mean == 1


@pytest.mark.parametrize("m", [*OF_PAIRS, *LOSSES, Perfect()], ids=str)
@settings(max_examples=40)
@given(one=small_lists(most=6, scores=few_scores))
def test_ties_decide_where_orders_differ_in_value(m: Measure, one: List) -> None:
    m = m.but(empty=0.0)
    ((_, flags),) = lists_of([one]).compute([m])
    _, most, least = oracle.over_orders(m, one.labels, one.scores)
    assert bool(flags[0] & TIED) == (len(set(one.scores)) < len(one.scores))
    assert bool(flags[0] & TIE_DECIDED) == (most - least > 1e-12)


@pytest.mark.parametrize("m", [Tau(ties="kept"), Spearman(ties="kept")], ids=str)
def test_ties_of_equal_labels_matter_where_they_are_kept(m: Measure) -> None:
    ((values, flags),) = lists_of([List([1.0, 0.0, 0.0], [2.0, 1.0, 1.0])]).compute([m])
    assert values[0] == 1 and flags[0] & TIE_DECIDED


# Laws.


@given(labels=rankings)
def test_a_ranking_and_its_reverse_share_the_pairs(labels: list[float]) -> None:
    measures = [m.but(empty="nan") for m in OF_PAIRS]
    there, back = values_of(measures, [in_order(labels), in_order(labels[::-1])]).T
    sums = [0.0 if m.name in ("Tau", "Spearman") else 1.0 for m in measures]
    np.testing.assert_allclose((there + back)[~np.isnan(there)], np.array(sums)[~np.isnan(there)], atol=1e-12)
    np.testing.assert_array_equal(np.isnan(there), np.isnan(back))


@given(labels=st.lists(judged, min_size=2, max_size=12).filter(lambda labels: len(set(labels)) > 1))
def test_the_ideal_order_is_perfect_and_its_reverse_the_opposite(labels: list[float]) -> None:
    ideal = in_order(sorted(labels, reverse=True))
    measures = [PairAccuracy(), PairAgreement(weights="label"), PairAgreement(weights="gain"), Perfect()]
    assert values_of(measures, [ideal])[:, 0].tolist() == [1.0] * 4
    assert values_of(measures, [in_order(sorted(labels))])[:, 0].tolist() == [0.0] * 4


@given(labels=st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=12, unique=True))
def test_without_equal_labels_agreement_and_correlations_reach_both_ends(labels: list[float]) -> None:
    free = STANDARD.but(negative="as is")
    measures = [PairAgreement(convention=free), PairAgreement(weights="label", convention=free), Tau(convention=free)]
    measures.append(Spearman(convention=free))
    assert values_of(measures, [in_order(sorted(labels, reverse=True))])[:, 0].tolist() == [1.0] * 4
    assert values_of(measures, [in_order(sorted(labels))])[:, 0].tolist() == [0.0, 0.0, -1.0, -1.0]


@given(labels=rankings, scores=st.lists(st.integers(0, 3), min_size=12, max_size=12))
def test_where_scores_are_labels_kept_ties_are_no_fault(labels: list[float], scores: list[int]) -> None:
    same = List(labels, labels)
    empty = len(set(labels)) == 1
    assert values_of([Tau(ties="kept"), Spearman(ties="kept")], [same])[:, 0].tolist() == [1.0 - empty] * 2
    drawn = List(labels, [float(score) for score in scores[: len(labels)]])
    assert (np.abs(values_of([Tau(ties="kept"), Spearman(ties="kept")], [drawn])) <= 1).all()


@given(labels=rankings, place=st.integers(0, 10))
def test_repairing_an_inversion_never_hurts(labels: list[float], place: int) -> None:
    if place + 1 >= len(labels) or labels[place] >= labels[place + 1]:
        return
    repaired = labels.copy()
    repaired[place], repaired[place + 1] = labels[place + 1], labels[place]
    measures = [*OF_PAIRS, Perfect(), *LOSSES]
    before, after = values_of(measures, [in_order(labels), in_order(repaired)]).T
    better = np.where([m.higher_is_better for m in measures], after - before, before - after)
    assert (better >= -1e-15).all()


@given(one=small_lists(scores=few_scores))
def test_the_mean_lies_between_the_worst_and_the_best(one: List) -> None:
    measures = [*OF_PAIRS, Perfect(), *LOSSES]
    worst, mean, best = (
        values_of([m.but(ties=ties, empty=0.0) for m in measures], [one]) for ties in ("worst", "expected", "best")
    )
    side = np.where([m.higher_is_better for m in measures], 1, -1)[:, None]
    assert (side * (mean - worst) >= -1e-12).all() and (side * (best - mean) >= -1e-12).all()


@given(labels=rankings)
def test_kendalls_coefficient_is_twice_the_agreement_less_1(labels: list[float]) -> None:
    unique = [label + place / 100 for place, label in enumerate(labels)]
    tau, agreement = values_of([Tau(empty=-1.0), PairAgreement()], [in_order(unique)])[:, 0]
    assert tau == pytest.approx(2 * agreement - 1, abs=1e-12)


def test_lower_is_better_of_losses_and_ranks_alone() -> None:
    assert {name for name, kind in MEASURES.items() if not kind.higher_is_better} == {"WARPLoss", "FirstRelevant"}


def test_a_list_that_found_nothing_is_no_good_loss() -> None:
    """The default convention's 0 would be the best value of all."""
    qrels = {"found": {"a": 1, "b": 0}, "empty": {"a": 0}, "missing": {"a": 1}}
    run = {"found": {"b": 2.0, "a": 1.0}, "empty": {"a": 1.0}}
    result = evaluate(qrels, run, ["FirstRelevant", "standard:WARPLoss", "hotels:FirstRelevant", "AUC"])
    assert [outcome.mean for outcome in result] == [2.0, 1.0, 2.0, 0.0]
    assert [outcome.included for outcome in result] == [1, 1, 1, 3]
    assert "empty lists: left out of the mean (FirstRelevant, WARPLoss)" in repr(result)
    assert evaluate(qrels, run, "FirstRelevant(empty=9, missing='zero')")[0].mean == (2 + 9 + 0) / 3


def test_what_a_preset_says_of_one_measure_alone_is_not_printed() -> None:
    assert FirstRelevant() == measure("FirstRelevant") == FirstRelevant(convention="standard")
    assert (str(FirstRelevant()), str(FirstRelevant(empty=0.0))) == ("FirstRelevant", "FirstRelevant(empty=0)")
    assert str(WARPLoss(convention=STANDARD)) == "WARPLoss(empty=0, missing='zero')"
    assert measure(str(WARPLoss(convention=STANDARD))) == WARPLoss(convention=STANDARD)
    assert str(measure("hotels:WARPLoss")) == "hotels:WARPLoss"


# By hand.


def test_pair_agreement_is_the_formula_as_written_where_labels_repeat() -> None:
    """Two of six pairs have equal labels and count half whatever the order."""
    assert PairAgreement().of([1, 1, 0, 0]) == (4 + 2 / 2) / 6
    assert PairAgreement().of([0, 0, 1, 1]) == (2 / 2) / 6
    assert PairAgreement(weights="label").of([2, 0, 1]) == (2 + 1) / 4
    assert PairAgreement(weights="gain").of([2, 0, 1]) == (3 + 2) / 6
    assert PairAgreement(weights="gain", gain={0: 5, 1: 0}).of([0, 1]) == 1


def test_the_costs_of_ranks() -> None:
    labels = [0, 0, 1, 0, 1]
    assert WARPLoss().of(labels) == pytest.approx(((1 + 1 / 2) + (1 + 1 / 2 + 1 / 3)) / 2)
    assert WARPLoss(alpha="first").of(labels) == 1
    assert WARPLoss(alpha="top-2").of(labels) == 2
    assert WARPLoss(alpha="top-100").of(labels) == (2 + 3) / 2
    assert WARPLoss(alpha=(0.5, 0.25)).of(labels) == 0.75
    assert WARPLoss().of([1, 1, 0, 0]) == 0


def test_the_documents_that_are_looked_at_are_those_retrieved() -> None:
    """What was judged and not retrieved has no place, and a document without a judgment is as one of label 0."""
    one = List([NAN, 2.0], [2.0, 1.0], outside=[1.0, 3.0])
    measures = [FirstRelevant(), AUC(), Tau(), WARPLoss(), Perfect(), Perfect(unjudged="removed")]
    assert values_of(measures, [one])[:, 0].tolist() == [2.0, 0.0, -1.0, 1.0, 0.0, 1.0]


def test_lists_without_a_value_are_empty() -> None:
    alike, none = List([1.0, 1.0], [2.0, 1.0]), List([0.0, 0.0], [1.0, 1.0])
    measures = [*OF_PAIRS, *LOSSES]
    for one in (alike, none, List([], []), List([0.0], [1.0])):
        result = values_of([m.but(empty="nan") for m in measures], [one])[:, 0]
        known = {m.name for m, value in zip(measures, result, strict=True) if value == value}
        relevant = {"WARPLoss", "FirstRelevant"} if any(one.labels) else set()
        assert known == relevant | ({"PairAgreement"} if len(one.labels) > 1 else set())
    assert Tau(ties="kept", empty="nan").convention.empty == "nan"
    assert np.isnan(values_of([Tau(ties="kept", empty="nan")], [List([0.0, 1.0], [1.0, 1.0])]))


@pytest.mark.parametrize("ends", [(0.0, 5e-324), (-1.7e308, 1.7e308), (1e9, 1e9 + 1)])
def test_weights_of_any_size_have_a_sum(ends: tuple[float, float]) -> None:
    one = in_order([*ends, *ends])
    assert values_of([PairAgreement(weights="label", negative="as is", gain="linear")], [one]) == pytest.approx(1 / 4)


# Long lists.


def of_all_pairs(labels: np.ndarray, scores: np.ndarray) -> dict[str, float]:
    worth, score = labels[:, None] - labels, np.sign(scores[:, None] - scores)
    agree = np.sign(worth) * score
    apart = worth != 0
    total = agree.sum()
    return {
        "PairAccuracy": (1 + agree[apart]).sum() / 2 / apart.sum(),
        "PairAgreement": ((1 + agree).sum() - len(labels)) / 2 / (agree.size - len(labels)),
        "PairAgreement(weights='label')": (np.abs(worth) * (1 + agree)).sum() / 2 / np.abs(worth).sum(),
        "Tau(ties='kept')": total / np.sqrt(apart.sum() * (score != 0).sum()),
    }


@pytest.mark.parametrize("grades", [2, 5, 40, 10**6])
@pytest.mark.parametrize("kinds", [3, 200, 10**9])
def test_long_lists_are_counted_as_pair_by_pair(grades: int, kinds: int) -> None:
    rng = np.random.default_rng([grades, kinds])
    labels, scores = rng.integers(0, grades, 1500) / 4, rng.integers(0, kinds, 1500) / 8
    for text, wanted in of_all_pairs(labels, scores).items():
        assert evaluate(labels, scores, text)[0].mean == pytest.approx(wanted, rel=1e-12), text


@pytest.mark.parametrize("grades", [2, 5, 100_000])
def test_a_hundred_thousand_documents(grades: int) -> None:
    n = 100_000
    labels = np.arange(n) * grades // n
    texts = ["AUC", "PairAccuracy", "PairAgreement(weights='label')", "Tau", "Spearman", "Perfect", "FirstRelevant"]
    rising = evaluate(labels, np.arange(n) / 8, texts).means
    assert [rising[text] for text in ("AUC", "PairAccuracy", "PairAgreement(weights='label')", "Perfect")] == [1.0] * 4
    falling = evaluate(labels, -np.arange(n) / 8, texts).means
    assert [falling[text] for text in ("AUC", "PairAccuracy", "PairAgreement(weights='label')", "Perfect")] == [0.0] * 4
    assert falling["Tau"] == -rising["Tau"] and falling["Spearman"] == -rising["Spearman"]
    assert falling["FirstRelevant"] == 1 + (labels == 0).sum()
    tied = evaluate(labels, np.arange(n) // 5 / 8, texts).means
    assert all(0 <= value <= rising[text] for text, value in tied.items() if text != "FirstRelevant")


# Texts and refusals.


@pytest.mark.parametrize(
    "text, same",
    [
        ("auc", "AUC"), ("roc_auc", "AUC"), ("tau", "Tau"), ("kendall", "Tau"), ("kendalltau", "Tau"),
        ("spearman", "Spearman"), ("spearmanr(ties='kept')", "Spearman(ties='kept')"), ("warp", "WARPLoss"),
        ("pairwise_accuracy", "PairAccuracy"), ("first_relevant", "FirstRelevant"), ("perfect", "Perfect"),
        ("WARPLoss(alpha='harmonic')", "WARPLoss"), ("WARPLoss(alpha=(1, 0.5))", "WARPLoss(alpha=(1.0, 0.5))"),
        ("PairAgreement(weights='uniform')", "PairAgreement"),
    ],
)  # fmt: skip
def test_spellings_of_one_measure(text: str, same: str) -> None:
    assert measure(text) == measure(same)
    assert measure(str(measure(text))) == measure(same)


@pytest.mark.parametrize("alpha", ["top-0", "top-", "top-1x", "all", (), (0.5, 1), (1, -1), (NAN,), (1, "a"), 3, None])
def test_costs_of_ranks_never_rise(alpha: object) -> None:
    with pytest.raises(MeasureError, match=re.escape(f"alpha={alpha!r} is no cost of ranks\nHint: it is 'harmonic',")):
        WARPLoss(alpha=alpha)  # type: ignore[arg-type]


@pytest.mark.parametrize("weights", ["labels", 3, None, ["gain"]])
def test_weights_of_pairs_have_names(weights: object) -> None:
    with pytest.raises(MeasureError, match=re.escape(f"there are no weights of pairs {weights!r}\nHint: they are '")):
        PairAgreement(weights=weights)  # type: ignore[arg-type]


def test_weights_by_gain_refuse_what_gains_refuse() -> None:
    with pytest.raises(ValueError, match="label 2000 has no finite gain"):
        PairAgreement(weights="gain").of([2000, 0])
    assert PairAgreement(weights="label").of([2000, 0]) == 1
