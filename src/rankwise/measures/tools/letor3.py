"""LETOR 3.0: `Eval-Score-3.0.pl`.

Two independent copies of the script agree. Its averages divide the sum over the queries that have a position k by
all queries, so that a list of fewer than k documents counts 0.
"""

from __future__ import annotations

from rankwise.measures.convention import Convention
from rankwise.measures.tools.base import Tool

LETOR3 = Tool(
    title="Eval-Score-3.0.pl (LETOR 3.0)",
    convention=Convention(
        name="letor3",
        gain={0: 0, 1: 1, 2: 3},
        outside="zero",
        discount="jarvelin",
        ideal="list",
        ties="input",
        empty=0.0,
        short="zero",
        rel={1, 2},
        missing="skip",
    ),
    measures={"nDCG": {}, "P": {}, "AP": {"short": "as is"}},
    names={"NDCG@{k}": "nDCG", "P@{k}": "P", "MAP": "AP"},
    remarks=("Per query it prints positions 1 … min(n, 16) only.", "Non-numeric query ids come in random order."),
)
TOOLS = (LETOR3,)
