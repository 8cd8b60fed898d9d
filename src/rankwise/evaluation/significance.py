"""Whether a difference between two systems could be chance: tests, corrections, effect sizes, power.

A system is a row of values, one a list; the tests take rows of paired differences (one row a pair of systems) and give
one p a row, two-sided. Where two systems agree on every list, no test has anything against chance: p = 1.
Only `scipy.special` is used: importing `scipy.stats` takes longer than the comparison of a few runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.errors import RankwiseError, message

__all__ = [
    "CORRECTIONS",
    "PERMUTATIONS",
    "correct",
    "detectable",
    "effect_size",
    "lists_needed",
    "paired_t",
    "power",
    "randomisation",
    "sign",
    "signed_ranks",
    "studentized_range_sf",
    "tries_all_signs",
    "tukey",
    "wilcoxon",
]

Values = npt.NDArray[np.float64]

PERMUTATIONS = 100_000
# Up to so many differences the signed-rank statistic's distribution is computed, not approximated.
_EXACT_RANKS = 50
# More values of the studentized range than this are interpolated between so many.
_DIRECT = 128


def paired_t(differences: Values) -> Values:
    """Student's t test of paired differences; NaN for fewer than two lists, 0 where all differ by the same amount.

    >>> paired_t(np.array([[0.1, 0.2, 0.3, 0.0]])).round(6)
    array([0.102728])
    """
    from scipy.special import stdtr

    n = differences.shape[1]
    if n < 2:
        return _certain(differences, np.full(len(differences), np.nan))
    mean, error = differences.mean(axis=1), differences.std(axis=1, ddof=1) / math.sqrt(n)
    # Differences that are all alike up to rounding have no error to speak of.
    constant = np.ptp(differences, axis=1) <= 1e-14 * np.abs(mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(constant, np.inf, np.abs(mean) / error)
    return _certain(differences, np.asarray(2 * stdtr(n - 1, -t)))


def sign(differences: Values) -> Values:
    """The sign test: wins against losses as tosses of a coin, exact; lists without a difference say nothing.

    >>> sign(np.array([[1.0, 2.0, 3.0, -1.0, 0.0]]))
    array([0.625])
    """
    from scipy.special import bdtr

    wins, losses = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    return np.asarray(np.minimum(1.0, 2 * bdtr(np.minimum(wins, losses).astype(float), wins + losses, 0.5)))


def wilcoxon(differences: Values) -> Values:
    """Wilcoxon's signed-rank test; lists without a difference are left out (Wilcoxon 1945).

    Up to 50 differences the distribution over all signs is computed, also where differences are tied; above, the normal
    approximation with the correction for ties, without one for continuity.

    >>> wilcoxon(np.array([[0.3, 0.1, 0.4, -0.2, 0.5]]))
    array([0.1875])
    """
    return np.array([_wilcoxon(row[row != 0]) for row in differences])


def _wilcoxon(differences: Values) -> float:
    n = len(differences)
    if n == 0:
        return 1.0
    ranks, counts = _average_ranks(np.abs(differences))
    positive = float(ranks[differences > 0].sum())
    least = min(positive, n * (n + 1) / 2 - positive)
    if n <= _EXACT_RANKS:
        # Twice an average rank is a whole number.
        return min(1.0, 2 * _share_up_to(tuple(np.sort(2 * ranks).astype(int).tolist()), round(2 * least)))
    from scipy.special import ndtr

    variance = n * (n + 1) * (2 * n + 1) / 24 - float((counts**3 - counts).sum()) / 48
    return float(2 * ndtr((least - n * (n + 1) / 4) / math.sqrt(variance)))


def signed_ranks(differences: Values) -> Values:
    """The sum of the ranks of positive differences less that of negative ones, for each row.

    >>> signed_ranks(np.array([[0.3, 0.1, 0.4, -0.2, 0.5]]))
    array([11.])
    """
    return np.array([float(_average_ranks(np.abs(row[row != 0]))[0] @ np.sign(row[row != 0])) for row in differences])


def _average_ranks(values: Values) -> tuple[Values, Values]:
    """The rank of each value, tied ones with their mean, and how often each distinct value occurs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[place], counts.astype(float)


@lru_cache(maxsize=256)
def _signed_rank_distribution(doubled: tuple[int, ...]) -> Values:
    """How many choices of ranks have which sum or less, as a share of all 2ⁿ."""
    ways = np.zeros(sum(doubled) + 1)
    ways[0] = 1.0
    for rank in doubled:
        ways[rank:] += ways[: len(ways) - rank].copy()
    return np.cumsum(ways) / 2.0 ** len(doubled)


def _share_up_to(doubled: tuple[int, ...], most: int) -> float:
    return float(_signed_rank_distribution(doubled)[most])


def randomisation(
    values: Values,
    pairs: npt.NDArray[np.integer],
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    threads: int | None = None,
) -> Values:
    """Fisher's randomisation test of the mean difference, for each pair of rows of `values` (systems × lists).

    Exact, over all 2ⁿ signs, where these are no more than `permutations`; else (1 + e) / (1 + permutations) with the e
    drawn sign patterns that give at least the observed difference. The patterns follow from the seed alone
    (`smucker2007`).

    >>> randomisation(np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 2.0]]), np.array([[0, 1]]))
    array([0.25])
    """
    lists = values.shape[1]
    if permutations < 1:
        raise RankwiseError(message(f"permutations must be a whole number from 1, not {permutations}"))
    exact = tries_all_signs(lists, permutations)
    extreme = _kernels.randomisation(
        np.ascontiguousarray(values, dtype=np.float64),
        np.ascontiguousarray(pairs, dtype=np.uint32),
        None if exact else permutations,
        seed,
        threads,
    )
    counts = extreme.astype(np.float64)
    return counts / 2.0**lists if exact else (1.0 + counts) / (1.0 + permutations)


def tries_all_signs(lists: int, permutations: int) -> bool:
    """Whether the randomisation test of so many lists is exact."""
    return lists <= 24 and 2**lists <= permutations


def tukey(values: Values, pairs: npt.NDArray[np.integer]) -> Values:
    """Tukey's honestly significant difference of all systems on the two-way model (list + system).

    q = |mean difference| / √(s² / n), with s² the residual mean square after the effects of lists and systems; its
    p is of the studentized range of all systems, so that no further correction over pairs is due (`carterette2012`).

    >>> scores = np.array([[0.1, 0.4, 0.3, 0.6], [0.2, 0.5, 0.5, 0.6], [0.4, 0.6, 0.7, 0.7]])
    >>> tukey(scores, np.array([[0, 1], [0, 2]])).round(4)
    array([0.1655, 0.0044])
    """
    systems, lists = values.shape
    first, second = pairs.T
    means = values.mean(axis=1)
    difference = np.abs(means[first] - means[second])
    if systems < 2 or lists < 2:
        return np.where(difference == 0, 1.0, np.nan)
    residual = values - values.mean(axis=0) - means[:, None] + values.mean()
    freedom = (systems - 1) * (lists - 1)
    spread = math.sqrt(float((residual**2).sum()) / freedom / lists)
    if spread <= 1e-14 * float(np.abs(values).max(initial=0.0)):
        return np.where(difference <= 1e-14 * float(np.abs(values).max(initial=0.0)), 1.0, 0.0)
    return studentized_range_sf(difference / spread, systems, freedom)


def studentized_range_sf(q: Values, groups: int, freedom: int) -> Values:
    r"""How likely the studentized range of `groups` means exceeds q, with `freedom` degrees of freedom of the error.

    .. math::
       P(Q > q) = \int_0^\infty f_\nu(s) \Bigl(1 - k \int \varphi(z) [\Phi(z) - \Phi(z - qs)]^{k-1} dz \Bigr) ds

    Both integrals by Gauss–Legendre quadrature where their integrands live. Many values of q at once by Chebyshev
    interpolation, within 10⁻¹⁰ of it.

    >>> studentized_range_sf(np.array([3.5]), 3, 20).round(6)
    array([0.055892])
    """
    q = np.asarray(q, dtype=np.float64)
    if q.size > _DIRECT:
        most = max(1.0, float(q.max()))
        angles = np.pi * (np.arange(_DIRECT) + 0.5) / _DIRECT
        known = studentized_range_sf(most * (1 + np.cos(angles)) / 2, groups, freedom)
        fitted = np.polynomial.chebyshev.chebfit(np.cos(angles), known, _DIRECT - 1)
        return np.asarray(np.clip(np.polynomial.chebyshev.chebval(2 * q / most - 1, fitted), 0.0, 1.0))
    scales, weights = _chi_nodes(freedom)
    out = np.array([float(weights @ _range_sf(x * scales, groups)) for x in q.ravel()])
    return np.asarray(np.clip(out, 0.0, 1.0).reshape(q.shape), dtype=np.float64)


@lru_cache(maxsize=16)
def _chi_nodes(freedom: int) -> tuple[Values, Values]:
    """Places and weights for the integral over s = √(χ²/ν)."""
    from scipy.special import gammaln

    width = 12 / math.sqrt(2 * freedom)
    low, high = max(1e-12, 1 - width), 1 + width
    nodes, weights = _nodes(160)
    s = low + (high - low) * (nodes + 1) / 2
    log = (1 - freedom / 2) * math.log(2) + freedom / 2 * math.log(freedom) - gammaln(freedom / 2)
    density = np.exp(log + (freedom - 1) * np.log(s) - freedom * s * s / 2)
    return s, weights * density * (high - low) / 2


@lru_cache(maxsize=4)
def _nodes(count: int) -> tuple[Values, Values]:
    """Places and weights of Gauss and Legendre."""
    return np.polynomial.legendre.leggauss(count)


def _range_sf(w: Values, groups: int) -> Values:
    """How likely the range of `groups` standard normal values exceeds each w."""
    from scipy.special import ndtr

    nodes, weights = _nodes(200)
    z = 9.0 * nodes
    # k ∫ φ(z) [Φ(z)^{k−1} − (Φ(z) − Φ(z − w))^{k−1}] dz keeps the digits of a small p.
    above = ndtr(z)
    below = ndtr(z[:, None] - w[None, :])
    rest = above[:, None] ** (groups - 1) - (above[:, None] - below) ** (groups - 1)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return np.asarray(groups * 9.0 * ((weights * density) @ rest), dtype=np.float64)


def bonferroni(p: Values) -> Values:
    """p times the number of tests."""
    return np.minimum(1.0, p * p.size)


def holm(p: Values) -> Values:
    """Holm (1979): step-down, as strict about any error as Bonferroni and never weaker (`holm1979`)."""
    order = np.argsort(p)
    stepped = p[order] * np.arange(p.size, 0, -1)
    out = np.empty_like(p)
    out[order] = np.minimum(1.0, np.maximum.accumulate(stepped))
    return out


def benjamini_hochberg(p: Values) -> Values:
    """Benjamini & Hochberg (1995): bounds the share of false alarms among the alarms (`benjamini1995`)."""
    order = np.argsort(p)[::-1]
    stepped = p[order] * p.size / np.arange(p.size, 0, -1)
    out = np.empty_like(p)
    out[order] = np.minimum(1.0, np.minimum.accumulate(stepped))
    return out


CORRECTIONS: dict[str, Callable[[Values], Values]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "bonferroni": bonferroni,
    "none": lambda p: p,
}


def correct(p: npt.ArrayLike, how: str = "holm") -> Values:
    """p values of several tests, corrected together; NaN (no test) stays NaN and does not count.

    >>> correct([0.01, 0.04, 0.03], "holm"), correct([0.01, 0.04, 0.03], "bh")
    (array([0.03, 0.06, 0.06]), array([0.03, 0.04, 0.04]))
    """
    if how not in CORRECTIONS:
        raise RankwiseError(message(f"there is no correction '{how}'", hint=f"there are {', '.join(CORRECTIONS)}."))
    values = np.asarray(p, dtype=np.float64)
    known = ~np.isnan(values)
    out = np.full(values.shape, np.nan)
    out[known] = CORRECTIONS[how](values[known])
    return out


def effect_size(differences: Values) -> Values:
    """Cohen's d of paired differences: their mean over their standard deviation; NaN where they do not vary."""
    if differences.shape[1] < 2:
        return np.full(len(differences), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        d = differences.mean(axis=1) / differences.std(axis=1, ddof=1)
    return np.where(np.isfinite(d), d, np.nan)


def power(effect: float, lists: int, *, alpha: float = 0.05) -> float:
    """How likely the paired t test finds a true difference of `effect` standard deviations of the differences.

    >>> round(power(0.5, 34), 4)
    0.8078
    """
    from scipy.special import nctdtr, stdtrit

    if lists < 2 or math.isnan(effect):
        return math.nan
    critical = stdtrit(lists - 1, 1 - alpha / 2)
    shift = abs(effect) * math.sqrt(lists)
    # Beyond this the noncentral distribution is all above the critical value.
    if shift > 35 and lists > 3:
        return 1.0
    above = float(1 - nctdtr(lists - 1, shift, critical))
    # The other tail holds less than Φ(−shift): where SciPy has no number for it, far out, it is nothing.
    other = float(nctdtr(lists - 1, shift, -critical))
    return above if math.isnan(other) else above + other


def lists_needed(difference: float, deviation: float, *, alpha: float = 0.05, wanted: float = 0.8) -> int | None:
    """The fewest lists with which the paired t test finds `difference` with the wanted power.

    `deviation` is the standard deviation of the differences over lists. None where no number of lists will do.

    >>> lists_needed(0.01, 0.1), lists_needed(0.05, 0.1)
    (787, 34)
    """
    if not (deviation > 0 and difference != 0 and math.isfinite(difference / deviation)):
        return None
    effect = abs(difference) / deviation
    if power(effect, 2, alpha=alpha) >= wanted:
        return 2
    low, high = 2, 4
    while power(effect, high, alpha=alpha) < wanted:
        low, high = high, 2 * high
        if high > 1 << 40:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(effect, middle, alpha=alpha) >= wanted else (middle, high)
    return high


def detectable(lists: int, *, alpha: float = 0.05, wanted: float = 0.8) -> float:
    """The least effect, in standard deviations of the differences, that the paired t test finds with that power.

    >>> round(detectable(34), 3)
    0.495
    """
    if lists < 2:
        return math.nan
    low, high = 0.0, 1.0
    while power(high, lists, alpha=alpha) < wanted:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle, lists, alpha=alpha) >= wanted else (middle, high)
    return high


def _certain(differences: Values, p: Values) -> Values:
    """p = 1 where no list differs."""
    return np.where((differences == 0).all(axis=1), 1.0, p)
