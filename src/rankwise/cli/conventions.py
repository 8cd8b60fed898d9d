"""Prints what a convention chooses, or what differs between two."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from rankwise.evaluation.table import Table
from rankwise.measures import MEASURES
from rankwise.measures.convention import AXES
from rankwise.measures.tools import ALIASES, PRESETS, convention, names, tool
from rankwise.measures.tools.base import Tool

EXAMPLES = """examples:
  rankwise conventions
  rankwise conventions letor4
  rankwise conventions letor4 trec_eval
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="none: list all; one: its choices; two: what differs")


def run(arguments: Namespace) -> int:
    match arguments.names:
        case []:
            print(listing())
        case [name]:
            print(choices(name))
        case [mine, other]:
            print(differences(mine, other))
        case _:
            from rankwise.errors import RankwiseError, message

            raise RankwiseError(
                message("one or two conventions are wanted", hint="rankwise conventions letor4 trec_eval")
            )
    return 0


def listing() -> Table:
    """All conventions, with what they are."""
    titles = {
        "standard": "the definition; the default",
        "hotels": "linear gain for labels that are values (booked 5, clicked 1)",
    }
    short = {name: alias for alias, name in ALIASES.items()}
    rows = [[name, short.get(name, ""), titles.get(name) or tool(name).title] for name in names()]
    return Table(["convention", "alias", "what it is"], rows, left=frozenset({0, 1, 2}))


def choices(name: str) -> Table:
    """Every choice of one convention; for a tool also its names and what is not supported."""
    which = _tool(name)
    chosen = convention(ALIASES.get(name, name))
    rows = [[axis, AXES[axis][0], chosen.words(axis)] for axis, _ in chosen if axis != "seed"]
    notes = [] if which is None else _tool_notes(which)
    title = chosen.name if which is None else f"{chosen.name}: {which.title}"
    return Table(["axis", "decides", "choice"], rows, notes, title, frozenset({0, 1, 2}))


def _tool(name: str) -> Tool | None:
    return None if name in PRESETS else tool(name)


def _tool_notes(which: Tool) -> list[str]:
    notes = [
        f"{measure}: {axis} is {which.convention_for(measure).words(axis)}"
        for measure, of in which.measures.items()
        for axis in of
    ]
    notes.append("measures: " + ", ".join(which.measures))
    notes.append("its own names: " + ", ".join(name.replace("{k}", "K") for name in which.names))
    notes += [f"not supported: {name.replace('{k}', 'K')}: {reason}" for name, reason in which.unsupported.items()]
    return notes + list(which.remarks)


def differences(mine: str, other: str) -> Table:
    """The axes on which two conventions differ, for all measures or for those named."""
    a, b = ALIASES.get(mine, mine), ALIASES.get(other, other)
    common = [m for m in MEASURES if _computes(a, m) and _computes(b, m)]
    found: dict[tuple[str, str, str], list[str]] = {}
    for measure in common:
        kind = MEASURES[measure]
        first, second = convention(a, measure), convention(b, measure)
        for axis in first.differences(second):
            if axis in kind().relevant_axes:
                found.setdefault((axis, first.words(axis), second.words(axis)), []).append(measure)
    rows = [[axis, one, two, _whose(axis, measures, common)] for (axis, one, two), measures in found.items()]
    notes = _only(a, b) + _only(b, a)
    if not rows:
        notes = [f"{a} and {b} make the same choices", *notes]
    return Table(
        ["axis", a, b, "for"], sorted(rows, key=lambda r: list(AXES).index(r[0])), notes, left=frozenset({0, 1, 2, 3})
    )


def _computes(name: str, measure: str) -> bool:
    return name in PRESETS or measure in tool(name).measures


def _whose(axis: str, measures: list[str], common: list[str]) -> str:
    looking = [m for m in common if axis in MEASURES[m]().relevant_axes]
    return "all measures" if set(looking) == set(measures) == set(common) else ", ".join(measures)


def _only(a: str, b: str) -> list[str]:
    only = [m for m in MEASURES if _computes(a, m) and not _computes(b, m)]
    return [f"only {a} computes {', '.join(only)}"] if only else []
