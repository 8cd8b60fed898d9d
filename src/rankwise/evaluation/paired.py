"""One measure of several systems on the same lists: means, paired differences, and what says whether they are chance.

A *system* is a row of values, a *contrast* the difference of two systems over the lists that all systems have a value
for. Where the lists come in folds, a mean is the mean of the folds' means and its error √(Σ error²) / folds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.errors import MeasureError, RankwiseError, message
from rankwise.evaluation import significance
from rankwise.evaluation.interval import bca_interval, resampled_means, t_quantile
from rankwise.measures.base import Measure

__all__ = ["BOOTSTRAPS", "TESTS", "Contrast", "Family", "Paired", "Settings", "is_significant"]

Values = npt.NDArray[np.float64]
Pairs = npt.NDArray[np.intp]

TESTS = ("randomisation", "t", "wilcoxon", "sign", "tukey")
BOOTSTRAPS = ("percentile", "bca")
# So many differences are held at once.
_AT_ONCE = 1 << 21
# Values of two systems that are closer, relative to their size, differ by rounding alone.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What is asked of a comparison."""

    tests: tuple[str, ...] = ("randomisation", "t")
    correction: str = "holm"
    level: float = 0.95
    permutations: int = significance.PERMUTATIONS
    resamples: int = 10_000
    bootstrap: str | None = None
    detect: float | None = None
    seed: int = 0
    threads: int | None = None

    def __post_init__(self) -> None:
        unknown = [test for test in self.tests if test not in TESTS]
        if unknown or not self.tests:
            what = f"there is no test '{unknown[0]}'" if unknown else "no test is named"
            raise RankwiseError(message(what, hint=f"the tests are {', '.join(TESTS)}."))
        if self.correction not in significance.CORRECTIONS:
            hint = f"there are {', '.join(significance.CORRECTIONS)}."
            raise RankwiseError(message(f"there is no correction '{self.correction}'", hint=hint))
        if self.bootstrap is not None and self.bootstrap not in BOOTSTRAPS:
            hint = f"there are {' and '.join(BOOTSTRAPS)}; bca corrects for skewness."
            raise RankwiseError(message(f"there is no bootstrap interval '{self.bootstrap}'", hint=hint))
        if not 0 < self.level < 1:
            hint = "0.95 is usual: a difference is then significant at p < 0.05."
            raise RankwiseError(message(f"the level lies between 0 and 1, not at {self.level}", hint=hint))
        if not 0 <= self.seed < 2**64:
            raise RankwiseError(message(f"a seed is a whole number from 0 to 2^64 − 1, not {self.seed}"))
        for what, count in {"permutations": self.permutations, "resamples": self.resamples}.items():
            if count < 1:
                raise RankwiseError(message(f"{what} must be a whole number from 1, not {count}"))
        if self.detect is not None and not (self.detect > 0 and math.isfinite(self.detect)):
            hint = "give the least difference that would matter, such as 0.01."
            raise RankwiseError(message(f"a difference to detect is above 0, not {self.detect}", hint=hint))

    @property
    def alpha(self) -> float:
        # 1 − 0.95 is a little more than 0.05.
        return round(1 - self.level, 12)


@dataclass(frozen=True, slots=True)
class Contrast:
    """The difference of two systems under one measure: that of `system` less that of `baseline`."""

    paired: Paired
    family: Family
    at: int

    @property
    def measure(self) -> Measure:
        return self.paired.measure

    @property
    def system(self) -> str:
        return self.paired.names[int(self.paired.pairs[self.at, 1])]

    @property
    def baseline(self) -> str:
        return self.paired.names[int(self.paired.pairs[self.at, 0])]

    @property
    def difference(self) -> float:
        return float(self.paired.differences[self.at])

    @property
    def stderr(self) -> float:
        """The standard error of the difference; NaN below two lists, and of geometric means."""
        return float(self.paired.errors[self.at])

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the difference by Student's t over the paired differences, not corrected for other tests."""
        half = self.paired.freedom_quantile(self.at) * self.stderr
        return self.difference - half, self.difference + half

    @property
    def bootstrap(self) -> tuple[float, float]:
        """The percentile interval of the difference over resampled lists."""
        return self.paired.bootstrap(self.at, "percentile")

    @property
    def bca(self) -> tuple[float, float]:
        """The bootstrap interval corrected for bias and skewness."""
        return self.paired.bootstrap(self.at, "bca")

    @property
    def p(self) -> dict[str, float]:
        """The corrected p of each test."""
        return {test: float(self.family.p(self.paired, test)[self.at]) for test in self.paired.settings.tests}

    @property
    def raw_p(self) -> dict[str, float]:
        """The p of each test alone."""
        return {test: float(self.paired.p(test)[self.at]) for test in self.paired.settings.tests}

    @property
    def significant(self) -> bool:
        """Whether the first test, corrected, says that it is no chance."""
        test = self.paired.settings.tests[0]
        return is_significant(self.family.p(self.paired, test)[self.at], self.paired.settings)

    @property
    def favours(self) -> int:
        """1 if the first test's statistic is on the side of the system, −1 of the baseline, 0 of neither."""
        return int(self.paired.favours(self.paired.settings.tests[0])[self.at])

    @property
    def effect_size(self) -> float:
        """Cohen's d of the paired differences."""
        return float(self.paired.effects[self.at])

    @property
    def counts(self) -> tuple[int, int, int]:
        """On how many lists the system is better than the baseline, equal to it, worse."""
        better, same, worse = self.paired.wins[self.at].tolist()
        return better, same, worse

    def power(self, difference: float) -> float:
        """How likely the t test finds a true difference of that size on so many lists that vary as these do."""
        return significance.power(self._effect(difference), self.paired.lists, alpha=self.paired.settings.alpha)

    def lists_needed(self, difference: float, *, power: float = 0.8) -> int | None:
        """The fewest lists on which the t test finds a true difference of that size with that power."""
        scale = self.paired.scale
        deviation, alpha = float(self.paired.deviations[self.at]), self.paired.settings.alpha
        return significance.lists_needed(difference / scale, deviation, alpha=alpha, wanted=power)

    @property
    def detectable(self) -> float:
        """The least true difference that the t test finds on so many lists with a power of 80 %."""
        deviation = float(self.paired.deviations[self.at]) * self.paired.scale
        return significance.detectable(self.paired.lists, alpha=self.paired.settings.alpha) * deviation

    def gains(self, most: int = 5) -> list[tuple[str, float]]:
        """The lists on which the system is better by most, and by how much its value differs."""
        return self._extremes(most, self.paired.sign)

    def losses(self, most: int = 5) -> list[tuple[str, float]]:
        """The lists on which the system is worse by most."""
        return self._extremes(most, -self.paired.sign)

    def _extremes(self, most: int, sign: int) -> list[tuple[str, float]]:
        first, second = self.paired.pairs[self.at]
        apart = self.paired.apart(first, second)
        order = np.argsort(-sign * apart, kind="stable")[: max(0, most)]
        values = self.paired.values[second] - self.paired.values[first]
        return [(self.paired.queries[i], float(values[i])) for i in order.tolist() if sign * apart[i] > 0]

    def _effect(self, difference: float) -> float:
        deviation = float(self.paired.deviations[self.at]) * self.paired.scale
        return abs(difference) / deviation if deviation > 0 else math.nan


class Paired:
    """One measure of all systems, on the lists that all have a value for."""

    def __init__(
        self,
        given: str,
        measure: Measure,
        names: Sequence[str],
        values: Values,
        queries: Sequence[str],
        folds: npt.NDArray[np.intp] | None,
        pairs: Pairs,
        settings: Settings,
    ) -> None:
        undefined = np.isnan(values)
        known = np.asarray(~undefined.any(axis=0))
        self.given = given
        self.measure = measure
        self.names = tuple(names)
        self.values = np.ascontiguousarray(values[:, known])
        """Of each system (row) the value of each list."""
        self.queries = [query for query, keep in zip(queries, known.tolist(), strict=True) if keep]
        self.partly = int((undefined.any(axis=0) & ~undefined.all(axis=0)).sum())
        """Lists left out because some of the systems have no value there."""
        self.nowhere = int(undefined.all(axis=0).sum())
        """Lists left out by the convention, in all systems."""
        self.folds = None if folds is None else folds[known]
        self.pairs = pairs
        self.settings = settings
        self._p: dict[str, Values] = {}
        self._bootstraps: dict[tuple[int, str], tuple[float, float]] = {}

    @property
    def lists(self) -> int:
        return len(self.queries)

    @property
    def sign(self) -> int:
        """1 if more is better, −1 if less is."""
        return 1 if self.measure.higher_is_better else -1

    @property
    def kind(self) -> str:
        """What kind of mean it is."""
        return self.measure.convention.mean

    @property
    def scale(self) -> float:
        """What turns a mean over lists into the value that is shown: their number, for a sum."""
        return float(self.lists) if self.kind == "sum" else 1.0

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def tested(self) -> Values:
        """What is averaged: the values, or their logarithms."""
        return np.log(np.maximum(self.values, 1e-5)) if self.kind == "geometric" else self.values

    # Systems.

    @cached_property
    def means(self) -> Values:
        """The value of each system."""
        means = self._of_systems[:, 0]
        return np.exp(means) if self.kind == "geometric" else means * self.scale

    @cached_property
    def mean_errors(self) -> Values:
        """The standard error of each system's mean; NaN of geometric means."""
        return np.full(len(self.names), math.nan) if self.kind == "geometric" else self._of_systems[:, 1] * self.scale

    def interval(self, system: int) -> tuple[float, float]:
        """The interval of a system's mean, by Student's t over the lists."""
        half = _quantile(float(self._of_systems[system, 2]), self.settings.level) * float(self.mean_errors[system])
        return float(self.means[system]) - half, float(self.means[system]) + half

    @cached_property
    def _of_systems(self) -> Values:
        return np.array([self._mean_and_error(row) for row in self.tested])

    def _mean_and_error(self, row: Values) -> tuple[float, float, float]:
        """The mean of values, its error, the error's degrees of freedom."""
        if self.folds is None:
            n, _, mean, deviation = _kernels.summary(row)
            return mean, (deviation / math.sqrt(n) if n > 1 else math.nan), n - 1
        return _of_folds([_kernels.summary(row[self.folds == fold]) for fold in np.unique(self.folds)])

    # Pairs.

    def apart(self, first: int | np.intp, second: int | np.intp) -> Values:
        """The differences of two systems, list by list."""
        found: Values = _apart(self.tested[None, first], self.tested[None, second])[0]
        return found

    @cached_property
    def _moments(self) -> tuple[Values, Values, Values]:
        """Of each pair the mean difference, its standard error, the error's degrees of freedom."""
        if self.folds is None:
            n = self.lists
            means = self._of_pairs(lambda d: np.asarray(d.mean(axis=1))) if n else np.full(len(self), math.nan)
            return means, self.deviations / math.sqrt(max(1, n)), np.full(len(self), n - 1.0)
        found = [self._mean_and_error(np.ascontiguousarray(self.apart(*pair))) for pair in self.pairs]
        means, errors, freedom = np.array(found).reshape(-1, 3).T
        return means, errors, freedom

    @cached_property
    def deviations(self) -> Values:
        """The standard deviation of each pair's differences."""
        if self.lists < 2:
            return np.full(len(self), math.nan)
        return self._of_pairs(lambda d: np.asarray(d.std(axis=1, ddof=1)))

    @cached_property
    def differences(self) -> Values:
        """The difference of each pair's means."""
        if self.kind == "geometric":
            first, second = self.pairs.T
            return np.asarray(self.means[second] - self.means[first])
        return self._moments[0] * self.scale

    @cached_property
    def errors(self) -> Values:
        """The standard error of each difference; NaN of geometric means."""
        return np.full(len(self), math.nan) if self.kind == "geometric" else self._moments[1] * self.scale

    @cached_property
    def effects(self) -> Values:
        """Cohen's d of each pair."""
        return self._of_pairs(significance.effect_size)

    @cached_property
    def wins(self) -> npt.NDArray[np.int64]:
        """Of each pair on how many lists the second is better, equal, worse."""

        def count(d: Values) -> npt.NDArray[np.int64]:
            signs = self.sign * np.sign(d)
            return np.stack([(signs > 0).sum(axis=1), (signs == 0).sum(axis=1), (signs < 0).sum(axis=1)], axis=1)

        chunks = [count(d) for d in self._chunks()]
        return np.concatenate(chunks) if chunks else np.zeros((0, 3), dtype=np.int64)

    def freedom_quantile(self, at: int) -> float:
        return _quantile(float(self._moments[2][at]), self.settings.level)

    def bootstrap(self, at: int, kind: str) -> tuple[float, float]:
        """The bootstrap interval of a difference; within folds if there are any, NaN of geometric means."""
        if (at, kind) not in self._bootstraps:
            self._bootstraps[at, kind] = self._bootstrapped(at, kind)
        return self._bootstraps[at, kind]

    def _bootstrapped(self, at: int, kind: str) -> tuple[float, float]:
        if self.kind == "geometric" or self.lists < 2:
            return math.nan, math.nan
        d, s = self.apart(*self.pairs[at]) * self.scale, self.settings
        if kind == "bca":
            if self.folds is not None:
                raise RankwiseError(message("the bca interval is not for folds", hint="bootstrap='percentile' is."))
            return bca_interval(d, level=s.level, resamples=s.resamples, seed=s.seed, threads=s.threads)
        parts = [d] if self.folds is None else [d[self.folds == fold] for fold in np.unique(self.folds)]
        drawn = [
            resampled_means(part, resamples=s.resamples, seed=(s.seed + at) % 2**64, threads=s.threads)
            for at, part in enumerate(parts)
        ]
        low, high = np.quantile(np.mean(drawn, axis=0), [s.alpha / 2, 1 - s.alpha / 2], method="nearest")
        return float(low), float(high)

    # Tests.

    def p(self, test: str) -> Values:
        """The p of each pair, for this measure and pair alone (Tukey's test: for all systems)."""
        if test not in self._p:
            self._p[test] = self._tested(test) if self.lists else np.full(len(self), math.nan)
        return self._p[test]

    def _tested(self, test: str) -> Values:
        if test == "randomisation":
            s = self.settings
            return significance.randomisation(
                self._weighed(), self.pairs, permutations=s.permutations, seed=s.seed, threads=s.threads
            )
        if test == "tukey":
            # Of two equal rows the difference must be 0, not rounding.
            return significance.tukey(self.tested, self.pairs)
        if test == "t" and self.folds is not None:
            return self._t_of_folds()
        rows = {"t": significance.paired_t, "wilcoxon": significance.wilcoxon, "sign": significance.sign}[test]
        return self._of_pairs(rows)

    def favours(self, test: str) -> npt.NDArray[np.int64]:
        """For each pair 1 if the test's statistic is on the side of the second, −1 of the first, 0 of neither.

        A system may be better on most lists and worse in the mean.
        """
        if test == "sign":
            return np.asarray(np.sign(self.wins[:, 0] - self.wins[:, 2]))
        found = self._of_pairs(significance.signed_ranks) if test == "wilcoxon" else self.differences
        return (self.sign * np.sign(np.nan_to_num(found))).astype(np.int64)

    def _weighed(self) -> Values:
        """Values whose mean over all lists is the mean of the folds' means."""
        if self.folds is None:
            return self.tested
        _, at, sizes = np.unique(self.folds, return_inverse=True, return_counts=True)
        return np.asarray(self.tested * (self.lists / (len(sizes) * sizes[at])), dtype=np.float64)

    def _t_of_folds(self) -> Values:
        from scipy.special import stdtr

        means, errors, freedom = self._moments
        with np.errstate(divide="ignore", invalid="ignore"):
            p = 2 * stdtr(freedom, -np.abs(means) / errors)
        # Within each fold all differ alike, or all are the same.
        p = np.where(errors <= 1e-14 * np.abs(means), 0.0, p)
        return np.where(self.wins[:, 1] == self.lists, 1.0, p)

    def shifted(self, system_gains: float, against: int) -> Paired:
        """The same, with every system but one less by some amount: its tests are of differences of that size."""
        if self.kind == "geometric":
            hint = "leave out the number, or 'significantly'."
            raise MeasureError(message(f"{self.given} is a geometric mean, which cannot be shifted", hint=hint))
        values = self.values - system_gains / self.scale
        values[against] = self.values[against]
        about = self.given, self.measure, self.names
        return Paired(*about, values, self.queries, self.folds, self.pairs, self.settings)

    def _of_pairs(self, statistic: Callable[[Values], Values]) -> Values:
        found = [statistic(d) for d in self._chunks()]
        return np.concatenate(found) if found else np.zeros(0)

    def _chunks(self) -> Iterator[Values]:
        """The differences of some pairs after the other, pairs × lists."""
        rows = max(1, _AT_ONCE // max(1, self.lists))
        for start in range(0, len(self), rows):
            first, second = self.pairs[start : start + rows].T
            yield _apart(self.tested[first], self.tested[second])


class Family:
    """The tests that are corrected together: all pairs under all measures, and in all segments."""

    def __init__(self, members: Sequence[Paired], correction: str) -> None:
        self.members = tuple(members)
        self.correction = correction
        self._found: dict[str, list[Values]] = {}

    def __len__(self) -> int:
        return sum(map(len, self.members))

    def p(self, member: Paired, test: str) -> Values:
        """The corrected p of each pair of one of the members."""
        if test not in self._found:
            self._found[test] = self._corrected(test)
        at = next(i for i, one in enumerate(self.members) if one is member)
        return self._found[test][at]

    def _corrected(self, test: str) -> list[Values]:
        raw = [member.p(test) for member in self.members]
        if test == "tukey":
            # It has taken care of the pairs; what remains are the measures.
            times = 1 if self.correction == "none" else len(raw)
            return [np.minimum(1.0, p * times) for p in raw]
        joint = significance.correct(np.concatenate(raw), self.correction)
        return np.split(joint, np.cumsum([len(p) for p in raw])[:-1])

    def instead_of(self, member: Paired, other: Paired) -> Family:
        """The family with another member in the place of one."""
        return Family([other if one is member else one for one in self.members], self.correction)


def is_significant(p: float, settings: Settings) -> bool:
    return bool(p < settings.alpha)


def _apart(first: Values, second: Values) -> Values:
    """Second less first; what differs by rounding alone does not differ."""
    found = second - first
    found[np.abs(found) <= _ROUNDING * (np.abs(first) + np.abs(second))] = 0.0
    return found


def _of_folds(folds: Sequence[tuple[int, float, float, float]]) -> tuple[float, float, float]:
    """The mean of the folds' means, its error in quadrature, Welch's and Satterthwaite's degrees of freedom."""
    if not folds:
        return math.nan, math.nan, math.nan
    mean = math.fsum(mean for _, _, mean, _ in folds) / len(folds)
    if any(n < 2 for n, _, _, _ in folds):
        return mean, math.nan, math.nan
    squares = [deviation * deviation / n for n, _, _, deviation in folds]
    total = math.fsum(squares)
    below = math.fsum(square * square / (n - 1) for square, (n, *_) in zip(squares, folds, strict=True))
    freedom = total * total / below if below > 0 else float(sum(n - 1 for n, *_ in folds))
    return mean, math.sqrt(total) / len(folds), freedom


def _quantile(freedom: float, level: float) -> float:
    """How many standard errors an interval extends to either side."""
    if not freedom >= 1:
        return math.nan
    if freedom == int(freedom):
        return t_quantile((1 + level) / 2, int(freedom))
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))
