"""`rankwise identify`: files and reported numbers in, conventions out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankwise.cli import main

LETOR = """2 qid:1 1:0.5
0 qid:1 1:0.4
1 qid:1 1:0.3
0 qid:2 1:0.2
1 qid:2 1:0.1
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "test.txt").write_text(LETOR)
    (tmp_path / "a.scores").write_text("1\n3\n2\n2\n1\n")
    (tmp_path / "b.scores").write_text("3\n1\n2\n1\n2\n")
    (tmp_path / "qrels").write_text("a 0 x 1\na 0 y 0\nb 0 x 0\nb 0 y -1\n")
    (tmp_path / "run").write_text("a Q0 x 1 1 r\na Q0 y 2 2 r\nb Q0 x 1 2 r\nb Q0 y 2 1 r\n")
    (tmp_path / "paper.csv").write_text("run,nDCG@2,P@1\na.scores,0.1667,0.0000\nb.scores,,1.0000\n")
    (tmp_path / "empty.csv").write_text("run,nDCG@2\na.scores,\n")
    (tmp_path / "ragged.csv").write_text("run,nDCG@2\na.scores,0.1,0.2\n")
    (tmp_path / "sheet.csv").write_bytes(b"\xff\xfer\x00u\x00n\x00")
    (tmp_path / "twice.csv").write_text("run,nDCG@2\na.scores,0.1\na.scores,0.2\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


ONE = ["identify", "--letor", "test.txt", "--scores", "a.scores"]


def test_a_number_names_its_conventions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["evaluate", "--letor", "test.txt", "--scores", "a.scores", "-m", "letor4:nDCG@3", "--format", "csv"])
    value = float(capsys.readouterr().out.split(",")[-1])
    assert main([*ONE, "--reported", f"nDCG@3={value:.4f}", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "letor4" in found["candidates"][0]["names"] and found["points"] == 589_824
    assert main([*ONE, "--reported", f"nDCG@3={value:.4f}"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("reported: nDCG@3 = ") and "letor4" in text and "searched: " in text


def test_labels_that_the_default_convention_refuses_are_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["identify", "qrels", "run", "--reported", "RR=0.5", "--digits", "4", "--format", "markdown"]) == 0
    assert "| --- |" in capsys.readouterr().out


def test_a_table_of_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["identify", "--letor", "test.txt", "--scores", "a.scores", "--scores", "b.scores"]
    assert main([*words, "--reported-table", "paper.csv", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["run"], one["measure"]) for one in found["reported"]] == [
        ("a.scores", "nDCG@2"), ("a.scores", "P@1"), ("b.scores", "P@1"),
    ]  # fmt: skip
    assert main([*words, "--reported", "P@1=0.5000", "--mean-of-folds"]) == 0
    assert "letor4" in capsys.readouterr().out


def test_a_project_file_sets_no_measures_here(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "rankwise.toml").write_text('convention = "letor4"\nmeasures = ["nDCG@5"]\n')
    assert main([*ONE, "--reported", "P@1=0.0000"]) == 0


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        ([], "no reported number is given"),
        (["--reported", "P@1=0.5", "--reported-table", "paper.csv"], "numbers are given twice"),
        (["--reported", "P@1"], "'P@1' is not a measure and its number"),
        (["--reported", "P@1=0.5", "--reported", "P@1=0.6"], "P@1 is given twice"),
        (["--reported", "P@1=a", "--digits", "2"], "'a' of P@1 is not a number"),
        (["--reported", "P@1=0.5", "--digits", "0"], "digits lies between 1 and 15, not at 0"),
        (["--reported", "P@1=0.55", "--digits", "1"], "has more than the 1 digits that were printed"),
        (["--reported", "P@1=0.5", "--format", "xml"], "there is no format 'xml'"),
        (["--reported", "P@1=0.5", "--score", "s"], "--score belongs to --table"),
        (["--reported", "letor4:P@1=0.5"], "names a convention, which is what is looked for"),
        (["--reported-table", "paper.csv"], "there is no run 'b.scores'"),
        (["--reported-table", "empty.csv"], "no reported number is in the table"),
        (["--reported-table", "ragged.csv"], "ragged.csv, row 2: there are 3 cells below a head of 2"),
        (["--reported-table", "twice.csv"], "run 'a.scores' stands twice"),
        (["--reported-table", "none.csv"], "none.csv: no such file"),
        (["--reported-table", "sheet.csv"], "sheet.csv: it is no UTF-8"),
    ],
)
def test_what_cannot_be_looked_for_is_refused(
    words: list[str], refusal: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*ONE, *words]) == 2
    assert refusal in capsys.readouterr().err


def test_a_run_is_needed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["identify", "--reported", "P@1=0.5"]) == 2
    assert "judgments and at least one run are needed" in capsys.readouterr().err
