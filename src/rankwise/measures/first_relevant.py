"""FirstRelevant: the rank of the first relevant document."""

from __future__ import annotations

from typing import ClassVar

from rankwise.measures.base import Measure

__all__ = ["FirstRelevant"]


class FirstRelevant(Measure):
    r"""The rank of the first relevant document, counted from 1.

    .. math:: \min \{\, i : l_i \text{ relevant} \,\}

    Lower is better. Over ties, a block of m documents after n₀ others has its first of r relevant ones at rank
    n₀ + (m + 1) / (r + 1) in the mean. *Empty* where nothing relevant was retrieved: 0 would be better than any rank,
    so that under `standard` such a list, and one that is missing from the run, is left out of the mean.

    >>> FirstRelevant().of([0, 0, 1, 1])
    3.0
    """

    __slots__ = ()
    name = "FirstRelevant"
    formula = "first_relevant"
    axes = ("rel", "empty")
    takes_k = False
    higher_is_better = False
    preset_choices: ClassVar[dict[str, object]] = {"empty": "skip", "missing": "skip"}
