"""TREC files to nDCG@10, AP, RR and P@10: whole commands, with their start and their output.

    python benchmarks/speed/trec.py --kit DIR

DIR is the benchmark kit. trec_eval (compiled with -O3) is a contender where DIR/src/trec_eval/trec_eval_O3 lies.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kit import Kit, table, whole_command

SIZES = {
    "36 MB, 1,000 × 1,000": {"nq": 1000, "depth": 1000},
    "graded, 1,000 × 1,000, ~200 judged a query": {"nq": 1000, "depth": 1000, "graded": True},
    "253 MB, 6,980 × 1,000": {"nq": 6980, "depth": 1000},
    "50 × 1,000": {"nq": 50, "depth": 1000},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kit", required=True, type=Path)
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    kit = Kit(arguments.kit)
    rows = []
    for name, size in SIZES.items():
        best = _measure(kit, kit.common.trec_files(**size), arguments.repeats)
        ours, _ = best["rankwise"]
        for contender, (seconds, megabytes) in best.items():
            rows.append([name, contender, f"{seconds:.3f}", f"{megabytes:.0f}", f"{seconds / ours:.2f}"])
    print(table(["files", "contender", "s", "peak MB", "× Rankwise"], rows))


def _measure(kit: Kit, files: tuple[str, str], repeats: int) -> dict[str, tuple[float, float]]:
    qrels, run = files
    rankwise = Path(sys.executable).with_name("rankwise")
    trec_measures = ["-m", "ndcg_cut.10", "-m", "map", "-m", "recip_rank", "-m", "P.10"]
    commands: dict[str, list[object]] = {
        "rankwise": [rankwise, "evaluate", qrels, run],
        "rankwise --format csv -q": [rankwise, "evaluate", qrels, run, "--format", "csv", "-q"],
        "C, 2 threads": [kit.compiled("trec_limit"), qrels, run, 2],
        "C, 1 thread": [kit.compiled("trec_limit"), qrels, run, 1],
    }
    trec_eval = kit.root / "src" / "trec_eval" / "trec_eval_O3"
    if trec_eval.exists():
        commands["trec_eval -O3"] = [trec_eval, "-q", "-c", *trec_measures, qrels, run]
    out = kit.root / "data" / "out.txt"
    best = {name: (float("inf"), 0.0) for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            seconds, megabytes = whole_command(command, out)
            best[name] = (min(best[name][0], seconds), max(best[name][1], megabytes))
    return best


if __name__ == "__main__":
    main()
