"""Classifiers of pairs: rankings by Borda and by comparator sort, and what they say that does not fit together."""

from __future__ import annotations

from functools import cmp_to_key
from itertools import combinations, pairwise, permutations
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from contracts.settings import arrays, easy, shuffled
from rankwise import DataError, Dataset, RankwiseError, evaluate
from rankwise.learners.comparator import Comparator, merge_sorted
from rankwise.learners.pairwise_classifier import PairwiseClassifier
from rankwise.rankers import Inputs, Linear, Ranker

TRAIN, TEST = easy(0), easy(2, lists=30)
TREE = DecisionTreeClassifier(max_depth=5)


class Beats:
    """Rock, paper and scissors, by the first column: each loses to the next, modulo 3; further on the higher wins."""

    def predict(self, both: Any) -> Any:
        first, second = both[:, 0], both[:, 1]
        circle = (first < 3) & (second < 3)
        return np.where(circle, (first - second) % 3 == 1, first > second).astype(int)


class Always:
    """Whichever stands first is ahead."""

    def predict(self, both: Any) -> Any:
        return np.ones(len(both), int)


def table(*values: float) -> Any:
    return np.array(values, np.float32)[:, None]


def comparator(classifier: Any, ranking: str = "borda") -> Comparator:
    return Comparator(classifier, "both", ranking, 1)


def slow_relation(scorer: Comparator, rows: Any) -> Any:
    n = len(rows)
    return np.array(
        [[i != j and bool(scorer.ahead(rows[[i]], rows[[j]])[0]) for j in range(n)] for i in range(n)], bool
    ).reshape(n, n)


# Definition.


@pytest.mark.parametrize("pairs", ["difference", "both"])
def test_borda_counts_the_pairs_that_are_won_both_ways(pairs: str) -> None:
    fitted = PairwiseClassifier(estimator=TREE, pairs=pairs).fit(TRAIN)
    scores = fitted.predict(TEST)
    rows = fitted.ranker_.inputs.table(TEST)
    for start, end in pairwise(TEST.offsets):
        ahead = slow_relation(fitted.ranker_.scorer, rows[start:end])
        n = end - start
        wins = [sum(int(ahead[i, j]) + int(not ahead[j, i]) for j in range(n) if j != i) for i in range(n)]
        assert scores[start:end].tolist() == wins


def test_the_sort_is_that_of_python_where_nothing_goes_in_circles() -> None:
    rng = np.random.default_rng(0)
    for n in (0, 1, 2, 3, 5, 8, 33, 100):
        values = rng.permutation(n)
        order, calls = merge_sorted(np.arange(n), lambda a, b, v=values: v[a] > v[b])
        assert order.tolist() == sorted(range(n), key=cmp_to_key(lambda a, b, v=values: v[b] - v[a]))
        assert calls <= n * np.ceil(np.log2(max(n, 2)))


def test_the_sort_is_stable_and_counts_its_calls() -> None:
    asked = []

    def higher(first: Any, second: Any) -> Any:
        asked.extend(zip(first.tolist(), second.tolist(), strict=True))
        return first // 2 > second // 2

    order, calls = merge_sorted(np.arange(10), higher)
    assert order.tolist() == [8, 9, 6, 7, 4, 5, 2, 3, 0, 1]
    assert calls == len(asked) == len(set(asked))


def test_ten_thousand_documents_are_sorted_with_about_120_000_calls() -> None:
    start = np.random.default_rng(0).permutation(10_000)
    order, calls = merge_sorted(start, lambda first, second: first < second)
    assert (order == np.arange(10_000)).all()
    assert 110_000 < calls < 10_000 * np.log2(10_000)


def test_pairs_of_different_labels_are_learnt_both_ways() -> None:
    class Seeing(DecisionTreeClassifier):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            type(self).seen = (X, y, sample_weight)
            return super().fit(X, y)

    labels, qid = [1, 0, 2, 1, 0, 0, 3], [1, 1, 1, 1, 2, 3, 3]
    X = np.arange(7.0)[:, None] ** 2
    PairwiseClassifier(estimator=Seeing(), scaling="none").fit(X, labels, qid=qid, weights=[2, 5, 3])
    seen, wanted, weights = Seeing.seen
    slow = {
        (X[i, 0] - X[j, 0], int(labels[i] > labels[j]), {1: 2.0, 3: 3.0}[qid[i]])
        for i, j in permutations(range(7), 2)
        if qid[i] == qid[j] and labels[i] != labels[j]
    }
    rows = list(zip(seen[:, 0].tolist(), wanted.tolist(), weights.tolist(), strict=True))
    assert set(rows) == slow and len(rows) == len(slow)


def test_pairs_are_drawn_where_there_are_too_many() -> None:
    few = PairwiseClassifier(most_pairs=40, seed=1).fit(TRAIN).ranker_.scorer.weights
    again = PairwiseClassifier(most_pairs=40, seed=1).fit(TRAIN).ranker_.scorer.weights
    assert few.tobytes() == again.tobytes()
    every = PairwiseClassifier().fit(TRAIN).ranker_.scorer.weights
    assert not np.allclose(few, every) and every[0] > every[1] > abs(every[2:]).max()


def test_one_list_of_many_documents_needs_no_table_of_all_its_pairs() -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(100_000, 2)).astype(np.float32)
    fitted = PairwiseClassifier(most_pairs=20_000).fit(rows, np.digitize(rows[:, 0], [0.0, 1.0]), group=[100_000])
    weights = fitted.ranker_.scorer.weights
    assert weights[0] > 10 * abs(weights[1])


# What does not fit together.


@pytest.mark.parametrize(("classifier", "goes"), [(KNeighborsClassifier(1), "in circles"), (TREE, "both ways")])
def test_circles_and_contradictions_are_those_of_all_threes_and_pairs(classifier: Any, goes: str) -> None:
    fitted = PairwiseClassifier(estimator=classifier, pairs="both").fit(TRAIN)
    found = fitted.consistency(TEST)
    rows = fitted.ranker_.inputs.table(TEST)
    contradictions = triples = lists = 0
    for start, end in pairwise(TEST.offsets):
        ahead = slow_relation(fitted.ranker_.scorer, rows[start:end])
        beats = ahead & ~ahead.T
        contradictions += sum(ahead[i, j] == ahead[j, i] for i, j in combinations(range(end - start), 2))
        circles = [
            one
            for i, j, k in combinations(range(end - start), 3)
            for one in ((i, j, k), (i, k, j))
            if beats[one[0], one[1]] and beats[one[1], one[2]] and beats[one[2], one[0]]
        ]
        triples += len(circles)
        lists += bool(circles)
    assert (found.contradictions, found.triples) == (contradictions, triples)
    assert found.lists_with_cycles >= lists
    assert found.triples if goes == "in circles" else found.contradictions
    sizes = np.diff(TEST.offsets)
    assert found.pairs == (sizes * (sizes - 1) // 2).sum() and found.calls_of_borda == 2 * found.pairs
    assert found.documents == len(TEST.labels) and found.calls_of_sort < found.pairs


def test_a_circle_makes_the_order_hang_on_the_sort() -> None:
    rows = table(0, 1, 2, 5)
    found = comparator(Beats()).consistency(rows, np.array([0, 4]))
    assert (found.triples, found.lists_with_cycles, found.lists_that_hang_on_the_sort) == (1, 1, 1)
    assert found.contradictions == 0
    # The circle shares what it wins, and none of it is first.
    assert comparator(Beats()).scores(rows).tolist() == [2, 2, 2, 6]
    without = comparator(Beats()).consistency(rows[1:], np.array([0, 3]))
    assert (without.triples, without.lists_with_cycles, without.lists_that_hang_on_the_sort) == (0, 0, 0)


def test_who_is_always_ahead_contradicts_itself() -> None:
    found = comparator(Always()).consistency(table(1, 2, 3), np.array([0, 3]))
    assert (found.pairs, found.contradictions, found.triples, found.lists_with_cycles) == (3, 3, 0, 0)
    assert found.lists_that_hang_on_the_sort == 1
    assert comparator(Always()).scores(table(1, 2, 3)).tolist() == [2, 2, 2]


def test_lists_that_are_empty_or_of_one_document_are_harmless() -> None:
    for ranking in ("borda", "sort"):
        one = comparator(Beats(), ranking)
        assert one.list_scores(table(4, 5, 3), np.array([0, 0, 1, 1, 3])).tolist()[0] == 0
        assert one.consistency(table(4), np.array([0, 0, 1])).pairs == 0
    assert one.consistency(table(), np.array([0, 0])).documents == 0


# Laws.


@pytest.mark.parametrize("ranking", ["borda", "sort"])
def test_lists_are_ranked_by_themselves_and_rows_in_any_order(ranking: str) -> None:
    fitted = PairwiseClassifier(estimator=TREE, ranking=ranking).fit(TRAIN)
    X, _, qid, order = shuffled(TEST, 6, rows_too=True)
    assert fitted.predict(X, qid=qid).tobytes() == fitted.predict(TEST)[order].tobytes()
    X, y, qid, _ = shuffled(TRAIN, 5, rows_too=True)
    refitted = PairwiseClassifier(estimator=TREE, ranking=ranking).fit(X, y, qid=qid)
    assert refitted.predict(TEST).tobytes() == fitted.predict(TEST).tobytes()


@pytest.mark.parametrize("ranking", ["borda", "sort"])
def test_documents_that_are_alike_share_their_score(ranking: str) -> None:
    found = comparator(Beats(), ranking).scores(table(5, 4, 5, 3, 4))
    assert found.tolist() == ([4, 2, 4, 0, 2] if ranking == "borda" else [2, 1, 2, 0, 1])


def test_validation_and_curves_compare_within_lists() -> None:
    fitted = PairwiseClassifier(estimator=TREE).fit(TRAIN, validation=TEST)
    scored = evaluate(TEST, fitted.predict(TEST), "nDCG@10")["nDCG@10"].mean
    assert fitted.curve_.validation[-1] == pytest.approx(scored)
    assert fitted.curve_.training[-1] == pytest.approx(
        evaluate(TRAIN, fitted.predict(TRAIN), "nDCG@10")["nDCG@10"].mean
    )
    assert scored > 0.85


def test_a_linear_classifier_of_differences_is_a_linear_model() -> None:
    fitted = PairwiseClassifier(estimator=LogisticRegression(fit_intercept=False)).fit(TRAIN)
    assert isinstance(fitted.ranker_.scorer, Linear)
    asked = Ranker(fitted.ranker_.inputs, Comparator(_Sign(fitted.ranker_.scorer.weights), "difference", "borda", 4))
    scores, wins = fitted.predict(TEST), asked.predict(TEST)
    for start, end in pairwise(TEST.offsets):
        assert (np.argsort(scores[start:end]) == np.argsort(wins[start:end])).all()
    found = fitted.consistency(TEST)
    assert (found.contradictions, found.triples, found.lists_that_hang_on_the_sort) == (0, 0, 0)


class _Sign:
    def __init__(self, weights: Any) -> None:
        self.weights = weights

    def predict(self, differences: Any) -> Any:
        return (differences.astype(np.float64) @ self.weights > 0).astype(int)


# Refusals.


def test_what_compares_needs_lists_and_cannot_be_saved(tmp_path: Any) -> None:
    fitted = PairwiseClassifier(estimator=LogisticRegression(), pairs="both").fit(TRAIN)
    assert "compares documents by LogisticRegression" in str(fitted.ranker_)
    with pytest.raises(DataError, match="looks at whole lists, and nothing says which rows are one"):
        fitted.predict(arrays(TEST)[0])
    with pytest.raises(RankwiseError, match="compares by LogisticRegression cannot be written to a file"):
        fitted.ranker_.save(tmp_path / "model.rankwise")
    with pytest.raises(RankwiseError, match="has no contributions of features"):
        fitted.ranker_.contributions(TEST)
    with pytest.raises(RankwiseError, match="has no importances of its own"):
        fitted.ranker_.importances()
    with pytest.raises(RankwiseError, match="a classifier of pairs is not read from a file"):
        Comparator.of_plain({}, {}, 3)
    assert not (tmp_path / "model.rankwise").exists()


def test_parameters_that_mean_nothing_are_refused() -> None:
    for parameters, words in [
        ({"pairs": "sum"}, "pairs is one of 'difference', 'both', not 'sum'"),
        ({"ranking": "quick"}, "ranking is one of 'borda', 'sort', not 'quick'"),
        ({"most_pairs": 0}, "most_pairs must be a whole number from 1, not 0"),
        ({"estimator": Ridge()}, "Ridge is no classifier"),
        ({"estimator": KNeighborsClassifier}, "the estimator is the class KNeighborsClassifier"),
        ({"estimator": Inputs(2)}, "has no `fit` and `predict`"),
    ]:
        with pytest.raises(RankwiseError, match=words):
            PairwiseClassifier(**parameters).fit(TRAIN)


def test_weights_that_have_no_place_are_refused() -> None:
    X = [[1.0], [2.0], [3.0]]
    with pytest.raises(DataError, match="KNeighborsClassifier takes no weights, and these lists have some"):
        PairwiseClassifier(estimator=KNeighborsClassifier(1)).fit(X, [0, 1, 2], group=[3], weights=[2])
    with pytest.raises(DataError, match="no meaning for weights of documents"):
        PairwiseClassifier().fit(X, [0, 1, 2], group=[3], document_weights=[1, 2, 3])
    with pytest.raises(DataError, match="nothing to learn: no list has two documents to tell apart"):
        PairwiseClassifier().fit(Dataset.of(X, [0, np.nan, np.nan], group=[3]))
