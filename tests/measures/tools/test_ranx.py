"""The names of ranx."""

from __future__ import annotations

import pytest

from rankwise import MeasureError, evaluate, measure
from rankwise.measures import AP, DCG, RBP, NumRelRet, Success, nDCG


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("ndcg_burges@10", nDCG(10, convention="ranx", gain="exp2")),
        ("dcg@0", DCG(convention="ranx")),
        ("map@100-l2", AP(100, convention="ranx", rel=2)),
        ("ndcg-l3", nDCG(convention="ranx", labels={1: 0, 2: 0})),
        ("ndcg@5-l1", nDCG(5, convention="ranx")),
        ("hit_rate@1", Success(1, convention="ranx")),
        ("hits@5-l2", NumRelRet(5, convention="ranx", rel=2)),
        ("rbp.05", RBP(convention="ranx", p=0.05, graded=True, gmax=1, outside="zero")),
    ],
)
def test_its_names_mean_its_measures(text: str, meant: object) -> None:
    found = measure(f"ranx:{text}")
    assert found == meant
    assert measure(str(found)) == found


def test_a_level_of_relevance_takes_the_gain_of_labels_below_it() -> None:
    result = evaluate([1, 2, 3], [3.0, 2.0, 1.0], ["ranx:dcg-l1", "ranx:dcg-l2", "ranx:dcg-l3"])
    assert result.values[:, 0] == pytest.approx([1 + 2 / 1.5849625007211562 + 1.5, 2 / 1.5849625007211562 + 1.5, 1.5])


def test_what_is_not_emulated_says_why() -> None:
    with pytest.raises(MeasureError, match="it divides 0 by 0"):
        measure("ranx:bpref")
    with pytest.raises(MeasureError, match="RBP takes the labels as gains"):
        measure("ranx:rbp.95-l2")


@pytest.mark.parametrize("text", ["map-l", "map-lx", "-l2", "r-precision@5", "rbp", "rbp.x"])
def test_what_it_has_not_is_refused(text: str) -> None:
    with pytest.raises(MeasureError, match="there is no measure"):
        measure(f"ranx:{text}")
