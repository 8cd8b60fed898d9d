"""The squared loss of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankwise.losses.pairs import PairLoss

__all__ = ["PairSquared"]


@dataclass(frozen=True, kw_only=True)
class PairSquared(PairLoss):
    r"""How far the margin of each pair is from the one wanted, squared.

    .. math:: \frac{1}{|\{i, j : y_i > y_j\}|} \sum_{y_i > y_j} (\mathrm{margin} - (s_i - s_j))^2

    Pairs too far apart are regretted like those too close. 0 for a list without a pair. `total='sum'` does not divide.

    >>> float(PairSquared()([0.5, 0.0], [1, 0], [0, 2]))
    0.25
    """

    margin: float = 1.0

    def of_margin(self, margin: Any) -> Any:
        return (self.margin - margin) ** 2
