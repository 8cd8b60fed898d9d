"""The loop, with a learner whose every step is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from contracts.settings import arrays, easy
from contracts.test_learners import Kept
from rankwise import DataError, Dataset, RankwiseError, RankwiseWarning, measure
from rankwise.learners import learner
from rankwise.learners.base import Learner
from rankwise.learners.curve import Curve, Step
from rankwise.learners.plain import of_plain, to_plain
from rankwise.learners.training import Training, as_dataset
from rankwise.rankers.linear import Linear

DATA = easy()


@dataclass(frozen=True)
class Place:
    at: int
    weights: npt.NDArray[np.float64]


@dataclass(kw_only=True, eq=False, repr=False)
class Walk(Learner):
    """Goes through given weights of two features, one pair a step."""

    path: Any = ((1.0, 0.0),)
    stop_at: int = 100

    name: ClassVar[str] = "walk"
    states: ClassVar[tuple[type, ...]] = (Place,)
    lengthens: ClassVar[str] = "path"

    def steps(self) -> int:
        return len(self.path)

    def start(self, data: Training, rng: np.random.Generator) -> Place:
        return Place(0, np.zeros(2))

    def step(self, data: Training, state: Place, rng: np.random.Generator) -> Place:
        return Place(state.at + 1, np.array(self.path[state.at], np.float64))

    def scorer(self, state: Place) -> Linear:
        return Linear(state.weights, 0.0)

    def finished(self, state: Place) -> str:
        return "the walk is over" if state.at == self.stop_at else ""


# On these lists the first feature ranks perfectly, and the second the other way round.
X = np.array([[3, -3], [2, -2], [1, -1]] * 4, np.float32)
Y = [2, 1, 0] * 4
LISTS = Dataset.of(X, Y, group=[3] * 4)
GOOD, BAD, MIXED = (1.0, 0.0), (0.0, 1.0), (0.0, 0.0)


def test_without_validation_the_last_step_is_kept() -> None:
    fitted = Walk(path=[GOOD, BAD]).fit(LISTS)
    assert fitted.ranker_.scorer.weights.tolist() == [0.0, 1.0]
    assert fitted.curve_.training.tolist() == [1.0, pytest.approx(fitted.score(LISTS))]
    assert fitted.stopped_ == "all steps done"


def test_a_learner_may_choose_on_the_lists_it_learns_from() -> None:
    class Choosing(Walk):
        chooses_on_training = True

    assert Choosing(path=[BAD, GOOD, MIXED]).fit(LISTS).curve_.best == 2


def test_validation_keeps_the_first_of_equally_good_steps() -> None:
    fitted = Walk(path=[BAD, GOOD, MIXED, GOOD]).fit(LISTS, validation=LISTS)
    assert fitted.curve_.best == 2 and fitted.ranker_.about["steps"] == 2
    assert fitted.curve_.validation[1] == fitted.curve_.validation[3] == 1.0
    assert np.isnan(Walk(path=[GOOD]).fit(LISTS).curve_.validation).all()


def test_validation_may_be_features_labels_and_query_ids() -> None:
    fitted = Walk(path=[BAD, GOOD]).fit(LISTS, validation=(X, Y, np.repeat(range(4), 3)))
    assert fitted.curve_.best == 2


def test_patience_counts_steps_without_a_better_value() -> None:
    path = [MIXED, GOOD, BAD, BAD, BAD, BAD]
    fitted = Walk(path=path, patience=3).fit(LISTS, validation=LISTS)
    assert len(fitted.curve_) == 5 and fitted.stopped_ == "no better value in 3 steps"
    assert len(Walk(path=path, patience=3).fit(LISTS).curve_) == 6


def test_a_measure_that_is_better_where_it_is_less_chooses_the_least() -> None:
    loss = next(m for m in (measure("WARPLoss"),) if not m.higher_is_better)
    fitted = Walk(path=[BAD, GOOD, MIXED], select=loss).fit(LISTS, validation=LISTS)
    assert fitted.curve_.best == int(np.nanargmin(fitted.curve_.validation)) + 1 == 2
    assert fitted.score(LISTS) == -fitted.curve_.validation[1]


def test_an_algorithm_may_have_nothing_left_to_do() -> None:
    fitted = Walk(path=[BAD] * 9, stop_at=4).fit(LISTS)
    assert len(fitted.curve_) == 4 and fitted.stopped_ == "the walk is over"


def test_the_curve_counts_seconds_and_prints_as_a_table() -> None:
    fitted = Walk(path=[BAD, GOOD]).fit(LISTS, validation=LISTS)
    assert 0 <= fitted.curve_.seconds[0] <= fitted.curve_.seconds[1]
    assert str(fitted.curve_).splitlines()[2] == "   2    1.0000      1.0000  ← kept"
    long = Curve([Step(n, 100, 0.5, math.nan, 37, 0.0) for n in range(1, 101)], best=37)
    assert "37" in str(long) and len(str(long).splitlines()) < 25 and "–" in str(long)


def test_more_steps_may_follow_a_training_that_ended() -> None:
    kept = Kept()
    Walk(path=[BAD, BAD]).fit(LISTS, validation=LISTS, checkpoint=kept)
    longer = Walk(path=[BAD, BAD, GOOD]).fit(LISTS, validation=LISTS, checkpoint=kept)
    assert len(longer.curve_) == 3 and longer.curve_.best == 3


def test_a_checkpoint_belongs_to_the_ranker_that_its_training_began_from() -> None:
    kept = Kept()
    first, other = (learner("lambdamart")(trees=trees, min_documents=2).fit(DATA).ranker_ for trees in (1, 2))
    learn = learner("lambdamart")(trees=4, min_documents=2)
    learn.fit(DATA, start_from=first, checkpoint=kept)
    again = learn.fit(DATA, start_from=first, checkpoint=kept)
    assert again.curve_.best == 4
    for start_from in (other, None):
        with pytest.raises(DataError, match="is of a training that began from another ranker, or from none"):
            learn.fit(DATA, start_from=start_from, checkpoint=kept)


def test_one_callback_needs_no_list() -> None:
    seen: list[Step] = []
    Walk(path=[BAD, GOOD]).fit(LISTS, callbacks=seen.append)
    assert len(seen) == 2


def test_damaged_checkpoints_are_refused() -> None:
    kept = Kept()
    Walk(path=[BAD]).fit(LISTS, validation=LISTS, checkpoint=kept)
    header, columns = kept.snapshot

    def refused(words: str, **changes: Any) -> None:
        kept.snapshot = ({**header, **changes}, columns)
        with pytest.raises(DataError, match=words):
            Walk(path=[BAD, GOOD]).fit(LISTS, validation=LISTS, checkpoint=kept)

    refused("memory: the checkpoint is of the learner 'adarank', not of 'walk'", learner="adarank")
    refused("the number of steps is -1", step=-1)
    refused("the state cannot be read", state={"record": "Popen", "fields": {}})
    refused("the state cannot be read", state={"record": "Place", "fields": {"at": 1}})
    refused("the state cannot be read", state={"array": "nothing"})
    kept.snapshot = (header, {**columns, "validation": np.zeros(3)})
    with pytest.raises(DataError, match="the scores of the validation lists are not there, or of others"):
        Walk(path=[BAD, GOOD]).fit(LISTS, validation=LISTS, checkpoint=kept)
    kept.snapshot = (header, {name: column for name, column in columns.items() if name != "validation"})
    with pytest.raises(DataError, match="the scores of the validation lists are not there, or of others"):
        Walk(path=[BAD, GOOD]).fit(LISTS, validation=LISTS, checkpoint=kept)


def test_plain_states_come_back_bit_for_bit() -> None:
    state = (Place(3, np.array([0.1, np.nan])), None, True, 1e-310, math.inf, "text", {"a": (1, 2.5)}, np.float64(0.3))
    columns: dict[str, Any] = {}
    found = of_plain(to_plain(state, "state", columns), columns, {"Place": Place}, "here")
    assert found[0].at == 3 and found[0].weights.tobytes() == state[0].weights.tobytes()
    assert found[1:] == state[1:]
    with pytest.raises(TypeError, match="a state holds plain data, not object"):
        to_plain(object(), "state", columns)


# What is learnt from.


def test_lists_that_are_not_there_to_learn_from_are_counted() -> None:
    data = Dataset.of([[1.0]] * 8, [0, 0, 1, 1, 0, 1, 2, 1], qid=list("aabbccdd"), feature_names=["x"])
    fitted = learner("best-feature")(measure="nDCG@5").fit(data)
    assert fitted.counts_._asdict() == {
        "lists": 4, "rows": 8, "features": 1, "empty": 1, "single_label": 2, "zeroed": 0, "teaching": 2,
    }  # fmt: skip
    assert fitted.feature_names_in_.tolist() == ["x"]


def test_what_a_dataset_holds_is_not_given_beside_it() -> None:
    with pytest.raises(DataError, match="a dataset holds its labels, lists and weights, and `qid` is given beside it"):
        Walk().fit(LISTS, qid=[1, 2])
    with pytest.raises(DataError, match="learning requires y to be passed, but the target y is None"):
        Walk().fit(X, qid=np.repeat(range(4), 3))
    with pytest.raises(DataError, match="the dataset has no features to learn from"):
        Walk().fit(Dataset.of(labels=[1, 0], group=[2]))
    with pytest.raises(DataError, match="nothing says which rows belong to one list"):
        Walk().fit(X, Y)


def test_the_columns_of_a_frame_name_the_features() -> None:
    import pyarrow

    frame = pyarrow.table({"price": [1.0, 2.0], "stars": [3, 4]})
    assert as_dataset(frame, [0, 1], qid=[1, 1]).feature_names == ("price", "stars")


def test_an_order_of_their_own_does_not_hang_on_the_one_given() -> None:
    features, labels, qid = arrays(DATA)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(labels))
        other = Dataset.of(features[order], labels[order], qid=qid[order]).in_canonical_order(rows_too=True)
        mine = DATA.in_canonical_order(rows_too=True)
        assert other.features.tobytes() == mine.features.tobytes()
        assert other.labels.tolist() == mine.labels.tolist() and list(other.queries) == sorted(mine.queries)


def test_rows_keep_their_order_where_a_rule_of_ties_looks_at_it() -> None:
    data = Dataset.of([[2.0], [1.0], [0.0]], [0, 1, 2], qid=["b", "a", "a"])
    assert data.in_canonical_order(rows_too=False).features.ravel().tolist() == [1.0, 0.0, 2.0]
    for ties in ("input", "expected"):
        fitted = Walk(path=[GOOD, MIXED], measure=f"nDCG(ties={ties!r})@10").fit(
            np.hstack([X, X])[:, :2], Y, group=[3] * 4
        )
        assert np.isfinite(fitted.curve_.training).all()


# Refusals.


def test_validation_that_has_no_value_is_refused() -> None:
    with pytest.raises(DataError, match=r"validation: .* has no value on these lists"):
        Walk(select="nDCG(empty='skip')@10").fit(LISTS, validation=Dataset.of(X[:3], [0, 0, 0], group=[3]))
    with pytest.raises(DataError, match=r"validation is a Dataset, or \(X, y, qid\)"):
        Walk().fit(LISTS, validation=(X, Y, [1], [2]))


@pytest.mark.parametrize(
    ("labels", "select"), [([0, 0, 0], "nDCG@10"), ([1, 1, 1], "AP"), ([1, 1, 0], "letor4:nDCG@10")]
)
def test_validation_that_cannot_choose_is_worth_a_word(labels: list[int], select: str) -> None:
    indifferent = Dataset.of(X[:3], labels, group=[3])
    with pytest.warns(RankwiseWarning, match="validation: no ranking of these lists changes .*, and the first step"):
        fitted = Walk(path=[MIXED, GOOD], select=select).fit(LISTS, validation=indifferent)
    assert fitted.curve_.best == 1


def test_a_learner_that_does_not_exist_is_refused() -> None:
    with pytest.raises(RankwiseError, match="there is no learner 'lambdamort'"):
        learner("lambdamort")


def test_features_of_training_and_use_go_by_their_names() -> None:
    named = Dataset.of(X, Y, group=[3] * 4, feature_names=["a", "b"])
    fitted = Walk(path=[GOOD]).fit(named)
    turned = Dataset.of(X[:, ::-1], Y, group=[3] * 4, feature_names=["b", "a"])
    assert fitted.predict(turned).tolist() == fitted.predict(named).tolist()
    with pytest.raises(DataError, match="feature 'b' is not among these, and 'c' was not known in training"):
        fitted.predict(Dataset.of(X, Y, group=[3] * 4, feature_names=["a", "c"]))
