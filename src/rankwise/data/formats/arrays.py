"""Arrays with a header of plain values, in one file: what results are kept in.

The layout is that of safetensors, so that other programs can read the arrays: eight bytes with the length of a JSON
text, the JSON text (for each array its type, shape and place), then the arrays. Its metadata hold what kind of file it
is, the version of that kind, a checksum of the arrays, and the header. Nothing in a file is executed.
"""

from __future__ import annotations

import json
import math
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from rankwise.data.formats.files import PathLike, writing
from rankwise.errors import DataError, message

__all__ = ["kind_of", "read", "write"]

Arrays = dict[str, npt.NDArray[Any]]

# The names that safetensors gives to types, and the types as they lie in the file.
TYPES = {
    "F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "BOOL": "|b1",
}  # fmt: skip
_NAMES = {np.dtype(code): name for name, code in TYPES.items()}
# Other readers of the layout take no longer one.
LONGEST_HEADER = 100_000_000
_METADATA = "__metadata__"


def write(path: PathLike, kind: str, version: int, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Writes a header and arrays; the file appears under its name once it is complete."""
    if os.fspath(path) == "-" or os.fspath(path).endswith(".gz"):
        raise DataError(message(f"a {kind} is written to a file of its own, not packed", place=os.fspath(path)))
    columns = {name: _as_in_file(name, array) for name, array in arrays.items()}
    # The widest types first, so that each array stands at a multiple of its width.
    ordered = sorted(columns, key=lambda name: (-columns[name].itemsize, name))
    parts = [columns[name].tobytes() for name in ordered]
    entries: dict[str, Any] = {
        _METADATA: {
            "kind": f"rankwise {kind}",
            "version": str(version),
            "crc32": f"{_checksum(*parts):08x}",
            "header": _json(header),
        }
    }
    start = 0
    for name, part in zip(ordered, parts, strict=True):
        column = columns[name]
        entries[name] = {
            "dtype": _NAMES[column.dtype],
            "shape": list(column.shape),
            "data_offsets": [start, start + len(part)],
        }
        start += len(part)
    text = _json(entries).encode()
    text += b" " * (-len(text) % 8)
    with writing(path) as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for part in parts:
            file.write(part)


def read(path: PathLike, kind: str, newest: int) -> tuple[dict[str, Any], Arrays]:
    """The header and the arrays of a file of that kind, of any version up to `newest`."""
    return _Reader(path, kind, newest).read()


def kind_of(path: PathLike) -> str:
    """What kind of file it is, as its header says."""
    return _Reader(path, "result", 0).kind_in_file()


def _as_in_file(name: str, array: Any) -> npt.NDArray[Any]:
    column = np.asarray(array, order="C")
    column = column.astype(column.dtype.newbyteorder("<"), copy=False)
    if column.dtype not in _NAMES or name == _METADATA:
        raise DataError(message(f"array '{name}' of {column.dtype} cannot be written"))
    return column


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _checksum(*parts: bytes | memoryview) -> int:
    total = 0
    for part in parts:
        total = zlib.crc32(part, total)
    return total


class _Reader:
    """Reads one file, of which nothing is believed."""

    def __init__(self, path: PathLike, kind: str, newest: int) -> None:
        self.place = os.fspath(path)
        self.kind = kind
        self.newest = newest

    def read(self) -> tuple[dict[str, Any], Arrays]:
        content = self._content()
        entries, data = self._entries(content)
        metadata = entries.pop(_METADATA, None)
        header = self._header(metadata)
        arrays = self._arrays(entries, data)
        if metadata["crc32"] != f"{_checksum(data):08x}":
            self._refuse("the arrays are not those that were written (their checksum differs)")
        return header, arrays

    def kind_in_file(self) -> str:
        entries, _ = self._entries(self._content())
        metadata = entries.get(_METADATA)
        kind = metadata.get("kind") if isinstance(metadata, dict) else None
        if not isinstance(kind, str) or not kind.startswith("rankwise "):
            self._refuse("it has no header of Rankwise's", whose=True)
        return kind.removeprefix("rankwise ")

    def _content(self) -> memoryview:
        try:
            return memoryview(Path(self.place).read_bytes())
        except FileNotFoundError:
            raise DataError(message("no such file", place=self.place, hint="check the path.")) from None
        except OSError as error:
            raise DataError(message(f"cannot be read ({error.strerror})", place=self.place)) from None

    def _entries(self, content: memoryview) -> tuple[dict[str, Any], memoryview]:
        """The JSON text at the beginning, and what follows it."""
        if len(content) < 8:
            self._refuse(f"the file has {len(content)} bytes, too few for a {self.kind}", whose=True)
        length = int.from_bytes(content[:8], "little")
        if length > LONGEST_HEADER or length > len(content) - 8:
            what = f"its first eight bytes promise a header of {length:,} bytes, and {len(content) - 8:,} follow"
            self._refuse(what, whose=True)
        entries = self._parsed(bytes(content[8 : 8 + length]))
        return entries, content[8 + length :]

    def _parsed(self, text: bytes) -> dict[str, Any]:
        """A JSON object, in which no name stands twice and every number is one."""
        try:
            found = json.loads(text.decode(), parse_constant=_no_number, object_pairs_hook=_no_name_twice)
        except (ValueError, RecursionError) as error:
            # Bytes that are no UTF-8 are a ValueError too.
            self._refuse(f"its header cannot be read as JSON ({error})", whose=True)
        if not isinstance(found, dict):
            self._refuse("its header is no JSON object", whose=True)
        return found

    def _header(self, metadata: Any) -> dict[str, Any]:
        keys = ("kind", "version", "crc32", "header")
        if not isinstance(metadata, dict) or not all(isinstance(metadata.get(key), str) for key in keys):
            self._refuse(f"it has no header of a {self.kind}", whose=True)
        if metadata["kind"] != f"rankwise {self.kind}":
            self._refuse(f"it holds a '{metadata['kind']}', not a 'rankwise {self.kind}'", whose=True)
        version = metadata["version"]
        if not (version.isascii() and version.isdigit() and len(version) < 6):
            self._refuse(f"its version '{version}' is no number")
        if int(version) > self.newest:
            what = f"it is of version {version} of a {self.kind}, and versions up to {self.newest} are known"
            raise DataError(message(what, place=self.place, hint="read it with a newer Rankwise."))
        return self._parsed(metadata["header"].encode(errors="surrogatepass"))

    def _arrays(self, entries: dict[str, Any], data: memoryview) -> Arrays:
        """Arrays that fill the data without a gap and without sharing a byte."""
        arrays: Arrays = {}
        spans = []
        for name, entry in entries.items():
            dtype, shape, start, end = self._described(name, entry, len(data))
            count = math.prod(shape)
            if count * dtype.itemsize != end - start:
                self._refuse(f"array '{name}' of {shape} × {dtype.itemsize} bytes has {end - start:,} bytes")
            if dtype == np.bool_ and bytes(data[start:end]).strip(b"\0\1"):
                self._refuse(f"array '{name}' has truth values that are neither 0 nor 1")
            arrays[name] = np.frombuffer(data[start:end], dtype).reshape(shape).copy()
            spans.append((start, end, name))
        at = 0
        for start, end, name in sorted(spans):
            if start != at:
                how = "shares bytes with another" if start < at else "leaves a gap before it"
                self._refuse(f"array '{name}' {how} (byte {min(start, at):,})")
            at = end
        if at != len(data):
            self._refuse(f"{len(data) - at:,} bytes follow the arrays")
        return arrays

    def _described(self, name: str, entry: Any, size: int) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
        if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
            self._refuse(f"array '{name}' is not described by its dtype, shape and data_offsets")
        code = entry["dtype"]
        if not isinstance(code, str) or code not in TYPES:
            self._refuse(f"array '{name}' has the type {code!r}, which is none of {', '.join(TYPES)}")
        shape, offsets = entry["shape"], entry["data_offsets"]
        # An array without elements may still be too large to describe.
        if not _are_sizes(shape) or len(shape) > 32 or math.prod(size or 1 for size in shape) >= 2**56:
            self._refuse(f"array '{name}' has the shape {_short(shape)}")
        if not _are_sizes(offsets) or len(offsets) != 2 or not offsets[0] <= offsets[1] <= size:
            self._refuse(f"array '{name}' lies at {_short(offsets)} of {size:,} bytes; the file may be cut off")
        return np.dtype(TYPES[code]), tuple(shape), offsets[0], offsets[1]

    def _refuse(self, what: str, *, whose: bool = False) -> NoReturn:
        hint = (
            f"is it a file that Rankwise wrote as a {self.kind}?" if whose else "the file is damaged; write it again."
        )
        raise DataError(message(what, place=self.place, hint=hint))


def _are_sizes(value: object) -> bool:
    return isinstance(value, list) and all(type(size) is int and 0 <= size < 2**63 for size in value)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found
