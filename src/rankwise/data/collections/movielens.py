"""MovieLens: ratings of films. A list is a user, its documents are the films that the user rated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import IO

import numpy as np

from rankwise.data.collections.base import About, Collection, File, Layout, Part, Size, found
from rankwise.data.dataset import Dataset
from rankwise.data.formats.files import PathLike, unpacked
from rankwise.errors import DataError, message

__all__ = ["ABOUT", "movielens"]

ABOUT = About(
    name="movielens",
    title="MovieLens (100K, 1M, 10M, 20M, 25M, 32M, latest)",
    source="GroupLens Research, University of Minnesota: ratings given on movielens.org",
    url="https://grouplens.org/datasets/movielens/",
    terms="research; 100K and 1M may not be redistributed, nor any be used commercially without permission",
    citation="harper2015",
    contents="100K: 943 users, 1,682 films, 100,000 ratings from 1 to 5; five folds u1–u5, and the splits ua and ub",
    checked="100K: u.data, ua.base and ua.test by bytes and SHA-256, taken from the files; else published ratings and "
    "users (the `latest` collections change, so that theirs may differ)",
)
SIZES_100K = {
    "u.data": Size(
        bytes=1_979_173,
        rows=100_000,
        lists=943,
        sha256="06416e597f82b7342361e41163890c81036900f418ad91315590814211dca490",
    ),
    "ua.base": Size(
        bytes=1_792_501,
        rows=90_570,
        lists=943,
        sha256="67b5bcdb380c29f85d56a012ecd88612ae020f30a6730d117a334ee8203b91f2",
    ),
    "ua.test": Size(
        bytes=186_672, rows=9_430, lists=943, sha256="d0497e202417720f57a184ec8c66be2d1afa4ff41bb53787c57b28d6bf79bc42"
    ),
    "ub.base": Size(rows=90_570, lists=943),
    "ub.test": Size(rows=9_430, lists=943),
} | {f"u{fold}.{part}": Size(rows=rows) for fold in range(1, 6) for part, rows in (("base", 80_000), ("test", 20_000))}
SIZES_DAT = (Size(rows=1_000_209, lists=6_040, edition="1M"), Size(rows=10_000_054, lists=69_878, edition="10M"))
SIZES_CSV = (
    Size(rows=100_836, lists=610, edition="latest-small of 2018"),
    Size(rows=20_000_263, lists=138_493, edition="20M"),
    Size(rows=25_000_095, lists=162_541, edition="25M"),
    Size(rows=32_000_204, lists=200_948, edition="32M"),
)
COLUMNS = 4


def movielens(folder: PathLike) -> Collection:
    """MovieLens in a folder: `u.data` (100K), `ratings.dat` (1M, 10M) or `ratings.csv` (20M and later).

    A list is a user, in the order in which the file first names them; the label is the rating, and the column
    `timestamp` says when it was given, in seconds since 1970. There are no features.
    The part `ratings` holds all. 100K has the folds `u1` … `u5` and the splits `ua` and `ub` of the same users: what is
    judged on are other ratings, not other users (Harper & Konstan 2015, `harper2015`).

    >>> movielens("ml-100k").read()  # doctest: +SKIP
    Dataset(943 lists, 100,000 rows; labels 1: 6,110, 2: 11,370, 3: 27,145, 4: 34,174, 5: 21,201)
    """
    return found(ABOUT, folder, [of_100k(), of_one_file("ratings.dat", b"::"), of_one_file("ratings.csv", b",")])


def of_100k() -> Layout:
    names = {file: "ratings" if file == "u.data" else file for file in SIZES_100K}
    parts = tuple(_part(name, file, b"\t", (SIZES_100K[file],)) for file, name in names.items())
    folds = {of: ((f"{of}.base",), (), (f"{of}.test",)) for of in ("u1", "u2", "u3", "u4", "u5", "ua", "ub")}
    return Layout(parts=parts, folds=folds, whole=("ratings",))


def of_one_file(name: str, separator: bytes) -> Layout:
    part = _part("ratings", name, separator, SIZES_CSV if name.endswith(".csv") else SIZES_DAT)
    return Layout(parts=(part,), whole=("ratings",))


def _part(name: str, file: str, separator: bytes, sizes: tuple[Size, ...]) -> Part:
    header = file.endswith(".csv")
    return Part(
        name=name,
        files=(File(name=file, key=lambda line: line.partition(separator)[0], header=header, expected=sizes),),
        read=lambda path: read_ratings(path, separator, header=header),
    )


def read_ratings(path: PathLike, separator: bytes, *, header: bool) -> Dataset:
    """Lines of user, film, rating and time."""
    with unpacked(path) as file:
        if header:
            file.readline()
        lines = _tabbed(file, separator)
        try:
            # NumPy warns of no lines, which are refused below.
            table = np.loadtxt(chain([next(lines)], lines), delimiter="\t", ndmin=2, comments=None)
        except (StopIteration, ValueError):
            table = np.empty((0, 0))
    if table.shape[1:] != (COLUMNS,) or not np.isfinite(table).all():
        raise _refused(path, separator, header=header)
    users, films, times = (table[:, column].astype(np.int64) for column in (0, 1, 3))
    data = Dataset.of(labels=table[:, 2], qid=users, documents=films)
    return replace(data, columns={"timestamp": data.reorder(times)})


def _tabbed(file: IO[bytes], separator: bytes) -> Iterator[str]:
    return (line.replace(separator, b"\t").decode("latin-1") for line in file if line.strip())


def _refused(path: PathLike, separator: bytes, *, header: bool) -> DataError:
    """The first line that is not four finite numbers."""
    with unpacked(path) as file:
        for number, line in enumerate(file, 1):
            words = line.rstrip(b"\r\n").split(separator)
            if (number > 1 or not header) and line.strip() and not _are_numbers(words):
                shown = line[:60].strip().decode("utf-8", "backslashreplace")
                what = f"a line is user, film, rating and time, not {shown!r}"
                return DataError(message(what, place=f"{path}, line {number}"))
    return DataError(message("there is no rating in it", place=str(path)))


def _are_numbers(words: list[bytes]) -> bool:
    try:
        return len(words) == COLUMNS and bool(np.isfinite([float(word) for word in words]).all())
    except ValueError:
        return False
