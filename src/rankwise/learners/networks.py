"""What all learners of networks share: an epoch of batches by gradient descent; a learner says which loss."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, RankwiseError, message, not_installed
from rankwise.learners.base import Learner
from rankwise.learners.layers import Layers, Singles, first, parameters_of_scorer, running, scorer_of
from rankwise.learners.training import Training
from rankwise.measures.base import Measure
from rankwise.rankers.base import Scorer
from rankwise.rankers.network import ACTIVATIONS

if TYPE_CHECKING:
    from rankwise.learners.descent import Recipe
    from rankwise.losses.base import Block, Loss

__all__ = ["Batches", "Descent", "NetworkLearner", "number_within", "one_of"]

NORMS = ("none", "batch", "layer")
OPTIMIZERS = ("adam", "sgd", "adagrad")
SCHEDULES = ("constant", "cosine", "exponential")
# What an exponential schedule leaves of the learning rate at the end.
LEFT = 0.01
# The weight decay of a network with hidden units, unless one is given.
OF_LAYERS = 3.0
# So many places, at most, in one batch: a list of 100,000 documents is one of its own.
MOST_PLACES = 2**16


class Batches(NamedTuple):
    """The lists that teach, in blocks of one width; the last list of each block is empty, to fill a batch up with."""

    training: Training
    recipe: Recipe
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Descent:
    """Where gradient descent stands."""

    columns: int
    parameters: Singles
    remembered: tuple[npt.NDArray[Any], ...]
    """What the optimizer remembers."""
    means: Singles
    """Running means and variances, of norms over batches."""
    epochs: int
    ended: str
    """Why there is no going on; empty if there is."""


@dataclass(kw_only=True, eq=False, repr=False)
class NetworkLearner(Learner):
    """The parameters of every learner of networks.

    `hidden` are the numbers of units of the layers between the columns and the score: () is a linear model.
    `activation` is 'tanh', 'relu', 'elu', 'gelu' or 'sigmoid'; `norm` normalises the units before it, over a 'batch',
    or each row by itself, a 'layer'; `dropout` is the share of units that a step leaves out. A step is one of at most
    `epochs` epochs: all lists once, in batches of `batch` lists of similar length, by `optimizer` ('adam', 'sgd' with
    momentum .9, 'adagrad') with a `learning_rate` that is 'constant', or falls as a 'cosine' or 'exponential'
    `schedule`. `weight_decay` shrinks weights (not biases) by that share × the learning rate a step; None is 3 with
    hidden units, with which a layer of 64 does no harm on MQ2008, and 0 without.
    """

    scaling: str = "z-score"
    hidden: Sequence[int] = ()
    activation: str = "tanh"
    norm: str = "none"
    dropout: float = 0.0
    epochs: int = 100
    batch: int = 32
    optimizer: str = "adam"
    learning_rate: float = 0.003
    schedule: str = "constant"
    weight_decay: float | None = None

    states: ClassVar[tuple[type, ...]] = (Descent,)
    trains_by_measure: ClassVar[bool] = False
    ignores_constants: ClassVar[bool] = True
    packages: ClassVar[tuple[str, ...]] = ("jax", "optax")

    def loss(self, measure: Measure) -> Loss:
        """The loss that is learnt by."""
        raise NotImplementedError

    def check(self) -> None:
        super().check()
        for name, words in (("activation", tuple(ACTIVATIONS)), ("norm", NORMS), ("optimizer", OPTIMIZERS)):
            one_of(name, getattr(self, name), words)
        one_of("schedule", self.schedule, SCHEDULES)
        _whole("batch", self.batch)
        for units in self._hidden():
            _whole("a number of hidden units", units)
        number_within("dropout", self.dropout, 0, 1)
        number_within("learning_rate", self.learning_rate, 0, math.inf, open_below=True)
        number_within("weight_decay", self._decay(), 0, math.inf)

    def _hidden(self) -> tuple[Any, ...]:
        return tuple(self.hidden) if isinstance(self.hidden, (tuple, list, np.ndarray)) else (self.hidden,)

    def steps(self) -> int:
        return self.epochs

    def layers(self, columns: int) -> Layers:
        return Layers((columns, *(int(units) for units in self._hidden())), self.activation, self.norm)

    def recipe(self, data: Training) -> Recipe:
        try:
            from rankwise.learners.descent import Recipe
        except ModuleNotFoundError as missing:
            package = (missing.name or "").partition(".")[0]
            if package in ("jax", "optax"):
                raise not_installed(package, "neural", type(self).__name__) from None
            raise
        return Recipe(self.loss(data.measure), self.layers(len(data.names)), float(self.dropout), self.optimizer)

    def prepare(self, data: Training) -> Batches:
        if data.document_weights is not None:
            what = f"{type(self).__name__} has no meaning for weights of documents"
            raise DataError(message(what, hint="give weights of lists."))
        recipe = self.recipe(data)
        try:
            blocks = blocks_of(data, recipe.loss, by_measure=self.trains_by_measure)
        except DataError as refusal:
            raise DataError(f"the training lists, in order of their ids: {refusal}") from None
        if not blocks:
            hint = "give lists that have relevant documents and others."
            raise DataError(message(f"there is nothing to learn for {type(self).__name__} in these lists", hint=hint))
        return Batches(data, recipe, blocks)

    def start(self, data: Batches, rng: np.random.Generator) -> Descent:
        return self._begin(data, first(data.recipe.layers, rng))

    def start_from(self, data: Batches, scorer: Scorer, rng: np.random.Generator) -> tuple[Descent, int]:
        """Goes on from the weights of a scorer of the same layers; the optimizer begins anew."""
        weights = parameters_of_scorer(data.recipe.layers, scorer)
        if weights is None:
            hint = "give the `hidden` and `activation` that it had; norms over batches are no part of a ranker."
            raise RankwiseError(
                message(f"{type(self).__name__} cannot go on from a ranker such as {scorer!r}", hint=hint)
            )
        return self._begin(data, weights), 0

    def _begin(self, data: Batches, parameters: Singles) -> Descent:
        from rankwise.learners.descent import memory

        layers = data.recipe.layers
        remembered = memory(self.optimizer, parameters)
        return Descent(layers.sizes[0], parameters, remembered, running(layers), 0, "")

    def step(self, data: Batches, state: Descent, rng: np.random.Generator) -> Descent:
        from rankwise.learners.descent import batch_step

        rate, decay = np.float32(self._rate(state.epochs)), np.float32(self._decay())
        parameters, remembered, means = state.parameters, state.remembered, state.means
        seen = []
        for block in batches(data.blocks, int(self.batch), rng):
            table = data.training.table[block.rows]
            seed = np.uint32(rng.integers(2**32))
            parameters, remembered, means, each = batch_step(
                data.recipe, parameters, remembered, means, table, block, rate, decay, seed
            )
            seen.append((block, each))
        parameters = np.asarray(parameters)
        wrong = _not_finite(data.training, seen, parameters)
        if wrong:
            return replace(state, ended=wrong)
        kept = tuple(np.asarray(part) for part in remembered)
        return Descent(state.columns, parameters, kept, np.asarray(means), state.epochs + 1, "")

    def _decay(self) -> float:
        if self.weight_decay is None:
            return OF_LAYERS if self._hidden() else 0.0
        return self.weight_decay

    def _rate(self, epochs: int) -> float:
        """The learning rate of an epoch, of which so many have gone before."""
        part = epochs / self.epochs
        if self.schedule == "cosine":
            return self.learning_rate * 0.5 * (1 + math.cos(math.pi * part))
        return self.learning_rate * (LEFT**part if self.schedule == "exponential" else 1.0)

    def finished(self, state: Descent) -> str:
        return state.ended

    def scorer(self, state: Descent) -> Scorer:
        return scorer_of(self.layers(state.columns), state.parameters, state.means)


def blocks_of(data: Training, loss: Loss, *, by_measure: bool) -> tuple[Block, ...]:
    """The lists in which the loss tells documents apart, by width, each block with an empty list at its end."""
    found = []
    ready = loss.blocks(data.labels, data.offsets, weights=data.weights)
    for block in ready:
        teaches = (block.uppers > 0) & (block.weights > 0)
        if by_measure:
            teaches &= data.teaches[block.lists]
        if not teaches.any():
            continue
        chosen = _taken(block, np.flatnonzero(teaches))
        found.append(_with_an_empty_one(chosen))
    return tuple(found)


def _taken(block: Block, lists: Any) -> Block:
    parts = (part[lists] for part in block[:-1])
    return type(block)._make([*parts, tuple(part[lists] for part in block.columns)])


def _with_an_empty_one(block: Block) -> Block:
    def filled(part: Any) -> Any:
        empty = np.zeros((1, *part.shape[1:]), part.dtype)
        single = part.astype(np.float32) if part.dtype == np.float64 else part
        return np.concatenate([single, empty.astype(single.dtype)])

    return type(block)._make([*map(filled, block[:-1]), tuple(map(filled, block.columns))])


def batches(blocks: Sequence[Block], size: int, rng: np.random.Generator) -> Iterator[Block]:
    """All lists once, by lot: batches of one width, in an order by lot too."""
    plans = []
    for number, block in enumerate(blocks):
        lists = len(block.rows) - 1
        many = max(1, min(size, MOST_PLACES // block.rows.shape[1]))
        order = np.full(-(-lists // many) * many, lists)
        order[:lists] = rng.permutation(lists)
        plans += [(number, part) for part in order.reshape(-1, many)]
    for at in rng.permutation(len(plans)):
        number, lists = plans[at]
        yield _taken(blocks[number], lists)


def _not_finite(data: Training, seen: Sequence[tuple[Block, Any]], parameters: Singles) -> str:
    """Where an epoch went wrong; empty if it did not."""
    for block, each in seen:
        wrong = ~np.isfinite(np.asarray(each)) & (block.weights > 0)
        if wrong.any():
            query = data.dataset.queries[int(block.lists[int(wrong.argmax())])]
            return f"the loss of list '{query}' was not finite: a smaller learning rate may mend it"
    return "" if np.isfinite(parameters).all() else "the weights were not finite: a smaller learning rate may mend it"


def one_of(name: str, value: Any, words: Sequence[str]) -> None:
    if value not in words:
        raise RankwiseError(message(f"{name} is one of {', '.join(map(repr, words))}, not {value!r}"))


def _whole(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise RankwiseError(message(f"{name} must be a whole number from 1, not {value!r}"))


def number_within(name: str, value: Any, least: float, below: float, *, open_below: bool = False) -> None:
    fits = isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and least <= value < below
    if not fits or (open_below and value == least):
        bounds = f"{'above' if open_below else 'from'} {least:g}" + (
            "" if below == math.inf else f" to below {below:g}"
        )
        raise RankwiseError(message(f"{name} must be a number {bounds}, not {value!r}"))
