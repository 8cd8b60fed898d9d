"""`rankwise describe`: what a ranker is, in words or as JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from contracts.settings import easy
from rankwise import learner, load_ranker, permutation_importances, write_letor
from rankwise.cli import main
from rankwise.rankers import Inputs, Linear, Ranker

TRAIN, TEST = easy(0), easy(1)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_letor(TEST, "test.txt")
    lambdamart = learner("lambdamart")(measure="yahoo:nDCG@5", trees=5, leaves=4, min_documents=5, relative=["rank"])
    lambdamart.fit(TRAIN, validation=TEST).ranker_.save("m")
    Ranker(Inputs(4), Linear([1.0, -2.0, 0.0, 0.5], 0.25)).save("plain")


def describe(*words: str) -> int:
    return main(["describe", *words])


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert describe(*words) == 0
    return capsys.readouterr().out


def test_it_says_where_a_ranker_comes_from_and_what_matters(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "m", "--top", "2")
    for words in (
        "learner      lambdamart for yahoo_v1_0:nDCG@5\n",
        "trees=5",
        "convention   yahoo_v1_0: gain 2^label − 1",
        "features     4, as they are; further columns within the list: rank\n",
        "model        Trees(",
        "learnt from  24 lists, 160 rows\n",
        "lists        23 teach; 1 empty, 1 of one label (some are several of these)\n",
        " kept: all steps done\n",
        "validation   0.",
        "what matters to the model",
        "and 6 more (--top 0 shows all)",
    ):
        assert words in text
    assert "threads" not in text


def test_a_ranker_made_by_hand_says_what_it_knows(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "plain")
    assert text.startswith("learner      not known") and "|weight|" in text


def test_splits_are_counted_where_their_gains_are_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    learner("mart")(trees=2, leaves=3).fit(TRAIN).ranker_.save("mart")
    assert "feature  splits  share" in told(capsys, "mart")
    assert "gain of splits" in told(capsys, "m")


def test_the_model_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "plain", "--text").splitlines()[0].split() == ["-2", "2"]


def test_importances_under_the_measure_are_those_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = permutation_importances(load_ranker("m"), TEST, "letor4:nDCG@3", repeats=3, seed=2)
    words = ("m", "--data", "test.txt", "--measure", "letor4:nDCG@3", "--repeats", "3", "--seed", "2")
    assert str(wanted) in told(capsys, *words, "--top", "0")
    found: Any = json.loads(told(capsys, *words, "--format", "json"))
    assert found["permutation"]["value"] == wanted.value
    losses = [found["permutation"]["features"][name]["loss"] for name in wanted.names]
    assert losses == wanted.means.tolist()
    assert found["about"]["measure"] == "yahoo_v1_0:nDCG@5"
    assert found["importances"] == load_ranker("m").importances()


def test_a_row_is_one_documents_score(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = load_ranker("m").contributions(TEST, row=2)
    assert told(capsys, "m", "--data", "test.txt", "--row", "3") == f"{wanted}\n"
    found = json.loads(told(capsys, "m", "--data", "test.txt", "--row", "3", "--format", "json"))
    assert found["score"] == wanted.score
    assert sum(found["contributions"].values()) + found["constant"] == pytest.approx(wanted.score)


def test_neither_scikit_learn_nor_lightgbm_is_needed() -> None:
    program = (
        "import sys\n"
        "for name in ('sklearn', 'lightgbm', 'duckdb'): sys.modules[name] = None\n"
        "from rankwise.cli import main\n"
        "sys.exit(main(['describe', 'm', '--data', 'test.txt']))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["no"], "no: no such file"),
        (["m", "--row", "1"], "--row belongs to --data"),
        (["m", "--measure", "AP"], "--measure belongs to --data"),
        (["m", "--seed", "0"], "--seed belongs to --data"),
        (["m", "--data", "test.txt", "--row", "1", "--repeats", "3"], "--repeats belongs to --data without --row"),
        (["m", "--data", "test.txt", "--row", "0"], "test.txt: there is no document 0; 159 count from 1"),
        (["m", "--data", "test.txt", "--row", "160"], "there is no document 160"),
        (["m", "--text", "--data", "test.txt"], "--text is the model alone, and has no place for --data"),
        (["m", "--text", "--format", "json"], "no place for --format json"),
        (["m", "--top", "-1"], "--top must be a whole number from 0, not -1"),
        (["m", "--format", "xml"], "there is no format 'xml'"),
        (["m", "--data", "test.txt", "--repeats", "0"], "repeats must be a whole number from 1, not 0"),
        (["m", "--data", "wide.txt"], "wide.txt: there are 5 features, and the ranker was trained with 4"),
        (["plain", "--data", "test.txt"], "this ranker does not know what it was trained for"),
        (["odd"], "what this ranker says of its making cannot be read"),
    ],
)
def test_what_is_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("wide.txt").write_text("0 qid:1 5:1\n1 qid:1 5:2\n")
    Ranker(Inputs(1), Linear([1.0]), {"learner": 1, "counts": [1, 2], "steps": "x", "parameters": 3}).save("odd")
    assert describe(*words) == 2
    assert message in capsys.readouterr().err
