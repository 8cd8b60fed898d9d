"""Score files: one number a line, in the order of the documents.

What SVMrank, XGBoost and LightGBM print, and the evaluation scripts of LETOR read.
RankLib's `-score` prints three columns, of which the last is the score.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.data.formats.files import PathLike, opened, writing
from rankwise.errors import DataError, message

__all__ = ["read", "write"]


def read(path: PathLike, column: int | None = None) -> npt.NDArray[np.float64]:
    """Reads a file, plain or gzip; `-` is standard input.

    `column` chooses one of several columns: 1 is the first, -1 the last.
    """
    return _kernels.read_scores(opened(path), column)


def write(scores: Any, path: PathLike) -> None:
    """Writes one score a line, packed if the name ends in `.gz`; `-` is standard output.

    Numbers are written with as few digits as read back to the same bits.
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1:
        raise DataError(message(f"scores must have 1 dimension, not {values.ndim}"))
    if not np.isfinite(values).all():
        row = int((~np.isfinite(values)).argmax())
        raise DataError(message(f"the score of row {row} is {values[row]}; scores must be finite"))
    with writing(path) as file:
        file.write("".join([f"{value!r}\n" for value in values.tolist()]).encode())
