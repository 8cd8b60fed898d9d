from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from oracles import factors as oracle
from rankwise import DataError, evaluate, load_recommender
from rankwise.data.formats import arrays as container
from rankwise.rankers.factors import Factors
from rankwise.rankers.histories import Histories
from rankwise.rankers.neighbours import Neighbours
from rankwise.recommenders.bpr import BPR
from rankwise.recommenders.interactions import Interactions, Names
from rankwise.recommenders.item_knn import ItemKNN
from rankwise.recommenders.popularity import Popularity
from rankwise.recommenders.splits import by_ratio
from recommenders.making import tastes

DATA = tastes(0)


def drawn(users: int, items: int, factors: int, seed: int = 0, *, ties: bool = False) -> Factors:
    rng = np.random.default_rng(seed)
    parts = [rng.normal(size=size) for size in ((users, factors), (items, factors), users, items)]
    return Factors(*(np.round(part) if ties else part for part in parts), mean=0.5)


@pytest.mark.parametrize("size", [(1, 1, 1), (5, 16, 3), (7, 17, 16), (100, 600, 17), (13, 40, 0)], ids=str)
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_the_best_items_are_those_of_sorting_all(size: tuple[int, int, int], ties: bool, threads: int) -> None:
    model = drawn(*size, ties=ties)
    rng = np.random.default_rng(1)
    seen = [np.sort(rng.choice(size[1], rng.integers(0, size[1] + 1), replace=False)) for _ in range(size[0])]
    offsets = np.concatenate(([0], np.cumsum([len(part) for part in seen])))
    left_out = Histories(offsets, np.concatenate(seen).astype(np.uint32))
    users = np.arange(size[0])
    scores = model.scores(users)
    for k in (1, 7, size[1] + 2):
        found, best = model.top(users, k, left_out=left_out, threads=threads)
        for user in users:
            wanted = oracle.best(scores[user], seen[user], k)
            assert found[user].tolist() == wanted + [-1] * (k - len(wanted))
            np.testing.assert_array_equal(best[user, : len(wanted)], scores[user, wanted])
            assert np.isnan(best[user, len(wanted) :]).all()


def test_scores_are_the_formula() -> None:
    model = drawn(9, 33, 20)
    wanted = np.float64(model.users) @ np.float64(model.items).T
    wanted += 0.5 + np.float64(model.user_biases)[:, None] + np.float64(model.item_biases)
    users, items = np.array([3, 3, 8]), np.array([0, 32, 5])
    np.testing.assert_allclose(model.scores(np.arange(9)), wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(model.pair_scores(users, items), model.scores(np.arange(9))[users, items])


def test_candidates_and_filters_choose_what_may_be_recommended() -> None:
    recommender = BPR(factors=4, epochs=3).fit(DATA).recommender_
    everything = recommender.recommend(["u003"], 40, exclude_seen=False)["u003"]
    some = ["i030", "i002", "i017"]
    assert recommender.recommend(["u003"], 40, exclude_seen=False, candidates=some)["u003"] == [
        pair for pair in everything if pair[0] in some
    ]
    odd = recommender.recommend(["u003"], 40, exclude_seen=False, filter=lambda item: int(item[1:]) % 2 == 1)
    assert odd["u003"] == [pair for pair in everything if int(pair[0][1:]) % 2 == 1]
    unseen = recommender.recommend(["u003"], 40, candidates=some)["u003"]
    seen = {recommender.items[item] for item in recommender.histories.of(3)}
    assert unseen == [pair for pair in everything if pair[0] in some and pair[0] not in seen]
    with pytest.raises(DataError, match="no item is left to recommend"):
        recommender.recommend(filter=lambda item: False)


def test_neighbours_choose_from_candidates_too() -> None:
    recommender = ItemKNN().fit(DATA).recommender_
    whole = recommender.recommend(["u003"], 40, exclude_seen=False)["u003"]
    some = recommender.recommend(["u003"], 40, exclude_seen=False, candidates=["i030", "i002"])["u003"]
    assert some == [pair for pair in whole if pair[0] in ("i030", "i002")]


def test_item_neighbours_are_cosines_with_shrinkage() -> None:
    one = ItemKNN(neighbours=40, shrinkage=2.0).fit(DATA)
    matrix = np.float64(DATA.matrix().toarray())
    lengths = np.sqrt((matrix**2).sum(axis=0))
    wanted = matrix.T @ matrix / (np.outer(lengths, lengths) + 2.0)
    np.fill_diagonal(wanted, 0)
    np.testing.assert_allclose(one.recommender_.model._matrix().toarray(), wanted, rtol=1e-6, atol=1e-9)
    few = ItemKNN(neighbours=3, shrinkage=2.0).fit(DATA).recommender_
    for item in range(0, 40, 7):
        name = few.items[item]
        assert [other for other, _ in few.similar([name], 3)[name]] == [
            few.items[at] for at in oracle.best(wanted[item], [item], 3)
        ]


def test_similar_items_are_those_of_the_greatest_cosine() -> None:
    recommender = BPR(factors=6, epochs=5).fit(DATA).recommender_
    rows = np.float64(recommender.model.items)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = rows @ rows.T
    found = recommender.similar("i007", 5)["i007"]
    wanted = oracle.best(cosines[recommender.items.number("i007")], [recommender.items.number("i007")], 5)
    assert [name for name, _ in found] == [recommender.items[at] for at in wanted]
    assert [score for _, score in found] == pytest.approx(
        cosines[recommender.items.number("i007"), wanted].tolist(), abs=1e-6
    )


def test_recommendations_are_a_table_and_a_run() -> None:
    train, test, _ = by_ratio(DATA, 0.3)
    recommender = Popularity().fit(train).recommender_
    found = recommender.recommend(["u001", "u000"], 3)
    table = found.table()
    assert table["user"].tolist() == ["u001"] * 3 + ["u000"] * 3 and table["rank"].tolist() == [1, 2, 3] * 2
    assert dict(found)["u000"] == found["u000"] and len(found) == 2 and repr(found) == "Recommendations(2 × 3)"
    judgments: dict[str, dict[str, int]] = {}
    for user, item in zip(test.user, test.item, strict=True):
        judgments.setdefault(test.users[user], {})[test.items[item]] = 1
    everyone = recommender.recommend(k=40).run()
    # Of full lists by ids, the same measures come from a run and from lists.
    data, scores = recommender.lists(test.implicit())
    for measure in ("R@5", "P@5", "RR", "nDCG@10", "AP", "Success@3"):
        one, other = evaluate(judgments, everyone, measure), evaluate(data, scores, measure)
        assert one[measure].mean == pytest.approx(other[measure].mean, abs=1e-12)
    with pytest.raises(DataError, match="there are no recommendations for 'u009'"):
        found["u009"]


def test_lists_hold_every_item_that_was_not_seen() -> None:
    train, test, _ = by_ratio(DATA, 0.3)
    recommender = BPR(factors=4, epochs=2).fit(train).recommender_
    data, scores = recommender.lists(test)
    assert len(data) == 60 and set(np.diff(data.offsets)) == {40 - 7} and (data.labels > 0).sum() == len(test)
    assert scores.shape == data.labels.shape
    with_seen, _ = recommender.lists(test, exclude_seen=False)
    assert set(np.diff(with_seen.offsets)) == {40}
    found = evaluate(data, scores, ["AUC", "nDCG@10", "Success@5"])
    assert found["AUC"].mean > 0.5 and len(found["nDCG@10"].values) == 60


def test_judged_users_are_found_by_their_ids_in_any_numbering() -> None:
    train, test, _ = by_ratio(DATA, 0.3)
    recommender = Popularity().fit(train).recommender_
    other = Interactions.of([test.users[u] for u in test.user], [test.items[i] for i in test.item], test.values)
    values = [evaluate(*recommender.lists(part), "nDCG@10")["nDCG@10"].mean for part in (test, other)]
    assert values[0] == values[1]


def test_what_is_not_known_is_refused_by_name() -> None:
    recommender = BPR(factors=4, epochs=1).fit(DATA).recommender_
    with pytest.raises(DataError, match=r"user 'x' is not known from training\nHint: .*fold_in"):
        recommender.recommend(["u001", "x"])
    with pytest.raises(DataError, match="item 'x' is not known from training"):
        recommender.similar(["x"])
    with pytest.raises(DataError, match="item 'x' is not known from training"):
        recommender.recommend(candidates=["x"])
    with pytest.raises(DataError, match="item 'x' is not known from training"):
        recommender.fold_in(Interactions.of(["new"], ["x"]))
    with pytest.raises(DataError, match="k must be a whole number from 1, not 0"):
        recommender.recommend(k=0)
    with pytest.raises(DataError, match="there are 2 items for 1 users"):
        recommender.predict(["u001"], ["i001", "i002"])
    more = Interactions.of(["u001", "y"], ["i001", "i001"])
    with pytest.raises(
        DataError,
        match=r"user 'y' is not known from training\nHint: 1 user that is judged is not in training; .*--known-only",
    ):
        recommender.lists(more)
    assert len(more.known_to(DATA)) == 1
    with pytest.raises(DataError, match=r"has item 'i\d+' in training too"):
        recommender.lists(DATA)


def test_a_user_who_has_seen_everything_has_no_list() -> None:
    everything = Interactions.of([0, 0, 1], [0, 1, 0])
    recommender = Popularity().fit(everything).recommender_
    assert recommender.recommend(["0"])["0"] == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"model.users": np.zeros((59, 4), np.float32)}, "its array 'users' is not a table of 60 rows"),
        ({"model.items": np.full((40, 4), np.nan, np.float32)}, "items: row 0 is not finite"),
        ({"model.item_biases": np.zeros(3, np.float32)}, "its array 'item_biases' has 3 values, not 40"),
        ({"seen.items": np.full(600, 99, np.uint32)}, "what users have seen does not fit together"),
        ({"seen.items": np.zeros(600, np.uint32)}, "what a user has seen does not ascend"),
        ({"users.ends": np.arange(60)}, "the names of its users do not fit together"),
        ({"items.texts": np.zeros(160, np.uint8)}, "two of its items have one name"),
        ({"items.texts": np.full(160, 255, np.uint8)}, "a name of its items is not UTF-8"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, change: dict, words: str) -> None:
    path = tmp_path / "model.rankwise"
    BPR(factors=4, epochs=1).fit(DATA).recommender_.save(path)
    header, arrays = container.read(path, "recommender", 1)
    container.write(path, "recommender", 1, header, arrays | change)
    with pytest.raises(DataError, match=f"model.rankwise: .*{words}"):
        load_recommender(path)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.rankwise"
    BPR(factors=4, epochs=1).fit(DATA).recommender_.save(path)
    header, arrays = container.read(path, "recommender", 1)
    container.write(path, "recommender", 1, header | {"model": {"kind": "trees"}}, arrays)
    with pytest.raises(DataError, match="its model is of the kind 'trees', which is none of factors, neighbours"):
        load_recommender(path)
    container.write(path, "recommender", 1, {name: header[name] for name in ("about",)}, arrays)
    with pytest.raises(DataError, match="its header has no 'model'"):
        load_recommender(path)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Factors([[1.0]], [[1.0, 2.0]]), "users have 1 factors, and items 2"),
        (lambda: Factors([1.0], [[1.0]]), "users must have 2 dimensions, not 1"),
        (lambda: Factors([[np.inf]], [[1.0]]), "users: row 0 is not finite"),
        (lambda: Factors([[1.0]], [[1.0]], item_biases=[1, 2]), "there are 2 item biases for 1 items"),
        (lambda: Factors([[1.0]], [[1.0]], mean=np.nan), "the mean is not finite"),
        (lambda: Neighbours(np.array([0, 2]), np.uint32([0]), np.float32([1])), "do not fit together"),
        (lambda: Neighbours(np.array([0, 1]), np.uint32([7]), np.float32([1])), "a neighbour is item 7 of 1"),
        (lambda: Neighbours(np.array([0, 1]), np.uint32([0]), np.float32([np.nan])), "a similarity is not finite"),
    ],
)
def test_models_that_cannot_be_are_refused(make: object, words: str) -> None:
    with pytest.raises(DataError, match=words):
        make()  # type: ignore[operator]


def test_neighbours_need_histories() -> None:
    model = ItemKNN().fit(DATA).recommender_.model
    with pytest.raises(DataError, match="neighbours score by what the user had to do with"):
        model.scores(np.array([0]))


def test_names_are_found_by_their_text() -> None:
    names = Names.of([3, "a"])
    assert names.number(3) == 0 and names.numbers(["a", "b"]).tolist() == [1, -1]
