"""What `evaluate` refuses before it computes anything."""

from __future__ import annotations

import math

import pytest

from rankwise import (
    ConventionError,
    DataError,
    Dataset,
    MeasureError,
    Qrels,
    RankwiseError,
    Run,
    convention,
    evaluate,
    judge,
    nDCG,
)
from rankwise.measures.tools import ALIASES, names


def test_a_convention_beside_measures_that_carry_their_own_is_refused() -> None:
    with pytest.raises(MeasureError, match="these carry their own\nHint: give the measure as text"):
        evaluate([1, 0], [2.0, 1.0], nDCG @ 5, convention="hotels")
    assert str(evaluate([1, 0], [2.0, 1.0], "nDCG@5", convention="hotels")[0].measure) == "hotels:nDCG@5"


def test_a_default_convention_refuses_what_its_prefix_refuses() -> None:
    with pytest.raises(MeasureError, match=r"LETOR 4\.0.* does not compute ERR"):
        evaluate([1, 0], [2.0, 1.0], "ERR@10", convention="letor4")
    assert str(evaluate([1, 0], [2.0, 1.0], ["MAP"], convention="letor4")[0].measure) == "letor4:AP"


@pytest.mark.parametrize("name", [*names(), *ALIASES])
def test_every_convention_has_a_default_measure(name: str) -> None:
    found = evaluate([1, 0], [2.0, 1.0], convention=name)
    assert len(found) and {m.convention.name for m in found.measures} == {ALIASES.get(name, name)}
    assert evaluate([1, 0], [2.0, 1.0], convention=convention(name)).measures


def test_a_default_convention_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConventionError, match="there is no convention 'leto4'\nHint: did you mean 'letor4'"):
        evaluate([1, 0], [2.0, 1.0], convention="leto4")


def test_judgments_of_no_query_are_refused() -> None:
    with pytest.raises(DataError, match=r"no query is judged\nHint: judgments are \{query"):
        evaluate({}, {"q": {"a": 1.0}})


def test_a_run_of_other_queries_is_refused() -> None:
    with pytest.raises(DataError, match=r"both judged and in the run; .* is 'z', the first judged 'q'\nHint: .*alike"):
        evaluate({"q": {"a": 1}}, {"z": {"a": 1.0}}, "trec_eval:map")
    assert evaluate({"q": {"a": 1}}, {}, "AP")[0].counts.missing == 1


@pytest.mark.parametrize(
    "judgments, scores, place",
    [
        ([1, 0, 2000], [2.0, 1.0, 3.0], "query '1': "),
        ({"q": {"a": 1}, "p": {"a": 0, "b": 2000}}, {"p": {"c": 2.0, "b": 1.0}}, "query 'p', document 'b': "),
        ({"q": {"a": 1}, "p": {"b": 2000}}, {"q": {"a": 1.0}}, "query 'p': "),
    ],
)
def test_a_label_that_a_convention_refuses_is_found(judgments: object, scores: object, place: str) -> None:
    with pytest.raises(ConventionError, match=f"^{place}label 2000 has no finite gain"):
        evaluate(judgments, scores, "nDCG")
    with pytest.raises(ConventionError, match=f"^{place}label 2000 is above the greatest grade of ERR, 4"):
        evaluate(judgments, scores, "ERR")


def test_the_top_of_lists_needs_an_order_of_ties() -> None:
    with pytest.raises(MeasureError, match=r"first 2 documents are not known while AP leaves .* open\nHint: choose"):
        evaluate([1, 0, 1], [2.0, 1.0, 1.0], "AP", keep=2)
    assert evaluate([1, 0, 1], [2.0, 1.0, 0.5], "AP", keep=2)[0].mean == 0.5


@pytest.mark.parametrize("count", [0, -1, True, 1.5, "2"])
@pytest.mark.parametrize("what", ["keep", "threads"])
def test_counts_are_whole_numbers_from_1(what: str, count: object) -> None:
    with pytest.raises(RankwiseError, match=f"{what} must be a whole number from 1, not {count!r}"):
        evaluate([1, 0], [2.0, 1.0], "AP", **{what: count})  # type: ignore[arg-type]


def test_a_judged_run_takes_no_other_scores() -> None:
    judged = judge(Qrels.of({"q": {"a": 1}}), Run.of({"q": {"b": 2.0, "a": 1.0}}))
    with pytest.raises(DataError, match=r"holds its scores already, and others are given\nHint: .*measures="):
        evaluate(judged, ["AP"])
    assert evaluate(judged, measures="AP")["AP"].mean == 0.5


def test_what_has_lists_takes_no_others() -> None:
    data = Dataset.of(labels=[1, 0], group=[2])
    with pytest.raises(DataError, match="Dataset says itself which rows belong to one list"):
        evaluate(data, [1.0, 2.0], "AP", qid=[1, 2])
    with pytest.raises(DataError, match="dict says itself which rows belong to one list"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP", group=[1])


def test_a_nan_score_is_found_at_the_callers_row() -> None:
    with pytest.raises(DataError, match="scores, row 1: the score is NaN"):
        evaluate([1, 0, 1], [1.0, math.nan, 3.0], "AP", qid=[1, 2, 1])


def test_something_else_is_no_measure() -> None:
    with pytest.raises(MeasureError, match="a measure or its text is wanted, not 5"):
        evaluate([1, 0], [2.0, 1.0], 5)  # type: ignore[arg-type]
