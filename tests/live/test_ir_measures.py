"""ir_measures itself, with pytrec_eval and perl behind it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from live.making import Qrels, Run, Values, disagreements, judged_run
from rankwise import ConventionError, evaluate, measure

ir_measures = pytest.importorskip("ir_measures")
pytestmark = [pytest.mark.live, pytest.mark.filterwarnings("ignore")]
needs_perl = pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a perl script")

NAMES = [
    "nDCG", "nDCG@1", "nDCG@5", "NDCG@20", "nDCG(judged_only=True)@5", "nDCG(gains={1:1,2:3,3:7})@10", "AP", "MAP",
    "AP@10", "AP(rel=2)@100", "AP(rel=2,judged_only=True)", "RR", "MRR", "RR(rel=2)", "RR(judged_only=True)", "RR@10",
    "RR(rel=2)@10", "RR@1", "P@5", "P(rel=2)@5", "Precision@20", "P(judged_only=True)@3", "R@10", "R(rel=2)@5",
    "Recall@1000", "Rprec", "RPrec(rel=2)", "Rprec(judged_only=True)", "Bpref", "BPref(rel=2)", "Success@1",
    "Success(rel=3)@10", "IPrec@0.1", "IPrec@0.125", "IPrec(rel=2)@0.5", "IPrec@0.0", "infAP", "infAP(rel=2)", "SetP",
    "SetP(relative=True)", "SetRelP", "SetR", "SetF", "SetF(beta=2.0)", "SetF(rel=2)", "SetAP", "SetAP(rel=2)", "NumQ",
    "NumRet", "NumRelRet", "NumRet(rel=2)", "NumRel", "Judged", "Judged@1", "Judged@10", "RBP(rel=1)",
    "RBP(rel=2,p=0.5)",
]  # fmt: skip
GDEVAL = ["nDCG(dcg='exp-log2')@1", "nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@20", "ERR@1", "ERR@5", "ERR@20"]


def values_of(names: list[str], qrels: Qrels, run: Run) -> Values:
    """Each measure in a call of its own, since several of them in one call may be mistaken for one another."""
    values: dict[str, dict[str, float]] = {query: {} for query in qrels}
    for name in names:
        for found in ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run):
            values[found.query_id][name] = found.value
    return values


@pytest.mark.parametrize("seed", range(6))
def test_every_measure_of_every_list(seed: int) -> None:
    qrels, run = judged_run(seed, labels=(0, 0, 0, 1, 1, 2, 3) if seed % 2 else (-1, 0, 0, 1, 1, 2, 5))
    assert disagreements("ir_measures", NAMES, qrels, run, values_of(NAMES, qrels, run)) == []


@needs_perl
@pytest.mark.parametrize("seed", range(3))
def test_gdeval_within_it(seed: int) -> None:
    qrels, run = judged_run(seed, labels=(-1, 0, 0, 1, 2, 3, 4))
    wrong = disagreements("ir_measures", GDEVAL, qrels, run, values_of(GDEVAL, qrels, run), tolerance=5.1e-6)
    assert wrong == []


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "RR@10", "NumQ", "NumRel", "NumRelRet", "SetF"])
def test_means(name: str) -> None:
    qrels, run = judged_run(3)
    wanted = ir_measures.calc_aggregate([ir_measures.parse_measure(name)], qrels, run)
    ours = evaluate(qrels, run, measure(f"ir_measures:{name}"))[0].mean
    assert ours == pytest.approx(next(iter(wanted.values())), abs=1e-12)


@needs_perl
def test_gdeval_alone() -> None:
    """Its lines, of which topics without a relevant document have none."""
    qrels, run = judged_run(5, labels=(-1, 0, 0, 1, 2, 3, 4))
    script = os.path.join(os.path.dirname(ir_measures.__file__), "bin", "gdeval.pl")
    with (
        ir_measures.util.QrelsConverter(qrels).as_tmp_file() as judgments,
        ir_measures.util.RunConverter(run).as_tmp_file() as ranking,
    ):
        called = ["perl", script, judgments.name, ranking.name, "20"]
        printed = subprocess.run(called, capture_output=True, text=True, check=True).stdout.splitlines()
    head, *lines = (line.split(",") for line in printed)
    assert head[2:] == ["ndcg@20", "err@20"]
    theirs = {query: {"ndcg@20": float(ndcg), "err@20": float(err)} for _, query, ndcg, err in lines}
    assert 20 < len(theirs) < len(qrels)
    assert disagreements("gdeval", head[2:], qrels, run, theirs, tolerance=5.1e-6) == []


@needs_perl
def test_query_ids_that_are_no_numbers_fail_there_and_not_here() -> None:
    qrels, run = {"q1": {"a": 1, "b": 0}}, {"q1": {"a": 1.0, "b": 2.0}}
    with pytest.raises(subprocess.CalledProcessError):
        ir_measures.calc_aggregate([ir_measures.parse_measure("ERR@10")], qrels, run)
    assert evaluate(qrels, run, "ir_measures:ERR@10")[0].mean == pytest.approx(1 / 32)


@needs_perl
def test_labels_above_4_are_refused_as_gdeval_refuses_them() -> None:
    qrels, run = {"1": {"a": 5, "b": 0}}, {"1": {"a": 1.0, "b": 2.0}}
    for name in ("ERR@10", "nDCG(dcg='exp-log2')@10"):
        with pytest.raises(subprocess.CalledProcessError):
            ir_measures.calc_aggregate([ir_measures.parse_measure(name)], qrels, run)
        with pytest.raises(ConventionError, match="label 5"):
            evaluate(qrels, run, f"ir_measures:{name}")


def test_rr_and_rr_at_a_cut_off_break_ties_in_opposite_ways() -> None:
    qrels, run = {"1": {"d3": 1}}, {"1": {"d1": 1.0, "d2": 1.0, "d3": 1.0}}
    names = ["RR", "RR@10", "P@1"]
    theirs = values_of(names, qrels, run)["1"]
    assert theirs == {"RR": 1.0, "RR@10": pytest.approx(1 / 3), "P@1": 1.0}
    assert evaluate(qrels, run, [f"ir_measures:{n}" for n in names]).values[:, 0].tolist() == list(theirs.values())


def test_near_ties_are_ties_for_rr_alone() -> None:
    """Single precision makes scores equal that differ by 1e-9."""
    qrels = {"1": {"a": 1}}
    run = {"1": {d: 1 - rank * 1e-9 for rank, d in enumerate("abcde")}}
    theirs = values_of(["RR", "RR@10"], qrels, run)["1"]
    assert theirs == {"RR": 0.2, "RR@10": 1.0}
    assert evaluate(qrels, run, ["ir_measures:RR", "ir_measures:RR@10"]).values[:, 0].tolist() == [0.2, 1.0]


THEIRS = """
import ir_measures, json
from ir_measures import nDCG
found = ir_measures.calc_aggregate([nDCG(gains={1: 1, 2: 3, 3: 7})@10, nDCG@10], QRELS, RUN)
print(json.dumps([found.get(nDCG(gains={1: 1, 2: 3, 3: 7})@10), found.get(nDCG@10)]))
"""
OURS = """
import json, rankwise
names = ["ir_measures:nDCG(gains={1:1,2:3,3:7})@10", "ir_measures:nDCG@10"]
print(json.dumps([outcome.mean for outcome in rankwise.evaluate(QRELS, RUN, names)]))
"""


def answers(script: str) -> list[list[float]]:
    """What the script prints under eight hash seeds."""
    qrels = {"1": {"a": 3, "b": 2, "c": 1, "d": 0}}
    run = {"1": {"a": 0.1, "b": 0.4, "c": 0.3, "d": 0.2}}
    code = script.replace("QRELS", repr(qrels)).replace("RUN", repr(run))
    found = []
    for seed in range(8):
        env = {**os.environ, "PYTHONHASHSEED": str(seed)}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
        found.append(json.loads(done.stdout))
    return found


def test_the_hash_seed_changes_its_ndcg_and_not_ours() -> None:
    theirs, ours = answers(THEIRS), answers(OURS)
    alone = values_of(["nDCG(gains={1:1,2:3,3:7})@10", "nDCG@10"], {"1": {"a": 3, "b": 2, "c": 1, "d": 0}},
                      {"1": {"a": 0.1, "b": 0.4, "c": 0.3, "d": 0.2}})["1"]  # fmt: skip
    assert len({tuple(pair) for pair in theirs}) > 1
    assert all(pair == pytest.approx(list(alone.values()), abs=1e-12) for pair in ours)
    assert len({tuple(pair) for pair in ours}) == 1
