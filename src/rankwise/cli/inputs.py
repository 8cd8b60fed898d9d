"""What the verbs read: judgments and runs, LETOR lines and scores, or a table; and files of labelled lists."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rankwise.cli import interactions
from rankwise.errors import DataError, RankwiseError, message

if TYPE_CHECKING:
    from rankwise.data.dataset import Dataset
    from rankwise.evaluation.result import Result
    from rankwise.evaluation.table import Table
    from rankwise.measures.base import Measure


def add_arguments(parser: ArgumentParser) -> None:
    """The files, and under which measures they are seen."""
    add_files(parser)
    add = parser.add_argument
    add("-m", "--measure", metavar="M", action="append", help="a measure, or several as nDCG@1..10; may be repeated")
    add("--convention", metavar="NAME", help="the convention of measures without a prefix")


def add_files(parser: ArgumentParser) -> None:
    """The files alone."""
    add = parser.add_argument
    add(
        "files",
        nargs="*",
        metavar="FILE",
        help="judgments (qrels), then one or more runs: TREC files (.gz, .zst and - work), .csv or .parquet",
    )
    add("--letor", metavar="FILE", help="LETOR / SVMlight lines with labels and query ids, instead of qrels")
    add("--scores", metavar="FILE", action="append", default=[], help="one score a line of --letor; may be repeated")
    add(
        "--score-column",
        metavar="N",
        type=int,
        help="which column of --scores is the score (1 is the first, -1 the last)",
    )
    add("--group", metavar="FILE", help="of --letor without query ids, a file with the size of each list")
    add("--sort-features", action="store_true", help="accept feature indices in any order within a line of --letor")
    add("--table", metavar="FILE", help="a .csv, .tsv or .parquet file with labels and scores, instead of qrels")
    add("--query", metavar="COLUMN", help="the column of --table with query ids, if its name is not understood")
    add("--document", metavar="COLUMN", help="the column of --table with document ids")
    add("--label", metavar="COLUMN", help="the column of --table with labels, or those of events: booked=5,clicked=1")
    add(
        "--score",
        metavar="COLUMN",
        action="append",
        default=[],
        help="a column of scores in --table; may be repeated",
    )
    add("--interactions", metavar="FILE", help="interactions to judge recommenders on, which are the further files")
    add("--sampled", type=int, metavar="N", help="of --interactions: N sampled candidates a user instead of all items")
    add("--known-only", action="store_true", help="of --interactions: leave out users and items not learnt from")
    add("--ascending", action="store_true", help="the least --score stands first, as with a logged position")
    add("--skip-bad-lines", action="store_true", help="leave out lines of --table that cannot be read, and count them")
    add("--threads", type=int, metavar="N", help="how many threads; the numbers do not depend on it")
    interactions.add_columns(parser)


_LETOR_ONLY = {"--score-column": "score_column", "--group": "group", "--sort-features": "sort_features"}
_TABLE_ONLY = {
    "--query": "query", "--document": "document", "--label": "label", "--score": "score", "--ascending": "ascending",
    "--skip-bad-lines": "skip_bad_lines", "--baseline-column": "baseline_column",
}  # fmt: skip


def refuse_idle_options(arguments: Namespace) -> None:
    """An option that would change nothing is refused, as are numbers that count nothing."""
    for option, name in _LETOR_ONLY.items() if arguments.letor is None else ():
        if given(arguments, name):
            raise RankwiseError(message(f"{option} belongs to --letor"))
    for option, name in _TABLE_ONLY.items() if arguments.table is None else ():
        if given(arguments, name):
            raise RankwiseError(message(f"{option} belongs to --table"))
    if arguments.interactions is None:
        interactions.refuse_columns(arguments, "--interactions")
        if arguments.sampled is not None:
            raise RankwiseError(message("--sampled belongs to --interactions"))
        if arguments.known_only:
            raise RankwiseError(message("--known-only belongs to --interactions"))
    elif arguments.table is not None or arguments.letor is not None:
        other = "--letor" if arguments.table is None else "--table"
        what = f"--interactions and {other} each hold the labels"
        raise RankwiseError(message(what, hint="leave one of the two out."))
    if arguments.table is not None and arguments.letor is not None:
        raise RankwiseError(message("--table and --letor each hold the labels", hint="leave one of the two out."))
    if arguments.threads is not None and arguments.threads < 1:
        raise RankwiseError(message(f"--threads must be a whole number from 1, not {arguments.threads}"))


def given(arguments: Namespace, name: str) -> bool:
    """Whether an option was named; `-l 0` is."""
    value = getattr(arguments, name, None)
    return value is not None and value is not False and value != []


def groups(arguments: Namespace) -> Any:
    """What lists are grouped by: the name of a column, or the groups of a file."""
    if arguments.by is not None and arguments.by_file is not None:
        raise RankwiseError(message("--by and --by-file are two breakdowns", hint="leave one of the two out."))
    if arguments.by_file is None:
        return arguments.by
    from rankwise.data.formats import groups

    return groups.read(arguments.by_file)


def check_format(form: str, formats: Sequence[str]) -> None:
    if form not in formats:
        hint = f"the formats are {', '.join(formats)}."
        raise RankwiseError(message(f"there is no format '{form}'", hint=hint))


def check_digits(digits: int | None) -> None:
    if digits is not None and not 0 <= digits <= 17:
        raise RankwiseError(message(f"--digits lies between 0 and 17, not at {digits}"))


def print_tables(tables: Iterable[Table], form: str) -> None:
    """Tables as text, Markdown, LaTeX or HTML."""
    from rankwise.evaluation.table import Table

    text = {"table": Table.__str__, "markdown": Table.to_markdown, "latex": Table.to_latex, "html": Table.to_html}[form]
    print("\n\n".join(text(table) for table in tables))


def evaluated(arguments: Namespace, **options: Any) -> list[Result]:
    """One result for each run, score file or column of scores, in the order of the command line."""
    refuse_idle_options(arguments)
    options = {"threads": arguments.threads, **({} if "measures" in options else _chosen(arguments)), **options}
    if arguments.interactions is not None:
        return interactions.evaluated(arguments, options)
    if arguments.table is not None:
        return _table(arguments, options)
    return _letor(arguments, options) if arguments.letor is not None else _trec(arguments, options)


def _chosen(arguments: Namespace) -> dict[str, Any]:
    """What was said of measures, or the project file says."""
    project = _project()
    return {
        "measures": arguments.measure or project.get("measures"),
        "convention": arguments.convention or project.get("convention"),
    }


def _letor(arguments: Namespace, options: dict[str, Any]) -> list[Result]:
    if arguments.files:
        raise RankwiseError(
            message(f"--letor takes no further files ({arguments.files[0]})", hint="scores go to --scores.")
        )
    if not arguments.scores:
        hint = "give a file with one score a line, in the order of the lines."
        raise RankwiseError(message("--letor needs --scores", hint=hint))
    from rankwise.data.formats import letor, scores
    from rankwise.evaluation.evaluate import evaluate

    options_of_file = {"group": arguments.group, "sort_features": arguments.sort_features}
    data = letor.read(arguments.letor, **options_of_file, threads=arguments.threads)
    results = []
    for path, name in zip(arguments.scores, _names(arguments.scores), strict=True):
        column = scores.read(path, column=arguments.score_column)
        with refusals_name(path):
            results.append(evaluate(data, column, name=name, **options))
    return results


def _table(arguments: Namespace, options: dict[str, Any]) -> list[Result]:
    """A table that holds labels and scores; one result for each column of scores."""
    if arguments.files or arguments.scores:
        what = f"--table takes no further files ({[*arguments.files, *arguments.scores][0]})"
        raise RankwiseError(message(what, hint="scores are columns, named with --score."))
    from rankwise.data.formats import tables
    from rankwise.evaluation.evaluate import evaluate

    first, *others = arguments.score or [None]
    logged = getattr(arguments, "baseline_column", None)
    named = [options["by"]] if isinstance(options.get("by"), str) else []
    kept = [*others, *named, *([] if logged is None else [logged])]
    data = tables.read(
        arguments.table,
        query=arguments.query,
        document=arguments.document,
        score=first,
        features=(),
        keep=kept,
        skip_bad_lines=arguments.skip_bad_lines,
        threads=arguments.threads,
        **label_columns(arguments.label),
    )
    if data.skipped_lines:
        print(f"rankwise: {arguments.table}: lines left out as bad: {data.skipped_lines:,}", file=sys.stderr)
    names = arguments.score or [next((name for name in data.columns if name not in kept), "")]
    rankings = [(name, arguments.ascending) for name in names]
    # A logged order is read as positions are, whatever the scores.
    rankings = [*([] if logged is None else [(logged, True)]), *rankings]
    results = []
    for name, ascending in rankings:
        with refusals_name(arguments.table, column=name):
            results.append(evaluate(data, _ranking(data, name, ascending), name=name, **options))
    return results


# Options of reading labelled lists, as the readers call them: of tables, and of LETOR text.
_OF_TABLES = ("query", "document", "score", "weight", "document_weight", "position", "skip_bad_lines")
_OF_LETOR = ("sort_features",)
OF_LISTS = (*_OF_TABLES, "label", "features", *_OF_LETOR)


def add_reading(parser: ArgumentParser, *, weights: bool = False) -> None:
    """How files of labelled lists are read; `weights`: columns of those, and of positions, too."""
    add = parser.add_argument
    add(
        "--group",
        metavar="FILE",
        action="append",
        default=[],
        help="of LETOR text without query ids, a file with the size of each list; one a file",
    )
    add("--sort-features", action="store_true", help="accept feature indices in any order within a line of LETOR text")
    add("--query", metavar="COLUMN", help="of tables, the column with query ids, if its name is not understood")
    add("--document", metavar="COLUMN", help="of tables, the column with document ids")
    add("--label", metavar="COLUMN", help="of tables, the column with labels, or those of events: booked=5,clicked=1")
    add("--features", metavar="COLUMNS", help="of tables, the features, separated by commas (default: all numbers)")
    if weights:
        add("--weight", metavar="COLUMN", help="of tables, the column with the weight of each list")
        add("--document-weight", metavar="COLUMN", help="of tables, the column with the weight of each document")
        add("--position", metavar="COLUMN", help="of tables, the column that says where a document was shown, from 1")
    add("--skip-bad-lines", action="store_true", help="leave out lines of tables that cannot be read, and count them")


class Reading:
    """Files of labelled lists, each read by the options of its kind; one that no file has a use for is refused."""

    def __init__(self, arguments: Namespace, paths: Sequence[str]) -> None:
        from rankwise.data.formats.doors import is_table

        twice = next((path for path in paths if paths.count(path) > 1), None)
        if twice is not None:
            raise RankwiseError(message(f"{'standard input' if twice == '-' else twice} is given twice"))
        self.tables = {path: is_table(path) for path in paths}
        self.of_tables = {name: getattr(arguments, name) for name in _OF_TABLES if given(arguments, name)}
        if arguments.label is not None:
            self.of_tables |= label_columns(arguments.label)
        if arguments.features is not None:
            self.of_tables["features"] = [name.strip() for name in arguments.features.split(",")]
        self.of_letor = {name: getattr(arguments, name) for name in _OF_LETOR if given(arguments, name)}
        self._refuse_idle(paths)
        self.threads: int | None = getattr(arguments, "threads", None)

    def _refuse_idle(self, paths: Sequence[str]) -> None:
        for table, options in ((True, self.of_tables), (False, self.of_letor)):
            if options and table not in self.tables.values():
                option = next(iter(options)).replace("_", "-").replace("labels", "label")
                where = "tables" if table else "LETOR text"
                raise RankwiseError(message(f"--{option} belongs to {where}", place=paths[0]))

    def read(self, path: str, *, group: str | None = None, **more: Any) -> Dataset:
        """The lists of one file; `more` are options of reading a table that the command line leaves open."""
        from rankwise.data.formats.doors import read

        if self.tables[path]:
            if group is not None:
                raise RankwiseError(message("--group belongs to LETOR text", place=path))
            return read(path, **{**more, **self.of_tables}, threads=self.threads)
        return read(path, **self.of_letor, group=group, threads=self.threads)

    def joined(self, paths: Sequence[str], groups: Sequence[str], option: str = "--group", **more: Any) -> Dataset:
        """The lists of several files as one dataset."""
        texts = [path for path in paths if not self.tables[path]]
        if groups and not texts:
            raise RankwiseError(message(f"{option} belongs to LETOR text", place=paths[0]))
        if groups and len(groups) != len(texts):
            hint = f"say {option} once for each."
            what = f"there are {len(groups)} files with sizes of lists for {len(texts)} files of LETOR text"
            raise RankwiseError(message(what, hint=hint))
        group_of = dict(zip(texts, groups, strict=True)) if groups else {}
        parts: list[Dataset] = []
        for path in paths:
            part = self.read(path, group=group_of.get(path), **more)
            if part.skipped_lines:
                print(f"rankwise: {path}: lines left out as bad: {part.skipped_lines:,}", file=sys.stderr)
            # Without names of columns, the first table says which there are.
            more = {"features": part.feature_names, **more} if part.feature_names is not None else more
            parts.append(part)
        if len(parts) == 1:
            return parts[0]
        return _joined([_named_apart(part, at) for at, part in enumerate(parts, 1)] if groups else parts, paths)


def _named_apart(part: Dataset, number: int) -> Dataset:
    """Lists without ids are numbered in each file anew; the file's number before them makes them different."""
    from dataclasses import replace

    from rankwise.data.ids import Ids

    return replace(part, queries=Ids.of(f"{number}/{query}" for query in part.queries))


def _joined(parts: Sequence[Dataset], paths: Sequence[str]) -> Dataset:
    from rankwise.data.dataset import Dataset

    widest = max((part.features.shape[1] for part in parts if part.features is not None), default=0)
    try:
        return Dataset.join([widened(part, widest) for part in parts])
    except DataError as refusal:
        raise DataError(f"{', '.join(paths)}: {refusal}") from None


def widened(data: Dataset, features: int) -> Dataset:
    """LETOR text leaves out features that are 0: the last ones may stand in no line of a file."""
    if data.features is None or data.feature_names is not None or data.features.shape[1] >= features:
        return data
    from dataclasses import replace

    import numpy as np

    lacking = features - data.features.shape[1]
    return replace(data, features=np.pad(data.features, ((0, 0), (0, lacking))))


def as_known(data: Dataset, features: int, path: str) -> Dataset:
    """The lists of a file for a ranker that knows so many features; what a file lacks is said."""
    found = 0 if data.features is None else data.features.shape[1]
    if data.feature_names is None and 0 < found < features:
        told = f"its highest feature is {found}, and {features} are known: those that are lacking are 0"
        print(f"rankwise: {path}: {told}", file=sys.stderr)
    return widened(data, features)


def measure_of(text: str, default: str | None) -> Measure:
    """A measure; without a prefix, of the default convention: that of the option, or of the project file."""
    from rankwise.measures.parse import measure

    return measure(text, default or _project().get("convention"))


def label_columns(text: str | None) -> dict[str, Any]:
    """`grade` names a column, `booked=5,clicked=1` several and what each is worth."""
    if text is None or "=" not in text:
        return {"label": text}
    labels = {}
    for part in text.split(","):
        column, _, worth = part.partition("=")
        try:
            labels[column.strip()] = float(worth)
        except ValueError:
            hint = "write --label booked=5,clicked=1."
            raise RankwiseError(message(f"--label: '{part}' is not a column and its label", hint=hint)) from None
    return {"labels": labels}


def _ranking(data: Dataset, name: str, ascending: bool) -> Any:
    if not name:
        what = "no column is known to be the score"
        raise RankwiseError(message(what, hint="name it with --score COLUMN; without, score or prediction is taken."))
    if not ascending:
        return name
    import numpy as np

    column = data.columns[name]
    return -data.in_callers_order(column) if isinstance(column, np.ndarray) else name


def _trec(arguments: Namespace, options: dict[str, Any]) -> list[Result]:
    if arguments.scores:
        raise RankwiseError(message("--scores needs --letor, the file that holds the labels"))
    if len(arguments.files) < 2:
        hint = "rankwise evaluate QRELS RUN…, or --letor FILE --scores FILE; `rankwise evaluate --help` has examples."
        raise RankwiseError(message("judgments and at least one run are needed", hint=hint))
    judgments, *runs = arguments.files
    if arguments.files.count("-") > 1:
        raise RankwiseError(message("standard input can be only one of the files"))
    from rankwise.data.formats.doors import read_ahead, read_qrels, read_run

    # The kernels read while Python imports NumPy; one run at a time, since runs are large.
    first = read_ahead(runs[0], qrels=False, threads=arguments.threads)
    qrels_file = read_ahead(judgments, qrels=True, threads=arguments.threads)
    from rankwise.evaluation.evaluate import evaluate

    qrels = read_qrels(qrels_file, threads=arguments.threads)
    results = []
    for path, name in zip([first, *runs[1:]], _names(runs), strict=True):
        with refusals_name(name):
            results.append(evaluate(qrels, read_run(path, threads=arguments.threads), name=name, **options))
    return results


class refusals_name:
    """A refusal of data says which file they came from, one of scores which column."""

    def __init__(self, path: str, *, column: str = "") -> None:
        self.path = path
        self.column = column

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, DataError):
            return
        told = str(error)
        if self.column and told.startswith("scores"):
            told = f"column '{self.column}'{told.removeprefix('scores')}"
        if self.path not in told:
            raise DataError(f"{self.path}: {told}") from None


def _names(paths: list[str]) -> list[str]:
    """File names, or whole paths if two files have one name."""
    short = [path.replace("\\", "/").rpartition("/")[2] for path in paths]
    return short if len(set(short)) == len(short) else list(paths)


def _project() -> dict[str, Any]:
    """What the nearest `rankwise.toml` sets, here or above."""
    from pathlib import Path

    here = Path.cwd()
    file = next((f for folder in (here, *here.parents) if (f := folder / "rankwise.toml").is_file()), None)
    if file is None:
        return {}
    import tomllib

    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RankwiseError(message(f"cannot be read as TOML ({error})", place=str(file))) from None
    unknown = set(found) - {"convention", "measures"}
    if unknown:
        hint = 'it may set convention = "letor4" and measures = ["nDCG@5"].'
        raise RankwiseError(message(f"has an unknown key '{min(unknown)}'", place=str(file), hint=hint))
    named = found.get("measures", [])
    texts = [found.get("convention", ""), *(named if isinstance(named, list) else [named])]
    if not all(isinstance(text, str) for text in texts):
        hint = 'write convention = "letor4" and measures = ["nDCG@5"].'
        raise RankwiseError(message("conventions and measures are texts", place=str(file), hint=hint))
    _refuse_unknown(found, str(file))
    return found


def _refuse_unknown(project: dict[str, Any], file: str) -> None:
    """Whoever named no measure must hear which file did."""
    from rankwise.measures.parse import measures
    from rankwise.measures.tools import convention

    try:
        default = project.get("convention")
        if default is not None:
            convention(default)
        named = project.get("measures", [])
        for text in [named] if isinstance(named, str) else named:
            measures(text, default)
    except RankwiseError as error:
        raise RankwiseError(f"{file}: {error}") from None
