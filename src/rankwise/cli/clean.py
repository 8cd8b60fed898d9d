"""Copies a file of lists without what cannot tell rankings apart, or stands twice, and writes down what was removed.

The lines that are kept are copied byte for byte. OUT.removed.csv names each line that is not, with the reason:
empty: its list has no relevant document; single-label: all documents of its list have one label; duplicates: it repeats
an earlier row of its list; documents: it names a document of its list again; twins: it says the same as an earlier row,
under another document id.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from rankwise.cli.inputs import label_columns
from rankwise.data.clean import DEFAULT, DROPS, Cleaning, clean
from rankwise.evaluation.table import Table

EXAMPLES = """examples:
  rankwise clean train.txt -o train.clean.txt
  rankwise clean train.txt.gz -o train.clean.txt.gz --drop empty,single-label,duplicates
  rankwise clean log.csv -o clean.csv --query srch_id --label booking_bool=5,click_bool=1 --skip-bad-lines
  rankwise clean train.txt -o - | rankwise inspect -
"""


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="LETOR / SVMlight lines with query ids, .csv or .tsv, plain or gzip, or .parquet")
    add("-o", "--output", metavar="OUT", required=True, help="where to, as the same kind of file; - is standard output")
    add(
        "--drop",
        metavar="REASONS",
        default=",".join(DEFAULT),
        help=f"what to remove, of {', '.join(DROPS)} (default {','.join(DEFAULT)})",
    )
    add("--removed", metavar="FILE", help="where to list what was removed (default OUT.removed.csv)")
    add("--query", metavar="COLUMN", help="of a table, the column with query ids, if its name is not understood")
    add("--document", metavar="COLUMN", help="of a table, the column with document ids")
    add("--label", metavar="COLUMN", help="of a table, the column with labels, or those of events: booked=5,clicked=1")
    add("--sort-features", action="store_true", help="accept feature indices in any order within a line of LETOR text")
    add("--skip-bad-lines", action="store_true", help="leave out lines of a .csv or .tsv that cannot be read")
    add("--overwrite", action="store_true", help="replace files that are there; never the one that is read")


def run(arguments: Namespace) -> int:
    names = {} if arguments.label is None else label_columns(arguments.label)
    found = clean(
        arguments.file,
        arguments.output,
        [name.strip() for name in arguments.drop.split(",")],
        removed=arguments.removed,
        query=arguments.query,
        document=arguments.document,
        sort_features=arguments.sort_features,
        skip_bad_lines=arguments.skip_bad_lines,
        overwrite=arguments.overwrite,
        **names,
    )
    # What is kept may be standard output itself.
    print(summary(found), file=sys.stderr if arguments.output == "-" else sys.stdout)
    return 0


def summary(found: Cleaning) -> Table:
    """What was kept, and what was removed for which reason."""
    rows = [["read", f"{found.lists:,}", f"{found.rows:,}"]]
    rows += [[name, f"{-lists:,}", f"{-gone:,}"] for name, (lists, gone) in found.reasons.items()]
    rows += [["kept", f"{found.kept_lists:,}", f"{found.kept_rows:,}"]]
    notes = [] if found.removed is None else [f"{found.removed} lists what was removed"]
    if found.skipped:
        notes.append(f"{found.skipped:,} lines that cannot be read are left out")
    return Table(["", "lists", "rows"], rows, notes)
