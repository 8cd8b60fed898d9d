"""One training of a study, in whatever process: lists in, a record out."""

from __future__ import annotations

import sys
import time
import warnings
from copy import copy
from dataclasses import replace
from pathlib import Path as Folder
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankwise.data.formats import lists as file_of_lists
from rankwise.errors import RankwiseError, RankwiseWarning
from rankwise.study.cells import Choice, Job, part_path
from rankwise.study.paths import Path
from rankwise.study.record import Record, Records, made

if TYPE_CHECKING:
    from rankwise.learners.base import Learner

__all__ = ["Done", "ranker_path", "records_of", "work"]


class Done(NamedTuple):
    """What a worker says when it is through with a job."""

    key: str
    how: str
    """`trained`; `found`: its record was there; `elsewhere`: another process is at it."""
    failed: str
    seconds: float


def records_of(folder: Folder) -> Records:
    return Records(folder / "cells")


def ranker_path(folder: Folder, key: str) -> Folder:
    """Where the ranker of a training is."""
    return folder / "rankers" / f"{key}.ranker"


def work(job: Job) -> Done:
    """Does a job unless its records are there, or another process is at it."""
    records = records_of(job.folder)
    with records.claim(job.choices[0].facts) as mine:
        if not mine:
            return Done(job.key, "elsewhere", "", 0.0)
        path = Path() if len(job.choices) > 1 else None
        how, failed, seconds = "found", "", 0.0
        for choice in job.choices:
            found = records.read(choice.facts)
            if found is None or (job.again and found.values["failed"]):
                how, found = "trained", _trained(job, choice, path)
                records.write(choice.facts, found)
            failed = failed or str(found.values["failed"])
            seconds += float(found.values["seconds"])
        return Done(job.key, how, failed, seconds)


def _trained(job: Job, choice: Choice, path: Path | None) -> Record:
    """The record of a training, also of one that failed."""
    parts = {part: file_of_lists.read(part_path(job.folder, digest)) for part, digest in choice.facts["parts"].items()}
    # What it learns is not kept beside the job.
    learner = copy(choice.learner)
    if path is not None:
        path.along(learner)
    began = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", RankwiseWarning)
            learner.fit(parts["train"], validation=parts.get("validation"), time_budget=job.time_budget)
            ranker = learner.ranker_
            scores = {name: ranker.predict(parts[name], threads=learner.threads) for name in parts if name != "train"}
    except Exception as error:
        if isinstance(error, MemoryError):
            # That depends on the machine and the hour: it is told, and not kept.
            raise
        return Record({"failed": _words(error), "seconds": time.perf_counter() - began, "kind": type(error).__name__})
    seconds = time.perf_counter() - began
    words = [str(one.message) for one in told if issubclass(one.category, RankwiseWarning)]
    return _record(learner, ranker_path(job.folder, choice.key), scores, seconds, words)


def _record(learner: Learner, place: Folder, scores: dict[str, Any], seconds: float, words: list[str]) -> Record:
    values = {
        "failed": "",
        "seconds": seconds,
        "memory": memory(),
        "stopped": learner.stopped_,
        "best": learner.curve_.best,
        "counts": learner.counts_._asdict(),
        "warnings": words,
        "ranker": _save(learner, place),
    }
    curve = {
        "curve.number": np.array([step.number for step in learner.curve_.steps], np.int64),
        "curve.training": learner.curve_.training.astype(np.float64),
        "curve.validation": learner.curve_.validation.astype(np.float64),
    }
    return Record(values, {**scores, **curve})


def _save(learner: Learner, path: Folder) -> str:
    """Why the ranker is not kept; empty if it is."""
    # How many threads there were says nothing about the ranker.
    parameters = {name: value for name, value in learner.ranker_.about["parameters"].items() if name != "threads"}
    ranker = replace(learner.ranker_, about={**learner.ranker_.about, "parameters": parameters})
    made(path.parent)
    try:
        ranker.save(path)
    except RankwiseError as error:
        return _words(error)
    return ""


def _words(error: BaseException) -> str:
    """What went wrong; of an error that is not ours, its kind too."""
    said = str(error)
    return said if isinstance(error, RankwiseError) else f"{type(error).__name__}: {said}"


def memory() -> int | None:
    """The most bytes that this process has had, where the system tells it."""
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
