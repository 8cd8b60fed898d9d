"""SVD: both solvers minimise the objective of the docstring, and a row is a ridge regression."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oracles import factors as oracle
from rankwise import DataError, RankwiseError, _kernels
from rankwise.rankers.factors import Factors
from rankwise.recommenders.interactions import Interactions
from rankwise.recommenders.svd import SVD, turned
from recommenders.making import ratings

PENALTIES = {"alpha": 0.7, "beta": 0.4, "gamma": 0.3, "theta": 0.2}
DATA = ratings()


def weighted(data: Interactions, seed: int = 1) -> Interactions:
    weights = np.random.default_rng(seed).uniform(0.5, 2, len(data))
    return Interactions.of(data.user, data.item, data.values, weights=weights)


def seen(data: Interactions) -> list[tuple[int, int, float, float]]:
    weights = np.ones(len(data)) if data.weights is None else data.weights
    return list(zip(data.user.tolist(), data.item.tolist(), map(float, data.values), map(float, weights), strict=True))


def objective(one: SVD, data: Interactions, model: Factors) -> float:
    penalties = (one.alpha, one.beta, one.gamma, one.theta)
    sides = [np.float64(part) for part in (model.users, model.user_biases, model.items, model.item_biases)]
    return oracle.svd_objective(*sides, model.mean, seen(data), penalties, one.penalty == "per-rating")


@pytest.mark.parametrize("penalty", ["per-user", "per-rating"])
@pytest.mark.parametrize("data", [DATA, weighted(DATA)], ids=["plain", "weighted"])
def test_the_objective_is_that_of_the_docstring(penalty: str, data: Interactions) -> None:
    one = SVD(factors=3, epochs=2, penalty=penalty, **PENALTIES).fit(data)
    model = one.recommender_.model
    assert one.objective(data, model) == pytest.approx(objective(one, data, model), rel=1e-9)


@pytest.mark.parametrize("penalty", ["per-user", "per-rating"])
@pytest.mark.parametrize("data", [DATA, weighted(DATA)], ids=["plain", "weighted"])
@pytest.mark.parametrize("biases", [True, False])
def test_each_row_is_a_ridge_regression(penalty: str, data: Interactions, biases: bool) -> None:
    one = SVD(factors=3, epochs=4, penalty=penalty, biases=biases, **PENALTIES).fit(data)
    model = one.recommender_.model
    items, item_biases = np.float64(model.items), np.float64(model.item_biases)
    for user in range(len(data.users)):
        mine = [(i, x, w) for u, i, x, w in seen(data) if u == user]
        places = [i for i, _, _ in mine]
        z = np.c_[items[places], np.ones(len(mine))] if biases else items[places]
        times = len(mine) if penalty == "per-rating" else 1
        penalties = times * np.r_[[one.alpha] * 3, [one.gamma] * biases]
        target = [x - model.mean - item_biases[i] for i, x, _ in mine]
        row = oracle.ridge(z, target, [w for *_, w in mine], penalties)
        np.testing.assert_allclose(model.users[user], row[:3], rtol=1e-6, atol=1e-7)
        if biases:
            np.testing.assert_allclose(model.user_biases[user], row[3], rtol=1e-6, atol=1e-7)


def test_each_row_of_the_implicit_form_is_a_ridge_regression_over_all_items() -> None:
    data = Interactions.of(DATA.user, DATA.item, np.random.default_rng(0).integers(0, 5, len(DATA)))
    one = SVD(factors=3, epochs=3, form="implicit", confidence=2.0, **PENALTIES).fit(data)
    model = one.recommender_.model
    items, item_biases = np.float64(model.items), np.float64(model.item_biases)
    counts = np.zeros((len(data.users), len(data.items)))
    was_seen = counts.copy()
    counts[data.user, data.item], was_seen[data.user, data.item] = data.values, 1
    penalties = np.r_[[one.alpha] * 3, one.gamma]
    z = np.c_[items, np.ones(len(items))]
    for user in range(len(data.users)):
        row = oracle.ridge(z, was_seen[user] - item_biases, 1 + 2.0 * counts[user], penalties)
        np.testing.assert_allclose(np.r_[model.users[user], model.user_biases[user]], row, rtol=1e-5, atol=1e-6)
    guess = np.float64(model.users) @ items.T + np.float64(model.user_biases)[:, None] + item_biases
    wanted = ((1 + 2.0 * counts) * (guess - was_seen) ** 2).sum()
    sides = (model.users, model.items, model.user_biases, model.item_biases)
    sizes = zip((one.alpha, one.beta, one.gamma, one.theta), sides, strict=True)
    wanted += sum(penalty * (np.float64(side) ** 2).sum() for penalty, side in sizes)
    assert one.objective(data, model) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("penalty", ["per-user", "per-rating"])
def test_both_solvers_come_to_the_same_minimum(penalty: str) -> None:
    strong = dict.fromkeys(PENALTIES, 3.0 if penalty == "per-user" else 0.2)
    als = SVD(factors=6, epochs=300, penalty=penalty, **strong).fit(DATA)
    sgd = SVD(factors=6, epochs=3000, penalty=penalty, solver="sgd", rate=0.003, **strong).fit(DATA)
    least = als.objective(DATA, als.recommender_.model)
    assert sgd.objective(DATA, sgd.recommender_.model) == pytest.approx(least, rel=5e-3)
    users = np.arange(len(DATA.users))
    found = [one.recommender_.model.scores(users) for one in (als, sgd)]
    np.testing.assert_allclose(found[0], found[1], atol=0.15)


@pytest.mark.parametrize("penalty", ["per-user", "per-rating"])
@pytest.mark.parametrize("many", [False, True], ids=["one block", "many blocks"])
def test_a_pass_of_small_steps_is_the_gradient_of_the_objective(penalty: str, many: bool) -> None:
    """Each interaction is looked at once: to first order the steps add up to half the gradient."""
    data = weighted(ratings(3, users=90, items=200, share=0.4)) if many else weighted(DATA)
    assert (_kernels.SeenPairs(data.offsets, data.item, len(data.items)).blocks() > 1) == many
    one = SVD(factors=2, solver="sgd", rate=1e-4, penalty=penalty, spread=1.0, **PENALTIES)
    prepared = one.prepare(data)
    before = one.start(prepared, np.random.default_rng(0))
    after = one.step(prepared, before, np.random.default_rng(1))
    u, i = data.user, data.item
    p, q = np.float64(before.users), np.float64(before.items)
    pull = data.weights * ((p[u] * q[i]).sum(axis=1) + before.mean - data.values)
    user_counts, item_counts = np.bincount(u, minlength=len(p)), np.bincount(i, minlength=len(q))
    times, item_times = (user_counts, item_counts) if penalty == "per-rating" else (user_counts > 0, item_counts > 0)
    wanted = [
        _added(pull[:, None] * q[i], u, len(p)) + one.alpha * times[:, None] * p,
        _added(pull[:, None] * p[u], i, len(q)) + one.beta * item_times[:, None] * q,
        _added(pull[:, None], u, len(p))[:, 0],
        _added(pull[:, None], i, len(q))[:, 0],
    ]
    moved = zip(
        (before.users, before.items, before.user_biases, before.item_biases),
        (after.users, after.items, after.user_biases, after.item_biases),
        wanted,
        strict=True,
    )
    for old, new, want in moved:
        found = -(np.float64(new) - np.float64(old)) / one.rate
        assert np.abs(found - want).max() < 0.03 * np.abs(want).max()


def _added(rows: Any, to: Any, count: int) -> Any:
    found = np.zeros((count, rows.shape[1]))
    np.add.at(found, to, rows)
    return found


def test_als_never_raises_the_objective() -> None:
    one = SVD(factors=4, epochs=1, **PENALTIES)
    prepared = one.prepare(DATA)
    state = one.start(prepared, np.random.default_rng(0))
    values = []
    for _ in range(8):
        state = one.step(prepared, state, np.random.default_rng(0))
        values.append(one.objective(DATA, one.model(state)))
    assert (np.diff(values) <= 1e-4).all()


@pytest.mark.parametrize("form", ["explicit", "implicit"])
def test_a_user_taken_in_has_the_row_that_was_fitted(form: str) -> None:
    data = Interactions.of(DATA.user, DATA.item, np.abs(DATA.values))
    fitted = SVD(factors=4, epochs=5, form=form).fit(data).recommender_
    folded = fitted.fold_in(data)
    np.testing.assert_array_equal(folded.model.users, fitted.model.users)
    np.testing.assert_array_equal(folded.model.user_biases, fitted.model.user_biases)
    new = fitted.fold_in(Interactions.of(["x", "x"], ["3", "7"], [5.0, 1.0]))
    assert list(new.users) == ["x"] and new.predict("x", "3")[0] > new.predict("x", "7")[0]


def test_users_and_items_without_interactions_are_zeros() -> None:
    from scipy.sparse import csr_array

    data = Interactions.of_matrix(csr_array(([4.0, 2.0], ([0, 2], [0, 2])), shape=(3, 4)))
    for solver in ("als", "sgd"):
        model = SVD(factors=2, epochs=3, solver=solver).fit(data).recommender_.model
        assert (model.users[1] == 0).all() and (model.items[[1, 3]] == 0).all()
        assert model.scores(np.array([1]))[0, 1] == pytest.approx(3.0)


def test_turning_twice_changes_nothing() -> None:
    twice = turned(turned(weighted(DATA)))
    for column in ("offsets", "item", "values", "weights"):
        np.testing.assert_array_equal(getattr(twice, column), getattr(weighted(DATA), column))


def test_values_are_predicted() -> None:
    from rankwise.recommenders.splits import by_ratio

    train, test, _ = by_ratio(ratings(1, users=120, items=60), 0.2)
    fitted = SVD(factors=4, alpha=1.0, beta=1.0).fit(train).recommender_
    users, items = [test.users[u] for u in test.user], [test.items[i] for i in test.item]
    error = np.sqrt(np.mean((fitted.predict(users, items) - test.values) ** 2))
    assert error < 0.5 * np.std(test.values)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"solver": "svd"}, "solver is 'svd'\nHint: choose one of als, sgd"),
        ({"penalty": "none"}, "penalty is 'none'"),
        ({"form": "ranked"}, "form is 'ranked'"),
        ({"alpha": 0}, "alpha must be a number above 0"),
        ({"solver": "sgd", "alpha": -1}, "alpha must be a number from 0"),
        ({"confidence": -1}, "confidence must be a number from 0"),
        ({"solver": "sgd", "form": "implicit"}, "the implicit form sums over all pairs"),
        ({"solver": "sgd", "rate": 10.0}, "the factors grew without bound at a rate of 10"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(parameters: dict, words: str) -> None:
    with pytest.raises(RankwiseError, match=words):
        SVD(**parameters).fit(DATA)


def test_counts_below_zero_are_refused_by_the_implicit_form() -> None:
    data = Interactions.of(["ann", "bob"], ["tea", "jam"], [2, -3])
    with pytest.raises(DataError, match="user 'bob' has item 'jam' -3 times; counts are not negative"):
        SVD(form="implicit").fit(data)
