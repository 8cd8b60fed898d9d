"""ir_measures: several programs behind one grammar, each with its own order of ties.

Most measures come from pytrec_eval, that is trec_eval 9.0.8; `RR` with a cut-off from the script of MS MARCO (scores
as they are, ties to the lesser document id), and `Judged` has its order; `RBP` is cwl-eval's; `ERR` and
`nDCG(dcg='exp-log2')` are gdeval's. Its means are over all judged queries, and those that the run lacks score 0.
"""

from __future__ import annotations

import ast
from typing import Any

from rankwise.errors import MeasureError, message
from rankwise.measures.tools.base import Spelled, Tool
from rankwise.measures.tools.gdeval import RULES
from rankwise.measures.tools.trec_eval import TREC_EVAL_9_0_8

_TITLE = "ir_measures 0.4"
_EXPONENTIAL = {axis: RULES[axis] for axis in ("gain", "outside", "precision")}
_MS_MARCO = {"ties": "docid", "precision": "float64"}
_SUM = {"mean": "sum"}

# Its names: the measure here, and the arguments that it takes; `@` gives the first of them.
_NAMES: dict[str, tuple[Spelled, tuple[str, ...]]] = {
    **dict.fromkeys(("nDCG", "NDCG"), ("nDCG", ("cutoff", "dcg", "gains", "judged_only"))),
    **dict.fromkeys(("AP", "MAP"), ("AP", ("cutoff", "rel", "judged_only"))),
    **dict.fromkeys(("RR", "MRR"), ("RR", ("cutoff", "rel", "judged_only"))),
    **dict.fromkeys(("P", "Precision"), ("P", ("cutoff", "rel", "judged_only"))),
    **dict.fromkeys(("R", "Recall"), ("R", ("cutoff", "rel", "judged_only"))),
    **dict.fromkeys(("Rprec", "RPrec"), ("Rprec", ("", "rel", "judged_only"))),
    **dict.fromkeys(("Bpref", "BPref"), ("Bpref", ("", "rel"))),
    "Success": ("Success", ("cutoff", "rel", "judged_only")),
    "ERR": ("ERR", ("cutoff",)),
    "IPrec": ("IPrec", ("recall", "rel", "judged_only")),
    "infAP": ("InfAP", ("", "rel")),
    "SetP": ("P", ("", "rel", "relative", "judged_only")),
    "SetRelP": (("P", {"p_over": "min(k, R)"}), ("", "rel", "judged_only")),
    "SetR": ("R", ("", "rel")),
    "SetF": ("F", ("", "rel", "beta", "judged_only")),
    "SetAP": ("SetAP", ("", "rel", "judged_only")),
    "Judged": ("Judged", ("cutoff",)),
    "RBP": ("RBP", ("", "rel", "p")),
    "NumQ": ("NumQ", ("",)),
    "NumRet": ("NumRet", ("", "rel")),
    "NumRelRet": ("NumRelRet", ("", "rel")),
    "NumRel": ("NumRel", ("", "rel")),
}
# What it computes only of the first k.
_NEEDS_CUTOFF = ("P", "Precision", "R", "Recall", "Success", "ERR")

_CWL = "it belongs to the package cwl-eval, which is not emulated"
_DIVERSITY = "it needs judgments of several aspects of a query, which Rankwise does not read"
_UNSUPPORTED = {
    **dict.fromkeys(("BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11", "INST", "INSQ"), _CWL),
    **dict.fromkeys(
        ("alpha_DCG", "α_DCG", "alpha_nDCG", "α_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "MAP_IA", "P_IA",
         "StRecall"), _DIVERSITY,
    ),
    "Compat": "it compares with several ideal rankings",
    "Accuracy": "it fails where everything retrieved is relevant, and its mean leaves out the lists without a hit",
}  # fmt: skip


def _reads(word: str) -> tuple[str, dict[str, Any]] | None:
    """`Name(argument=value, …)@first`; None where a name or an argument is not its own."""
    called = _called(word)
    if called is None or called[0] not in _NAMES:
        return None
    own, given, at = called
    spelled, arguments = _NAMES[own]
    if "recall" in given:
        return None  # in brackets it is the level here, which need not have two decimals
    if at is not None:
        given[arguments[0]] = at
    if not all(of in arguments and of and isinstance(value, _TYPES[of]) for of, value in given.items()):
        return None
    if own in _NEEDS_CUTOFF and "cutoff" not in given:
        return None
    _refuse_what_no_program_computes(word, own, given)
    name, choices = (spelled, {}) if isinstance(spelled, str) else spelled
    if name == "NumRet" and "rel" in given:
        name = "NumRelRet"
    return name, {**choices, **_choices(given)}


def _called(word: str) -> tuple[str, dict[str, Any], Any] | None:
    """The name, the arguments as literals, and what follows `@`; None if it is not of that form."""
    at = None
    given: dict[str, Any] = {}
    try:
        node: ast.expr = ast.parse(word, mode="eval").body
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            at, node = ast.literal_eval(node.right), node.left
        if isinstance(node, ast.Call) and not node.args:
            given = {str(one.arg): ast.literal_eval(one.value) for one in node.keywords}
            node = node.func
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    return (node.id, given, at) if isinstance(node, ast.Name) else None


_TYPES: dict[str, Any] = {
    "cutoff": int, "rel": int, "judged_only": bool, "dcg": str, "gains": dict, "recall": (int, float),
    "relative": bool, "beta": (int, float), "p": float,
}  # fmt: skip


def _choices(given: dict[str, Any]) -> dict[str, Any]:
    """Its arguments as parameters and choices here."""
    made: dict[str, Any] = {}
    if "cutoff" in given:
        made["k"] = given["cutoff"]
    if "rel" in given:
        made["rel"] = given["rel"]
    if "p" in given:
        made["p"] = given["p"]
    if "beta" in given:
        # It hands beta to trec_eval, which takes it for its square.
        made["weight"] = given["beta"]
    if "recall" in given:
        # It asks trec_eval for the level with two decimals.
        made["recall"] = float(f"{given['recall']:.2f}")
    if given.get("relative"):
        made["p_over"] = "min(k, R)"
    if given.get("judged_only"):
        made["unjudged"] = "removed"
    if given.get("gains"):
        made["labels"] = given["gains"]
    if given.get("dcg") == "exp-log2":
        made |= _EXPONENTIAL
    return made


def _refuse_what_no_program_computes(word: str, name: str, given: dict[str, Any]) -> None:
    exponential = given.get("dcg") == "exp-log2"
    why = ""
    if given.get("dcg", "log2") not in ("log2", "exp-log2"):
        why = "dcg is 'log2' or 'exp-log2'"
    elif exponential and "cutoff" not in given:
        why = "gdeval needs a cut-off"
    elif exponential and (given.get("judged_only") or given.get("gains")):
        why = "gdeval has neither gains nor judged_only"
    elif any(not isinstance(label, int) or not isinstance(to, int) or to < 0
             for label, to in given.get("gains", {}).items()):  # fmt: skip
        why = "gains are whole numbers from 0, and so are the labels"
    elif name in ("RR", "MRR") and "cutoff" in given and given.get("judged_only"):
        why = "the script of MS MARCO has no judged_only"
    elif name == "NumRel" and given.get("rel", 1) != 1:
        why = "pytrec_eval counts the documents of label 1 and above"
    if why:
        raise MeasureError(message(f"{_TITLE} does not compute '{word}': {why}"))


_OWN: dict[str, Spelled] = {
    **{name: spelled for name, (spelled, _) in _NAMES.items() if name not in _NEEDS_CUTOFF and name != "IPrec"},
    **{f"{name}@{{k}}": spelled for name, (spelled, (first, *_)) in _NAMES.items() if first == "cutoff"},
    "nDCG(dcg='exp-log2')@{k}": ("nDCG", _EXPONENTIAL),
}

IR_MEASURES = Tool(
    title=_TITLE,
    convention=TREC_EVAL_9_0_8.convention.but(missing="zero").named("ir_measures"),
    measures={
        "nDCG": {}, "AP": {}, "RR": {}, "P": {}, "R": {}, "Rprec": {}, "Bpref": {}, "Success": {},
        "ERR": {axis: RULES[axis] for axis in ("outside", "precision")},
        "Judged": {**_MS_MARCO, "p_over": "min(k, n)", "quirks": {"negative-judged"}},
        "RBP": {"ties": "input", "precision": "float64"},
        "IPrec": {}, "InfAP": {}, "F": {}, "SetAP": {},
        "NumQ": _SUM, "NumRet": _SUM, "NumRel": _SUM, "NumRelRet": _SUM,
    },
    names=_OWN,
    cut={"RR": _MS_MARCO},
    reads=_reads,
    unsupported={f"{name}{cut}": why for name, why in _UNSUPPORTED.items() for cut in ("", "@{k}")},
    remarks=(
        "RBP, of cwl-eval, keeps ties as they stand in the run. It wants a level; without one it is 1 here.",
        "nDCG(dcg='exp-log2') and ERR come with five decimals, for numeric query ids and labels up to 4 only.",
        "With several nDCG of the same cut-off in one call, its values depend on the hash seed of Python; here each is "
        "what it is alone.",
    ),
)  # fmt: skip
TOOLS = (IR_MEASURES,)
