"""Finds the conventions under which a run has the numbers that were reported for it.

Every named tool is asked, then a finite grid of choices. With several runs, one convention must make the numbers of
all. If too many conventions fit, it says which further number would tell them apart.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from rankwise.cli import inputs
from rankwise.errors import RankwiseError, message

if TYPE_CHECKING:
    from rankwise.evaluation.identify import Identification

EXAMPLES = """examples:
  rankwise identify qrels.txt bm25.run --reported nDCG@10=0.5058
  rankwise identify --letor test.txt --scores scores.txt --reported nDCG@10=0.2266 --reported MAP=0.4766
  rankwise identify qrels.txt a.run b.run --reported-table paper.csv      (run,nDCG@10,MAP; a row a run)
"""

FORMATS = ("text", "json", "markdown")


def add_arguments(parser: ArgumentParser) -> None:
    inputs.add_files(parser)
    add = parser.add_argument
    add(
        "--reported", metavar="M=VALUE", action="append", default=[],
        help="a measure without its convention, and its number as it was printed; may be repeated",
    )  # fmt: skip
    add("--reported-table", metavar="FILE", help="numbers of several runs: .csv or tab-separated, a row a run, by name")
    add("--digits", type=int, metavar="N", help="printed digits, where trailing zeros were dropped")
    add("--truncated", action="store_true", help="digits were cut off, not rounded")
    add("--mean-of-folds", action="store_true", help="each number is the mean over all the runs that are given")
    add("--format", default="text", metavar="F", help=f"{', '.join(FORMATS)} (default text)")


def run(arguments: Namespace) -> int:
    inputs.check_format(arguments.format, FORMATS)
    found = identification(arguments)
    if arguments.format == "json":
        import json

        print(json.dumps(found.as_dict(), indent=2, ensure_ascii=False))
    else:
        inputs.print_tables([found.table()], "table" if arguments.format == "text" else arguments.format)
    return 0


def identification(arguments: Namespace) -> Identification:
    reported = _reported(arguments)
    from rankwise.evaluation.identify import identify
    from rankwise.measures import NumRet

    # Any measure will do that refuses no label.
    results = inputs.evaluated(arguments, measures=[NumRet(negative="as is")], convention=None)
    return identify(
        results,
        reported,
        digits=4 if arguments.digits is None else arguments.digits,
        truncated=arguments.truncated,
        mean_of_folds=arguments.mean_of_folds,
    )


def _reported(arguments: Namespace) -> dict[str, Any]:
    """The numbers of the command line or of the table, as texts unless their digits are said."""
    if bool(arguments.reported) == (arguments.reported_table is not None):
        hint = "give --reported nDCG@10=0.2266, once or more, or --reported-table FILE."
        what = "numbers are given twice" if arguments.reported else "no reported number is given"
        raise RankwiseError(message(what, hint=hint))
    if arguments.reported_table is not None:
        return _table(arguments.reported_table, arguments.digits)
    found: dict[str, Any] = {}
    for word in arguments.reported:
        measure, equals, value = word.rpartition("=")
        if not equals:
            hint = "write --reported nDCG@10=0.2266."
            raise RankwiseError(message(f"--reported: '{word}' is not a measure and its number", hint=hint))
        if measure in found:
            raise RankwiseError(message(f"--reported: {measure} is given twice"))
        found[measure] = _value(measure, value, arguments.digits)
    return found


def _value(measure: str, text: str, digits: int | None) -> str | float:
    if digits is None:
        return text
    try:
        return float(text)
    except ValueError:
        raise RankwiseError(message(f"--reported: '{text}' of {measure} is not a number")) from None


def _table(path: str, digits: int | None) -> dict[str, dict[str, Any]]:
    """{run: {measure: number}} of a table whose first column names the run; an empty cell is no number."""
    import csv

    text = _text(path)
    rows = [row for row in csv.reader(text.splitlines(), delimiter="\t" if "\t" in text else ",") if row]
    found: dict[str, dict[str, Any]] = {}
    for line, row in enumerate(rows[1:], 2):
        if len(row) != len(rows[0]):
            what = f"there are {len(row)} cells below a head of {len(rows[0])}"
            raise RankwiseError(message(what, place=f"{path}, row {line}"))
        if row[0].strip() in found:
            raise RankwiseError(message(f"run '{row[0].strip()}' stands twice", place=f"{path}, row {line}"))
        cells = {measure.strip(): cell.strip() for measure, cell in zip(rows[0][1:], row[1:], strict=True)}
        found[row[0].strip()] = {m: _value(m, cell, digits) for m, cell in cells.items() if cell}
    if not any(found.values()):
        hint = "the first row names measures (run,nDCG@10,MAP), each further row a run and its numbers."
        raise RankwiseError(message("no reported number is in the table", place=path, hint=hint))
    return found


def _text(path: str) -> str:
    from rankwise.data.formats.files import opened

    try:
        return opened(path).content().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "save it as text with commas or tabs (.csv, .tsv), in UTF-8."
        what = f"it is no UTF-8 ({error.reason} at byte {error.start:,})"
        raise RankwiseError(message(what, place=path, hint=hint)) from None
