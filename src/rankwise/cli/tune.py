"""Searches the hyper-parameters of a learner, and learns a ranker with the best of them.

Candidates are all combinations of --grid, or with --random some of them; a candidate is worth the value of --select on
--validation, or the mean over --folds of the training lists. The chosen one is learnt at the end from all training
lists and written to -o. With --records, a search that was stopped or killed goes on where it was.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from rankwise.cli import inputs
from rankwise.cli.progress import Line, duration
from rankwise.cli.train import add_learner, learner_of, lists, refuse_missing, summary
from rankwise.errors import RankwiseError, message

if TYPE_CHECKING:
    from rankwise.study.tune import Progress, Tuning

EXAMPLES = """examples:
  rankwise tune --learner lambdamart --grid leaves=5,10,31 --grid learning_rate=0.05,0.1 train.txt
    --validation vali.txt -o model.rankwise
  rankwise tune --learner lambdamart --grid leaves=4..64 --grid learning_rate=0.01..0.3 --random 20 --folds 5 train.txt
    --records tuning -o model.rankwise
  rankwise tune --learner pointwise --grid target=label,gain --measure yahoo:nDCG@10 train.txt --format csv
"""

FORMATS = ("table", "json", "csv", "markdown", "latex", "html")


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE", help="labelled lists, as `rankwise train` reads them")
    add("--grid", metavar="NAME=VALUES", action="append", default=[], help="values of a hyper-parameter, with commas "
        "(or ; where a value has some); with --random also a range, 0.01..0.3; may be repeated")  # fmt: skip
    add("--random", type=int, metavar="N", help="N candidates drawn from the grid and its ranges, not all")
    add("--folds", type=int, metavar="K", help="without --validation: K folds of the lists (default 5)")
    add("--records", metavar="DIR", help="a folder of what was computed: the same command goes on from there")
    add("--jobs", type=int, default=1, metavar="N", help="so many processes at once; the result does not depend on it")
    add("-o", "--output", metavar="MODEL", help="where to write the ranker; without, only the table is made")
    add("--overwrite", action="store_true", help="replace a file that is there; never one that is read")
    add_learner(parser)
    inputs.add_reading(parser, weights=True)
    add("--top", type=int, metavar="N", help="of tables, the N best candidates alone")
    add("--quiet", action="store_true", help="no progress on standard error")
    add("--format", default="table", metavar="F", help="table (default), json, csv, markdown, latex or html")


def run(arguments: Namespace) -> int:
    _refuse(arguments)
    one = learner_of(arguments)
    grid = {name: values(type(one), name, text) for name, text in _grids(arguments).items()}
    training, validation = lists(arguments)
    from rankwise.study.tune import tune

    line = Line()
    told = [] if arguments.quiet else [_Told(line)]
    options = {name: getattr(arguments, name) for name in ("folds", "seed") if getattr(arguments, name) is not None}
    try:
        found = tune(
            one,
            grid,
            training,
            validation=validation,
            random=arguments.random,
            records=arguments.records,
            jobs=arguments.jobs,
            callbacks=told,
            refit=arguments.output is not None,
            **options,
        )
    except KeyboardInterrupt:
        line.end()
        _interrupted(arguments)
        raise
    finally:
        line.end()
    if arguments.output is not None:
        found.ranker.save(arguments.output)
    _write(found, arguments)
    return 0


def _refuse(arguments: Namespace) -> None:
    from rankwise.data.formats.files import refuse_place

    inputs.check_format(arguments.format, FORMATS)
    refuse_missing(arguments, "tune", output=False)
    if not arguments.grid:
        raise RankwiseError(message("--grid is needed", hint="--grid leaves=5,10,31"))
    if arguments.folds is not None and arguments.validation:
        raise RankwiseError(message("--folds and --validation each judge candidates", hint="leave one of the two out."))
    if arguments.top is not None and (arguments.top < 1 or arguments.format in ("json", "csv")):
        what = "must be a whole number from 1" if arguments.top < 1 else f"belongs to tables, not to {arguments.format}"
        raise RankwiseError(message(f"--top {what}"))
    if arguments.output == "-":
        raise RankwiseError(message("a ranker is not written to standard output", hint="name a file."))
    if arguments.output is not None:
        read = [*arguments.files, *arguments.validation, *arguments.group, *arguments.validation_group]
        refuse_place(arguments.output, read=read, overwrite=arguments.overwrite)


def _grids(arguments: Namespace) -> dict[str, str]:
    from rankwise.cli.train import settings

    found = settings(arguments.grid, option="--grid", example="leaves=5,10,31")
    twice = sorted(set(found) & set(settings(arguments.set)))
    if twice:
        raise RankwiseError(message(f"--set and --grid both say what '{twice[0]}' is", hint="leave one of them out."))
    given = next((name for name in found if getattr(arguments, name, None) is not None), None)
    if given is not None and given != "measure":
        raise RankwiseError(message(f"--{given} and --grid both say what '{given}' is", hint="leave one of them out."))
    return found


def values(kind: Any, name: str, text: str) -> Any:
    """The values of a hyper-parameter to try: a list, or a range.

    >>> from rankwise.learners import learner
    >>> lambdamart = learner("lambdamart")
    >>> values(lambdamart, "leaves", "5,10"), values(lambdamart, "relative", "rank;rank,share")
    ([5, 10], [('rank',), ('rank', 'share')])
    >>> print(values(lambdamart, "learning_rate", "0.01..0.3"))
    0.01..0.3
    """
    from rankwise.learners.parameters import value_of_text
    from rankwise.study.candidates import Range

    number = r"\s*([-+]?[0-9.]+?(?:e[-+]?[0-9]+)?)\s*"
    ends = re.fullmatch(rf"{number}\.\.{number}", text, re.IGNORECASE)
    if ends is not None:
        low, high = (value_of_text(kind, name, end) for end in ends.groups())
        if not all(isinstance(end, (int, float)) and not isinstance(end, bool) for end in (low, high)):
            raise RankwiseError(message(f"--grid {name}={text}: a range is of numbers"))
        return Range(low, high)
    words = [word for word in text.split(";" if ";" in text else ",") if word.strip()]
    if not words:
        raise RankwiseError(message(f"--grid {name}= names no values", hint=f"--grid {name}=5,10,31"))
    return [value_of_text(kind, name, word) for word in words]


class _Told:
    """How far the search is, on standard error."""

    def __init__(self, line: Line) -> None:
        self.line = line

    def __call__(self, now: Progress) -> None:
        tenth = max(now.of // 10, 1)
        worth = now.done % tenth == 0 or now.done == now.of or self.line.since_last() >= 60
        parts = [f"{now.done:,} of {now.of:,} trainings"]
        if now.best == now.best:
            parts.append(f"best {now.best:.4f}")
        left = (now.of - now.done) * now.seconds / now.computed if now.computed else 0.0
        parts.append(duration(now.seconds) + (f", about {duration(left)} left" if left else ""))
        self.line.show(" · ".join(parts), worth_a_line=worth)


def _interrupted(arguments: Namespace) -> None:
    hint = f"the same command goes on from {arguments.records}."
    if arguments.records is None:
        hint = "with --records DIR, the same command would go on from there."
    sys.stderr.write(f"rankwise: stopped; no ranker is written\nHint: {hint}\n")


def _write(found: Tuning, arguments: Namespace) -> None:
    if arguments.format == "json":
        import json

        print(json.dumps({**found.as_dict(), "model": arguments.output}, indent=2, ensure_ascii=False))
    elif arguments.format == "csv":
        sys.stdout.write(to_csv(found))
    else:
        inputs.print_tables([found.table(arguments.top)], arguments.format)
        if arguments.output is not None and arguments.format == "table":
            print(f"\n{summary(found.learner, arguments.output)}")


def to_csv(found: Tuning) -> str:
    """One row a candidate and fold; the fold `all` is the mean. Values have full precision."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    names = list(found.candidates[0].parameters)
    rows.writerow([*names, "fold", "value", "error", "steps"])
    for one in found.candidates:
        words = [str(value) for value in one.parameters.values()]
        per_fold = list(zip(one.values, one.errors, one.steps, strict=True))
        for fold, (value, error, steps) in enumerate(per_fold, 1):
            rows.writerow([*words, fold, _number(value), _number(error), steps])
        rows.writerow([*words, "all", _number(one.value), _number(one.error), ""])
    return out.getvalue()


def _number(value: float) -> str:
    return "" if value != value else repr(value)
