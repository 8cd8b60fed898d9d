"""Factorisation, slow and obvious: losses as the docstrings have them, ridge regressions, the best items by sorting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def bpr_loss(p: Any, q: Any, b: Any, i: int, j: int, shrinkage: float, bias_shrinkage: float) -> float:
    """Of one user, liked item and negative."""
    apart = (p @ q[i] + b[i]) - (p @ q[j] + b[j])
    sizes = p @ p + q[i] @ q[i] + q[j] @ q[j]
    return float(np.logaddexp(0, -apart) + shrinkage * sizes + bias_shrinkage * (b[i] ** 2 + b[j] ** 2))


def warp_loss(p: Any, q: Any, b: Any, i: int, j: int, cost: float, shrinkage: float, bias_shrinkage: float) -> float:
    """Of one user, liked item and the negative that was found, of a rank that costs so much."""
    margin = 1 - (p @ q[i] + b[i]) + (p @ q[j] + b[j])
    sizes = p @ p + q[i] @ q[i] + q[j] @ q[j]
    return float(cost * margin + shrinkage * sizes + bias_shrinkage * (b[i] ** 2 + b[j] ** 2))


def svd_objective(
    users: Any, user_biases: Any, items: Any, item_biases: Any, mean: float,
    seen: list[tuple[int, int, float, float]], penalties: tuple[float, float, float, float], each: bool,
) -> float:  # fmt: skip
    """The whole objective; `seen` are user, item, value and weight."""
    alpha, beta, gamma, theta = penalties
    found = sum(w * (users[u] @ items[i] + user_biases[u] + item_biases[i] + mean - x) ** 2 for u, i, x, w in seen)
    for u in range(len(users)):
        times = sum(v == u for v, *_ in seen) if each else 1
        found += times * (alpha * users[u] @ users[u] + gamma * user_biases[u] ** 2)
    for i in range(len(items)):
        times = sum(v == i for _, v, *_ in seen) if each else 1
        found += times * (beta * items[i] @ items[i] + theta * item_biases[i] ** 2)
    return float(found)


def gradient(loss: Callable[[Any], float], at: Any, step: float = 1e-6) -> Any:
    """Finite differences."""
    at = np.asarray(at, float)
    found = np.zeros_like(at)
    for place in np.ndindex(at.shape):
        up, down = at.copy(), at.copy()
        up[place] += step
        down[place] -= step
        found[place] = (loss(up) - loss(down)) / (2 * step)
    return found


def ridge(z: Any, target: Any, weights: Any, penalties: Any) -> Any:
    """argmin Σ w (z·x − t)² + Σ penalty x²."""
    z, target, weights = (np.asarray(part, float) for part in (z, target, weights))
    return np.linalg.solve(z.T @ (weights[:, None] * z) + np.diag(penalties), z.T @ (weights * target))


def best(scores: Any, seen: Any, k: int) -> list[int]:
    """The k best items, of equal scores the first."""
    left = [item for item in range(len(scores)) if item not in set(seen)]
    return sorted(left, key=lambda item: (-scores[item], item))[:k]
