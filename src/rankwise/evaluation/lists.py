"""What is evaluated: any input becomes lists of scores and grades, once."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.data.formats.doors import is_frame, read_qrels, read_run
from rankwise.data.ids import Ids
from rankwise.errors import ConventionError, DataError, LabelError, MeasureError, message
from rankwise.measures.base import Measure
from rankwise.measures.convention import Convention

if TYPE_CHECKING:
    from rankwise.data.dataset import Dataset
    from rankwise.data.judgments import JudgedRun
    from rankwise.evaluation.groups import Groups

__all__ = ["TIED", "Lists"]

# The kernel's mark of a list with equal scores within reach of the cut-off.
TIED = 4
# The choices of ties that settle no order.
OPEN = ("expected", "kept", "best", "worst")


class Lists:
    """Scores and labels of lists, ready for the kernels.

    `outside` are labels of judged documents that no list retrieved, cut into lists by `outside_offsets`.
    """

    __slots__ = (
        "_longest", "documents", "grades", "groups", "judged_run", "offsets", "outside_offsets", "queries", "scores",
        "threads", "unknown_queries", "weights",
    )  # fmt: skip

    def __init__(
        self,
        labels: npt.NDArray[Any],
        scores: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
        *,
        queries: Ids | None = None,
        documents: Ids | None = None,
        outside: npt.NDArray[np.float64] | None = None,
        outside_offsets: npt.NDArray[np.int64] | None = None,
        unknown_queries: Ids | None = None,
        weights: npt.NDArray[np.float64] | None = None,
        judged_run: bool = False,
        threads: int | None = None,
    ) -> None:
        self.grades = _kernels.grade(labels, np.zeros(0) if outside is None else outside, threads)
        self.scores = scores
        self.offsets = offsets
        self.outside_offsets = np.zeros(len(offsets), np.int64) if outside_offsets is None else outside_offsets
        self.queries = queries
        self.documents = documents
        self.unknown_queries = unknown_queries
        self.weights = weights
        self.judged_run = judged_run
        self.threads = threads
        # What a breakdown is by; `of` sets it.
        self.groups: Groups | None = None
        sizes = np.diff(offsets) if outside is None else np.diff(offsets) + np.diff(self.outside_offsets)
        self._longest = int(sizes.max(initial=0))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def of(
        cls,
        judgments: Any,
        scores: Any,
        *,
        qid: Any = None,
        group: Any = None,
        by: Any = None,
        threads: int | None = None,
    ) -> Lists:
        """Lists from whatever holds judgments and scores; `by` says which group each belongs to."""
        from rankwise.data.judgments import JudgedRun

        if isinstance(judgments, JudgedRun) and scores is not None:
            hint = "evaluate(judged_run, measures=…)."
            raise DataError(message("a judged run holds its scores already, and others are given", hint=hint))
        if (qid is not None or group is not None) and _has_lists(judgments):
            what = f"{type(judgments).__name__} says itself which rows belong to one list"
            raise DataError(message(what, hint="leave out `qid` and `group`."))
        if isinstance(judgments, JudgedRun):
            return cls._of_judged_run(judgments, by, threads)
        if isinstance(scores, str) and is_frame(judgments):
            judgments = _labelled(judgments, scores, by, threads)
        if _is_judgments(judgments):
            return cls._of_judged_run(_judge(judgments, scores, threads), by, threads)
        from rankwise.data.dataset import Dataset

        if isinstance(judgments, Dataset):
            return cls._of_dataset(judgments, scores, by, threads)
        labels = judgments
        if scores is None:
            raise DataError(
                message("there are labels but no scores", hint="evaluate(labels, scores, measures, qid=…).")
            )
        if qid is None and group is None:
            group = [np.size(labels)]
        return cls._of_dataset(Dataset.of(labels=labels, qid=qid, group=group), scores, by, threads)

    @classmethod
    def _of_dataset(cls, data: Dataset, scores: Any, by: Any, threads: int | None) -> Lists:
        if scores is None:
            raise DataError(message("there is a dataset but no scores", hint="evaluate(dataset, scores, measures)."))
        is_named = isinstance(scores, str)
        column = _column(data, scores) if is_named else np.asarray(scores)
        rows = len(data.labels)
        if column.shape != (rows,):
            found = f"{column.shape[0]:,}" if column.ndim == 1 else f"an array of shape {column.shape}"
            raise DataError(message(f"scores: {found} for {rows:,} documents; each document needs one score"))
        if column.dtype not in (np.float32, np.float64):
            if column.dtype.kind not in "iufb":
                raise DataError(message(f"scores: numbers are needed, not {column.dtype}"))
            column = column.astype(np.float64)
        if data.rows is not None and np.isnan(column).any():
            column = data.in_callers_order(column) if is_named else column
            # The kernels would name the row as it stands here, not as the caller gave it.
            hint = "mend or remove the row; a ranker that returns NaN has usually been fed NaN."
            what = "the score is NaN, which has no place in an order"
            raise DataError(message(what, place=f"scores, row {int(np.isnan(column).argmax())}", hint=hint))
        # Scores of our own: bounds may be asked for when the caller's array holds something else already.
        own = column.copy() if data.rows is None or is_named else np.ascontiguousarray(data.reorder(column))
        lists = cls(
            data.labels,
            own,
            data.offsets,
            queries=data.queries,
            documents=data.documents,
            weights=data.weights,
            threads=threads,
        )
        if by is not None:
            from rankwise.evaluation.groups import Groups

            lists.groups = Groups.of_dataset(by, data)
        return lists

    @classmethod
    def _of_judged_run(cls, judged: JudgedRun, by: Any, threads: int | None) -> Lists:
        if len(judged) == 0:
            raise DataError(message("no query is judged", hint="judgments are {query: {document: label}}."))
        lists = cls(
            judged.labels,
            judged.scores,
            judged.offsets,
            queries=judged.queries,
            documents=judged.documents,
            outside=judged.unretrieved_labels,
            outside_offsets=judged.unretrieved_offsets,
            unknown_queries=judged.unknown_queries,
            judged_run=True,
            threads=threads,
        )
        if by is not None:
            from rankwise.evaluation.groups import Groups

            lists.groups = Groups.of_queries(by, judged.queries, len(lists))
        return lists

    def compute(
        self, measures: list[Measure], *, keep: int | None = None
    ) -> list[tuple[npt.NDArray[np.float64], npt.NDArray[np.uint8]]]:
        """Values and flags of each measure; measures that share an order are computed together."""
        if keep is not None:
            self._refuse_open_ties([m for m in measures if m.convention.ties in OPEN], keep)
        groups: dict[tuple[Any, ...], list[int]] = {}
        for at, measure in enumerate(measures):
            c = measure.convention
            seed, positive = c.seed if c.ties == "random" else 0, "positive-scores" in c.quirks
            groups.setdefault((c.ties, seed, c.precision, _drops(c), positive), []).append(at)
        labels = self.grades.labels
        columns: list[Any] = [None] * len(measures)
        for (ties, seed, precision, drops, positive), members in groups.items():
            order = {
                "ties": ties,
                "seed": seed,
                "single": precision == "float32",
                "dropped": _dropped(labels, drops),
                "positive": positive,
                "keep": keep,
            }
            plans = [self._plan(measures[at]) for at in members]
            found = _kernels.evaluate(
                self.scores,
                self.grades,
                self.offsets,
                self.outside_offsets,
                self._ids(ties),
                order,
                plans,
                self.threads,
            )
            if ties.startswith("docid") and self.documents is None:
                self._refuse_ties(ties, [flags for _, flags in found])
            for at, column in zip(members, found, strict=True):
                columns[at] = column
        return columns

    def refuse_strangers(self) -> None:
        """A run of which no query is judged belongs to other judgments; one without any query has found nothing."""
        if len(self.scores) == 0 and self.unknown_queries and self.queries is not None:
            theirs, ours = self.unknown_queries[0], self.queries[0]
            what = "no query is both judged and in the run"
            where = f"the first in the run is {theirs!r}, the first judged {ours!r}"
            raise DataError(message(f"{what}; {where}", hint="are these the right two files, with ids spelt alike?"))

    def _plan(self, measure: Measure) -> dict[str, Any]:
        try:
            return measure.plan(self.grades.labels, self.grades.present, self._longest)
        except LabelError as refusal:
            raise ConventionError(f"{self._where(refusal.label)}{refusal}") from None

    def _where(self, label: float) -> str:
        """The first document with a label, for a refusal."""
        inside, row = self.grades.first(label)
        at = int(np.searchsorted(self.offsets if inside else self.outside_offsets, row, side="right")) - 1
        query = f"list {at}" if self.queries is None else f"query {self.queries[at]!r}"
        return f"{query}, document {self.documents[row]!r}: " if inside and self.documents is not None else f"{query}: "

    def _refuse_open_ties(self, measures: list[Measure], keep: int) -> None:
        """Which documents are the first is unknown where ties are left open."""
        for measure, (_, flags) in zip(measures, self.compute(measures), strict=True):
            if (flags & TIED).any():
                hint = "choose an order of ties, such as ties='input', or a tool's convention."
                what = f"the first {keep} documents are not known while {measure} leaves the order of ties open"
                raise MeasureError(message(what, hint=hint))

    def _refuse_ties(self, ties: str, flags: list[npt.NDArray[np.uint8]]) -> None:
        """Without document ids their order is unknown, which matters where scores are tied."""
        tied = sum(int(((f & TIED) != 0).any()) for f in flags)
        if tied:
            hint = "give document ids, or choose another order of ties, as in nDCG(ties='input')."
            raise DataError(
                message(f"ties={ties!r} needs document ids: scores are tied, and these lists have none", hint=hint)
            )

    def _ids(self, ties: str) -> tuple[Any, ...] | None:
        if not ties.startswith("docid") and ties != "random":
            return None
        if self.documents is None:
            if ties == "random":
                queries = self.queries
                if queries is None:
                    return None
                return (queries.text, queries.spans, queries.text, np.zeros(len(self.scores), np.uint64))
            return None
        queries = self.queries if self.queries is not None else Ids.of(range(len(self)))
        return (queries.text, queries.spans, self.documents.text, self.documents.spans)


def _drops(convention: Convention) -> tuple[bool, bool]:
    """Whether documents without a judgment are removed, and with them those whose negative label stands for none."""
    removed = convention.unjudged == "removed"
    return removed, removed and convention.negative == "zero"


def _dropped(labels: npt.NDArray[np.float64], drops: tuple[bool, bool]) -> npt.NDArray[np.bool_]:
    """Of each distinct label, whether its documents are removed."""
    unjudged, negative = drops
    return (np.isnan(labels) & unjudged) | ((labels < 0) & negative)


def _has_lists(judgments: Any) -> bool:
    from rankwise.data.dataset import Dataset
    from rankwise.data.judgments import JudgedRun

    return isinstance(judgments, (Dataset, JudgedRun)) or _is_judgments(judgments)


def _is_judgments(judgments: Any) -> bool:
    from rankwise.data.judgments import Qrels

    return isinstance(judgments, (Qrels, Mapping, str, PathLike)) or is_frame(judgments)


def _labelled(table: Any, score: str, by: Any, threads: int | None) -> Dataset:
    """A frame that holds labels and scores."""
    from rankwise.data.formats import tables

    return tables.read(table, score=score, features=(), keep=[by] if isinstance(by, str) else (), threads=threads)


def _column(data: Dataset, name: str) -> npt.NDArray[Any]:
    """A column of a dataset that holds numbers."""
    if name not in data.columns:
        known = f"there are {', '.join(data.columns)}" if data.columns else "there are none"
        hint = f"{known}; name it when the table is read: `read_table(…, score='{name}')`."
        raise DataError(message(f"the dataset has no column '{name}'", hint=hint))
    column = data.columns[name]
    if isinstance(column, Ids):
        raise DataError(message(f"scores are numbers, and column '{name}' holds texts"))
    return column


def _judge(judgments: Any, run: Any, threads: int | None) -> JudgedRun:
    from rankwise.data.judgments import Qrels, Run, judge

    if run is None:
        raise DataError(message("there are judgments but no run", hint="evaluate(qrels, run, measures)."))
    if isinstance(judgments, (str, PathLike)) or is_frame(judgments):
        judgments = read_qrels(judgments, threads=threads)
    elif isinstance(judgments, Mapping):
        judgments = Qrels.of(judgments)
    if isinstance(run, (str, PathLike)) or is_frame(run):
        run = read_run(run, threads=threads)
    elif isinstance(run, Mapping):
        run = Run.of(run)
    if not isinstance(run, Run):
        hint = "give a Run, a path, a frame, or {query: {document: score}}."
        raise DataError(
            message(f"judgments of queries and documents need a run of the same, not {type(run).__name__}", hint=hint)
        )
    return judge(judgments, run, threads=threads)
