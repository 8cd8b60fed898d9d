"""Figures of effects: bars to both sides of zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwise.report.look import COLOURS, altair

__all__ = ["effects"]

WIDTH, ROW = 420, 26


def effects(parts: Sequence[tuple[str, float]], *, title: str) -> Any:
    """A bar for each part: to the right what it adds, to the left what it takes away."""
    alt = altair()
    # So much stands beside the bars: the names of the choices.
    beside = min(220, 7 * max(len(name) for name, _ in parts) + 30)
    rows = [{"choice": name, "effect": value, "side": "adds" if value > 0 else "takes away"} for name, value in parts]
    colours = alt.Scale(domain=["adds", "takes away"], range=list(COLOURS[:2]))
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("effect:Q", title=title, axis=alt.Axis(tickCount=6)),
            y=alt.Y("choice:N", sort=[name for name, _ in parts], title=None),
            color=alt.Color("side:N", title=None, scale=colours, legend=alt.Legend(orient="top")),
            tooltip=["choice:N", alt.Tooltip("effect:Q", format="+.6f")],
        )
        .properties(width=WIDTH, height=max(2, len(rows)) * ROW, usermeta={"beside": beside})
    )
