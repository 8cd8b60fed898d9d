"""`rankwise split`: lines go to files as they are, lists whole."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from rankwise import DataError, read_letor, read_table, split
from rankwise.cli import main
from rankwise.data.divide import split_file

INTO = {"train": 0.6, "validation": 0.2, "test": 0.2}
# Odd but legal: spacing, a carriage return, comments, a list in two places, no end of the last line.
TEXT = b"".join(
    b"%d  qid:q%d 1:%d\t2:0.50 # docid = d%d x\r\n" % (row % 3, row % 10, row % 10 // 3, row) for row in range(40)
)
ODD = b"\xef\xbb\xbf# head\n\n" + TEXT + b"2 qid:last 1:9"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "all.txt").write_bytes(ODD)
    return tmp_path / "all.txt"


def test_every_line_goes_to_one_file_as_it_is(source: Path, tmp_path: Path) -> None:
    division = split_file(source, tmp_path / "parts", INTO)
    found = [line for piece in division.pieces for line in piece.path.read_bytes().splitlines(keepends=True)]
    assert Counter(found) == Counter((TEXT + b"2 qid:last 1:9\n").splitlines(keepends=True))
    assert (division.lists, division.rows, division.left_out) == (11, 41, 2)


def test_lines_keep_their_order(source: Path, tmp_path: Path) -> None:
    whole = (TEXT + b"2 qid:last 1:9\n").splitlines(keepends=True)
    for piece in split_file(source, tmp_path / "parts", INTO).pieces:
        at = [whole.index(line) for line in piece.path.read_bytes().splitlines(keepends=True)]
        assert at == sorted(at)


@pytest.mark.parametrize("options", [{}, {"seed": 5}, {"group": "1"}, {"time": "1"}])
def test_the_lists_are_those_that_split_takes(options: dict[str, object], source: Path, tmp_path: Path) -> None:
    into = {"train": 0.5, "test": 0.5}
    data = read_letor(source)
    named = {key: data.features[data.offsets[:-1], 0] if key != "seed" else value for key, value in options.items()}
    wanted = split(data, into, **named)
    for piece in split_file(source, tmp_path / "parts", into, **options).pieces:
        read = read_letor(piece.path)
        assert sorted(read.queries) == sorted(wanted[piece.part.removesuffix(".txt")].queries)
        assert (piece.lists, piece.rows) == (len(read), len(read.labels))


def test_a_packed_file_gives_packed_files(source: Path, tmp_path: Path) -> None:
    packed = tmp_path / "all.txt.gz"
    packed.write_bytes(gzip.compress(ODD))
    plain, squeezed = (split_file(path, tmp_path / path.name[4:], INTO).pieces for path in (source, packed))
    assert [piece.path.name for piece in squeezed] == ["train.txt.gz", "validation.txt.gz", "test.txt.gz"]
    for one, other in zip(plain, squeezed, strict=True):
        assert gzip.decompress(other.path.read_bytes()) == one.path.read_bytes()


def test_folds_judge_each_list_once(source: Path, tmp_path: Path) -> None:
    split_file(source, tmp_path / "folds", folds=5)
    judged = []
    for fold in range(1, 6):
        parts = [read_letor(tmp_path / f"folds/Fold{fold}/{name}.txt") for name in INTO]
        assert sum(len(part.labels) for part in parts) == 41
        assert len({name for part in parts for name in part.queries}) == sum(map(len, parts)) == 11
        judged += list(parts[2].queries)
    assert len(judged) == len(set(judged)) == 11


def test_a_refusal_leaves_no_file(source: Path, tmp_path: Path) -> None:
    source.write_bytes(ODD + b"\n1 2:3\n")
    with pytest.raises(DataError, match=r"all.txt, line 44: there is no query id\nHint: a line of LETOR text is"):
        split_file(source, tmp_path / "parts", INTO)
    assert not (tmp_path / "parts").exists()


def test_a_file_that_is_there_is_not_replaced(source: Path, tmp_path: Path) -> None:
    split_file(source, tmp_path / "parts", INTO)
    with pytest.raises(
        DataError, match=r"train.txt: there is such a file already\nHint: choose another folder, or say"
    ):
        split_file(source, tmp_path / "parts", INTO, seed=1)
    before = (tmp_path / "parts/train.txt").read_bytes()
    split_file(source, tmp_path / "parts", INTO, seed=1, overwrite=True)
    assert (tmp_path / "parts/train.txt").read_bytes() != before


def test_the_source_is_never_replaced(source: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"all.txt: there is such a file already\nHint: choose another folder."):
        split_file(source, tmp_path, {"all": 0.5, "rest": 0.5}, overwrite=True)
    assert source.read_bytes() == ODD


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        ({"into": {"a": 0.99, "b": 0.01}}, "the part 'b' would be empty, with 11 lists to divide"),
        ({"into": {"../a": 1, "b": 1}}, "a part cannot be called '../a'"),
        ({"into": {"": 1, "b": 1}}, "a part cannot be called ''"),
        ({"into": INTO, "group": "site"}, "'site' is no feature of LETOR text\nHint: the columns"),
        ({"into": INTO, "group": "0"}, "'0' is no feature of LETOR text"),
        ({"into": INTO, "group": "3"}, "the part 'validation' would be empty, with 1 group to divide"),
        ({"folds": 2}, "the number of folds must be a whole number from 3, not 2"),
        ({"folds": 5, "time": "1"}, "folds by time would learn from the future\nHint: divide it into parts"),
        ({"folds": 12}, "the part 'S.*' would be empty, with 11 lists to divide"),
        ({}, "either into named parts or into folds"),
        ({"into": INTO, "folds": 5}, "either into named parts or into folds"),
    ],
)
def test_what_divides_nothing_is_refused(
    options: dict[str, object], refusal: str, source: Path, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=refusal):
        split_file(source, tmp_path / "parts", **options)
    assert not (tmp_path / "parts").exists()


def test_a_list_of_several_groups_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(b"1 qid:1 1:5\n0 qid:2 1:5\n0 qid:1 1:6\n")
    with pytest.raises(DataError, match=r"x.txt, line 3: list '1' has several values of feature 1 \(5.0 and 6.0\)"):
        split_file(tmp_path / "x.txt", tmp_path, {"a": 1, "b": 1}, group="1")


def test_a_value_that_is_no_number_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(b"1 qid:1 1:5\n0 qid:2 1:five\n")
    with pytest.raises(DataError, match=r"x.txt, line 2: the value of a feature must be a number: '1:five'"):
        split_file(tmp_path / "x.txt", tmp_path, {"a": 1, "b": 1}, time="1")


def test_standard_input_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="standard input cannot be divided"):
        split_file("-", tmp_path, INTO)


def test_a_file_without_lists_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(b"# nothing\n")
    with pytest.raises(DataError, match=r"x.txt: there is no data line in it"):
        split_file(tmp_path / "x.txt", tmp_path, INTO)


# The verb.


def test_the_verb_says_what_went_where(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["split", "all.txt", "--into", "train=0.6,test=0.4", "-o", "parts", "--seed", "3"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].split() == ["file", "lists", "share", "rows"]
    rows = [len(read_letor(f"parts/{name}.txt").labels) for name in ("train", "test")]
    assert out[1].split() == [str(Path("parts/train.txt")), "7", "63.6%", str(rows[0])]
    assert out[2].split() == [str(Path("parts/test.txt")), "4", "36.4%", str(rows[1])]
    assert out[-2:] == ["11 lists, 41 rows", "left out, lines without a document (blank, or a comment): 2"]


def test_the_verb_divides_by_time(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["split", str(source), "--into", "old=0.5,new=0.5", "--by", "time", "1", "-o", str(tmp_path / "parts")]
    assert main(words) == 0
    old, new = (read_letor(tmp_path / f"parts/{name}.txt").features for name in ("old", "new"))
    assert old is not None and new is not None
    assert old[:, 0].max() < new[:, 0].min()


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        ([], "say either the parts or the number of folds"),
        (["--into", "a=1,b=1", "--folds", "5"], "say either the parts or the number of folds"),
        (["--into", "a,b"], "'a' is no part with a share"),
        (["--into", "a=1,a=1"], "the part 'a' is named twice"),
        (["--folds", "5", "--by", "group"], "lists cannot be divided by 'group'"),
        (["--folds", "5", "--by", "list", "3"], "lists cannot be divided by 'list 3'"),
        (["--folds", "5", "--by", "size", "3"], "lists cannot be divided by 'size 3'"),
    ],
)
def test_the_verb_refuses(
    words: list[str], refusal: str, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["split", str(source), "-o", str(tmp_path / "parts"), *words]) == 2
    assert refusal in capsys.readouterr().err


def test_a_file_is_no_folder_for_files(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["split", str(source), "-o", str(source), "--folds", "5"]) == 2
    assert "is a file, and a folder is wanted" in capsys.readouterr().err


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["split", "--help"])
    assert "--into train=0.6,validation=0.2,test=0.2 -o parts" in capsys.readouterr().out


# Tables.

HEAD = b"srch_id,when,site,note,click\r\n"
# Quotation marks, a comma and a line break within them, and what stands for nothing stay as they are.
ROWS = [
    b'%d,2026-01-%02d 10:00:00,%d,"a ""word"", and\nmore",%d\r\n'
    % (search % 10, search % 10 + 1, search % 10 % 3, search % 2)
    for search in range(40)
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "log.csv").write_bytes(HEAD + b"".join(ROWS) + b"last,2026-02-01,0,NULL,")
    return tmp_path / "log.csv"


def records(path: Path) -> list[bytes]:
    content = path.read_bytes().replace(b"\nmore", b"#more")
    return [line.replace(b"#more", b"\nmore") for line in content.splitlines(keepends=True)]


def test_every_row_of_a_table_goes_to_one_file_as_it_is(table: Path, tmp_path: Path) -> None:
    division = split_file(table, tmp_path / "parts", INTO, query="srch_id")
    found = [records(piece.path) for piece in division.pieces]
    assert [rows[0] for rows in found] == [HEAD] * 3
    assert Counter(row for rows in found for row in rows[1:]) == Counter([*ROWS, b"last,2026-02-01,0,NULL,\n"])
    assert (division.lists, division.rows, division.skipped) == (11, 41, 0)
    assert [piece.rows for piece in division.pieces] == [len(rows) - 1 for rows in found]


@pytest.mark.parametrize("how", ["list", "group", "time"])
@pytest.mark.parametrize("end", [".csv", ".parquet"])
def test_the_rows_are_those_that_split_takes(how: str, end: str, table: Path, tmp_path: Path) -> None:
    named = {"group": {"group": "site"}, "time": {"time": "when"}}.get(how, {})
    data = read_table(table, query="srch_id", label="click", keep=["site", "when"])
    wanted = split(data, {"old": 0.5, "new": 0.5}, **named)
    if end == ".parquet":
        copy_as_parquet(table)
    division = split_file(
        table.with_suffix(end), tmp_path / "parts", {"old": 0.5, "new": 0.5}, query="srch_id", **named
    )
    for piece in division.pieces:
        read = read_table(piece.path, query="srch_id", label="click")
        part = wanted[piece.part.removesuffix(end)]
        assert list(read.queries) == list(part.queries)
        assert read.labels.tolist()[:-1] == part.labels.tolist()[:-1]
        assert (piece.lists, piece.rows) == (len(read), len(read.labels))


def copy_as_parquet(path: Path) -> None:
    import duckdb

    source, target = str(path), str(path.with_suffix(".parquet"))
    duckdb.connect().execute(f"COPY (FROM read_csv('{source}', nullstr='')) TO '{target}' (FORMAT parquet)")


def test_folds_of_parquet_judge_each_row_once(table: Path, tmp_path: Path) -> None:
    import duckdb

    copy_as_parquet(table)
    split_file(table.with_suffix(".parquet"), tmp_path / "folds", folds=5, query="srch_id")
    whole = duckdb.sql(f"FROM '{table.with_suffix('.parquet')}'").fetchall()
    judged = duckdb.sql(f"FROM read_parquet('{tmp_path}/folds/Fold*/test.parquet')").fetchall()
    assert Counter(judged) == Counter(whole)
    for fold in range(1, 6):
        parts = duckdb.sql(f"FROM read_parquet('{tmp_path}/folds/Fold{fold}/*.parquet')").fetchall()
        assert Counter(parts) == Counter(whole)
    assert not [path for path in (tmp_path / "folds").rglob("*") if path.name.startswith(".")]


def test_a_row_that_is_cut_off_is_refused_or_counted(table: Path, tmp_path: Path) -> None:
    table.write_bytes(HEAD + b"".join(ROWS) + b"7,2026-01-08 10:00:00,1")
    with pytest.raises(
        DataError, match=r"log.csv, line 82: 3 fields where the first line has 5\nHint: a line that was"
    ):
        split_file(table, tmp_path / "parts", INTO, query="srch_id")
    division = split_file(table, tmp_path / "parts", INTO, query="srch_id", skip_bad_lines=True)
    assert (division.rows, division.skipped) == (40, 1)


def test_a_quotation_mark_that_is_not_closed_is_refused(table: Path, tmp_path: Path) -> None:
    table.write_bytes(HEAD + b'7,2026-01-08,1,"open,1\n' + b"".join(ROWS).replace(b'"', b"") * 200)
    with pytest.raises(DataError, match=r"log.csv, line 2: a quotation mark is not closed"):
        split_file(table, tmp_path / "parts", INTO, query="srch_id")


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        ({}, "no column is known to be the query"),
        ({"query": "search"}, "there is no column 'search'"),
        ({"query": "srch_id", "group": "country"}, "there is no column 'country'"),
        ({"query": "srch_id", "group": "click"}, r"list '0' has several values of 'click' \(0 and 1\)"),
        ({"query": "srch_id", "time": "note"}, r"list '0': .* is no time\nHint: times are numbers, or dates as"),
        ({"query": "srch_id", "time": "when", "group": "site"}, "either by group or by time"),
    ],
)
@pytest.mark.parametrize("end", [".csv", ".parquet"])
def test_a_table_that_cannot_be_divided_so_is_refused(
    options: dict[str, str], refusal: str, end: str, table: Path, tmp_path: Path
) -> None:
    # One row in which a search of many has another value.
    table.write_bytes(table.read_bytes() + b'\n0,2026-01-01 10:00:00,0,"a ""word"", and\nmore",1')
    if end == ".parquet":
        copy_as_parquet(table)
    with pytest.raises(DataError, match=refusal):
        split_file(table.with_suffix(end), tmp_path / "parts", INTO, **options)
    assert not (tmp_path / "parts").exists()


def test_options_of_tables_are_refused_for_letor_text(source: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the column of queries belongs to tables; this is read as LETOR text"):
        split_file(source, tmp_path, INTO, query="qid")
    with pytest.raises(DataError, match="leaving out lines that cannot be read belongs to tables"):
        split_file(source, tmp_path, INTO, skip_bad_lines=True)


def test_what_is_packed_in_another_way_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a file packed as .zst is not divided\nHint: unpack it first"):
        split_file(tmp_path / "log.csv.zst", tmp_path, INTO)
