"""A table of a plan, key by key: what is missing, of another kind or unknown is refused with its place."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, NoReturn

from rankwise.errors import RankwiseError, message

__all__ = ["Keys", "PlanError"]

_NONE: Any = object()
_KINDS = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


class PlanError(RankwiseError):
    """A plan that cannot be understood; the message says in which file, table and key."""


class Keys:
    """The keys of one table, each of which is asked for; `end` refuses those that nobody asked for.

    >>> Keys({"folds": 3}, "plan.toml, [data]").whole("folds", least=2)
    3
    """

    def __init__(self, table: Any, place: str) -> None:
        self.place = place
        if not isinstance(table, Mapping):
            raise PlanError(message(f"is {table!r}, not a table", place=place))
        self.table = dict(table)
        self.known: dict[str, None] = {}

    def has(self, key: str) -> bool:
        self.known[key] = None
        return key in self.table

    def take(self, key: str, kinds: Any, default: Any = _NONE) -> Any:
        """The value of a key, of one of these kinds."""
        self.known[key] = None
        if key not in self.table:
            if default is _NONE:
                raise self.error(f"'{key}' is missing", f"write {key} = ….")
            return default
        value = self.table[key]
        allowed = kinds if isinstance(kinds, tuple) else (kinds,)
        is_bool = isinstance(value, bool)
        whole_for_number = float in allowed and isinstance(value, int) and not is_bool
        if (is_bool and bool not in allowed) or not (isinstance(value, allowed) or whole_for_number):
            self.refuse(key, f"is {value!r}, not {' or '.join(_KINDS[kind] for kind in allowed)}")
        return value

    def text(self, key: str, default: Any = _NONE) -> Any:
        value = self.take(key, str, default)
        if isinstance(value, str) and not value.strip():
            self.refuse(key, "is an empty text")
        return value

    def texts(self, key: str, default: Any = _NONE) -> Any:
        """One text or several, as a list."""
        value = self.take(key, (str, list), default)
        if isinstance(value, str):
            return [value]
        if value is not default and (not value or not all(isinstance(one, str) for one in value)):
            self.refuse(key, f"is {value!r}, not a list of texts")
        return value

    def whole(self, key: str, *, least: int, default: Any = _NONE) -> Any:
        value = self.take(key, int, default)
        if isinstance(value, int) and value < least:
            self.refuse(key, f"is {value}, not a whole number from {least}")
        return value

    def number(self, key: str, default: Any = _NONE) -> Any:
        return self.take(key, float, default)

    def truth(self, key: str, default: Any = _NONE) -> Any:
        return self.take(key, bool, default)

    def tables(self, key: str) -> list[Keys]:
        """The tables of an array, [[key]]."""
        value = self.take(key, list)
        if not value:
            self.refuse(key, "is empty")
        return [Keys(one, f"{self.place}, [[{key}]] {number}") for number, one in enumerate(value, 1)]

    def rest(self) -> dict[str, Any]:
        """The keys that nobody has asked for."""
        return {key: value for key, value in self.table.items() if key not in self.known}

    def end(self) -> None:
        """Refuses what is unknown."""
        for key in self.rest():
            raise self.unknown(key, list(self.known))

    def unknown(self, key: str, known: list[str]) -> PlanError:
        near = get_close_matches(key, known, 1)
        hint = (f"did you mean '{near[0]}'? " if near else "") + f"There are {', '.join(sorted(known))}."
        return self.error(f"there is no key '{key}'", hint)

    def error(self, what: str, hint: str = "") -> PlanError:
        return PlanError(message(what, place=self.place, hint=hint))

    def refuse(self, key: str, what: str, hint: str = "") -> NoReturn:
        raise PlanError(message(f"'{key}': {what}" if not what.startswith(("is ", "names ")) else f"'{key}' {what}",
                                place=self.place, hint=hint))  # fmt: skip
