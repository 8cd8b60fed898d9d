"""MQ2008 of LETOR 4.0: the judged queries of TREC's Million Query track 2008."""

from __future__ import annotations

from rankwise.data.collections.base import About, Collection, Layout, Size, found, letor_folds, letor_part
from rankwise.data.folds import cyclic
from rankwise.data.formats.files import PathLike

__all__ = ["ABOUT", "mq2008"]

ABOUT = About(
    name="mq2008",
    title="LETOR 4.0 MQ2008 (supervised ranking)",
    source="Microsoft Research Asia: queries of TREC's Million Query track 2008 on the Gov2 pages",
    url="https://www.microsoft.com/en-us/research/project/letor-learning-rank-information-retrieval/",
    terms="Microsoft's agreement for LETOR 4.0: research, no redistribution",
    citation="qin2013",
    contents="784 queries, 15,211 documents, 46 features, labels 0–2; five folds",
    checked="bytes, rows, queries and, but for the train.txt of a fold, SHA-256; taken from the files",
)
FEATURES = 46
FOLDS = range(1, 6)

PARTS = (
    Size(
        bytes=1_802_248,
        rows=2_933,
        lists=157,
        sha256="cbd42504549a2388f6c0aefdb506f22074225b574c7a5df10194174c9b00e4e0",
    ),
    Size(
        bytes=2_233_711,
        rows=3_635,
        lists=157,
        sha256="055ac792cb8f7d5a029090b8acbfb6c57323339d1371251bf2465ac182aa8605",
    ),
    Size(
        bytes=1_881_418,
        rows=3_062,
        lists=157,
        sha256="a03fe2b6e76479de60fecdb37d560a40a4e899b0cd685553d2da31ea205af1ab",
    ),
    Size(
        bytes=1_663_264,
        rows=2_707,
        lists=157,
        sha256="a239850bc6fe960ad08c2b7b0d99db90fe976dd93a15358e98036591b4e7a2ac",
    ),
    Size(
        bytes=1_765_771,
        rows=2_874,
        lists=156,
        sha256="c68c52feb1ecae7f17b64c8e2fda2098302681bbd4ea5fad8c73a1d32a1cf2b2",
    ),
)


def mq2008(folder: PathLike) -> Collection:
    """MQ2008 in a folder: the parts `S1.txt` … `S5.txt`, or `Fold1` … `Fold5` with `train.txt`, `vali.txt`, `test.txt`.

    Fold f learns from the parts f, f+1 and f+2, chooses by f+3 and is judged on f+4, cyclic (Qin & Liu 2013,
    `qin2013`).
    A folder that has both is read by its parts.

    >>> for fold in mq2008("MQ2008").folds:  # doctest: +SKIP
    ...     print(fold.name, len(fold.train), len(fold.validation), len(fold.test))
    """
    return found(ABOUT, folder, [as_parts(), letor_folds(FEATURES, of_fold)])


def as_parts() -> Layout:
    names = [f"S{part}" for part in FOLDS]
    parts = [
        letor_part(name, f"{name}.txt", size, n_features=FEATURES) for name, size in zip(names, PARTS, strict=True)
    ]
    folds = {}
    for fold in FOLDS:
        learnt, chosen, judged = cyclic(fold, len(FOLDS))
        folds[str(fold)] = (tuple(names[part] for part in learnt), (names[chosen],), (names[judged],))
    return Layout(parts=tuple(parts), folds=folds, whole=tuple(names))


def of_fold(fold: int, part: str) -> tuple[Size, ...]:
    learnt, chosen, judged = cyclic(fold, len(FOLDS))
    if part != "train":
        return (PARTS[chosen if part == "validation" else judged],)
    sizes = [PARTS[number] for number in learnt]
    return (
        Size(
            bytes=sum(size.bytes or 0 for size in sizes),
            rows=sum(size.rows or 0 for size in sizes),
            lists=sum(size.lists or 0 for size in sizes),
        ),
    )
