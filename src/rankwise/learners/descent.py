"""A step of a network in JAX: a batch of lists forward, the loss, its gradient, the optimizer.

Compiled once for each shape of batch and each recipe; learning rates and weight decays are no part of a recipe, so that
a grid over them, or over folds, compiles nothing anew. Parameters are one flat array, and so is what an optimizer
remembers of each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax

from rankwise.learners.layers import Layers, Singles
from rankwise.losses.base import Block, Loss
from rankwise.rankers.network import EPSILON

__all__ = ["OPTIMIZERS", "Recipe", "batch_step", "memory"]

OPTIMIZERS = {
    "adam": optax.scale_by_adam,
    "sgd": partial(optax.trace, decay=0.9),
    "adagrad": optax.scale_by_rss,
}
ACTIVATIONS = {
    "tanh": jnp.tanh,
    "relu": jax.nn.relu,
    "elu": jax.nn.elu,
    "gelu": jax.nn.gelu,
    "sigmoid": jax.nn.sigmoid,
}
# How much of the running mean and variance of a unit a batch leaves as it was.
KEPT = 0.9


@dataclass(frozen=True)
class Recipe:
    """All that a compiled step hangs on beside the shapes of its batch."""

    loss: Loss
    layers: Layers
    dropout: float
    optimizer: str


def memory(optimizer: str, parameters: Singles) -> tuple[npt.NDArray[Any], ...]:
    """What the optimizer remembers before the first step."""
    state = OPTIMIZERS[optimizer]().init(jnp.zeros_like(parameters))
    return tuple(np.asarray(leaf) for leaf in jax.tree.leaves(state))


@partial(jax.jit, static_argnums=0)
def batch_step(
    recipe: Recipe,
    parameters: Any,
    remembered: Any,
    means: Any,
    table: Any,
    block: Block,
    rate: Any,
    decay: Any,
    seed: Any,
) -> tuple[Any, Any, Any, Any]:
    """Parameters, memory and running means after a batch, and the loss of each of its lists."""
    of_units, of_loss = jax.random.split(jax.random.key(seed))

    def cost(parameters: Any) -> tuple[Any, tuple[Any, Any]]:
        scores, after = forward(recipe.layers, recipe.dropout, parameters, means, table, block.there, of_units)
        each = recipe.loss.of(jnp.where(block.there, scores, 0), block, of_loss)
        return (block.weights * each).sum() / block.weights.sum(), (each, after)

    gradient, (each, means) = jax.grad(cost, has_aux=True)(parameters)
    optimizer = OPTIMIZERS[recipe.optimizer]()
    form = jax.tree.structure(jax.eval_shape(optimizer.init, parameters))
    step, state = optimizer.update(gradient, jax.tree.unflatten(form, remembered))
    parameters = parameters - rate * (step + decay * recipe.layers.decayed() * parameters)
    return parameters, tuple(jax.tree.leaves(state)), means, each


def forward(
    layers: Layers, dropout: float, parameters: Any, means: Any, table: Any, there: Any, key: Any
) -> tuple[Any, Any]:
    """Scores of lists × places × columns, and the running means after them."""
    parts = iter(layers.cut(parameters))
    units, after = table, []
    for number, size in enumerate(layers.sizes[1:]):
        units = units @ next(parts) + next(parts)
        if layers.norm == "layer":
            apart = units - units.mean(-1, keepdims=True)
            units = apart * jax.lax.rsqrt((apart**2).mean(-1, keepdims=True) + EPSILON) * next(parts) + next(parts)
        elif layers.norm == "batch":
            start = 2 * sum(layers.sizes[1 : number + 1])
            units, moved = over_batch(units, there, means[start : start + 2 * size].reshape(size, 2))
            units = units * next(parts) + next(parts)
            after.append(moved.ravel())
        units = ACTIVATIONS[layers.activation](units)
        if dropout:
            kept = jax.random.bernoulli(jax.random.fold_in(key, number), 1 - dropout, units.shape)
            units = jnp.where(kept, units / (1 - dropout), 0)
    return units @ next(parts), jnp.concatenate(after) if after else means


def over_batch(units: Any, there: Any, before: Any) -> tuple[Any, Any]:
    """Units normalised over the documents of the batch, and what is remembered of their means and variances."""
    share = (there / jnp.maximum(there.sum(), 1))[:, :, None]
    mean = (units * share).sum((0, 1))
    variance = ((units - mean) ** 2 * share).sum((0, 1))
    moved = KEPT * before + (1 - KEPT) * jnp.stack([mean, variance], axis=1)
    return (units - mean) * jax.lax.rsqrt(variance + EPSILON), moved
