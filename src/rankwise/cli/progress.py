"""What long work tells while it runs, on standard error, and how it is stopped from the keyboard."""

from __future__ import annotations

import math
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rankwise.learners.curve import Step

__all__ = ["Interrupts", "Line", "Progress", "duration"]


class Line:
    """One living line on a terminal; in a log plain lines, of which the caller says which are worth one."""

    def __init__(self, stream: TextIO | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.clock = clock
        # What a terminal without moves of the cursor shows, such as that of an editor, is a log.
        self.lives = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self.shown = False
        self.last = -math.inf

    def show(self, text: str, *, worth_a_line: bool) -> None:
        """`worth_a_line`: whether a log gets it; a terminal shows ten a second at most, and those."""
        now = self.clock()
        if not self.lives:
            if worth_a_line:
                self.stream.write(f"{text}\n")
                self.last = now
        elif worth_a_line or now - self.last >= 0.1:
            width = shutil.get_terminal_size().columns
            self.stream.write(f"\r\x1b[K{text[: width - 1]}")
            self.shown, self.last = True, now
        self.stream.flush()

    def since_last(self) -> float:
        return self.clock() - self.last

    def end(self) -> None:
        """Leaves what was shown last where it stands."""
        if self.shown:
            self.stream.write("\n")
            self.stream.flush()
        self.shown = False


class Progress:
    """Tells of the steps of a training: number, training and validation value, the best, the time left.

    A log gets the first step, each tenth part of them, and whatever comes a minute after the last line.
    """

    def __init__(self, line: Line) -> None:
        self.line = line
        self.values: dict[int, float] = {}
        self.first: Step | None = None
        self.told: Step | None = None

    def __call__(self, step: Step) -> None:
        if self.first is None:
            self.first = step
        validated = not math.isnan(step.validation)
        self.values = {step.best: self.values.get(step.best, math.nan)}
        if step.best == step.number:
            self.values[step.number] = step.validation if validated else step.training
        self.told = step
        self.line.show(self._text(step), worth_a_line=self._is_worth_a_line(step))

    def _is_worth_a_line(self, step: Step) -> bool:
        tenth = max(step.of // 10, 1)
        return step is self.first or step.number % tenth == 0 or step.number == step.of or self.line.since_last() >= 60

    def _text(self, step: Step) -> str:
        parts = [f"step {step.number:,} of {step.of:,}", f"training {_value(step.training)}"]
        if not math.isnan(step.validation):
            parts.append(f"validation {_value(step.validation)}")
            best = self.values[step.best]
            at = "this step" if step.best == step.number else f"step {step.best:,}"
            parts.append(f"best at {at}" if math.isnan(best) else f"best {_value(best)} at {at}")
        left = self._left(step)
        parts.append(f"{duration(step.seconds)}, {left}" if left else duration(step.seconds))
        return " · ".join(parts)

    def _left(self, step: Step) -> str:
        """What all steps would take yet, by the pace of this run; the training may end before."""
        if self.first is None or step.number == self.first.number or step.number >= step.of:
            return ""
        pace = (step.seconds - self.first.seconds) / (step.number - self.first.number)
        return f"at most {duration(pace * (step.of - step.number))} left"

    def end(self) -> None:
        self.line.end()


class Interrupts:
    """The first signal to stop ends a training after its step, the second at once.

    Is a callback of the training; `signal` is what came, or 0.
    """

    def __init__(self, line: Line) -> None:
        self.line = line
        self.signal = 0

    def __enter__(self) -> Interrupts:
        self.before = {number: signal.signal(number, self._came) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def __call__(self, step: Step) -> bool:
        return bool(self.signal)

    def _came(self, number: int, frame: FrameType | None) -> None:
        if self.signal:
            raise KeyboardInterrupt
        self.signal = number
        self.line.end()
        self.line.stream.write("rankwise: stopping after this step; once more stops at once\n")
        self.line.stream.flush()


def duration(seconds: float) -> str:
    """A time in words of about two figures.

    >>> duration(0.25), duration(42.4), duration(150), duration(9000)
    ('0.2 s', '42 s', '2 min 30 s', '2 h 30 min')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def _value(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.4f}"
