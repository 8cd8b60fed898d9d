"""pytrec_eval itself."""

from __future__ import annotations

import pytest

from live.making import disagreements, judged_run
from rankwise import evaluate, measure
from rankwise.measures.tools import tool

pytrec_eval = pytest.importorskip("pytrec_eval")
pytestmark = pytest.mark.live

# What it computes that is no number of a list.
NO_NUMBER = {"relstring", "runid"}


@pytest.mark.parametrize("seed", range(8))
def test_every_measure_of_every_list(seed: int) -> None:
    labels = (0, 0, 0, 1, 1, 2, 3) if seed % 2 else (-1, 0, 0, 1, 1, 2, 5)
    qrels, run = judged_run(seed, labels=labels)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures - NO_NUMBER).evaluate(run)
    names = [name for name in next(iter(theirs.values())) if name != "runid" and not name.startswith("gm_")]
    assert len(names) > 80
    assert disagreements("pytrec_eval", names, qrels, run, theirs) == []


@pytest.mark.parametrize("name", ["map", "gm_map", "gm_bpref", "num_rel_ret", "ndcg_cut_10"])
def test_means(name: str) -> None:
    qrels, run = judged_run(1)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures - NO_NUMBER).evaluate(run)
    wanted = pytrec_eval.compute_aggregated_measure(name, [values[name] for values in theirs.values()])
    assert evaluate(qrels, run, measure(f"pytrec_eval:{name}"))[0].mean == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("level", [2, 3])
def test_a_level_of_relevance(level: int) -> None:
    qrels, run = judged_run(level)
    names = ["map", "P_5", "recall_10", "recip_rank", "Rprec", "ndcg_cut_10", "bpref", "success_5", "set_F"]
    stems = {"map", "P", "recall", "recip_rank", "Rprec", "ndcg_cut", "bpref", "success", "set_F"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, stems, relevance_level=level).evaluate(run)
    for name in names:
        chosen = measure(f"pytrec_eval:{name}").but(rel=level)
        result = evaluate(qrels, run, chosen)
        for query, value in zip(result.queries, result.values[0].tolist(), strict=True):
            wanted = theirs.get(query, {}).get(name)
            assert wanted is None or value == pytest.approx(wanted, abs=1e-12), (query, name)


def test_every_name_that_it_has_is_known() -> None:
    which = tool("pytrec_eval")
    for name in pytrec_eval.supported_measures - {"runid"}:
        words = {name, f"{name}_5", f"{name}_0.50", f"{name}_1.00"}
        assert any(which.spelled(word) or word in which.unsupported for word in words), name
