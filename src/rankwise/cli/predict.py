"""Scores documents by a ranker that `rankwise train` wrote: one score a line, in the order of the file.

Scores have as many digits as read back to the same bits. A run names documents by their ids (`#docid = …` of LETOR
text, a column of a table); without ids, by the number of their row in the file, counted from 1. Labels are not looked
at, and a table needs none. A table's features are found by the names that the ranker knows.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from rankwise.cli import inputs
from rankwise.errors import RankwiseError, message

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from rankwise.data.dataset import Dataset
    from rankwise.rankers.base import Ranker

EXAMPLES = """examples:
  rankwise predict model.rankwise test.txt -o scores.txt
  rankwise predict model.rankwise test.txt.gz --format run --top-k 100 -o model.run
  rankwise predict model.rankwise rank.test.gz --group rank.test.query > scores.txt
  rankwise predict model.rankwise searches.parquet --query srch_id --document prop_id --format csv -o scores.csv
  rankwise train --learner lambdamart train.txt -o model.rankwise && rankwise predict model.rankwise test.txt |
    rankwise evaluate --letor test.txt --scores - -m nDCG@10
"""

FORMATS = ("scores", "run", "csv", "parquet")


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("model", metavar="MODEL", help="a file that `rankwise train` or `Ranker.save` wrote")
    add("file", metavar="FILE", help="LETOR / SVMlight text (.gz, .zst and - work), .csv, .tsv or .parquet")
    add("-o", "--output", metavar="OUT", default="-", help="where to; default: standard output")
    add("--overwrite", action="store_true", help="replace a file that is there; never one that is read")
    add("--format", default="scores", metavar="F", help="scores: one a line (default); run: a TREC run; csv; parquet")
    add("--top-k", type=int, metavar="K", help="of a run, csv or parquet: the first K documents of each list alone")
    add("--tag", metavar="NAME", help="the name of the run (default rankwise)")
    inputs.add_reading(parser)
    add("--threads", type=int, metavar="N", help="how many threads; the scores do not depend on it")


def run(arguments: Namespace) -> int:
    _refuse(arguments)
    from rankwise.rankers.saved import load_ranker

    ranker = load_ranker(arguments.model)
    data = lists(arguments, ranker, arguments.file)
    with inputs.refusals_name(arguments.file):
        scores = ranker.predict(data, threads=arguments.threads)
    if arguments.format == "scores":
        from rankwise.data.formats import scores as file_of_scores

        file_of_scores.write(scores, arguments.output)
    elif arguments.format == "run":
        _write_run(data, scores, arguments)
    else:
        _write_table(data, scores, arguments)
    return 0


def _refuse(arguments: Namespace) -> None:
    from rankwise.data.formats.files import refuse_place

    inputs.check_format(arguments.format, FORMATS)
    refuse_place(arguments.output, read=[arguments.model, arguments.file, *arguments.group],
                 overwrite=arguments.overwrite)  # fmt: skip
    if arguments.top_k is not None:
        if arguments.format == "scores":
            hint = "say --format run, csv or parquet."
            raise RankwiseError(message("--top-k leaves out documents, and scores are one a line", hint=hint))
        if arguments.top_k < 1:
            raise RankwiseError(message(f"--top-k must be a whole number from 1, not {arguments.top_k}"))
    if arguments.tag is not None and arguments.format != "run":
        raise RankwiseError(message("--tag belongs to --format run"))
    if arguments.format == "parquet" and arguments.output == "-":
        raise RankwiseError(message("Parquet is not written to standard output", hint="name a file with -o."))


def lists(arguments: Namespace, ranker: Ranker, path: str, *, labelled: bool = False) -> Dataset:
    """The lists of a file, with the features that a ranker knows."""
    names, count = ranker.inputs.feature_names, ranker.inputs.features
    reading = inputs.Reading(arguments, [path])
    known: dict[str, Any] = {} if names is None else {"features": names}
    data = reading.joined([path], arguments.group, labelled=labelled, **known)
    return inputs.as_known(data, count, path)


def _write_run(data: Dataset, scores: npt.NDArray[np.float64], arguments: Namespace) -> None:
    from rankwise.data.formats.trec import write_run
    from rankwise.data.judgments import Run

    results: dict[Any, dict[Any, float]] = {}
    for query, document, _, _, score in _ranked(data, scores, arguments.top_k):
        of_query = results.setdefault(query, {})
        if document in of_query:
            hint = "a run names a document once; rankwise clean --drop documents removes further rows."
            what = f"document '{document}' stands twice in list '{query}'"
            raise RankwiseError(message(what, place=arguments.file, hint=hint))
        of_query[document] = score
    write_run(arguments.output, Run.of(results, name=arguments.tag or "rankwise"))


def _ranked(data: Dataset, scores: npt.NDArray[np.float64], top: int | None) -> Any:
    """Query, document, row from 1, rank and score of each document, each list by falling score, equal ones in order."""
    import numpy as np

    scores = data.reorder(scores)
    rows = np.arange(len(scores)) if data.rows is None else data.rows
    for at, query in enumerate(data.queries):
        start, end = int(data.offsets[at]), int(data.offsets[at + 1])
        order = start + np.argsort(-scores[start:end], kind="stable")
        for rank, place in enumerate(order[:top].tolist(), 1):
            row = int(rows[place]) + 1
            # A line of LETOR text without a comment has an empty id.
            document = (data.documents[place] if data.documents is not None else "") or str(row)
            yield query, document, row, rank, float(scores[place])


def _write_table(data: Dataset, scores: npt.NDArray[np.float64], arguments: Namespace) -> None:
    """Of each document its query, id, row, rank and score, in the order of the file."""
    found = sorted(_ranked(data, scores, arguments.top_k), key=lambda one: one[2])
    head = ("query_id", "doc_id", "row", "rank", "score")
    if arguments.format == "parquet":
        from rankwise.data.formats import engine

        engine.write_parquet(dict(zip(head, zip(*found, strict=True), strict=True)), arguments.output)
        return
    import csv
    import io

    from rankwise.data.formats.files import writing

    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(head)
    rows.writerows((*words, repr(score)) for *words, score in found)
    with writing(arguments.output) as file:
        file.write(text.getvalue().encode())
