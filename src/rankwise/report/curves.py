"""Figures of curves: panels side by side, each with a curve of every series, its error band and its points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankwise.report.look import DASHES, altair, colour, extent, shape

__all__ = ["Panel", "learning", "panels"]

WIDTH, HEIGHT = 235, 190
FORMAT = ".6f"
# Of more series the bands are paler.
FEW = 4


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel: its title, and a row a point of `series`, `x`, `mean`, `low` and `high`; further columns are told too.

    `range` holds the ends of the vertical axis, if they are not to be those of its own points.
    """

    title: str
    rows: Sequence[Mapping[str, Any]]
    range: tuple[float, float] | None = None


def panels(made: Sequence[Panel], series: Mapping[str, int], *, x: str, of: str, title: str = "") -> Any:
    """Curves of values over cut-offs. `series` says which colour and shape each has, `of` what they are."""
    alt = altair()
    drawn = [_panel(alt, panel, series, x=x, of=of) for panel in made]
    return _beside(alt, drawn, title)


def learning(made: Sequence[Panel], *, title: str = "") -> Any:
    """Learning curves: a line for each fold and seed, dashed on the training lists."""
    alt = altair()
    kinds = list(dict.fromkeys(row["lists"] for panel in made for row in panel.rows))
    drawn = []
    for panel in made:
        ends = extent([row["value"] for row in panel.rows])
        base = alt.Chart(alt.Data(values=list(panel.rows))).encode(
            x=alt.X("step:Q", title="step", axis=alt.Axis(tickMinStep=1, tickCount=5), scale=alt.Scale(zero=False)),
            y=alt.Y("value:Q", title=None, scale=alt.Scale(domain=ends, zero=False, nice=False)),
            color=alt.Color(
                "lists:N",
                title=None,
                scale=alt.Scale(domain=kinds, range=[colour(at) for at in range(len(kinds))]),
                legend=alt.Legend(orient="top", symbolType="stroke", symbolStrokeWidth=2),
            ),
            detail=["fold:N", "seed:N"],
            tooltip=_tooltip(alt, panel.rows, exact=("value",)),
        )
        lines = base.mark_line(strokeWidth=1.2, opacity=0.75).encode(
            strokeDash=alt.StrokeDash(
                "lists:N", scale=alt.Scale(domain=kinds, range=[list(dash) for dash in DASHES[: len(kinds)]])
            )
        )
        kept = base.transform_filter("datum.kept").mark_point(filled=True, size=45, opacity=1)
        drawn.append(alt.layer(lines, kept).properties(title=panel.title, width=WIDTH, height=HEIGHT))
    return _beside(alt, drawn, title)


def _panel(alt: Any, panel: Panel, series: Mapping[str, int], *, x: str, of: str) -> Any:
    ends = panel.range or tuple(extent([row[end] for row in panel.rows for end in ("low", "high")]))
    cuts = sorted({row["x"] for row in panel.rows})
    base = alt.Chart(alt.Data(values=list(panel.rows))).encode(
        x=alt.X("x:Q", title=x, axis=alt.Axis(values=cuts, format="d"), scale=alt.Scale(nice=False, padding=8)),
        color=alt.Color(
            "series:N",
            title=of,
            scale=alt.Scale(domain=list(series), range=[colour(at) for at in series.values()]),
            # The band is pale, its sign in the legend is not.
            legend=alt.Legend(orient="top", symbolOpacity=1),
        ),
    )
    scale = alt.Scale(domain=list(ends), zero=False, nice=False)
    mean = alt.Y("mean:Q", title=None, scale=scale)
    band = base.mark_area(opacity=0.13 if len(series) <= FEW else 0.06).encode(
        y=alt.Y("low:Q", title=None, scale=scale), y2="high:Q"
    )
    line = base.mark_line(strokeWidth=2).encode(y=mean)
    shapes = alt.Scale(domain=list(series), range=[shape(at) for at in series.values()])
    point = base.mark_point(filled=True, size=48, opacity=1).encode(
        y=mean,
        shape=alt.Shape("series:N", title=of, scale=shapes),
        tooltip=_tooltip(alt, panel.rows, exact=("mean", "low", "high", "error")),
    )
    return alt.layer(band, line, point).properties(title=panel.title, width=WIDTH, height=HEIGHT)


def _tooltip(alt: Any, rows: Sequence[Mapping[str, Any]], exact: Sequence[str]) -> list[Any]:
    told = [column for column in (rows[0] if rows else ()) if column not in ("low", "high", "kept")]
    return [
        alt.Tooltip(column, format=FORMAT, type="quantitative")
        if column in exact
        else alt.Tooltip(column, type="nominal")
        for column in told
    ]


def _beside(alt: Any, drawn: Sequence[Any], title: str) -> Any:
    """Panels in a row, with one legend; whoever shows them may put them into several rows."""
    # `called` tells the chart from others of its figure where its data are shown.
    row = alt.concat(*drawn, columns=len(drawn), spacing=28).resolve_scale(x="independent", y="independent")
    head = alt.TitleParams(title, fontSize=14, offset=4)
    return row.properties(title=head, usermeta={"called": title}) if title else row
