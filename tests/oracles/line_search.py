"""Line search once more, slow and plain: every crossing of two documents is written down, and the measure is evaluated
in the middle of each interval between them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from rankwise import evaluate

OPEN_END, NARROW = 2.0, 1e-9


def crossings(scores, slopes, offsets) -> list[float]:
    """Where two documents of a list cross, 0 among them."""
    found = {0.0}
    for begin, end in pairwise(offsets):
        for i in range(begin, end):
            for j in range(begin, i):
                if slopes[i] != slopes[j]:
                    found.add((scores[i] - scores[j]) / (slopes[j] - slopes[i]))
    return sorted(delta for delta in found if np.isfinite(delta))


def intervals(data, measure, weights, direction):
    """(from, to, value) of the intervals between crossings, neighbours of one value joined but at 0.

    The outermost ones, which have no end, end at a multiple of the last crossing; where the value stands still from 0
    on, at least at a multiple of the largest weight.
    """
    table = data.features.astype(np.float64)
    scores, slopes = table @ weights, table @ direction
    at = crossings(scores, slopes, data.offsets)
    free = OPEN_END * (np.abs(weights).max() or 1.0)
    ends = [at[0] * OPEN_END if at[0] < 0 else -free, *at, at[-1] * OPEN_END if at[-1] > 0 else free]
    found: list[list[float]] = []
    for begin, end in pairwise(ends):
        if end - begin <= NARROW * max(abs(begin), abs(end)):
            continue
        value = evaluate(data, scores + (begin + end) / 2 * slopes, [measure]).values[0]
        value = float(np.nanmean(value))
        if found and begin != 0.0 and abs(found[-1][2] - value) < 1e-12:
            found[-1][1] = end
        else:
            found.append([begin, end, value])
    if found[-1][0] == 0.0:
        found[-1][1] = max(found[-1][1], free)
    if found[0][1] == 0.0:
        found[0][0] = min(found[0][0], -free)
    return found


def best(data, measure, weights, direction, sign=1.0):
    """The greatest value, and all intervals that have it."""
    found = intervals(data, measure, weights, direction)
    most = max(sign * value for *_, value in found)
    return sign * most, [(begin, end) for begin, end, value in found if abs(sign * value - most) < 1e-12]
