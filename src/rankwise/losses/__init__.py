"""Losses: what has a derivative with respect to scores.

A *loss* turns the scores and labels of lists into how much a ranking is to be regretted, with its gradient by score.
One loss a file. `lambdas` is a compiled kernel and needs nothing else; the others are functions in JAX, to be
differentiated by it, for the networks of Rankwise and for training loops of your own: `pip install 'rankwise[neural]'`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankwise.errors import not_installed
from rankwise.losses.lambdas import Lambdas, PreparedLambdas, lambdas

_IN_JAX = {
    "ApproxNDCG": "approx_ndcg",
    "CrossEntropyNDCG": "xe_ndcg",
    "LambdaPairs": "lambda_pairs",
    "Multinomial": "multinomial",
    "PairDirect": "pair_direct",
    "PairHinge": "pair_hinge",
    "PairLogistic": "pair_logistic",
    "PairSquared": "pair_squared",
    "PlackettLuceLikelihood": "plackett_luce",
    "RankCost": "warp",
    "SoftmaxCrossEntropy": "softmax",
    "TopOrders": "permutations",
}

__all__ = [
    "ApproxNDCG",
    "CrossEntropyNDCG",
    "LambdaPairs",
    "Lambdas",
    "Multinomial",
    "PairDirect",
    "PairHinge",
    "PairLogistic",
    "PairSquared",
    "PlackettLuceLikelihood",
    "PreparedLambdas",
    "RankCost",
    "SoftmaxCrossEntropy",
    "TopOrders",
    "lambdas",
]

if TYPE_CHECKING:
    from rankwise.losses.approx_ndcg import ApproxNDCG
    from rankwise.losses.lambda_pairs import LambdaPairs
    from rankwise.losses.multinomial import Multinomial
    from rankwise.losses.pair_direct import PairDirect
    from rankwise.losses.pair_hinge import PairHinge
    from rankwise.losses.pair_logistic import PairLogistic
    from rankwise.losses.pair_squared import PairSquared
    from rankwise.losses.permutations import TopOrders
    from rankwise.losses.plackett_luce import PlackettLuceLikelihood
    from rankwise.losses.softmax import SoftmaxCrossEntropy
    from rankwise.losses.warp import RankCost
    from rankwise.losses.xe_ndcg import CrossEntropyNDCG


def __getattr__(name: str) -> Any:
    if name not in _IN_JAX:
        raise AttributeError(f"module 'rankwise.losses' has no attribute '{name}'")
    from importlib import import_module

    try:
        module = import_module(f"rankwise.losses.{_IN_JAX[name]}")
    except ModuleNotFoundError as missing:
        if missing.name and missing.name.partition(".")[0] == "jax":
            raise not_installed("jax", "neural", name) from None
        raise
    return getattr(module, name)
