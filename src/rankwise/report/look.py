"""How figures look: colours and shapes of series, fonts, and the packages that draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwise.errors import RankwiseError, message

__all__ = [
    "COLOURS",
    "DASHES",
    "GREY",
    "INK",
    "PAPER",
    "SHAPES",
    "altair",
    "colour",
    "config",
    "converter",
    "extent",
    "shape",
    "vega_lite",
]

# Told apart by all kinds of colour vision (after Okabe & Ito 2008, `okabe2008`), and all of a contrast of 3 : 1 at
# least with a white page and with a dark one, so that one figure serves both.
COLOURS = ("#1c7fc4", "#d55e00", "#009e73", "#c7669b", "#a87900", "#7f6bd6", "#2f97a8", "#8c6b58")
GREY = "#8a8f94"
# Those of files that stand alone.
INK, PAPER = "#333333", "white"
# Colours come again with another shape: no series is told by its colour alone.
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3))


def colour(at: int) -> str:
    """The colour of a series."""
    return COLOURS[at % len(COLOURS)]


def shape(at: int) -> str:
    """The shape of its points."""
    return SHAPES[(at + at // len(COLOURS)) % len(SHAPES)]


def config(ink: str = "currentColor", background: str | None = None) -> dict[str, Any]:
    """The part of a specification that all figures share; with `currentColor` they take the page's ink."""
    faint = {"labelColor": ink, "titleColor": ink, "titleFontWeight": "normal"}
    lines = {"gridColor": ink, "gridOpacity": 0.12, "domainColor": ink, "domainOpacity": 0.4, "tickColor": ink}
    return {
        "background": background,
        "font": "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif",
        "view": {"stroke": None},
        "axis": {
            **faint,
            **lines,
            "tickOpacity": 0.4,
            "labelFontSize": 11,
            "titleFontSize": 11,
            "labelLimit": 260,
            "titleLimit": 320,
        },
        "legend": {**faint, "labelFontSize": 11, "titleFontSize": 11, "labelLimit": 280, "symbolStrokeWidth": 2},
        "title": {"color": ink, "subtitleColor": ink, "anchor": "start", "fontSize": 12, "fontWeight": 600},
        "text": {"color": ink},
        "rule": {"color": ink},
    }


def extent(values: Sequence[float], *, margin: float = 0.05) -> list[float]:
    """The ends of an axis for these values, with a margin on both sides."""
    low, high = min(values), max(values)
    more = margin * (high - low) or margin * abs(high) or margin
    return [low - more, high + more]


def altair() -> Any:
    try:
        import altair
    except ImportError:
        raise _lacking("altair") from None
    return altair


def converter() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise _lacking("vl-convert-python") from None
    return vl_convert


def vega_lite() -> str:
    """The Vega-Lite version that Altair writes, as the converter names it: 6.1."""
    return ".".join(str(altair().SCHEMA_VERSION).removeprefix("v").split(".")[:2])


def _lacking(package: str) -> RankwiseError:
    hint = "pip install 'rankwise[report]'"
    return RankwiseError(message(f"figures need the package {package}", hint=hint))
