"""Where a study's lists come from: simulated searches, a collection, or files; and how they are divided into folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold, Folds, folds, lot
from rankwise.errors import DataError, message
from rankwise.study.keys import Keys

__all__ = ["PARTS", "Source", "source"]

PARTS = ("train", "validation", "test")
SIMULATED = ("hotels",)
# In which order the rows of a list stand.
ROWS = ("as given", "by lot")
# Options of reading tables and LETOR text, as `rankwise.read` calls them.
READING = {
    "query": str, "document": str, "label": (str, dict), "features": list, "weight": str, "position": str,
    "sort_features": bool, "skip_bad_lines": bool,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """Folds that are made when they are asked for."""

    words: str
    """What it is, for people."""
    make: Callable[[], Folds] = field(repr=False)
    most: int | None = None
    """At most so many lists of each part, drawn by lot."""
    by_lot: bool = False
    """Whether the rows of each list stand in an order drawn by lot, and not as given."""

    def folds(self) -> list[Fold]:
        """All folds; their parts are read when they are asked for."""
        found = list(self.make())
        if not found:
            hint = "say `folds = 5` to divide the lists, or name train, validation and test."
            raise DataError(message(f"{self.words} has no folds", hint=hint))
        if self.most is None and not self.by_lot:
            return found
        return [_changed(fold, partial(_drawn, most=self.most, by_lot=self.by_lot)) for fold in found]


def source(keys: Keys, folder: Path, lists: Any = None) -> Source:
    """What the table [data] says; `lists` are those that a caller in Python gives."""
    most = keys.whole("lists", least=1, default=None)
    rows = keys.text("rows", default=ROWS[0])
    if rows not in ROWS:
        keys.refuse("rows", f"is '{rows}', not {' or '.join(map(repr, ROWS))}")
    words, make = _source(keys, folder, lists)
    return Source(words, make, most, rows == "by lot")


Made = tuple[str, Callable[[], Folds]]


def _source(keys: Keys, folder: Path, lists: Any) -> Made:
    kinds = [kind for kind in ("simulated", "collection", "files", "fold", "train") if keys.has(kind)]
    if lists is not None:
        if kinds:
            keys.refuse(kinds[0], "the lists are given already", "leave it out, or do not give `lists`.")
        return _given(lists, keys)
    if len(kinds) != 1:
        hint = 'one of simulated = "hotels"; collection and folder; files and folds; train and test; or [[data.fold]].'
        what = f"several sources of lists ({', '.join(kinds)})" if kinds else "there are no lists"
        raise keys.error(what, hint)
    made = {"simulated": _simulated, "collection": _collection, "files": _files, "fold": _parts, "train": _parts}
    return made[kinds[0]](keys, folder)


def _given(lists: Any, keys: Keys) -> Made:
    if isinstance(lists, Dataset):
        return "the lists given", partial(folds, lists, **_division(keys))
    found = list(lists) if isinstance(lists, Sequence) else []
    if not found or not all(isinstance(fold, Fold) for fold in found):
        hint = "give a Dataset, or folds such as `rankwise.folds(data, 5)`."
        raise DataError(message(f"a study has lists of a Dataset or of folds, not {type(lists).__name__}", hint=hint))
    keys.end()
    return "the folds given", lambda: Folds(partial(found.__getitem__, at) for at in range(len(found)))


def _division(keys: Keys) -> dict[str, Any]:
    """How lists are dealt into folds."""
    validation = keys.truth("validation", default=True)
    found = {
        # One part of each fold is for the test, one for validation, and the rest to learn from.
        "k": keys.whole("folds", least=3 if validation else 2, default=5),
        "seed": keys.whole("seed", least=0, default=0),
        "group": keys.text("group", default=None),
        "validation": validation,
    }
    keys.end()
    return found


def _simulated(keys: Keys, folder: Path) -> Made:
    kind = keys.text("simulated")
    if kind not in SIMULATED:
        keys.refuse("simulated", f"there are no simulated lists '{kind}'", f"there are {', '.join(SIMULATED)}.")
    searches = keys.whole("searches", least=1, default=2_000)
    of = keys.whole("simulation_seed", least=0, default=0)
    division = _division(keys)

    def make() -> Folds:
        from rankwise.data.simulate import hotel_searches

        return folds(hotel_searches(searches, seed=of), **division)

    return f"{searches:,} simulated hotel searches", make


def _collection(keys: Keys, folder: Path) -> Made:
    from rankwise.data.collections import COLLECTIONS

    name = keys.text("collection")
    if name not in COLLECTIONS:
        keys.refuse("collection", f"there is no collection '{name}'", f"there are {', '.join(COLLECTIONS)}.")
    place = folder / keys.text("folder")
    wanted = keys.whole("folds", least=2, default=None)
    part = keys.text("part", default=None)
    if wanted is None:
        if part is not None:
            keys.refuse("part", "the official folds have their own parts", "say how many `folds` to divide it into.")
        keys.end()
        return name, lambda: COLLECTIONS[name](place).folds
    division = {**_division(keys), "k": wanted}
    return name, lambda: folds(COLLECTIONS[name](place).read(part), **division)


def _files(keys: Keys, folder: Path) -> Made:
    files = [folder / name for name in keys.texts("files")]
    reading = _reading(keys)
    division = _division(keys)
    return _names(files), lambda: folds(_read(files, reading), **division)


def _parts(keys: Keys, folder: Path) -> Made:
    """Files of one fold, or of several."""
    tables = keys.tables("fold") if keys.has("fold") else [keys]
    reading = _reading(keys)
    made = []
    for number, table in enumerate(tables, 1):
        name = table.text("name", default=str(number)) if table is not keys else "1"
        places = {part: [folder / file for file in table.texts(part, default=None) or []] for part in PARTS}
        for part in ("train", "test"):
            if not places[part]:
                raise table.error(f"the fold has no files for '{part}'", f'write {part} = "{part}.txt".')
        if table is not keys:
            table.end()
        made.append((name, places))
    keys.end()
    words = _names([file for _, places in made for file in places["test"]])
    return words, lambda: Folds(partial(_fold, name, places, reading) for name, places in made)


def _fold(name: str, places: Mapping[str, list[Path]], reading: Mapping[str, Any]) -> Fold:
    parts: dict[str, Any] = {part: partial(_read, files, reading) for part, files in places.items() if files}
    return Fold(name, **parts)


def _reading(keys: Keys) -> dict[str, Any]:
    found = {name: keys.take(name, kinds) for name, kinds in READING.items() if keys.has(name)}
    if isinstance(found.get("label"), dict):
        found["labels"] = found.pop("label")
    return found


def _read(files: Sequence[Path], reading: Mapping[str, Any]) -> Dataset:
    from rankwise.data.formats.doors import read

    for file in files:
        if not file.exists():
            hint = "paths of a plan begin at the folder of the plan."
            raise DataError(message("no such file", place=str(file), hint=hint))
    data = [read(file, **reading) for file in files]
    return data[0] if len(data) == 1 else Dataset.join(data)


def _names(files: Sequence[Path]) -> str:
    names = list(dict.fromkeys(file.name for file in files))
    return ", ".join(names if len(names) < 4 else [*names[:2], "…", names[-1]])


def _changed(fold: Fold, change: Callable[[Dataset], Dataset]) -> Fold:
    """The fold with each of its parts changed, when it is read."""
    there = [part for part in PARTS if part != "validation" or fold.has_validation]
    parts: dict[str, Any] = {part: lambda part=part: change(getattr(fold, part)) for part in there}
    return Fold(fold.name, **parts)


def _drawn(data: Dataset, *, most: int | None, by_lot: bool) -> Dataset:
    if most is not None:
        data = data.take(sorted(sorted(range(len(data)), key=lambda at: lot(data.queries[at], 0))[:most]))
    return _rows_by_lot(data) if by_lot else data


def _rows_by_lot(data: Dataset) -> Dataset:
    """The rows of each list in an order that follows from its id alone."""
    rows = [
        start + np.random.default_rng(list(lot(query, 0))).permutation(end - start)
        for query, start, end in zip(data.queries, data.offsets[:-1], data.offsets[1:], strict=True)
    ]
    order = np.concatenate(rows)
    columns = ("features", "labels", "documents", "document_weights", "positions")
    moved: dict[str, Any] = {
        name: None if (column := getattr(data, name)) is None else column[order] for name in columns
    }
    return replace(data, **moved, columns={}, rows=None)
