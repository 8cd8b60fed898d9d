"""TorchMetrics' retrieval metrics: 1.9.0.

The part after the slash is `empty_target_action`, `neg` (0) unless said otherwise: `ndcg@10/skip`. NDCG is linear and
takes the mean over tied orders. For the other metrics a relevant document that scores 0 or less is no hit, though it
stays among the relevant ones; hit rate and R-precision know no such rule.
"""

from __future__ import annotations

from typing import Any

from rankwise.measures.convention import Convention
from rankwise.measures.tools.base import Spelled, Tool

_ACTIONS: dict[str, dict[str, Any]] = {"": {}, "/neg": {}, "/pos": {"empty": 1.0}, "/skip": {"empty": "skip"}}
_NO_ORDER = "TorchMetrics breaks ties by an unstable sort; here they keep the order of the rows."
_NONE = frozenset({"mean-of-none-0"})
_HEADS = {"ndcg": "nDCG", "map": "AP", "mrr": "RR", "recall": "R"}
# These cannot say what an empty list scores: they always have a value.
_ALWAYS = {"precision": "P", "hit_rate": "Success"}


def _names() -> dict[str, Spelled]:
    found: dict[str, Spelled] = {}
    for end, choices in _ACTIONS.items():
        heads = _HEADS if choices else {**_HEADS, **_ALWAYS}
        for head, name in heads.items():
            found[f"{head}@{{k}}{end}"] = (name, choices)
            found[f"{head}{end}"] = (name, choices)
        found[f"r_precision{end}"] = ("Rprec", choices)
    return found


def _unsupported() -> dict[str, str]:
    why = "the measure has a value for a list without a relevant document, 0, which this action would replace"
    words = [f"{head}{at}/{action}" for head in _ALWAYS for at in ("", "@{k}") for action in ("pos", "skip")]
    errors = [f"{head}{at}/error" for head in {**_HEADS, **_ALWAYS} for at in ("", "@{k}")]
    raising = "it raises an error at the first list without a relevant document"
    return {
        **dict.fromkeys(words, why),
        **dict.fromkeys(errors, raising),
        "fall_out": "the share of the other documents that were retrieved is not among the measures",
        "auroc": "its rule for ties was not compared with that of AUC",
    }


TORCHMETRICS = Tool(
    title="TorchMetrics 1.9.0",
    convention=Convention(
        name="torchmetrics",
        gain="linear",
        outside="zero",
        discount="log2",
        ideal="list",
        ties="input",
        precision="float32",
        empty=0.0,
        rel=1,
        ap_over="hits",
        missing="skip",
        quirks=_NONE | {"positive-scores"},
    ),
    measures={
        "nDCG": {"ties": "expected", "quirks": _NONE},
        **{name: {} for name in ("AP", "RR", "P", "R")},
        **{name: {"quirks": _NONE} for name in ("Success", "Rprec")},
    },
    names=_names(),
    unsupported=_unsupported(),
    remarks=(_NO_ORDER, "All but NDCG refuse labels other than 0 and 1; here a label of 1 and above is relevant."),
)
TOOLS = (TORCHMETRICS,)
