"""What `evaluate` refuses before it computes anything."""

from __future__ import annotations

import pytest

from rankwise import MeasureError, evaluate, nDCG


def test_a_convention_beside_measures_that_carry_their_own_is_refused() -> None:
    with pytest.raises(MeasureError, match="these carry their own\nHint: give the measure as text"):
        evaluate([1, 0], [2.0, 1.0], nDCG @ 5, convention="hotels")
    assert str(evaluate([1, 0], [2.0, 1.0], "nDCG@5", convention="hotels")[0].measure) == "hotels:nDCG@5"
