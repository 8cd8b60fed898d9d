"""A measure turns the labels of one list, read in ranked order, into one number.

What all measures share: the cut-off `k`, the convention, the text form that parses back, equality. A measure in a file
of this room says its formula, which axes of a convention it looks at, and what a label is worth to it; the numbers are
computed by the kernel of the same name.

Weights have one rule each. A list's weight is how often it counts in the mean over lists. A document's weight
multiplies what the document counts, its gain or the 1 of a relevant document, wherever it counts: among the documents
found and among those of the ideal, so that R becomes the sum of the weights of the relevant documents. Ranks and
numbers of documents looked at (k, n) stay what they are. A pair of documents weighs the product of their weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rankwise.errors import MeasureError, message
from rankwise.measures.convention import STANDARD, Convention, Labels

__all__ = ["Measure", "Present", "literal"]

Present = Callable[[], npt.NDArray[np.bool_]]

# The axes that every measure looks at.
COMMON = ("labels", "negative", "ties", "seed", "precision", "short", "unjudged", "missing", "mean", "quirks")


class _Kind(type):
    """Lets a measure without parameters be cut by its class: `nDCG @ 10`."""

    def __matmul__(cls, k: int) -> Any:
        return cls(k=k)


class Measure(metaclass=_Kind):
    """An immutable measure under a convention.

    `k` cuts the list (None: the whole list); `convention` is a name, a `Convention`, or None for `standard`;
    further keywords change single choices of it.
    """

    __slots__ = ("convention", "k")

    name: ClassVar[str]
    formula: ClassVar[str]
    axes: ClassVar[tuple[str, ...]] = ()
    takes_k: ClassVar[bool] = True
    # Whether a mean over the orders of tied documents is known in closed form.
    closed_form: ClassVar[bool] = True
    # What a document's weight multiplies: 'worth', what it counts; 'pairs', those it is in; '': weights are refused.
    document_weights: ClassVar[str] = ""
    # Whether the best order of tied documents is that of falling worth, and the worst its reverse.
    best_first: ClassVar[bool] = True
    # Whether the formula has a rule of its own for scores that stay tied.
    keeps_ties: ClassVar[bool] = False
    # Whether a greater value is the better one; a loss or a rank is better where it is less.
    higher_is_better: ClassVar[bool] = True
    # Choices of `standard` and the other presets that are other ones for this measure.
    preset_choices: ClassVar[dict[str, object]] = {}

    k: int | None
    convention: Convention

    def __init__(self, k: int | None = None, *, convention: Convention | str | None = None, **choices: Any) -> None:
        if k is not None and not self.takes_k:
            raise MeasureError(message(f"{self.name} takes no cut-off", hint=f"write {self.name} without @{k}."))
        if k is not None and (isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1):
            raise MeasureError(message(f"the cut-off of {self.name} must be a whole number from 1, not {k!r}"))
        if k is not None and k >= 2**63:
            hint = f"write {self.name} for the whole list."
            raise MeasureError(message(f"the cut-off of {self.name} is too large, {k}", hint=hint))
        object.__setattr__(self, "k", None if k is None else int(k))
        object.__setattr__(self, "convention", self._resolve(convention, k).but(**choices))

    @classmethod
    def _resolve(cls, convention: Convention | str | None, k: int | None) -> Convention:
        if convention is None:
            return STANDARD.but(**cls.preset_choices)
        if isinstance(convention, Convention):
            return convention
        from rankwise.measures.tools import convention as named

        return named(convention, cls.name, k)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a measure does not change; make another one, such as {self.name}(k=…)")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __matmul__(self, k: int) -> Self:
        return self.but(k=k)

    def but(self, *, k: int | None = None, convention: Convention | None = None, **choices: Any) -> Self:
        """The same measure with another cut-off, convention or single choices.

        >>> from rankwise.measures import nDCG
        >>> (nDCG @ 10).but(gain="linear")
        nDCG(gain='linear')@10
        """
        choices = {**self._parameters(), **choices}
        return type(self)(self.k if k is None else k, convention=convention or self.convention, **choices)

    def _parameters(self) -> dict[str, Any]:
        """Parameters of the formula itself, beside `k`."""
        return {}

    def _numbers(self) -> list[float]:
        """The same as the kernel's formula wants them."""
        return []

    @property
    def relevant_axes(self) -> tuple[str, ...]:
        """The axes of a convention that this measure looks at."""
        return (*self.axes, *COMMON)

    # The text form.

    def __str__(self) -> str:
        from rankwise.measures.tools import computes, means_another
        from rankwise.measures.tools import convention as named

        # A convention of one's own, or of a tool without this measure, is said by its choices.
        whose = self.convention.name if computes(self.convention.name, self.name) else "standard"
        base = named(whose, self.name, self.k)
        changed = {axis: mine for axis, (mine, _) in self.convention.differences(base).items()}
        inside = ", ".join(f"{name}={literal(value)}" for name, value in {**self._parameters(), **changed}.items())
        bracket = f"({inside})" if inside or (self.k is None and means_another(whose, self.name)) else ""
        prefix = "" if whose == "standard" else f"{whose}:"
        return f"{prefix}{self.name}{bracket}{'' if self.k is None else f'@{self.k}'}"

    __repr__ = __str__

    def _key(self) -> tuple[Any, ...]:
        return (self.name, self.k, self.convention, *self._parameters().values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.k, self.convention, self._parameters()))

    # The measure as tables, for its kernel.

    def worth(self, labels: Labels, present: Present) -> Labels:
        """What a document of each label counts: 1 if it is relevant, unless a measure says otherwise."""
        return self.convention.relevant(labels).astype(np.float64)

    def discounts(self, depth: int) -> Labels:
        """What ranks 1 … depth count, for a formula that asks."""
        return self.convention.discounts(depth) if "discount" in self.axes else np.zeros(0)

    def plan(self, labels: Labels, present: Present, longest: int, weights: Labels | None = None) -> dict[str, Any]:
        """The measure as its kernel wants it; `labels` are those of the grades, `longest` is the longest list.

        Where documents have weights, a grade is a label with a weight.
        """
        c = self.convention
        c.check_labels(labels, present)
        if c.ties == "kept" and not self.keeps_ties:
            hint = f"leave out ties='kept', or choose an order of ties, as in {self.name}(ties='input')."
            raise MeasureError(message(f"{self.name} has no rule for scores that stay tied", hint=hint))
        known = {"expected": self.closed_form, "best": self.best_first, "worst": self.best_first}
        if not known.get(c.ties, True):
            raise MeasureError(
                message(
                    f"{self.name} has no closed form over ties",
                    hint=f"choose an order of ties, as in {self.name}(ties='input'), or a tool's: trec_eval:….",
                )
            )
        if weights is not None and not self.document_weights:
            self.refuse_document_weights()
        worth = np.ascontiguousarray(self.worth(labels, present), dtype=np.float64)
        k = None if c.cut == "ignored" else self.k
        # An ideal that is not cut needs the discounts below k.
        deepest = longest if k is None or c.ideal_cut == "none" else min(k, longest)
        discounts = self.discounts(deepest)
        if c.ties in ("best", "worst") and (np.diff(discounts) > 0).any():
            raise MeasureError(message(f"{self.name} has no best order known where a discount rises with the rank"))
        return {
            "formula": self.formula,
            "depth": k,
            "worth": worth if weights is None or self.document_weights == "pairs" else worth * weights,
            "weights": weights,
            "known": labels >= 0,
            "discounts": discounts,
            "pool": c.ideal,
            "ideal_cut": c.ideal_cut,
            "denominator": c.p_over if "p_over" in self.axes else c.ap_over,
            "empty": np.nan if isinstance(c.empty, str) else c.empty,
            "short_is_zero": c.short == "zero",
            "parameters": self._numbers(),
            "level_truncates": "recall-level-truncated" in c.quirks,
            "single_reciprocal": "float32-reciprocal" in c.quirks,
            "undefined_of_none": "err-of-none" in c.quirks,
        }

    def refuse_document_weights(self) -> None:
        hint = f"evaluate {self.name} without `document_weights`."
        raise MeasureError(message(f"{self.name} has no meaning for weights of documents", hint=hint))

    def of(self, labels: Iterable[float]) -> float:
        """The value of one list, given by its labels in ranked order."""
        from rankwise.evaluation.evaluate import evaluate

        ranked = np.asarray(list(labels), dtype=np.float64)
        return float(evaluate(ranked, -np.arange(len(ranked), dtype=np.float64), [self]).values[0, 0])


def _rebuild(kind: type[Measure], k: int | None, convention: Convention, parameters: dict[str, Any]) -> Measure:
    return kind(k, convention=convention, **parameters)


def literal(value: Any) -> str:
    """A parameter or a choice as it stands in the text of a measure."""
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return "{" + ", ".join(f"{literal(label)}: {literal(gain)}" for label, gain in value) + "}"
    if isinstance(value, frozenset):
        return "{" + ", ".join(map(literal, sorted(value))) + "}" if value else "()"
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return repr(value)
