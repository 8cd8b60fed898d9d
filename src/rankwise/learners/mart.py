"""MART and LambdaMART as RankLib 2.10 grows them, for those who must compare with its trees.

Its trees split where the sum of squares falls most, over thresholds of equal width where a feature has many values; the
changes of the measure are its own (`rankwise.learners.ranklib.lambdas`), defects included. To learn well and fast, take
`lambdamart`.

Leaves are Σλ / Σw, or the mean residual, in single precision, as there. Weights of lists and documents play no part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from rankwise.errors import RankwiseError, message
from rankwise.learners.base import Learner, Scores, Table
from rankwise.learners.ranges import number, whole
from rankwise.learners.ranklib.lambdas import changes_of, pushes
from rankwise.learners.ranklib.tree import Binned, Node, grown
from rankwise.learners.training import Training
from rankwise.rankers.base import Scorer
from rankwise.rankers.trees import Trees

__all__ = ["MART"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Forest:
    trees: Trees
    scores: Scores
    """Of the training rows."""
    ended: str


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    training: Training
    binned: Binned
    labels: Floats
    """0 where a document is not judged."""


@dataclass(kw_only=True, eq=False, repr=False)
class MART(Learner):
    """Regression trees on the λ of RankLib, or without `lambdas` on the residuals of the labels.

    At most `trees` trees of at most `leaves` leaves, each of at least `leaf_rows` documents; a feature has at most
    `thresholds` of them; `learning_rate` shrinks each tree.

    >>> from rankwise import Dataset
    >>> data = Dataset.of([[1, 9], [2, 4], [3, 1], [2, 2]], [0, 1, 2, 1], group=[4], feature_names=["stars", "price"])
    >>> MART(trees=5, measure="ranklib:NDCG@10").fit(data).score(data)
    1.0
    """

    trees: int = 1000
    leaves: int = 10
    learning_rate: float = 0.1
    thresholds: int = 256
    leaf_rows: int = 1
    lambdas: bool = True

    name: ClassVar[str] = "mart"
    states: ClassVar[tuple[type, ...]] = (Forest, Trees)
    lengthens: ClassVar[str] = "trees"

    def check(self) -> None:
        super().check()
        for name, least in (("leaves", 2), ("thresholds", 2), ("leaf_rows", 1)):
            whole(name, getattr(self, name), least)
        number("learning_rate", self.learning_rate)

    def steps(self) -> int:
        return self.trees

    def prepare(self, data: Training) -> Prepared:
        if self.lambdas:
            changes_of(data.measure)
        return Prepared(data, Binned.of(data.table, self.thresholds), np.nan_to_num(data.labels.astype(np.float64)))

    def start(self, data: Prepared, rng: np.random.Generator) -> Forest:
        rows, features = data.training.table.shape
        return Forest(Trees.join([], features), np.zeros(rows), "")

    def start_from(self, data: Prepared, scorer: Scorer, rng: np.random.Generator) -> tuple[Forest, int]:
        if not isinstance(scorer, Trees):
            hint = "train from the start, or go on from a ranker of trees."
            raise RankwiseError(message(f"MART cannot go on from a ranker of {scorer.kind}", hint=hint))
        return Forest(scorer, scorer.scores(data.training.table), ""), len(scorer)

    def step(self, data: Prepared, state: Forest, rng: np.random.Generator) -> Forest:
        responses, weights = self._responses(data, state.scores)
        root = grown(data.binned, responses, self.leaves, self.leaf_rows)
        if root.left is None:
            return replace(state, ended="no split is worth it")
        rate = float(np.float32(self.learning_rate))
        tree = _Flat(responses, weights, rate, state.scores.copy())
        tree.add(root)
        return Forest(Trees.join([state.trees, tree.trees(state.trees.features)]), tree.scores, "")

    def _responses(self, data: Prepared, scores: Scores) -> tuple[Floats, Floats]:
        """What a tree is fitted to, and what the values of its leaves are weighed by."""
        if not self.lambdas:
            return data.labels - scores, np.ones(len(scores))
        changes, cutoff = changes_of(data.training.measure)
        offsets = data.training.offsets
        cuts = [slice(first, last) for first, last in pairwise(offsets)]
        found = [pushes(data.labels[at], scores[at], changes, cutoff) for at in cuts]
        return np.concatenate([push for push, _ in found]), np.concatenate([weight for _, weight in found])

    def scorer(self, state: Forest) -> Trees:
        return state.trees

    def rescore(self, table: Table, scores: Scores, before: Forest, after: Forest) -> Scores:
        added: Scores = scores + after.trees.scores_of(table, len(before.trees), len(after.trees))
        return added

    def training_scores(self, data: Prepared, state: Forest) -> Scores:
        return state.scores

    def finished(self, state: Forest) -> str:
        return state.ended


class _Flat:
    """A grown tree as arrays, its leaves' values with it."""

    def __init__(self, responses: Floats, weights: Floats, rate: float, scores: Scores) -> None:
        self.responses, self.weights, self.rate, self.scores = responses, weights, rate, scores
        self.nodes: list[list[float]] = []
        self.values: list[float] = []
        self.counts: list[int] = []

    def add(self, node: Node) -> int:
        """The number of a node, or −1 − that of a leaf."""
        if node.left is None or node.right is None:
            return self._add_leaf(node)
        at = len(self.nodes)
        self.nodes.append([node.feature, node.threshold, 0, 0])
        self.nodes[at][2:] = [self.add(node.left), self.add(node.right)]
        return at

    def _add_leaf(self, node: Node) -> int:
        weight = _single(self.weights[node.rows])
        output = float(np.float32(_single(self.responses[node.rows])) / np.float32(weight)) if weight else 0.0
        self.values.append(self.rate * output)
        self.counts.append(len(node.rows))
        self.scores[node.rows] += self.rate * output
        return -len(self.values)

    def trees(self, features: int) -> Trees:
        feature, threshold, left, right = zip(*self.nodes, strict=True)
        return Trees.of(
            features,
            feature=feature,
            threshold=threshold,
            left=left,
            right=right,
            leaf_value=self.values,
            leaf_count=self.counts,
        )


def _single(values: Floats) -> float:
    """A sum that is rounded to single precision after each term."""
    total = 0.0
    for value in values.tolist():
        total = float(np.float32(total + value))
    return total
