"""Splits the difference between two numbers exactly over what differs between them.

With one run: one measure under two conventions, `-m` twice. With two runs: the ranking is one more thing that differs;
`-m` once, or twice to let the convention differ too. Each choice's effect is its Shapley value; the effects sum to the
difference.
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
  rankwise explain qrels.txt old.run new.run -m nDCG@10 --per-query
"""

FORMATS = ("table", "json", "csv", "markdown", "latex")


def add_arguments(parser: ArgumentParser) -> None:
    inputs.add_arguments(parser)
    add = parser.add_argument
    add("-q", "--per-query", action="store_true", help="what each choice adds through each list too")
    add("--format", default="table", metavar="F", help="table (default), json, csv, markdown or latex")
    add("--digits", type=int, default=4, metavar="N", help="digits in tables (default 4); csv and json are not rounded")


def run(arguments: Namespace) -> int:
    if arguments.format not in FORMATS:
        hint = f"the formats are {', '.join(FORMATS)}."
        raise RankwiseError(message(f"there is no format '{arguments.format}'", hint=hint))
    inputs.check_digits(arguments.digits)
    _write(explanation(arguments), arguments)
    return 0


def explanation(arguments: Namespace) -> Explanation:
    from rankwise.evaluation.explain import explain

    results = inputs.evaluated(arguments)
    found = [outcome for result in results for outcome in result]
    measures = len(results[0])
    if len(results) == 1 and measures == 2:
        return explain(*found)
    if len(results) == 2 and measures in (1, 2):
        return explain(found[0], found[-1])
    hint = "give one run and two measures (-m yahoo:nDCG@10 -m ranklib:nDCG@10), or two runs and one or two measures."
    what = f"two numbers are compared, and these are {measures} measures of {len(results)} runs"
    raise RankwiseError(message(what, hint=hint))


def _write(found: Explanation, arguments: Namespace) -> None:
    if arguments.format == "csv":
        sys.stdout.write(found.to_csv())
    elif arguments.format == "json":
        import json

        print(json.dumps(found.as_dict(), indent=2, ensure_ascii=False))
    else:
        tables = [found.per_query(digits=arguments.digits)] if arguments.per_query else []
        inputs.print_tables([*tables, found.table(digits=arguments.digits)], arguments.format)
