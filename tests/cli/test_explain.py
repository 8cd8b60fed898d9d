"""`rankwise explain`: files in, the parts of a difference out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankwise.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels").write_text("a 0 x 1\na 0 y 0\nb 0 x 0\nb 0 y 0\n")
    (tmp_path / "run").write_text("a Q0 x 1 1 r\na Q0 y 2 2 r\nb Q0 x 1 2 r\nb Q0 y 2 1 r\n")
    (tmp_path / "new").write_text("a Q0 x 1 3 r\na Q0 y 2 2 r\nb Q0 x 1 2 r\nb Q0 y 2 1 r\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_two_conventions_on_one_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "qrels", "run", "-m", "yahoo:nDCG@2", "-m", "ranklib2:nDCG@2", "-q"]) == 0
    per_query, table = capsys.readouterr().out.split("\n\n", 1)
    assert per_query.splitlines()[1].split() == ["b", "-0.5000", "-0.5000"]
    assert "1 of 2 lists is empty" in table and "0.3155" in table


def test_two_tools_and_one_measure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "qrels", "run", "-m", "nDCG@2", "--between", "yahoo", "ranklib2"]) == 0
    assert capsys.readouterr().out.startswith("yahoo_v1_0:nDCG@2 = 0.8155, ranklib2:nDCG@2 = 0.3155")


def test_two_runs_under_one_convention(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "qrels", "run", "new", "-m", "P@1", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(part["choice"], part["effect"]) for part in found["parts"]] == [("run", 0.5)]
    assert main(["explain", "qrels", "run", "new", "-m", "P@1", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "query,choice,effect"


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_other_forms(form: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "qrels", "run", "-m", "nDCG@1", "-m", "nDCG@2", "--format", form]) == 0
    assert {"markdown": "| --- |", "latex": r"\toprule"}[form] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["qrels", "run", "-m", "P@1"], "two numbers are compared, and these are 1 measure of 1 run"),
        (["qrels", "run", "-m", "P@1", "-m", "AP"], "are different measures"),
        (["qrels", "run", "-m", "P@1..2", "--format", "xml"], "there is no format 'xml'"),
        (
            ["qrels", "run", "-m", "yahoo:nDCG@1", "--between", "yahoo", "mslr"],
            "wants one measure without a convention",
        ),
        (["qrels", "run", "--between", "yahoo", "mslr"], "--between wants one measure"),
        (["qrels", "run", "-m", "P@1..2", "--digits", "99"], "--digits lies between 0 and 17"),
    ],
)
def test_what_cannot_be_explained_is_refused(
    words: list[str], refusal: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", *words]) == 2
    assert refusal in capsys.readouterr().err
