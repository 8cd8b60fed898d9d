"""What a result needs of its lists once they are evaluated, and where further columns would come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from rankwise.data.ids import Ids
from rankwise.errors import MeasureError, message
from rankwise.evaluation.groups import Groups
from rankwise.evaluation.lists import Lists
from rankwise.measures.base import Measure

__all__ = ["Column", "Evaluated", "Saved"]

# The value and the flags of each list under one measure.
Column = tuple[npt.NDArray[np.float64], npt.NDArray[np.uint8]]
Rows = npt.NDArray[np.intp]


class Source(Protocol):
    """Where columns of further measures come from, such as those of the bounds over ties."""

    def has(self, measure: Measure) -> bool: ...
    def compute(self, measures: list[Measure]) -> list[Column]: ...
    def silent_axes(self) -> frozenset[str]: ...


class Evaluated:
    """The lists of a result: who they are and how they count, without their scores and labels."""

    __slots__ = ("count", "groups", "judged_run", "keep", "queries", "source", "threads", "unknown_queries", "weights")

    def __init__(
        self,
        count: int,
        source: Source,
        *,
        queries: Ids | None = None,
        unknown_queries: Ids | None = None,
        weights: npt.NDArray[np.float64] | None = None,
        groups: Groups | None = None,
        judged_run: bool = False,
        keep: int | None = None,
        threads: int | None = None,
    ) -> None:
        self.count = count
        self.source = source
        self.queries = queries
        self.unknown_queries = unknown_queries
        self.weights = weights
        self.groups = groups
        self.judged_run = judged_run
        self.keep = keep
        self.threads = threads

    @classmethod
    def of(cls, lists: Lists, *, keep: int | None = None) -> Evaluated:
        return cls(
            len(lists),
            FromLists(lists, keep),
            queries=lists.queries,
            unknown_queries=lists.unknown_queries,
            weights=lists.weights,
            groups=lists.groups,
            judged_run=lists.judged_run,
            keep=keep,
            threads=lists.threads,
        )

    def __len__(self) -> int:
        return self.count

    def has(self, measure: Measure) -> bool:
        return self.source.has(measure)

    def compute(self, measures: list[Measure]) -> list[Column]:
        """Values and flags of each measure."""
        return self.source.compute(measures)

    def silent_axes(self) -> frozenset[str]:
        """Axes of a convention that cannot change any value here, such as that of ties where no scores are equal."""
        return self.source.silent_axes()

    def called(self, at: int) -> str:
        """The id of a list; its place, counted from 0, where there is none."""
        return str(at) if self.queries is None else self.queries[at]

    def take(self, rows: Rows) -> Evaluated:
        """Some of the lists."""
        return Evaluated(
            len(rows),
            Taken(self, rows),
            queries=None if self.queries is None else self.queries[rows],
            weights=None if self.weights is None else self.weights[rows],
            judged_run=self.judged_run,
            keep=self.keep,
            threads=self.threads,
        )


class FromLists:
    """Columns computed from scores and labels."""

    def __init__(self, lists: Lists, keep: int | None) -> None:
        self.lists = lists
        self.keep = keep

    def has(self, measure: Measure) -> bool:
        return True

    def compute(self, measures: list[Measure]) -> list[Column]:
        return self.lists.compute(measures, keep=self.keep)

    def silent_axes(self) -> frozenset[str]:
        # Documents below the first `keep` make part of the ideal only where it is that of all judged.
        return self.lists.silent_axes() - (frozenset() if self.keep is None else {"ideal", "ties", "precision"})


class Saved:
    """Columns that were computed before the scores were left behind."""

    def __init__(self, columns: Mapping[Measure, Column]) -> None:
        self.columns = columns

    def has(self, measure: Measure) -> bool:
        return measure in self.columns

    def compute(self, measures: list[Measure]) -> list[Column]:
        for measure in measures:
            if measure not in self.columns:
                hint = "evaluate again; with bounds=True the bounds over ties are saved too."
                raise MeasureError(
                    message(f"{measure} needs the scores, which a saved result does not hold", hint=hint)
                )
        return [self.columns[measure] for measure in measures]

    def silent_axes(self) -> frozenset[str]:
        hint = "evaluate again."
        raise MeasureError(message("other conventions need the scores, which a saved result does not hold", hint=hint))


class Taken:
    """Columns of some lists of a whole."""

    def __init__(self, whole: Evaluated, rows: Rows) -> None:
        self.whole = whole
        self.rows = rows

    def has(self, measure: Measure) -> bool:
        return self.whole.has(measure)

    def compute(self, measures: list[Measure]) -> list[Column]:
        return [(values[self.rows], flags[self.rows]) for values, flags in self.whole.compute(measures)]

    def silent_axes(self) -> frozenset[str]:
        return self.whole.silent_axes()


class Joined:
    """Columns of lists that were evaluated in parts."""

    def __init__(self, parts: Sequence[Evaluated]) -> None:
        self.parts = parts

    def has(self, measure: Measure) -> bool:
        return all(part.has(measure) for part in self.parts)

    def compute(self, measures: list[Measure]) -> list[Column]:
        of_parts = zip(*(part.compute(measures) for part in self.parts), strict=True)
        return [joined(columns) for columns in of_parts]

    def silent_axes(self) -> frozenset[str]:
        return frozenset.intersection(*(part.silent_axes() for part in self.parts))


def joined(columns: Sequence[Column]) -> Column:
    """One column after the other."""
    return np.concatenate([values for values, _ in columns]), np.concatenate([flags for _, flags in columns])
