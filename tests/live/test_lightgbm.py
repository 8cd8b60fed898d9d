"""LightGBM itself, whose metrics are read off a booster that has not learnt anything yet."""

from __future__ import annotations

import numpy as np
import pytest

from live.lists import Lists, random_lists
from rankwise import Dataset, adapters, evaluate

lightgbm = pytest.importorskip("lightgbm")
pytestmark = pytest.mark.live

CUTS = [1, 2, 5, 10, 50]
NAMES = [f"{name}@{k}" for name in ("ndcg", "map") for k in CUTS]
QUIET = {"verbose": -1, "min_data_in_bin": 1, "feature_pre_filter": False, "num_threads": 1}


def dataset(lists: Lists, **more: object) -> object:
    """The scores as those with which training starts."""
    features = np.arange(len(lists.labels), dtype=np.float64)[:, None]
    return lightgbm.Dataset(features, lists.labels, group=lists.sizes, init_score=lists.scores, params=QUIET, **more)


def values(lists: Lists, **parameters: object) -> dict[str, float]:
    params = {**QUIET, "objective": "lambdarank", "metric": "ndcg,map", "eval_at": CUTS, **parameters}
    found = lightgbm.Booster(params, dataset(lists)).eval_train()
    return {result[1]: result[2] for result in found}


@pytest.mark.parametrize("gain", ["exp2", "linear"])
@pytest.mark.parametrize("seed", range(3))
def test_every_measure_of_every_list(seed: int, gain: str) -> None:
    lists = random_lists(seed, near=True)
    parameters = {} if gain == "exp2" else {"label_gain": list(range(31))}
    prefix = "lightgbm" if gain == "exp2" else "lightgbm_linear"
    ours = lists.values(prefix, NAMES)
    for at, (labels, scores) in enumerate(lists.each()):
        theirs = values(Lists(labels, scores, np.array([len(labels)])), **parameters)
        assert ours[:, at] == pytest.approx([theirs[name] for name in NAMES], abs=1e-9)
    theirs = values(lists, **parameters)
    assert ours.mean(axis=1) == pytest.approx([theirs[name] for name in NAMES], abs=1e-9)


def test_labels_of_one_half_and_less_are_not_relevant_for_map() -> None:
    for label in (0.4, 0.5, 0.6):
        lists = Lists(np.array([0.0, label] * 20), np.array([2.0, 1.0] * 20), np.array([2] * 20))
        theirs = values(lists, objective="regression", metric="map")
        assert lists.values("lightgbm", ["map@1"]).mean() == pytest.approx(theirs["map@1"])


@pytest.mark.parametrize("text", ["yahoo:nDCG@10", "nDCG@5", "AP(empty='skip')", "lightgbm:ndcg@10"])
def test_as_feval_a_measure_is_what_evaluate_makes_of_the_predictions(text: str) -> None:
    rng = np.random.default_rng(5)
    lists = random_lists(5)
    features = np.column_stack([lists.labels + rng.normal(size=len(lists.labels)), rng.normal(size=len(lists.labels))])
    weights = rng.random(len(lists.labels))
    made = lightgbm.Dataset(features, lists.labels, group=lists.sizes, weight=weights, params=QUIET)
    record: dict = {}
    booster = lightgbm.train(
        {**QUIET, "objective": "lambdarank", "metric": "None"},
        made,
        4,
        valid_sets=[made],
        feval=adapters.lightgbm([text, "WARPLoss"]),
        callbacks=[lightgbm.record_evaluation(record)],
    )
    measured = made.get_weight()
    of_lists = [float(part.mean()) for part in np.split(measured, np.cumsum(lists.sizes)[:-1])]
    data = Dataset.of(labels=lists.labels, group=lists.sizes, weights=of_lists)
    wanted = evaluate(data, booster.predict(features), [text, "WARPLoss"])
    for outcome, curve in zip(wanted, record["training"].values(), strict=True):
        assert curve[-1] == pytest.approx(outcome.mean)


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
def test_as_eval_metric_of_the_estimator_it_drives_early_stopping() -> None:
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(6)
    lists = random_lists(6)
    features = np.column_stack([lists.labels + rng.normal(size=len(lists.labels)), rng.normal(size=len(lists.labels))])
    ranker = lightgbm.LGBMRanker(n_estimators=60, metric="None", verbose=-1, num_threads=1)
    ranker.fit(
        features,
        lists.labels,
        group=lists.sizes,
        eval_set=[(features[::-1], lists.labels[::-1])],
        eval_group=[lists.sizes[::-1]],
        eval_metric=adapters.lightgbm("yahoo:nDCG@10"),
        callbacks=[lightgbm.early_stopping(5, verbose=False)],
    )
    ((name, curve),) = ranker.evals_result_["valid_0"].items()
    assert name == "yahoo_v1_0:nDCG@10"
    assert ranker.best_iteration_ == int(np.argmax(curve)) + 1 < 60
    found = evaluate(lists.labels, ranker.predict(features), "yahoo:nDCG@10", group=lists.sizes)[0].mean
    assert found == pytest.approx(max(curve))


def test_two_fevals_under_two_conventions_do_not_change_each_other() -> None:
    """Its own table of gains is one for the whole process."""
    lists = random_lists(8)
    made = dataset(lists).construct()
    alone = {name: adapters.lightgbm(f"{name}:ndcg@5")(lists.scores, made) for name in ("lightgbm", "lightgbm_linear")}
    before = adapters.lightgbm("lightgbm:ndcg@5")
    lightgbm.Booster({**QUIET, "objective": "lambdarank", "label_gain": list(range(31))}, dataset(lists))
    assert before(lists.scores, made) == alone["lightgbm"]
    assert adapters.lightgbm(["lightgbm:ndcg@5", "lightgbm_linear:ndcg@5"])(lists.scores, made) == list(alone.values())
    assert alone["lightgbm"][1] != alone["lightgbm_linear"][1]


def test_a_weighted_mean_with_an_empty_list_is_right() -> None:
    """Its own ndcg counts an empty list as 1 whatever the weight."""
    lists = Lists(np.array([3.0, 2, 1, 0, 0, 0]), np.array([0.1, 0.4, 0.3, 0.2, 2.0, 1.0]), np.array([4, 2]))
    made = dataset(lists, weight=[1, 1, 1, 1, 9, 9]).construct()
    name, value, _ = adapters.lightgbm("lightgbm:ndcg@10")(lists.scores, made)
    first = evaluate(lists.labels[:4], lists.scores[:4], "lightgbm:ndcg@10")[0].mean
    assert (name, value) == ("lightgbm:nDCG@10", pytest.approx((first + 9) / 10))


def test_without_groups_feval_says_how_to_give_them() -> None:
    from rankwise import DataError

    made = lightgbm.Dataset(np.arange(8.0)[:, None], [0, 1] * 4, params=QUIET).construct()
    with pytest.raises(DataError, match=r"was not told which rows belong to one list\nHint: lightgbm\.Dataset"):
        adapters.lightgbm("nDCG@10")(np.zeros(8), made)
