"""`clean`: what is removed and why, and that everything else stays byte for byte."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np
import pytest

from rankwise import DataError, Dataset, clean, inspect, read_letor, read_table
from rankwise.cli import main
from rankwise.data.clean import DROPS, removed_rows

# Query a: empty, in two places; b: a repeated row, a twin, a document named again; c: one label; d: fine.
LETOR = (
    b"\xef\xbb\xbf# head\n"
    b"0 qid:a 1:1 #docid = a1\r\n"
    b"2  qid:b 1:1.0\t2:3 # docid = b1\n"
    b"2 qid:b 1:1 2:3.0 # docid = b1\n"
    b"\n"
    b"2 qid:b 1:1 2:3 # docid = b2\n"
    b"0 qid:b 1:7 # docid = b1\n"
    b"0 qid:a 1:2\n"
    b"1 qid:c 1:1\n"
    b"1 qid:c 1:2\n"
    b"0 qid:d 1:1\n"
    b"1 qid:d 1:2"
)
# A byte order mark is no part of any line.
LINES = LETOR.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True)
# Line, counted from 1 → the reason for which it goes.
GONE = {2: "empty", 8: "empty", 4: "duplicates", 6: "twins", 7: "documents", 9: "single-label", 10: "single-label"}
# After its repeats and its other rows are gone, b has one label.
ALL = GONE | {3: "single-label"}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "all.txt").write_bytes(LETOR)
    return tmp_path / "all.txt"


def listed(path: Path) -> dict[int, str]:
    with path.open(newline="") as file:
        return {int(row["line"]): row["reason"] for row in csv.DictReader(file)}


@pytest.mark.parametrize("drop", [["empty"], ["duplicates"], ["empty", "duplicates", "twins"], ["documents", "twins"]])
def test_what_is_kept_is_kept_byte_for_byte(drop: list[str], source: Path, tmp_path: Path) -> None:
    clean(source, tmp_path / "out.txt", drop)
    gone = {line for line, reason in GONE.items() if reason in drop}
    # The repeated row names its document again, too.
    gone |= {4} if "documents" in drop else set()
    assert (tmp_path / "out.txt").read_bytes() == b"".join(
        line for number, line in enumerate(LINES, 1) if number not in gone
    )
    assert set(listed(tmp_path / "out.txt.removed.csv")) == gone


def test_every_line_that_goes_has_its_reason(source: Path, tmp_path: Path) -> None:
    found = clean(source, tmp_path / "out.txt", DROPS)
    assert listed(tmp_path / "out.txt.removed.csv") == ALL
    assert found.reasons["empty"] == (1, 2)
    assert found.reasons["single-label"] == (2, 3)
    assert (found.lists, found.rows, found.kept_lists, found.kept_rows) == (4, 10, 1, 2)


def test_the_first_reason_named_is_the_one_that_is_said(source: Path, tmp_path: Path) -> None:
    clean(source, tmp_path / "out.txt", ["documents", "duplicates"])
    assert listed(tmp_path / "out.txt.removed.csv")[4] == "documents"


def test_a_clean_file_has_nothing_to_clean(source: Path, tmp_path: Path) -> None:
    clean(source, tmp_path / "one.txt", DROPS)
    again = clean(tmp_path / "one.txt", tmp_path / "two.txt", DROPS)
    assert again.rows == again.kept_rows
    assert (tmp_path / "one.txt").read_bytes() == (tmp_path / "two.txt").read_bytes()
    assert not {"RW101", "RW103", "RW401", "RW402", "RW403"} & inspect(tmp_path / "two.txt").codes


def test_packed_files_are_packed_again(source: Path, tmp_path: Path) -> None:
    (tmp_path / "all.txt.gz").write_bytes(gzip.compress(LETOR))
    clean(source, tmp_path / "plain.txt")
    clean(tmp_path / "all.txt.gz", tmp_path / "packed.txt.gz")
    assert gzip.decompress((tmp_path / "packed.txt.gz").read_bytes()) == (tmp_path / "plain.txt").read_bytes()


def test_where_the_report_goes_can_be_said(source: Path, tmp_path: Path) -> None:
    found = clean(source, tmp_path / "out.txt", removed=tmp_path / "gone.csv")
    assert found.removed == tmp_path / "gone.csv"
    assert not (tmp_path / "out.txt.removed.csv").exists()


CSV = 'search;hotel;"book";when\n7;a;1;2026-01-01\n7;a;1;2026-01-01\n7;a;1;2026-01-02\n8;b;0;x\n\n8;c;"0";y\n9;d;1;z\n'


def test_rows_of_a_table_repeat_each_other_in_every_column(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(CSV)
    clean(tmp_path / "log.csv", tmp_path / "out.csv", query="search", document="hotel", label="book")
    lines = CSV.splitlines(keepends=True)
    assert (tmp_path / "out.csv").read_text() == "".join(lines[at] for at in (0, 1, 3, 5, 7))
    assert listed(tmp_path / "out.csv.removed.csv") == {3: "duplicates", 5: "empty", 7: "empty"}


def test_whole_numbers_are_compared_as_they_are(tmp_path: Path) -> None:
    # As 32-bit floats, the two are equal.
    (tmp_path / "log.csv").write_text("qid,label,time\n1,1,1766000001\n1,1,1766000002\n")
    assert clean(tmp_path / "log.csv", tmp_path / "out.csv").kept_rows == 2


def test_events_say_which_lists_are_empty_and_bad_lines_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("qid,click,book\n1,1,0\n2,0,1\n3,0,0\n4,1\n")
    labels = {"book": 5, "click": 1}
    with pytest.raises(DataError, match="line 5: 2 fields where the first line has 3"):
        clean(tmp_path / "log.csv", tmp_path / "out.csv", labels=labels)
    found = clean(tmp_path / "log.csv", tmp_path / "out.csv", labels=labels, skip_bad_lines=True)
    assert (found.kept_lists, found.skipped) == (2, 1)
    assert (tmp_path / "out.csv").read_text() == "qid,click,book\n1,1,0\n2,0,1\n"


def test_parquet_keeps_its_columns_and_the_order_of_its_rows(tmp_path: Path) -> None:
    rows = "VALUES (2, 1, 'x', 5), (1, 0, 'y', NULL), (2, 1, 'x', 5), (2, 0, 'z', 6), (1, 0, 'w', 7)"
    duckdb.sql(f"COPY (FROM ({rows}) AS t(qid, label, word, n)) TO '{tmp_path}/all.parquet'")
    found = clean(tmp_path / "all.parquet", tmp_path / "out.parquet")
    assert duckdb.sql(f"FROM '{tmp_path}/out.parquet'").fetchall() == [(2, 1, "x", 5), (2, 0, "z", 6)]
    assert found.reasons == {"empty": (1, 2), "duplicates": (0, 1)}
    removed = (tmp_path / "out.parquet.removed.csv").read_text()
    assert removed == "row,query,reason\n2,1,empty\n3,2,duplicates\n5,1,empty\n"
    assert list(read_table(tmp_path / "out.parquet").queries) == ["2"]


def slowly_removed(data: Dataset, drops: list[str]) -> list[str]:
    """Row by row, in the words of the documentation."""
    reasons = [""] * len(data.labels)
    ends = data.offsets.tolist()
    names = data.documents or [""] * len(data.labels)
    for start, end in pairwise(ends):
        seen: list[tuple[object, ...]] = []
        for row in range(start, end):
            said = (float(data.labels[row]), tuple(data.features[row].tolist()))
            tests = {
                "duplicates": (said, names[row]) in seen,
                "documents": bool(names[row]) and any(name == names[row] for _, name in seen),
                "twins": any(one == said for one, _ in seen) and (said, names[row]) not in seen,
            }
            reasons[row] = next((name for name in drops if tests.get(name)), "")
            seen.append((said, names[row]))
        left = [float(data.labels[row]) for row in range(start, end) if not reasons[row]]
        lists = {"empty": not any(label > 0 for label in left), "single-label": len(set(left)) < 2}
        why = next((name for name in drops if lists.get(name)), "")
        reasons[start:end] = [reason or why for reason in reasons[start:end]]
    return reasons


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_those_that_the_oracle_removes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = 60
    data = Dataset.of(
        rng.integers(0, 2, (rows, 2)),
        rng.integers(0, 2, rows),
        qid=rng.integers(0, 15, rows),
        documents=rng.choice(["", "a", "b", "c"], rows),
    )
    drops = list(rng.permutation(list(DROPS)))[: 1 + seed % 5]
    found = ["" if at == 0 else drops[at - 1] for at in removed_rows(data, drops).tolist()]
    assert found == slowly_removed(data, drops)


def test_numbers_that_are_equal_repeat_each_other_whatever_their_bits() -> None:
    other_nan = np.array([0x7FC00001], np.uint32).view(np.float32)[0]
    data = Dataset.of(np.array([[0.0], [-0.0], [np.nan], [other_nan]], np.float32), [1, 1, 1, 1], group=[4])
    assert removed_rows(data, "duplicates").tolist() == [0, 1, 0, 1]


def test_a_document_shown_at_another_place_is_another_row() -> None:
    data = Dataset.of([[1], [1], [1]], [1, 1, 1], group=[3], positions=[1, 2, 2])
    assert removed_rows(data, "duplicates").tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda f: clean(f / "all.txt", f / "all.txt"), "this is the file to be cleaned"),
        (lambda f: clean(f / "all.txt", f / "all.txt", overwrite=True), "this is the file to be cleaned"),
        (lambda f: clean(f / "all.txt", f / ".." / f.name / "all.txt", overwrite=True), "this is the file to be"),
        (lambda f: clean(f / "all.txt", f / "o.txt", removed=f / "all.txt"), "this is the file to be cleaned"),
        (lambda f: clean(f / "all.txt", f / "o.txt", removed=f / "o.txt"), "would go to one file"),
        (lambda f: clean(f / "all.txt", f / "there.txt"), "there is such a file already"),
        (lambda f: clean(f / "all.txt", "/dev/null", overwrite=True), "a folder or a device cannot be replaced"),
        (lambda f: clean(f / "all.txt", "."), "cannot be replaced|cannot be written as such a file"),
        (lambda f: clean(f / "all.txt", f / "no" / "o.txt"), r"/no: there is no such folder\nHint: make it first"),
        (lambda f: clean(f / "all.txt", f / "o.txt", ["emtpy"]), "there is no reason 'emtpy' to remove anything"),
        (lambda f: clean(f / "all.txt", f / "o.txt", []), "nothing is named to be removed"),
        (lambda f: clean("-", f / "o.txt"), "standard input cannot be cleaned"),
        (lambda f: clean(f / "all.txt", f / "o.txt", query="q"), "query belongs to tables"),
        (lambda f: clean(f / "all.txt", f / "o.csv"), "cannot be written as such a file"),
        (lambda f: clean(f / "log.csv", f / "o.parquet"), "cannot be written as such a file"),
        (lambda f: clean(f / "log.csv", f / "o.csv", sort_features=True), "sort_features belongs to LETOR text"),
        (
            lambda f: clean(f / "empty.txt", f / "o.txt"),
            r"nothing would be left(.|\n)*it was to lose empty, duplicates",
        ),
        (lambda f: clean(f / "all.txt.zst", f / "o.txt"), "a file packed as .zst is not read line by line"),
    ],
)
def test_what_cannot_be_cleaned_is_refused(
    call: Callable[[Path], object], said: str, source: Path, tmp_path: Path
) -> None:
    (tmp_path / "there.txt").write_text("mine")
    (tmp_path / "log.csv").write_text(CSV)
    (tmp_path / "empty.txt").write_text("0 qid:1 1:1\n0 qid:1 1:2\n")
    (tmp_path / "all.txt.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(DataError, match=said):
        call(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_command_says_what_was_removed(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["clean", str(source), "-o", str(tmp_path / "out.txt"), "--drop", "empty, twins"]) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()[1:5]] == [
        ["read", "4", "10"],
        ["twins", "0", "-1"],
        ["empty", "-1", "-2"],
        ["kept", "3", "7"],
    ]
    assert main(["clean", str(source), "-o", str(tmp_path / "out.txt")]) == 2
    assert "there is such a file already" in capsys.readouterr().err
    assert main(["clean", str(source), "-o", str(tmp_path / "out.txt"), "--overwrite"]) == 0


def test_standard_output_holds_the_lines_alone(source: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["clean", str(source), "-o", "-", "--drop", "empty"]) == 0
    out, err = capfdbinary.readouterr()
    assert out == b"".join(line for number, line in enumerate(LINES, 1) if number not in (2, 8))
    assert b"kept" in err


def test_mq2008_without_its_220_empty_lists(real_data: Path, tmp_path: Path) -> None:
    if not (real_data / "mq2008").is_dir():
        pytest.skip(f"no folder mq2008 in {real_data}")
    counts = []
    for part in range(1, 6):
        found = clean(real_data / "mq2008" / f"S{part}.txt.gz", tmp_path / f"S{part}.txt")
        counts.append((found.reasons["empty"][0], found.kept_lists))
    assert np.sum(counts, axis=0).tolist() == [220, 564]
    assert len(read_letor(tmp_path / "S1.txt")) == counts[0][1]
