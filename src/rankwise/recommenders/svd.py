r"""SVD: the score of a user for an item is to be the value that was seen.

.. math:: \min \sum_{(u, i)} w_{ui} \left( \langle p_u, q_i \rangle + b_u + b_i + \mu - x_{ui} \right)^2
          + \alpha \sum_u \|p_u\|^2 + \beta \sum_i \|q_i\|^2 + \gamma \sum_u b_u^2 + \theta \sum_i b_i^2

with :math:`\mu` the weighted mean of the values (Koren, Bell & Volinsky 2009, `koren2009`). Penalties are squared and
paid once a user and item; with `penalty='per-rating'` they are paid at each interaction, which is the form of Surprise:
:math:`\alpha n_u \|p_u\|^2` and so on, n the number of interactions.

Two solvers minimise the same objective. 'als' alternates: with the users held fast the best row and bias of each item
solve a ridge regression of their own, then those of each user. 'sgd' goes down half the gradient at each interaction,
with the share :math:`1 / n` of a penalty that is paid once.

The implicit form (Hu, Koren & Volinsky 2008, `hu2008`) sums over *all* pairs: the value is 1 where an interaction was
seen and 0 elsewhere, :math:`\mu = 0`, and the weight is :math:`1 + \kappa x_{ui}` of a count x and 1 elsewhere. It is
solved by 'als'. All of it is pointwise: a value is fitted, not an order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.errors import DataError, RankwiseError, message
from rankwise.rankers.factors import Factors
from rankwise.recommenders.base import RecommenderLearner, number, whole
from rankwise.recommenders.interactions import Interactions
from rankwise.recommenders.pairwise import Floats

__all__ = ["FORMS", "PENALTIES", "SOLVERS", "SVD"]

SOLVERS = ("als", "sgd")
PENALTIES = ("per-user", "per-rating")
FORMS = ("explicit", "implicit")


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Factors and biases of users and of items, and the mean that they stand beside."""

    users: Floats
    user_biases: Floats
    items: Floats
    item_biases: Floats
    mean: float


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """What is to be fitted, by user or by item, as the kernels take it."""

    pairs: Any
    values: Floats
    weights: Floats | None
    counts: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    by_user: Side
    by_item: Side | None
    """Only where items are solved for."""
    item_counts: npt.NDArray[np.int64]
    mean: float


@dataclass(kw_only=True, eq=False, repr=False)
class SVD(RecommenderLearner):
    """Factors and biases that fit the values.

    `factors` a row, `epochs` passes, `solver` 'als' or 'sgd', `rate` of learning (of 'sgd'). `alpha`, `beta`, `gamma`
    and `theta` are the penalties of users' and items' factors and of users' and items' biases; `penalty` is 'per-user'
    (once a user and item) or 'per-rating'. `form` is 'explicit' (the values) or 'implicit' (what was seen, weighted by
    1 + `confidence` × value). `biases`: whether there are any. `spread` is the standard deviation of the normal numbers
    that rows begin with. `deterministic`: the same bits for any number of threads; else the threads of 'sgd' race.

    >>> from rankwise.recommenders.interactions import Interactions
    >>> rated = Interactions.of([1, 1, 2, 2], ["a", "b", "a", "b"], [5, 1, 4, 2])
    >>> SVD(factors=1, alpha=0.01, beta=0.01).fit(rated).recommend([1], 1, exclude_seen=False)[1][0][0]
    'a'
    """

    factors: int = 64
    epochs: int = 20
    solver: str = "als"
    rate: float = 0.005
    alpha: float = 10.0
    beta: float = 10.0
    gamma: float = 3.0
    theta: float = 3.0
    penalty: str = "per-user"
    form: str = "explicit"
    confidence: float = 40.0
    biases: bool = True
    spread: float = 0.1
    deterministic: bool = True

    name: ClassVar[str] = "svd"
    states: ClassVar[tuple[type, ...]] = (State,)
    lengthens: ClassVar[str] = "epochs"

    def check(self) -> None:
        super().check()
        whole("factors", self.factors, least=1)
        for name in ("rate", "spread"):
            number(name, getattr(self, name), above=True)
        for name in ("alpha", "beta", "gamma", "theta"):
            number(name, getattr(self, name), above=self.solver == "als")
        number("confidence", self.confidence)
        for name, known in (("solver", SOLVERS), ("penalty", PENALTIES), ("form", FORMS)):
            if getattr(self, name) not in known:
                what = f"{name} is {getattr(self, name)!r}"
                raise RankwiseError(message(what, hint=f"choose one of {', '.join(known)}."))
        if self.form == "implicit" and self.solver == "sgd":
            what = "the implicit form sums over all pairs, which steps at single interactions cannot"
            raise RankwiseError(message(what, hint="solver='als'."))

    def steps(self) -> int:
        return self.epochs

    def prepare(self, data: Interactions) -> Fitted:
        by_user = self._side(data)
        mean = 0.0
        if self.form == "explicit" and self.biases:
            mean = float(np.average(data.values.astype(np.float64), weights=data.weights))
        by_item = self._side(turned(data)) if self.solver == "als" else None
        counts = np.bincount(data.item, minlength=len(data.items))
        return Fitted(by_user, by_item, counts, mean)

    def start(self, data: Fitted, rng: np.random.Generator) -> State:
        users, items = len(data.by_user.counts), len(data.item_counts)
        rows, item_rows = self._drawn(rng, users), self._drawn(rng, items)
        rows[data.by_user.counts == 0] = 0
        item_rows[data.item_counts == 0] = 0
        biases, item_biases = np.zeros(users, np.float32), np.zeros(items, np.float32)
        return State(rows, biases, item_rows, item_biases, data.mean)

    def start_from(self, data: Fitted, scorer: Any, rng: np.random.Generator) -> tuple[State, int]:
        if not isinstance(scorer, Factors) or scorer.factors != self.factors:
            return super().start_from(data, scorer, rng)
        biases, item_biases = np.array(scorer.user_biases), np.array(scorer.item_biases)
        return State(scorer.users, biases, scorer.items, item_biases, data.mean), 0

    def step(self, data: Fitted, state: State, rng: np.random.Generator) -> State:
        after = self._alternated(data, state) if self.solver == "als" else self._descended(data, state, rng)
        if not (np.isfinite(after.items).all() and np.isfinite(after.users).all()):
            what = f"the factors grew without bound at a rate of {self.rate:g}"
            raise RankwiseError(message(what, hint="give a smaller rate, or higher penalties."))
        return after

    def model(self, state: State) -> Factors:
        return Factors(state.users, state.items, state.user_biases, state.item_biases, state.mean)

    def fold_in(self, model: Any, interactions: Interactions) -> Factors:
        """The rows of users that fit best while the items stay as they are: the last half of a step of 'als'."""
        self.check()
        users, biases = self._solved(self._side(interactions), model.items, model.item_biases, model.mean, of="user")
        return Factors(users, model.items, biases, model.item_biases, model.mean)

    def objective(self, interactions: Interactions, model: Factors) -> float:
        """The value of what is minimised, over those interactions, in double precision."""
        side = self._side(interactions)
        users, items = model.users.astype(np.float64), model.items.astype(np.float64)
        biases, item_biases = (np.asarray(b, np.float64) for b in (model.user_biases, model.item_biases))
        user, item = interactions.user, interactions.item
        guess = (users[user] * items[item]).sum(axis=1) + biases[user] + item_biases[item] + model.mean
        weights = np.ones(len(user)) if side.weights is None else side.weights.astype(np.float64)
        found = float((weights * (guess - side.values) ** 2).sum())
        if self.form == "implicit":
            # What was not seen, from what all pairs have and those that were seen.
            all_pairs = users @ items.T + biases[:, np.newaxis] + item_biases
            found += float((all_pairs**2).sum() - (guess**2).sum())
        each = self.penalty == "per-rating"
        times = side.counts if each else np.ones(len(users))
        item_times = np.bincount(item, minlength=len(items)) if each else np.ones(len(items))
        found += float((times * (self.alpha * (users**2).sum(axis=1) + self.gamma * biases**2)).sum())
        return found + float((item_times * (self.beta * (items**2).sum(axis=1) + self.theta * item_biases**2)).sum())

    def _side(self, data: Interactions) -> Side:
        values, weights = data.values, data.weights
        if self.form == "implicit":
            if (values < 0).any():
                at = int((values < 0).argmax())
                user, item = data.users[int(data.user[at])], data.items[int(data.item[at])]
                what = f"user '{user}' has item '{item}' {values[at]:g} times; counts are not negative"
                raise DataError(message(what, hint="use the explicit form for values below 0."))
            own = np.ones_like(values) if weights is None else weights
            weights = own * (1 + np.float32(self.confidence) * values)
            values = np.ones_like(values)
        pairs = _kernels.SeenPairs(data.offsets, data.item, len(data.items))
        return Side(pairs, values, weights, np.diff(data.offsets))

    def _alternated(self, data: Fitted, state: State) -> State:
        """Items first: the users' rows are then those that fit the items as they are, which `fold_in` finds again."""
        assert data.by_item is not None
        items, item_biases = self._solved(data.by_item, state.users, state.user_biases, data.mean, of="item")
        users, biases = self._solved(data.by_user, items, item_biases, data.mean, of="user")
        return State(users, biases, items, item_biases, data.mean)

    def _solved(self, side: Side, fixed: Floats, fixed_biases: Any, mean: float, *, of: str) -> tuple[Floats, Floats]:
        penalties = (self.alpha, self.gamma) if of == "user" else (self.beta, self.theta)
        plan = {
            "values": side.values,
            "weights": side.weights,
            "mean": mean,
            "penalty": float(penalties[0]),
            "bias_penalty": float(penalties[1]),
            "each": self.penalty == "per-rating",
            "unseen": 1.0 if self.form == "implicit" else 0.0,
            "biases": bool(self.biases),
        }
        found: tuple[Floats, Floats] = _kernels.als_side(side.pairs, fixed, fixed_biases, plan, self.threads)
        return found

    def _descended(self, data: Fitted, state: State, rng: np.random.Generator) -> State:
        once = self.penalty == "per-user"
        epoch = {
            "users": state.users,
            "user_bias": state.user_biases,
            "items": state.items,
            "item_bias": state.item_biases,
            "pairs": data.by_user.pairs,
            "weights": data.by_user.weights,
            "rate": float(self.rate),
            "key": int(rng.integers(2**63)),
            "deterministic": bool(self.deterministic),
            "threads": self.threads,
        }
        plan = {
            "values": data.by_user.values,
            "penalties": [float(self.alpha), float(self.beta), float(self.gamma), float(self.theta)],
            "mean": data.mean,
            "biases": bool(self.biases),
            "user_shares": _shares(data.by_user.counts) if once else None,
            "item_shares": _shares(data.item_counts) if once else None,
        }
        return State(*_kernels.svd_epoch(epoch, plan), data.mean)

    def _drawn(self, rng: np.random.Generator, count: int) -> Floats:
        return rng.standard_normal((count, self.factors), np.float32) * np.float32(self.spread)


def turned(data: Interactions) -> Interactions:
    """Items as users, and users as items."""
    order = np.argsort(data.item, kind="stable")
    counts = np.bincount(data.item, minlength=len(data.items))
    return replace(
        data,
        users=data.items,
        items=data.users,
        offsets=np.concatenate(([0], np.cumsum(counts))),
        item=data.user[order].astype(np.uint32),
        values=data.values[order],
        times=None,
        weights=None if data.weights is None else data.weights[order],
    )


def _shares(counts: npt.NDArray[np.int64]) -> Floats:
    return (1 / np.maximum(counts, 1)).astype(np.float32)
