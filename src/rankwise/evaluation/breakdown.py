"""The breakdown of a result by groups of its lists: each group is a result of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankwise.errors import DataError, message
from rankwise.evaluation.groups import Groups, group_name
from rankwise.evaluation.present import breakdown_csv, breakdown_table
from rankwise.evaluation.result import Result

if TYPE_CHECKING:
    from rankwise.evaluation.table import Table

__all__ = ["Breakdown"]


class Breakdown:
    """A result for each group of lists, with its own mean, interval and counts.

    >>> from rankwise import evaluate
    >>> result = evaluate([1, 0, 0, 1, 1, 0], [2.0, 1, 2, 1, 1, 0], "RR", group=[2, 2, 2], by=["GB", "DE", "GB"])
    >>> result.groups.names, result.groups["GB"]["RR"].mean, len(result.groups)
    (('DE', 'GB'), 1.0, 2)
    """

    def __init__(self, whole: Result, groups: Groups) -> None:
        self.whole = whole
        self.names = groups.names
        self._rows = dict(zip(groups.names, groups.rows(), strict=True))
        self._parts: dict[str, Result] = {}

    def __getitem__(self, group: object) -> Result:
        """The result of one group, by its value or its text."""
        name = group_name(group)
        if name not in self._rows:
            raise DataError(message(f"there is no group '{name}'", hint=f"there are {', '.join(self.names)}."))
        if name not in self._parts:
            self._parts[name] = self.whole.take(self._rows[name])
        return self._parts[name]

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        """The names of the groups."""
        return iter(self.names)

    def items(self) -> Iterator[tuple[str, Result]]:
        return ((name, self[name]) for name in self.names)

    def table(self, *, digits: int = 4) -> Table:
        """One row a measure and group."""
        return breakdown_table([self.whole], [self], digits=digits)

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().to_html()

    def to_markdown(self) -> str:
        return self.table().to_markdown()

    def to_latex(self) -> str:
        return self.table().to_latex()

    def to_csv(self) -> str:
        """`run,measure,group,lists,mean,low,high` with full precision; a group of one list has no interval."""
        return breakdown_csv([self])
