"""GradedAP: average precision for readers who differ in what they call relevant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankwise.errors import MeasureError, message
from rankwise.measures.average_precision import AP
from rankwise.measures.base import Present
from rankwise.measures.convention import Convention, Labels, is_finite

__all__ = ["GradedAP"]


class GradedAP(AP):
    r"""Graded average precision: AP, expected over readers for whom documents are relevant from some grade on.

    .. math:: \mathrm{GAP@}k = \frac{1}{\sum_{j} G(l_j)}
              \sum_{i=1}^{\min(k, n)} \frac{1}{i} \sum_{j \le i} \min \bigl( G(l_i), G(l_j) \bigr),
              \qquad G(l) = \sum_{t \le l} g_t

    Robertson, Kanoulas & Yilmaz 2010 (`robertson2010`). `g` says for each grade t with which probability a reader's
    threshold lies there, so that G(l) is the chance that a document of label l is relevant; the normalising sum runs
    over all judged documents (convention: `ideal`), or over the first k of the ideal list, or over the first k
    (convention: `ap_over`). Without `g` every whole grade from 1 is as likely as any other: G(l) is l, rounded down,
    up to a factor that does not matter. With one grade it is AP. *Empty* where no judged document can be relevant.
    Expected value over ties: as for AP, with the mean of min(G, G) over the pairs of a block.

    >>> round(GradedAP().of([1, 2]), 4), round(GradedAP().of([2, 1]), 4)
    (0.8333, 1.0)
    >>> GradedAP(g={1: 0, 2: 1}).of([1, 2])
    0.5
    """

    __slots__ = ("g",)
    name = "GradedAP"
    formula = "graded_average_precision"
    document_weights = ""
    axes = ("ideal", "ap_over", "empty", "cut")
    g: tuple[tuple[float, float], ...] | None

    def __init__(
        self,
        k: int | None = None,
        *,
        g: Mapping[float, float] | tuple[tuple[float, float], ...] | None = None,
        convention: Convention | str | None = None,
        **choices: Any,
    ) -> None:
        super().__init__(k, convention=convention, **choices)
        object.__setattr__(self, "g", None if g is None else _probabilities(g))

    def _parameters(self) -> dict[str, Any]:
        return {} if self.g is None else {"g": self.g}

    def worth(self, labels: Labels, present: Present) -> Labels:
        read = np.nan_to_num(self.convention.read(labels), nan=0.0)
        if self.g is None:
            chance: Labels = np.floor(np.maximum(read, 0.0))
        else:
            grades, probabilities = np.array(self.g).T
            chance = np.append(0.0, np.cumsum(probabilities))[np.searchsorted(grades, read, side="right")]
        return np.where(labels >= 0, chance, 0.0)


def _probabilities(g: Any) -> tuple[tuple[float, float], ...]:
    """Threshold probabilities by rising grade, or a refusal."""
    pairs = tuple(g.items()) if isinstance(g, Mapping) else g
    known = isinstance(pairs, tuple) and all(
        isinstance(p, tuple) and len(p) == 2 and all(map(is_finite, p)) for p in pairs
    )
    if not known or not all(grade > 0 and chance >= 0 for grade, chance in pairs):
        hint = "write it like g={1: 0.5, 2: 0.5}."
        raise MeasureError(message(f"g is a table {{grade above 0: probability}}, not {g!r}", hint=hint))
    if not abs(sum(chance for _, chance in pairs) - 1) < 1e-9:
        total = sum(chance for _, chance in pairs)
        raise MeasureError(message(f"the threshold probabilities g sum to {total:g}, not to 1"))
    return tuple(sorted((float(grade), float(chance)) for grade, chance in dict(pairs).items()))
