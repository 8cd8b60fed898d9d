"""XGBoost: a measure as `custom_metric` of `xgboost.train`."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import DataError, message
from rankwise.evaluation.adapters.base import Wanted, means, of_lists, some_of
from rankwise.measures.base import Measure

__all__ = ["XGBoostMetric", "xgboost"]

Value = tuple[str, float]


class XGBoostMetric:
    """Measures as XGBoost asks for them: the name and the value."""

    def __init__(self, measures: Wanted) -> None:
        self.measures = some_of(measures)

    @property
    def maximize(self) -> bool:
        """Whether higher is better, of the last measure, at which early stopping looks."""
        return self.measures[-1].higher_is_better

    def __call__(self, scores: Any, matrix: Any) -> Value | list[Value]:
        """`(scores, xgboost.DMatrix)`."""
        if not hasattr(matrix, "get_uint_info"):
            hint = "use xgboost.train(…, custom_metric=…); XGBRanker hands out one list at a time and decides itself \
what a list of one document scores."
            raise DataError(message("XGBoost must give scores and a DMatrix", hint=hint))
        sizes = np.diff(matrix.get_uint_info("group_ptr").astype(np.int64))
        if not len(sizes):
            hint = "xgboost.DMatrix(X, y, qid=qid), or group=sizes."
            raise DataError(message("the DMatrix does not say which rows belong to one list", hint=hint))
        data = Dataset.of(labels=matrix.get_label(), group=sizes, weights=of_lists(matrix.get_weight(), sizes))
        found = zip(self.measures, means(self.measures, data, scores), strict=True)
        values = [(_name(measure), mean) for measure, mean in found]
        return values[0] if len(values) == 1 else values


def _name(measure: Measure) -> str:
    """The measure's text without the blanks and colons at which XGBoost cuts its own line of results."""
    return str(measure).replace(" ", "").replace(":", "/")


def xgboost(measures: Wanted) -> XGBoostMetric:
    """A measure, or several, for `xgboost.train(…, custom_metric=metric, maximize=metric.maximize)`.

    Without `maximize` XGBoost takes less for better, whatever the measure. Set `disable_default_eval_metric`, so that
    no other metric is computed. Weights are those of lists, as XGBoost has them.

    >>> metric = xgboost("yahoo:nDCG@10")
    >>> metric.measures, metric.maximize
    ((yahoo_v1_0:nDCG@10,), True)
    """
    return XGBoostMetric(measures)
