"""The numbers of docs/apple-to-apple.md, from the study of the comparison paper on MQ2008.

    rankwise study studies/apple_to_apple.toml --set data.folder=DIR -o STUDY
    python benchmarks/quality/apple_to_apple.py STUDY --data DIR

STUDY is the folder of the study, DIR that of MQ2008.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

import rankwise
from rankwise import Dataset, evaluate
from rankwise.data import collections
from rankwise.evaluation.judge import Judge
from rankwise.evaluation.table import Table
from rankwise.learners.adarank import AdaRank
from rankwise.measures.parse import measure
from rankwise.study.result import Entry, StudyResult
from rankwise.study.work import ranker_path

CONVENTIONS = ("standard", "ranklib", "yahoo", "letor4")
K = 10

Values = npt.NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    arguments = parser.parse_args()
    study = rankwise.load_study(arguments.study / "result.study")
    folds = list(collections.mq2008(arguments.data).folds)
    tests = [fold.test for fold in folds]
    sizes = np.concatenate([np.diff(test.offsets) for test in tests])
    relevant = np.concatenate([np.add.reduceat(test.labels > 0, test.offsets[:-1]) > 0 for test in tests])
    print(f"study: {study.about['seconds']:.0f} s with {study.about['workers']} workers, {study.about['machine']}\n")
    for table in (
        bias(study, relevant),
        falls(study, sizes),
        orders(study),
        by_size(study, sizes, relevant),
        weights(folds[0].train),
        ties(study, arguments.study, tests),
        areas(study, relevant),
        steps(study),
    ):
        print(f"{table.to_markdown()}\n")


def shown(study: StudyResult) -> Iterator[Entry]:
    return iter(study.distinct)


def mean(study: StudyResult, entry: Entry, name: str) -> float:
    return study.score(entry.learner, entry.training, name).mean


def bias(study: StudyResult, relevant: npt.NDArray[np.bool_]) -> Table:
    """What yahoo adds to ranklib, beside the share of empty lists."""
    rows = [
        [e.name, *(f"{mean(study, e, f'{name}@{K}'):.4f}" for name in ("ranklib", "yahoo")),
         f"{mean(study, e, f'yahoo@{K}') - mean(study, e, f'ranklib@{K}'):.10f}"]
        for e in shown(study)
    ]  # fmt: skip
    shares = [1 - relevant[study.fold_of == fold].mean() for fold in range(len(study.folds))]
    notes = [f"{(~relevant).sum()} of {len(relevant)} lists are empty; mean of the folds: {np.mean(shares):.10f}"]
    return Table(["entry", f"ranklib@{K}", f"yahoo@{K}", "difference"], rows, notes, "Yahoo's additive bias")


def falls(study: StudyResult, sizes: npt.NDArray[np.int64]) -> Table:
    """The mean over entries at each k, and the lists that are long enough."""
    rows = [
        [str(k), *(f"{np.mean([mean(study, e, f'{name}@{k}') for e in shown(study)]):.4f}" for name in CONVENTIONS),
         f"{(sizes >= k).mean():.1%}"]
        for k in range(1, K + 1)
    ]  # fmt: skip
    head = ["k", *CONVENTIONS, "lists of k documents or more"]
    return Table(head, rows, title="nDCG@k, mean over entries")


def orders(study: StudyResult) -> Table:
    """The places of the entries under each convention at 10, and under letor4 at 5."""
    names = [*(f"{name}@{K}" for name in CONVENTIONS), "letor4@5", "letor4 mean"]
    values = np.array([[mean(study, e, name) for e in shown(study)] for name in names])
    places = 1 + (values[:, None, :] > values[:, :, None]).sum(axis=2)
    rows = [[e.name, *(str(place) for place in places[:, at])] for at, e in enumerate(shown(study))]
    return Table(["entry", *names], rows, title="Places")


def by_size(study: StudyResult, sizes: npt.NDArray[np.int64], relevant: npt.NDArray[np.bool_]) -> Table:
    """Short and long lists apart, empty ones left out."""
    rows = []
    for entry in shown(study):
        values = study.values(entry.learner, entry.training, f"standard@{K}")
        parts = [values[relevant & chosen] for chosen in (sizes < K, sizes >= K)]
        rows.append([entry.name, *(f"{v.mean():.4f} ± {v.std(ddof=1) / np.sqrt(len(v)):.4f}" for v in parts)])
    counts = [int((relevant & chosen).sum()) for chosen in (sizes < K, sizes >= K)]
    head = ["entry", f"{counts[0]} lists shorter than {K}", f"{counts[1]} longer ones"]
    return Table(head, rows, title=f"standard@{K} on short and on long lists")


def weights(train: Dataset) -> Table:
    """The share of AdaRank's weights on lists that letor4 scores 0 for being short, round by round (fold 1)."""
    short = np.diff(train.offsets) < K
    starts = train.offsets[:-1]
    empty = np.maximum.reduceat(train.labels, starts) <= 0
    head = ["round", *(f"{name}: {what}" for name in ("ranklib", "yahoo", "letor4") for what in ("short", "empty"))]
    rows = []
    texts = {"ranklib": f"ranklib:nDCG@{K}", "yahoo": f"yahoo:nDCG@{K}", "letor4": f"letor4:nDCG@{K}"}
    judges = {name: Judge(train, measure(text)) for name, text in texts.items()}
    for rounds in (0, 1, 2, 3, 5, 10, 20, 50):
        cells = []
        for name, text in texts.items():
            good = np.zeros(len(train))
            if rounds:
                learner = AdaRank(
                    measure=text, rounds=rounds, keep="all", tolerance=None, directions="given", patience=None
                )
                good = judges[name].values(train.reorder(learner.fit(train).predict(train)))
            p = np.exp(-good) / np.exp(-good).sum()
            cells += [f"{p[short].sum():.3f}", f"{p[empty].sum():.3f}"]
        rows.append([str(rounds), *cells])
    notes = [f"fold 1: {short.sum()} of {len(train)} training lists are shorter than {K}, {empty.sum()} are empty"]
    return Table(head, rows, notes, "The weights of AdaRank as its authors have it: P(q) ∝ exp(−E(q))")


def ties(study: StudyResult, folder: Path, tests: list[Dataset]) -> Table:
    """Lists in which equal scores have a say, and what the best and the worst order of them would make."""
    rows = []
    for entry in shown(study):
        cells = [c for c in study.cells if c.chosen and (c.learner, c.training) == (entry.learner, entry.training)]
        found = []
        for cell, test in zip(cells, tests, strict=True):
            ranker = rankwise.load_ranker(ranker_path(folder, cell.key))
            found.append(evaluate(test, ranker.predict(test), f"nDCG@{K}")[0])
        decided = sum(one.counts.tied_decided for one in found)
        worst, best = (np.mean([one.bounds[end] for one in found]) for end in (0, 1))
        rows.append(
            [entry.name, f"{decided}", f"{worst:.4f}", f"{np.mean([o.mean for o in found]):.4f}", f"{best:.4f}"]
        )
    head = ["entry", "lists that ties decide", "worst", "expected", "best"]
    return Table(head, rows, title=f"Ties, standard@{K}, of {len(study.queries)} lists")


def areas(study: StudyResult, relevant: npt.NDArray[np.bool_]) -> Table:
    """Per list, how nDCG goes with the area under the ROC curve; empty lists left out."""
    rows = []
    for entry in shown(study):
        area = study.values(entry.learner, entry.training, "AUC")
        cells = []
        for name in (f"standard@{K}", "standard@1"):
            values = study.values(entry.learner, entry.training, name)
            known = relevant & ~(np.isnan(area) | np.isnan(values))
            cells.append(f"{np.corrcoef(area[known], values[known])[0, 1]:.3f}")
        rows.append([entry.name, *cells, f"{known.sum()}"])
    return Table(["entry", f"standard@{K}", "standard@1", "lists"], rows, title="Correlation with AUC over lists")


def steps(study: StudyResult) -> Table:
    """Which step each fold kept, and why it stopped."""
    rows = []
    for entry in shown(study):
        cells = [c for c in study.cells if c.chosen and (c.learner, c.training) == (entry.learner, entry.training)]
        seconds = sum(cell.seconds for cell in cells)
        kept = ", ".join(str(cell.steps) for cell in cells)
        rows.append([entry.name, kept, "; ".join(dict.fromkeys(cell.stopped for cell in cells)), f"{seconds:.1f}"])
    head = ["entry", "steps kept on folds 1 … 5", "why it ended", "seconds"]
    return Table(head, rows, title="Steps", left=frozenset({0, 1, 2}))


if __name__ == "__main__":
    main()
