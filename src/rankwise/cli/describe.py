"""Says what a ranker is: its learner and parameters, what it was learnt for and from, and which features matter to it.

With --data, importances under the measure: what it loses where a feature's values are permuted among the rows. With
--row too, what each feature adds to the score of one document.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from rankwise.cli import inputs
from rankwise.errors import DataError, RankwiseError, message

if TYPE_CHECKING:
    from rankwise.evaluation.table import Table
    from rankwise.measures.base import Measure
    from rankwise.rankers.base import Ranker
    from rankwise.rankers.importance import PermutationImportances

EXAMPLES = """examples:
  rankwise describe model.rankwise
  rankwise describe model.rankwise --text
  rankwise describe model.rankwise --data test.txt
  rankwise describe model.rankwise --data test.txt --measure letor4:nDCG@10 --repeats 20 --top 0
  rankwise describe model.rankwise --data test.txt --row 1
  rankwise describe model.rankwise --format json | jq .about.parameters
"""

FORMATS = ("text", "json")


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("model", metavar="MODEL", help="a file that `rankwise train` or `Ranker.save` wrote")
    add("--text", action="store_true", help="the model itself, as a text one can read")
    add("--top", type=int, default=20, metavar="N", help="the N features that matter most (default 20; 0: all)")
    add("--data", metavar="FILE", help="labelled lists to see which features matter under the measure")
    add("-m", "--measure", metavar="M", help="the measure of --data (default: the one that was learnt for)")
    add("--convention", metavar="NAME", help="the convention of a measure without a prefix")
    add("--repeats", type=int, metavar="N", help="how often each feature is permuted (default 5)")
    add("--seed", type=int, metavar="N", help="another seed permutes otherwise (default 0)")
    add("--row", type=int, metavar="N", help="what each feature adds to the score of the Nth document of --data")
    inputs.add_reading(parser)
    add("--threads", type=int, metavar="N", help="how many threads; the numbers do not depend on it")
    add("--format", default="text", metavar="F", help="text (default) or json")


def run(arguments: Namespace) -> int:
    _refuse(arguments)
    from rankwise.rankers.saved import load_ranker

    ranker = load_ranker(arguments.model)
    if arguments.row is not None:
        return _row(ranker, arguments)
    if arguments.text:
        print(ranker.scorer.text(ranker.inputs.names))
        return 0
    permuted = None if arguments.data is None else _permuted(ranker, arguments)
    top = arguments.top or None
    if arguments.format == "json":
        _print_json(as_dict(ranker, permuted))
        return 0
    parts = [description(ranker), str(importances(ranker, top))]
    print("\n\n".join(parts if permuted is None else [*parts, str(permuted.table(top))]))
    return 0


# What is said of --data alone.
_OF_DATA = ("measure", "convention", "repeats", "seed", "row", "group", *inputs.OF_LISTS)
# What permuting a feature takes.
_OF_PERMUTING = ("measure", "convention", "repeats", "seed")


def _refuse(arguments: Namespace) -> None:
    inputs.check_format(arguments.format, FORMATS)
    idle = [name for name in _OF_DATA if inputs.given(arguments, name)] if arguments.data is None else []
    if idle:
        raise RankwiseError(message(f"--{idle[0].replace('_', '-')} belongs to --data"))
    if arguments.row is not None:
        idle = [name for name in _OF_PERMUTING if inputs.given(arguments, name)]
        if idle:
            raise RankwiseError(message(f"--{idle[0]} belongs to --data without --row"))
    if arguments.text and (arguments.data is not None or arguments.format != "text"):
        other = "--data" if arguments.data is not None else f"--format {arguments.format}"
        raise RankwiseError(message(f"--text is the model alone, and has no place for {other}"))
    if arguments.top < 0:
        raise RankwiseError(message(f"--top must be a whole number from 0, not {arguments.top}"))


def _row(ranker: Ranker, arguments: Namespace) -> int:
    from rankwise.cli.predict import lists

    data = lists(arguments, ranker, arguments.data)
    if not 1 <= arguments.row <= len(data.labels):
        what = f"there is no document {arguments.row}; {len(data.labels):,} count from 1"
        raise RankwiseError(message(what, place=arguments.data))
    with inputs.refusals_name(arguments.data):
        found = ranker.contributions(data, row=arguments.row - 1)
    if arguments.format == "json":
        parts = dict(zip(found.names, found.values.tolist(), strict=True))
        _print_json({"row": arguments.row, "score": found.score, "constant": found.constant, "contributions": parts})
    else:
        print(found)
    return 0


def _permuted(ranker: Ranker, arguments: Namespace) -> PermutationImportances:
    from rankwise.cli.predict import lists
    from rankwise.rankers.importance import permutation_importances

    measure = None if arguments.measure is None else inputs.measure_of(arguments.measure, arguments.convention)
    data = lists(arguments, ranker, arguments.data, labelled=True)
    options = {name: getattr(arguments, name) for name in ("repeats", "seed") if getattr(arguments, name) is not None}
    with inputs.refusals_name(arguments.data):
        return permutation_importances(ranker, data, measure, threads=arguments.threads, **options)


def as_dict(ranker: Ranker, permuted: PermutationImportances | None = None) -> dict[str, Any]:
    """All that is said of a ranker, as values of JSON."""
    known = ranker.inputs
    found: dict[str, Any] = {
        "about": dict(ranker.about),
        "inputs": {
            "features": known.features,
            "names": list(known.names),
            "transform": known.transform,
            "over": known.over,
            "relative": list(known.relative),
        },
        "model": {"kind": ranker.scorer.kind, "text": repr(ranker.scorer)},
        "importances": ranker.importances(),
    }
    if permuted is not None:
        errors = [None if error != error else error for error in permuted.errors.tolist()]
        found["permutation"] = {
            "measure": str(permuted.measure),
            "value": permuted.value,
            "repeats": permuted.losses.shape[1],
            "features": {
                name: {"loss": loss, "error": error}
                for name, loss, error in zip(permuted.names, permuted.means.tolist(), errors, strict=True)
            },
        }
    return found


def description(ranker: Ranker) -> str:
    """What a ranker is, where it comes from."""
    try:
        return _description(ranker)
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        if isinstance(error, RankwiseError):
            raise
        hint = "--format json prints it as it stands."
        raise DataError(message("what this ranker says of its making cannot be read", hint=hint)) from None


def _description(ranker: Ranker) -> str:
    about = ranker.about
    lines = [
        ("learner", _learner(about)),
        ("parameters", _parameters(about)),
        *_conventions(about),
        ("features", _features(ranker)),
        ("model", repr(ranker.scorer)),
        *_training(about),
        ("written by", f"rankwise {about['rankwise']}" if "rankwise" in about else ""),
    ]
    return "\n".join(f"{word:<12} {text}" for word, text in lines if text)


def _learner(about: Any) -> str:
    if "learner" not in about:
        return "not known: this ranker was not made by a learner"
    chosen = about.get("select")
    by = "" if chosen in (None, about.get("measure")) else f", chosen by {chosen}"
    return f"{about['learner']} for {about.get('measure')}{by}"


def _parameters(about: Any) -> str:
    """Those that say something: not what stands on other lines, and nothing that is left open."""
    elsewhere = ("measure", "select", "scaling", "over", "relative", "threads", "warm_start")
    known = about.get("parameters") or {}
    return " · ".join(f"{name}={value}" for name, value in known.items() if name not in elsewhere and value is not None)


def _conventions(about: Any) -> list[tuple[str, str]]:
    """The conventions of the measures in words, where this version knows them."""
    from rankwise.evaluation.present import conventions

    measures = [_measure(about.get(name)) for name in ("measure", "select")]
    known = [measure for measure in measures if measure is not None]
    return [("convention", line) for line in conventions(known, runs=False)]


def _measure(text: Any) -> Measure | None:
    from rankwise.measures.parse import measure

    try:
        return None if text is None else measure(text)
    except RankwiseError:
        # A function of a user, or a convention of a newer version.
        return None


def _features(ranker: Ranker) -> str:
    known = ranker.inputs
    over = {"train": "over the training set", "list": "within each list"}[known.over]
    how = "as they are" if known.transform == "none" else known.transform
    how += f" {over}" if known.transform not in ("none", "log1p") else ""
    further = f"; further columns within the list: {', '.join(known.relative)}" if known.relative else ""
    return f"{known.features:,}, {how}{further}"


def _training(about: Any) -> list[tuple[str, str]]:
    from rankwise.cli.train import kinds_of_lists, shown

    counts = about.get("counts") or {}
    known = {"lists", "rows", "features", "teaching"} <= set(counts)
    steps = f"{about['steps']:,} kept: {about.get('stopped', '')}" if "steps" in about else ""
    return [
        ("learnt from", f"{counts['lists']:,} lists, {counts['rows']:,} rows" if known else ""),
        ("lists", kinds_of_lists(counts) if known else ""),
        ("steps", steps),
        ("training", shown(about.get("training"))),
        ("validation", shown(about.get("validation"))),
    ]


def importances(ranker: Ranker, top: int | None) -> Table:
    """The columns that matter most to the model itself."""
    from rankwise.evaluation.table import Table

    found = ranker.importances()
    whole = sum(found.values()) or 1.0
    rows = [[name, f"{value:.6g}", f"{value / whole:.1%}"] for name, value in list(found.items())[:top]]
    more = len(found) - len(rows)
    notes = [f"and {more:,} more (--top 0 shows all)"] if more else []
    of_trees = "splits" if getattr(ranker.scorer, "gain", None) is None else "gain of splits"
    what = {"trees": of_trees, "stumps": "size of steps", "linear": "|weight|"}.get(ranker.scorer.kind, "size")
    return Table(["feature", what, "share"], rows, notes, title="what matters to the model")


def _print_json(found: Any) -> None:
    import json

    print(json.dumps(found, indent=2, ensure_ascii=False))
