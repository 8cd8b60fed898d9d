"""What each tool makes of something, read from its convention: "0 in letor4, ranklib; 1 in yahoo_v1_0, lightgbm"."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rankwise.errors import ConventionError
from rankwise.measures.convention import Convention
from rankwise.measures.tools import FILES, PRESETS, convention, tool

__all__ = ["by_tool", "gain", "scoring_zero_if_short"]

Words = Callable[[Convention], str]


def by_tool(words: Words, measure: str, k: int | None = None) -> dict[str, list[str]]:
    """What is said of each convention that has the measure → the names of those of which it is said.

    A tool is named once where all its versions that have the measure agree. An empty text says nothing.

    >>> by_tool(lambda c: c.words("short"), "MeanNDCG")["as it is"][:2]
    ['standard', 'hotels']
    """
    said: dict[str, list[str]] = {}
    for name, of in _conventions(measure, k, words):
        said.setdefault(of, []).append(name)
    said.pop("", None)
    return dict(sorted(said.items(), key=lambda item: -len(item[1])))


def _conventions(measure: str, k: int | None, words: Words) -> Iterator[tuple[str, str]]:
    """Each name with what is said of it."""
    for name in PRESETS:
        yield name, words(convention(name, measure, k))
    for file, versions in FILES.items():
        said = {name: words(convention(name, measure, k)) for name in versions if measure in tool(name).measures}
        yield from [(file, next(iter(said.values())))] if len(set(said.values())) == 1 else said.items()


def gain(label: float, of: Convention) -> float | None:
    """The gain of a label; None if the convention refuses it.

    >>> gain(5, convention("standard")), gain(5, convention("letor4"))
    (31.0, 0.0)
    """
    labels = np.array([label], np.float64)
    try:
        of.check_labels(labels, lambda: np.ones(1, np.bool_))
        return float(of.gains(labels, lambda: np.ones(1, np.bool_))[0])
    except ConventionError:
        return None


def scoring_zero_if_short(k: int) -> list[str]:
    """The measures of tools that are 0 for a list of fewer than k documents, as the tools call them.

    >>> scoring_zero_if_short(10)
    ['letor3:NDCG@10', 'letor3:P@10', 'letor4:NDCG@10', 'mslr:NDCG@10']
    """
    names = [name for versions in FILES.values() for name in versions]
    return [
        f"{name}:{_own_word(name, measure, k)}"
        for name in names
        for measure in tool(name).measures
        if tool(name).convention_for(measure, k).short == "zero"
    ]


def _own_word(name: str, measure: str, k: int) -> str:
    """What the tool itself calls a measure with a cut-off."""
    patterns = (pattern for pattern, spelled in tool(name).names.items() if spelled == measure and "{k}" in pattern)
    return next(patterns, f"{measure}@{{k}}").format(k=k)
