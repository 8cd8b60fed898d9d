"""A network: layers of units between the columns and the score."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, message
from rankwise.rankers.inputs import Table, array_of

__all__ = ["ACTIVATIONS", "Layer", "Network"]

Floats = npt.NDArray[np.float64]


def _gelu(x: Floats) -> Floats:
    values: Floats = 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return values


def _elu(x: Floats) -> Floats:
    values: Floats = np.where(x > 0, x, np.expm1(np.minimum(x, 0)))
    return values


def _sigmoid(x: Floats) -> Floats:
    return 0.5 * (1 + np.tanh(x / 2))


ACTIVATIONS: Mapping[str, Callable[[Floats], Floats]] = {
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0),
    "elu": _elu,
    "gelu": _gelu,
    "sigmoid": _sigmoid,
}
# Rows are scored some at a time, the last ones filled up with zeros, so that a row's bits hang on no other row; so few
# that a product of matrices stays below what BLAS libraries hand to several threads.
PRODUCTS = 2**18
FEWEST, MOST = 16, 256
EPSILON = 1e-5
# A file that claims more is hostile.
MOST_LAYERS = 64
# Orders of the columns in which contributions are taken.
ORDERS = 16


@dataclass(frozen=True, eq=False, repr=False)
class Layer:
    """Weights (columns × units), one bias a unit; with `scale` and `shift` each row's units are normalised first."""

    weights: Floats
    bias: Floats
    scale: Floats | None = None
    shift: Floats | None = None

    def __post_init__(self) -> None:
        weights = np.array(self.weights, np.float64)
        if weights.ndim != 2:
            raise DataError(message(f"the weights of a layer must have 2 dimensions, not {weights.ndim}"))
        object.__setattr__(self, "weights", weights)
        for name in ("bias", "scale", "shift"):
            values = getattr(self, name)
            if values is not None:
                values = np.array(values, np.float64)
                if values.shape != (weights.shape[1],):
                    what = f"the {name} of a layer of {weights.shape[1]} units has the shape {values.shape}"
                    raise DataError(message(what))
                object.__setattr__(self, name, values)
        if (self.scale is None) != (self.shift is None):
            raise DataError(message("a layer has both a scale and a shift, or none"))
        known = [part for part in (weights, self.bias, self.scale, self.shift) if part is not None]
        if not all(np.isfinite(part).all() for part in known):
            raise DataError(message("the weights of a layer are not finite"))

    def of(self, rows: Floats) -> Floats:
        """The units of rows, before the activation."""
        units: Floats = rows @ self.weights + self.bias
        if self.scale is None or self.shift is None:
            return units
        apart = units - units.mean(axis=1, keepdims=True)
        spread = np.sqrt((apart**2).mean(axis=1, keepdims=True) + EPSILON)
        normal: Floats = apart / spread * self.scale + self.shift
        return normal


@dataclass(frozen=True, eq=False, repr=False)
class Network:
    r"""A multi-layer perceptron without a bias at its end.

    .. math:: s = w \cdot f_L(\ldots f_1(x)), \qquad f_l(h) = \tau(\mathrm{norm}(W_l h + b_l))

    In double precision; a missing value (NaN) counts as 0. Contributions are Shapley values estimated from 16 orders of
    the columns, 8 drawn by lot and their reverses, against a row of zeros; in each order the parts add up exactly.
    Importances are sums over paths of products of absolute weights.

    >>> network = Network((Layer(np.array([[1.0], [-1.0]]), np.zeros(1)),), np.array([2.0]), "relu")
    >>> network.scores(np.array([[3, 1], [1, 3]], np.float32))
    array([4., 0.])
    """

    kind: ClassVar[str] = "network"

    layers: tuple[Layer, ...]
    weights: Floats
    """One a unit of the last layer."""
    activation: str = "tanh"

    def __post_init__(self) -> None:
        weights = np.array(self.weights, np.float64)
        if not 1 <= len(self.layers) <= MOST_LAYERS:
            raise DataError(message(f"a network has 1 to {MOST_LAYERS} layers, not {len(self.layers)}"))
        if self.activation not in ACTIVATIONS:
            raise DataError(message(f"there is no activation {self.activation!r}; there are {', '.join(ACTIVATIONS)}"))
        units = [layer.weights.shape[1] for layer in self.layers]
        wanted = [layer.weights.shape[0] for layer in self.layers[1:]] + [weights.size]
        if weights.ndim != 1 or units != wanted:
            raise DataError(message(f"layers of {units} units do not feed layers that want {wanted}"))
        if not np.isfinite(weights).all():
            raise DataError(message("the weights of the last layer are not finite"))
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "layers", tuple(self.layers))

    @property
    def features(self) -> int:
        return int(self.layers[0].weights.shape[0])

    def scores(self, table: Table, threads: int | None = None) -> Floats:
        found = np.empty(len(table))
        many = MOST
        while many > FEWEST and many * max(layer.weights.size for layer in self.layers) > PRODUCTS:
            many //= 2
        for start in range(0, len(table), many):
            rows = np.zeros((many, self.features))
            part = table[start : start + many]
            rows[: len(part)] = np.nan_to_num(part)
            found[start : start + many] = self._forward(rows)[: len(part)]
        return found

    def _forward(self, rows: Floats) -> Floats:
        for layer in self.layers:
            rows = ACTIVATIONS[self.activation](layer.of(rows))
        scores: Floats = (rows * self.weights).sum(axis=1)
        return scores

    def contributions(self, table: Table, threads: int | None = None) -> Floats:
        rows = np.nan_to_num(np.asarray(table, np.float64))
        parts = np.zeros((len(rows), self.features + 1))
        nothing = float(self._forward(np.zeros((1, self.features)))[0])
        rng = np.random.default_rng(0)
        drawn = [rng.permutation(self.features) for _ in range(ORDERS // 2)]
        for order in [*drawn, *(order[::-1] for order in drawn)]:
            seen = np.zeros_like(rows)
            before = np.full(len(rows), nothing)
            for column in order:
                seen[:, column] = rows[:, column]
                after = self._forward(seen)
                parts[:, column] += (after - before) / ORDERS
                before = after
        parts[:, -1] = nothing
        return parts

    def importances(self) -> Floats:
        paths: Floats = np.abs(self.weights)
        for layer in reversed(self.layers):
            paths = np.abs(layer.weights) @ paths
        return paths

    def text(self, names: Sequence[str]) -> str:
        sizes = [self.features, *(layer.weights.shape[1] for layer in self.layers), 1]
        norm = ", each row's units normalised" if self.layers[0].scale is not None else ""
        steps = [f"{a} → {b}" for a, b in pairwise(sizes)]
        lines = [f"layers {', '.join(steps)}; {self.activation}{norm}", "sums over paths of absolute weights:"]
        paths = self.importances()
        order = np.argsort(-paths, kind="stable")
        return "\n".join([*lines, *(f"{paths[at]:12.6g}  {names[at]}" for at in order)])

    def plain(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        arrays: dict[str, npt.NDArray[Any]] = {"weights": self.weights}
        for number, layer in enumerate(self.layers):
            for name in ("weights", "bias", "scale", "shift"):
                values = getattr(layer, name)
                if values is not None:
                    arrays[f"{number}.{name}"] = values
        norm = self.layers[0].scale is not None
        return {"activation": self.activation, "units": [len(x.bias) for x in self.layers], "norm": norm}, arrays

    @classmethod
    def of_plain(cls, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], features: int) -> Self:
        units, activation, norm = header.get("units"), header.get("activation"), header.get("norm")
        known = isinstance(units, list) and 1 <= len(units) <= MOST_LAYERS
        if not known or not all(isinstance(u, int) and 0 < u <= 1 << 20 for u in units):  # type: ignore[union-attr]
            raise DataError(message(f"its numbers of units are {units!r}"))
        if not isinstance(activation, str) or not isinstance(norm, bool):
            raise DataError(message(f"its activation is {activation!r}, its norm {norm!r}"))
        sizes = [features, *units]  # type: ignore[misc]
        layers = tuple(_layer(arrays, number, *size, norm) for number, size in enumerate(pairwise(sizes)))
        return cls(layers, array_of(arrays, "weights", np.float64, sizes[-1]), activation)

    def __repr__(self) -> str:
        return f"Network({' × '.join(str(len(layer.bias)) for layer in self.layers)} units, {self.activation})"


def _layer(arrays: Mapping[str, npt.NDArray[Any]], number: int, columns: int, units: int, norm: bool) -> Layer:
    weights = arrays.get(f"{number}.weights")
    if weights is None or weights.shape != (columns, units) or weights.dtype != np.float64:
        raise DataError(message(f"the weights of layer {number} are not {columns} × {units} numbers"))
    names = ("bias", "scale", "shift") if norm else ("bias",)
    return Layer(weights, *(array_of(arrays, f"{number}.{name}", np.float64, units) for name in names))
