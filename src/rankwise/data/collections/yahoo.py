"""The two sets of the Yahoo! Learning to Rank Challenge 2010 (C14)."""

from __future__ import annotations

from rankwise.data.collections.base import About, Collection, Layout, Size, found, letor_part
from rankwise.data.formats.files import PathLike

__all__ = ["ABOUT", "yahoo"]

ABOUT = About(
    name="yahoo",
    title="Yahoo! Learning to Rank Challenge, sets 1 and 2 (C14)",
    source="Yahoo! Labs: web search of two countries, features and queries not disclosed",
    url="https://webscope.sandbox.yahoo.com/catalog.php?datatype=c",
    terms="Yahoo! Webscope agreement: research, no redistribution",
    citation="chapelle2011",
    contents="29,921 queries and 709,877 documents in set 1, 6,330 and 172,870 in set 2; 700 features, labels 0–4",
    checked="published sizes: rows and queries",
)
FEATURES = 700
# Rows and queries.
SIZES = {
    "set1.train": (473_134, 19_944),
    "set1.valid": (71_083, 2_994),
    "set1.test": (165_660, 6_983),
    "set2.train": (34_815, 1_266),
    "set2.valid": (34_881, 1_266),
    "set2.test": (103_174, 3_798),
}


def yahoo(folder: PathLike) -> Collection:
    """The sets in a folder: `set1.train.txt`, `set1.valid.txt`, `set1.test.txt`, and the same of `set2`.

    Each set is a fold, `set1` and `set2`. The two number their queries alike, so that they do not join (Chapelle &
    Chang 2011, `chapelle2011`).

    >>> yahoo("ltrc_yahoo").read("set2.test")  # doctest: +SKIP
    """
    parts = tuple(
        letor_part(name, f"{name}.txt", Size(rows=rows, lists=lists), n_features=FEATURES)
        for name, (rows, lists) in SIZES.items()
    )
    folds = {of: ((f"{of}.train",), (f"{of}.valid",), (f"{of}.test",)) for of in ("set1", "set2")}
    return found(ABOUT, folder, [Layout(parts=parts, folds=folds)])
