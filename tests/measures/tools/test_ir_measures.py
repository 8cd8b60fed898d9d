"""The grammar of ir_measures, as far as it is not Rankwise's own."""

from __future__ import annotations

import pytest

from rankwise import ConventionError, MeasureError, evaluate, measure
from rankwise.measures import AP, RBP, RR, F, InfAP, IPrec, Judged, NumRelRet, P, R, nDCG

OWN = "ir_measures"
EXPONENTIAL = {"gain": {0: 0, 1: 1, 2: 3, 3: 7, 4: 15}, "outside": "error", "precision": "float64"}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("AP(rel=2)@100", AP(100, convention=OWN, rel=2)),
        ("MAP", AP(convention=OWN)),
        ("P(rel=2)@5", P(5, convention=OWN, rel=2)),
        ("P(cutoff=5, rel=2)", P(5, convention=OWN, rel=2)),
        ("RR", RR(convention=OWN)),
        ("RR@10", RR(10, convention=OWN)),
        ("MRR@10", RR(10, convention=OWN)),
        ("nDCG(dcg='exp-log2')@10", nDCG(10, convention=OWN, **EXPONENTIAL)),
        ('nDCG( dcg="exp-log2" ) @ 10', nDCG(10, convention=OWN, **EXPONENTIAL)),
        ("nDCG(dcg='log2')@10", nDCG(10, convention=OWN)),
        ("nDCG(gains={1:1,2:3})@10", nDCG(10, convention=OWN, labels={1: 1, 2: 3})),
        ("NDCG(judged_only=True)", nDCG(convention=OWN, unjudged="removed")),
        ("IPrec@0.1", IPrec(convention=OWN, recall=0.1)),
        ("IPrec(rel=2)@0.1", IPrec(convention=OWN, recall=0.1, rel=2)),
        ("infAP", InfAP(convention=OWN)),
        ("SetP", P(convention=OWN)),
        ("SetRelP", P(convention=OWN, p_over="min(k, R)")),
        ("SetP(relative=True)", P(convention=OWN, p_over="min(k, R)")),
        ("SetR", R(convention=OWN)),
        ("RBP(p=0.5)", RBP(convention=OWN, p=0.5)),
        ("RBP(rel=2)", RBP(convention=OWN, rel=2)),
        ("Judged@10", Judged(10, convention=OWN)),
        ("SetF(beta=2)", F(convention=OWN, weight=2)),
        ("NumRet(rel=1)", NumRelRet(convention=OWN)),
        # Rankwise's own choices are understood after the prefix as after any other.
        ("nDCG(gain='exp2', ties='input')@5", nDCG(5, convention=OWN, gain="exp2", ties="input")),
    ],
)
def test_its_names_mean_its_measures(text: str, meant: object) -> None:
    found = measure(f"ir_measures:{text}")
    assert found == meant
    assert measure(str(found)) == found


def test_rr_is_another_measure_with_a_cut_off() -> None:
    whole, cut = measure("ir_measures:RR"), measure("ir_measures:RR@10")
    assert (whole.convention.ties, whole.convention.precision) == ("docid-desc", "float32")
    assert (cut.convention.ties, cut.convention.precision) == ("docid", "float64")
    assert (str(whole), str(cut)) == ("ir_measures:RR", "ir_measures:RR@10")
    # A measure that is cut later keeps the convention that it has, and says so.
    later = RR(convention=OWN) @ 10
    assert later != cut
    assert measure(str(later)) == later


def test_gdeval_drops_lists_without_a_relevant_document() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 0}, "3": {"d": 2}}
    run = {"1": {"b": 2.0, "a": 1.0}, "2": {"c": 1.0}}
    result = evaluate(qrels, run, ["gdeval:err@20", "gdeval:ndcg@20", "ir_measures:ERR@20"])
    assert [outcome.included for outcome in result] == [1, 1, 3]
    assert result["gdeval:err@20"].mean == 1 / 32
    assert result["ir_measures:ERR@20"].mean == 1 / 96


@pytest.mark.parametrize("text", ["gdeval:err@20", "gdeval:ndcg@20", "ir_measures:ERR@5"])
def test_gdeval_refuses_labels_above_4_and_takes_negative_ones_for_0(text: str) -> None:
    with pytest.raises(ConventionError, match="label 5"):
        evaluate([5, 0], [1.0, 2.0], text)
    assert evaluate([1, -1], [2.0, 1.0], text)[0].mean == evaluate([1, 0], [2.0, 1.0], text)[0].mean


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nDCG(dcg='exp-log2')", "gdeval needs a cut-off"),
        ("nDCG(dcg='log10')@5", "dcg is 'log2' or 'exp-log2'"),
        ("nDCG(dcg='exp-log2', judged_only=True)@5", "gdeval has neither gains nor judged_only"),
        ("nDCG(gains={1: -1})@5", "gains are whole numbers from 0"),
        ("RR(judged_only=True)@10", "the script of MS MARCO has no judged_only"),
        ("NumRel(rel=2)", "pytrec_eval counts the documents of label 1"),
        ("SDCG(max_rel=3)@10", "it belongs to the package cwl-eval"),
        ("alpha_nDCG(rel=1)@20", "it needs judgments of several aspects"),
        ("Compat(p=0.95)", "it compares with several ideal rankings"),
        ("Accuracy@10", "it fails where everything retrieved is relevant"),
    ],
)
def test_what_is_not_computed_is_refused_with_its_reason(text: str, why: str) -> None:
    with pytest.raises(MeasureError, match=why):
        measure(f"ir_measures:{text}")


@pytest.mark.parametrize("text", ["nDCG(5)", "nDCG(dcg=2)@5", "AP@x", "Unknown@5", "P(rel=2", "f(*[1])", "nDCG(**x)@3"])
def test_what_it_has_not_is_refused(text: str) -> None:
    with pytest.raises((MeasureError, ConventionError)):
        measure(f"ir_measures:{text}")
