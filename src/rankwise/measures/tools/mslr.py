"""MSLR-WEB10K/30K: `eval-score-mslr.pl`. Three copies of the script agree."""

from __future__ import annotations

from rankwise.measures.convention import Convention
from rankwise.measures.tools.base import Tool

MSLR = Tool(
    title="eval-score-mslr.pl (MSLR-WEB)",
    convention=Convention(
        name="mslr",
        gain={0: 0, 1: 1, 2: 3, 3: 7, 4: 15},
        outside="zero",
        discount="jarvelin",
        ideal="list",
        ties="input",
        empty=0.0,
        rel={2, 3, 4},
        missing="skip",
    ),
    measures={"nDCG": {"short": "zero"}, "MeanNDCG": {}, "P": {}, "AP": {}},
    names={"NDCG@{k}": "nDCG", "MeanNDCG": "MeanNDCG", "P@{k}": "P", "MAP": "AP"},
    remarks=("Label 1 has gain 1 but is not relevant for MAP and P.",),
)
TOOLS = (MSLR,)
