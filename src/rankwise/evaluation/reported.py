"""What was reported: numbers without their convention, and how they were printed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, MeasureError, RankwiseError, message
from rankwise.evaluation.result import Result
from rankwise.measures.base import Measure
from rankwise.measures.parse import measure as parse

__all__ = ["SAME", "Number", "Reported", "at_cut", "checked_results", "numbers"]

Values = npt.NDArray[np.float64]
# {measure: number}, or of several runs {run: {measure: number}}.
Reported = Mapping[str, Any]

# Means that are nearer to each other than this are one value, whatever the order in which they were added up.
SAME = 1e-9
# Measures that may exceed 1, and those that may be below 0.
_UNBOUNDED = (
    "DCG", "NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelRet", "Utility", "FirstRelevant", "WARPLoss",
)  # fmt: skip
_SIGNED = ("Tau", "Spearman", "Utility", "Bpref", "DCG")


@dataclass(frozen=True, slots=True)
class Number:
    """One reported number: which measure of which run, and how it was printed."""

    run: str
    text: str
    measure: Measure
    value: float
    digits: int
    truncated: bool
    # Of which results it is the mean.
    places: tuple[int, ...]

    @property
    def called(self) -> str:
        return f"{self.text} of {self.run}" if self.run else self.text

    def fits(self, means: Values) -> npt.NDArray[np.bool_]:
        """Whether each mean is printed as this number."""
        unit = 10.0**-self.digits
        low, high = (0.0, unit) if self.truncated else (-unit / 2, unit / 2)
        with np.errstate(invalid="ignore"):
            return np.asarray((means >= self.value + low - SAME) & (means <= self.value + high + SAME))

    def printed(self, means: Values) -> Values:
        """The means as they would be printed."""
        if self.truncated:
            return np.floor(means * 10.0**self.digits + SAME)
        return np.array([float(f"{mean:.{self.digits}f}") for mean in means.tolist()])


# The doors.


def checked_results(results: Any) -> list[Result]:
    found = [results] if isinstance(results, Result) else list(results) if isinstance(results, Iterable) else []
    if not found or not all(isinstance(one, Result) for one in found):
        hint = "identify(evaluate(qrels, run), {'nDCG@10': 0.2266})."
        raise DataError(message("a result of `evaluate` is needed, or several", hint=hint))
    return found


def numbers(
    results: Sequence[Result], reported: Reported, digits: int, truncated: bool, mean_of_folds: bool
) -> list[Number]:
    """Each reported number with the results that it is of."""
    if isinstance(digits, bool) or not isinstance(digits, (int, np.integer)) or not 1 <= digits <= 15:
        raise RankwiseError(message(f"digits lies between 1 and 15, not at {digits!r}"))
    if not isinstance(reported, Mapping) or not reported:
        hint = "give {'nDCG@10': 0.2266}."
        raise RankwiseError(message("no reported number is given", hint=hint))
    everywhere = tuple(range(len(results)))
    tables = [isinstance(one, Mapping) for one in reported.values()]
    if any(tables) and not all(tables):
        raise RankwiseError(message("numbers stand beside tables of runs", hint="give {run: {measure: number}}."))
    if not any(tables):
        if len(results) > 1 and not mean_of_folds:
            what = f"there are {len(results)} results, and whose the numbers are is not said"
            hint = (
                "give {run: {measure: number}} (`--reported-table`), or mean_of_folds=True (`--mean-of-folds`) if each "
                "is the mean over these results."
            )
            raise RankwiseError(message(what, hint=hint))
        return [_number("", text, value, digits, truncated, everywhere) for text, value in reported.items()]
    if mean_of_folds:
        what = "a mean of folds is a number of all results together, and numbers of single runs are given"
        raise RankwiseError(message(what, hint="give {measure: number}."))
    return [
        _number(run, text, value, digits, truncated, (_place(results, run),))
        for run, table in reported.items()
        for text, value in table.items()
    ]


def _place(results: Sequence[Result], run: str) -> int:
    names = [result.name for result in results]
    if names.count(run) != 1:
        known = ", ".join(repr(name) for name in names)
        what = f"there is no run '{run}'" if run not in names else f"there are several runs '{run}'"
        raise DataError(message(what, hint=f"the runs are {known}; evaluate(…, name=…) names one."))
    return names.index(run)


def _number(run: str, text: Any, value: Any, digits: int, truncated: bool, places: tuple[int, ...]) -> Number:
    measure = _measure(text)
    if isinstance(value, str):
        digits = _digits_of(text, value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise RankwiseError(message(f"{text}: {value!r} is not a number")) from None
    if abs(round(number, digits) - number) > 1e-9 * 10.0**-digits:
        hint = f"give the number as text, '{value}', or digits=."
        raise RankwiseError(message(f"{text}: {value} has more than the {digits} digits that were printed", hint=hint))
    _refuse_out_of_range(text, measure, number)
    return Number(run, text, measure, number, digits, truncated, places)


def _digits_of(text: str, value: str) -> int:
    """How many decimals a number shows."""
    whole, dot, decimals = value.strip().partition(".")
    if not dot or not decimals.isascii() or not decimals.isdigit() or not whole.lstrip("+-").isascii():
        what = "shows no decimals" if not dot and whole.isdecimal() else "is not a number with a point and decimals"
        hint = "write it with the decimals that were printed, like 0.2266; a percentage as a share."
        raise RankwiseError(message(f"{text}: '{value}' {what}", hint=hint))
    if len(decimals) > 15:
        raise RankwiseError(message(f"{text}: '{value}' has more decimals than a number holds, which is 15"))
    return len(decimals)


def _measure(text: Any) -> Measure:
    """The measure of a reported number, whose convention is not known."""
    measure = parse(text)
    if measure.convention.name != "standard" or ":" in text.partition("(")[0]:
        hint = f"write {text.partition(':')[2]}; to see one convention, evaluate it."
        raise MeasureError(message(f"'{text}' names a convention, which is what is looked for", hint=hint))
    if measure != type(measure)(measure.k, **measure._parameters()):
        hint = f"write {at_cut(type(measure)(**measure._parameters()), measure.k)}."
        raise MeasureError(message(f"'{text}' makes choices of a convention, which is what is looked for", hint=hint))
    return measure


def _refuse_out_of_range(text: str, measure: Measure, value: float) -> None:
    if not math.isfinite(value):
        raise RankwiseError(message(f"{text}: {value} is no value of a measure"))
    if value > 1 and measure.name not in _UNBOUNDED:
        hint = f"a percentage is written as a share: {value / 100:g}." if value <= 100 else ""
        raise RankwiseError(message(f"{text}: {value:g} is out of range, {measure.name} is at most 1", hint=hint))
    if value < 0 and measure.name not in _SIGNED:
        raise RankwiseError(message(f"{text}: {value:g} is out of range, {measure.name} is never negative"))


def at_cut(measure: Measure, k: int | None) -> str:
    """What a measure is called at another cut-off."""
    return str(type(measure)(k, convention=measure.convention, **measure._parameters()))
