"""The words and tables of results: what is shown, in which column, and the convention in one line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise.errors import RankwiseError, message
from rankwise.evaluation.interval import RESAMPLES
from rankwise.evaluation.lists import TIED
from rankwise.evaluation.result import MISSING, Outcome, Result
from rankwise.evaluation.table import Table
from rankwise.measures.base import Measure
from rankwise.measures.convention import AXES, Convention

if TYPE_CHECKING:
    from rankwise.evaluation.breakdown import Breakdown

__all__ = [
    "arrow", "as_dict", "breakdown_csv", "breakdown_table", "convention_line", "csv", "per_query", "sentence", "table",
    "tables", "why",
]  # fmt: skip


def tables(results: Sequence[Result], *, digits: int = 4) -> list[Table]:
    """The table of results, and the breakdown of those that were evaluated by groups."""
    found = [table(results, digits=digits)]
    grouped = [result for result in results if result.evaluated.groups is not None]
    if grouped:
        breakdowns = [result.groups for result in grouped]
        found.append(breakdown_table(grouped, breakdowns, digits=digits, alone=False))
    return found


def table(results: Sequence[Result], *, digits: int = 4) -> Table:
    """One row a run and measure: value, interval, what was special; the conventions below."""
    many = len(results) > 1
    bounds = any(result.show_bounds for result in results)
    bootstrap = any(result.show_bootstrap for result in results)
    theirs = any(result.trec_eval for result in results)
    shown = _special_columns(results)
    head = [*(["run"] if many else []), "measure", "value", "95 % interval"]
    head += [
        *([_BOOTSTRAP] if bootstrap else []),
        *(["worst – best"] if bounds else []),
        *(["trec_eval"] if theirs else []),
        *shown,
    ]
    rows = []
    for result in results:
        for at, outcome in enumerate(result):
            row = [
                *([result.name] if many else []),
                str(outcome.measure),
                _number(outcome.mean, digits),
                _range(outcome.interval, digits),
            ]
            if bootstrap:
                row.append(_range(outcome.bootstrap, digits) if result.show_bootstrap else "")
            if bounds:
                row.append(_range(outcome.bounds, digits) if result.show_bounds else "")
            if theirs:
                row.append(_number(result.trec_eval[at].mean, digits) if at in result.trec_eval else "")
            rows.append(row + [_special(outcome, column) for column in shown])
    title = "" if many or not results[0].name else results[0].name
    left = frozenset({0, 1}) if many else frozenset({0})
    return Table(head, rows, _notes(results, shown), title, left)


def breakdown_table(
    results: Sequence[Result], breakdowns: Sequence[Breakdown], *, digits: int = 4, alone: bool = True
) -> Table:
    """One row a run, measure and group; `alone`, it says the conventions too."""
    many = len(results) > 1
    bootstrap = any(result.show_bootstrap for result in results)
    shown = _special_columns([part for breakdown in breakdowns for _, part in breakdown.items()])
    head = [*(["run"] if many else []), "measure", "group", "lists", "value", "95 % interval"]
    head += [*([_BOOTSTRAP] if bootstrap else []), *shown]
    rows = [
        [
            *([result.name] if many else []),
            str(outcome.measure),
            group,
            f"{outcome.counts.lists:,}",
            _number(outcome.mean, digits),
            _range(outcome.interval, digits),
            *([_range(outcome.bootstrap, digits)] if bootstrap else []),
            *(_special(outcome, column) for column in shown),
        ]
        for result, breakdown in zip(results, breakdowns, strict=True)
        for at in range(len(result))
        for group, part in breakdown.items()
        for outcome in [part.outcomes[at]]
    ]
    left = frozenset({0, 1, 2}) if many else frozenset({0, 1})
    if not alone:
        return Table(head, rows, left=left)
    return Table(head, rows, _about(results, shown), "" if many else results[0].name, left)


def breakdown_csv(breakdowns: Sequence[Breakdown]) -> str:
    """`run,measure,group,lists,mean,low,high` with full precision; without an interval, low and high are empty."""
    import csv as writer
    import io

    out = io.StringIO()
    rows = writer.writer(out, lineterminator="\n")
    rows.writerow(["run", "measure", "group", "lists", "mean", "low", "high"])
    for breakdown in breakdowns:
        for at in range(len(breakdown.whole)):
            for group, part in breakdown.items():
                outcome = part.outcomes[at]
                ends = ["" if math.isnan(end) else repr(end) for end in outcome.interval]
                rows.writerow([part.name, outcome.given, group, outcome.counts.lists, repr(outcome.mean), *ends])
    return out.getvalue()


def per_query(results: Sequence[Result], *, digits: int = 4) -> Table:
    """One row a run and list, one column a measure."""
    many = len(results) > 1
    head = [*(["run"] if many else []), "query", *(outcome.given for outcome in results[0])]
    rows = [
        [*([result.name] if many else []), query, *(_number(value, digits) for value in values)]
        for result in results
        for query, values in zip(result.queries, result.values.T.tolist(), strict=True)
    ]
    return Table(head, rows, left=frozenset({0, 1}) if many else frozenset({0}))


_BOOTSTRAP = "95 % bootstrap"
_SPECIAL = ("empty", "short", "tied", "unjudged", "missing")


def _special_columns(results: Iterable[Result]) -> list[str]:
    return [c for c in _SPECIAL if any(getattr(o.counts, c) for result in results for o in result)]


def _special(outcome: Outcome, column: str) -> str:
    count = getattr(outcome.counts, column)
    decided = getattr(outcome.counts, f"{column}_decided", None)
    return f"{count} ({decided})" if decided else f"{count}"


def _number(value: float, digits: int) -> str:
    if not math.isfinite(value):
        return "–" if math.isnan(value) else f"{value}"
    return f"{value:.0f}" if value == int(value) and abs(value) >= 10 else f"{value:.{digits}f}"


def _range(pair: tuple[float, float], digits: int) -> str:
    return "" if math.isnan(pair[0]) else f"{pair[0]:.{digits}f} – {pair[1]:.{digits}f}"


def _notes(results: Sequence[Result], shown: Sequence[str]) -> list[str]:
    return [*_about(results, shown), *why(results)]


def _about(results: Sequence[Result], shown: Sequence[str]) -> list[str]:
    """How many lists there were, what was left out, and the conventions."""
    first = results[0]
    notes = ["1 list" if len(first.evaluated) == 1 else f"{len(first.evaluated):,} lists"]
    if any("(" in _special(o, c) for c in shown for result in results for o in result):
        notes[0] += "; in brackets: those whose value the convention decided"
    unknown = {result.name: result.unknown_queries for result in results if result.unknown_queries}
    for name, count in unknown.items():
        what = "1 query" if count == 1 else f"{count:,} queries"
        notes.append(f"{what} of {name or 'the run'} without judgments, left out")
    notes += conventions((outcome.measure for result in results for outcome in result), runs=first.evaluated.judged_run)
    if any(result.show_bootstrap for result in results):
        notes.append(f"bootstrap: percentiles of {RESAMPLES:,} resamples of the lists, seed 0")
    return notes


def conventions(measures: Iterable[Measure], *, runs: bool = True) -> list[str]:
    """One line for each convention that occurs; without `runs` no list can be missing from one."""
    groups: dict[str, list[Measure]] = {}
    for measure in measures:
        groups.setdefault(measure.convention.name, []).append(measure)
    return [convention_line(name, members, runs=runs) for name, members in groups.items()]


# The axes whose choice is always said, each with its words in a sentence.
_SENTENCE = {
    "gain": "gain {}",
    "labels": "labels {}",
    "discount": "discount {}",
    "ideal": "ideal: {}",
    "rel": "relevant: {}",
    "ties": "ties: {}",
    "precision": "scores in {} precision",
    "empty": "empty lists: {}",
    "short": "lists shorter than k: {}",
    "p_over": "P@k over {}",
    "ap_over": "AP over {}",
    "gmax": "greatest grade {}",
    "cut": "cut-off {}",
    "unjudged": "unjudged documents: {}",
    "missing": "missing lists: {}",
    "mean": "mean: {}",
}
_ONLY_IF_UNUSUAL = {
    "labels": "as is", "precision": "float64", "short": "as is", "p_over": "k", "ap_over": "R", "cut": "kept",
    "unjudged": "not relevant", "mean": "lists",
}  # fmt: skip


def sentence(convention: Convention, axis: str) -> str:
    """The choice on one axis, with what it is about.

    >>> from rankwise.measures.tools import convention
    >>> sentence(convention("letor4"), "ties"), sentence(convention("letor4"), "outside")
    ('ties: as given', 'labels that the gain table lacks: gain 0')
    """
    return _SENTENCE.get(axis, f"{AXES[axis][0]}: {{}}").format(convention.words(axis))


def convention_line(name: str, members: Sequence[Measure], *, runs: bool = True) -> str:
    """The choices that the measures look at, in one line.

    >>> from rankwise.measures.parse import measure
    >>> print(convention_line("letor4", [measure("letor4:P@5")]))
    letor4: relevant: 1 and 2 · ties: as given · missing lists: left out of the mean
    """
    said = []
    for axis, words in _SENTENCE.items():
        if axis == "missing" and not runs:
            continue
        choices: dict[str, list[Measure]] = {}
        asked = [measure for measure in members if axis in measure.relevant_axes]
        for measure in asked:
            if getattr(measure.convention, axis) != _ONLY_IF_UNUSUAL.get(axis, ...):
                choices.setdefault(_axis_words(measure, axis), []).append(measure)
        for choice, those in choices.items():
            whose = "" if len(those) == len(asked) else f" ({', '.join(_called(those, asked))})"
            said.append(words.format(choice) + whose)
    return f"{name}: " + " · ".join(said)


def _called(those: Sequence[Measure], among: Sequence[Measure]) -> list[str]:
    """What tells measures from the others: their names, or their whole texts where another has the same name."""
    others = {measure.name for measure in among if measure not in those}
    return list(dict.fromkeys(str(m) if m.name in others else m.name for m in those))


def _axis_words(measure: Measure, axis: str) -> str:
    words = measure.convention.words(axis)
    if axis == "ideal" and "ideal_cut" in measure.axes and measure.k is not None:
        words += f", cut {measure.convention.words('ideal_cut')}"
    return words


def why(results: Sequence[Result]) -> list[str]:
    """One line on why trec_eval's values beside the bare measures differ, if any does."""
    parts: dict[str, dict[str, None]] = {}
    version = ""
    for result in results:
        for at, theirs in result.trec_eval.items():
            ours = result.outcomes[at]
            if ours.mean == theirs.mean:
                continue
            version = theirs.measure.convention.name
            for axis in ours.measure.convention.differences(theirs.measure.convention):
                if axis in ours.measure.relevant_axes and axis in _SENTENCE and _matters(axis, ours, theirs):
                    mine = _SENTENCE[axis].format(ours.measure.convention.words(axis))
                    parts.setdefault(f"{mine}, there {theirs.measure.convention.words(axis)}", {})[
                        str(ours.measure)
                    ] = None
    if not parts:
        return []
    said = "; ".join(f"{what} ({', '.join(names)})" for what, names in parts.items())
    return [f"trec_eval ({version}) differs: {said}"]


def _matters(axis: str, ours: Outcome, theirs: Outcome) -> bool:
    """Whether an axis can have had a part in a difference, by what was counted."""
    if axis == "ties":
        return ours.counts.tied > 0 or theirs.counts.tied > 0
    if axis == "precision":
        return ours.counts.tied != theirs.counts.tied
    if axis == "missing":
        return ours.counts.missing > 0
    if axis in ("gain", "rel"):
        # On labels 0 and 1, for instance, two gains are one.
        return _differ_without_ties(ours, theirs)
    return axis != "labels"


def _differ_without_ties(ours: Outcome, theirs: Outcome) -> bool:
    """Whether lists without ties have other values too, or there are none that could tell."""
    flags = ours.flags | theirs.flags
    settled = (flags & (TIED | MISSING)) == 0
    same = np.isclose(ours.values, theirs.values, rtol=0, atol=1e-12, equal_nan=True)
    return not settled.any() or bool((settled & ~same).any())


def csv(results: Sequence[Result], *, per_query: bool = False) -> str:
    """`run,measure,query,value`: a stable interface for scripts, with full precision."""
    import csv as writer
    import io

    out = io.StringIO()
    rows = writer.writer(out, lineterminator="\n")
    rows.writerow(["run", "measure", "query", "value"])
    for result in results:
        for outcome in result:
            if per_query:
                pairs = zip(result.queries, outcome.values.tolist(), strict=True)
                rows.writerows(
                    [result.name, outcome.given, query, repr(value)] for query, value in pairs if value == value
                )
            rows.writerow([result.name, outcome.given, "all", repr(outcome.mean)])
    return out.getvalue()


def as_dict(result: Result, *, per_query: bool = False) -> dict[str, Any]:
    """A result as plain values, for JSON."""
    return {
        "run": result.name,
        "lists": len(result.evaluated),
        "unknown_queries": result.unknown_queries,
        "measures": [_outcome_dict(result, at, outcome, per_query) for at, outcome in enumerate(result)],
    }


def _outcome_dict(result: Result, at: int, outcome: Outcome, per_query: bool) -> dict[str, Any]:
    axes = outcome.measure.relevant_axes
    found: dict[str, Any] = {
        "given": outcome.given,
        "measure": str(outcome.measure),
        "value": _json_number(outcome.mean),
        "stderr": _json_number(outcome.stderr),
        "interval": [_json_number(end) for end in outcome.interval],
        "included": outcome.included,
        "counts": outcome.counts.as_dict(),
        "convention": {"name": outcome.measure.convention.name}
        | {axis: outcome.measure.convention.words(axis) for axis, _ in outcome.measure.convention if axis in axes},
    }
    if result.show_bootstrap:
        found["bootstrap"] = [_json_number(end) for end in outcome.bootstrap]
    if result.show_bounds:
        found["bounds"] = [_json_number(end) for end in outcome.bounds]
    if at in result.trec_eval:
        found["trec_eval"] = _json_number(result.trec_eval[at].mean)
    if per_query:
        found["queries"] = {q: _json_number(v) for q, v in zip(result.queries, outcome.values.tolist(), strict=True)}
    if result.evaluated.groups is not None:
        found["groups"] = {name: _group_dict(part, at) for name, part in result.groups.items()}
    return found


def _group_dict(part: Result, at: int) -> dict[str, Any]:
    outcome = part.outcomes[at]
    return {
        "value": _json_number(outcome.mean),
        "stderr": _json_number(outcome.stderr),
        "interval": [_json_number(end) for end in outcome.interval],
        **({"bootstrap": [_json_number(end) for end in outcome.bootstrap]} if part.show_bootstrap else {}),
        "counts": outcome.counts.as_dict(),
    }


def _json_number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def arrow(result: Result) -> Any:
    """Per-list values as an Arrow table of nanoarrow."""
    try:
        import nanoarrow
    except ImportError:
        hint = "pip install 'rankwise[arrow]'; to_csv() and .values need nothing."
        raise RankwiseError(message("Arrow export needs the package nanoarrow", hint=hint)) from None
    run, measure, query, value = [], [], [], []
    for outcome in result:
        run += [result.name] * len(outcome.values)
        measure += [outcome.given] * len(outcome.values)
        query += result.queries
        value += outcome.values.tolist()
    columns = {"run": run, "measure": measure, "query": query}
    arrays = [nanoarrow.c_array(words, nanoarrow.string()) for words in columns.values()]
    arrays.append(nanoarrow.c_array(value, nanoarrow.float64()))
    schema = nanoarrow.struct({**{name: nanoarrow.string() for name in columns}, "value": nanoarrow.float64()})
    batch = nanoarrow.c_array_from_buffers(schema, len(value), buffers=[None], children=arrays)
    return (
        nanoarrow.ArrayStream.from_c_array(batch)
        if hasattr(nanoarrow.ArrayStream, "from_c_array")
        else nanoarrow.Array(batch)
    )
