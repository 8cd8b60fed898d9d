"""Whether the winner changes: several systems on the same lists, ranked under every convention that computes a measure.

It says which choices cannot change a winner on these lists and why, tests the others, and gives a sentence to print
under a table of the numbers.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from rankwise.cli import inputs
from rankwise.errors import RankwiseError, message

if TYPE_CHECKING:
    from rankwise.evaluation.sensitivity import Sensitivity

EXAMPLES = """examples:
  rankwise sensitivity qrels.txt bm25.run neural.run -m nDCG@10
  rankwise sensitivity --letor test.txt --scores one.txt --scores two.txt -m letor4:nDCG@10
  rankwise sensitivity --table log.csv --query srch_id --label booked=5,clicked=1 --score old --score new
  rankwise sensitivity qrels.txt bm25.run neural.run -m AP --figure ranks.html --figure ranks.png
"""

FORMATS = ("table", "json", "csv", "markdown", "latex", "html")


def add_arguments(parser: ArgumentParser) -> None:
    inputs.add_arguments(parser)
    add = parser.add_argument
    add(
        "--under",
        metavar="NAME",
        action="append",
        help="a convention to look at; may be repeated (default: all that compute the measure)",
    )
    add("--everything", action="store_true", help="choices that no tool makes too, where the axes are combined")
    add("--level", type=float, default=0.95, metavar="L", help="a winner is significant if p < 1 - L (default 0.95)")
    add("--permutations", type=int, default=10_000, metavar="N", help="of the randomisation test (default 10000)")
    add("--seed", type=int, default=0, metavar="N", help="of the randomisation test (default 0)")
    add(
        "--figure",
        metavar="FILE",
        action="append",
        default=[],
        help="ranks and agreement drawn, .html, .svg or .png; may be repeated",
    )
    add("--format", default="table", metavar="F", help="table (default), json, csv, markdown, latex or html")
    add("--digits", type=int, default=4, metavar="N", help="digits in tables (default 4); csv and json are not rounded")


def run(arguments: Namespace) -> int:
    inputs.check_format(arguments.format, FORMATS)
    inputs.check_digits(arguments.digits)
    if arguments.figure:
        from rankwise.report.figures import check_ending

        for path in arguments.figure:
            check_ending(path)
    found = _found(arguments)
    _write(found, arguments)
    for path in arguments.figure:
        found.save_figure(path)
    return 0


def _found(arguments: Namespace) -> Sensitivity:
    from rankwise.evaluation.sensitivity import sensitivity

    results = inputs.evaluated(arguments)
    measures = results[0].measures
    if arguments.measure and len(measures) > 1:
        hint = "call it once a measure."
        raise RankwiseError(message(f"one measure is looked at, and these are {len(measures)}", hint=hint))
    return sensitivity(
        results,
        measures[0],
        conventions=arguments.under,
        everything=arguments.everything,
        level=arguments.level,
        permutations=arguments.permutations,
        seed=arguments.seed,
    )


def _write(found: Sensitivity, arguments: Namespace) -> None:
    if arguments.format == "csv":
        sys.stdout.write(found.to_csv())
    elif arguments.format == "html":
        print(found.to_html())
    elif arguments.format == "json":
        import json

        print(json.dumps(found.as_dict(), indent=2, ensure_ascii=False))
    else:
        inputs.print_tables(found.tables(digits=arguments.digits), arguments.format)
