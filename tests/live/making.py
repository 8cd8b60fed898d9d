"""Random judgments and runs, and the comparison with what a tool computes of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from rankwise import evaluate, measure

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
# query → metric → value
Values = Mapping[str, Mapping[str, float]]


def judged_run(
    seed: int, *, labels: Iterable[int] = (0, 0, 0, 1, 1, 2, 3), longest: int = 40, near: bool = True
) -> tuple[Qrels, Run]:
    """Qrels and a run that know different documents.

    Among 40 queries are lists of one document, lists without a relevant one, ties, scores that single precision
    makes equal (`near`), a query that the run lacks and one that nobody judged. The ids of queries are numbers.
    """
    rng = np.random.default_rng(seed)
    qrels: Qrels = {}
    run: Run = {}
    choices = np.array(list(labels))
    for query in map(str, range(1, 41)):
        pool = [f"d{i}" for i in rng.permutation(int(rng.integers(1, longest)))]
        judged = [d for d in pool if rng.random() < 0.6] or pool[:1]
        grades = choices if rng.random() < 0.8 else choices[choices <= 0]
        qrels[query] = {d: int(rng.choice(grades)) for d in judged}
        # trec_eval fails where all labels are negative.
        qrels[query][judged[0]] = max(0, qrels[query][judged[0]])
        retrieved = [pool[i] for i in rng.permutation(len(pool)) if rng.random() < 0.7] or pool[:1]
        levels = int(rng.choice([1, 3, 1000]))
        step = 2.0**-40 if near else 0.0
        run[query] = {d: float(rng.integers(-levels, levels) + rng.choice([0, 0, step])) for d in retrieved}
    del run["7"], qrels["9"]
    return qrels, run


def disagreements(
    prefix: str, names: Iterable[str], qrels: Qrels, run: Run, theirs: Values, *, tolerance: float = 1e-9
) -> list[str]:
    """Each value of each list that is not what the tool computed; a list that the tool leaves out must be NaN here."""
    names = list(names)
    result = evaluate(qrels, run, [measure(f"{prefix}:{name}") for name in names])
    wrong = []
    for name, outcome in zip(names, result, strict=True):
        for query, ours in zip(result.queries, outcome.values.tolist(), strict=True):
            wanted = theirs.get(query, {}).get(name, float("nan"))
            if not (abs(ours - wanted) <= tolerance or (ours != ours and wanted != wanted)):
                wrong.append(f"{query} {name}: {ours} here, {wanted} there")
    return wrong
