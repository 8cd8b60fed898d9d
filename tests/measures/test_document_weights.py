"""Weights of documents: one rule, in every measure for which it means something, with ties as without."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measures.making import NAN, every_measure
from oracles import weights as oracle
from rankwise import DataError, Dataset, MeasureError, evaluate, user_measure
from rankwise.measures import AP, AUC, DCG, MEASURES, RBP, STANDARD, F, MeanNDCG, P, PairAccuracy, R, nDCG

CUTS = (1, 2, 4, None)
CHOICES = [
    {}, {"gain": "linear"}, {"discount": "reciprocal"}, {"ideal_cut": "none"}, {"p_over": "min(k, n)"},
    {"p_over": "min(k, R)"}, {"ap_over": "min(R, k)"}, {"rel": 2}, {"empty": 1.0},
]  # fmt: skip
labels = st.sampled_from([0.0, 1.0, 2.0, 3.0, NAN])
weights = st.sampled_from([0.0, 0.25, 0.3, 1.0, 2.5])
documents = st.lists(st.tuples(labels, weights, st.sampled_from([0.0, 1.0, 2.0])), min_size=1, max_size=5)


def weighted(convention, cuts=CUTS) -> list:
    found = [kind(k, convention=convention) for kind in (DCG, nDCG, MeanNDCG, RBP, P, R, F, AP) for k in cuts]
    return [*found, F(3, weight=0.5, convention=convention), AUC(convention=convention),
            PairAccuracy(convention=convention)]  # fmt: skip


def values_of(measures: list, rows: list[tuple[float, float, float]], **how) -> list[float]:
    label, weight, score = zip(*rows, strict=True)
    return evaluate(np.array(label), np.array(score), measures, document_weights=weight, **how).values[:, 0].tolist()


def test_every_measure_takes_them_or_refuses_them() -> None:
    taking = {m.name for m in weighted(STANDARD)}
    assert taking == {name for name, kind in MEASURES.items() if kind.document_weights} == set(oracle.FORMULAS)
    for m in every_measure(STANDARD.but(ties="input"), (3,)):
        if m.name not in taking:
            with pytest.raises(MeasureError, match=f"{m.name} has no meaning for weights of documents\nHint: evaluate"):
                values_of([m], [(1.0, 1.0, 0.5)])
    with pytest.raises(MeasureError, match="user:mine has no meaning for weights of documents"):
        values_of([user_measure("mine", len)], [(1.0, 1.0, 0.5)])


@pytest.mark.parametrize("choices", CHOICES, ids=str)
@settings(max_examples=20, deadline=None)
@given(rows=documents)
def test_the_mean_the_best_and_the_worst_are_what_all_orders_say(choices: dict, rows: list) -> None:
    for which, ties in enumerate(("expected", "best", "worst")):
        measures = weighted(STANDARD.but(ties=ties, **choices))
        for m, value in zip(measures, values_of(measures, rows), strict=True):
            wanted = oracle.over_orders(m, [row[:2] for row in rows], [row[2] for row in rows])[which]
            assert value == pytest.approx(wanted, abs=1e-12), str(m)


@settings(max_examples=30, deadline=None)
@given(rows=documents)
def test_ap_over_hits_of_a_settled_order(rows: list) -> None:
    ranked = sorted(rows, key=lambda row: -row[2])
    for k in CUTS:
        m = AP(k, ap_over="hits", ties="input")
        assert values_of([m], rows)[0] == pytest.approx(oracle.value(m, [row[:2] for row in ranked]), abs=1e-12)


def long_list(rows: int, seed: int = 1) -> list[tuple[float, float, float]]:
    rng = np.random.default_rng(seed)
    label = np.where(rng.random(rows) < 0.1, NAN, rng.integers(0, 4, rows))
    return list(zip(label.tolist(), rng.random(rows).tolist(), (rng.integers(0, 40, rows) / 4).tolist(), strict=True))


@pytest.mark.parametrize("rows", [10, 300, 900])
def test_a_weight_of_1_changes_nothing(rows: int) -> None:
    plain = [(label, 1.0, score) for label, _, score in long_list(rows)]
    label, _, score = (np.array(column) for column in zip(*plain, strict=True))
    for ties in ("expected", "input", "best", "worst"):
        measures = weighted(STANDARD.but(ties=ties), (1, 10, 500, None))
        np.testing.assert_allclose(
            values_of(measures, plain), evaluate(label, score, measures).values[:, 0], rtol=1e-12
        )


@pytest.mark.parametrize("rows", [10, 300])
def test_one_weight_for_all_scales_sums_and_leaves_shares(rows: int) -> None:
    once = long_list(rows)
    thrice = [(label, 3 * weight, score) for label, weight, score in once]
    measures = weighted(STANDARD)
    for m, a, b in zip(measures, values_of(measures, once), values_of(measures, thrice), strict=True):
        if m.name != "F":
            assert b == pytest.approx(a * (3 if m.name in ("DCG", "P", "AP", "RBP") else 1), rel=1e-12), str(m)


def test_a_gain_and_a_weight_are_one_product() -> None:
    rows = [
        (label, {0.0: 0.5, 1.0: 0.5, 2.0: 2.0, 3.0: 1.5}.get(label, 1.0), score) for label, _, score in long_list(80)
    ]
    label, _, score = (np.array(column) for column in zip(*rows, strict=True))
    table = {0: 0, 1: 0.5, 2: 6, 3: 10.5}
    for kind in (DCG, nDCG, MeanNDCG):
        wanted = evaluate(label, score, kind(10, gain=table)).values[0, 0]
        assert values_of([kind(10)], rows)[0] == pytest.approx(wanted, rel=1e-12)


def test_the_order_of_rows_and_the_number_of_threads_change_no_bit() -> None:
    rng = np.random.default_rng(4)
    size = 60_000
    qid, label = rng.integers(0, 300, size), rng.integers(0, 4, size)
    score, weight = rng.integers(0, 30, size) / 7, rng.random(size)
    measures = weighted(STANDARD, (10, None))

    def values(order: np.ndarray, threads: int) -> np.ndarray:
        result = evaluate(label[order], score[order], measures, qid=qid[order], document_weights=weight[order],
                          threads=threads)  # fmt: skip
        return result.values[:, [result.queries.index(str(q)) for q in range(300)]]

    first = values(np.arange(size), 1)
    np.testing.assert_array_equal(first, values(np.arange(size), 2))
    np.testing.assert_array_equal(first, values(rng.permutation(size), 2))


@pytest.mark.parametrize("seed", range(5))
def test_scikit_learns_auc_of_weighted_samples(seed: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    label, score, weight = rng.integers(0, 2, 80), rng.integers(0, 12, 80) / 4, rng.random(80)
    theirs = metrics.roc_auc_score(label, score, sample_weight=weight)
    result = evaluate(label, score, ["AUC", "PairAccuracy"], document_weights=weight)
    assert result.values[:, 0].tolist() == pytest.approx([theirs, theirs], abs=1e-12)


def test_a_document_without_a_judgment_weighs_in_pairs_alone() -> None:
    rows = [(NAN, 3.0, 3.0), (1.0, 1.0, 2.0), (0.0, 1.0, 1.0)]
    assert values_of([AUC(), nDCG(), P(3)], rows) == pytest.approx([0.25, 1 / np.log2(3), 1 / 3])
    result = evaluate([NAN, 1, NAN], [3.0, 2.0, 1.0], ["P@1"], document_weights=[2, 1, 3])
    assert result["P@1"].counts.unjudged == 1
    removed = values_of([nDCG(unjudged="removed"), P(1, unjudged="removed")], [*rows, (NAN, 5.0, 9.0)])
    assert removed == pytest.approx([1.0, 1.0])


def test_a_relevant_document_of_weight_0_is_as_none() -> None:
    result = evaluate([1, 0], [2.0, 1.0], ["R@1", "AP", "nDCG@5", "AUC"], document_weights=[0, 1])
    assert [outcome.counts.empty for outcome in result] == [1, 1, 1, 1]


def test_a_dataset_keeps_them_with_its_rows() -> None:
    data = Dataset.of(labels=[1, 0, 2, 1], qid=["b", "a", "b", "a"], document_weights=[1, 2, 3, 4])
    assert data.document_weights is not None and data.document_weights.tolist() == [1, 3, 2, 4]
    assert data.take([1]).document_weights.tolist() == [2, 4]  # type: ignore[union-attr]
    assert Dataset.join([data.take([1]), data.take([0])]).document_weights.tolist() == [2, 4, 1, 3]  # type: ignore[union-attr]
    scores = [0.4, 0.3, 0.2, 0.1]
    own = evaluate(data, scores, "nDCG@3").values
    beside = evaluate(Dataset.of(labels=[1, 0, 2, 1], qid=["b", "a", "b", "a"]), scores, "nDCG@3",
                      document_weights=[1, 2, 3, 4]).values  # fmt: skip
    np.testing.assert_array_equal(own, beside)


def test_what_is_refused() -> None:
    with pytest.raises(DataError, match="there are 1 document weights for 2 rows"):
        evaluate([1, 0], [2.0, 1.0], "P@1", document_weights=[1])
    for bad in (-1.0, NAN, np.inf):
        with pytest.raises(DataError, match=f"the weight of row 1 is {bad:g}; weights are finite and not negative"):
            evaluate([1, 0], [2.0, 1.0], "P@1", document_weights=[1, bad])
    with pytest.raises(DataError, match=r"a run takes no weights of documents, .*\nHint: give arrays"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "P@1", document_weights=[1])
    data = Dataset.of(labels=[1, 0], group=[2], document_weights=[1, 2])
    with pytest.raises(DataError, match=r"has weights of documents already, and others are given\nHint: leave out"):
        evaluate(data, [2.0, 1.0], "P@1", document_weights=[1, 1])
