r"""RankSVM: a linear ranker that keeps each better document above each worse one of its list by a margin.

.. math:: \min_w \tfrac12 \lVert w \rVert^2 + \sum_q c_q \sum_{(i, j) \in q:\ y_i > y_j} \ell(t_{ij}), \qquad
          t_{ij} = 1 - w \cdot (x_i - x_j), \qquad \ell(t) = \max(0, t)^2 \ \text{or} \ \max(0, t)

Joachims 2002 (`joachims2002`); the squared hinge: Chapelle & Keerthi 2010 (`chapelle2010`). A list counts its weight;
labels may be any numbers, and a document without a judgment is in no pair. There is no bias: it would cancel.

What a pair costs follows from `C` by one of four conventions, since programs differ (P_q: the pairs of list q, Q: the
number of lists):

===========  ==============  =====================================================================================
`per`        :math:`c_q`     whose
===========  ==============  =====================================================================================
"pair"       C               SVM-light's ranking mode (Joachims 2002), liblinear-ranksvm (Lee & Lin 2014, `lee2014`)
"list"       C / P_q         each list counts alike, as in a mean over lists
"svmrank"    C / Q           SVM-rank with its default `-l 1`
"dlib"       C / Σ P_q       dlib's `svm_rank_trainer`
===========  ==============  =====================================================================================

`converted` turns the C of one into that of another.

No pair is ever written down: sorted scores tell each document's partners by sums over beginnings, O(n log n) a list for
any number of grades (Lee & Lin 2014). The squared hinge is minimised by trust-region Newton steps. The hinge is the
limit of hinges whose corner is rounded off below t = knee: for a knee that is divided by four until the tolerance is
reached, the same steps apply, each from where the last ones ended.

How far a solution is from the best one is known: of the dual problem, α_ij = c ℓ'(t_ij) is a feasible point, and the
difference of both objectives, the *duality gap*, is

.. math:: \tfrac12 \lVert \nabla F(w) \rVert^2 + \sum_q c_q \sum (1 - t_{ij} / \mathrm{knee})\, t_{ij}
          \,[0 < t_{ij} < \mathrm{knee}]

(the second part for the hinge alone). A solution is finished when its gap is at most `tolerance` × its objective.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.errors import DataError, RankwiseError, message
from rankwise.learners.base import Learner
from rankwise.learners.training import Training
from rankwise.learners.trust_region import newton
from rankwise.rankers.base import Scorer
from rankwise.rankers.linear import Linear

__all__ = ["PER", "RankSVM", "converted", "costs"]

Floats = npt.NDArray[np.float64]

PER = ("pair", "list", "svmrank", "dlib")
LOSSES = ("squared-hinge", "hinge")
PATH = tuple(10.0 ** (half / 2) for half in range(-12, 9))
# By how much the rounded corner shrinks, and how often at most: beyond that rounding decides.
SHRINKING, MOST_KNEES = 4.0, 24
# Newton steps for one corner end when what they could still gain is this share of what the corner costs.
ENOUGH = 0.25


def costs(C: float, pairs: Floats, *, per: str = "list") -> Floats:
    """What a pair of each list costs, from C and the number of pairs of each list.

    >>> costs(6.0, [1, 3, 0], per="pair"), costs(6.0, [1, 3, 0], per="list")
    (array([6., 6., 6.]), array([6., 2., 0.]))
    >>> costs(6.0, [1, 3, 0], per="svmrank"), costs(6.0, [1, 3, 0], per="dlib")
    (array([2., 2., 2.]), array([1.5, 1.5, 1.5]))
    """
    pairs = np.asarray(pairs, np.float64)
    if not 0 < C < math.inf:
        raise RankwiseError(message(f"C must be a number above 0, not {C!r}"))
    if per not in PER:
        raise RankwiseError(message(f"per is {per!r}", hint=f"choose one of {', '.join(PER)}."))
    if per == "list":
        return np.where(pairs > 0, C / np.maximum(pairs, 1), 0.0)
    over = {"pair": 1.0, "svmrank": float(len(pairs)), "dlib": max(float(pairs.sum()), 1.0)}[per]
    return np.full(len(pairs), C / over)


def converted(C: float, pairs: Floats, *, start: str, to: str) -> float:
    r"""The C of the convention `to` under which each pair costs what it costs under C of the convention `start`.

    .. math:: C_\mathrm{pair} = C_\mathrm{svmrank} / Q = C_\mathrm{dlib} / \sum P_q

    "list" weighs pairs differently from the others unless all lists have as many pairs: then there is no such C.

    >>> converted(12.0, [3, 1], start="svmrank", to="pair"), converted(12.0, [3, 1], start="svmrank", to="dlib")
    (6.0, 24.0)
    """
    pairs = np.asarray(pairs, np.float64)
    kept = pairs[pairs > 0]
    if not len(kept):
        raise DataError(message("no list has a pair of documents with different labels"))
    wanted, unit = (costs(value, pairs, per=per)[pairs > 0] for value, per in ((C, start), (1.0, to)))
    factors = wanted / unit
    if np.ptp(factors) > 1e-12 * factors.max():
        what = (
            f"no C per {to} costs each pair what C per {start} does: lists have {kept.min():g} to {kept.max():g} pairs"
        )
        raise RankwiseError(message(what, hint=f"learn with per='{start}' itself."))
    return float(factors[0])


@dataclass(frozen=True, slots=True)
class Solved:
    """The weights for one C of the path, and how near to the best they are."""

    weights: Floats
    done: int
    C: float
    objective: float
    gap: float
    gradient: float
    """The norm of the gradient at the weights."""
    newton_steps: int


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """The pairs of the training lists, and the cost of a pair of each list for C = 1."""

    table: npt.NDArray[np.float32]
    pairs: _kernels.Pairs
    costs: Floats
    threads: int | None


class Found(NamedTuple):
    """The objective at some weights and how much it can fall at most, of which the corner's part."""

    objective: float
    gap: float
    of_corner: float
    gradient: float


@dataclass(kw_only=True, eq=False, repr=False)
class RankSVM(Learner):
    """A linear ranker with a margin between each better and each worse document of a list.

    `C` says how much pairs cost beside the size of the weights; of several values, rising, each is a step that begins
    where the last one ended, and the best on validation (without validation: on the training lists) is kept.
    `per` is the convention of C: "list", "pair", "svmrank" or "dlib". `loss` is "squared-hinge" or "hinge". A step ends
    when its objective is certainly within the share `tolerance` of the least.
    The ranker's `about` tells the C that was kept, its objective, duality gap and gradient.

    >>> from rankwise import Dataset
    >>> data = Dataset.of([[1, 5], [2, 4], [3, 3], [2, 1]], [0, 1, 2, 1], group=[4])
    >>> fitted = RankSVM(C=10.0, scaling="none", tolerance=1e-6).fit(data)
    >>> fitted.ranker_.scorer.weights.round(3), fitted.ranker_.about["gap"] < 1e-4
    (array([ 0.929, -0.013]), True)
    """

    C: float | Sequence[float] = PATH
    per: str = "list"
    loss: str = "squared-hinge"
    tolerance: float = 1e-3
    scaling: str = "z-score"

    name: ClassVar[str] = "ranksvm"
    states: ClassVar[tuple[type, ...]] = (Solved,)
    trains_by_measure: ClassVar[bool] = False
    chooses_on_training: ClassVar[bool] = True

    def path(self) -> list[float]:
        """The values of C, in the order of steps."""
        return [float(self.C)] if isinstance(self.C, (int, float, np.number)) else [float(C) for C in self.C]

    def steps(self) -> int:
        return len(self.path())

    def check(self) -> None:
        try:
            path = self.path()
        except (TypeError, ValueError):
            path = []
        if isinstance(self.C, bool) or not path or not all(0 < C < math.inf for C in path):
            raise RankwiseError(message(f"C must be a number above 0, or several, not {self.C!r}"))
        if any(later <= C for C, later in pairwise(path)):
            raise RankwiseError(message("the values of C must rise: each begins where the one before it ended"))
        for name, known in (("per", PER), ("loss", LOSSES)):
            if getattr(self, name) not in known:
                raise RankwiseError(message(f"{name} is {getattr(self, name)!r}", hint=f"choose {' or '.join(known)}."))
        if not (isinstance(self.tolerance, (int, float)) and 0 < self.tolerance < 1):
            raise RankwiseError(message(f"the tolerance must be a number between 0 and 1, not {self.tolerance!r}"))
        super().check()

    def prepare(self, data: Training) -> Problem:
        if data.document_weights is not None:
            raise DataError(message("RankSVM has no meaning for weights of documents", hint="give weights of lists."))
        pairs = _kernels.Pairs(np.asarray(data.labels, np.float64), data.offsets)
        if not pairs.counts.any():
            raise DataError(message("no list has two judged documents with different labels"))
        return Problem(data.table, pairs, costs(1.0, pairs.counts, per=self.per) * data.weights, data.threads)

    def start(self, data: Problem, rng: np.random.Generator) -> Solved:
        nan = math.nan
        return Solved(np.zeros(data.table.shape[1]), 0, nan, nan, nan, nan, 0)

    def start_from(self, data: Problem, scorer: Scorer, rng: np.random.Generator) -> tuple[Solved, int]:
        if not isinstance(scorer, Linear):
            raise RankwiseError(message("RankSVM goes on from a linear ranker alone"))
        nan = math.nan
        return Solved(scorer.weights, 0, nan, nan, nan, nan, 0), 0

    def step(self, data: Problem, state: Solved, rng: np.random.Generator) -> Solved:
        C = self.path()[state.done]
        with np.errstate(over="ignore", invalid="ignore"):
            weights, found, steps = self._solve(data, C, state.weights)
        if not np.isfinite(found).all():
            hint = "give a smaller C, or scale the features."
            raise RankwiseError(message(f"C = {C:g} makes pairs cost more than numbers can say", hint=hint))
        return Solved(weights, state.done + 1, C, found.objective, found.gap, found.gradient, steps)

    def scorer(self, state: Solved) -> Linear:
        return Linear(state.weights)

    def facts(self, state: Solved) -> dict[str, Any]:
        return {
            "C": state.C,
            "objective": state.objective,
            "gap": state.gap,
            "gradient": state.gradient,
            "newton_steps": state.newton_steps,
        }

    def _solve(self, data: Problem, C: float, weights: Floats) -> tuple[Floats, Found, int]:
        if self.loss == "squared-hinge":
            one = newton(objective(data, C, math.inf), weights, self._is_near)
            return one.weights, one.found, one.steps
        knee, steps = 1.0, 0
        for _ in range(MOST_KNEES):
            one = newton(objective(data, C, knee), weights, self._is_settled)
            weights, found, steps, knee = one.weights, one.found, steps + one.steps, knee / SHRINKING
            if self._is_near(found):
                break
        return weights, found, steps

    def _is_near(self, found: Found) -> bool:
        return found.gap <= self.tolerance * found.objective

    def _is_settled(self, found: Found) -> bool:
        return self._is_near(found) or found.gap - found.of_corner <= ENOUGH * found.of_corner


def objective(data: Problem, C: float, knee: float) -> Callable[[Floats], Any]:
    """The objective whose hinge is rounded off below the knee (infinite: the squared hinge), for Newton steps."""
    # The kernel's loss is half the squared hinge, or the knee times the hinge.
    costs = data.costs * (2 * C if knee == math.inf else C / knee)

    def at(weights: Floats) -> tuple[float, Floats, Callable[[Floats], Floats], Found]:
        (within, squares, beyond, steep), slope, curvature = data.pairs.loss(
            data.table, weights, costs, knee, data.threads
        )
        size, gradient = 0.5 * float(weights @ weights), weights + slope
        value, norm = size + 0.5 * squares, float(np.linalg.norm(gradient))
        least, of_corner = value, 0.0
        if knee < math.inf:
            value += knee * beyond - 0.5 * knee * knee * steep
            least, of_corner = size + knee * (within + beyond), knee * within - squares
        found = Found(least, 0.5 * norm * norm + of_corner, of_corner, norm)
        return value, gradient, lambda v: v + curvature.times(data.table, costs, v, data.threads), found

    return at
