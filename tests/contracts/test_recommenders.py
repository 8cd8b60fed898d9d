"""What every learner of interactions keeps to, by being listed in `RECOMMENDERS`."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from contracts.test_learners import Kept, Killed, plain
from rankwise import DataError, RankwiseError, evaluate
from rankwise.data.formats.checkpoints import FileCheckpoint
from rankwise.recommenders import RECOMMENDERS, recommender_learner
from rankwise.recommenders.base import NotFitted, RecommenderLearner
from rankwise.recommenders.interactions import Interactions
from rankwise.recommenders.recommender import Recommender
from rankwise.recommenders.saved import load_recommender
from rankwise.recommenders.splits import by_ratio
from recommenders.making import tastes
from recommenders.settings import QUICK, names, quick

ALL = pytest.mark.parametrize("name", names())
TRAIN, REST, _ = by_ratio(tastes(0, users=150, items=90, each=20), 0.4)
VALIDATION, TEST, _ = by_ratio(REST, 0.5, seed=1)
# What learns in several steps.
STEPS = pytest.mark.parametrize("name", [name for name in names() if quick(name).steps() > 1])


def bits(recommender: Recommender) -> bytes:
    scores = recommender.model.scores(np.arange(len(recommender.users)), recommender.histories)
    return scores.tobytes()


def mean(recommender: Recommender, judged: Interactions, measure: str = "nDCG@10") -> float:
    return evaluate(*recommender.lists(judged), measure)[measure].mean


def shuffled(data: Interactions, seed: int) -> Interactions:
    order = np.random.default_rng(seed).permutation(len(data))
    users = [data.users[u] for u in data.user[order]]
    return Interactions.of(users, [data.items[i] for i in data.item[order]], data.values[order])


def test_settings_are_of_all_learners() -> None:
    assert set(QUICK) == set(RECOMMENDERS)


@ALL
def test_its_name_is_that_of_the_command_line(name: str) -> None:
    assert recommender_learner(name).name == name


@ALL
def test_parameters_are_attributes_and_a_clone_has_the_same(name: str) -> None:
    one = quick(name, seed=7, select="AP")
    assert clone(one).get_params() == one.get_params()
    assert one.set_params(seed=8).seed == 8


@ALL
def test_every_parameter_has_a_default_and_the_docstring_names_it(name: str) -> None:
    kind = recommender_learner(name)
    kind()
    for parameter in set(kind().get_params()) - set(RecommenderLearner().get_params()):
        assert f"`{parameter}`" in (kind.__doc__ or ""), f"{kind.__name__}'s docstring is silent on {parameter}"


@ALL
def test_fit_returns_itself_and_says_what_happened(name: str) -> None:
    one = quick(name)
    assert one.fit(TRAIN, validation=VALIDATION) is one
    assert len(one.curve_) >= 1 and np.isfinite(one.curve_.validation).all() and one.stopped_
    about = one.recommender_.about
    assert about["learner"] == name and about["counts"] == {"users": 150, "items": 90, "interactions": len(TRAIN)}
    assert name in repr(one.recommender_) and str(one.recommender_) and str(one.curve_)


@ALL
def test_it_does_not_recommend_before_it_has_learnt(name: str) -> None:
    with pytest.raises(NotFitted, match="has not learnt yet"):
        quick(name).recommend(["u001"])


@ALL
def test_it_beats_lots(name: str) -> None:
    dataset, scores = quick(name).fit(TRAIN, validation=VALIDATION).recommender_.lists(TEST)
    rng = np.random.default_rng(0)
    lots = np.mean([evaluate(dataset, rng.random(len(scores)), "nDCG@10")["nDCG@10"].mean for _ in range(5)])
    better = 0.02 if name == "popularity" else 0.1
    assert evaluate(dataset, scores, "nDCG@10")["nDCG@10"].mean > lots + better


@ALL
def test_the_step_that_is_kept_is_the_best_on_validation(name: str) -> None:
    fitted = quick(name, select="AP").fit(TRAIN, validation=VALIDATION)
    best = np.nanmax(fitted.curve_.validation)
    assert mean(fitted.recommender_, VALIDATION, "AP") == pytest.approx(best, abs=1e-12)
    assert fitted.recommender_.about["validation"] == best


@ALL
def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads(name: str) -> None:
    first, second = (quick(name, seed=3, threads=threads).fit(TRAIN, validation=VALIDATION) for threads in (1, 3))
    assert bits(first.recommender_) == bits(second.recommender_)
    assert first.curve_.validation.tobytes() == second.curve_.validation.tobytes()
    assert bits(quick(name, seed=3).fit(TRAIN, validation=VALIDATION).recommender_) == bits(first.recommender_)


@ALL
def test_the_order_of_rows_changes_no_bit(name: str) -> None:
    one, other = (quick(name).fit(shuffled(TRAIN, seed)).recommender_ for seed in (1, 2))
    assert bits(one) == bits(other)


@STEPS
def test_another_seed_gives_another_recommender(name: str) -> None:
    assert bits(quick(name, seed=1).fit(TRAIN).recommender_) != bits(quick(name, seed=2).fit(TRAIN).recommender_)


@ALL
def test_start_step_and_model_change_neither_the_learner_nor_the_state(name: str) -> None:
    one = quick(name)
    before = copy.deepcopy(vars(one))
    data = one.prepare(TRAIN)
    state = one.start(data, np.random.default_rng(0))
    for step in range(min(3, one.steps())):
        kept = plain(one.pack(state))
        following = one.step(data, state, np.random.default_rng(step + 1))
        assert plain(one.pack(state)) == kept
        state = following
    assert vars(one) == before


@ALL
def test_a_resumed_training_is_the_uninterrupted_one(name: str) -> None:
    whole = quick(name).fit(TRAIN, validation=VALIDATION)
    for kills in range(1, min(len(whole.curve_), 3) + 1):
        kept = Kept(dies_after=kills)
        with pytest.raises(Killed):
            quick(name).fit(TRAIN, validation=VALIDATION, checkpoint=kept)
        kept.left = None
        resumed = quick(name).fit(TRAIN, validation=VALIDATION, checkpoint=kept)
        assert bits(resumed.recommender_) == bits(whole.recommender_)
        assert resumed.curve_.validation.tobytes() == whole.curve_.validation.tobytes()


@ALL
def test_a_checkpoint_of_another_training_is_refused(name: str, tmp_path: Any) -> None:
    path = tmp_path / "training.checkpoint"
    first = quick(name).fit(TRAIN, checkpoint=FileCheckpoint(path, seconds=0))
    again = quick(name).fit(TRAIN, checkpoint=FileCheckpoint(path))
    assert bits(again.recommender_) == bits(first.recommender_)
    with pytest.raises(DataError, match=r"training\.checkpoint: the checkpoint is of a training with seed=0, not 1"):
        quick(name, seed=1).fit(TRAIN, checkpoint=FileCheckpoint(path))
    with pytest.raises(DataError, match="the checkpoint is of a training on other lists"):
        quick(name).fit(REST, checkpoint=FileCheckpoint(path))


@STEPS
def test_a_longer_training_goes_on_from_a_checkpoint(name: str, tmp_path: Any) -> None:
    path = tmp_path / "training.checkpoint"
    quick(name, epochs=2).fit(TRAIN, checkpoint=FileCheckpoint(path, seconds=0))
    further = quick(name, epochs=4).fit(TRAIN, checkpoint=FileCheckpoint(path))
    assert bits(further.recommender_) == bits(quick(name, epochs=4).fit(TRAIN).recommender_)


@STEPS
def test_callbacks_budgets_and_patience_stop(name: str) -> None:
    seen: list[Any] = []
    fitted = quick(name).fit(TRAIN, callbacks=[seen.append, lambda step: step.number == 2])
    assert [step.number for step in seen] == [1, 2] and fitted.stopped_ == "stopped by a callback"
    assert quick(name).fit(TRAIN, time_budget=1e-9).stopped_ == "the time is up"
    long = quick(name, epochs=200, patience=2).fit(TRAIN, validation=VALIDATION)
    assert long.stopped_ == "no better value in 2 steps" and len(long.curve_) < 200
    with pytest.raises(RankwiseError, match="the time budget must be a number above 0, not 0"):
        quick(name).fit(TRAIN, time_budget=0)


@ALL
def test_it_goes_on_from_a_recommender_or_says_that_it_cannot(name: str) -> None:
    first = quick(name).fit(TRAIN)
    try:
        further = quick(name, epochs=2).fit(TRAIN, start_from=first.recommender_) if quick(name).lengthens else None
        warm = quick(name, warm_start=True).fit(TRAIN).fit(TRAIN)
    except RankwiseError as refusal:
        assert "cannot go on from a recommender" in str(refusal)
    else:
        assert further is not None and bits(further.recommender_) != bits(first.recommender_)
        assert bits(warm.recommender_) != bits(first.recommender_)
        with pytest.raises(DataError, match="is of other users or items"):
            quick(name).fit(tastes(1), start_from=first.recommender_)


@ALL
def test_a_saved_recommender_is_the_same(name: str, tmp_path: Any) -> None:
    fitted = quick(name).fit(TRAIN, validation=VALIDATION).recommender_
    fitted.save(tmp_path / "model.rankwise")
    read = load_recommender(tmp_path / "model.rankwise")
    assert bits(read) == bits(fitted) and dict(read.about) == dict(fitted.about)
    assert read.recommend(["u003"], 5)["u003"] == fitted.recommend(["u003"], 5)["u003"]


@ALL
def test_the_best_items_are_those_of_the_scores(name: str) -> None:
    fitted = quick(name).fit(TRAIN).recommender_
    users = np.arange(0, 150, 7)
    found = fitted.recommend([fitted.users[u] for u in users], 9)
    scores = fitted.model.scores(users, fitted.histories.take(users))
    for at, user in enumerate(users):
        seen = set(fitted.histories.of(user).tolist())
        left = [item for item in np.argsort(-scores[at], kind="stable") if item not in seen][:9]
        assert found.found[at].tolist() == left
        np.testing.assert_array_equal(found.scores[at], scores[at, left])


@ALL
def test_scores_of_pairs_are_those_of_all(name: str) -> None:
    fitted = quick(name).fit(TRAIN).recommender_
    scores = fitted.model.scores(np.arange(150), fitted.histories)
    users, items = (
        [names[n] for n in numbers] for names, numbers in ((TEST.users, TEST.user), (TEST.items, TEST.item))
    )
    np.testing.assert_array_equal(fitted.predict(users, items), scores[TEST.user, TEST.item])


@ALL
def test_users_are_taken_in(name: str) -> None:
    fitted = quick(name).fit(TRAIN).recommender_
    folded = fitted.fold_in(Interactions.of(["x", "x", "x"], [TRAIN.items[i] for i in TRAIN.item[:3]]))
    assert list(folded.users) == ["x"] and len(folded.recommend(["x"], 5)["x"]) == 5
    assert not {item for item, _ in folded.recommend(["x"], 90)["x"]} & {TRAIN.items[i] for i in TRAIN.item[:3]}


@ALL
@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"seed": -1}, "seed must be a whole number from 0, not -1"),
        ({"patience": 0}, "patience must be a whole number from 1, not 0"),
        ({"threads": 1.5}, "threads must be a whole number from 1, not 1.5"),
        ({"select": "nDGC@10"}, "nDGC"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(name: str, parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(RankwiseError, match=words):
        quick(name, **parameters).fit(TRAIN)


@ALL
def test_validation_that_says_nothing_is_refused(name: str) -> None:
    with pytest.raises(DataError, match="validation: user 'x' is not known from training"):
        quick(name).fit(TRAIN, validation=Interactions.of(["x"], ["i001"]))
    with pytest.raises(DataError, match=r"validation: user 'u\d+' has item 'i\d+' in training too"):
        quick(name).fit(TRAIN, validation=TRAIN)
