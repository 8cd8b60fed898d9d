r"""Lambdas: which documents of a list a learner should push apart, and how hard, for the sake of a measure.

.. math:: \lambda_{ij} = \sigma \, \Delta_{ij} \, \rho, \qquad h_{ij} = \sigma^2 \, \Delta_{ij} \, \rho \, (1 - \rho),
          \qquad \rho = \frac{1}{1 + e^{\sigma (s_i - s_j)}}

Burges 2010 (`burges2010`). Of each pair of documents of a list, :math:`\Delta_{ij} > 0` is by how much the measure is
higher with i in the higher of their two places: exactly, under the measure's convention. The gradient of i falls by
:math:`\lambda_{ij}`, that of j rises by it, and both hessians rise by :math:`h_{ij}`: derivatives of
:math:`\sum \Delta_{ij} \log(1 + e^{-\sigma (s_i - s_j)})` with :math:`\Delta_{ij}` held fast.

Places follow the convention's rule of ties. Where a rule settles an order, a place is a rank. Under
`ties='expected'`

- two documents in different tied blocks exchange their blocks: the change is that of the expected value (for nDCG the
  difference of the gains × that of the blocks' mean discounts);
- of two documents of one block, i stands directly above j or j directly above i, everything else alike; the change is
  the mean over the block's other orders. The swap of two tied documents inside an expected value would be 0, and
  training could not begin from equal scores.

Scores are read in the convention's precision: what it takes for equal has no margin.

Under 'best' and 'worst' documents of a block stand by what they are worth, and those worth the same share their places.

All of it in closed form: nDCG, DCG, RBP and P by mean discounts; AP by the expected number of relevant documents above;
RR by the chance that none of them is; ERR by elementary symmetric means of the chances to read on, of all documents of
a block but the one or two that move (for a block of m documents of g grades, :math:`g^2 m \min(m, k)` operations).

A list gives zeros where nothing can change: an empty one, one whose documents are all worth the same, one that the
convention zeroes for being short. Discounts are 0 below the cut-off, as in the measure, so that a document below k is
compared with those above only. `below='discounted'` lets them go on, for pairs that touch the top: what LightGBM,
XGBoost and RankLib do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.errors import DataError, MeasureError, RankwiseError, message
from rankwise.evaluation.lists import Lists
from rankwise.measures.base import Measure

if TYPE_CHECKING:
    from rankwise.data.dataset import Dataset
    from rankwise.data.judgments import JudgedRun

__all__ = ["Lambdas", "PreparedLambdas", "lambdas"]

# The measures whose change is known in closed form.
WITH_LAMBDAS = ("nDCG", "DCG", "RBP", "P", "AP", "RR", "ERR")
# The formulas that are a sum over documents, so that a document's weight multiplies what it is worth.
SUMS = ("ndcg", "dcg", "precision")
BELOW = ("zero", "discounted")


class Lambdas(NamedTuple):
    """Gradient and hessian of each row, by its score."""

    gradient: npt.NDArray[np.float64]
    hessian: npt.NDArray[np.float64]


def lambdas(
    data: Dataset | JudgedRun,
    scores: Any,
    measure: Measure | str,
    *,
    sigma: float = 1.0,
    below: str = "zero",
    normalized: bool = False,
    threads: int | None = None,
) -> Lambdas:
    """The lambdas of a measure at these scores, in the caller's order of rows; those of a list count its weight.

    `scores` are one a row of a `Dataset`, or None for a `JudgedRun`, which holds its own.
    `normalized` is what LightGBM does by default: each change is divided by 0.01 + |sᵢ − sⱼ| (unless all scores of the
    list are equal), and the sum S of |λ| over both documents of all pairs of a list is brought to log2(1 + S).
    The same bits for any number of threads and any order of lists; where ties are left open or ids settle them, for any
    order of rows too.

    >>> from rankwise import Dataset
    >>> data = Dataset.of(labels=[0, 2, 1], group=[3])
    >>> found = lambdas(data, [0.0, 0.0, 0.0], "nDCG@10")
    >>> found.gradient.round(4).tolist()
    [0.1377, -0.1721, 0.0344]
    """
    lists = Lists.of(data, scores, threads=threads)
    rows = _rows(data)
    prepared = PreparedLambdas(lists, measure, sigma=sigma, below=below, normalized=normalized, threads=threads)
    _refuse_endless(lists.scores, prepared.measure, rows)
    found = prepared(lists.scores)
    return found if rows is None else Lambdas(*(_in_order(column, rows) for column in found))


class PreparedLambdas:
    """The lambdas of a measure on lists that stay, for scores that change: what depends on labels alone is done once.

    Rows stand as in the dataset (`Dataset.in_callers_order` puts them as they were given).

    >>> from rankwise import Dataset
    >>> prepared = PreparedLambdas.of(Dataset.of(labels=[0, 2, 1], group=[3]), "nDCG@10")
    >>> prepared(np.array([0.0, 3.0, 0.0])).gradient.round(4).tolist()
    [0.0351, -0.0284, -0.0067]
    """

    __slots__ = ("_lists", "_options", "_order", "_plan", "_ties", "measure", "threads", "weights")

    def __init__(
        self,
        lists: Lists,
        measure: Measure | str,
        *,
        sigma: float = 1.0,
        below: str = "zero",
        normalized: bool = False,
        threads: int | None = None,
    ) -> None:
        if isinstance(sigma, bool) or not isinstance(sigma, (int, float, np.number)) or not 0 < sigma < np.inf:
            raise RankwiseError(message(f"sigma must be a number above 0, not {sigma!r}"))
        self.measure = _chosen(measure)
        _refuse(lists, self.measure)
        self._lists = lists
        self._plan = lists.plan(self.measure)
        if _goes_on(below, self.measure):
            self._plan["discounts"] = self.measure.discounts(int(np.diff(lists.offsets).max(initial=0)))
        self._ties = lists.ids(self.measure.convention.ties)
        self._order = lists.order(self.measure.convention)
        self._options = {
            "sigma": float(sigma),
            "discounted_below": below == "discounted",
            "normalized": bool(normalized),
        }
        self.weights = lists.weights
        self.threads = threads

    @classmethod
    def of(cls, data: Dataset, measure: Measure | str, *, threads: int | None = None, **how: Any) -> PreparedLambdas:
        """Those of a dataset; `how` are `sigma`, `below` and `normalized` of `lambdas`."""
        lists = Lists.of(data, np.zeros(len(data.labels)), threads=threads)
        return cls(lists, measure, threads=threads, **how)

    def __call__(self, scores: npt.NDArray[np.float64], weights: npt.NDArray[np.float64] | None = None) -> Lambdas:
        """The lambdas at these scores, one a row; `weights` of lists instead of the dataset's: 0 leaves a list out."""
        lists = self._lists
        return Lambdas(
            *_kernels.lambdas(
                scores,
                lists.grades,
                lists.offsets,
                lists.outside_offsets,
                self._ties,
                self._order,
                self._plan,
                self._options,
                self.weights if weights is None else weights,
                self.threads,
            )
        )


def _chosen(measure: Measure | str) -> Measure:
    if isinstance(measure, str):
        from rankwise.measures.parse import measure as parse

        measure = parse(measure)
    if not isinstance(measure, Measure):
        raise MeasureError(message(f"a measure or its text is wanted, not {measure!r}"))
    if measure.name not in WITH_LAMBDAS:
        hint = f"choose one of {', '.join(WITH_LAMBDAS)}."
        raise MeasureError(message(f"what an exchange of two documents changes is not known for {measure}", hint=hint))
    return measure


def _goes_on(below: str, measure: Measure) -> bool:
    """Whether discounts go on below the cut-off."""
    if below not in BELOW:
        raise RankwiseError(message(f"below is 'zero' or 'discounted', not {below!r}"))
    if below == "discounted" and measure.formula not in ("dcg", "ndcg"):
        hint = "leave out `below`."
        raise MeasureError(message(f"{measure} has no discounts that could go on below its cut-off", hint=hint))
    return below == "discounted"


def _refuse(lists: Lists, measure: Measure) -> None:
    ties = measure.convention.ties
    if ties.startswith("docid") and lists.documents is None:
        hint = "give document ids, or choose another order of ties, as in nDCG(ties='input')."
        raise DataError(message(f"ties={ties!r} needs document ids, and these lists have none", hint=hint))
    if lists.grades.weights is not None and measure.formula not in SUMS:
        hint = "give weights of lists, or a measure that is a sum over documents: nDCG, DCG, RBP or P."
        raise DataError(message(f"weights of documents have no lambdas under {measure}", hint=hint))


def _refuse_endless(scores: npt.NDArray[Any], measure: Measure, rows: npt.NDArray[np.int64] | None) -> None:
    with np.errstate(over="ignore"):
        read = scores.astype(np.float32 if measure.convention.precision == "float32" else np.float64, copy=False)
    endless = ~np.isfinite(read)
    if endless.any():
        at = int(endless.argmax())
        hint = "mend the ranker; lambdas need the differences of scores."
        where = f"scores, row {at if rows is None else rows[at]}"
        raise DataError(message("the score is not finite", place=where, hint=hint))


def _rows(data: Dataset | JudgedRun) -> npt.NDArray[np.int64] | None:
    """Which of the caller's rows stands at each place, if not each at its own."""
    return getattr(data, "rows", None)


def _in_order(column: npt.NDArray[np.float64], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    out = np.empty_like(column)
    out[rows] = column
    return out
