"""What differs between two results: which lists, by how much, under which measure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankwise.errors import MeasureError, message
from rankwise.evaluation.present import _number, sentence
from rankwise.evaluation.result import Outcome, Result
from rankwise.evaluation.table import Table

__all__ = ["Change", "Difference", "are_equal"]

# How many of the lists are shown; the CSV has them all.
SHOWN = 10


@dataclass(frozen=True, slots=True)
class Change:
    """One measure in two results, on the lists that both have."""

    this: Outcome
    other: Outcome
    queries: list[str]
    """The queries whose value differs, the greatest change first; NaN and a number differ most."""
    before: npt.NDArray[np.float64]
    """Their values in this result."""
    after: npt.NDArray[np.float64]
    """Their values in the other."""

    @property
    def differences(self) -> npt.NDArray[np.float64]:
        return self.after - self.before

    @property
    def greatest(self) -> float:
        """The greatest change of a list by its size; NaN if no list has a number in both and differs."""
        sizes = np.abs(self.differences)
        return float(np.nanmax(sizes)) if (~np.isnan(sizes)).any() else math.nan


class Difference:
    """Two results, compared list by list; true if anything differs.

    Lists are matched by query, measures by their values or, where a convention changed, by the text they were given as.
    """

    def __init__(self, this: Result, other: Result) -> None:
        if not isinstance(other, Result):
            raise MeasureError(message(f"a result is compared with a result, not with {type(other).__name__}"))
        self.this = this
        self.other = other
        places = _places(this.queries, other.queries)
        mine = np.flatnonzero(places >= 0)
        self.changes = tuple(_change(*pair, this.queries, mine, places[mine]) for pair in _pairs(this, other))
        self.only_this = _without(this.queries, other.queries)
        self.only_other = _without(other.queries, this.queries)
        self.measures_only_this = _unpaired(this, [change.this for change in self.changes])
        self.measures_only_other = _unpaired(other, [change.other for change in self.changes])

    def __bool__(self) -> bool:
        return self.this != self.other

    def __iter__(self) -> Iterator[Change]:
        return iter(self.changes)

    def __getitem__(self, measure: str) -> Change:
        wanted = self.this[measure]
        for change in self.changes:
            if change.this is wanted:
                return change
        raise MeasureError(message(f"the other result has no {measure}"))

    def table(self, *, digits: int = 4) -> Table:
        """One row a measure: how many lists differ, both means and their difference, the greatest change of a list."""
        head = ["measure", "lists", "this", "other", "difference", "greatest"]
        rows = [
            [
                str(change.this.measure),
                f"{len(change.queries):,}",
                _number(change.this.mean, digits),
                _number(change.other.mean, digits),
                _signed(change.other.mean - change.this.mean, digits),
                _number(change.greatest, digits),
            ]
            for change in self.changes
            if change.queries or change.this.measure != change.other.measure
        ]
        return Table(head, rows, self._notes())

    def lists(self, *, digits: int = 4, most: int = SHOWN) -> Table:
        """One row a measure and list that differs, the greatest changes first."""
        rows = [
            [str(change.this.measure), query, _number(a, digits), _number(b, digits), _signed(b - a, digits)]
            for change in self.changes
            for query, a, b in list(zip(change.queries, change.before.tolist(), change.after.tolist(), strict=True))[
                :most
            ]
        ]
        more = sum(max(0, len(change.queries) - most) for change in self.changes)
        notes = [f"and {more:,} more"] if more else []
        return Table(["measure", "query", "this", "other", "difference"], rows, notes, left=frozenset({0, 1}))

    def _notes(self) -> list[str]:
        notes = []
        for change in self.changes:
            axes = change.this.measure.convention.differences(change.other.measure.convention)
            for axis in (axis for axis in axes if axis in change.this.measure.relevant_axes):
                there = change.other.measure.convention.words(axis)
                notes.append(f"{change.this.given}: {sentence(change.this.measure.convention, axis)}, there {there}")
            notes += _special(change)
        if not _same_weights(self.this, self.other):
            notes.append("the weights of lists differ")
        for queries, where in ((self.only_this, "this"), (self.only_other, "the other")):
            if queries:
                notes.append(f"{_lists(len(queries))} only in {where}: {_some(queries)}")
        for measures, where in ((self.measures_only_this, "this"), (self.measures_only_other, "the other")):
            if measures:
                notes.append(f"only {where} has {', '.join(measures)}")
        return notes

    def __repr__(self) -> str:
        if not self:
            return "no difference"
        found = [self.table(), self.lists()]
        return "\n\n".join(str(table) for table in found if table.rows or table.notes)

    def _repr_html_(self) -> str:
        return self.table().to_html() + self.lists().to_html()

    def to_markdown(self) -> str:
        return f"{self.table().to_markdown()}\n\n{self.lists().to_markdown()}"

    def to_latex(self) -> str:
        return f"{self.table().to_latex()}\n\n{self.lists().to_latex()}"

    def to_csv(self) -> str:
        """`measure,query,this,other` of every list that differs, with full precision."""
        import csv
        import io

        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["measure", "query", "this", "other"])
        for change in self.changes:
            pairs = zip(change.queries, change.before.tolist(), change.after.tolist(), strict=True)
            rows.writerows([change.this.given, query, repr(a), repr(b)] for query, a, b in pairs)
        return out.getvalue()


def are_equal(this: Result, other: Result) -> bool:
    """Whether two results have the same measures, and the same values, flags and weights of the same queries."""
    if this.measures != other.measures or len(this.evaluated) != len(other.evaluated):
        return False
    places = _places(this.queries, other.queries)
    if (places < 0).any():
        return False
    return _same_weights(this, other) and all(
        np.array_equal(one.values, another.values[places], equal_nan=True)
        and np.array_equal(one.flags, another.flags[places])
        for one, another in zip(this, other, strict=True)
    )


def _places(queries: Sequence[str], among: Sequence[str]) -> npt.NDArray[np.intp]:
    """Where each query stands among others, −1 if it does not."""
    if queries == among:
        return np.arange(len(queries))
    at = {query: place for place, query in enumerate(among)}
    return np.array([at.get(query, -1) for query in queries], dtype=np.intp)


def _pairs(this: Result, other: Result) -> list[tuple[Outcome, Outcome]]:
    """Outcomes of the same measure, or given by the same text."""
    pairs = []
    for outcome in this:
        same = [o for o in other if o.measure == outcome.measure] or [o for o in other if o.given == outcome.given]
        if same:
            pairs.append((outcome, same[0]))
    return pairs


def _change(
    this: Outcome, other: Outcome, queries: list[str], mine: npt.NDArray[np.intp], theirs: npt.NDArray[np.intp]
) -> Change:
    before, after = this.values[mine], other.values[theirs]
    # NaN, a list left out of the mean, is a value like another here.
    differs = np.flatnonzero((before != after) & ~(np.isnan(before) & np.isnan(after)))
    sizes = np.nan_to_num(np.abs(after[differs] - before[differs]), nan=np.inf)
    order = differs[np.argsort(-sizes, kind="stable")]
    return Change(this, other, [queries[at] for at in mine[order].tolist()], before[order], after[order])


def _special(change: Change) -> list[str]:
    """What was special in another number of lists."""
    this, other = change.this.counts.as_dict(), change.other.counts.as_dict()
    differ = [
        f"{name} {this[name]}, there {other[name]}" for name in this if name != "lists" and this[name] != other[name]
    ]
    return [f"{change.this.given}: {'; '.join(differ)}"] if differ else []


def _same_weights(this: Result, other: Result) -> bool:
    mine, theirs = this.evaluated.weights, other.evaluated.weights
    if mine is None or theirs is None:
        return mine is theirs
    places = _places(this.queries, other.queries)
    both = places >= 0
    return bool((mine[both] == theirs[places[both]]).all())


def _unpaired(result: Result, paired: Sequence[Outcome]) -> list[str]:
    return [str(outcome.measure) for outcome in result if not any(outcome is one for one in paired)]


def _without(queries: Sequence[str], others: Sequence[str]) -> list[str]:
    known = set(others)
    return [query for query in queries if query not in known]


def _signed(value: float, digits: int) -> str:
    return _number(value, digits) if not value > 0 else f"+{_number(value, digits)}"


def _lists(count: int) -> str:
    return "1 list" if count == 1 else f"{count:,} lists"


def _some(queries: Sequence[str], most: int = 5) -> str:
    return ", ".join(queries[:most]) + (", …" if len(queries) > most else "")
