"""Recommends items to users by a recommender that `rankwise train` wrote: the best that a user has not seen.

The result is a table of user, item, rank and score, or a TREC run. Of equal scores the item whose id comes first wins.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from rankwise.cli import inputs, interactions
from rankwise.errors import RankwiseError, message

if TYPE_CHECKING:
    from rankwise.recommenders.recommender import Recommendations

EXAMPLES = """examples:
  rankwise recommend model.rankwise --users 17,42 -k 5
  rankwise recommend model.rankwise -k 100 --format run -o bpr.run
  rankwise recommend model.rankwise --candidates in-stock.txt -o tonight.csv
  rankwise recommend model.rankwise --fold-in new-users.parquet -o new-users.csv
  rankwise recommend model.rankwise --similar-to 50 -k 5
  rankwise train --learner bpr interactions.parquet -o model.rankwise
"""

FORMATS = ("csv", "json", "run")


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("model", metavar="MODEL", help="a file that `rankwise train` or `Recommender.save` wrote")
    add("-k", type=int, default=10, metavar="K", help="so many items each (default 10)")
    add("--users", metavar="IDS", help="users, separated by commas (default: all)")
    add("--users-file", metavar="FILE", help="users, one a line")
    add("--similar-to", metavar="IDS", help="items like these instead, separated by commas")
    add("--include-seen", action="store_true", help="what a user has seen in training too")
    add("--candidates", metavar="FILE", help="the items to choose from, one a line")
    add("--fold-in", metavar="FILE", help="interactions of users that the recommender need not know: for them instead")
    add("--format", default="csv", metavar="F", help="csv (default), json, or run: a TREC run")
    add("-o", "--output", metavar="OUT", default="-", help="where to; default: standard output")
    add("--overwrite", action="store_true", help="replace a file that is there; never one that is read")
    interactions.add_columns(parser)
    add("--threads", type=int, metavar="N", help="how many threads; the result does not depend on it")


def run(arguments: Namespace) -> int:
    _refuse(arguments)
    from rankwise.recommenders.saved import load_recommender

    recommender = load_recommender(arguments.model)
    if arguments.similar_to is not None:
        found = recommender.similar(_words(arguments.similar_to), arguments.k, threads=arguments.threads)
    else:
        if arguments.fold_in is not None:
            recommender = recommender.fold_in(interactions.read(arguments.fold_in, arguments))
        found = recommender.recommend(
            _users(arguments),
            arguments.k,
            exclude_seen=not arguments.include_seen,
            candidates=None if arguments.candidates is None else _lines(arguments.candidates),
            threads=arguments.threads,
        )
    _write(_text(found, arguments.format), arguments.output)
    return 0


def _refuse(arguments: Namespace) -> None:
    from rankwise.data.formats.files import refuse_place

    inputs.check_format(arguments.format, FORMATS)
    if arguments.fold_in is None:
        interactions.refuse_columns(arguments, "--fold-in")
    named = {"--users": "users", "--users-file": "users_file", "--similar-to": "similar_to"}
    ways = [option for option, name in named.items() if inputs.given(arguments, name)]
    if len(ways) > 1:
        raise RankwiseError(message(f"{ways[0]} and {ways[1]} each say for whom", hint="leave one of the two out."))
    if arguments.similar_to is not None:
        for option in ("include_seen", "candidates", "fold_in"):
            if inputs.given(arguments, option):
                raise RankwiseError(message(f"--similar-to has no use for --{option.replace('_', '-')}"))
    others = [path for path in (arguments.users_file, arguments.candidates, arguments.fold_in) if path is not None]
    refuse_place(arguments.output, read=[arguments.model, *others], overwrite=arguments.overwrite)


def _users(arguments: Namespace) -> list[str] | None:
    if arguments.users_file is not None:
        return _lines(arguments.users_file)
    return None if arguments.users is None else _words(arguments.users)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _lines(path: str) -> list[str]:
    from rankwise.data.formats.files import unpacked

    with unpacked(path) as file:
        found = [line.decode("utf-8", "backslashreplace").strip() for line in file]
    return [line for line in found if line]


def _text(found: Recommendations, form: str) -> str:
    if form == "json":
        import json

        rows = {name: [{"item": item, "score": score} for item, score in items] for name, items in found}
        return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"
    table = found.table()
    rows_of = zip(*(table[name].tolist() for name in ("user", "item", "rank", "score")), strict=True)
    if form == "run":
        return "".join(f"{user} Q0 {item} {rank} {score!r} rankwise\n" for user, item, rank, score in rows_of)
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["user", "item", "rank", "score"])
    writer.writerows(rows_of)
    return text.getvalue()


def _write(text: str, output: str) -> None:
    if output == "-":
        sys.stdout.write(text)
        return
    from rankwise.data.formats.files import writing

    with writing(output) as file:
        file.write(text.encode())
