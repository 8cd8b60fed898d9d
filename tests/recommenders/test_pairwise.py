"""BPR and WARP: their steps are their losses' gradients, their schedule hides no interaction, and they learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from oracles import factors as oracle
from rankwise import RankwiseError, _kernels
from rankwise.recommenders.bpr import BPR
from rankwise.recommenders.interactions import Interactions
from rankwise.recommenders.pairwise import Pairwise, Rows
from rankwise.recommenders.warp import WARP
from recommenders.making import tastes

# A user who has seen one of two items has a single negative.
ONE = Interactions.of_matrix(csr_array(([1.0], ([0], [1])), shape=(1, 2)))


def rows(seed: int, factors: int, scale: float = 0.5) -> Rows:
    rng = np.random.default_rng(seed)
    p, q, b = (scale * rng.normal(size=size).astype(np.float32) for size in ((1, factors), (2, factors), 2))
    return Rows(p, np.zeros(1, np.float32), q, b)


def stepped(one: Pairwise, before: Rows, data: Interactions = ONE) -> Rows:
    return one.step(one.prepare(data), before, np.random.default_rng(0))


def downhill(loss: Any, before: Rows, rate: float) -> list[Any]:
    """Where a step of that rate leads from `before`: user, items, biases."""
    parts = [np.float64(part) for part in (before.users[0], before.items, before.item_biases)]
    found = []
    for at, part in enumerate(parts):
        others = list(parts)

        def of(value: Any, at: int = at, others: list[Any] = others) -> float:
            return float(loss(*others[:at], value, *others[at + 1 :]))

        found.append(part - rate * oracle.gradient(of, part))
    return found


@pytest.mark.parametrize("factors", [1, 3, 16, 17, 64])
@pytest.mark.parametrize("weight", [1.0, 2.5])
def test_a_step_of_bpr_is_the_gradient_of_its_loss(factors: int, weight: float) -> None:
    before = rows(factors, factors)
    one = BPR(factors=factors, rate=0.1, shrinkage=0.03, bias_shrinkage=0.2)
    data = Interactions(**{**{f: getattr(ONE, f) for f in ONE.__slots__}, "weights": np.float32([weight])})
    after = stepped(one, before, data)

    def loss(p: Any, q: Any, b: Any) -> float:
        whole = oracle.bpr_loss(p, q, b, 1, 0, 0.03, 0.2)
        plain = oracle.bpr_loss(p, q, b, 1, 0, 0, 0)
        return whole + (weight - 1) * plain

    wanted = downhill(loss, before, 0.1)
    for found, want in zip((after.users[0], after.items, after.item_biases), wanted, strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-4, atol=2e-6)


@pytest.mark.parametrize("factors", [1, 16, 20])
@pytest.mark.parametrize("alpha", ["harmonic", "first", (3.0, 2.0)])
def test_a_step_of_warp_is_the_gradient_of_its_loss(factors: int, alpha: Any) -> None:
    before = rows(factors, factors, 0.1)
    one = WARP(factors=factors, rate=0.1, shrinkage=0.03, bias_shrinkage=0.2, alpha=alpha, trials=1)
    after = stepped(one, before)
    # One item is not liked and one draw finds it: the rank is 1, which costs the first alpha.
    cost = 3.0 if alpha == (3.0, 2.0) else 1.0
    wanted = downhill(lambda p, q, b: oracle.warp_loss(p, q, b, 1, 0, cost, 0.03, 0.2), before, 0.1)
    for found, want in zip((after.users[0], after.items, after.item_biases), wanted, strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-4, atol=2e-6)


def test_warp_leaves_alone_what_stands_far_enough_above() -> None:
    before = Rows(np.float32([[2]]), np.zeros(1, np.float32), np.float32([[0], [0.6]]), np.zeros(2, np.float32))
    after = stepped(WARP(factors=1, shrinkage=0.1), before)
    assert after.items.tobytes() == before.items.tobytes() and after.users.tobytes() == before.users.tobytes()


def test_warp_costs_more_the_fewer_draws_it_takes() -> None:
    """With 100 items below or above, the rank is guessed right on the mean."""
    items, above = 401, 40
    biases = np.zeros(items, np.float32)
    biases[1 : above + 1] = 2.0
    data = Interactions.of_matrix(csr_array(([1.0], ([0], [0])), shape=(1, items)))
    before = Rows(np.zeros((1, 1), np.float32), np.zeros(1, np.float32), np.zeros((items, 1), np.float32), biases)
    biases[0] = 1.5
    costs = []
    one = WARP(factors=1, rate=1e-3, shrinkage=0.0, alpha=(1.0,) * items, trials=1000)
    for seed in range(3000):
        after = one.step(one.prepare(data), before, np.random.default_rng(seed))
        costs.append((after.item_biases[0] - biases[0]) / 1e-3)
    # Each of the 40 violates; L(r) = r, so that the mean cost is that of ⌊400 / N⌋, N geometric.
    chance = above / 400
    draws = np.arange(1, 1001)
    wanted = float((chance * (1 - chance) ** (draws - 1) * (400 // draws)).sum())
    assert np.mean(costs) == pytest.approx(wanted, rel=0.08)


def test_margins_beyond_measure_are_finite() -> None:
    for sign in (-1, 1):
        before = Rows(
            np.float32([[100]]),
            np.zeros(1, np.float32),
            np.float32([[100 * sign], [-100 * sign]]),
            np.zeros(2, np.float32),
        )
        after = stepped(BPR(factors=1, rate=0.001, shrinkage=0.0), before)
        assert np.isfinite(after.users).all() and np.isfinite(after.items).all()


def test_negatives_are_never_what_the_user_liked() -> None:
    """Items that everyone liked only ever rise, without shrinkage."""
    data = tastes(1, users=40, items=12, each=8)
    one = BPR(factors=2, rate=1e-3, shrinkage=0.0, spread=1e-9)
    state = one.start(one.prepare(data), np.random.default_rng(0))
    after = one.step(one.prepare(data), state, np.random.default_rng(1))
    liked = np.bincount(data.item, minlength=12)
    assert (after.item_biases[liked == 40] > 0).all()
    assert (after.item_biases[liked == 0] < 0).all()
    # Each interaction gives one half of the rate and its negative takes it.
    assert after.item_biases.sum() == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("kind", [BPR, WARP])
def test_popular_negatives_are_drawn_more_often(kind: type[Pairwise]) -> None:
    data = tastes(2, users=200, items=100, each=5)
    counts = np.bincount(data.item)
    common = counts >= np.quantile(counts, 0.8)
    falls = []
    for negatives in ("uniform", "popularity"):
        one = kind(factors=1, rate=1e-4, shrinkage=0.0, spread=1e-9, negatives=negatives)
        state = one.start(one.prepare(data), np.random.default_rng(0))
        biases = one.step(one.prepare(data), state, np.random.default_rng(1)).item_biases
        falls.append(biases[common].sum())
    assert falls[1] < falls[0]


def test_what_was_turned_down_is_pushed_down() -> None:
    values = np.ones(400, np.float32)
    user, item = np.repeat(np.arange(100), 4), np.tile([0, 1, 2, 3], 100)
    values[item == 3] = 0
    data = Interactions.of(np.r_[user, 0], np.r_[item, 9], np.r_[values, 1])
    plain, told = (
        BPR(factors=1, epochs=1, spread=1e-6, shrinkage=0.0, disliked=share).fit(data) for share in (0.0, 1.0)
    )
    down = [one.recommender_.model.item_biases[3] for one in (plain, told)]
    assert down[1] < down[0] < 0


@pytest.mark.parametrize("kind", [BPR, WARP])
def test_a_user_who_liked_nothing_goes_by_the_items_biases(kind: type[Pairwise]) -> None:
    data = Interactions.of_matrix(tastes(3, users=10).matrix()[[0, 1, 2]])
    from dataclasses import replace

    from rankwise.recommenders.interactions import Names

    wider = replace(data, users=Names.of("abcd"), offsets=np.append(data.offsets, data.offsets[-1]))
    found = kind(factors=4, epochs=2).fit(wider).recommender_
    assert (found.model.users[3] == 0).all()
    np.testing.assert_array_equal(found.model.scores(np.array([3]))[0], found.model.item_biases)


def test_a_user_who_liked_everything_teaches_nothing() -> None:
    everything = Interactions.of([0, 0, 0], [0, 1, 2])
    one = BPR(factors=2, shrinkage=0.0)
    state = one.start(one.prepare(everything), np.random.default_rng(0))
    after = one.step(one.prepare(everything), state, np.random.default_rng(1))
    assert after.items.tobytes() == state.items.tobytes()


@pytest.mark.parametrize("kind", [BPR, WARP])
def test_many_blocks_learn_as_well_as_threads_that_race(kind: type[Pairwise]) -> None:
    data = tastes(4, users=400, items=260, each=40)
    from rankwise import evaluate
    from rankwise.recommenders.splits import by_ratio

    train, test, _ = by_ratio(data)
    pairs = _kernels.SeenPairs(train.offsets, train.item, len(train.items))
    assert pairs.blocks() > 1
    values = []
    for deterministic in (True, False):
        found = kind(factors=8, deterministic=deterministic).fit(train).recommender_
        values.append(evaluate(*found.lists(test), "nDCG@10")["nDCG@10"].mean)
    assert values[0] > 0.3 and values[0] > values[1] - 0.02


def test_threads_may_race_alone() -> None:
    one = BPR(factors=8, epochs=3, deterministic=False, threads=1).fit(tastes(0))
    other = BPR(factors=8, epochs=3, deterministic=False, threads=1).fit(tastes(0))
    assert one.recommender_.model.users.tobytes() == other.recommender_.model.users.tobytes()


@pytest.mark.parametrize("kind", [BPR, WARP])
def test_users_taken_in_rank_as_if_they_had_been_learnt(kind: type[Pairwise]) -> None:
    data = tastes(5, users=300, items=80, each=15)
    fitted = kind(factors=8, epochs=30).fit(data).recommender_
    folded = fitted.fold_in(data)
    users = np.arange(300)
    one, other = (found.model.scores(users, found.histories) for found in (fitted, folded))
    alike = [np.corrcoef(a, b)[0, 1] for a, b in zip(one, other, strict=True)]
    assert np.mean(alike) > 0.9
    np.testing.assert_array_equal(fitted.model.items, folded.model.items)


@pytest.mark.parametrize(
    ("kind", "parameters", "words"),
    [
        (BPR, {"factors": 0}, "factors must be a whole number from 1, not 0"),
        (BPR, {"epochs": 0}, "the number of steps must be a whole number from 1, not 0"),
        (BPR, {"rate": 0}, "rate must be a number above 0, not 0"),
        (BPR, {"rate": np.nan}, "rate must be a number above 0, not nan"),
        (BPR, {"shrinkage": -1}, "shrinkage must be a number from 0, not -1"),
        (BPR, {"bias_shrinkage": "a"}, "bias_shrinkage must be a number from 0, not 'a'"),
        (BPR, {"spread": 0}, "spread must be a number above 0"),
        (BPR, {"negatives": "hard"}, "negatives is 'hard'\nHint: choose one of uniform, popularity"),
        (BPR, {"disliked": 1.5}, "disliked must be a number from 0 to 1, not 1.5"),
        (BPR, {"disliked": 0.5}, "nothing was turned down that negatives could be drawn from"),
        (BPR, {"rate": 1.0, "shrinkage": 0.5}, "takes away more than there is"),
        (WARP, {"trials": 0}, "trials must be a whole number from 1"),
        (WARP, {"alpha": "log"}, "alpha"),
        (WARP, {"rate": 50.0, "shrinkage": 0.0, "spread": 1e6}, "the factors grew without bound at a rate of 50"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(kind: type[Pairwise], parameters: dict, words: str) -> None:
    with pytest.raises(RankwiseError, match=words):
        kind(**parameters).fit(tastes(0))


def test_interactions_without_anything_to_learn_are_refused() -> None:
    with pytest.raises(RankwiseError, match=r"nothing to learn: no value is above 0\nHint: .*at_least"):
        BPR().fit(Interactions.of([1, 2], [1, 2], [0, -1]))
    with pytest.raises(RankwiseError, match="nothing to learn: there is a single item"):
        BPR().fit(Interactions.of([1, 2], [1, 1]))
