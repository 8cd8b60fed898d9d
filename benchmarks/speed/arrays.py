"""Measures on arrays: Rankwise beside a plain C program, LightGBM and scikit-learn, in one run.

    python benchmarks/speed/arrays.py --kit DIR

DIR is the benchmark kit (its `bench/` holds the generators, the C program and the peers, see benchmarks/README.md).
The clock runs from labels and scores to per-list values, their mean and the counts. Ratios are of the best times.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from kit import Kit, interleaved, table

import rankwise

REPEATS = 25


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kit", required=True, type=Path)
    parser.add_argument("--peers", action="store_true", help="LightGBM and scikit-learn too (installed in the kit)")
    arguments = parser.parse_args()
    kit = Kit(arguments.kit)
    scores, labels, offsets = kit.common.arrays()
    sets = {"no ties": _without_ties(scores, offsets), "5 % tied": _with_ties(scores)}
    times: dict[str, float] = {}
    for name, these in sets.items():
        times |= {f"{what}, {name}": t for what, t in _contenders(kit, these, labels, offsets).items()}
    rows = []
    for name in sets:
        for what in ("nDCG@10", "nDCG@10 + AP + RR"):
            for threads in (1, 2):
                c = times[f"C v2 {what} {threads}, {name}"]
                ours = times[f"Rankwise {what} {threads}, {name}"]
                rows.append([name, what, threads, f"{1e3 * c:.2f}", f"{1e3 * ours:.2f}", f"{ours / c:.2f}"])
    print(table(["data", "measures", "threads", "C (x86-64-v2) ms", "Rankwise ms", "ratio"], rows))
    if arguments.peers:
        _peers(kit, times)


def _contenders(kit: Kit, scores: Any, labels: Any, offsets: Any) -> dict[str, float]:
    data = rankwise.Dataset.of(labels=labels, group=np.diff(offsets))
    c = kit.common.load_so("limit_v2.so")
    fns: dict[str, Callable[[], Any]] = {}
    for what, wanted, flags in (("nDCG@10", ["nDCG@10"], "n"), ("nDCG@10 + AP + RR", ["nDCG@10", "AP", "RR"], "nar")):
        measures = [rankwise.measure(m) for m in wanted]
        for threads in (1, 2):
            fns[f"C v2 {what} {threads}"] = lambda f=flags, t=threads: c_program(c, scores, labels, offsets, f, t)
            # None is what a user gets: all cores of this machine, here two.
            given = None if threads == 2 else threads
            fns[f"Rankwise {what} {threads}"] = lambda m=measures, t=given: _values_mean_counts(
                rankwise.evaluate(data, scores, m, threads=t)
            )
    _check_agreement(fns)
    return interleaved(fns, REPEATS)


def _values_mean_counts(result: Any) -> Any:
    return [(o.values, o.mean, o.counts) for o in result]


def _check_agreement(fns: dict[str, Callable[[], Any]]) -> None:
    theirs = fns["C v2 nDCG@10 + AP + RR 1"]()
    ours = fns["Rankwise nDCG@10 + AP + RR 1"]()
    for (values, mean, counts), other in zip(ours, theirs, strict=True):
        if not counts.tied_decided:
            assert np.abs(values - other).max() < 1e-12
            assert abs(mean - other.mean()) < 1e-12


def c_program(lib: Any, scores: Any, labels: Any, offsets: Any, what: str, threads: int) -> list[Any]:
    lists = len(offsets) - 1
    columns = [np.empty(lists) if letter in what else None for letter in "nar"]

    def pointer(a: Any) -> Any:
        return None if a is None else a.ctypes.data_as(ctypes.c_void_p)

    lib.evaluate(
        pointer(scores), pointer(labels), pointer(offsets), ctypes.c_int64(lists), *map(pointer, columns), threads
    )
    return [c for c in columns if c is not None]


def _without_ties(scores: Any, offsets: Any) -> Any:
    """The same scores, with each tie within a list broken by the smallest step."""
    out = scores.copy()
    for start, end in pairwise(offsets):
        part = out[start:end]
        while len(np.unique(part)) < len(part):
            order = np.argsort(part, kind="stable")
            same = np.flatnonzero(np.diff(part[order]) == 0) + 1
            part[order[same]] = np.nextafter(part[order[same]], np.float32(np.inf))
    return out


def _with_ties(scores: Any) -> Any:
    """One document in twenty takes a score rounded to one decimal, so that most lists have ties."""
    out = scores.copy()
    chosen = np.random.default_rng(0).random(len(out)) < 0.05
    out[chosen] = np.round(out[chosen], 1)
    return out


def _peers(kit: Kit, times: dict[str, float]) -> None:
    ours = times["Rankwise nDCG@10 1, no ties"]
    two = times["Rankwise nDCG@10 2, no ties"]
    for name in ("lightgbm_eval", "sklearn_loop"):
        command = [sys.executable, str(kit.bench / "e1_arrays.py"), name]
        lines = subprocess.run(command, capture_output=True, text=True, check=True, cwd=kit.root).stdout.splitlines()
        found = json.loads(lines[-1])
        if "times" not in found:
            print(f"{name}: {found.get('error')}")
            continue
        theirs = found["times"]
        print(f"{name}: {1e3 * theirs['ndcg']:.1f} ms with one thread, {theirs['ndcg'] / ours:.1f} × Rankwise's")
        if "ndcg_2t" in theirs:
            print(
                f"{name}: {1e3 * theirs['ndcg_2t']:.1f} ms with two threads, {theirs['ndcg_2t'] / two:.1f} × Rankwise's"
            )


if __name__ == "__main__":
    main()
