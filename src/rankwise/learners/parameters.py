"""Hyper-parameters of a learner by their names, and their values of text."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from rankwise.errors import RankwiseError, message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankwise.learners.base import Learner

__all__ = ["common", "defaults", "refuse_unknown", "value_of_text"]

_KINDS = {"int": "a whole number", "float": "a number", "bool": "true or false", "str": "a text", "None": "none"}


def defaults(kind: type[Learner]) -> dict[str, Any]:
    """Each hyper-parameter of a learner and its default, its own first, then those that all learners have.

    >>> from rankwise.learners import learner
    >>> defaults(learner("best-feature"))["measure"]
    'nDCG@10'
    """
    shared = common(kind)
    found = dict(kind().get_params(deep=False))
    own = {f.name: found[f.name] for f in fields(kind) if f.name not in shared}
    return own | {name: found[name] for name in shared}


def common(kind: type[Learner]) -> tuple[str, ...]:
    """The hyper-parameters that all learners of its kind have: the first dataclass that it stems from says them."""
    base = next(part for part in reversed(kind.__mro__) if is_dataclass(part))
    return tuple(f.name for f in fields(base))


def refuse_unknown(kind: type[Learner], given: Mapping[str, Any]) -> None:
    """Refuses hyper-parameters that the learner has not, and lists those it has."""
    known = defaults(kind)
    unknown = [name for name in given if name not in known]
    if unknown:
        own = [f"{name}={value}" for name, value in known.items() if name not in common(kind)]
        rest = f"and {', '.join(common(kind))}"
        what = f"{kind.name} has no parameter '{unknown[0]}'"
        raise RankwiseError(message(what, hint=f"it has {', '.join([*own, rest] if own else [rest[4:]])}."))


def value_of_text(kind: type[Learner], name: str, text: str) -> Any:
    """The value of a hyper-parameter that a text gives, of the type that the learner declares.

    >>> from rankwise.learners import learner
    >>> best = learner("best-feature")
    >>> value_of_text(best, "patience", "50"), value_of_text(best, "patience", "none")
    (50, None)
    >>> value_of_text(best, "relative", "rank,share")
    ('rank', 'share')
    """
    refuse_unknown(kind, {name: text})
    field = next(f for f in fields(kind) if f.name == name)
    words = [word.strip() for word in str(field.type).split("|")]
    if not set(words) <= set(_KINDS):
        return _of_any_type(text.strip(), str(field.type), optional=field.default is None)
    for word in sorted(words, key=list(_READINGS).index):
        try:
            return _READINGS[word](text.strip())
        except ValueError:
            continue
    wanted = " or ".join(_KINDS[word] for word in words)
    raise RankwiseError(message(f"{name} must be {wanted}, not '{text}'"))


def _none(text: str) -> None:
    if text.lower() != "none":
        raise ValueError


def _truth(text: str) -> bool:
    truths = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if text.lower() not in truths:
        raise ValueError
    return truths[text.lower()]


# The narrowest reading of a text first.
_READINGS: dict[str, Callable[[str], Any]] = {"None": _none, "bool": _truth, "int": int, "float": float, "str": str}


def _of_any_type(text: str, declared: str, *, optional: bool) -> Any:
    """A value of JSON, words separated by commas where several are wanted, else the text itself."""
    if text.lower() == "none" and optional:
        return None
    if "Sequence" in declared and not text.startswith("["):
        read = str if "[str]" in declared else _word
        return tuple(read(word.strip()) for word in text.split(",") if word.strip())
    try:
        return json.loads(text)
    except ValueError:
        return text


def _word(text: str) -> Any:
    for reading in (int, float):
        try:
            return reading(text)
        except ValueError:
            continue
    return text
