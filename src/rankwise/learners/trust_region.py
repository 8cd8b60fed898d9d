r"""Trust-region Newton steps for a smooth convex function of a few hundred weights.

Each step minimises the quadratic model of the function within a radius, by conjugate gradients that ask for products of
the second derivative alone; the radius follows how well the model foretold the function (Lin, Weng & Keerthi 2008,
`lin2008`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Newton", "newton"]

Vector = npt.NDArray[np.float64]

# A step is taken if the function falls by this share of what the model foretold; the radius shrinks below the second
# share, and may grow above the third.
TAKEN, POOR, GOOD = 1e-4, 0.25, 0.75
# Conjugate gradients end when what is left of the gradient is this share of it.
LEFT = 0.1


@dataclass(frozen=True, slots=True)
class Newton:
    """Where the steps ended: the weights, what the function found there, and how much work it was."""

    weights: Vector
    found: Any
    steps: int
    products: int


def newton(
    function: Callable[[Vector], tuple[float, Vector, Callable[[Vector], Vector], Any]],
    start: Vector,
    finished: Callable[[Any], bool],
    most: int = 1000,
) -> Newton:
    """Minimises a function that returns its value, its gradient, products of its second derivative, and more.

    Ends when `finished` says so of that more, after `most` steps, or where rounding lets no step gain anything.
    """
    weights = start
    value, gradient, product, found = function(weights)
    radius, products, steps = float(np.linalg.norm(gradient)), 0, 0
    while steps < most and not finished(found):
        step, residual, asked = _within(radius, gradient, product)
        steps, products = steps + 1, products + asked
        foretold = -0.5 * float(gradient @ step - step @ residual)
        candidate = function(weights + step)
        fallen = value - candidate[0]
        radius = _radius(radius, steps, fallen, foretold, float(gradient @ step), float(np.linalg.norm(step)))
        if fallen > TAKEN * foretold:
            weights = weights + step
            value, gradient, product, found = candidate
        if max(abs(fallen), foretold) <= 1e-12 * abs(value):
            break
    return Newton(weights, found, steps, products)


def _radius(radius: float, steps: int, fallen: float, foretold: float, slope: float, length: float) -> float:
    """The next radius, from how long the step was and what a parabola through both ends makes of it."""
    if steps == 1:
        radius = min(radius, length)
    bent = -fallen - slope
    factor = 4.0 if bent <= 0 else max(0.25, -0.5 * slope / bent)
    if fallen < TAKEN * foretold:
        return min(max(factor, 0.25) * length, 0.5 * radius)
    if fallen < POOR * foretold:
        return max(0.25 * radius, min(factor * length, 0.5 * radius))
    if fallen < GOOD * foretold:
        return max(0.25 * radius, min(factor * length, 4 * radius))
    return max(radius, min(factor * length, 4 * radius))


def _within(radius: float, gradient: Vector, product: Callable[[Vector], Vector]) -> tuple[Vector, Vector, int]:
    """The step within the radius, what it leaves of −gradient, and how many products it asked for."""
    step = np.zeros_like(gradient)
    residual = -gradient
    direction = residual
    enough = LEFT * float(np.linalg.norm(gradient))
    square = float(residual @ residual)
    # In exact arithmetic as many products as there are weights are enough.
    for asked in range(1, len(gradient) + 1):
        bent = product(direction)
        length = square / float(direction @ bent)
        if np.linalg.norm(step + length * direction) > radius:
            length = _to_border(step, direction, radius)
            return step + length * direction, residual - length * bent, asked
        step = step + length * direction
        residual = residual - length * bent
        before, square = square, float(residual @ residual)
        if np.sqrt(square) <= enough:
            return step, residual, asked
        direction = residual + (square / before) * direction
    return step, residual, len(gradient)


def _to_border(step: Vector, direction: Vector, radius: float) -> float:
    """How far along the direction the radius is reached."""
    along, own, square = float(step @ direction), float(direction @ direction), float(step @ step)
    room = max(radius * radius - square, 0.0)
    root = np.sqrt(along * along + own * room)
    return float(room / (along + root) if along >= 0 else (root - along) / own)
