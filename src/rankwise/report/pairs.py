"""Figures of systems held against each other: all pairs, two of them list by list, and all beside one another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankwise.report.look import COLOURS, GREY, altair, colour, extent

__all__ = ["Pair", "dots", "pairwise", "scatter"]

CELL, SIDE, ROW, WIDTH = 36, 340, 20, 235
BETTER, WORSE = COLOURS[0], COLOURS[1]
# The standings of a pair and their colours; what may be chance lets the page shine through.
STANDINGS = {
    "significantly better": BETTER,
    "better, may be chance": f"{BETTER}38",
    "no difference": f"{GREY}26",
    "worse, may be chance": f"{WORSE}38",
    "significantly worse": WORSE,
}


@dataclass(frozen=True, slots=True)
class Pair:
    """How much better `one` is than `other`, and whether that is no chance."""

    one: str
    other: str
    better: float
    """Above 0 if it is better, whether more or less of the measure is."""
    p: float
    significant: bool

    @property
    def standing(self) -> str:
        if self.better == 0:
            return "no difference"
        side = "better" if self.better > 0 else "worse"
        return f"significantly {side}" if self.significant else f"{side}, may be chance"


def pairwise(names: Sequence[str], pairs: Sequence[Pair], *, title: str) -> Any:
    """A cell for each pair: whether the system of the row is better than that of the column."""
    alt = altair()
    rows = [
        {"row": pair.one, "column": pair.other, "standing": pair.standing, "difference": pair.better, "p": pair.p,
         "said": _short(pair.better)}
        for pair in pairs
    ]  # fmt: skip
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("column:N", sort=list(names), title=None, scale=alt.Scale(domain=list(names)), axis=_names(alt, -40)),
        y=alt.Y("row:N", sort=list(names), title=None, scale=alt.Scale(domain=list(names)), axis=_names(alt, 0)),
        tooltip=[
            "row:N", "column:N", "standing:N", alt.Tooltip("difference:Q", format="+.5f"),
            alt.Tooltip("p:Q", format=".4g"),
        ],
    )  # fmt: skip
    told = [name for name in STANDINGS if any(row["standing"] == name for row in rows)]
    fills = [STANDINGS[name] for name in told]
    legend = alt.Legend(title="row against column", orient="top", columns=2, symbolType="square", symbolSize=120)
    cells = base.mark_rect(stroke=GREY, strokeOpacity=0.25).encode(
        color=alt.Color("standing:N", scale=alt.Scale(domain=told, range=fills), legend=legend)
    )
    sure = "indexof(datum.standing, 'significantly') == 0"
    words = [
        base.transform_filter(sure).mark_text(fontSize=10, fontWeight="bold", color="white").encode(text="said:N"),
        base.transform_filter(f"!({sure})").mark_text(fontSize=10).encode(text="said:N"),
    ]
    side = CELL * len(names)
    return alt.layer(cells, *words).properties(title=title, width=side, height=side, usermeta={"called": title})


def scatter(
    one: str,
    other: str,
    values: Sequence[tuple[str, float, float]],
    most: Sequence[str],
    *,
    measure: str,
    higher_is_better: bool = True,
) -> Any:
    """A point a list: its value for one system and for the other; lists with the same two values share a point."""
    alt = altair()
    places: dict[tuple[float, float], list[str]] = defaultdict(list)
    for query, x, y in values:
        places[x, y].append(query)
    told = set(most)
    sign = 1 if higher_is_better else -1
    # Names may hold what a field's name may not, so that the columns are x and y.
    rows: list[dict[str, Any]] = [
        {
            "lists": ", ".join(queries[:4]) + (f" and {len(queries) - 4:,} more" if len(queries) > 4 else ""),
            "count": len(queries),
            "x": x,
            "y": y,
            "difference": y - x,
            "better": one if sign * x > sign * y else other if sign * y > sign * x else "neither",
            "most": any(query in told for query in queries),
        }
        for (x, y), queries in sorted(places.items())
    ]
    ends = extent([end for row in rows for end in (row["x"], row["y"])])
    scale = alt.Scale(domain=ends, nice=False, zero=False)
    kinds = [name for name in (one, other, "neither") if any(row["better"] == name for row in rows)]
    fills = {one: colour(0), other: colour(1), "neither": GREY}
    points = (
        alt.Chart(alt.Data(values=rows))
        .mark_point(filled=True)
        .encode(
            x=alt.X("x:Q", title=one, scale=scale),
            y=alt.Y("y:Q", title=other, scale=scale),
            size=alt.Size("count:Q", scale=alt.Scale(type="sqrt", range=[22, 500]), legend=None),
            color=alt.Color(
                "better:N",
                title="better",
                scale=alt.Scale(domain=kinds, range=[fills[kind] for kind in kinds]),
                legend=alt.Legend(orient="top", columns=1),
            ),
            opacity=alt.condition("datum.most", alt.value(1), alt.value(0.65)),
            tooltip=[
                alt.Tooltip("lists:N"),
                alt.Tooltip("count:Q"),
                alt.Tooltip("x:Q", title=one, format=".5f"),
                alt.Tooltip("y:Q", title=other, format=".5f"),
                alt.Tooltip("difference:Q", format="+.5f"),
            ],
        )
    )
    ring = points.transform_filter("datum.most").mark_point(filled=False, strokeWidth=1.2).encode(opacity=alt.value(1))
    low, high = ends
    line = (
        alt.Chart(alt.Data(values=[{}]))
        .mark_rule(strokeWidth=1, strokeDash=[4, 3], color=GREY)
        .encode(x=alt.datum(low, type="quantitative"), y=alt.datum(low, type="quantitative"), x2=alt.datum(high),
                y2=alt.datum(high))
    )  # fmt: skip
    return alt.layer(line, points, ring).properties(title=measure, width=SIDE, height=SIDE, usermeta={"fits": True})


def dots(
    panels: Mapping[str, Sequence[Mapping[str, Any]]], names: Sequence[str], series: Mapping[str, int], *, of: str
) -> Any:
    """A panel a measure, a row a system, its mean in its interval: `name`, `series`, `mean`, `low` and `high`."""
    alt = altair()
    drawn = []
    for title, those in panels.items():
        # Its data say where they belong.
        rows = [{"measure": title, **row} for row in those]
        ends = extent([row[end] for row in those for end in ("low", "high")])
        scale = alt.Scale(domain=ends, zero=False, nice=False)
        base = alt.Chart(alt.Data(values=rows)).encode(
            y=alt.Y("name:N", sort=list(names), title=None, axis=alt.Axis(labelLimit=200)),
            color=alt.Color(
                "series:N",
                title=of,
                scale=alt.Scale(domain=list(series), range=[colour(at) for at in series.values()]),
                legend=alt.Legend(orient="top") if len(series) > 1 else None,
            ),
            tooltip=[
                alt.Tooltip(name, type="nominal")
                if name in ("measure", "name", "series")
                else alt.Tooltip(name, type="quantitative", format=".5f")
                for name in rows[0]
            ],
        )
        few = alt.Axis(tickCount=5)
        bar = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=None, scale=scale, axis=few), x2="high:Q")
        dot = base.mark_point(filled=True, size=60, opacity=1).encode(x=alt.X("mean:Q", title=None, scale=scale))
        drawn.append(alt.layer(bar, dot).properties(title=title, width=WIDTH, height=ROW * max(2, len(names))))
    row = alt.concat(*drawn, columns=len(drawn), spacing=28).resolve_scale(x="independent", y="independent")
    # So much stands beside a panel: the names of its rows.
    return row.properties(usermeta={"beside": min(220, 7 * max(map(len, names)) + 50)})


def _short(value: float) -> str:
    """Three decimals with their sign, without the zero before the point."""
    return f"{value:+.3f}".replace("0.", ".", 1) if value else "0"


def _names(alt: Any, angle: int) -> Any:
    return alt.Axis(
        labelAngle=angle, labelLimit=220, labelOverlap=False, labelFontSize=11, domain=False, ticks=False, grid=False
    )
