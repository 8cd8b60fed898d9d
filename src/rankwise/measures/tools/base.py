"""A tool as its convention and the names it gives to measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rankwise.measures.convention import Convention

__all__ = ["Tool", "match"]

Spelled = str | tuple[str, dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One version of one tool.

    `measures` names those it computes, each with the choices that differ from the tool's `convention` for it alone.
    `names` gives its own spelling of each, in which `{k}` is a cut-off: "NDCG@{k}" → "nDCG". A bare name that stands
    for a cut-off, such as RankLib's NDCG for NDCG@10, gives it: ("nDCG", {"k": 10}).
    """

    title: str
    convention: Convention
    measures: Mapping[str, dict[str, Any]]
    names: Mapping[str, Spelled]
    # What differs further where a measure has a cut-off.
    cut: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    # Reads the words that no pattern can say, such as brackets; None for a word that is not the tool's.
    reads: Callable[[str], tuple[str, dict[str, Any]] | None] = lambda word: None
    # Whether a cut-off of 0 means the whole list.
    zero_is_whole: bool = False
    # Names of the tool that are not emulated, each with the reason; a name is refused with any parameters.
    unsupported: Mapping[str, str] = field(default_factory=dict)
    # What depends on the form of the input and is therefore said, not emulated.
    remarks: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.convention.name

    def convention_for(self, measure: str, k: int | None = None) -> Convention:
        """The tool's convention, with what differs for one measure."""
        choices = self.measures.get(measure, {})
        return self.convention.but(**(choices if k is None else {**choices, **self.cut.get(measure, {})}))

    def refusal(self, word: str) -> str | None:
        """Why the tool's own word is not emulated, with or without parameters; None if it is, or is not its own."""
        words = (word, word.partition(":")[0], word.partition("(")[0])
        found = (why for pattern, why in self.unsupported.items() if any(match(pattern, w) is not None for w in words))
        return next(found, None)

    def spelled(self, word: str) -> tuple[str, dict[str, Any]] | None:
        """The measure that the tool's own word names, with parameters such as `k`."""
        for pattern, spelled in self.names.items():
            k = match(pattern, word)
            if k is None:
                continue
            name, parameters = (spelled, {}) if isinstance(spelled, str) else spelled
            whole = "{k}" not in pattern or (k == 0 and self.zero_is_whole)
            return name, {**({} if whole else {"k": k}), **parameters}
        return self.reads(word)


def match(pattern: str, word: str) -> int | None:
    """The cut-off in `word` if it follows the pattern, 0 if the pattern has none, None if it does not fit.

    >>> match("ndcg_cut_{k}", "ndcg_cut_10"), match("map", "map"), match("P@{k}", "R@5")
    (10, 0, None)
    """
    before, hole, after = pattern.partition("{k}")
    if not hole:
        return 0 if word == pattern else None
    inside = word.removeprefix(before).removesuffix(after)
    fits = word == before + inside + after and inside.isascii() and inside.isdigit()
    return int(inside) if fits else None
