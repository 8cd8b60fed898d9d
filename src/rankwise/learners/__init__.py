"""Learners: what changes a model because of data, one algorithm a file; the loop is in `base`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rankwise.errors import RankwiseError, message

if TYPE_CHECKING:
    from rankwise.learners.base import Learner

__all__ = ["LEARNERS", "learner"]

# Name on the command line → module and class.
LEARNERS = {
    "adarank": "adarank:AdaRank",
    "approx-ndcg": "approx_ndcg:ApproxNDCG",
    "best-feature": "best_feature:BestFeature",
    "coordinate-ascent": "coordinate_ascent:CoordinateAscent",
    "direct-ranker": "direct_ranker:DirectRanker",
    "lambdamart": "lambdamart:LambdaMART",
    "lambdarank": "lambdarank:LambdaRank",
    "linear-regression": "linear_regression:LinearRegression",
    "listnet": "listnet:ListNet",
    "mart": "mart:MART",
    "pairwise-classifier": "pairwise_classifier:PairwiseClassifier",
    "plackett-luce": "plackett_luce:PlackettLuce",
    "pointwise": "pointwise:Pointwise",
    "rankboost": "rankboost:RankBoost",
    "ranknet": "ranknet:RankNet",
    "ranksvm": "ranksvm:RankSVM",
    "softmax": "softmax:Softmax",
    "warp": "warp:Warp",
}


def learner(name: str) -> type[Learner]:
    """The learner of that name.

    >>> learner("best-feature").__name__
    'BestFeature'
    """
    if name not in LEARNERS:
        raise RankwiseError(message(f"there is no learner '{name}'", hint=f"there are {', '.join(sorted(LEARNERS))}."))
    module, _, kind = LEARNERS[name].partition(":")
    found: type[Learner] = getattr(import_module(f"rankwise.learners.{module}"), kind)
    return found
