"""Istella LETOR and its sample Istella-S: web search, judged."""

from __future__ import annotations

from rankwise.data.collections.base import About, Collection, Layout, Size, found, letor_part
from rankwise.data.formats.files import PathLike

__all__ = ["ABOUT", "istella"]

ABOUT = About(
    name="istella",
    title="Istella LETOR and Istella-S LETOR",
    source="Istella (Tiscali) with ISTI-CNR: one stage of a production ranking pipeline",
    url="http://quickrank.isti.cnr.it/istella-dataset/",
    terms="Istella LETOR licence agreement: non-commercial use",
    citation="dato2016",
    contents="33,018 queries, 220 features, labels 0–4; 10,454,629 documents, or 3,408,630 in Istella-S",
    checked="published sizes: rows and queries",
)
FEATURES = 220
FULL = {"train": Size(lists=23_219, rows=7_325_625), "test": Size(lists=9_799, rows=3_129_004)}
SMALL = {
    "train": Size(lists=19_245, rows=2_043_304),
    "validation": Size(lists=7_211, rows=684_076),
    "test": Size(lists=6_562, rows=681_250),
}
FILES = {"train": "train.txt", "validation": "vali.txt", "test": "test.txt"}


def istella(folder: PathLike) -> Collection:
    """Istella in a folder: `train.txt` and `test.txt`, or of Istella-S `train.txt`, `vali.txt` and `test.txt`.

    The files lie in the folder itself, or in `full` or `sample` as in the archives (Dato et al. 2016, `dato2016`).
    The full collection has no lists to choose by; a folder with `vali.txt` is Istella-S.

    >>> istella("istella-s-letor").folds[0].validation  # doctest: +SKIP
    """
    layouts = [layout(SMALL, "sample/"), layout(FULL, "full/"), layout(FULL, ""), layout(SMALL, "")]
    return found(ABOUT, folder, layouts)


def layout(sizes: dict[str, Size], inside: str) -> Layout:
    parts = tuple(letor_part(name, inside + FILES[name], size, n_features=FEATURES) for name, size in sizes.items())
    chosen = ("validation",) if "validation" in sizes else ()
    return Layout(parts=parts, folds={"1": (("train",), chosen, ("test",))}, whole=tuple(sizes))
