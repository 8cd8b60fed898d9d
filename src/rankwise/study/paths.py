"""A path of states that was walked once: trainings that differ in what chooses among their steps alone share it.

A learner that does not look at the training measure goes the same way whatever measure chooses on validation; only
where it stops and which step is kept differ. States are plain data that nobody changes, so that a second training may
take those that are there and go on from the last one. The loop, and with it all that it decides, is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rankwise.learners.plain import to_plain

if TYPE_CHECKING:
    from rankwise.learners.base import Learner

__all__ = ["MOST_BYTES", "Path"]

# Beyond this states are computed anew.
MOST_BYTES = 1 << 29


class Path:
    """The states of one training, each found by the one before it."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.left = most_bytes
        self.start: list[Any] = []
        # States are found by their identity, and held so that no other object takes it.
        self.after: dict[int, tuple[Any, Any]] = {}

    def along(self, learner: Learner) -> None:
        """The learner walks on this path from now on."""
        start, step = learner.start, learner.step
        own: Any = learner
        own.start = lambda data, rng: self._first(lambda: start(data, rng))
        own.step = lambda data, state, rng: self._next(learner, state, lambda: step(data, state, rng))

    def _first(self, compute: Callable[[], Any]) -> Any:
        if not self.start:
            self.start.append(compute())
        return self.start[0]

    def _next(self, learner: Learner, state: Any, compute: Callable[[], Any]) -> Any:
        if id(state) in self.after:
            return self.after[id(state)][1]
        after = compute()
        arrays: dict[str, Any] = {}
        to_plain(learner.pack(after), "", arrays)
        self.left -= sum(array.nbytes for array in arrays.values())
        if self.left >= 0:
            self.after[id(state)] = (state, after)
        return after
