"""A measure that a user wrote: a plain function of the labels of one list in ranked order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from rankwise.errors import MeasureError, message
from rankwise.measures.base import Measure, Present, literal
from rankwise.measures.convention import STANDARD, Convention, Labels, is_number

__all__ = ["PREFIX", "UserMeasure", "user_measure"]

# What stands before the name in the text form, which cannot be parsed back.
PREFIX = "user:"


def user_measure(
    name: str,
    function: Callable[[Labels], float],
    *,
    convention: Convention | str | None = None,
    **choices: Any,
) -> UserMeasure:
    """A measure of one's own, from a function of the labels of one list in ranked order.

    The function gets a NumPy array, in which NaN stands for a document without a judgment, and returns a number; NaN
    says that the list is empty, and the convention decides what it then scores. The array holds the documents of the
    list alone: what was judged but not retrieved is not in it. Labels are read as the convention says; of its other
    choices those count that are no part of a formula: the order of ties, empty, unjudged and missing lists, the mean.
    A function sees one order, so that the order of ties must be settled; it is that of the input unless another one is
    chosen.

    >>> import numpy as np
    >>> from rankwise import evaluate
    >>> first = user_measure("label on top", lambda labels: labels[0])
    >>> evaluate([1, 3, 2], [0.1, 0.5, 0.2], [first, "nDCG@3"]).means
    {"user:label on top(ties='input')": 3.0, 'nDCG@3': 1.0}
    """
    return UserMeasure(name=name, function=function, convention=convention, **choices)


class UserMeasure(Measure):
    """What `user_measure` makes: an immutable measure like any other, but that no text stands for it.

    Two of them are equal if their names, functions and conventions are; it pickles where its function does.
    """

    __slots__ = ("function", "name")
    formula = "function"
    axes = ("empty",)
    takes_k = False
    closed_form = False
    best_first = False
    preset_choices: ClassVar[dict[str, Any]] = {"ties": "input"}
    name: str  # type: ignore[misc]
    function: Callable[[Labels], float]

    def __init__(
        self,
        k: int | None = None,
        *,
        name: str,
        function: Callable[[Labels], float],
        convention: Convention | str | None = None,
        **choices: Any,
    ) -> None:
        if not isinstance(name, str) or not name.strip():
            raise MeasureError(message(f"the name of a user's measure is a text, not {name!r}"))
        if not callable(function):
            hint = "give a function of an array of labels, which returns a number."
            raise MeasureError(message(f"'{name}' needs a function, not {function!r}", hint=hint))
        object.__setattr__(self, "name", PREFIX + name.removeprefix(PREFIX))
        object.__setattr__(self, "function", function)
        super().__init__(k, convention=convention, **choices)

    @classmethod
    def _resolve(cls, convention: Convention | str | None, k: int | None) -> Convention:
        if not isinstance(convention, str):
            return super()._resolve(convention, k)
        from rankwise.measures.tools import PRESETS
        from rankwise.measures.tools import convention as named

        # The name of one's own measure is nothing to a tool.
        return named(convention).but(**cls.preset_choices) if convention in PRESETS else named(convention)

    def _parameters(self) -> dict[str, Any]:
        return {"name": self.name, "function": self.function}

    def __str__(self) -> str:
        changed = self.convention.differences(STANDARD)
        inside = ", ".join(f"{axis}={literal(mine)}" for axis, (mine, _) in changed.items())
        return f"{self.name}({inside})" if inside else self.name

    __repr__ = __str__

    def read(self, labels: Labels, present: Present) -> Labels:
        """Labels as the function sees them."""
        c = self.convention
        c.check_labels(labels, present)
        if c.ties in ("expected", "best", "worst", "kept"):
            hint = "a function sees one order: choose one, such as ties='input'."
            raise MeasureError(message(f"{self.name} is not known for ties={c.ties!r}", hint=hint))
        read = c.read(labels).astype(np.float64)
        return np.where(labels < 0, np.nan, read) if c.negative == "zero" else read

    def value(self, labels: Labels, query: str) -> float:
        """What the function returns for one list, whose id an error names."""
        try:
            found = self.function(labels)
        except Exception as error:
            what = f"its function failed with {type(error).__name__}: {error}"
            raise MeasureError(message(what, place=f"{self.name}, list '{query}'")) from error
        if isinstance(found, np.ndarray) and found.ndim == 0:
            found = found[()]
        if not (is_number(found) or isinstance(found, (bool, np.bool_))):
            what = f"its function returned {found!r}, not a number"
            raise MeasureError(message(what, place=f"{self.name}, list '{query}'"))
        return float(found)
