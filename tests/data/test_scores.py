"""Score files: definition, round trip, refusals."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise import _kernels
from rankwise.data.formats import scores
from rankwise.errors import DataError

from .collections import collection


@pytest.fixture
def file(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "s.txt"
        path.write_bytes(text.encode())
        return path

    return write


def test_one_number_a_line(file):
    assert scores.read(file("# made by hand\n 1 \r\n-2.5e-1\t\n+7\n\n \n")).tolist() == [1, -0.25, 7]


def test_the_last_line_may_lack_its_end(file):
    assert scores.read(file("1\n2")).tolist() == [1, 2]


def test_one_column_of_several_can_be_chosen(file):
    path = file("q1\t0\t2.5\nq1\t1\t-3\n")
    assert scores.read(path, column=-1).tolist() == [2.5, -3]
    assert scores.read(path, column=2).tolist() == [0, 1]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1), st.sampled_from(["s.txt", "s.txt.gz"]))
@settings(max_examples=200, deadline=None)
def test_what_is_written_is_read_back_bit_for_bit(tmp_path_factory, values, name):
    path = tmp_path_factory.mktemp("scores") / name
    scores.write(values, path)
    assert scores.read(path).tobytes() == np.array(values).tobytes()


@given(st.binary(max_size=40) | st.text("0123456789.e-+ \t\n\r#naif", max_size=40).map(str.encode))
@settings(max_examples=2000, deadline=None)
def test_any_bytes_are_scores_or_refused(content):
    def slowly() -> list[float] | None:
        lines = [line.strip(b" \t\r\x0c") for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
        lines = [line for line in lines if not line.startswith(b"#")]
        while lines and not lines[-1]:
            lines.pop()
        number = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
        if not lines or not all(number.fullmatch(line) and np.isfinite(float(line)) for line in lines):
            return None
        return [float(line) for line in lines]

    if content.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
        return
    try:
        found = _kernels.read_scores(_kernels.Text.from_bytes("s", content)).tolist()
    except DataError:
        found = None
    assert found == slowly()


def test_real_score_files_have_a_score_a_document():
    folder = collection("mq2008-scores")
    for path in sorted(folder.glob("*/*.gz")):
        right = [float(line) for line in gzip.decompress(path.read_bytes()).split()]
        assert scores.read(path).tolist() == right


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("", None, "s.txt: there is no score in it"),
        ("1\n2 3 4\n", None, "line 2: expected one number, found 3 columns\nHint: choose one with `column=`"),
        ("1\n\n2\n", None, "line 2: the line is blank, and scores follow it"),
        ("nan\n", None, "line 1: the score is NaN"),
        ("inf\n", None, "line 1: the score 'inf' is infinite"),
        ("1\n1e999\n", None, "line 2: the score '1e999' is infinite"),
        ("# c\n1.5x\n", None, "line 2: expected a number, and found '1.5x'"),
        ("1,5\n", None, "line 1: expected a number, and found '1,5'"),
        ("1 2\n3\n", 2, "line 2: column 2 was asked for, and the line has 1"),
        ("1 a\n", -1, "line 1: expected a number, and found 'a'"),
        ("1\n", 0, "column 0 does not exist; columns count from 1"),
        ("1\n", -2, "column -2 does not exist"),
    ],
)
def test_a_malformed_file_is_refused(file, text, column, says):
    with pytest.raises(DataError, match=re.escape(says)):
        scores.read(file(text), column)


def test_scores_that_are_not_finite_are_not_written(tmp_path):
    with pytest.raises(DataError, match="the score of row 1 is nan"):
        scores.write([1, float("nan")], tmp_path / "s.txt")
    with pytest.raises(DataError, match="scores must have 1 dimension, not 2"):
        scores.write([[1.0]], tmp_path / "s.txt")
