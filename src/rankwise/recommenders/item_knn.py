r"""ItemKNN: an item is scored by how similar it is to what the user had.

.. math:: \hat y_{ui} = \sum_{j \in H_u} x_{uj} \, s_{ji}, \qquad
          s_{ji} = \frac{\sum_u x_{uj} x_{ui}}{\sqrt{\sum_u x_{uj}^2} \sqrt{\sum_u x_{ui}^2} + h}

Sarwar et al. 2001 (`sarwar2001`): the cosine of the items' columns, lessened by h where few users had both. Of each
item j only its nearest neighbours keep their similarity, of equal ones those whose ids come first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.errors import DataError, message
from rankwise.rankers.histories import Histories
from rankwise.rankers.neighbours import Neighbours
from rankwise.recommenders.base import RecommenderLearner, number, whole
from rankwise.recommenders.interactions import Interactions

__all__ = ["ItemKNN"]

# Items whose similarities to all others are held at once: so many numbers at most.
BLOCK = 16_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Similar:
    offsets: npt.NDArray[np.int64]
    items: npt.NDArray[np.uint32]
    similarities: npt.NDArray[np.float32]


@dataclass(kw_only=True, eq=False, repr=False)
class ItemKNN(RecommenderLearner):
    """Nearest neighbours of items.

    `neighbours` are kept of each item; `shrinkage` is h.

    >>> from rankwise.recommenders.interactions import Interactions
    >>> seen = Interactions.of([1, 1, 2, 2, 3], ["tea", "jam", "tea", "jam", "tea"])
    >>> ItemKNN().fit(seen).recommend([3], 1)["3"][0][0]
    'jam'
    """

    neighbours: int = 100
    shrinkage: float = 10.0

    name: ClassVar[str] = "item-knn"
    states: ClassVar[tuple[type, ...]] = (Similar,)

    def check(self) -> None:
        super().check()
        whole("neighbours", self.neighbours, least=1)
        number("shrinkage", self.shrinkage)

    def steps(self) -> int:
        return 1

    def start(self, data: Interactions, rng: np.random.Generator) -> Similar:
        offsets = np.zeros(len(data.items) + 1, np.int64)
        return Similar(offsets, np.zeros(0, np.uint32), np.zeros(0, np.float32))

    def step(self, data: Interactions, state: Similar, rng: np.random.Generator) -> Similar:
        if not (data.values > 0).any():
            raise DataError(message("there is nothing to learn: no value is above 0"))
        matrix = data.matrix().astype(np.float64)
        lengths = np.sqrt((matrix.multiply(matrix)).sum(axis=0))
        columns, items = matrix.tocsc(), len(data.items)
        found, best = [], []
        step = max(1, BLOCK // items)
        for first in range(0, items, step):
            some = np.arange(first, min(first + step, items))
            together = (columns[:, some].T @ matrix).toarray()
            over = lengths[some, np.newaxis] * lengths + self.shrinkage
            similar = np.divide(together, over, out=np.zeros_like(together), where=over > 0).astype(np.float32)
            similar[similar <= 0] = np.nan
            itself = Histories(np.arange(len(some) + 1), some.astype(np.uint32))
            kept = min(self.neighbours, items)
            numbers, values = _kernels.top_of_scores(similar, itself.offsets, itself.items, kept, self.threads)
            found.append(numbers)
            best.append(values)
        return _rows(np.concatenate(found), np.concatenate(best))

    def model(self, state: Similar) -> Neighbours:
        return Neighbours(state.offsets, state.items, state.similarities)

    def fold_in(self, model: Any, interactions: Interactions) -> Any:
        """Nothing is learnt of users: what they had is all that is needed."""
        return model


def _rows(found: npt.NDArray[np.int32], best: npt.NDArray[np.float32]) -> Similar:
    """Neighbours by item, ascending."""
    row, column = np.nonzero(found >= 0)
    items, values = found[row, column], best[row, column]
    order = np.lexsort((items, row))
    counts = np.bincount(row, minlength=len(found))
    return Similar(np.concatenate(([0], np.cumsum(counts))), items[order].astype(np.uint32), values[order])
