"""Figures: values in, Altair charts out; a chart becomes a file that needs no network to be looked at.

Altair and vl-convert are imported where something is drawn: `pip install 'rankwise[report]'`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rankwise.data.formats.files import PathLike, placing
from rankwise.errors import RankwiseError, message
from rankwise.report.look import COLOURS, GREY, INK, PAPER, altair, config, converter, vega_lite

__all__ = ["bump_chart", "check_ending", "heat_map", "rendered", "save", "stacked"]

ENDINGS = (".html", ".svg", ".png", ".pdf")
# Pixels: a place on the horizontal axis, a rank, a cell, and at least so much of a heading.
_STEP, _RANK, _CELL = 46, 34, 34
# Names that are longer end in dots.
_LONGEST = 340
# Dots per inch over those of a screen, so that a .png can be printed.
_SCALE = 2.0


def bump_chart(
    systems: Sequence[str], conventions: Sequence[str], ranks: Sequence[Sequence[int]], *, title: str
) -> Any:
    """Lines of systems over conventions, at the height of their rank; `ranks` has a row a convention.

    The systems whose rank changes have colours, each with its name at both ends of its line; the others are grey.
    """
    alt = altair()
    colour = _coloured(systems, ranks)
    heights = [_apart(row) for row in ranks]
    rows = [
        {
            "system": system,
            "convention": convention,
            "rank": row[at],
            "height": height[at],
            "place": place,
            "before": f"{row[at]}  {system}",
            "after": f"{system}  {row[at]}",
        }
        for place, (convention, row, height) in enumerate(zip(conventions, ranks, heights, strict=True))
        for at, system in enumerate(systems)
    ]
    scale = alt.Scale(domain=list(systems), range=[colour.get(system, GREY) for system in systems])
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("convention:N", sort=list(conventions), title=None, axis=_slanted(alt)),
        y=alt.Y(
            "height:Q",
            scale=alt.Scale(domain=[len(systems) + 0.5, 0.5], nice=False),
            # The names at the ends of the lines say the ranks.
            axis=None,
        ),
        color=alt.Color("system:N", scale=scale, legend=None),
        tooltip=["system:N", "convention:N", "rank:Q"],
    )
    lines = base.mark_line(strokeWidth=2.5, interpolate="monotone")
    points = base.mark_point(filled=True, size=55, opacity=1)
    ends = [
        base.transform_filter(f"datum.place == {place}")
        .mark_text(align=align, dx=dx, fontSize=12, fontWeight="bold", limit=_LONGEST)
        .encode(text=f"{text}:N", tooltip=alt.value(None))
        for place, align, dx, text in _ends(len(conventions))
    ]
    size = {"width": _STEP * len(conventions), "height": max(3 * _RANK, _RANK * len(systems))}
    return _framed(alt, alt.layer(lines, points, *ends), title, **size)


def heat_map(conventions: Sequence[str], tau: Sequence[Sequence[float]], *, title: str) -> Any:
    """Kendall's τ between conventions as cells; white is perfect agreement, so that what differs stands out."""
    alt = altair()
    rows = [
        {"one": one, "other": other, "tau": value, "said": f"{value:.2f}".replace("0.", ".", 1)}
        for one, row in zip(conventions, tau, strict=True)
        for other, value in zip(conventions, row, strict=True)
    ]
    least = min((value for row in tau for value in row), default=0.0)
    # The scale ends where the data do, but not so near 1 that a small difference looks like a great one.
    low = min(0.5, least)
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("one:N", sort=list(conventions), title=None, axis=_slanted(alt)),
        y=alt.Y(
            "other:N",
            sort=list(conventions),
            title=None,
            axis=alt.Axis(labelLimit=260, labelFontSize=11, domain=False, ticks=False),
        ),
        tooltip=["one:N", "other:N", alt.Tooltip("tau:Q", format=".3f")],
    )
    shades = alt.Scale(domain=[low, 1], range=["#08519c", "#ffffff"], interpolate="rgb", clamp=True)
    legend = alt.Legend(title="τ", gradientLength=120)
    cells = base.mark_rect(stroke="#dddddd").encode(color=alt.Color("tau:Q", scale=shades, legend=legend))
    dark = f"datum.tau < {(1 + 2 * low) / 3}"
    words = base.mark_text(fontSize=11).encode(
        text="said:N", color=alt.condition(dark, alt.value("white"), alt.value(INK))
    )
    side = _CELL * len(conventions)
    return _framed(alt, alt.layer(cells, words), title, width=side, height=side)


def stacked(*charts: Any) -> Any:
    """Charts one below the other."""
    alt = altair()
    return alt.vconcat(*charts, spacing=30).resolve_scale(
        color="independent", shape="independent", strokeDash="independent"
    )


def save(draw: Callable[[], Any], path: PathLike) -> None:
    """Draws a chart and writes it as .html, .svg, .png or .pdf, whole or not at all."""
    ending = check_ending(path)
    # Whoever lacks the packages learns so before anything is computed.
    altair(), converter()
    chart = draw()
    with placing(path) as part:
        if ending == ".html":
            part.write_bytes(_page(chart, Path(path).stem).encode())
        else:
            part.write_bytes(rendered(chart, ending))


def rendered(chart: Any, ending: str) -> bytes:
    """A chart as the contents of a picture's file, in ink and on paper of its own."""
    spec, version = chart.to_dict() | {"config": config(INK, PAPER)}, vega_lite()
    if ending == ".svg":
        return str(converter().vegalite_to_svg(spec, vl_version=version)).encode()
    if ending == ".pdf":
        return bytes(converter().vegalite_to_pdf(spec, vl_version=version))
    return bytes(converter().vegalite_to_png(spec, vl_version=version, scale=_SCALE))


def _page(chart: Any, name: str) -> str:
    """A page with the chart alone: it shows without a network, and names in it are but text."""
    from rankwise.report.document import Document, Figure, Section
    from rankwise.report.html import page

    return page(Document(name, "", [Section("figure", "Figure", [Figure("figure-1", name, "", [chart])])]))


def check_ending(path: PathLike) -> str:
    """The ending of a figure's file; another one is refused before anything is computed.

    >>> check_ending("ranks.svg")
    '.svg'
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        hint = f"end its name in {', '.join(ENDINGS)}."
        raise RankwiseError(message("a figure cannot be written in that format", place=str(path), hint=hint))
    return ending


def _coloured(systems: Sequence[str], ranks: Sequence[Sequence[int]]) -> dict[str, str]:
    """The colours of the systems whose rank changes; of those that move most, if they are many."""
    moves = [max(column) - min(column) for column in zip(*ranks, strict=True)]
    moving = sorted((at for at, move in enumerate(moves) if move), key=lambda at: -moves[at])[: len(COLOURS)]
    return {systems[at]: colour for at, colour in zip(sorted(moving), COLOURS, strict=False)}


def _apart(ranks: Sequence[int]) -> list[float]:
    """Heights by rank; systems that share a rank stand beside one another on it, a little apart."""
    shared = {rank: [at for at, other in enumerate(ranks) if other == rank] for rank in ranks}
    width = 0.36
    return [
        rank + width * (shared[rank].index(at) - (len(shared[rank]) - 1) / 2) / max(1, len(shared[rank]) - 1)
        for at, rank in enumerate(ranks)
    ]


def _ends(conventions: int) -> list[tuple[int, str, int, str]]:
    """Where names stand, with the rank between name and line: left of the first place and right of the last."""
    left, right = (0, "right", -10, "after"), (conventions - 1, "left", 10, "before")
    return [right] if conventions == 1 else [left, right]


def _slanted(alt: Any) -> Any:
    return alt.Axis(
        labelAngle=-40, labelLimit=260, labelOverlap=False, labelFontSize=11, domain=False, ticks=False, grid=False
    )


def _framed(alt: Any, chart: Any, title: str, **size: int) -> Any:
    head = alt.TitleParams(title, anchor="start", fontSize=14, offset=14)
    return chart.properties(title=head, view=alt.ViewBackground(stroke=None), **size)
