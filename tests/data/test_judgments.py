"""Qrels and runs in memory, and their join."""

from __future__ import annotations

import gzip
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.reading import qrels_of, raw, run_of
from oracles import trec as oracle
from rankwise.data.formats.trec import read_qrels, read_run
from rankwise.data.judgments import JudgedRun, Qrels, Run, judge
from rankwise.errors import DataError


def as_oracle(judged: JudgedRun) -> dict[str, list[object]]:
    """A judged run in the oracle's form."""
    ends, unretrieved_ends = judged.offsets.tolist(), judged.unretrieved_offsets.tolist()
    labels = [None if math.isnan(label) else label for label in judged.labels.tolist()]
    at = judged.documents.text.at
    rows = list(zip(map(at, judged.documents.spans.tolist()), judged.scores.tolist(), labels, strict=True))
    at = judged.unretrieved_documents.text.at
    left = zip(map(at, judged.unretrieved_documents.spans.tolist()), judged.unretrieved_labels.tolist(), strict=True)
    left = list(left)
    return {
        "queries": [judged.queries.text.at(span) for span in judged.queries.spans.tolist()],
        "retrieved": [rows[start:end] for start, end in pairwise(ends)],
        "unretrieved": [left[start:end] for start, end in pairwise(unretrieved_ends)],
        "missing": judged.missing.tolist(),
        "unknown": [judged.unknown_queries.text.at(span) for span in judged.unknown_queries.spans.tolist()],
    }


QRELS = Qrels.of({"q1": {"a": 2, "b": 0}, "q2": {"c": 1}, "q3": {"d": 1}})
RUN = Run.of({"q3": {"x": 1, "d": 0.5}, "q9": {"a": 1}, "q1": {"b": 3, "z": 2}}, name="mine")


# What a join means


def test_lists_stand_in_the_order_of_the_qrels() -> None:
    judged = judge(QRELS, RUN)
    assert list(judged.queries) == ["q1", "q2", "q3"]
    assert judged.offsets.tolist() == [0, 2, 2, 4]
    assert list(judged.documents) == ["b", "z", "x", "d"]
    assert judged.scores.tolist() == [3, 2, 1, 0.5]
    np.testing.assert_array_equal(judged.labels, [0, np.nan, np.nan, 1])


def test_what_was_judged_but_not_retrieved_is_kept() -> None:
    judged = judge(QRELS, RUN)
    assert judged.unretrieved_offsets.tolist() == [0, 1, 2, 2]
    assert list(judged.unretrieved_documents) == ["a", "c"]
    assert judged.unretrieved_labels.tolist() == [2, 1]


def test_queries_missing_on_either_side_are_named() -> None:
    judged = judge(QRELS, RUN)
    assert judged.missing.tolist() == [False, True, False]
    assert list(judged.unknown_queries) == ["q9"]


def test_an_answer_without_documents_is_not_missing() -> None:
    assert judge(QRELS, Run.of({"q1": {}})).missing.tolist() == [False, True, True]


def test_an_empty_run_leaves_every_document_unretrieved() -> None:
    judged = judge(QRELS, Run.of({}))
    assert judged.offsets.tolist() == [0, 0, 0, 0]
    assert list(judged.unretrieved_documents) == ["a", "b", "c", "d"]


def test_empty_qrels_leave_every_query_unknown() -> None:
    assert list(judge(Qrels.of({}), RUN).unknown_queries) == ["q3", "q9", "q1"]


def test_columns_are_shared_when_the_run_has_the_order_of_the_qrels() -> None:
    run = Run.of({"q1": {"a": 1}, "q3": {"d": 1}})
    judged = judge(QRELS, run)
    assert judged.scores is run.scores
    assert judged.documents.spans is run.documents.spans


def test_a_judged_run_is_immutable_and_says_what_it_is() -> None:
    judged = judge(QRELS, RUN)
    with pytest.raises(AttributeError, match="immutable: cannot set 'scores'"):
        judged.scores = None  # type: ignore[misc]
    with pytest.raises(AttributeError, match="immutable: cannot delete 'scores'"):
        del judged.scores
    with pytest.raises(ValueError, match="read-only"):
        judged.labels[0] = 1
    assert len(judged) == 3
    queries = "3 queries (1 missing from the run, 1 more never judged)"
    assert repr(judged) == f"<JudgedRun 'mine': {queries}, 4 documents retrieved, 2 judged but not>"
    with pytest.raises(TypeError, match="a judged run has no colour"):
        JudgedRun(**{name: getattr(judged, name) for name in JudgedRun.__slots__}, colour=1)


ids = st.sampled_from([f"{kind}{i}" for kind in ("d", "document-with-a-long-name-") for i in range(12)])
queries = st.sampled_from([f"q{i}" for i in range(8)])
tables = st.dictionaries(queries, st.dictionaries(ids, st.integers(-2, 3), max_size=15), max_size=8)


@given(tables, tables)
@settings(max_examples=300)
def test_a_join_equals_the_oracles(
    judgments: dict[str, dict[str, float]], results: dict[str, dict[str, float]]
) -> None:
    qrels, run = Qrels.of(judgments), Run.of(results)
    assert as_oracle(judge(qrels, run)) == oracle.judge(raw(qrels), raw(run))


@pytest.mark.parametrize("shuffled", [False, True])
def test_any_number_of_threads_joins_the_same(shuffled: bool) -> None:
    rng = np.random.default_rng(1)
    order = rng.permutation(300) if shuffled else np.arange(300)
    run = b"".join(b"%d Q0 %d 1 %d t\n" % (q, d, -d) for q in order for d in rng.permutation(1000)[:500])
    qrels = b"".join(b"%d 0 %d %d\n" % (q, d, d % 3) for q in range(290) for d in rng.permutation(1000)[:200])
    joins = [judge(qrels_of(qrels), run_of(run), threads=threads) for threads in (1, 2, 7)]
    assert as_oracle(joins[0]) == oracle.judge(oracle.qrels(qrels), oracle.run(run)[0])
    for other in joins[1:]:
        assert as_oracle(other) == as_oracle(joins[0])


# From memory


def test_tables_in_memory_keep_their_order_and_give_it_back() -> None:
    judgments = {"q2": {"b": 1.0, "a": 0.0}, "q1": {"b": 2.0}}
    assert Qrels.of(judgments).to_dict() == judgments
    assert list(Qrels.of(judgments).to_dict()["q2"]) == ["b", "a"]


@pytest.mark.parametrize(
    "score", [3, 3.0, True + 2, np.int8(3), np.uint64(3), np.float32(3), np.float64(3), np.longdouble(3)]
)
def test_every_kind_of_number_is_a_score(score: float) -> None:
    assert Run.of({"q": {"a": score, "b": 1}}).scores.tolist() == [3, 1]


def test_whole_numbers_too_large_for_int64_are_scores() -> None:
    assert Run.of({"q": {"a": 10**30, "b": -1}}).scores.tolist() == [1e30, -1]


def test_ids_may_be_numbers() -> None:
    run = Run.of({1: {2: 0.5}})
    assert (run.queries[0], run.documents[0]) == ("1", "2")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (math.nan, "query 'q', document 'b': the score nan is not a finite number"),
        (-math.inf, "query 'q', document 'b': the score -inf is not a finite number"),
        (np.float32("nan"), r"query 'q', document 'b': the score .*nan.* is not a finite number"),
        (10**400, "query 'q', document 'b': the score 10+ is not a finite number"),
        ("1", "query 'q', document 'b': the score '1' is not a number"),
        (b"1", "query 'q', document 'b': the score b'1' is not a number"),
        (None, "query 'q', document 'b': the score None is not a number"),
        (1j, "query 'q', document 'b': the score 1j is not a number"),
        ([1], r"query 'q', document 'b': the score \[1\] is not a number"),
        (np.array([1.0]), r"query 'q', document 'b': the score array\(\[1.\]\) is not a number"),
        (np.datetime64("2026-01-01"), "query 'q', document 'b': the score .* is not a number"),
    ],
)
def test_scores_that_have_no_place_in_an_order_are_refused(value: object, said: str) -> None:
    with pytest.raises(DataError, match=said):
        Run.of({"p": {"b": 1}, "q": {"a": 1, "b": value}})  # type: ignore[dict-item]
    with pytest.raises(DataError, match=said.replace("score", "relevance")):
        Qrels.of({"p": {"b": 1}, "q": {"a": 1, "b": value}})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ([("q", "d", 1)], "expected query → document → score, found list"),
        ({"q": ["d"]}, "query 'q': expected document → score, found list"),
        ({"q": {1: 1, "1": 2}}, "query 'q': document '1' appears twice"),
        ({1: {"d": 1}, "1": {"e": 2}}, "query '1' appears twice"),
        ({"q": {"d" * 65_536: 1}}, "65,536 bytes; the longest allowed is 65,535"),
        ({"q": {"\ud800": 1}}, "the id '.*ud800' cannot be written as UTF-8"),
    ],
)
def test_tables_that_are_none_are_refused(table: object, said: str) -> None:
    with pytest.raises(DataError, match=said):
        Run.of(table)  # type: ignore[arg-type]


def test_a_join_takes_qrels_and_a_run_only() -> None:
    with pytest.raises(TypeError, match=r"qrels must be Qrels, not dict; make them with `Qrels\.of` or `read_qrels`"):
        judge({}, RUN)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="run must be a Run, not Qrels"):
        judge(QRELS, QRELS)  # type: ignore[arg-type]


def test_equal_tables_are_equal_and_others_are_not() -> None:
    assert Qrels.of({"q": {"a": 1}}) == Qrels.of({"q": {"a": 1}})
    assert Qrels.of({"q": {"a": 1}}) != Qrels.of({"q": {"a": 2}})
    assert Qrels.of({"q": {"a": 1}}) != Run.of({"q": {"a": 1}})
    assert repr(Qrels.of({"q": {"a": 1}})) == "<Qrels: 1 query, 1 document>"


# Real files


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ("vaswani.qrels.gz", "vaswani_DPH.res.gz"),
        ("qrels.dl19-passage.txt.gz", "dl19/BM25.run.gz"),
        ("qrels.dl19-passage.txt.gz", "dl19/REP_LLAMA.run.gz"),
        ("trec_eval_test/qrels.test", "trec_eval_test/results.trunc"),
        ("trec_eval_test/qrels.comment.test", "trec_eval_test/results.comment.test.gz"),
    ],
)
def test_real_runs_are_joined_as_the_oracle_joins_them(qrels: str, run: str, trec_data: Path) -> None:
    contents = [(trec_data / name).read_bytes() for name in (qrels, run)]
    judgments, results = (gzip.decompress(c) if c.startswith(b"\x1f\x8b") else c for c in contents)
    judged = judge(read_qrels(trec_data / qrels), read_run(trec_data / run))
    assert as_oracle(judged) == oracle.judge(oracle.qrels(judgments), oracle.run(results)[0])


def test_the_counts_of_trec_evals_comment_test_come_out(trec_data: Path) -> None:
    folder = trec_data / "trec_eval_test"
    judged = judge(read_qrels(folder / "qrels.comment.test"), read_run(folder / "results.comment.test.gz"))
    answered = ~judged.missing
    relevant = np.concatenate([judged.labels, judged.unretrieved_labels])
    # num_q, num_ret, num_rel and num_rel_ret of out.comment.test.
    assert (answered.sum(), len(judged.labels), (relevant > 0).sum(), (judged.labels > 0).sum()) == (
        31,
        3100,
        4463,
        1398,
    )
