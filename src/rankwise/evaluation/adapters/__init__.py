"""Adapters: a measure under its convention, in the form in which another program asks for one.

One program a file. Each is one call with the text of a measure or a measure, and none imports the other program before
it is needed.
"""

from __future__ import annotations

from rankwise.evaluation.adapters.catboost_metric import catboost
from rankwise.evaluation.adapters.ir_measures_iteration import ir_measures
from rankwise.evaluation.adapters.lightgbm_feval import lightgbm
from rankwise.evaluation.adapters.scikit_learn_scorer import scikit_learn
from rankwise.evaluation.adapters.xgboost_metric import xgboost

__all__ = ["catboost", "ir_measures", "lightgbm", "scikit_learn", "xgboost"]
