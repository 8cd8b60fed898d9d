"""A ranker turns features into scores: what it sees of the features (its inputs), and the model itself (its scorer)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self, final

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.data.formats.files import PathLike
from rankwise.errors import DataError, message
from rankwise.rankers.inputs import Inputs, Table, dataset_of

__all__ = ["Contributions", "Ranker", "Scorer", "list_scores"]

Scores = npt.NDArray[np.float64]


class Scorer(Protocol):
    """A model: a row of the table of inputs becomes a score. One file a kind of model."""

    kind: ClassVar[str]

    @property
    def features(self) -> int:
        """How many columns the table has."""

    def scores(self, table: Table, threads: int | None = None) -> Scores:
        """One a row of a float32 C-contiguous table; the same bits for any number of threads and any order of rows."""

    def contributions(self, table: Table, threads: int | None = None) -> npt.NDArray[np.float64]:
        """What each column adds to each row's score, and last what every row has; a row sums to its score."""

    def importances(self) -> npt.NDArray[np.float64]:
        """How much each column matters to the model, 0 or more."""

    def text(self, names: Sequence[str]) -> str:
        """The model as a text one can read; `names` are those of the columns."""

    def plain(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """The model as JSON values and arrays."""

    @classmethod
    def of_plain(cls, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], features: int) -> Self:
        """The model of what `plain` gave, every part of it checked."""


def needs_lists(scorer: Any) -> bool:
    """Whether a document's score hangs on the others of its list: such a scorer has a `list_scores` beside `scores`."""
    return hasattr(scorer, "list_scores")


def list_scores(scorer: Any, table: Table, offsets: npt.NDArray[np.int64], threads: int | None = None) -> Scores:
    """The scores of the rows of lists, whichever kind of scorer it is."""
    if needs_lists(scorer):
        compared: Scores = scorer.list_scores(table, offsets, threads)
        return compared
    scores: Scores = scorer.scores(table, threads)
    return scores


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Contributions:
    """What each column of a ranker's inputs adds to the score of one document."""

    names: tuple[str, ...]
    values: npt.NDArray[np.float64]
    constant: float
    """What every document has."""
    score: float

    def __str__(self) -> str:
        largest = np.argsort(-np.abs(self.values), kind="stable")
        parts = [(self.values[at], self.names[at]) for at in largest if self.values[at] != 0]
        lines = [(self.constant, "for every document"), *parts, (self.score, "= the score")]
        return "\n".join(f"{value:+12.6g}  {words}" for value, words in lines)

    def __repr__(self) -> str:
        return f"Contributions({len(self.names)} columns, score {self.score:.6g})"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Ranker:
    """Features become scores.

    >>> from rankwise.rankers import Inputs, Linear
    >>> ranker = Ranker(Inputs(2, ("stars", "price")), Linear([1.0, -0.01]))
    >>> ranker.predict([[3, 80], [4, 120]])
    array([2.2, 2.8])
    """

    inputs: Inputs
    scorer: Scorer
    about: Mapping[str, Any] = field(default_factory=dict)
    """Where it comes from: learner, parameters, measure, counts, as plain JSON values."""

    def __post_init__(self) -> None:
        if self.scorer.features != self.inputs.columns:
            what = f"a model of {self.scorer.features} columns cannot read inputs of {self.inputs.columns}"
            raise DataError(message(what))

    def predict(self, X: Any, *, qid: Any = None, group: Any = None, threads: int | None = None) -> Scores:
        """One score a row, in the caller's order of rows.

        `X` is a `Dataset`, an array or a frame. Which rows belong to one list (`qid` or `group`, as in `Dataset.of`)
        is asked for only where the inputs, or a scorer that compares documents, look at whole lists.
        """
        data = self._dataset(X, qid, group)
        table = self.inputs.table(data, threads=threads)
        return data.in_callers_order(list_scores(self.scorer, table, data.offsets, threads))

    def contributions(self, X: Any, *, row: int = 0, qid: Any = None, group: Any = None) -> Contributions:
        """What each column adds to the score of the document in `row`, counted from 0 in the caller's order."""
        data = self._dataset(X, qid, group)
        rows = len(data.labels)
        if not -rows <= row < rows:
            raise DataError(message(f"there is no row {row}; {rows:,} rows count from 0"))
        at = int(np.flatnonzero(data.rows == row % rows)[0]) if data.rows is not None else row % rows
        table = np.ascontiguousarray(self.inputs.table(data)[at : at + 1])
        parts = self.scorer.contributions(table)[0]
        return Contributions(self.inputs.names, parts[:-1], float(parts[-1]), float(self.scorer.scores(table)[0]))

    def importances(self) -> dict[str, float]:
        """How much each column of the inputs matters to the model, the largest first."""
        values = self.scorer.importances()
        order = np.argsort(-values, kind="stable")
        return {self.inputs.names[at]: float(values[at]) for at in order}

    def save(self, path: PathLike) -> None:
        """Writes the ranker to one file; `rankwise.load_ranker` reads it."""
        from rankwise.rankers.saved import save

        save(self, path)

    def __str__(self) -> str:
        return f"{self!r}\n{self.scorer.text(self.inputs.names)}"

    def __repr__(self) -> str:
        learner = f"{self.about['learner']}: " if "learner" in self.about else ""
        return f"Ranker({learner}{self.scorer!r} of {self.inputs!r})"

    def _dataset(self, X: Any, qid: Any, group: Any) -> Dataset:
        grouped = isinstance(X, Dataset) or qid is not None or group is not None
        if (self.inputs.needs_lists or needs_lists(self.scorer)) and not grouped:
            hint = "give the query id of each row as `qid=`, or the size of each list as `group=`."
            what = "this ranker looks at whole lists, and nothing says which rows are one"
            raise DataError(message(what, hint=hint))
        return dataset_of(X, qid=qid, group=group)
