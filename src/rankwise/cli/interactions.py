"""Users and items on the command line: what the verbs read of interactions and of recommenders."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from rankwise.cli.progress import Interrupts, Line, Progress, duration
from rankwise.errors import RankwiseError, message

if TYPE_CHECKING:
    from rankwise.evaluation.result import Result
    from rankwise.recommenders.base import RecommenderLearner
    from rankwise.recommenders.interactions import Interactions

__all__ = ["COLUMNS", "add_columns", "evaluated", "is_named", "read", "refuse_columns", "train"]

COLUMNS = {
    "--user": "user",
    "--item": "item",
    "--value": "value",
    "--duplicates": "duplicates",
    "--at-least": "at_least",
}
# What a learner of interactions has no use for: it sees no features, and learns no measure.
_OF_LISTS = ("scaling", "over", "relative", "group", "validation_group", "query", "document", "label", "features")


def add_columns(parser: ArgumentParser) -> None:
    """Which column of interactions is what."""
    add = parser.add_argument_group("interactions (.csv, .tsv or .parquet: one row a user and an item)").add_argument
    add("--user", metavar="COLUMN", help="the column of users, if its name is not understood")
    add("--item", metavar="COLUMN", help="the column of items")
    add("--value", metavar="COLUMN", help="the column of ratings or counts; without, each row counts 1")
    add("--duplicates", metavar="HOW", help="of several rows of one user and item: sum, mean, max, last or error")
    add("--at-least", type=float, metavar="X", help="values from X on are liked and become 1; the rest is left out")


def refuse_columns(arguments: Namespace, why: str) -> None:
    """Refuses the options of interactions where there are none."""
    for option, name in COLUMNS.items():
        if getattr(arguments, name, None) is not None:
            raise RankwiseError(message(f"{option} belongs to {why}"))


def read(path: str, arguments: Namespace) -> Interactions:
    """The interactions of a file."""
    from rankwise.recommenders.interactions import Interactions

    named = {name: getattr(arguments, name) for name in ("user", "item", "value", "duplicates")}
    found = Interactions.read(path, **named, threads=getattr(arguments, "threads", None))
    return found if arguments.at_least is None else found.implicit(arguments.at_least)


def is_named(learner: str | None) -> bool:
    """Whether a learner is one of interactions."""
    from rankwise.recommenders import RECOMMENDERS

    return learner in RECOMMENDERS


def train(arguments: Namespace) -> int:
    """`rankwise train` with a learner of interactions."""
    from rankwise.data.formats.checkpoints import FileCheckpoint
    from rankwise.recommenders.saved import load_recommender

    if len(arguments.files) != 1 or len(arguments.validation) > 1:
        raise RankwiseError(message("interactions are one FILE, and --validation at most one other"))
    one = _learner(arguments)
    training = read(arguments.files[0], arguments)
    validation = read(arguments.validation[0], arguments) if arguments.validation else None
    further: dict[str, Any] = {"time_budget": arguments.time_budget}
    if arguments.checkpoint is not None:
        further["checkpoint"] = FileCheckpoint(arguments.checkpoint)
    if arguments.start_from is not None:
        further["start_from"] = load_recommender(arguments.start_from)
    line = Line()
    progress = () if arguments.quiet else (Progress(line),)
    with Interrupts(line) as interrupts:
        try:
            one.fit(training, validation=validation, callbacks=[*progress, interrupts], **further)
        finally:
            line.end()
    if interrupts.signal:
        from rankwise.cli.train import interrupted

        return interrupted(one, arguments, interrupts.signal)
    one.recommender_.save(arguments.output)
    _write(one, arguments)
    return 0


def evaluated(arguments: Namespace, options: dict[str, Any]) -> list[Result]:
    """One result for each recommender: users of --interactions are lists of what they have not seen in training."""
    if not arguments.files:
        hint = "rankwise evaluate --interactions test.parquet bpr.rankwise -m nDCG@10"
        raise RankwiseError(message("--interactions needs recommenders as further files", hint=hint))
    from pathlib import Path

    from rankwise.evaluation.evaluate import evaluate
    from rankwise.recommenders.saved import load_recommender

    judged = read(arguments.interactions, arguments)
    recommenders = {path: load_recommender(path) for path in arguments.files}
    if arguments.known_only:
        judged = _known_to_all(judged, [one.learnt_from() for one in recommenders.values()])
    results = []
    for path, recommender in recommenders.items():
        data, scores = recommender.lists(judged, sampled=arguments.sampled, threads=arguments.threads)
        results.append(evaluate(data, scores, name=Path(path).name, **options))
    return results


def _known_to_all(judged: Interactions, trainings: list[Interactions]) -> Interactions:
    """What every recommender can be judged on, so that all are judged on the same."""
    import warnings

    from rankwise.errors import RankwiseWarning

    known = judged
    for training in trainings:
        known = known.known_to(training)
    if len(known) < len(judged):
        what = f"{len(judged) - len(known):,} of {len(judged):,} judged interactions are left out"
        hint = "their users or items were never learnt from; say so beside the numbers."
        warnings.warn(RankwiseWarning(message(what, hint=hint)), stacklevel=2)
    return known


def _learner(arguments: Namespace) -> RecommenderLearner:
    from rankwise.cli import inputs
    from rankwise.cli.train import settings
    from rankwise.learners.parameters import value_of_text
    from rankwise.recommenders import recommender_learner

    for name in _OF_LISTS:
        if inputs.given(arguments, name):
            option = f"--{name.replace('_', '-')}"
            raise RankwiseError(message(f"{arguments.learner} learns from interactions, which have no {option}"))
    kind = recommender_learner(arguments.learner)
    select = arguments.measure if arguments.select is None else arguments.select
    found: dict[str, Any] = {"select": inputs.measure_of(select, arguments.convention)}
    options = ("patience", "seed", "threads")
    found |= {name: value for name in options if (value := getattr(arguments, name)) is not None}
    for name, text in settings(arguments.set).items():
        if name in (*options, "select"):
            raise RankwiseError(message(f"--set {name}={text}: it has an option of its own", hint=f"say --{name}."))
        found[name] = value_of_text(kind, name, text)
    one = kind(**found)
    one.check()
    return one


def _write(one: RecommenderLearner, arguments: Namespace) -> None:
    about = one.recommender_.about
    seconds = float(one.curve_.seconds[-1]) if len(one.curve_) else 0.0
    if arguments.format == "json":
        print(json.dumps({**about, "seconds": seconds, "model": arguments.output}, indent=2, ensure_ascii=False))
        return
    counts, value = about["counts"], about["validation"]
    lines = {
        "learner": about["learner"],
        "learnt from": f"{counts['interactions']:,} interactions, {counts['users']:,} users, {counts['items']:,} items",
        "steps": f"{about['steps']:,} kept of {len(one.curve_):,} done: {about['stopped']}",
        "validation": "" if value is None else f"{about['select']} {value:.4f}",
        "time": duration(seconds),
        "model": arguments.output,
    }
    print("\n".join(f"{word:<12} {text}" for word, text in lines.items() if text))
