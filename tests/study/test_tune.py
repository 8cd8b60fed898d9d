"""Tuning: candidates judged on validation lists or in folds, each cell a record."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from contracts.settings import easy
from rankwise import Range, RankwiseError, evaluate, folds, learner, measure, tune
from rankwise.data.ids import Ids
from rankwise.learners.base import Learner
from rankwise.rankers.linear import Linear
from rankwise.study.candidates import candidates
from rankwise.study.record import Records
from rankwise.study.tune import Progress

TRAIN, VALIDATION = easy(0), easy(1, lists=12)


@dataclass(frozen=True)
class Weights:
    at: int
    weights: npt.NDArray[np.float64]


@dataclass(kw_only=True, eq=False, repr=False)
class Fixed(Learner):
    """Ranks by given weights from its `good` step on, by their opposite before."""

    first: float = 1.0
    second: float = 0.0
    rounds: int = 3
    good: int = 2
    fails: bool = False

    name: ClassVar[str] = "fixed"
    states: ClassVar[tuple[type, ...]] = (Weights,)
    lengthens: ClassVar[str] = "rounds"

    trained: ClassVar[list[int]] = []

    def steps(self) -> int:
        return self.rounds

    def start(self, data: Any, rng: np.random.Generator) -> Weights:
        self.trained.append(len(data.dataset))
        if self.fails:
            raise RankwiseError("it does not want to")
        return Weights(0, np.zeros(data.table.shape[1]))

    def step(self, data: Any, state: Weights, rng: np.random.Generator) -> Weights:
        weights = np.zeros(len(state.weights))
        weights[:2] = self.first, self.second
        return Weights(state.at + 1, weights if state.at + 1 >= self.good else -weights)

    def scorer(self, state: Weights) -> Linear:
        return Linear(state.weights)


@pytest.fixture(autouse=True)
def nothing_trained() -> None:
    Fixed.trained.clear()


GRID = {"first": [0.0, 1.0, -1.0], "second": [0.5]}


def value(data: Any, first: float, second: float = 0.5, of: str = "nDCG@10") -> Any:
    return evaluate(data, data.features @ [first, second, 0.0, 0.0], of)[of]


# What it finds.


def test_a_candidate_is_worth_its_value_on_validation() -> None:
    found = tune(Fixed(), GRID, TRAIN, validation=VALIDATION)
    for one in found.candidates:
        wanted = value(VALIDATION, one.parameters["first"])
        if one.parameters["first"] >= 0:
            assert (one.values, one.errors, one.steps) == ((wanted.mean,), (wanted.stderr,), (2,))
    assert found.best.parameters == {"first": 1.0, "second": 0.5}
    assert found.folds == 1
    assert found.ranker.scorer.weights.tolist() == [1.0, 0.5, 0.0, 0.0]
    assert Fixed.trained == [24] * 4


def test_in_folds_it_is_the_mean_over_the_parts_that_it_did_not_learn_from() -> None:
    found = tune(Fixed(), GRID, TRAIN, folds=4, seed=3)
    parts = [fold.test for fold in folds(TRAIN, 4, seed=3, validation=False)]
    one = found.candidates[1]
    assert one.values == tuple(value(part, 1.0).mean for part in parts)
    assert one.value == pytest.approx(np.mean(one.values))
    assert one.error == pytest.approx(np.sqrt(np.sum(np.square(one.errors))) / 4)
    assert Fixed.trained[:12] == [
        len(fold.train) for fold in folds(TRAIN, 4, seed=3, validation=False) for _ in GRID["first"]
    ]
    assert sum(len(part) for part in parts) == len(TRAIN) == Fixed.trained[-1]


def test_after_folds_the_last_training_has_as_many_steps_as_they_kept() -> None:
    found = tune(Fixed(rounds=9), GRID, TRAIN, folds=3)
    assert found.best.steps == (2, 2, 2)
    assert found.learner.rounds == 2
    assert tune(Fixed(rounds=9), GRID, TRAIN, validation=VALIDATION).learner.rounds == 9


def test_less_may_be_better() -> None:
    less = tune(Fixed(select="WARPLoss"), GRID, TRAIN, validation=VALIDATION)
    assert less.best.parameters["first"] == 1.0
    assert less.best.value == min(one.value for one in less.candidates)
    assert less.table().rows[0][-1] == "← chosen"


def test_the_measure_that_selects_judges() -> None:
    found = tune(Fixed(select="letor4:P@1"), GRID, TRAIN, validation=VALIDATION)
    assert found.select == measure("letor4:P@1")
    assert found.candidates[0].value == value(VALIDATION, 0.0, of="letor4:P@1").mean


def test_the_learner_that_is_given_stays_as_it_is() -> None:
    one = Fixed(seed=4)
    before = one.get_params()
    found = tune(one, GRID, TRAIN, validation=VALIDATION)
    assert one.get_params() == before
    assert not hasattr(one, "ranker_")
    assert found.learner.seed == 4


def test_without_a_last_training_there_is_a_table_alone() -> None:
    found = tune(Fixed(), GRID, TRAIN, validation=VALIDATION, refit=False)
    assert len(Fixed.trained) == 3
    assert "← chosen" in str(found)
    assert found.as_dict()["best"] == {"first": 1.0, "second": 0.5}


def test_what_fails_is_told_and_not_chosen() -> None:
    found = tune(Fixed(), {"fails": [True, False]}, TRAIN, validation=VALIDATION)
    assert found.best.parameters == {"fails": False}
    assert math.isnan(found.candidates[0].value)
    assert found.table().rows[-1][-1] == "failed: it does not want to"
    assert found.as_dict()["candidates"][0]["failure"] == "it does not want to"
    with pytest.raises(RankwiseError, match="no candidate could be learnt: it does not want to"):
        tune(Fixed(), {"fails": [True]}, TRAIN, validation=VALIDATION)


# Records.


def test_what_was_computed_is_not_computed_again(tmp_path: Path) -> None:
    told: list[Progress] = []
    first = tune(Fixed(), GRID, TRAIN, folds=3, records=tmp_path)
    assert len(Fixed.trained) == 10
    Fixed.trained.clear()
    more = {"first": [*GRID["first"], 2.0], "second": [0.5]}
    again = tune(Fixed(), more, TRAIN, folds=3, records=tmp_path, callbacks=[told.append])
    assert len(Fixed.trained) == 4
    assert again.candidates[:3] == first.candidates
    assert [(now.done, now.of, now.computed) for now in told] == [(9, 12, 0), (10, 12, 1), (11, 12, 2), (12, 12, 3)]
    assert told[0].best == first.best.value


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"learner": Fixed(measure="nDCG@3")},
        {"learner": Fixed(rounds=4)},
        {"data": TRAIN.take(range(23))},
        {"validation": VALIDATION.take(range(11))},
    ],
    ids=str,
)
def test_what_depends_on_something_else_is_computed_anew(change: dict[str, Any], tmp_path: Path) -> None:
    given = {"learner": Fixed(), "data": TRAIN, "validation": None}
    for settings in (given, given | change):
        Fixed.trained.clear()
        options = {name: value for name, value in settings.items() if name not in ("learner", "data")}
        tune(settings["learner"], GRID, settings["data"], folds=3, records=tmp_path, refit=False, **options)
    assert len(Fixed.trained) == (3 if "validation" in change else 9)


def test_a_damaged_record_is_computed_anew(tmp_path: Path) -> None:
    first = tune(Fixed(), GRID, TRAIN, validation=VALIDATION, records=tmp_path, refit=False)
    one, two, *_ = sorted(tmp_path.glob("*.record"))
    one.write_bytes(one.read_bytes()[:-3])
    two.unlink()
    Fixed.trained.clear()
    again = tune(Fixed(), GRID, TRAIN, validation=VALIDATION, records=tmp_path, refit=False)
    assert len(Fixed.trained) == 2
    assert [c.values for c in again.candidates] == [c.values for c in first.candidates]


def test_a_record_holds_the_value_of_each_list(tmp_path: Path) -> None:
    tune(Fixed(), {"first": [1.0]}, TRAIN, validation=VALIDATION, records=tmp_path, refit=False)
    from rankwise.data.formats import arrays

    (path,) = tmp_path.glob("*.record")
    header, columns = arrays.read(path, "record", 1)
    assert header["facts"]["parameters"]["first"] == 1.0
    assert columns["values"].tolist() == value(VALIDATION, 1.0, 0.0).values.tolist()
    assert Records(tmp_path).has(header["facts"])


def test_any_number_of_processes_finds_the_same(tmp_path: Path) -> None:
    one = learner("lambdamart")(trees=4, min_documents=5)
    grid = {"leaves": [3, 5], "learning_rate": [0.1, 0.3]}
    alone = tune(one, grid, TRAIN, folds=2)
    both = tune(one, grid, TRAIN, folds=2, jobs=2, records=tmp_path)
    assert [(c.values, c.errors, c.steps) for c in alone.candidates] == [
        (c.values, c.errors, c.steps) for c in both.candidates
    ]
    assert alone.ranker.predict(TRAIN).tobytes() == both.ranker.predict(TRAIN).tobytes()
    assert len(list(tmp_path.glob("*.record"))) == 8


_KILLED = """
import sys
from pathlib import Path
from contracts.settings import easy
from rankwise import learner, tune
import os, signal

def told(now):
    if now.computed == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    one = learner("lambdamart")(trees=3, min_documents=5)
    grid = {"leaves": [3, 5], "sigma": [1.0, 2.0]}
    found = tune(one, grid, easy(0), folds=2, records=sys.argv[1], jobs=int(sys.argv[3]), callbacks=[told])
    found.ranker.save(sys.argv[1] + "/m")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_killed_search_goes_on_where_it_was(tmp_path: Path) -> None:
    script = tmp_path / "search.py"
    script.write_text(_KILLED)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}

    def run(folder: str, at: int, jobs: int) -> int:
        command = [sys.executable, str(script), str(tmp_path / folder), str(at), str(jobs)]
        return subprocess.run(command, env=environment, capture_output=True).returncode

    assert run("killed", 3, 1) == -signal.SIGKILL
    assert len(list((tmp_path / "killed").glob("*.record"))) == 3
    assert run("killed", 1, 2) == -signal.SIGKILL
    assert run("killed", 99, 1) == run("whole", 99, 1) == 0
    assert (tmp_path / "killed" / "m").read_bytes() == (tmp_path / "whole" / "m").read_bytes()


# Candidates.


def test_the_whole_grid_in_order() -> None:
    assert candidates({"a": [1, 2], "b": Range(3, 5)}) == [{"a": a, "b": b} for a in (1, 2) for b in (3, 4, 5)]


def test_random_candidates_are_different_and_within_their_ranges() -> None:
    grid = {"leaves": Range(4, 64), "rate": Range(0.01, 1.0), "shift": Range(-1.0, 1.0), "kind": ["x", "y"]}
    found = candidates(grid, 400, seed=1)
    assert len({repr(one) for one in found}) == 400
    assert found == candidates(grid, 400, seed=1) != candidates(grid, 400, seed=2)
    leaves, rates, shifts = (np.array([one[name] for one in found]) for name in ("leaves", "rate", "shift"))
    assert leaves.min() == 4 and leaves.max() <= 64 and all(isinstance(one["leaves"], int) for one in found)
    # By their logarithms: half of the draws below the geometric mean of the ends.
    assert abs(np.mean(rates < 0.1) - 0.5) < 0.1
    assert abs(np.mean(leaves < 16) - 0.5) < 0.1
    assert abs(np.mean(shifts < 0) - 0.5) < 0.1
    assert abs(np.mean([one["kind"] == "x" for one in found]) - 0.5) < 0.1


def test_a_small_grid_is_drawn_whole() -> None:
    found = candidates({"a": [1, 2, 3], "b": [True, False]}, 100)
    assert sorted(map(repr, found)) == sorted(map(repr, candidates({"a": [1, 2, 3], "b": [True, False]})))


# Refusals.


@pytest.mark.parametrize(
    ("grid", "options", "told"),
    [
        ({}, {}, "there is no parameter to search"),
        ({"frist": [1]}, {}, "fixed has no parameter 'frist'\nHint: it has first=1.0"),
        ({"first": 1.0}, {}, "'first' needs a list of values, not 1.0"),
        ({"first": []}, {}, "'first' needs a list of values"),
        ({"scaling": "none"}, {}, "'scaling' needs a list of values, not 'none'"),
        ({"rounds": [3, 0]}, {}, "rounds=0: the number of steps must be a whole number from 1, not 0"),
        ({"measure": ["AP"]}, {}, "candidates with different measures cannot be compared"),
        ({"first": Range(0.5, 1.0)}, {}, "not all numbers of first=0.5..1.0 can be tried"),
        ({"first": [1.0]}, {"random": 0}, "the number of random candidates must be a whole number from 1, not 0"),
        ({"first": [1.0]}, {"folds": 1}, "the number of folds must be a whole number from 2, not 1"),
        ({"first": [1.0]}, {"jobs": 0}, "jobs must be a whole number from 1, not 0"),
    ],
)
def test_what_is_refused(grid: Any, options: dict[str, Any], told: str) -> None:
    with pytest.raises(RankwiseError) as refusal:
        tune(Fixed(), grid, TRAIN, **options)
    assert told in str(refusal.value)
    assert not Fixed.trained


@pytest.mark.parametrize("ends", [(2, 1), (1, 1), (math.nan, 1), (0, math.inf)])
def test_a_range_rises(ends: tuple[float, float]) -> None:
    with pytest.raises(RankwiseError, match="a range goes from a number to a greater one"):
        Range(*ends)


def test_ids_travel_to_other_processes() -> None:
    import pickle

    ids = Ids.of(["a", "ü", ""])
    assert pickle.loads(pickle.dumps(ids[1:])) == ["ü", ""]
    assert list(pickle.loads(pickle.dumps(TRAIN)).queries) == list(TRAIN.queries)
