"""The examples in the documents print what they say."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
PAGES = [
    page
    for page in [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]
    if ">>>" in page.read_text("utf-8")
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_print_what_they_say(page: Path) -> None:
    found = doctest.testfile(
        str(page), module_relative=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    )
    assert found.attempted
    assert not found.failed
