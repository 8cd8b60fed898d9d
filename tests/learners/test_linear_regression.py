"""Linear regression: scikit-learn's, and RankLib's where it says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import linear_model

from contracts.settings import arrays, easy
from learners.ranklib.reading import numbers, part, printed
from rankwise import Dataset, RankwiseError
from rankwise.learners.linear_regression import LinearRegression

DATA = easy(3)


@pytest.mark.parametrize("l2", [0.0, 7.5])
def test_it_is_least_squares(l2: float) -> None:
    X, y, qid = arrays(DATA)
    rng = np.random.default_rng(0)
    weights, of_documents = rng.random(len(DATA)) + 0.1, rng.random(len(y)) + 0.1
    row_weights = np.repeat(weights, np.diff(DATA.offsets)) * of_documents
    found = LinearRegression(l2=l2).fit(X, y, qid=qid, weights=weights, document_weights=of_documents).ranker_.scorer
    wanted = linear_model.Ridge(alpha=l2) if l2 else linear_model.LinearRegression()
    wanted.fit(X.astype(float), y, sample_weight=row_weights)
    np.testing.assert_allclose(found.weights, wanted.coef_, rtol=1e-8)
    assert found.bias == pytest.approx(wanted.intercept_)


def test_features_that_hang_on_each_other_share_the_weight() -> None:
    X, y, qid = arrays(DATA)
    alone = LinearRegression().fit(X, y, qid=qid).ranker_.scorer
    twice = LinearRegression().fit(np.hstack([X, X[:, :1]]), y, qid=qid).ranker_.scorer
    np.testing.assert_allclose(twice.weights[[0, 4]], alone.weights[0] / 2, rtol=1e-6)


def test_documents_without_a_label_are_left_out() -> None:
    X, y, qid = arrays(DATA)
    y = y.astype(float)
    y[::5] = np.nan
    known = ~np.isnan(y)
    found = LinearRegression().fit(X, y, qid=qid).ranker_.scorer.weights
    np.testing.assert_allclose(found, LinearRegression().fit(X[known], y[known], qid=qid[known]).ranker_.scorer.weights)


def test_it_learns_what_ranklib_learns() -> None:
    fitted = LinearRegression(compat="ranklib", measure="ranklib:NDCG@10").fit(part("tr"))
    wanted = dict(numbers("linreg"))
    scorer = fitted.ranker_.scorer
    np.testing.assert_allclose(scorer.weights, [wanted[feature] for feature in range(1, 6)], rtol=1e-9)
    # It saves the first weight as the constant; the constant itself stands as the weight of the last feature.
    assert wanted[0] == wanted[1] and scorer.bias == scorer.weights[-1]
    assert fitted.score(part("te")) == pytest.approx(printed("linreg")["test"], abs=5.1e-5)
    assert fitted.score(part("tr")) == pytest.approx(printed("linreg")["training"], abs=5.1e-5)
    correct = LinearRegression(measure="ranklib:NDCG@10").fit(part("tr")).ranker_.scorer
    assert correct.weights[-1] == pytest.approx(0.0616, abs=1e-4) and scorer.weights[-1] == pytest.approx(
        0.1899, abs=1e-4
    )


def test_a_constant_last_feature_is_no_matter_there() -> None:
    X, y = [[1.0, 3.0], [2.0, 3.0], [3.0, 3.0]], [0, 1, 2]
    found = LinearRegression(compat="ranklib").fit(Dataset.of(X, y, group=[3])).ranker_.scorer
    np.testing.assert_allclose(found.weights, [1, -1], atol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"l2": -1}, "l2 must be a number from 0, not -1"),
        ({"l2": float("inf")}, "l2 must be a number from 0, not inf"),
        ({"compat": "weka"}, "compat must be None or 'ranklib', not 'weka'"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(RankwiseError, match=words):
        LinearRegression(**parameters).fit(DATA)
