"""Yahoo! Learning to Rank Challenge: `evaluate.py`, in its two versions.

They differ in what a query without a relevant document scores: 1 as archived in April 2013, 0.5 in the earlier form.
Gains are (2^l − 1)/16, whose 16 cancels in NDCG; the natural logarithm of the discount cancels as well.
"""

from __future__ import annotations

from rankwise.measures.convention import Convention
from rankwise.measures.tools.base import Tool


def _yahoo(name: str, title: str, empty: float) -> Tool:
    return Tool(
        title=title,
        convention=Convention(
            name=name,
            gain="exp2",
            outside="zero",
            discount="ln",
            ideal="list",
            ties="input",
            empty=empty,
            missing="skip",
            gmax=4,
        ),
        # ERR reads the whole list whatever k is.
        measures={"nDCG": {}, "ERR": {"cut": "ignored"}},
        names={"NDCG@{k}": "nDCG", "ERR": "ERR"},
        remarks=("It reads ranks, not scores: there are no ties; `input` stands for ranks made in file order.",),
    )


YAHOO_V1_0 = _yahoo("yahoo_v1_0", "Yahoo! challenge evaluate.py, April 2013 (empty query 1)", 1.0)
YAHOO_V0_5 = _yahoo("yahoo_v0_5", "Yahoo! challenge evaluate.py, earlier form (empty query 0.5)", 0.5)
TOOLS = (YAHOO_V1_0, YAHOO_V0_5)
