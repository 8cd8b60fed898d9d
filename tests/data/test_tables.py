"""Tables: the same lists from every door, and refusals that name row or line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import rankwise
from rankwise import DataError, read_table
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
    "a cut-off last row": (HEAD + "1,a,1\n2,c", r"t\.csv, line 3: 2 fields where the first line has 3\nHint: a line"),
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


def test_ids_of_a_text_file_stay_as_they_stand(tmp_path):
    assert list(read_table(csv(tmp_path, HEAD + "007,1e3,1\n7,0x1,1\n")).queries) == ["007", "7"]


def test_the_public_name():
    assert rankwise.read_table is read_table
