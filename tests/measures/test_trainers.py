"""The measures of trainers and of deep-learning libraries: their names, and rules that no other tool has."""

from __future__ import annotations

import numpy as np
import pytest

from measures.making import List, values_of
from rankwise import ConventionError, MeasureError, convention, evaluate, measure
from rankwise.measures import AP, ERR, STANDARD, P, nDCG


@pytest.mark.parametrize(
    "text, meant",
    [
        ("lightgbm:ndcg@10", "lightgbm:nDCG@10"),
        ("xgboost:ndcg@10-", "xgboost:nDCG(empty=0)@10"),
        ("xgboost:exp_ndcg@10-", "xgboost:nDCG(empty=0)@10"),
        ("xgboost:linear_ndcg@3", "xgboost:nDCG(gain='linear')@3"),
        ("xgboost:ndcg", "xgboost:nDCG@32"),
        ("xgboost:map-", "xgboost:AP(empty=0)@32"),
        ("xgboost:pre", "xgboost:P@32"),
        ("catboost:NDCG", "catboost:nDCG"),
        ("catboost:NDCG:top=10;type=Exp", "catboost:nDCG(gain='exp2')@10"),
        ("catboost:NDCG:denominator=Position;top=5;type=Base", "catboost:nDCG(discount='reciprocal')@5"),
        ("catboost:DCG:top=-1", "catboost:DCG"),
        ("catboost:MAP:top=10;border=1.5", "catboost:AP(rel='>1.5')@10"),
        ("catboost:MRR:border=2", "catboost:RR(rel='>2')"),
        ("catboost:RecallAt:top=3", "catboost:R@3"),
        ("torchmetrics:ndcg@10/skip", "torchmetrics:nDCG(empty='skip')@10"),
        ("torchmetrics:mrr/pos", "torchmetrics:RR(empty=1)"),
        ("torchmetrics:precision@5", "torchmetrics:P@5"),
        ("rax:ap@5", "rax:AP@5"),
        ("rax:ndcg_metric", "rax:nDCG"),
    ],
)
def test_a_tools_own_name_is_a_measure_whose_text_parses_back(text: str, meant: str) -> None:
    found = measure(text)
    assert str(found) == meant
    assert measure(meant) == found


@pytest.mark.parametrize(
    "default, text",
    [("catboost", "NDCG:top=10;type=Exp"), ("xgboost", "ndcg@10-"), ("torchmetrics", "ndcg@10/pos")],
)
def test_under_a_tools_convention_its_own_names_need_no_prefix(default: str, text: str) -> None:
    assert measure(text, default) == measure(f"{default}:{text}")


@pytest.mark.parametrize(
    "text, what",
    [
        ("catboost:NDCG:tpo=10", "'tpo=10' is no parameter of CatBoost's NDCG\nHint: it takes top, type, denominator"),
        ("catboost:MAP:type=Exp", "'type=Exp' is no parameter of CatBoost's MAP"),
        ("catboost:NDCG:", "'' is no parameter of CatBoost's NDCG"),
        ("catboost:NDCG:type=Linear", "type of CatBoost's NDCG is Base or Exp, not 'Linear'"),
        ("catboost:NDCG:denominator=Log", "denominator of CatBoost's NDCG is LogPosition or Position, not 'Log'"),
        ("catboost:NDCG:top=ten", "top of CatBoost's NDCG is a number of documents, or -1 for all, not 'ten'"),
        ("catboost:NDCG:top=0", "the cut-off of nDCG must be a whole number from 1, not 0"),
        ("catboost:MAP:border=high", "border of CatBoost's MAP is a number, above which labels are relevant"),
        ("catboost:MAP:border=nan", "rel='>nan' is not a choice"),
        ("catboost:PFound", "'PFound' of CatBoost 1.2.10 is not supported: its reader stops by chance"),
        ("catboost:PFound:top=5", "'PFound:top=5' of CatBoost 1.2.10 is not supported: its reader stops by chance"),
        ("lightgbm:ndcg", "is not supported: it means @1 … @5, the default of eval_at; write lightgbm:ndcg@1..5"),
        ("xgboost:auc", "is not supported: it is an area under a curve, with groups"),
        ("torchmetrics:precision@5/skip", "is not supported: the measure has a value"),
        ("torchmetrics:ndcg@5/error", "is not supported: it raises an error at the first list"),
    ],
)
def test_what_a_tool_does_not_say_is_refused(text: str, what: str) -> None:
    with pytest.raises((MeasureError, ConventionError), match=what.replace("(", r"\(").replace("|", r"\|")):
        measure(text)


@pytest.mark.parametrize("text", ["ndcg@10-", "map-", "pre@5-"])
def test_a_name_that_carries_xgboosts_convention_says_whose_it_is(text: str) -> None:
    with pytest.raises(MeasureError, match=f"it is XGBoost's; write xgboost:{text}, or {text[:-1]} for the default"):
        measure(text)


def test_a_border_is_exclusive_and_a_threshold_is_not() -> None:
    one = List([0.5, 1.0, 0.0], [3.0, 2.0, 1.0])
    assert values_of([P(3, rel=">0.5"), P(3, rel=0.5), P(3, rel=">0")], [one])[:, 0] == pytest.approx(
        [1 / 3, 2 / 3, 2 / 3]
    )
    assert P(rel=">0.50").convention.rel == ">0.5" and P(rel=">0.0").convention.rel == ">0"
    assert STANDARD.but(rel=">0.5").words("rel") == "above 0.5"


@pytest.mark.parametrize("border", [">", ">x", ">inf", "> nan", "<1"])
def test_a_border_is_a_number(border: str) -> None:
    with pytest.raises(ConventionError, match="is not a choice\nHint: rel is one of '>0', another number after '>'"):
        P(rel=border)


def test_labels_that_are_chances_stop_a_reader_as_they_say() -> None:
    assert ERR(gmax="none").of([0.25, 0.5]) == 0.25 + 0.75 * 0.5 / 2
    with pytest.raises(ConventionError, match="label 2 is above the greatest chance of ERR, 1 "):
        ERR(gmax="none").of([2, 0])
    # CatBoost takes any label for a chance.
    assert evaluate([2, 0], [2.0, 1.0], "catboost:ERR")[0].mean == 2.0


SCORED_BELOW_0 = List([0.0, 1.0, 1.0, 1.0], [0.9, 0.5, 0.0, -0.5])


@pytest.mark.parametrize(
    "text, value",
    [("map", 1 / 2), ("map@2", 1 / 2), ("precision@4", 1 / 4), ("recall@4", 1 / 3), ("mrr", 1 / 2), ("hit_rate@4", 1.0),
     ("r_precision", 2 / 3)],
)  # fmt: skip
def test_a_document_that_scores_0_or_less_is_no_hit_in_torchmetrics(text: str, value: float) -> None:
    assert values_of([measure(f"torchmetrics:{text}")], [SCORED_BELOW_0])[0, 0] == pytest.approx(value)


@pytest.mark.parametrize("scores", [[1e-50, -1.0], [-0.0, -1.0], [-1.0, -1.0]])
def test_without_a_positive_score_nothing_is_found(scores: list[float]) -> None:
    """A score that single precision makes 0 is 0. The relevant document is still there: the list is not empty."""
    one = List([1.0, 0.0], scores)
    for text in ("map/pos", "mrr/pos", "recall/pos"):
        assert values_of([measure(f"torchmetrics:{text}")], [one])[0, 0] == 0.0


@pytest.mark.parametrize("ties", ["expected", "input", "reversed", "best", "worst"])
@pytest.mark.parametrize("rows", [5, 60, 900])
def test_the_end_of_positive_scores_is_found_in_every_order(ties: str, rows: int) -> None:
    """As if the documents below were not relevant, while they count among the relevant ones."""
    rng = np.random.default_rng(rows)
    labels, scores = rng.integers(0, 2, rows).astype(float), rng.integers(-6, 6, rows) / 4
    cut = np.where(scores > 0, labels, 0)
    choices = {"ties": ties, "gain": "linear"}
    ours = [kind(k, quirks={"positive-scores"}, **choices) for kind in (P, AP) for k in (3, None)]
    plain = [kind(k, **choices) for kind in (P, AP) for k in (3, None)]
    wanted = values_of(plain, [List(cut.tolist(), scores.tolist())])
    wanted[2:] *= cut.sum() / labels.sum()
    found = values_of(ours, [List(labels.tolist(), scores.tolist())])
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_average_precision_over_hits_is_empty_only_where_nothing_is_relevant() -> None:
    m = AP(1, ap_over="hits", ties="input", empty=1.0)
    assert values_of([m], [List([0.0, 1.0], [2.0, 1.0]), List([0.0, 0.0], [2.0, 1.0])]).tolist() == [[0.0, 1.0]]


def test_the_mean_of_no_list_is_0_in_torchmetrics_alone() -> None:
    assert evaluate([0, 0], [2.0, 1.0], "torchmetrics:ndcg@5/skip")[0].mean == 0.0
    assert np.isnan(evaluate([0, 0], [2.0, 1.0], nDCG(5, empty="skip"))[0].mean)


def test_two_conventions_in_one_process_never_mix() -> None:
    """In LightGBM a second booster with another table of gains changes the numbers of the first."""
    labels, scores, qid = [3, 0, 1, 2, 0, 1, 0], [0.1, 0.9, 0.4, 0.3, 0.8, 0.2, 0.5], [1, 1, 1, 1, 2, 2, 3]
    texts = ["lightgbm:ndcg@3", "lightgbm_linear:ndcg@3", "nDCG@3", "xgboost:ndcg@3-"]
    alone = {text: evaluate(labels, scores, text, qid=qid)[0].mean for text in texts}
    assert len(set(alone.values())) > 2
    for order in (texts, texts[::-1]):
        made = [measure(text) for text in order]
        assert {
            text: evaluate(labels, scores, m, qid=qid)[0].mean for text, m in zip(order, made, strict=True)
        } == alone
        assert evaluate(labels, scores, order, qid=qid).means == alone
    assert convention("lightgbm") != convention("lightgbm_linear")


def test_a_weighted_mean_with_an_empty_list_is_right() -> None:
    """LightGBM adds 1 for a list without a relevant document, whatever its weight."""
    from rankwise import Dataset

    data = Dataset.of(labels=[3, 2, 1, 0, 0, 0], group=[4, 2], weights=[1, 9])
    found = evaluate(data, [0.1, 0.4, 0.3, 0.2, 2.0, 1.0], ["lightgbm:ndcg@10", "lightgbm:map@10"])
    first = found[0].values[0]
    assert found[0].mean == pytest.approx((first + 9 * 1.0) / 10)
    assert found[1].mean == pytest.approx((found[1].values[0] + 9 * 1.0) / 10)
    skipped = evaluate(data, [0.1, 0.4, 0.3, 0.2, 2.0, 1.0], nDCG(10, empty="skip"))[0]
    assert skipped.mean == skipped.values[0]
