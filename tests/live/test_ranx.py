"""ranx itself."""

from __future__ import annotations

import pytest

from live.making import Qrels, Run, Values, disagreements, judged_run
from rankwise import evaluate, measure
from rankwise.measures.tools import tool

ranx = pytest.importorskip("ranx")
pytestmark = [pytest.mark.live, pytest.mark.filterwarnings("ignore")]

STEMS = ["ndcg", "ndcg_burges", "dcg", "dcg_burges", "map", "mrr", "precision", "recall", "f1", "hit_rate", "hits"]
NAMES = [f"{stem}{cut}{level}" for stem in STEMS for cut in ("", "@1", "@5", "@20") for level in ("", "-l2", "-l3")]
NAMES += ["r-precision", "r-precision-l2", "rbp.95", "rbp@5", "rbp.05"]


def values_of(names: list[str], qrels: Qrels, run: Run) -> Values:
    theirs = ranx.Run(run)
    ranx.evaluate(ranx.Qrels(qrels), theirs, names, make_comparable=True)
    return {query: {name: float(theirs.scores[name][query]) for name in names} for query in qrels}


@pytest.mark.parametrize("seed", range(6))
def test_every_measure_of_every_list(seed: int) -> None:
    """Lists in which its sort is stable."""
    labels = (0, 0, 0, 1, 1, 2, 3) if seed % 2 else (-1, 0, 0, 1, 1, 2, 5)
    qrels, run = judged_run(seed, labels=labels, longest=16)
    assert disagreements("ranx", NAMES, qrels, run, values_of(NAMES, qrels, run)) == []


@pytest.mark.parametrize("seed", range(3))
def test_long_lists_without_ties(seed: int) -> None:
    qrels, run = judged_run(seed, longest=60)
    run = {
        query: {d: float(score) + i / 1024 for i, (d, score) in enumerate(ranked.items())}
        for query, ranked in run.items()
    }
    assert disagreements("ranx", NAMES, qrels, run, values_of(NAMES, qrels, run)) == []


def test_means() -> None:
    qrels, run = judged_run(2, longest=16)
    names = ["ndcg@5", "map", "mrr@10", "f1-l2"]
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), names, make_comparable=True)
    ours = evaluate(qrels, run, [f"ranx:{name}" for name in names])
    assert [outcome.mean for outcome in ours] == pytest.approx([float(theirs[name]) for name in names], abs=1e-12)


def test_every_name_that_it_has_is_known() -> None:
    which = tool("ranx")
    for name in [*STEMS, "r-precision", "bpref", "rbp.95"]:
        assert which.spelled(name) or name in which.unsupported, name


def test_equal_scores_give_it_as_many_answers_as_there_are_orders_and_here_one() -> None:
    """40 tied documents, three orders of insertion."""
    documents = [f"d{i}" for i in range(40)]
    qrels = {"1": {"d20": 1}}
    orders = [documents, documents[::-1], documents[13:] + documents[:13]]
    runs = [{"1": dict.fromkeys(order, 1.0)} for order in orders]
    theirs = {float(ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), "mrr")) for run in runs}
    assert len(theirs) > 1
    assert len({evaluate(qrels, run, measure("RR"))[0].mean for run in runs}) == 1
