"""A document as one HTML file that needs nothing else: no network, no other file.

What comes from the user is text to the page: escaped in the markup, and in the data a JSON text in which no character
can end the script that holds it. A policy in the page lets only its own two scripts run, told by their digests, and no
connection be made, so that what might slip through could do nothing.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from rankwise import __version__
from rankwise.evaluation.table import Marked, Table
from rankwise.report.document import Document, Facts, Figure, Listing, Part, Section, Tabled, Warned, Words
from rankwise.report.look import INK, PAPER, config, converter, vega_lite

__all__ = ["json_text", "page", "spec_of"]

# Columns of figures' data that only serve the drawing.
HIDDEN = ("said", "height", "place", "before", "after", "most", "kept")
# Cells with more characters are broken into lines.
LONG = 60


def page(document: Document) -> str:
    """The whole page."""
    # A script's text ends at the first `</script`, wherever that stands.
    drawing = converter().javascript_bundle(vl_version=vega_lite()).replace("</script", "<\\/script")
    own = _file("page.js")
    sections = "\n".join(_section(section) for section in document.sections)
    links = "".join(f'<li><a href="#{_id(one.name)}">{escape(one.title)}</a></li>' for one in document.sections)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy(drawing, own)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="rankwise {__version__}">
<title>{escape(document.title)} – Rankwise</title>
<link rel="icon" href="data:,">
<style>
{_file("page.css")}</style>
</head>
<body>
<a class="skip" href="#{_id(document.sections[0].name)}">to the report</a>
<header>
<h1>{escape(document.title)}</h1>
<p>{escape(document.subtitle)}</p>
<nav aria-label="sections"><ul>{links}</ul></nav>
</header>
<main>
{sections}
</main>
<footer>Made by Rankwise {__version__}. This page needs no network; its figures need JavaScript.</footer>
<script type="application/json" id="report-data">{json_text(_data(document))}</script>
<script>{drawing}</script>
<script>{own}</script>
</body>
</html>
"""


def json_text(value: Any) -> str:
    """JSON that can stand in a script: nothing in it ends the script or begins a comment.

    >>> json_text("</script><!-- &")
    '"\\\\u003c/script\\\\u003e\\\\u003c!-- \\\\u0026"'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _policy(*scripts: str) -> str:
    digests = " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {digests}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _data(document: Document) -> dict[str, Any]:
    tables = [part for section in document.sections for part in section.parts if isinstance(part, Tabled)]
    return {
        "config": config(),
        "alone": config(INK, PAPER),
        "hidden": HIDDEN,
        "figures": {figure.name: [spec_of(chart) for chart in figure.charts] for figure in document.figures},
        "latex": {part.name: part.table.to_latex() + "\n" for part in tables},
    }


def spec_of(chart: Any) -> dict[str, Any]:
    """A chart without what the page has for all of them; its rows in one place, those that are equal once."""
    spec: dict[str, Any] = chart.to_dict()
    named: dict[str, Any] = dict(spec.get("datasets", {}))
    kept = {name: value for name, value in spec.items() if name not in ("$schema", "config", "datasets")}
    return {**_named(kept, named), "datasets": named}


def _named(part: Any, named: dict[str, Any]) -> Any:
    """A part of a specification whose rows are moved to `named`."""
    if isinstance(part, list):
        return [_named(one, named) for one in part]
    if not isinstance(part, dict):
        return part
    rows = part.get("data", {}).get("values") if isinstance(part.get("data"), dict) else None
    if isinstance(rows, list):
        name = next((name for name, other in named.items() if other == rows), f"rows-{len(named)}")
        named[name] = rows
        part = {**part, "data": {"name": name}}
    return {name: value if name == "data" else _named(value, named) for name, value in part.items()}


def _file(name: str) -> str:
    return files("rankwise.report").joinpath(name).read_text("utf-8")


def _id(name: str) -> str:
    return "".join(character if character.isalnum() and character.isascii() else "-" for character in name)


def _section(section: Section) -> str:
    parts = "\n".join(map(_part, section.parts))
    name = _id(section.name)
    head = f'<h2 id="{name}-title">{escape(section.title)}</h2>'
    return f'<section id="{name}" aria-labelledby="{name}-title">\n{head}\n{parts}\n</section>'


def _part(part: Part) -> str:
    match part:
        case Words():
            return "\n".join(map(_paragraph, part.paragraphs))
        case Facts():
            return f'<dl class="facts">{"".join(_fact(f.label, f.value, f.about) for f in part.facts)}</dl>'
        case Warned():
            return f'<ul class="told">{"".join(_told(*one) for one in part.told)}</ul>'
        case Tabled():
            return _folded(part.folded, part.title, f'class="part" data-table="{escape(part.name)}"', _table(part))
        case Figure():
            return _figure(part)
        case Listing():
            inside = f'<pre tabindex="0" aria-label="{escape(part.title)}">{escape(part.text)}</pre>'
            return _folded(part.folded, part.title, f'class="part" data-listing="{escape(part.name)}"', inside)


def _paragraph(paragraph: str) -> str:
    first, *points = paragraph.split("\n")
    listed = "".join(f"<li>{escape(point.strip())}</li>" for point in points)
    return f"<p>{escape(first)}</p>" + (f'<ul class="points">{listed}</ul>' if listed else "")


def _fact(label: str, value: str, about: str) -> str:
    return f'<div><dt>{escape(label)}</dt><dd class="value">{escape(value)}</dd><dd>{escape(about)}</dd></div>'


def _told(code: str, text: str, hint: str) -> str:
    more = f"<small>{escape(hint)}</small>" if hint else ""
    return f"<li><code>{escape(code)}</code> {escape(text)}.{more}</li>"


def _folded(folded: bool, title: str, attributes: str, inside: str) -> str:
    if folded:
        return f"<div {attributes}><details><summary>{escape(title)}</summary>{inside}</details></div>"
    return f"<div {attributes}><h3>{escape(title)}</h3>{inside}</div>"


def _table(part: Tabled) -> str:
    table = part.table
    head = "".join(f'<th scope="col"{_side(table, at)}>{escape(cell)}</th>' for at, cell in enumerate(table.head))
    body = "\n".join(f"<tr>{_row(table, row)}</tr>" for row in table.rows)
    notes = "".join(f"<p>{escape(note)}</p>" for note in table.notes)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(part.title)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>"
        + (f'<div class="notes">{notes}</div>' if notes else "")
    )


def _side(table: Table, at: int, cell: str = "") -> str:
    kinds = [*(["left"] if at in table.left else []), *(["long"] if len(cell) > LONG else [])]
    return f' class="{" ".join(kinds)}"' if kinds else ""


def _row(table: Table, row: Sequence[str]) -> str:
    return "".join(f"<td{_side(table, at, cell)}{_plain(cell)}>{_cell(cell)}</td>" for at, cell in enumerate(row))


def _plain(cell: str) -> str:
    return f' data-value="{escape(str(cell))}"' if isinstance(cell, Marked) and cell.mark else ""


def _cell(cell: str) -> str:
    if isinstance(cell, Marked) and cell.mark:
        return f"{escape(cell.value)}<sup>{escape(cell.mark)}</sup>"
    return escape(cell)


def _figure(figure: Figure) -> str:
    label = f'tabindex="0" role="region" aria-label="{escape(figure.title)}"'
    places = f'<div class="chart" {label}></div>' * len(figure.charts)
    return (
        f'<figure id="{_id(figure.name)}" data-figure="{escape(figure.name)}"><h3>{escape(figure.title)}</h3>'
        f'<div class="charts">{places}</div><figcaption><p>{escape(figure.caption)}</p></figcaption></figure>'
    )
