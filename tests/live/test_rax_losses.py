"""Rax' losses, beside ours."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

rax = pytest.importorskip("rax")
jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402

from rankwise import losses  # noqa: E402
from rankwise.measures import DCG, nDCG  # noqa: E402

pytestmark = pytest.mark.live


@pytest.fixture(autouse=True)
def double_precision() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def lists(seed: int, size: int = 12, distinct: bool = False, grades: int = 3):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(size).astype(float) if distinct else rng.integers(0, grades, size).astype(float)
    return jnp.asarray(rng.normal(size=size)), labels


def dcg_pairs(size: int, **how):
    """Rax multiplies by the size of the list."""
    return lambda s, y: rax.pairwise_logistic_loss(
        s, y, lambdaweight_fn=lambda s, y, **more: how["weight"](s, y, **more) / size, reduce_fn=jnp.sum
    )


PAIRS = {
    "logistic": (losses.PairLogistic(total="sum"), lambda s, y: rax.pairwise_logistic_loss(s, y, reduce_fn=jnp.sum)),
    "logistic, mean": (losses.PairLogistic(), lambda s, y: rax.pairwise_logistic_loss(s, y, reduce_fn=jnp.mean)),
    "hinge": (losses.PairHinge(total="sum"), lambda s, y: rax.pairwise_hinge_loss(s, y, reduce_fn=jnp.sum)),
    "softmax": (losses.SoftmaxCrossEntropy(target="worth"), rax.softmax_loss),
    "LambdaRank": (losses.LambdaPairs(measure=DCG()), dcg_pairs(12, weight=rax.dcg_lambdaweight)),
    "LambdaLoss": (losses.LambdaPairs(measure=DCG(), weight="ndcg-loss2"), dcg_pairs(12, weight=rax.dcg2_lambdaweight)),
}


@pytest.mark.parametrize(("ours", "theirs"), PAIRS.values(), ids=PAIRS)
def test_value_and_gradient_are_those_of_rax(ours, theirs) -> None:
    for seed in range(4):
        scores, labels = lists(seed)
        mine = jax.value_and_grad(lambda s: ours(s, labels, [0, 12]))(scores)  # noqa: B023
        rax_value = jax.value_and_grad(lambda s: theirs(s, jnp.asarray(labels)))(scores)  # noqa: B023
        assert float(mine[0]) == pytest.approx(float(rax_value[0]), rel=1e-9)
        np.testing.assert_allclose(mine[1], rax_value[1], atol=1e-9)


def test_plackett_luce_is_list_mle_where_all_labels_differ() -> None:
    scores, labels = lists(5, distinct=True)
    mine = jax.value_and_grad(lambda s: losses.PlackettLuceLikelihood()(s, labels, [0, 12]))(scores)
    theirs = jax.value_and_grad(lambda s: rax.listmle_loss(s, jnp.asarray(labels)))(scores)
    assert float(mine[0]) == pytest.approx(float(theirs[0]), rel=1e-9)
    np.testing.assert_allclose(mine[1], theirs[1], atol=1e-9)


def test_approx_ndcg_is_that_of_rax() -> None:
    scores, labels = lists(6)
    ours = losses.ApproxNDCG(measure=nDCG(), temperature=0.5)
    mine = jax.value_and_grad(lambda s: ours(s, labels, [0, 12]))(scores)
    # Rax' own transformation needs a part of JAX that is gone; its ranks do not, and divide by no temperature.
    theirs = jax.value_and_grad(
        lambda s: rax.ndcg_metric(s / 0.5, jnp.asarray(labels), rank_fn=rax.utils.approx_ranks)
    )(scores)
    assert 1 - float(mine[0]) == pytest.approx(float(theirs[0]), rel=1e-9)
    np.testing.assert_allclose(mine[1], -theirs[1], atol=1e-9)
