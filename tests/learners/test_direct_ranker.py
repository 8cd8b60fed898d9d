"""DirectRanker's theorem: an order that meets its assumptions is learnt, and a relation that does not is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

pytest.importorskip("jax")

from rankwise import Dataset
from rankwise.learners.direct_ranker import DirectRanker
from rankwise.learners.pairwise_classifier import PairwiseClassifier

RANDOM = np.random.default_rng(0)


def worth(points: Any) -> Any:
    """Nested bananas in the square [−1, 1]²: documents are ordered by it, and alike where it is the same."""
    x, y = np.asarray(points, np.float64).T
    return x**2 + 2 * (y - x**2 / 2) ** 2


# |∂/∂x| ≤ 2 + 4 · 1.5 and |∂/∂y| ≤ 4 · 1.5 in the square.
STEEPEST = np.hypot(8, 6)


def points(count: int, rng: Any = RANDOM) -> Any:
    return rng.uniform(-1, 1, (count, 2)).astype(np.float32)


def right(scores: Any, wanted: Any) -> float:
    """The share of pairs in the order that is wanted."""
    i, j = np.triu_indices(len(scores), 1)
    return float((np.sign(scores[i] - scores[j]) == np.sign(wanted[i] - wanted[j])).mean())


# The assumptions, of the order that is to be learnt.


def test_the_order_is_total_reflexive_and_transitive() -> None:
    values = worth(points(60))
    at_least = values[:, None] >= values[None, :]
    assert at_least.diagonal().all() and (at_least | at_least.T).all()
    by_way_of = (at_least.astype(int) @ at_least.astype(int)) > 0
    assert (by_way_of <= at_least).all()


def test_what_is_strictly_above_and_below_a_point_is_open() -> None:
    """Around each point that is above (below) another one there is a ball of points that are so too."""
    some, others = points(400), points(400)
    apart = worth(some) - worth(others)
    angles = RANDOM.uniform(0, 2 * np.pi, 400)
    radius = 0.999 * np.abs(apart) / STEEPEST
    moved = np.clip(some + radius[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1), -1, 1)
    assert (np.sign(worth(moved) - worth(others)) == np.sign(apart)).all()


def test_the_domain_is_convex() -> None:
    share = RANDOM.uniform(size=(400, 1))
    between = share * points(400) + (1 - share) * points(400)
    assert (np.abs(between) <= 1).all()


def test_there_is_a_metric_between_level_sets() -> None:
    """|g(x) − g(y)| does not hang on which point stands for its level, is 0 for one level only, and takes no detour."""
    # Points of one level: solved for y.
    x = np.linspace(-0.4, 0.4, 9)
    level = np.stack([x, x**2 / 2 + np.sqrt((0.5 - x**2) / 2)], axis=1)
    np.testing.assert_allclose(worth(level), 0.5)
    a, b, c = (worth(points(100)) for _ in range(3))
    np.testing.assert_allclose(abs(worth(level)[:, None] - a), np.broadcast_to(abs(0.5 - a), (9, 100)))
    assert (abs(a - c) <= abs(a - b) + abs(b - c) + 1e-15).all() and (abs(a - b) > 0).all()


def test_levels_are_nested_and_not_linear() -> None:
    """Along a ray from the best point the worth rises; no direction of the square orders its points."""
    for angle in np.linspace(0, 2 * np.pi, 24):
        ray = np.linspace(0, 1, 50)[:, None] * [np.cos(angle), np.sin(angle)]
        inside = worth(ray[:, [0, 1]] + np.stack([np.zeros(50), ray[:, 0] ** 2 / 2], axis=1))
        assert (np.diff(inside) > 0).all()
    some = points(500)
    for angle in np.linspace(0, np.pi, 24):
        assert abs(right(some @ [np.cos(angle), np.sin(angle)], worth(some)) - 0.5) < 0.25


# What is learnt of it.


@pytest.mark.slow
def test_a_nested_order_is_learnt_to_999_of_1000_pairs_of_new_points() -> None:
    rng = np.random.default_rng(0)
    seen = points(64 * 128, rng)
    data = Dataset.of(seen, worth(seen), group=[128] * 64)
    new = points(2000, rng)
    one = DirectRanker(
        hidden=(32, 32),
        scaling="none",
        epochs=3000,
        batch=8,
        learning_rate=0.02,
        schedule="cosine",
        weight_decay=0.0,
        measure="nDCG(gain='linear')",
    )
    assert right(one.fit(data).predict(new), worth(new)) >= 0.999


# A relation that has no order.


def circling(count: int, rng: Any) -> Dataset:
    """Lists of two points of a ring: the one less than half a turn further on is ahead, so that all go in circles."""
    angles = rng.uniform(0, 2 * np.pi, (count, 2))
    ahead = np.sin(angles[:, 0] - angles[:, 1]) > 0
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=2).reshape(-1, 2)
    return Dataset.of(ring, np.stack([ahead, ~ahead], axis=1).ravel().astype(int), group=[2] * count)


def test_a_relation_in_circles_is_not_learnt_and_a_classifier_of_pairs_takes_the_circles_over() -> None:
    train, test = circling(800, np.random.default_rng(1)), circling(200, np.random.default_rng(2))

    def share(scores: Any) -> float:
        both = scores.reshape(-1, 2)
        return float(((both[:, 0] > both[:, 1]) == (test.labels.reshape(-1, 2)[:, 0] > 0)).mean())

    direct = DirectRanker(hidden=(16,), scaling="none", epochs=15, learning_rate=0.02, weight_decay=0.0).fit(train)
    free = PairwiseClassifier(estimator=KNeighborsClassifier(5), pairs="both", scaling="none", ranking="sort").fit(
        train
    )
    assert share(direct.predict(test)) < 0.7
    assert share(free.predict(test)) > 0.9
    ring = Dataset.of(test.features[:40], np.arange(40), group=[40])
    found = free.consistency(ring)
    assert found.triples > 1000 and found.lists_that_hang_on_the_sort == 1
