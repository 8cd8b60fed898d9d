"""Divisions of lists: what is learnt from, what is chosen by, what is judged on.

A list falls to a part by a lot that is drawn from its own id and the seed, so that neither the order of lists nor the
machine changes it. Lists of one group stay together; by time, the oldest come first.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate
from math import ceil
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.data.ids import Ids
from rankwise.errors import DataError, message

__all__ = ["Fold", "Folds", "assign", "folds", "split"]

Part = Dataset | Callable[[], Dataset]


class Fold:
    """One division of the lists; a part is read when it is first asked for, and kept.

    >>> data = Dataset.of(labels=[1, 0, 2], qid=["a", "b", "c"])
    >>> Fold("1", train=data.take([0, 1]), test=lambda: data.take([2])).test
    Dataset(1 list, 1 row; labels 2: 1)
    """

    def __init__(self, name: str, *, train: Part, validation: Part | None = None, test: Part) -> None:
        self.name = name
        self._parts = {"train": train, "validation": validation, "test": test}

    @cached_property
    def train(self) -> Dataset:
        """The lists to learn from."""
        return self._read("train")

    @cached_property
    def validation(self) -> Dataset:
        """The lists to choose by, where the fold has such."""
        return self._read("validation")

    @cached_property
    def test(self) -> Dataset:
        """The lists to judge on."""
        return self._read("test")

    @property
    def has_validation(self) -> bool:
        return self._parts["validation"] is not None

    def _read(self, part: str) -> Dataset:
        source = self._parts[part]
        if source is None:
            hint = "divide its training lists with `rankwise.split`."
            raise DataError(message(f"fold {self.name} has no lists for {part}", hint=hint))
        return source if isinstance(source, Dataset) else source()

    def __repr__(self) -> str:
        parts = [part for part, source in self._parts.items() if source is not None]
        return f"Fold({self.name}: {', '.join(parts)})"


class Folds(Sequence[Fold]):
    """Folds in their order, each made anew when it is asked for, so that only the one in use is held in memory.

    >>> len(folds(Dataset.of(labels=[1, 0, 2], group=[1, 1, 1]), 3))
    3
    """

    def __init__(self, makers: Iterable[Callable[[], Fold]]) -> None:
        self._makers = tuple(makers)

    @overload
    def __getitem__(self, index: int) -> Fold: ...
    @overload
    def __getitem__(self, index: slice) -> Folds: ...
    def __getitem__(self, index: int | slice) -> Fold | Folds:
        return Folds(self._makers[index]) if isinstance(index, slice) else self._makers[index]()

    def __len__(self) -> int:
        return len(self._makers)

    def __iter__(self) -> Iterator[Fold]:
        return (make() for make in self._makers)

    def __repr__(self) -> str:
        return f"Folds([{', '.join(map(repr, self))}])"


def folds(data: Dataset, k: int = 5, *, group: Any = None, seed: int = 0, validation: bool = True) -> Folds:
    r"""`k` folds of lists, so that each list is in the test part of one.

    The lists are dealt into parts :math:`S_1, \dots, S_k` as `split` deals them. Fold :math:`f` is judged on
    :math:`S_{f+k-1}`, chooses by :math:`S_{f+k-2}` and learns from the others (cyclic), as LETOR's five folds do (Qin &
    Liu 2013, `qin2013`); without `validation` that part is learnt from too.

    >>> data = Dataset.of(labels=[0, 1, 2, 1, 0], qid=list("abcde"))
    >>> [(len(fold.train), len(fold.validation), list(fold.test.queries)) for fold in folds(data, 5)][:2]
    [(3, 1, ['c']), (3, 1, ['d'])]
    """
    least = 3 if validation else 2
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < least:
        raise DataError(message(f"the number of folds must be a whole number from {least}, not {k!r}"))
    _refuse_no_dataset(data)
    if len(data) < k:
        raise DataError(message(f"{k} folds need {k} lists, and there are {len(data)}", hint="make fewer folds."))
    names = [f"S{part}" for part in range(1, int(k) + 1)]
    parts = assign(list(data.queries), dict.fromkeys(names, 1), group=per_list(data, group), seed=seed)

    def fold(number: int) -> Fold:
        learnt, chosen, judged = cyclic(number, int(k), validation=validation)
        return Fold(
            str(number),
            train=lambda: data.take(np.flatnonzero(np.isin(parts, learnt))),
            validation=(lambda: data.take(np.flatnonzero(parts == chosen))) if validation else None,
            test=lambda: data.take(np.flatnonzero(parts == judged)),
        )

    return Folds(partial(fold, number) for number in range(1, int(k) + 1))


def cyclic(fold: int, k: int, *, validation: bool = True) -> tuple[list[int], int, int]:
    """Of fold 1, 2, … the parts to learn from, the one to choose by and the one to judge on, each counted from 0.

    >>> cyclic(2, 5)
    ([1, 2, 3], 4, 0)
    """
    order = [(fold - 1 + step) % k for step in range(k)]
    return (order[:-2] if validation else order[:-1]), order[-2], order[-1]


def split(
    data: Dataset, into: Mapping[str, float], *, group: Any = None, time: Any = None, seed: int = 0
) -> dict[str, Dataset]:
    """Divides lists into named parts, by their shares.

    A list falls to a part by a lot drawn from its id and `seed`, whatever the order of the lists. `group`, the name of
    a column or feature, or one value a list, keeps lists of one group in one part. `time`, likewise, draws no lot: the
    first part gets the oldest lists, and lists of the same time stay together.
    The order of lists within a part is that of `data`.

    >>> data = Dataset.of(labels=[0, 1, 2, 1, 0], qid=list("abcde"))
    >>> parts = split(data, {"train": 0.6, "test": 0.4})
    >>> list(parts["train"].queries), list(parts["test"].queries)
    (['a', 'd', 'e'], ['b', 'c'])
    >>> list(split(data, {"train": 0.6, "test": 0.4}, time=[5, 4, 3, 2, 1])["train"].queries)
    ['c', 'd', 'e']
    """
    _refuse_no_dataset(data)
    parts = assign(list(data.queries), into, group=per_list(data, group), time=per_list(data, time), seed=seed)
    return {name: data.take(np.flatnonzero(parts == part)) for part, name in enumerate(into)}


def _refuse_no_dataset(data: object) -> None:
    if not isinstance(data, Dataset):
        hint = "read a file with `rankwise.read`, or divide it with `rankwise split`."
        raise DataError(message(f"lists of a Dataset are divided, not {type(data).__name__}", hint=hint))


def assign(
    queries: Sequence[str],
    into: Mapping[str, float],
    *,
    group: Sequence[Any] | None = None,
    time: Sequence[Any] | None = None,
    seed: int = 0,
) -> npt.NDArray[np.int64]:
    r"""Of each list the part that it falls to, counted from 0.

    Lists stand in groups (each alone, unless `group` or `time` says otherwise), groups in the order of their lots, or
    of time. A group of lists :math:`a+1, \dots, b` of :math:`n` falls to the part within whose share of
    :math:`[0, n]` its middle :math:`(a + b)/2` lies.

    >>> assign(["a", "b", "c", "d"], {"train": 0.5, "test": 0.5}, group=["x", "x", "y", "y"]).tolist()
    [0, 0, 1, 1]
    """
    bounds = _bounds(into, len(queries))
    if group is not None and time is not None:
        raise DataError(message("lists are divided either by group or by time, not by both"))
    members = _members(queries, group, time)
    order = sorted(members) if time is not None else sorted(members, key=lambda key: lot(key, seed))
    parts = np.empty(len(queries), np.int64)
    start = 0
    for key in order:
        lists = members[key]
        parts[lists] = bisect_right(bounds, 2 * start + len(lists))
        start += len(lists)
    _refuse_empty(parts, into, len(members), "time" if time is not None else "list" if group is None else "group")
    return parts


def lot(key: object, seed: int) -> bytes:
    """A number that follows from an id and the seed alone, as bytes."""
    return hashlib.blake2b(str(key).encode("utf-8", "surrogatepass"), digest_size=16, salt=_salt(seed)).digest()


def _salt(seed: int) -> bytes:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**64:
        raise DataError(message(f"the seed must be a whole number from 0 to 2^64 − 1, not {seed!r}"))
    return int(seed).to_bytes(8, "little")


def _bounds(into: Mapping[str, float], lists: int) -> list[int]:
    """Twice the place at which each part's share of the lists ends, but the last's; rounded up to a whole number."""
    if len(into) < 2:
        hint = 'for example {"train": 0.8, "test": 0.2}.'
        raise DataError(message("lists are divided into two parts at least", hint=hint))
    shares = []
    for name, share in into.items():
        number = isinstance(share, (int, float, Fraction, np.number)) and not isinstance(share, bool)
        if not number or not 0 < share < np.inf:
            raise DataError(message(f"the share of '{name}' must be a number above 0, not {share!r}"))
        # By its text, 0.1 is a tenth; shares of one sum need no rounding then.
        shares.append(Fraction(str(share)))
    whole = sum(shares)
    if any(share < 1 for share in shares) and whole != 1:
        hint = "shares are parts of 1, or whole numbers such as 3, 1, 1."
        raise DataError(message(f"the shares make {float(whole):g}, not 1", hint=hint))
    return [ceil(2 * bound * lists / whole) for bound in accumulate(shares[:-1])]


def _members(queries: Sequence[str], group: Sequence[Any] | None, time: Sequence[Any] | None) -> dict[Any, list[int]]:
    """Of each group, or of each time, its lists."""
    of_list = time if time is not None else group if group is not None else queries
    if len(of_list) != len(queries):
        kind = "times" if time is not None else "groups"
        raise DataError(message(f"there are {len(of_list):,} {kind} for {len(queries):,} lists", hint="one a list."))
    members: dict[Any, list[int]] = {}
    for at, key in enumerate(of_list):
        if key is None or key != key:
            raise DataError(message(f"list '{queries[at]}' has no {'time' if time is not None else 'group'}"))
        members.setdefault(key, []).append(at)
    return members


def _refuse_empty(parts: npt.NDArray[np.int64], into: Mapping[str, float], units: int, unit: str) -> None:
    counts = np.bincount(parts, minlength=len(into))
    if (counts == 0).any():
        name = list(into)[int(counts.argmin())]
        found = f"{units:,} {unit}{'' if units == 1 else 's'}"
        hint = "give it a larger share, or make fewer parts."
        raise DataError(message(f"the part '{name}' would be empty, with {found} to divide", hint=hint))


def per_list(data: Dataset, values: Any) -> list[Any] | None:
    """One value a list: as given, or from the column or feature of that name, which all rows of a list must share."""
    if values is None:
        return None
    if not isinstance(values, str):
        return list(np.asarray(values).tolist())
    return constant(_column(data, values), data, values)


def _column(data: Dataset, name: str) -> npt.NDArray[Any]:
    if name in data.columns:
        found = data.columns[name]
        return np.array(list(found), dtype=object) if isinstance(found, Ids) else found
    if name in (data.feature_names or ()):
        return data.feature(name)
    names = ", ".join([*data.columns, *(data.feature_names or ())])
    hint = f"there are {names}." if names else f"a table keeps it with `read_table(…, keep=['{name}'])`."
    raise DataError(message(f"there is no column and no feature '{name}'", hint=hint))


def constant(column: npt.NDArray[Any], data: Dataset, name: str) -> list[Any]:
    """The value of each list, where all its rows have the same."""
    first = column[data.offsets[:-1]]
    there = np.repeat(first, np.diff(data.offsets))
    # NaN, a missing value, differs from itself.
    same = (column == there) | ((column != column) & (there != there))
    if not same.all():
        row = int((~same).argmax())
        at = int(np.searchsorted(data.offsets, row, side="right")) - 1
        what = f"list '{data.queries[at]}' has several values of '{name}' ({first[at]} and {column[row]})"
        raise DataError(message(what, hint="lists are divided whole, by what all rows of a list have in common."))
    return list(first.tolist())
