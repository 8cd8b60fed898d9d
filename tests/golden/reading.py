"""The golden cases, and how they come in at each door."""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.ids import Ids
from rankwise.evaluation.lists import Lists

PACKED = Path(__file__).parent / "golden.tar.xz"


@cache
def files() -> dict[str, Any]:
    """Path → content of every file of the golden set."""
    if folder := os.environ.get("RANKWISE_GOLDEN"):
        paths = sorted(Path(folder).rglob("*.json"))
        return {path.relative_to(folder).as_posix(): json.loads(path.read_text("utf-8")) for path in paths}
    with tarfile.open(PACKED) as packed:
        return {member.name: json.load(packed.extractfile(member)) for member in packed}


def manifest() -> dict[str, Any]:
    return files()["manifest.json"]["tools"]


def tolerance(tool: str, metric: str) -> float:
    """How far a value may be away, relative to max(1, |theirs|); ir_measures has five decimals from gdeval."""
    five_decimals = tool == "ir_measures" and metric.startswith(("ERR@", "nDCG(dcg='exp-log2')@"))
    return 5.1e-6 if five_decimals else manifest()[tool]["tolerance"]


def expectations(tool: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The cases of a tool with what it printed."""
    folder = f"expected/{tool}/"
    return ((path.removeprefix(folder)[:-5], found) for path, found in files().items() if path.startswith(folder))


@cache
def case(name: str) -> dict[str, Any]:
    return files()[f"cases/{name}.json"]


def metrics(found: dict[str, Any]) -> list[str]:
    return sorted({name for values in found["per_query"].values() for name in values} | set(found["mean"] or {}))


def judged_queries(name: str) -> list[dict[str, Any]]:
    """The queries of which at least one document was judged."""
    return [q for q in case(name)["queries"] if any(d["label"] is not None for d in q["docs"])]


# The doors.


def as_lists(name: str, *, only: str = "") -> Lists:
    """Rows in file order, straight into the room of evaluation; of all queries, or of one."""
    labels, scores, documents, outside, offsets, outside_offsets = [], [], [], [], [0], [0]
    queries = [query for query in judged_queries(name) if only in ("", query["qid"])]
    for query in queries:
        for d in query["docs"]:
            if d["score"] is None:
                outside.append(d["label"])
            else:
                labels.append(np.nan if d["label"] is None else d["label"])
                scores.append(d["score"])
                documents.append(d["id"])
        offsets.append(len(labels))
        outside_offsets.append(len(outside))
    return Lists(
        np.array(labels, np.float64),
        np.array(scores, np.float64),
        np.array(offsets),
        queries=Ids.of([q["qid"] for q in queries]),
        documents=Ids.of(documents),
        outside=np.array(outside, np.float64),
        outside_offsets=np.array(outside_offsets),
        judged_run=True,
    )


def as_mappings(name: str, rng: np.random.Generator) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Qrels and run as dictionaries; the qrels' documents and the run's queries in a random order."""
    qrels, run = {}, {}
    for query in case(name)["queries"]:
        judged = {d["id"]: d["label"] for d in query["docs"] if d["label"] is not None}
        retrieved = {d["id"]: d["score"] for d in query["docs"] if d["score"] is not None}
        if judged:
            qrels[query["qid"]] = shuffled(judged, rng)
        if retrieved:
            run[query["qid"]] = retrieved
    return qrels, shuffled(run, rng)


def shuffled(mapping: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    keys = list(mapping)
    return {keys[i]: mapping[keys[i]] for i in rng.permutation(len(keys))}


def as_dataset(name: str, rng: np.random.Generator) -> tuple[Dataset, np.ndarray]:
    """A dataset and scores, the rows of different queries mixed, those of one query in file order."""
    rows = [(q["qid"], d) for q in judged_queries(name) for d in q["docs"]]
    if any(d["score"] is None for _, d in rows):
        raise ValueError("a dataset holds no document that was not retrieved")
    queries = np.array([qid for qid, _ in rows])
    # Draws which query comes next, then takes its rows one after another.
    drawn = rng.permutation(queries)
    order = np.empty(len(rows), int)
    order[np.argsort(drawn, kind="stable")] = np.argsort(queries, kind="stable")
    rows = [rows[i] for i in order]
    labels = [np.nan if d["label"] is None else float(d["label"]) for _, d in rows]
    data = Dataset.of(labels=labels, qid=[qid for qid, _ in rows], documents=[d["id"] for _, d in rows])
    return data, np.array([d["score"] for _, d in rows], np.float64)
