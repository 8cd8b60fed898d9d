"""What a report says, in no format yet: a document is sections, a section is words, facts, tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankwise.evaluation.table import Table

__all__ = ["Document", "Fact", "Facts", "Figure", "Listing", "Part", "Section", "Tabled", "Warned", "Words"]


@dataclass(frozen=True, slots=True)
class Words:
    """Paragraphs; lines that begin with two spaces are the points of the one before them."""

    paragraphs: Sequence[str]


@dataclass(frozen=True, slots=True)
class Fact:
    """What is seen first: a short label, its value, and what there is to say about it."""

    label: str
    value: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts side by side."""

    facts: Sequence[Fact]


@dataclass(frozen=True, slots=True)
class Warned:
    """What to know before a number is quoted: of each its code, its words and what to do."""

    told: Sequence[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Tabled:
    """A table with a name of its own; `folded` until it is asked for."""

    name: str
    title: str
    table: Table
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """Altair charts, one below the other; the name is that of its files."""

    name: str
    title: str
    caption: str
    charts: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Listing:
    """A text as it stands in a file, with the name of that file; `folded` until it is asked for."""

    name: str
    title: str
    text: str
    folded: bool = False


Part = Words | Facts | Warned | Tabled | Figure | Listing


@dataclass(frozen=True, slots=True)
class Section:
    """Parts under a title; its name is what others refer to."""

    name: str
    title: str
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class Document:
    """A report."""

    title: str
    subtitle: str
    sections: Sequence[Section]

    @property
    def figures(self) -> list[Figure]:
        return [part for section in self.sections for part in section.parts if isinstance(part, Figure)]
