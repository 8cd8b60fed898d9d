"""What is RankLib 2.10's own in `RankBoost(compat="ranklib")`: its thresholds.

Stumps only say that more is better. RankLib's printed training measure is that of lists sorted by label beforehand, in
which ties stand in the best order; here the training value is the measure's. A stump that is right about every pair has
an infinite α there, a finite one here.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, message
from rankwise.learners.training import Training

__all__ = ["refuse_missing", "thresholds"]

Table = npt.NDArray[np.float32]


def thresholds(table: Table, steps: int | None) -> list[npt.NDArray[np.float64]]:
    """Of each feature, ascending: all values, or steps of equal width from the greatest down and one below all."""
    if steps is None:
        return [np.unique(column).astype(np.float64) for column in table.T]
    return [_steps(float(column.max()), float(column.min()), steps) for column in table.T]


def _steps(most: float, least: float, steps: int) -> npt.NDArray[np.float64]:
    # The greatest is looked for from −10⁶ up, the least from 10⁶ down. Steps are subtracted one by one, and their
    # rounding adds up.
    most, least = max(most, -1e6), min(least, 1e6)
    width = abs(most - least) / steps
    falling = [most]
    for _ in range(1, steps):
        falling.append(falling[-1] - width)
    return np.unique([*falling, least - 1e8])


def refuse_missing(data: Training) -> None:
    if np.isnan(data.table).any():
        hint = "write 0 for missing values, as RankLib reads them."
        raise DataError(message("compat='ranklib' has no place for missing values", hint=hint))
