"""The papers of what was used: their keys stand in the docstrings, their entries in `methods.bib`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

__all__ = ["bibliography", "cited", "entries", "words"]

_KEY = re.compile(r"`([a-z]+\d{4}[a-z]?)`")


def cited(*used: Any) -> list[str]:
    """The keys that stand in the docstrings of objects, and of the modules of classes.

    >>> from rankwise import nDCG
    >>> cited(nDCG)
    ['jarvelin2002', 'burges2005']
    """
    found: dict[str, None] = {}
    for one in used:
        found |= dict.fromkeys(_KEY.findall(words(one)))
    known = entries()
    return [key for key in found if key in known]


def bibliography(keys: Iterable[str]) -> str:
    """The entries of these keys, as BibTeX."""
    known = entries()
    return "\n".join(known[key] for key in keys)


def entries() -> dict[str, str]:
    """Each entry by its key."""
    text = files("rankwise.report").joinpath("methods.bib").read_text("utf-8")
    parts = re.split(r"^(?=@)", text, flags=re.MULTILINE)
    return {part.partition("{")[2].partition(",")[0]: part.rstrip() for part in parts if part.startswith("@")}


def words(one: Any) -> str:
    """The docstring of an object; of a class also those of its module and of what it is made from."""
    said = [inspect.getdoc(one) or ""]
    if inspect.isclass(one):
        kinds = [kind for kind in one.__mro__ if kind.__module__.startswith("rankwise")]
        said += [inspect.getdoc(inspect.getmodule(one)) or "", *(inspect.getdoc(kind) or "" for kind in kinds[1:])]
    return "\n".join(said)
