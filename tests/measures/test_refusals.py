"""What measures and conventions refuse, and what they say."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from measures.making import NAN, List, values_of
from rankwise import ConventionError, DataError, MeasureError, RankwiseError, convention, evaluate, measure
from rankwise.measures import DCG, ERR, MEASURES, RBP, STANDARD, Bpref, Convention, GradedAP, IPrec, MeanNDCG, P, nDCG
from rankwise.measures.parse import measures


def one(label: float, score: float = 1.0) -> List:
    return List([0.0, label], [score, 0.5])


@pytest.mark.parametrize("k", [0, -1, True, 2.5, "3", NAN])
def test_a_cut_off_is_a_whole_number_from_1(k: object) -> None:
    with pytest.raises(MeasureError, match=f"the cut-off of nDCG must be a whole number from 1, not {k!r}"):
        nDCG(k)  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="must be a whole number from 1"):
        nDCG @ k
    with pytest.raises(MeasureError, match="must be a whole number from 1"):
        nDCG(10) @ k


@pytest.mark.parametrize(
    "text", ["nDCG@0", "ndcg@0", "P_0", "map_cut_0", "letor4:NDCG@0", "trec_eval:ndcg_cut_0", "P@0"]
)
def test_so_it_is_in_texts(text: str) -> None:
    with pytest.raises(MeasureError, match="must be a whole number from 1, not 0"):
        measure(text)


def test_ranklib_reads_0_as_the_whole_list() -> None:
    assert measure("ranklib2:NDCG@0").k is None


@pytest.mark.parametrize("name", [name for name, kind in MEASURES.items() if not kind.takes_k])
def test_some_measures_take_no_cut_off(name: str) -> None:
    with pytest.raises(MeasureError, match=f"{name} takes no cut-off\nHint: write {name} without @5."):
        measure(f"{name}@5")


@pytest.mark.parametrize("recall", [-0.1, 1.1, NAN, "0.5"])
def test_a_level_of_recall_lies_between_0_and_1(recall: object) -> None:
    with pytest.raises(MeasureError, match="a level of recall lies between 0 and 1"):
        IPrec(recall=recall)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text, what, hint",
    [
        ("ndgc@10", "there is no measure 'ndgc@10'", "did you mean 'ndcg@10'?"),
        ("letor4:NDGC@10", "there is no measure 'letor4:NDGC@10'", "did you mean 'letor4:NDCG@10'?"),
        ("xyzzy", "there is no measure 'xyzzy'", "the measures are nDCG, DCG,"),
        ("letor4:xyzzy", "there is no measure 'letor4:xyzzy'", "are nDCG, MeanNDCG, P, AP; `rankwise conv"),
        ("nDGC@10", "there is no measure 'nDGC@10'", "did you mean 'nDCG@10'?"),
        ("Ndcg@5", "there is no measure 'Ndcg@5'", "did you mean 'NDCG@5'?"),
        ("leter4:nDCG", "there is no convention 'leter4' (in 'leter4:nDCG')", "did you mean 'letor4'?"),
        ("NDCG:top=10;type=Exp", "carries a convention of its own", "write catboost:NDCG:top=10;type=Exp, or"),
        ("PFound:decay=0.9", "carries a convention of its own", "write catboost:PFound:decay=0.9, or"),
        ("catbost:NDCG:top=10", "there is no convention 'catbost' (in 'catbost:NDCG:top=10')", "mean 'catboost'?"),
        ("ndcg@10-", "'ndcg@10-' carries a convention of its own", "write xgboost:ndcg@10-, or ndcg@10 for"),
        ("map-", "'map-' carries a convention of its own", "write xgboost:map-, or map for the default convention"),
        ("nDCG@-1", "the cut-off in 'nDCG@-1' is '-1', not a whole number from 1", "write it like nDCG@10."),
        ("letor4:P@1O", "the cut-off in 'letor4:P@1O' is '1O', not a whole", "write it like letor4:P@10."),
        ("P@5..2", "'P@5..2' is not a range of cut-offs", "write it like nDCG@1..10."),
        ("P@0..2", "'P@0..2' is not a range of cut-offs", "write it like nDCG@1..10."),
        ("P@1..", "'P@1..' is not a range of cut-offs", "write it like nDCG@1..10."),
        ("P@1..1000000", "is not a range of cut-offs", "write it like nDCG@1..10."),
        ("nDCG(gain='linear'", "lacks a closing bracket", "write it like nDCG(gain='linear')@10."),
        ("nDCG('linear')@10", "cannot be read (choices are given by name)", "write it like nDCG("),
        ("nDCG(gain=linear)@10", "the choices in 'nDCG(gain=linear)", "the choices are gain, outside"),
        ("nDCG(gain=__import__('os'))", "cannot be read", "write it like nDCG("),
        ("nDCG(**{})", "cannot be read", "write it like nDCG("),
        ("nDCG(empty=inf)", "the choices in 'nDCG(empty=inf)' cannot be read\n", "write it like nDCG("),
        ("P(rel={[1]})@3", "the choices in 'P(rel={[1]})@3' cannot be read\n", "write it like nDCG("),
        ("nDCG(k=5)@10", "'nDCG(k=5)@10' has two cut-offs", "leave one of them out."),
        ("nDCG(convention='letor4')", "names a convention in its brackets", "before the measure, like letor4:nDCG."),
        ("nDCG@9223372036854775808", "the cut-off of nDCG is too large", "write nDCG for the whole list."),
        ("nDCG@5@10", "there is no measure 'nDCG@5@10'", "did you mean"),
        ("", "there is no measure ''", "the measures are nDCG"),
        ("yahoo:AP", "does not compute AP", "it has nDCG, ERR; for AP choose another convention."),
        ("ranklib:BEST@5", "is not supported: the greatest label", ""),
        ("P@1..3", "'P@1..3' names 3 measures where one is wanted", ""),
        ("hits@10", "'hits@10' is not clear", "write NumRelRet@10 for the number, Success@10 for the hit"),
        ("Hits@5", "'Hits@5' is not clear", "write NumRelRet@5 for the number"),
        ("nDCG@١٠", "the cut-off in 'nDCG@١٠' is '١٠', not a whole number", "write it like nDCG@10"),
        ("rbp.95", "'rbp.95' is not clear", "write its persistence as a parameter, like RBP(p=0.95)."),
    ],
)  # fmt: skip
def test_texts_that_are_no_measure(text: str, what: str, hint: str) -> None:
    with pytest.raises(MeasureError, match=re.escape(what)) as refusal:
        measure(text)
    assert hint in str(refusal.value)


@pytest.mark.parametrize("p", [-0.1, 1, NAN, "0.8", None, True])
def test_the_persistence_of_rbp_is_a_probability_below_1(p: object) -> None:
    with pytest.raises(MeasureError, match="the persistence p of RBP is a number from 0 to below 1"):
        RBP(p=p)  # type: ignore[arg-type]


def test_what_rbp_gains_lies_between_0_and_1() -> None:
    with pytest.raises(MeasureError, match="graded is True or False, not 'yes'"):
        RBP(graded="yes")  # type: ignore[arg-type]
    with pytest.raises(ConventionError, match=r"label 6 gains more than RBP's greatest gain, 15 .*\nHint: .*gmax=6"):
        values_of([RBP(graded=True)], [one(6.0)])
    with pytest.raises(ConventionError, match="the greatest gain of RBP is 0, which no gain can be divided by"):
        values_of([RBP(graded=True, gmax=0)], [one(0.0)])
    with pytest.raises(ConventionError, match="the greatest gain of RBP is inf"):
        values_of([RBP(graded=True, gmax=1023, gain=lambda labels: np.where(labels > 9, math.inf, labels))], [one(1.0)])
    assert 0 < values_of([RBP(graded=True, gmax=6)], [one(6.0)]) < 1


@pytest.mark.parametrize("g", [{}, {0: 1}, {1: -0.5, 2: 1.5}, {1: NAN}, [0.5, 0.5], (0.5, 0.5), 1, {"1": 1}])
def test_threshold_probabilities_are_a_table(g: object) -> None:
    with pytest.raises(MeasureError, match=r"g is a table \{grade above 0: probability\}|g sum to 0, not to 1"):
        GradedAP(g=g)  # type: ignore[arg-type]


def test_threshold_probabilities_sum_to_1() -> None:
    with pytest.raises(MeasureError, match=r"the threshold probabilities g sum to 0\.9, not to 1"):
        GradedAP(g={1: 0.5, 2: 0.4})


def test_a_text_is_a_text() -> None:
    with pytest.raises(MeasureError, match="the text of a measure is wanted, not 3"):
        measure(3)  # type: ignore[arg-type]
    with pytest.raises(ConventionError, match="a convention or its name is wanted, not 3"):
        evaluate([1, 0], [2.0, 1.0], "AP", convention=3)  # type: ignore[arg-type]
    assert measure("nDCG(k=5)") == nDCG @ 5


def test_choices_that_do_not_exist() -> None:
    with pytest.raises(ConventionError, match=r"there is no choice 'gian'\nHint: did you mean 'gain'\?"):
        nDCG(gian="linear")
    with pytest.raises(ConventionError, match="there is no choice 'gian'"):
        measure("nDCG(gian='linear')@10")
    with pytest.raises(ConventionError, match="gain='log' is not a choice\nHint: gain is one of 'exp2', 'linear'"):
        nDCG(gain="log")
    with pytest.raises(ConventionError, match="there is no convention 'leter4'\nHint: did you mean 'letor4'"):
        convention("leter4")
    with pytest.raises(ConventionError, match="there is no convention 'zzz'\nHint: The names are standard, hotels"):
        nDCG(convention="zzz")


@pytest.mark.parametrize(
    "axis, choice",
    [
        ("ties", "both"), ("ties", 3), ("seed", -1), ("seed", True), ("seed", 0.5), ("seed", 2**64), ("quirks", [[1]]),
        ("empty", "zero"), ("empty", True),
        ("empty", math.inf), ("rel", "some"), ("rel", True), ("rel", NAN), ("rel", math.inf), ("gmax", "4"),
        ("gmax", NAN), ("gmax", math.inf), ("gmax", -1), ("gmax", 1024),
        ("rel", ()), ("gain", {}), ("labels", {}), ("discount", ()),
        ("quirks", {"odd"}), ("quirks", 3), ("gain", (1, 2)),
        ("quirks", "float32-reciprocal"), ("discount", "log10"),
        ("discount", (1.0, NAN)), ("gain", {0: 0, 1: math.inf}), ("gain", {NAN: 1}), ("gain", 3), ("rel", {1, NAN}),
        ("labels", "rounded"), ("labels", {1: NAN}), ("missing", None), ("mean", "weighted"), ("short", 0),
    ],
)  # fmt: skip
def test_choices_that_an_axis_lacks(axis: str, choice: object) -> None:
    with pytest.raises(ConventionError, match=f"{axis}=.* is not a choice\nHint: {axis} is "):
        Convention(**{axis: choice})


def test_scores_are_numbers_one_a_document() -> None:
    with pytest.raises(DataError, match=r"scores, row 3 \(list 1\): the score is NaN, which has no place in an order"):
        evaluate([1, 0, 1, 0], [0.1, 0.2, 0.3, NAN], group=[2, 2])
    with pytest.raises(DataError, match="scores: 3 for 4 documents; each document needs one score"):
        evaluate([1, 0, 1, 0], [0.1, 0.2, 0.3], group=[2, 2])
    with pytest.raises(DataError, match=r"scores: an array of shape \(2, 2\) for 4 documents"):
        evaluate([1, 0, 1, 0], np.zeros((2, 2)), group=[2, 2])
    with pytest.raises(DataError, match="scores: numbers are needed, not <U1"):
        evaluate([1, 0], ["a", "b"])
    with pytest.raises(DataError, match="there are labels but no scores"):
        evaluate([1, 0])
    with pytest.raises(DataError, match="there are judgments but no run"):
        evaluate({"q": {"d": 1}})
    with pytest.raises(DataError, match="judgments of queries and documents need a run of the same, not list"):
        evaluate({"q": {"d": 1}}, [1.0])


@pytest.mark.parametrize("rows", [1, 5000, 20_000])
def test_a_nan_score_is_found_wherever_it_is(rows: int) -> None:
    scores = np.zeros(rows)
    scores[-1] = NAN
    with pytest.raises(DataError, match=rf"scores, row {rows - 1} \(list 0\): the score is NaN"):
        evaluate(np.ones(rows), scores)


def test_measures_are_named() -> None:
    with pytest.raises(MeasureError, match="no measure is named"):
        evaluate([1, 0], [1.0, 2.0], [])
    with pytest.raises(MeasureError, match="a measure or its text is wanted, not 3"):
        evaluate([1, 0], [1.0, 2.0], [3])
    with pytest.raises(MeasureError, match=r"this result has no ERR@3\nHint: there are nDCG@5, P@1"):
        evaluate([1, 0], [1.0, 2.0], ["nDCG@5", "P@1"])["ERR@3"]


def test_negative_labels_under_the_default_convention() -> None:
    for kind in (nDCG, P, ERR):
        with pytest.raises(
            ConventionError, match=r"label -2 is negative \(convention standard\)\nHint: set negative='zero'"
        ):
            values_of([kind(5)], [one(-2.0)])


def test_labels_above_the_greatest_grade_of_err() -> None:
    with pytest.raises(
        ConventionError, match=r"label 5 is above the greatest grade of ERR, 4 .*\nHint: .*ERR\(gmax=6\)"
    ):
        values_of([ERR(5)], [one(5.0), one(6.0)])
    assert values_of([ERR(5, gmax=6)], [one(6.0)]) > 0


def test_a_label_that_is_not_there_is_not_refused() -> None:
    """Labels 0 and 6 mean that 5 could have been there, not that it was."""
    assert values_of([nDCG(5, gain={0: 0, 6: 1})], [one(6.0)]) > 0
    with pytest.raises(ConventionError, match=r"label 6 has no gain; the table has 0 and 1 \(convention standard\)"):
        values_of([nDCG(5, gain={0: 0, 1: 1})], [one(6.0)])


def test_err_reads_labels_before_it_judges_them() -> None:
    assert values_of([ERR(5, labels="truncated")], [one(4.5)]) == values_of([ERR(5)], [one(4.0)])


@pytest.mark.parametrize("kind", [nDCG, DCG, MeanNDCG])
def test_gains_are_finite(kind: type) -> None:
    with pytest.raises(ConventionError, match="label 2000 has no finite gain"):
        values_of([kind()], [one(2000.0)])
    assert values_of([kind(gain="linear")], [one(2000.0)]) > 0


def test_functions_of_a_convention_return_numbers() -> None:
    with pytest.raises(ConventionError, match="the gain function must return one number, not NaN, for each label"):
        values_of([nDCG(gain=lambda labels: labels[:1])], [one(2.0)])
    with pytest.raises(ConventionError, match="the gain function must return one number, not NaN"):
        values_of([nDCG(gain=lambda labels: labels * NAN)], [one(2.0)])
    with pytest.raises(ConventionError, match="the gain function must return one number, not NaN"):
        values_of([nDCG(gain=lambda labels: ["much"] * len(labels))], [one(2.0)])
    with pytest.raises(ConventionError, match="the discount function must return one finite number for each rank"):
        values_of([nDCG(discount=lambda ranks: 1.0)], [one(2.0)])
    with pytest.raises(ConventionError, match="the discount function must return one finite number for each rank"):
        values_of([nDCG(discount=lambda ranks: ranks * math.inf)], [one(2.0)])


def test_a_gain_function_need_not_know_labels_that_do_not_occur() -> None:
    known = nDCG(gain=lambda labels: np.where(np.isin(labels, [0, 5]), labels, NAN))
    assert values_of([known], [one(5.0)]) == values_of([nDCG(gain="linear")], [one(5.0)])


@pytest.mark.parametrize("gain", [lambda labels: labels, lambda labels: labels.put(np.isnan(labels).argmax(), 3.0)])
def test_a_gain_function_cannot_change_what_other_measures_see(gain) -> None:
    data = [1, NAN, 0, 1], [4.0, 3.0, 2.0, 1.0]
    alone = evaluate(*data, [Bpref()])[0].mean
    measures = [nDCG(gain=lambda labels: (gain(labels), labels)[1]), Bpref()]
    assert evaluate(*data, measures)[1].mean == alone == 0.5


def test_a_discount_function_may_return_a_view() -> None:
    strided = nDCG(discount=lambda ranks: np.repeat(1 / ranks, 2)[::2])
    assert values_of([strided], [one(2.0)]) == values_of([nDCG(discount="reciprocal")], [one(2.0)])


def test_negative_labels_that_stand_for_no_judgment_are_never_relevant() -> None:
    for rel in (-1, {-1, 1}):
        assert STANDARD.but(negative="zero", rel=rel).relevant(np.array([-1.0, 1.0, NAN])).tolist() == [
            False,
            True,
            False,
        ]


@pytest.mark.parametrize("ties", ["best", "worst"])
def test_bounds_need_discounts_that_do_not_rise(ties: str) -> None:
    with pytest.raises(MeasureError, match="nDCG has no best order known where a discount rises"):
        values_of([nDCG(ties=ties, discount=(0.5, 1.0, 0.2))], [one(2.0)])
    assert values_of([nDCG(ties=ties, discount=(1.0, 1.0, 0.2))], [one(2.0)]) > 0


@pytest.mark.parametrize("ties", ["docid", "docid-desc"])
def test_document_ids_must_be_there_to_settle_ties(ties: str) -> None:
    with pytest.raises(
        DataError, match=f"ties='{ties}' needs document ids: scores are tied, and these lists have none\nHint: give"
    ):
        evaluate([1, 0], [1.0, 1.0], nDCG(5, ties=ties))
    assert evaluate([1, 0], [2.0, 1.0], nDCG(5, ties=ties))[0].mean == 1


def test_all_refusals_are_of_one_kind() -> None:
    for error in (ConventionError, DataError, MeasureError):
        assert issubclass(error, RankwiseError)
        assert issubclass(error, ValueError)


def test_a_class_is_as_good_as_its_measure() -> None:
    assert evaluate([1, 0], [1.0, 2.0], [nDCG]).measures == (nDCG(),)
    assert measures("nDCG") == [nDCG()]
    assert Convention() == STANDARD


@pytest.mark.parametrize(
    "text, what",
    [
        ("F(weight='a')", "the weight of recall is a number from 0, not 'a'"),
        ("Rprec(times=None)", "a multiple of R is a number from 0, not None"),
        ("IPrec(recall='x')", "a level of recall lies between 0 and 1, not at 'x'"),
        ("IAP(levels=5)", "levels of recall lie between 0 and 1, not at 5"),
        ("IAP(levels='ab')", "levels of recall lie between 0 and 1, not at 'ab'"),
        ("Utility(hit='x')", "hit must be a finite number, not 'x'"),
    ],
)
def test_parameters_of_a_formula_are_numbers(text: str, what: str) -> None:
    with pytest.raises(MeasureError, match=re.escape(what)):
        measure(text)


@pytest.mark.parametrize("word", ["name", "self"])
def test_arguments_in_python_are_no_choices(word: str) -> None:
    with pytest.raises(MeasureError, match=rf"'{word}' in .* is not a choice\nHint: the choices are gain"):
        measure(f"nDCG({word}=5)")


@pytest.mark.parametrize("text", ["P@²..³", "P@1..²", f"P@1..{'9' * 5000}"])
def test_ranges_are_of_plain_digits(text: str) -> None:
    with pytest.raises(MeasureError, match=r"is not a range of cut-offs\nHint: write it like nDCG@1..10"):
        measures(text)


def test_a_convention_is_one_or_a_name() -> None:
    with pytest.raises(ConventionError, match="a convention or its name is wanted, not 5"):
        nDCG(convention=5)  # type: ignore[arg-type]
    with pytest.raises(ConventionError, match="a convention or its name is wanted, not 5"):
        evaluate([1, 0], [1.0, 2.0], "AP", convention=5)  # type: ignore[arg-type]


def test_labels_and_greatest_grades_beyond_numbers_in_err() -> None:
    with pytest.raises(ConventionError, match="label 2000 has no finite chance in ERR under the greatest grade 4"):
        values_of([ERR(outside="zero")], [one(2000.0)])
    assert values_of([ERR(gmax=1023)], [one(1.0)]) < 1e-300


def test_the_gain_of_a_convention_is_nothing_to_err() -> None:
    assert "gain" not in repr(evaluate([1, 0], [2.0, 1.0], "hotels:ERR"))
    assert values_of([ERR(gain="linear")], [one(3.0)]) == values_of([ERR()], [one(3.0)])
