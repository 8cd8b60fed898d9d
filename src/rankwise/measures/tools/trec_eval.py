"""NIST's trec_eval: 8.1, 9.0a3 (2008), 9.0.8 and 10.0, the last two also with `-c`.

Gains are linear; ties fall to the greater document id (bytes); 8 and 9 compare scores as single precision.
The ideal of `ndcg` is not cut. Judged documents that were not retrieved stay in R and in the ideal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwise.measures.convention import Convention
from rankwise.measures.tools.base import Spelled, Tool

_BASE = Convention(
    name="trec_eval",
    gain="linear",
    labels="truncated",
    outside="zero",
    negative="zero",
    discount="log2",
    ideal="judged",
    ties="docid-desc",
    precision="float32",
    empty=0.0,
    rel=1,
    missing="skip",
    quirks=frozenset({"recall-level-truncated"}),
)
_LEVELS = [f"{level / 10:.2f}" for level in range(11)]
_SUM = {"mean": "sum"}
_COUNTS: dict[str, dict[str, Any]] = {"NumQ": _SUM, "NumRet": _SUM, "NumRel": _SUM, "NumRelRet": _SUM}
_COUNT_NAMES: dict[str, Spelled] = {"num_q": "NumQ", "num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRelRet"}
_IPREC: dict[str, Spelled] = {f"iprec_at_recall_{level}": ("IPrec", {"recall": float(level)}) for level in _LEVELS}

_NAMES: dict[str, Spelled] = {
    **_COUNT_NAMES,
    "map": "AP",
    "gm_map": ("AP", {"mean": "geometric"}),
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "gm_bpref": ("Bpref", {"mean": "geometric"}),
    "recip_rank": "RR",
    **_IPREC,
    **{f"{word}{dot}{{k}}": name for word, name in
       (("P", "P"), ("recall", "R"), ("ndcg_cut", "nDCG"), ("map_cut", "AP")) for dot in "_."},
    "ndcg": "nDCG",
    "ndcg_rel": "nDCGrel",
    "Rndcg": "RnDCG",
}  # fmt: skip
_MEASURES: dict[str, dict[str, Any]] = {
    "nDCG": {}, "AP": {}, "RR": {}, "P": {}, "R": {}, "Rprec": {}, "Bpref": {}, "IPrec": {},
    "nDCGrel": {}, "RnDCG": {}, **_COUNTS,
}  # fmt: skip
# With -c a query that the run lacks is counted, and so are its relevant documents.
_COUNTED = {**_MEASURES, **{name: {**_SUM, "missing": "as is"} for name in ("NumQ", "NumRel")}}


def _version(
    name: str,
    title: str,
    *,
    names: Mapping[str, Spelled] = _NAMES,
    measures: Mapping[str, dict[str, Any]] = _MEASURES,
    remarks: tuple[str, ...] = (),
    **choices: Any,
) -> Tool:
    convention = _BASE.but(**choices).named(name)
    return Tool(title=title, convention=convention, measures=measures, names=names, remarks=remarks)


TREC_EVAL_8_1 = _version(
    "trec_eval_8_1",
    "trec_eval 8.1",
    names={
        **_COUNT_NAMES,
        "map": "AP",
        "gm_ap": ("AP", {"mean": "geometric"}),
        "R-prec": "Rprec",
        "bpref": "Bpref",
        "recip_rank": "RR",
        **{f"ircl_prn.{level}": ("IPrec", {"recall": float(level)}) for level in _LEVELS},
        "P{k}": "P",
        "recall{k}": "R",
    },
    measures={name: of for name, of in _MEASURES.items() if name not in ("nDCG", "nDCGrel", "RnDCG")},
)
TREC_EVAL_9_0A3 = _version("trec_eval_9_0a3", "trec_eval 9.0 alpha 3 (2008)", discount="jarvelin")
TREC_EVAL_9_0_8 = _version("trec_eval_9_0_8", "trec_eval 9.0.8 (tag v9.0.8)")
TREC_EVAL_9_0_8_C = _version("trec_eval_9_0_8_c", "trec_eval 9.0.8 with -c", missing="zero", measures=_COUNTED)
_DOUBLE: dict[str, Any] = {"precision": "float64", "quirks": frozenset()}
TREC_EVAL_10_0 = _version("trec_eval_10_0", "trec_eval 10.0", missing="error", **_DOUBLE)
TREC_EVAL_10_0_C = _version("trec_eval_10_0_c", "trec_eval 10.0 with -c", missing="zero", measures=_COUNTED, **_DOUBLE)
TOOLS = (TREC_EVAL_8_1, TREC_EVAL_9_0A3, TREC_EVAL_9_0_8, TREC_EVAL_9_0_8_C, TREC_EVAL_10_0, TREC_EVAL_10_0_C)
