"""Arrays with a header in one file: round trip, agreement with safetensors, and what damaged files are told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from rankwise import DataError
from rankwise.data.formats import arrays
from rankwise.errors import RankwiseError

TYPES = sorted(arrays.TYPES.values())
COLUMNS = st.dictionaries(
    st.text(st.characters(codec="utf-8"), max_size=8),
    st.sampled_from(TYPES).flatmap(lambda t: arrays_of.arrays(t, arrays_of.array_shapes(min_dims=0, min_side=0))),
    max_size=5,
)
HEADERS = st.dictionaries(
    st.text(max_size=5), st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.file"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(columns=COLUMNS, header=HEADERS)
def test_what_is_written_is_read(columns: dict[str, Any], header: dict[str, Any], path: Path) -> None:
    arrays.write(path, "thing", 3, header, columns)
    found, read = arrays.read(path, "thing", 3)
    assert found == header
    assert list(map(set, (read, columns))) == [set(columns)] * 2
    for name, column in columns.items():
        assert read[name].dtype == column.dtype
        assert read[name].shape == column.shape
        assert read[name].tobytes() == column.tobytes()


def test_the_same_content_gives_the_same_bytes_whatever_the_order_in_memory(path: Path, tmp_path: Path) -> None:
    table = np.arange(6.0).reshape(2, 3)
    arrays.write(path, "thing", 1, {}, {"a": table, "b": np.int32([1])})
    other = tmp_path / "other"
    arrays.write(other, "thing", 1, {}, {"b": np.int32([1]).astype(">i4"), "a": np.asfortranarray(table)})
    assert path.read_bytes() == other.read_bytes()
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".part"] == []


def test_the_package_safetensors_reads_and_writes_the_same_layout(path: Path) -> None:
    theirs = pytest.importorskip("safetensors.numpy")
    columns = {
        "x": np.random.default_rng(0).random((3, 5)), "flags": np.array([True, False]), "none": np.zeros((0, 2), "<f4"),
    }  # fmt: skip
    arrays.write(path, "thing", 1, {"é": [1, None]}, columns)
    found = theirs.load_file(path)
    assert set(found) == set(columns)
    for name, column in columns.items():
        np.testing.assert_array_equal(found[name], column)
        assert found[name].dtype == column.dtype
    kept, _ = layout(path)
    theirs.save_file(columns, path, metadata=kept["__metadata__"])
    header, read = arrays.read(path, "thing", 1)
    assert header == {"é": [1, None]}
    np.testing.assert_array_equal(read["x"], columns["x"])


def layout(path: Path) -> tuple[dict[str, Any], bytes]:
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def rewrite(path: Path, entries: Any, data: bytes) -> None:
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def change(**how: Any) -> Callable[[dict[str, Any]], None]:
    return lambda entries: entries["a"].update(how)


def metadata(**how: Any) -> Callable[[dict[str, Any]], None]:
    return lambda entries: entries["__metadata__"].update(how)


HOSTILE = [
    (change(shape=[1], data_offsets=[8, 16]), "array 'a' leaves a gap before it"),
    (lambda e: e.update(c=dict(e["a"])), "shares bytes with another"),
    (change(data_offsets=[0, 10**6]), "array 'a' lies at .* of 19 bytes; the file may be cut off"),
    (change(data_offsets=[16, 0]), r"array 'a' lies at \[16, 0\]"),
    (change(data_offsets=[0, 16, 0]), "array 'a' lies at"),
    (change(data_offsets=[0, float("nan")]), "NaN is no number of JSON"),
    (change(data_offsets=[0, float("inf")]), "Infinity is no number of JSON"),
    (change(data_offsets=[False, 16]), "array 'a' lies at"),
    (change(shape=[3]), r"array 'a' of \(3,\) × 8 bytes has 16 bytes"),
    (change(shape=[2**30, 2**20]), "array 'a' of .* bytes has 16 bytes"),
    (change(shape=[2**62, 2**62]), "array 'a' has the shape"),
    (change(shape=[-2]), r"array 'a' has the shape \[-2\]"),
    (change(shape=[2.0]), r"array 'a' has the shape \[2.0\]"),
    (change(shape=[1] * 40), "array 'a' has the shape"),
    (change(shape=[0, 2**62], data_offsets=[0, 0]), "array 'a' has the shape"),
    (change(shape="2"), "array 'a' has the shape '2'"),
    (change(dtype="F16"), "array 'a' has the type 'F16', which is none of F64"),
    (change(dtype=["F64"]), r"array 'a' has the type \['F64'\]"),
    (change(dtype="I64", more=1), "array 'a' is not described by its dtype, shape and data_offsets"),
    (lambda e: e.update(a=7), "array 'a' is not described"),
    (lambda e: e.pop("b"), "3 bytes follow the arrays"),
    (lambda e: e.pop("__metadata__"), "it has no header of a thing"),
    (lambda e: e["__metadata__"].pop("crc32"), "it has no header of a thing"),
    (metadata(kind="rankwise model"), "it holds a 'rankwise model', not a 'rankwise thing'\nHint: is it a file"),
    (metadata(version="2"), "it is of version 2 of a thing, and versions up to 1 are known\nHint: read it with"),
    (metadata(version="one"), "its version 'one' is no number"),
    (metadata(header="[1]"), "its header is no JSON object"),
    (metadata(header='{"x": NaN}'), "its header cannot be read as JSON"),
    (metadata(header='{"x": "\ud800"}'), "its header cannot be read as JSON"),
    (metadata(crc32="00000000"), "the arrays are not those that were written"),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "says"), HOSTILE, ids=lambda x: x if isinstance(x, str) else "")
def test_a_description_that_is_wrong_is_refused(damage: Any, says: str, path: Path) -> None:
    arrays.write(path, "thing", 1, {}, {"a": np.array([1.0, 2.0]), "b": np.array([True, False, True])})
    entries, data = layout(path)
    damage(entries)
    rewrite(path, entries, data)
    with pytest.raises(DataError, match=says) as refusal:
        arrays.read(path, "thing", 1)
    assert str(refusal.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "the file has 0 bytes, too few for a thing"),
        (b"\xff" * 8 + b"{}", "promise a header of 18,446,744,073,709,551,615 bytes, and 2 follow"),
        ((50).to_bytes(8, "little") + b"{}", "promise a header of 50 bytes, and 2 follow"),
        ((2).to_bytes(8, "little") + b"\xff\xfe", "its header cannot be read as JSON .*utf-8"),
        ((2).to_bytes(8, "little") + b"[]", "its header is no JSON object"),
        ((17).to_bytes(8, "little") + b'{"a": 1, "a": 2} ', "a name stands twice"),
        ((100_000).to_bytes(8, "little") + b"[" * 100_000, "its header cannot be read as JSON"),
        (b"PK\x03\x04 some zip file of another program", "promise a header"),
    ],
)
def test_what_is_no_such_file_is_refused(content: bytes, says: str, path: Path) -> None:
    path.write_bytes(content)
    with pytest.raises(DataError, match=f"{says}(.|\n)*Hint: is it a file that Rankwise wrote as a thing"):
        arrays.read(path, "thing", 1)


def test_truth_values_are_true_or_false(path: Path) -> None:
    arrays.write(path, "thing", 1, {}, {"b": np.array([True])})
    path.write_bytes(path.read_bytes()[:-1] + b"\x02")
    with pytest.raises(DataError, match="array 'b' has truth values that are neither 0 nor 1"):
        arrays.read(path, "thing", 1)


def test_every_damaged_byte_and_every_cut_is_noticed_or_harmless(path: Path) -> None:
    """One flipped bit or one cut anywhere: a refusal of ours, or what was written."""
    arrays.write(path, "thing", 1, {"n": 1}, {"a": np.arange(3.0)})
    content = path.read_bytes()
    for at in range(len(content)):
        for damaged in (content[:at], content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :]):
            path.write_bytes(damaged)
            try:
                _, read = arrays.read(path, "thing", 1)
            except RankwiseError:
                continue
            assert sorted(map(np.ndarray.tobytes, read.values())) == [np.arange(3.0).tobytes()]


@pytest.mark.parametrize("name", ["-", "result.gz"])
def test_it_is_a_file_of_its_own(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="a thing is written to a file of its own, not packed"):
        arrays.write(name, "thing", 1, {}, {})


def test_arrays_of_objects_and_files_that_are_not_there_are_refused(path: Path) -> None:
    with pytest.raises(DataError, match="array 'a' of object cannot be written"):
        arrays.write(path, "thing", 1, {}, {"a": np.array([None])})
    assert not path.exists()
    with pytest.raises(DataError, match="no such file\nHint: check the path"):
        arrays.read(path, "thing", 1)
    with pytest.raises(DataError, match="cannot be read"):
        arrays.read(path.parent, "thing", 1)
