"""Softmax: the choice of one document from a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
import scipy.optimize

from rankwise.errors import DataError, message
from rankwise.learners.networks import Batches, Descent, NetworkLearner, number_within, one_of
from rankwise.learners.training import Training
from rankwise.measures.base import Measure
from rankwise.rankers.base import Scorer
from rankwise.rankers.linear import Linear

if TYPE_CHECKING:
    from rankwise.losses.base import Loss

__all__ = ["Choices", "Softmax", "Solved"]

Floats = npt.NDArray[np.float64]

# Rows that are brought to double precision at a time.
AT_ONCE = 2**16


@dataclass(frozen=True)
class Solved:
    """The weights of the linear model at the optimum, and the length of the gradient there."""

    weights: Floats
    steepness: float
    ended: str


@dataclass(frozen=True, eq=False)
class Choices:
    """Lists with a relevant document, as rows."""

    table: npt.NDArray[np.float32]
    starts: npt.NDArray[np.int64]
    lists: npt.NDArray[np.int64]
    """Of each row, the number of its list."""
    target: Floats
    """Of each row, what share of its list's choices it is."""
    weights: Floats

    def margins(self, weights: Floats) -> Floats:
        """The scores of all rows."""
        parts = range(0, len(self.table), AT_ONCE)
        return np.concatenate([self.table[at : at + AT_ONCE].astype(np.float64) @ weights for at in parts])

    def sums(self, of_rows: Floats) -> Floats:
        """The sum of rows, each times its number."""
        found = np.zeros(self.table.shape[1])
        for at in range(0, len(self.table), AT_ONCE):
            found += of_rows[at : at + AT_ONCE] @ self.table[at : at + AT_ONCE].astype(np.float64)
        return found

    def cost(self, weights: Floats, l2: float) -> tuple[float, Floats]:
        """The mean negative log-likelihood with its penalty, and the gradient."""
        scores = self.margins(weights)
        scores -= np.maximum.reduceat(scores, self.starts)[self.lists]
        chances = np.exp(scores)
        totals = np.add.reduceat(chances, self.starts)
        share = self.weights / self.weights.sum()
        of_rows = share[self.lists]
        value = share @ np.log(totals) - (of_rows * self.target) @ scores + l2 / 2 * (weights @ weights)
        pull = of_rows * (chances / totals[self.lists] - self.target)
        return float(value), self.sums(pull) + l2 * weights


@dataclass(kw_only=True, eq=False, repr=False)
class Softmax(NetworkLearner):
    r"""Learns which document of a list is chosen, where each list has one relevant document: the conditional logit.

    .. math:: \min_w \; -\frac{1}{\sum_q c_q} \sum_q c_q \log \frac{e^{s_{\mathrm{chosen}}}}{\sum_{j \in q} e^{s_j}}
              + \frac{\lambda}{2} \lVert w \rVert^2

    McFadden 1974 (`mcfadden1974`); c are weights of lists, λ is `l2`. The linear model (no `hidden` units) is convex
    and solved at once, in one step, by L-BFGS in double precision until no derivative is above `tolerance`; it needs no
    JAX. Without a penalty there is no optimum where some weights rank all lists rightly, and the step ends after
    `most_steps` steps of the solver. With hidden units it is a network like others, learnt by descent.
    Relevant is what the convention of `measure` says. Lists without a relevant document say nothing. One with several
    is refused, unless `several` is 'share': then each of R relevant documents counts 1 / R.

    `hidden`, `activation`, `norm`, `dropout`, `epochs`, `batch`, `optimizer`, `learning_rate`, `schedule` and
    `weight_decay` are those of every network.

    >>> from rankwise import Dataset
    >>> data = Dataset.of([[1, 0], [0, 1], [1, 1], [0, 0]] * 5, [1, 0, 0, 0] * 5, group=[4] * 5)
    >>> Softmax().fit(data).predict([[1, 0], [0, 0]]).argmax()
    np.int64(0)
    """

    several: str = "refuse"
    l2: float = 1e-4
    tolerance: float = 1e-8
    most_steps: int = 1000

    name: ClassVar[str] = "softmax"
    states: ClassVar[tuple[type, ...]] = (Descent, Solved)

    def loss(self, measure: Measure) -> Loss:
        from rankwise.losses import Multinomial

        return Multinomial(convention=measure.convention, several=self.several)

    def check(self) -> None:
        super().check()
        one_of("several", self.several, ("refuse", "share"))
        number_within("l2", self.l2, 0, np.inf)
        number_within("tolerance", self.tolerance, 0, np.inf, open_below=True)

    @property
    def is_linear(self) -> bool:
        return not self._hidden()

    def steps(self) -> int:
        return 1 if self.is_linear else self.epochs

    def prepare(self, data: Training) -> Any:
        return choices(data, self.several) if self.is_linear else super().prepare(data)

    def start(self, data: Any, rng: np.random.Generator) -> Any:
        if isinstance(data, Batches):
            return super().start(data, rng)
        return Solved(np.zeros(data.table.shape[1]), np.inf, "")

    def start_from(self, data: Any, scorer: Scorer, rng: np.random.Generator) -> tuple[Any, int]:
        if isinstance(data, Batches):
            return super().start_from(data, scorer, rng)
        begun = self.start(data, rng)
        return (Solved(scorer.weights, np.inf, "") if isinstance(scorer, Linear) else begun), 0

    def step(self, data: Any, state: Any, rng: np.random.Generator) -> Any:
        if isinstance(data, Batches):
            return super().step(data, state, rng)
        options = {"maxiter": self.most_steps, "maxcor": 30, "ftol": 0.0, "gtol": self.tolerance, "maxls": 50}
        found = scipy.optimize.minimize(
            data.cost, state.weights, (self.l2,), jac=True, method="L-BFGS-B", options=options
        )
        steepness = float(np.abs(found.jac).max())
        return Solved(np.asarray(found.x, np.float64), steepness, f"solved: no derivative is above {steepness:.2g}")

    def finished(self, state: Any) -> str:
        return str(state.ended)

    def scorer(self, state: Any) -> Scorer:
        return Linear(state.weights) if isinstance(state, Solved) else super().scorer(state)


def choices(data: Training, several: str) -> Choices:
    """The lists that have a relevant document."""
    if data.document_weights is not None:
        raise DataError(message("Softmax has no meaning for weights of documents", hint="give weights of lists."))
    relevant = data.measure.convention.relevant(np.asarray(data.labels, np.float64))
    counts = np.add.reduceat(relevant.astype(np.int64), data.offsets[:-1])
    if several == "refuse" and (counts > 1).any():
        at = int((counts > 1).argmax())
        what = f"{counts[at]} documents are relevant, and softmax is of the one that was chosen"
        place = f"list '{data.dataset.queries[at]}'"
        raise DataError(message(what, place=place, hint="several='share' takes the mean over them."))
    known = np.flatnonzero((counts > 0) & (data.weights > 0))
    if not len(known):
        raise DataError(message("there is nothing to learn for Softmax: no list has a relevant document"))
    kept = np.repeat((counts > 0) & (data.weights > 0), np.diff(data.offsets))
    sizes = np.diff(data.offsets)[known]
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    return Choices(
        np.ascontiguousarray(data.table[kept]),
        starts,
        np.repeat(np.arange(len(known)), sizes),
        relevant[kept] / np.repeat(counts[known], sizes),
        data.weights[known],
    )
