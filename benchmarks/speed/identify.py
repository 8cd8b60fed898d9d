"""How many conventions are left by 1, 2, 3 and 5 reported numbers, and how long the search takes.

    python benchmarks/speed/identify.py --data DIR

DIR holds `mq2008/S1…S5.txt.gz` with `mq2008-scores/AdaRank/Fold1…5.score.gz`, and `trec/qrels.dl19-passage.txt.gz` with
`trec/dl19/BM25.run.gz`. The numbers are those of one tool, with four digits.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rankwise import Result, evaluate, identify

SEARCHED = ("nDCG@10", "AP", "P@5", "nDCG@5", "nDCG@1")


def mq2008(data: Path, model: str) -> Result:
    """All five test parts as one run of 784 lists."""
    labels: list[float] = []
    queries: list[str] = []
    scores: list[float] = []
    for fold in range(1, 6):
        with gzip.open(data / "mq2008" / f"S{(fold + 3) % 5 + 1}.txt.gz", "rt") as lines:
            rows = [line.split(" ", 2) for line in lines]
        labels += [float(row[0]) for row in rows]
        queries += [row[1] for row in rows]
        with gzip.open(data / "mq2008-scores" / model / f"Fold{fold}.score.gz", "rt") as lines:
            scores += [float(line) for line in lines]
    return evaluate(np.array(labels), np.array(scores), "P@1", qid=queries)


def runs(data: Path) -> Iterator[tuple[str, Result, tuple[str, ...]]]:
    """Runs, each with the tools whose numbers are looked for."""
    yield "MQ2008, AdaRank", mq2008(data, "AdaRank"), ("letor4", "ranklib2")
    trec = data / "trec"
    dl19 = evaluate(trec / "qrels.dl19-passage.txt.gz", trec / "dl19" / "BM25.run.gz", "P@1")
    yield "DL19, BM25", dl19, ("trec_eval_9_0_8", "ranx")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    print("| run | numbers of | how many | grid | distinct values | candidates | by chance | s |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for title, result, tools in runs(data):
        for tool in tools:
            measures = [f"{tool}:{text}" for text in SEARCHED]
            means = Result(result.evaluated, list(_parsed(measures))).means
            reported = {text: f"{means[f'{tool}:{text}']:.4f}" for text in SEARCHED}
            for many in (1, 2, 3, 5):
                start = time.perf_counter()
                found = identify(result, dict(list(reported.items())[:many]))
                seconds = time.perf_counter() - start
                assert tool in found.names
                row = (title, tool, many, f"{found.points:,}", f"{found.distinct:,}", len(found.candidates))
                print(f"| {' | '.join(map(str, row))} | {found.chance:.2g} | {seconds:.2f} |", flush=True)


def _parsed(texts: list[str]) -> Iterator[tuple[str, object]]:
    from rankwise import measure

    return ((text, measure(text)) for text in texts)


if __name__ == "__main__":
    main()
