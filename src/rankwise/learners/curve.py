"""The learning curve: what each step was worth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from rankwise.evaluation.table import Table

__all__ = ["Callback", "Checkpoint", "Curve", "Step"]


class Step(NamedTuple):
    """One step of a training; a value that nobody asked for is NaN."""

    number: int
    """Counted from 1."""
    of: int
    """At most so many steps."""
    training: float
    """The training measure on the lists that are learnt from."""
    validation: float
    """The selecting measure on the validation lists."""
    best: int
    """The number of the best step so far."""
    seconds: float
    """Since the training began, with what it took before it was resumed."""


Callback = Callable[[Step], object]
"""Is told of each step; the training stops if it returns True."""


class Checkpoint(Protocol):
    """What keeps snapshots of a training; `rankwise.FileCheckpoint` keeps them in a file."""

    @property
    def place(self) -> str: ...
    def load(self) -> tuple[dict[str, Any], dict[str, Any]] | None: ...
    def is_due(self) -> bool: ...
    def save(self, header: dict[str, Any], columns: dict[str, Any]) -> None: ...


class Curve:
    """All steps of a training, and which of them was kept.

    >>> curve = Curve([Step(1, 2, 0.50, 0.40, 1, 0.1), Step(2, 2, 0.60, 0.38, 1, 0.2)], best=1)
    >>> curve.training, curve.best
    (array([0.5, 0.6]), 1)
    >>> print(curve)
    step  training  validation
       1    0.5000      0.4000  ← kept
       2    0.6000      0.3800
    """

    def __init__(self, steps: Iterable[Step], best: int) -> None:
        self.steps = tuple(steps)
        self.best = best

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def training(self) -> npt.NDArray[np.float64]:
        return np.array([step.training for step in self.steps])

    @property
    def validation(self) -> npt.NDArray[np.float64]:
        return np.array([step.validation for step in self.steps])

    @property
    def seconds(self) -> npt.NDArray[np.float64]:
        return np.array([step.seconds for step in self.steps])

    def __str__(self) -> str:
        shown = _spread(len(self.steps), self.best)
        rows = [
            [
                f"{step.number}",
                _value(step.training),
                _value(step.validation),
                "← kept" if step.number == self.best else "",
            ]
            for step in (self.steps[at] for at in shown)
        ]
        text = str(Table(["step", "training", "validation", ""], rows, left=frozenset({3})))
        return "\n".join(line.rstrip() for line in text.splitlines())

    __repr__ = __str__


def _spread(count: int, best: int, most: int = 20) -> list[int]:
    """At most about `most` places, the first, the last and the best among them."""
    if count <= most:
        return list(range(count))
    return sorted({*np.linspace(0, count - 1, most).round().astype(int).tolist(), max(best - 1, 0)})


def _value(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.4f}"
