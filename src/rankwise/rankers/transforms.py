"""What the statistics of the training set make of a feature's values; what lists make of them is a kernel, `within.rs`.

Missing values (NaN) stay missing, and count for nothing in a statistic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise import _kernels

__all__ = ["FITTED", "KNOTS", "TRANSFORMED", "log1p"]

Table = npt.NDArray[np.float32]
Statistics = Mapping[str, npt.NDArray[Any]]

# A feature with more distinct values than this keeps so many of them, evenly spread over its ranks.
KNOTS = 4096
LARGEST = float(np.finfo(np.float32).max)
BLOCK = 1024


def _extremes(table: Table) -> dict[str, npt.NDArray[Any]]:
    return {
        "low": np.fmin.reduce(table, axis=0).astype(np.float64),
        "high": np.fmax.reduce(table, axis=0).astype(np.float64),
    }


def _moments(table: Table) -> dict[str, npt.NDArray[Any]]:
    """Mean and population deviation, both from exact sums: the order of rows does not matter."""
    found = [_kernels.summary(table[:, at].astype(np.float64)) for at in range(table.shape[1])]
    counts, _, means, deviations = np.array(found, np.float64).reshape(-1, 4).T
    # Of one value there is no sample deviation, and it does not deviate.
    sample = np.where(counts > 1, deviations, 0.0)
    return {"mean": means, "deviation": sample * np.sqrt(np.maximum(counts - 1, 0) / np.maximum(counts, 1))}


def _knots(table: Table) -> dict[str, npt.NDArray[Any]]:
    """The distinct values of each feature, and the share of rows below each, half of its own among them."""
    parts = [_knots_of(table[:, at]) for at in range(table.shape[1])]
    return {
        "starts": np.cumsum([0, *(len(values) for values, _ in parts)], dtype=np.int64),
        "values": np.concatenate([np.zeros(0), *(values for values, _ in parts)]),
        "shares": np.concatenate([np.zeros(0), *(shares for _, shares in parts)]),
    }


def _knots_of(column: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    values, counts = np.unique(column[~np.isnan(column)].astype(np.float64), return_counts=True)
    ends = np.cumsum(counts)
    shares = (ends - counts / 2) / max(int(counts.sum()), 1)
    if len(values) > KNOTS:
        kept = np.unique(np.searchsorted(shares, np.linspace(shares[0], shares[-1], KNOTS)))
        values, shares = values[kept], shares[kept]
    return values, shares


FITTED: Mapping[str, Callable[[Table], dict[str, npt.NDArray[Any]]]] = {
    "min-max": _extremes, "z-score": _moments, "rank": _knots,
}  # fmt: skip


def _to_unit(table: Table, found: Statistics) -> Table:
    return _shifted(table, found["low"], found["high"] - found["low"])


def _standardised(table: Table, found: Statistics) -> Table:
    return _shifted(table, found["mean"], found["deviation"])


def _shifted(table: Table, shift: npt.NDArray[np.float64], width: npt.NDArray[np.float64]) -> Table:
    """(x − shift) / width; where a feature has no width, 0."""
    known = width > 0
    shift, width = np.where(known, shift, 0), np.where(known, width, np.inf)

    def change(rows: Table) -> npt.NDArray[np.float64]:
        # A width may be so small that a value of other data lies out of the reach of float32.
        with np.errstate(over="ignore"):
            return np.clip((rows - shift) / width, -LARGEST, LARGEST)

    return _by_blocks(table, change)


def _by_blocks(table: Table, change: Callable[[Table], npt.NDArray[np.float64]]) -> Table:
    """Some rows at a time: float64 values of all of them would take twice the table's memory."""
    out = np.empty_like(table)
    for begin in range(0, len(table), BLOCK):
        out[begin : begin + BLOCK] = change(table[begin : begin + BLOCK])
    return out


def _placed(table: Table, found: Statistics) -> Table:
    out = np.empty_like(table)
    starts = found["starts"]
    for at in range(table.shape[1]):
        values, shares = (found[name][starts[at] : starts[at + 1]] for name in ("values", "shares"))
        column = table[:, at]
        # NaN would find a place where there is one value only.
        places = np.interp(column, values, shares, left=0, right=1) if len(values) else 0
        out[:, at] = np.where(np.isnan(column), np.nan, places)
    return out


TRANSFORMED: Mapping[str, Callable[[Table, Statistics], Table]] = {
    "min-max": _to_unit, "z-score": _standardised, "rank": _placed,
}  # fmt: skip


def log1p(table: Table) -> Table:
    """sign(x) log(1 + |x|): log1p, odd so that negative values have one too."""
    return _by_blocks(table, lambda rows: np.copysign(np.log1p(np.abs(rows, dtype=np.float64)), rows))
