"""ERR: expected reciprocal rank."""

from __future__ import annotations

import numpy as np

from rankwise.errors import LabelError
from rankwise.measures.base import Measure, Present
from rankwise.measures.convention import Labels

__all__ = ["ERR"]


class ERR(Measure):
    r"""Expected reciprocal rank of the document at which a reader stops.

    .. math:: \mathrm{ERR@}k = \sum_{i=1}^{\min(k, n)} \frac{1}{i} \, p_i \prod_{j<i} (1 - p_j),
              \qquad p = \frac{2^{l} - 1}{2^{g_\max}}

    Chapelle et al. 2009 (`chapelle2009`), with the greatest grade `gmax` given by the convention, 4 unless it says
    otherwise, because one that is read off the data makes numbers of two data sets incomparable; where it is `none`,
    a label is itself the chance p. Never undefined (but for a quirk).
    Expected value over ties: elementary symmetric means of 1 − p.

    >>> ERR().of([4, 0]), ERR(gmax="none").of([0.5, 1])
    (0.9375, 0.75)
    """

    __slots__ = ()
    name = "ERR"
    formula = "err"
    axes = ("gmax", "outside", "cut", "quirks")

    def worth(self, labels: Labels, present: Present) -> Labels:
        c = self.convention
        read = c.read(labels)
        chance = self._chances(read)
        chance[np.isnan(labels)] = 0.0
        if c.negative == "zero":
            chance[labels < 0] = 0.0
        if c.outside == "error":
            greatest = 1.0 if isinstance(c.gmax, str) else c.gmax
            above = (read > greatest) & present()
            if above.any():
                why = f"is above the greatest {self._whose()} of ERR, {greatest:g}"
                hint = f"give the greatest grade there can be: ERR(gmax={labels[above][-1]:g})."
                raise LabelError.of(float(labels[above][0]), why, convention=c.name, hint=hint)
        odd = ~np.isfinite(chance)
        if (odd & present()).any():
            why = f"has no finite chance in ERR under the greatest grade {c.words('gmax')}"
            hint = "ERR takes grades such as 0 to 4, and stops at 2^grade − 1."
            raise LabelError.of(float(labels[odd & present()][0]), why, convention=c.name, hint=hint)
        chance[odd] = 0.0
        return chance

    def _chances(self, read: Labels) -> Labels:
        gmax = self.convention.gmax
        if isinstance(gmax, str):
            return read.astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            chances: Labels = (np.exp2(read) - 1) / np.exp2(gmax)
        return chances

    def _whose(self) -> str:
        return "chance" if isinstance(self.convention.gmax, str) else "grade"
