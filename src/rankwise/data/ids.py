"""Ids of queries and documents: places in a shared text, decoded when somebody looks at them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from rankwise._kernels import Text
from rankwise.errors import DataError, message

__all__ = ["Ids"]

LONGEST = 0xFFFF


class Ids(Sequence[str]):
    """An immutable sequence of ids.

    `spans` holds for each id its start in `text` (upper 48 bits) and its length in bytes (lower 16), so that ids
    of a mapped file cost eight bytes each and are never copied.

    >>> ids = Ids.of(["a", "bc", "a"])
    >>> ids[1], len(ids), list(ids[1:])
    ('bc', 3, ['bc', 'a'])
    """

    __slots__ = ("spans", "text")

    def __init__(self, text: Text, spans: npt.NDArray[np.uint64]) -> None:
        self.text = text
        # The kernels take no strides.
        self.spans = np.ascontiguousarray(spans)

    @classmethod
    def of(cls, ids: Iterable[object]) -> Ids:
        """Ids from any values, by their text."""
        try:
            words = [str(value).encode() for value in ids]
        except UnicodeEncodeError as error:
            raise DataError(message(f"the id {error.object!r} cannot be written as UTF-8")) from None
        lengths = np.fromiter(map(len, words), np.uint64, len(words))
        if len(lengths) and int(lengths.max()) > LONGEST:
            row = int(lengths.argmax())
            raise DataError(
                message(f"the id in row {row} has {lengths[row]:,} bytes; the longest allowed is {LONGEST:,}")
            )
        # The leading newline keeps a first id from being taken for a byte order mark.
        starts = np.cumsum(lengths) - lengths + np.uint64(1)
        return cls(Text.from_bytes("ids", b"\n" + b"".join(words)), (starts << np.uint64(16)) | lengths)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice | npt.NDArray[np.intp]) -> Ids: ...
    def __getitem__(self, index: int | slice | npt.NDArray[np.intp]) -> str | Ids:
        if isinstance(index, (int, np.integer)):
            return self.text.at(int(self.spans[index])).decode("utf-8", "backslashreplace")
        return Ids(self.text, self.spans[index])

    def __len__(self) -> int:
        return len(self.spans)

    def __iter__(self) -> Iterator[str]:
        at = self.text.at
        return (at(span).decode("utf-8", "backslashreplace") for span in self.spans.tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        """How they go to another process: as texts, without the rest of the file that they stand in."""
        return Ids.of, (list(self),)

    def __repr__(self) -> str:
        shown = ", ".join(repr(i) for i in self[:5])
        return f"Ids([{shown}{', …' if len(self) > 5 else ''}], {len(self):,} in all)"
