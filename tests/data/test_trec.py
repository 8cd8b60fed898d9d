"""TREC files: what they mean, what survives a round trip, what real files hold, and what is refused."""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from data.reading import qrels_of, raw, run_of
from oracles import trec as oracle
from rankwise.data.formats.trec import read_qrels, read_run, write_qrels, write_run
from rankwise.data.judgments import Qrels, Run
from rankwise.errors import DataError

QRELS = b"1 0 a 2\n1 0 b 0\n2 0 c 1\n"
RUN = b"1 Q0 b 1 0.5 bm25\n1 Q0 x 2 0.25 bm25\n2 Q0 c 1 7 bm25\n"


def in_order(lists: oracle.Lists) -> list[object]:
    return [(query, list(row.items())) for query, row in lists.items()]


# What a file means


def test_qrels_become_lists_in_order_of_first_appearance() -> None:
    qrels = qrels_of(QRELS)
    assert list(qrels.queries) == ["1", "2"]
    assert qrels.offsets.tolist() == [0, 2, 3]
    assert list(qrels.documents) == ["a", "b", "c"]
    assert qrels.labels.tolist() == [2, 0, 1]
    assert qrels.to_dict() == {"1": {"a": 2, "b": 0}, "2": {"c": 1}}


def test_a_run_keeps_the_order_of_its_lines_and_ignores_ranks() -> None:
    run = run_of(b"1 Q0 b 9 0.25 t\n1 Q0 a nonsense 0.5 t\n")
    assert list(run.documents) == ["b", "a"]
    assert run.scores.tolist() == [0.25, 0.5]


@pytest.mark.parametrize(
    "content",
    [
        QRELS.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + QRELS,
        QRELS.rstrip(),
        QRELS.replace(b" ", b"\t"),
        QRELS.replace(b" ", b" \x0b\x0c \t"),
        b"  " + QRELS.replace(b"\n", b"  \n  "),
        b"# a comment of three words\n" + QRELS + b"   # another\n#\n",
        b"\n\n \t\r\n" + QRELS.replace(b"\n", b"\n\n"),
        QRELS.replace(b"2\n", b"2.0\n").replace(b"1\n", b"+1e0\n"),
        gzip.compress(QRELS),
    ],
    ids=[
        "CRLF",
        "BOM",
        "no last line end",
        "tabs",
        "odd space",
        "padded",
        "comments",
        "blank lines",
        "decimals",
        "gzip",
    ],
)
def test_the_same_judgments_may_be_written_in_many_ways(content: bytes) -> None:
    assert qrels_of(content) == qrels_of(QRELS)


def test_a_byte_order_mark_before_a_comment_is_no_part_of_it() -> None:
    assert qrels_of(b"\xef\xbb\xbf# comment\n" + QRELS) == qrels_of(QRELS)


def test_a_hash_inside_an_id_is_no_comment() -> None:
    assert list(qrels_of(b"1 0 doc_00#4_16 1\n1#2 0 #d 1\n").documents) == ["doc_00#4_16", "#d"]


def test_columns_after_the_tag_are_ignored() -> None:
    assert run_of(b"1 Q0 a 1 0.5 tag more junk at\n1 Q0 b 2 0.25 tag the end\n").to_dict() == {
        "1": {"a": 0.5, "b": 0.25}
    }


def test_the_name_of_a_run_is_the_tag_of_its_last_line() -> None:
    assert run_of(b"1 Q0 a 1 0.5 first\n1 Q0 b 2 0.25 last extra\n\n# end").name == "last"


def test_queries_that_interleave_are_gathered_in_the_order_of_their_lines() -> None:
    run = run_of(b"1 Q0 a 1 3 t\n2 Q0 b 1 5 t\n1 Q0 c 2 2 t\n2 Q0 a 2 4 t\n1 Q0 b 3 1 t\n")
    assert in_order(raw(run)) == [(b"1", [(b"a", 3), (b"c", 2), (b"b", 1)]), (b"2", [(b"b", 5), (b"a", 4)])]


def test_negative_and_decimal_relevance_is_kept() -> None:
    assert qrels_of(b"1 0 a -2\n1 0 b 0.5\n").labels.tolist() == [-2, 0.5]


def test_bytes_that_are_not_utf8_make_ids_too() -> None:
    assert list(qrels_of(b"1 0 \xff\xfe 1\n").documents) == ["\\xff\\xfe"]


def test_arrays_cannot_be_written_to() -> None:
    qrels = qrels_of(QRELS)
    for array in (qrels.labels, qrels.offsets, qrels.documents.spans, qrels.queries.spans):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize(
    "score", ["0.1", "123456789.123456789", "-0", "1e-300", "5e-324", ".5", "5.", "15.780599594116211"]
)
def test_scores_are_correctly_rounded(score: str) -> None:
    assert run_of(f"1 Q0 a 1 {score} t  and a tail that fills the window".encode()).scores.tolist() == [float(score)]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_every_float64_survives(scores: list[float]) -> None:
    content = b"".join(b"1 Q0 d%d 1 %s tag\n" % (i, repr(score).encode()) for i, score in enumerate(scores))
    assert run_of(content).scores.tolist() == scores


@pytest.mark.parametrize("width", [1, 7, 8, 9, 30, 60, 64, 70, 200, 65_535])
def test_ids_of_any_length_are_read(width: int) -> None:
    query, document = b"q" * width, b"d" * width
    lines = b"".join(b"%s Q0 %s%d 1 %d.5 t\n" % (query, document[1:], i, i) for i in range(5))
    assert in_order(raw(run_of(lines))) == [(query, [(b"%s%d" % (document[1:], i), i + 0.5) for i in range(5)])]


# Many threads


def large_run(*, interleaved: bool) -> bytes:
    """About 4 MB, several pieces: comments, long lines and blank lines among the rows."""
    rng = np.random.default_rng(0)
    rows = [(q, d) for q in range(120) for d in range(1000)]
    if interleaved:
        rows = [rows[i] for i in rng.permutation(len(rows))]
    scores = rng.normal(size=len(rows)).round(6).tolist()
    lines = [f"q{q}\tQ0 doc{d} {d} {score} tag" for (q, d), score in zip(rows, scores, strict=True)]
    for at in range(0, len(lines), 997):
        lines[at] += "\n\n# " + "comment " * (at % 40)
    return ("\n".join(lines) + "\n").encode()


@pytest.mark.parametrize("interleaved", [False, True])
def test_any_number_of_threads_reads_the_same(interleaved: bool) -> None:
    content = large_run(interleaved=interleaved)
    expected, _ = oracle.run(content)
    runs = [run_of(content, threads) for threads in (1, 2, 7, None)]
    assert in_order(raw(runs[0])) == in_order(expected)
    for run in runs[1:]:
        for column in ("queries", "offsets", "documents", "values"):
            np.testing.assert_array_equal(getattr(run._table, column), getattr(runs[0]._table, column))


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_first_bad_line_is_named_whatever_the_number_of_threads(threads: int) -> None:
    lines = large_run(interleaved=False).split(b"\n")
    for at in (90_000, 60_000, 110_000):
        lines[at] = b"1 Q0 only three"
    with pytest.raises(DataError, match=r"^run.txt, line 60001: 4 columns"):
        run_of(b"\n".join(lines), threads)
    first, again = lines[10].split(), 30_005
    lines[again] = b" ".join([first[0], b"Q0", first[2], b"1 1 t"])
    with pytest.raises(DataError, match=rf"^run.txt, line {again + 1}: document .* in line 11 already"):
        run_of(b"\n".join(lines), threads)


# Round trips

ids = st.text(st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]), min_size=1, max_size=12).filter(
    lambda word: not word.startswith(("#", "\ufeff")) and len(word.split()) == 1
)
numbers = st.one_of(st.integers(-5, 5), st.floats(allow_nan=False, allow_infinity=False))
tables = st.dictionaries(ids, st.dictionaries(ids, numbers, min_size=1, max_size=8), min_size=1, max_size=6)


@pytest.mark.parametrize("name", ["plain.txt", "packed.txt.gz"])
@given(judgments=tables)
@settings(max_examples=60)
def test_what_is_written_is_read_back(
    name: str, judgments: dict[str, dict[str, float]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("trec") / name
    write_qrels(path, Qrels.of(judgments))
    assert read_qrels(path) == Qrels.of(judgments)
    write_run(path, Run.of(judgments, name="tag"))
    run = read_run(path)
    assert run.to_dict() == Run.of(judgments).to_dict()
    assert run.name == "tag"
    assert os.listdir(path.parent) == [name]


def test_a_run_is_written_by_falling_score_with_ranks_from_one(tmp_path: Path) -> None:
    write_run(tmp_path / "run", Run.of({"q": {"a": 1, "b": 2.5, "c": 1}}, name="me"))
    assert (tmp_path / "run").read_text() == "q Q0 b 1 2.5 me\nq Q0 a 2 1 me\nq Q0 c 3 1 me\n"


def test_whole_labels_are_written_without_a_point(tmp_path: Path) -> None:
    write_qrels(tmp_path / "qrels", Qrels.of({"q": {"a": 1.0, "b": -3, "c": 0.5}}))
    assert (tmp_path / "qrels").read_text() == "q 0 a 1\nq 0 b -3\nq 0 c 0.5\n"


def test_a_packed_file_depends_on_its_data_alone(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        write_qrels(tmp_path / name, Qrels.of({"q": {"a": 1}}))
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_a_file_that_cannot_be_written_whole_is_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("as it was")
    with pytest.raises(DataError, match="the document id 'two words' cannot stand in a TREC file"):
        write_qrels(path, Qrels.of({"q": {"a": 1, "two words": 1}}))
    assert path.read_text() == "as it was"
    assert os.listdir(tmp_path) == ["qrels"]


@pytest.mark.parametrize(
    ("query", "document", "name", "said"),
    [
        ("", "d", "t", "the query id '' cannot stand"),
        ("#q", "d", "t", "the query id '#q' cannot stand"),
        ("\ufeffq", "d", "t", "the query id .* cannot stand"),
        ("q", "d\n", "t", "the document id .* cannot stand"),
        ("q", "d", "two words", "the run's name 'two words' cannot be a tag"),
    ],
)
def test_ids_that_would_not_be_read_back_are_not_written(
    query: str, document: str, name: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=said):
        write_run(tmp_path / "run", Run.of({query: {document: 1}}, name=name))


# Anything at all

words = st.sampled_from(
    [b"1", b"q2", b"Q0", b"d1", b"d2", b"#", b"0.5", b"-3", b"1e5", b"nan", b"inf", b"1e999", b"tag", b"\xef\xbb\xbf"]
)
spaces = st.sampled_from([b" ", b"\t", b"  ", b"\n", b"\r\n", b"\r", b"\x0b", b"\x00", b"\n\n", b" \n"])
soups = st.lists(st.one_of(words, spaces, st.binary(max_size=3)), max_size=60).map(b"".join)
lines = st.lists(st.tuples(st.lists(words, min_size=3, max_size=8), spaces), max_size=12).map(
    lambda rows: b"".join(b" ".join(row) + end for row, end in rows)
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A good file with a few bytes changed, cut out or put in."""
    content = draw(st.sampled_from([QRELS, RUN, RUN * 2, QRELS.replace(b"\n", b"\r\n"), b"# c\n" + RUN]))
    for _ in range(draw(st.integers(0, 3))):
        at, size = draw(st.integers(0, len(content))), draw(st.integers(0, 4))
        content = content[:at] + draw(st.one_of(words, spaces, st.binary(max_size=2))) + content[at + size :]
    return content


@given(st.one_of(st.binary(max_size=200), soups, lines, mutated()))
@settings(max_examples=600)
@example(b"1 0 d 1\r1 0 e 1\r")
@example(b"1 Q0 d 1 1 t\r1 Q0 e 2 1 t\r")
@example(b"\xef\xbb\xbf\xef\xbb\xbf1 0 d 1")
def test_any_bytes_are_read_as_the_oracle_reads_them_or_refused(content: bytes) -> None:
    # The oracle does not unpack gzip and zstd.
    assume(not content.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")))
    for read, expect in ((qrels_of, oracle.qrels), (run_of, lambda content: oracle.run(content)[0])):
        try:
            expected = expect(content)
        except oracle.Refused as refused:
            with pytest.raises(DataError) as caught:
                read(content)
            if refused.line:
                assert f", line {refused.line}: " in str(caught.value)
        else:
            assert in_order(raw(read(content))) == in_order(expected)


# Refusals

LONG = b"x" * 65_536


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "qrels.txt: no line of qrels in this file"),
        (b"# nothing\n\n", "qrels.txt: no line of qrels in this file"),
        (b"1\n" + QRELS, r"line 1: 1 column, but a line of qrels has 4: .* \(the iteration is missing\)"),
        (QRELS + b"1 0\n", r"line 4: 2 columns, .* \(the document is missing\)"),
        (QRELS + b"1 0 d\n", r"line 4: 3 columns, .* \(the relevance is missing\)$"),
        (QRELS + b"1 0 d", r"line 4: 3 columns, [\s\S]*the file seems cut off"),
        (b"1 0 d 1 5\n", "line 1: 5 columns, but a line of qrels has 4: query, iteration, document, relevance"),
        (RUN, r"line 1: 6 columns[\s\S]*Hint: .*were qrels and run exchanged"),
        (b"1 0 d 1\r1 0 e 1\r", r"line 1: a carriage return inside the line[\s\S]*Hint: lines must end in a line feed"),
        (b"1 0 d x\n", "line 1: the relevance 'x' is not a number"),
        (b"1 0 d 0x1\n", "line 1: the relevance '0x1' is not a number"),
        (b"1 0 d 1,5\n", "line 1: the relevance '1,5' is not a number"),
        (b"1 0 d 1_0\n", "line 1: the relevance '1_0' is not a number"),
        (b"1 0 d nan\n", "line 1: the relevance is 'nan', which has no place in an order"),
        (b"1 0 d -inf\n", "line 1: the relevance '-inf' is infinite or too large"),
        (b"1 0 d 1e999\n", "line 1: the relevance '1e999' is infinite or too large"),
        (QRELS + b"\n1 0 a 2\n", "line 5: document 'a' of query '1' was judged in line 1 already"),
        (b"1 0 %s 1\n" % LONG, "line 1: the id of the document has 65536 bytes; the longest allowed is 65535"),
        (b"%s 0 d 1\n" % LONG, "line 1: the id of the query has 65536 bytes"),
        ("1 0 d 1\n".encode("utf-16"), r"qrels.txt: the text is UTF-16[\s\S]*Hint: save it as UTF-8"),
        (gzip.compress(QRELS)[:-9], "qrels.txt: the gzip data are damaged or cut off"),
    ],
)
def test_bad_qrels_are_refused_with_the_reason(content: bytes, said: str) -> None:
    with pytest.raises(DataError, match=said):
        qrels_of(content)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", r"run.txt: no line of a run in this file[\s\S]*query, Q0, document, rank, score, tag"),
        (QRELS, r"line 1: 4 columns, but a line of a run has 6[\s\S]*were qrels and run exchanged"),
        (RUN + b"1 Q0 d 1 0.5\n", r"line 4: 5 columns, .* \(the tag is missing\)[\s\S]*write any word as the tag"),
        (RUN + b"1 Q0 d 1 0.", r"line 4: 5 columns, .* \(the tag is missing\)[\s\S]*seems cut off"),
        (b"1 Q0 d\n", r"line 1: 3 columns, .* \(the rank is missing\)"),
        (b"1 Q0 d 1 high t\n", "line 1: the score 'high' is not a number"),
        (b"1 Q0 d 1 12abc t\n", "line 1: the score '12abc' is not a number"),
        (b"1 Q0 d 1 NaN t\n", "line 1: the score is 'NaN', which has no place in an order"),
        (b"1 Q0 d 1 inf t\n", "line 1: the score 'inf' is infinite or too large"),
        (b"1 Q0 d 1 -1e400 t\n", "line 1: the score '-1e400' is infinite or too large"),
        (b"1 Q0 d 1 1 t\r1 Q0 e 2 1 t\r", "line 1: a carriage return inside the line"),
        (RUN + b"1 Q0 x 9 9 t\n", "line 4: document 'x' of query '1' was retrieved in line 2 already"),
        (
            RUN + b"# c\n2 Q0 c 9 9 t\n1 Q0 b 9 9 t\n",
            "line 5: document 'c' of query '2' was retrieved in line 3 already",
        ),
        (b"1 Q0 d 1 1 t\n1 Q0 d 1 1 t\nbad\n", "line 2: document 'd'"),
        (b"1 Q0 d 1 1 t\nbad\n1 Q0 d 1 1 t\n", "line 2: 1 column,"),
    ],
)
def test_a_bad_run_is_refused_with_the_reason(content: bytes, said: str) -> None:
    with pytest.raises(DataError, match=said):
        run_of(content)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=re.escape(f"{tmp_path / 'none'}: no such file")):
        read_run(tmp_path / "none")


def test_a_hundred_thousand_equal_documents_are_refused_at_once() -> None:
    with pytest.raises(DataError, match="line 2: document 'd' of query '1' was retrieved in line 1 already"):
        run_of(b"1 Q0 d 1 1 t\n" * 100_000)


# Real files


def test_the_vaswani_run_is_read_as_the_oracle_reads_it(trec_data: Path) -> None:
    path = trec_data / "vaswani_DPH.res.gz"
    run = read_run(path)
    assert len(run.scores) == 91_930
    assert run.name == "DPH"
    assert in_order(raw(run)) == in_order(oracle.run(gzip.decompress(path.read_bytes()))[0])


@pytest.mark.parametrize(
    "name",
    ["vaswani.qrels.gz", "qrels.dl19-passage.txt.gz", "trec_eval_test/qrels.test", "trec_eval_test/qrels.comment.test"],
)
def test_real_qrels_are_read_as_the_oracle_reads_them(name: str, trec_data: Path) -> None:
    content = (trec_data / name).read_bytes()
    content = gzip.decompress(content) if name.endswith(".gz") else content
    assert in_order(raw(read_qrels(trec_data / name))) == in_order(oracle.qrels(content))


def test_every_real_run_is_read_as_the_oracle_reads_it(trec_data: Path) -> None:
    paths = [*sorted((trec_data / "dl19").glob("*.run.gz")), *sorted((trec_data / "trec_eval_test").glob("results.*"))]
    assert len(paths) == 9
    for path in paths:
        content = path.read_bytes()
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        expected, tag = oracle.run(content)
        run = read_run(path)
        assert in_order(raw(run)) == in_order(expected)
        assert run.name == tag.decode()


def test_trec_evals_comment_test_keeps_hashes_in_ids(trec_data: Path) -> None:
    qrels = read_qrels(trec_data / "trec_eval_test" / "qrels.comment.test")
    assert qrels.documents[0] == "msmarco_v2.1_doc_00_880019750#4_1633802806"


def test_standard_output_is_a_file_too(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_qrels("-", Qrels.of({"q": {"a": 1}}))
    assert capfdbinary.readouterr().out == b"q 0 a 1\n"
