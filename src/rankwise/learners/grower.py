"""Grows trees by LightGBM, one a call, on gradients that are given to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankwise.errors import not_installed
from rankwise.learners import lightgbm_text
from rankwise.rankers.trees import Trees

if TYPE_CHECKING:
    import lightgbm

__all__ = ["Grower", "bins", "engine"]

Table = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]
# Scores of the rows → gradient and hessian of each.
Push = Callable[[Scores], tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]

# One thread sums the histogram of a feature, and each feature has its own: the same bits for any number of threads.
SAME_BITS = {"deterministic": True, "force_col_wise": True, "enable_bundle": False}
QUIET = {"verbosity": -1, "metric": "none", "objective": "none"}


def engine(learner: str) -> Any:
    """LightGBM, or a refusal that says what to install."""
    try:
        import lightgbm
    except ImportError:
        raise not_installed("lightgbm", "train", learner) from None
    return lightgbm


def bins(table: Table, parameters: Mapping[str, Any], categorical: Sequence[int]) -> lightgbm.Dataset:
    """The features cut into bins, once for all trees."""
    import lightgbm

    # LightGBM asks for labels, and does not look at them.
    labels = np.zeros(len(table), np.float32)
    settings = {**SAME_BITS, **QUIET, **parameters}
    return lightgbm.Dataset(table, labels, params=settings, categorical_feature=list(categorical)).construct()


class Grower:
    """A booster of LightGBM and the trees that were there before it.

    It only grows: `trees(0, n)` are the first n at any time. The booster begins at the scores of the earlier trees, so
    that it grows the same ones as the booster that grew those would have.
    """

    def __init__(self, data: lightgbm.Dataset, parameters: Mapping[str, Any], before: Trees, scores: Scores) -> None:
        self._data = data
        self._parameters = {**SAME_BITS, **QUIET, **parameters}
        self._before = before
        self._scores = scores
        self._booster: lightgbm.Booster | None = None
        self._grown = 0

    def __len__(self) -> int:
        """How many trees there are."""
        return len(self._before) + self._grown

    def grow(self, push: Push, **changed: Any) -> bool:
        """One tree more, unless no split is worth it; `changed` are parameters from this tree on."""
        if not self._can_split():
            return False
        booster = self._begun()

        def pushed(scores: Scores, _: Any) -> Any:
            # A booster's first update sets parameters of its own before it comes here; lots are drawn at each setting.
            if changed:
                booster.reset_parameter(changed)
            return push(scores)

        ended = booster.update(fobj=pushed)
        self._grown += not ended
        return not ended

    def scores(self) -> Scores:
        """The scores of the training rows under all trees."""
        if not self._grown:
            return self._scores
        found: list[Scores] = []

        def keep(scores: Scores, _: Any) -> tuple[str, float, bool]:
            found.append(scores.copy())
            return "", 0.0, True

        self._begun().eval_train(keep)
        return found[0]

    def trees(self, first: int, last: int) -> Trees:
        """The trees from `first` up to `last`, that one left out."""
        old = len(self._before)
        parts = [self._before.first(min(last, old))] if first < old else []
        if last > old:
            begin = max(first - old, 0)
            text = self._begun().model_to_string(start_iteration=begin, num_iteration=last - old - begin)
            parts.append(lightgbm_text.read(text, self._before.features))
        return Trees.join(parts, self._before.features)

    def _can_split(self) -> bool:
        """A booster refuses features that all fall into one bin each."""
        features = range(self._data.num_feature())
        return self._booster is not None or any(self._data.feature_num_bin(feature) > 1 for feature in features)

    def _begun(self) -> lightgbm.Booster:
        if self._booster is None:
            import lightgbm

            # The bins may be those of another booster too, which has read its scores already.
            self._data.set_init_score(self._scores)
            self._booster = lightgbm.Booster(self._parameters, self._data)
        return self._booster
