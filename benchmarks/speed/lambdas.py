"""One pass of lambdas: Rankwise beside a plain C program, in one run.

    python benchmarks/speed/lambdas.py --kit DIR

About 1,000 lists of 105 documents with five grades, from the kit's generator, normal scores. The C program sorts and
loops over all pairs that touch the top k, in single precision with a polynomial for exp, compiled for this machine;
Rankwise computes in double precision; its clock runs from labels and scores in a dataset to two columns.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from kit import Kit, interleaved, table

from rankwise import Dataset
from rankwise.losses import lambdas

REPEATS = 15
CUTS = {"all pairs": 4096, "30": 30, "10": 10}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kit", required=True, type=Path)
    kit = Kit(parser.parse_args().kit)
    _, labels, sizes = kit.common.features(1000, 105, 136, 11, snr=1.2)
    scores = np.random.default_rng(0).normal(size=len(labels)).astype(np.float32)
    data = Dataset.of(labels=labels, group=sizes)
    print(f"{len(data):,} lists, {len(labels):,} documents")
    with tempfile.TemporaryDirectory() as folder:
        c = _compiled(kit, Path(folder))
        contenders = _contenders(c, data, scores)
        _check_agreement(c, data, scores)
        times = interleaved(contenders, REPEATS)
    for cut in CUTS:
        base = times[f"C, {cut}"]
        rows = [[n, f"{1e3 * t:.1f}", f"{t / base:.2f}"] for n, t in times.items() if n.endswith(f", {cut}")]
        print(table(["contender", "ms", "× C"], rows))


def _contenders(c: Any, data: Dataset, scores: Any) -> dict[str, Callable[[], Any]]:
    found: dict[str, Callable[[], Any]] = {}
    for cut, k in CUTS.items():
        found[f"C, {cut}"] = lambda k=k: c_program(c, data, scores, k)
        measure = "nDCG" if k > 1000 else f"nDCG@{k}"
        for name, how in {
            "nDCG": {},
            "nDCG, discounted below": {"below": "discounted"},
            "nDCG, discounted below and normalized": {"below": "discounted", "normalized": True},
        }.items():
            found[f"{name}, 1 thread, {cut}"] = lambda m=measure, h=how: lambdas(data, scores, m, threads=1, **h)
        found[f"nDCG, 2 threads, {cut}"] = lambda m=measure: lambdas(data, scores, m, threads=2)
        for kind in ("AP", "ERR"):
            other = kind if k > 1000 else f"{kind}@{k}"
            found[f"{kind}, 1 thread, {cut}"] = lambda m=other: lambdas(data, scores, m, threads=1)
    return found


def c_program(lib: Any, data: Dataset, scores: Any, k: int) -> tuple[Any, Any]:
    columns = np.empty_like(scores), np.empty_like(scores)

    def pointer(a: Any) -> Any:
        return a.ctypes.data_as(ctypes.c_void_p)

    labels = data.labels.astype(np.int32, copy=False)
    lists = ctypes.c_int64(len(data))
    lib.lambdas(pointer(scores), pointer(labels), pointer(data.offsets), lists, k, *map(pointer, columns))
    return columns


def _compiled(kit: Kit, folder: Path) -> Any:
    program = folder / "t1lim.so"
    flags = ["-O3", "-march=native", "-ffast-math", "-w", "-fPIC", "-shared"]
    subprocess.run(["gcc", *flags, "-o", program, kit.bench / "t1lim.c", "-lm"], check=True)
    return ctypes.CDLL(str(program))


def _check_agreement(c: Any, data: Dataset, scores: Any) -> None:
    for k in CUTS.values():
        theirs = c_program(c, data, scores, k)
        ours = lambdas(data, scores, f"nDCG@{k}", below="discounted")
        for mine, other in zip(ours, theirs, strict=True):
            assert np.abs(mine - other).max() < 1e-3 * np.abs(mine).max()


if __name__ == "__main__":
    main()
