"""PairAgreement: the weighted agreement of two rankings, pair by pair."""

from __future__ import annotations

from typing import Any

from rankwise.errors import MeasureError, message
from rankwise.measures.base import Measure, Present
from rankwise.measures.convention import Convention, Labels

__all__ = ["PairAgreement"]

WEIGHTS = ("uniform", "label", "gain")


class PairAgreement(Measure):
    r"""The share of the weight of all pairs on which a ranking agrees with the order of the labels.

    .. math:: \tau(\pi, \pi^*) = \frac{\sum_{u<v} w_{uv} \bigl[ 1 + \mathrm{sgn}(\pi_u - \pi_v)
              \, \mathrm{sgn}(\pi^*_u - \pi^*_v) \bigr]}{2 \sum_{u<v} w_{uv}}

    π are the places in the ranking, π* those in the order of falling labels; 1 for the same order, 0 for the reverse.
    `weights` says what a pair weighs: 'uniform' 1, 'label' the difference of the two labels, 'gain' that of their
    gains, by which π* is then ordered. A pair that is tied in either ranking has sign 0 and counts half its weight,
    so that under 'uniform', as the formula has it, a list in which labels repeat reaches neither 1 nor 0; under the
    other two such a pair weighs nothing. A tie of scores is worth its mean over both orders: `ties='expected'` and
    `ties='kept'` are the same. Kendall's coefficient (`kendall1938`) is 2τ − 1 where nothing is tied. A document
    without a judgment is as one of label 0. *Empty* where no pair weighs anything.

    >>> PairAgreement().of([3, 1, 2]), PairAgreement(weights="label").of([3, 1, 2])
    (0.6666666666666666, 0.75)
    """

    __slots__ = ("weights",)
    name = "PairAgreement"
    formula = "pair_agreement"
    takes_k = False
    keeps_ties = True
    weights: str

    def __init__(
        self,
        k: int | None = None,
        *,
        weights: str = "uniform",
        convention: Convention | str | None = None,
        **choices: Any,
    ) -> None:
        super().__init__(k, convention=convention, **choices)
        if weights not in WEIGHTS:
            hint = f"they are {', '.join(map(repr, WEIGHTS))}."
            raise MeasureError(message(f"there are no weights of pairs {weights!r}", hint=hint))
        object.__setattr__(self, "weights", weights)

    @property
    def axes(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("gain", "outside", "empty") if self.weights == "gain" else ("empty",)

    def _parameters(self) -> dict[str, Any]:
        return {} if self.weights == "uniform" else {"weights": self.weights}

    def _numbers(self) -> list[float]:
        return [float(self.weights != "uniform")]

    def worth(self, labels: Labels, present: Present) -> Labels:
        c = self.convention
        return c.gains(labels, present) if self.weights == "gain" else c.levels(labels)
