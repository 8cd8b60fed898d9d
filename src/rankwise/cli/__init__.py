"""The command `rankwise`: one verb a module, each one public Python call.

Data go to standard output, messages to standard error; exit codes: 0 done, 1 a check failed, 2 refused.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

__all__ = ["main"]

# Verb → what it does, in one line. Its module is imported when it is called.
VERBS = {
    "evaluate": "values of measures for rankings, each with its convention",
    "compare": "whether differences between rankings could be chance; a gate",
    "explain": "why two numbers differ, split over the choices that differ",
    "identify": "which conventions make a reported number",
    "sensitivity": "whether the winner changes with the convention, and by which choice",
    "conventions": "what a tool's convention is, or what differs between two",
    "collections": "public collections: what they are, and whether a folder holds one",
    "inspect": "what is wrong or odd with data, and what it does to which tool's number",
    "clean": "a file of lists without empty lists and duplicates, and what was removed",
    "split": "a file of lists into parts or folds, by list, group or time",
    "train": "a ranker learnt from labelled lists, for a measure under its convention",
    "recommend": "the best items of users, or items like others, by a recommender",
    "predict": "scores of documents by a ranker, or a run",
    "tune": "hyper-parameters searched on validation lists or in folds, and the best ranker",
    "describe": "what a ranker is, and which features matter to it",
    "study": "folds × learners × training measures × evaluation measures: who wins, and how surely",
    "report": "a page, or the figures of a paper, from saved results",
    "demo": "one set of simulated hotel searches under eight conventions",
}

_USAGE = """usage: rankwise VERB …

Ranking numbers that can be compared.

verbs:
{verbs}

examples:
  rankwise demo
  rankwise evaluate qrels.txt run.txt -m nDCG@10 -m trec_eval:map
  rankwise evaluate --letor test.txt --scores scores.txt -m letor4:nDCG@1..10
  rankwise compare qrels.txt old.run new.run --baseline old.run
  rankwise conventions letor4 trec_eval
  rankwise train --learner lambdamart train.txt --validation vali.txt -o model.rankwise
  rankwise predict model.rankwise test.txt -o scores.txt
  rankwise train --learner bpr interactions.parquet -o recommender.rankwise
  rankwise recommend recommender.rankwise --users 17,42
  rankwise study plan.toml
  rankwise report plan.study

`rankwise VERB --help` explains a verb."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one verb; the entry point of the command."""
    words = list(sys.argv[1:] if argv is None else argv)
    _write_what_can_be_written()
    # NumPy's linear algebra starts threads that wait in a busy loop, when it is imported; no verb needs them, and with
    # another process at work they double the time of the import.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if not words or words[0] in ("-h", "--help", "help"):
        print(_USAGE.format(verbs="\n".join(f"  {verb:<12} {what}" for verb, what in VERBS.items())))
        return 0 if words else 2
    if words[0] in ("-V", "--version"):
        from rankwise import __version__

        print(f"rankwise {__version__}")
        return 0
    if words[0] not in VERBS:
        return _refuse(f"there is no verb '{words[0]}'\nHint: the verbs are {', '.join(VERBS)}.")
    return _run(words[0], words[1:])


def _write_what_can_be_written() -> None:
    """A character that the output cannot encode becomes an escape, not a traceback (a pipe on Windows is cp1252)."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _run(verb: str, words: list[str]) -> int:
    from argparse import ArgumentParser, RawDescriptionHelpFormatter
    from importlib import import_module

    from rankwise.errors import RankwiseError

    module = import_module(f"rankwise.cli.{verb}")
    parser = ArgumentParser(
        prog=f"rankwise {verb}",
        description=module.__doc__,
        epilog=module.EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    try:
        arguments = parser.parse_args(words)
        with _warnings_as_messages():
            status: int = module.run(arguments)
        sys.stdout.flush()
        return status
    except RankwiseError as error:
        return _refuse(str(error))
    except BrokenPipeError:
        # Whoever read our output has enough of it, as in `rankwise … | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.filename is not None:
            return _refuse(f"{error.filename}: {error.strerror}")
        # What cannot be written to a full disk must not be tried again when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _refuse(f"the output cannot be written ({error.strerror or error})")
    except KeyboardInterrupt:
        return 130


@contextmanager
def _warnings_as_messages() -> Iterator[None]:
    """What Rankwise warns of is said in its words alone, without the place in its source."""
    import warnings

    from rankwise.errors import RankwiseWarning

    otherwise = warnings.showwarning

    def show(message: Any, category: Any, *place: Any, **more: Any) -> None:
        if issubclass(category, RankwiseWarning):
            print(f"rankwise: warning: {message}", file=sys.stderr)
        else:
            otherwise(message, category, *place, **more)

    with warnings.catch_warnings():
        warnings.showwarning = show
        warnings.simplefilter("always", RankwiseWarning)
        yield


def _refuse(what: str) -> int:
    print(f"rankwise: {what}", file=sys.stderr)
    return 2
