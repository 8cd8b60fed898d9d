"""`rankwise inspect`: what it prints, and how it exits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankwise.cli import main

FINE = "".join(f"{row % 2} qid:{row // 10} 1:{(row * 7) % 10}\n" for row in range(20))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("fine.txt").write_text(FINE)
    Path("other.txt").write_text(FINE.replace("qid:1", "qid:7"))
    Path("log.csv").write_text("srch_id,click,book,price\n1,1,0,5\n1,1,1,7\n1,0,0,6\n2,0")
    Path("qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n")
    Path("run.txt").write_text("q1 Q0 a 1 2 r\nq1 Q0 b 2 1 r\n")
    Path("scores.txt").write_text("1\n" * 20)
    return tmp_path


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["inspect", *words])
    return status, *capsys.readouterr()


def test_nothing_wrong_is_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "fine.txt", "--strict")
    assert (status, out.splitlines()[-1]) == (0, "0 errors, 0 warnings, 0 notes")


def test_an_error_is_1_and_a_warning_only_if_strict(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "fine.txt", "other.txt")[0] == 1
    assert call(capsys, "fine.txt", "-k", "11")[0] == 0
    assert call(capsys, "fine.txt", "-k", "11", "--strict")[0] == 1


def test_a_cut_off_line_is_2_and_is_counted_where_it_is_skipped(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["log.csv", "--query", "srch_id", "--label", "book=5,click=1"]
    status, out, err = call(capsys, *words)
    assert (status, out) == (2, "")
    assert "log.csv, line 5: 2 fields where the first line has 4" in err
    status, out, _ = call(capsys, *words, "--skip-bad-lines")
    assert status == 0
    assert "RW001: 1 of 4 lines was left out as bad" in out


def test_json_holds_every_finding(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(call(capsys, "fine.txt", "-k", "11", "--format", "json")[1])
    assert [(one["code"], one["severity"], one["count"]) for one in found["findings"]] == [("RW102", "warning", 2)]
    assert found["sources"] == {"fine.txt": "Dataset(2 lists, 20 rows, 1 feature; labels 0: 10, 1: 10)"}


@pytest.mark.parametrize(("form", "start"), [("markdown", "**fine.txt"), ("html", "<table>")])
def test_a_report_for_a_document(form: str, start: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "fine.txt", "-k", "11", "--format", form)[1].startswith(start)


def test_scores_of_a_file_and_runs_are_looked_at(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "RW503: in 2 of 2 lists all scores are equal" in call(capsys, "fine.txt", "--scores", "scores.txt")[1]
    out = call(capsys, "--qrels", "qrels.txt", "run.txt")[1]
    assert "RW106: the run lacks 1 of 2 judged queries (q2)" in out
    assert "RW106" not in call(capsys, "--qrels", "qrels.txt")[1]


def test_the_features_of_a_table_can_be_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["log.csv", "--query", "srch_id", "--label", "click", "--skip-bad-lines"]
    assert "2 features" in call(capsys, *words)[1]
    assert "1 feature;" in call(capsys, *words, "--features", "price")[1]


@pytest.mark.parametrize(("value", "said"), [("inf", "line 2"), ("nan", "line 2"), ("1e99", "line 2")])
def test_values_that_are_no_numbers_are_refused_with_their_line(
    value: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.txt").write_text(f"1 qid:1 1:2\n0 qid:1 1:{value}\n")
    status, _, err = call(capsys, "bad.txt")
    assert status == 2
    assert said in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "a file to look at is needed"),
        (["none.txt"], "none.txt"),
        (["fine.txt", "--format", "xml"], "there is no format 'xml'"),
        (["fine.txt", "other.txt", "--scores", "scores.txt"], "--scores belongs to one file of labelled lists"),
        (["--qrels", "qrels.txt", "run.txt", "--group", "x"], "--group belongs to one file of labelled lists"),
        (["--qrels", "qrels.txt", "--query", "x"], "--query belongs to labelled lists, not to --qrels"),
        (["log.csv", "--score", "click", "--scores", "scores.txt"], "--scores and --score each hold the scores"),
        (["fine.txt", "fine.txt"], "fine.txt is given twice"),
        (["fine.txt", "--query", "q"], "--query belongs to tables"),
        (["log.csv", "--sort-features"], "--sort-features belongs to LETOR text"),
        (["log.csv", "--query", "srch_id", "--label", "book=five"], "--label: 'book=five' is not a column and its"),
        (["fine.txt", "-k", "0"], "k must be a whole number from 1, not 0"),
    ],
)
def test_what_cannot_be_is_refused(
    words: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = call(capsys, *words)
    assert (status, out) == (2, "")
    assert said in err


@pytest.fixture
def parts(folder: Path) -> Path:
    Path("train.csv").write_text("user,item,timestamp\na,x,1\na,y,5\nb,x,2\n")
    Path("test.csv").write_text("user,item,timestamp\na,z,6\nb,y,7\n")
    Path("leaks.csv").write_text("user,item,timestamp\na,y,5\nc,x,6\n")
    return folder


def test_a_division_of_interactions_is_searched_for_leaks(parts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "--interactions", "train.csv", "leaks.csv", "test.csv", "--format", "json")
    found = json.loads(out)
    assert status == 1
    assert [(one["code"], one["place"]) for one in found["findings"] if one["severity"] != "note"] == [
        ("RW601", "leaks.csv"),
        ("RW604", "leaks.csv"),
        ("RW605", "test.csv"),
    ]
    assert found["sources"]["train.csv"] == "Interactions(2 users, 2 items, 3 interactions)"
    status, out, _ = call(capsys, "--interactions", "train.csv", "test.csv")
    assert (status, out.splitlines()[-1]) == (0, "0 errors, 1 warning, 0 notes")
    assert call(capsys, "--interactions", "train.csv", "test.csv", "--user", "item", "--item", "user")[0] == 0


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["--interactions", "train.csv"], "--interactions needs other files, those that are judged on"),
        (["--interactions", "train.csv", "train.csv"], "--interactions needs other files"),
        (["--interactions", "train.csv", "test.csv", "--scores", "s.txt"], "--scores does not go with --interactions"),
        (["--interactions", "train.csv", "test.csv", "--qrels", "q.txt"], "--qrels does not go with --interactions"),
        (["fine.txt", "--user", "u"], "--user belongs to --interactions"),
    ],
)
def test_what_is_no_division_is_refused(
    parts: Path, capsys: pytest.CaptureFixture[str], words: list[str], refusal: str
) -> None:
    status, _, err = call(capsys, *words)
    assert status == 2 and refusal in err
