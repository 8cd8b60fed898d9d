"""How often the winner changes with the convention: real systems on real lists, as a table for docs/sensitivity.md.

    python benchmarks/quality/sensitivity.py --data DIR

DIR holds `trec/` (DL19 qrels and runs), `mq2008/` with `mq2008-scores/`, and `clueweb09-ltr/`. A data set that is not
there is left out.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import rankwise
from rankwise import Result, Sensitivity, sensitivity

MEASURES = ("nDCG@10", "AP", "RR", "P@10", "ERR@10")
# How many features of ClueWeb09-LTR are taken as rankers: those that are best by nDCG@10.
FEATURES = 10


Case = tuple[str, list[list[Result]]]


def dl19(data: Path) -> Iterator[Case]:
    qrels = rankwise.read_qrels(data / "trec/qrels.dl19-passage.txt.gz")
    runs = sorted((data / "trec/dl19").glob("*.run.gz"))
    named = {path.name.removesuffix(".run.gz"): rankwise.read_run(path) for path in runs}
    yield "DL19, six runs", [[rankwise.evaluate(qrels, run, "P@1", name=name) for name, run in named.items()]]


def mq2008(data: Path) -> Iterator[Case]:
    """The test part of fold f is S(f + 4), cyclic."""
    models = [path for path in sorted((data / "mq2008-scores").iterdir()) if path.is_dir()]
    folds: list[list[Result]] = []
    for fold in range(1, 6):
        part = rankwise.read_letor(data / f"mq2008/S{(fold + 3) % 5 + 1}.txt.gz")
        scores = [rankwise.read_scores(model / f"Fold{fold}.score.gz") for model in models]
        folds.append([rankwise.evaluate(part, s, "P@1", name=m.name) for m, s in zip(models, scores, strict=True)])
    yield "MQ2008, three models, five folds", folds
    yield "MQ2008, three models, pooled", [[Result.merge(of_one) for of_one in zip(*folds, strict=True)]]


def clueweb(data: Path) -> Iterator[Case]:
    parts = [rankwise.read_letor(path) for path in sorted((data / "clueweb09-ltr").glob("S*.txt.gz"))]
    results = []
    for feature in range(parts[0].features.shape[1]):
        evaluated = [
            rankwise.evaluate(part, part.features[:, feature], "nDCG@10", name=f"f{feature}") for part in parts
        ]
        results.append(Result.merge(evaluated))
    yield "ClueWeb09-LTR, ten features", [sorted(results, key=lambda result: -result[0].mean)[:FEATURES]]


def row(name: str, measure: str, found: list[Sensitivity]) -> str:
    """One row for several sets of systems, their pairs added up."""
    sides = [sum(p < one.alpha for _, p in one.sides(pair)) for one in found for pair in one.changing]
    changed, significant = Counter[str](), Counter[str]()
    for one in found:
        for verdict in one.axes:
            changed[verdict.axis] += len(verdict.changes)
            significant[verdict.axis] += sum(change.significant(one.alpha) > 0 for change in verdict.changes)
    by_axis = [f"{axis} {count} ({significant[axis]})" for axis, count in changed.most_common() if count]
    best = sum(len(set(one.winners.values())) > 1 for one in found)
    cells = [
        name,
        measure,
        f"{len(found[0].winners)}",
        f"{len(sides)} of {sum(len(one.pairs) for one in found)}",
        f"{sum(s > 0 for s in sides)}",
        f"{sum(s > 1 for s in sides)}",
        f"{best} of {len(found)}",
        ", ".join(by_axis) or "none",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    head = [
        "data", "measure", "conventions", "pairs that change winner", "significant on one side", "on both",
        "best system changes", "pairs by one choice alone, in some setting (significant)",
    ]  # fmt: skip
    print(f"| {' | '.join(head)} |\n|{' --- |' * len(head)}")
    for folder, read in {"trec": dl19, "mq2008-scores": mq2008, "clueweb09-ltr": clueweb}.items():
        for name, cases in read(data) if (data / folder).is_dir() else ():
            for measure in MEASURES:
                print(row(name, measure, [sensitivity(results, measure) for results in cases]), flush=True)


if __name__ == "__main__":
    main()
