"""Interactions on the command line: `rankwise train --learner bpr`, `recommend`, `evaluate --interactions`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from rankwise import evaluate, load_recommender
from rankwise.cli import main
from rankwise.recommenders.bpr import BPR
from rankwise.recommenders.interactions import Interactions
from rankwise.recommenders.splits import by_ratio
from recommenders.making import tastes

TRAIN, TEST, _ = by_ratio(tastes(0), 0.3)


def write(data: Interactions, path: Path) -> str:
    rows = zip(data.user, data.item, data.values, strict=True)
    lines = [f"{data.users[u]},{data.items[i]},{v:g}\n" for u, i, v in rows]
    path.write_text("user_id,item_id,rating\n" + "".join(lines))
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    found = {"train": write(TRAIN, tmp_path / "train.csv"), "test": write(TEST, tmp_path / "test.csv")}
    return found | {"model": str(tmp_path / "model.rankwise"), "popular": str(tmp_path / "popular.rankwise")}


def trained(files: dict[str, str], *words: str) -> int:
    own = ["--learner", "bpr", "--set", "factors=8", "--set", "epochs=5", files["train"], "-o", files["model"]]
    return main(["train", *own, *words])


def test_training_is_one_public_call(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert trained(files, "--validation", files["test"], "--seed", "3") == 0
    out, err = capsys.readouterr()
    assert (
        "learner      bpr" in out and "420 interactions, 60 users, 40 items" in out and "validation   nDCG@10 0." in out
    )
    assert "step 5 of 5" in err and "validation" in err
    mine = BPR(factors=8, epochs=5, seed=3).fit(TRAIN, validation=TEST).recommender_
    found = load_recommender(files["model"])
    assert found.recommend(["u007"], 5)["u007"] == mine.recommend(["u007"], 5)["u007"]


def test_the_summary_may_be_json(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert trained(files, "--format", "json", "--quiet", "--at-least", "2") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["learner"] == "bpr" and err == ""


def test_a_training_is_kept_and_gone_on_with(files: dict[str, str], tmp_path: Path) -> None:
    kept = str(tmp_path / "training.checkpoint")
    assert trained(files, "--checkpoint", kept, "--quiet") == 0
    first = Path(files["model"]).read_bytes()
    assert trained(files, "--checkpoint", kept, "--quiet", "--overwrite") == 0
    assert Path(files["model"]).read_bytes() == first
    assert trained(files, "--start-from", files["model"], "--quiet", "-o", files["popular"]) == 0


def test_recommenders_are_evaluated_and_compared(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    trained(files, "--quiet")
    main(["train", "--learner", "popularity", files["train"], "-o", files["popular"], "--quiet"])
    capsys.readouterr()
    words = ["--interactions", files["test"], files["model"], files["popular"], "-m", "nDCG@10", "--format", "json"]
    assert main(["evaluate", *words]) == 0
    found = json.loads(capsys.readouterr().out)
    data, scores = load_recommender(files["model"]).lists(TEST)
    assert found[0]["measures"][0]["value"] == evaluate(data, scores, "nDCG@10")["nDCG@10"].mean
    assert main(["compare", *words[:4], "-m", "nDCG@10"]) == 0
    assert "popular.rankwise" in capsys.readouterr().out
    assert main(["evaluate", *words, "--sampled", "10"]) == 0
    out, err = capsys.readouterr()
    assert "10 sampled candidates of 40 items" in err
    assert json.loads(out)[0]["measures"][0]["value"] > found[0]["measures"][0]["value"]


def test_what_was_never_learnt_from_is_left_out_if_asked(
    files: dict[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    trained(files, "--quiet")
    more = tmp_path / "more.csv"
    more.write_text(Path(files["test"]).read_text() + "new,i003,5\nu003,new,5\n")
    capsys.readouterr()
    words = ["-m", "nDCG@10", "--format", "json"]
    assert main(["evaluate", "--interactions", str(more), files["model"], *words]) == 2
    assert "1 user that is judged is not in training; `known_to(training)`" in capsys.readouterr().err
    assert main(["evaluate", "--interactions", str(more), files["model"], *words, "--known-only"]) == 0
    out, err = capsys.readouterr()
    assert "2 of 182 judged interactions are left out" in err
    assert main(["evaluate", "--interactions", files["test"], files["model"], *words, "--known-only"]) == 0
    same, err = capsys.readouterr()
    assert json.loads(same)[0]["measures"] == json.loads(out)[0]["measures"] and "left out" not in err


def test_the_best_items_are_a_table_a_run_or_json(
    files: dict[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    trained(files, "--quiet")
    wanted = load_recommender(files["model"]).recommend(["u003", "u001"], 4)
    capsys.readouterr()
    assert main(["recommend", files["model"], "--users", "u003,u001", "-k", "4"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["user"], row["item"], int(row["rank"]), float(row["score"])) for row in rows] == [
        (user, item, rank, score) for user, items in wanted for rank, (item, score) in enumerate(items, 1)
    ]
    users = tmp_path / "users.txt"
    users.write_text("u003\n\nu001\n")
    assert main(["recommend", files["model"], "--users-file", str(users), "-k", "4", "--format", "json"]) == 0
    assert [one["item"] for one in json.loads(capsys.readouterr().out)["u001"]] == [item for item, _ in wanted["u001"]]
    run = tmp_path / "bpr.run"
    assert main(["recommend", files["model"], "-k", "40", "--format", "run", "-o", str(run)]) == 0
    assert run.read_text().splitlines()[0].split()[:4] == ["u000", "Q0", run.read_text().split()[2], "1"]


def test_candidates_similar_items_and_new_users(
    files: dict[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    trained(files, "--quiet")
    recommender = load_recommender(files["model"])
    few = tmp_path / "few.txt"
    few.write_text("i003\ni009\n")
    capsys.readouterr()
    assert main(["recommend", files["model"], "--users", "u003", "--candidates", str(few), "--include-seen"]) == 0
    assert {row.split(",")[1] for row in capsys.readouterr().out.split()[1:]} == {"i003", "i009"}
    assert main(["recommend", files["model"], "--similar-to", "i003", "-k", "2", "--format", "json"]) == 0
    assert [one["item"] for one in json.loads(capsys.readouterr().out)["i003"]] == [
        item for item, _ in recommender.similar("i003", 2)["i003"]
    ]
    new = tmp_path / "new.csv"
    new.write_text("customer,product\nx,i003\nx,i009\n")
    words = ["--fold-in", str(new), "--user", "customer", "--item", "product", "-k", "3"]
    assert main(["recommend", files["model"], *words]) == 0
    assert [row.split(",")[0] for row in capsys.readouterr().out.split()[1:]] == ["x"] * 3


def test_learners_of_interactions_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--learners"]) == 0
    out = capsys.readouterr().out
    assert "warp-mf\n  WARP: the higher" in out and "--set trials=10" in out and "best-feature" in out


BPR_OF = ["train", "--learner", "bpr", "-o", "{model}", "{train}"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*BPR_OF, "{test}"], "interactions are one FILE"),
        ([*BPR_OF, "--scaling", "rank"], "bpr learns from interactions, which have no --scaling"),
        ([*BPR_OF, "--set", "leaves=3"], "bpr has no parameter 'leaves'"),
        ([*BPR_OF, "--set", "seed=3"], "it has an option of its own"),
        ([*BPR_OF, "--item", "film"], "there is no column 'film'"),
        (
            ["train", "--learner", "best-feature", *BPR_OF[3:], "--user", "u"],
            "--user belongs to learners of interactions",
        ),
        (["evaluate", "--interactions", "{test}"], "--interactions needs recommenders as further files"),
        (["evaluate", "{test}", "{test}", "--sampled", "5"], "--sampled belongs to --interactions"),
        (["evaluate", "{test}", "{test}", "--known-only"], "--known-only belongs to --interactions"),
        (["evaluate", "{test}", "{test}", "--at-least", "5"], "--at-least belongs to --interactions"),
        (
            ["evaluate", "--interactions", "{test}", "--table", "{test}"],
            "--interactions and --table each hold the labels",
        ),
        (["evaluate", "--interactions", "{test}", "{train}"], "train.csv"),
        (["recommend", "{model}"], "model.rankwise"),
        (["recommend", "{model}", "--users", "a", "--similar-to", "b"], "--users and --similar-to each say for whom"),
        (["recommend", "{model}", "--similar-to", "b", "--include-seen"], "--similar-to has no use for --include-seen"),
        (["recommend", "{model}", "--user", "b"], "--user belongs to --fold-in"),
        (["recommend", "{model}", "--format", "xml"], "xml"),
    ],
)
def test_what_makes_no_sense_is_refused(
    words: list[str], message: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word.format(**files) for word in words]) == 2
    assert message in capsys.readouterr().err
