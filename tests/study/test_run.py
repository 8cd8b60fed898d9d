"""A study that runs: equal to what its learners do by hand, continued where it was, and told what failed."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pytest

import rankwise
from rankwise import Dataset, Plan, evaluate, folds, hotel_searches, learner, run_study
from rankwise.errors import RankwiseError
from rankwise.evaluation.result import TIE_DECIDED
from rankwise.learners.best_feature import BestFeature
from rankwise.learners.rankboost import RankBoost
from rankwise.study.forecast import forecast
from rankwise.study.notices import notices
from rankwise.study.paths import Path
from rankwise.study.work import ranker_path

TABLES = {
    "data": {"simulated": "hotels", "searches": 90, "folds": 3},
    "measures": {
        "train": ["nDCG@5", "yahoo_v1_0:nDCG@5", "yahoo_v0_5:nDCG@5"],
        "evaluate": ["letor4:nDCG@1..5", "hotels:nDCG@5"],
    },
    "learner": [
        {"name": "best-feature"},
        {"name": "pointwise", "trees": 5},
        {"name": "lambdamart", "trees": 6, "patience": "none", "grid": {"leaves": [2, 4]}, "seeds": 2,
         "list_share": 0.5},
    ],
    "statistics": {"permutations": 500},
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def found(folder):
    return run_study(Plan.of(TABLES), folder, workers=1)


class Watch:
    def __init__(self):
        self.told = []

    def begin(self, trainings, kept, workers):
        self.begun = (trainings, kept, workers)

    def done(self, told):
        self.told.append(told)

    def end(self):
        self.ended = True


def same(one, other):
    """All that is no time."""
    assert one.entries == other.entries
    for place, values in one.seeds_of.items():
        assert values.tobytes() == other.seeds_of[place].tobytes()
    assert one.to_csv() == other.to_csv()
    assert repr(one) == repr(other)
    assert [c.key for c in one.cells] == [c.key for c in other.cells]


def test_values_are_those_of_the_learners_by_hand(found):
    parts = list(folds(hotel_searches(90), 3))
    for name in ("nDCG@5", "yahoo_v1_0:nDCG@5"):
        by_hand = []
        for fold in parts:
            made = learner("best-feature")(measure=name).fit(fold.train, validation=fold.validation)
            scores = made.predict(fold.test)
            by_hand.append(evaluate(fold.test, scores, "letor4:nDCG@5").values[0])
        assert found.values("best-feature", name, "letor4:nDCG@5").tolist() == np.concatenate(by_hand).tolist()


def test_the_grid_point_is_the_best_on_validation(found):
    for seed in (0, 1):
        points = [
            c for c in found.cells if (c.learner, c.training, c.fold, c.seed) == ("lambdamart", "nDCG@5", "2", seed)
        ]
        assert len(points) == 2 and sum(c.chosen for c in points) == 1
        chosen = next(c for c in points if c.chosen)
        assert chosen.validation == max(c.validation for c in points)
        fold = list(folds(hotel_searches(90), 3))[1]
        made = learner("lambdamart")(measure="nDCG@5", trees=6, patience=None, seed=seed, list_share=0.5,
                                     leaves=chosen.parameters["leaves"])  # fmt: skip
        made.fit(fold.train, validation=fold.validation)
        assert made.score(fold.validation) == chosen.validation


def test_cells_that_must_be_equal_are_run_once(found, folder):
    entries = {(e.learner, e.training): e for e in found.entries}
    assert entries["lambdamart", "yahoo_v0_5:nDCG@5"].same_as == "yahoo_v1_0:nDCG@5"
    assert "differ by a constant" in entries["lambdamart", "yahoo_v0_5:nDCG@5"].why_same
    assert entries["pointwise", "yahoo_v1_0:nDCG@5"].same_as == "nDCG@5"
    assert "does not look at the training measure" in entries["pointwise", "yahoo_v1_0:nDCG@5"].why_same
    assert entries["lambdamart", "yahoo_v1_0:nDCG@5"].same_as == ""
    for entry in found.entries:
        mine = found.seeds_of[entry.learner, entry.training].tobytes()
        others = [e.training for e in found.entries if e.learner == entry.learner and not e.same_as
                  and found.seeds_of[e.learner, e.training].tobytes() == mine]  # fmt: skip
        assert others == [entry.same_as or entry.training]
    # Best feature 2 measures, pointwise 1, LambdaMART 2 measures × 2 points × 2 seeds; 3 folds.
    assert len(list((folder / "cells").glob("*.record"))) == 3 * (2 + 1 + 8)


def test_cells_run_once_are_equal_if_they_are_run_on_their_own(found, tmp_path):
    alone = {**TABLES, "measures": {**TABLES["measures"], "train": ["yahoo_v0_5:nDCG@5"]}}
    alone["learner"] = [TABLES["learner"][2]]
    again = run_study(Plan.of(alone), tmp_path, workers=1)
    mine = found.values("lambdamart", "yahoo_v0_5:nDCG@5", "letor4:nDCG@5")
    assert again.values("lambdamart", "yahoo_v0_5:nDCG@5", "letor4:nDCG@5").tolist() == mine.tolist()


def test_one_way_of_a_learner_serves_every_choice_among_its_steps(tmp_path, monkeypatch):
    taken = []
    otherwise = RankBoost.step
    monkeypatch.setattr(RankBoost, "step", lambda *given: taken.append(1) or otherwise(*given))
    small = {**TABLES, "learner": [{"name": "rankboost", "rounds": 12, "patience": 4}], "data": {**TABLES["data"]}}
    names = ["yahoo:nDCG@5", "yahoo:nDCG@2", "P(ties='input')@1"]
    watch = Watch()
    small["measures"] = {"train": names, "evaluate": "AP"}
    together = run_study(Plan.of(small), tmp_path / "together", workers=1, progress=watch)
    # One training a fold, though each measure chooses for itself.
    assert len(watch.told) == 3 and len(list((tmp_path / "together" / "cells").glob("*.record"))) == 9
    shared = len(taken)
    for name in names:
        small["measures"] = {"train": name, "evaluate": "AP"}
        alone = run_study(Plan.of(small), tmp_path / "alone", workers=1)
        mine, own = ([c for c in one.cells if c.training == name] for one in (together, alone))
        assert [(c.steps, c.stopped, c.validation) for c in mine] == [(c.steps, c.stopped, c.validation) for c in own]
        assert together.values("rankboost", name, "AP").tolist() == alone.values("rankboost", name, "AP").tolist()
        curves = ([c for c in one.curves if c.training == name] for one in (together, alone))
        for first, second in zip(*curves, strict=True):
            assert first.validation.tolist() == second.validation.tolist()
            assert first.values.tolist() == second.values.tolist()
        for cell in mine:
            paths = [ranker_path(tmp_path / where, cell.key) for where in ("together", "alone")]
            assert paths[0].read_bytes() == paths[1].read_bytes()
    assert shared < len(taken) - shared


def test_what_counts_as_relevant_tells_learners_apart_that_do_not_look_at_the_measure(tmp_path):
    small = {**TABLES, "learner": [{"name": "pointwise", "trees": 2}]}
    small["measures"] = {"train": ["AP", "AP(rel=5)", "AP(rel='>0')"], "evaluate": "P@1"}
    result = run_study(Plan.of(small), tmp_path, workers=1)
    assert len(list((tmp_path / "cells").glob("*.record"))) == 6
    whys = {e.training: e.why_same for e in result.entries}
    assert "does not look at the training measure" in whys["AP(rel='>0')"] and "came out" in whys["AP(rel=5)"]


def test_a_path_that_is_too_long_to_hold_is_walked_again():
    fold = folds(hotel_searches(60), 3)[0]
    path, taken = Path(most_bytes=5_000), []
    rankers = []
    for select in ("nDCG@5", "P@1"):
        made = RankBoost(rounds=8, select=select, patience=None)
        otherwise = made.step
        made.step = lambda *given, otherwise=otherwise: taken.append(1) or otherwise(*given)
        path.along(made)
        made.fit(fold.train, validation=fold.validation)
        alone = RankBoost(rounds=8, select=select, patience=None).fit(fold.train, validation=fold.validation)
        rankers.append(made.curve_.validation.tolist() == alone.curve_.validation.tolist())
    assert all(rankers) and 8 < len(taken) < 16


def test_what_is_on_record_is_not_run_again(found, folder):
    watch = Watch()
    again = run_study(Plan.of(TABLES), folder, workers=1, progress=watch)
    assert {told.how for told in watch.told} == {"found"} and watch.begun == (33, 33, 1) and watch.ended
    same(again, found)


def test_a_changed_plan_runs_what_changed_alone(found, folder):
    watch = Watch()
    changed = {**TABLES, "learner": [*TABLES["learner"][:2], {**TABLES["learner"][2], "grid": {"leaves": [2, 3]}}]}
    changed["measures"] = {**TABLES["measures"], "evaluate": ["P@3", "AP"]}
    again = run_study(Plan.of(changed), folder, workers=1, progress=watch)
    trained = [told.name for told in watch.told if told.how == "trained"]
    assert len(trained) == 12 and all("leaves=3" in name for name in trained)
    assert (
        again.values("pointwise", "nDCG@5", "nDCG@5").tolist() == found.values("pointwise", "nDCG@5", "nDCG@5").tolist()
    )
    assert again.place("AP") == again.place("map")


def test_processes_and_threads_give_the_same_bits(found, tmp_path):
    same(run_study(Plan.of(TABLES), tmp_path / "processes", workers=2), found)
    with ThreadPoolExecutor(2) as executor:
        same(run_study(Plan.of(TABLES), tmp_path / "threads", executor=executor), found)


def test_rankers_are_kept(found, folder):
    cell = next(c for c in found.cells if c.chosen and c.learner == "lambdamart" and c.fold == "1")
    ranker = rankwise.load_ranker(ranker_path(folder, cell.key))
    fold = folds(hotel_searches(90), 3)[0]
    values = evaluate(fold.test, ranker.predict(fold.test), "hotels:nDCG@5").values[0]
    at = found.place("hotels:nDCG@5")
    assert found.seeds_of["lambdamart", cell.training][cell.seed, at][found.fold_of == 0].tolist() == values.tolist()
    assert "threads" not in ranker.about["parameters"]


def test_the_result_is_kept_beside_them(found, folder, tmp_path):
    run_study(Plan.of(TABLES), folder, workers=1)
    same(rankwise.load_study(folder / "result.study"), found)
    assert (folder / "result.csv").read_text() == found.to_csv()
    assert Plan.of(TABLES).text in (folder / "plan.toml").read_text()


def test_the_forecast_counts_cells_trainings_and_what_is_kept(found, folder):
    told = forecast(Plan.of(TABLES), folder, workers=2)
    assert [(s.cells, s.trainings, s.kept) for s in told.shares] == [(9, 6, 6), (9, 3, 3), (36, 24, 24)]
    assert told.seconds == 0.0
    assert "33 trainings, of which 33 are kept; 2 at a time" in str(told)


def test_a_forecast_writes_nothing(tmp_path):
    told = forecast(Plan.of(TABLES), tmp_path / "none", workers=1)
    assert not list(tmp_path.iterdir())
    assert told.seconds > 0 and told.memory > 2**20


def test_notices_have_codes(found):
    codes = [notice.code for notice in found.notices]
    assert {"short-lists-zeroed", "empty-lists", "ties-by-order"} <= set(codes)
    short = next(notice for notice in found.notices if notice.code == "short-lists-zeroed")
    count = int((np.diff(hotel_searches(90).offsets) < 5).sum())
    assert f"letor4:nDCG@5 scores {count} of 90 test lists 0" in short.text
    assert "rankwise clean" in next(notice for notice in found.notices if notice.code == "empty-lists").hint


def test_of_entries_that_came_out_the_same_a_notice_names_the_first():
    plan = Plan.of(TABLES)
    shape = (len(plan.evaluation), 90)
    alike = {("a", name): np.full(shape, TIE_DECIDED, np.uint8) for name in ("first", "second")}
    (told,) = [one for one in notices(plan, [hotel_searches(90)], alike, [], [], []) if one.code == "ties-by-order"]
    assert "90 of 90 lists for a for first" in told.text


def test_weights_of_lists_are_told_to_count_in_training_alone(tmp_path):
    data = hotel_searches(60)
    weighted = replace(data, weights=np.linspace(0.5, 2.0, len(data)))
    rest = {name: table for name, table in TABLES.items() if name not in ("data", "learner")}
    plan = Plan.of({**rest, "learner": [{"name": "best-feature"}]}, lists=folds(weighted, 3))
    assert "weights-left-out" in [notice.code for notice in run_study(plan, tmp_path, workers=1).notices]


# What goes wrong.


@dataclass(kw_only=True, eq=False, repr=False)
class Fickle(BestFeature):
    """Raises, or ends its process, where it is told to."""

    fails: bool = False
    starves: bool = False
    dies: bool = False
    sleeps: float = 0.0
    name = "fickle"

    def start(self, data, rng):
        if self.fails:
            raise ZeroDivisionError("no such number")
        if self.starves:
            raise MemoryError
        if self.dies:
            os._exit(9)
        time.sleep(self.sleeps)
        return super().start(data, rng)


@pytest.fixture
def fickle(monkeypatch):
    from rankwise import learners

    monkeypatch.setitem(learners.LEARNERS, "fickle", "best_feature:Fickle")
    monkeypatch.setattr("rankwise.learners.best_feature.Fickle", Fickle, raising=False)
    rest = {name: table for name, table in TABLES.items() if name != "learner"}
    return {**rest, "measures": {"train": "nDCG@5"}, "learner": [{"name": "best-feature"}, {"name": "fickle"}]}


def test_a_learner_that_raises_does_not_sink_the_study(fickle, tmp_path):
    fickle["learner"][1]["fails"] = True
    watch = Watch()
    result = run_study(Plan.of(fickle), tmp_path, workers=1, progress=watch)
    assert [e.learner for e in result.entries] == ["best-feature"]
    failed = [c for c in result.cells if c.failed]
    assert len(failed) == 3 and failed[0].failed == "ZeroDivisionError: no such number"
    assert [told.failed for told in watch.told if told.failed] == ["ZeroDivisionError: no such number"] * 3
    assert "Failed cells" in repr(result) and "failed-cells: 3 of 6 cells failed" in repr(result)
    assert "fickle for nDCG@5 has no seed with all folds" in repr(result)


def test_failures_are_on_record_and_tried_again_if_asked(fickle, tmp_path):
    fickle["learner"][1]["fails"] = True
    run_study(Plan.of(fickle), tmp_path, workers=1)
    for again, how in ((False, {"found"}), (True, {"found", "trained"})):
        watch = Watch()
        run_study(Plan.of(fickle), tmp_path, workers=1, progress=watch, retry_failed=again)
        assert {told.how for told in watch.told} == how
        assert {told.how for told in watch.told if not told.failed} == {"found"}


def test_a_process_that_dies_takes_nothing_with_it(fickle, tmp_path):
    fickle["learner"][1]["dies"] = True
    watch = Watch()
    result = run_study(Plan.of(fickle), tmp_path, workers=2, progress=watch)
    assert [e.learner for e in result.entries] == ["best-feature"]
    failed = [c for c in result.cells if c.failed]
    assert {c.failed for c in failed} == {"its process died; the system may have run out of memory"}
    assert {c.learner for c in failed} == {"fickle"} and len(failed) == 3
    assert len(watch.told) == 6
    # It is the machine's failure, not the training's: it is not on record, and is tried again.
    assert len(list((tmp_path / "cells").glob("*.record"))) == 3


def test_who_is_at_work_beside_those_that_die_is_not_lost(fickle, tmp_path):
    fickle["learner"] = [{"name": "fickle", "label": "slow", "sleeps": 1.0}, {"name": "fickle", "dies": True}]
    result = run_study(Plan.of(fickle), tmp_path, workers=2)
    assert [e.learner for e in result.entries] == ["slow"]
    assert [c.learner for c in result.cells if c.failed] == ["fickle"] * 3


@pytest.mark.parametrize("workers", [1, 2])
def test_too_little_memory_is_told_and_not_on_record(fickle, tmp_path, workers):
    fickle["learner"][1]["starves"] = True
    result = run_study(Plan.of(fickle), tmp_path, workers=workers)
    assert {c.failed for c in result.cells if c.learner == "fickle"} == {"there was not enough memory"}
    assert len(list((tmp_path / "cells").glob("*.record"))) == 3


def test_a_study_of_which_everything_failed_says_why(fickle, tmp_path):
    fickle["learner"] = [{"name": "fickle", "fails": True}]
    with pytest.raises(RankwiseError, match="every learner failed; the first because: ZeroDivisionError: no such"):
        run_study(Plan.of(fickle), tmp_path, workers=1)


def _divided(labels):
    data = Dataset.of(np.arange(len(labels), dtype=float)[:, None], labels, group=[2] * (len(labels) // 2))
    rest = {name: table for name, table in TABLES.items() if name != "data"}
    return Plan.of({**rest, "learner": [{"name": "best-feature"}]}, lists=folds(data, 3))


def test_a_fold_without_relevant_documents_is_named(tmp_path):
    with pytest.raises(RankwiseError, match=r"fold 1, train: no list has documents of different labels\nHint: give"):
        run_study(_divided([0] * 12), tmp_path, workers=1)


def test_a_grid_without_validation_lists_is_refused(tmp_path):
    tables = {**TABLES, "data": {**TABLES["data"], "validation": False}}
    with pytest.raises(RankwiseError, match="fold 1: there are no validation lists to choose grid points by"):
        run_study(Plan.of(tables), tmp_path, workers=1)


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RankwiseError, match=r"file: the folder cannot be made \(File exists\)"):
        run_study(Plan.of(TABLES), tmp_path / "file", workers=1)


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    from rankwise.study import record

    written = []
    otherwise = record.arrays.write

    def full(path, *rest):
        if len(written) == 9:
            raise OSError(28, "No space left on device", str(path))
        written.append(path)
        otherwise(path, *rest)

    monkeypatch.setattr(record.arrays, "write", full)
    with pytest.raises(RankwiseError, match=r"cannot be written \(No space left on device\)\nHint: make room"):
        run_study(Plan.of(TABLES), tmp_path, workers=1)
    monkeypatch.undo()
    kept = list((tmp_path / "cells").glob("*.record"))
    watch = Watch()
    run_study(Plan.of(TABLES), tmp_path, workers=1, progress=watch)
    assert watch.begun[1] == len(kept) > 0
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize("workers", [0, True, 1.5])
def test_workers_are_a_number(workers, tmp_path):
    with pytest.raises(RankwiseError, match="workers must be a whole number from 1"):
        run_study(Plan.of(TABLES), tmp_path, workers=workers)
    with pytest.raises(RankwiseError, match="workers must be a whole number from 1"):
        forecast(Plan.of(TABLES), tmp_path, workers=workers)
