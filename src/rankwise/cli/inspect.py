"""Says what is wrong or odd with data, before anyone trains on them, and what it does to which tool's number.

Each finding has a code that keeps its meaning, and a severity: an error makes numbers or models wrong, a warning makes
tools disagree, a note is to be known. Exit codes: 0 no error, 1 an error (with --strict: or a warning), 2 refused.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from rankwise.cli import inputs, interactions
from rankwise.errors import RankwiseError, message

if TYPE_CHECKING:
    from rankwise.evaluation.inspect import Report

EXAMPLES = """examples:
  rankwise inspect train.txt
  rankwise inspect Fold1/train.txt Fold1/vali.txt Fold1/test.txt --strict
  rankwise inspect test.txt --scores scores.txt
  rankwise inspect rank.train --group rank.train.query
  rankwise inspect log.csv --query srch_id --label booking_bool=5,click_bool=1 --skip-bad-lines
  rankwise inspect --qrels qrels.txt bm25.run
  rankwise inspect --interactions train.csv validation.csv test.csv
  rankwise inspect train.txt --format json | jq '.findings[] | [.code, .count, .of]'
"""

FORMATS = ("text", "json", "markdown", "html")


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "files",
        nargs="*",
        metavar="FILE",
        help="LETOR / SVMlight lines, or .csv, .tsv or .parquet tables; with --qrels, runs; with --interactions, what "
        "is judged on",
    )
    add("--qrels", metavar="FILE", help="judgments; the files are runs, if there are any")
    add(
        "--interactions",
        metavar="TRAIN",
        help="interactions that are learnt from: what leaks from the files into them?",
    )
    add("--scores", metavar="FILE", help="one score a line of the one LETOR file")
    inputs.add_reading(parser)
    add("--score", metavar="COLUMN", help="of one table, the column with scores")
    add("-k", type=int, default=10, metavar="K", help="the cut-off that lists may be too short for (default 10)")
    add("--strict", action="store_true", help="exit with 1 for a warning too")
    add("--format", default="text", metavar="F", help=f"{', '.join(FORMATS)} (default text)")
    interactions.add_columns(parser)


def run(arguments: Namespace) -> int:
    if arguments.format not in FORMATS:
        hint = f"the formats are {', '.join(FORMATS)}."
        raise RankwiseError(message(f"there is no format '{arguments.format}'", hint=hint))
    _refuse_what_does_not_go_together(arguments)
    reports = _reports(arguments)
    _write(reports, arguments.format)
    return 0 if all(report.passes(strict=arguments.strict) for report in reports) else 1


def _reports(arguments: Namespace) -> list[Report]:
    if arguments.interactions is not None:
        return [_division(arguments)]
    return _judged(arguments) if arguments.qrels is not None else [_lists(arguments)]


def _refuse_what_does_not_go_together(arguments: Namespace) -> None:
    if not arguments.files and arguments.qrels is None and arguments.interactions is None:
        hint = "rankwise inspect FILE…, or --qrels FILE [RUN…]; `rankwise inspect --help` has examples."
        raise RankwiseError(message("a file to look at is needed", hint=hint))
    if arguments.interactions is not None:
        return
    interactions.refuse_columns(arguments, "--interactions")
    for option in ("scores", "group", "score"):
        if inputs.given(arguments, option) and (len(arguments.files) != 1 or arguments.qrels is not None):
            raise RankwiseError(message(f"--{option} belongs to one file of labelled lists"))
    if arguments.scores is not None and arguments.score is not None:
        raise RankwiseError(message("--scores and --score each hold the scores", hint="leave one of the two out."))


def _judged(arguments: Namespace) -> list[Report]:
    """One report for each run, or one of the judgments alone."""
    from rankwise.data.formats.doors import read_qrels, read_run
    from rankwise.evaluation.inspect import inspect

    options = (*inputs.OF_LISTS, "group")
    given = next((name for name in options if inputs.given(arguments, name)), None)
    if given is not None:
        raise RankwiseError(message(f"--{given.replace('_', '-')} belongs to labelled lists, not to --qrels"))
    qrels = read_qrels(arguments.qrels)
    if not arguments.files:
        return [inspect(qrels, k=arguments.k, name=arguments.qrels)]
    return [inspect(qrels, read_run(path), k=arguments.k, name=path) for path in arguments.files]


def _division(arguments: Namespace) -> Report:
    """What is learnt from, and the files that are judged on."""
    from rankwise.evaluation.inspect import inspect

    options = ("qrels", "scores", "score", "group", *inputs.OF_LISTS)
    given = next((name for name in options if inputs.given(arguments, name)), None)
    if given is not None:
        raise RankwiseError(message(f"--{given.replace('_', '-')} does not go with --interactions"))
    paths = [arguments.interactions, *arguments.files]
    if len(paths) < 2 or len(set(paths)) < len(paths):
        hint = "rankwise inspect --interactions train.csv test.csv"
        raise RankwiseError(message("--interactions needs other files, those that are judged on", hint=hint))
    return inspect({path: interactions.read(path, arguments) for path in paths}, k=arguments.k)


def _lists(arguments: Namespace) -> Report:
    from rankwise.evaluation.inspect import inspect

    reading = inputs.Reading(arguments, arguments.files)
    group = arguments.group[0] if arguments.group else None
    data = {path: reading.read(path, group=group) for path in arguments.files}
    if len(data) > 1:
        return inspect(data, k=arguments.k)
    path, only = next(iter(data.items()))
    return inspect(only, _scores(arguments), k=arguments.k, name=path)


def _scores(arguments: Namespace) -> Any:
    if arguments.scores is None:
        return arguments.score
    from rankwise.data.formats import scores

    return scores.read(arguments.scores)


def _write(reports: list[Report], form: str) -> None:
    if form == "json":
        import json

        found = [report.as_dict() for report in reports]
        print(json.dumps(found if len(found) > 1 else found[0], indent=2, ensure_ascii=False))
        return
    texts = [
        str(report) if form == "text" else report.to_markdown() if form == "markdown" else report.to_html()
        for report in reports
    ]
    print("\n\n".join(texts))
