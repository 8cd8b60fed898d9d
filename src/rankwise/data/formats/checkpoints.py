"""Checkpoints: how far a long training has come, in one file that is replaced as a whole."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankwise.data.formats import arrays
from rankwise.data.formats.files import PathLike
from rankwise.errors import RankwiseError, message

__all__ = ["FileCheckpoint"]

KIND, VERSION = "checkpoint", 1


class FileCheckpoint:
    """Keeps the newest snapshot of a training in a file, at most every `seconds`, and at its end.

    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> kept = FileCheckpoint(Path(folder.name) / "training.checkpoint", seconds=0)
    >>> kept.load() is None, kept.is_due()
    (True, True)
    >>> kept.save({"step": 3}, {})
    >>> kept.load()
    ({'step': 3}, {})
    >>> folder.cleanup()
    """

    def __init__(self, path: PathLike, *, seconds: float = 30.0) -> None:
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds >= 0:
            raise RankwiseError(message(f"seconds between checkpoints must be a number from 0, not {seconds!r}"))
        self.path = Path(path)
        self.seconds = seconds
        self._last = time.monotonic()

    @property
    def place(self) -> str:
        """How a refusal names it."""
        return os.fspath(self.path)

    def load(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The header and the arrays of the newest snapshot; None if there is none yet."""
        return arrays.read(self.path, KIND, VERSION) if self.path.exists() else None

    def is_due(self) -> bool:
        """Whether it is time for another one."""
        return time.monotonic() - self._last >= self.seconds

    def save(self, header: Mapping[str, Any], columns: Mapping[str, Any]) -> None:
        """Replaces the snapshot."""
        arrays.write(self.path, KIND, VERSION, header, columns)
        self._last = time.monotonic()
