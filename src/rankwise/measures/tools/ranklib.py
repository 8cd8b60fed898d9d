"""RankLib's evaluator, emulated: 1.x, the copy of its first author, `-letor`, 2.1, 2.10 and 2.10 with `-qrel`.

Gains truncate the label to a whole number, P and MAP count any label above 0. 1.x sorts by selection with swaps, which
is not stable. The reciprocal rank is a Java float. Until 2.1 the cut-off of RR is ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from rankwise.measures.convention import Convention
from rankwise.measures.tools.base import Tool

_BASE = Convention(
    name="ranklib",
    gain="exp2",
    labels="truncated",
    outside="zero",
    negative="as is",
    discount="log2",
    ideal="list",
    ties="input",
    precision="float32",
    empty=0.0,
    rel=">0",
    p_over="min(k, n)",
    gmax=4,
    missing="skip",
    quirks=frozenset({"float32-reciprocal"}),
)
_NAMES: dict[str, Any] = {
    "NDCG@{k}": "nDCG",
    "DCG@{k}": "DCG",
    "P@{k}": "P",
    "RR@{k}": "RR",
    "ERR@{k}": "ERR",
    "MAP": "AP",
    "NDCG": ("nDCG", {"k": 10}),
    "DCG": ("DCG", {"k": 10}),
    "P": ("P", {"k": 10}),
    "ERR": ("ERR", {"k": 10}),
    "RR": "RR",
}
_UNSUPPORTED = {"BEST@{k}": "the greatest label among the first k is no ranking measure"}


_RR_UNCUT = {"cut": "ignored"}


def _ranklib(
    name: str,
    title: str,
    *,
    ndcg: Mapping[str, Any] = MappingProxyType({}),
    rr: Mapping[str, Any] = MappingProxyType(_RR_UNCUT),
    unsupported: Mapping[str, str] = MappingProxyType({}),
    remarks: tuple[str, ...] = (),
    **choices: Any,
) -> Tool:
    return Tool(
        title=title,
        convention=_BASE.but(**choices).named(name),
        measures={"nDCG": dict(ndcg), "DCG": {}, "P": {}, "RR": dict(rr), "ERR": {}, "AP": {}},
        names=_NAMES,
        zero_is_whole=True,
        unsupported={**_UNSUPPORTED, **unsupported},
        remarks=remarks,
    )


_SPLIT = "A query whose lines are not contiguous becomes several lists"
RANKLIB1 = _ranklib("ranklib1", "RankLib 1.x (October 2011)", ties="selection-sort")
RANKLIB1_BUSAROBI = _ranklib(
    "ranklib1_busarobi", "RankLib 1.x as changed by its first author", ties="selection-sort", ndcg={"empty": 0.5}
)
RANKLIB1_LETOR = _ranklib("ranklib1_letor", "RankLib 1.x with -letor", ties="selection-sort", labels={2: 3})
RANKLIB2_1 = _ranklib("ranklib2_1", "RankLib 2.1 (July 2012)", remarks=(f"{_SPLIT}; here it stays one.",))
RANKLIB2 = _ranklib(
    "ranklib2",
    "RankLib 2.10 (June 2018)",
    gain="exp2-int32",
    negative="error",
    rr={},
    remarks=(
        f"{_SPLIT} that share the ideal of the first, so that NDCG can exceed 1; here it stays one.",
        "Its bare RR is RR@0, which is always 0; here RR is the whole list's.",
    ),
)
RANKLIB2_QREL = _ranklib(
    "ranklib2_qrel",
    "RankLib 2.10 with -qrel",
    gain="exp2-int32",
    negative="error",
    rr={},
    ideal="judged",
    unsupported={"NDCG@0": "with -qrel it is always 0, because the ideal is cut at 0 while the list is not"},
)
TOOLS = (RANKLIB1, RANKLIB1_BUSAROBI, RANKLIB1_LETOR, RANKLIB2_1, RANKLIB2, RANKLIB2_QREL)
