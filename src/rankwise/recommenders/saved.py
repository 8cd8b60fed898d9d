"""A recommender as one file, and back: docs/recommenders.md describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise import __version__
from rankwise.data.formats import arrays as container
from rankwise.data.formats.files import PathLike
from rankwise.errors import DataError, RankwiseError, message
from rankwise.rankers.factors import Factors
from rankwise.rankers.histories import Histories
from rankwise.rankers.inputs import array_of
from rankwise.rankers.neighbours import Neighbours
from rankwise.recommenders.interactions import Names
from rankwise.recommenders.recommender import Model, Recommender

__all__ = ["load_recommender", "save"]

KIND, VERSION = "recommender", 1
MODELS: Mapping[str, type[Model]] = {model.kind: model for model in (Factors, Neighbours)}

Arrays = dict[str, npt.NDArray[Any]]


def save(recommender: Recommender, path: PathLike) -> None:
    """Writes a recommender: users, items, what was learnt, what was seen, and where it comes from."""
    model, of_model = recommender.model.plain()
    header = {
        "written_by": f"rankwise {__version__}",
        "model": {"kind": recommender.model.kind, **model},
        "about": dict(recommender.about),
    }
    seen = recommender.histories
    arrays = {f"model.{name}": array for name, array in of_model.items()}
    arrays |= {"seen.offsets": seen.offsets, "seen.items": seen.items}
    if seen.values is not None:
        arrays["seen.values"] = seen.values
    for what, names in (("users", recommender.users), ("items", recommender.items)):
        texts, ends = _packed(names)
        arrays |= {f"{what}.texts": texts, f"{what}.ends": ends}
    container.write(path, KIND, VERSION, header, arrays)


def load_recommender(path: PathLike) -> Recommender:
    """Reads a recommender that `Recommender.save` wrote; it recommends the same as the one that was saved."""
    header, arrays = container.read(path, KIND, VERSION)
    try:
        return _recommender(header, arrays)
    except RankwiseError as error:
        hint = "" if "\nHint: " in str(error) else "\nHint: the file is damaged; write it again."
        raise type(error)(f"{path}: {error}{hint}") from None


def _recommender(header: dict[str, Any], arrays: Arrays) -> Recommender:
    users, items = (_unpacked(arrays, what) for what in ("users", "items"))
    seen = _histories(arrays, len(users), len(items))
    model = _part(header, "model")
    kind = model.get("kind")
    if not isinstance(kind, str) or kind not in MODELS:
        raise DataError(message(f"its model is of the kind {kind!r}, which is none of {', '.join(MODELS)}"))
    own = {name.removeprefix("model."): array for name, array in arrays.items() if name.startswith("model.")}
    found = MODELS[kind].of_plain(model, own, len(users), len(items))
    return Recommender(users=users, items=items, model=found, histories=seen, about=_part(header, "about"))


def _histories(arrays: Arrays, users: int, items: int) -> Histories:
    offsets = array_of(arrays, "seen.offsets", np.int64, users + 1)
    found = array_of(arrays, "seen.items", np.uint32)
    values = array_of(arrays, "seen.values", np.float32, len(found)) if "seen.values" in arrays else None
    fits = offsets[0] == 0 and offsets[-1] == len(found) and (np.diff(offsets) >= 0).all()
    if not fits or (len(found) and int(found.max()) >= items):
        raise DataError(message("what users have seen does not fit together"))
    ascends = found[1:] > found[:-1]
    # The first item of a user may be below the last of the one before.
    starts = offsets[1:-1]
    ascends[starts[(starts > 0) & (starts < len(found))] - 1] = True
    if not ascends.all():
        raise DataError(message("what a user has seen does not ascend"))
    return Histories(offsets, found, values)


def _packed(names: Names) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    words = [name.encode() for name in names]
    return np.frombuffer(b"".join(words), np.uint8), np.cumsum([len(word) for word in words], dtype=np.int64)


def _unpacked(arrays: Arrays, what: str) -> Names:
    ends = array_of(arrays, f"{what}.ends", np.int64)
    texts = array_of(arrays, f"{what}.texts", np.uint8).tobytes()
    starts = np.concatenate(([0], ends[:-1]))
    if (ends < starts).any() or (int(ends[-1]) if len(ends) else 0) != len(texts):
        raise DataError(message(f"the names of its {what} do not fit together"))
    try:
        found = [texts[start:end].decode() for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    except UnicodeDecodeError:
        raise DataError(message(f"a name of its {what} is not UTF-8")) from None
    if len(set(found)) < len(found):
        raise DataError(message(f"two of its {what} have one name"))
    return Names.of(found)


def _part(header: dict[str, Any], name: str) -> dict[str, Any]:
    part = header.get(name)
    if not isinstance(part, dict):
        raise DataError(message(f"its header has no '{name}'"))
    return part
