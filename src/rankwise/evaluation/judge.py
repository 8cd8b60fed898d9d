"""One measure over lists that stay while their scores change: what a learner follows as it learns."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.evaluation.columns import Evaluated
from rankwise.evaluation.lists import Lists
from rankwise.evaluation.result import Outcome
from rankwise.measures.base import Measure

__all__ = ["Judge"]


class Judge:
    """The value of one measure at any scores of a dataset; labels are read and graded once.

    Scores are one a row, in the dataset's own order.

    >>> data = Dataset.of(labels=[0, 2, 1, 1], group=[3, 1])
    >>> from rankwise.measures import nDCG
    >>> judge = Judge(data, nDCG(10))
    >>> judge.mean([3.0, 2.0, 1.0, 0.0]), judge.values([1.0, 3.0, 2.0, 0.0])
    (0.8295..., array([1., 1.]))
    """

    def __init__(self, data: Dataset, measure: Measure, *, threads: int | None = None) -> None:
        self.measure = measure
        self.lists = Lists.of(data, np.zeros(len(data.labels)), threads=threads)
        self._evaluated = Evaluated.of(self.lists)
        self._text = str(measure)
        self._column = self.lists.column_of(measure)

    def outcome(self, scores: Any) -> Outcome:
        """Values, mean and counts, as `evaluate` makes them of one measure."""
        values, flags = self._column(scores)
        return Outcome(self._text, self.measure, values, flags, self._evaluated)

    def values(self, scores: Any) -> npt.NDArray[np.float64]:
        """The value of each list; NaN where the convention leaves it out of the mean."""
        # Lists of a dataset are never missing from a run: a column's values are those of its outcome.
        return self._column(scores)[0]

    def mean(self, scores: Any) -> float:
        """The mean over lists, as the convention takes it."""
        return self.outcome(scores).mean
