"""What Rankwise refuses, and how it says so: what was wrong, where, and what to do."""

from __future__ import annotations

__all__ = [
    "ConventionError",
    "DataError",
    "LabelError",
    "MeasureError",
    "RankwiseError",
    "RankwiseWarning",
]


class RankwiseError(ValueError):
    """The base of every refusal: `except rankwise.RankwiseError` catches them all."""


class RankwiseWarning(UserWarning):
    """What is done as asked, though the caller may want to ask otherwise."""


class DataError(RankwiseError):
    """Data that cannot be read as what they should be; the message says where."""


class MeasureError(RankwiseError):
    """A measure that does not parse, or that does not exist under its convention."""


class ConventionError(RankwiseError):
    """A convention that does not exist, or whose choices do not fit together."""


class LabelError(ConventionError):
    """A label that a convention refuses; a convention does not know where it stands, whoever holds the rows does."""

    label: float

    @classmethod
    def of(cls, label: float, why: str, *, convention: str, hint: str) -> LabelError:
        refusal = cls(message(f"label {label:g} {why} (convention {convention})", hint=hint))
        refusal.label = label
        return refusal


def message(what: str, *, place: str = "", hint: str = "") -> str:
    """The one shape of a refusal: "place: what", then a hint line.

    >>> print(message("qid is missing", place="train.txt, line 3", hint="each line needs `qid:`."))
    train.txt, line 3: qid is missing
    Hint: each line needs `qid:`.
    """
    text = f"{place}: {what}" if place else what
    return f"{text}\nHint: {hint}" if hint else text


def not_installed(package: str, extra: str, what: str) -> RankwiseError:
    """The refusal where an optional package is absent.

    >>> print(not_installed("lightgbm", "train", "LambdaMART"))
    LambdaMART needs the package lightgbm, which is not installed
    Hint: pip install 'rankwise[train]'
    """
    hint = f"pip install 'rankwise[{extra}]'"
    return RankwiseError(message(f"{what} needs the package {package}, which is not installed", hint=hint))
