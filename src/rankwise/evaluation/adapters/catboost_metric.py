"""CatBoost: a measure as a metric object, for `eval_metric`."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.errors import DataError, MeasureError, message
from rankwise.evaluation.adapters.base import means, one_of
from rankwise.measures.base import Measure

__all__ = ["CatBoostMetric", "catboost"]

_HINT = "give each set with its groups: catboost(measure, train_pool, validation_pool), or pairs (labels, group_id)."


class CatBoostMetric:
    """A measure as CatBoost asks for it.

    CatBoost hands out scores and labels without their groups, so that these must be known beforehand; which of the
    sets it means is told by the labels.
    """

    def __init__(self, measure: Measure | str, *sets: Any) -> None:
        self.measure = one_of(measure, "CatBoost")
        if not sets:
            raise DataError(message("CatBoost does not tell its metrics which rows belong to one list", hint=_HINT))
        self.sets = [_set(one) for one in sets]
        self._refuse_twins()

    def is_max_optimal(self) -> bool:
        """Whether higher is better."""
        return self.measure.higher_is_better

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """The mean over the lists, and a weight of 1."""
        labels = np.asarray(target, dtype=np.float32)
        for known, lists in self.sets:
            if np.array_equal(known, labels):
                data = Dataset.of(labels=known, qid=lists)
                return means([self.measure], data, np.asarray(approxes[0]))[0], 1.0
        what = f"CatBoost evaluates {len(labels):,} rows whose labels are not those of a set that was given"
        raise DataError(message(what, hint=_HINT))

    def get_final_error(self, error: float, weight: float) -> float:
        """The mean, as `evaluate` found it."""
        return error / weight

    def _refuse_twins(self) -> None:
        for (labels, lists), (others, other_lists) in combinations(self.sets, 2):
            if np.array_equal(labels, others) and not np.array_equal(lists, other_lists):
                what = "two sets have the same labels in different lists, so that CatBoost's cannot be told apart"
                raise MeasureError(message(what, hint="make a metric for each, and fit with one at a time."))


def _set(given: Any) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """The labels of a pool, or of a pair of labels and group ids, and the number of each row's list.

    They are arrays, because CatBoost copies its parameters deeply.
    """
    if hasattr(given, "get_group_id_hash"):
        labels, groups = given.get_label(), given.get_group_id_hash()
        if groups is None:
            raise DataError(message("the Pool has no groups", hint="catboost.Pool(X, y, group_id=qid)."))
    elif isinstance(given, (tuple, list)) and len(given) == 2:
        labels, groups = given
    else:
        raise DataError(message(f"a catboost.Pool or labels and group ids are wanted, not {given!r:.80}", hint=_HINT))
    data = Dataset.of(labels=np.asarray(labels, dtype=np.float64), qid=np.asarray(groups))
    numbers = np.repeat(np.arange(len(data)), np.diff(data.offsets))
    # CatBoost hands labels out in single precision.
    return data.in_callers_order(data.labels).astype(np.float32), data.in_callers_order(numbers)


def catboost(measure: Measure | str, *sets: Any) -> CatBoostMetric:
    """A measure for `CatBoost(eval_metric=…)`; `sets` are all that it will be computed on.

    CatBoost computes it on the training set and on each `eval_set`: give all of them, as `catboost.Pool`s with
    `group_id` or as pairs of labels and group ids. Weights are not looked at.

    >>> metric = catboost("nDCG@10", ([0, 1, 1], ["a", "a", "b"]))
    >>> metric.evaluate([[0.1, 0.9, 0.5]], [0, 1, 1], None), metric.is_max_optimal()
    ((1.0, 1.0), True)
    """
    return CatBoostMetric(measure, *sets)
