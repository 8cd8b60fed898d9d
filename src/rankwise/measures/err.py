"""ERR: expected reciprocal rank."""

from __future__ import annotations

import numpy as np

from rankwise.errors import ConventionError, message
from rankwise.measures.base import Measure, Present
from rankwise.measures.convention import Labels

__all__ = ["ERR"]


class ERR(Measure):
    r"""Expected reciprocal rank of the document at which a reader stops.

    .. math:: \mathrm{ERR@}k = \sum_{i=1}^{\min(k, n)} \frac{1}{i} \, p_i \prod_{j<i} (1 - p_j),
              \qquad p = \frac{2^{l} - 1}{2^{g_\max}}

    Chapelle et al. 2009 (`chapelle2009`), with the greatest grade `gmax` given by the convention, 4 unless it says
    otherwise, because one that is read off the data makes numbers of two data sets incomparable. Never undefined.
    Expected value over ties: elementary symmetric means of 1 − p.

    >>> ERR().of([4, 0])
    0.9375
    """

    __slots__ = ()
    name = "ERR"
    formula = "err"
    axes = ("gmax", "outside", "cut")

    def worth(self, labels: Labels, present: Present) -> Labels:
        c = self.convention
        with np.errstate(over="ignore", invalid="ignore"):
            chance: Labels = (np.exp2(c.read(labels)) - 1) / np.exp2(c.gmax)
        chance[np.isnan(labels)] = 0.0
        if c.negative == "zero":
            chance[labels < 0] = 0.0
        if c.outside == "error":
            above = (c.read(labels) > c.gmax) & present()
            if above.any():
                what = (
                    f"label {labels[above][0]:g} is above the greatest grade of ERR, {c.gmax:g} (convention {c.name})"
                )
                raise ConventionError(
                    message(what, hint=f"give the greatest grade there can be: ERR(gmax={labels[above][-1]:g}).")
                )
        odd = ~np.isfinite(chance)
        if (odd & present()).any():
            what = (
                f"label {labels[odd & present()][0]:g} has no finite chance in ERR under the greatest grade {c.gmax:g}"
            )
            raise ConventionError(message(what, hint="ERR takes grades such as 0 to 4, and stops at 2^grade − 1."))
        chance[odd] = 0.0
        return chance
