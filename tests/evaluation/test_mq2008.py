"""What Eval-Score-4.0.pl printed for three public models on MQ2008, to the last printed digit."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from rankwise import Result, compare, evaluate

MEASURES = ["letor4:NDCG@1..10", "letor4:MeanNDCG", "letor4:P@1..10", "letor4:MAP"]


def labels_and_queries(path: Path) -> tuple[list[int], list[str]]:
    """The first two words of each line."""
    with gzip.open(path, "rt") as lines:
        rows = [line.split(" ", 2) for line in lines]
    return [int(row[0]) for row in rows], [row[1].removeprefix("qid:") for row in rows]


def printed(path: Path) -> list[list[str]]:
    """The five folds of the first block, which is that of the test parts: NDCG and MeanNDCG, then P and MAP."""
    rows = [line.split() for line in path.read_text().splitlines() if line.startswith("Fold")]
    tables = [row for row in rows if row[0] != "Folds"][:10]
    return [first[1:] + second[1:] for first, second in zip(tables[:5], tables[5:], strict=True)]


@pytest.mark.parametrize("model", ["AdaRank", "RankBoost", "svm_rank"])
def test_every_number_of_every_fold(model: str, real_data: Path) -> None:
    if not (real_data / "mq2008").is_dir():
        pytest.skip(f"no folder mq2008 in {real_data}")
    folder = real_data / "mq2008-scores" / model
    for fold, wanted in enumerate(printed(folder / "letor4_eval.txt"), 1):
        labels, queries = labels_and_queries(real_data / "mq2008" / f"S{(fold + 3) % 5 + 1}.txt.gz")
        with gzip.open(folder / f"Fold{fold}.score.gz", "rt") as lines:
            scores = np.array([float(line) for line in lines])
        result = evaluate(labels, scores, MEASURES, qid=queries)
        assert [f"{outcome.mean:.4f}" for outcome in result] == wanted, f"fold {fold}"
        assert len(wanted) == 22


def test_folds_of_models_are_compared(real_data: Path) -> None:
    """The means over folds are the published ones, and neither model is significantly better than the other."""
    if not (real_data / "mq2008").is_dir():
        pytest.skip(f"no folder mq2008 in {real_data}")
    parts: dict[str, list[Result]] = {"AdaRank": [], "RankBoost": []}
    for fold in range(1, 6):
        labels, queries = labels_and_queries(real_data / "mq2008" / f"S{(fold + 3) % 5 + 1}.txt.gz")
        for model, results in parts.items():
            scores = np.loadtxt(real_data / "mq2008-scores" / model / f"Fold{fold}.score.gz")
            results.append(evaluate(labels, scores, ["letor4:NDCG@10", "letor4:MAP"], qid=queries))
    found = compare(parts, baseline="AdaRank")
    assert [f"{mean:.4f}" for one in found.paired for mean in one.means] == ["0.2266", "0.2306", "0.4766", "0.4752"]
    assert found.paired[0].lists == 784 and not any(contrast.significant for contrast in found.contrasts)
    alone = [result["letor4:MAP"].stderr for result in parts["RankBoost"]]
    assert found["letor4:MAP"].mean_errors[1] == pytest.approx(np.sqrt(np.sum(np.square(alone))) / 5)
