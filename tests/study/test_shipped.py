"""The plans that are shipped run, at a reduced size."""

from pathlib import Path

import pytest

from data.collections import collection
from rankwise import read_plan, run_study

STUDIES = Path(__file__).parents[2] / "studies"


def runs(name, folder, **changes):
    changes = {key.replace("__", "."): value for key, value in changes.items()}
    found = run_study(read_plan(STUDIES / name, changes), folder, workers=1)
    assert not {cell.failed for cell in found.cells} - {""}
    assert found.verdict.main.measure.convention == "standard"
    return found


def test_every_plan_is_tried_here():
    assert {path.stem for path in STUDIES.glob("*.toml")} == {"quick", "hotels", "apple_to_apple", "neural"}


def test_quick(tmp_path):
    small = {"data__searches": 90, "learner__2__trees": 3, "learner__3__trees": 4, "statistics__permutations": 200}
    assert len(runs("quick.toml", tmp_path, **small).learners) == 3


def test_hotels(tmp_path):
    small = {"data__searches": 90, "learner__3__trees": 3, "learner__5__rounds": 5, "learner__6__rounds": 5,
             "learner__7__sweeps": 1, "learner__8__trees": 4, "statistics__permutations": 200}  # fmt: skip
    found = runs("hotels.toml", tmp_path, **small)
    assert len(found.learners) == 8 and len(found.training) == 3
    assert "hotels:nDCG@5" in [one.name for one in found.evaluation]


def test_the_comparison_of_the_paper(tmp_path):
    small = {"data__folder": str(collection("mq2008")), "data__lists": 25, "statistics__permutations": 200,
             "learner__4__rounds": 5, "learner__5__C": [1e-3, 1], "learner__6__restarts": 2, "learner__6__sweeps": 1,
             "learner__7__trees": 4}  # fmt: skip
    found = runs("apple_to_apple.toml", tmp_path, **small)
    assert [one.name for one in found.training] == ["ranklib", "yahoo", "letor4"]
    same = {(e.learner, e.training): e.same_as for e in found.entries}
    assert same["LambdaMART", "yahoo"] == same["Coordinate Ascent", "yahoo"] == "ranklib"
    empty = next(notice for notice in found.notices if notice.code == "short-lists-zeroed")
    assert empty.text.startswith("letor4@10 scores ")


def test_the_plan_of_networks_can_be_read():
    pytest.importorskip("jax")
    plan = read_plan(STUDIES / "neural.toml")
    assert [one.kind for one in plan.contenders][1:3] == ["ranknet", "direct-ranker"]
    assert {len(one.points()) for one in plan.contenders} == {1, 12}


@pytest.mark.slow
def test_networks(tmp_path):
    pytest.importorskip("jax")
    small = {"data__folder": str(collection("mq2008")), "data__lists": 12, "statistics__permutations": 200,
             "learner__2__epochs": 2, "learner__2__grid": {"hidden": [[3], [3, 3]]}}  # fmt: skip
    for number in range(3, 8):
        small |= {f"learner__{number}__epochs": 2, f"learner__{number}__seeds": 2, f"learner__{number}__hidden": [3]}
    found = runs("neural.toml", tmp_path, **small)
    assert len(found.learners) == 7
    assert {len(entry.seeds) for entry in found.entries} == {1, 2}
