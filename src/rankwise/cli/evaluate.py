"""Evaluates rankings under measures, each with its convention.

Without -m: nDCG@10, AP, RR and P@10, or those of them that the default convention has. A measure without a prefix is
that of the default convention: `standard`, unless --convention or a project file `rankwise.toml`
(convention = "letor4", measures = ["nDCG@5"]) sets another.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from rankwise.cli import inputs
from rankwise.errors import RankwiseError, message

if TYPE_CHECKING:
    from rankwise.evaluation.result import Result

EXAMPLES = """examples:
  rankwise evaluate qrels.txt bm25.run neural.run
  rankwise evaluate qrels.txt bm25.run.gz -m nDCG@10 -m "nDCG(gain='linear')@10" -m trec_eval:map
  rankwise evaluate --letor test.txt --scores scores.txt -m letor4:nDCG@1..10 -m letor4:MeanNDCG
  rankwise evaluate qrels.parquet bm25.csv neural.run
  rankwise evaluate --table searches.csv.gz --query srch_id --label booking_bool=5,click_bool=1 --score model
  rankwise evaluate --interactions test.parquet bpr.rankwise popularity.rankwise -m nDCG@10 -m AUC
  rankwise evaluate qrels.txt bm25.run --format csv --per-query > values.csv
  rankwise evaluate qrels.txt bm25.run --bootstrap --by-file kinds.txt
  rankwise evaluate qrels.txt bm25.run --format trec_eval -q -m ndcg_cut.10
"""

FORMATS = ("table", "json", "csv", "markdown", "latex")


def add_arguments(parser: ArgumentParser) -> None:
    inputs.add_arguments(parser)
    add = parser.add_argument
    add("-q", "--per-query", action="store_true", help="the value of each list too")
    add("--bounds", action="store_true", help="the worst and the best case over ties too")
    add("--bootstrap", action="store_true", help="the bootstrap interval of each mean too")
    add("--by", metavar="COLUMN", help="a breakdown by the values of a column, one value a list")
    add("--by-file", metavar="FILE", help="a breakdown by a file of two columns, query and group")
    add(
        "--format",
        default="table",
        metavar="F",
        help="table (default), json, csv, markdown, latex, trec_eval or trec_eval=10.0",
    )
    add("--digits", type=int, metavar="N", help="digits in tables (default 4); csv and json are never rounded")
    trec = parser.add_argument_group("with --format trec_eval, as trec_eval has them")
    trec.add_argument("-c", "--complete", action="store_true", help="count judged queries that the run lacks as 0")
    trec.add_argument("-n", "--no-summary", action="store_true", help="no line for all queries")
    trec.add_argument("-l", "--level", type=int, metavar="N", help="labels from N are relevant")
    trec.add_argument("-J", "--judged-only", action="store_true", help="remove documents without a judgment")
    trec.add_argument("-M", "--depth", type=int, metavar="N", help="look at N documents of each query only")


def run(arguments: Namespace) -> int:
    form, _, version = arguments.format.partition("=")
    _refuse_idle_options(arguments, form)
    if form == "trec_eval":
        sys.stdout.write(_trec_eval(arguments, version or "9.0.8"))
        return 0
    if version or form not in FORMATS:
        hint = f"the formats are {', '.join(FORMATS)}, trec_eval and trec_eval=10.0."
        raise RankwiseError(message(f"there is no format '{arguments.format}'", hint=hint))
    options = {"bounds": arguments.bounds, "bootstrap": arguments.bootstrap, "by": inputs.groups(arguments)}
    _write(inputs.evaluated(arguments, **options), form, arguments)
    return 0


_TREC_ONLY = {"-c": "complete", "-n": "no_summary", "-l": "level", "-J": "judged_only", "-M": "depth"}
_GROUPED = {"--by": "by", "--by-file": "by_file"}
# What a format has no place for.
_IDLE = {
    "trec_eval": {
        "--bounds": "bounds", "--bootstrap": "bootstrap", "--by": "by", "--by-file": "by_file", "--digits": "digits",
        "--convention": "convention", "--threads": "threads",
    },
    "csv": {"--bounds": "bounds", "--bootstrap": "bootstrap", "--digits": "digits"},
    "json": {"--digits": "digits"},
}  # fmt: skip


def _refuse_idle_options(arguments: Namespace, form: str) -> None:
    """An option that would change nothing is refused, as are numbers that count nothing."""
    for option, name in _TREC_ONLY.items() if form != "trec_eval" else ():
        if inputs.given(arguments, name):
            hint = "add --format trec_eval" + (
                ", or say it in the measure, as in P(rel=2)@10." if option == "-l" else "."
            )
            raise RankwiseError(message(f"{option} belongs to --format trec_eval", hint=hint))
    for option, name in _IDLE.get(form, {}).items():
        if inputs.given(arguments, name):
            raise RankwiseError(message(f"--format {form} has no place for {option}", hint="leave one of the two out."))
    grouped = [option for option, name in _GROUPED.items() if inputs.given(arguments, name)]
    if grouped and form == "csv" and arguments.per_query:
        what = f"the CSV of {grouped[0]} has a row a group, and none for a query"
        raise RankwiseError(message(what, hint="leave out --per-query."))
    inputs.check_digits(arguments.digits)


def _write(results: list[Result], form: str, arguments: Namespace) -> None:
    from rankwise.evaluation import present

    if form == "csv" and (arguments.by is not None or arguments.by_file is not None):
        sys.stdout.write(present.breakdown_csv([result.groups for result in results]))
    elif form == "csv":
        sys.stdout.write(present.csv(results, per_query=arguments.per_query))
    elif form == "json":
        import json

        print(
            json.dumps(
                [present.as_dict(r, per_query=arguments.per_query) for r in results], indent=2, ensure_ascii=False
            )
        )
    else:
        digits = 4 if arguments.digits is None else arguments.digits
        tables = present.tables(results, digits=digits)
        if arguments.per_query:
            tables = [present.per_query(results, digits=digits), *tables]
        inputs.print_tables(tables, form)


def _trec_eval(arguments: Namespace, version: str) -> str:
    """What trec_eval would print, a run after the other."""
    inputs.refuse_idle_options(arguments)
    from rankwise.data.formats.doors import read_qrels, read_run
    from rankwise.evaluation.trec_eval_format import left_out, trec_eval_output

    if arguments.letor is not None or arguments.table is not None or len(arguments.files) < 2:
        raise RankwiseError(message("--format trec_eval needs judgments and a run as TREC files"))
    qrels = read_qrels(arguments.files[0])
    options: dict[str, Any] = {
        "version": version,
        "measures": arguments.measure or (),
        "per_query": arguments.per_query,
        "complete": arguments.complete,
        "summary": not arguments.no_summary,
        "level": 1 if arguments.level is None else arguments.level,
        "judged_only": arguments.judged_only,
        "depth": arguments.depth,
    }
    for name, reason in left_out(options["measures"], version=version).items():
        print(f"rankwise: {name} is left out: {reason}", file=sys.stderr)
    return "".join(trec_eval_output(qrels, read_run(path), **options) for path in arguments.files[1:])
