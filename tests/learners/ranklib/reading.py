"""RankLib's saved models and the data that they were learnt from."""

from __future__ import annotations

import tarfile
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rankwise import Dataset, read_letor

FOLDER = Path(__file__).parent


@cache
def part(name: str) -> Dataset:
    """The lists as they stand in the file, under ids that sort in that order: RankLib adds them up as they come."""
    data = read_letor(FOLDER / f"{name}.txt.gz")
    ids = [f"{int(query):03}" for query in data.queries]
    return Dataset.of(data.features, data.labels, qid=np.repeat(ids, np.diff(data.offsets)))


@cache
def text(name: str) -> str:
    with tarfile.open(FOLDER / "models.tar.xz") as packed:
        return packed.extractfile(name).read().decode()


def numbers(model: str) -> list[tuple[int, ...]]:
    """The numbers of a model in one line: `feature:α` or `feature:threshold:α`, features counted from 1."""
    words = text(f"{model}.model").strip().splitlines()[-1].split()
    return [(int(word.split(":")[0]), *map(float, word.split(":")[1:])) for word in words]


def printed(model: str) -> dict[str, float]:
    """What RankLib printed for a model, by the part of the data."""
    line = next(line for line in text("RESULTS.txt").splitlines() if line.startswith(f"{model} ::"))
    words = [word for word in line.rpartition("::")[2].split(";") if " on " in word]
    return {word.partition(" on ")[2].partition(" data")[0]: float(word.rpartition(":")[2]) for word in words}


def trees(model: str) -> list[Any]:
    """Each tree as nested tuples: (feature, threshold, left, right) or the output of a leaf."""
    content = text(f"{model}.model")
    root = ElementTree.fromstring(content[content.index("<ensemble>") :])
    return [_node(tree.find("split")) for tree in root]


def _node(split: Any) -> Any:
    if (output := split.find("output")) is not None:
        return float(output.text)
    left, right = split.findall("split")
    return int(split.find("feature").text), float(split.find("threshold").text), _node(left), _node(right)
