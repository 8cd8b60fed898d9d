"""A measure in the forms in which other programs ask for one; the programs themselves are run in tests/live."""

from __future__ import annotations

import copy
import pickle
from collections import namedtuple

import numpy as np
import pytest

from rankwise import DataError, Dataset, MeasureError, adapters, evaluate
from rankwise.measures import AP, nDCG

LABELS = np.array([3.0, 0, 1, 0, 2, 0, 0])
SCORES = np.array([0.5, 0.4, 0.3, 0.2, 0.2, 0.9, 0.1])
SIZES = np.array([3, 2, 2])
QID = np.repeat([30, 10, 20], SIZES)


def mean(text: str, weights: object = None) -> float:
    return evaluate(Dataset.of(labels=LABELS, group=SIZES, weights=weights), SCORES, text)[0].mean


# LightGBM


class LightGBMData:
    """As much of a lightgbm.Dataset as is asked for."""

    def __init__(self, group: object, weight: object = None) -> None:
        self.group, self.weight = group, weight

    def get_label(self) -> np.ndarray:
        return LABELS.astype(np.float32)

    def get_group(self) -> object:
        return self.group

    def get_weight(self) -> object:
        return self.weight


def test_lightgbm_gets_the_name_the_mean_and_the_direction_in_both_forms() -> None:
    feval = adapters.lightgbm("yahoo:nDCG@10")
    wanted = ("yahoo_v1_0:nDCG@10", mean("yahoo:nDCG@10"), True)
    assert feval(SCORES, LightGBMData(SIZES)) == feval(LABELS, SCORES, None, SIZES) == wanted


def test_lightgbm_gets_a_list_of_several_measures_each_with_its_direction() -> None:
    found = adapters.lightgbm(["nDCG@1..2", AP(), "WARPLoss"])(SCORES, LightGBMData(SIZES))
    assert [(name, better) for name, _, better in found] == [
        ("nDCG@1", True), ("nDCG@2", True), ("AP", True), ("WARPLoss", False),
    ]  # fmt: skip


def test_weights_of_rows_become_weights_of_lists() -> None:
    rows = np.array([1.0, 2, 3, 5, 5, 0, 1])
    _, value, _ = adapters.lightgbm("lightgbm:ndcg@3")(LABELS, SCORES, rows, SIZES)
    assert value == mean("lightgbm:ndcg@3", weights=[2, 5, 0.5])


def test_without_groups_lightgbm_is_told_how_to_give_them() -> None:
    for call in ((SCORES, LightGBMData(None)), (LABELS, SCORES)):
        with pytest.raises(DataError, match=r"LightGBM was not told .*\nHint: lightgbm\.Dataset\(X, y, group"):
            adapters.lightgbm("nDCG@10")(*call)


def test_groups_that_do_not_cover_the_rows_are_refused() -> None:
    with pytest.raises(DataError, match="group"):
        adapters.lightgbm("nDCG@10")(LABELS, SCORES, None, [3, 2])


# XGBoost


class XGBoostData:
    """As much of a DMatrix as is asked for."""

    def __init__(self, ends: list[int], weight: object = ()) -> None:
        self.ends, self.weight = ends, weight

    def get_label(self) -> np.ndarray:
        return LABELS.astype(np.float32)

    def get_weight(self) -> np.ndarray:
        return np.asarray(self.weight, np.float32)

    def get_uint_info(self, name: str) -> np.ndarray:
        assert name == "group_ptr"
        return np.asarray(self.ends, np.uint32)


def test_xgboost_gets_a_name_that_survives_its_line_of_results() -> None:
    metric = adapters.xgboost("yahoo:nDCG(gain={0: 0, 1: 1, 2: 3, 3: 7}, ties='worst')@10")
    name, value = metric(SCORES, XGBoostData([0, 3, 5, 7]))
    assert ":" not in name and " " not in name and name.startswith("yahoo_v1_0/nDCG(")
    assert value == mean("yahoo:nDCG(ties='worst')@10")


@pytest.mark.parametrize("weight", [[2, 5, 0.5], [1, 2, 3, 5, 5, 0, 1]])
def test_xgboosts_weights_are_of_lists_or_else_of_rows(weight: list[float]) -> None:
    _, value = adapters.xgboost("nDCG@3")(SCORES, XGBoostData([0, 3, 5, 7], weight))
    assert value == mean("nDCG@3", weights=[2, 5, 0.5])


def test_xgboost_is_told_whether_higher_is_better_by_the_last_measure() -> None:
    assert adapters.xgboost(["WARPLoss", "nDCG"]).maximize
    assert not adapters.xgboost(["nDCG", "WARPLoss"]).maximize


def test_without_groups_xgboost_is_told_how_to_give_them() -> None:
    with pytest.raises(DataError, match=r"the DMatrix does not say .*\nHint: xgboost\.DMatrix\(X, y, qid=qid\)"):
        adapters.xgboost("nDCG")(SCORES, XGBoostData([]))
    with pytest.raises(DataError, match=r"must give scores and a DMatrix\nHint: use xgboost\.train"):
        adapters.xgboost("nDCG")(LABELS, SCORES)


# CatBoost


def test_catboost_tells_its_sets_apart_by_their_labels() -> None:
    other = ([1.0, 0.0], [5, 5])
    metric = adapters.catboost("nDCG@10", (LABELS, QID), other)
    assert metric.evaluate([SCORES], LABELS.astype(np.float32), None) == (mean("nDCG@10"), 1.0)
    assert metric.evaluate([[1.0, 2.0]], [1.0, 0.0], None)[0] == evaluate([1, 0], [1.0, 2.0], "nDCG@10")[0].mean
    assert metric.is_max_optimal() and not adapters.catboost("WARPLoss", other).is_max_optimal()


def test_catboost_may_have_the_rows_of_a_list_anywhere() -> None:
    mixed = np.array([4, 0, 6, 1, 3, 5, 2])
    metric = adapters.catboost("nDCG@10", (LABELS[mixed], QID[mixed]))
    assert metric.evaluate([SCORES[mixed]], LABELS[mixed], None)[0] == pytest.approx(mean("nDCG@10"))


@pytest.mark.parametrize(
    "sets, what",
    [
        ((), "CatBoost does not tell its metrics which rows belong to one list\nHint: give each set with its groups"),
        (([1, 2, 3],), "a catboost.Pool or labels and group ids are wanted, not"),
        (((LABELS, QID[:-1]),), "there are 6 query ids for 7 rows"),
        ((([0, 1], [1, 1]), ([0, 1], [1, 2])), "two sets have the same labels in different lists"),
    ],
)
def test_sets_that_catboost_could_not_be_told_by_are_refused(sets: tuple, what: str) -> None:
    with pytest.raises((DataError, MeasureError), match=what.replace(".", r"\.")):
        adapters.catboost("nDCG@10", *sets)


def test_one_set_may_be_given_twice() -> None:
    metric = adapters.catboost("nDCG@10", (LABELS, QID), (LABELS, ["a"] * 3 + ["b"] * 2 + ["c"] * 2))
    assert metric.evaluate([SCORES], LABELS, None)[0] == mean("nDCG@10")


def test_rows_of_an_unknown_set_are_refused() -> None:
    with pytest.raises(DataError, match="CatBoost evaluates 2 rows whose labels are not those of a set that was given"):
        adapters.catboost("nDCG@10", (LABELS, QID)).evaluate([[1.0, 2.0]], [0.0, 1.0], None)


def test_a_program_that_takes_one_measure_gets_one() -> None:
    with pytest.raises(MeasureError, match="CatBoost takes one measure, not 3"):
        adapters.catboost("nDCG@1..3", (LABELS, QID))


# scikit-learn

sklearn = pytest.importorskip("sklearn")


@pytest.fixture
def routing() -> object:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def regression_data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Queries of 8 rows, the rows in no order."""
    rng = np.random.default_rng(2)
    qid = rng.permutation(np.repeat(np.arange(24), 8))
    features = rng.normal(size=(len(qid), 3))
    labels = np.clip(np.round(features[:, 0] + rng.normal(size=len(qid))), 0, 4)
    return features, labels, qid


def scorer(text: object, **requests: bool) -> object:
    return adapters.scikit_learn(text).set_score_request(qid=True, **requests)


def test_cross_validation_scores_each_fold_by_its_own_queries(routing: object) -> None:
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GroupKFold, cross_val_score

    X, y, qid = regression_data()
    folds = GroupKFold(4)
    found = cross_val_score(
        Ridge(), X, y, scoring=scorer("letor4:nDCG@5"), cv=folds, params={"qid": qid, "groups": qid}
    )  # fmt: skip
    wanted = []
    for train, test in folds.split(X, y, qid):
        scores = Ridge().fit(X[train], y[train]).predict(X[test])
        wanted.append(evaluate(y[test], scores, "letor4:nDCG@5", qid=qid[test])[0].mean)
    assert found.tolist() == wanted
    assert len(set(wanted)) == 4


def test_grid_search_finds_what_the_measure_prefers_in_processes_too(routing: object) -> None:
    from sklearn.linear_model import Lasso
    from sklearn.model_selection import GridSearchCV, GroupKFold

    X, y, qid = regression_data()
    for text, sign in (("nDCG@5", 1), ("WARPLoss", -1)):
        search = GridSearchCV(Lasso(), {"alpha": [0.01, 5.0]}, scoring=scorer(text), cv=GroupKFold(3), n_jobs=2)
        search.fit(X, y, qid=qid, groups=qid)
        assert search.best_params_ == {"alpha": 0.01}
        assert sign * search.best_score_ > 0


def test_weights_of_rows_are_routed_too(routing: object) -> None:
    from sklearn.linear_model import Ridge

    X, y, qid = regression_data()
    ridge = Ridge().fit(X, y)
    weights = np.random.default_rng(3).random(len(y))
    found = scorer("nDCG@5", sample_weight=True)(ridge, X, y, qid=qid, sample_weight=weights)
    seen = list(dict.fromkeys(qid.tolist()))
    of_lists = [weights[qid == query].mean() for query in seen]
    data = Dataset.of(labels=y, qid=qid, weights=of_lists)
    assert found == pytest.approx(evaluate(data, ridge.predict(X), "nDCG@5")[0].mean)
    weights[3] = -1
    with pytest.raises(DataError, match="the weight of row 3 is -1; weights are finite and not negative"):
        scorer("nDCG@5", sample_weight=True)(ridge, X, y, qid=qid, sample_weight=weights)
    with pytest.raises(DataError, match=f"2 document weights for {len(y)} rows"):
        scorer("nDCG@5", sample_weight=True)(ridge, X, y, qid=qid, sample_weight=[1, 1])


def test_without_query_ids_a_scorer_says_how_to_route_them(routing: object) -> None:
    from sklearn.linear_model import Ridge

    X, y, _ = regression_data()
    with pytest.raises(DataError, match=r"the scorer of nDCG@5 was not told .*\nHint: sklearn\.set_config\("):
        adapters.scikit_learn("nDCG@5")(Ridge().fit(X, y), X, y)


def test_without_scikit_learn_its_adapter_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sklearn.metrics", None)
    with pytest.raises(MeasureError, match=r"scikit-learn is not installed\nHint: pip install scikit-learn"):
        adapters.scikit_learn("nDCG@5")


# ir_measures

Judged = namedtuple("Judged", "query_id doc_id relevance iteration")
Scored = namedtuple("Scored", "query_id doc_id score")
QRELS = [Judged("q1", "a", 2, "0"), Judged("q1", "b", 0, "0"), Judged("q2", "a", 0, "0"), Judged("q3", "x", 1, "0")]
RUN = [Scored("q1", "b", 0.5), Scored("q1", "a", 0.25), Scored("q2", "a", 1.0)]


def test_values_come_query_by_query_with_their_measures() -> None:
    found = list(adapters.ir_measures(["nDCG@10", "RR"], QRELS, RUN))
    assert [(one.query_id, str(one.measure)) for one in found] == [
        (query, measure) for query in ("q1", "q2", "q3") for measure in ("nDCG@10", "RR")
    ]
    assert [one.value for one in found[1::2]] == [0.5, 0.0, 0.0]


def test_mappings_frames_and_named_tuples_give_the_same() -> None:
    class Frame:
        def __init__(self, rows: list) -> None:
            self.rows = rows

        def itertuples(self, index: bool) -> object:
            assert not index
            return iter(self.rows)

    qrels = {"q1": {"a": 2, "b": 0}, "q2": {"a": 0}, "q3": {"x": 1}}
    run = {"q1": {"b": 0.5, "a": 0.25}, "q2": {"a": 1.0}}
    wanted = list(adapters.ir_measures("nDCG@10", qrels, run))
    assert list(adapters.ir_measures(nDCG(10), iter(QRELS), iter(RUN))) == wanted
    assert list(adapters.ir_measures([nDCG @ 10], Frame(QRELS), Frame(RUN))) == wanted


def test_a_query_that_the_convention_leaves_out_does_not_come() -> None:
    found = list(adapters.ir_measures("nDCG(empty='skip')@10", QRELS, RUN))
    assert [one.query_id for one in found] == ["q1", "q3"]
    assert (
        np.mean([one.value for one in found])
        == evaluate(
            {"q1": {"a": 2, "b": 0}, "q2": {"a": 0}, "q3": {"x": 1}},
            {"q1": {"b": 0.5, "a": 0.25}, "q2": {"a": 1.0}},
            "nDCG(empty='skip')@10",
        )[0].mean
    )
    undefined = list(adapters.ir_measures("nDCG(empty='nan')@10", QRELS, RUN))
    assert [np.isnan(one.value) for one in undefined] == [False, True, False]


def test_rows_that_are_no_judgments_are_refused() -> None:
    with pytest.raises(DataError, match=r"has no query_id, doc_id and score\nHint: give \{query: \{document"):
        list(adapters.ir_measures("nDCG@10", QRELS, QRELS))
    with pytest.raises(DataError, match="document 'a' of query 'q1' has two values of relevance"):
        list(adapters.ir_measures("nDCG@10", [*QRELS, QRELS[0]], RUN))


# All


@pytest.mark.parametrize(
    "adapter",
    [
        adapters.lightgbm(["nDCG@5", "letor4:MAP"]),
        adapters.xgboost("nDCG(gain={0: 0, 1: 5})@5"),
        adapters.catboost("yahoo:ERR", (LABELS, QID)),
        adapters.scikit_learn("nDCG@5"),
    ],
    ids=["lightgbm", "xgboost", "catboost", "scikit_learn"],
)
def test_an_adapter_can_be_copied_and_sent_to_another_process(adapter: object) -> None:
    for again in (pickle.loads(pickle.dumps(adapter)), copy.deepcopy(adapter)):
        assert type(again) is type(adapter)
        for name in ("measure", "measures"):
            assert getattr(again, name, None) == getattr(adapter, name, None)


def test_no_adapter_imports_its_program_before_it_is_needed() -> None:
    import subprocess
    import sys

    script = (
        "import sys, rankwise; rankwise.adapters.lightgbm('nDCG'); rankwise.adapters.xgboost('nDCG');"
        "rankwise.adapters.catboost('nDCG', ([1], [1])); list(rankwise.adapters.ir_measures('nDCG', {'q': {'d': 1}},"
        "{'q': {'d': 1}})); print({m.partition('.')[0] for m in sys.modules} & {'lightgbm', 'xgboost', 'catboost',"
        "'sklearn', 'ir_measures', 'scipy', 'duckdb'})"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout.strip() == "set()"
