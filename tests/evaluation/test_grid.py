"""A grid of conventions: the mean at each point, and which axes cannot matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise import AP, Outcome, P, RankwiseError, evaluate, nDCG
from rankwise.evaluation.grid import CHOICES, Grid
from rankwise.evaluation.result import Result
from rankwise.measures import NumRet
from rankwise.measures.base import Measure


def judged_run(seed: int) -> Result:
    """Lists with all that the axes are about: ties, holes in the judgments, documents and lists that the run lacks."""
    rng = np.random.default_rng(seed)
    labels = [-1.0, 0.0, 0.0, 1.0, 1.6, 2.0]
    qrels = {f"q{q}": {f"d{d}": float(rng.choice(labels)) for d in range(rng.integers(1, 6))} for q in range(5)}
    run = {f"q{q}": {f"d{d}": float(rng.integers(0, 3)) + 1e-9 * d for d in rng.permutation(7)[:4]} for q in range(4)}
    return evaluate(qrels, run, NumRet(negative="as is"))


# Definition.


@pytest.mark.parametrize("one", [nDCG @ 3, AP @ 3, P @ 3, nDCG()], ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_mean_at_a_point_is_what_evaluate_finds_there(one: Measure, seed: int) -> None:
    result = judged_run(seed)
    grid = Grid([one], [result.evaluated])
    means = grid.means(result.evaluated, one)
    assert means.shape == grid.shape
    rng = np.random.default_rng(seed)
    for place in rng.integers(0, means.size, 300).tolist():
        there = type(one)(one.k, convention=grid.convention(one.convention, place))
        try:
            ((values, flags),) = result.evaluated.compute([there])
        except RankwiseError:
            assert np.isnan(means.flat[place]), there
            continue
        mean = Outcome("", there, values, flags, result.evaluated).mean
        assert means.flat[place] == pytest.approx(mean, abs=1e-12, nan_ok=True), there


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.0]), st.integers(0, 9)), min_size=3, max_size=12),
    st.sampled_from([1.0, 1e-9]),
)
@settings(max_examples=15)
def test_an_axis_that_is_called_silent_changes_no_value(rows: list[tuple[float, int]], unit: float) -> None:
    labels, scores = np.array(rows).T
    result = evaluate(labels, 1.0 + unit * scores, "P@1", group=[2, len(rows) - 2])
    for axis in result.evaluated.silent_axes() & set(CHOICES):
        for one in (nDCG @ 2, AP()):
            measures = [one.but(ties="input").but(**{axis: choice}) for choice in CHOICES[axis] if choice != "kept"]
            columns = result.evaluated.compute(measures)
            assert all((values == columns[0][0]).all() for values, _ in columns), (axis, one)


def test_which_axes_are_silent() -> None:
    assert evaluate([1, 0, 2], [3, 2, 1], "P@1").evaluated.silent_axes() >= {
        "ties",
        "precision",
        "labels",
        "negative",
        "unjudged",
        "ideal",
        "missing",
    }
    assert not judged_run(1).evaluated.silent_axes()
    # Scores that are equal in single precision alone.
    near = evaluate([1, 0], [1.0, 1.0 + 1e-12], "P@1").evaluated.silent_axes()
    assert "precision" not in near and "ties" not in near
