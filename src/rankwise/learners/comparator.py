"""A classifier of pairs as a scorer: the documents of a list are compared with each other, and no other way.

Nothing makes the answers fit together: a may be ahead of b, b of c, and c of a, or a ahead of b whichever stands first.
`Comparator.consistency` counts that, and what asking costs beside one evaluation a document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, NoReturn, Self

import numpy as np
import numpy.typing as npt

from rankwise.errors import RankwiseError, message

__all__ = ["PAIRS", "RANKINGS", "Comparator", "Consistency", "merge_sorted", "seen_as"]

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Table = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

RANKINGS = ("borda", "sort")
PAIRS = ("difference", "both")
# So many pairs are asked about at once, at most.
AT_ONCE = 2**17
# Into so many other orders a list is put, to see whether its sorted order hangs on where it starts.
OTHER_STARTS = 3


class Consistency(NamedTuple):
    """What a classifier of pairs says about whole lists."""

    lists: int
    documents: int
    """That many evaluations rank all lists, if each document has a score of its own."""
    pairs: int
    """Pairs of documents that differ, each counted once."""
    contradictions: int
    """Pairs in which each document is ahead, or none is, as they are asked about one way or the other."""
    triples: int
    """Threes of documents that go in a circle."""
    lists_with_cycles: int
    lists_that_hang_on_the_sort: int
    """Their order by comparator sort is another if they start in the reverse order, or in one by lot."""
    calls_of_sort: int
    """Pairs asked about to sort all lists once."""
    calls_of_borda: int
    """Pairs asked about for all lists, both ways."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparator:
    """Asks which of two documents is ahead; it lives as long as the process.

    By 'borda' a document scores the pairs that it wins, of all pairs of its list asked about both ways: n(n − 1) calls.
    By 'sort' a merge sort asks about n log₂ n pairs at most, and a document scores how many it leaves behind. Documents
    whose rows are the same share their score; so the order of rows makes no difference.
    """

    kind: ClassVar[str] = "comparator"

    classifier: Any
    pairs: str
    ranking: str
    features: int

    def scores(self, table: Table, threads: int | None = None) -> Floats:
        return self.list_scores(table, np.array([0, len(table)]), threads)

    def list_scores(self, table: Table, offsets: Numbers, threads: int | None = None) -> Floats:
        scores = np.zeros(len(table))
        for start, rows, which in lists_of(table, offsets):
            scores[start : start + len(which)] = self._of_list(rows)[which]
        return scores

    def _of_list(self, rows: Table) -> Floats:
        if self.ranking == "borda":
            return self._wins(rows)
        order, _ = self.sorted(rows, np.arange(len(rows)))
        scores = np.empty(len(rows))
        scores[order] = np.arange(len(rows))[::-1]
        return scores

    def _wins(self, rows: Table) -> Floats:
        n = len(rows)
        # Each pair that a document is asked about as the second is won unless the first is ahead.
        wins = np.full(n, n - 1.0)
        for some, ahead in self._in_parts(rows):
            wins[some] += ahead.sum(axis=1)
            wins -= ahead.sum(axis=0)
        return wins

    def ahead(self, first: Table, second: Table) -> Flags:
        """Whether the first document of each pair is ahead of the second."""
        parts = []
        for start in range(0, len(first), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            parts.append(np.ravel(self.classifier.predict(seen_as(self.pairs, first[some], second[some]))) > 0)
        return np.concatenate(parts) if parts else np.zeros(0, bool)

    def ahead_of_all(self, rows: Table) -> Flags:
        """n × n: whether the document of each row is ahead of that of each column; False where they are one."""
        n = len(rows)
        found = np.zeros((n, n), bool)
        for some, ahead in self._in_parts(rows):
            found[some] = ahead
        return found

    def _in_parts(self, rows: Table) -> Iterator[tuple[Numbers, Flags]]:
        """Some documents at a time, and whether each is ahead of any other."""
        n = len(rows)
        many = max(1, AT_ONCE // n)
        for start in range(0, n, many):
            some = np.arange(start, min(start + many, n))
            ahead = self.ahead(np.repeat(rows[some], n, axis=0), np.tile(rows, (len(some), 1))).reshape(-1, n)
            ahead[np.arange(len(some)), some] = False
            yield some, ahead

    def sorted(self, rows: Table, start: Numbers) -> tuple[Numbers, int]:
        """The documents best first, by merge sort from an order to start with, and the pairs that were asked about."""
        return merge_sorted(start, lambda first, second: self.ahead(rows[first], rows[second]))

    def consistency(self, table: Table, offsets: Numbers) -> Consistency:
        """Whether the answers about whole lists fit together, and what asking costs."""
        each = [self._consistency(rows) for _, rows, _ in lists_of(table, offsets)]
        sums = np.array(each, np.int64).reshape(-1, len(Consistency._fields) - 2).sum(axis=0)
        return Consistency(len(offsets) - 1, len(table), *map(int, sums))

    def _consistency(self, rows: Table) -> tuple[int, ...]:
        from scipy.sparse.csgraph import connected_components

        n = len(rows)
        ahead = self.ahead_of_all(rows)
        contradictions = int((ahead == ahead.T).sum() - n) // 2
        beats = ahead & ~ahead.T
        one_way = beats.astype(np.float64)
        triples = round(float(((one_way @ one_way) * one_way.T).sum()) / 3)
        circles = connected_components(beats, connection="strong")[0] < n
        order, calls = merge_sorted(np.arange(n), lambda first, second: ahead[first, second])
        rng = np.random.default_rng(0)
        starts = [np.arange(n)[::-1], *(rng.permutation(n) for _ in range(OTHER_STARTS))]
        others = [merge_sorted(start, lambda first, second: ahead[first, second])[0] for start in starts]
        hangs = any((other != order).any() for other in others)
        return n * (n - 1) // 2, contradictions, triples, int(circles), int(hangs), calls, n * (n - 1)

    def contributions(self, table: Table, threads: int | None = None) -> NoReturn:
        self._refuse("has no contributions of features")

    def importances(self) -> NoReturn:
        self._refuse("has no importances of its own", "permute features: `rankwise describe MODEL --data FILE`.")

    def text(self, names: Sequence[str]) -> str:
        return f"compares documents by {self.classifier!r}, ranks by {self.ranking}"

    def plain(self) -> NoReturn:
        self._refuse(
            "cannot be written to a file", "a linear classifier of differences without intercept is a linear model."
        )

    @classmethod
    def of_plain(cls, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], features: int) -> Self:
        raise RankwiseError(message("a classifier of pairs is not read from a file"))

    def _refuse(self, what: str, hint: str = "") -> NoReturn:
        raise RankwiseError(message(f"a ranker that compares by {type(self.classifier).__name__} {what}", hint=hint))

    def __repr__(self) -> str:
        return f"Comparator({type(self.classifier).__name__}, {self.ranking})"


def seen_as(pairs: str, first: Table, second: Table) -> Table:
    """What the classifier sees of pairs: the difference of their rows, or both beside each other."""
    return first - second if pairs == "difference" else np.hstack([first, second])


def lists_of(table: Table, offsets: Numbers) -> Iterator[tuple[int, Table, Numbers]]:
    """Of each list where it starts, its distinct rows in an order of their own, and which of them each row is."""
    for start, end in pairwise(offsets.tolist()):
        rows = np.ascontiguousarray(table[start:end])
        if not len(rows):
            continue
        as_bytes = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
        _, chosen, which = np.unique(as_bytes, return_index=True, return_inverse=True)
        yield start, rows[chosen], which.ravel()


def merge_sorted(start: Numbers, ahead: Any) -> tuple[Numbers, int]:
    """Numbers put in order by a comparator, and how many pairs it was asked about.

    `ahead(first, second)` tells it of arrays of numbers: the merges of a level go on side by side, a pair each at a
    time, so that a comparator that is slow to call is called twice as often as there are numbers, not n log₂ n times.

    >>> merge_sorted(np.array([2, 0, 3, 1]), lambda first, second: first < second)[0]
    array([0, 1, 2, 3])
    """
    order, calls, run = np.array(start), 0, 1
    while run < len(order):
        order, asked = _merged(order, run, ahead)
        calls, run = calls + asked, 2 * run
    return order, calls


def _merged(order: Numbers, run: int, ahead: Any) -> tuple[Numbers, int]:
    """Sorted runs of that length merged two by two."""
    n, calls = len(order), 0
    out = order.copy()
    left = np.arange(0, n - run, 2 * run)
    right, left_end, right_end, place = left + run, left + run, np.minimum(left + 2 * run, n), left.copy()
    while len(left):
        second_first = ahead(order[right], order[left])
        calls += len(left)
        out[place] = order[np.where(second_first, right, left)]
        left, right, place = left + ~second_first, right + second_first, place + 1
        for at in np.flatnonzero((left == left_end) | (right == right_end)):
            rest = np.concatenate([order[left[at] : left_end[at]], order[right[at] : right_end[at]]])
            out[place[at] : place[at] + len(rest)] = rest
        going = (left < left_end) & (right < right_end)
        left, right, left_end, right_end, place = (x[going] for x in (left, right, left_end, right_end, place))
    return out, calls
