"""A collection is a folder that the user has: where it comes from, what must be in it, its lists and official folds."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold, Folds
from rankwise.data.formats import letor
from rankwise.data.formats.files import PathLike, unpacked
from rankwise.errors import DataError, message

__all__ = ["About", "Collection", "File", "Layout", "Part", "Size", "found", "letor_folds", "letor_part"]


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What is known of a collection without having it."""

    name: str
    title: str
    source: str
    """Where it comes from, in words."""
    url: str
    """The publisher's page."""
    terms: str
    citation: str
    """Keys of docs/references.bib."""
    contents: str
    checked: str
    """What `check` holds a folder against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """What a file holds; `None` is not known, or not looked for."""

    rows: int | None = None
    lists: int | None = None
    bytes: int | None = None
    """Unpacked."""
    sha256: str | None = None
    """Of the unpacked file."""
    edition: str = ""

    def differences(self, found: Size) -> list[str]:
        """What is expected and differs, in words."""
        wrong = [
            f"{noun} {found_value:,}, not {wanted:,}"
            for noun, wanted, found_value in (
                ("bytes", self.bytes, found.bytes),
                ("rows", self.rows, found.rows),
                ("lists", self.lists, found.lists),
            )
            if wanted is not None and found_value is not None and wanted != found_value
        ]
        if not wrong and self.sha256 is not None and self.sha256 != found.sha256:
            wrong = [f"the right size, but other content (SHA-256 {found.sha256})"]
        return wrong


Key = Callable[[bytes], bytes]
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file of a collection, under its official name or that with `.gz`."""

    name: str
    key: Key | None = None
    """Of a line, the list that it belongs to."""
    header: bool = False
    expected: tuple[Size, ...] = ()
    """One an edition; the file is right if it agrees with one of them."""

    def place(self, folder: Path) -> Path | None:
        """Where the file is, if it is."""
        return next((path for end in ("", ".gz") if (path := folder / f"{self.name}{end}").is_file()), None)

    def wrong(self, path: Path) -> list[str]:
        """How the file differs from what is expected, a line for each edition if it agrees with none."""
        if not self.expected:
            return []
        size = measured(path, self.key, header=self.header)
        found = [(size_wanted.differences(size), size_wanted.edition) for size_wanted in self.expected]
        if any(not wrong for wrong, _ in found):
            return []
        return [f"{'; '.join(wrong)}{f' (of {edition})' if edition else ''}" for wrong, edition in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Lists that are read together: the first file holds them, others what belongs to them."""

    name: str
    files: tuple[File, ...]
    read: Callable[..., Dataset]
    """From the paths of the files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One form in which the collection is given out."""

    parts: tuple[Part, ...]
    folds: Mapping[str, tuple[Names, Names, Names]] = field(default_factory=dict)
    """Of each fold the parts for train, validation (or none) and test."""
    whole: Names = ()
    """The parts that together are the collection, each list once; empty where their query ids clash."""

    @property
    def files(self) -> tuple[File, ...]:
        return tuple(dict.fromkeys(file for part in self.parts for file in part.files))


class Collection:
    """A public collection in a folder; nothing is read before it is asked for, and nothing is downloaded."""

    def __init__(self, about: About, folder: Path, layout: Layout) -> None:
        self.about = about
        self.folder = folder
        self._layout = layout
        self._parts = {part.name: part for part in layout.parts}

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that the folder has."""
        return tuple(name for name in self._parts if self._has(name))

    def read(self, part: str | None = None) -> Dataset:
        """The lists of a part, or all of them."""
        if part is None and not self._layout.whole:
            hint = f"name one of {', '.join(self._parts)}."
            raise DataError(message(f"the parts of {self.about.name} are no one set of lists", hint=hint))
        return self._read(self._layout.whole if part is None else (part,))

    @property
    def folds(self) -> Folds:
        """The official folds whose files are all there."""
        there = {name: of for name, of in self._layout.folds.items() if all(map(self._has, of[0] + of[1] + of[2]))}
        return Folds(partial(self._fold, name, *of) for name, of in there.items())

    def check(self) -> list[str]:
        """What is missing or differs from what was published, a line each; reads every file once."""
        found = []
        for file in self._layout.files:
            path = file.place(self.folder)
            found += (
                [f"{file.name} is missing"]
                if path is None
                else [f"{path.relative_to(self.folder).as_posix()}: {w}" for w in file.wrong(path)]
            )
        return found

    def _has(self, part: str) -> bool:
        return all(file.place(self.folder) for file in self._parts[part].files)

    def _fold(self, name: str, train: Names, validation: Names, test: Names) -> Fold:
        return Fold(
            name,
            train=lambda: self._read(train),
            validation=(lambda: self._read(validation)) if validation else None,
            test=lambda: self._read(test),
        )

    def _read(self, names: Names) -> Dataset:
        data = [self._read_part(name) for name in names]
        return data[0] if len(data) == 1 else Dataset.join(data)

    def _read_part(self, name: str) -> Dataset:
        if name not in self._parts:
            hint = f"there are {', '.join(self._parts)}."
            raise DataError(message(f"{self.about.name} has no part '{name}'", hint=hint))
        part = self._parts[name]
        paths = [(file, file.place(self.folder)) for file in part.files]
        missing = [file.name for file, path in paths if path is None]
        if missing:
            what = f"part '{name}' needs {' and '.join(missing)} (or .gz), which the folder has not"
            hint = f"`check()` lists all that is missing; {_from(self.about)}"
            raise DataError(message(what, place=str(self.folder), hint=hint))
        return part.read(*(path for _, path in paths))

    def __repr__(self) -> str:
        return f"Collection({self.about.name} in {self.folder}: {', '.join(self.parts)})"


def found(about: About, folder: PathLike, layouts: Sequence[Layout]) -> Collection:
    """The collection in that folder, in the layout of which most is there."""
    place = Path(folder)
    if not place.is_dir():
        what = "is a file, and the folder that holds it is wanted" if place.exists() else "there is no such folder"
        raise DataError(message(what, place=str(place), hint=_from(about)))
    there = [sum(file.place(place) is not None for file in layout.files) for layout in layouts]
    if not any(there):
        names = " · or · ".join(_few([file.name for file in layout.files]) for layout in layouts)
        hint = f"looked for {names}, each also with .gz; {_from(about)}"
        raise DataError(message(f"this folder has no file of {about.name}", place=str(place), hint=hint))
    return Collection(about, place, layouts[there.index(max(there))])


def _few(names: Sequence[str]) -> str:
    return ", ".join(names if len(names) <= 6 else [*names[:3], "…", names[-1]])


def _from(about: About) -> str:
    return f"{about.title} is given out at {about.url}"


def measured(path: PathLike, key: Key | None, *, header: bool = False) -> Size:
    """What a file holds: rows are lines that are neither blank nor comments."""
    digest, length, rows, lists = hashlib.sha256(), 0, 0, set()
    with unpacked(path) as file:
        for line in file:
            digest.update(line)
            length += len(line)
            word = line.strip()
            if not word or word.startswith(b"#"):
                continue
            rows += 1
            if key is not None and (rows > 1 or not header):
                lists.add(key(line))
    return Size(
        rows=rows - 1 if header and rows else rows,
        lists=None if key is None else len(lists),
        bytes=length,
        sha256=digest.hexdigest(),
    )


def query(line: bytes) -> bytes:
    """The query id of a LETOR line, with its `qid:`."""
    words = line.split(None, 2)
    return words[1] if len(words) > 1 else b""


def letor_part(name: str, file: str, *expected: Size, n_features: int) -> Part:
    """A part that is one LETOR file."""
    return Part(
        name=name,
        files=(File(name=file, key=query, expected=expected),),
        read=lambda path: letor.read(path, n_features=n_features),
    )


# The official names of the files of a fold.
FOLD_FILES = {"train": "train.txt", "validation": "vali.txt", "test": "test.txt"}


def letor_folds(n_features: int, expected: Callable[[int, str], tuple[Size, ...]]) -> Layout:
    """Five folders `Fold1` … `Fold5` with three files each, as LETOR 4.0 and MSLR are given out."""
    parts, folds = [], {}
    for fold in range(1, 6):
        names = {part: f"Fold{fold}/{part}" for part in FOLD_FILES}
        for part, file in FOLD_FILES.items():
            parts.append(letor_part(names[part], f"Fold{fold}/{file}", *expected(fold, part), n_features=n_features))
        folds[str(fold)] = ((names["train"],), (names["validation"],), (names["test"],))
    # Fold f is judged on part f + 4, so that these are the parts 1 to 5.
    whole = tuple(f"Fold{fold}/test" for fold in (2, 3, 4, 5, 1))
    return Layout(parts=tuple(parts), folds=folds, whole=whole)
