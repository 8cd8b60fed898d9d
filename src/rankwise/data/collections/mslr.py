"""MSLR-WEB10K and MSLR-WEB30K: web search, judged by the labels of a retired set of a commercial engine."""

from __future__ import annotations

from rankwise.data.collections.base import About, Collection, Size, found, letor_folds
from rankwise.data.formats.files import PathLike

__all__ = ["ABOUT", "mslr"]

ABOUT = About(
    name="mslr",
    title="MSLR-WEB10K and MSLR-WEB30K",
    source="Microsoft Research: queries and pages of Bing",
    url="https://www.microsoft.com/en-us/research/project/mslr/",
    terms="Microsoft's agreement for MSLR: research, no redistribution",
    citation="qin2013",
    contents="10,000 queries and 1,200,192 documents, or 31,531 and 3,771,125; 136 features, labels 0–4; five folds",
    checked="published sizes: queries of every file, rows of fold 1",
)
FEATURES = 136

# Queries of train, validation and test, of the folds 1 to 5.
QUERIES = {
    "WEB10K": [(6_000, 2_000, 2_000)] * 5,
    "WEB30K": [
        (18_919, 6_306, 6_306),
        (18_918, 6_306, 6_307),
        (18_918, 6_307, 6_306),
        (18_919, 6_306, 6_306),
        (18_919, 6_306, 6_306),
    ],
}
ROWS_OF_FOLD_1 = {"WEB10K": (723_412, 235_259, 241_521), "WEB30K": (2_270_296, 747_218, 753_611)}
ORDER = ("train", "validation", "test")


def mslr(folder: PathLike) -> Collection:
    """MSLR-WEB10K or WEB30K in a folder: `Fold1` … `Fold5` with `train.txt`, `vali.txt`, `test.txt` (Qin & Liu 2013,
    `qin2013`).

    >>> mslr("MSLR-WEB10K").folds[0].test  # doctest: +SKIP
    """
    return found(ABOUT, folder, [letor_folds(FEATURES, published)])


def published(fold: int, part: str) -> tuple[Size, ...]:
    at = ORDER.index(part)
    return tuple(
        Size(lists=queries[fold - 1][at], rows=ROWS_OF_FOLD_1[edition][at] if fold == 1 else None, edition=edition)
        for edition, queries in QUERIES.items()
    )
