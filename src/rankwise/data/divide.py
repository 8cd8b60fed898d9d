"""Divides a file of lists into files, its lines as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import IO, Any

from rankwise.data.folds import assign, cyclic
from rankwise.data.formats.files import PathLike, unpacked, writing
from rankwise.errors import DataError, message

__all__ = ["Division", "Piece", "split_file"]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One file that was written."""

    part: str
    path: Path
    lists: int
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """What went where."""

    pieces: tuple[Piece, ...]
    lists: int
    rows: int
    left_out: int
    """Lines without a document: blank, or only a comment."""


def split_file(
    path: PathLike,
    directory: PathLike,
    into: Mapping[str, float] | None = None,
    *,
    folds: int | None = None,
    group: str | None = None,
    time: str | None = None,
    seed: int = 0,
    overwrite: bool = False,
) -> Division:
    """Divides a file of LETOR lines into one file a part, or into folders `Fold1`, `Fold2`, … with three files each.

    Lists are dealt as `rankwise.split` and `rankwise.folds` deal them; `group` and `time` are numbers of features.
    Each line goes to its file byte for byte, in the order in which it stood; a file appears once it is complete.
    """
    source, target = Path(path), Path(directory)
    if (into is None) == (folds is None):
        raise DataError(message("a file is divided either into named parts or into folds"))
    if str(path) == "-":
        raise DataError(message("standard input cannot be divided: it is read twice", hint="save it to a file first."))
    lists = _Lists.of(source, group or time)
    column = {"group" if group else "time": lists.values} if group or time else {}
    shares = dict.fromkeys(_fold_parts(folds), 1.0) if into is None else dict(into)
    parts = assign(lists.names(), shares, seed=seed, **column)
    suffix = "".join(source.suffixes) if source.suffix == ".gz" else source.suffix
    files = _files(shares, suffix) if folds is None else _fold_files(folds, suffix)
    _refuse_overwriting(source, target, list(files), overwrite=overwrite)
    counts = _write(source, target, lists, parts.tolist(), files)
    pieces = tuple(
        Piece(part=name, path=target / name, lists=sum(int(part) in of for part in parts.tolist()), rows=counts[name])
        for name, of in files.items()
    )
    return Division(pieces=pieces, lists=len(lists.place), rows=lists.rows, left_out=lists.left_out)


@dataclass(slots=True, kw_only=True)
class _Lists:
    """The lists of a file, in the order in which they first appear."""

    place: dict[bytes, int]
    values: list[float]
    """Of each list the value of the feature that was asked for."""
    rows: int = 0
    left_out: int = 0

    @classmethod
    def of(cls, path: Path, feature: str | None) -> _Lists:
        lists = cls(place={}, values=[])
        start = None if feature is None else _start_of(feature)
        for number, line, query in _lines(path):
            if query is None:
                lists.left_out += 1
                continue
            lists.rows += 1
            at = lists.place.setdefault(query, len(lists.place))
            if start is not None:
                lists.note(at, _value(line, start, path, number), f"{path}, line {number}", query, feature)
        if not lists.rows:
            raise DataError(message("there is no data line in it", place=str(path)))
        return lists

    def note(self, at: int, value: float, place: str, query: bytes, feature: str | None) -> None:
        if at == len(self.values):
            self.values.append(value)
        elif self.values[at] != value:
            name = query.decode("utf-8", "backslashreplace")
            what = f"list '{name}' has several values of feature {feature} ({self.values[at]:g} and {value:g})"
            hint = "lists are divided whole, by what all rows of a list have in common."
            raise DataError(message(what, place=place, hint=hint))

    def names(self) -> list[str]:
        return [query.decode("utf-8", "backslashreplace") for query in self.place]


def _lines(path: Path) -> Iterator[tuple[int, bytes, bytes | None]]:
    """Number, line and query id of each line; no query id where there is no document."""
    with unpacked(path) as file:
        for number, line in enumerate(file, 1):
            whole = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
            words = whole.split(None, 2)
            if not words or words[0].startswith(b"#"):
                yield number, whole, None
                continue
            if len(words) < 2 or not words[1].startswith(b"qid:") or len(words[1]) == 4:
                hint = "a line of LETOR text is `label qid:ID index:value …`."
                raise DataError(message("there is no query id", place=f"{path}, line {number}", hint=hint))
            yield number, whole, words[1][4:]


def _start_of(feature: str) -> bytes:
    if not feature.isascii() or not feature.isdigit() or feature.startswith("0"):
        hint = "the columns of LETOR text are its features, counted from 1."
        raise DataError(message(f"'{feature}' is no feature of LETOR text", hint=hint))
    return feature.encode() + b":"


def _value(line: bytes, start: bytes, path: Path, number: int) -> float:
    """A feature's value; 0 if the line leaves it out."""
    word = next((word for word in line.partition(b"#")[0].split() if word.startswith(start)), start + b"0")
    try:
        value = float(word[len(start) :])
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        shown = word.decode("utf-8", "backslashreplace")
        raise DataError(message(f"the value of a feature must be a number: {shown!r}", place=f"{path}, line {number}"))
    return value


def _fold_parts(folds: int | None) -> list[str]:
    if folds is None or isinstance(folds, bool) or not isinstance(folds, int) or folds < 3:
        raise DataError(message(f"the number of folds must be a whole number from 3, not {folds!r}"))
    return [f"S{part}" for part in range(1, folds + 1)]


Files = dict[str, frozenset[int]]
"""Of each file the parts whose lists go there."""


def _files(shares: Mapping[str, Any], suffix: str) -> Files:
    for name in shares:
        if not name or name.startswith(".") or any(mark in name for mark in '/\\:*?"<>|\0'):
            raise DataError(message(f"a part cannot be called '{name}': its file would have that name"))
    return {f"{name}{suffix}": frozenset({part}) for part, name in enumerate(shares)}


def _fold_files(folds: int, suffix: str) -> Files:
    files: Files = {}
    for fold in range(1, folds + 1):
        learnt, chosen, judged = cyclic(fold, folds)
        for name, parts in (("train", learnt), ("validation", [chosen]), ("test", [judged])):
            files[f"Fold{fold}/{name}{suffix}"] = frozenset(parts)
    return files


def _refuse_overwriting(source: Path, target: Path, names: Sequence[str], *, overwrite: bool) -> None:
    for place in (target / name for name in names):
        if place.exists() and (not overwrite or place.samefile(source)):
            hint = "choose another folder." if overwrite else "choose another folder, or say `overwrite`."
            raise DataError(message("there is such a file already", place=str(place), hint=hint))


def _write(source: Path, target: Path, lists: _Lists, parts: list[int], files: Files) -> dict[str, int]:
    """Each line to the files of its list's part; how many went to each."""
    counts = dict.fromkeys(files, 0)
    with ExitStack() as stack:
        for name in files:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
        outputs: dict[str, IO[bytes] | Any] = {name: stack.enter_context(writing(target / name)) for name in files}
        of_part = [[name for name, of in files.items() if part in of] for part in range(max(parts) + 1)]
        for _, line, query in _lines(source):
            if query is None:
                continue
            # The last line of a file may lack its end, and another may follow it now.
            whole = line if line.endswith(b"\n") else line + b"\n"
            for name in of_part[parts[lists.place[query]]]:
                outputs[name].write(whole)
                counts[name] += 1
    return counts
