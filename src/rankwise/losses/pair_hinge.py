"""The hinge loss of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax

from rankwise.losses.pairs import PairLoss

__all__ = ["PairHinge"]


@dataclass(frozen=True, kw_only=True)
class PairHinge(PairLoss):
    r"""How much each pair lacks of the margin wanted.

    .. math:: \frac{1}{|\{i, j : y_i > y_j\}|} \sum_{y_i > y_j} \max(0, \mathrm{margin} - (s_i - s_j))

    Herbrich et al. 2000 (`herbrich2000`). 0 for a list without a pair. `total='sum'` does not divide.

    >>> float(PairHinge()([0.5, 0.0, 2.0], [2, 1, 0], [0, 3]))
    2.0
    """

    margin: float = 1.0

    def of_margin(self, margin: Any) -> Any:
        return jax.nn.relu(self.margin - margin)
