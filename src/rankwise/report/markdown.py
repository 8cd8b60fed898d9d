"""A document as Markdown; its figures are files in a folder beside it."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from rankwise.report.document import Document, Facts, Figure, Listing, Part, Tabled, Warned, Words
from rankwise.report.write import file_name

__all__ = ["markdown"]

# What would be markup, in words that come from the user.
_MARKUP = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>#|!~"})
_LANGUAGES = {"toml": "toml", "bib": "bibtex", "csv": "csv"}
# Longer listings have files of their own.
LONGEST = 20_000


def markdown(document: Document, folder: str) -> str:
    """The whole text; pictures are `folder`/name.svg."""
    lines = [f"# {_plain(document.title)}", "", _plain(document.subtitle), ""]
    for section in document.sections:
        lines += [f"## {_plain(section.title)}", ""]
        for part in section.parts:
            lines += [*_part(part, folder), ""]
    return "\n".join(lines).rstrip() + "\n"


def _part(part: Part, folder: str) -> Iterator[str]:
    match part:
        case Words():
            for paragraph in part.paragraphs:
                first, *points = paragraph.split("\n")
                yield from [_plain(first), "", *(f"- {_plain(point.strip())}" for point in points)]
                if points:
                    yield ""
        case Facts():
            for fact in part.facts:
                yield f"- {_plain(fact.label)}: **{_plain(fact.value)}** {_plain(fact.about)}".rstrip()
        case Warned():
            for code, text, hint in part.told:
                yield f"- `{code}` {_plain(text)}. {_plain(hint)}".rstrip()
        case Tabled():
            yield from [f"### {_plain(part.title)}", "", _tags_as_text(part.table.to_markdown())]
        case Figure():
            yield from [f"### {_plain(part.title)}", ""]
            for at in range(1, len(part.charts) + 1):
                name = file_name(part.name, at, len(part.charts))
                yield from [f"![{_plain(part.title)}]({quote(f'{folder}/{name}.svg')})", ""]
            yield _plain(part.caption)
        case Listing():
            if len(part.text) <= LONGEST and not part.folded:
                fence = "`" * max(3, _longest_fence(part.text) + 1)
                language = _LANGUAGES.get(part.name.rpartition(".")[2], "")
                yield from [f"### {_plain(part.title)}", "", f"{fence}{language}", part.text.rstrip("\n"), fence]


def _tags_as_text(table: str) -> str:
    """Only the marks of a table's cells are markup."""
    escaped = table.replace("&", "&amp;").replace("<", "&lt;")
    return escaped.replace("&lt;sup>", "<sup>").replace("&lt;/sup>", "</sup>")


def _plain(text: str) -> str:
    return " ".join(text.split()).translate(_MARKUP)


def _longest_fence(text: str) -> int:
    """How many backticks stand together at most."""
    most = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        most = max(most, run)
    return most
