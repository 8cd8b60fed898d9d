"""The small sample that lies in the package: the test part of LightGBM's ranking example, as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rankwise.data.collections.base import Collection, Layout
from rankwise.data.collections.lightgbm_example import ABOUT as EXAMPLE
from rankwise.data.collections.lightgbm_example import lightgbm_part
from rankwise.data.dataset import Dataset

__all__ = ["ABOUT", "sample"]

ABOUT = replace(
    EXAMPLE,
    name="sample",
    title="the sample in the package: the test part of LightGBM's ranking example",
    terms="MIT, © Microsoft Corporation; the licence lies beside the files",
    contents="50 lists, 768 rows, 300 features, labels 0–4",
)
FOLDER = Path(__file__).parent / "sample_files"


def sample() -> Dataset:
    """50 lists of 768 documents with 300 features and labels 0 to 4, for examples and tests without a network.

    They are the test part of LightGBM's ranking example, MIT-licensed; the lists have no ids of their own and are
    called 1, 2, ….

    >>> sample()
    Dataset(50 lists, 768 rows, 300 features; labels 0: 206, 1: 256, 2: 252, 3: 44, 4: 10)
    """
    part = lightgbm_part("test")
    return Collection(ABOUT, FOLDER, Layout(parts=(part,))).read("test")
