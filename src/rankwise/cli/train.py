"""Learns a ranker from labelled lists, for a measure under its convention, and writes it to a file.

With --validation the step that is best there is kept, and training ends early if --patience says so. Options that are
not named keep the learner's defaults; `rankwise train --learners` lists the learners with their hyper-parameters.
Ctrl-C ends a training after its step; with --checkpoint the same command goes on from there, even after a power cut.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from rankwise.cli import inputs, interactions
from rankwise.cli.progress import Interrupts, Line, Progress, duration
from rankwise.errors import RankwiseError, message

if TYPE_CHECKING:
    from rankwise.data.dataset import Dataset
    from rankwise.learners.base import Learner
    from rankwise.recommenders.base import RecommenderLearner

EXAMPLES = """examples:
  rankwise train --learner lambdamart train.txt --validation vali.txt -o model.rankwise
  rankwise train --learner lambdamart --measure yahoo:nDCG@10 --set leaves=10 train.txt -o model.rankwise
  rankwise train --learner lambdamart S1.txt.gz S2.txt.gz S3.txt.gz --validation S4.txt.gz -o model.rankwise
  rankwise train --learner lambdamart rank.train.gz --group rank.train.query -o model.rankwise
  rankwise train --learner lambdamart log.csv --query srch_id --label booking_bool=5,click_bool=1 -o model.rankwise
  rankwise train --learner lambdamart train.txt --checkpoint training.checkpoint --time-budget 3600 -o model.rankwise
  rankwise train --learner bpr interactions.parquet --validation later.parquet -o model.rankwise
  rankwise train --learners
"""

# Hyper-parameters of all learners that have an option of their own.
OPTIONS = ("select", "patience", "scaling", "over", "relative", "seed", "threads")


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE", help="labelled lists: LETOR / SVMlight text (.gz, .zst and - work), .csv, "
        ".tsv or .parquet; several are joined")  # fmt: skip
    add("-o", "--output", metavar="MODEL", help="where to write the ranker")
    add("--overwrite", action="store_true", help="replace a file that is there; never one that is read")
    add_learner(parser)
    add("--checkpoint", metavar="FILE", help="keeps snapshots there; if it holds one of this training, goes on from it")
    add("--start-from", metavar="MODEL", help="goes on from a ranker of the same learner")
    add("--time-budget", type=float, metavar="S", help="no further step after so many seconds")
    inputs.add_reading(parser, weights=True)
    add("--quiet", action="store_true", help="no progress on standard error")
    add("--format", default="text", metavar="F", help="of the summary: text (default) or json")
    interactions.add_columns(parser)
    add("--learners", action="store_true", help="list the learners and their hyper-parameters, and do nothing else")


def add_learner(parser: ArgumentParser) -> None:
    """Which learner, for what, on which validation lists."""
    add = parser.add_argument
    add("--learner", metavar="NAME", help="the learner, such as lambdamart")
    add("-m", "--measure", metavar="M", default="nDCG@10", help="what is learnt for (default nDCG@10)")
    add("--convention", metavar="NAME", help="the convention of measures without a prefix")
    add("--validation", metavar="FILE", action="append", default=[], help="lists to choose by; may be repeated")
    add("--validation-group", metavar="FILE", action="append", default=[], help="as --group, of --validation")
    add("--select", metavar="M", help="the measure that chooses on validation (default: --measure)")
    add("--patience", type=int, metavar="N", help="stop after N steps without a better value on validation")
    add("--set", metavar="NAME=VALUE", action="append", default=[], help="a hyper-parameter; may be repeated")
    add("--scaling", metavar="T", help="of features: none, min-max, z-score, rank or log1p")
    add("--over", metavar="WHAT", help="scaling by the statistics of the training set (train) or of each list (list)")
    add(
        "--relative", metavar="R", help="further features within the list: minus-mean, rank, share, or several by comma"
    )
    add("--seed", type=int, metavar="N", help="another seed draws other lots (default 0)")
    add("--threads", type=int, metavar="N", help="how many threads; the ranker does not depend on it")


def run(arguments: Namespace) -> int:
    inputs.check_format(arguments.format, ("text", "json"))
    if arguments.learners:
        print(listing())
        return 0
    refuse_missing(arguments, "train")
    _refuse_places(arguments)
    if interactions.is_named(arguments.learner):
        return interactions.train(arguments)
    interactions.refuse_columns(arguments, "learners of interactions, such as bpr")
    one = learner_of(arguments)
    training, validation = lists(arguments)
    line = Line()
    progress = None if arguments.quiet else Progress(line)
    with Interrupts(line) as interrupts:
        try:
            one.fit(training, validation=validation, callbacks=[c for c in (progress, interrupts) if c is not None],
                    **_further(arguments))  # fmt: skip
        finally:
            line.end()
    if interrupts.signal:
        return interrupted(one, arguments, interrupts.signal)
    one.ranker_.save(arguments.output)
    _write(one, arguments)
    return 0


def refuse_missing(arguments: Namespace, verb: str, *, output: bool = True) -> None:
    """What no default stands for."""
    example = f"rankwise {verb} --learner lambdamart train.txt -o model.rankwise"
    wanted = {"--learner": arguments.learner, "a FILE of labelled lists": arguments.files}
    if output:
        wanted["-o MODEL"] = arguments.output
    for what, value in wanted.items():
        if not value:
            raise RankwiseError(message(f"{what} is needed", hint=f"{example}; `rankwise {verb} --help` has more."))


def _refuse_places(arguments: Namespace) -> None:
    from rankwise.data.formats.files import refuse_place

    if arguments.output == "-":
        raise RankwiseError(message("a ranker is not written to standard output", hint="name a file."))
    read = [*arguments.files, *arguments.validation, *arguments.group, *arguments.validation_group]
    kept = [path for path in (arguments.checkpoint, arguments.start_from) if path is not None]
    refuse_place(arguments.output, read=[*read, *kept], overwrite=arguments.overwrite)
    if arguments.checkpoint is not None:
        refuse_place(arguments.checkpoint, read=[*read, arguments.output], overwrite=True)
        if os.path.abspath(arguments.checkpoint) == os.path.abspath(arguments.output):
            raise RankwiseError(message("--checkpoint and the output are one file", place=arguments.output))


def learner_of(arguments: Namespace) -> Learner:
    """The learner with its hyper-parameters, as the command line says."""
    from rankwise.learners import learner
    from rankwise.learners.parameters import value_of_text

    kind = learner(arguments.learner)
    parameters: dict[str, Any] = {"measure": inputs.measure_of(arguments.measure, arguments.convention)}
    given = {name: getattr(arguments, name) for name in OPTIONS if getattr(arguments, name) is not None}
    if "select" in given:
        given["select"] = inputs.measure_of(given["select"], arguments.convention)
    if "relative" in given:
        given["relative"] = tuple(word.strip() for word in given["relative"].split(","))
    for name, text in settings(arguments.set).items():
        if name in (*OPTIONS, "measure"):
            raise RankwiseError(message(f"--set {name}={text}: it has an option of its own", hint=f"say --{name}."))
        given[name] = value_of_text(kind, name, text)
    one = kind(**parameters, **given)
    one.check()
    return one


def settings(words: list[str], *, option: str = "--set", example: str = "leaves=10") -> dict[str, str]:
    """`leaves=10` of each word, by name.

    >>> settings(["leaves=10", "learning_rate=0.1"])
    {'leaves': '10', 'learning_rate': '0.1'}
    """
    found: dict[str, str] = {}
    for word in words:
        name, equals, text = (part.strip() for part in word.partition("="))
        name = name.replace("-", "_")
        if not name or not equals:
            hint = f"{option} {example}"
            raise RankwiseError(message(f"{option}: '{word}' is no hyper-parameter and its value", hint=hint))
        if name in found:
            raise RankwiseError(message(f"{option}: the hyper-parameter '{name}' is named twice"))
        found[name] = text
    return found


def lists(arguments: Namespace) -> tuple[Dataset, Dataset | None]:
    """The lists to learn from, and those to choose by."""
    if arguments.validation_group and not arguments.validation:
        raise RankwiseError(message("--validation-group belongs to --validation"))
    reading = inputs.Reading(arguments, [*arguments.files, *arguments.validation])
    training = reading.joined(arguments.files, arguments.group)
    if not arguments.validation:
        return training, None
    named = {} if training.feature_names is None else {"features": training.feature_names}
    validation = reading.joined(arguments.validation, arguments.validation_group, "--validation-group", **named)
    known = 0 if training.features is None else training.features.shape[1]
    return training, inputs.as_known(validation, known, ", ".join(arguments.validation))


def _further(arguments: Namespace) -> dict[str, Any]:
    from rankwise.data.formats.checkpoints import FileCheckpoint
    from rankwise.rankers.saved import load_ranker

    found: dict[str, Any] = {"time_budget": arguments.time_budget}
    if arguments.checkpoint is not None:
        found["checkpoint"] = FileCheckpoint(arguments.checkpoint)
    if arguments.start_from is not None:
        found["start_from"] = load_ranker(arguments.start_from)
    return found


def interrupted(one: Learner | RecommenderLearner, arguments: Namespace, signal: int) -> int:
    steps = one.curve_.steps
    done = f"rankwise: stopped after step {steps[-1].number:,} of {steps[-1].of:,}; no ranker is written\n"
    hint = f"the same command goes on from {arguments.checkpoint}."
    if arguments.checkpoint is None:
        hint = "with --checkpoint FILE, the same command would go on from there."
    sys.stderr.write(f"{done}Hint: {hint}\n")
    return 128 + signal


def _write(one: Learner, arguments: Namespace) -> None:
    if arguments.format == "json":
        import json

        found = {**one.ranker_.about, "seconds": _seconds(one), "model": arguments.output}
        print(json.dumps(found, indent=2, ensure_ascii=False))
        return
    print(summary(one, arguments.output))


def summary(one: Learner, path: str) -> str:
    """What was learnt from what, how well, and where it is."""
    about, counts = one.ranker_.about, one.counts_
    chosen = "" if about["select"] == about["measure"] else f", chosen by {about['select']}"
    lines = {
        "learner": f"{about['learner']} for {about['measure']}{chosen}",
        "learnt from": f"{counts.lists:,} lists, {counts.rows:,} rows, {counts.features:,} features",
        "lists": kinds_of_lists(counts._asdict()),
        "steps": f"{about['steps']:,} kept of {len(one.curve_):,} done: {about['stopped']}",
        "training": shown(about["training"]),
        "validation": shown(about["validation"]),
        "time": duration(_seconds(one)),
        "model": path,
    }
    return "\n".join(f"{word:<12} {text}" for word, text in lines.items() if text)


def kinds_of_lists(counts: Any) -> str:
    """How many lists teach, and why others do not."""
    words = {"empty": "empty", "single_label": "of one label", "zeroed": "scored 0 for being short"}
    kinds = [f"{counts[name]:,} {what}" for name, what in words.items() if counts.get(name)]
    overlap = counts["teaching"] + sum(counts.get(name, 0) for name in words) > counts["lists"]
    both = " (some are several of these)" if overlap else ""
    return f"{counts['teaching']:,} teach" + (f"; {', '.join(kinds)}{both}" if kinds else "")


def shown(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _seconds(one: Learner) -> float:
    return float(one.curve_.seconds[-1]) if len(one.curve_) else 0.0


def listing() -> str:
    """All learners, with their hyper-parameters and the defaults."""
    from rankwise.learners import LEARNERS, learner
    from rankwise.learners.parameters import common, defaults
    from rankwise.recommenders import RECOMMENDERS, recommender_learner

    lines = []
    kinds: dict[str, Any] = {name: learner(name) for name in LEARNERS}
    kinds |= {name: recommender_learner(name) for name in RECOMMENDERS}
    for name, kind in sorted(kinds.items()):
        own = [f"{word}={value}" for word, value in defaults(kind).items() if word not in common(kind)]
        doc = (sys.modules[kind.__module__].__doc__ or "").strip().partition("\n")[0]
        lines += [name, f"  {doc}", *(f"  --set {word}" for word in own)]
    return "\n".join(lines)
