"""Rax's metrics: 0.4.0, on JAX, without a `key` (with one it breaks ties by lot)."""

from __future__ import annotations

from rankwise.measures.convention import Convention
from rankwise.measures.tools.base import Spelled, Tool

_HEADS = {"ndcg": "nDCG", "dcg": "DCG", "ap": "AP", "mrr": "RR", "precision": "P", "recall": "R"}
_NAMES: dict[str, Spelled] = {
    word: name for head, name in _HEADS.items() for word in (f"{head}@{{k}}", head, f"{head}_metric")
}
RAX = Tool(
    title="Rax 0.4.0",
    convention=Convention(
        name="rax",
        gain="exp2",
        outside="zero",
        discount="log2",
        ideal="list",
        ties="input",
        precision="float32",
        empty=0.0,
        rel=1,
        p_over="min(k, n)",
        missing="skip",
    ),
    measures={name: {} for name in _HEADS.values()},
    names=_NAMES,
    unsupported=dict.fromkeys(("opa", "opa_metric"), "it is the share of pairs in order, not emulated"),
    remarks=("It takes a document with a score of −∞ as not retrieved; here it stands last.",),
)
TOOLS = (RAX,)
