"""Why two numbers differ: parts that sum to the whole, and the right choices named."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from golden import reading
from oracles.shapley import shapley
from rankwise import DataError, Dataset, MeasureError, evaluate, explain, measure
from rankwise.evaluation.result import Result
from rankwise.measures.tools import names


def parts(found: object) -> dict[str, float]:
    return {part.axis: part.effect for part in found.parts if abs(part.effect) > 1e-12}


# Definition.


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=3, max_size=14),
    st.lists(st.integers(1, 5), min_size=3, max_size=3),
)
def test_a_part_is_the_mean_over_all_orders_of_changing_one_choice_at_a_time(
    rows: list[tuple[int, int]], cuts: list[int]
) -> None:
    labels, scores = np.array(rows, dtype=float).T
    qid = np.sort(np.resize(cuts, len(rows)))
    a = measure("nDCG(ties='input')@3")
    b = measure("nDCG(gain={0: 0, 1: 1, 2: 5}, outside='zero', ties='worst', empty='skip', short='zero')@3")

    def mean(taken: frozenset[str]) -> float:
        chosen = taken | ({"outside"} if "gain" in taken else set())
        return evaluate(labels, scores, a.but(**{axis: getattr(b.convention, axis) for axis in chosen}), qid=qid)[
            0
        ].mean

    pair = evaluate(labels, scores, [a, b], qid=qid)
    if np.isnan(pair[1].mean):
        return
    found, axes = explain(*pair), ["gain", "ties", "empty", "short"]
    assert {part.axis for part in found.parts} == set(axes)
    for axis, effect in shapley(axes, mean).items():
        assert next(p.effect for p in found.parts if p.axis == axis) == approx(effect, abs=1e-12)


CASES = sorted(path[6:-5] for path in reading.files() if path.startswith("cases/"))

# Laws.


def measure_exists(text: str) -> bool:
    try:
        measure(text)
    except MeasureError:
        return False
    return True


def pairs(text: str) -> list[tuple[str, str]]:
    return list(combinations([name for name in names() if measure_exists(f"{name}:{text}")], 2))


def check_sums(case: str, text: str, chosen: list[tuple[str, str]]) -> int:
    lists, checked = reading.as_lists(case), 0
    values: dict[str, object] = {}
    for name in {name for pair in chosen for name in pair}:
        try:
            values[name] = Result(lists, [(name, measure(f"{name}:{text}"))])[0]
        except (MeasureError, DataError, ValueError):
            continue  # this tool refuses these labels
    for a, b in chosen:
        if a not in values or b not in values or np.isnan(values[a].mean + values[b].mean):
            continue
        found = explain(values[a], values[b])
        total = sum(part.effect for part in found.parts)
        assert abs(total - (values[b].mean - values[a].mean)) < 1e-12, (case, a, b)
        for part in found.parts:
            assert abs(part.per_list.sum() - part.effect) < 1e-12, (case, a, b, part.axis)
        checked += 1
    return checked


TEN = [
    ("yahoo_v1_0", "ranklib2"), ("letor4", "ranklib2"), ("letor3", "mslr"), ("trec_eval_9_0_8", "standard"),
    ("ranklib1", "ranklib2_qrel"), ("letor4", "trec_eval_10_0_c"), ("standard", "hotels"), ("mslr", "yahoo_v0_5"),
    ("trec_eval_9_0a3", "letor3"), ("ranklib1_letor", "trec_eval_9_0_8_c"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_parts_sum_to_the_difference(case: str) -> None:
    assert check_sums(case, "nDCG@10", TEN) or case == "negative_labels"


@pytest.mark.slow
@pytest.mark.parametrize("text", ["nDCG@10", "AP", "P@5", "RR"])
@pytest.mark.parametrize("case", CASES)
def test_parts_sum_to_the_difference_for_every_pair_of_conventions(case: str, text: str) -> None:
    check_sums(case, text, pairs(text))


def test_the_other_direction_has_the_opposite_parts() -> None:
    a, b = evaluate([0, 2, 1, 0, 1, 3], [1, 1, 1, 2, 2, 3], ["letor4:nDCG@4", "nDCG@4"], group=[3, 3])
    forth, back = parts(explain(a, b)), parts(explain(b, a))
    assert forth.keys() == back.keys() and forth
    assert all(forth[axis] == approx(-back[axis], abs=1e-15) for axis in forth)


def test_weights_of_lists_count() -> None:
    data = Dataset.of(labels=[0, 1, 1, 0], group=[2, 2], weights=[1.0, 3.0])
    a, b = evaluate(data, [2.0, 1.0, 1.0, 1.0], ["nDCG@1", "nDCG(ties='worst')@1"])
    assert parts(explain(a, b)) == {"ties": approx(-0.375)}
    (part,) = explain(*evaluate(data, [2.0, 1.0, 1.0, 1.0], ["P(mean='sum')@1", "P(mean='sum', ties='worst')@1"])).parts
    assert part.effect == approx(-1.5) and part.per_list.tolist() == approx([0.0, -1.5])


# What it names.


def test_the_slide_example_is_the_discount() -> None:
    pair = evaluate([2, 1, 2, 0], [4, 3, 2, 1], ["nDCG(gain='linear', discount='jarvelin')", "nDCG(gain='linear')"])
    assert [round(o.mean, 4) for o in pair] == [0.9203, 0.9652]
    assert list(parts(explain(*pair))) == ["discount"]


def mq2008(real_data: Path) -> list[tuple[str, Result]]:
    import rankwise

    if not (real_data / "mq2008").is_dir():
        pytest.skip(f"no folder mq2008 in {real_data}")
    texts = ["yahoo:nDCG@10", "letor4:nDCG@10", "ranklib2:nDCG@10"]
    results = []
    for fold in range(1, 6):
        data = rankwise.read_letor(real_data / "mq2008" / f"S{(fold + 3) % 5 + 1}.txt.gz")
        scores = rankwise.read_scores(real_data / "mq2008-scores" / "AdaRank" / f"Fold{fold}.score.gz")
        results.append((f"fold {fold}", evaluate(data, scores, texts)))
    return results


def test_yahoo_against_ranklib_is_wholly_the_empty_lists_of_mq2008(real_data: Path) -> None:
    from rankwise import merge_results

    pooled = merge_results([result for _, result in mq2008(real_data)])
    found = {p.axis: p for p in explain(pooled["yahoo:nDCG@10"], pooled["ranklib2:nDCG@10"]).parts}
    assert found["empty"].words.startswith("220 of 784 lists are empty")
    assert found["empty"].effect == approx(-220 / 784, abs=1e-12)
    assert all(abs(part.effect) < 1e-12 and not part.lists for axis, part in found.items() if axis != "empty")


def test_letor4_against_ranklib_is_wholly_discount_and_short_lists_of_mq2008(real_data: Path) -> None:
    for _, result in mq2008(real_data):
        found = explain(result["letor4:nDCG@10"], result["ranklib2:nDCG@10"])
        assert set(parts(found)) == {"discount", "short"}
        assert found.parts[0].axis == "short" and found.parts[0].effect > 0.2


def test_two_runs_differ_by_the_ranking_itself() -> None:
    labels = {"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 2}}
    first = evaluate(labels, {"a": {"x": 1, "y": 2}, "b": {"x": 3, "y": 1}}, "trec_eval:ndcg_cut_2")
    second = evaluate(labels, {"b": {"x": 1, "y": 3}, "a": {"x": 1, "y": 2}}, "nDCG@2")
    found = explain(first[0], second[0])
    assert list(parts(found)) == ["run"]
    run = found.parts[0]
    assert run.lists == 1 and dict(zip(found.queries, run.per_list.round(4).tolist(), strict=True)) == {
        "a": 0.0,
        "b": 0.1845,
    }
    said = "trec_eval_9_0_8:nDCG@2 of the first run = 0.6309, nDCG@2 of the second run = 0.8155\n"
    assert str(found).startswith(said)


def test_a_cut_off_is_a_choice_too() -> None:
    found = explain(*evaluate([0, 1, 1], [3.0, 2.0, 1.0], ["P@1", "P@3"]))
    assert [(p.axis, p.words) for p in found.parts] == [("k", "cut-off: 1 → 3")]


def test_choices_that_exist_only_together_are_one() -> None:
    """AP over the hits has no mean over ties, so that neither can be changed alone."""
    found = explain(*evaluate([0, 1, 1], [3.0, 2.0, 2.0], ["AP@2", "AP(ap_over='hits', ties='input')@2"]))
    assert [part.axis for part in found.parts] == ["ties+ap_over"]
    assert sum(part.effect for part in found.parts) == approx(found.difference, abs=1e-15)


def test_a_hybrid_that_leaves_out_every_list_adds_nothing() -> None:
    """Label 4 is worth nothing in letor3's table, so that all lists are empty; gdeval leaves out empty lists."""
    found = explain(*evaluate([4, 4, 4], [3.0, 2.0, 1.0], ["letor3:nDCG@2", "gdeval:nDCG@2"], group=[2, 1]))
    assert found.difference == 1.0
    assert sum(part.effect for part in found.parts) == approx(1.0, abs=1e-15)
    for part in found.parts:
        assert part.per_list.sum() == approx(part.effect, abs=1e-15)


def test_a_gain_table_and_what_it_does_with_negative_labels_are_one() -> None:
    """gdeval's table has no gain for a negative label, which it takes for no judgment."""
    pair = evaluate([-1, 2, 1, 0], [4.0, 3.0, 2.0, 1.0], ["ranklib2_1:nDCG@3", "gdeval:nDCG@3"])
    for found in (explain(*pair), explain(pair[1], pair[0])):
        assert "gain+negative" in [part.axis for part in found.parts]
        assert sum(part.effect for part in found.parts) == approx(found.difference, abs=1e-12)


# Forms.


def test_its_forms_say_the_same() -> None:
    found = explain(*evaluate([0, 1, 0, 0], [2.0, 1.0, 1.0, 1.0], ["yahoo:nDCG@2", "ranklib2:nDCG@2"], group=[2, 2]))
    assert "1 of 2 lists is empty" in repr(found) and "<td" in found._repr_html_()
    head, *rows = [line.split(",") for line in found.to_csv().splitlines()]
    assert head == ["query", "choice", "effect"]
    assert [row[:2] for row in rows][:2] == [["2", "empty"], ["all", "empty"]] and float(rows[1][2]) == approx(-0.5)
    assert json.loads(json.dumps(found.as_dict()))["parts"][0]["choice"] == "empty"
    assert str(found.per_query()).splitlines() == ["query    empty      sum", "2      -0.5000  -0.5000"]
    assert found.carriers() == [("2", approx(-0.5))]


# Refusals.


def test_what_cannot_be_explained_is_refused() -> None:
    labels, scores = [0, 1, 1], [3.0, 2.0, 1.0]
    with pytest.raises(MeasureError, match="AP and P@3 are different measures, not one under two conventions"):
        explain(*evaluate(labels, scores, ["AP", "P@3"]))
    with pytest.raises(MeasureError, match=r"the mean of nDCG.* is undefined here"):
        explain(*evaluate([0, 0], [1.0, 2.0], ["nDCG@2", "nDCG(empty='nan')@2"]))
    one, other = evaluate({"a": {"x": 1}}, {"a": {"x": 1}}, "P@1"), evaluate({"b": {"x": 1}}, {"b": {"x": 1}}, "P@1")
    with pytest.raises(DataError, match="the two runs are not over the same lists"):
        explain(one[0], other[0])
