"""What is evaluated: any input becomes lists of scores and grades, once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.data.formats.doors import is_frame, read_qrels, read_run
from rankwise.data.ids import Ids
from rankwise.errors import ConventionError, DataError, LabelError, MeasureError, message
from rankwise.measures.base import Measure
from rankwise.measures.convention import Convention
from rankwise.measures.user import UserMeasure

if TYPE_CHECKING:
    from rankwise.data.dataset import Dataset
    from rankwise.data.judgments import JudgedRun
    from rankwise.evaluation.groups import Groups

__all__ = ["TIED", "Lists"]

Asked = TypeVar("Asked")

# The value and the flags of each list under one measure.
Column = tuple[npt.NDArray[np.float64], npt.NDArray[np.uint8]]

# The kernel's marks of a list: its denominator is 0; equal scores within reach of the cut-off, which the convention
# had to decide; judged but not in the run.
EMPTY, TIED, MISSING, TIE_DECIDED = 1, 4, 16, 32
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
        document_weights: npt.NDArray[np.float64] | None = None,
        judged_run: bool = False,
        threads: int | None = None,
    ) -> None:
        if document_weights is None:
            self.grades = _kernels.grade(labels, np.zeros(0) if outside is None else outside, threads)
        else:
            self.grades = _kernels.grade_weighted(labels, document_weights)
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
        weights: Any = None,
        document_weights: Any = None,
        by: Any = None,
        threads: int | None = None,
    ) -> Lists:
        """Lists from whatever holds judgments and scores; `by` says which group each belongs to."""
        lists = cls._unweighted(judgments, scores, qid, group, document_weights, by, threads)
        if weights is not None:
            lists._weigh(weights)
        return lists

    @classmethod
    def _unweighted(
        cls, judgments: Any, scores: Any, qid: Any, group: Any, document_weights: Any, by: Any, threads: int | None
    ) -> Lists:
        from rankwise.data.judgments import JudgedRun

        if isinstance(judgments, JudgedRun) and scores is not None:
            hint = "evaluate(judged_run, measures=…)."
            raise DataError(message("a judged run holds its scores already, and others are given", hint=hint))
        if (qid is not None or group is not None) and _has_lists(judgments):
            what = f"{type(judgments).__name__} says itself which rows belong to one list"
            raise DataError(message(what, hint="leave out `qid` and `group`."))
        if document_weights is not None and (isinstance(judgments, JudgedRun) or _is_judgments(judgments)):
            hint = "give arrays: evaluate(labels, scores, measures, qid=…, document_weights=…)."
            what = "a run takes no weights of documents, since those that it did not retrieve would have none"
            raise DataError(message(what, hint=hint))
        if isinstance(judgments, JudgedRun):
            return cls._of_judged_run(judgments, by, threads)
        if isinstance(scores, str) and is_frame(judgments):
            judgments = _labelled(judgments, scores, by, threads)
        if _is_judgments(judgments):
            return cls._of_judged_run(_judge(judgments, scores, threads), by, threads)
        from rankwise.data.dataset import Dataset

        if isinstance(judgments, Dataset):
            return cls._of_dataset(_with_document_weights(judgments, document_weights), scores, by, threads)
        labels = judgments
        if scores is None:
            raise DataError(
                message("there are labels but no scores", hint="evaluate(labels, scores, measures, qid=…).")
            )
        if qid is None and group is None:
            group = [np.size(labels)]
        data = Dataset.of(labels=labels, qid=qid, group=group, document_weights=document_weights)
        return cls._of_dataset(data, scores, by, threads)

    def _weigh(self, weights: Any) -> None:
        from rankwise.data.dataset import weights_of_lists

        if self.weights is not None:
            hint = "leave out `weights`, or the dataset's own."
            raise DataError(message("the dataset has weights of lists already, and others are given", hint=hint))
        queries = self.queries if self.queries is not None else Ids.of(range(len(self)))
        self.weights = weights_of_lists(weights, queries)

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
            document_weights=data.document_weights,
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

    def with_scores(self, scores: Any) -> Lists:
        """The same lists with other scores, one a row in the order of these lists."""
        other = copy(self)
        other.scores = np.ascontiguousarray(scores)
        if other.scores.dtype not in (np.float32, np.float64):
            other.scores = other.scores.astype(np.float64)
        if other.scores.shape != self.scores.shape:
            raise DataError(
                message(f"scores: an array of shape {other.scores.shape} for {len(self.scores):,} documents")
            )
        return other

    def compute(self, measures: list[Measure], *, keep: int | None = None) -> list[Column]:
        """Values and flags of each measure; measures that share an order are computed together."""
        if keep is not None:
            self._refuse_open_ties([m for m in measures if m.convention.ties in OPEN], keep)
        groups: dict[tuple[Any, ...], list[int]] = {}
        for at, measure in enumerate(measures):
            c = measure.convention
            seed, positive = c.seed if c.ties == "random" else 0, "positive-scores" in c.quirks
            groups.setdefault((c.ties, seed, c.precision, _drops(c), positive), []).append(at)
        columns: list[Any] = [None] * len(measures)
        for (ties, *_), members in groups.items():
            order = self.order(measures[members[0]].convention, keep=keep)
            found = self._in_one_order([measures[at] for at in members], order)
            if ties.startswith("docid") and self.documents is None:
                self._refuse_ties(ties, [flags for _, flags in found])
            for at, column in zip(members, found, strict=True):
                columns[at] = column
        return columns

    def column_of(self, measure: Measure) -> Callable[[Any], Column]:
        """What gives the measure's column at other scores of these lists; all else is looked up once."""
        order = self.order(measure.convention)
        ties = order["ties"]
        if isinstance(measure, UserMeasure) or (ties.startswith("docid") and self.documents is None):
            return lambda scores: self.with_scores(scores).compute([measure])[0]
        plan, ids = self.plan(measure), self.ids(ties)

        def at(scores: Any) -> Column:
            other = self.with_scores(scores).scores
            where = (other, self.grades, self.offsets, self.outside_offsets, ids, order)
            return _kernels.evaluate(*where, [plan], self.threads)[0]

        return at

    def silent_axes(self) -> frozenset[str]:
        """Axes of a convention that cannot change any value on these lists."""
        labels = self.grades.labels[self.grades.present()]
        judged = labels[~np.isnan(labels)]
        found = {
            "labels": bool((np.trunc(judged) == judged).all()),
            "negative": bool((judged >= 0).all()),
            "unjudged": bool((judged >= 0).all()) and len(judged) == len(labels),
            "ideal": int(self.outside_offsets[-1]) == 0,
            "missing": not ((np.diff(self.offsets) == 0) & (np.diff(self.outside_offsets) > 0)).any(),
        }
        with np.errstate(over="ignore"):
            single = self.scores.astype(np.float32)
        equal, nearly_equal = self._equal_scores(self.scores), self._equal_scores(single)
        found |= {"ties": nearly_equal == 0, "precision": equal == nearly_equal}
        return frozenset(axis for axis, is_silent in found.items() if is_silent)

    def _equal_scores(self, scores: npt.NDArray[Any]) -> int:
        """How many neighbours in the order by score are equal, over all lists."""
        of_list = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        order = np.lexsort((scores, of_list))
        scores, of_list = scores[order], of_list[order]
        return int(((scores[1:] == scores[:-1]) & (of_list[1:] == of_list[:-1])).sum())

    def order(self, c: Convention, *, keep: int | None = None) -> dict[str, Any]:
        """How a convention puts the lists in order, as the kernels want it."""
        return {
            "ties": c.ties,
            "seed": c.seed if c.ties == "random" else 0,
            "single": c.precision == "float32",
            "dropped": _dropped(self.grades.labels, _drops(c)),
            "positive": "positive-scores" in c.quirks,
            "keep": keep,
        }

    def refuse_strangers(self) -> None:
        """A run of which no query is judged belongs to other judgments; one without any query has found nothing."""
        if len(self.scores) == 0 and self.unknown_queries and self.queries is not None:
            theirs, ours = self.unknown_queries[0], self.queries[0]
            what = "no query is both judged and in the run"
            where = f"the first in the run is {theirs!r}, the first judged {ours!r}"
            raise DataError(message(f"{what}; {where}", hint="are these the right two files, with ids spelt alike?"))

    def plan(self, measure: Measure) -> dict[str, Any]:
        grades = self.grades
        return self._placed(lambda: measure.plan(grades.labels, grades.present, self._longest, grades.weights))

    def _placed(self, asked: Callable[[], Asked]) -> Asked:
        """What is asked; the refusal of a label says which document has it."""
        try:
            return asked()
        except LabelError as refusal:
            raise ConventionError(f"{self._where(refusal.label)}{refusal}") from None

    def _where(self, label: float) -> str:
        """The first document with a label, for a refusal."""
        inside, row = self.grades.first(label)
        at = int(np.searchsorted(self.offsets if inside else self.outside_offsets, row, side="right")) - 1
        query = f"list {at}" if self.queries is None else f"query {self.queries[at]!r}"
        return f"{query}, document {self.documents[row]!r}: " if inside and self.documents is not None else f"{query}: "

    def _in_one_order(self, measures: list[Measure], order: dict[str, Any]) -> list[Column]:
        """The columns of measures that share an order: those of kernels together, those of users one by one."""
        where = (self.scores, self.grades, self.offsets, self.outside_offsets, self.ids(order["ties"]), order)
        users = [measure for measure in measures if isinstance(measure, UserMeasure)]
        plans = [self.plan(m) for m in measures if not isinstance(m, UserMeasure)]
        # Conventions that differ in nothing on these labels make equal plans, which are computed once.
        places: dict[Any, int] = {}
        at = [places.setdefault(_identity(plan), len(places)) for plan in plans]
        distinct = [plans[at.index(place)] for place in range(len(places))]
        found = _kernels.evaluate(*where, distinct, self.threads) if plans else []
        columns = iter([found[place] for place in at])
        if not users:
            return list(columns)
        tables = iter([self._read(measure) for measure in users])
        ranked = _kernels.ranked(*where, self.threads)
        return [
            self._of_user(m, next(tables), *ranked) if isinstance(m, UserMeasure) else next(columns) for m in measures
        ]

    def _read(self, measure: UserMeasure) -> npt.NDArray[np.float64]:
        if self.grades.weights is not None:
            measure.refuse_document_weights()
        return self._placed(lambda: measure.read(self.grades.labels, self.grades.present))

    def _of_user(
        self,
        measure: UserMeasure,
        labels: npt.NDArray[np.float64],
        grades: npt.NDArray[np.uint32],
        offsets: npt.NDArray[np.int64],
        flags: npt.NDArray[np.uint8],
    ) -> Column:
        """A user's function, list by list, on the labels of the grades in ranked order."""
        ends, by_rank = offsets.tolist(), labels[grades]
        # What the run lacks is not a ranking to look at, unless the convention says so.
        skipped = (flags & MISSING) != 0 if measure.convention.missing != "as is" else np.zeros(len(flags), bool)
        values = np.zeros(len(flags))
        for at in np.flatnonzero(~skipped).tolist():
            query = str(at) if self.queries is None else self.queries[at]
            # A copy, so that a function cannot change what others see.
            values[at] = measure.value(by_rank[ends[at] : ends[at + 1]].copy(), query)
        empty = np.isnan(values)
        c = measure.convention
        values[empty] = np.nan if isinstance(c.empty, str) else c.empty
        return values, np.where(empty, (flags | EMPTY) & ~np.uint8(TIE_DECIDED), flags)

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

    def ids(self, ties: str) -> tuple[Any, ...] | None:
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


def _identity(plan: dict[str, Any]) -> tuple[Any, ...]:
    """A plan as something that can be looked up."""
    return tuple(
        value.tobytes() if isinstance(value, np.ndarray) else tuple(value) if isinstance(value, list) else repr(value)
        for value in plan.values()
    )


def _drops(convention: Convention) -> tuple[bool, bool]:
    """Whether documents without a judgment are removed, and with them those whose negative label stands for none."""
    removed = convention.unjudged == "removed"
    return removed, removed and convention.negative == "zero"


def _dropped(labels: npt.NDArray[np.float64], drops: tuple[bool, bool]) -> npt.NDArray[np.bool_]:
    """Of each distinct label, whether its documents are removed."""
    unjudged, negative = drops
    return (np.isnan(labels) & unjudged) | ((labels < 0) & negative)


def _with_document_weights(data: Dataset, weights: Any) -> Dataset:
    """The dataset with weights of documents that are given beside it, in the caller's order of rows."""
    if weights is None:
        return data
    from dataclasses import replace

    from rankwise.data.dataset import weights_of_documents

    if data.document_weights is not None:
        hint = "leave out `document_weights`, or the dataset's own."
        raise DataError(message("the dataset has weights of documents already, and others are given", hint=hint))
    return replace(data, document_weights=data.reorder(weights_of_documents(weights, len(data.labels))))


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
