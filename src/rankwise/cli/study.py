"""Runs a study: folds × learners × training measures × evaluation measures, and says who wins and how surely.

The plan is a TOML file; `--init` writes one with comments. All that is computed is kept in a folder: broken off, the
same command goes on, and a changed plan trains what has changed. Trainings that must come out the same are run once.
"""

from __future__ import annotations

import math
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.cli import inputs
from rankwise.cli.progress import Line, duration
from rankwise.errors import RankwiseError, message

if TYPE_CHECKING:
    from rankwise.study.result import StudyResult
    from rankwise.study.run import Told

EXAMPLES = """examples:
  rankwise study --init plan.toml
  rankwise study plan.toml --dry-run
  rankwise study plan.toml
  rankwise study plan.toml -o build/study --workers 4 --format markdown > study.md
  rankwise study studies/apple_to_apple.toml --set data.folder=/data/MQ2008
"""

FORMATS = ("table", "markdown", "latex", "csv", "json")


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("plan", nargs="?", metavar="PLAN", help="the plan, a TOML file")
    add("--init", nargs="?", const="plan.toml", metavar="FILE", help="write a plan with comments (default plan.toml)")
    add("-o", "--output", metavar="DIR", help="the folder for all that is kept (default: the plan's name + .study)")
    add("--set", metavar="KEY=VALUE", action="append", default=[], help="another value of a key of the plan, such as "
        "data.folder=MQ2008, data.lists=50, run.seeds=[0,1] or learner.1.trees=10; may be repeated")  # fmt: skip
    add("--workers", type=int, metavar="N", help="processes at work at a time (default: the cores)")
    add("--dry-run", action="store_true", help="say what it would take, and do nothing")
    add("--retry-failed", action="store_true", help="try trainings again that failed before")
    add("--format", default="table", metavar="F", help="table (default), markdown, latex, csv or json")
    add("--digits", type=int, default=4, metavar="N", help="digits in tables (default 4); csv and json are not rounded")
    add("--no-report", action="store_true", help="do not draw the report")
    add("--quiet", action="store_true", help="no progress on standard error")


def run(arguments: Namespace) -> int:
    inputs.check_format(arguments.format, FORMATS)
    inputs.check_digits(arguments.digits)
    if arguments.init is not None:
        return _init(arguments)
    if arguments.plan is None:
        hint = "`rankwise study --init plan.toml` writes one to begin with."
        raise RankwiseError(message("a plan is needed", hint=hint))
    from rankwise.study.plan import read_plan

    plan = read_plan(arguments.plan, changes(arguments.set))
    folder = Path(arguments.output) if arguments.output else Path(f"{Path(arguments.plan).stem}.study")
    if arguments.dry_run:
        from rankwise.study.forecast import forecast

        print(forecast(plan, folder, workers=arguments.workers))
        return 0
    from rankwise.study.run import run_study

    progress = None if arguments.quiet else Progress(Line())
    try:
        found = run_study(
            plan, folder, workers=arguments.workers, progress=progress, retry_failed=arguments.retry_failed
        )
    except KeyboardInterrupt:
        sys.stderr.write(f"rankwise: stopped; what is finished is kept in {folder}, and the same command goes on.\n")
        return 130
    write(found, arguments.format, arguments.digits)
    if not arguments.quiet:
        sys.stderr.write(f"rankwise: the result, its tables and all rankers are in {folder}\n")
    if not arguments.no_report:
        said = _drawn(found, folder)
        sys.stderr.write("" if arguments.quiet else f"rankwise: {said}\n")
    return 0


def _drawn(found: StudyResult, folder: Path) -> str:
    """Draws the report, and says where it is; without the packages that draw, how to have them."""
    from importlib.util import find_spec

    from rankwise.report.write import write_report

    if any(find_spec(package) is None for package in ("altair", "vl_convert")):
        return f"no report is drawn; after `pip install 'rankwise[report]'` `rankwise report {folder}` draws it"
    return f"the report is {write_report(found, folder / 'report.html')[0]}"


def _init(arguments: Namespace) -> int:
    from importlib.resources import files

    if arguments.plan is not None:
        raise RankwiseError(message("--init writes a plan, and one is given", hint="leave one of the two out."))
    place = Path(arguments.init)
    if place.exists():
        raise RankwiseError(message("is there already", place=str(place), hint="name another file."))
    from rankwise.data.formats.files import writing

    with writing(place) as file:
        file.write(files("rankwise.study").joinpath("quick.toml").read_bytes())
    print(f"{place}: a plan to begin with; `rankwise study {place}` runs it")
    return 0


def changes(words: list[str]) -> dict[str, Any]:
    """Keys and values, the values as TOML has them; what is none is a text.

    >>> changes(["data.folder=a/b", "run.seeds=[0, 1]", "data.lists=50"])
    {'data.folder': 'a/b', 'run.seeds': [0, 1], 'data.lists': 50}
    """
    import tomllib

    found: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not key.strip() or not equals:
            hint = "--set data.lists=50"
            raise RankwiseError(message(f"'{word}' is no key of the plan and its value", hint=hint))
        try:
            found[key.strip()] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            found[key.strip()] = text.strip()
    return found


def write(found: StudyResult, form: str, digits: int = 4) -> None:
    """The result on standard output."""
    if form == "csv":
        sys.stdout.write(found.to_csv())
    elif form == "json":
        import json

        print(json.dumps(found.as_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        inputs.print_tables(found.tables(digits=digits), form)
        if form != "latex":
            print(f"\n{found.words()}")


class Progress:
    """How many trainings are through, which was the last, and the time that is left.

    A log gets a line for each failure, for each tenth part of all trainings, and for whatever comes a minute after the
    last line.
    """

    def __init__(self, line: Line) -> None:
        self.line = line
        self.tenth = 1

    def begin(self, trainings: int, kept: int, workers: int) -> None:
        self.tenth = max(trainings // 10, 1)
        there = f", {kept:,} of them kept from before" if kept else ""
        self.line.show(f"{trainings:,} trainings{there}, {workers} at a time", worth_a_line=True)

    def done(self, told: Told) -> None:
        if told.failed:
            self.line.show(f"failed: {told.name}: {told.failed.partition(chr(10))[0]}", worth_a_line=True)
            # A failure stays on the screen.
            self.line.end()
        left = "" if math.isnan(told.left) or told.number == told.of else f" · about {duration(told.left)} left"
        text = f"{told.number:,} of {told.of:,}{left} · {told.name}"
        worth = told.number % self.tenth == 0 or told.number == told.of or self.line.since_last() >= 60
        self.line.show(text, worth_a_line=worth)

    def end(self) -> None:
        self.line.end()
