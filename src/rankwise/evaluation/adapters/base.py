"""What the adapters share: the measures that were asked for, and their means over the lists in arrays of others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.errors import MeasureError, message
from rankwise.evaluation.evaluate import chosen_measures, evaluate
from rankwise.measures.base import Measure

__all__ = ["Wanted", "means", "of_lists", "one_of", "some_of"]

Wanted = Measure | str | Iterable[Measure | str]


def some_of(wanted: Wanted) -> tuple[Measure, ...]:
    """The measures, given as texts or as what they are."""
    return tuple(measure for _, measure in chosen_measures(wanted, None))


def one_of(wanted: Measure | str, whose: str) -> Measure:
    """The measure, for a program that takes one."""
    found = some_of(wanted)
    if len(found) != 1:
        raise MeasureError(message(f"{whose} takes one measure, not {len(found)}", hint="make one adapter of each."))
    return found[0]


def means(measures: Iterable[Measure], data: Dataset, scores: Any) -> list[float]:
    """The mean of each measure over the lists."""
    return [outcome.mean for outcome in evaluate(data, scores, list(measures))]


def of_lists(weights: Any, sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.float64] | None:
    """Weights of lists: those of rows become the mean over each list's rows, as LightGBM has it."""
    if weights is None or len(weights) == 0:
        return None
    array = np.asarray(weights, dtype=np.float64)
    if len(array) != sizes.sum() or len(array) == len(sizes):
        return array
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.asarray(np.add.reduceat(array, starts) / sizes)
