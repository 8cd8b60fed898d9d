r"""LambdaMART: boosted trees that follow the lambdas of a measure.

.. math:: F_t = F_{t-1} + \eta \sum_l \gamma_l [x \in R_l], \qquad
          \gamma_l = -\frac{\sum_{i \in R_l} g_i}{\sum_{i \in R_l} h_i + \lambda_2}

Burges 2010 (`burges2010`), section 7. g and h are gradient and hessian of `rankwise.losses.lambdas`: of each pair of
documents of a list, the exact change of the training measure under its convention. LightGBM (`ke2017`) grows the trees;
none of its own ranking objective is used, whose table of gains all boosters of a process share.

Where it departs from LightGBM's lambdarank: any measure with lambdas and any convention; labels of any kind; lists of
any length; discounts end at the cut-off unless `below='discounted'`; documents with equal scores push each other by
what their mean over orders says, so that the order of rows does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, RankwiseError, message
from rankwise.learners import lightgbm_text
from rankwise.learners.base import Learner, Scores, Table
from rankwise.learners.grower import Grower, bins, engine
from rankwise.learners.training import Training
from rankwise.losses import PreparedLambdas
from rankwise.rankers.base import Scorer
from rankwise.rankers.trees import Trees

if TYPE_CHECKING:
    import lightgbm

__all__ = ["LambdaMART"]

Floats = npt.NDArray[np.float64]
# Cells of a table below which threads would wait for each other longer than they work.
SMALL = 1 << 20
# LightGBM's seeds lie below 2³¹, and it draws anew only if a seed is another than the one before.
SEEDS = 2**29
FIRST_SEED = 2**31 - 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Prepared:
    """What does not change from tree to tree."""

    training: Training
    bins: lightgbm.Dataset
    parameters: Mapping[str, Any]
    lambdas: PreparedLambdas
    places: npt.NDArray[np.int64] | None
    """Which of the positions each row was shown at, counted from 0 in their order."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Forest:
    """The first trees of a grower."""

    grower: Grower
    trees: int
    scores: Floats
    """Those of the training rows."""
    bias: Floats
    """What being shown at each position adds to a score."""
    ended: bool


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Packed:
    """The same as plain data."""

    trees: Trees
    scores: Floats
    bias: Floats
    ended: bool


@dataclass(kw_only=True, eq=False, repr=False)
class LambdaMART(Learner):
    """Boosted trees for any measure with lambdas: nDCG, DCG, RBP, P, AP, RR, ERR.

    At most `trees` trees of at most `leaves` leaves; `learning_rate` shrinks each. A leaf holds at least
    `min_documents` of the documents that its tree sees and `min_hessian` of the sum of their hessians; `l2` is added to
    that sum where the leaf's value is taken. Features are cut into `bins` at most, found in `bin_rows` rows (None:
    all).

    Each tree sees `feature_share` of the features and `list_share` of the lists, drawn anew. `goss` is (a, b): the
    share a of documents with the greatest gradients × hessians counts as it is, a share b of all, drawn from the
    others, stands for those; from tree 1 / learning rate on.

    `monotone` is {feature: 1 or -1}, a score that never falls, or never rises, with it. `categorical` names features
    whose values are codes of categories, from 0.

    `sigma` is the steepness of the lambdas, `below` and `normalized` are those of `rankwise.losses.lambdas`.
    `position_bias` corrects for where documents were shown (`Dataset.positions`), by a number for each position that is
    learnt beside the trees and left out of the ranker; its value, from 0, pulls these numbers to 0.

    >>> from rankwise import Dataset
    >>> rng = np.random.default_rng(0)
    >>> features = rng.normal(size=(400, 3))
    >>> labels = (features[:, 0] > 0.0) * 1 + (features[:, 0] > 1.0)
    >>> data = Dataset.of(features, labels, group=[20] * 20, feature_names=["price", "stars", "noise"])
    >>> fitted = LambdaMART(trees=20, measure="AP").fit(data)
    >>> fitted.score(data), max(fitted.ranker_.importances(), key=fitted.ranker_.importances().get)
    (1.0, 'price')
    """

    trees: int = 500
    leaves: int = 10
    learning_rate: float = 0.05
    patience: int | None = 100
    min_documents: int = 20
    min_hessian: float = 1e-3
    l2: float = 0.0
    bins: int = 255
    bin_rows: int | None = 200_000
    feature_share: float = 1.0
    list_share: float = 1.0
    goss: Sequence[float] | None = None
    monotone: Mapping[str, int] | None = None
    categorical: Sequence[str] = ()
    sigma: float = 1.0
    below: str = "zero"
    normalized: bool = True
    position_bias: float | None = None

    name: ClassVar[str] = "lambdamart"
    ignores_constants: ClassVar[bool] = True
    packages: ClassVar[tuple[str, ...]] = ("lightgbm",)
    states: ClassVar[tuple[type, ...]] = (Packed, Trees)
    takes_missing: ClassVar[bool] = True
    lengthens: ClassVar[str] = "trees"

    def steps(self) -> int:
        return self.trees

    def check(self) -> None:
        super().check()
        for name, least in (("leaves", 2), ("min_documents", 1), ("bins", 2)):
            _whole(name, getattr(self, name), least)
        if self.bin_rows is not None:
            _whole("bin_rows", self.bin_rows, 1)
        for name, values in _RANGES.items():
            _number(name, getattr(self, name), values)
        if self.position_bias is not None:
            _number("position_bias", self.position_bias, "from 0")
        if self.goss is not None:
            _check_goss(self.goss)
        _check_names(self.monotone, self.categorical)
        if self.categorical and self.scaling != "none":
            hint = "leave out `scaling`, or name no `categorical` features."
            raise RankwiseError(message(f"scaling={self.scaling!r} would change the codes of categories", hint=hint))

    def prepare(self, data: Training) -> Prepared:
        engine(type(self).__name__)
        categorical = [_column(data, name, "categorical") for name in self.categorical]
        _refuse_other_codes(data, categorical)
        parameters = self._parameters(data)
        return Prepared(
            data,
            bins(data.table, parameters, categorical),
            parameters,
            PreparedLambdas.of(
                data.dataset,
                data.measure,
                sigma=self.sigma,
                below=self.below,
                normalized=self.normalized,
                threads=self._threads(data),
            ),
            None if self.position_bias is None else _places(data),
        )

    def start(self, data: Prepared, rng: np.random.Generator) -> Forest:
        return self._begin(data, Trees.join([], len(data.training.names)), np.zeros(len(data.training.labels)))

    def start_from(self, data: Prepared, scorer: Scorer, rng: np.random.Generator) -> tuple[Forest, int]:
        if not isinstance(scorer, Trees):
            hint = "train from the start, or go on from a ranker of trees."
            raise RankwiseError(message(f"LambdaMART cannot go on from a ranker of {scorer.kind}", hint=hint))
        return self._begin(data, scorer, scorer.scores(data.training.table, threads=self.threads)), len(scorer)

    def _begin(self, data: Prepared, trees: Trees, scores: Floats) -> Forest:
        bias = np.zeros(0 if data.places is None else int(data.places.max()) + 1)
        return Forest(Grower(data.bins, data.parameters, trees, scores), len(trees), scores, bias, False)

    def step(self, data: Prepared, state: Forest, rng: np.random.Generator) -> Forest:
        grower = state.grower
        if len(grower) > state.trees:
            # It has grown beyond this state, which another path begins from.
            grower = Grower(data.bins, data.parameters, grower.trees(0, state.trees), state.scores)
        bias = state.bias.copy()
        changed = self._changed(state.trees, rng)
        grown = grower.grow(lambda scores: self._push(data, scores, state.trees, bias, rng), **changed)
        return Forest(grower, len(grower), grower.scores() if grown else state.scores, bias, not grown)

    def scorer(self, state: Forest) -> Trees:
        return state.grower.trees(0, state.trees)

    def finished(self, state: Forest) -> str:
        return "no split is worth it" if state.ended else ""

    def rescore(self, table: Table, scores: Scores, before: Forest, after: Forest) -> Scores:
        added = after.grower.trees(before.trees, after.trees)
        return scores + added.scores(table, threads=self.threads) if len(added) else scores

    def training_scores(self, data: Prepared, state: Forest) -> Scores:
        return state.scores

    def pack(self, state: Forest) -> Packed:
        return Packed(self.scorer(state), state.scores, state.bias, state.ended)

    def unpack(self, state: Packed, data: Prepared) -> Forest:
        grower = Grower(data.bins, data.parameters, state.trees, state.scores)
        return Forest(grower, len(state.trees), state.scores, state.bias, state.ended)

    def booster(self) -> lightgbm.Booster:
        """The ranker as a booster of LightGBM, which predicts the same of the table that the ranker's scorer sees."""
        ranker = self._fitted()
        assert isinstance(ranker.scorer, Trees)
        model: lightgbm.Booster = engine(type(self).__name__).Booster(
            model_str=lightgbm_text.write(ranker.scorer, ranker.inputs.names)
        )
        return model

    # What a tree is grown on.

    def _push(
        self, data: Prepared, scores: Floats, trees: int, bias: Floats, rng: np.random.Generator
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        lambdas, places = data.lambdas, data.places
        seen = scores if places is None else scores + bias[places]
        gradient, hessian = lambdas(seen, self._drawn(data.training.weights, rng))
        if places is not None:
            self._learn_bias(places, gradient, hessian, bias)
        if self.goss is not None and self._samples_documents(trees):
            gradient, hessian = _one_side(gradient, hessian, self.goss, rng)
        return gradient.astype(np.float32), hessian.astype(np.float32)

    def _changed(self, trees: int, rng: np.random.Generator) -> dict[str, Any]:
        """Parameters that are other ones for each tree."""
        changed: dict[str, Any] = {}
        if self.feature_share < 1:
            # Odd after even, so that no seed follows itself.
            changed["feature_fraction_seed"] = 2 * int(rng.integers(SEEDS)) + trees % 2
        if self._samples_documents(trees):
            changed["min_data_in_leaf"] = self._least(trees)
        return changed

    def _samples_documents(self, trees: int) -> bool:
        return self.goss is not None and trees >= 1 / self.learning_rate

    def _least(self, trees: int) -> int:
        """Documents of a leaf, with those that are not drawn: LightGBM counts rows without a gradient too."""
        share = self.list_share
        if self.goss is not None and self._samples_documents(trees):
            share *= sum(self.goss)
        return max(1, round(self.min_documents / share))

    def _drawn(self, weights: Floats, rng: np.random.Generator) -> Floats | None:
        """Weights of lists, 0 for those that this tree does not see."""
        if self.list_share == 1:
            return None
        chosen = rng.permutation(len(weights))[: max(1, round(self.list_share * len(weights)))]
        drawn = np.zeros(len(weights))
        drawn[chosen] = weights[chosen]
        return drawn

    def _learn_bias(self, places: npt.NDArray[np.int64], gradient: Floats, hessian: Floats, bias: Floats) -> None:
        """A Newton step for each position, as for a leaf that holds all documents shown there."""
        assert self.position_bias is not None
        # Sums of one number after the other: the same bits each time.
        sums = (np.bincount(places, weights=column, minlength=len(bias)) for column in (gradient, hessian))
        pull = self.position_bias * np.bincount(places, minlength=len(bias))
        first, second = sums
        bias -= self.learning_rate * (first + pull * bias) / (second + pull + 1e-3)

    def _threads(self, data: Training) -> int | None:
        return 1 if self.threads is None and data.table.size < SMALL else self.threads

    def _parameters(self, data: Training) -> dict[str, Any]:
        """In LightGBM's words."""
        settings: dict[str, Any] = {
            "num_leaves": self.leaves,
            "learning_rate": self.learning_rate,
            "min_data_in_leaf": self._least(0),
            "min_sum_hessian_in_leaf": self.min_hessian,
            "lambda_l2": self.l2,
            "max_bin": self.bins,
            "bin_construct_sample_cnt": len(data.labels) if self.bin_rows is None else self.bin_rows,
            "data_random_seed": int(np.random.default_rng(self.seed).integers(SEEDS)),
            "feature_fraction": self.feature_share,
            "feature_fraction_seed": FIRST_SEED,
        }
        if (threads := self._threads(data)) is not None:
            settings["num_threads"] = threads
        if self.monotone:
            settings["monotone_constraints"] = _directions(data, self.monotone)
        return settings


_RANGES = {
    "learning_rate": "above 0",
    "sigma": "above 0",
    "min_hessian": "from 0",
    "l2": "from 0",
    "feature_share": "above 0, at most 1",
    "list_share": "above 0, at most 1",
}
_HOLDS = {
    "above 0": lambda x: x > 0,
    "from 0": lambda x: x >= 0,
    "above 0, at most 1": lambda x: 0 < x <= 1,
}


def _whole(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise RankwiseError(message(f"{name} must be a whole number from {least}, not {value!r}"))


def _number(name: str, value: Any, values: str) -> None:
    is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not is_number or not _HOLDS[values](value) or not np.isfinite(value):
        raise RankwiseError(message(f"{name} must be a number {values}, not {value!r}"))


def _check_goss(shares: Any) -> None:
    try:
        top, others = shares
        holds = min(top, others) > 0 and top + others <= 1
    except (TypeError, ValueError):
        holds = False
    if not holds:
        hint = "the share of documents that are kept, and that of the others which are drawn: (0.2, 0.1)."
        raise RankwiseError(message(f"goss must be two shares above 0, together at most 1, not {shares!r}", hint=hint))


def _check_names(monotone: Any, categorical: Any) -> None:
    if monotone is not None and not isinstance(monotone, Mapping):
        hint = 'such as {"price": -1}: a score never rises with the price; 1: it never falls.'
        raise RankwiseError(message(f"monotone must say a direction for each feature, not {monotone!r}", hint=hint))
    if isinstance(categorical, str) or not isinstance(categorical, (Sequence, np.ndarray)):
        hint = 'such as ["shop"], even where it is one.'
        raise RankwiseError(message(f"categorical must be several names of features, not {categorical!r}", hint=hint))


def _column(data: Training, name: Any, parameter: str) -> int:
    if name not in data.names:
        known = ", ".join(data.names[:10]) + (", …" if len(data.names) > 10 else "")
        raise DataError(message(f"{parameter}: there is no feature {name!r}", hint=f"there are {known}."))
    return data.names.index(name)


def _directions(data: Training, monotone: Mapping[str, int]) -> list[int]:
    found = [0] * len(data.names)
    for name, direction in monotone.items():
        if direction not in (-1, 0, 1):
            raise RankwiseError(message(f"monotone: {name!r} is 1 or -1, not {direction!r}"))
        found[_column(data, name, "monotone")] = int(direction)
    return found


def _refuse_other_codes(data: Training, columns: Sequence[int]) -> None:
    for column in columns:
        values = data.table[:, column]
        wrong = (values != np.trunc(values)) | (values < 0) | (values >= 2**31)
        wrong &= ~np.isnan(values)
        if wrong.any():
            found = values[int(wrong.argmax())]
            hint = "give each category a code: 0, 1, 2, …; NaN where it is not known."
            what = f"categorical: feature {data.names[column]!r} holds {found:g}, which is no code of a category"
            raise DataError(message(what, hint=hint))


def _places(data: Training) -> npt.NDArray[np.int64]:
    positions = data.dataset.positions
    if positions is None:
        hint = "give them as `Dataset.of(…, positions=…)`, or leave out `position_bias`."
        raise DataError(message("position_bias needs the positions where documents were shown", hint=hint))
    return np.unique(positions, return_inverse=True)[1].astype(np.int64)


def _one_side(
    gradient: Floats, hessian: Floats, shares: Sequence[float], rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Gradient-based one-side sampling (`ke2017`, algorithm 2): a sum over all, from a part of it."""
    top, others = (max(1, int(share * len(gradient))) for share in shares)
    # Equal ones stand in the order of rows, which is the data's own.
    order = np.argsort(-np.abs(gradient * hessian), kind="stable")
    drawn = rng.permutation(order[top:])[:others]
    factor = np.zeros(len(gradient))
    factor[order[:top]] = 1.0
    factor[drawn] = (len(gradient) - top) / others
    return gradient * factor, hessian * factor
