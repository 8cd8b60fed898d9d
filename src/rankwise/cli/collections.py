"""Lists the public collections, describes one, or checks a folder that holds it; nothing is downloaded.

A check reads every file of the collection and says what is missing or differs from what was published.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from rankwise.data.collections import ABOUT, COLLECTIONS, About
from rankwise.errors import RankwiseError, message
from rankwise.evaluation.table import Table

EXAMPLES = """examples:
  rankwise collections
  rankwise collections mq2008
  rankwise collections mq2008 MQ2008/
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="a collection; none lists all")
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="where you have it: checks the files there")


def run(arguments: Namespace) -> int:
    if arguments.name is None:
        print(listing())
        return 0
    if arguments.folder is None:
        print(description(about(arguments.name)))
        return 0
    problems = check(arguments.name, arguments.folder)
    print("\n".join(problems) if problems else f"{arguments.name}: all files are there and as published")
    return 1 if problems else 0


def about(name: str) -> About:
    if name not in ABOUT:
        raise RankwiseError(message(f"there is no collection '{name}'", hint=f"there are {', '.join(ABOUT)}."))
    return ABOUT[name]


def listing() -> Table:
    """All collections."""
    rows = [[one.name, one.title, one.contents] for one in ABOUT.values()]
    return Table(["collection", "what it is", "contents"], rows, left=frozenset({0, 1, 2}))


def description(one: About) -> str:
    """All that is known of a collection."""
    lines = {
        "from": one.source,
        "page": one.url,
        "terms": one.terms,
        "cite": one.citation,
        "contents": one.contents,
        "checked": one.checked,
    }
    return "\n".join([one.title, *(f"  {word:<9} {text}" for word, text in lines.items())])


def check(name: str, folder: str) -> list[str]:
    if about(name).name not in COLLECTIONS:
        raise RankwiseError(message(f"{name} lies in the package", hint="`rankwise.collections.sample()` reads it."))
    return COLLECTIONS[name](folder).check()
