"""Losses: what has a derivative with respect to scores.

A *loss* turns the scores and labels of lists into how much a ranking is to be regretted, with its gradient and hessian
by score, a row each. One loss a file. No learner uses them yet.
"""

from __future__ import annotations

from rankwise.losses.lambdas import Lambdas, PreparedLambdas, lambdas

__all__ = ["Lambdas", "PreparedLambdas", "lambdas"]
