"""Splits the difference between two numbers exactly over what differs between them.

With one run: one measure under two conventions, `-m` twice, or once with `--between` two tools. With two runs: the
ranking is one more thing that differs; `-m` once, or twice to let the convention differ too. Each effect is a
Shapley value; they sum to the difference.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from rankwise.cli import inputs
from rankwise.errors import RankwiseError, message

if TYPE_CHECKING:
    from rankwise.evaluation.explain import Explanation

EXAMPLES = """examples:
  rankwise explain qrels.txt bm25.run -m nDCG@10 -m trec_eval:ndcg_cut_10
  rankwise explain --letor test.txt --scores scores.txt -m yahoo:nDCG@10 -m ranklib:nDCG@10
  rankwise explain --letor test.txt --scores scores.txt -m nDCG@10 --between letor4 ranklib
  rankwise explain qrels.txt old.run new.run -m nDCG@10 --per-query
"""

FORMATS = ("table", "json", "csv", "markdown", "latex")


def add_arguments(parser: ArgumentParser) -> None:
    inputs.add_arguments(parser)
    add = parser.add_argument
    add("--between", nargs=2, metavar=("A", "B"), help="the conventions of two tools, for the one measure of -m")
    add("-q", "--per-query", action="store_true", help="what each choice adds through each list too")
    add("--format", default="table", metavar="F", help="table (default), json, csv, markdown or latex")
    add("--digits", type=int, default=4, metavar="N", help="digits in tables (default 4); csv and json are not rounded")


def run(arguments: Namespace) -> int:
    inputs.check_format(arguments.format, FORMATS)
    inputs.check_digits(arguments.digits)
    _write(explanation(arguments), arguments)
    return 0


def explanation(arguments: Namespace) -> Explanation:
    from rankwise.evaluation.explain import explain

    results = inputs.evaluated(arguments, **_between(arguments))
    found = [outcome for result in results for outcome in result]
    measures = len(results[0])
    if len(results) == 1 and measures == 2:
        return explain(*found)
    if len(results) == 2 and measures in (1, 2):
        return explain(found[0], found[-1])
    hint = "give one run and two measures (-m yahoo:nDCG@10 -m ranklib:nDCG@10), or two runs and one or two measures."
    counted = [f"{n} {what}{'s' * (n != 1)}" for n, what in ((measures, "measure"), (len(results), "run"))]
    what = f"two numbers are compared, and these are {' of '.join(counted)}"
    raise RankwiseError(message(what, hint=hint))


def _between(arguments: Namespace) -> dict[str, list[str]]:
    if arguments.between is None:
        return {}
    if arguments.measure is None or len(arguments.measure) != 1 or ":" in arguments.measure[0].partition("(")[0]:
        hint = "write it like -m nDCG@10 --between letor4 ranklib."
        raise RankwiseError(message("--between wants one measure without a convention", hint=hint))
    return {"measures": [f"{tool}:{arguments.measure[0]}" for tool in arguments.between]}


def _write(found: Explanation, arguments: Namespace) -> None:
    if arguments.format == "csv":
        sys.stdout.write(found.to_csv())
    elif arguments.format == "json":
        import json

        print(json.dumps(found.as_dict(), indent=2, ensure_ascii=False))
    else:
        tables = [found.per_query(digits=arguments.digits)] if arguments.per_query else []
        inputs.print_tables([*tables, found.table(digits=arguments.digits)], arguments.format)
