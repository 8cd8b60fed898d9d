"""Regression trees whose values are added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, message
from rankwise.rankers.inputs import Table, array_of

__all__ = ["MISSING", "Trees"]

MISSING = ("none", "zero", "nan")
"""What a node takes for missing, by its code: nothing (NaN is read as 0), 0 and NaN, or NaN."""
# What LightGBM takes for 0.
TINY = np.float32(1e-35)


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
        self._check_shapes()
        self._check_paths()

    def _check_shapes(self) -> None:
        starts, sets = self.starts, self.set_starts
        if len(starts) == 0 or starts[0] != 0 or not (np.diff(starts) >= 1).all():
            raise DataError(message("trees must begin one after the other, each with a leaf"))
        if len(sets) == 0 or sets[0] != 0 or not (np.diff(sets) >= 0).all() or sets[-1] != len(self.set_words):
            raise DataError(message("the sets of categories do not fit together"))
        leaves, nodes = int(starts[-1]), int(starts[-1]) - len(self)
        for name, dtype in {**_ARRAYS, **dict.fromkeys(_OPTIONAL, np.float64)}.items():
            array = getattr(self, name)
            if array is None or name in ("starts", "set_starts", "set_words"):
                continue
            length = leaves if name.startswith("leaf") else nodes
            if array.dtype != dtype or array.shape != (length,):
                raise DataError(message(f"'{name}' is {array.dtype} {array.shape}, not {np.dtype(dtype)} ({length},)"))

    def _check_paths(self) -> None:
        """Every child is in its tree, comes after its parent, and has one parent."""
        sizes = np.diff(self.starts)
        tree = np.repeat(np.arange(len(self)), sizes - 1)
        number = np.arange(len(tree)) - (self.starts[:-1] - np.arange(len(self)))[tree]
        leaves = sizes[tree]
        # Nodes and leaves of a tree as one row of places: its nodes but the root, then its leaves.
        places = []
        for name, child in (("left", self.left.astype(np.int64)), ("right", self.right.astype(np.int64))):
            wrong = np.where(child >= 0, (child <= number) | (child >= leaves - 1), child < -leaves)
            if wrong.any():
                at = int(wrong.argmax())
                what = f"tree {tree[at] + 1}, node {number[at]}: its {name} child is {child[at]}"
                raise DataError(message(what, hint="a child is a later node or a leaf of the same tree."))
            places.append(2 * self.starts[tree] + np.where(child >= 0, child, leaves - 2 - child))
        if len(np.unique(np.concatenate([np.zeros(0, np.int64), *places]))) < 2 * len(tree):
            raise DataError(message("a node or leaf of a tree is the child of two nodes"))
        self._check_values(tree, number)

    def _check_values(self, tree: npt.NDArray[np.int64], number: npt.NDArray[np.int64]) -> None:
        wrong = {
            "it looks at a column that the table lacks": (self.feature < 0) | (self.feature >= self.features),
            "it has no threshold": np.isnan(self.threshold) & (self.category_set < 0),
            "what is missing is not said": self.missing >= len(MISSING),
            "it names a set that does not exist": (self.category_set < -1)
            | (self.category_set >= len(self.set_starts) - 1),
        }
        for what, nodes in wrong.items():
            if nodes.any():
                at = int(nodes.argmax())
                raise DataError(message(what, place=f"tree {tree[at] + 1}, node {number[at]}"))
        if not np.isfinite(self.leaf_value).all():
            raise DataError(message("the value of a leaf is not finite"))
        if self.leaf_count is not None and not (np.isfinite(self.leaf_count) & (self.leaf_count >= 0)).all():
            raise DataError(message("the count of a leaf is negative or not finite"))
        if self.gain is not None and not np.isfinite(self.gain).all():
            raise DataError(message("the gain of a split is not finite"))

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
        values = np.asarray(leaf_value, np.float64)
        nodes = len(np.atleast_1d(np.asarray(feature, np.int32)))

        def each(value: Any, dtype: Any) -> npt.NDArray[Any]:
            return np.ascontiguousarray(np.broadcast_to(np.asarray(value, dtype), nodes))

        words = [_bits(members) for members in sets]
        return cls(
            features=features,
            starts=np.array([0, len(values)] if starts is None else starts, np.int64),
            feature=each(feature, np.int32),
            threshold=each(threshold, np.float64),
            left=each(left, np.int32),
            right=each(right, np.int32),
            missing=each(missing, np.uint8),
            missing_left=each(missing_left, np.bool_),
            category_set=each(category_set, np.int32),
            leaf_value=values,
            leaf_count=None if leaf_count is None else np.asarray(leaf_count, np.float64),
            gain=None if gain is None else each(gain, np.float64),
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
        found = np.zeros(len(table))
        for tree in range(first, last):
            found += self.leaf_value[self.starts[tree] + self._leaves(table, tree)]
        return found

    def leaves(self, table: Table, threads: int | None = None) -> npt.NDArray[np.int32]:
        """The leaf of each row in each tree, counted from 0 within the tree: rows × trees."""
        columns = [self._leaves(table, tree) for tree in range(len(self))]
        return np.array(columns, np.int32).reshape(len(self), len(table)).T.copy()

    def _leaves(self, table: Table, tree: int) -> npt.NDArray[np.int32]:
        start = int(self.starts[tree]) - tree
        if self.starts[tree + 1] - self.starts[tree] == 1:
            return np.zeros(len(table), np.int32)
        at = np.zeros(len(table), np.int32)
        while (moving := np.flatnonzero(at >= 0)).size:
            node = at[moving] + start
            at[moving] = np.where(
                self._goes_left(table[moving, self.feature[node]], node), self.left[node], self.right[node]
            )
        return -1 - at

    def _goes_left(self, x: npt.NDArray[np.float32], node: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        kind, nan = self.missing[node], np.isnan(x)
        missing = ((kind == 2) & nan) | ((kind == 1) & (nan | (np.abs(x) <= TINY)))
        number = np.where(
            missing, self.missing_left[node], np.where(nan, 0, x).astype(np.float64) <= self.threshold[node]
        )
        chosen = self.category_set[node]
        if (chosen < 0).all():
            return number
        category = np.where(nan | (x <= -1) | (x >= 2**31), -1, x).astype(np.int64)
        begin, end = self.set_starts[chosen], self.set_starts[chosen + 1]
        word = begin + category // 32
        inside = (chosen >= 0) & (category >= 0) & (word < end)
        bit = self.set_words[np.where(inside, word, 0)] >> (category % 32).astype(np.uint32)
        return np.where(chosen >= 0, inside & ((bit & 1) == 1), number)

    def contributions(self, table: Table) -> npt.NDArray[np.float64]:
        if self.leaf_count is None:
            hint = "how often each leaf was reached is not known of them."
            raise DataError(message("trees without counts have no contributions", hint=hint))
        found = np.zeros((len(table), self.features + 1))
        for tree in range(len(self)):
            self._add_contributions(table, tree, self.leaf_count, found)
        return found

    def _add_contributions(self, table: Table, tree: int, counts: npt.NDArray[np.float64], found: Any) -> None:
        start, nodes = int(self.starts[tree]), int(self.starts[tree]) - tree
        leaves = int(self.starts[tree + 1]) - start
        reached = np.zeros(leaves - 1)
        for node in reversed(range(leaves - 1)):
            for child in (self.left[nodes + node], self.right[nodes + node]):
                reached[node] += reached[child] if child >= 0 else counts[start - 1 - child]
        paths: list[list[tuple[int, bool, float]]] = [[] for _ in range(leaves - 1)]
        ends: dict[int, list[tuple[int, bool, float]]] = {} if leaves > 1 else {0: []}
        for node in range(leaves - 1):
            for child, side in ((int(self.left[nodes + node]), True), (int(self.right[nodes + node]), False)):
                rows = reached[child] if child >= 0 else counts[start - 1 - child]
                path = [*paths[node], (nodes + node, side, rows / reached[node] if reached[node] else 0.5)]
                if child >= 0:
                    paths[child] = path
                else:
                    ends[-1 - child] = path
        sides = {
            node: self._goes_left(table[:, self.feature[node]], np.full(len(table), node))
            for node in range(nodes, nodes + leaves - 1)
        }
        for leaf, path in ends.items():
            value = float(self.leaf_value[start + leaf])
            features = sorted({int(self.feature[node]) for node, _, _ in path})
            own = [[step for step in path if self.feature[step[0]] == feature] for feature in features]
            share = np.array([np.prod([s for _, _, s in steps]) for steps in own])
            found[:, -1] += value * np.prod(share)
            if not path:
                continue
            follows = np.array([np.all([sides[n] == side for n, side, _ in steps], axis=0) for steps in own], float).T
            points, weights = np.polynomial.legendre.leggauss(len(features) // 2 + 1)
            t = (points + 1) / 2
            factors = follows[:, :, None] * t + share[:, None] * (1 - t)
            for at, feature in enumerate(features):
                others = np.delete(factors, at, axis=1).prod(axis=1) @ weights / 2
                found[:, feature] += value * (follows[:, at] - share[at]) * others

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
        return f"Trees({len(self)} trees, {len(self.leaf_value)} leaves)"


_ARRAYS = {
    "starts": np.int64, "feature": np.int32, "threshold": np.float64, "left": np.int32, "right": np.int32,
    "missing": np.uint8, "missing_left": np.bool_, "category_set": np.int32, "leaf_value": np.float64,
    "set_starts": np.int64, "set_words": np.uint32,
}  # fmt: skip
_OPTIONAL = ("leaf_count", "gain")


def _bits(members: Iterable[int]) -> npt.NDArray[np.uint32]:
    wanted = np.unique(np.array(list(members), np.int64))
    flags = np.zeros((int(wanted.max(initial=-1)) // 32 + 1) * 32, np.uint8)
    flags[wanted] = 1
    return np.packbits(flags, bitorder="little").view("<u4").astype(np.uint32)


def _chained(starts: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Starts of parts that follow each other."""
    ends = np.cumsum([0, *(part[-1] for part in starts)])
    return np.concatenate([[0], *(part[1:] + end for part, end in zip(starts, ends[:-1], strict=True))]).astype(
        np.int64
    )
