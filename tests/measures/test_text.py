"""A measure is a value: its text parses back, it pickles, it does not change."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise import measure
from rankwise.measures import AP, AXES, ERR, MEASURES, STANDARD, Convention, IPrec, Measure, P, nDCG
from rankwise.measures.convention import QUIRKS
from rankwise.measures.parse import SYNONYMS, measures
from rankwise.measures.tools import ALIASES, FILES, PRESETS, convention, names, tool

numbers = st.floats(allow_nan=False, allow_infinity=False, width=64) | st.integers(-5, 40)
tables = st.dictionaries(numbers, numbers, min_size=1, max_size=4)
OPEN = {
    "gain": tables,
    "labels": tables,
    "discount": st.lists(numbers, min_size=1, max_size=4).map(tuple),
    "rel": numbers | st.sets(numbers, min_size=1, max_size=3),
    "empty": numbers,
    "gmax": st.floats(0, 1023),
    "seed": st.integers(0, 2**64 - 1),
    "quirks": st.sets(st.sampled_from(list(QUIRKS))),
}


@st.composite
def any_measure(draw) -> Measure:
    """Any measure, under any convention that computes it, with any choices changed."""
    kind = MEASURES[draw(st.sampled_from(sorted(MEASURES)))]
    bases = [*PRESETS, *(name for name in names() if name not in PRESETS and kind.name in tool(name).measures)]
    choices = {}
    for axis in draw(st.sets(st.sampled_from(sorted(AXES)), max_size=4)):
        words = st.sampled_from(sorted(AXES[axis][1])) if AXES[axis][1] else st.nothing()
        choices[axis] = draw(words | OPEN.get(axis, st.nothing()))
    k = draw(st.none() | st.integers(1, 10**6)) if kind.takes_k else None
    more = {
        "IPrec": st.fixed_dictionaries({"recall": st.floats(0, 1)}),
        "RBP": st.fixed_dictionaries({"p": st.floats(0, 1, exclude_max=True), "graded": st.booleans()}),
        "GradedAP": st.fixed_dictionaries({"g": st.sampled_from([None, {1: 0.25, 2.5: 0.75}, {1: 1}])}),
    }.get(kind.name, st.just({}))
    return kind(k, convention=draw(st.sampled_from(bases)), **draw(more), **choices)


@settings(max_examples=300)
@given(m=any_measure())
def test_the_text_of_a_measure_parses_back_to_it(m: Measure) -> None:
    again = measure(str(m))
    assert again == m
    assert hash(again) == hash(m)
    assert str(again) == str(m)
    assert again.convention.name == m.convention.name


@settings(max_examples=50)
@given(m=any_measure())
def test_a_measure_pickles(m: Measure) -> None:
    again = pickle.loads(pickle.dumps(m))
    assert (again, hash(again), str(again)) == (m, hash(m), str(m))


def test_aliases_are_understood_and_never_printed() -> None:
    printed = {str(measure(f"{alias}:nDCG@10")).partition(":")[0] for alias in ALIASES}
    assert printed == set(ALIASES.values())
    for word in SYNONYMS:
        found = measure(word.replace("{k}", "7"))
        assert found == MEASURES[found.name](7 if "{k}" in word else None)


@pytest.mark.parametrize("which", [name for versions in FILES.values() for name in versions])
def test_every_name_of_a_tool_is_understood(which: str) -> None:
    for pattern, spelled in tool(which).names.items():
        found = measure(f"{which}:{pattern.replace('{k}', '3')}")
        assert found.name == (spelled if isinstance(spelled, str) else spelled[0])
        assert found.k == 3 if "{k}" in pattern else True
        assert str(found).startswith(f"{which}:{found.name}")


@pytest.mark.parametrize(
    "text, same",
    [
        ("ndcg_cut_10", "nDCG@10"), ("ndcg_cut.10", None), ("ndcg@10", "nDCG@10"), ("NDCG@10", "nDCG@10"),
        ("ndcg_at_10", "nDCG@10"), ("map", "AP"), ("map_cut_5", "AP@5"), ("map_at_5", "AP@5"), ("recip_rank", "RR"),
        ("mrr", "RR"), ("mrr_at_10", "RR@10"), ("P_5", "P@5"), ("precision_at_5", "P@5"), ("recall_100", "R@100"),
        ("recall_at_100", "R@100"), ("nDCG(gain='linear')@10", "nDCG( gain = \"linear\" )@10"),
        ("P(rel=2)@5", "P(rel=2.0)@5"), (" nDCG@10 ", "nDCG@10"), ("num_rel_ret", "NumRelRet"), ("R-prec", "Rprec"),
        ("hit_rate@10", "Success@10"), ("HR@10", "Success@10"), ("hit_rate_at_10", "Success@10"), ("hits", "NumRelRet"),
        ("hit_rate", "Success"), ("success_1", "Success@1"), ("f1@5", "F@5"), ("judged@10", "Judged@10"),
        ("RBP@10", "RBP(p=0.8)@10"), ("nDCG(rel=1)@10", "nDCG@10"), ("standard:nDCG@10", "nDCG@10"),
    ],
)  # fmt: skip
def test_spellings_of_one_measure(text: str, same: str | None) -> None:
    if same is not None:
        assert measure(text) == measure(same)


def test_trec_evals_names_with_dots() -> None:
    assert measure("trec_eval:ndcg_cut.10") == measure("trec_eval:ndcg_cut_10") == measure("trec_eval:nDCG@10")


def test_a_tools_word_that_is_also_a_name_here_keeps_its_meaning() -> None:
    assert measure("ranklib2:P") == P(10, convention="ranklib2")
    assert str(P(convention="ranklib2")) == "ranklib2:P()"
    assert measure("ranklib2:P()").k is None


def test_a_range_names_several_measures() -> None:
    assert measures("letor4:NDCG@1..3") == [measure(f"letor4:NDCG@{k}") for k in (1, 2, 3)]
    assert measures("P(rel=2)@2..3") == [P(2, rel=2), P(3, rel=2)]
    assert measures("P@4..4") == [P(4)]


def test_measures_are_made_in_several_ways() -> None:
    assert nDCG @ 10 == nDCG(10) == nDCG(k=10) == (nDCG @ 5) @ 10 == nDCG().but(k=10) == measure("nDCG@10")
    assert nDCG(convention="letor4") == nDCG(convention=convention("letor4", "nDCG"))
    assert P(np.int64(5)) == P(5)
    assert P(5).but(rel=2) == P(5, rel=2)


def test_equal_choices_are_equal_whatever_they_are_called() -> None:
    mine = Convention(name="mine", gain={2: 3, 0: 0, 1: 1})
    assert mine == STANDARD.but(gain={0: 0, 1: 1.0, 2: 3})
    assert nDCG(10, convention=mine) == nDCG(10, gain={0: 0, 1: 1, 2: 3})
    assert hash(nDCG(10, convention=mine)) == hash(nDCG(10, gain={0: 0, 1: 1, 2: 3}))
    assert nDCG(10) != nDCG(5) and nDCG(10) != ERR(10) and nDCG(10) != nDCG(10, gain="linear")


def test_the_text_of_a_convention_of_ones_own_parses_back_as_its_choices() -> None:
    m = nDCG(10, convention=Convention(name="mine", gain="linear", ties="input"))
    assert str(m) == "nDCG(gain='linear', ties='input')@10"
    assert measure(str(m)) == m


def test_the_text_of_a_measure_that_its_tool_lacks_parses_back_as_its_choices() -> None:
    m = ERR(10, convention=tool("mslr").convention)
    assert measure(str(m)) == m


@pytest.mark.parametrize("name", ["k", "convention", "recall", "new"])
def test_a_measure_does_not_change(name: str) -> None:
    m = IPrec(recall=0.5, ties="input")
    with pytest.raises(AttributeError, match="a measure does not change; make another one"):
        setattr(m, name, 3)
    with pytest.raises(AttributeError, match="a measure does not change"):
        delattr(m, name)


def test_a_convention_does_not_change() -> None:
    with pytest.raises(AttributeError, match="gain"):
        STANDARD.gain = "linear"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="a convention does not change"):
        del STANDARD.gain
    assert AP().convention is STANDARD


def test_the_caller_keeps_no_hold_of_a_table() -> None:
    gain = {0: 0, 1: 1}
    m = nDCG(gain=gain)
    gain[1] = 100
    assert m == nDCG(gain={0: 0, 1: 1})


def test_an_order_of_choices_is_no_difference() -> None:
    assert str(nDCG(ties="best", gain="linear")) == str(nDCG(gain="linear", ties="best"))


def test_a_parameter_of_the_formula_can_be_changed_as_a_choice_can() -> None:
    assert IPrec(recall=0.1).but(recall=0.5) == IPrec(recall=0.5)
    assert measure("F(weight=4)@5").but(weight=1) == measure("F@5")


@pytest.mark.parametrize("axis", sorted(AXES))
def test_every_choice_has_words(axis: str) -> None:
    tables = {"gain": {1: 2}, "labels": {1: 2}, "discount": (1,), "rel": (1,), "quirks": ()}
    assert STANDARD.words(axis)
    assert STANDARD.but(**{axis: tables.get(axis, getattr(STANDARD, axis))}).words(axis)


@pytest.mark.parametrize(
    "axis, zero", [("rel", -0.0), ("rel", {-0.0}), ("empty", -0.0), ("gmax", -0.0), ("discount", (1, -0.0))]
)
def test_zero_has_no_sign_in_a_choice(axis: str, zero: object) -> None:
    m = nDCG(**{axis: zero})
    assert str(measure(str(m))) == str(m) and "-0" not in str(m)


def test_a_label_that_stands_twice_in_a_table_has_its_last_gain() -> None:
    assert nDCG(gain=((1, 1), (1, 2))) == nDCG(gain={1: 2})
