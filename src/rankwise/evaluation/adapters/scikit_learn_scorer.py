"""scikit-learn: a measure as a scorer, for `cross_val_score`, `GridSearchCV` and whatever takes `scoring`."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset, weights_of_documents
from rankwise.errors import DataError, MeasureError, message
from rankwise.evaluation.adapters.base import means, of_lists, one_of
from rankwise.measures.base import Measure

__all__ = ["scikit_learn"]


class _Score:
    """The score function of a measure; of a class, so that it can be sent to other processes."""

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self.__name__ = str(measure)

    def __call__(self, y_true: Any, y_pred: Any, *, qid: Any = None, sample_weight: Any = None) -> float:
        if qid is None:
            hint = (
                "sklearn.set_config(enable_metadata_routing=True), scorer.set_score_request(qid=True), and params="
                "{'qid': qid, 'groups': qid} for cross_val_score, or fit(X, y, qid=qid, groups=qid) for GridSearchCV."
            )
            what = f"the scorer of {self.measure} was not told which rows belong to one list"
            raise DataError(message(what, hint=hint))
        data = Dataset.of(labels=y_true, qid=qid)
        if sample_weight is not None:
            of_rows = data.reorder(weights_of_documents(sample_weight, len(data.labels)))
            weights = of_lists(of_rows, np.diff(data.offsets))
            data = Dataset.of(labels=y_true, qid=qid, weights=weights)
        return means([self.measure], data, y_pred)[0]


def scikit_learn(measure: Measure | str, *, response_method: str = "predict") -> Any:
    """A scorer that takes `qid`, the query id of each row, through scikit-learn's metadata routing.

    >>> import sklearn
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.model_selection import GroupKFold, cross_val_score
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     scorer = scikit_learn("nDCG@10").set_score_request(qid=True)
    ...     X, y, qid = [[1], [2], [3], [4], [6], [5]], [0, 1, 0, 1, 1, 0], [1, 1, 2, 2, 3, 3]
    ...     params = {"qid": qid, "groups": qid}
    ...     cross_val_score(LinearRegression(), X, y, scoring=scorer, cv=GroupKFold(3), params=params)
    array([1., 1., 1.])

    `response_method` says what of the estimator ranks: `predict`, `decision_function` or `predict_proba`. Of a measure
    that is better where it is less, the scorer gives the negative, as scikit-learn's own do. Weights of rows
    (`set_score_request(sample_weight=True)`) become weights of lists, the mean over each list's rows.
    """
    try:
        from sklearn.metrics import make_scorer
    except ImportError:
        raise MeasureError(message("scikit-learn is not installed", hint="pip install scikit-learn.")) from None
    found = one_of(measure, "a scorer")
    return make_scorer(_Score(found), greater_is_better=found.higher_is_better, response_method=response_method)
