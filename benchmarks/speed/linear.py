"""RankSVM and Coordinate Ascent beside their peers, in one run.

    python benchmarks/speed/linear.py --kit DIR --data DIR [--set mq2008|mslr] [--only ranksvm|ascent]
        [--ranklib JAR:JAR] [--fastrank PYTHON]

`--data` is the folder of real data (MQ2008 fold 1); `mslr` is the kit's generated set of about 1,000 lists of 105
documents with 136 features. Features are z-scores. All contenders use one thread; seconds are those of learning,
without reading files, by the clock and of the processor (the machine may be shared).

RankSVM: the C liblinear-ranksvm under DIR/src/prank (squared hinge, C a pair; it is told the gradient's share 1e-3),
and scikit-learn's LinearSVC on explicit pairs (at most 300,000 of them). The objective of each is computed by Rankwise.

Coordinate Ascent: one restart of RankLib (two jars: RankLib and commons-math3) and of FastRank (a Python that has it);
Rankwise: when a restart passes the training nDCG@10 at which each peer's restart ended, and where its own ends. All
values are computed by Rankwise under RankLib's convention.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from kit import Kit, table

import rankwise
from rankwise import Dataset, _kernels, evaluate
from rankwise.learners.coordinate_ascent import CoordinateAscent
from rankwise.learners.ranksvm import RankSVM

MEASURE = "ranklib:nDCG@10"
COST = 1e-3
REPEATS = 3
FASTRANK = """
import json, sys, time
import numpy as np
from fastrank import CDataset, TrainRequest
z = np.load(sys.argv[1])
data = CDataset.from_numpy(z["X"], z["y"].astype(np.float64), z["q"].astype(np.int64))
request = TrainRequest.coordinate_ascent()
request.measure = "ndcg@10"
p = request.params
p.num_restarts, p.num_max_iterations, p.seed, p.quiet = 1, 25, 42, True
clock, processor = time.perf_counter(), time.process_time()
model = data.train_model(request)
seconds = time.perf_counter() - clock, time.process_time() - processor
weights = model.to_dict()["Linear"]["weights"]
print(json.dumps({"seconds": seconds, "weights": weights}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kit", required=True, type=Path)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--set", choices=["mq2008", "mslr"], default="mq2008")
    parser.add_argument("--only", choices=["ranksvm", "ascent"])
    parser.add_argument("--ranklib", help="RankLib's jar and that of commons-math3, with a colon between them")
    parser.add_argument("--fastrank", help="a Python that has fastrank")
    options = parser.parse_args()
    kit = Kit(options.kit)
    data = _standardised(_mq2008(options.data) if options.set == "mq2008" else _mslr(kit))
    print(f"{options.set}: {data}")
    with tempfile.TemporaryDirectory() as folder:
        if options.only != "ascent":
            _ranksvm(kit, data, Path(folder))
        if options.only != "ranksvm":
            _ascent(kit, data, Path(folder), options.ranklib, options.fastrank)


def _mq2008(folder: Path) -> Dataset:
    return Dataset.join([rankwise.read_letor(folder / "mq2008" / f"S{part}.txt.gz") for part in (1, 2, 3)])


def _mslr(kit: Kit) -> Dataset:
    features, labels, sizes = kit.common.features(1000, 105, 136, 11, snr=1.2)
    return Dataset.of(features, labels, group=sizes)


def _standardised(data: Dataset) -> Dataset:
    X = data.features
    assert X is not None
    z = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-6)
    # As it stands in the text files of the peers.
    return Dataset.of(np.round(z, 5), data.labels, group=np.diff(data.offsets))


def _written(kit: Kit, data: Dataset, folder: Path) -> Path:
    path = folder / "train.txt"
    kit.common.write_letor(path, data.features, data.labels.astype(int), np.diff(data.offsets))
    return path


def _timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    clock, processor = time.perf_counter(), time.process_time()
    found = work()
    return found, time.perf_counter() - clock, time.process_time() - processor


# RankSVM.


def _ranksvm(kit: Kit, data: Dataset, folder: Path) -> None:
    rows: dict[str, list[tuple[float, float, float]]] = {}
    program = kit.root / "src" / "prank" / "plranksvm-array" / "train"
    text = _written(kit, data, folder) if program.exists() else None
    for _ in range(REPEATS):
        if text is not None:
            rows.setdefault("C liblinear-ranksvm", []).append(_c_program(program, text, data, folder))
        rows.setdefault("LinearSVC, explicit pairs", []).append(_explicit(data))
        for tolerance in (1e-3, 1e-4, 1e-5):
            rows.setdefault(f"Rankwise, tolerance {tolerance:g}", []).append(_own(data, tolerance))
    best = {name: min(found) for name, found in rows.items()}
    processor = {name: min(used for _, used, _ in found) for name, found in rows.items()}
    base = best.get("C liblinear-ranksvm", (np.nan,) * 3)[0], processor.get("C liblinear-ranksvm", np.nan)
    shown = [
        [
            name,
            f"{s:.3f}",
            f"{s / base[0]:.2f}",
            f"{processor[name]:.3f}",
            f"{processor[name] / base[1]:.2f}",
            f"{o:.7g}",
        ]
        for name, (s, _, o) in best.items()
    ]
    print(table(["RankSVM", "s", "× C", "processor s", "× C", "objective"], shown))


def _objective(data: Dataset, weights: Any) -> float:
    pairs = _kernels.Pairs(data.labels.astype(np.float64), data.offsets)
    costs = np.full(len(data), 2 * COST)
    (_, squares, _, _), _, _ = pairs.loss(data.features, np.ascontiguousarray(weights), costs, np.inf)
    return float(0.5 * weights @ weights + 0.5 * squares)


def _c_program(program: Path, text: Path, data: Dataset, folder: Path) -> tuple[float, float, float]:
    """Its own clock; of the processor the whole command less one that reads the file and stops at once."""
    model, used = folder / "c.model", []
    for gradient in ("1e9", "0.001"):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [program, "-t", "1", "-c", str(COST), "-e", gradient, text, model]
        said = subprocess.run([str(w) for w in command], capture_output=True, text=True, check=True, cwd=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    found = re.search(r"Training-time: (\S+) secs", said.stdout)
    assert found, said.stdout
    weights = np.array([float(line) for line in model.read_text().split("\nw\n")[1].split()])
    return float(found[1]), used[1] - used[0], _objective(data, weights)


def _explicit(data: Dataset) -> tuple[float, float, float]:
    from sklearn.svm import LinearSVC

    upper, lower = kit_pairs(data)
    X = data.features
    assert X is not None

    def learn() -> Any:
        x = (X[upper] - X[lower]).astype(np.float64)
        sign = np.where(np.arange(len(x)) % 2, 1.0, -1.0)
        return LinearSVC(C=COST, fit_intercept=False, dual=False, tol=1e-4).fit(x * sign[:, None], sign).coef_[0]

    weights, clock, processor = _timed(learn)
    return clock, processor, _objective(data, weights)


def kit_pairs(data: Dataset, most: int = 300_000) -> tuple[Any, Any]:
    """The rows of all pairs, or of so many drawn from them."""
    upper, lower = [], []
    for begin, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        labels = data.labels[begin:end]
        i, j = np.nonzero(labels[:, None] > labels)
        upper.append(i + begin)
        lower.append(j + begin)
    above, below = np.concatenate(upper), np.concatenate(lower)
    if len(above) > most:
        drawn = np.random.default_rng(0).choice(len(above), most, replace=False)
        above, below = above[drawn], below[drawn]
    return above, below


def _own(data: Dataset, tolerance: float) -> tuple[float, float, float]:
    learner = RankSVM(C=COST, per="pair", scaling="none", tolerance=tolerance, threads=1)
    fitted, clock, processor = _timed(lambda: learner.fit(data))
    return clock, processor, _objective(data, fitted.ranker_.scorer.weights)


# Coordinate Ascent.


def _ascent(kit: Kit, data: Dataset, folder: Path, ranklib: str | None, fastrank: str | None) -> None:
    peers = {}
    if ranklib:
        peers["RankLib"] = _ranklib(kit, data, folder, ranklib)
    if fastrank:
        peers["FastRank"] = _fastrank(data, folder, fastrank)
    shown = [[name, f"{s:.2f}", f"{p:.2f}", f"{value:.5f}"] for name, (s, p, value) in peers.items()]
    passed: dict[str, tuple[float, float]] = {}
    began: list[float] = []

    def note(step: Any) -> None:
        now = time.perf_counter() - began[0], time.process_time() - began[1]
        for name, (_, _, value) in peers.items():
            if step.training >= value:
                passed.setdefault(name, now)

    learner = CoordinateAscent(measure=MEASURE, restarts=1, scaling="none", threads=1)
    began += [time.perf_counter(), time.process_time()]
    fitted, clock, processor = _timed(lambda: learner.fit(data, callbacks=[note]))
    shown.append(["Rankwise", f"{clock:.2f}", f"{processor:.2f}", f"{fitted.curve_.training[-1]:.5f}"])
    print(table(["one restart", "s", "processor s", "training nDCG@10"], shown))
    for name, (s, p) in passed.items():
        theirs = peers[name]
        ratios = f"1/{theirs[0] / s:.0f} of its time, 1/{theirs[1] / p:.0f} of its processor time"
        print(f"Rankwise passes {name}'s end after {s:.2f} s ({p:.2f} of the processor): {ratios}")


def _value(data: Dataset, weights: Any) -> float:
    assert data.features is not None
    scores = data.features.astype(np.float64) @ weights
    return evaluate(data, scores, MEASURE)[MEASURE].mean


def _ranklib(kit: Kit, data: Dataset, folder: Path, jars: str) -> tuple[float, float, float]:
    """Its learning alone: the whole command less one that reads the file and solves a linear regression."""
    text, model = _written(kit, data, folder), folder / "ranklib.model"
    java = [
        "java",
        "-Xmx10g",
        "-cp",
        jars,
        "ciir.umass.edu.eval.Evaluator",
        "-train",
        str(text),
        "-metric2t",
        "NDCG@10",
    ]
    times = []
    for how in (["-ranker", "9"], ["-ranker", "4", "-r", "1", "-i", "25"]):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        clock = time.perf_counter()
        command = [*java, *how, "-thread", "1", "-save", model]
        subprocess.run([str(word) for word in command], capture_output=True, check=True, cwd=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        times.append((time.perf_counter() - clock, used))
    weights = np.zeros(data.features.shape[1] if data.features is not None else 0)
    for at, weight in re.findall(r"(\d+):(\S+)", model.read_text().splitlines()[-1]):
        weights[int(at) - 1] = float(weight)
    return times[1][0] - times[0][0], times[1][1] - times[0][1], _value(data, weights)


def _fastrank(data: Dataset, folder: Path, python: str) -> tuple[float, float, float]:
    columns = folder / "train.npz"
    qid = np.repeat(np.arange(len(data)), np.diff(data.offsets))
    np.savez(columns, X=data.features, y=data.labels, q=qid)
    said = subprocess.run([python, "-c", FASTRANK, str(columns)], capture_output=True, text=True, check=True)
    found = json.loads(said.stdout.splitlines()[-1])
    clock, processor = found["seconds"]
    return clock, processor, _value(data, np.array(found["weights"]))


if __name__ == "__main__":
    main()
