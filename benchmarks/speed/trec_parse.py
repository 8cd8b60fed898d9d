"""Reading TREC qrels and a run and joining them, beside the C limit and trec_eval, interleaved.

`--kit` is the folder of the peers' benchmark kit: `data/qrels_*.txt` and `data/run_*.trec`, `bench/trec_limit`
(compiled), and, if it is there, `src/trec_eval/trec_eval_O3`.
The C programs do more than this part of Rankwise (they compute four measures) and less (no arrays, no errors).

    python benchmarks/speed/trec_parse.py --kit KIT --set 6980_1000 --repetitions 9
"""

from __future__ import annotations

import argparse
import gc
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rankwise._kernels import Text, judge, read_qrels, read_run

MEASURES = ["-m", "ndcg_cut.10", "-m", "map", "-m", "recip_rank", "-m", "P.10"]
MEMORY = """
import sys
from rankwise._kernels import Text, judge, read_qrels, read_run
judged = judge(read_qrels(Text.open(sys.argv[1])), read_run(Text.open(sys.argv[2])))
# Not getrusage: its maximum begins with the size of the process that started this one.
print([int(line.split()[1]) // 1024 for line in open("/proc/self/status") if line.startswith("VmHWM")][0])
"""


def main() -> None:
    options = parse_arguments()
    qrels = str(options.kit / "data" / f"qrels_{options.set}.txt")
    run = str(options.kit / "data" / f"run_{options.set}.trec")
    contenders: dict[str, Callable[[], object]] = {}
    for threads in (1, 2):
        limit = [str(options.kit / "bench" / "trec_limit"), qrels, run, str(threads)]
        contenders[f"C, {threads} threads"] = lambda command=limit: silently(command)
        contenders[f"Rankwise, {threads} threads"] = lambda threads=threads: join(qrels, run, threads)
    trec_eval = options.kit / "src" / "trec_eval" / "trec_eval_O3"
    if options.trec_eval and trec_eval.exists():
        contenders["trec_eval -O3"] = lambda: silently([str(trec_eval), "-q", "-c", *MEASURES, qrels, run])
    best = interleaved(contenders, options.repetitions)
    for name, seconds in best.items():
        limit = best["C, 2 threads" if "2 threads" in name else "C, 1 threads"]
        print(f"{name:24} {1000 * seconds:9.1f} ms {seconds / limit:7.2f} of C")
    for name, seconds in parts(qrels, run).items():
        print(f"{name:24} {1000 * seconds:9.1f} ms")
    peak = subprocess.run([sys.executable, "-c", MEMORY, qrels, run], capture_output=True, text=True, check=True)
    print(f"{'peak memory':24} {peak.stdout.strip():>9} MB")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kit", type=Path, required=True)
    parser.add_argument("--set", default="1000_1000", help="1000_1000, 1000_1000_g or 6980_1000")
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--trec-eval", action="store_true", help="trec_eval too, which takes seconds")
    return parser.parse_args()


def join(qrels: str, run: str, threads: int) -> object:
    return judge(read_qrels(Text.open(qrels), threads), read_run(Text.open(run), threads), threads)


def silently(command: list[str]) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def interleaved(contenders: dict[str, Callable[[], object]], repetitions: int) -> dict[str, float]:
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(repetitions):
        for name, contender in contenders.items():
            best[name] = min(best[name], seconds(contender))
    return best


def parts(qrels: str, run: str) -> dict[str, float]:
    """Each step alone, two threads, best of five."""
    table, results = read_qrels(Text.open(qrels)), read_run(Text.open(run))
    steps = {
        "  read_qrels": lambda: read_qrels(Text.open(qrels), 2),
        "  read_run": lambda: read_run(Text.open(run), 2),
        "  judge": lambda: judge(table, results, 2),
    }
    return interleaved(steps, 5)


def seconds(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
