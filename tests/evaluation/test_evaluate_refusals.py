"""What `evaluate` refuses before it computes anything."""

from __future__ import annotations

import pytest

from rankwise import MeasureError, evaluate, nDCG


def test_a_convention_beside_measures_that_carry_their_own_is_refused() -> None:
    with pytest.raises(MeasureError, match="these carry their own\nHint: give the measure as text"):
        evaluate([1, 0], [2.0, 1.0], nDCG @ 5, convention="hotels")
    assert str(evaluate([1, 0], [2.0, 1.0], "nDCG@5", convention="hotels")[0].measure) == "hotels:nDCG@5"


def test_a_default_convention_refuses_what_its_prefix_refuses() -> None:
    with pytest.raises(MeasureError, match="LETOR 4.0.* does not compute ERR"):
        evaluate([1, 0], [2.0, 1.0], "ERR@10", convention="letor4")
    assert str(evaluate([1, 0], [2.0, 1.0], ["MAP"], convention="letor4")[0].measure) == "letor4:AP"


def test_the_top_of_lists_needs_an_order_of_ties() -> None:
    with pytest.raises(MeasureError, match="first 2 documents are not known while AP leaves .* open\nHint: choose"):
        evaluate([1, 0, 1], [2.0, 1.0, 1.0], "AP", keep=2)
    assert evaluate([1, 0, 1], [2.0, 1.0, 0.5], "AP", keep=2)[0].mean == 0.5
