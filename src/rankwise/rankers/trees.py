"""Regression trees whose values are added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.errors import DataError, message
from rankwise.rankers.inputs import Table, array_of, counted

__all__ = ["MISSING", "Trees"]

MISSING = ("none", "zero", "nan")
"""What a node takes for missing, by its code: nothing (NaN is read as 0), 0 and NaN, or NaN."""

# Above it a float32 does not tell a whole number from the next.
MOST_CATEGORIES = 1 << 24


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Trees:
    r"""The sum of trees: each adds the value of the leaf that a row falls into.

    .. math:: s = \sum_t v_t(\mathrm{leaf}_t(x))

    The sum is in double precision and in the order of the trees. The weight of a tree is folded into its leaf values.

    **Layout.** All trees lie one after the other in flat arrays. Tree t has the leaves `starts[t]` to `starts[t + 1]`,
    at least one, and one inner node less than leaves, so its nodes begin at `starts[t] − t`. Within a tree nodes and
    leaves count from 0; node 0 is the root. `left` and `right` name a child: c ≥ 0 is node c, c < 0 is leaf −1 − c
    (LightGBM's way). A child comes after its parent (c > the parent's number), so that no path can run in a circle.

    A row goes left at a node where x ≤ `threshold`, the float32 value x compared in float64. What is missing goes left
    where `missing_left` says so, else right; `missing` says what is missing (`MISSING`): 0 nothing, NaN being read as
    0; 1 NaN and |x| ≤ 1e-35; 2 NaN. Where `category_set` is not −1 the split is by categories: a row goes left if x,
    cut to a whole number, is in that set, else right (NaN and what is cut to a negative number too); `threshold` and
    `missing` play no part. Set k is the bits of `set_words[set_starts[k]:set_starts[k + 1]]`, category 0 being the
    lowest bit of the first word.

    `leaf_count` says how many training rows (or what weight of them) fell into each leaf, which contributions need;
    `gain` what each split was worth, which importances need. Both may be absent.

    >>> trees = Trees.of(2, feature=[1], threshold=[0.27], left=[-1], right=[-2], leaf_value=[-0.5, 0.5])
    >>> trees.scores(np.array([[0, 0.2], [0, 0.3]], np.float32))
    array([-0.5,  0.5])
    """

    kind: ClassVar[str] = "trees"

    features: int
    starts: npt.NDArray[np.int64]
    feature: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float64]
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    missing: npt.NDArray[np.uint8]
    missing_left: npt.NDArray[np.bool_]
    category_set: npt.NDArray[np.int32]
    leaf_value: npt.NDArray[np.float64]
    leaf_count: npt.NDArray[np.float64] | None
    gain: npt.NDArray[np.float64] | None
    set_starts: npt.NDArray[np.int64]
    set_words: npt.NDArray[np.uint32]

    def __post_init__(self) -> None:
        for name, dtype in (_ARRAYS | _OPTIONAL).items():
            if (values := getattr(self, name)) is not None:
                object.__setattr__(self, name, np.ascontiguousarray(values, dtype))
        if self.gain is not None and (self.gain.shape != self.feature.shape or not np.isfinite(self.gain).all()):
            raise DataError(message("'gain' of trees must be a finite number a node"))
        # Whatever else does not fit together is refused here.
        self._forest  # noqa: B018

    @cached_property
    def _forest(self) -> _kernels.Forest:
        """The trees, checked and made ready by the kernel."""
        arrays = {name: getattr(self, name) for name in ("features", *_ARRAYS, "leaf_count")}
        return _kernels.Forest(arrays)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled or copied: the arrays."""
        return {name: value for name, value in self.__dict__.items() if name != "_forest"}

    @classmethod
    def of(
        cls,
        features: int,
        *,
        feature: Any,
        threshold: Any,
        left: Any,
        right: Any,
        leaf_value: Any,
        starts: Any = None,
        missing: Any = 2,
        missing_left: Any = False,
        category_set: Any = -1,
        leaf_count: Any = None,
        gain: Any = None,
        sets: Iterable[Iterable[int]] = (),
    ) -> Self:
        """Trees of sequences: one tree if there are no `starts`, a number for all nodes, sets are of categories."""

        def each(value: Any) -> npt.NDArray[Any]:
            return np.broadcast_to(value, len(feature))

        words = [_bits(members) for members in sets]
        return cls(
            features=features,
            starts=np.array([0, len(leaf_value)] if starts is None else starts),
            feature=feature,
            threshold=each(threshold),
            left=left,
            right=right,
            missing=each(missing),
            missing_left=each(missing_left),
            category_set=each(category_set),
            leaf_value=leaf_value,
            leaf_count=leaf_count,
            gain=None if gain is None else each(gain),
            set_starts=np.cumsum([0, *map(len, words)], dtype=np.int64),
            set_words=np.concatenate([np.zeros(0, np.uint32), *words]),
        )

    @classmethod
    def join(cls, parts: Sequence[Trees], features: int | None = None) -> Self:
        """The trees of all parts, in their order; `features` is needed only if there are no parts."""
        if not parts:
            return cls.of(features or 0, feature=[], threshold=[], left=[], right=[], leaf_value=[], starts=[0])
        if len({part.features for part in parts}) > 1:
            raise DataError(message("trees to join are of different numbers of columns"))

        def all_of(name: str) -> npt.NDArray[Any]:
            return np.concatenate([getattr(part, name) for part in parts])

        def optional(name: str) -> npt.NDArray[Any] | None:
            return None if any(getattr(part, name) is None for part in parts) else all_of(name)

        sets = np.cumsum([0, *(len(part.set_starts) - 1 for part in parts)])
        return cls(
            features=parts[0].features,
            starts=_chained([part.starts for part in parts]),
            **{name: all_of(name) for name in ("feature", "threshold", "left", "right", "missing", "missing_left")},
            category_set=np.concatenate(
                [np.where(p.category_set < 0, -1, p.category_set + at) for p, at in zip(parts, sets[:-1], strict=True)]
            ).astype(np.int32),
            leaf_value=all_of("leaf_value"),
            leaf_count=optional("leaf_count"),
            gain=optional("gain"),
            set_starts=_chained([part.set_starts for part in parts]),
            set_words=all_of("set_words"),
        )

    def __len__(self) -> int:
        """The number of trees."""
        return len(self.starts) - 1

    def first(self, count: int) -> Trees:
        """The first trees."""
        if not 0 <= count <= len(self):
            raise DataError(message(f"there are no first {count} trees; there are {len(self)}"))
        leaves, nodes = self.starts[count], self.starts[count] - count
        return Trees(
            features=self.features,
            starts=self.starts[: count + 1],
            **{name: getattr(self, name)[:nodes] for name in ("feature", "threshold", "left", "right")},
            **{name: getattr(self, name)[:nodes] for name in ("missing", "missing_left", "category_set")},
            leaf_value=self.leaf_value[:leaves],
            leaf_count=None if self.leaf_count is None else self.leaf_count[:leaves],
            gain=None if self.gain is None else self.gain[:nodes],
            set_starts=self.set_starts,
            set_words=self.set_words,
        )

    def scores(self, table: Table, threads: int | None = None) -> npt.NDArray[np.float64]:
        return self.scores_of(table, 0, len(self), threads)

    def scores_of(self, table: Table, first: int, last: int, threads: int | None = None) -> npt.NDArray[np.float64]:
        """The sum of the trees from `first` up to `last`, that one left out."""
        return self._forest.scores(table, first, last, threads)

    def leaves(self, table: Table, threads: int | None = None) -> npt.NDArray[np.int32]:
        """The leaf of each row in each tree, counted from 0 within the tree: rows × trees."""
        return self._forest.leaves(table, threads)

    def contributions(self, table: Table, threads: int | None = None) -> npt.NDArray[np.float64]:
        """Shapley values of the columns, exact (Lundberg et al. 2020, `lundberg2020`), and the mean over training rows.

        A column that is not known of a row is drawn as the training rows were: such a row goes both ways at a node, by
        the shares of training rows that did. Needs `leaf_count`.

        >>> trees = Trees.of(
        ...     2, feature=[1], threshold=[0.27], left=[-1], right=[-2], leaf_value=[-0.5, 0.5], leaf_count=[30, 10]
        ... )
        >>> trees.contributions(np.array([[0, 0.3]], np.float32))
        array([[ 0.  ,  0.75, -0.25]])
        """
        return self._forest.contributions(table, threads)

    def importances(self) -> npt.NDArray[np.float64]:
        """The gain of each column's splits, or their number where gains are not known."""
        found = np.zeros(self.features)
        np.add.at(found, self.feature, 1.0 if self.gain is None else np.maximum(self.gain, 0))
        return found

    def text(self, names: Sequence[str], trees: int = 3) -> str:
        """The first trees, and how many more there are."""
        shown = min(trees, len(self))
        lines = [line for tree in range(shown) for line in (f"tree {tree + 1}", *self._lines(tree, names))]
        rest = len(self) - shown
        return "\n".join(lines + [f"… and {rest:,} more tree{'' if rest == 1 else 's'}"] * (rest > 0))

    def _lines(self, tree: int, names: Sequence[str]) -> list[str]:
        """A tree, indented; what is to come stands on a stack, so that no tree is too deep."""
        start, end = int(self.starts[tree]), int(self.starts[tree + 1])
        root = 0 if end - start > 1 else -1
        lines, waiting = [], [(root, 1, "")]
        while waiting:
            child, depth, way = waiting.pop()
            indent = "  " * depth
            if child < 0:
                lines.append(f"{indent}{way}{self.leaf_value[start - 1 - child]:+.6g}")
                continue
            node = start - tree + child
            condition, otherwise = self._conditions(node, names[self.feature[node]])
            if way:
                lines.append(f"{indent}{way.rstrip()}")
            deeper = depth + bool(way)
            waiting += [
                (int(self.right[node]), deeper, f"{otherwise}: "),
                (int(self.left[node]), deeper, f"{condition}: "),
            ]
        return lines

    def _conditions(self, node: int, name: str) -> tuple[str, str]:
        """What goes left at a node, and what goes right."""
        chosen = int(self.category_set[node])
        if chosen >= 0:
            words = self.set_words[self.set_starts[chosen] : self.set_starts[chosen + 1]]
            members = np.flatnonzero(np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little"))
            inside = ", ".join(map(str, members[:8])) + (", …" if len(members) > 8 else "")
            return f"{name} in {{{inside}}}", f"{name} not in {{{inside}}}"
        ways = [f"{name} ≤ {self.threshold[node]:.6g}", f"{name} > {self.threshold[node]:.6g}"]
        kind = MISSING[self.missing[node]]
        # A node that misses nothing reads NaN as 0.
        left = bool(self.threshold[node] >= 0 if kind == "none" else self.missing_left[node])
        ways[0 if left else 1] += {"none": "", "nan": " or missing", "zero": " or 0 or missing"}[kind]
        return ways[0], ways[1]

    def plain(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        names = [*_ARRAYS, *(name for name in _OPTIONAL if getattr(self, name) is not None)]
        return {}, {name: getattr(self, name) for name in names}

    @classmethod
    def of_plain(cls, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], features: int) -> Self:
        found: dict[str, Any] = {name: array_of(arrays, name, dtype) for name, dtype in _ARRAYS.items()}
        for name in _OPTIONAL:
            found[name] = array_of(arrays, name, np.float64) if name in arrays else None
        return cls(features=features, **found)

    def __repr__(self) -> str:
        return f"Trees({counted(len(self), 'tree')}, {counted(len(self.leaf_value), 'leaf', 'leaves')})"


_ARRAYS: dict[str, Any] = {
    "starts": np.int64, "feature": np.int32, "threshold": np.float64, "left": np.int32, "right": np.int32,
    "missing": np.uint8, "missing_left": np.bool_, "category_set": np.int32, "leaf_value": np.float64,
    "set_starts": np.int64, "set_words": np.uint32,
}  # fmt: skip
_OPTIONAL: dict[str, Any] = {"leaf_count": np.float64, "gain": np.float64}


def _bits(members: Iterable[int]) -> npt.NDArray[np.uint32]:
    wanted = np.unique(np.array([int(member) for member in members], np.int64))
    if len(wanted) and not (wanted[0] >= 0 and wanted[-1] < MOST_CATEGORIES):
        raise DataError(message(f"categories are whole numbers from 0 to {MOST_CATEGORIES - 1:,}"))
    flags = np.zeros((int(wanted.max(initial=-1)) // 32 + 1) * 32, np.uint8)
    flags[wanted] = 1
    return np.packbits(flags, bitorder="little").view("<u4").astype(np.uint32)


def _chained(starts: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Starts of parts that follow each other."""
    ends = np.cumsum([0, *(part[-1] for part in starts)])
    return np.concatenate([[0], *(part[1:] + end for part, end in zip(starts, ends[:-1], strict=True))]).astype(
        np.int64
    )
