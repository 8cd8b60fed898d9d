"""Groups of lists, for breakdowns: `by=` in any of its forms becomes one group a list."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankwise.data.ids import Ids
from rankwise.errors import DataError, message

if TYPE_CHECKING:
    from rankwise.data.dataset import Dataset

__all__ = ["NONE", "Groups", "group_name"]

# The group of lists whose value is None, NaN or an empty text.
NONE = "(none)"

_HINT = "give an array with one group a list or a row, or {query: group}."


class Groups:
    """The group of each list: `names`, sorted, and the place of each list's group among them.

    Numbers are sorted as numbers; lists without a value come last.

    >>> groups = Groups.of_lists([10, 9, None, 9.0])
    >>> groups.names, groups.codes.tolist(), [rows.tolist() for rows in groups.rows()]
    (('9', '10', '(none)'), [1, 0, 2, 0], [[1, 3], [0], [2]])
    """

    __slots__ = ("codes", "names")

    def __init__(self, names: Sequence[str], codes: npt.NDArray[np.int32]) -> None:
        self.names = tuple(names)
        self.codes = codes

    @classmethod
    def of_lists(cls, values: Iterable[object]) -> Groups:
        """From one value a list."""
        found = [group_name(value) for value in values]
        names = sorted(set(found), key=_place)
        at = {name: code for code, name in enumerate(names)}
        return cls(names, np.array([at[name] for name in found], dtype=np.int32))

    @classmethod
    def of_queries(cls, by: Any, queries: Ids | None, lists: int) -> Groups:
        """From a mapping query → group, or one value a list."""
        if isinstance(by, Mapping):
            return cls.of_lists(_looked_up(by, _called(queries, lists)))
        values = _column(by)
        if len(values) != lists:
            raise DataError(message(f"`by` has {len(values):,} values for {lists:,} lists", hint=_HINT))
        return cls.of_lists(values.tolist())

    @classmethod
    def of_dataset(cls, by: Any, data: Dataset) -> Groups:
        """The same, or the name of a column of the dataset, or one value a row."""
        if isinstance(by, str):
            return cls.of_lists(_one_a_list(_named(by, data), data, f"column '{by}'"))
        if isinstance(by, Mapping):
            return cls.of_queries(by, data.queries, len(data))
        values = _column(by)
        if len(values) == len(data.labels):
            return cls.of_lists(_one_a_list(data.reorder(values), data, "`by`"))
        if len(values) != len(data):
            what = f"`by` has {len(values):,} values for {len(data):,} lists of {len(data.labels):,} rows"
            raise DataError(message(what, hint=_HINT))
        return cls.of_lists(values.tolist())

    @classmethod
    def joined(cls, parts: Sequence[Groups]) -> Groups:
        """The groups of lists one part after the other."""
        return cls.of_lists(part.names[code] for part in parts for code in part.codes.tolist())

    def rows(self) -> list[npt.NDArray[np.intp]]:
        """Of each group, the places of its lists."""
        order = np.argsort(self.codes, kind="stable")
        sizes = np.bincount(self.codes, minlength=len(self.names))
        return np.split(order, np.cumsum(sizes)[:-1]) if len(self.names) else []

    def of_each(self) -> list[str]:
        """The group of each list, by name."""
        return [self.names[code] for code in self.codes.tolist()]


def group_name(value: object) -> str:
    """The text of a value; whole numbers have no decimals, whatever their type.

    >>> [group_name(value) for value in (3, 3.0, 2.5, "GB", "", None, float("nan"))]
    ['3', '3', '2.5', 'GB', '(none)', '(none)', '(none)']
    """
    if value is None or value != value or value == "":
        return NONE
    if isinstance(value, (float, np.floating)) and math.isfinite(value) and value == int(value):
        return str(int(value))
    return str(value)


def _place(name: str) -> tuple[bool, bool, float, str]:
    """Numbers first, by value, then texts; at the end what has no value."""
    try:
        number = float(name)
    except ValueError:
        number = math.nan
    return name == NONE, math.isnan(number), 0.0 if math.isnan(number) else number, name


def _column(by: Any) -> npt.NDArray[Any]:
    if isinstance(by, str):
        hint = (
            "only a Dataset (`--table`) has columns; give {query: group} (`--by-file`), or an array, one group a list."
        )
        raise DataError(message(f"`by` names a column '{by}', and there are none here", hint=hint))
    values = np.array(list(by), dtype=object) if isinstance(by, Ids) else np.asarray(by)
    if values.ndim != 1:
        raise DataError(message(f"`by` must have 1 dimension, not {values.ndim}", hint=_HINT))
    return values


def _named(name: str, data: Dataset) -> Any:
    """A column of a dataset, or a feature."""
    if name in data.columns:
        return data.columns[name]
    if data.feature_names is not None and name in data.feature_names:
        return data.feature(name)
    known = [*data.columns, *(data.feature_names or ())]
    hint = f"there are {', '.join(known)}." if known else _HINT
    raise DataError(message(f"there is no column '{name}' to group by", hint=hint))


def _one_a_list(values: Any, data: Dataset, called: str) -> list[Any]:
    """The value of each list, which all its rows share."""
    first = data.offsets[:-1]
    row = _first_that_differs(values, np.repeat(first, np.diff(data.offsets)))
    if row is not None:
        at = int(np.searchsorted(data.offsets, row, side="right")) - 1
        start = int(first[at])
        what = (
            f"{called} is '{group_name(values[start])}' and '{group_name(values[row])}' within query "
            f"'{data.queries[at]}'; all rows of a list belong to one group"
        )
        raise DataError(message(what, place=f"rows {_callers(data, start)} and {_callers(data, row)}"))
    return list(values[first]) if isinstance(values, Ids) else np.asarray(values)[first].tolist()


def _callers(data: Dataset, row: int) -> int:
    return row if data.rows is None else int(data.rows[row])


def _first_that_differs(values: Any, of_list: npt.NDArray[np.int64]) -> int | None:
    """The first row whose value is not that of its list's first row."""
    if isinstance(values, Ids):
        return values.text.first_difference(values.spans, values.spans[of_list])
    column = np.asarray(values)
    firsts = column[of_list]
    # NaN is the one value that differs from itself.
    differs = (column != firsts) & ((column == column) | (firsts == firsts))
    return int(differs.argmax()) if differs.any() else None


def _looked_up(by: Mapping[Any, Any], queries: Iterable[str]) -> list[Any]:
    known = {str(query): group for query, group in by.items()}
    found = []
    for query in queries:
        if query not in known:
            hint = "give every query a group in `by` (the file of `--by-file`); None stands for no group."
            raise DataError(message(f"query '{query}' has no group", hint=hint))
        found.append(known[query])
    return found


def _called(queries: Ids | None, lists: int) -> Iterable[str]:
    return map(str, range(lists)) if queries is None else queries
