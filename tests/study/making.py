"""Small studies made by hand, for what draws and tells them."""

from __future__ import annotations

import numpy as np

from rankwise import Dataset, evaluate
from rankwise.evaluation.paired import Settings
from rankwise.measures.parse import measure
from rankwise.study.result import Cell, Curve, Entry, FoldFacts, Named, Notice, StudyResult

CONVENTIONS = ("standard", "yahoo", "letor4")


def small_study(*, learners: int = 3, lists: int = 60, seeds: int = 2, folds: int = 3, seed: int = 0) -> StudyResult:
    """A study of simulated scores: learner 1 is the best, and is a little better trained for yahoo."""
    rng = np.random.default_rng(seed)
    training = tuple(named(f"{name}:nDCG@5") for name in CONVENTIONS)
    evaluation = tuple(named(f"{name}:nDCG@{k}") for name in CONVENTIONS for k in (3, 5))
    labels = rng.integers(0, 3, lists * 6)
    qid = np.repeat(np.arange(lists), 6)
    data = Dataset.of(labels=labels, qid=[f"q{one}" for one in qid])
    seeds_of, entries, flags = {}, [], None
    for learner in range(learners):
        for at, trained in enumerate(training):
            same = training[0].name if learner == 2 and at == 1 else ""
            values = []
            for _ in range(seeds):
                noise = rng.normal(size=len(labels)) * (0.6 + 0.4 * learner - 0.02 * at)
                found = evaluate(data, labels + noise, [one.measure for one in evaluation])
                values.append(found.values)
                flags = np.stack([outcome.flags for outcome in found])
            name = f"learner {learner + 1}"
            seeds_of[name, trained.name] = seeds_of[name, same] if same else np.stack(values)
            why = "the two measures differ by a constant on these lists" if same else ""
            entries.append(
                Entry(learner=name, kind="lambdamart", training=trained.name, seeds=tuple(range(seeds)), same_as=same,
                      why_same=why)
            )  # fmt: skip
    cells = tuple(
        Cell(learner=entry.learner, training=entry.training, fold=str(fold + 1), seed=0, parameters={"trees": 50},
             key="0" * 32, chosen=True, validation=0.5, steps=50, stopped="all steps done", seconds=0.1,
             shared=entry.same_as)
        for entry in entries for fold in range(folds)
    )  # fmt: skip
    steps = np.arange(1, 21)
    curves = tuple(
        Curve(learner=cell.learner, training=cell.training, fold=cell.fold, seed=0, steps=steps,
              values=1 - 0.5 / steps, validation=0.6 - 0.2 / steps, best=20)
        for cell in cells
    )  # fmt: skip
    part = lists // folds
    facts = tuple(
        FoldFacts(name=str(fold + 1), lists={"train": part, "validation": part, "test": part},
                  rows={"train": 6 * part, "validation": 6 * part, "test": 6 * part},
                  digests={"train": "a" * 32, "validation": "b" * 32, "test": "c" * 32})
        for fold in range(folds)
    )  # fmt: skip
    return StudyResult(
        name="small",
        plan={"name": "small"},
        plan_text='name = "small"\n',
        training=training,
        evaluation=evaluation,
        main=evaluation[1],
        entries=tuple(entries),
        folds=facts,
        queries=tuple(data.queries),
        fold_of=np.repeat(np.arange(folds), part).astype(np.int64),
        seeds_of=seeds_of,
        flags=flags,
        cells=cells,
        curves=curves,
        notices=(Notice("empty-lists", "3 of 60 test lists are empty", "`rankwise clean` removes them."),),
        baseline=training[0].name,
        statistics=Settings(permutations=1_000),
        about={"rankwise": "0.1.0", "seconds": 12.5},
    )


def named(text: str) -> Named:
    return Named(text.removeprefix("standard:"), measure(text))
