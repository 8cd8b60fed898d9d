"""Transforms and list-relative features, one value at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

MISSING = math.nan


def within(values: Sequence[float], what: str) -> list[float]:
    """The values of a feature in one list."""
    known = [x for x in values if not math.isnan(x)]
    return [MISSING if math.isnan(x) else _within(x, known, what) for x in values]


def _within(x: float, known: list[float], what: str) -> float:
    n = len(known)
    mean = Fraction(sum(map(Fraction, known))) / n
    if what == "minus-mean":
        return float(x - float(mean))
    if what == "share":
        return x / max(known) if max(known) > 0 else 0.0
    if what == "rank":
        return float(_rank(x, known))
    return of_statistics(x, known, what)


def _rank(x: float, known: list[float]) -> Fraction:
    """The mean of the ranks that equal values share, from 0 for the smallest to 1 for the largest of all."""
    if len(known) == 1:
        return Fraction(1, 2)
    ranks = [rank for rank, value in enumerate(sorted(known)) if value == x]
    return Fraction(sum(ranks), len(ranks) * (len(known) - 1))


def of_statistics(x: float, training: Sequence[float], what: str) -> float:
    """A value by the statistics of values of its feature, be they those of the list or of the training set."""
    known = [y for y in training if not math.isnan(y)]
    if math.isnan(x):
        return MISSING
    if what == "log1p":
        return math.copysign(math.log1p(abs(x)), x)
    if what == "rank":
        smaller, same = sum(y < x for y in known), sum(y == x for y in known)
        return (smaller + same / 2) / len(known) if known else 0.0
    if not known or min(known) == max(known):
        return 0.0
    if what == "min-max":
        return (x - min(known)) / (max(known) - min(known))
    mean = Fraction(sum(map(Fraction, known))) / len(known)
    variance = sum((Fraction(y) - mean) ** 2 for y in known) / len(known)
    return (x - float(mean)) / math.sqrt(variance)
