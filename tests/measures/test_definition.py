"""Every measure is its docstring's formula, under every choice of a convention, at every length of a list."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measures.making import (
    CUTS,
    NAN,
    List,
    every_measure,
    fits,
    lists_of,
    name_of,
    random_list,
    single_choices,
    small_lists,
    values_of,
)  # fmt: skip
from oracles import measures as oracle
from rankwise.measures import AXES, ERR, MEASURES, STANDARD, nDCG

CHOICES = single_choices()


def ranked(one: List, *, single: bool = False) -> list[float]:
    return [one.labels[row] for row in oracle.settled("input", one.scores, one.documents, single=single)]


def agree(measures, lists, **how) -> None:
    found = values_of(measures, lists, **how)
    for m, row in zip(measures, found, strict=True):
        single = m.convention.precision == "float32" or how.get("scores") == np.float32
        for one, value in zip(lists, row.tolist(), strict=True):
            wanted = oracle.value(m, ranked(one, single=single), one.outside)
            assert value == pytest.approx(wanted, abs=1e-12, rel=1e-12, nan_ok=True), f"{m} of {one}"


@pytest.mark.parametrize("choices", CHOICES, ids=name_of)
@settings(max_examples=25)
@given(lists=st.lists(small_lists(), min_size=1, max_size=4))
def test_a_measure_is_its_formula(choices: dict, lists: list[List]) -> None:
    convention = STANDARD.but(ties="input", **choices)
    agree(every_measure(convention), [fits(convention, one) for one in lists])


def test_every_choice_in_words_is_tried_somewhere() -> None:
    tried = {axis: {str(c[axis]) for c in CHOICES if axis in c} | {str(getattr(STANDARD, axis))} for axis in AXES}
    elsewhere = {"ties", "seed", "missing", "mean", "negative"}  # test_ties, test_result, below
    for axis, (_, words) in AXES.items():
        if axis not in elsewhere:
            assert set(words) - {"error"} <= tried[axis] | {"0.0"}, axis


LENGTHS = [30, 63, 64, 65, 128, 200, 447, 448, 449, 700, 1000, 2000]


@pytest.mark.parametrize("rows", LENGTHS)
@pytest.mark.parametrize("kinds", [0, 3, 40, 1000], ids="{} different scores".format)
def test_every_way_to_order_a_list_gives_the_same_top(rows: int, kinds: int) -> None:
    """Short and long lists, shallow and deep cut-offs, few and many ties take different paths through the ordering."""
    rng = np.random.default_rng([rows, kinds])
    lists = [random_list(rng, rows, kinds) for _ in range(2)]
    # A list that is in order already takes a path of its own.
    order = sorted(range(rows), key=lambda row: -lists[0].scores[row])
    lists.append(lists[0].reordered(order))
    for k in (1, 7, 16, 17, 40, rows // 8 - 1, rows // 8, rows - 1, rows, rows + 5):
        measures = [nDCG(k, ties="input"), ERR(k, ties="input")] if k > 0 else []
        # Each cut-off alone, because the deepest decides how far a list is put in order.
        for scores in (np.float64, np.float32):
            agree(measures[:1], lists, scores=scores)
            agree(measures[1:], lists, scores=scores)


@pytest.mark.parametrize("rows", [30, 300, 1500])
def test_every_measure_is_its_formula_on_long_lists(rows: int) -> None:
    rng = np.random.default_rng(rows)
    lists = [random_list(rng, rows, kinds) for kinds in (0, 5)]
    cheap = [
        m
        for m in every_measure(STANDARD.but(ties="input"), (7, 20))
        if rows < 100
        or not (m.keeps_ties or m.name in ("MeanNDCG", "IPrec", "AP", "Bpref", "nDCGrel", "IAP", "InfAP", "BinG"))
    ]
    agree(cheap, lists)


@pytest.mark.parametrize("labels", [np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("scores", [np.float32, np.float64])
@pytest.mark.parametrize("grades", [2, 5, 12, 13, 31])
def test_the_type_of_labels_and_scores_changes_nothing(labels: type, scores: type, grades: int) -> None:
    rng = np.random.default_rng(grades)
    lists = [random_list(rng, rows, 9, unjudged=0, grades=grades) for rows in (1, 12, 70, 500)]
    measures = every_measure(STANDARD.but(ties="input", gmax=31), (5,))
    wanted = values_of(measures, lists)
    np.testing.assert_array_equal(values_of(measures, lists, labels=labels, scores=scores), wanted)
    agree([m for m in measures if m.name in ("nDCG", "DCG", "ERR", "P")], lists, labels=labels, scores=scores)


@pytest.mark.parametrize("unjudged", [0, 0.2])
@pytest.mark.parametrize(
    "low, high, step", [(0, 300, 1), (-40, 40, 1), (0, 9, 0.01), (1000, 1100, 1), (0, 254, 1), (0, 255, 1)]
)
def test_labels_of_any_range_are_told_apart(low: float, high: float, step: float, unjudged: float) -> None:
    rng = np.random.default_rng(int(high))
    lists = []
    for rows in (3, 90, 600):
        one = random_list(rng, rows, 0, unjudged=unjudged)
        drawn = rng.choice(np.arange(low, high + step / 2, step), rows)
        one.labels = [label if known == known else NAN for label, known in zip(drawn.tolist(), one.labels, strict=True)]
        lists.append(one)
    convention = STANDARD.but(ties="input", gain="linear", negative="as is", rel=high * 0.7)
    agree([MEASURES[name](9, convention=convention) for name in ("DCG", "nDCG", "P", "R")], lists)


def test_negative_labels_gain_nothing_or_what_they_are() -> None:
    one = List([-2.0, 1.0, -1.0, 2.0], [4.0, 3.0, 2.0, 1.0])
    for negative in ("zero", "as is"):
        for gain in ("linear", "exp2"):
            convention = STANDARD.but(ties="input", negative=negative, gain=gain)
            agree(every_measure(convention), [one])


def test_a_measure_computed_with_others_has_the_value_it_has_alone() -> None:
    rng = np.random.default_rng(3)
    lists = [random_list(rng, rows, kinds) for rows in (0, 5, 50, 500) for kinds in (0, 4)]
    for convention in (STANDARD, STANDARD.but(ties="input")):
        measures = every_measure(convention)
        together = lists_of(lists).compute(measures)
        for m, (values, flags) in zip(measures, together, strict=True):
            ((alone, flags_alone),) = lists_of(lists).compute([m])
            np.testing.assert_array_equal(values, alone, err_msg=str(m))
            np.testing.assert_array_equal(flags, flags_alone, err_msg=str(m))


def test_the_cuts_reach_beyond_the_end() -> None:
    assert max(k for k in CUTS if k) == 10


@pytest.mark.parametrize("rows", [191, 192, 193, 255, 256, 257, 300, 320, 1000])
def test_documents_of_one_grade_are_counted_however_many(rows: int) -> None:
    one = List([1.0] * rows, [float(-row) for row in range(rows)])
    for name in ("NumRel", "NumRelRet"):
        assert values_of([MEASURES[name]()], [one]) == rows
    assert values_of([nDCG(), nDCG(ties="input", ideal="list")], [one]) == pytest.approx(1.0)
