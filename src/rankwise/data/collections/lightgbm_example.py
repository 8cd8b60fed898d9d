"""The ranking example that LightGBM ships: LETOR text without query ids, sizes of lists in files beside it."""

from __future__ import annotations

from rankwise.data.collections.base import About, Collection, File, Layout, Part, Size, found
from rankwise.data.dataset import Dataset
from rankwise.data.formats import letor
from rankwise.data.formats.files import PathLike

__all__ = ["ABOUT", "lightgbm_example", "lightgbm_part"]

ABOUT = About(
    name="lightgbm_example",
    title="LightGBM's ranking example",
    source="Microsoft: the folder `examples/lambdarank` of LightGBM",
    url="https://github.com/microsoft/LightGBM/tree/master/examples/lambdarank",
    terms="MIT",
    citation="ke2017",
    contents="201 lists, 3,005 rows to learn from, 50 lists, 768 rows to judge on; 300 features, labels 0–4",
    checked="bytes, rows and SHA-256, taken from the files",
)
FEATURES = 300

SIZES = {
    "train": Size(
        bytes=2_479_271, rows=3_005, sha256="a0c7201c89120879c14a5059e091f441cbf2a29b8aaef363885ccb1a530448df"
    ),
    "test": Size(bytes=649_930, rows=768, sha256="3b1219ce117a0a36d2f76c02de7e7831c1d79af0d40f5195c03178bbe26c824b"),
}
GROUPS = {
    "train": Size(bytes=580, rows=201, sha256="40cb5fef637229311cd30fab13cb7fb633b023e86a87ff04ec55db420143d6af"),
    "test": Size(bytes=146, rows=50, sha256="36dca82ba3bf99201bac3987b00a8fbf6fe5f563e9fa6d0da90e783710a32df4"),
}


def lightgbm_example(folder: PathLike) -> Collection:
    """LightGBM's ranking example in a folder: `rank.train`, `rank.test`, and `.query` beside each.

    The lists have no ids: those of either part are called 1, 2, …, so that the parts do not join (Ke et al. 2017,
    `ke2017`, is the paper of LightGBM).

    >>> lightgbm_example("LightGBM/examples/lambdarank").read("test")  # doctest: +SKIP
    Dataset(50 lists, 768 rows, 300 features; labels 0: 206, 1: 256, 2: 252, 3: 44, 4: 10)
    """
    parts = (lightgbm_part("train"), lightgbm_part("test"))
    return found(ABOUT, folder, [Layout(parts=parts, folds={"1": (("train",), (), ("test",))})])


def lightgbm_part(name: str) -> Part:
    """`rank.train` or `rank.test`."""
    return Part(
        name=name,
        files=(
            File(name=f"rank.{name}", expected=(SIZES[name],)),
            File(name=f"rank.{name}.query", expected=(GROUPS[name],)),
        ),
        read=_read,
    )


def _read(rows: PathLike, sizes: PathLike) -> Dataset:
    return letor.read(rows, group=sizes, n_features=FEATURES)
