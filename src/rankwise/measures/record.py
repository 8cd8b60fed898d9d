"""A measure as plain values, for files: its name, its cut-off, its parameters and every choice of its convention.

The text of a measure says only what differs from its tool's convention, and a tool's convention may be mended one day;
a record says everything, so that what is read back is what was written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwise.errors import MeasureError, RankwiseError, message
from rankwise.measures import MEASURES
from rankwise.measures.base import Measure
from rankwise.measures.convention import AXES, Convention

__all__ = ["from_record", "record"]


def record(measure: Measure) -> dict[str, Any]:
    """The measure as plain values.

    >>> from rankwise.measures import nDCG
    >>> kept = record(nDCG(10, gain={0: 0, 1: 3}))
    >>> kept["name"], kept["k"], kept["convention"]["gain"], kept["convention"]["ties"]
    ('nDCG', 10, [[0.0, 0.0], [1.0, 3.0]], 'expected')
    >>> from_record(kept)
    nDCG(gain={0: 0, 1: 3})@10
    """
    if MEASURES.get(measure.name) is not type(measure):
        raise _no_functions(f"{measure} is a measure of yours")
    convention = {axis: _plain(measure, axis, choice) for axis, choice in measure.convention}
    return {
        "measure": str(measure),
        "name": measure.name,
        "k": measure.k,
        "parameters": {name: _plain(measure, name, value) for name, value in measure._parameters().items()},
        "convention": {"name": measure.convention.name, **convention},
    }


def from_record(kept: Mapping[str, Any]) -> Measure:
    """The measure of a record; a choice that the record lacks, because it is older, is the default."""
    try:
        choices = dict(kept["convention"])
        name, k, parameters = kept["name"], kept["k"], dict(kept["parameters"])
        called = choices.pop("name")
        if not (isinstance(name, str) and isinstance(called, str)):
            raise TypeError
    except (KeyError, TypeError, ValueError):
        raise MeasureError(message("a measure lacks its name, its cut-off or its convention")) from None
    if name not in MEASURES:
        raise MeasureError(message(f"there is no measure {name!r}", hint="a newer Rankwise may know it."))
    unknown = sorted(set(choices) - set(AXES))
    if unknown:
        raise MeasureError(
            message(f"{name} has an unknown choice '{unknown[0]}'", hint="a newer Rankwise may know it.")
        )
    try:
        convention = Convention(name=called, **{axis: _choice(axis, choice) for axis, choice in choices.items()})
        return MEASURES[name](k, convention=convention, **{word: _listed(value) for word, value in parameters.items()})
    except RankwiseError:
        raise
    except (TypeError, ValueError, AttributeError, RecursionError):
        raise MeasureError(message(f"the parameters of {name} cannot be read ({', '.join(parameters)})")) from None


def _plain(measure: Measure, what: str, value: Any) -> Any:
    if callable(value):
        raise _no_functions(f"{what} of {measure.name} is the function {getattr(value, '__qualname__', value)}")
    if isinstance(value, (tuple, list)):
        return [_plain(measure, what, part) for part in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise _no_functions(f"{what} of {measure.name} is {value!r}")


def _no_functions(what: str) -> MeasureError:
    hint = "say it as a table, or keep the values as to_csv(per_query=True)."
    return MeasureError(message(f"{what}, which a file cannot hold", hint=hint))


def _choice(axis: str, choice: Any) -> Any:
    if axis in ("gain", "labels") and isinstance(choice, list):
        return tuple(tuple(pair) if isinstance(pair, list) else pair for pair in choice)
    return choice


def _listed(value: Any) -> Any:
    return tuple(_listed(part) for part in value) if isinstance(value, list) else value
