"""A Parquet table to nDCG@10: Rankwise beside Polars' expressions and pandas' groupby-apply, interleaved.

    python benchmarks/speed/tables.py [--rows 10000000] [--repeats 3] [--folder DIR] [--pandas-rows 200000]
    python benchmarks/speed/tables.py --handover

Needs `pip install polars pandas pyarrow`, for this benchmark alone.
Each contender reads the columns it needs from the file, groups the rows by query and computes the mean of nDCG@10
(gain 2^label − 1, discount 1/log2(i + 1), the ideal from the same list); their means must agree.
pandas runs on the first `--pandas-rows` rows, and its time is scaled to all of them.
The kinds of the file: query ids that are whole numbers, texts, and texts of rows in random order.
`--handover` measures the engines alone: from the file through Arrow to the kernels' arrays, a process each.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from kit import interleaved, table

import rankwise

K = 10


def main() -> None:
    options = arguments()
    folder = Path(options.folder)
    if options.handover:
        print(table(["query ids", "engine", "s", "peak MB"], handovers(folder, options)))
        return
    rows = []
    for kind in options.kinds:
        path = made(folder, kind, options.rows)
        small = made(folder, kind, options.pandas_rows) if options.pandas_rows else None
        rows += compared(kind, path, small, options)
    print(table(["query ids", "contender", "s", "million rows/s", "× Rankwise"], rows))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--pandas-rows", type=int, default=200_000, help="0 leaves pandas out")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="where the files are made")
    parser.add_argument("--kinds", nargs="+", default=["int", "text", "shuffled"])
    parser.add_argument("--handover", action="store_true", help="the engines' hand-over instead")
    return parser.parse_args()


def made(folder: Path, kind: str, rows: int) -> Path:
    """A file of searches with 10 to 40 documents each, labels 0 to 4, scores without ties."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / f"rankwise_tables_{kind}_{rows}.parquet"
    if path.exists():
        return path
    rng = np.random.default_rng(11)
    sizes = rng.integers(10, 41, rows // 10)
    qid = np.repeat(np.arange(len(sizes)), sizes)[:rows]
    labels = rng.choice(5, rows, p=[0.6, 0.2, 0.1, 0.06, 0.04]).astype(np.int8)
    scores = labels + 2 * rng.standard_normal(rows)
    if kind == "shuffled":
        order = rng.permutation(rows)
        qid, labels, scores = qid[order], labels[order], scores[order]
    ids = pa.array(qid)
    if kind != "int":
        # As ids of sessions look: not in a rising order, of one length.
        ids = pa.array(np.char.mod("session-%010d", (np.arange(qid.max() + 1) * 7919) % 10**10)).take(ids)
    pq.write_table(pa.table({"qid": ids, "label": labels, "score": scores}), path)
    return path


def compared(kind: str, path: Path, small: Path | None, options: argparse.Namespace) -> list[list[object]]:
    means: dict[str, float] = {}

    def timed(name: str, compute: Callable[[Path], float], file: Path) -> Callable[[], None]:
        def run() -> None:
            means[name] = compute(file)

        return run

    contenders = {"Rankwise": timed("Rankwise", by_rankwise, path), "Polars": timed("Polars", by_polars, path)}
    seconds = interleaved(contenders, options.repeats)
    assert abs(means["Rankwise"] - means["Polars"]) < 1e-9, means
    if small is not None:
        scaled = interleaved({"pandas": timed("pandas", by_pandas, small)}, 1)["pandas"]
        assert abs(means["pandas"] - by_rankwise(small)) < 1e-9, means
        seconds["pandas (scaled)"] = scaled * options.rows / options.pandas_rows
    return [
        [kind, name, f"{s:.3f}", f"{options.rows / s / 1e6:.1f}", f"{s / seconds['Rankwise']:.2f}"]
        for name, s in seconds.items()
    ]


def by_rankwise(path: Path) -> float:
    data = rankwise.read_table(path, query="qid", label="label", score="score", features=())
    return float(rankwise.evaluate(data, "score", f"nDCG@{K}")[f"nDCG@{K}"].mean)


def by_polars(path: Path) -> float:
    import polars as pl

    gain = 2.0 ** pl.col("label") - 1
    discount = 1 / (pl.int_range(1, K + 1) + 1).log(2)

    def dcg(order: Any) -> Any:
        top = order.head(K)
        return (top * discount.head(top.len())).sum()

    ranked = gain.sort_by("score", descending=True)
    ideal = gain.sort(descending=True)
    lists = pl.scan_parquet(path).group_by("qid").agg(dcg=dcg(ranked), ideal=dcg(ideal))
    value = pl.when(pl.col("ideal") > 0).then(pl.col("dcg") / pl.col("ideal")).otherwise(0.0)
    return float(lists.select(value.mean()).collect().item())


def by_pandas(path: Path) -> float:
    import pandas as pd

    discounts = 1 / np.log2(np.arange(2, K + 2))

    def ndcg(rows: Any) -> float:
        gains = 2.0 ** rows["label"].to_numpy() - 1
        ranked = gains[np.argsort(-rows["score"].to_numpy())][:K]
        best = -np.sort(-gains)[:K]
        ideal = best @ discounts[: len(best)]
        return float(ranked @ discounts[: len(ranked)] / ideal) if ideal > 0 else 0.0

    return float(pd.read_parquet(path).groupby("qid")[["label", "score"]].apply(ndcg).mean())


HANDOVER = """
import sys, time, resource
from rankwise import _kernels
engine, path = sys.argv[1:]
if engine == "DuckDB":
    import duckdb
    stream = lambda: duckdb.sql(f"SELECT qid, label::DOUBLE, score FROM '{path}'").__arrow_c_stream__()
else:
    import polars as pl
    columns = ["qid", pl.col("label").cast(pl.Float64), "score"]
    stream = lambda: pl.scan_parquet(path).select(columns).collect().__arrow_c_stream__()
start = time.perf_counter()
found = _kernels.read_arrow(stream(), ["query", "number", "number"])
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, found.rows)
"""


def handovers(folder: Path, options: argparse.Namespace) -> list[list[object]]:
    """Best seconds and least peak of each engine, in turns."""
    rows: list[list[object]] = []
    for kind in options.kinds:
        path = str(made(folder, kind, options.rows))
        found: dict[str, list[tuple[float, float]]] = {"DuckDB": [], "Polars": []}
        for _ in range(options.repeats):
            for engine, times in found.items():
                command = [sys.executable, "-c", HANDOVER, engine, path]
                out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                # An engine may draw its progress before our line.
                words = out.split()[-3:]
                assert int(words[2]) == options.rows
                times.append((float(words[0]), float(words[1])))
        for engine, times in found.items():
            rows.append([kind, engine, f"{min(s for s, _ in times):.3f}", f"{min(m for _, m in times):.0f}"])
    return rows


if __name__ == "__main__":
    main()
