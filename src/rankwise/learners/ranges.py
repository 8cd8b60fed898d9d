"""What parameters of learners may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError, message

__all__ = ["choice", "number", "whole"]


def whole(name: str, value: Any, least: int) -> None:
    """Refuses what is no whole number from `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise RankwiseError(message(f"{name} must be a whole number from {least}, not {value!r}"))


def number(name: str, value: Any) -> None:
    """Refuses what is no finite number from 0."""
    is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not is_number or not 0 <= value < np.inf:
        raise RankwiseError(message(f"{name} must be a number from 0, not {value!r}"))


def choice(name: str, value: Any, choices: Sequence[Any]) -> None:
    """Refuses what is not one of the choices."""
    if value not in choices:
        allowed = " or ".join(repr(one) for one in choices)
        raise RankwiseError(message(f"{name} must be {allowed}, not {value!r}"))
