"""How much a ranker's features matter to a measure: what is lost where the values of one are mixed up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.errors import DataError, RankwiseError, message
from rankwise.evaluation.judge import Judge
from rankwise.evaluation.table import Table
from rankwise.measures.base import Measure
from rankwise.rankers.base import Ranker, list_scores

__all__ = ["PermutationImportances", "permutation_importances"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PermutationImportances:
    """What a measure loses where each feature's values are permuted among all rows."""

    measure: Measure
    value: float
    """Of the ranker with the features as they are."""
    names: tuple[str, ...]
    losses: npt.NDArray[np.float64]
    """One row a feature, one column a repetition; above 0 where the measure gets worse."""

    @property
    def means(self) -> npt.NDArray[np.float64]:
        found: npt.NDArray[np.float64] = self.losses.mean(axis=1)
        return found

    @property
    def errors(self) -> npt.NDArray[np.float64]:
        """Standard errors of the means over repetitions; NaN of a single one."""
        count = self.losses.shape[1]
        if count < 2:
            return np.full(len(self.losses), np.nan)
        found: npt.NDArray[np.float64] = self.losses.std(axis=1, ddof=1) / np.sqrt(count)
        return found

    @property
    def order(self) -> npt.NDArray[np.intp]:
        """The features by falling loss."""
        return np.argsort(-self.means, kind="stable")

    def table(self, top: int | None = None) -> Table:
        """The features that matter most."""
        rows = [
            [self.names[at], f"{self.means[at]:+.4f}", "" if np.isnan(self.errors[at]) else f"{self.errors[at]:.4f}"]
            for at in self.order[:top].tolist()
        ]
        title = f"loss of {self.measure} ({self.value:.4f}) where a feature is permuted"
        return Table(["feature", "loss", "±"], rows, title=title)

    def __str__(self) -> str:
        return str(self.table())

    __repr__ = __str__


def permutation_importances(
    ranker: Ranker,
    data: Dataset,
    measure: Measure | str | None = None,
    *,
    repeats: int = 5,
    seed: int = 0,
    threads: int | None = None,
) -> PermutationImportances:
    r"""What `measure` loses where the values of a feature are permuted among the rows, the others staying as they are.

    .. math:: \mathrm{loss}_f = m(s(X)) - \frac{1}{R} \sum_{r=1}^{R} m(s(X_{f \to \pi_r}))

    with its sign turned for a measure that is better where it is less. Breiman 2001 (`breiman2001`); Fisher, Rudin &
    Dominici 2019 (`fisher2019`) say what it does and does not mean: features that say the same share their loss.
    List-relative inputs follow from the permuted feature, so that it is lost in all its forms. The default measure is
    the one that the ranker was trained for. The order of lists does not matter.

    >>> from rankwise.rankers import Inputs, Linear
    >>> data = Dataset.of([[3, 1], [2, 9], [1, 4], [0, 4]], [3, 2, 1, 0], group=[4], feature_names=["stars", "price"])
    >>> permutation_importances(Ranker(Inputs(2, ("stars", "price")), Linear([1.0, 0.0])), data, "nDCG@10", repeats=20)
    loss of nDCG@10 (1.0000) where a feature is permuted
    <BLANKLINE>
    feature     loss       ±
    stars    +0.2...  0.0...
    price    +0.0000  0.0000
    """
    if isinstance(repeats, bool) or not isinstance(repeats, (int, np.integer)) or repeats < 1:
        raise RankwiseError(message(f"repeats must be a whole number from 1, not {repeats!r}"))
    if data.features is None:
        raise DataError(message("these lists have no features", hint="read the data with their features."))
    data = data.in_canonical_order(rows_too=False)
    judge = Judge(data, _measure(ranker, measure), threads=threads)
    features = _known(ranker, data)
    changed = replace(data, features=features, feature_names=ranker.inputs.feature_names)

    def value() -> float:
        table = ranker.inputs.table(changed, threads=threads)
        return judge.mean(list_scores(ranker.scorer, table, changed.offsets, threads))

    whole = value()
    losses = np.empty((features.shape[1], repeats))
    for feature in range(features.shape[1]):
        column = features[:, feature].copy()
        for repeat in range(repeats):
            features[:, feature] = np.random.default_rng([seed, feature, repeat]).permutation(column)
            losses[feature, repeat] = whole - value()
        features[:, feature] = column
    sign = 1 if judge.measure.higher_is_better else -1
    names = ranker.inputs.names[: features.shape[1]]
    return PermutationImportances(judge.measure, whole, names, sign * losses)


def _known(ranker: Ranker, data: Dataset) -> npt.NDArray[np.float32]:
    """A copy of the features in the order of training."""
    assert data.features is not None
    ranker.inputs.table(data)  # refuses other features
    known, given = ranker.inputs.feature_names, data.feature_names
    if known is None or given is None:
        return data.features.copy()
    return np.ascontiguousarray(data.features[:, [given.index(name) for name in known]])


def _measure(ranker: Ranker, measure: Any) -> Measure:
    if isinstance(measure, Measure):
        return measure
    text = ranker.about.get("measure") if measure is None else measure
    if text is None:
        raise RankwiseError(message("this ranker does not know what it was trained for", hint="name a measure."))
    from rankwise.measures.parse import measure as parsed

    return parsed(text)
