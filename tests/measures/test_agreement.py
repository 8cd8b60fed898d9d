"""Agreement with other libraries, live."""

from __future__ import annotations

import numpy as np
import pytest

from measures.making import List, random_list, values_of
from rankwise import evaluate, measure
from rankwise.measures import AP, AUC, Spearman, Tau, nDCG

metrics = pytest.importorskip("sklearn.metrics")


@pytest.mark.parametrize("k", [1, 5, 20, None])
@pytest.mark.parametrize("kinds", [0, 1, 4])
def test_scikit_learns_ndcg(k: int | None, kinds: int) -> None:
    """Linear gains, the mean over the orders of ties, the ideal of the list."""
    rng = np.random.default_rng(kinds)
    lists = [random_list(rng, int(rows), kinds, unjudged=0) for rows in rng.integers(2, 60, 40)]
    ours = values_of([nDCG(k, gain="linear", ideal="list")], lists)[0]
    theirs = [metrics.ndcg_score([one.labels], [one.scores], k=k) for one in lists]
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_scikit_learns_average_precision() -> None:
    """Without ties: theirs takes tied documents as one step."""
    rng = np.random.default_rng(6)
    lists = [random_list(rng, int(rows), 0, unjudged=0, grades=2) for rows in rng.integers(2, 60, 40)]
    lists = [List(one.labels, one.scores) for one in lists if any(one.labels)]
    theirs = [metrics.average_precision_score(one.labels, one.scores) for one in lists]
    np.testing.assert_allclose(values_of([AP()], lists)[0], theirs, atol=1e-12)


@pytest.mark.parametrize("kinds", [0, 1, 3, 30])
def test_scikit_learns_area_under_the_curve(kinds: int) -> None:
    rng = np.random.default_rng(kinds)
    lists = [random_list(rng, int(rows), kinds, unjudged=0, grades=2) for rows in rng.integers(2, 60, 40)]
    lists = [List(one.labels, one.scores) for one in lists if len(set(one.labels)) == 2]
    theirs = [metrics.roc_auc_score(one.labels, one.scores) for one in lists]
    for ties in ("expected", "kept"):
        np.testing.assert_allclose(values_of([AUC(ties=ties)], lists)[0], theirs, atol=1e-12)


@pytest.mark.parametrize("kinds", [0, 2, 5, 30])
@pytest.mark.parametrize("grades", [2, 5, 50])
def test_scipys_correlations(kinds: int, grades: int) -> None:
    """With ties kept; without ties it is no matter what becomes of them."""
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng([kinds, grades])
    lists = [random_list(rng, int(rows), kinds, unjudged=0, grades=grades) for rows in rng.integers(2, 300, 30)]
    lists = [one for one in lists if len(set(one.labels)) > 1 and len(set(one.scores)) > 1]
    for kind, theirs in ((Tau, stats.kendalltau), (Spearman, stats.spearmanr)):
        wanted = [theirs(one.scores, one.labels).statistic for one in lists]
        for ties in ("kept", "expected") if kinds == 0 else ("kept",):
            np.testing.assert_allclose(values_of([kind(ties=ties)], lists)[0], wanted, atol=1e-12)


NAMES = {
    "map", "Rprec", "bpref", "recip_rank", "ndcg", "num_ret", "num_rel", "num_rel_ret", "P_5", "P_100", "recall_5",
    "ndcg_cut_5", "ndcg_cut_100", "map_cut_5", "iprec_at_recall_0.00", "iprec_at_recall_0.50", "iprec_at_recall_1.00",
    "Rndcg", "ndcg_rel",
}  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
def test_pytrec_eval(seed: int) -> None:
    """Random qrels and runs that know different documents, with ties and scores that single precision makes equal."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(seed)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for q in range(30):
        pool = [f"d{i}" for i in range(int(rng.integers(2, 80)))]
        judged = [d for d in pool if rng.random() < 0.6] or pool[:1]
        qrels[f"q{q}"] = {d: int(rng.choice([-1, 0, 0, 1, 1, 2, 3])) for d in judged}
        qrels[f"q{q}"][judged[0]] = int(rng.integers(0, 2))  # trec_eval fails where all labels are negative
        retrieved = [d for d in pool if rng.random() < 0.7] or pool[:1]
        run[f"q{q}"] = {d: float(rng.integers(0, 20) + rng.choice([0, 0, 2**-45])) for d in retrieved}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, NAMES_OF_THE_TOOL).evaluate(run)
    ours = evaluate(qrels, run, [measure(f"trec_eval:{name}") for name in sorted(NAMES)])
    for name, outcome in zip(sorted(NAMES), ours, strict=True):
        wanted = [theirs[q][name] for q in ours.queries]
        np.testing.assert_allclose(outcome.values, wanted, atol=1e-12, err_msg=name)


NAMES_OF_THE_TOOL = {
    "map", "Rprec", "bpref", "recip_rank", "ndcg", "num_ret", "num_rel", "num_rel_ret", "P", "recall", "ndcg_cut",
    "map_cut", "iprec_at_recall", "Rndcg", "ndcg_rel",
}  # fmt: skip
