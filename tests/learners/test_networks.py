"""Learners of networks: what is theirs beside the contracts that all learners keep."""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest
import scipy.optimize
from scipy.special import logsumexp

pytest.importorskip("jax")

from contracts.settings import easy
from rankwise import DataError, Dataset, MeasureError, RankwiseError, evaluate
from rankwise.learners import learner
from rankwise.learners.direct_ranker import DirectRanker
from rankwise.learners.lambdarank import LambdaRank
from rankwise.learners.listnet import ListNet
from rankwise.learners.networks import batches, blocks_of
from rankwise.learners.ranknet import RankNet
from rankwise.learners.softmax import Softmax
from rankwise.learners.training import Training
from rankwise.losses import PairLogistic
from rankwise.measures import nDCG
from rankwise.rankers import Inputs, Linear, Network

TRAIN, TEST = easy(0), easy(2, lists=30)
QUICK = {"epochs": 8, "learning_rate": 0.05, "batch": 8}


def mean(fitted, data: Dataset = TEST) -> float:
    return float(np.nanmean(evaluate(data, fitted.predict(data), "nDCG@10").values))


def choices(seed: int, lists: int = 150, features: int = 3) -> tuple[Dataset, np.ndarray]:
    """Lists of which one document was chosen, by a logit whose weights are given back."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=features)
    sizes = rng.integers(2, 12, lists)
    table = rng.normal(size=(sizes.sum(), features)).astype(np.float32)
    labels = []
    for part in np.split(table, np.cumsum(sizes)[:-1]):
        scores = part @ weights + rng.gumbel(size=len(part))
        labels.append(np.eye(len(part))[scores.argmax()])
    return Dataset.of(table, np.concatenate(labels), group=sizes), weights


# Layers, norms, schedules.


@pytest.mark.parametrize(
    "parameters",
    [
        {"hidden": (6,)},
        {"hidden": (6, 4), "activation": "relu", "norm": "batch"},
        {"hidden": (6, 4, 3), "activation": "elu", "norm": "layer", "dropout": 0.1},
        {"hidden": 6, "activation": "gelu", "schedule": "cosine", "weight_decay": 0.1},
        {"hidden": (6,), "activation": "sigmoid", "optimizer": "sgd", "schedule": "exponential"},
        {"optimizer": "adagrad"},
    ],
    ids=str,
)
def test_every_kind_of_network_learns_and_is_repeatable(parameters) -> None:
    first, again = (RankNet(**{**QUICK, "epochs": 25, **parameters}).fit(TRAIN) for _ in range(2))
    assert mean(first) > 0.85
    assert first.predict(TEST).tobytes() == again.predict(TEST).tobytes()
    assert isinstance(first.ranker_.scorer, Network if "hidden" in parameters else Linear)


@pytest.mark.parametrize("norm", ["none", "batch", "layer"])
def test_the_scorer_is_the_network_that_was_trained(norm: str) -> None:
    import jax.numpy as jnp

    from rankwise.learners.descent import forward

    one = RankNet(hidden=(6, 4), norm=norm, **QUICK)
    data = one.prepare(Training.of(TRAIN, Inputs.fit(TRAIN), nDCG(10), None))
    state = one.start(data, np.random.default_rng(0))
    for step in range(3):
        state = one.step(data, state, np.random.default_rng(step))
    table = data.training.table
    # All rows as a batch, whose own means and variances are what the norm over batches remembers.
    means = state.means
    if norm == "batch":
        units, seen = table, []
        parts = iter(data.recipe.layers.cut(state.parameters))
        for _ in range(2):
            units = units @ next(parts) + next(parts)
            average, variance = units.mean(0), units.var(0)
            units = np.tanh((units - average) / np.sqrt(variance + 1e-5) * next(parts) + next(parts))
            seen.append(np.stack([average, variance], 1).ravel())
        means = np.concatenate(seen)
    there = jnp.ones((1, len(table)), bool)
    scores, _ = forward(data.recipe.layers, 0.0, state.parameters, state.means, table[None], there, None)
    from rankwise.learners.layers import scorer_of

    ours = scorer_of(data.recipe.layers, state.parameters, means)
    np.testing.assert_allclose(ours.scores(table), scores[0], rtol=1e-4, atol=1e-4)


def test_going_on_from_a_ranker_keeps_its_weights() -> None:
    first = RankNet(hidden=(5,), **QUICK).fit(TRAIN)
    further = RankNet(hidden=(5,), **{**QUICK, "learning_rate": 1e-12, "epochs": 1}).fit(
        TRAIN, start_from=first.ranker_
    )
    np.testing.assert_allclose(further.predict(TEST), first.predict(TEST), atol=1e-5)
    with pytest.raises(RankwiseError, match="RankNet cannot go on from a ranker such as Network"):
        RankNet(hidden=(4,), **QUICK).fit(TRAIN, start_from=first.ranker_)


# Batches.


def test_no_list_is_dropped_or_cut() -> None:
    rng = np.random.default_rng(0)
    sizes = np.array([2, 3, 9, 17, 40, 130, 70, 8, 8, 8])
    data = Dataset.of(rng.normal(size=(sizes.sum(), 2)), np.arange(sizes.sum()) % 2, group=sizes)
    training = Training.of(data, Inputs.fit(data), nDCG(10), None)
    blocks = blocks_of(training, PairLogistic(), by_measure=False)
    seen = list(batches(blocks, 2, rng))
    rows = np.concatenate([block.rows[block.there] for block in seen])
    assert sorted(rows.tolist()) == list(range(sizes.sum()))
    lists = np.concatenate([block.lists[block.weights > 0] for block in seen])
    assert sorted(lists.tolist()) == list(range(len(sizes)))
    assert all(len(block.rows) == 2 for block in seen)


def test_a_list_of_a_hundred_thousand_documents_is_learnt_from() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(100_000, 3)).astype(np.float32)
    data = Dataset.of(table, table[:, 0] > 3.2, group=[100_000])
    for one in (ListNet(epochs=30, learning_rate=0.1), RankNet(epochs=30, learning_rate=0.1)):
        weights = one.fit(data).ranker_.scorer.weights
        assert weights[0] > 3 * abs(weights[1:]).max()


# The measure's convention.


def test_lambdarank_follows_the_convention_and_says_what_it_cannot() -> None:
    weights = [
        LambdaRank(measure=m, **QUICK).fit(TRAIN).ranker_.scorer.weights for m in ("nDCG@1", "nDCG(gain='linear')")
    ]
    assert not np.allclose(*weights)
    with pytest.raises(MeasureError, match="LambdaPairs has no gains and discounts of AP"):
        LambdaRank(measure="AP", **QUICK).fit(TRAIN)


# Softmax.


@pytest.mark.parametrize("l2", [0.0, 0.01])
def test_softmax_is_the_optimum_of_its_likelihood(l2: float) -> None:
    data, _ = choices(0)
    fitted = Softmax(l2=l2, scaling="none").fit(data)
    lists = list(pairwise(data.offsets))

    def cost(weights):
        scores = data.features.astype(float) @ weights
        picked = sum(scores[a:b][data.labels[a:b] > 0][0] - logsumexp(scores[a:b]) for a, b in lists)
        return -picked / len(lists) + l2 / 2 * weights @ weights

    wanted = scipy.optimize.minimize(cost, np.zeros(3), method="Powell", options={"xtol": 1e-7, "ftol": 1e-12}).x
    np.testing.assert_allclose(fitted.ranker_.scorer.weights, wanted, atol=1e-4)
    assert fitted.stopped_.startswith("solved: no derivative is above")


def test_softmax_finds_the_weights_that_made_the_choices() -> None:
    data, weights = choices(1, lists=4000)
    found = Softmax(l2=0.0, scaling="none").fit(data).ranker_.scorer.weights
    np.testing.assert_allclose(found, weights, atol=0.15)


def test_softmax_by_descent_comes_to_the_same_place() -> None:
    data, _ = choices(2)
    solved = Softmax(l2=0.0, scaling="none").fit(data)
    network = Softmax(hidden=(8,), scaling="none", epochs=20, learning_rate=0.02).fit(data)
    assert mean(network, data) > mean(solved, data) - 0.03


def test_softmax_wants_one_relevant_document() -> None:
    with pytest.raises(DataError, match=r"list 'q\d+': \d documents are relevant, and softmax is of the one"):
        Softmax().fit(TRAIN)
    with pytest.raises(DataError, match="documents are relevant, and this loss is of the one that was chosen"):
        Softmax(hidden=(3,)).fit(TRAIN)
    with pytest.raises(RankwiseError, match="several is one of 'refuse', 'share'"):
        Softmax(several="all").fit(TRAIN)


# What goes wrong.


def test_a_loss_that_is_not_finite_ends_the_training_and_names_the_list() -> None:
    X = TRAIN.features.copy()
    at = int(TRAIN.offsets[3])
    X[at : at + 2] = [[3e38] * 4, [-3e38] * 4]
    qid = np.repeat(list(TRAIN.queries), np.diff(TRAIN.offsets))
    fitted = RankNet(hidden=(4,), activation="relu", scaling="none", **QUICK).fit(X, TRAIN.labels, qid=qid)
    assert fitted.stopped_.startswith("the loss of list 'q03' was not finite")
    assert np.isfinite(fitted.predict(TEST)).all()


def test_without_jax_the_error_names_the_extra(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    for name in [name for name in sys.modules if name.startswith(("rankwise.learners.descent", "rankwise.losses."))]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(RankwiseError, match=r"needs the package jax, which is not installed\nHint: .*neural"):
        RankNet(**QUICK).fit(TRAIN)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"activation": "step"}, "activation is one of 'tanh'"),
        ({"norm": "both"}, "norm is one of"),
        ({"optimizer": "newton"}, "optimizer is one of"),
        ({"schedule": "linear"}, "schedule is one of"),
        ({"batch": 0}, "batch must be a whole number from 1, not 0"),
        ({"hidden": (4, 0)}, "a number of hidden units must be a whole number from 1, not 0"),
        ({"dropout": 1.0}, "dropout must be a number from 0 to below 1, not 1.0"),
        ({"learning_rate": 0}, "learning_rate must be a number above 0, not 0"),
        ({"weight_decay": -1}, "weight_decay must be a number from 0, not -1"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(parameters, words: str) -> None:
    with pytest.raises(RankwiseError, match=words):
        RankNet(**parameters).fit(TRAIN)


def test_weights_of_documents_are_refused() -> None:
    data = Dataset.of([[1.0], [2.0]], [0, 1], group=[2], document_weights=[1, 2])
    for name in ("ranknet", "softmax"):
        with pytest.raises(DataError, match="no meaning for weights of documents"):
            learner(name)().fit(data)


# DirectRanker's theorem.


@pytest.mark.parametrize("epochs", [0, 10])
def test_directranker_is_reflexive_antisymmetric_and_transitive(epochs: int) -> None:
    """For weights by lot and for those learnt: whatever they are, the output of pairs is a total preorder."""
    one = DirectRanker(hidden=(7, 5), epochs=max(epochs, 1), learning_rate=0.05)
    data = one.prepare(Training.of(TRAIN, Inputs.fit(TRAIN), nDCG(10), None))
    state = one.start(data, np.random.default_rng(4))
    for step in range(epochs):
        state = one.step(data, state, np.random.default_rng(step))
    scores = one.scorer(state).scores(TEST.features)
    output = np.tanh((scores[:, None] - scores[None, :]) / 2)
    assert (output.diagonal() == 0).all()
    assert (output == -output.T).all()
    ahead = output >= 0
    rows = len(scores)
    by_way_of = (ahead.astype(np.int64) @ ahead.astype(np.int64)) > 0
    assert (ahead | ahead.T).all() and not (by_way_of & ~ahead).any() and rows > 100
