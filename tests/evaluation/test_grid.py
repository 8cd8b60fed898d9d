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


def test_an_order_by_ids_that_are_not_known_is_a_point_where_no_tie_is_in_reach() -> None:
    result = evaluate([1, 0, 2, 0], [3.0, 2.0, 1.0, 1.0], "P@1")
    grid = Grid([P @ 2], [result.evaluated])
    means = grid.means(result.evaluated, P @ 2)
    ties, cut = (list(grid.kept).index(axis) for axis in ("ties", "cut"))
    by_id = means.take(grid.kept["ties"].index("docid"), axis=ties).take(0, axis=cut - 1)
    assert not np.isnan(by_id).any()
    assert np.isnan(means.take(grid.kept["ties"].index("docid"), axis=ties).take(1, axis=cut - 1)).all()


def test_lists_count_with_their_weights_at_every_point() -> None:
    labels, scores, sizes = [0, 2, 0, 0, 1, 2], [6, 5, 4, 3, 2, 1], [2, 1, 3]
    result = evaluate(labels, scores, "P@1", group=sizes, weights=[1.0, 5.0, 2.0])
    grid = Grid([nDCG @ 3], [result.evaluated])
    means = grid.means(result.evaluated, nDCG @ 3).ravel()
    for place in range(0, len(means), 7):
        there = nDCG(3, convention=grid.convention((nDCG @ 3).convention, place))
        ((values, flags),) = result.evaluated.compute([there])
        assert means[place] == pytest.approx(Outcome("", there, values, flags, result.evaluated).mean, abs=1e-12)


def test_labels_outside_a_gain_table_gain_nothing() -> None:
    result = evaluate([3, 1, 4, 2], [4, 3, 2, 1], "P@1")
    grid = Grid([nDCG @ 4], [result.evaluated])
    means = grid.means(result.evaluated, nDCG @ 4)
    theirs = evaluate([3, 1, 4, 2], [4, 3, 2, 1], "letor4:nDCG@4")[0].mean
    of_letor = means.take(2, axis=list(grid.kept).index("gain"))
    assert np.isclose(of_letor, theirs, atol=1e-12).any() and not np.isnan(of_letor).any()


def test_what_makes_an_axis_speak() -> None:
    qrels, run = {"a": {"x": 1, "y": 0}}, {"a": {"x": 3.0, "y": 2.0}}
    assert evaluate(qrels, run, "P@1").evaluated.silent_axes() >= {"unjudged", "ideal", "missing", "ties"}
    more = {"a": {**run["a"], "z": 1.0}}
    assert "unjudged" not in evaluate(qrels, more, "P@1").evaluated.silent_axes()
    # Of the first document alone, the others are judged but not retrieved.
    assert "ideal" not in evaluate(qrels, run, "P(ties='input')@1", keep=1).evaluated.silent_axes()
    fewer = evaluate({"b": {"x": 1, "y": 1}}, {"b": {"x": 1.0}}, "P@1")
    merged = Result.merge([evaluate(qrels, run, "P@1"), fewer])
    assert "ideal" not in merged.evaluated.silent_axes() and "unjudged" in merged.evaluated.silent_axes()
    assert "ideal" not in merged.take(np.array([1])).evaluated.silent_axes()
