"""LambdaMART: Newton steps on lambdas, the same bits whatever happens to a training, LightGBM's own beside it."""

from __future__ import annotations

import copy
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pytest

from contracts.settings import arrays, easy, shuffled
from rankwise import ConventionError, DataError, Dataset, RankwiseError, evaluate
from rankwise.data.formats.checkpoints import FileCheckpoint
from rankwise.learners import lightgbm_text
from rankwise.learners.grower import Grower, bins
from rankwise.learners.lambdamart import LambdaMART, _one_side
from rankwise.learners.training import Training
from rankwise.losses import lambdas
from rankwise.measures.parse import measure
from rankwise.rankers import Linear, Ranker, Trees
from rankwise.rankers.inputs import Inputs

SMALL: dict[str, Any] = {"trees": 12, "leaves": 4, "min_documents": 2, "learning_rate": 0.3}


def small(**parameters: Any) -> LambdaMART:
    return LambdaMART(**{**SMALL, **parameters})


def richer(lists: int = 30, seed: int = 0) -> Dataset:
    """Documents with codes of categories, missing values, positions and weights of lists."""
    rng = np.random.default_rng(seed)
    data = easy(seed, lists=lists, features=6)
    assert data.features is not None
    features = data.features.copy()
    features[:, 2] = rng.integers(0, 40, len(features))
    features[rng.random(len(features)) < 0.2, 3] = np.nan
    labels = np.clip(data.labels + (np.isin(features[:, 2], [3, 7, 31, 33, 38])), 0, 3)
    positions = np.concatenate([rng.permutation(size) + 1 for size in np.diff(data.offsets)])
    return replace(data, features=features, labels=labels, positions=positions, weights=rng.random(lists) + 0.5)


TRAIN, VALIDATION = richer(seed=0), richer(lists=12, seed=1)
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "features": {"feature_share": 0.5},
    "lists": {"list_share": 0.6},
    "goss": {"goss": (0.3, 0.2)},
    "categories": {"categorical": ["3"], "monotone": {"1": 1, "2": -1}},
    "positions": {"position_bias": 0.1},
    "usual": {"below": "discounted", "normalized": False, "sigma": 2.0},
    "all": {"feature_share": 0.5, "list_share": 0.6, "goss": (0.3, 0.2), "categorical": ["3"], "monotone": {"1": 1},
            "position_bias": 0.1, "bin_rows": 60, "bins": 16, "l2": 1.0},
}  # fmt: skip
EACH = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)


def trees_equal(one: Any, other: Any) -> bool:
    (_, mine), (_, theirs) = one.plain(), other.plain()
    return mine.keys() == theirs.keys() and all(mine[name].tobytes() == theirs[name].tobytes() for name in mine)


# Definition.


@pytest.mark.parametrize("l2", [0.0, 3.0])
@pytest.mark.parametrize("text", ["nDCG@10", "AP", "letor4:nDCG@3", "RR(ties='worst')"])
@pytest.mark.filterwarnings("ignore::rankwise.errors.RankwiseWarning")
def test_leaves_are_newton_steps_on_the_lambdas(text: str, l2: float) -> None:
    data = easy(3)
    assert data.features is not None
    fitted = small(measure=text, l2=l2, learning_rate=0.25, trees=3, normalized=False).fit(data)
    trees = fitted.ranker_.scorer
    leaves = trees.leaves(data.features)
    for tree in range(3):
        gradient, hessian = lambdas(data, trees.first(tree).scores(data.features), text)
        sums = [np.bincount(leaves[:, tree], weights=column) for column in (gradient, hessian)]
        values = trees.leaf_value[trees.starts[tree] : trees.starts[tree + 1]]
        # LightGBM holds gradients in single precision.
        np.testing.assert_allclose(values, -0.25 * sums[0] / (sums[1] + l2), rtol=1e-5, atol=1e-7)


def test_the_ranker_scores_the_training_rows_as_the_training_did() -> None:
    seen: dict[str, Any] = {}

    class Watching(LambdaMART):
        def training_scores(self, data: Any, state: Any) -> Any:
            seen["scores"], seen["table"] = state.scores, data.training.table
            return state.scores

    fitted = Watching(**{**SMALL, **OPTIONS["all"]}).fit(TRAIN)
    assert fitted.ranker_.scorer.scores(seen["table"]).tobytes() == seen["scores"].tobytes()


@EACH
def test_it_learns(options: dict[str, Any]) -> None:
    fitted = small(trees=40, **options).fit(TRAIN)
    value = evaluate(TRAIN, fitted.predict(TRAIN), "nDCG@10")[0].mean
    assert value > evaluate(TRAIN, np.zeros(len(TRAIN.labels)), "nDCG@10")[0].mean + 0.1


def test_one_side_sampling_is_right_on_the_mean() -> None:
    rng = np.random.default_rng(16)
    gradient, hessian = rng.normal(size=200), rng.random(200)
    most = np.argsort(-np.abs(gradient * hessian))[:40]
    drawn = [_one_side(gradient, hessian, (0.2, 0.1), np.random.default_rng(seed)) for seed in range(3000)]
    for g, h in drawn[:5]:
        assert (g != 0).sum() == (h != 0).sum() == 60
        np.testing.assert_array_equal(g[most], gradient[most])
    np.testing.assert_allclose(np.mean([g for g, _ in drawn], axis=0), gradient, rtol=0.3)
    assert np.mean([g.sum() for g, _ in drawn]) == pytest.approx(gradient.sum(), abs=1.5)


def test_documents_are_sampled_once_the_trees_have_settled() -> None:
    plain, sampled = (small(goss=goss).fit(TRAIN).ranker_.scorer for goss in (None, (0.3, 0.2)))
    assert trees_equal(plain.first(4), sampled.first(4))
    assert not trees_equal(plain.first(5), sampled.first(5))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_tree_sees_its_share_of_lists(share: float) -> None:
    seen: list[np.ndarray] = []

    class Watching(LambdaMART):
        def _drawn(self, weights: Any, rng: Any) -> Any:
            seen.append(super()._drawn(weights, rng))
            return seen[-1]

    Watching(**SMALL, list_share=share).fit(TRAIN)
    assert all((drawn > 0).sum() == max(1, round(share * len(TRAIN))) for drawn in seen)
    assert len({drawn.tobytes() for drawn in seen}) > 1
    weights = np.sort(TRAIN.weights)
    assert all(np.isin(drawn[drawn > 0], weights).all() for drawn in seen)


# Conventions.


@pytest.mark.parametrize("ties", ["expected", "best", "worst", "input", "reversed", "docid", "docid-desc", "random",
                                  "selection-sort"])  # fmt: skip
def test_training_moves_from_equal_scores_under_every_rule_of_ties(ties: str) -> None:
    rows = len(TRAIN.labels)
    data = replace(TRAIN, documents=type(TRAIN.queries).of([f"d{at}" for at in range(rows)]))
    for text in (f"nDCG(ties='{ties}')@3", f"AP(ties='{ties}')", f"RR(ties='{ties}')"):
        fitted = small(trees=2, measure=text).fit(data)
        assert len(fitted.ranker_.scorer) == 2
        assert np.ptp(fitted.predict(data)) > 0.1


@pytest.mark.parametrize("kind", ["nDCG@10", "nDCG@3", "RR@10"])
def test_what_an_empty_list_scores_changes_no_bit_of_the_model(kind: str) -> None:
    """As in Yahoo's and RankLib's measures, which differ in just that."""
    data = replace(TRAIN, labels=TRAIN.labels * np.repeat(np.arange(30) % 3 > 0, np.diff(TRAIN.offsets)))
    wanted = small(measure=f"ranklib:{kind}").fit(data)
    assert wanted.counts_.empty >= 10
    for empty in ("1.0", "0.5", "0.0"):
        name, _, k = kind.partition("@")
        other = small(measure=f"ranklib:{name}(empty={empty})@{k}").fit(data)
        assert trees_equal(other.ranker_.scorer, wanted.ranker_.scorer)


def test_yahoo_and_ranklib_make_the_same_model() -> None:
    """One has logarithms to base e, the other to base 2, so that their quotients round differently in the last bit."""
    data = replace(TRAIN, labels=TRAIN.labels * np.repeat(np.arange(30) % 3 > 0, np.diff(TRAIN.offsets)))
    yahoo, ranklib = (small(measure=f"{tool}:nDCG@10", trees=40).fit(data) for tool in ("yahoo", "ranklib"))
    mine, theirs = yahoo.ranker_.scorer, ranklib.ranker_.scorer
    for name in ("feature", "threshold", "left", "right", "missing"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))
    np.testing.assert_allclose(mine.leaf_value, theirs.leaf_value, rtol=1e-5, atol=1e-9)
    assert yahoo.curve_.training[-1] > ranklib.curve_.training[-1] + 0.2


def test_learners_with_other_conventions_and_lightgbms_own_do_not_meet() -> None:
    measures = ["nDCG(gain={0: 0, 1: 5, 2: 6, 3: 7})@5", "lightgbm:ndcg@5"]
    alone = [small(measure=m).fit(TRAIN).ranker_.scorer for m in measures]
    learners = [small(measure=m) for m in measures]
    inputs = Inputs.fit(TRAIN)
    data = [
        one.prepare(Training.of(TRAIN, inputs, measure(m), None)) for one, m in zip(learners, measures, strict=True)
    ]
    states = [one.start(d, np.random.default_rng(0)) for one, d in zip(learners, data, strict=True)]
    for step in range(12):
        states = [one.step(d, s, np.random.default_rng(step)) for one, d, s in zip(learners, data, states, strict=True)]
        # It changes the one table of gains that all of its boosters read.
        theirs = {"objective": "lambdarank", "label_gain": [0, step, 50, 100], "verbosity": -1, "min_data_in_leaf": 2}
        lightgbm.train(theirs, lightgbm.Dataset(TRAIN.features, TRAIN.labels, group=np.diff(TRAIN.offsets)), 1)
    for one, state, wanted in zip(learners, states, alone, strict=True):
        assert trees_equal(one.scorer(state), wanted)


# Data.


def test_a_list_of_20_000_documents_with_labels_of_any_kind() -> None:
    """LightGBM's own lambdarank takes 10,000 documents at most, and whole numbers up to 30."""
    rng = np.random.default_rng(4)
    features = rng.normal(size=(20_400, 3)).astype(np.float32)
    labels = np.maximum(0, features[:, 0] * 37.25 + rng.normal(size=20_400))
    data = Dataset.of(features, labels, group=[20_000, 400])
    fitted = LambdaMART(trees=5, learning_rate=0.3, measure="nDCG(gain='linear')@10").fit(data)
    assert fitted.score(data) > 0.9


def test_a_list_of_weight_2_counts_as_two_lists() -> None:
    rng = np.random.default_rng(5)
    features = rng.integers(0, 4, (200, 3)).astype(np.float32)
    labels = rng.integers(0, 3, 200)
    qid = np.repeat(np.arange(20), 10)
    twice = qid < 6
    again = Dataset.of(
        np.vstack([features, features[twice]]), np.concatenate([labels, labels[twice]]),
        qid=np.concatenate([qid, qid[twice] + 100]),
    )  # fmt: skip
    weighed = Dataset.of(features, labels, qid=qid, weights={q: 2.0 if q < 6 else 1.0 for q in range(20)})
    mine, theirs = (LambdaMART(trees=4, leaves=4, min_documents=1).fit(d).ranker_.scorer for d in (weighed, again))
    for name in ("feature", "threshold", "leaf_value"):
        np.testing.assert_allclose(getattr(mine, name), getattr(theirs, name), rtol=1e-6)


def test_a_documents_weight_multiplies_its_gain() -> None:
    data = easy(6)
    gains = np.array([0.0, 1.0, 3.0, 7.0])[data.labels.astype(int)]
    weighed = replace(data, labels=(gains > 0).astype(np.float64), document_weights=np.maximum(gains, 1.0))
    mine = small(measure="nDCG@5").fit(data).ranker_.scorer
    theirs = small(measure="nDCG@5").fit(weighed).ranker_.scorer
    assert mine.feature.tobytes() == theirs.feature.tobytes()
    np.testing.assert_allclose(mine.leaf_value, theirs.leaf_value, rtol=1e-12)


def test_scores_follow_a_monotone_feature() -> None:
    rng = np.random.default_rng(7)
    features = rng.normal(size=(600, 2)).astype(np.float32)
    labels = np.digitize(features[:, 0] + np.sin(4 * features[:, 1]) + 0.5 * rng.normal(size=600), [0.5, 1.5])
    data = Dataset.of(features, labels, group=[20] * 30)
    grid = np.stack([np.repeat(np.linspace(-2, 2, 40), 40), np.tile(np.linspace(-2, 2, 40), 40)], axis=1)
    for feature, direction in (("1", 1), ("2", -1), ("2", 1)):
        scores = small(trees=40, monotone={feature: direction}).fit(data).predict(grid).reshape(40, 40)
        steps = direction * np.diff(scores, axis=int(feature) - 1)
        assert steps.min() >= 0 and steps.max() > 0
    free = small(trees=40).fit(data).predict(grid).reshape(40, 40)
    assert np.diff(free, axis=1).min() < 0 < np.diff(free, axis=1).max()


def test_categories_are_split_by_membership() -> None:
    rng = np.random.default_rng(8)
    codes = rng.integers(0, 70, 1200)
    labels = np.isin(codes, [2, 31, 32, 45, 63, 64, 69]).astype(int)
    data = Dataset.of(codes.reshape(-1, 1).astype(float), labels, group=[20] * 60, feature_names=["shop"])
    fitted = small(trees=10, categorical=["shop"]).fit(data)
    assert (fitted.ranker_.scorer.category_set >= 0).any()
    assert fitted.score(data) == evaluate(data, labels.astype(float), "nDCG@10")[0].mean
    assert len(set(fitted.predict([[500.0], [np.nan], [-1.0]]).tolist())) == 1


def test_missing_values_say_something() -> None:
    rng = np.random.default_rng(9)
    features = rng.normal(size=(600, 2)).astype(np.float32)
    labels = (rng.random(600) < 0.3).astype(int)
    features[labels == 1, 1] = np.nan
    data = Dataset.of(features, labels, group=[20] * 30)
    fitted = small().fit(data)
    assert fitted.score(data) == pytest.approx(evaluate(data, labels.astype(float), "nDCG@10")[0].mean)


def test_features_that_never_differ_leave_nothing_to_split() -> None:
    fitted = small().fit(np.ones((20, 2)), [0, 1] * 10, group=[20])
    assert fitted.stopped_ == "no split is worth it"
    assert fitted.predict(np.ones((3, 2))).tolist() == [0.0] * 3


def clicks(lists: int, seed: int) -> tuple[Dataset, Dataset]:
    """Clicks on documents shown by a poor ranker, the more the higher they stood; and what the documents are worth."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(lists, 10, 4)).astype(np.float32)
    worth = 1 / (1 + np.exp(-2 * features[:, :, 0] + 1))
    # They were shown by the second feature, which says nothing of what they are worth.
    shown = np.argsort(np.argsort(-features[:, :, 1], axis=1), axis=1)
    clicked = rng.random(worth.shape) < worth * 0.75**shown
    rows = features.reshape(-1, 4)
    logged = Dataset.of(rows, clicked.ravel() * 1, group=[10] * lists, positions=shown.ravel() + 1)
    return logged, Dataset.of(rows, (worth > 0.5).ravel() * 1, group=[10] * lists)


def test_positions_are_learnt_beside_the_trees() -> None:
    logged, judged = clicks(400, 10)
    plain, corrected = (LambdaMART(trees=60, position_bias=p, seed=1).fit(logged) for p in (None, 0.0))
    measures = [evaluate(judged, one.predict(judged), "AP")[0].mean for one in (plain, corrected)]
    assert measures[1] > measures[0] + 0.02
    shares = [one.ranker_.importances() for one in (plain, corrected)]
    assert shares[1]["2"] / shares[1]["1"] < 0.5 * shares[0]["2"] / shares[0]["1"]


def test_the_bias_of_a_position_takes_newton_steps() -> None:
    one = small(position_bias=0.5, normalized=False)
    training = Training.of(TRAIN, Inputs.fit(TRAIN), measure("nDCG@10"), None)
    data = one.prepare(training)
    state = one.start(data, np.random.default_rng(0))
    assert training.positions is not None
    bias = np.zeros(int(training.positions.max()))
    for step in range(3):
        gradient, hessian = lambdas(training.dataset, state.scores + bias[training.positions - 1], "nDCG@10")
        for position in range(len(bias)):
            rows = training.positions == position + 1
            pull = 0.5 * rows.sum()
            bias[position] -= 0.3 * (gradient[rows].sum() + pull * bias[position]) / (hessian[rows].sum() + pull + 1e-3)
        state = one.step(data, state, np.random.default_rng(step))
        np.testing.assert_allclose(state.bias, bias, rtol=1e-9, atol=1e-12)
    assert np.ptp(bias) > 0


# The same bits.


@EACH
def test_threads_and_the_order_of_lists_change_no_bit(options: dict[str, Any]) -> None:
    wanted = small(threads=1, **options).fit(TRAIN).ranker_.scorer
    assert trees_equal(small(threads=2, **options).fit(TRAIN).ranker_.scorer, wanted)
    order = np.random.default_rng(11).permutation(len(TRAIN))
    assert trees_equal(small(threads=3, **options).fit(TRAIN.take(order)).ranker_.scorer, wanted)


def test_threads_change_no_bit_where_sums_are_not_exact() -> None:
    """LightGBM sums what it bundles block by block, a thread each, and gradients so unlike round in each sum."""
    rng = np.random.default_rng(0)
    table = (rng.normal(size=(20_000, 100)) * (rng.random((20_000, 100)) < 0.2)).astype(np.float32)
    size = np.exp(8 * rng.normal(size=20_000))
    gradient, hessian = ((size / size.max() * lots).astype(np.float32) for lots in rng.normal(size=(2, 20_000)))
    grown = []
    for threads in (1, 2):
        settings = {"num_leaves": 31, "num_threads": threads, "min_sum_hessian_in_leaf": 0.0}
        grower = Grower(bins(table, settings, []), settings, Trees.join([], 100), np.zeros(20_000))
        for _ in range(5):
            grower.grow(lambda _: (gradient, np.abs(hessian)))
        grown.append(grower.trees(0, 5))
    assert trees_equal(*grown)


class Kept:
    """A checkpoint in memory whose process dies after some snapshots."""

    place = "memory"

    def __init__(self, dies_after: int) -> None:
        self.snapshot: Any = None
        self.left = dies_after

    def load(self) -> Any:
        return self.snapshot

    def is_due(self) -> bool:
        return True

    def save(self, header: Any, columns: Any) -> None:
        self.snapshot = copy.deepcopy((header, columns))
        self.left -= 1
        if not self.left:
            raise Killed


class Killed(Exception):
    pass


@EACH
def test_killed_at_ten_random_moments_it_resumes_to_the_same_model(options: dict[str, Any]) -> None:
    whole = small(trees=25, patience=8, **options).fit(TRAIN, validation=VALIDATION)
    rng = np.random.default_rng(13)
    for _ in range(10):
        kept, deaths = Kept(int(rng.integers(1, 9))), 0
        while True:
            try:
                resumed = small(trees=25, patience=8, **options).fit(TRAIN, validation=VALIDATION, checkpoint=kept)
                break
            except Killed:
                deaths += 1
                kept.left = int(rng.integers(1, 9))
        assert deaths > 0
        assert trees_equal(resumed.ranker_.scorer, whole.ranker_.scorer)
        assert resumed.curve_.validation.tobytes() == whole.curve_.validation.tobytes()


SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
from learners.test_lambdamart import OPTIONS, TRAIN, LambdaMART
from rankwise.data.formats.checkpoints import FileCheckpoint
kept = FileCheckpoint({path!r}, seconds=0)
LambdaMART(trees=400, leaves=4, min_documents=2, learning_rate=0.05, **OPTIONS["all"]).fit(TRAIN, checkpoint=kept)
"""


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_what_can_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "training.checkpoint"
    learner = LambdaMART(trees=400, leaves=4, min_documents=2, learning_rate=0.05, **OPTIONS["all"])
    whole = learner.fit(TRAIN).ranker_.scorer
    script = SCRIPT.format(tests=str(Path(__file__).parents[1]), path=str(path))
    steps = [0]
    for _ in range(10):
        process = subprocess.Popen([sys.executable, "-c", script])
        until = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
            kept = FileCheckpoint(path).load()
            if kept is not None and kept[0]["step"] >= steps[-1] + 20:
                process.send_signal(signal.SIGKILL)
                process.wait()
                steps.append(kept[0]["step"])
    assert len(steps) > 3
    assert trees_equal(learner.fit(TRAIN, checkpoint=FileCheckpoint(path)).ranker_.scorer, whole)


def test_a_state_that_was_left_behind_can_be_gone_on_from() -> None:
    one = small(**OPTIONS["all"])
    data = one.prepare(Training.of(TRAIN, Inputs.fit(TRAIN), measure("nDCG@10"), None))
    states = [one.start(data, np.random.default_rng(0))]
    for step in range(1, 7):
        states.append(one.step(data, states[-1], np.random.default_rng(step)))
    branch = states[2]
    for step in range(3, 7):
        branch = one.step(data, branch, np.random.default_rng(step))
    assert trees_equal(one.scorer(branch), one.scorer(states[-1]))
    assert branch.bias.tobytes() == states[-1].bias.tobytes()


@EACH
def test_going_on_from_a_ranker_is_a_longer_training(options: dict[str, Any]) -> None:
    if "position_bias" in options:
        options = {**options, "position_bias": None}
    whole = small(trees=12, **options).fit(TRAIN)
    half = small(trees=5, **options).fit(TRAIN)
    further = small(trees=12, **options).fit(TRAIN, start_from=half.ranker_)
    assert trees_equal(further.ranker_.scorer, whole.ranker_.scorer)
    warm = small(trees=5, warm_start=True, **options).fit(TRAIN)
    assert trees_equal(warm.set_params(trees=12).fit(TRAIN).ranker_.scorer, whole.ranker_.scorer)


# LightGBM.


@EACH
def test_the_booster_predicts_what_the_ranker_does(options: dict[str, Any]) -> None:
    half = small(trees=5, **options).fit(TRAIN, validation=VALIDATION)
    for fitted in (half, small(trees=12, **options).fit(TRAIN, start_from=half.ranker_)):
        booster = fitted.booster()
        assert booster.num_trees() == len(fitted.ranker_.scorer)
        scores = fitted.predict(VALIDATION)
        assert booster.predict(VALIDATION.features, raw_score=True).tobytes() == scores.tobytes()
        parts = booster.predict(VALIDATION.features[:5], pred_contrib=True)
        np.testing.assert_allclose(parts, fitted.ranker_.scorer.contributions(VALIDATION.features[:5]), atol=1e-9)


def test_a_models_text_comes_back_as_it_was() -> None:
    for options in (OPTIONS["plain"], OPTIONS["categories"]):
        trees = small(**options).fit(TRAIN).ranker_.scorer
        text = lightgbm_text.write(trees, ["a b", "c,d", '"e"', "{f}", "g", "h"])
        assert trees_equal(lightgbm_text.read(text, 6), trees)
        assert lightgbm.Booster(model_str=text).feature_name() == ["a_b", "c_d", "_e_", "_f_", "g", "h"]


def own_lambdarank(data: Dataset, trees: int, **settings: Any) -> Any:
    params = {
        "objective": "lambdarank", "verbosity": -1, "deterministic": True, "force_col_wise": True, "num_threads": 1,
        "num_leaves": 8, "learning_rate": 0.1, "min_data_in_leaf": 5, "enable_bundle": False, **settings,
    }  # fmt: skip
    bins = lightgbm.Dataset(data.features, data.labels, group=np.diff(data.offsets), params=params)
    return lightgbm_text.read(lightgbm.train(params, bins, trees).model_to_string(), data.features.shape[1])


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("k", [5, 30])
def test_in_its_manner_the_trees_are_those_of_its_own_lambdarank(k: int, normalized: bool) -> None:
    data = easy(14, lists=60, features=8)
    ours = LambdaMART(
        measure=f"lightgbm:ndcg@{k}", below="discounted", normalized=normalized, trees=5, leaves=8, learning_rate=0.1,
        min_documents=5,
    ).fit(data)  # fmt: skip
    theirs = own_lambdarank(data, 5, lambdarank_truncation_level=k, lambdarank_norm=normalized)
    mine = ours.ranker_.scorer
    for name in ("starts", "feature", "left", "right", "threshold"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), err_msg=name)
    # It looks sigmoids up in a table of a million.
    np.testing.assert_allclose(mine.leaf_value, theirs.leaf_value, rtol=1e-3, atol=1e-5)


# Refusals.


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"trees": 0}, "the number of steps must be a whole number from 1, not 0"),
        ({"leaves": 1}, "leaves must be a whole number from 2, not 1"),
        ({"leaves": True}, "leaves must be a whole number from 2, not True"),
        ({"min_documents": 0}, "min_documents must be a whole number from 1, not 0"),
        ({"bins": 1}, "bins must be a whole number from 2, not 1"),
        ({"bin_rows": 0}, "bin_rows must be a whole number from 1, not 0"),
        ({"learning_rate": 0.0}, "learning_rate must be a number above 0, not 0.0"),
        ({"learning_rate": float("nan")}, "learning_rate must be a number above 0, not nan"),
        ({"min_hessian": -1}, "min_hessian must be a number from 0, not -1"),
        ({"l2": "much"}, "l2 must be a number from 0, not 'much'"),
        ({"feature_share": 1.5}, "feature_share must be a number above 0, at most 1, not 1.5"),
        ({"list_share": 0}, "list_share must be a number above 0, at most 1, not 0"),
        ({"sigma": float("inf")}, "sigma must be a number above 0, not inf"),
        ({"position_bias": -0.1}, "position_bias must be a number from 0, not -0.1"),
        ({"goss": (0.8, 0.3)}, r"goss must be two shares above 0, together at most 1, not \(0.8, 0.3\)"),
        ({"goss": 0.2}, "goss must be two shares above 0, together at most 1, not 0.2"),
        ({"below": "cut"}, "below is 'zero' or 'discounted', not 'cut'"),
        ({"below": "discounted", "measure": "AP"}, "AP has no discounts that could go on below its cut-off"),
        ({"measure": "Bpref"}, "of two documents changes is not known for Bpref"),
        ({"categorical": ["price"]}, r"categorical: there is no feature 'price'\nHint: there are 1, 2, 3"),
        ({"categorical": ["4"]}, "categorical: feature '4' holds -?[0-9.]+, which is no code of a category"),
        ({"categorical": ["3"], "scaling": "rank"}, "scaling='rank' would change the codes of categories"),
        ({"monotone": {"7": 1}}, "monotone: there is no feature '7'"),
        ({"monotone": {"1": 2}}, "monotone: '1' is 1 or -1, not 2"),
        ({"monotone": "{1: 1}"}, "monotone must say a direction for each feature, not '{1: 1}'"),
        ({"monotone": [1, -1]}, r"monotone must say a direction for each feature, not \[1, -1\]"),
        ({"categorical": "3"}, "categorical must be several names of features, not '3'"),
        ({"categorical": 3}, "categorical must be several names of features, not 3"),
    ],
)  # fmt: skip
def test_parameters_that_mean_nothing_are_refused(parameters: dict[str, Any], match: str) -> None:
    with pytest.raises(RankwiseError, match=match):
        small(**parameters).fit(TRAIN)


def test_positions_are_asked_for_where_they_are_needed() -> None:
    with pytest.raises(DataError, match=r"position_bias needs the positions .*\nHint: give them as `Dataset.of"):
        small(position_bias=0.0).fit(replace(TRAIN, positions=None))


def test_a_label_that_the_gain_does_not_know_is_refused_with_its_place() -> None:
    rows = len(TRAIN.labels)
    named = replace(TRAIN, documents=type(TRAIN.queries).of([f"d{at}" for at in range(rows)]))
    with pytest.raises(ConventionError, match=r"query 'q\d\d', document 'd\d+': label 3"):
        small(measure="nDCG(gain={0: 0, 1: 1, 2: 2}, outside='error')@10").fit(named)


def test_weights_of_documents_are_refused_where_they_mean_nothing() -> None:
    weighed = replace(TRAIN, document_weights=np.ones(len(TRAIN.labels)))
    with pytest.raises(RankwiseError, match="weights of documents"):
        small(measure="ERR@10").fit(weighed)


def test_it_goes_on_from_trees_alone() -> None:
    linear = Ranker(Inputs.fit(TRAIN), Linear(np.ones(6), 0.0))
    with pytest.raises(RankwiseError, match="LambdaMART cannot go on from a ranker of linear\nHint: train from"):
        small().fit(TRAIN, start_from=linear)


def test_it_does_not_go_on_from_more_trees_than_it_is_to_have() -> None:
    grown = small(trees=5).fit(TRAIN).ranker_
    with pytest.raises(DataError, match="has 5 steps, more than the 4 that are asked for\nHint: ask for as many"):
        small(trees=4).fit(TRAIN, start_from=grown)
    assert small(trees=5).fit(TRAIN, start_from=grown).stopped_ == "all steps done"


def test_a_checkpoint_of_more_trees_than_it_is_to_have_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "training.checkpoint"
    small(trees=5).fit(TRAIN, checkpoint=FileCheckpoint(path))
    with pytest.raises(DataError, match=r"training\.checkpoint: the checkpoint has 5 steps, more than the 4 that are"):
        small(trees=4).fit(TRAIN, checkpoint=FileCheckpoint(path))


def test_without_lightgbm_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(
        RankwiseError, match=r"LambdaMART needs the package lightgbm.*\nHint: pip install 'rankwise\[tr"
    ):
        small().fit(TRAIN)


def test_lists_and_rows_in_another_order_are_the_same_training() -> None:
    data = easy(15)
    X, y, qid, _ = shuffled(data, 3, rows_too=True)
    one, other = small(bin_rows=40).fit(data), small(bin_rows=40).fit(X, y, qid=qid)
    assert trees_equal(one.ranker_.scorer, other.ranker_.scorer)
    assert arrays(data)[0].shape == X.shape
