"""Real collections, where this machine has them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("RANKWISE_DATA", PROJECT.parent / "shared" / "data"))


def collection(name: str) -> Path:
    """The folder of a collection; skips the test where it is not."""
    if not (FOLDER / name).exists():
        pytest.skip(f"{name} is not in {FOLDER}; set RANKWISE_DATA to the folder that has it")
    return FOLDER / name
