"""What BPR and WARP share: factors that learn from an item that a user liked and one that the user did not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.errors import DataError, RankwiseError, message
from rankwise.rankers.factors import Factors
from rankwise.recommenders.base import RecommenderLearner, number, whole
from rankwise.recommenders.interactions import Interactions

__all__ = ["NEGATIVES", "Pairwise", "Rows", "Seen"]

NEGATIVES = ("uniform", "popularity")

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Factors and biases of users and of items."""

    users: Floats
    user_biases: Floats
    items: Floats
    item_biases: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What was liked and what was turned down, as the kernels take it."""

    pairs: Any
    weights: Floats | None
    popularity: Floats | None
    disliked: Any
    idle: npt.NDArray[np.bool_]
    """Users that liked nothing."""
    items: int


@dataclass(kw_only=True, eq=False, repr=False)
class Pairwise(RecommenderLearner):
    """The parameters and the loop's hooks of both; each says what a pass is (`_pass`) in a file of its own.

    Values above 0 are liked. Of an interaction's negatives none was liked by the user (they are verified); a user
    without such an item, or nearly so, is passed over. A user who liked nothing keeps a row of zeros: items then go by
    their biases.
    """

    factors: int = 64
    epochs: int = 20
    rate: float = 0.05
    shrinkage: float = 0.01
    bias_shrinkage: float | None = None
    spread: float = 0.1
    negatives: str = "uniform"
    disliked: float = 0.0
    deterministic: bool = True

    states: ClassVar[tuple[type, ...]] = (Rows,)
    lengthens: ClassVar[str] = "epochs"

    def check(self) -> None:
        super().check()
        whole("factors", self.factors, least=1)
        number("rate", self.rate, above=True)
        number("shrinkage", self.shrinkage)
        if self.bias_shrinkage is not None:
            number("bias_shrinkage", self.bias_shrinkage)
        number("spread", self.spread, above=True)
        number("disliked", self.disliked, most=1.0)
        if self.negatives not in NEGATIVES:
            hint = f"choose one of {', '.join(NEGATIVES)}."
            raise RankwiseError(message(f"negatives is {self.negatives!r}", hint=hint))
        if self.rate * 2 * max(self.shrinkage, self._bias_shrinkage()) >= 1:
            what = f"a step of rate {self.rate:g} and shrinkage {self.shrinkage:g} takes away more than there is"
            raise RankwiseError(message(what, hint="rate × 2 × shrinkage has to be below 1."))

    def steps(self) -> int:
        return self.epochs

    def prepare(self, data: Interactions) -> Seen:
        liked = data.values > 0
        if not liked.any():
            hint = "values above 0 are liked; `Interactions.implicit(at_least=…)` says from what value on."
            raise DataError(message("there is nothing to learn: no value is above 0", hint=hint))
        if len(data.items) < 2:
            raise DataError(message("there is nothing to learn: there is a single item"))
        positive = data if liked.all() else data.where(liked)
        popularity = np.bincount(positive.item, minlength=len(data.items)).astype(np.float32)
        disliked = None
        if self.disliked:
            if liked.all():
                hint = "values of 0 or less are turned down: `Interactions.implicit(4, below='negative')` makes such."
                raise DataError(message("nothing was turned down that negatives could be drawn from", hint=hint))
            turned_down = data.where(~liked)
            disliked = _kernels.SeenPairs(turned_down.offsets, turned_down.item, len(data.items))
        return Seen(
            pairs=_kernels.SeenPairs(positive.offsets, positive.item, len(data.items)),
            weights=positive.weights,
            popularity=popularity if self.negatives == "popularity" else None,
            disliked=disliked,
            idle=np.diff(positive.offsets) == 0,
            items=len(data.items),
        )

    def start(self, data: Seen, rng: np.random.Generator) -> Rows:
        users, items = len(data.idle), data.items
        rows = self._drawn(rng, users)
        rows[data.idle] = 0
        return Rows(rows, np.zeros(users, np.float32), self._drawn(rng, items), np.zeros(items, np.float32))

    def start_from(self, data: Seen, scorer: Any, rng: np.random.Generator) -> tuple[Rows, int]:
        if not isinstance(scorer, Factors) or scorer.factors != self.factors:
            return super().start_from(data, scorer, rng)
        biases = np.zeros(len(scorer.users), np.float32)
        return Rows(scorer.users, biases, scorer.items, np.array(scorer.item_biases)), 0

    def step(self, data: Seen, state: Rows, rng: np.random.Generator) -> Rows:
        return self._passed(data, state, rng, frozen=False)

    def model(self, state: Rows) -> Factors:
        return Factors(state.users, state.items, None, state.item_biases)

    def fold_in(self, model: Any, interactions: Interactions) -> Factors:
        """Rows of users as the same passes make them while the items stay as they are."""
        self.check()
        data = self.prepare(interactions)
        biases = np.zeros(len(data.idle), np.float32)
        state = Rows(np.zeros((len(data.idle), model.factors), np.float32), biases, model.items, model.item_biases)
        for at in range(self.epochs):
            state = self._passed(data, state, np.random.default_rng([self.seed, at + 1]), frozen=True)
        return self.model(state)

    def _pass(self, epoch: dict[str, Any], plan: dict[str, Any], data: Seen) -> tuple[Floats, Floats, Floats, Floats]:
        """One pass by a kernel."""
        raise NotImplementedError

    def _passed(self, data: Seen, state: Rows, rng: np.random.Generator, *, frozen: bool) -> Rows:
        epoch = {
            "users": state.users,
            "user_bias": state.user_biases,
            "items": state.items,
            "item_bias": state.item_biases,
            "pairs": data.pairs,
            "weights": data.weights,
            "rate": float(self.rate),
            "key": int(rng.integers(2**63)),
            "deterministic": bool(self.deterministic),
            "threads": self.threads,
        }
        plan = {
            "weights": data.popularity,
            "disliked": data.disliked,
            "share": float(self.disliked),
            "penalty": float(self.shrinkage),
            "bias_penalty": self._bias_shrinkage(),
            "frozen": frozen,
        }
        after = Rows(*self._pass(epoch, plan, data))
        if not (np.isfinite(after.items).all() and np.isfinite(after.users).all()):
            what = f"the factors grew without bound at a rate of {self.rate:g}"
            raise RankwiseError(message(what, hint="give a smaller rate, or more shrinkage."))
        return after

    def _bias_shrinkage(self) -> float:
        return float(self.shrinkage if self.bias_shrinkage is None else self.bias_shrinkage)

    def _drawn(self, rng: np.random.Generator, count: int) -> Floats:
        return ((rng.random((count, self.factors), np.float32) - np.float32(0.5)) * np.float32(self.spread)).astype(
            np.float32
        )
