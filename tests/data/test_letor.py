"""LETOR text: definition, laws, real files, refusals."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise import _kernels
from rankwise.data.dataset import Dataset
from rankwise.data.formats import letor, scores, trec
from rankwise.errors import DataError

from ..oracles import letor as oracle
from .collections import collection


def parse(text: bytes | str, **options: object) -> _kernels.Letor:
    content = text if isinstance(text, bytes) else text.encode()
    return _kernels.read_letor(_kernels.Text.from_bytes("f.txt", content), **options)


@pytest.fixture
def file(tmp_path: Path):
    def write(text: str | bytes) -> Path:
        path = tmp_path / "f.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


# Definition


def test_a_line_is_a_label_a_query_and_features(file):
    data = letor.read(file("2 qid:x 1:0.5 3:-7 # docid = d1 inc = 1\n0 qid:x 2:1e-3 #docid=d2\n1 qid:y # note\n"))
    assert data.features.tolist() == [[0.5, 0, -7], [0, np.float32(1e-3), 0], [0, 0, 0]]
    assert data.labels.tolist() == [2, 0, 1]
    assert data.offsets.tolist() == [0, 2, 3]
    assert list(data.queries) == ["x", "y"]
    assert list(data.documents) == ["d1", "d2", ""]
    assert data.rows is None


def test_a_file_without_documents_has_none(file):
    assert letor.read(file("1 qid:1 1:1 # a note\n")).documents is None


@pytest.mark.parametrize(
    "text",
    [
        "1 qid:1 1:2\n0 qid:1 1:3\n",
        "1 qid:1 1:2\n0 qid:1 1:3",
        "1 qid:1 1:2 \r\n0 qid:1 1:3\r\n",
        "\ufeff1 qid:1 1:2\n0 qid:1 1:3\n",
        "# head\n\n  1\tqid:1\t 1:2\n \r\n0 qid:1 1:3#x\n\n",
    ],
)
def test_line_ends_blanks_and_comments_do_not_matter(text, file):
    data = letor.read(file(text))
    assert data.features.tolist() == [[2], [3]]
    assert data.labels.tolist() == [1, 0]


def test_rows_of_a_query_are_grouped_wherever_they_stand(file):
    text = "0 qid:b 1:1 #docid=p\n1 qid:a 1:2 #docid=q\n2 qid:b 1:3 #docid=r\n"
    data = letor.read(file(text))
    assert list(data.queries) == ["b", "a"]
    assert data.features.ravel().tolist() == [1, 3, 2]
    assert data.labels.tolist() == [0, 2, 1]
    assert list(data.documents) == ["p", "r", "q"]
    assert data.in_callers_order(data.labels).tolist() == [0, 1, 2]


def test_missing_features_have_the_value_asked_for(file):
    path = file("1 qid:1 2:5\n0 qid:1 1:1\n")
    assert letor.read(path, missing=-1).features.tolist() == [[-1, 5], [1, -1]]
    assert np.isnan(letor.read(path, missing=float("nan")).features).tolist() == [[True, False], [False, True]]


def test_indices_in_any_order_are_sorted_when_asked(file):
    assert letor.read(file("1 qid:1 3:3 1:1\n"), sort_features=True).features.tolist() == [[1, 0, 3]]


def test_indices_from_zero_are_accepted_when_asked(file):
    assert letor.read(file("1 qid:1 0:3 1:1\n"), zero_based=True).features.tolist() == [[3, 1]]


def test_the_width_can_be_given(file):
    assert letor.read(file("1 qid:1 1:1\n"), n_features=3).features.shape == (1, 3)


def test_group_sizes_stand_in_for_queries(file, tmp_path):
    path = file("1 1:1\n0\n2 1:3\n")
    sizes = tmp_path / "f.query"
    sizes.write_text("2\n1\n")
    for group in ([2, 1], sizes):
        data = letor.read(path, group=group)
        assert data.offsets.tolist() == [0, 2, 3]
        assert data.labels.tolist() == [1, 0, 2]


def test_bytes_that_are_no_utf8_are_kept_in_ids_and_comments(file):
    data = letor.read(file(b"1 qid:\xff 1:1 #docid = \xfe \xfd\n"))
    assert list(data.queries) == ["\\xff"]
    assert list(data.documents) == ["\\xfe"]


# Laws

HARD = ["1e-45", "7e-46", "3.4028235e38", "3.4028235677973366e38", "16777217", "8388609.5", "0.1", "-0.0", "5.", ".5"]

decimals = st.one_of(
    st.sampled_from(HARD),
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(r"-?[0-9]{1,12}(\.[0-9]{0,12})?(e-?[0-9]{1,2})?", fullmatch=True),
)


@st.composite
def halfway(draw: st.DrawFn) -> str:
    """Exactly in the middle of two neighbours, or a last digit off it."""
    low = np.float32(draw(st.floats(width=32, min_value=2.0**-20, max_value=2.0**60)))
    high = np.nextafter(low, np.float32(np.inf))
    middle = f"{(float(low) + float(high)) / 2:.80e}"
    digits, exponent = middle.split("e")
    return f"{digits}{draw(st.sampled_from(['', '1', '0001']))}e{exponent}"


@given(st.one_of(decimals, halfway()))
@settings(max_examples=2000, deadline=None)
def test_numbers_are_rounded_once(word):
    right = oracle.float32(word)
    if not np.isfinite(right):
        with pytest.raises(DataError, match="too large"):
            parse(f"1 qid:1 1:{word}\n")
        return
    for text in (f"1 qid:1 1:{word}\n", f"1 qid:1 1:{word} 2:0 3:0.000000 4:0\n"):
        assert parse(text).features[0, 0].tobytes() == right.tobytes()


@given(st.one_of(decimals, st.floats(allow_nan=False, allow_infinity=False).map(repr)))
@settings(max_examples=1000, deadline=None)
def test_labels_are_read_as_python_reads_them(word):
    assert parse(f"{word} qid:1\n").labels[0].tobytes() == np.float64(word).tobytes()


GOOD = (
    b"2 qid:10 1:0.5 2:0 3:-1.25e3 # docid = a\n0 qid:10 1:1 3:2\n\n# note\n1 qid:11 2:0.000001 #docid=b inc = 1\r\n"
    b"0 qid:10 1:12345678.5 2:0.1 3:7\n"
)
pieces = st.sampled_from(
    [b"qid:", b" 1:", b" 4:2", b"#docid = ", b"\n", b" ", b"nan", b"1e999", b"-", b".", b"\r", b"0:1"]
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    text = GOOD
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 6)))
        text = text[:start] + draw(st.one_of(st.binary(max_size=2), pieces)) + text[end:]
    return text


@given(st.one_of(st.binary(max_size=60), mutated(), mutated().map(lambda text: text * 3)))
@settings(max_examples=3000, deadline=None)
def test_any_bytes_are_read_as_the_oracle_reads_them_or_refused_at_the_same_line(content):
    if content.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
        return
    try:
        right = oracle.read(content, max_features=500)
    except oracle.Refused as refused:
        line = refused.args[0]
        with pytest.raises(DataError, match=f"^f.txt, line {line}: " if line else "^f.txt: "):
            parse(content, max_features=500)
        return
    found = parse(content, max_features=500)
    assert found.features.tobytes() == right.features.tobytes()
    assert found.features.shape[0] == len(right.labels)
    assert found.labels.tolist() == right.labels
    assert (range(len(right.labels)) if found.rows is None else found.rows.tolist()) == (
        range(len(right.labels)) if right.order == sorted(right.order) else right.order
    )
    text = _kernels.Text.from_bytes("f.txt", content)
    assert [text.at(span) for span in found.queries.tolist()] == list(dict.fromkeys(right.queries))
    spans = [0] * len(right.labels) if found.documents is None else found.documents.tolist()
    assert [text.at(span) for span in spans] == right.documents


def test_any_number_of_threads_gives_the_same_bits():
    random = np.random.default_rng(0)
    lines = [
        f"{row % 5} qid:{random.integers(400)} " + " ".join(f"{i}:{v}" for i, v in enumerate(random.normal(size=40), 1))
        for row in range(4000)
    ]
    text = "\n".join(lines)
    assert len(text) > 3 << 20, "several pieces"
    first, *others = [parse(text, threads=threads) for threads in (1, 2, 7)]
    for other in others:
        for name in ("features", "labels", "offsets", "queries", "rows"):
            assert getattr(first, name).tobytes() == getattr(other, name).tobytes()


tables = st.integers(1, 6).flatmap(
    lambda width: st.lists(
        st.lists(st.floats(width=32, allow_infinity=False, allow_nan=False), min_size=width, max_size=width), min_size=1
    )
)


@given(tables, st.randoms(use_true_random=False), st.sampled_from(["f.txt", "f.txt.gz"]))
@settings(max_examples=100, deadline=None)
def test_what_is_written_is_read_back_bit_for_bit(tmp_path_factory, table, random, name):
    path = tmp_path_factory.mktemp("round") / name
    labels = [random.choice([0, 1, 2.5, -1]) for _ in table]
    documents = [random.choice(["a", "b-1", "ü"]) for _ in table]
    data = Dataset.of(table, labels, qid=[random.choice("xyz") for _ in table], documents=documents)
    letor.write(data, path)
    again = letor.read(path)
    assert again.features.tobytes() == data.features.tobytes()
    assert again.labels.tolist() == data.labels.tolist()
    assert again.offsets.tolist() == data.offsets.tolist()
    assert (again.queries, again.documents) == (data.queries, data.documents)


def test_features_that_are_nan_are_left_out_and_come_back(tmp_path):
    data = Dataset.of([[float("nan"), 1.0]], [1], qid=["a"])
    letor.write(data, tmp_path / "f.txt")
    assert (tmp_path / "f.txt").read_text() == "1 qid:a 2:1\n"
    assert np.isnan(letor.read(tmp_path / "f.txt", missing=float("nan")).features[0, 0])


def test_a_failed_writing_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "f.txt"
    path.write_text("old")
    monkeypatch.setattr(letor, "_lines", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        letor.write(Dataset.of([[1.0]], [1], qid=["a"]), path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["f.txt"]


# Real files


def test_mq2008_has_its_known_counts():
    folder = collection("mq2008")
    parts = [letor.read(folder / f"S{part}.txt.gz") for part in range(1, 6)]
    assert sum(map(len, parts)) == 784
    labels = np.concatenate([part.labels for part in parts])
    assert [int((labels == label).sum()) for label in (0, 1, 2)] == [12279, 2001, 931]
    assert {part.features.shape[1] for part in parts} == {46}
    assert all(part.documents[0].startswith("GX") for part in parts)


@pytest.mark.parametrize(
    "name", ["mq2008/S1.txt.gz", "clueweb09-ltr/S1.txt.gz", "mslr-sample/test.5k.txt.gz", "mslr-sample/train.5k.txt.gz"]
)
def test_real_files_are_read_as_the_oracle_reads_them(name):
    folder, file = name.split("/")
    path = collection(folder) / file
    content = b"\n".join(gzip.decompress(path.read_bytes()).split(b"\n")[:300])
    right, found = oracle.read(content), parse(content)
    assert found.features.tobytes() == right.features[right.order].tobytes()
    assert found.labels.tolist() == right.labels


def test_clueweb09_has_its_known_counts():
    parts = [letor.read(collection("clueweb09-ltr") / f"S{part}.txt.gz") for part in range(1, 6)]
    assert (sum(map(len, parts)), sum(len(part.labels) for part in parts)) == (61, 26_646)
    assert {part.features.shape[1] for part in parts} == {42}


@pytest.mark.parametrize(("part", "rows", "lists"), [("train", 3005, 201), ("test", 768, 50)])
def test_lightgbms_example_is_read_with_its_group_sizes(part, rows, lists):
    folder = collection("lightgbm-lambdarank")
    data = letor.read(folder / f"rank.{part}.gz", group=folder / f"rank.{part}.query", n_features=300)
    assert (len(data), data.features.shape) == (lists, (rows, 300))


# Refusals

REFUSED = {
    "no rows": ("", "f.txt: there is no data line in it"),
    "only comments": ("# a\n\n", "f.txt: there is no data line in it"),
    "no label": ("qid:1 1:1\n", "line 1: expected a label, a number, and found 'qid:1'"),
    "label with a tail": ("1x qid:1\n", "line 1: expected a label, a number, and found '1x'"),
    "label is a feature": ("1:5 qid:1\n", "line 1: expected a label, a number, and found '1:5'"),
    "label nan": ("nan qid:1\n", "line 1: the label 'nan' is not finite"),
    "label inf": ("-inf qid:1\n", "line 1: the label '-inf' is not finite"),
    "label overflows": ("1e999 qid:1\n", "line 1: the label '1e999' is not finite"),
    "label hexadecimal": ("0x1 qid:1\n", "expected a label, a number, and found '0x1'"),
    "no query": ("1 1:1\n", "expected `qid:` and a query id after the label, and found '1:1'"),
    "nothing after the label": ("1\n", "expected `qid:` and a query id after the label, and found the end of the line"),
    "query spelt otherwise": ("1 QID:1\n", "expected `qid:` and a query id after the label, and found 'QID:1'"),
    "query after features": ("1 1:1 qid:3\n", "expected `qid:` and a query id after the label, and found '1:1'"),
    "empty query": ("1 qid: 1:1\n", "the query id after `qid:` is empty"),
    "two queries": ("1 qid:1 qid:2\n", "expected a feature, `index:value`, and found 'qid:2'"),
    "long query": (f"1 qid:{'x' * 70000}\n", "the query id has 70000 bytes; the longest allowed is 65535"),
    "long document": (f"1 qid:1 #docid={'x' * 70000}\n", "the document id has 70000 bytes"),
    "no colon": ("1 qid:1 5\n", "expected a feature, `index:value`, and found '5'"),
    "no index": ("1 qid:1 :5\n", "expected a feature, `index:value`, and found ':5'"),
    "negative index": ("1 qid:1 -1:5\n", "expected a feature, `index:value`, and found '-1:5'"),
    "name for an index": ("1 qid:1 bm25:5\n", "expected a feature, `index:value`, and found 'bm25:5'"),
    "no value": ("1 qid:1 1: 2:3\n", "the value of '1:' is not a number"),
    "word for a value": ("1 qid:1 1:high\n", "the value of '1:high' is not a number"),
    "two points": ("1 qid:1 1:1.2.3\n", "the value of '1:1.2.3' is not a number"),
    "comma": ("1 qid:1 1:0,5\n", "the value of '1:0,5' is not a number"),
    "minus alone": ("1 qid:1 1:- 2:0 3:0 4:0 5:0\n", "the value of '1:-' is not a number"),
    "value with a tail": ("1 qid:1 1:0.5abc 2:0 3:0 4:0\n", "the value of '1:0.5abc' is not a number"),
    "no utf-8": (b"1 qid:1 1:\xff\xfe 2:0 3:0 4:0 5:0\n", "the value of '1:��' is not a number"),
    "control character": ("1 qid:1 1:5\x01 2:0 3:0 4:0 5:0\n", r"expected a feature, `index:value`, and found '\u{1}'"),
    "nan": ("1 qid:1 1:NaN\n", "'1:NaN' is not a number\nHint: leave a missing feature out of the line"),
    "infinite": ("1 qid:1 1:-inf\n", "the value of '1:-inf' is infinite; features must be finite"),
    "too large": ("1 qid:1 1:1e39\n", "the value of '1:1e39' is too large for a 32-bit float"),
    "index 0": ("1 qid:1 0:5\n", "feature index 0; indices start at 1\nHint: if the file counts from 0"),
    "order": ("1 qid:1 45:1 12:1\n", "feature index 12 comes after 45; indices must rise within a line\nHint:"),
    "twice": ("1 qid:1 3:1 3:1\n", "feature index 3 stands twice in the line"),
    "large index": ("1 qid:1 100001:1\n", "feature index 100001 lies above the limit of 100000 features\nHint:"),
    "absurd index": (f"1 qid:1 {'9' * 30}:1\n", "lies above the limit of 100000 features"),
    "a later line": ("1 qid:1 1:1\n\n# x\n1 qid:1 1:x\n", "f.txt, line 4: the value of '1:x' is not a number"),
    "cut in a value": (
        "1 qid:3 1:1\n2 qid:3 1:0.5 2:",
        "line 2: the value of '2:' is not a number; the file seems to be cut",
    ),
    "cut in an index": ("2 qid:3 1:0.5 2", "and found '2'; the file seems to be cut off here\nHint: copy or download"),
    "cut in a query": ("2 qi", "after the label, and found 'qi'; the file seems to be cut off here"),
    "cut after a label": ("2", "and found the end of the line; the file seems to be cut off here"),
}


@pytest.mark.parametrize(("text", "says"), REFUSED.values(), ids=REFUSED)
def test_a_malformed_file_is_refused_with_its_line(text, says, tmp_path):
    path = tmp_path / "f.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DataError, match=re.escape(says)):
        letor.read(path)


def test_options_have_refusals_of_their_own():
    for text, options, says in [
        ("1 qid:1 3:1 1:1 3:2\n", {"sort_features": True}, "feature index 3 stands twice in the line"),
        ("1 qid:1 4:1\n", {"n_features": 3}, "feature index 4 lies outside the 3 features expected"),
        ("1 qid:1 4:1\n", {"zero_based": True, "n_features": 4}, "feature index 4 lies outside the 4 features"),
        ("1 qid:1 4:1\n", {"max_features": 3}, "above the limit of 3 features"),
        ("1 qid:1 4:1\n", {"has_queries": False}, "'qid:1' gives a query id, and group sizes are given too"),
        ("1 qid:1 1:1\n" * 3000, {"n_features": 100_000}, "3000 rows × 100000 features would take 1.1 GiB of memory"),
        ("1 qid:1 1:1\n" * 9000 + "1 qid:1 90000:1\n", {}, "line 9001: 9001 rows × 90000 features would take 3.0 GiB"),
    ]:
        with pytest.raises(DataError, match=re.escape(says)):
            parse(text, **options)


def test_sizes_below_0_are_refused(file):
    for what in ("n_features", "max_features", "threads"):
        with pytest.raises(DataError, match=f"{what} must be a whole number from 0, not -1"):
            letor.read(file("1 qid:1 1:1\n"), **{what: -1})


def zipped(text: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("f.txt", text)
    return packed.getvalue()


PACKERS = {"zip": zipped, "xz": lzma.compress, "bzip2": bz2.compress}


@pytest.mark.parametrize("packer", PACKERS)
def test_files_that_are_packed_otherwise_are_refused(packer, tmp_path):
    path = tmp_path / "f.txt"
    path.write_bytes(PACKERS[packer](b"1 qid:1 1:1\n"))
    for read in (letor.read, scores.read, trec.read_qrels, trec.read_run):
        with pytest.raises(DataError, match=f"f.txt: is packed with {packer}\nHint: unpack it first"):
            read(path)


def test_what_cannot_be_written_is_refused(tmp_path):
    for data, says in [
        (Dataset.of([[1.0]], [float("nan")], qid=["a"]), "row 0 has no label"),
        (Dataset.of([[1.0]], [1], qid=["a b"]), "the query id 'a b' cannot be written"),
        (Dataset.of([[1.0]], [1], qid=[""]), "the query id '' cannot be written"),
        (Dataset.of([[1.0]], [1], qid=["a"], documents=["a\tb"]), r"the document id 'a\\tb' cannot be written"),
    ]:
        with pytest.raises(DataError, match=says):
            letor.write(data, tmp_path / "f.txt")
    assert not list(tmp_path.iterdir())


def test_a_wish_for_millions_of_threads_is_no_harm(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 qid:1 1:0.5\n")
    assert len(letor.read(tmp_path / "a.txt", threads=10_000_000)) == 1
