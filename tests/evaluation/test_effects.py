"""One choice of a convention at a time."""

from __future__ import annotations

import pytest

from rankwise import convention, evaluate, measure
from rankwise.evaluation.effects import effects, single_changes

LABELS, SCORES, QID = [5, 0, 1, 0, 0], [0.2, 0.2, 0.1, 0.5, 0.4], [1, 1, 1, 2, 2]


def test_each_change_makes_one_choice_of_the_other_convention() -> None:
    start, other = measure("nDCG@5"), convention("letor4", "nDCG")
    for axis, changed in single_changes(start, other).items():
        assert getattr(changed.convention, axis) == getattr(other, axis)
        assert set(changed.convention.differences(start.convention)) <= {axis, "outside"}


def test_a_gain_table_brings_its_rule_for_labels_it_lacks() -> None:
    changed = single_changes(measure("nDCG@5"), convention("letor4", "nDCG"))["gain"]
    assert changed.convention.outside == "zero"


def test_axes_that_the_measure_does_not_look_at_are_left_out() -> None:
    assert "p_over" not in single_changes(measure("nDCG@5"), convention("ranklib2", "nDCG"))


def test_a_convention_does_not_differ_from_itself() -> None:
    m = measure("yahoo:nDCG@5")
    assert single_changes(m, m.convention) == {}


def test_only_choices_that_change_a_value_have_an_effect() -> None:
    start, other = measure("nDCG@5"), convention("yahoo", "nDCG")
    changes = single_changes(start, other)
    # The base of the logarithm cancels, no list is judged outside its documents, none is missing.
    assert {"discount", "ideal", "missing"} < set(changes)
    result = evaluate(LABELS, SCORES, [start, *changes.values()], qid=QID)
    found = effects([result], start, other)
    assert [effect.axis for effect in found] == ["empty", "ties"]
    assert [effect.lists for effect in found] == [1, 1]
    assert found[0].changes == pytest.approx((0.5,))


def test_the_greatest_effect_comes_first() -> None:
    start, other = measure("nDCG@5"), convention("letor4", "nDCG")
    result = evaluate(LABELS, SCORES, [start, *single_changes(start, other).values()], qid=QID)
    sizes = [effect.size for effect in effects([result], start, other)]
    assert sizes == sorted(sizes, reverse=True)
