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
_COUNT_NAMES: dict[str, Spelled] = {
    "num_q": "NumQ", "num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRelRet",
}  # fmt: skip
_RELATIVE = {"p_over": "min(k, R)"}
_MULTIPLES = [f"{tenths / 10:.2f}" for tenths in range(2, 21, 2)]
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
       (("P", "P"), ("recall", "R"), ("ndcg_cut", "nDCG"), ("map_cut", "AP"), ("success", "Success")) for dot in "_."},
    **{f"relative_P{dot}{{k}}": ("P", _RELATIVE) for dot in "_."},
    **{f"Rprec_mult_{times}": ("Rprec", {"times": float(times)}) for times in _MULTIPLES},
    "infAP": "InfAP",
    "11pt_avg": "IAP",
    "utility": "Utility",
    "ndcg": "nDCG",
    "ndcg_rel": "nDCGrel",
    "Rndcg": "RnDCG",
    "G": "G",
    "binG": "BinG",
    "set_P": "P",
    "set_relative_P": ("P", _RELATIVE),
    "set_recall": "R",
    "set_map": "SetAP",
    "set_F": "F",
    "num_nonrel_judged_ret": "NumNonrelRet",
}  # fmt: skip
_NAMES_10: dict[str, Spelled] = {**_NAMES, "unj_{k}": "Unjudged", "unj.{k}": "Unjudged", "dcg": "DCG"}
_MEASURES: dict[str, dict[str, Any]] = {
    "nDCG": {}, "AP": {}, "RR": {}, "P": {}, "R": {}, "Rprec": {}, "Bpref": {}, "IPrec": {},
    "nDCGrel": {}, "RnDCG": {}, "G": {}, "BinG": {}, "InfAP": {}, "IAP": {}, "Success": {}, "SetAP": {}, "F": {},
    "Utility": {}, "NumNonrelRet": _SUM, **_COUNTS,
}  # fmt: skip
_MEASURES_10 = {**_MEASURES, "Unjudged": {}, "DCG": {}}
# With -c a query that the run lacks is counted, and so are its relevant documents.
_COMPLETE = {"NumQ": {**_SUM, "missing": "as is"}, "NumRel": {**_SUM, "missing": "as is"}}

_PREFERENCES = "it needs judgments that prefer one document to another, which Rankwise does not read"
_GROUPS = "it needs several groups of judgments for a query, which Rankwise does not read"
_UNSUPPORTED: dict[str, str] = {
    "relstring": "it is the string of the first labels, no number",
    "yaap": "an experiment that no set of measures includes",
    **dict.fromkeys((
        "prefs", "all_prefs", "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_simp",
        "prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel", "prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret",
        "prefs_avgjg_Rnonrel_ret", "prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp",
    ), _PREFERENCES),
    **dict.fromkeys(("qrels_jg", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"), _GROUPS),
}  # fmt: skip
_UNSUPPORTED_10 = {
    **_UNSUPPORTED,
    "rbp": "10.0 compares gains with two variables that it never sets, so its values depend on how it was compiled",
    "rbp_resid": "it belongs to rbp, which is not supported",
    "ideal_dcg": "it depends on the judgments alone",
}
# The further measures were not compared with 8.1 and the alpha of 9.0.
_EARLY = ("nDCG", "AP", "RR", "P", "R", "Rprec", "Bpref", "IPrec", "nDCGrel", "RnDCG", *_COUNTS)
_MEASURES_EARLY = {name: of for name, of in _MEASURES.items() if name in _EARLY}
_NAMES_EARLY = {
    word: spelled
    for word, spelled in _NAMES.items()
    if (spelled if isinstance(spelled, str) else spelled[0]) in _EARLY
    and not word.startswith(("relative_", "set_", "Rprec_mult"))
}


def _version(
    name: str,
    title: str,
    *,
    names: Mapping[str, Spelled] = _NAMES,
    measures: Mapping[str, dict[str, Any]] = _MEASURES,
    unsupported: Mapping[str, str] = _UNSUPPORTED,
    **choices: Any,
) -> Tool:
    convention = _BASE.but(**choices).named(name)
    return Tool(title=title, convention=convention, measures=measures, names=names, unsupported=unsupported)


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
    measures={name: of for name, of in _MEASURES_EARLY.items() if name not in ("nDCG", "nDCGrel", "RnDCG")},
)
TREC_EVAL_9_0A3 = _version(
    "trec_eval_9_0a3", "trec_eval 9.0 alpha 3 (2008)", names=_NAMES_EARLY, measures=_MEASURES_EARLY, discount="jarvelin"
)
TREC_EVAL_9_0_8 = _version("trec_eval_9_0_8", "trec_eval 9.0.8 (tag v9.0.8)")
TREC_EVAL_9_0_8_C = _version(
    "trec_eval_9_0_8_c", "trec_eval 9.0.8 with -c", missing="zero", measures={**_MEASURES, **_COMPLETE}
)
_10: dict[str, Any] = {
    "precision": "float64", "quirks": frozenset(), "names": _NAMES_10, "unsupported": _UNSUPPORTED_10,
}  # fmt: skip
TREC_EVAL_10_0 = _version("trec_eval_10_0", "trec_eval 10.0", missing="error", measures=_MEASURES_10, **_10)
TREC_EVAL_10_0_C = _version(
    "trec_eval_10_0_c", "trec_eval 10.0 with -c", missing="zero", measures={**_MEASURES_10, **_COMPLETE}, **_10
)
TOOLS = (TREC_EVAL_8_1, TREC_EVAL_9_0A3, TREC_EVAL_9_0_8, TREC_EVAL_9_0_8_C, TREC_EVAL_10_0, TREC_EVAL_10_0_C)
