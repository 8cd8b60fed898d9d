"""RankSVM once more, slow and plain: every pair of a list is written down."""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def pairs(labels, offsets):
    """(better row, worse row, list) of each pair with different labels."""
    found = []
    for q, (begin, end) in enumerate(pairwise(offsets)):
        found += [(i, j, q) for i in range(begin, end) for j in range(begin, end) if labels[i] > labels[j]]
    return found


def lack(t: float, knee: float) -> tuple[float, float, float]:
    """φ(t), its derivative, and its second one."""
    if t <= 0:
        return 0.0, 0.0, 0.0
    if t <= knee:
        return t * t / 2, t, 1.0
    return knee * t - knee * knee / 2, knee, 0.0


def loss(table, labels, offsets, weights, costs, knee):
    """Σ cost φ(t), its gradient by the weights, and its matrix of second derivatives."""
    table = np.asarray(table, np.float64)
    value, gradient, curvature = 0.0, np.zeros(len(weights)), np.zeros((len(weights), len(weights)))
    for i, j, q in pairs(labels, offsets):
        x = table[i] - table[j]
        phi, first, second = lack(1 - float(weights @ table[i] - weights @ table[j]), knee)
        value += costs[q] * phi
        gradient -= costs[q] * first * x
        curvature += costs[q] * second * np.outer(x, x)
    return value, gradient, curvature


def objective(table, labels, offsets, weights, costs, squared: bool) -> float:
    """½‖w‖² + Σ cost × hinge, or × squared hinge."""
    table = np.asarray(table, np.float64)
    total = 0.5 * float(weights @ weights)
    for i, j, q in pairs(labels, offsets):
        t = max(0.0, 1 - float(weights @ table[i] - weights @ table[j]))
        total += costs[q] * (t * t if squared else t)
    return total


def smallest(table, labels, offsets, costs, squared: bool) -> float:
    """The least objective, as a general solver finds it: L-BFGS, for the hinge liblinear's dual."""
    from scipy.optimize import minimize

    table = np.asarray(table, np.float64)
    found = pairs(labels, offsets)
    x = np.array([table[i] - table[j] for i, j, _ in found])
    c = np.array([costs[q] for *_, q in found])
    d, n = x.shape[1], len(x)
    if squared:

        def function(w):
            t = np.maximum(0, 1 - x @ w)
            return 0.5 * w @ w + c @ t**2, w - 2 * x.T @ (c * t)

        return float(minimize(function, np.zeros(d), jac=True, method="L-BFGS-B", options={"ftol": 1e-15}).fun)
    import warnings

    from sklearn.svm import LinearSVC

    sign = np.where(np.arange(n) % 2, 1.0, -1.0)
    svc = LinearSVC(loss="hinge", fit_intercept=False, dual=True, tol=1e-9, max_iter=10**6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        w = svc.fit(x * sign[:, None], sign, sample_weight=c).coef_[0]
    return objective(table, labels, offsets, w, costs, squared)
