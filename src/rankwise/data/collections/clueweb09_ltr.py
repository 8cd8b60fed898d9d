"""ClueWeb09-LTR: feature vectors for the judged documents of TREC's Web tracks, from a study of near-duplicates."""

from __future__ import annotations

from rankwise.data.collections.base import About, Collection, Layout, Size, found, letor_part
from rankwise.data.formats.files import PathLike

__all__ = ["ABOUT", "clueweb09_ltr"]

ABOUT = About(
    name="clueweb09_ltr",
    title="ClueWeb09-LTR",
    source="Webis group: documents of ClueWeb09 judged in TREC's Web tracks, as LETOR features",
    url="https://github.com/webis-de/sigir20-sampling-bias-due-to-near-duplicates-in-learning-to-rank",
    terms="CC BY-SA 4.0",
    citation="froebe2020",
    contents="61 queries, 26,646 documents, 42 features, labels 0–4; five parts",
    checked="bytes, rows, queries and SHA-256, taken from the files",
)
FEATURES = 42

PARTS = {
    "S1": Size(
        bytes=2_874_211, rows=5_309, lists=12, sha256="ab05f742d7bf680db38f39d485788ccefc46ca5f9c450058adcf1b21cb2ed6eb"
    ),
    "S2": Size(
        bytes=3_022_182, rows=5_584, lists=12, sha256="882c9e3d0145608d906b25acccdc8cb1760faca6c13afbd86096b24bd9748680"
    ),
    "S3": Size(
        bytes=2_537_676, rows=4_686, lists=12, sha256="3598b6f1ff411e6fd5572e6bac392efc6814614fec68d881c1e4b5edaeb03c5d"
    ),
    "S4": Size(
        bytes=2_710_477, rows=5_004, lists=12, sha256="cdfa2d696b5bda4dfe27dfbba432e9dff2a481507736af594824881127cd4377"
    ),
    "S5": Size(
        bytes=3_281_798, rows=6_063, lists=13, sha256="a2db821816295163492ddeb9ef94a05bb80cb68c195a5e783167f65960ab03fb"
    ),
}


def clueweb09_ltr(folder: PathLike) -> Collection:
    """ClueWeb09-LTR in a folder: `S1.txt` … `S5.txt`.

    Fold f is judged on part f and learns from the other four; there is no part to choose by (Fröbe et al. 2020,
    `froebe2020`).

    >>> clueweb09_ltr("clueweb09-ltr").read("S1")  # doctest: +SKIP
    Dataset(12 lists, 5,309 rows, 42 features; labels 0: 4,441, 1: 722, 2: 134, 3: 7, 4: 5)
    """
    parts = tuple(letor_part(name, f"{name}.txt", size, n_features=FEATURES) for name, size in PARTS.items())
    folds = {name.removeprefix("S"): (tuple(other for other in PARTS if other != name), (), (name,)) for name in PARTS}
    return found(ABOUT, folder, [Layout(parts=parts, folds=folds, whole=tuple(PARTS))])
