r"""Measures over sampled candidates, corrected: what they would be if all items were ranked.

Among m sampled candidates an item of rank r among n items has the rank :math:`\tilde r = 1 + B`, where B is binomial of
m draws with the chance :math:`(r - 1) / (n - 1)`: samples hardly tell rank 1 from rank 10, so that a measure of the
sampled rank is another quantity than that of the rank, and may order recommenders otherwise (Krichene & Rendle 2020,
`krichene2020`; Li et al. 2020, `li2020`).

A correction gives each sampled rank a value :math:`\hat f(\tilde r)` of its own. The one here is that of Krichene &
Rendle that weighs bias against variance: with ranks r = 1 … n equally likely beforehand, it minimises

.. math:: \mathbb{E}_r \left[ \left( \mathbb{E}[\hat f(\tilde r) \mid r] - f(r) \right)^2
          + \gamma \, \mathrm{Var}[\hat f(\tilde r) \mid r] \right]

which is a ridge-like system of m + 1 unknowns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.errors import DataError, message
from rankwise.recommenders.base import number, whole

__all__ = ["corrected", "correction", "ranks"]

Values = npt.NDArray[np.float64]


def correction(of_rank: Any, candidates: int, *, gamma: float = 0.1) -> Values:
    """The value of each sampled rank 1 … m + 1, for a measure whose value at rank 1 … n is `of_rank`.

    `gamma` says how much variance counts beside bias, from 0 (not at all) to 1.

    >>> hit = (np.arange(1, 1001) <= 10).astype(float)
    >>> correction(hit, 50).round(3)[:3]
    array([ 0.834, -0.241, -0.166])
    """
    values = np.asarray(of_rank, np.float64)
    whole("candidates", candidates, least=1)
    number("gamma", gamma, most=1.0)
    if values.ndim != 1 or len(values) < 2 or not np.isfinite(values).all():
        raise DataError(message("a measure of one item is a finite value at each rank from 1 to the number of items"))
    chances = _chances(len(values), candidates)
    prior = 1 / len(values)
    square = (1 - gamma) * prior * chances.T @ chances + gamma * prior * np.diag(chances.sum(axis=0))
    solved = np.linalg.lstsq(square, prior * chances.T @ values, rcond=None)[0]
    return np.asarray(solved, np.float64)


def corrected(sampled_ranks: Any, of_rank: Any, candidates: int, *, gamma: float = 0.1) -> float:
    """The estimate of the mean of a measure over all items, from the ranks of single items among sampled candidates.

    >>> hit = (np.arange(1, 1001) <= 10).astype(float)
    >>> round(corrected([1, 1, 2, 30], hit, 50), 3)
    0.357
    """
    given = np.asarray(sampled_ranks, np.float64)
    whole_ranks = (given == np.trunc(given)) & (given >= 1) & (given <= candidates + 1)
    if given.ndim != 1 or not len(given) or not whole_ranks.all():
        raise DataError(message(f"sampled ranks are whole numbers from 1 to {candidates + 1}"))
    return float(correction(of_rank, candidates, gamma=gamma)[given.astype(np.int64) - 1].mean())


def ranks(data: Dataset, scores: Any) -> npt.NDArray[np.int64]:
    """Of each relevant row, its rank among those of its list that are not relevant; of equal scores it comes last."""
    values = np.asarray(scores, np.float64)
    if values.shape != (len(data.labels),):
        raise DataError(message(f"there are {values.size:,} scores for {len(data.labels):,} rows"))
    found = []
    for start, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        relevant = data.labels[start:end] > 0
        others = np.sort(values[start:end][~relevant])
        found.append(1 + len(others) - np.searchsorted(others, values[start:end][relevant], side="left"))
    return np.concatenate(found)


def _chances(items: int, candidates: int) -> Values:
    """P(sampled rank | rank): one row a rank, one column a sampled rank."""
    from scipy.stats import binom

    share = np.arange(items) / (items - 1)
    chances: Values = binom.pmf(np.arange(candidates + 1)[np.newaxis, :], candidates, share[:, np.newaxis])
    return chances
