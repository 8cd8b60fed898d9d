"""The losses in JAX: equal to slow transcriptions of their formulas, with the gradients of these, for any lists."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest

from oracles import losses as oracle
from oracles import measures as of_labels
from rankwise import DataError, Dataset, MeasureError, RankwiseError
from rankwise.losses import lambdas
from rankwise.measures import STANDARD, nDCG

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402

from rankwise import losses  # noqa: E402
from rankwise.losses import base  # noqa: E402
from rankwise.losses import pairs as pairs_module  # noqa: E402

LINEAR = STANDARD.but(gain="linear", discount="jarvelin")
TABLE = STANDARD.but(gain={0: 0, 1: 2, 2: 3.5}, discount=(1.0, 0.6, 0.5, 0.2))


@pytest.fixture(autouse=True)
def double_precision() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def gains(convention, labels):
    return [of_labels.gain(convention, label) for label in labels]


def relevant(labels):
    return [label >= 1 for label in labels]


def harmonic(rank):
    return 1 / rank


@dataclass(frozen=True)
class Case:
    """A loss and its transcription: of scores, labels, and the scores at which changes are held fast."""

    loss: object
    slow: Callable
    one_relevant: bool = False


def measured(function, convention, k, **how):
    return lambda s, y, held: function(s, gains(convention, y), convention, k, **how)


def of_lambda(convention, k, weight, **how):
    return lambda s, y, held: oracle.lambda_loss(s, gains(convention, y), convention, k, weight, held, **how)


def multinomial(scores, labels, held):
    return oracle.cross_entropy([float(r) for r in relevant(labels)], scores) if any(relevant(labels)) else 0.0


CASES = {
    "logistic": Case(losses.PairLogistic(), lambda s, y, _: oracle.of_pairs(oracle.logistic, s, y)),
    "logistic, sum": Case(
        losses.PairLogistic(total="sum", sigma=0.5),
        lambda s, y, _: oracle.of_pairs(lambda m: oracle.logistic(m / 2), s, y, "sum"),
    ),
    "hinge": Case(losses.PairHinge(), lambda s, y, _: oracle.of_pairs(lambda m: max(0.0, 1 - m), s, y)),
    "squared": Case(losses.PairSquared(), lambda s, y, _: oracle.of_pairs(lambda m: (1 - m) ** 2, s, y)),
    "direct": Case(losses.PairDirect(), lambda s, y, _: oracle.of_pairs(lambda m: (1 - math.tanh(m / 2)) ** 2, s, y)),
    "direct, probability": Case(
        losses.PairDirect(form="probability"),
        lambda s, y, _: oracle.of_pairs(lambda m: -math.log((1 + math.tanh(m / 2)) / 2), s, y),
    ),
    "softmax": Case(losses.SoftmaxCrossEntropy(), lambda s, y, _: oracle.softmax_cross_entropy(s, y)),
    "softmax of gains": Case(
        losses.SoftmaxCrossEntropy(convention=TABLE),
        lambda s, y, _: oracle.softmax_cross_entropy(s, gains(TABLE, y)),
    ),
    "softmax, share": Case(
        losses.SoftmaxCrossEntropy(target="share", convention="standard"),
        lambda s, y, _: oracle.softmax_cross_entropy(s, gains(STANDARD, y), "share"),
    ),
    "softmax, worth": Case(
        losses.SoftmaxCrossEntropy(target="worth"),
        lambda s, y, _: oracle.softmax_cross_entropy(s, y, "worth"),
    ),
    "orders of 1": Case(losses.TopOrders(k=1), lambda s, y, _: oracle.top_orders(s, y, 1)),
    "orders of 3": Case(losses.TopOrders(k=3), lambda s, y, _: oracle.top_orders(s, y, 3)),
    "Plackett-Luce": Case(losses.PlackettLuceLikelihood(), lambda s, y, _: oracle.plackett_luce(s, y)),
    "Plackett-Luce, top 2": Case(losses.PlackettLuceLikelihood(k=2), lambda s, y, _: oracle.plackett_luce(s, y, 2)),
    "multinomial": Case(losses.Multinomial(), multinomial, one_relevant=True),
    "WARP": Case(losses.RankCost(), lambda s, y, _: oracle.rank_cost(s, relevant(y), harmonic)),
    "WARP, first": Case(
        losses.RankCost(alpha="first", margin=0.3),
        lambda s, y, _: oracle.rank_cost(s, relevant(y), lambda j: float(j == 1), 0.3),
    ),
    "WARP, top-2": Case(
        losses.RankCost(alpha="top-2"), lambda s, y, _: oracle.rank_cost(s, relevant(y), lambda j: float(j <= 2))
    ),
    "LambdaRank": Case(losses.LambdaPairs(measure=nDCG(3)), of_lambda(STANDARD, 3, "lambdarank")),
    "LambdaRank, table": Case(
        losses.LambdaPairs(measure=nDCG(2, convention=TABLE), sigma=2.0), of_lambda(TABLE, 2, "lambdarank", sigma=2.0)
    ),
    "LambdaLoss": Case(
        losses.LambdaPairs(measure=nDCG(3, convention=LINEAR), weight="ndcg-loss2"),
        of_lambda(LINEAR, 3, "ndcg-loss2"),
    ),
    "LambdaLoss, ++": Case(
        losses.LambdaPairs(measure=nDCG(4), weight="ndcg-loss2++", mu=2.0),
        of_lambda(STANDARD, 4, "ndcg-loss2++", mu=2.0),
    ),
    "ApproxNDCG": Case(losses.ApproxNDCG(measure=nDCG()), measured(oracle.approx_ndcg, STANDARD, None)),
    "ApproxNDCG, linear": Case(
        losses.ApproxNDCG(measure=nDCG(3, convention=LINEAR), temperature=0.2),
        measured(oracle.approx_ndcg, LINEAR, 3, temperature=0.2),
    ),
    "ApproxNDCG, table": Case(
        losses.ApproxNDCG(measure=nDCG(2, convention=TABLE)), measured(oracle.approx_ndcg, TABLE, 2)
    ),
    "XE-NDCG": Case(losses.CrossEntropyNDCG(), lambda s, y, _: oracle.xe_ndcg(s, gains(STANDARD, y))),
    "XE-NDCG, linear": Case(
        losses.CrossEntropyNDCG(convention=LINEAR, gamma=0.2), lambda s, y, _: oracle.xe_ndcg(s, gains(LINEAR, y), 0.2)
    ),
}
EVERY = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def random_lists(case: Case, seed: int, sizes=(0, 1, 2, 3, 5, 6, 7, 8), ties: bool = False):
    """Scores, labels and offsets; several lists of a single label among them."""
    rng = np.random.default_rng(seed)
    scores = [rng.integers(0, 3, size) / 2 if ties else rng.normal(size=size) for size in sizes]
    labels = [rng.integers(0, 3, size).astype(float) for size in sizes]
    if case.one_relevant:
        labels = [np.eye(1, size, rng.integers(0, size + 2)).ravel() if size else np.zeros(0) for size in sizes]
    return np.concatenate(scores), np.concatenate(labels), np.cumsum([0, *sizes])


def one_by_one(case: Case, scores, labels, offsets, held=None):
    held = scores if held is None else held
    cuts = [slice(a, b) for a, b in itertools.pairwise(offsets)]
    return [case.slow(scores[cut].tolist(), labels[cut].tolist(), held[cut].tolist()) for cut in cuts]


# Definition.


@EVERY
@pytest.mark.parametrize("ties", [False, True])
def test_each_list_has_what_the_docstring_says(case: Case, ties: bool) -> None:
    for seed in range(3):
        scores, labels, offsets = random_lists(case, seed, ties=ties)
        found = case.loss.each(scores, labels, offsets)
        assert found.tolist() == pytest.approx(one_by_one(case, scores, labels, offsets), abs=1e-11, rel=1e-11)


@EVERY
@pytest.mark.parametrize("ties", [False, True])
def test_gradients_are_those_of_finite_differences(case: Case, ties: bool) -> None:
    if ties and (isinstance(case.loss, (losses.PairHinge, losses.RankCost)) or case == CASES["ApproxNDCG, table"]):
        pytest.skip("tied scores are at a corner of this loss")
    scores, labels, offsets = random_lists(case, 7, ties=ties)
    found = jax.grad(lambda s: case.loss(s, labels, offsets))(jnp.asarray(scores))
    step = 1e-5
    for row in range(len(scores)):
        there, back = scores.copy(), scores.copy()
        there[row] += step
        back[row] -= step
        both = [np.mean(one_by_one(case, moved, labels, offsets, held=scores)) for moved in (there, back)]
        assert found[row] == pytest.approx((both[0] - both[1]) / (2 * step), abs=1e-7)


@EVERY
def test_the_value_is_the_weighted_mean_over_lists(case: Case) -> None:
    scores, labels, offsets = random_lists(case, 3)
    weights = np.arange(1.0, len(offsets))
    each = case.loss.each(scores, labels, offsets)
    found = float(case.loss(scores, labels, offsets, weights=weights))
    assert found == pytest.approx(float(np.average(each, weights=weights)))


# Laws.


@EVERY
def test_the_order_of_rows_and_of_lists_makes_no_difference(case: Case) -> None:
    scores, labels, offsets = random_lists(case, 11, ties=True)
    rng = np.random.default_rng(0)
    lists = rng.permutation(len(offsets) - 1)
    rows = np.concatenate([offsets[one] + rng.permutation(offsets[one + 1] - offsets[one]) for one in lists])
    moved = np.cumsum([0, *np.diff(offsets)[lists]])
    value, gradient = jax.value_and_grad(lambda s: case.loss(s, labels, offsets))(jnp.asarray(scores))
    again, turned = jax.value_and_grad(lambda s: case.loss(s, labels[rows], moved))(jnp.asarray(scores[rows]))
    assert float(again) == pytest.approx(float(value), rel=1e-12)
    np.testing.assert_allclose(turned, gradient[rows], atol=1e-13)


@EVERY
def test_padding_makes_no_difference(case: Case) -> None:
    scores, labels, offsets = random_lists(case, 12)
    worth, ones = case.loss.worths(labels), np.ones(len(offsets) - 1)

    def value(scores, wide, fill):
        lists = np.arange(len(offsets) - 1)
        return case.loss.value(scores, (case.loss.block(worth, offsets, ones, lists, wide, fill),))

    narrow, wide = (jax.value_and_grad(value)(jnp.asarray(scores), *how) for how in ((8, 0), (32, 20)))
    assert float(narrow[0]) == pytest.approx(float(wide[0]), rel=1e-12)
    np.testing.assert_allclose(narrow[1], wide[1], atol=1e-13)


@EVERY
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_margins_of_ten_thousand_are_finite(case: Case, dtype: type) -> None:
    for sign in (1, -1):
        scores = np.array([1e4, -1e4, 0.0, 1e4, 3.0, -1e4, 1e4, -1e4], dtype) * sign
        labels = np.array([0.0, 1, 0, 0, 1, 0, 0, 0]) if case.one_relevant else np.array([0.0, 2, 1, 0, 1, 0, 2, 0])
        # As many rows and lists as in the tests above: the same shapes are compiled once.
        scores, labels, offsets = np.tile(scores, 4), np.tile(labels, 4), np.arange(0, 33, 4)
        value, gradient = jax.value_and_grad(lambda s: case.loss(s, labels, offsets))(jnp.asarray(scores))  # noqa: B023
        assert np.isfinite(value) and np.isfinite(gradient).all()
        assert gradient.dtype == dtype


@EVERY
def test_a_shift_of_all_scores_changes_nothing(case: Case) -> None:
    scores, labels, offsets = random_lists(case, 13)
    found = float(case.loss(scores + 3.25, labels, offsets))
    assert found == pytest.approx(float(case.loss(scores, labels, offsets)), rel=1e-9)


@EVERY
def test_it_is_the_same_inside_compiled_code(case: Case) -> None:
    scores, labels, offsets = random_lists(case, 14)
    blocks = case.loss.blocks(labels, offsets)
    compiled = jax.jit(jax.value_and_grad(case.loss.value))(jnp.asarray(scores), blocks)
    plain = jax.value_and_grad(lambda s: case.loss(s, labels, offsets))(jnp.asarray(scores))
    assert float(compiled[0]) == pytest.approx(float(plain[0]), rel=1e-12)
    np.testing.assert_allclose(compiled[1], plain[1], atol=1e-13)


@EVERY
def test_lists_without_a_document_or_a_choice_are_harmless(case: Case) -> None:
    offsets = [0, 0, 1, 3, 3, 10, 18, 25, 32]
    value, gradient = jax.value_and_grad(lambda s: case.loss(s, np.zeros(32), offsets))(jnp.zeros(32))
    assert np.isfinite(value)
    np.testing.assert_allclose(gradient, 0, atol=1e-15)


@pytest.mark.parametrize("name", ["logistic", "hinge", "LambdaRank", "LambdaLoss, ++", "ApproxNDCG"])
def test_long_lists_in_chunks_have_the_value_of_all_pairs_at_once(name: str, monkeypatch) -> None:
    case = CASES[name]
    rng = np.random.default_rng(5)
    scores, labels, offsets = (
        rng.normal(size=190).round(1),
        rng.integers(0, 3, 190).astype(float),
        np.array([0, 60, 190]),
    )
    worth = case.loss.worths(labels)

    def found(fill: int):
        # Blocks of another shape are compiled anew.
        block = case.loss.block(worth, offsets, np.ones(2), np.arange(2), 192, fill)
        return jax.value_and_grad(lambda s: case.loss.value(s, (block,)))(jnp.asarray(scores))

    monkeypatch.setattr(pairs_module, "AT_ONCE", 2**9)
    monkeypatch.setattr(pairs_module, "SMALL", 0)
    chunks = found(3)
    monkeypatch.setattr(pairs_module, "SMALL", 2**40)
    at_once = found(4)
    assert float(chunks[0]) == pytest.approx(float(at_once[0]), rel=1e-12)
    np.testing.assert_allclose(chunks[1], at_once[1], atol=1e-13)


@pytest.mark.parametrize(
    "name", ["logistic", "softmax", "Plackett-Luce", "WARP", "LambdaRank", "ApproxNDCG", "XE-NDCG"]
)
def test_a_list_of_a_hundred_thousand_documents_works(name: str) -> None:
    rng = np.random.default_rng(6)
    size = 100_000
    labels = np.zeros(size)
    labels[rng.permutation(size)[:40]] = rng.integers(1, 3, 40)
    loss = CASES[name].loss
    value, gradient = jax.value_and_grad(lambda s: loss(s, labels, [0, size]))(jnp.asarray(rng.normal(size=size)))
    assert np.isfinite(value)
    # The relevant documents are pulled up, as far as the loss sees them.
    assert gradient[np.flatnonzero(labels)].sum() < 0
    assert np.isfinite(gradient).all() and abs(gradient.sum()) < 1e-6


# Agreement.


@pytest.mark.parametrize("convention", [STANDARD, LINEAR, TABLE], ids=["standard", "linear", "table"])
@pytest.mark.parametrize("k", [1, 3, None])
@pytest.mark.parametrize("ties", [False, True])
def test_the_gradient_of_lambda_pairs_is_the_lambdas_of_the_kernel(convention, k, ties: bool) -> None:
    scores, labels, offsets = random_lists(CASES["LambdaRank"], 21, sizes=(3, 5, 17, 30), ties=ties)
    measure = nDCG(k, convention=convention)
    loss = losses.LambdaPairs(measure=measure, sigma=0.7)
    gradient = jax.grad(lambda s: loss(s, labels, offsets))(jnp.asarray(scores)) * (len(offsets) - 1)
    wanted = lambdas(Dataset.of(labels=labels, group=np.diff(offsets)), scores, measure, sigma=0.7)
    np.testing.assert_allclose(gradient, wanted.gradient, atol=1e-13)


def test_a_low_temperature_brings_approx_ndcg_to_the_measure() -> None:
    scores, labels, offsets = random_lists(CASES["ApproxNDCG"], 22, sizes=(9, 30))
    found = losses.ApproxNDCG(measure="nDCG", temperature=1e-4).each(scores, labels, offsets)
    for one, start, end in zip(found, offsets, offsets[1:], strict=False):
        order = np.argsort(-scores[start:end])
        assert 1 - one == pytest.approx(nDCG().of(labels[start:end][order]), abs=1e-9)


def test_sampled_ranks_cost_what_exact_ones_do_where_all_others_break_the_margin() -> None:
    labels, scores = np.array([1.0, 0, 0, 0]), np.zeros(4)
    exact = losses.RankCost()(scores, labels, [0, 4])
    sampled = losses.RankCost(tries=5)(scores, labels, [0, 4], key=jax.random.key(3))
    assert float(sampled) == pytest.approx(float(exact)) == pytest.approx(1 + 1 / 2 + 1 / 3)


def test_sampled_ranks_are_near_exact_ones_on_the_mean() -> None:
    """With α_j = 1 the cost is ⌊|N| / n⌋ times a violator's excess; the mean is counted here by the chances of n."""
    scores = np.array([0.0, *np.linspace(-3, 0.5, 20)])
    labels = np.array([1.0] + [0.0] * 20)
    loss = losses.RankCost(alpha="top-20", tries=200)
    value = np.mean([float(loss(scores, labels, [0, 21], key=jax.random.key(seed))) for seed in range(400)])
    excess = np.maximum(0, 1 + scores[1:])
    breaks = np.count_nonzero(1 + scores[1:] >= 0) / 20
    chances = breaks * (1 - breaks) ** np.arange(200)
    wanted = (chances * (20 // np.arange(1, 201))).sum() * excess.sum() / (20 * breaks)
    assert value == pytest.approx(wanted, rel=0.06)


def test_the_lots_of_xe_ndcg_are_those_of_the_key() -> None:
    scores, labels, offsets = random_lists(CASES["XE-NDCG"], 23)
    loss = losses.CrossEntropyNDCG()
    values = [float(loss(scores, labels, offsets, key=jax.random.key(seed))) for seed in (0, 0, 1)]
    assert values[0] == values[1] != values[2]
    drawn = np.mean([float(loss(scores, labels, offsets, key=jax.random.key(seed))) for seed in range(200)])
    assert drawn == pytest.approx(float(loss(scores, labels, offsets)), rel=0.02)


def test_widths_hold_every_size() -> None:
    for size in range(1, 3000, 7):
        assert size <= base.width(size) <= max(8, 2 * size)


# Refusals.


def test_labels_that_a_loss_cannot_take_are_refused() -> None:
    with pytest.raises(DataError, match="list 1, counted from 0: 2 documents are relevant"):
        losses.Multinomial()([0.0, 0, 0], [1, 1, 1], [0, 1, 3])
    with pytest.raises(DataError, match="list 0: a share of a worth below 0"):
        losses.SoftmaxCrossEntropy(target="share")([0.0, 0], [-1, 1], [0, 2])
    with pytest.raises(DataError, match="list 0: a share of a gain below 0"):
        losses.CrossEntropyNDCG(convention=STANDARD.but(negative="as is", gain="linear"))([0.0, 0], [-1, 1], [0, 2])
    with pytest.raises(RankwiseError, match="label -1 is negative"):
        losses.LambdaPairs()([0.0, 0], [-1, 1], [0, 2])
    with pytest.raises(DataError, match="list 0, counted from 0: 16,581,120 orders of the first 3 of up to 256"):
        losses.TopOrders(k=3)(np.zeros(200), np.zeros(200), [0, 200])


def test_what_is_no_choice_is_refused() -> None:
    for wrong, match in [
        (lambda: losses.PairLogistic(sigma=0), "sigma must be"),
        (lambda: losses.PairLogistic(total="most"), "total is 'mean' or 'sum'"),
        (lambda: losses.LambdaPairs(sigma=-1), "sigma must be"),
        (lambda: losses.LambdaPairs(weight="ndcg"), "weight is one of"),
        (lambda: losses.PairDirect(form="other"), "form is"),
        (lambda: losses.SoftmaxCrossEntropy(target="top"), "target is one of"),
        (lambda: losses.CrossEntropyNDCG(gamma=1.0), "gamma must be"),
        (lambda: losses.TopOrders(k=0), "k must be"),
        (lambda: losses.PlackettLuceLikelihood(k=0), "k must be"),
        (lambda: losses.ApproxNDCG(temperature=0), "temperature must be"),
        (lambda: losses.RankCost(tries=0), "tries must be"),
        (lambda: losses.RankCost(margin=0), "margin must be"),
    ]:
        with pytest.raises(RankwiseError, match=match):
            wrong()
    with pytest.raises(MeasureError, match="LambdaPairs has no gains and discounts of AP"):
        losses.LambdaPairs(measure="AP")
    with pytest.raises(MeasureError, match="alpha='worst' is no cost of ranks"):
        losses.RankCost(alpha="worst")
    with pytest.raises(RankwiseError, match="ranks by lot need a key"):
        losses.RankCost(tries=3)([0.0, 1], [1, 0], [0, 2])


def test_lists_that_do_not_fit_are_refused() -> None:
    loss = losses.PairLogistic()
    with pytest.raises(DataError, match="labels: 3 for 2 rows"):
        loss([0.0, 0], [1, 0, 0], [0, 2])
    with pytest.raises(DataError, match="weights: 2 for 1 lists"):
        loss([0.0, 0], [1, 0], [0, 2], weights=[1, 2])
    with pytest.raises(DataError, match="offsets must be whole numbers"):
        loss([0.0, 0], [1, 0], [0, 2, 1])
    with pytest.raises(DataError, match="labels are needed as plain arrays"):
        jax.jit(lambda s, y: loss(s, y, [0, 2]))(jnp.zeros(2), jnp.zeros(2))


def test_a_loss_is_a_value() -> None:
    assert losses.PairLogistic() == losses.PairLogistic(sigma=1.0) != losses.PairLogistic(sigma=2.0)
    assert replace(losses.ApproxNDCG(), temperature=2.0).temperature == 2.0
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        losses.Nothing  # noqa: B018
