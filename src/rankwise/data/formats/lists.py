"""Lists with their features and labels as one file that is read fast: what work that is spread over processes shares.

Row order, ids, weights and positions are kept; columns of a table beyond these are not.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise._kernels import Text
from rankwise.data.dataset import Dataset
from rankwise.data.formats import arrays as container
from rankwise.data.formats.files import PathLike
from rankwise.data.ids import LONGEST, Ids
from rankwise.errors import DataError, message

__all__ = ["digest", "read", "write"]

KIND, VERSION = "lists", 1
COLUMNS = ("features", "labels", "offsets", "weights", "document_weights", "positions")

Arrays = dict[str, npt.NDArray[Any]]


def digest(data: Dataset) -> str:
    """A number that tells these lists from all others: features and their names, labels, ids, weights, positions.

    >>> one, other = Dataset.of([[1.0]], [1], group=[1]), Dataset.of([[2.0]], [1], group=[1])
    >>> digest(one) == digest(one), digest(one) == digest(other)
    (True, False)
    """
    found = hashlib.sha256(repr(data.feature_names).encode())
    for name, array in sorted(_arrays(data).items()):
        found.update(f"{name} {array.dtype.str} {array.shape}".encode())
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()[:32]


def write(data: Dataset, path: PathLike) -> None:
    """Writes lists, in their order of rows."""
    names = None if data.feature_names is None else list(data.feature_names)
    container.write(path, KIND, VERSION, {"feature_names": names}, _arrays(data))


def read(path: PathLike) -> Dataset:
    """The lists that `write` wrote; what was the dataset's order of rows is the caller's now."""
    header, arrays = container.read(path, KIND, VERSION)
    names = header.get("feature_names")
    try:
        return Dataset(
            features=arrays.get("features"),
            labels=arrays["labels"],
            offsets=arrays["offsets"],
            queries=_ids(arrays, "queries"),
            documents=_ids(arrays, "documents") if "documents.text" in arrays else None,
            weights=arrays.get("weights"),
            document_weights=arrays.get("document_weights"),
            positions=arrays.get("positions"),
            feature_names=None if names is None else tuple(names),
        )
    except (KeyError, TypeError) as error:
        hint = "the file is damaged; write it again."
        raise DataError(message(f"it lacks {error}", place=str(path), hint=hint)) from None


def _arrays(data: Dataset) -> Arrays:
    columns = {name: array for name in COLUMNS if (array := getattr(data, name)) is not None}
    columns |= _of_ids(data.queries, "queries")
    return columns if data.documents is None else columns | _of_ids(data.documents, "documents")


def _of_ids(ids: Ids, name: str) -> Arrays:
    """Ids as their bytes, one after the other, and the length of each."""
    text = b"".join(map(ids.text.at, ids.spans.tolist()))
    lengths = (ids.spans & np.uint64(LONGEST)).astype(np.uint16)
    return {f"{name}.text": np.frombuffer(text, np.uint8), f"{name}.lengths": lengths}


def _ids(arrays: Arrays, name: str) -> Ids:
    sizes = arrays[f"{name}.lengths"].astype(np.uint64)
    # The leading newline keeps a first id from being taken for a byte order mark.
    starts = np.cumsum(sizes) - sizes + np.uint64(1)
    text = Text.from_bytes("ids", b"\n" + arrays[f"{name}.text"].tobytes())
    return Ids(text, (starts << np.uint64(16)) | sizes)
