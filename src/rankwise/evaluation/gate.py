r"""Conditions on a comparison, for a gate: `nDCG@10 < baseline - 0.005`.

.. code-block:: text

    condition = MEASURE ("<" | "<=" | ">" | ">=") limit ["significantly"]
    limit     = "baseline" [("+" | "-") NUMBER] | NUMBER
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankwise.errors import DataError, MeasureError, RankwiseError, message
from rankwise.evaluation.paired import Paired, is_significant

if TYPE_CHECKING:
    from rankwise.evaluation.compare import Comparison

__all__ = ["Failure", "Gate"]

_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_LIMIT = re.compile(rf"(?:baseline(?:\s*(?P<sign>[+\-−])\s*(?P<offset>{_NUMBER}))?|(?P<number>-?{_NUMBER}))")
_HINT = "write 'nDCG@10 < baseline - 0.005', 'AP < 0.3' or 'nDCG@10 < baseline significantly'."


@dataclass(frozen=True, slots=True)
class Failure:
    """A system for which a condition holds."""

    system: str
    measure: str
    value: float
    relation: str
    limit: float
    """What the value is compared with."""
    words: str
    """What the limit is made of."""
    significantly: bool

    @property
    def by(self) -> float:
        """How far the value is beyond the limit."""
        return abs(self.value - self.limit)

    def __str__(self) -> str:
        limit = f"{self.limit:.6g}" if not self.words else f"{self.words} = {self.limit:.6g}"
        beyond = ", significantly" if self.significantly else ""
        return f"{self.system}: {self.measure} = {self.value:.6g} {self.relation} {limit}, by {self.by:.6g}{beyond}"


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition that no system may meet."""

    text: str
    measure: str
    relation: str
    number: float
    """What is compared with, or what is added to the baseline."""
    to_baseline: bool
    significantly: bool

    @classmethod
    def parse(cls, text: str) -> Gate:
        """A condition from its text.

        >>> gate = Gate.parse("RBP(p=0.8) <= baseline - 5e-3 significantly")
        >>> gate.measure, gate.relation, gate.number, gate.to_baseline, gate.significantly
        ('RBP(p=0.8)', '<=', -0.005, True, True)
        """
        parts = re.split(r"(<=|>=|<|>)", text)
        if len(parts) != 3 or not parts[0].strip():
            many = "no measure" if len(parts) == 3 else f"{len(parts) // 2 or 'no'} of <, <=, >, >="
            raise RankwiseError(message(f"'{text}' is no condition: it has {many}", hint=_HINT))
        measure, relation, rest = (part.strip() for part in parts)
        significantly = rest.endswith("significantly")
        limit = _LIMIT.fullmatch(rest.removesuffix("significantly").strip())
        if limit is None:
            what = f"'{text}' is no condition: '{rest}' is neither a number nor the baseline with a number"
            raise RankwiseError(message(what, hint=_HINT))
        sign = 1 if limit["sign"] in (None, "+") else -1
        number = float(limit["number"] or limit["offset"] or 0)
        return cls(text, measure, relation, sign * number, limit["number"] is None, significantly)

    def failures(self, comparison: Comparison) -> list[Failure]:
        """The systems that meet the condition; the baseline is none of them, unless a number is compared with."""
        paired = self._measure(comparison)
        if not self.to_baseline:
            return [f for at in range(len(paired.names)) if (f := self._to_number(paired, at)) is not None]
        if comparison.baseline is None:
            hint = "name the baseline, compare(…, baseline=…) or --baseline."
            raise RankwiseError(message(f"'{self.text}' needs a baseline, and there is none", hint=hint))
        found = [(at, self._to_baseline(paired, at, comparison.baseline)) for at in range(len(paired))]
        beyond = self._beyond_chance(comparison, paired) if self.significantly else [True] * len(paired)
        return [failure for at, failure in found if failure is not None and beyond[at]]

    def _measure(self, comparison: Comparison) -> Paired:
        try:
            return comparison[self.measure]
        except MeasureError as error:
            raise MeasureError(f"'{self.text}': {error}") from None

    def _to_number(self, paired: Paired, at: int) -> Failure | None:
        value = self._defined(paired, at)
        low, high = paired.interval(at)
        # An interval that is not known proves nothing.
        beyond = low > self.number or high < self.number
        holds = _COMPARED[self.relation](value, self.number) and (beyond or not self.significantly)
        return self._failure(paired, at, value, self.number, "") if holds else None

    def _to_baseline(self, paired: Paired, at: int, baseline: int) -> Failure | None:
        system = int(paired.pairs[at, 1])
        value, limit = self._defined(paired, system), self._defined(paired, baseline) + self.number
        if not _COMPARED[self.relation](value, limit):
            return None
        words = "baseline" if not self.number else f"baseline {'+' if self.number > 0 else '−'} {abs(self.number):g}"
        return self._failure(paired, system, value, limit, words)

    def _failure(self, paired: Paired, system: int, value: float, limit: float, words: str) -> Failure:
        return Failure(paired.names[system], paired.given, value, self.relation, limit, words, self.significantly)

    def _defined(self, paired: Paired, system: int) -> float:
        value = float(paired.means[system])
        if math.isnan(value):
            what = f"'{self.text}' cannot be checked: {paired.given} of {paired.names[system]} is undefined"
            raise DataError(message(what, hint="no list has a value under this convention in all systems."))
        return value

    def _beyond_chance(self, comparison: Comparison, paired: Paired) -> list[bool]:
        """Whether each difference is, by the first test, on this side of the limit, and no chance."""
        family, moved = comparison.family, paired
        if self.number:
            assert comparison.baseline is not None
            moved = paired.shifted(self.number, comparison.baseline)
            family = family.instead_of(paired, moved)
        test = comparison.settings.tests[0]
        p, side = family.p(moved, test), moved.favours(test) * moved.sign
        wanted = -1 if self.relation in ("<", "<=") else 1
        return [is_significant(one, comparison.settings) and at == wanted for one, at in zip(p, side, strict=True)]
