"""The layers of a network whose parameters are one flat array."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.rankers.base import Scorer
from rankwise.rankers.linear import Linear
from rankwise.rankers.network import EPSILON, Layer, Network

__all__ = ["Layers", "first", "parameters_of_scorer", "running", "scorer_of"]

Singles = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Layers:
    """Sizes, activation and norm."""

    sizes: tuple[int, ...]
    """Columns, and the units of each layer; the score is a weighted sum of the last, without a bias, which cancels."""
    activation: str
    norm: str

    def parts(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """The arrays that the parameters are, in order."""
        for columns, units in pairwise(self.sizes):
            yield "weights", (columns, units)
            yield "bias", (units,)
            if self.norm != "none":
                yield "scale", (units,)
                yield "shift", (units,)
        yield "last", (self.sizes[-1],)

    def cut(self, flat: Any) -> list[Any]:
        """The flat parameters as those arrays."""
        found, start = [], 0
        for _, shape in self.parts():
            found.append(flat[start : start + prod(shape)].reshape(shape))
            start += prod(shape)
        return found

    def decayed(self) -> Singles:
        """1 for weights, 0 for biases and norms, which do not decay."""
        parts = [np.full(prod(shape), name in ("weights", "last")) for name, shape in self.parts()]
        return np.concatenate(parts).astype(np.float32)


def first(layers: Layers, rng: np.random.Generator) -> Singles:
    """Weights by lot, within ±√(6 / (columns + units)) (Glorot & Bengio 2010, `glorot2010`); a linear model's are 0."""

    def lots(name: str, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        if name in ("bias", "shift") or len(layers.sizes) == 1:
            return np.zeros(prod(shape))
        if name == "scale":
            return np.ones(prod(shape))
        reach = np.sqrt(6 / (shape[0] + (shape[1] if len(shape) == 2 else 1)))
        return rng.uniform(-reach, reach, prod(shape))

    return np.concatenate([lots(name, shape) for name, shape in layers.parts()]).astype(np.float32)


def running(layers: Layers) -> Singles:
    """Means and variances of units that are normalised over batches, before the first one."""
    if layers.norm != "batch":
        return np.zeros(0, np.float32)
    return np.concatenate([[0.0, 1.0] * units for units in layers.sizes[1:]]).astype(np.float32)


def scorer_of(layers: Layers, parameters: Singles, means: Singles) -> Linear | Network:
    """The scorer, which needs no JAX; norms over batches are folded into the weights."""
    parts = [np.asarray(part, np.float64) for part in layers.cut(parameters)]
    if len(layers.sizes) == 1:
        return Linear(parts[0])
    found, arrays, start = [], iter(parts), 0
    for units in layers.sizes[1:]:
        weights, bias = next(arrays), next(arrays)
        scale, shift = (None, None) if layers.norm == "none" else (next(arrays), next(arrays))
        if layers.norm == "batch" and scale is not None and shift is not None:
            mean, variance = np.asarray(means[start : start + 2 * units], np.float64).reshape(units, 2).T
            factor = scale / np.sqrt(variance + EPSILON)
            weights, bias, scale, shift = weights * factor, (bias - mean) * factor + shift, None, None
        start += 2 * units
        found.append(Layer(weights, bias, scale, shift))
    return Network(tuple(found), next(arrays), layers.activation)


def parameters_of_scorer(layers: Layers, scorer: Scorer) -> Singles | None:
    """The flat parameters of a scorer with these layers; None if it has others."""
    if isinstance(scorer, Linear):
        fits = layers.sizes == (scorer.features,)
        return scorer.weights.astype(np.float32) if fits else None
    if not isinstance(scorer, Network) or scorer.activation != layers.activation:
        return None
    sizes = (scorer.features, *(len(layer.bias) for layer in scorer.layers))
    norm = "none" if scorer.layers[0].scale is None else "layer"
    if sizes != layers.sizes or norm != layers.norm:
        return None
    parts = [(layer.weights, layer.bias, layer.scale, layer.shift) for layer in scorer.layers]
    arrays = [part.ravel() for layer in parts for part in layer if part is not None]
    return np.concatenate([*arrays, scorer.weights]).astype(np.float32)
