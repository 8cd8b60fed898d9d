"""LETOR 4.0: `Eval-Score-4.0.pl`. Three copies of the script agree byte for byte."""

from __future__ import annotations

from rankwise.measures.convention import Convention
from rankwise.measures.tools.base import Tool

LETOR4 = Tool(
    title="Eval-Score-4.0.pl (LETOR 4.0)",
    convention=Convention(
        name="letor4",
        gain={0: 0, 1: 1, 2: 3},
        outside="zero",
        discount="jarvelin",
        ideal="list",
        ties="input",
        empty=0.0,
        rel={1, 2},
        missing="skip",
    ),
    # NDCG@k is 0 for every k > n, even of a perfect list; P@k counts holes as not relevant.
    measures={"nDCG": {"short": "zero"}, "MeanNDCG": {}, "P": {}, "AP": {}},
    names={"NDCG@{k}": "nDCG", "MeanNDCG": "MeanNDCG", "P@{k}": "P", "MAP": "AP"},
    remarks=("Of two documents with one id in a query the last replaces the first.",),
)
TOOLS = (LETOR4,)
