"""`rankwise sensitivity`: files in, who wins under which convention out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankwise.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two systems on two short lists and a long one; LETOR's rule for short lists changes the winner."""
    labels, groups = [1, 0, 1, 0, 1, 0, 0, 0], "aabbcccc"
    rows = list(zip(labels, groups, "xyxyxyzw", strict=True))
    old, new = [2, 1, 2, 1, 2, 4, 3, 1], [1, 2, 1, 2, 4, 3, 2, 1]
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {label}\n" for label, q, d in rows))
    (tmp_path / "letor").write_text("".join(f"{label} qid:{ord(q)} 1:0\n" for label, q, _ in rows))
    table = ["srch_id,click,old,new"]
    table += [f"{q},{label},{a},{b}" for (label, q, _), a, b in zip(rows, old, new, strict=True)]
    (tmp_path / "log.csv").write_text("\n".join(table) + "\n")
    for name, scores in (("old", old), ("new", new)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{score}\n" for score in scores))
        run = [f"{q} Q0 {d} 1 {score} r\n" for (_, q, d), score in zip(rows, scores, strict=True)]
        (tmp_path / f"{name}.run").write_text("".join(run))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["qrels", "old.run", "new.run"],
        ["--letor", "letor", "--scores", "old.txt", "--scores", "new.txt"],
        ["--table", "log.csv", "--query", "srch_id", "--label", "click", "--score", "old", "--score", "new"],
    ],
)
def test_every_input_says_which_choice_changes_the_winner(
    words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sensitivity", *words, "-m", "nDCG@3", "--under", "letor4", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    ranks = [list(named["ranks"].values()) for named in found["conventions"]]
    assert ranks == [[1, 2], [2, 1]]
    assert [axis["axis"] for axis in found["axes"] if axis["anywhere"]] == ["discount", "short"]


def test_without_a_measure_it_is_the_first_of_the_usual_ones(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", "qrels", "old.run", "new.run"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("nDCG@10: 2 systems, 3 lists") and "pairs that change winner" in out and "Statement: " in out


@pytest.mark.parametrize(
    ("form", "word"),
    [("csv", "convention,system,mean,rank"), ("markdown", "| --- |"), ("latex", r"\toprule"), ("html", "<td")],
)
def test_other_forms(form: str, word: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", "qrels", "old.run", "new.run", "-m", "AP", "--format", form]) == 0
    assert word in capsys.readouterr().out


def test_figures_are_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("vl_convert")
    words = ["sensitivity", "qrels", "old.run", "new.run", "--figure", "ranks.svg", "--figure", "ranks.html"]
    assert main(words) == 0
    assert "old.run" in (folder / "ranks.svg").read_text() and (folder / "ranks.html").stat().st_size > 100_000


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["qrels", "old.run"], "several results are ranked, and this is 1 of them"),
        (["qrels", "old.run", "new.run", "-m", "AP", "-m", "P@1"], "one measure is looked at, and these are 2"),
        (["qrels", "old.run", "new.run", "--format", "xml"], "there is no format 'xml'"),
        (["qrels", "old.run", "new.run", "--figure", "out.gif"], "out.gif: a figure cannot be written in that format"),
        (["qrels", "old.run", "new.run", "--level", "2"], "level lies between 0 and 1"),
        (["qrels", "old.run", "new.run", "-m", "ERR", "--under", "letor4"], "does not compute ERR"),
    ],
)
def test_what_cannot_be_ranked_is_refused(
    words: list[str], refusal: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sensitivity", *words]) == 2
    captured = capsys.readouterr()
    assert refusal in captured.err and not captured.out
