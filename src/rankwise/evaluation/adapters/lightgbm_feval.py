"""LightGBM: a measure as `feval` of `lightgbm.train`, or as `eval_metric` of its scikit-learn estimators."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import DataError, message
from rankwise.evaluation.adapters.base import Wanted, means, of_lists, some_of

__all__ = ["LightGBMMetric", "lightgbm"]

Value = tuple[str, float, bool]


class LightGBMMetric:
    """Measures as LightGBM asks for them: the name, the value and whether higher is better."""

    def __init__(self, measures: Wanted) -> None:
        self.measures = some_of(measures)

    # LightGBM counts the parameters: for its estimators there must be four.
    def __call__(self, first: Any, second: Any, weight: Any = None, group: Any = None) -> Value | list[Value]:
        """`(scores, lightgbm.Dataset)`, or `(labels, scores, weight, group)`."""
        if hasattr(second, "get_group"):
            return self._values(second.get_label(), first, second.get_weight(), second.get_group())
        return self._values(first, second, weight, group)

    def _values(self, labels: Any, scores: Any, weight: Any, group: Any) -> Value | list[Value]:
        if group is None:
            hint = "lightgbm.Dataset(X, y, group=sizes), or LGBMRanker().fit(…, eval_group=[sizes])."
            raise DataError(message("LightGBM was not told which rows belong to one list", hint=hint))
        sizes = np.asarray(group, dtype=np.int64)
        data = Dataset.of(labels=labels, group=sizes, weights=of_lists(weight, sizes))
        found = zip(self.measures, means(self.measures, data, scores), strict=True)
        values = [(str(measure), mean, measure.higher_is_better) for measure, mean in found]
        return values[0] if len(values) == 1 else values


def lightgbm(measures: Wanted) -> LightGBMMetric:
    """A measure, or several, for LightGBM.

    For `lightgbm.train(…, feval=…)` and for `LGBMRanker().fit(…, eval_metric=…)`. Set `metric="None"`, so that early
    stopping looks at this measure alone. Weights of rows become weights of lists, the mean over each list's rows;
    a list without a relevant document is weighted like any other.

    >>> feval = lightgbm("nDCG@10")
    >>> feval([1, 0, 0, 1], [0.2, 0.1, 0.3, 0.7], None, [2, 2])
    ('nDCG@10', 1.0, True)
    """
    return LightGBMMetric(measures)
