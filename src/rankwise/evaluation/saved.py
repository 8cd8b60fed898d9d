"""A result as one small file, and back: docs/results.md describes it."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from rankwise import __version__
from rankwise._kernels import Text
from rankwise.data.formats import arrays as container
from rankwise.data.formats.files import PathLike
from rankwise.data.ids import LONGEST, Ids
from rankwise.errors import DataError, RankwiseError, message
from rankwise.evaluation.columns import Column, Evaluated, Saved
from rankwise.evaluation.groups import Groups
from rankwise.evaluation.result import Outcome, Result
from rankwise.measures.base import Measure
from rankwise.measures.record import from_record, record

__all__ = ["load_result", "save"]

KIND, VERSION = "result", 1

Arrays = dict[str, npt.NDArray[Any]]


def save(result: Result, path: PathLike) -> None:
    """Writes a result: per-list values and flags, query ids, weights, groups, and measures with all their choices."""
    about = result.evaluated
    further = _further(result)
    header = {
        "written_by": f"rankwise {__version__}",
        "name": result.name,
        "lists": len(about),
        "keep": about.keep,
        "judged_run": about.judged_run,
        "show_bounds": result.show_bounds,
        "show_bootstrap": result.show_bootstrap,
        "measures": [{"given": o.given, **record(o.measure), **_summary(o)} for o in result],
        "further": [record(measure) for measure, _ in further],
        "groups": None if about.groups is None else list(about.groups.names),
    }
    columns: list[Column] = [*((o.values, o.flags) for o in result), *(column for _, column in further)]
    arrays: Arrays = {
        "values": np.stack([values for values, _ in columns]),
        "flags": np.stack([flags for _, flags in columns]),
        **_ids("queries", about.queries),
        **_ids("unknown_queries", about.unknown_queries),
    }
    if about.weights is not None:
        arrays["weights"] = about.weights
    if about.groups is not None:
        arrays["groups"] = about.groups.codes
    container.write(path, KIND, VERSION, header, arrays)


def load_result(path: PathLike) -> Result:
    """Reads a result that `Result.save` wrote; it prints the same as the one that was saved.

    What needs the scores of the documents, such as bounds over ties that were not asked for, is refused.
    """
    header, arrays = container.read(path, KIND, VERSION)
    try:
        return _Loading(header, arrays).result()
    except RankwiseError as error:
        raise type(error)(f"{path}: {error}") from None


def _further(result: Result) -> list[tuple[Measure, Column]]:
    """Columns beside the measures' own that printing needs: the bounds if they are shown, trec_eval's values."""
    found = list(result.trec_eval.values())
    if result.show_bounds:
        found += [bound for outcome in result for bound in (outcome.worst, outcome.best)]
    return [(outcome.measure, (outcome.values, outcome.flags)) for outcome in found]


def _summary(outcome: Outcome) -> dict[str, Any]:
    """For whoever reads the file without Rankwise; `load_result` computes it again."""
    numbers = {"mean": outcome.mean, "stderr": outcome.stderr}
    finite = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
    return {**finite, "included": outcome.included, "counts": outcome.counts.as_dict()}


def _ids(name: str, ids: Ids | None) -> Arrays:
    """Ids as their bytes, one after the other, and the length of each."""
    if ids is None:
        return {}
    text = b"".join(map(ids.text.at, ids.spans.tolist()))
    return {
        f"{name}.text": np.frombuffer(text, np.uint8),
        f"{name}.lengths": (ids.spans & np.uint64(LONGEST)).astype(np.uint16),
    }


class _Loading:
    """A result from a header and arrays, each part of which is checked."""

    def __init__(self, header: dict[str, Any], arrays: Arrays) -> None:
        self.header = header
        self.arrays = arrays

    def result(self) -> Result:
        lists = self._header("lists", int)
        measures = [(self._given(kept), from_record(kept)) for kept in self._header("measures", list)]
        further = [from_record(kept) for kept in self._header("further", list)]
        columns = self._columns(len(measures) + len(further), lists)
        about = Evaluated(
            lists,
            Saved(dict(zip(further, columns[len(measures) :], strict=True))),
            queries=self._ids("queries", lists),
            unknown_queries=self._ids("unknown_queries", None),
            weights=self._weights(lists),
            groups=self._groups(lists),
            judged_run=self._header("judged_run", bool),
            keep=None if self.header.get("keep") is None else self._header("keep", int),
        )
        return Result(
            about,
            measures,
            columns=columns[: len(measures)],
            name=self._header("name", str),
            show_bounds=self._header("show_bounds", bool),
            show_bootstrap=self._header("show_bootstrap", bool),
        )

    def _header(self, key: str, kind: type) -> Any:
        value = self.header.get(key)
        if type(value) is not kind:
            self._refuse(f"its header gives {value!r} as '{key}'")
        return value

    def _given(self, kept: Any) -> str:
        given = kept.get("given") if isinstance(kept, dict) else None
        if not isinstance(given, str):
            self._refuse("a measure lacks its text")
        return given

    def _array(self, name: str, dtype: Any, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        array = self.arrays.get(name)
        if array is None:
            self._refuse(f"it lacks the array '{name}'")
        if array.dtype != dtype or array.shape != shape:
            self._refuse(f"its array '{name}' is {array.dtype} {array.shape}, not {np.dtype(dtype)} {shape}")
        return array

    def _columns(self, measures: int, lists: int) -> list[Column]:
        values = self._array("values", np.float64, (measures, lists))
        flags = self._array("flags", np.uint8, (measures, lists))
        if (flags >= 128).any():
            self._refuse("its flags have an unknown bit")
        return list(zip(values, flags, strict=True))

    def _ids(self, name: str, count: int | None) -> Ids | None:
        text, lengths = self.arrays.get(f"{name}.text"), self.arrays.get(f"{name}.lengths")
        if text is None and lengths is None:
            return None
        if text is None or lengths is None:
            self._refuse(f"it has half of the ids '{name}'")
        lengths = self._array(f"{name}.lengths", np.uint16, (len(lengths) if count is None else count,))
        sizes = lengths.astype(np.uint64)
        text = self._array(f"{name}.text", np.uint8, (int(sizes.sum()),))
        # The leading newline keeps a first id from being taken for a byte order mark.
        starts = np.cumsum(sizes) - sizes + np.uint64(1)
        return Ids(Text.from_bytes("ids", b"\n" + text.tobytes()), (starts << np.uint64(16)) | sizes)

    def _weights(self, lists: int) -> npt.NDArray[np.float64] | None:
        if "weights" not in self.arrays:
            return None
        weights = self._array("weights", np.float64, (lists,))
        if not (np.isfinite(weights) & (weights >= 0)).all():
            self._refuse("a weight is negative or not finite")
        return weights

    def _groups(self, lists: int) -> Groups | None:
        if self.header.get("groups") is None:
            return None
        names = self._header("groups", list)
        codes = self._array("groups", np.int32, (lists,))
        if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
            self._refuse("its groups are not called by different names")
        if lists and not (codes.min() >= 0 and codes.max() < len(names)):
            self._refuse("a list belongs to a group that does not exist")
        return Groups(names, codes)

    def _refuse(self, what: str) -> NoReturn:
        raise DataError(message(what, hint="the file is damaged; write it again."))
