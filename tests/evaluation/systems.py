"""Results with given values, so that a test of comparisons says what the lists scored."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise import Result, measure
from rankwise.data.ids import Ids
from rankwise.evaluation.columns import Evaluated, Saved
from rankwise.evaluation.groups import Groups


def result(
    name: str,
    *values: Sequence[float],
    queries: Sequence[str] | None = None,
    measures: Sequence[str] = ("AP", "RR", "P@5"),
    by: Sequence[str] | None = None,
    weights: Sequence[float] | None = None,
    anonymous: bool = False,
) -> Result:
    """The values of each list under one measure after the other."""
    columns = [(np.array(v, dtype=float), np.zeros(len(v), dtype=np.uint8)) for v in values]
    count = len(values[0])
    ids = None if anonymous else Ids.of(queries or [f"q{i}" for i in range(count)])
    lists = Evaluated(
        count,
        Saved({}),
        queries=ids,
        groups=None if by is None else Groups.of_lists(by),
        weights=None if weights is None else np.array(weights),
    )
    chosen = [(text, measure(text)) for text in measures[: len(values)]]
    return Result(lists, chosen, columns=columns, name=name)


def drawn(systems: int, lists: int, *, seed: int = 0, tied: bool = False, measures: int = 1) -> list[Result]:
    """Results called a, b, … of which each is a little better than the one before."""
    rng = np.random.default_rng(seed)
    found = []
    for system in range(systems):
        values = np.clip(rng.normal(0.4 + 0.05 * system, 0.25, (measures, lists)), 0, 1)
        found.append(result("abcdefghij"[system], *(np.round(values, 1) if tied else values)))
    return found
