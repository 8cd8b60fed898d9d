"""What every learner keeps to, by being listed in `LEARNERS`."""

from __future__ import annotations

import copy
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_regressor
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from contracts.settings import QUICK, arrays, easy, names, quick, shuffled
from rankwise import DataError, Dataset, RankwiseError, evaluate, load_ranker
from rankwise.data.formats.checkpoints import FileCheckpoint
from rankwise.learners import LEARNERS, learner
from rankwise.learners.base import Learner, NotFitted
from rankwise.learners.plain import to_plain
from rankwise.learners.training import Training
from rankwise.measures import nDCG
from rankwise.rankers.inputs import Inputs

ALL = pytest.mark.parametrize("name", names())
TRAIN, VALIDATION, TEST = easy(0), easy(1, lists=10), easy(2, lists=30)


class Kept:
    """A checkpoint in memory, which may die after so many snapshots, as a killed process does."""

    place = "memory"

    def __init__(self, dies_after: int | None = None) -> None:
        self.snapshot: Any = None
        self.left = dies_after

    def load(self) -> Any:
        return self.snapshot

    def is_due(self) -> bool:
        return True

    def save(self, header: Any, columns: Any) -> None:
        self.snapshot = copy.deepcopy((header, columns))
        if self.left is not None:
            self.left -= 1
            if not self.left:
                raise Killed


class Killed(Exception):
    pass


def mean(ranker: Any, data: Dataset, measure: str = "nDCG@10") -> float:
    return evaluate(data, ranker.predict(data), measure)[measure].mean


def plain(state: Any) -> str:
    """A state as a text, to see whether it changed."""
    columns: dict[str, Any] = {}
    return f"{to_plain(state, '', columns)}{ {name: column.tobytes() for name, column in columns.items()} }"


def prepared(one: Learner, data: Dataset = TRAIN) -> Any:
    inputs = Inputs.fit(data, transform=one.scaling, over=one.over, relative=tuple(one.relative))
    return one.prepare(Training.of(data, inputs, nDCG(10), one.threads))


def test_settings_are_of_all_learners() -> None:
    assert set(QUICK) == set(LEARNERS)


# What a learner is.


@ALL
def test_its_name_is_that_of_the_command_line(name: str) -> None:
    assert learner(name).name == name


@ALL
def test_parameters_are_attributes_and_a_clone_has_the_same(name: str) -> None:
    one = quick(name, seed=7, measure="letor4:nDCG@5")
    copied = clone(one)
    assert copied.get_params() == one.get_params()
    assert copied.seed == 7 and copied.measure == "letor4:nDCG@5"
    assert one.set_params(seed=8).seed == 8
    assert not is_regressor(one)


@ALL
def test_every_parameter_has_a_default_and_the_docstring_names_it(name: str) -> None:
    kind = learner(name)
    kind()
    inherited = set(Learner().get_params())
    for parameter in set(kind().get_params()) - inherited:
        assert f"`{parameter}`" in (kind.__doc__ or ""), f"{kind.__name__}'s docstring is silent on {parameter}"


@ALL
def test_fit_returns_itself_and_says_what_happened(name: str) -> None:
    one = quick(name)
    assert one.fit(TRAIN, validation=VALIDATION) is one
    assert one.counts_.lists == len(TRAIN) and one.counts_.rows == len(TRAIN.labels)
    assert one.n_features_in_ == 4
    assert len(one.curve_) >= 1 and np.isfinite(one.curve_.validation).all() and np.isfinite(one.curve_.training).all()
    assert one.stopped_
    assert one.ranker_.about["learner"] == name


@ALL
def test_it_does_not_rank_before_it_has_learnt(name: str) -> None:
    with pytest.raises(NotFitted, match="has not learnt yet"):
        quick(name).predict(TRAIN)


# What it learns.


@ALL
def test_it_beats_a_random_ranker(name: str) -> None:
    fitted = quick(name).fit(TRAIN, validation=VALIDATION)
    lots = np.mean([mean(_Random(seed), TEST) for seed in range(20)])
    assert mean(fitted, TEST) > lots + 0.15


class _Random:
    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def predict(self, data: Dataset) -> Any:
        return self.rng.random(len(data.labels))


@ALL
def test_the_step_that_is_kept_is_the_best_on_validation(name: str) -> None:
    fitted = quick(name, measure="nDCG@10", select="AP").fit(TRAIN, validation=VALIDATION)
    best = np.nanmax(fitted.curve_.validation)
    assert mean(fitted, VALIDATION, "AP") == pytest.approx(best, abs=1e-12)
    assert fitted.curve_.validation[fitted.curve_.best - 1] == best
    assert fitted.ranker_.about["validation"] == best


@ALL
def test_a_constant_feature_does_no_harm(name: str) -> None:
    X, y, qid = arrays(TRAIN)
    widened = np.hstack([X, np.full((len(X), 1), 3.0, np.float32)])
    fitted = quick(name).fit(widened, y, qid=qid)
    assert np.isfinite(fitted.predict(widened, qid=qid)).all()


@ALL
def test_one_list_is_enough_to_learn_from(name: str) -> None:
    scores = (
        quick(name)
        .fit([[1.0], [2.0], [3.0], [4.0]] * 5, [0, 1, 2, 3] * 5, group=[20])
        .predict(np.array([[1.0], [4.0]]), qid=[1, 1])
    )
    assert np.isfinite(scores).all()


# Determinism.


@ALL
def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads(name: str) -> None:
    first, second = (quick(name, seed=3, threads=threads).fit(TRAIN, validation=VALIDATION) for threads in (1, 2))
    assert first.predict(TEST).tobytes() == second.predict(TEST).tobytes()
    assert first.curve_.validation.tobytes() == second.curve_.validation.tobytes()


@ALL
@pytest.mark.parametrize("rows_too", [False, True], ids=["lists", "rows"])
def test_the_order_of_lists_and_rows_changes_no_bit(name: str, rows_too: bool) -> None:
    X, y, qid, _ = shuffled(TRAIN, 5, rows_too=rows_too)
    assert quick(name).fit(X, y, qid=qid).predict(TEST).tobytes() == quick(name).fit(TRAIN).predict(TEST).tobytes()


@ALL
def test_scores_come_in_the_callers_order(name: str) -> None:
    fitted = quick(name).fit(TRAIN)
    X, _, qid, order = shuffled(TEST, 6, rows_too=True)
    assert fitted.predict(X, qid=qid).tobytes() == fitted.predict(TEST)[order].tobytes()


@ALL
def test_two_learners_with_other_conventions_do_not_influence_each_other(name: str) -> None:
    measures = ["nDCG(gain='linear')@3", "yahoo:nDCG@10"]
    alone = [quick(name, measure=m).fit(TRAIN).predict(TEST).tobytes() for m in measures]
    learners = [quick(name, measure=m) for m in measures]
    data = [prepared(one) for one in learners]
    states = [one.start(d, np.random.default_rng(0)) for one, d in zip(learners, data, strict=True)]
    for step in range(3):
        states = [one.step(d, s, np.random.default_rng(step)) for one, d, s in zip(learners, data, states, strict=True)]
    assert [quick(name, measure=m).fit(TRAIN).predict(TEST).tobytes() for m in measures] == alone


# The algorithm's three functions.


@ALL
def test_start_step_and_scorer_change_neither_the_learner_nor_the_state(name: str) -> None:
    one = quick(name)
    before = copy.deepcopy(vars(one))
    data = prepared(one)
    state = one.start(data, np.random.default_rng(0))
    for step in range(min(3, one.steps())):
        kept = plain(one.pack(state))
        scores = one.scorer(state).scores(TEST.features)
        following = one.step(data, state, np.random.default_rng(step + 1))
        assert plain(one.pack(state)) == kept
        assert one.scorer(state).scores(TEST.features).tobytes() == scores.tobytes()
        state = following
        if one.finished(state):
            break
    assert vars(one) == before


@ALL
def test_scores_that_are_carried_on_are_those_of_the_scorer(name: str) -> None:
    one = quick(name)
    data = prepared(one)
    state = one.start(data, np.random.default_rng(0))
    scores = one.scorer(state).scores(TEST.features)
    for step in range(min(3, one.steps())):
        following = one.step(data, state, np.random.default_rng(step + 1))
        scores = one.rescore(TEST.features, scores, state, following)
        state = following
    np.testing.assert_allclose(scores, one.scorer(state).scores(TEST.features), rtol=1e-9, atol=1e-12)


# Stopping, resuming, going on.


@ALL
def test_a_resumed_training_is_the_uninterrupted_one(name: str) -> None:
    whole = quick(name).fit(TRAIN, validation=VALIDATION)
    for kills in range(1, min(len(whole.curve_), 6) + 1):
        kept = Kept(dies_after=kills)
        with pytest.raises(Killed):
            quick(name).fit(TRAIN, validation=VALIDATION, checkpoint=kept)
        kept.left = None
        resumed = quick(name).fit(TRAIN, validation=VALIDATION, checkpoint=kept)
        assert resumed.predict(TEST).tobytes() == whole.predict(TEST).tobytes()
        assert resumed.curve_.validation.tobytes() == whole.curve_.validation.tobytes()
        assert resumed.curve_.best == whole.curve_.best


@ALL
def test_a_checkpoint_may_be_a_file(name: str, tmp_path: Any) -> None:
    path = tmp_path / "training.checkpoint"
    first = quick(name).fit(TRAIN, checkpoint=FileCheckpoint(path, seconds=0))
    again = quick(name).fit(TRAIN, checkpoint=FileCheckpoint(path))
    assert again.predict(TEST).tobytes() == first.predict(TEST).tobytes()
    with pytest.raises(DataError, match=r"training\.checkpoint: the checkpoint is of a training with seed=0, not 1"):
        quick(name, seed=1).fit(TRAIN, checkpoint=FileCheckpoint(path))
    with pytest.raises(DataError, match="the checkpoint is of a training on other lists"):
        quick(name).fit(VALIDATION, checkpoint=FileCheckpoint(path))


@ALL
def test_a_callback_is_told_of_each_step_and_may_stop(name: str) -> None:
    seen: list[Any] = []
    fitted = quick(name).fit(TRAIN, validation=VALIDATION, callbacks=[seen.append, lambda step: step.number == 1])
    assert [step.number for step in seen] == [1]
    assert len(fitted.curve_) == 1 and fitted.stopped_


@ALL
def test_a_time_budget_ends_a_training_in_good_order(name: str) -> None:
    fitted = quick(name).fit(TRAIN, time_budget=1e-9)
    assert np.isfinite(fitted.predict(TEST)).all()
    with pytest.raises(RankwiseError, match="the time budget must be a number of seconds above 0, not 0"):
        quick(name).fit(TRAIN, time_budget=0)


@ALL
def test_it_goes_on_from_a_ranker_or_says_that_it_cannot(name: str) -> None:
    first = quick(name).fit(TRAIN)
    try:
        further = quick(name).fit(TRAIN, start_from=first.ranker_)
    except RankwiseError as refusal:
        assert "cannot go on from a ranker" in str(refusal)
    else:
        assert np.isfinite(further.predict(TEST)).all()


# Rankers on disk.


@ALL
def test_a_saved_ranker_scores_the_same_bits(name: str, tmp_path: Any) -> None:
    fitted = quick(name).fit(TRAIN)
    fitted.ranker_.save(tmp_path / "model.rankwise")
    read = load_ranker(tmp_path / "model.rankwise")
    assert read.predict(TEST).tobytes() == fitted.predict(TEST).tobytes()
    assert dict(read.about) == dict(fitted.ranker_.about)


# As scikit-learn and frames have it.


@ALL
def test_arrays_with_query_ids_are_a_dataset(name: str) -> None:
    X, y, qid = arrays(TRAIN)
    wanted = quick(name).fit(TRAIN).predict(TEST).tobytes()
    for features in (X, np.asfortranarray(X), X.astype(np.float64)):
        for labels in (y, y.astype(np.int8), y.astype(np.float32)):
            assert quick(name).fit(features, labels, qid=qid).predict(TEST).tobytes() == wanted


@ALL
def test_a_grid_search_over_folds_of_lists(name: str) -> None:
    import sklearn

    X, y, qid = arrays(TRAIN)
    with sklearn.config_context(enable_metadata_routing=True):
        one = quick(name).set_fit_request(qid=True).set_score_request(qid=True)
        search = GridSearchCV(one, {"seed": [0, 1]}, cv=GroupKFold(2), error_score="raise")
        search.fit(X, y, qid=qid, groups=qid)
    assert 0 < search.best_score_ <= 1


@ALL
def test_it_is_the_end_of_a_pipeline(name: str) -> None:
    import sklearn

    X, y, qid = arrays(TRAIN)
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), quick(name).set_fit_request(qid=True).set_predict_request(qid=True))
        scores = pipeline.fit(X, y, qid=qid).predict(X, qid=qid)
    assert np.isfinite(scores).all() and scores.shape == y.shape


@ALL
def test_it_can_be_shown(name: str) -> None:
    assert type(quick(name)).__name__ in repr(quick(name))
    assert str(quick(name).fit(TRAIN).ranker_)
    assert str(quick(name).fit(TRAIN).curve_)


# What scikit-learn asks of every estimator, and of grouped data cannot: its name → why.
NOT_OF_LISTS = {
    "check_n_features_in_after_fitting": "the refusal is in our words",
    "check_positive_only_tag_during_fit": "its labels follow the rows, so that each list has a single one",
    "check_estimators_nan_inf": "its labels follow the rows, so that each list has a single one",
    "check_fit2d_1sample": "a row alone is a list of a single label, which is refused in our words",
    "check_dtype_object": "numbers as objects are taken; the refusal of others is in our words",
}


# And what it cannot ask of a single learner.
_ALL_RELEVANT = "all labels of its lists are relevant, which is refused where there is nothing to rank them before"
NOT_OF_ONE = {"warp": {"check_estimators_dtypes": _ALL_RELEVANT, "check_fit2d_1feature": _ALL_RELEVANT}}


class OfFives:
    """Rows that stand next to each other are lists of five, since scikit-learn knows of none."""

    def fit(self, X: Any, y: Any = None) -> Any:
        return super().fit(X, y, qid=_fives(X))  # type: ignore[misc]

    def predict(self, X: Any) -> Any:
        return super().predict(X, qid=_fives(X))  # type: ignore[misc]

    def score(self, X: Any, y: Any) -> Any:
        return super().score(X, y, qid=_fives(X))  # type: ignore[misc]


# Classes that pickle finds by their names.
OF_FIVES = {name: type(f"OfFives_{name}", (OfFives, learner(name)), {"__module__": __name__}) for name in names()}
globals().update({kind.__name__: kind for kind in OF_FIVES.values()})


@ALL
def test_scikit_learn_finds_it_in_order_as_far_as_lists_permit(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(OF_FIVES[name](**QUICK[name]), on_fail=None, on_skip=None)
    failed = {one["check_name"]: one["exception"] for one in found if one["status"] == "failed"}
    known = NOT_OF_LISTS | NOT_OF_ONE.get(name, {})
    assert {check: str(why) for check, why in failed.items() if check not in known} == {}
    assert sum(one["status"] == "passed" for one in found) >= 30


def _fives(X: Any) -> Any:
    return np.arange(X.shape[0] if hasattr(X, "shape") else len(X)) // 5


# Refusals.


@ALL
def test_lists_of_a_single_label_teach_nothing(name: str) -> None:
    with pytest.raises(DataError, match="nothing to learn: each of 2 lists has a single label"):
        quick(name).fit([[1.0], [2.0], [3.0]], [0, 0, 1], group=[2, 1])


@ALL
def test_lists_of_no_weight_teach_nothing(name: str) -> None:
    data = easy()
    with pytest.raises(DataError, match="nothing to learn: each list that could teach has the weight 0"):
        quick(name).fit(replace(data, weights=np.zeros(len(data))))


@ALL
def test_other_features_are_refused(name: str) -> None:
    fitted = quick(name).fit(TRAIN)
    X, y, qid = arrays(TRAIN)
    with pytest.raises(DataError, match=r"3 features.*4"):
        fitted.predict(X[:, :3], qid=qid)
    with pytest.raises(DataError, match=r"^validation: .*3 features"):
        quick(name).fit(TRAIN, validation=(X[:, :3], y, qid))
    with pytest.raises(DataError, match="infinite"):
        fitted.predict(np.full((2, 4), np.inf), qid=[1, 1])


@ALL
def test_missing_values_have_a_place_or_are_refused(name: str) -> None:
    X, y, qid = arrays(TRAIN)
    X = X.copy()
    X[3, 1] = np.nan
    if quick(name).takes_missing:
        assert np.isfinite(quick(name).fit(X, y, qid=qid).predict(X, qid=qid)).all()
    else:
        with pytest.raises(DataError, match="has no place for missing values: feature '2' is NaN"):
            quick(name).fit(X, y, qid=qid)


@ALL
@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"seed": -1}, "seed must be a whole number from 0, not -1"),
        ({"patience": 0}, "patience must be a whole number from 1, not 0"),
        ({"threads": 1.5}, "threads must be a whole number from 1, not 1.5"),
        ({"scaling": "zscore"}, "transform is 'zscore'"),
        ({"measure": "nDGC@10"}, "nDGC"),
        ({"select": 5}, "5"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(name: str, parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(RankwiseError, match=words):
        quick(name, **parameters).fit(TRAIN)


@ALL
def test_lists_that_a_convention_zeroes_are_worth_a_word(name: str) -> None:
    one = quick(name, measure="letor4:nDCG@8")
    if not one.trains_by_measure:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            one.fit(TRAIN)
        return
    short = int((np.diff(TRAIN.offsets) < 8).sum())
    with pytest.warns(UserWarning, match=f"{short} of 24 lists teach nothing: letor4 scores lists shorter than 8"):
        one.fit(TRAIN)
    with pytest.raises(DataError, match=r"nothing to learn under letor4:nDCG@10: of 24 lists .*zeroed for being short"):
        quick(name, measure="letor4:nDCG@10").fit(TRAIN)
