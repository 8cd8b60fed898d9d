"""Rankwise: ranking numbers that can be compared.

The table of contents. Names are loaded when they are first used, so that importing the package is fast.
"""

from __future__ import annotations

# `typing` costs more to import than all of this; type checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"

_ROOMS = {
    "rankwise.errors": ("ConventionError", "DataError", "MeasureError", "RankwiseError", "RankwiseWarning"),
    "rankwise.data.dataset": ("Dataset",),
    "rankwise.data.clean": ("Cleaning", "clean"),
    "rankwise.data.folds": ("Fold", "folds", "split"),
    "rankwise.data.judgments": ("JudgedRun", "Qrels", "Run", "judge"),
    "rankwise.data.simulate": ("hotel_log", "hotel_searches"),
    "rankwise.measures": (
        "AP", "DCG", "ERR", "F", "GradedAP", "Judged", "P", "R", "RBP", "RR", "Bpref", "Convention", "IPrec",
        "MeanNDCG", "Measure", "NumRel", "NumRelRet", "NumRet", "Rprec", "Success", "nDCG",
    ),
    "rankwise.measures.user": ("user_measure",),
    "rankwise.data.formats.checkpoints": ("FileCheckpoint",),
    "rankwise.learners": ("learner",),
    "rankwise.rankers.base": ("Ranker",),
    "rankwise.rankers.importance": ("permutation_importances",),
    "rankwise.rankers.saved": ("load_ranker",),
    "rankwise.recommenders": ("recommender_learner",),
    "rankwise.recommenders.interactions": ("Interactions",),
    "rankwise.recommenders.recommender": ("Recommender",),
    "rankwise.recommenders.saved": ("load_recommender",),
    "rankwise.evaluation.compare": ("Comparison", "compare"),
    "rankwise.evaluation.evaluate": ("evaluate",),
    "rankwise.evaluation.explain": ("explain",),
    "rankwise.evaluation.identify": ("identify",),
    "rankwise.evaluation.inspect": ("inspect",),
    "rankwise.evaluation.merge": ("merge_results",),
    "rankwise.evaluation.result": ("Outcome", "Result"),
    "rankwise.evaluation.saved": ("load_result",),
    "rankwise.evaluation.sensitivity": ("Sensitivity", "sensitivity"),
    "rankwise.report.write": ("write_report",),
    "rankwise.study.candidates": ("Range",),
    "rankwise.study.plan": ("Plan", "read_plan"),
    "rankwise.study.result": ("StudyResult",),
    "rankwise.study.run": ("run_study",),
    "rankwise.study.saved": ("load_study",),
    "rankwise.study.tune": ("Tuning", "tune"),
}  # fmt: skip
_RENAMED = {
    # Modules as they are.
    "adapters": ("rankwise.evaluation.adapters", ""),
    "learners": ("rankwise.learners", ""),
    "collections": ("rankwise.data.collections", ""),
    "rankers": ("rankwise.rankers", ""),
    "recommenders": ("rankwise.recommenders", ""),
    "measure": ("rankwise.measures.parse", "measure"),
    "convention": ("rankwise.measures.tools", "convention"),
    "read_letor": ("rankwise.data.formats.letor", "read"),
    "write_letor": ("rankwise.data.formats.letor", "write"),
    "read_groups": ("rankwise.data.formats.groups", "read"),
    "read_table": ("rankwise.data.formats.tables", "read"),
    "read_scores": ("rankwise.data.formats.scores", "read"),
    "write_scores": ("rankwise.data.formats.scores", "write"),
    "read": ("rankwise.data.formats.doors", "read"),
    "read_qrels": ("rankwise.data.formats.doors", "read_qrels"),
    "read_run": ("rankwise.data.formats.doors", "read_run"),
    "write_qrels": ("rankwise.data.formats.trec", "write_qrels"),
    "write_run": ("rankwise.data.formats.trec", "write_run"),
}
_WHERE = {name: (room, name) for room, names in _ROOMS.items() for name in names} | _RENAMED

__all__ = sorted([*_WHERE, "__version__"])

if TYPE_CHECKING:
    from rankwise import learners, rankers, recommenders
    from rankwise.data import collections
    from rankwise.data.clean import Cleaning, clean
    from rankwise.data.dataset import Dataset
    from rankwise.data.folds import Fold, folds, split
    from rankwise.data.formats.checkpoints import FileCheckpoint
    from rankwise.data.formats.doors import read, read_qrels, read_run
    from rankwise.data.formats.groups import read as read_groups
    from rankwise.data.formats.letor import read as read_letor
    from rankwise.data.formats.letor import write as write_letor
    from rankwise.data.formats.scores import read as read_scores
    from rankwise.data.formats.scores import write as write_scores
    from rankwise.data.formats.tables import read as read_table
    from rankwise.data.formats.trec import write_qrels, write_run
    from rankwise.data.judgments import JudgedRun, Qrels, Run, judge
    from rankwise.data.simulate import hotel_log, hotel_searches
    from rankwise.errors import ConventionError, DataError, MeasureError, RankwiseError, RankwiseWarning
    from rankwise.evaluation import adapters
    from rankwise.evaluation.compare import Comparison, compare
    from rankwise.evaluation.evaluate import evaluate
    from rankwise.evaluation.explain import explain
    from rankwise.evaluation.identify import identify
    from rankwise.evaluation.inspect import inspect
    from rankwise.evaluation.merge import merge_results
    from rankwise.evaluation.result import Outcome, Result
    from rankwise.evaluation.saved import load_result
    from rankwise.evaluation.sensitivity import Sensitivity, sensitivity
    from rankwise.learners import learner
    from rankwise.measures import (
        AP,
        DCG,
        ERR,
        RBP,
        RR,
        Bpref,
        Convention,
        F,
        GradedAP,
        IPrec,
        Judged,
        MeanNDCG,
        Measure,
        NumRel,
        NumRelRet,
        NumRet,
        P,
        R,
        Rprec,
        Success,
        nDCG,
    )
    from rankwise.measures.parse import measure
    from rankwise.measures.tools import convention
    from rankwise.measures.user import user_measure
    from rankwise.rankers.base import Ranker
    from rankwise.rankers.importance import permutation_importances
    from rankwise.rankers.saved import load_ranker
    from rankwise.recommenders import recommender_learner
    from rankwise.recommenders.interactions import Interactions
    from rankwise.recommenders.recommender import Recommender
    from rankwise.recommenders.saved import load_recommender
    from rankwise.report.write import write_report
    from rankwise.study.candidates import Range
    from rankwise.study.plan import Plan, read_plan
    from rankwise.study.result import StudyResult
    from rankwise.study.run import run_study
    from rankwise.study.saved import load_study
    from rankwise.study.tune import Tuning, tune


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'rankwise' has no attribute '{name}'")
    from importlib import import_module

    room, inside = _WHERE[name]
    module = import_module(room)
    found = getattr(module, inside) if inside else module
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
