"""Records: what was computed once, kept in a folder under a key that follows from all it depends on.

A record is a file of `rankwise.data.formats.arrays`: its facts (what it depends on), plain values and arrays. It comes
under its name once it is complete, so that whoever is killed leaves whole records and none that is half; and since its
name follows from its facts, a changed question finds another name, and an unchanged one finds its answer.

Two processes may work on one folder. Who computes a record claims it: a lock that the system takes away when the
process ends, however it ends, so that no claim outlives its owner. Claims save work and nothing else: without them the
same record would be written twice, the same way.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy.typing as npt

from rankwise.data.formats import arrays
from rankwise.data.formats.files import PathLike
from rankwise.errors import DataError, RankwiseError, message

__all__ = ["Record", "Records", "key_of", "made"]

KIND, VERSION = "record", 1
ENDING = ".record"

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """Plain values of JSON, and arrays."""

    values: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)


def key_of(facts: Facts) -> str:
    """The name that follows from facts, whatever their order.

    >>> key_of({"seed": 0, "learner": "adarank"}) == key_of({"learner": "adarank", "seed": 0})
    True
    """
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Records:
    """The records of a folder, which is made when it is first needed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     records = Records(folder)
    ...     records.write({"learner": "adarank"}, Record({"value": 0.5}))
    ...     records.read({"learner": "adarank"}).values, records.read({"learner": "rankboost"})
    ({'value': 0.5}, None)
    """

    def __init__(self, folder: PathLike) -> None:
        self.folder = Path(folder)

    def path(self, facts: Facts) -> Path:
        """Where the record of these facts is, or will be."""
        return self.folder / f"{key_of(facts)}{ENDING}"

    def has(self, facts: Facts) -> bool:
        return self.path(facts).exists()

    def read(self, facts: Facts) -> Record | None:
        """The record of these facts; None if there is none, or if what is there cannot be read as one.

        A damaged record is as good as none: it is computed and written again.
        """
        path = self.path(facts)
        if not path.exists():
            return None
        try:
            header, columns = arrays.read(path, KIND, VERSION)
        except DataError:
            return None
        # A name is a digest: should two facts ever share it, the record is that of the other.
        if key_of(header.get("facts", {})) != key_of(facts) or not isinstance(header.get("values"), dict):
            return None
        return Record(header["values"], columns)

    def write(self, facts: Facts, record: Record) -> None:
        """Writes a record, in place of one that is there."""
        made(self.folder)
        arrays.write(self.path(facts), KIND, VERSION, {"facts": facts, "values": record.values}, record.arrays)

    @contextmanager
    def claim(self, facts: Facts) -> Iterator[bool]:
        """Whether these facts are the caller's to compute until the block ends; False if another one is at it."""
        made(self.folder / "claims")
        place = self.folder / "claims" / key_of(facts)
        with _open(place) as file:
            yield _locked(file)


def made(folder: Path) -> Path:
    """The folder, made if it is not there; the refusal says what is in the way."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = "name a folder that can be written to."
        what = f"the folder cannot be made ({error.strerror})"
        raise RankwiseError(message(what, place=str(folder), hint=hint)) from None
    return folder


@contextmanager
def _open(place: Path) -> Iterator[int]:
    """A file descriptor of its own for each claim: two threads of one process stand in each other's way too."""
    try:
        file = os.open(place, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        hint = "name a folder that can be written to."
        raise RankwiseError(message(f"cannot be written ({error.strerror})", place=str(place), hint=hint)) from None
    try:
        yield file
    finally:
        # The file stays: removing it while another process opens it would let two have a claim.
        os.close(file)


def _locked(file: int) -> bool:
    try:
        import fcntl
    except ImportError:
        # Where there are no such locks, work may be done twice; nothing is lost by it.
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
