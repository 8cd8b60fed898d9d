"""RBP: rank-biased precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.errors import ConventionError, MeasureError, message
from rankwise.measures.base import Measure, Present
from rankwise.measures.convention import Convention, Labels, is_finite

__all__ = ["RBP"]


class RBP(Measure):
    r"""Rank-biased precision: what a reader gains per document who goes on to the next one with probability p.

    .. math:: \mathrm{RBP@}k = (1 - p) \sum_{i=1}^{\min(k, n)} g_i \, p^{\,i-1}

    Moffat & Zobel 2008 (`moffat2008`). g is 1 for a relevant document (convention: `rel`), as in ir_measures; with
    `graded=True` the gain of its label over that of the greatest grade (convention: `gain`, `gmax`), or over the
    greatest of a gain table, or as it is (`gmax='none'`). Never undefined, and never normalised: what lies below the
    cut-off, or below the end of the list, counts as worthless, so that k documents score at most 1 − p^k.
    Under `ties='expected'` each tied document gains its block's mean.

    >>> RBP(p=0.5).of([1, 0, 1]), RBP(p=0.5, k=2).of([1, 1, 1])
    (0.625, 0.75)
    >>> RBP(p=0.5, graded=True, gain="linear", gmax=2).of([1, 2])
    0.5
    """

    __slots__ = ("graded", "p")
    name = "RBP"
    formula = "dcg"
    document_weights = "worth"
    p: float
    graded: bool

    def __init__(
        self,
        k: int | None = None,
        *,
        p: float = 0.8,
        graded: bool = False,
        convention: Convention | str | None = None,
        **choices: Any,
    ) -> None:
        super().__init__(k, convention=convention, **choices)
        if not (is_finite(p) and 0 <= p < 1):
            raise MeasureError(message(f"the persistence p of RBP is a number from 0 to below 1, not {p!r}"))
        if not isinstance(graded, (bool, np.bool_)):
            raise MeasureError(message(f"graded is True or False, not {graded!r}"))
        object.__setattr__(self, "p", float(p))
        object.__setattr__(self, "graded", bool(graded))

    @property
    def axes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Labels are read through the gain if grades count, else through the threshold."""
        return ("gain", "outside", "gmax", "cut") if self.graded else ("rel", "cut")

    def _parameters(self) -> dict[str, Any]:
        # Without its p the number cannot be compared, so that it is always said.
        return {"p": self.p, "graded": True} if self.graded else {"p": self.p}

    def discounts(self, depth: int) -> Labels:
        discounts: Labels = (1 - self.p) * self.p ** np.arange(depth, dtype=np.float64)
        return discounts

    def worth(self, labels: Labels, present: Present) -> Labels:
        if not self.graded:
            return super().worth(labels, present)
        gains, most = self.convention.gains(labels, present), self._greatest_gain()
        above = (gains > most) & present()
        if self.convention.outside == "error" and above.any():
            label = labels[above][-1]
            what = f"label {label:g} gains more than RBP's greatest gain, {most:g} (convention {self.convention.name})"
            hint = f"give the greatest grade there can be: RBP(graded=True, gmax={label:g})."
            raise ConventionError(message(what, hint=hint))
        return gains / most

    def _greatest_gain(self) -> float:
        c = self.convention
        if isinstance(c.gmax, str):
            return 1.0
        table = [gain for _, gain in c.gain] if isinstance(c.gain, tuple) else c.gains(np.array([c.gmax])).tolist()
        most = max(table)
        if not 0 < most < np.inf:
            what = f"the greatest gain of RBP is {most:g}, which no gain can be divided by"
            raise ConventionError(message(what, hint="mend `gain` or `gmax`."))
        return float(most)
