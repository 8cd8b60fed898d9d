"""CatBoost's ranking metrics: 1.2.10.

`NDCG:top=10;type=Exp;denominator=Position`: the parameters stand in the name, in any order. The gain is linear unless
`type=Exp`. Ties fall to the worst case, the lower label first. NDCG and RecallAt of a query without a relevant document
are 1, the other measures give it 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rankwise.errors import MeasureError, message
from rankwise.measures.convention import Convention
from rankwise.measures.tools.base import Tool

_Choices = dict[str, Any]


def _top(text: str) -> _Choices:
    """−1 is the whole list."""
    return {} if text == "-1" else {"k": int(text)}


def _border(text: str) -> _Choices:
    float(text)
    return {"rel": f">{text}"}


# What each parameter may be, and what it changes.
_PARAMETERS: dict[str, tuple[str, Callable[[str], _Choices]]] = {
    "top": ("a number of documents, or -1 for all", _top),
    "type": ("Base or Exp", lambda text: {"gain": {"Base": "linear", "Exp": "exp2"}[text]}),
    "denominator": (
        "LogPosition or Position",
        lambda text: {"discount": {"LogPosition": "log2", "Position": "reciprocal"}[text]},
    ),
    "border": ("a number, above which labels are relevant", _border),
}
# Each metric with the measure it is and the parameters that it takes.
_METRICS: dict[str, tuple[str, tuple[str, ...]]] = {
    "NDCG": ("nDCG", ("top", "type", "denominator")),
    "DCG": ("DCG", ("top", "type", "denominator")),
    "MAP": ("AP", ("top", "border")),
    "PrecisionAt": ("P", ("top", "border")),
    "RecallAt": ("R", ("top", "border")),
    "MRR": ("RR", ("top", "border")),
    "ERR": ("ERR", ("top",)),
}


def _read(word: str) -> tuple[str, _Choices] | None:
    """A metric with its parameters; None if it is none of them."""
    metric, colon, rest = word.partition(":")
    if metric not in _METRICS or not colon:
        return None
    name, takes = _METRICS[metric]
    choices: _Choices = {}
    for part in rest.split(";"):
        parameter, equals, text = part.partition("=")
        if not equals or parameter not in takes:
            hint = f"it takes {', '.join(takes)}, as in {metric}:top=10."
            raise MeasureError(message(f"'{part}' is no parameter of CatBoost's {metric}", hint=hint))
        choices |= _value(metric, parameter, text)
    return name, choices


def _value(metric: str, parameter: str, text: str) -> _Choices:
    wanted, choices = _PARAMETERS[parameter]
    try:
        return choices(text)
    except (KeyError, ValueError):
        raise MeasureError(message(f"{parameter} of CatBoost's {metric} is {wanted}, not '{text}'")) from None


_NO_RANKS = "it is no measure of ranked labels"
CATBOOST = Tool(
    title="CatBoost 1.2.10",
    convention=Convention(
        name="catboost",
        gain="linear",
        outside="zero",
        discount="log2",
        ideal="list",
        ties="worst",
        empty=0.0,
        rel=">0.5",
        p_over="min(k, n)",
        ap_over="min(R, k)",
        gmax="none",
        missing="skip",
    ),
    measures={"nDCG": {"empty": 1.0}, "DCG": {}, "AP": {}, "P": {}, "R": {"empty": 1.0}, "RR": {}, "ERR": {}},
    names={metric: name for metric, (name, _) in _METRICS.items()},
    reads=_read,
    unsupported={
        "PFound": "its reader stops by chance as well as by relevance, a measure that is not among these",
        "FilteredDCG": "it leaves out the documents with a score below 0",
        "AverageGain": "it is the mean label of the first documents",
        "QueryAverage": "it is the mean label of the first documents",
        **dict.fromkeys(("QueryAUC", "QueryRMSE", "QuerySoftMax", "QueryCrossEntropy", "PairLogit", "PairAccuracy"),
                        _NO_RANKS),
    },
    remarks=(
        "Its ERR takes labels as chances and does not clip them: a label of 2 alone at the top scores 2.",
        "It takes negative labels, which are refused here.",
    ),
)  # fmt: skip
TOOLS = (CATBOOST,)
