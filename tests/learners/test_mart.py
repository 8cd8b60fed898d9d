"""Trees as RankLib grows them: every tree of its saved models, and its defects by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from contracts.settings import easy
from learners.ranklib.reading import part, printed, trees
from rankwise import DataError, MeasureError, RankwiseError, evaluate, measure
from rankwise.learners.adarank import AdaRank
from rankwise.learners.mart import MART
from rankwise.learners.ranklib.lambdas import changes_of, pushes
from rankwise.rankers.trees import Trees

MODELS = {
    "lambdamart_ndcg5_t20_l6": ("NDCG@5", {"trees": 20, "leaves": 6}),
    "lambdamart_ndcg10_t20_l10_mls5": ("NDCG@10", {"trees": 20, "leaf_rows": 5}),
    "lambdamart_map_t20_l6": ("MAP", {"trees": 20, "leaves": 6}),
    "lambdamart_ndcg5_tc16": ("NDCG@5", {"trees": 10, "leaves": 6, "thresholds": 16}),
    "lambdamart_ndcg5_val": ("NDCG@5", {"trees": 200, "leaves": 6, "patience": 21}),
    "mart_t10_l6": ("NDCG@10", {"trees": 10, "leaves": 6, "lambdas": False}),
}
RATE = float(np.float32(0.1))


def nested(found: Trees, tree: int) -> Any:
    """A tree as nested tuples, as `reading.trees` has them."""
    first, nodes = int(found.starts[tree]), int(found.starts[tree]) - tree

    def node(child: int) -> Any:
        if child < 0:
            return float(found.leaf_value[first - 1 - child]) / RATE
        at = nodes + child
        return int(found.feature[at]) + 1, float(found.threshold[at]), node(found.left[at]), node(found.right[at])

    return node(0)


def flat(tree: Any) -> tuple[list[tuple[int, float]], list[float]]:
    """Splits and leaves of a tree, in the order of the walk."""
    if isinstance(tree, float):
        return [], [tree]
    splits, leaves = [tree[:2]], []
    for side in tree[2:]:
        more, values = flat(side)
        splits, leaves = splits + more, leaves + values
    return splits, leaves


@pytest.mark.parametrize("model", MODELS)
def test_it_grows_every_tree_that_ranklib_grows(model: str) -> None:
    text, parameters = MODELS[model]
    validation = part("va") if model.endswith("_val") else None
    fitted = MART(measure=f"ranklib:{text}", **parameters).fit(part("tr"), validation=validation)
    found, wanted = fitted.ranker_.scorer, trees(model)
    assert len(found) == len(wanted)
    for number, tree in enumerate(wanted):
        (splits, leaves), (their_splits, their_leaves) = flat(nested(found, number)), flat(tree)
        assert [feature for feature, _ in splits] == [feature for feature, _ in their_splits], number
        assert [np.float32(t) for _, t in splits] == [np.float32(t) for _, t in their_splits], number
        np.testing.assert_allclose(leaves, their_leaves, rtol=1e-6)
    assert fitted.score(part("te")) == pytest.approx(printed(model)["test"], abs=5.1e-5)
    assert fitted.score(part("tr")) == pytest.approx(printed(model)["training"], abs=5.1e-5)


# Not like RankLib: what is wrong with its changes of measures, against an exchange that is really made.


def exchanged(text: str, labels: Any) -> Any:
    """What each exchange of two ranks changes."""
    one = measure(text)
    n, value = len(labels), one.of(labels)
    changes = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            other = labels.copy()
            other[[i, j]] = labels[[j, i]]
            changes[i, j] = abs(one.of(other) - value)
    return changes


LABELS = np.array([1.0, 0, 2, 0, 1, 2, 0, 1])


def test_changes_of_average_precision_are_right_but_count_for_the_top_document_alone() -> None:
    changes, cutoff = changes_of(measure("ranklib:MAP"))
    np.testing.assert_allclose(changes(LABELS), exchanged("AP", LABELS), atol=1e-12)
    pushed, _ = pushes(LABELS, -np.arange(8.0), changes, cutoff)
    assert cutoff == 0
    # Only the pairs with the document at the top, and no others.
    assert (pushed[LABELS == 0] < 0).all() and pushed[0] > 0 and not pushed[[2, 4, 5, 7]].any()


def test_changes_of_ndcg_go_on_below_the_cut_off() -> None:
    found = changes_of(measure("ranklib:NDCG@3"))[0](LABELS)
    right = exchanged("ranklib:NDCG@3", LABELS)
    assert found[:3, :3] == pytest.approx(right[:3, :3])
    below = found[:3, 3:] - right[:3, 3:]
    assert (below[LABELS[:3, None] != LABELS[3:]] < 0).all()
    uncut = exchanged("ranklib:NDCG@8", LABELS)[:3, 3:]
    ratio = found[:3, 3:][uncut > 0] / uncut[uncut > 0]
    np.testing.assert_allclose(ratio, ratio[0])


def test_changes_of_err_are_mostly_wrong() -> None:
    found = changes_of(measure("ranklib:ERR@5"))[0](LABELS)
    right = exchanged("ranklib:ERR@5", LABELS)
    pairs = right > 0
    assert np.isclose(found[pairs], right[pairs]).mean() < 0.5


def test_thresholds_of_equal_width_are_summed_in_single_precision() -> None:
    from rankwise.learners.ranklib.tree import Binned

    table = np.linspace(0, 1, 50, dtype=np.float32)[:, None]
    (few,), (all_,) = Binned.of(table, 4).thresholds, Binned.of(table, 50).thresholds
    assert few[:4].tolist() == [0.0, 0.25, 0.5, 0.75] and len(few) == 5
    assert all_[:-1].tolist() == table.ravel().tolist()


# The rest.


def test_it_goes_on_from_trees() -> None:
    data = easy(3)
    whole = MART(trees=6, measure="ranklib:NDCG@5").fit(data)
    first = MART(trees=2, measure="ranklib:NDCG@5").fit(data)
    further = MART(trees=6, measure="ranklib:NDCG@5").fit(data, start_from=first.ranker_)
    np.testing.assert_allclose(further.predict(data), whole.predict(data))
    with pytest.raises(RankwiseError, match="MART cannot go on from a ranker of linear"):
        MART(trees=2).fit(data, start_from=AdaRank(rounds=1).fit(data).ranker_)


def test_features_that_divide_nothing_end_the_training() -> None:
    fitted = MART(lambdas=False).fit([[3.0], [3.0], [3.0]], [0, 1, 2], group=[3])
    assert fitted.stopped_ == "no split is worth it" and len(fitted.ranker_.scorer) == 0


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"leaves": 1}, "leaves must be a whole number from 2, not 1"),
        ({"thresholds": 1}, "thresholds must be a whole number from 2, not 1"),
        ({"leaf_rows": 0}, "leaf_rows must be a whole number from 1, not 0"),
        ({"learning_rate": -0.1}, "learning_rate must be a number from 0, not -0.1"),
        ({"measure": "RR"}, "RankLib's changes are not known for RR"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises((MeasureError, RankwiseError), match=words):
        MART(**parameters).fit(easy(3))


def test_missing_values_are_refused() -> None:
    with pytest.raises(DataError, match="MART has no place for missing values"):
        MART().fit([[np.nan], [1.0]], [0, 1], group=[2])


def test_it_learns() -> None:
    train, test = easy(0), easy(2)
    fitted = MART(trees=30, leaves=4).fit(train)
    assert evaluate(test, fitted.predict(test), "nDCG@10")[0].mean > 0.9
