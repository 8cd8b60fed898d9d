"""A ranker as one small file, and back: docs/rankers.md describes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from rankwise import __version__
from rankwise.data.formats import arrays as container
from rankwise.data.formats.files import PathLike
from rankwise.errors import DataError, RankwiseError, message
from rankwise.rankers.base import Ranker, Scorer
from rankwise.rankers.inputs import Inputs
from rankwise.rankers.linear import Linear
from rankwise.rankers.network import Network
from rankwise.rankers.stumps import Stumps
from rankwise.rankers.trees import Trees

__all__ = ["load_ranker", "save"]

KIND, VERSION = "ranker", 1
SCORERS: Mapping[str, type[Scorer]] = {scorer.kind: scorer for scorer in (Linear, Network, Stumps, Trees)}

Arrays = dict[str, npt.NDArray[Any]]


def save(ranker: Ranker, path: PathLike) -> None:
    """Writes a ranker: its inputs, its model, and where it comes from."""
    inputs, of_inputs = ranker.inputs.plain()
    scorer, of_scorer = ranker.scorer.plain()
    header = {
        "written_by": f"rankwise {__version__}",
        "inputs": inputs,
        "scorer": {"kind": ranker.scorer.kind, **scorer},
        "about": _plain(ranker.about),
    }
    arrays = {f"inputs.{name}": array for name, array in of_inputs.items()}
    arrays |= {f"scorer.{name}": array for name, array in of_scorer.items()}
    container.write(path, KIND, VERSION, header, arrays)


def _plain(about: Mapping[str, Any]) -> Any:
    """`about` as a file keeps it."""
    try:
        return json.loads(json.dumps(about, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        hint = "numbers, texts, lists and dictionaries of texts are kept; NaN is no number of JSON."
        raise DataError(message(f"what is said about the ranker cannot be written ({error})", hint=hint)) from None


def load_ranker(path: PathLike) -> Ranker:
    """Reads a ranker that `Ranker.save` wrote; it gives the same scores as the one that was saved."""
    header, arrays = container.read(path, KIND, VERSION)
    try:
        return _ranker(header, arrays)
    except RankwiseError as error:
        hint = "" if "\nHint: " in str(error) else "\nHint: the file is damaged; write it again."
        raise type(error)(f"{path}: {error}{hint}") from None


def _ranker(header: dict[str, Any], arrays: Arrays) -> Ranker:
    inputs = Inputs.of_plain(_part(header, "inputs"), _under(arrays, "inputs."))
    scorer = _part(header, "scorer")
    kind = scorer.get("kind")
    if not isinstance(kind, str) or kind not in SCORERS:
        raise DataError(message(f"its model is of the kind {kind!r}, which is none of {', '.join(SCORERS)}"))
    model = SCORERS[kind].of_plain(scorer, _under(arrays, "scorer."), inputs.columns)
    return Ranker(inputs, model, _part(header, "about"))


def _part(header: dict[str, Any], name: str) -> dict[str, Any]:
    part = header.get(name)
    if not isinstance(part, dict):
        raise DataError(message(f"its header has no '{name}'"))
    return part


def _under(arrays: Arrays, prefix: str) -> Arrays:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
