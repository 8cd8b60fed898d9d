"""Compares rankings of the same lists: differences with intervals, and whether they could be chance.

Without --baseline each is compared with each. The first --test decides what is called significant, after --correction
over systems, measures and segments. With --fail-if it exits with 1 if the condition holds for any system.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from rankwise.cli import inputs
from rankwise.errors import RankwiseError, message

if TYPE_CHECKING:
    from rankwise.evaluation.compare import Comparison

EXAMPLES = """examples:
  rankwise compare qrels.txt bm25.run neural.run -m nDCG@10
  rankwise compare qrels.txt old.run new.run --baseline old.run --fail-if 'nDCG@10 < baseline - 0.005'
  rankwise compare qrels.txt *.run -m AP --test t,wilcoxon --correction bh --format latex
  rankwise compare --letor test.txt --scores a.txt --scores b.txt -m letor4:nDCG@10 --detect 0.01
  rankwise compare --table log.parquet --score model --baseline-column position --by site_id
"""

FORMATS = ("table", "json", "csv", "markdown", "latex", "html")


def add_arguments(parser: ArgumentParser) -> None:
    inputs.add_arguments(parser)
    add = parser.add_argument
    add(
        "--baseline",
        metavar="NAME",
        help="the system that all others are compared with: the name of its file or column",
    )
    add(
        "--baseline-column",
        metavar="COLUMN",
        help="a column of --table with the logged order as the baseline; the least value stands first",
    )
    add(
        "--test",
        metavar="T",
        action="append",
        help="randomisation, t, wilcoxon, sign or tukey, or several with commas (default randomisation,t)",
    )
    add("--correction", default="holm", metavar="C", help="holm (default), bh, bonferroni or none")
    add("--level", type=float, default=0.95, metavar="L", help="the level of intervals (default 0.95)")
    add("--bootstrap", action="store_true", help="the bootstrap interval of each difference too")
    add("--bca", action="store_true", help="the same, corrected for skewness")
    add("--detect", type=float, metavar="D", help="a difference that would matter: its power, and the lists it takes")
    add("--lists", type=int, metavar="N", help="the N lists with the largest gain and loss of each pair too")
    add("--by", metavar="COLUMN", help="segments by the values of a column, one value a list")
    add("--by-file", metavar="FILE", help="segments by a file of two columns, query and group")
    add("--fail-if", metavar="C", action="append", default=[], help="exit with 1 if 'nDCG@10 < baseline - 0.005' holds")
    add("--permutations", type=int, metavar="N", help="draws of the randomisation test (default 100,000)")
    add("--resamples", type=int, metavar="N", help="resamples of the bootstrap (default 10,000)")
    add("--seed", type=int, default=0, metavar="N", help="another seed draws other lots (default 0)")
    add("--format", default="table", metavar="F", help="table (default), json, csv, markdown, latex or html")
    add("--digits", type=int, metavar="N", help="digits in tables (default 4); csv and json are not rounded")


def run(arguments: Namespace) -> int:
    _refuse(arguments)
    from rankwise.evaluation.gate import Gate

    for condition in arguments.fail_if:
        Gate.parse(condition)
    found = comparison(arguments)
    failed = [failure for condition in arguments.fail_if for failure in found.failures(condition)]
    _write(found, arguments)
    for failure in failed:
        print(f"rankwise: failed: {failure}", file=sys.stderr)
    return 1 if failed else 0


# What csv and json have no place for.
_OF_TABLES = ("--digits", "--lists")


def _refuse(arguments: Namespace) -> None:
    """What does not exist, and options that would change nothing."""
    inputs.check_format(arguments.format, FORMATS)
    for option in _OF_TABLES if arguments.format in ("csv", "json") else ():
        if inputs.given(arguments, option.removeprefix("--")):
            what = f"--format {arguments.format} has no place for {option}"
            raise RankwiseError(message(what, hint="leave one of the two out."))
    if arguments.bootstrap and arguments.bca:
        raise RankwiseError(message("--bootstrap and --bca are two intervals", hint="leave one of the two out."))
    if arguments.resamples is not None and not (arguments.bootstrap or arguments.bca):
        raise RankwiseError(message("--resamples belongs to --bootstrap or --bca"))
    if arguments.permutations is not None and "randomisation" not in _tests(arguments):
        raise RankwiseError(message("--permutations belongs to --test randomisation"))
    if arguments.baseline is not None and arguments.baseline_column is not None:
        what = "--baseline and --baseline-column are two baselines"
        raise RankwiseError(message(what, hint="leave one of the two out."))
    if arguments.lists is not None and arguments.lists < 1:
        raise RankwiseError(message(f"--lists must be a whole number from 1, not {arguments.lists}"))
    inputs.check_digits(arguments.digits)


def comparison(arguments: Namespace) -> Comparison:
    from rankwise.evaluation.compare import compare

    results = inputs.evaluated(arguments, by=inputs.groups(arguments))
    options: dict[str, Any] = {"permutations": arguments.permutations, "resamples": arguments.resamples}
    return compare(
        results,
        baseline=arguments.baseline_column or _named(arguments.baseline, [result.name for result in results]),
        tests=_tests(arguments),
        correction=arguments.correction,
        level=arguments.level,
        bootstrap="bca" if arguments.bca else "percentile" if arguments.bootstrap else None,
        detect=arguments.detect,
        seed=arguments.seed,
        threads=arguments.threads,
        **{name: value for name, value in options.items() if value is not None},
    )


def _tests(arguments: Namespace) -> list[str]:
    return [test.strip() for word in arguments.test or ["randomisation,t"] for test in word.split(",")]


def _named(baseline: str | None, names: list[str]) -> str | None:
    """A system is called by the name of its file; its path is understood too."""
    if baseline is None or baseline in names:
        return baseline
    file = baseline.replace("\\", "/").rpartition("/")[2]
    return file if file in names else baseline


def _write(found: Comparison, arguments: Namespace) -> None:
    if arguments.format == "csv":
        sys.stdout.write(found.to_csv())
    elif arguments.format == "json":
        import json

        print(json.dumps(found.as_dict(), indent=2, ensure_ascii=False))
    else:
        digits = 4 if arguments.digits is None else arguments.digits
        tables = found.tables(digits=digits)
        if arguments.lists is not None:
            tables.append(found.lists(most=arguments.lists, digits=digits))
        inputs.print_tables(tables, arguments.format)
