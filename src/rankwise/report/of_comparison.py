"""The report of a comparison: means, the differences of all pairs, and two systems list by list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rankwise.evaluation import significance
from rankwise.evaluation.compare import Comparison
from rankwise.evaluation.paired import Family, Paired, is_significant
from rankwise.evaluation.present import convention_line
from rankwise.evaluation.table import Table
from rankwise.report import methods, pairs
from rankwise.report.document import Document, Figure, Listing, Part, Section, Tabled, Words

__all__ = ["document", "list_by_list", "pairwise"]

# Lists that are told of two systems.
MOST = 8
# Values closer than this differ by rounding.
_ROUNDING = 1e-12


def document(comparison: Comparison, title: str = "Comparison") -> Document:
    """The report of a comparison."""
    lists = comparison.paired[0].lists
    subtitle = f"{len(comparison.systems)} systems under {len(comparison.measures)} measures on {lists:,} lists"
    sections = [
        Section("means", "Means", [*_means(comparison), Tabled("means-table", "Means", comparison.table())]),
        Section("differences", "Differences", list(_differences(comparison))),
        Section("lists", "Lists", list(_lists(comparison))),
        Section("conventions", "Conventions", list(conventions(comparison))),
        Section("cite", "Methods to cite", list(_cite(comparison))),
    ]
    return Document(title, subtitle, [section for section in sections if section.parts])


def pairwise(comparison: Comparison, name: str, title: str) -> Figure:
    """Who is better than whom, a chart a measure; all tests are corrected together."""
    settings = comparison.settings
    caption = (
        "How much better the row is than the column, over the same lists. Full colour: no chance "
        f"(p < {settings.alpha:g} by the test '{settings.tests[0]}', corrected by '{settings.correction}')."
    )
    return Figure(name, title, caption, [_pairs(paired, comparison.family) for paired in comparison.paired])


def _pairs(paired: Paired, family: Family) -> Any:
    p = family.p(paired, paired.settings.tests[0])
    made = []
    for at, (base, system) in enumerate(paired.pairs.tolist()):
        better, sure = paired.sign * float(paired.differences[at]), is_significant(p[at], paired.settings)
        for one, other, by in ((system, base, better), (base, system, -better)):
            made.append(pairs.Pair(paired.names[one], paired.names[other], by, float(p[at]), sure))
    return pairs.pairwise(paired.names, made, title=paired.given)


def list_by_list(paired: Paired, first: int, second: int, title: str) -> Iterator[Part]:
    """Two systems as a point for each list, and the lists on which they are furthest apart."""
    x, y = paired.values[first], paired.values[second]
    if not len(x):
        return
    apart = [at for at in np.argsort(-np.abs(y - x), kind="stable")[:MOST].tolist() if abs(y[at] - x[at]) > _ROUNDING]
    one, other = paired.names[first], paired.names[second]
    chart = pairs.scatter(
        one,
        other,
        list(zip(paired.queries, x.tolist(), y.tolist(), strict=True)),
        [paired.queries[at] for at in apart],
        measure=paired.given,
        higher_is_better=paired.measure.higher_is_better,
    )
    caption = "A point a list, larger where several lists have the same two values; rings: the lists that differ most."
    yield Figure("two-systems", title, caption, [chart])
    if apart:
        rows = [[paired.queries[at], f"{x[at]:.4f}", f"{y[at]:.4f}", f"{y[at] - x[at]:+.4f}"] for at in apart]
        yield Tabled("lists-apart", "Lists that differ most", Table(["list", one, other, "difference"], rows))


def _means(comparison: Comparison) -> Iterator[Part]:
    panels = {}
    for paired in comparison.paired:
        panels[paired.given] = [
            {"name": name, "series": "mean", "mean": float(paired.means[at]), "low": float(low), "high": float(high)}
            for at, name in enumerate(paired.names)
            for low, high in [paired.interval(at)]
        ]
    level = f"{comparison.settings.level:.0%}".replace("%", " %")
    chart = pairs.dots(panels, comparison.systems, {"mean": 0}, of="")
    yield Figure("means-figure", "Means of all systems", f"Means over lists with their {level} intervals.", [chart])


def _differences(comparison: Comparison) -> Iterator[Part]:
    yield Tabled("differences-table", "Differences", comparison.differences())
    if len(comparison.systems) > 2:
        yield pairwise(comparison, "pairs-of-all", "Each system against each other")
    if comparison.has_segments:
        yield Tabled("segments", "By segment", comparison.by_segment())
    yield Listing("differences.csv", "All differences, with full precision", comparison.to_csv(), folded=True)


def _lists(comparison: Comparison) -> Iterator[Part]:
    """The two best systems of the first measure, or the best and the baseline."""
    paired = comparison.paired[0]
    order = np.argsort(-paired.sign * paired.means, kind="stable").tolist()
    best = [at for at in order if at != comparison.baseline]
    first, second = (comparison.baseline, best[0]) if comparison.baseline is not None else (order[1], order[0])
    yield from list_by_list(paired, first, second, f"Two systems list by list, under {paired.given}")
    yield Tabled("extremes", "Lists with the largest gains and losses", comparison.lists(), folded=True)


def conventions(comparison: Comparison) -> Iterator[Part]:
    by_name: dict[str, list[object]] = {}
    for measure in comparison.measures:
        by_name.setdefault(measure.convention.name, []).append(measure)
    lines = [f"  {convention_line(name, members)}" for name, members in by_name.items()]  # type: ignore[arg-type]
    yield Words(["What the conventions choose:\n" + "\n".join(lines)])


def _cite(comparison: Comparison) -> Iterator[Part]:
    s = comparison.settings
    tests = [found for test in s.tests if (found := getattr(significance, test, None)) is not None]
    keys = methods.cited(*map(type, comparison.measures), *tests, significance.CORRECTIONS[s.correction])
    if keys:
        yield Listing("methods.bib", "Measures and tests, as BibTeX", methods.bibliography(keys))
