"""Candidates of a search: all points of a grid, or some drawn at random from it and from ranges."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError, message

__all__ = ["Range", "candidates"]

Parameters = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Range:
    """All numbers from `low` to `high`; whole ones if both ends are.

    Drawn evenly by their logarithms if both ends are above 0, else evenly.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise RankwiseError(message(f"a range goes from a number to a greater one, not {self}"))

    @property
    def is_whole(self) -> bool:
        return isinstance(self.low, int) and isinstance(self.high, int)

    def draw(self, rng: np.random.Generator) -> float | int:
        low, high = float(self.low), float(self.high)
        if self.is_whole:
            # Each whole number gets its own piece, half a number to each side.
            low, high = low - 0.5, high + 0.5
        drawn = math.exp(rng.uniform(math.log(low), math.log(high))) if self.low > 0 else rng.uniform(low, high)
        if self.is_whole:
            return min(max(round(drawn), int(self.low)), int(self.high))
        return float(min(max(drawn, low), high))

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"


def candidates(grid: Mapping[str, Sequence[Any] | Range], random: int | None = None, seed: int = 0) -> list[Parameters]:
    """The parameters of each candidate: the whole grid in order, or `random` different ones.

    >>> candidates({"leaves": [5, 10], "sigma": [1.0, 2.0]})[:2]
    [{'leaves': 5, 'sigma': 1.0}, {'leaves': 5, 'sigma': 2.0}]
    >>> [one["leaves"] for one in candidates({"leaves": Range(4, 64)}, random=3)]
    [22, 8, 4]
    """
    if not grid:
        raise RankwiseError(message("there is no parameter to search", hint="tune(…, {'leaves': [5, 10, 31]})."))
    for name, values in grid.items():
        _check(name, values)
    if random is None:
        named = {name: _all(name, values) for name, values in grid.items()}
        return [dict(zip(named, point, strict=True)) for point in product(*named.values())]
    if isinstance(random, bool) or not isinstance(random, (int, np.integer)) or random < 1:
        raise RankwiseError(message(f"the number of random candidates must be a whole number from 1, not {random!r}"))
    return _drawn(grid, int(random), np.random.default_rng(seed))


def _check(name: str, values: Any) -> None:
    if isinstance(values, Range):
        return
    if isinstance(values, str) or not isinstance(values, Iterable) or not list(values):
        raise RankwiseError(message(f"'{name}' needs a list of values, not {values!r}"))


def _all(name: str, values: Sequence[Any] | Range) -> list[Any]:
    if not isinstance(values, Range):
        return list(values)
    if not values.is_whole:
        hint = "name the values, or say how many candidates are to be drawn at random."
        raise RankwiseError(message(f"not all numbers of {name}={values} can be tried", hint=hint))
    return list(range(int(values.low), int(values.high) + 1))


def _drawn(grid: Mapping[str, Any], count: int, rng: np.random.Generator) -> list[Parameters]:
    """Different points; fewer than `count` where there are no more."""
    found: dict[str, Parameters] = {}
    misses = 0
    while len(found) < count and misses < 1000:
        point = {
            name: values.draw(rng) if isinstance(values, Range) else list(values)[int(rng.integers(len(values)))]
            for name, values in grid.items()
        }
        misses = misses + 1 if repr(point) in found else 0
        found.setdefault(repr(point), point)
    return list(found.values())
