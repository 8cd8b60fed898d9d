"""CatBoost itself."""

from __future__ import annotations

import numpy as np
import pytest

from live.lists import random_lists
from rankwise import DataError, adapters, evaluate

catboost = pytest.importorskip("catboost")
utils = pytest.importorskip("catboost.utils")
pytestmark = [
    pytest.mark.live,
    pytest.mark.filterwarnings("ignore:Failed to import numba"),
    # Where numba is there, CatBoost tries to compile a metric that is an object, and says that it cannot.
    pytest.mark.filterwarnings("ignore:Can't optimze method"),
]

CUTS = ["-1", "1", "2", "5", "10"]
METRICS = [
    *(f"{head}:top={k};type={kind};denominator={how}" for head in ("NDCG", "DCG") for k in CUTS
      for kind in ("Base", "Exp") for how in ("LogPosition", "Position")),
    *(f"{head}:top={k}{border}" for head in ("MAP", "PrecisionAt", "RecallAt", "MRR") for k in CUTS
      for border in ("", ";border=1.5")),
    "NDCG", "DCG", "MAP", "PrecisionAt", "RecallAt", "MRR",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(2))
def test_every_measure_of_every_list(seed: int) -> None:
    lists = random_lists(seed, near=True, lists=15)
    ours = lists.values("catboost", METRICS)
    for at, (labels, scores) in enumerate(lists.each()):
        group = np.zeros(len(labels), int)
        theirs = [utils.eval_metric(labels, scores, name, group_id=group)[0] for name in METRICS]
        wrong = [
            (name, mine, its)
            for name, mine, its in zip(METRICS, ours[:, at].tolist(), theirs, strict=True)
            if mine != pytest.approx(its, abs=1e-9)
        ]
        assert not wrong
    group = np.repeat(np.arange(len(lists.sizes)), lists.sizes)
    theirs = [utils.eval_metric(lists.labels, lists.scores, name, group_id=group)[0] for name in METRICS]
    assert ours.mean(axis=1) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("top", ["", ":top=1", ":top=3"])
def test_err_takes_labels_as_chances(top: str) -> None:
    rng = np.random.default_rng(4)
    for _ in range(30):
        rows = int(rng.integers(1, 12))
        labels, scores = rng.integers(0, 5, rows) / 4, rng.integers(0, 4, rows).astype(float)
        theirs = utils.eval_metric(labels, scores, f"ERR{top}", group_id=[0] * rows)[0]
        assert evaluate(labels, scores, f"catboost:ERR{top}")[0].mean == pytest.approx(theirs, abs=1e-6)


def training() -> tuple[object, object, object, object]:
    rng = np.random.default_rng(7)
    train, valid = random_lists(7), random_lists(9)
    pools = []
    for lists in (train, valid):
        rows = len(lists.labels)
        features = np.column_stack([lists.labels + rng.normal(size=rows), rng.normal(size=rows)])
        pools.append(
            catboost.Pool(features, lists.labels, group_id=np.repeat(np.arange(len(lists.sizes)), lists.sizes))
        )
    return train, valid, *pools


def model(metric: object) -> object:
    return catboost.CatBoost(
        {"loss_function": "YetiRank", "iterations": 40, "eval_metric": metric, "thread_count": 1,
         "early_stopping_rounds": 5, "allow_writing_files": False, "verbose": False}
    )  # fmt: skip


def test_as_eval_metric_a_measure_is_what_evaluate_makes_of_the_predictions() -> None:
    _, valid, pool, valid_pool = training()
    fitted = model(adapters.catboost("yahoo:nDCG@10", pool, valid_pool))
    fitted.fit(pool, eval_set=valid_pool)
    curve, of_training = (fitted.get_evals_result()[part]["CatBoostMetric"] for part in ("validation", "learn"))
    assert fitted.get_best_iteration() == int(np.argmax(curve))
    assert len(curve) == len(of_training)
    found = evaluate(valid.labels, fitted.predict(valid_pool), "yahoo:nDCG@10", group=valid.sizes)[0].mean
    assert found == pytest.approx(max(curve))


def test_labels_and_groups_do_as_well_as_pools() -> None:
    train, valid, pool, valid_pool = training()
    pairs = [(lists.labels, np.repeat(np.arange(len(lists.sizes)), lists.sizes)) for lists in (train, valid)]
    curves = []
    for sets in ((pool, valid_pool), pairs):
        fitted = model(adapters.catboost("nDCG@5", *sets))
        fitted.fit(pool, eval_set=valid_pool)
        curves.append(fitted.get_evals_result()["validation"]["CatBoostMetric"])
    assert curves[0] == curves[1]


def test_a_set_that_was_not_given_stops_the_training() -> None:
    _, _, pool, valid_pool = training()
    with pytest.raises(Exception, match="labels are not those of a set that was given"):
        model(adapters.catboost("nDCG@5", pool)).fit(pool, eval_set=valid_pool)


def test_a_pool_without_groups_is_refused() -> None:
    with pytest.raises(DataError, match=r"the Pool has no groups\nHint: catboost\.Pool"):
        adapters.catboost("nDCG@5", catboost.Pool([[1.0], [2.0]], [0, 1]))
