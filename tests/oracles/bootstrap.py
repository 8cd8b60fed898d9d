"""The bootstrap, slow and obvious: the generator in whole numbers, one draw after the other."""

from __future__ import annotations

from collections.abc import Sequence

STEP = 0x9E3779B97F4A7C15
MASK = 2**64 - 1


def mix(x: int) -> int:
    """The finisher of splitmix64, one step ahead."""
    z = x + STEP & MASK
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def draws(n: int, resample: int, seed: int) -> list[int]:
    """Which of n sorted lists one resample draws: each number drawn gives two places."""
    key = mix(mix(seed) + resample * STEP & MASK)
    places = []
    for i in range((n + 1) // 2):
        number = mix(key + i * STEP & MASK)
        places += [(number >> 32) * n >> 32, (number & 0xFFFFFFFF) * n >> 32]
    return places[:n]


def means(values: Sequence[float], weights: Sequence[float], resamples: int, seed: int) -> list[float]:
    """The weighted mean of each resample."""
    lists = sorted((w * v, w) for v, w in zip(values, weights, strict=True) if v == v)
    found = []
    for resample in range(resamples):
        drawn = [lists[place] for place in draws(len(lists), resample, seed)]
        weight = sum(w for _, w in drawn)
        found.append(sum(wv for wv, _ in drawn) / weight if weight else float("nan"))
    return found
