"""Pointwise baselines: estimators rewritten as rankers, targets, weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor, Ridge, RidgeClassifier
from sklearn.neighbors import KNeighborsRegressor
from sklearn.svm import LinearSVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from contracts.settings import arrays, easy
from rankwise import DataError, Dataset, RankwiseError, load_ranker, measure
from rankwise.learners.estimators import Estimator
from rankwise.learners.pointwise import Pointwise
from rankwise.rankers import Linear, Trees

TRAIN, TEST = easy(0), easy(2)
REWRITTEN = {
    Linear: [LinearRegression(), Ridge(), LinearSVR(max_iter=10_000)],
    Trees: [
        DecisionTreeRegressor(max_depth=4),
        RandomForestRegressor(n_estimators=9),
        ExtraTreesRegressor(n_estimators=9),
        GradientBoostingRegressor(n_estimators=9),
        HistGradientBoostingRegressor(max_iter=9),
        DecisionTreeClassifier(max_depth=4),
        RandomForestClassifier(n_estimators=9),
    ],
}


def expected(estimator: Any, table: Any, gains: Any) -> Any:
    if hasattr(estimator, "predict_proba"):
        return estimator.predict_proba(table) @ gains
    return np.ravel(estimator.predict(table))


@pytest.mark.parametrize(
    ("kind", "estimator"), [(kind, one) for kind, several in REWRITTEN.items() for one in several], ids=repr
)
def test_linear_models_and_trees_become_rankers_that_need_no_scikit_learn(
    kind: type, estimator: Any, tmp_path: Any
) -> None:
    fitted = Pointwise(estimator=estimator).fit(TRAIN)
    assert type(fitted.ranker_.scorer) is kind
    fitted.ranker_.save(tmp_path / "model.rankwise")
    assert load_ranker(tmp_path / "model.rankwise").predict(TEST).tobytes() == fitted.predict(TEST).tobytes()


@pytest.mark.parametrize("estimator", [*REWRITTEN[Trees], KNeighborsRegressor(3), LogisticRegression()], ids=repr)
def test_scores_are_what_the_estimator_predicts(estimator: Any) -> None:
    from sklearn.base import clone

    mine = Pointwise(estimator=estimator, seed=5).fit(TRAIN)
    seed = int(np.random.default_rng([5, 1]).integers(2**31 - 1))
    same = clone(estimator)
    if "random_state" in same.get_params():
        same.set_params(random_state=seed)
    canonical = TRAIN.in_canonical_order(rows_too=True)
    same.fit(canonical.features, canonical.labels)
    gains = 2.0 ** np.unique(TRAIN.labels) - 1
    np.testing.assert_allclose(mine.predict(TEST), expected(same, TEST.features, gains), rtol=1e-9, atol=1e-9)


def test_classifiers_expect_the_gain_of_the_training_convention() -> None:
    tree = DecisionTreeClassifier(max_depth=3)
    linear, steep = (Pointwise(estimator=tree, measure=m).fit(TRAIN) for m in ("nDCG(gain='linear')", "nDCG"))
    assert linear.predict(TEST).max() <= 3 < steep.predict(TEST).max() <= 7


def test_a_regressor_may_learn_the_gain() -> None:
    data = Dataset.of([[0.0], [1.0], [2.0]] * 4, [0, 1, 2] * 4, group=[3] * 4)
    learn = Pointwise(estimator=DecisionTreeRegressor(), target="gain")
    assert learn.fit(data).predict(np.array([[2.0]])).tolist() == [3.0]
    assert learn.set_params(target="label").fit(data).predict(np.array([[2.0]])).tolist() == [2.0]


def test_the_weights_of_lists_and_documents_are_those_of_rows() -> None:
    X, y = np.array([[0.0], [1.0]] * 2), [0, 1, 1, 0]
    plain = Pointwise(estimator=DecisionTreeRegressor())
    lists = plain.fit(X, y, group=[2, 2], weights=[3.0, 1.0]).predict(np.array([[0.0], [1.0]]))
    assert lists.tolist() == [0.25, 0.75]
    rows = plain.fit(X, y, group=[2, 2], document_weights=[3.0, 1.0, 1.0, 1.0]).predict(np.array([[0.0], [1.0]]))
    assert rows.tolist() == [0.25, 0.5]
    with pytest.raises(DataError, match="KNeighborsRegressor takes no weights, and these lists have some"):
        Pointwise(estimator=KNeighborsRegressor(1)).fit(X, y, group=[2, 2], weights=[1, 2])


def test_unjudged_documents_are_not_relevant_or_left_out() -> None:
    X, y = np.array([[0.0], [1.0], [2.0]] * 2), [0, 2, np.nan] * 2
    learn = Pointwise(estimator=DecisionTreeRegressor())
    assert learn.fit(X, y, group=[3, 3]).predict(np.array([[2.0]])).tolist() == [0.0]
    removed = learn.set_params(measure="nDCG(unjudged='removed')").fit(X, y, group=[3, 3])
    assert removed.predict(np.array([[2.0]])).tolist() == [2.0]


def test_missing_values_are_the_estimators_business() -> None:
    X, y, qid = arrays(TRAIN)
    X = X.copy()
    X[::5, 0] = np.nan
    for estimator in (None, HistGradientBoostingRegressor(max_iter=5), DecisionTreeRegressor(max_depth=5)):
        fitted = Pointwise(estimator=estimator, trees=10).fit(X, y, qid=qid)
        assert type(fitted.ranker_.scorer) is Trees and np.isfinite(fitted.predict(X, qid=qid)).all()
    with pytest.raises(DataError, match="Pointwise has no place for missing values: feature '1' is NaN"):
        Pointwise(estimator=Ridge()).fit(X, y, qid=qid)


def test_it_looks_at_the_measure_only_where_labels_must_count_something() -> None:
    assert not Pointwise().trains_by_measure
    assert Pointwise(target="gain").trains_by_measure and Pointwise(estimator=LogisticRegression()).trains_by_measure
    assert not measure("nDCG").convention.quirks


def test_what_cannot_be_rewritten_is_asked_and_cannot_be_saved(tmp_path: Any) -> None:
    for estimator in (KNeighborsRegressor(3), PoissonRegressor(), LogisticRegression()):
        ranker = Pointwise(estimator=estimator).fit(TRAIN).ranker_
        assert type(ranker.scorer) is Estimator and type(estimator).__name__ in str(ranker.scorer.text(()))
        with pytest.raises(RankwiseError, match=f"a ranker that asks {type(estimator).__name__} cannot be written"):
            ranker.save(tmp_path / "model.rankwise")
        with pytest.raises(RankwiseError, match="has no contributions of features"):
            ranker.contributions(TEST)
        assert not (tmp_path / "model.rankwise").exists()


def test_other_parameters_are_refused() -> None:
    with pytest.raises(RankwiseError, match="target is 'rank'"):
        Pointwise(target="rank").fit(TRAIN)
    with pytest.raises(RankwiseError, match="the estimator 5 has no `fit` and `predict`"):
        Pointwise(estimator=5).fit(TRAIN)
    with pytest.raises(RankwiseError, match=r"the estimator is the class Ridge, .*\nHint: write Ridge\(\)"):
        Pointwise(estimator=Ridge).fit(TRAIN)
    with pytest.raises(RankwiseError, match="RidgeClassifier gives no probabilities of classes"):
        Pointwise(estimator=RidgeClassifier()).fit(TRAIN)
