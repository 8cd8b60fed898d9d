"""`rankwise evaluate` with --by, --by-file and --bootstrap, as a user calls it."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

import rankwise
from rankwise.cli import main

QRELS = "q1 0 a 2\nq1 0 b 0\nq2 0 a 1\nq3 0 a 1\nq3 0 b 1\n"
RUN = "q1 Q0 a 1 0.5 r\nq1 Q0 b 2 0.4 r\nq2 Q0 x 1 0.5 r\nq2 Q0 a 2 0.4 r\nq3 Q0 b 1 1.0 r\n"
LETOR = "2 qid:1 1:3 # docid = a\n0 qid:1 1:3\n1 qid:2 1:4\n0 qid:2 1:4\n"
GROUPS = "q1\tUnited Kingdom\nq2\tFrance\n\nq3\tFrance\nq9\tSpain\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {"qrels.txt": QRELS, "r.run": RUN, "test.txt": LETOR, "kinds.txt": GROUPS}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "other.run").write_text(RUN)
    (tmp_path / "scores.txt").write_text("2\n1\n1\n2\n")
    (tmp_path / "letor_kinds.txt").write_text("1 short\n2 long\n")
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert main(["evaluate", *words]) == status
    out, err = capsys.readouterr()
    return out if status == 0 else err


def test_the_breakdown_stands_below_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "qrels.txt", "r.run", "-m", "RR", "--by-file", "kinds.txt", "--bootstrap")
    assert "95 % bootstrap" in text
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("measure  group"))
    assert [line.split()[:5] for line in lines[at + 1 :]] == [
        ["RR", "France", "2", "0.7500", "-2.4266"], ["RR", "United", "Kingdom", "1", "1.0000"],
    ]  # fmt: skip


@pytest.mark.parametrize(("form", "rule"), [("markdown", "| RR | France | 2 |"), ("latex", "RR & France & 2 &")])
def test_other_forms(form: str, rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert rule in told(capsys, "qrels.txt", "r.run", "-m", "RR", "--by-file", "kinds.txt", "--format", form)


def test_csv_is_that_of_the_breakdown(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["qrels.txt", "r.run", "other.run", "-m", "RR", "--by-file", "kinds.txt", "--format", "csv"]
    rows = list(csv.DictReader(io.StringIO(told(capsys, *words))))
    assert [(row["run"], row["group"], row["lists"], row["mean"]) for row in rows] == [
        (run, group, lists, mean)
        for run in ("r.run", "other.run")
        for group, lists, mean in (("France", "2", "0.75"), ("United Kingdom", "1", "1.0"))
    ]
    ours = rankwise.evaluate("qrels.txt", "r.run", "RR", by=rankwise.read_groups("kinds.txt"), name="r.run")
    assert told(capsys, *[word for word in words if word != "other.run"]) == ours.groups.to_csv()


def test_json_has_the_groups_and_the_bootstrap(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-m", "RR", "--by-file", "kinds.txt", "--bootstrap", "--format", "json"]
    (result,) = json.loads(told(capsys, "qrels.txt", "r.run", *words), parse_constant=pytest.fail)
    (measure,) = result["measures"]
    assert measure["bootstrap"] == [0.5, 1.0]
    assert measure["groups"]["France"]["value"] == 0.75
    assert measure["groups"]["France"]["counts"]["lists"] == 2
    assert measure["groups"]["United Kingdom"]["interval"] == [None, None]


def test_letor_files_by_a_file(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    words = ["--letor", "test.txt", "--scores", "scores.txt", "-m", "RR", "--format", "csv", "--by-file"]
    wanted = "run,measure,group,lists,mean,low,high\nscores.txt,RR,long,1,0.5,,\nscores.txt,RR,short,1,1.0,,\n"
    assert told(capsys, *words, "letor_kinds.txt") == wanted
    (folder / "packed").write_bytes(gzip.compress(b"1 short\n2 long\n"))
    assert told(capsys, *words, "packed") == wanted


def test_tables_by_a_column(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "t.csv").write_text("qid,label,bm25,country\n1,1,0.5,GB\n2,0,0.9,DE\n1,0,0.4,GB\n2,1,0.2,DE\n")
    words = ["--table", "t.csv", "--score", "bm25", "-m", "RR", "--by", "country", "--format", "csv"]
    assert told(capsys, *words).splitlines()[1:] == ["bm25,RR,DE,1,0.5,,", "bm25,RR,GB,1,1.0,,"]
    refusal = told(capsys, *[word.replace("country", "bm25") for word in words], status=2)
    assert "column 'bm25' is '0.5' and '0.4' within query '1'" in refusal


TREC = ["qrels.txt", "r.run", "-m", "RR"]
REFUSALS = [
    ([*TREC, "--by-file", "nowhere.txt"], "nowhere.txt: no such file\nHint: check the path"),
    ([*TREC, "--by-file", "three.txt"], "three.txt, line 2: a query and its group are wanted, no more and no less"),
    ([*TREC, "--by-file", "half.txt"], "half.txt, line 1: a query and its group are wanted"),
    ([*TREC, "--by-file", "twice.txt"], "twice.txt, line 3: query 'q1' is in the groups 'a' and 'b'"),
    ([*TREC, "--by-file", "bytes.txt"], "bytes.txt: it is no UTF-8 (invalid start byte at byte 3)"),
    ([*TREC, "--by-file", "few.txt"], "query 'q2' has no group\nHint: give every query a group"),
    ([*TREC, "--by", "country"], "`by` names a column 'country', and there are none here"),
    ([*TREC, "--by", "x", "--by-file", "kinds.txt"], "--by and --by-file are two breakdowns"),
    ([*TREC, "--by-file", "kinds.txt", "-q", "--format", "csv"], "the CSV of --by-file has a row a group"),
    ([*TREC, "--bootstrap", "--format", "csv"], "--format csv has no place for --bootstrap"),
    ([*TREC, "--by", "x", "--format", "trec_eval"], "--format trec_eval has no place for --by\n"),
    (["--letor", "test.txt", "--scores", "scores.txt", "--by", "x"], "there is no column 'x' to group by"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "says"), REFUSALS, ids=[says for _, says in REFUSALS])
def test_refusals(words: list[str], says: str, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "three.txt").write_text("q1 a\nq2 b c\n")
    (folder / "half.txt").write_text("q1\t\n")
    (folder / "twice.txt").write_text("q1 a\nq1 a\nq1 b\n")
    (folder / "bytes.txt").write_bytes(b"q1 \xff\n")
    (folder / "few.txt").write_text("q1 a\n")
    assert says in told(capsys, *words, status=2)
