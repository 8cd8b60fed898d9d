"""LightGBM's `ndcg` and `map`: 4.7.0, with the default `label_gain` (2^l − 1) and with a linear one (0,1,2,…).

A query without a relevant document scores 1 in both. Ties keep the order of the rows, so that a constant model is as
good as the order in which the rows came.
"""

from __future__ import annotations

from rankwise.measures.convention import Convention
from rankwise.measures.tools.base import Tool

_FIVE = "it means @1 … @5, the default of eval_at; write {}@1..5"


def _lightgbm(name: str, title: str, gain: str) -> Tool:
    return Tool(
        title=title,
        convention=Convention(
            name=name,
            gain=gain,
            outside="zero",
            discount="log2",
            ideal="list",
            ties="input",
            empty=1.0,
            rel=">0.5",
            ap_over="min(R, k)",
            missing="skip",
        ),
        measures={"nDCG": {}, "AP": {}},
        names={"ndcg@{k}": "nDCG", "map@{k}": "AP"},
        unsupported={
            **{word: _FIVE.format(f"{name}:{word}") for word in ("ndcg", "map")},
            "auc_mu": "it is a measure of classes, not of lists",
        },
        remarks=(
            "It refuses labels that are not whole, or that its label_gain lacks (31 and above by default).",
            "Its ndcg with query weights adds a list without a relevant document as 1, whatever its weight, so that "
            "the mean is wrong; here the weighted mean is one.",
            "Its table of gains is one for the whole process: the last booster that was made sets it for all others.",
        ),
    )


LIGHTGBM = _lightgbm("lightgbm", "LightGBM 4.7.0", "exp2")
LIGHTGBM_LINEAR = _lightgbm("lightgbm_linear", "LightGBM 4.7.0 with label_gain=0,1,2,…", "linear")
TOOLS = (LIGHTGBM, LIGHTGBM_LINEAR)
