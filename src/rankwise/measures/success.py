"""Success: whether anything relevant was found."""

from __future__ import annotations

from rankwise.measures.base import Measure

__all__ = ["Success"]


class Success(Measure):
    r"""Success: 1 if a relevant document stands among the first k, else 0.

    .. math:: \mathrm{Success@}k = [\, \exists\, i \le k : l_i \text{ relevant} \,]

    trec_eval's `success`, where it is said to come from Stephen Tomlinson; elsewhere HitRate@k. Never undefined.

    >>> (Success @ 1).of([0, 1]), (Success @ 2).of([0, 1])
    (0.0, 1.0)
    """

    __slots__ = ()
    name = "Success"
    formula = "success"
    axes = ("rel", "cut")
