"""Estimators of scikit-learn as scorers: linear models and trees are rewritten, others are asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
import numpy.typing as npt

from rankwise.errors import RankwiseError, message
from rankwise.learners import lightgbm_text
from rankwise.rankers.base import Scorer
from rankwise.rankers.linear import Linear
from rankwise.rankers.trees import Trees

__all__ = ["Estimator", "allows_missing", "refuse_no_estimator", "scorer_of", "seeded"]

Floats = npt.NDArray[np.float64]
Table = npt.NDArray[np.float32]
# So many rows tell whether a rewritten model is the same.
PROBE = 2_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Estimator:
    """Asks an estimator that cannot be rewritten; it lives as long as the process."""

    kind: ClassVar[str] = "estimator"

    estimator: Any
    worth: Floats | None
    """Of a classifier, what each class counts."""
    features: int

    def scores(self, table: Table, threads: int | None = None) -> Floats:
        return answers(self.estimator, self.worth, table)

    def contributions(self, table: Table, threads: int | None = None) -> NoReturn:
        self._refuse("has no contributions of features")

    def importances(self) -> NoReturn:
        self._refuse("has no importances of its own", "permute features: `rankwise describe MODEL --data FILE`.")

    def text(self, names: Sequence[str]) -> str:
        return f"asks {self.estimator!r}"

    def plain(self) -> NoReturn:
        self._refuse("cannot be written to a file", "linear models, trees and ensembles of trees can.")

    @classmethod
    def of_plain(cls, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], features: int) -> Self:
        raise RankwiseError(message("an estimator is not read from a file"))

    def _refuse(self, what: str, hint: str = "") -> NoReturn:
        raise RankwiseError(message(f"a ranker that asks {type(self.estimator).__name__} {what}", hint=hint))


def refuse_no_estimator(estimator: Any, kinds: str, example: str) -> None:
    """Refuses what has no `fit` and `predict`, and a class instead of one of its instances."""
    if isinstance(estimator, type):
        what = f"the estimator is the class {estimator.__name__}, not one of its instances"
        raise RankwiseError(message(what, hint=f"write {estimator.__name__}()."))
    if not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
        hint = f"give {kinds} of scikit-learn's kind, such as {example}."
        raise RankwiseError(message(f"the estimator {estimator!r} has no `fit` and `predict`", hint=hint))


def allows_missing(estimator: Any) -> bool:
    """Whether features may be NaN, as the estimator says."""
    from sklearn.utils import get_tags

    return bool(get_tags(estimator).input_tags.allow_nan)


def seeded(estimator: Any, seed: int) -> Any:
    """The estimator with that seed, unless it has one or knows none."""
    known = estimator.get_params(deep=False)
    if "random_state" in known and known["random_state"] is None:
        estimator.set_params(random_state=seed)
    return estimator


def answers(estimator: Any, worth: Floats | None, table: Table) -> Floats:
    """What an estimator predicts; of a classifier, what a document is expected to count."""
    if worth is None:
        return np.ascontiguousarray(np.ravel(estimator.predict(table)), np.float64)
    return np.ascontiguousarray(estimator.predict_proba(table) @ worth, np.float64)


def scorer_of(estimator: Any, worth: Floats | None, table: Table) -> Scorer:
    """A linear model or trees if the estimator is one, which is checked on rows of the table; else one that asks it."""
    features = table.shape[1]
    probe = table[np.linspace(0, len(table) - 1, min(len(table), PROBE)).astype(int)]
    wanted = answers(estimator, worth, probe)
    # Some answer in the single precision of the table.
    is_single = np.result_type(estimator.predict(probe[:1])) == np.float32
    close = 1e-5 if is_single else 1e-9
    for found in _rewritten(estimator, worth, features):
        if np.allclose(found.scores(probe), wanted, rtol=close, atol=close * max(1.0, float(np.abs(wanted).max()))):
            return found
    return Estimator(estimator, worth, features)


def _rewritten(estimator: Any, worth: Floats | None, features: int) -> Iterator[Scorer]:
    """What the estimator may be; a guess costs nothing, since it is checked."""
    if worth is None and hasattr(estimator, "booster_"):
        yield lightgbm_text.read(estimator.booster_.model_to_string(), features)
    if worth is None and np.size(getattr(estimator, "coef_", ())) == features:
        bias = np.ravel(getattr(estimator, "intercept_", 0.0))
        yield Linear(np.ravel(estimator.coef_), float(bias[0]))
    if hasattr(estimator, "tree_"):
        yield _tree(estimator.tree_, worth, features)
    members = getattr(estimator, "estimators_", None)
    if members is not None and all(hasattr(one, "tree_") for one in np.ravel(members)):
        trees = [_tree(one.tree_, worth, features) for one in np.ravel(members)]
        # A forest is the mean of its trees; boosted trees are a constant and their sum.
        yield Trees.join([_scaled(tree, 1 / len(trees)) for tree in trees])
        rate = getattr(estimator, "learning_rate", 1.0)
        constant = np.ravel(getattr(getattr(estimator, "init_", None), "constant_", 0.0))
        if worth is None and isinstance(rate, (int, float)):
            yield Trees.join([_constant(float(constant[0]), features), *(_scaled(tree, rate) for tree in trees)])
    predictors = getattr(estimator, "_predictors", None)
    if worth is None and predictors is not None:
        baseline = float(np.ravel(estimator._baseline_prediction)[0])
        trees = [_histogram_tree(one.nodes, features) for several in predictors for one in several]
        yield Trees.join([_constant(baseline, features), *trees])


def _tree(tree: Any, worth: Floats | None, features: int) -> Trees:
    """A tree of scikit-learn; that of a classifier gives the expected worth in each leaf."""
    values = tree.value[:, 0, :]
    if worth is None:
        values = values[:, 0]
    elif values.shape[1] == len(worth):
        values = (values / values.sum(axis=1, keepdims=True)) @ worth
    else:
        values = np.zeros(len(values))
    is_leaf = tree.children_left < 0
    left_if_missing = getattr(tree, "missing_go_to_left", np.zeros(len(is_leaf), np.uint8))
    return _numbered(
        features,
        is_leaf,
        tree.children_left,
        tree.children_right,
        feature=tree.feature,
        threshold=tree.threshold,
        missing_left=np.asarray(left_if_missing, bool),
        value=values,
        count=tree.weighted_n_node_samples,
        gain=np.maximum(_gains(tree, is_leaf), 0.0),
    )


def _gains(tree: Any, is_leaf: npt.NDArray[np.bool_]) -> Floats:
    """By how much each split lowers the impurity, times its rows."""
    total = tree.impurity * tree.weighted_n_node_samples
    gains: Floats = np.where(is_leaf, 0.0, total - total[tree.children_left] - total[tree.children_right])
    return gains


def _histogram_tree(nodes: Any, features: int) -> Trees:
    return _numbered(
        features,
        nodes["is_leaf"].astype(bool),
        nodes["left"].astype(np.int64),
        nodes["right"].astype(np.int64),
        feature=nodes["feature_idx"],
        threshold=nodes["num_threshold"],
        missing_left=nodes["missing_go_to_left"].astype(bool),
        value=nodes["value"],
        count=nodes["count"].astype(np.float64),
        gain=np.maximum(nodes["gain"], 0.0).astype(np.float64),
    )


def _numbered(
    features: int, is_leaf: npt.NDArray[np.bool_], left: Any, right: Any, **columns: npt.NDArray[Any]
) -> Trees:
    """A tree whose nodes and leaves are numbered apart, each in the order in which they stand."""
    leaves: npt.NDArray[np.int64] = np.cumsum(is_leaf)
    number = np.where(is_leaf, -leaves, np.cumsum(~is_leaf) - 1)
    inner = {name: columns[name][~is_leaf] for name in ("feature", "threshold", "missing_left", "gain")}
    return Trees.of(
        features,
        left=number[left[~is_leaf]],
        right=number[right[~is_leaf]],
        leaf_value=columns["value"][is_leaf],
        leaf_count=columns["count"][is_leaf],
        **inner,
    )


def _constant(value: float, features: int) -> Trees:
    """A tree of one leaf."""
    nothing: dict[str, Any] = {name: [] for name in ("feature", "threshold", "left", "right", "gain")}
    return Trees.of(features, **nothing, leaf_value=[value], leaf_count=[0.0])


def _scaled(tree: Trees, by: float) -> Trees:
    from dataclasses import replace

    return replace(tree, leaf_value=tree.leaf_value * by)
