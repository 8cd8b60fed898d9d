"""Draws the report of saved results: of a study, of an evaluation, or of several evaluations held against each other.

HTML is one file that needs no network. Markdown has its figures in a folder beside it. `figures` is a folder of .svg,
.png and .pdf files for a paper.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from rankwise.cli import inputs

EXAMPLES = """examples:
  rankwise report plan.study/result.study
  rankwise report plan.study -o report.html
  rankwise report plan.study --format figures -o figures
  rankwise report bm25.result neural.result --format markdown -o compared.md
"""

FORMATS = ("html", "markdown", "figures")
PLACES = {"html": "report.html", "markdown": "report.md", "figures": "figures"}


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("results", nargs="+", metavar="RESULT", help="a file that `rankwise study` or `Result.save` wrote, or the "
        "folder of a study; several results of evaluations are compared")  # fmt: skip
    add("-o", "--output", metavar="PATH", help="the file, or of figures the folder (default: report.html, report.md or "
        "figures, beside the first result)")  # fmt: skip
    add("--format", default="html", metavar="F", help="html (default), markdown or figures")
    add("--title", default="", metavar="TEXT", help="the title of the report")


def run(arguments: Namespace) -> int:
    inputs.check_format(arguments.format, FORMATS)
    from rankwise.data.formats.files import refuse_place
    from rankwise.report.look import altair, converter
    from rankwise.report.write import load, write_report

    altair(), converter()
    paths = [found / "result.study" if (found := Path(path)).is_dir() else found for path in arguments.results]
    place = Path(arguments.output) if arguments.output else paths[0].parent / PLACES[arguments.format]
    if arguments.format != "figures":
        refuse_place(place, read=paths, overwrite=True)
    written = write_report(load(paths), place, form=arguments.format, title=arguments.title)
    print(written[0] if arguments.format != "figures" else f"{place}: {len(written)} files")
    return 0
