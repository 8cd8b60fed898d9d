"""One pass of BPR, WARP and SVD, and the ten best items of all users: Rankwise beside its peers, in one run.

    python benchmarks/speed/recommenders.py --kit DIR [--implicit PYTHON] [--lightfm PYTHON] [--surprise PYTHON]

The kit's made-up matrix of MovieLens 100k's size, 64 numbers a row. The C program of the kit keeps the item's bias in
its last column and a table of what was seen. Each PYTHON is the interpreter of an environment that has the package
(lightfm-next for LightFM); it is started for the same matrix, and the peers take turns with Rankwise. Epochs of a peer
are the difference of two fits over their difference in epochs. NumPy's ten best are a product and `argpartition`.
Beside the seconds stands the processor's time, which other work on the machine does not lengthen; with two threads it
is that of both.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from kit import Kit, table

from rankwise import Interactions
from rankwise.rankers.factors import Factors
from rankwise.rankers.histories import Histories
from rankwise.recommenders.bpr import BPR
from rankwise.recommenders.svd import SVD
from rankwise.recommenders.warp import WARP

REPEATS = 5
NAMES = {
    "implicit": "implicit BPR, 1 thread",
    "warp": "LightFM WARP, 1 thread",
    "bpr": "LightFM BPR, 1 thread",
    "surprise": "Surprise SVD, 1 thread",
}
USERS, ITEMS, FACTORS = 6040, 3706, 64
PEER = """
import json, sys, time
import numpy as np, scipy.sparse as sp
z = np.load(sys.argv[1]); kind = sys.argv[2]
M = sp.csr_matrix((np.ones(len(z["u"]), np.float32), (z["u"], z["i"])), tuple(z["shape"]))
def now():
    return np.array([time.perf_counter(), time.process_time()])
def fit(epochs):
    start = now()
    if kind == "implicit":
        from implicit.bpr import BayesianPersonalizedRanking as B
        B(factors=63, learning_rate=.05, regularization=.01, iterations=epochs, num_threads=1, random_state=1,
          verify_negative_samples=True).fit(M, show_progress=False)
    elif kind in ("warp", "bpr"):
        from lightfm import LightFM
        one = LightFM(no_components=64, loss=kind, learning_rate=.05, random_state=1)
        one.fit(M.tocoo(), epochs=epochs, num_threads=1)
    else:
        from collections import defaultdict
        from surprise import SVD, Trainset
        ur, ir = defaultdict(list), defaultdict(list)
        for a, b, c in zip(z["u"].tolist(), z["i"].tolist(), z["v"].tolist()):
            ur[a].append((b, c)); ir[b].append((a, c))
        shape = tuple(int(n) for n in z["shape"])
        names = [{k: k for k in range(n)} for n in shape]
        T = Trainset(ur, ir, *shape, len(z["u"]), (1, 5), *names)
        start = now()
        SVD(n_factors=64, n_epochs=epochs, random_state=1).fit(T)
    return now() - start
fit(1)
few, many = (np.min([fit(epochs) for _ in range(3)], axis=0) for epochs in (2, 12))
print(json.dumps(((many - few) / 10).tolist()))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kit", required=True, type=Path)
    for peer in ("implicit", "lightfm", "surprise"):
        parser.add_argument(f"--{peer}", metavar="PYTHON")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    arguments = parser.parse_args()
    data = matrix(arguments.kit)
    print(f"{len(data.users):,} users, {len(data.items):,} items, {len(data):,} interactions")
    peers = {"implicit": arguments.implicit, "warp": arguments.lightfm, "bpr": arguments.lightfm}
    epochs(data, Kit(arguments.kit), peers | {"surprise": arguments.surprise}, arguments.repeats)
    best_items()


def matrix(root: Path) -> Interactions:
    os.environ["CF_SET"] = "ml100k"
    sys.path.insert(0, str(Kit(root).bench))
    import cf  # type: ignore[import-not-found]

    user, item, value, judged, shape = cf.matrix()
    from scipy.sparse import coo_array

    cells = (value[~judged], (user[~judged], item[~judged]))
    return Interactions.of_matrix(coo_array(cells, shape=tuple(int(n) for n in shape)))


def epochs(data: Interactions, kit: Kit, peers: dict[str, str | None], repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        c = CProgram(kit, Path(folder), data)
        fns: dict[str, Callable[[], Any]] = {
            "C BPR, 1 thread": lambda: c.epoch(1),
            "C BPR, 2 threads": lambda: c.epoch(2),
        }
        for name, kind, more in (("BPR", BPR, {}), ("WARP", WARP, {}), ("SVD by sgd", SVD, {"solver": "sgd"})):
            for threads in (1, 2):
                for deterministic in (True, False):
                    one = kind(factors=FACTORS, threads=threads, deterministic=deterministic, **more)
                    racing = "" if deterministic else ", racing"
                    fns[f"{name}, {threads} thread{'s' * (threads > 1)}{racing}"] = Pass(one, data)
        for threads in (1, 2):
            fns[f"SVD by als, {threads} thread{'s' * (threads > 1)}"] = Pass(
                SVD(factors=FACTORS, threads=threads), data
            )
        path = Path(folder) / "matrix.npz"
        np.savez(path, u=data.user, i=data.item, v=data.values, shape=np.array([len(data.users), len(data.items)]))
        times = measured(fns, 8)
        for _ in range(repeats - 1):
            for name, one in measured(fns, 8).items():
                times[name] = np.minimum(times[name], one)
            for kind, python in peers.items():
                if python is not None:
                    seconds = peer(python, path, kind)
                    times[NAMES[kind]] = np.minimum(times.get(NAMES[kind], seconds), seconds)
    base = times["C BPR, 1 thread"][1]
    rows = [[name, f"{1e3 * t[0]:.2f}", f"{1e3 * t[1]:.2f}", f"{t[1] / base:.2f}"] for name, t in times.items()]
    print(table(["one pass", "ms", "ms of the processor", "× C BPR, processor"], rows))


def measured(fns: dict[str, Callable[[], Any]], repeats: int) -> dict[str, Any]:
    """Least seconds and least processor's time of each, run in turns."""
    least = {name: np.full(2, np.inf) for name in fns}
    for _ in range(repeats):
        for name, fn in fns.items():
            start = np.array([time.perf_counter(), time.process_time()])
            fn()
            least[name] = np.minimum(least[name], np.array([time.perf_counter(), time.process_time()]) - start)
    return least


class Pass:
    """One pass from one state, by the learner's own step."""

    def __init__(self, one: Any, data: Interactions) -> None:
        self.one, self.data = one, one.prepare(data)
        self.state = one.start(self.data, np.random.default_rng(0))

    def __call__(self) -> None:
        self.state = self.one.step(self.data, self.state, np.random.default_rng(1))


class CProgram:
    def __init__(self, kit: Kit, folder: Path, data: Interactions) -> None:
        program = folder / "bpr.so"
        flags = ["-O3", "-march=native", "-ffast-math", "-fPIC", "-shared"]
        subprocess.run(["gcc", *flags, "-o", program, kit.bench / "bpr.c", "-lm", "-lpthread"], check=True)
        self.lib = ctypes.CDLL(str(program))
        rng = np.random.default_rng(1)
        draw = [
            ((rng.random((n, FACTORS)) - 0.5) / FACTORS).astype(np.float32) for n in (len(data.users), len(data.items))
        ]
        self.users, self.items = draw
        self.users[:, -1] = 1
        self.user, self.item = data.user.astype(np.int32), data.item.astype(np.int32)
        seen = np.zeros((len(data.users), len(data.items)), np.bool_)
        seen[data.user, data.item] = True
        self.bits = np.packbits(seen, axis=1, bitorder="little")

    def epoch(self, threads: int) -> None:
        def pointer(a: Any) -> Any:
            return a.ctypes.data_as(ctypes.c_void_p)

        columns = (pointer(self.users), pointer(self.items), FACTORS, pointer(self.user), pointer(self.item))
        rate, penalty = ctypes.c_float(0.05), ctypes.c_float(0.01)
        count, seed = ctypes.c_int64(len(self.item)), ctypes.c_uint64(1)
        bits = (pointer(self.bits), self.bits.shape[1], len(self.items))
        self.lib.bpr(*columns, count, *bits, 1, rate, penalty, threads, seed)


def peer(python: str, path: Path, kind: str) -> Any:
    command = [python, "-c", PEER, str(path), kind]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return np.array(json.loads(done.stdout.splitlines()[-1]))


def best_items() -> None:
    rng = np.random.default_rng(0)
    users, items = (rng.normal(size=(n, FACTORS)).astype(np.float32) for n in (USERS, ITEMS))
    model, everyone = Factors(users, items), np.arange(USERS)
    seen = np.sort(rng.integers(0, ITEMS, (USERS, 100)), axis=1).astype(np.uint32)
    left_out = Histories(np.arange(USERS + 1) * 100, seen.ravel())

    def numpy_best() -> Any:
        scores = users @ items.T
        np.put_along_axis(scores, seen.astype(np.int64), -np.inf, axis=1)
        return np.argpartition(-scores, 10, axis=1)[:, :10]

    fns: dict[str, Callable[[], Any]] = {"NumPy: product, argpartition": numpy_best}
    for threads in (1, 2):
        fns[f"Rankwise, {threads} thread{'s' * (threads > 1)}"] = lambda n=threads: model.top(
            everyone, 10, left_out=left_out, threads=n
        )
    times = measured(fns, REPEATS)
    base = times["NumPy: product, argpartition"]
    rows = [[name, *(f"{1e3 * t:.0f}" for t in one), *(f"{t:.1f}" for t in base / one)] for name, one in times.items()]
    print(table(["ten best of all users", "ms", "ms of the processor", "× faster", "× by the processor"], rows))
    mine = np.sort(model.top(everyone, 10, left_out=left_out)[0], axis=1)
    assert (np.sort(numpy_best(), axis=1) == mine).mean() > 0.999


if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"{time.perf_counter() - start:.0f} s")
