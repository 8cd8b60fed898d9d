"""Tables: the same lists from every door, and refusals that name row or line."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import rankwise
from rankwise import DataError, evaluate, read_table
from rankwise.data.dataset import Dataset

COLUMNS = {
    "query_id": ["b", "a", "b", "c"],
    "doc_id": ["x", "y", "z", "x"],
    "relevance": [1, None, 0, 2],
    "price": [1.5, float("nan"), None, 4],
    "stars": [3, 4, 5, None],
    "site": ["s1", None, "s2", "s1"],
}


def as_dictionary(tmp_path: Path) -> object:
    return {name: np.array(values, dtype=object) for name, values in COLUMNS.items()}


def as_arrow(tmp_path: Path) -> object:
    return pa.table(COLUMNS)


def as_stream(tmp_path: Path) -> object:
    return pa.table(COLUMNS).to_reader()


def as_views(tmp_path: Path) -> object:
    table = pa.table(COLUMNS)
    return table.set_column(0, "query_id", table["query_id"].cast(pa.string_view()))


def as_dictionary_encoded(tmp_path: Path) -> object:
    table = pa.table(COLUMNS)
    return table.set_column(0, "query_id", table["query_id"].dictionary_encode())


def as_parquet(tmp_path: Path) -> object:
    pyarrow.parquet.write_table(pa.table(COLUMNS), tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def as_csv(tmp_path: Path) -> object:
    lines = [",".join(COLUMNS)]
    lines += [",".join("" if v is None else str(v) for v in row) for row in zip(*COLUMNS.values(), strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "t.csv"


DOORS = [as_dictionary, as_arrow, as_stream, as_views, as_dictionary_encoded, as_parquet, as_csv]


@pytest.mark.parametrize("door", DOORS)
def test_every_door_gives_the_same_lists(door, tmp_path):
    data = read_table(door(tmp_path), keep=["site"])
    assert (list(data.queries), list(data.documents)) == (["b", "a", "c"], ["x", "z", "y", "x"])
    np.testing.assert_array_equal(data.offsets, [0, 2, 3, 4])
    np.testing.assert_array_equal(data.labels, [1, 0, np.nan, 2])
    np.testing.assert_array_equal(data.rows, [0, 2, 1, 3])
    np.testing.assert_array_equal(data.features, np.float32([[1.5, 3], [np.nan, 5], [np.nan, 4], [4, np.nan]]))
    assert data.feature_names == ("price", "stars")
    assert list(data.columns["site"]) == ["s1", "s2", "", "s1"]


def test_a_table_groups_as_dataset_does():
    rng = np.random.default_rng(7)
    qid, labels, features = rng.integers(0, 300, 5000), rng.integers(0, 3, 5000), rng.random((5000, 3), np.float32)
    expected = Dataset.of(features, labels, qid=qid)
    found = read_table({"qid": qid, "label": labels, "a": features[:, 0], "b": features[:, 1], "c": features[:, 2]})
    assert found.queries == expected.queries
    for name in ("labels", "offsets", "rows", "features"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), strict=name == "features")


def test_the_highest_event_that_holds_is_the_label():
    events = {"qid": [1] * 5, "click": [0, 1, 1, None, np.nan], "book": [False, False, True, None, True]}
    table = {name: np.array(values, dtype=object) for name, values in events.items()}
    assert read_table(table, labels={"click": 1, "book": 5}).labels.tolist() == [0, 1, 5, 0, 5]


def test_the_engine_is_imported_for_tables_alone(tmp_path):
    (tmp_path / "qrels").write_text("q 0 d 1\n")
    (tmp_path / "run").write_text("q Q0 d 1 1 t\n")
    (tmp_path / "letor").write_text("1 qid:1 1:1\n")
    (tmp_path / "scores").write_text("1\n")
    code = f"""
import sys, rankwise
from rankwise.cli import main
main(["evaluate", r"{tmp_path}/qrels", r"{tmp_path}/run"])
main(["evaluate", "--letor", r"{tmp_path}/letor", "--scores", r"{tmp_path}/scores"])
rankwise.evaluate({{"q": {{"d": 1}}}}, {{"q": {{"d": 1}}}})
rankwise.evaluate([1, 0], [2, 1], qid=[1, 1])
assert "duckdb" not in sys.modules
rankwise.read_table({{"qid": [1], "label": [1]}})
assert "duckdb" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def csv(tmp_path: Path, text: str | bytes, name: str = "t.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


HEAD = "qid,docno,label\n"
BAD_TEXTS = {
    "a cut-off last row": (HEAD + "1,a,1\n2,c", r"t\.csv, line 3: 2 fields where the first line has 3\nHint: lines"),
    "a long row": (HEAD + "1,a,1\n1,b,2,3\n2,c,1\n", r"t\.csv, line 3: 4 fields where the first line has 3"),
    "a text among numbers": (HEAD + "1,a,1\n" * 30_000 + "1,b,x\n", r"t\.csv, line 30002: column 'label': 'x' is no"),
    "an open quotation mark": (HEAD + '1,"a,1\n1,b,2\n', r"t\.csv, line 2: a quotation mark is not closed"),
    "another encoding": (HEAD.encode() + b"1,a\xff,1\n", r"t\.csv, line 2: the text is not UTF-8\nHint: save"),
    "UTF-16": (HEAD.encode("utf-16") + b"1\x00", r"t\.csv, line 1: the text is not UTF-8"),
    "no row": (HEAD, r"t\.csv: there are no rows"),
    "nothing": ("", r"t\.csv: the file is empty"),
    "a name twice": ("qid,label,label\n1,2,3\n", r"two columns are called 'label'\nHint: rename"),
    "a name twice but for case": ("qid,label,Label\n1,2,3\n", r"the columns 'label' and 'Label' differ in case alone"),
    "an absent query id": (HEAD + "1,a,1\n,b,1\n", r"t\.csv, row 2: there is no query id"),
    "an absent document id": (HEAD + "1,a,1\n1,NULL,1\n", r"t\.csv, row 2: there is no document id"),
    "labels that are texts": (HEAD + "1,a,good\n1,b,bad\n", r"t\.csv, line 2: column 'label': 'good' is no number"),
    "no query": (
        "id,label\n1,1\n",
        r"no column is known to be the query\nHint: name it.* are id, label",
    ),
    "two queries": ("qid,user_id,label\n1,1,1\n", r"'qid' and 'user_id' may each be the query\nHint: say which"),
    "a comment at the top": (
        "# log\nqid,label\n1,1\n",
        r"no column is known .*\n.*the columns are # log",
    ),
    "a name over two lines": ('qid,"a\nb",label\n1,2,3\n', r"t\.csv, line 1: a name in the first line goes on"),
    "a line of megabytes": (
        'qid,label\n1,"' + "x" * 5_000_000 + '"\n',
        r"t\.csv, line 2: Maximum line size",
    ),
    "ends of lines of two kinds": ("qid,label\r\n1,1\n1,0\r\n", r"ends of lines or quotation marks are of several"),
    "decimal commas": ("qid;label\n1;0,5\n", r"t\.csv, line 2: column 'label': '0,5' is no number"),
    "zip": (b"PK\x03\x04" + bytes(50), r"t\.csv: is packed with zip\nHint: unpack it first"),
    "zeros": (
        bytes(1000),
        r"no column is known to be the query\nHint: name it with `query=` \(`--query`\).*the columns are '.x00.x00",
    ),
    "no label": ("qid,a\n1,1\n", r"no column is known to be the label"),
}


@pytest.mark.parametrize("what", BAD_TEXTS)
def test_a_bad_text_file_is_refused(what, tmp_path):
    text, words = BAD_TEXTS[what]
    with pytest.raises(DataError, match=words):
        read_table(csv(tmp_path, text))


def test_lines_that_cannot_be_read_are_skipped_and_counted(tmp_path):
    path = csv(tmp_path, HEAD + "1,a,1\n1,b\n2,c,x\n2,d,0\n3,e")
    data = read_table(path, label="label", skip_bad_lines=True)
    assert (list(data.documents), data.skipped_lines) == (["a", "d"], 3)


def test_a_table_of_bad_lines_only_is_refused_as_that(tmp_path):
    path = csv(tmp_path, HEAD + "1,a\n2,c\n")
    with pytest.raises(
        DataError, match=r"t\.csv: there are no rows but bad lines, which are left out: 2\nHint: without"
    ):
        read_table(path, label="label", skip_bad_lines=True)


def test_ids_of_a_text_file_stay_as_they_stand(tmp_path):
    assert list(read_table(csv(tmp_path, HEAD + "007,1e3,1\n7,0x1,1\n")).queries) == ["007", "7"]


def test_the_public_name():
    assert rankwise.read_table is read_table


BAD_FILES = {
    "no such file": (None, "none.csv", r"none\.csv: no such file"),
    "a folder": ("folder", "folder.csv", r"folder\.csv: is a directory"),
    "Parquet that is none": (b"PAR1xxxx", "t.parquet", r"t\.parquet: .*too small to be a Parquet file"),
    "Parquet by its first bytes alone": (
        b"PAR1" + bytes(100),
        "t.parquet",
        r"t\.parquet: it begins or ends as no Parquet file does\nHint: it may be cut off",
    ),
    "Parquet cut off": ("cut", "t.parquet", r"t\.parquet: "),
    "gzip cut off": ("gzip", "t.csv.gz", r"t\.csv\.gz: the packed file is cut off\nHint: copy"),
}


@pytest.mark.parametrize("what", BAD_FILES)
def test_a_bad_file_is_refused_by_its_name(what, tmp_path):
    content, name, words = BAD_FILES[what]
    path = tmp_path / name
    if content == "folder":
        path.mkdir()
    elif content == "cut":
        path.write_bytes(as_parquet(tmp_path).read_bytes()[:-200])
    elif content == "gzip":
        path.write_bytes(gzip.compress(HEAD.encode() + b"1,a,1\n" * 5000)[:60])
    elif content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=words):
        read_table(path)


GOOD = {"qid": [1, 1, 2], "docno": ["a", "b", "a"], "label": [1, 0, 2], "x": [0.5, 1.0, 2.0]}
BAD_FRAMES = {
    "an absent query id": ({"qid": [1, None, 2]}, {}, r"^row 1: there is no query id"),
    "an absent document id": ({"docno": ["a", None, "b"]}, {}, r"^row 1: there is no document id"),
    "an infinite label": ({"label": [1.0, np.inf, 0]}, {}, r"^row 1: column 'label' is infinite"),
    "an infinite label among others": ({"qid": [1, 2, 1], "label": [0, 1, -np.inf]}, {}, r"^row 2: column 'label'"),
    "an infinite feature": ({"x": [1.0, 2.0, -np.inf]}, {}, r"^row 2: column 'x' is infinite"),
    "a feature too large": ({"x": [1.0, 2.0, 1e300]}, {}, r"^row 2: .* too large for a 32-bit float"),
    "labels that are lists": ({"label": [[1], [2], [3]]}, {}, r"column 'label' is .*\[\], which is no number"),
    "query ids that are structures": ({"qid": [{"a": 1}] * 3}, {}, r"column 'qid' is STRUCT.*, which is no query id"),
    "labels that are times": ({"label": [datetime(2020, 1, 1)] * 3}, {}, r"column 'label' holds times, where numbers"),
    "texts as features": ({"x": ["a", "b", "c"]}, {"features": ["x"]}, r"^row 0: column 'x': 'a' is no number"),
    "no such column": ({}, {"keep": ["y"]}, r"there is no column 'y'\nHint: the columns are qid, docno, label, x"),
    "a column by number": ({}, {"features": [3]}, r"a column is named by text, not by 3"),
    "features as a text": ({}, {"features": "x"}, r"features must be a list of names, not the text 'x'"),
    "label and labels": ({}, {"label": "x", "labels": {"x": 1}}, r"both `label` and `labels` are given"),
    "labels without worth": ({}, {"labels": ["x"]}, r"`labels` says what each event is worth, by column\nHint: write"),
    "labels of nothing": ({}, {"labels": {}}, r"`labels` names no column"),
    "a label that is no number": ({}, {"labels": {"x": "five"}}, r"the label of 'x' must be a number, not 'five'"),
    "weights that differ": (
        {},
        {"weight": "x"},
        r"column 'x' has two values within list '1'\nHint: a weight",
    ),
    "a negative weight": ({"x": [-1.0, -1.0, 1.0]}, {"weight": "x"}, r"the weight of list '1' is -1"),
    "a position of 0": ({"x": [0, 1, 2]}, {"position": "x"}, r"column 'x' holds 0, which is no position"),
    "a broken position": ({}, {"position": "x"}, r"column 'x' holds 0\.5, which is no position"),
    "no row": ({"qid": [], "docno": [], "label": [], "x": []}, {}, r"^there are no rows"),
    "an id beyond the limit": ({"docno": ["a" * 70_000, "b", "c"]}, {}, r"^row 0: the id has 70000 bytes; the longest"),
}


@pytest.mark.parametrize("what", BAD_FRAMES)
def test_a_bad_frame_is_refused(what):
    columns, options, words = BAD_FRAMES[what]
    with pytest.raises(DataError, match=words):
        read_table(pa.table(GOOD | columns), **options)


def breaking() -> Iterator[pa.RecordBatch]:
    yield pa.record_batch({"qid": [1], "label": [2]})
    raise RuntimeError("connection lost")


def test_arrays_of_any_layout_are_read():
    labels = np.arange(10.0)[::-2]
    for values in (labels, labels.astype(">f8"), labels.astype(np.float16), labels.tolist()):
        assert read_table({"qid": np.ones(5, ">i4"), "label": values}).labels.tolist() == [9, 7, 5, 3, 1]
    days = np.array(["2020-01-01", "2020-01-02"], "datetime64[D]")
    assert list(read_table({"qid": days, "docno": np.array([b"a", b"b"]), "label": [1, 2]}).documents) == ["a", "b"]


@pytest.mark.parametrize(
    ("texts", "labels"), [("true,false", [1, 0]), ("2,0", [1, 0]), ("0.5,nan", [1, 0]), (",1", [0, 1])]
)
def test_an_event_is_a_truth_value_or_a_number(texts, labels, tmp_path):
    path = csv(tmp_path, "qid,event\n" + "".join(f"1,{text}\n" for text in texts.split(",")))
    assert read_table(path, labels={"event": 1}).labels.tolist() == labels


def test_what_is_no_table_is_refused():
    with pytest.raises(DataError, match=r"a table is wanted, not int\nHint: give a path, a frame"):
        read_table(5)
    with pytest.raises(DataError, match="a table is not read from standard input"):
        read_table("-")
    with pytest.raises(DataError, match="column 'b' has 2 rows, column 'a' has 3"):
        read_table({"a": [1, 2, 3], "b": [1, 2]})
    with pytest.raises(DataError, match="column 'a' must have 1 dimension, not 2"):
        read_table({"a": [[1], [2]]})
    with pytest.raises(DataError, match="the table has no columns"):
        read_table({})
    with pytest.raises(DataError, match="the table has no columns"):
        read_table(pa.table({}))
    with pytest.raises(DataError, match="column 'b' is of type complex128, which is no column of numbers or texts"):
        read_table({"a": [1], "b": [1j]})
    with pytest.raises(DataError, match="threads must be a whole number from 1, not 0"):
        read_table({"qid": [1], "label": [1]}, threads=0)
    with pytest.raises(DataError, match="connection lost"):
        read_table(pa.RecordBatchReader.from_batches(pa.schema({"qid": pa.int64(), "label": pa.int64()}), breaking()))
    with pytest.raises(DataError, match="two columns are called 'x'"):
        read_table(pa.table([[1], [2]], names=["x", "x"]))


IDS = {
    "whole numbers": (pa.array([7, 7, -3]), ["7", "-3"]),
    "unsigned numbers": (pa.array([2**64 - 1, 2**64 - 1, 1], pa.uint64()), ["18446744073709551615", "1"]),
    "floats that are whole": (pa.array([7.0, 7.0, 2.0]), ["7", "2"]),
    "fractions": (pa.array([0.5, 0.5, 2.0]), ["0.5", "2"]),
    "texts": (pa.array(["ä", "ä", ""]), ["ä", ""]),
    "large texts": (pa.array(["ä", "ä", "b"], pa.large_string()), ["ä", "b"]),
    "categories": (pa.array(["u", "u", "v"]).dictionary_encode(), ["u", "v"]),
    "times": (pa.array([0, 0, 1], pa.timestamp("s")), ["1970-01-01 00:00:00", "1970-01-01 00:00:01"]),
    "days": (pa.array([0, 0, 1], pa.date32()), ["1970-01-01", "1970-01-02"]),
    "decimals": (pa.array([Decimal("1.50"), Decimal("1.50"), Decimal("2.00")]), ["1.50", "2.00"]),
    "truth values": (pa.array([True, True, False]), ["true", "false"]),
}


@pytest.mark.parametrize("kind", IDS)
def test_ids_of_any_type_are_read_by_their_text(kind):
    ids, words = IDS[kind]
    data = read_table(pa.table({"qid": ids, "docno": ids, "label": [1, 0, 1]}))
    assert (list(data.queries), list(data.documents)) == (words, [words[0], *words])


def test_ids_that_are_uuids_are_read_by_their_text(tmp_path):
    import duckdb

    word = "6b1c3c1e-53c1-4b5a-9c9e-6b8a1f0a2b3c"
    found = duckdb.sql(f"SELECT '{word}'::UUID AS qid, 1 AS label")
    assert list(read_table(found).queries) == [word]


def test_numbers_of_any_type_are_labels_and_features():
    values = pa.table(
        {
            "qid": [1, 1],
            "label": pa.array([Decimal("1.5"), None]),
            "truth": [True, None],
            "huge": pa.array([2**63, 1], pa.uint64()),
            "single": pa.array([0.1, None], pa.float32()),
            "nothing": pa.nulls(2),
        }
    )
    data = read_table(values)
    np.testing.assert_array_equal(data.labels, [1.5, np.nan])
    expected = np.float32([[1, 2**63, 0.1, np.nan], [np.nan, 1, np.nan, np.nan]])
    np.testing.assert_array_equal(data.features, expected)


def test_kept_columns_have_their_types_in_the_order_of_the_dataset():
    table = pa.table(
        {
            "qid": ["b", "a", "b"],
            "label": [1, 2, 3],
            "whole": [2**60 + 1, 5, 6],
            "gaps": [1, None, 3],
            "truth": [True, False, True],
            "time": pa.array([datetime(2020, 1, 1), None, datetime(2020, 1, 2)]),
            "text": ["ü", None, "w"],
        }
    )
    data = read_table(table, keep=["whole", "gaps", "truth", "time", "text"], features=())
    assert data.columns["whole"].tolist() == [2**60 + 1, 6, 5]
    np.testing.assert_array_equal(data.columns["gaps"], [1, 3, np.nan])
    assert data.columns["truth"].tolist() == [True, True, False]
    days = np.array(["2020-01-01", "2020-01-02", "NaT"], "datetime64[us]")
    np.testing.assert_array_equal(data.columns["time"], days)
    assert list(data.columns["text"]) == ["ü", "w", ""]
    assert data.features is None


def test_weights_and_positions_are_read():
    table = {"qid": [2, 1, 2], "label": [1, 0, 0], "w": [0.5, 2, 0.5], "v": [1, 2, 3], "rank": [1, 1, 2]}
    data = read_table(table, weight="w", document_weight="v", position="rank")
    assert (data.weights.tolist(), data.positions.tolist()) == ([0.5, 2], [1, 2, 1])
    assert (data.document_weights.tolist(), data.features) == ([1, 3, 2], None)
    with pytest.raises(DataError, match="the weight of row 2 is -3; weights are finite and not negative"):
        read_table(table | {"v": [1, 2, -3]}, document_weight="v")


def test_texts_that_stand_for_absent_numbers_are_nan(tmp_path):
    path = csv(tmp_path, "qid,label,x\n1,1,NA\n1,NA,2\n2,0,3\n")
    data = read_table(path, features=["x"])
    np.testing.assert_array_equal(data.labels, [1, np.nan, 0])
    np.testing.assert_array_equal(data.features[:, 0], [np.nan, 2, 3])


def test_a_fraction_after_thousands_of_whole_numbers_is_read(tmp_path):
    path = csv(tmp_path, "qid,label,x\n" + "1,1,1\n" * 30_000 + "1,0.5,2.5\n")
    data = read_table(path)
    assert (data.labels[-1], data.features[-1, 0]) == (0.5, 2.5)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_that_of_the_first_line(delimiter, tmp_path):
    path = csv(tmp_path, "qid,label\n7,2\n".replace(",", delimiter))
    assert read_table(path).labels.tolist() == [2]


@pytest.mark.parametrize("name", ["a[1].csv", "a*.csv", "it's.csv"])
def test_signs_in_a_file_name_stand_for_themselves(name, tmp_path):
    csv(tmp_path, "qid,label\n1,0\n", "a1.csv")
    assert read_table(csv(tmp_path, "qid,label\n7,2\n", name)).labels.tolist() == [2]


def test_signs_in_column_names_stand_for_themselves():
    data = read_table({'q"id': [1], "la'bel": [2], "x y; DROP": [3.0]}, query='q"id', label="la'bel")
    assert (data.labels.tolist(), data.feature_names) == ([2], ("x y; DROP",))


def test_an_index_without_a_name_is_no_feature(tmp_path):
    assert read_table(csv(tmp_path, ",qid,label,x\n0,1,1,2\n")).feature_names == ("x",)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_any_number_of_threads_gives_the_same_bits(threads, tmp_path):
    rng = np.random.default_rng(5)
    table = pa.table({"qid": rng.integers(0, 20_000, 300_000), "label": rng.random(300_000), "x": rng.random(300_000)})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet", row_group_size=10_000)
    one, many = read_table(tmp_path / "t.parquet", threads=1), read_table(tmp_path / "t.parquet", threads=threads)
    for name in ("labels", "offsets", "rows", "features"):
        assert getattr(one, name).tobytes() == getattr(many, name).tobytes()


NAMES = {
    "ir_measures": ("query_id", "doc_id", "relevance", "score"),
    "PyTerrier": ("qid", "docno", "label", "score"),
    "ranx": ("q_id", "doc_id", "score", "score"),
    "Hugging Face": ("query-id", "corpus-id", "score", "score"),
    "recommenders": ("userID", "itemID", "rating", "prediction"),
}


@pytest.mark.parametrize("tool", NAMES)
def test_the_names_of_other_tools_are_understood(tool, tmp_path):
    query, document, label, score = NAMES[tool]
    qrels = pa.table({query: ["q", "q", "r"], document: ["a", "b", "c"], label: [1, 0, 2]})
    run = pa.table({query: ["q", "r", "q", "s"], document: ["b", "c", "a", "a"], score: [0.5, 0.25, 0.75, 1.0]})
    scores = {"q": {"b": 0.5, "a": 0.75}, "r": {"c": 0.25}, "s": {"a": 1.0}}
    expected = evaluate({"q": {"a": 1, "b": 0}, "r": {"c": 2}}, scores, "nDCG@10")
    assert evaluate(qrels, run, "nDCG@10")["nDCG@10"].values.tolist() == expected["nDCG@10"].values.tolist()
    pyarrow.parquet.write_table(qrels, tmp_path / "qrels.parquet")
    pyarrow.csv.write_csv(run, tmp_path / "run.csv")
    by_path = evaluate(tmp_path / "qrels.parquet", str(tmp_path / "run.csv"), "nDCG@10")
    assert by_path["nDCG@10"].values.tolist() == expected["nDCG@10"].values.tolist()


def test_qrels_and_runs_of_tables_are_those_of_files(tmp_path):
    qrels = rankwise.read_qrels({"query": [1, 1, 2], "doc": ["a", "b", "c"], "rel": [1, None, 2]}, **ROLES)
    assert qrels.to_dict() == {"1": {"a": 1.0}, "2": {"c": 2.0}}
    csv(tmp_path, "qid,docno,score\n1,a,2\n2,b,1\n1,c,3\n", "bm25.csv")
    run = rankwise.read_run(tmp_path / "bm25.csv")
    assert (run.name, run.to_dict()) == ("bm25", {"1": {"a": 2.0, "c": 3.0}, "2": {"b": 1.0}})


ROLES = {"query": "query", "document": "doc", "label": "rel"}
BAD_RUNS = {
    "a document twice": ("1,a,2\n1,a,3\n", r"t\.csv: query '1': document 'a' appears twice"),
    "no score": ("1,a,2\n1,b,\n", r"t\.csv, row 2: there is no score"),
    "an infinite score": ("1,a,inf\n", r"t\.csv: query '1', document 'a': inf is not a finite number"),
}


@pytest.mark.parametrize("what", BAD_RUNS)
def test_a_bad_run_is_refused(what, tmp_path):
    text, words = BAD_RUNS[what]
    with pytest.raises(DataError, match=words):
        rankwise.read_run(csv(tmp_path, "qid,docno,score\n" + text))


def test_a_column_of_a_dataset_is_evaluated_by_its_name():
    table = pa.table({"qid": [1, 2, 1, 2], "label": [1, 0, 0, 2], "bm25": [1.0, 2.0, 3.0, 4.0], "site": list("uvuv")})
    expected = evaluate([1, 0, 0, 2], [1.0, 2.0, 3.0, 4.0], "nDCG@10", qid=[1, 2, 1, 2])["nDCG@10"].values
    data = read_table(table, score="bm25", keep=["site"])
    for result in (evaluate(data, "bm25", "nDCG@10", by="site"), evaluate(table, "bm25", "nDCG@10", by="site")):
        assert result["nDCG@10"].values.tolist() == expected.tolist()
        assert "u" in str(result.groups)
    with pytest.raises(DataError, match=r"the dataset has no column 'site2'\nHint: there are bm25, site"):
        evaluate(data, "site2", "nDCG@10")
    with pytest.raises(DataError, match=r"scores are numbers, and column 'site' holds texts"):
        evaluate(data, "site", "nDCG@10")


def test_a_score_that_is_absent_is_named_by_the_callers_row():
    table = pa.table({"qid": [1, 2, 1], "label": [1, 0, 0], "bm25": [1.0, None, 3.0]})
    with pytest.raises(DataError, match=r"scores, row 1: the score is NaN"):
        evaluate(table, "bm25", "nDCG@10")


def test_single_columns_of_frames_are_still_labels_and_scores():
    pd = pytest.importorskip("pandas")
    result = evaluate(pd.Series([1, 0]), pd.Series([1.0, 2.0]), "RR", qid=pd.Series([1, 1]))
    assert result["RR"].mean == 0.5


def test_read_picks_the_reader_by_name_and_content(tmp_path):
    (tmp_path / "letor.txt").write_text("1 qid:7 1:0.5\n")
    assert rankwise.read(tmp_path / "letor.txt").labels.tolist() == [1]
    assert rankwise.read(csv(tmp_path, "qid,label\n7,2\n")).labels.tolist() == [2]
    as_parquet(tmp_path).rename(tmp_path / "other")
    assert len(rankwise.read(tmp_path / "other")) == 3
    assert len(rankwise.read(pa.table(COLUMNS), features=())) == 3


def test_ids_of_millions_of_rows_are_no_python_objects():
    import tracemalloc

    rows = 300_000
    table = pa.table({"qid": np.arange(rows) // 20, "docno": pa.array(np.char.mod("document-%d", np.arange(rows)))})
    table = table.append_column("label", pa.array(np.zeros(rows)))
    tracemalloc.start()
    data = read_table(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # NumPy reports its arrays too; a Python object for each id would be 50 bytes and a pointer more.
    assert peak < 40 * rows
    assert data.documents[rows - 1] == f"document-{rows - 1}"


def test_a_stream_that_breaks_off_is_refused_with_its_reason() -> None:
    batch = pa.record_batch({"qid": [1], "label": [1.0]})

    def batches() -> Iterator[pa.RecordBatch]:
        yield batch
        raise RuntimeError("the source is gone")

    with pytest.raises(DataError, match=r"^the stream broke off: the source is gone\.?$"):
        read_table(pa.RecordBatchReader.from_batches(batch.schema, batches()))
