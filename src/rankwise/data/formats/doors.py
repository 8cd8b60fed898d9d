"""Which reader a source needs: by its kind, its name, or its first bytes.

The readers are imported when they are needed.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankwise.data.dataset import Dataset
    from rankwise.data.judgments import Qrels, Run

__all__ = ["is_frame", "is_table", "read", "read_ahead", "read_qrels", "read_run"]

ENDINGS = (".csv", ".tsv", ".parquet")
PACKED = (".gz", ".zst")


def is_frame(source: object) -> bool:
    """Whether an object is a frame or a stream of columns, by Arrow's interface; a single column is none."""
    if isinstance(source, type):
        return False
    # pandas has the interface only where pyarrow is installed, too.
    if not hasattr(source, "__arrow_c_stream__") and type(source).__module__.partition(".")[0] != "pandas":
        return False
    return hasattr(source, "columns") or not hasattr(source, "__array__")


def is_table(source: object) -> bool:
    """Whether a source is a frame, or the path of a table by its ending or its first bytes."""
    if not isinstance(source, (str, os.PathLike)):
        return is_frame(source)
    name = os.fspath(source).lower()
    packed = next((ending for ending in PACKED if name.endswith(ending)), "")
    return name.removesuffix(packed).endswith(ENDINGS) or is_parquet(os.fspath(source))


def is_parquet(path: str) -> bool:
    """Whether a file begins as Parquet does; a pipe is left alone."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"PAR1"


def read(source: Any, **options: Any) -> Dataset:
    """Reads labelled lists from whatever holds them: a table or a LETOR file.

    A frame, or a file that ends in `.csv`, `.tsv` or `.parquet` (also `.csv.gz`, `.csv.zst`) or is Parquet by its first
    bytes, is a table; every other file is LETOR text. `options` are those of `read_table` or `read_letor`.

    >>> read({"qid": [1, 1, 2], "label": [0, 2, 1], "price": [80, 120, 95]})
    Dataset(2 lists, 3 rows, 1 feature; labels 0: 1, 1: 1, 2: 1)
    """
    if isinstance(source, dict) or is_table(source):
        from rankwise.data.formats import tables

        return tables.read(source, **options)
    from rankwise.data.formats import letor

    return letor.read(source, **options)


def read_ahead(path: str, *, qrels: bool, threads: int | None = None) -> Any:
    """A TREC file that is being read while the caller does something else, for `read_qrels` or `read_run`.

    Of a table, its path.
    """
    from rankwise import _kernels

    return path if is_table(path) else _kernels.read_ahead(path, qrels=qrels, threads=threads)


def read_qrels(source: Any, *, threads: int | None = None, **columns: Any) -> Qrels:
    """Judgments from a TREC file or a table; `-` is standard input.

    `query=`, `document=` and `label=` name the columns of a table whose names are not understood.

    >>> read_qrels({"query_id": ["q1", "q1"], "doc_id": ["a", "b"], "relevance": [2, 0]})
    <Qrels: 1 query, 2 documents>
    """
    if isinstance(source, dict) or is_table(source):
        from rankwise.data.formats import tables

        return tables.read_qrels(source, threads=threads, **columns)
    from rankwise.data.formats import trec

    return trec.read_qrels(source, threads=threads, **columns)


def read_run(source: Any, *, threads: int | None = None, **columns: Any) -> Run:
    """A run from a TREC file or a table; `-` is standard input.

    `query=`, `document=` and `score=` name the columns of a table whose names are not understood.

    >>> read_run({"qid": ["q1", "q1"], "docno": ["a", "b"], "score": [0.5, 2]}).scores.tolist()
    [0.5, 2.0]
    """
    if isinstance(source, dict) or is_table(source):
        from rankwise.data.formats import tables

        return tables.read_run(source, threads=threads, **columns)
    from rankwise.data.formats import trec

    return trec.read_run(source, threads=threads, **columns)
