"""XGBoost itself, whose metrics are read off a booster that has not learnt anything yet."""

from __future__ import annotations

import numpy as np
import pytest

from live.lists import Lists, random_lists
from rankwise import DataError, Dataset, adapters, evaluate

xgboost = pytest.importorskip("xgboost")
pytestmark = pytest.mark.live

CUTS = ["", "@1", "@2", "@5", "@10", "@50"]
ENDS = [f"{at}{end}" for at in CUTS for end in ("", "-")]


def matrix(lists: Lists, **more: object) -> object:
    """The scores as those with which training starts."""
    features = np.arange(len(lists.labels), dtype=np.float64)[:, None]
    return xgboost.DMatrix(features, lists.labels, group=lists.sizes, base_margin=lists.scores, **more)


def values(lists: Lists, names: list[str], **parameters: object) -> list[float]:
    made = matrix(lists)
    params = {"objective": "rank:ndcg", "eval_metric": names, "disable_default_eval_metric": True, "nthread": 1}
    found = xgboost.Booster({**params, **parameters}, [made]).eval(made, "here")
    return [float(part.rpartition(":")[2]) for part in found.split()[1:]]


@pytest.mark.parametrize("seed", range(3))
def test_every_measure_of_every_list(seed: int) -> None:
    """A list of more than 32 documents tells the bare names apart; `near` scores are equal to it."""
    graded = random_lists(seed, near=True, lists=25)
    binary = Lists((graded.labels >= 1).astype(float), graded.scores, graded.sizes)
    for lists, prefix, head, parameters in (
        (graded, "exp_", "ndcg", {}),
        (graded, "linear_", "ndcg", {"ndcg_exp_gain": False}),
        (binary, "", "map", {}),
        (binary, "", "pre", {}),
    ):
        ends = CUTS if head == "pre" else ENDS
        ours = lists.values("xgboost", [f"{prefix}{head}{end}" for end in ends])
        theirs = values(lists, [f"{head}{end}" for end in ends], **parameters)
        assert ours.mean(axis=1) == pytest.approx(theirs, abs=2e-6)
        for at, (labels, scores) in enumerate(lists.each()):
            one = Lists(labels, scores, np.array([len(labels)]))
            assert ours[:, at] == pytest.approx(values(one, [f"{head}{end}" for end in ends], **parameters), abs=2e-6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("text", ["yahoo:nDCG@10", "nDCG(gain={0: 0, 1: 1, 2: 5, 3: 6, 4: 7}, ties='worst')@5"])
def test_as_custom_metric_a_measure_is_what_evaluate_makes_of_the_predictions(text: str, weighted: bool) -> None:
    rng = np.random.default_rng(3)
    lists = random_lists(3)
    features = np.column_stack([lists.labels + rng.normal(size=len(lists.labels)), rng.normal(size=len(lists.labels))])
    weights = rng.random(len(lists.sizes)) if weighted else None
    made = xgboost.DMatrix(
        features, lists.labels, qid=np.repeat(np.arange(len(lists.sizes)), lists.sizes), weight=weights
    )
    record: dict = {}
    metric = adapters.xgboost(text)
    booster = xgboost.train(
        {"objective": "rank:ndcg", "disable_default_eval_metric": True, "nthread": 1},
        made,
        30,
        evals=[(made, "here")],
        custom_metric=metric,
        maximize=metric.maximize,
        early_stopping_rounds=5,
        evals_result=record,
        verbose_eval=False,
    )
    ((_, curve),) = record["here"].items()
    assert booster.best_iteration == int(np.argmax(curve))
    known = None if weights is None else weights.astype(np.float32)
    data = Dataset.of(labels=lists.labels, group=lists.sizes, weights=known)
    wanted = evaluate(data, booster.predict(made), text)[0].mean
    assert curve[-1] == pytest.approx(wanted, abs=1e-6)


def test_without_groups_a_custom_metric_says_how_to_give_them() -> None:
    made = xgboost.DMatrix(np.arange(8.0)[:, None], [0, 1] * 4)
    with pytest.raises(DataError, match=r"does not say which rows belong to one list\nHint: xgboost\.DMatrix"):
        adapters.xgboost("nDCG@10")(np.zeros(8), made)


def test_the_estimator_cannot_take_it_and_says_so() -> None:
    lists = random_lists(4)
    ranker = xgboost.XGBRanker(n_estimators=2, eval_metric=adapters.xgboost("nDCG@10"))
    qid = np.repeat(np.arange(len(lists.sizes)), lists.sizes)
    features = np.arange(len(qid), dtype=float)[:, None]
    with pytest.raises(DataError, match="XGBRanker hands out one list at a time"):
        ranker.fit(features, lists.labels, qid=qid, eval_set=[(features, lists.labels)], eval_qid=[qid], verbose=False)
