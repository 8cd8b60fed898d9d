"""ranx: linear gains under `ndcg`, 2^label − 1 under `ndcg_burges`; a suffix `-l2` makes labels from 2 relevant.

Labels below the level count as not judged, also for gains. Ties keep the order in which the run names its documents,
in lists of up to 15 documents; from 16 on its sort is not stable.
"""

from __future__ import annotations

from typing import Any

from rankwise.errors import MeasureError, message
from rankwise.measures.convention import Convention
from rankwise.measures.tools.base import Spelled, Tool, match

_BURGES = {"gain": "exp2"}
_STEMS: dict[str, Spelled] = {
    "ndcg": "nDCG",
    "ndcg_burges": ("nDCG", _BURGES),
    "dcg": "DCG",
    "dcg_burges": ("DCG", _BURGES),
    "map": "AP",
    "mrr": "RR",
    "precision": "P",
    "recall": "R",
    "f1": "F",
    "hit_rate": "Success",
    "hits": "NumRelRet",
}
_NAMES: dict[str, Spelled] = {
    **{f"{stem}{cut}": spelled for stem, spelled in _STEMS.items() for cut in ("", "@{k}")},
    "r-precision": "Rprec",
}


def _reads(word: str) -> tuple[str, dict[str, Any]] | None:
    """A name with its level of relevance, `map@100-l2`, or `rbp.95`, whose digits are those of p."""
    stem, _, level = word.rpartition("-l")
    if not (stem and level.isascii() and level.isdigit()):
        stem, level = word, "1"
    found = _rbp(stem) if stem.startswith("rbp") else _plain(stem)
    if found is not None and found[0] == "RBP" and level != "1":
        what = f"'{word}' of ranx is not supported: RBP takes the labels as gains, from whichever level"
        raise MeasureError(message(what, hint=f"write ranx:{stem}."))
    return None if found is None else (found[0], {**found[1], **_level(found[0], int(level))})


def _rbp(stem: str) -> tuple[str, dict[str, Any]] | None:
    """Labels are gains as they are, whatever the greatest is."""
    point, digits = stem[3:4], stem[4:]
    if point not in (".", "@") or not (digits.isascii() and digits.isdigit()):
        return None
    return "RBP", {"p": float(f"0.{digits}"), "graded": True, "gmax": 1, "outside": "zero"}


def _plain(stem: str) -> tuple[str, dict[str, Any]] | None:
    for pattern, spelled in _NAMES.items():
        k = match(pattern, stem)
        if k is not None:
            name, parameters = (spelled, {}) if isinstance(spelled, str) else spelled
            return name, {**({"k": k} if k else {}), **parameters}
    return None


def _level(name: str, level: int) -> dict[str, Any]:
    if name not in ("nDCG", "DCG"):
        return {} if level == 1 else {"rel": level}
    # Labels below the level gain nothing, the others what they gain anyway.
    below = dict.fromkeys(range(1, level), 0)
    return {"labels": below} if below else {}


RANX = Tool(
    title="ranx 0.3",
    convention=Convention(
        name="ranx",
        gain="linear",
        labels="truncated",
        negative="zero",
        ideal="judged",
        ties="input",
        empty=0.0,
        rel=1,
        missing="zero",
    ),
    measures={
        "nDCG": {}, "DCG": {}, "AP": {}, "RR": {}, "P": {}, "R": {}, "F": {}, "Success": {}, "Rprec": {},
        "NumRelRet": {}, "RBP": {},
    },
    names=_NAMES,
    zero_is_whole=True,
    reads=_reads,
    unsupported={
        "bpref": "it divides 0 by 0 where all judged documents are relevant, or none is",
    },
    remarks=(
        "From 16 documents on its order of ties is that of a sort that is not stable; here it is that of the run.",
        "It refuses queries that only one side knows unless make_comparable=True; here it is as with it.",
    ),
)  # fmt: skip
TOOLS = (RANX,)
