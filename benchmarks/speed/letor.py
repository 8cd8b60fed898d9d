"""Reading LETOR text: Rankwise beside a plain C parser and XGBoost, interleaved, in MB/s and as ratios.

    python benchmarks/speed/letor.py --kit DIR [--mb 500] [--repeats 7] [--threads 1 2] [--xgboost PYTHON]

DIR is the folder of the kit whose `common.py` makes the file and builds the C program (`-march=native`).
Times run from the call to arrays in hand. XGBoost runs in the interpreter given by `--xgboost`, in its own process.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import TextIO

from rankwise.data.formats import letor

XGBOOST = """
import sys, time, xgboost
path, threads = sys.argv[1] + "?format=libsvm", int(sys.argv[2])
for _ in sys.stdin:
    start = time.perf_counter()
    matrix = xgboost.DMatrix(path, nthread=threads)
    print(time.perf_counter() - start, flush=True)
    del matrix
"""


def main() -> None:
    options = arguments()
    sys.path.insert(0, options.kit)
    import common

    path = common.letor_file(options.mb)
    megabytes = os.path.getsize(path) / 1e6
    for threads in options.threads:
        contenders = {"C parser": c_parser(common, path, threads), "Rankwise": rankwise_reader(path, threads)}
        if options.xgboost:
            contenders["XGBoost"] = xgboost_reader(options.xgboost, path, threads)
        best = interleaved(contenders, options.repeats)
        print(f"{threads} thread(s), {megabytes:.0f} MB, best of {options.repeats}")
        for name, seconds in best.items():
            ratio = seconds / best["Rankwise"]
            print(f"  {name:10} {seconds:6.3f} s {megabytes / seconds:8.0f} MB/s   Rankwise is {ratio:.2f} x")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kit", required=True, help="folder of common.py")
    parser.add_argument("--mb", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--xgboost", help="a Python that has XGBoost")
    return parser.parse_args()


def interleaved(contenders: dict[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """The least seconds of each, in turns, so that all see the same state of the machine."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, run in contenders.items():
            times[name].append(run())
    return {name: min(seconds) for name, seconds in times.items()}


def rankwise_reader(path: str, threads: int) -> Callable[[], float]:
    def run() -> float:
        start = time.perf_counter()
        data = letor.read(path, threads=threads)
        seconds = time.perf_counter() - start
        assert data.features.shape[1] == 136
        return seconds

    return run


def c_parser(common: ModuleType, path: str, threads: int) -> Callable[[], float]:
    library = common.load_so()
    arrays = [ctypes.c_void_p() for _ in range(3)]
    # The C program is told the number of rows; Rankwise counts them.
    rows = library.count_newlines(path.encode())

    def run() -> float:
        start = time.perf_counter()
        library.parse_letor(
            path.encode(), ctypes.c_int64(136), threads, *map(ctypes.byref, arrays), ctypes.c_int64(rows)
        )
        seconds = time.perf_counter() - start
        library.free_all(*arrays)
        return seconds

    return run


def xgboost_reader(python: str, path: str, threads: int) -> Callable[[], float]:
    command = [python, "-W", "ignore", "-c", XGBOOST, path, str(threads)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run() -> float:
        assert process.stdin is not None and process.stdout is not None
        ask(process.stdin)
        return float(process.stdout.readline())

    return run


def ask(stdin: TextIO) -> None:
    stdin.write("\n")
    stdin.flush()


if __name__ == "__main__":
    main()
