"""Reports of evaluations, of an explanation, and of a sensitivity."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rankwise.evaluation import present
from rankwise.evaluation.explain import Explanation
from rankwise.evaluation.result import Outcome, Result
from rankwise.evaluation.sensitivity import Sensitivity
from rankwise.evaluation.table import Table
from rankwise.measures.convention import Convention
from rankwise.report import bars, curves, methods, pairs
from rankwise.report.document import Document, Figure, Listing, Part, Section, Tabled, Words

__all__ = ["of_explanation", "of_results", "of_sensitivity"]

# Effects below this are of rounding.
_ROUNDING = 1e-12


def of_results(results: Sequence[Result], title: str = "Evaluation") -> Document:
    """The report of results of `evaluate`."""
    first = results[0]
    runs = f"{len(results)} rankings" if len(results) > 1 else first.name or "a ranking"
    subtitle = f"{runs} under {len(first.outcomes)} measures on {len(first.evaluated):,} lists"
    named = [result.name or f"ranking {at}" for at, result in enumerate(results, 1)]
    tables = present.tables(results)
    sections = [
        Section("values", "Values", [Tabled(f"values-{at}", _title(at), table) for at, table in enumerate(tables, 1)]),
        Section("figures", "Figures", [*_over_cuts(results, named), *_means(results, named)]),
        Section("data", "Data", [Listing("values.csv", "The value of each list", present.csv(results, per_query=True),
                                         folded=True)]),
        Section("cite", "Methods to cite", list(_cite(first))),
    ]  # fmt: skip
    return Document(title, subtitle, [section for section in sections if section.parts])


def of_explanation(found: Explanation, title: str = "Why two numbers differ") -> Document:
    """The report of an explanation."""
    first, second = found.first, found.second
    table = found.table()
    parts = [(part.axis, part.effect) for part in found.parts if abs(part.effect) > _ROUNDING]
    caption = "What each choice adds to the difference; together they are the difference."
    figure = [Figure("effects", "What each choice adds", caption, [bars.effects(parts, title="effect on the mean")])]
    figure = figure if parts else []
    sections = [
        Section("choices", "Choices", [Tabled("effects-table", table.title, _untitled(table)), *figure]),
        Section("lists", "Lists", [Listing("effects.csv", "What each choice adds through each list", found.to_csv(),
                                           folded=True)]),
    ]  # fmt: skip
    return Document(title, f"{first.measure} = {first.mean:.4f}, {second.measure} = {second.mean:.4f}", sections)


def of_sensitivity(found: Sensitivity, title: str = "Does the winner change?") -> Document:
    """The report of a sensitivity."""
    bump = Figure("ranks", "Ranks under each convention", "The best stands at the top.", [found.bump_chart()])
    caption = "1: two conventions rank all systems alike; −1: the other way round."
    heat = Figure("agreement", "How far conventions agree", caption, [found.heat_map()])
    named = ["Under each convention", *([] if not found.changing else ["Pairs that change winner"])]
    tables = found.tables()
    titles = [*named, *(["Choices that may change a winner"] if len(tables) > len(named) + 1 else [])]
    titles.append("Choices that cannot change a winner")
    parts = [
        Tabled(f"table-{at}", name, _untitled(table))
        for at, (name, table) in enumerate(zip(titles, tables, strict=True), 1)
    ]
    sections = [
        Section("verdict", "Verdict", [Words([found.summary, found.statement])]),
        Section("figures", "Figures", [bump, heat] if len(found.named) > 1 else [bump]),
        Section("tables", "Tables", parts),
        Section("data", "Data", [Listing("ranks.csv", "All means and ranks", found.to_csv(), folded=True)]),
    ]
    return Document(title, f"{len(found.systems)} systems by {found.measure}", sections)


def _title(at: int) -> str:
    return "Values" if at == 1 else "By group"


def _untitled(table: Table) -> Table:
    return Table(table.head, table.rows, table.notes, left=table.left)


def _over_cuts(results: Sequence[Result], named: Sequence[str]) -> Iterator[Part]:
    """A panel a measure and convention that stands at several cut-offs."""
    made = []
    for places in _families(results[0]):
        rows = [
            {"series": name, "x": result.outcomes[at].measure.k} | _mean(result.outcomes[at])
            for name, result in zip(named, results, strict=True)
            for at in places
        ]
        one = results[0].outcomes[places[0]].measure
        made.append(curves.Panel(f"{one.name}@k under {one.convention.name}", rows))
    if made:
        chart = curves.panels(made, {name: at for at, name in enumerate(named)}, x="cut-off k", of="ranking")
        yield Figure("cut-offs", "Over cut-offs", "Means over lists with their 95 % intervals.", [chart])


def _families(result: Result) -> list[list[int]]:
    found: dict[tuple[type, object, Convention], list[int]] = {}
    for at, outcome in enumerate(result):
        one = outcome.measure
        if one.k is not None:
            found.setdefault((type(one), str(one._parameters()), one.convention), []).append(at)
    ordered = [sorted(places, key=lambda at: result.outcomes[at].measure.k or 0) for places in found.values()]
    return [places for places in ordered if len(places) > 1]


def _means(results: Sequence[Result], named: Sequence[str]) -> Iterator[Part]:
    """The measures that no curve shows."""
    shown = {at for places in _families(results[0]) for at in places}
    panels = {}
    for at, outcome in enumerate(results[0]):
        if at not in shown and math.isfinite(outcome.mean):
            panels[outcome.given] = [
                {"name": name, "series": "mean"} | _mean(result.outcomes[at])
                for name, result in zip(named, results, strict=True)
            ]
    if panels:
        chart = pairs.dots(panels, named, {"mean": 0}, of="")
        yield Figure("means-figure", "Means", "Means over lists with their 95 % intervals.", [chart])


def _mean(outcome: Outcome) -> dict[str, float]:
    low, high = outcome.interval
    known = math.isfinite(low) and math.isfinite(high)
    return {"mean": outcome.mean, "low": low if known else outcome.mean, "high": high if known else outcome.mean}


def _cite(result: Result) -> Iterator[Part]:
    keys = methods.cited(*map(type, result.measures))
    if keys:
        yield Listing("methods.bib", "Measures, as BibTeX", methods.bibliography(keys))
