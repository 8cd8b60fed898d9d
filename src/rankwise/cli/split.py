"""Divides a file of lists into files by lists, groups or time; a list is never cut.

A list falls to a part by a lot drawn from its id and the seed, whatever the order of the lines; by time, the first part
gets the oldest lists. Lines of text are copied byte for byte. In LETOR text, a COLUMN is the number of a feature.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from rankwise.data.divide import Division, split_file
from rankwise.errors import RankwiseError, message
from rankwise.evaluation.table import Table

EXAMPLES = """examples:
  rankwise split all.txt --into train=0.6,validation=0.2,test=0.2 -o parts
  rankwise split all.txt.gz --folds 5 --seed 7 -o folds
  rankwise split all.txt --into train=0.8,test=0.2 --by group 3 -o parts
  rankwise split log.csv --query srch_id --into train=0.8,test=0.2 --by time date_time -o parts
  rankwise split log.parquet --query srch_id --folds 5 --by group site_id -o folds
"""


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "file",
        metavar="FILE",
        help="LETOR / SVMlight lines with query ids, .csv or .tsv, all plain or gzip, or .parquet",
    )
    add("--into", metavar="PARTS", help="parts and their shares of the lists: train=0.6,validation=0.2,test=0.2")
    add("--folds", type=int, metavar="K", help="K folds instead: folders Fold1 … with train, validation and test")
    add(
        "--by",
        nargs="+",
        default=["list"],
        metavar=("HOW", "COLUMN"),
        help="list (default); group COLUMN: lists of one value stay together; time COLUMN: the oldest first",
    )
    add("--query", metavar="COLUMN", help="of a table, the column that says which list a row belongs to")
    add(
        "--skip-bad-lines", action="store_true", help="leave out lines of a .csv or .tsv that cannot be read, and count"
    )
    add("--seed", type=int, default=0, metavar="N", help="another seed draws other lots (default 0)")
    add("-o", "--output", metavar="DIR", required=True, help="the folder for the files; made if it is not there")
    add("--overwrite", action="store_true", help="replace files that are there")


def run(arguments: Namespace) -> int:
    if (arguments.into is None) == (arguments.folds is None):
        hint = "--into train=0.6,validation=0.2,test=0.2, or --folds 5."
        raise RankwiseError(message("say either the parts or the number of folds", hint=hint))
    division = split_file(
        arguments.file,
        arguments.output,
        None if arguments.into is None else shares(arguments.into),
        folds=arguments.folds,
        query=arguments.query,
        skip_bad_lines=arguments.skip_bad_lines,
        seed=arguments.seed,
        overwrite=arguments.overwrite,
        **by(arguments.by),
    )
    print(summary(division))
    return 0


def shares(text: str) -> dict[str, float]:
    """`train=0.8,test=0.2` as a table.

    >>> shares("train=0.8,test=0.2")
    {'train': 0.8, 'test': 0.2}
    """
    into: dict[str, float] = {}
    for word in text.split(","):
        name, _, share = word.partition("=")
        try:
            value = float(share)
        except ValueError:
            hint = "--into train=0.6,validation=0.2,test=0.2"
            raise RankwiseError(message(f"'{word}' is no part with a share", hint=hint)) from None
        if name in into:
            raise RankwiseError(message(f"the part '{name}' is named twice"))
        into[name] = value
    return into


def by(words: list[str]) -> dict[str, str]:
    match words:
        case ["list"]:
            return {}
        case [("group" | "time") as kind, column]:
            return {kind: column}
    hint = "--by list, --by group COLUMN or --by time COLUMN."
    raise RankwiseError(message(f"lists cannot be divided by '{' '.join(words)}'", hint=hint))


def summary(division: Division) -> Table:
    """What went where."""
    rows = [
        [str(piece.path), f"{piece.lists:,}", f"{piece.lists / division.lists:.1%}", f"{piece.rows:,}"]
        for piece in division.pieces
    ]
    notes = [f"{division.lists:,} lists, {division.rows:,} rows"]
    if division.left_out:
        notes.append(f"left out, lines without a document (blank, or a comment): {division.left_out:,}")
    if division.skipped:
        notes.append(f"left out, lines that cannot be read: {division.skipped:,}")
    return Table(["file", "lists", "share", "rows"], rows, notes)
