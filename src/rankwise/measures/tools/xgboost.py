"""XGBoost's `ndcg`, `map` and `pre`: 3.2.0.

A query without a relevant document scores 1, or 0 if the name ends in `-`. The bare names are cut at 32.
`ndcg_exp_gain` (on unless it is turned off) is a parameter beside the name; here `exp_ndcg` and `linear_ndcg` say it.
"""

from __future__ import annotations

from typing import Any

from rankwise.measures.convention import Convention
from rankwise.measures.tools.base import Spelled, Tool

# What a name means without @.
_BARE = 32


def _names() -> dict[str, Spelled]:
    """Every name with and without a cut-off, and with the `-` that makes empty lists score 0."""
    heads: dict[str, tuple[str, dict[str, Any]]] = {
        "ndcg": ("nDCG", {}),
        "exp_ndcg": ("nDCG", {"gain": "exp2"}),
        "linear_ndcg": ("nDCG", {"gain": "linear"}),
        "map": ("AP", {}),
        "pre": ("P", {}),
    }
    found: dict[str, Spelled] = {}
    for head, (name, choices) in heads.items():
        for end, empty in {"": {}, "-": {"empty": 0.0}}.items():
            found[f"{head}@{{k}}{end}"] = (name, {**choices, **empty})
            found[f"{head}{end}"] = (name, {"k": _BARE, **choices, **empty})
    return found


_CURVE = "it is an area under a curve, with groups that it leaves out, which was not compared"
XGBOOST = Tool(
    title="XGBoost 3.2.0",
    convention=Convention(
        name="xgboost",
        gain="exp2",
        outside="zero",
        discount="log2",
        ideal="list",
        ties="input",
        precision="float32",
        empty=1.0,
        rel=1,
        p_over="min(k, n)",
        ap_over="min(R, k)",
        missing="skip",
    ),
    measures={"nDCG": {}, "AP": {}, "P": {}},
    names=_names(),
    unsupported={"auc": _CURVE, "aucpr": _CURVE, "ams@{k}": "it is a measure of classes, not of lists"},
    remarks=(
        "Its map and pre refuse labels other than 0 and 1; here a label of 1 and above is relevant.",
        "Its ndcg refuses labels above 31, or fractional ones, while ndcg_exp_gain is on.",
    ),
)
TOOLS = (XGBOOST,)
