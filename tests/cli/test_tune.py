"""`rankwise tune`: a grid on the command line becomes a table of candidates and a ranker."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from contracts.settings import easy
from rankwise import Range, learner, load_ranker, measure, tune, write_letor
from rankwise.cli import main
from rankwise.cli.tune import values

TRAIN, VALIDATION = easy(0), easy(1, lists=12)
LEARNER = learner("lambdamart")(trees=4, min_documents=5, measure=measure("nDCG@5"))
GRID = {"leaves": [3, 5], "learning_rate": [0.1, 0.3]}
WORDS = ["--learner", "lambdamart", "--set", "trees=4", "--set", "min_documents=5", "--measure", "nDCG@5"]
SEARCH = ["--grid", "leaves=3,5", "--grid", "learning-rate=0.1,0.3"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_letor(TRAIN, "train.txt")
    write_letor(VALIDATION, "vali.txt")


def run(*words: str) -> int:
    return main(["tune", "train.txt", *WORDS, *words])


def test_it_is_the_call_in_python(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*SEARCH, "--validation", "vali.txt", "-o", "m", "--seed", "2") == 0
    found = tune(LEARNER.set_params(seed=2), GRID, TRAIN, validation=VALIDATION, seed=2)
    LEARNER.set_params(seed=0)
    told = capsys.readouterr()
    assert told.out.startswith(f"{found.table()}\n\nlearner      lambdamart for nDCG@5\n")
    assert told.err.splitlines()[-1].startswith(f"4 of 4 trainings · best {found.best.value:.4f} · ")
    assert load_ranker("m").predict(TRAIN).tobytes() == found.ranker.predict(TRAIN).tobytes()


def test_json_and_csv_hold_every_fold(capsys: pytest.CaptureFixture[str]) -> None:
    found = tune(LEARNER, GRID, TRAIN, folds=3, refit=False)
    assert run(*SEARCH, "--folds", "3", "--format", "json", "--quiet", "--records", "r") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["best"] == dict(found.best.parameters)
    assert [one["values"] for one in told["candidates"]] == [list(one.values) for one in found.candidates]
    assert told["model"] is None
    assert run(*SEARCH, "--folds", "3", "--format", "csv", "--quiet", "--records", "r") == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert len(rows) == 4 * (3 + 1)
    assert [float(row["value"]) for row in rows if row["fold"] == "all"] == [one.value for one in found.candidates]
    assert [float(row["value"]) for row in rows[:3]] == list(found.candidates[0].values)


def test_random_candidates_of_ranges(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--grid", "leaves=2..8", "--grid", "learning_rate=0.05..0.5", "--random", "3", "--validation", "vali.txt")
    assert run(*words, "--quiet", "--format", "json") == 0
    found: Any = json.loads(capsys.readouterr().out)["candidates"]
    assert len(found) == 3
    assert all(2 <= one["parameters"]["leaves"] <= 8 for one in found)
    assert all(0.05 <= one["parameters"]["learning_rate"] <= 0.5 for one in found)


def test_a_stopped_search_says_how_it_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from rankwise.cli import tune as verb

    class Impatient(verb._Told):
        def __call__(self, now: Any) -> None:
            if now.computed == 2:
                raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(verb, "_Told", Impatient)
        assert run(*SEARCH, "--validation", "vali.txt", "--records", "r", "-o", "m") == 130
    assert "stopped; no ranker is written\nHint: the same command goes on from r." in capsys.readouterr().err
    assert not Path("m").exists() and len(list(Path("r").glob("*.record"))) == 2
    assert run(*SEARCH, "--validation", "vali.txt", "--records", "r", "-o", "m") == 0
    assert capsys.readouterr().err.startswith("2 of 4 trainings")


def test_values_of_a_grid() -> None:
    kind = type(LEARNER)
    assert values(kind, "leaves", "5, 10") == [5, 10]
    assert values(kind, "patience", "none,20") == [None, 20]
    assert values(kind, "leaves", "4..64") == Range(4, 64)
    assert values(kind, "learning_rate", "1e-3..1") == Range(0.001, 1.0)
    assert values(kind, "relative", "rank;rank,share") == [("rank",), ("rank", "share")]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "--grid is needed"),
        (["--grid", "leaves"], "--grid: 'leaves' is no hyper-parameter and its value\nHint: --grid leaves=5,10,31"),
        (["--grid", "leaves="], "--grid leaves= names no values"),
        (["--grid", "leafs=3"], "lambdamart has no parameter 'leafs'"),
        (["--grid", "leaves=3,many"], "leaves must be a whole number, not 'many'"),
        (["--grid", "leaves=3,1"], "leaves=1: "),
        (["--grid", "leaves=9..3"], "a range goes from a number to a greater one"),
        (["--grid", "learning_rate=0.1..1"], "not all numbers of learning_rate=0.1..1.0 can be tried"),
        (["--grid", "leaves=3", "--grid", "leaves=5"], "--grid: the hyper-parameter 'leaves' is named twice"),
        (["--grid", "trees=3"], "--set and --grid both say what 'trees' is"),
        (["--grid", "seed=1,2", "--seed", "3"], "--seed and --grid both say what 'seed' is"),
        (["--grid", "measure=AP"], "candidates with different measures cannot be compared"),
        ([*SEARCH, "--folds", "3", "--validation", "vali.txt"], "--folds and --validation each judge candidates"),
        ([*SEARCH, "--folds", "1"], "the number of folds must be a whole number from 2, not 1"),
        ([*SEARCH, "--jobs", "0"], "jobs must be a whole number from 1, not 0"),
        ([*SEARCH, "--random", "0"], "the number of random candidates must be a whole number from 1"),
        ([*SEARCH, "--top", "0"], "--top must be a whole number from 1"),
        ([*SEARCH, "--top", "3", "--format", "csv"], "--top belongs to tables, not to csv"),
        ([*SEARCH, "--format", "xml"], "there is no format 'xml'"),
        ([*SEARCH, "-o", "-"], "a ranker is not written to standard output"),
        ([*SEARCH, "-o", "train.txt", "--overwrite"], "train.txt: this file is read too"),
        ([*SEARCH, "-o", "vali.txt"], "vali.txt: there is such a file already"),
        ([*SEARCH, "--records", "vali.txt"], "vali.txt"),
    ],
)
def test_what_is_refused(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*words) == 2
    assert told in capsys.readouterr().err
