"""gdeval.pl, the script of the TREC Web track: nDCG with gains 2^label − 1, and ERR whose greatest grade is 4.

Labels above 4 are refused, scores are compared as they are, ties fall to the greater document id (bytes). Topics
without a relevant document get no line and are in no mean.
"""

from __future__ import annotations

from typing import Any

from rankwise.measures.convention import Convention
from rankwise.measures.tools.base import Tool

# Also the rules of ir_measures' nDCG(dcg='exp-log2') and ERR, which run the script.
RULES: dict[str, Any] = {
    "gain": {0: 0, 1: 1, 2: 3, 3: 7, 4: 15},
    "outside": "error",
    "negative": "zero",
    "discount": "ln",
    "ideal": "judged",
    "ties": "docid-desc",
    "precision": "float64",
    "gmax": 4,
}

GDEVAL = Tool(
    title="gdeval.pl 1.2 (TREC Web track)",
    convention=Convention(name="gdeval", **RULES, empty="skip", missing="skip", quirks=frozenset({"err-of-none"})),
    measures={"nDCG": {}, "ERR": {}},
    names={"ndcg@{k}": "nDCG", "err@{k}": "ERR"},
    remarks=(
        "It prints five decimals.",
        "Query ids must be whole numbers; what stands before the last hyphen of an id is dropped, so that a-1 and b-1 "
        "become one. Here ids stay as they are.",
    ),
)
TOOLS = (GDEVAL,)
