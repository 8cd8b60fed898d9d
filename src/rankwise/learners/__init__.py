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
    "best-feature": "best_feature:BestFeature",
    "coordinate-ascent": "coordinate_ascent:CoordinateAscent",
    "lambdamart": "lambdamart:LambdaMART",
    "linear-regression": "linear_regression:LinearRegression",
    "mart": "mart:MART",
    "pointwise": "pointwise:Pointwise",
    "rankboost": "rankboost:RankBoost",
    "ranksvm": "ranksvm:RankSVM",
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
