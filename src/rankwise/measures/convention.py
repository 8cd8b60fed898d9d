"""A convention: every choice that the formula of a measure leaves open.

Each axis is a field, each field has a few values, and a tool is a point in their product. Two conventions are equal
when all their choices are, whatever their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.errors import ConventionError, LabelError, message

__all__ = ["AXES", "GOES_WITH", "HOTELS", "STANDARD", "Convention"]

Labels = npt.NDArray[np.float64]
Table = Mapping[float, float]

# What each axis decides, and its values in words; the keys are the fields of `Convention`, in the order of printing.
AXES: dict[str, tuple[str, dict[object, str]]] = {
    "gain": (
        "gain of a label",
        {
            "exp2": "2^label − 1",
            "linear": "the label",
            "exp2-int32": "2^label − 1 as a 32-bit shift, which overflows from 31",
        },
    ),
    "outside": ("labels that the gain table lacks", {"error": "refused", "zero": "gain 0"}),
    "labels": ("how a label is read", {"as is": "as it is", "truncated": "truncated to a whole number"}),
    "negative": (
        "negative labels",
        {"error": "refused", "as is": "as they are", "zero": "as if not judged: gain 0, not relevant"},
    ),
    "discount": (
        "discount of rank i",
        {
            "log2": "1/log2(i + 1)",
            "ln": "1/ln(i + 1)",
            "jarvelin": "1, then 1/log2(i) from rank 2",
            "reciprocal": "1/i",
        },
    ),
    "ideal": (
        "documents that make the ideal and count as relevant",
        {"judged": "all judged documents", "list": "those of the list"},
    ),
    "ideal_cut": ("where the ideal ends", {"k": "at k", "none": "nowhere", "hits": "at the number of hits returned"}),
    "ties": (
        "order of equal scores",
        {
            "expected": "the mean over all orders",
            "kept": "kept as ties, for measures that have a rule for them",
            "input": "as given",
            "reversed": "as given, reversed",
            "docid": "document id, ascending",
            "docid-desc": "document id, descending",
            "best": "the best case",
            "worst": "the worst case",
            "random": "drawn by lot with the seed",
            "selection-sort": "whatever a selection sort with swaps leaves",
        },
    ),
    "seed": ("seed of the lots drawn for ties", {}),
    "precision": ("precision in which scores are compared", {"float64": "double", "float32": "single"}),
    "empty": (
        "value of an empty list (its denominator is 0)",
        {"nan": "undefined (NaN)", "skip": "left out of the mean"},
    ),
    "short": ("a list of fewer than k documents", {"as is": "as it is", "zero": "scores 0"}),
    "rel": ("labels that are relevant", {">0": "above 0"}),
    "cut": ("the cut-off k", {"kept": "kept", "ignored": "ignored"}),
    "p_over": ("P@k is over", {"k": "k", "min(k, n)": "min(k, n)", "min(k, R)": "min(k, R)"}),
    "ap_over": ("AP@k is over", {"R": "R", "min(R, k)": "min(R, k)", "hits": "the hits in the top k"}),
    "gmax": (
        "greatest grade of ERR, and of RBP where it is graded",
        {"none": "none, since a label is itself a chance"},
    ),
    "unjudged": ("documents without a judgment", {"not relevant": "not relevant", "removed": "removed"}),
    "missing": (
        "lists judged but missing from the run",
        {"zero": "score 0", "skip": "left out of the mean", "as is": "measured as empty rankings", "error": "refused"},
    ),
    "mean": (
        "mean over lists",
        {"lists": "the plain mean", "geometric": "the geometric mean of max(value, 0.00001)", "sum": "the sum"},
    ),
    "quirks": ("quirks", {}),
}

# What the quirks of tools do; the kernels or the measures look for these names.
QUIRKS = {
    "float32-reciprocal": "1/rank is rounded to single precision",
    "recall-level-truncated": "recall level × R + 0.9 is truncated instead of rounded",
    "positive-scores": "a document that scores 0 or less is no hit",
    "mean-of-none-0": "the mean is 0 where every list is left out of it",
    "err-of-none": "ERR of a list without a relevant document is undefined",
    "negative-judged": "a negative label is a judgment, where judgments are counted",
}


# A choice that means nothing without another: a gain table needs a rule for labels that it lacks.
GOES_WITH = {"outside": "gain", "seed": "ties"}

_DEFAULTS: dict[str, Any] = {
    "gain": "exp2", "outside": "error", "labels": "as is", "negative": "error", "discount": "log2", "ideal": "judged",
    "ideal_cut": "k", "ties": "expected", "seed": 0, "precision": "float64", "empty": 0.0, "short": "as is",
    "rel": 1.0, "cut": "kept", "p_over": "k", "ap_over": "R", "gmax": 4.0, "unjudged": "not relevant",
    "missing": "zero", "mean": "lists", "quirks": frozenset(),
}  # fmt: skip


class Convention:
    """Every choice that a measure's formula leaves open, as immutable fields; `STANDARD` has the defaults.

    >>> Convention().but(gain="linear", empty="skip").differences(STANDARD)
    {'gain': ('linear', 'exp2'), 'empty': ('skip', 0.0)}
    >>> STANDARD.but(gain="log")
    Traceback (most recent call last):
    rankwise.errors.ConventionError: gain='log' is not a choice
    Hint: gain is one of 'exp2', 'linear', 'exp2-int32', a table {label: gain} or a function of an array of labels.
    """

    # A dataclass would say the same and cost a fifth of the package's import time.
    __slots__ = ("name", *AXES)

    name: str
    gain: str | tuple[tuple[float, float], ...] | Callable[[Labels], Labels]
    outside: str
    labels: str | tuple[tuple[float, float], ...]
    negative: str
    discount: str | tuple[float, ...] | Callable[[Labels], Labels]
    ideal: str
    ideal_cut: str
    ties: str
    seed: int
    precision: str
    empty: float | str
    short: str
    rel: float | str | frozenset[float]
    cut: str
    p_over: str
    ap_over: str
    gmax: float | str
    unjudged: str
    missing: str
    mean: str
    quirks: frozenset[str]

    def __init__(self, *, name: str = "standard", **choices: object) -> None:
        for axis in choices:
            if axis not in AXES:
                raise ConventionError(message(f"there is no choice '{axis}'", hint=_suggest(axis)))
        object.__setattr__(self, "name", name)
        for axis, default in _DEFAULTS.items():
            object.__setattr__(self, axis, _checked(axis, choices[axis]) if axis in choices else default)

    def __setattr__(self, axis: str, choice: object) -> None:
        raise AttributeError(f"a convention does not change; make another one: convention.but({axis}=…)")

    def __delattr__(self, axis: str) -> None:
        self.__setattr__(axis, None)

    def _choices(self) -> tuple[Any, ...]:
        return tuple(getattr(self, axis) for axis in AXES)

    def __eq__(self, other: object) -> bool:
        """Equal choices on all axes; the name does not matter."""
        return isinstance(other, Convention) and self._choices() == other._choices()

    def __hash__(self) -> int:
        return hash(self._choices())

    def __repr__(self) -> str:
        changed = self.differences(STANDARD)
        inside = "".join(f", {axis}={mine!r}" for axis, (mine, _) in changed.items())
        return f"Convention(name={self.name!r}{inside})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (self.name, dict(self)))

    def but(self, **choices: object) -> Convention:
        """The same convention but for some choices; the name stays, as that of the place it started from.

        >>> STANDARD.but(gian="linear")
        Traceback (most recent call last):
        rankwise.errors.ConventionError: there is no choice 'gian'
        Hint: did you mean 'gain'? The choices are gain, outside, labels, …
        """
        return Convention(name=self.name, **{**dict(self), **choices}) if choices else self

    def named(self, name: str) -> Convention:
        """The same choices under another name."""
        return Convention(name=name, **dict(self))

    def differences(self, other: Convention) -> dict[str, tuple[Any, Any]]:
        """The axes on which two conventions differ, with both choices."""
        pairs = ((axis, getattr(self, axis), getattr(other, axis)) for axis in AXES)
        return {axis: (mine, theirs) for axis, mine, theirs in pairs if mine != theirs}

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return ((axis, getattr(self, axis)) for axis in AXES)

    def words(self, axis: str) -> str:
        """The choice on one axis, in words.

        >>> STANDARD.words("discount"), STANDARD.but(rel={1, 2}).words("rel"), STANDARD.words("empty")
        ('1/log2(i + 1)', '1 and 2', '0')
        """
        words = _words(axis, getattr(self, axis))
        return f"{words} {self.seed}" if axis == "ties" and self.ties == "random" else words

    # What the choices make of labels.

    def read(self, labels: Labels) -> Labels:
        """Labels as the convention reads them; NaN (no judgment) stays NaN."""
        if self.labels == "truncated":
            return np.trunc(labels)
        if isinstance(self.labels, tuple):
            read = np.trunc(labels)
            for label, meaning in self.labels:
                read[labels == label] = meaning
            return read
        return labels

    def gains(self, labels: Labels, present: Callable[[], npt.NDArray[np.bool_]] | None = None) -> Labels:
        """The gain of each label; 0 where there is no judgment. `present` tells which labels occur at all.

        >>> STANDARD.gains(np.array([0.0, 1, 2, 3, np.nan])).tolist()
        [0.0, 1.0, 3.0, 7.0, 0.0]
        """
        read = self.read(labels)
        if self.gain == "linear":
            gains = read.astype(np.float64)
        elif self.gain == "exp2":
            with np.errstate(over="ignore"):
                gains = np.exp2(read) - 1
        elif self.gain == "exp2-int32":
            # Labels as large as no tool reads stay within the integers.
            whole = np.clip(np.nan_to_num(read), -(2.0**53), 2.0**53).astype(np.int64)
            shift = np.left_shift(1, whole % 32).astype(np.int64)
            gains = ((shift - 1 + 2**31) % 2**32 - 2**31).astype(np.float64)
        elif isinstance(self.gain, tuple):
            table = dict(self.gain)
            gains = np.array([table.get(label, np.nan) for label in read.tolist()], dtype=np.float64)
            lacking = np.isnan(gains) & ~np.isnan(read)
            if self.negative == "zero":
                lacking &= labels >= 0
            if self.outside == "error" and lacking.any() and present is not None:
                lacking &= present()
                self._refuse(
                    labels[lacking],
                    f"has no gain; the table has {_listed(table)}",
                    "add it to the table, or set outside='zero'.",
                )
            gains[np.isnan(gains)] = 0.0
        else:
            wanted = "the gain function must return one number, not NaN, for each label of an array"
            gains = _of_function(self.gain, read, wanted)
            # It may have no gain for a label that does not occur.
            lacking = np.isnan(gains) & ~np.isnan(read)
            if lacking.any() and (present is None or (lacking & present()).any()):
                raise ConventionError(message(wanted))
            gains[lacking] = 0.0
        if self.negative == "zero":
            gains[labels < 0] = 0.0
        gains[np.isnan(labels)] = 0.0
        if np.isinf(gains).any() and present is not None:
            self._refuse(
                labels[np.isinf(gains) & present()], "has no finite gain", "gain='linear' takes labels as they are."
            )
        return gains

    def levels(self, labels: Labels) -> Labels:
        """What orders documents by their labels: the label as it is read, 0 where there is no judgment.

        >>> STANDARD.but(labels="truncated").levels(np.array([0.0, 1.7, np.nan])).tolist()
        [0.0, 1.0, 0.0]
        """
        none = np.isnan(labels) | ((labels < 0) & (self.negative == "zero"))
        return np.where(none, 0.0, self.read(labels))

    def relevant(self, labels: Labels) -> npt.NDArray[np.bool_]:
        """Whether each label is relevant; a document without a judgment is not.

        >>> STANDARD.but(rel={1, 2}).relevant(np.array([0.0, 1, 2, 3])).tolist()
        [False, True, True, False]
        """
        if isinstance(self.rel, str):
            return labels > float(self.rel[1:])
        chosen = self.rel
        relevant = np.isin(labels, list(chosen)) if isinstance(chosen, frozenset) else self.read(labels) >= chosen
        return relevant & (labels >= 0) if self.negative == "zero" else relevant

    def check_labels(self, labels: Labels, present: Callable[[], npt.NDArray[np.bool_]]) -> None:
        """Refuses labels that the convention refuses."""
        if self.negative == "error" and len(labels) and labels[0] < 0:
            hint = "set negative='zero' to count them as not relevant, or mend the labels."
            self._refuse(labels[(labels < 0) & present()], "is negative", hint)

    def _refuse(self, labels: Labels, why: str, hint: str) -> None:
        if len(labels):
            raise LabelError.of(float(labels[0]), why, convention=self.name, hint=hint)

    def discounts(self, depth: int) -> Labels:
        """The discounts of ranks 1 … depth.

        >>> STANDARD.but(discount="jarvelin").discounts(4).round(4).tolist()
        [1.0, 1.0, 0.6309, 0.5]
        """
        rank = np.arange(1, depth + 1, dtype=np.float64)
        if self.discount == "log2":
            return 1 / np.log2(rank + 1)
        if self.discount == "ln":
            return 1 / np.log(rank + 1)
        if self.discount == "jarvelin":
            return 1 / np.maximum(1.0, np.log2(rank))
        if self.discount == "reciprocal":
            return 1 / rank
        if isinstance(self.discount, tuple):
            table = np.asarray(self.discount[:depth], dtype=np.float64)
            return np.concatenate([table, np.zeros(depth - len(table))])
        wanted = "the discount function must return one finite number for each rank of an array"
        discounts = _of_function(self.discount, rank, wanted)
        if not np.isfinite(discounts).all():
            raise ConventionError(message(wanted))
        return discounts


def _of_function(function: Any, values: Labels, wanted: str) -> Labels:
    """What a caller's function makes of values: a copy goes in and another comes out, so that neither side shares."""
    found = function(values.copy())
    try:
        array = np.array(found, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise ConventionError(message(wanted)) from None
    if array.shape != values.shape:
        raise ConventionError(message(wanted))
    return array


def _rebuild(name: str, choices: dict[str, Any]) -> Convention:
    return Convention(name=name, **choices)


def _checked(axis: str, choice: Any) -> Any:
    """The choice in its one form, or a refusal."""
    if axis in ("gain", "labels") and isinstance(choice, (Mapping, tuple)):
        pairs = choice.items() if isinstance(choice, Mapping) else choice
        if pairs and all(isinstance(pair, tuple) and len(pair) == 2 and all(map(is_finite, pair)) for pair in pairs):
            # A label that stands twice has the last gain, as in a dictionary.
            pairs = dict(pairs).items()
            return tuple(sorted((float(label) + 0.0, float(gain) + 0.0) for label, gain in pairs))  # no −0
    if axis in ("gain", "discount") and callable(choice):
        return choice
    if (
        axis == "discount"
        and isinstance(choice, (tuple, list, np.ndarray))
        and len(choice)
        and all(map(is_finite, choice))
    ):
        return tuple(float(d) + 0.0 for d in choice)
    if axis == "rel":
        if (
            isinstance(choice, (set, frozenset, list, tuple, np.ndarray))
            and len(choice)
            and all(map(is_finite, choice))
        ):
            return frozenset(float(label) + 0.0 for label in choice)  # no −0
        if is_finite(choice):
            return float(choice) + 0.0
        if isinstance(choice, str) and choice.startswith(">"):
            return _above(choice)
    if axis == "empty" and is_number(choice) and choice != choice:
        return "nan"
    if axis == "empty" and is_finite(choice):
        return float(choice) + 0.0
    # 2^gmax must be a number.
    if axis == "gmax" and is_finite(choice) and 0 <= choice <= 1023:
        return float(choice) + 0.0
    if (
        axis == "seed"
        and isinstance(choice, (int, np.integer))
        and not isinstance(choice, bool)
        and 0 <= choice < 2**64
    ):
        return int(choice)
    if (
        axis == "quirks"
        and isinstance(choice, (set, frozenset, list, tuple))
        and all(c in list(QUIRKS) for c in choice)
    ):
        return frozenset(choice)
    if isinstance(choice, str) and choice in AXES[axis][1]:
        return choice
    raise ConventionError(message(f"{axis}={choice!r} is not a choice", hint=f"{axis} is {_choices(axis)}."))


def _above(choice: str) -> str:
    """`>0.5` in its one form, in which the number is as short as it can be."""
    try:
        border = float(choice[1:])
    except ValueError:
        border = np.nan
    if not is_finite(border):
        raise ConventionError(message(f"rel={choice!r} is not a choice", hint=f"rel is {_choices('rel')}."))
    return f">{border + 0.0!r}".removesuffix(".0")


def is_number(choice: object) -> bool:
    return isinstance(choice, (int, float, np.integer, np.floating)) and not isinstance(choice, bool)


def is_finite(choice: Any) -> bool:
    return is_number(choice) and bool(np.isfinite(choice))


def _choices(axis: str) -> str:
    more = {
        "gain": "a table {label: gain} or a function of an array of labels",
        "labels": "a table {label: read as}",
        "discount": "a table of discounts or a function of an array of ranks",
        "rel": "another number after '>', a number (that label and above) or a set of labels",
        "empty": "a number",
        "gmax": "a number from 0 to 1023",
        "seed": "a whole number from 0",
    }.get(axis)
    named = list(map(repr, QUIRKS if axis == "quirks" else AXES[axis][1]))
    if not named:
        return str(more)
    return f"one of {', '.join(named)}" + (f", {more}" if more else "")


def _suggest(axis: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(axis, AXES, 1)
    first = ", ".join(list(AXES)[:3])
    return (f"did you mean '{near[0]}'? " if near else "") + f"The choices are {first}, …"


def _words(axis: str, choice: Any) -> str:
    if axis in ("gain", "labels") and isinstance(choice, tuple):
        return "table " + ", ".join(f"{label:g} → {gain:g}" for label, gain in choice)
    if axis == "discount" and isinstance(choice, tuple):
        return "table " + ", ".join(f"{d:.4g}" for d in choice)
    if callable(choice):
        return f"function {getattr(choice, '__qualname__', choice)}"
    if axis == "rel":
        if isinstance(choice, frozenset):
            return _listed(choice)
        return f"above {choice[1:]}" if isinstance(choice, str) else f"{choice:g} and above"
    if axis == "quirks":
        return "; ".join(QUIRKS[q] for q in sorted(choice)) or "none"
    if isinstance(choice, (int, float)):
        return f"{choice:g}"
    return AXES[axis][1][choice]


def _listed(labels: Any) -> str:
    words = [f"{label:g}" for label in sorted(labels)] or ["none"]
    return words[0] if len(words) == 1 else " and ".join([", ".join(words[:-1]), words[-1]])


STANDARD = Convention()
# A click-and-booking preset: what a booking (5) is worth against a click (1) is said by the labels themselves.
HOTELS = Convention(name="hotels", gain="linear", gmax=5.0)
