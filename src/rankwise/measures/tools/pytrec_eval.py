"""pytrec_eval (pytrec_eval-terrier): trec_eval 9.0.8 called from Python, with all digits of what it computes."""

from __future__ import annotations

from rankwise.measures.tools.base import Tool
from rankwise.measures.tools.trec_eval import TREC_EVAL_9_0_8

PYTREC_EVAL = Tool(
    title="pytrec_eval-terrier 0.5",
    convention=TREC_EVAL_9_0_8.convention.named("pytrec_eval"),
    measures=TREC_EVAL_9_0_8.measures,
    names=TREC_EVAL_9_0_8.names,
    unsupported=TREC_EVAL_9_0_8.unsupported,
    remarks=(
        "It returns values of lists and no means; its function for means is the geometric mean for gm_…, the sum for "
        "num_… and the plain mean for all others, as here.",
        "Of gm_map and gm_bpref it returns the logarithm of a list's value, here it is the value itself.",
        "A query all of whose labels are negative ends the whole process.",
    ),
)
TOOLS = (PYTREC_EVAL,)
