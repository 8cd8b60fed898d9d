"""Agreement with what the emulated tools printed, at every door."""

from __future__ import annotations

import math

import numpy as np
import pytest

from golden import reading
from rankwise import DataError, MeasureError, evaluate, measure
from rankwise.evaluation.result import Result
from rankwise.measures.tools import names, tool

EMULATED = [name for name in names() if name in reading.manifest()]
NOT_YET = sorted(set(reading.manifest()) - set(EMULATED))
# What these do not print, though it is in their means.
UNPRINTED = {"letor3": "positions beyond the end of a list", "trec_eval_9_0_8_c": "a query that the run lacks"}
# Each query was given to these alone: one that is left out is a mean of nothing.
ALONE = {"torchmetrics"}


def split(which: str, found: dict) -> tuple[list[tuple[str, object]], list[str]]:
    """The metrics that are emulated, and those that are not; each of the latter says why."""
    emulated, refused = [], []
    for name in reading.metrics(found):
        try:
            emulated.append((name, measure(f"{which}:{name}")))
        except MeasureError as refusal:
            reasons = tool(which).unsupported.values()
            assert any(reason in str(refusal) for reason in reasons), f"{which}:{name} is refused without a reason"
            refused.append(name)
    return emulated, refused


def disagreements(which: str, found: dict, result: Result, metrics: list[str]) -> tuple[int, list[str]]:
    """How many values were compared, and those that differ."""
    unstable = set(found.get("unstable_queries", ()))
    refused = {query for query, _ in found.get("refused_queries", ())}
    printed = reading.metrics({**found, "mean": None})
    compared, wrong = 0, []

    def compare(ours: float, theirs: float, place: str) -> None:
        nonlocal compared
        compared += 1
        tolerance = reading.tolerance(which, name)
        if not abs(ours - theirs) <= tolerance * max(1.0, abs(theirs)):
            wrong.append(f"{place}: {ours} here, {theirs} there")

    for name, outcome in zip(metrics, result, strict=True):
        for query, value in zip(result.queries, outcome.values.tolist(), strict=True):
            if query in unstable | refused:
                continue
            theirs = found["per_query"].get(query, {})
            if name in theirs:
                if which in ALONE and math.isnan(value):
                    value = Result(reading.as_lists(found["case"], only=query), [(name, outcome.measure)])[0].mean
                compare(value, theirs[name], f"{query} {name}")
            elif which not in UNPRINTED and not math.isnan(value) and name in printed:
                wrong.append(f"{query} {name}: {value} here, not printed there")
        if found["mean"] and name in found["mean"] and not unstable:
            compare(outcome.mean, found["mean"][name], f"mean {name}")
    return compared, wrong


@pytest.mark.parametrize("which", EMULATED)
def test_every_value_that_the_tool_printed_is_reproduced(which: str, golden_counts: dict[str, str]) -> None:
    values = files = refused = unsupported = 0
    failed: list[str] = []
    wrong: list[str] = []
    for case, found in reading.expectations(which):
        if found["status"] == "unsupported":
            assert found["reason"]
            unsupported += 1
            continue
        if found["status"] == "error":
            failed.append(case)
            continue
        emulated, without = split(which, found)
        result = Result(reading.as_lists(case), [(name, m) for name, m in emulated])
        compared, different = disagreements(which, found, result, [name for name, _ in emulated])
        wrong += [f"{case}, {line}" for line in different]
        values, files, refused = values + compared, files + 1, refused + len(without)
    parts = [f"{values:,} values of {files} cases", f"{unsupported} cases not run by the tool"]
    parts += [f"{len(failed)} refused by the tool"] if failed else []
    parts += [f"{refused} metrics refused here with a reason"] if refused else []
    golden_counts[which] = ", ".join(parts)
    assert not wrong, "\n".join(wrong[:20])
    assert values > 0
    assert failed == (["query_missing_from_run"] if which == "trec_eval_10_0" else [])


def test_a_query_that_the_run_lacks_is_refused_as_trec_eval_10_refuses_it() -> None:
    qrels, run = reading.as_mappings("query_missing_from_run", np.random.default_rng(0))
    with pytest.raises(DataError, match="query '331' is judged but not in the run"):
        evaluate(qrels, run, "trec_eval_10_0:map")


@pytest.mark.parametrize("which", EMULATED)
def test_qrels_and_run_as_dictionaries_give_the_same_values(which: str) -> None:
    rng = np.random.default_rng(1)
    compared = 0
    for case, found in reading.expectations(which):
        if found["status"] != "ok":
            continue
        emulated, _ = split(which, found)
        qrels, run = reading.as_mappings(case, rng)
        if not (run and emulated):
            continue
        result = evaluate(qrels, run, [m for _, m in emulated])
        # Not only what the tool printed: every value, to the last bit.
        np.testing.assert_array_equal(result.values, Result(reading.as_lists(case), list(emulated)).values)
        many, wrong = disagreements(which, found, result, [name for name, _ in emulated])
        assert not wrong, f"{case}: {wrong[:5]}"
        compared += many
    assert compared


@pytest.mark.parametrize("which", EMULATED)
def test_a_dataset_with_mixed_rows_gives_the_same_values(which: str) -> None:
    rng = np.random.default_rng(2)
    compared = 0
    for case, found in reading.expectations(which):
        documents = [d for q in reading.judged_queries(case) for d in q["docs"]]
        if found["status"] != "ok" or any(d["score"] is None for d in documents):
            continue
        emulated, _ = split(which, found)
        if not emulated:
            continue  # the tool refuses each list of the case
        data, scores = reading.as_dataset(case, rng)
        result = evaluate(data, scores, [m for _, m in emulated])
        many, wrong = disagreements(which, found, result, [name for name, _ in emulated])
        assert not wrong, f"{case}: {wrong[:5]}"
        compared += many
    if which.endswith("_c") or which == "ranklib2_qrel":
        return  # their cases are those in which a document was not retrieved
    assert compared


def test_the_tools_that_are_not_emulated_are_known() -> None:
    later = {"ir_measures", "pytrec_eval", "ranx", "sklearn"}
    assert set(NOT_YET) <= later
