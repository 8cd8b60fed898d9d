"""Files as all formats open and write them."""

from __future__ import annotations

import gzip
import io
import os
import secrets
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from rankwise._kernels import Text, pack_zstd
from rankwise.errors import DataError, message

__all__ = ["PathLike", "opened", "placing", "refuse_place", "unpacked", "writing"]

# Bytes of text in a zstd frame; more hardly pack better.
FRAME = 1 << 22

PathLike = str | os.PathLike[str]
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"


def opened(path: PathLike) -> Text:
    """The text of a file, unpacked if it is gzip or zstd; `-` is standard input."""
    return Text.open(os.fspath(path))


@contextmanager
def unpacked(path: PathLike) -> Iterator[IO[bytes]]:
    """The bytes of a file that is too large to hold at once, line by line; unpacked if it is gzip by its content."""
    with open(path, "rb") as file:
        start = file.read(4)
        file.seek(0)
        if start == ZSTD:
            hint = "unpack it first, with `zstd -d`."
            raise DataError(message("a zstd file is not read line by line", place=str(path), hint=hint))
        if not start.startswith(GZIP):
            yield file
            return
        with gzip.open(file) as inside:
            try:
                yield inside  # type: ignore[misc]
            except (EOFError, gzip.BadGzipFile) as error:
                raise DataError(message(f"the packed file is damaged ({error})", place=str(path))) from None


@contextmanager
def writing(path: PathLike) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """A file that appears under its name once it is complete; `-` is standard output.

    It is packed if its name ends in `.gz` or `.zst`.
    """
    if os.fspath(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with placing(path) as part, part.open("xb") as file:
        if Path(path).suffix == ".gz":
            # No name and no time: the same content gives the same bytes.
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                yield packed
        elif Path(path).suffix == ".zst":
            with io.BufferedWriter(_Zstd(file), FRAME) as frames:
                yield cast(IO[bytes], frames)
        else:
            yield file


@contextmanager
def placing(path: PathLike) -> Iterator[Path]:
    """A place to write a file to, which gets its name once the block has ended without an error."""
    target = Path(path)
    part = _part(target)
    try:
        yield part
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _part(target: Path) -> Path:
    if not target.parent.is_dir():
        raise DataError(message("there is no such folder", place=str(target.parent), hint="make it first."))
    if target.is_dir():
        raise DataError(message("is a folder, not a file", place=str(target), hint="name a file in it."))
    # In the same folder, so that the last step is a rename within one file system.
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")


def refuse_place(path: PathLike, *, read: Iterable[PathLike] = (), overwrite: bool = False) -> None:
    """Refuses, before long work, a place that its outcome could not be written to, or what would lose another file.

    `read` are files that are never overwritten. Standard output, `-`, is always a place.
    """
    if os.fspath(path) == "-":
        return
    target = Path(path)
    part = _part(target)
    if target.exists():
        if any(Path(source).exists() and target.samefile(source) for source in read):
            raise DataError(message("this file is read too", place=str(target), hint="write to another file."))
        if not target.is_file():
            hint = "name a file."
            raise DataError(message("a folder or a device cannot be replaced", place=str(target), hint=hint))
        if not overwrite:
            hint = "choose another name, or say that it may be replaced: --overwrite, overwrite=True."
            raise DataError(message("there is such a file already", place=str(target), hint=hint))
    try:
        part.touch(exist_ok=False)
        part.unlink()
    except OSError as error:
        raise DataError(message(f"cannot be written ({error.strerror})", place=str(target))) from None


class _Zstd(io.RawIOBase):
    """Writes each piece as a frame of its own; frames one after the other are one text."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        self.file.write(pack_zstd(bytes(piece)))
        return len(piece)
