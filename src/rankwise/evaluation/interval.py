"""Intervals of a mean over lists: Student's t, and the bootstrap."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.errors import RankwiseError, message

__all__ = ["RESAMPLES", "bca_interval", "bootstrap_interval", "resampled_means", "t_quantile"]

RESAMPLES = 10_000


@lru_cache(maxsize=64)
def t_quantile(p: float, df: int) -> float:
    """The p-quantile of Student's t with `df` degrees of freedom, p ≥ ½.

    Newton's method on the distribution's finite trigonometric series (Abramowitz & Stegun 26.7.3 and 26.7.4); for many
    degrees of freedom the expansion 26.7.5. SciPy's import alone would take longer than the rest of a command.

    >>> round(t_quantile(0.975, 4), 12), round(t_quantile(0.975, 1), 12)
    (2.776445105198, 12.706204736175)
    """
    z = _normal_quantile(p)
    t = z + _expansion(z, df)
    if df >= 300:
        return t
    if df < 3:
        if df == 1:
            return math.tan(math.pi * (p - 0.5))
        return (2 * p - 1) * math.sqrt(2 / (4 * p * (1 - p)))
    for _ in range(50):
        step = (_t_cdf(t, df) - p) / _t_density(t, df)
        t -= step
        if abs(step) < 1e-13 * t:
            break
    return t


def _normal_quantile(p: float) -> float:
    """Newton's method on the error function, from the centre outwards."""
    z = 0.0
    for _ in range(60):
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        # The far tail through erfc, which keeps its digits there; steps are damped where the density is thin.
        step = (0.5 * math.erfc(z / math.sqrt(2)) - (1 - p)) / density
        z += max(-1.0, min(1.0, step))
        if abs(step) < 1e-15 * max(1.0, abs(z)):
            break
    return z


def _expansion(z: float, df: int) -> float:
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return math.fsum(term / df**power for power, term in enumerate(terms, 1))


def _t_cdf(t: float, df: int) -> float:
    theta = math.atan(t / math.sqrt(df))
    cos2 = math.cos(theta) ** 2
    term, series = 1.0, 1.0
    if df % 2:
        for i in range(1, (df - 3) // 2 + 1):
            term *= cos2 * (2 * i) / (2 * i + 1)
            series += term
        inner = theta + (math.sin(theta) * math.cos(theta) * series if df > 1 else 0.0)
        return 0.5 + inner / math.pi
    for i in range(1, (df - 2) // 2 + 1):
        term *= cos2 * (2 * i - 1) / (2 * i)
        series += term
    return 0.5 + 0.5 * math.sin(theta) * series


def _t_density(t: float, df: int) -> float:
    log = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - 0.5 * math.log(df * math.pi)
    return math.exp(log - (df + 1) / 2 * math.log1p(t * t / df))


def bootstrap_interval(
    values: npt.NDArray[np.float64],
    *,
    weights: npt.NDArray[np.float64] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    threads: int | None = None,
) -> tuple[float, float]:
    """The percentile interval of the mean over resampled lists (Efron & Tibshirani 1993, ch. 13; `efron1993`).

    Each resample draws as many lists as there are, with replacement and with their weights; lists whose value is NaN
    are left out, as are resamples without weight. The same for any order of the lists and any number of threads.

    >>> bootstrap_interval(np.array([0.0, 1.0, 1.0, 1.0]), seed=1)
    (0.25, 1.0)
    """
    means = resampled_means(values, weights=weights, level=level, resamples=resamples, seed=seed, threads=threads)
    return _percentiles(means, (1 - level) / 2, (1 + level) / 2)


def bca_interval(
    values: npt.NDArray[np.float64],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    threads: int | None = None,
) -> tuple[float, float]:
    r"""The bootstrap interval of the mean, corrected for bias and skewness (Efron & Tibshirani 1993, ch. 14.3).

    .. math:: \alpha_i = \Phi\Bigl(z_0 + \frac{z_0 + z_i}{1 - a (z_0 + z_i)}\Bigr), \quad
        a = \frac{\sum (x - \bar x)^3}{6\,(\sum (x - \bar x)^2)^{3/2}}

    with :math:`\Phi(z_0)` the share of resampled means below the mean, half of those equal to it counted, and
    :math:`z_i` the normal quantiles of the two ends. Values that do not vary have an interval without width.

    >>> bca_interval(np.array([0.0, 0.0, 0.1, 0.1, 0.2, 1.0]), seed=1)[0] > 0.03
    True
    """
    known = values[~np.isnan(values)]
    means = resampled_means(known, level=level, resamples=resamples, seed=seed, threads=threads)
    if not len(means) or not np.ptp(known) > 0:
        return _percentiles(means, 0.0, 1.0)
    from scipy.special import ndtr, ndtri

    centred = known - known.mean()
    # Sums in another order differ by less: such means are equal.
    slack = 1e-12 * float(np.abs(known).max())
    off = means - known.mean()
    share = np.clip(((off < -slack).mean() + (off <= slack).mean()) / 2, 0.5 / len(means), 1 - 0.5 / len(means))
    skew = float((centred**3).sum() / (6 * (centred**2).sum() ** 1.5))
    shifted = ndtri(share) + np.array([1, -1]) * ndtri((1 - level) / 2)
    return _percentiles(means, *ndtr(ndtri(share) + shifted / (1 - skew * shifted)))


def resampled_means(
    values: npt.NDArray[np.float64],
    *,
    weights: npt.NDArray[np.float64] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    threads: int | None = None,
) -> npt.NDArray[np.float64]:
    """The mean of each resample that has one; see `bootstrap_interval`."""
    if not 0 < level < 1:
        raise RankwiseError(message(f"the level of an interval lies between 0 and 1, not at {level}"))
    if resamples < 1:
        raise RankwiseError(message(f"at least one resample is needed, not {resamples}"))
    if not 0 <= seed < 2**64:
        raise RankwiseError(message(f"a seed is a whole number from 0 to 2^64 − 1, not {seed}"))
    means = _kernels.bootstrap(
        np.ascontiguousarray(values),
        None if weights is None else np.ascontiguousarray(weights),
        resamples,
        seed,
        threads,
    )
    return means[~np.isnan(means)]


def _percentiles(means: npt.NDArray[np.float64], low: float, high: float) -> tuple[float, float]:
    if not len(means):
        return math.nan, math.nan
    ends = np.quantile(means, [low, high], method="nearest")
    return float(ends[0]), float(ends[1])
