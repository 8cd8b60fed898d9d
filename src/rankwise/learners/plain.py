"""States as plain values: what a checkpoint holds.

A state is a frozen dataclass of arrays, numbers, texts, truth values, None, tuples and other such dataclasses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from rankwise.errors import DataError, message

__all__ = ["of_plain", "to_plain"]

Arrays = dict[str, Any]


def to_plain(value: Any, name: str, arrays: Arrays) -> Any:
    """A value of JSON; arrays go to `arrays`, under names that begin with `name`."""
    if isinstance(value, np.ndarray):
        arrays[name] = value
        return {"array": name}
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        # JSON has no infinities and no NaN, and a float must come back with each of its bits.
        return {"float": value.hex()}
    if isinstance(value, (tuple, list)):
        return {"tuple": [to_plain(part, f"{name}.{at}", arrays) for at, part in enumerate(value)]}
    if isinstance(value, Mapping):
        return {"mapping": {str(key): to_plain(part, f"{name}.{key}", arrays) for key, part in value.items()}}
    if is_dataclass(value) and not isinstance(value, type):
        inside = {f.name: to_plain(getattr(value, f.name), f"{name}.{f.name}", arrays) for f in fields(value)}
        return {"record": type(value).__name__, "fields": inside}
    raise TypeError(f"a state holds plain data, not {type(value).__name__} ({name})")


def of_plain(value: Any, arrays: Mapping[str, Any], records: Mapping[str, type], place: str) -> Any:
    """The value that `to_plain` wrote; nothing but the named kinds of records is made."""
    try:
        return _of_plain(value, arrays, records)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        what = f"the state cannot be read ({type(error).__name__}: {error})"
        raise DataError(message(what, place=place, hint="remove the checkpoint, and train from the start.")) from None


def _of_plain(value: Any, arrays: Mapping[str, Any], records: Mapping[str, type]) -> Any:
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return arrays[value["array"]]
    if "float" in value:
        return float.fromhex(value["float"])
    if "tuple" in value:
        return tuple(_of_plain(part, arrays, records) for part in value["tuple"])
    if "mapping" in value:
        return {key: _of_plain(part, arrays, records) for key, part in value["mapping"].items()}
    kind = records[value["record"]]
    return kind(**{name: _of_plain(part, arrays, records) for name, part in value["fields"].items()})
