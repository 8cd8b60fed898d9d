"""scikit-learn: `ndcg_score` and `dcg_score`, which take gains, and the mean over the orders of ties.

Its gains are the labels themselves: `linear`. To have 2^label − 1 its callers transform the labels: `exp`.
"""

from __future__ import annotations

from rankwise.measures.convention import Convention
from rankwise.measures.tools.base import Spelled, Tool

_EXP = {"gain": "exp2"}
_ONE_STEP = "it takes tied documents as one step, which is the mean of no orders"
_NAMES: dict[str, Spelled] = {
    f"{word}{kind}{cut}": (measure, choices)
    for word, measure in (("ndcg", "nDCG"), ("dcg", "DCG"))
    for kind, choices in (("_linear", {}), ("_exp", _EXP), ("_score", {}))
    for cut in ("", "@{k}")
}

SKLEARN = Tool(
    title="scikit-learn 1.9",
    convention=Convention(name="sklearn", gain="linear", ideal="list", empty=0.0, missing="skip"),
    measures={"nDCG": {}, "DCG": {}},
    names=_NAMES,
    unsupported={
        "average_precision_score": _ONE_STEP,
        "label_ranking_average_precision_score": _ONE_STEP,
        "label_ranking_loss": "it takes a tie for an error",
        "coverage_error": "it is a rank, over labels of one document",
    },
    remarks=(
        "It refuses a list of one document; here nDCG of such a list is 1, or 0 if it is empty.",
        "With ignore_ties=True equal scores come in the reversed order of a sort that is not stable: `ties='reversed'` "
        "where a list is short.",
    ),
)
TOOLS = (SKLEARN,)
