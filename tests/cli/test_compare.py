"""`rankwise compare`: files in, tables out, and a gate."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from rankwise import compare, evaluate
from rankwise.cli import main

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "runs").mkdir()
    queries = [f"q{i}" for i in range(8)]
    (tmp_path / "qrels").write_text("".join(f"{q} 0 x 1\n{q} 0 y 0\n" for q in queries))
    for name, rule in {"old": 2, "new": 4}.items():
        lines = [f"{q} Q0 x 1 {2 if i < rule else 0} r\n{q} Q0 y 2 1 r\n" for i, q in enumerate(queries)]
        (tmp_path / "runs" / name).write_text("".join(lines))
    (tmp_path / "kinds").write_text("".join(f"{q}\t{'odd' if i % 2 else 'even'}\n" for i, q in enumerate(queries)))
    rows = [f"{q},{d},{int(d == 'x')},{s},{p}\n" for q in queries for d, s, p in (("x", 0.9, 2), ("y", 0.1, 1))]
    (tmp_path / "log.csv").write_text("query_id,document,click,model,position\n" + "".join(rows))
    (tmp_path / "test.txt").write_text("".join(f"1 qid:{q} 1:0.5\n0 qid:{q} 1:0.1\n" for q in range(8)))
    (tmp_path / "a.txt").write_text("0.2\n0.1\n" * 8)
    (tmp_path / "b.txt").write_text("0.2\n0.1\n" * 4 + "0.1\n0.2\n" * 4)
    monkeypatch.chdir(tmp_path)
    return tmp_path


RUNS = ["compare", "qrels", "runs/old", "runs/new", "-m", "P@1"]


def test_it_prints_what_the_python_call_returns(folder: Path, capsys: Capture) -> None:
    assert main(RUNS) == 0
    results = [evaluate("qrels", f"runs/{name}", "P@1", name=name) for name in ("old", "new")]
    assert capsys.readouterr().out.rstrip() == str(compare(results))
    assert main([*RUNS, "--baseline", "runs/old", "--test", "sign,t", "--format", "csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["system"], row["baseline"], row["difference"], row["p_sign"]) == ("new", "old", "0.25", "0.5")


def test_a_gate_exits_with_1_and_says_why(folder: Path, capsys: Capture) -> None:
    words = ["compare", "qrels", "runs/new", "runs/old", "-m", "P@1", "--baseline", "new"]
    assert main([*words, "--fail-if", "P@1 < baseline - 0.2"]) == 1
    shown = capsys.readouterr()
    assert shown.err == "rankwise: failed: old: P@1 = 0.25 < baseline − 0.2 = 0.3, by 0.05\n"
    assert "P@1" in shown.out
    assert main([*words, "--fail-if", "P@1 < baseline - 0.25"]) == 0
    assert main([*words, "--fail-if", "P@1 < baseline significantly"]) == 0
    assert main([*words, "--fail-if", "P@1 < 0.2", "--fail-if", "P@1 > 0.4"]) == 1
    assert "new: P@1 = 0.5 > 0.4, by 0.1" in capsys.readouterr().err


def test_letor_lines_with_score_files(folder: Path, capsys: Capture) -> None:
    words = ["compare", "--letor", "test.txt", "--scores", "a.txt", "--scores", "b.txt", "-m", "letor4:nDCG@1"]
    assert main([*words, "--baseline", "a.txt", "--format", "json", "--detect", "0.1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["systems"] == ["a.txt", "b.txt"] and found["differences"][0]["difference"] == -0.5
    assert found["differences"][0]["lists_needed"] > 8
    assert found["measures"][0]["convention"]["name"] == "letor4"


def test_the_logged_order_can_be_the_baseline(folder: Path, capsys: Capture) -> None:
    words = ["compare", "--table", "log.csv", "--label", "click", "--score", "model", "-m", "RR"]
    assert main([*words, "--baseline-column", "position", "--lists", "1", "--by-file", "kinds"]) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines()[1].split()[:3] == ["a", "position", "0.5000"]
    assert "differences to position" in shown and "q0 (+0.5000)" in shown
    assert [line.split()[1] for line in shown.splitlines() if "1.0000 − 0.5000" in line] == ["even", "odd"]


def test_a_column_that_is_kept_is_no_score(folder: Path, capsys: Capture) -> None:
    words = ["compare", "--table", "log.csv", "--label", "click", "-m", "RR", "--baseline-column", "position"]
    assert main(words) == 2
    assert "no column is known to be the score" in capsys.readouterr().err


@pytest.mark.parametrize(("form", "sign"), [("markdown", "| ---"), ("latex", r"\toprule"), ("html", "<table>")])
def test_other_forms(form: str, sign: str, folder: Path, capsys: Capture) -> None:
    assert main([*RUNS, "--format", form, "--bca", "--digits", "2"]) == 0
    shown = capsys.readouterr().out
    assert sign in shown and "BCa of 10,000 resamples" in shown


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["compare", "qrels", "runs/old"], "1 result cannot be compared"),
        ([*RUNS, "--format", "xml"], "there is no format 'xml'"),
        ([*RUNS, "--format", "csv", "--digits", "3"], "--format csv has no place for --digits"),
        ([*RUNS, "--format", "json", "--lists", "3"], "--format json has no place for --lists"),
        ([*RUNS, "--baseline", "older"], "there is no system 'older'"),
        ([*RUNS, "--baseline-column", "position"], "--baseline-column belongs to --table"),
        ([*RUNS, "--baseline", "old", "--baseline-column", "p"], "are two baselines"),
        ([*RUNS, "--resamples", "99"], "--resamples belongs to --bootstrap"),
        ([*RUNS, "--test", "t", "--permutations", "99"], "--permutations belongs to --test randomisation"),
        ([*RUNS, "--bca", "--bootstrap"], "--bootstrap and --bca are two intervals"),
        ([*RUNS, "--test", "t,z"], "there is no test 'z'"),
        ([*RUNS, "--lists", "0"], "--lists must be a whole number from 1, not 0"),
        ([*RUNS, "--by", "x", "--by-file", "kinds"], "--by and --by-file are two breakdowns"),
        ([*RUNS, "--fail-if", "P@1 = 3"], "'P@1 = 3' is no condition: it has no of <"),
        ([*RUNS, "--fail-if", "P@1 < baseline"], "needs a baseline"),
        ([*RUNS, "--fail-if", "AP < 0.1"], "'AP < 0.1': this result has no AP"),
    ],
)
def test_what_cannot_be_compared_is_refused(words: list[str], refusal: str, folder: Path, capsys: Capture) -> None:
    assert main(words) == 2
    shown = capsys.readouterr()
    assert refusal in shown.err and not shown.out


def test_a_score_that_is_refused_names_its_column(folder: Path, capsys: Capture) -> None:
    (folder / "gaps.csv").write_text("query_id,document,click,model,other\n1,x,1,0.5,0.1\n1,y,0,0.2,\n")
    words = ["compare", "--table", "gaps.csv", "--label", "click", "--score", "model", "--score", "other", "-m", "RR"]
    assert main(words) == 2
    assert "rankwise: gaps.csv: column 'other', row 1 (list 0): the score is NaN" in capsys.readouterr().err
