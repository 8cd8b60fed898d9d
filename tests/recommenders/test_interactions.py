from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

from rankwise import DataError, Dataset
from rankwise.data.ids import Ids
from rankwise.recommenders import RECOMMENDERS, recommender_learner
from rankwise.recommenders.interactions import Interactions, as_interactions

ROWS = (["bob", "ann", "ann", "cid"], ["tea", "tea", "jam", "oil"], [3.0, 5.0, 4.0, 1.0])


def rows(data: Interactions) -> list[tuple[str, str, float]]:
    users, items = list(data.users), list(data.items)
    return [(users[u], items[i], float(v)) for u, i, v in zip(data.user, data.item, data.values, strict=True)]


WANTED = [("ann", "jam", 4.0), ("ann", "tea", 5.0), ("bob", "tea", 3.0), ("cid", "oil", 1.0)]


def test_interactions_stand_by_user_and_item_whatever_the_order_of_rows() -> None:
    for order in (slice(None), slice(None, None, -1)):
        data = Interactions.of(*(column[order] for column in ROWS))
        assert rows(data) == WANTED
        assert list(data.users) == ["ann", "bob", "cid"] and list(data.items) == ["jam", "oil", "tea"]


def test_whole_numbers_go_by_size_and_texts_by_text_however_they_come() -> None:
    numbers = Interactions.of([10, 9, 2], [1, 1, 1])
    texts = Interactions.of(["10", "9", "2"], ["1", "1", "1"])
    ids = Interactions.of(Ids.of(["10", "9", "2"]), Ids.of([1, 1, 1]))
    floats = Interactions.of([10.0, 9.0, 2.0], [1, 1, 1])
    for data in (numbers, texts, ids, floats):
        assert list(data.users) == ["2", "9", "10"]
    assert list(Interactions.of(["10", "9", "b"], [1, 1, 1]).users) == ["10", "9", "b"]


def test_tables_matrices_and_lists_are_the_same_interactions(tmp_path: pytest.TempPathFactory) -> None:
    path = tmp_path / "seen.csv"  # type: ignore[operator]
    path.write_text("user_id,item_id,rating\n" + "".join(f"{u},{i},{v}\n" for u, i, v in zip(*ROWS, strict=True)))
    table = dict(zip(("user", "item", "value"), map(np.array, ROWS), strict=True))
    matrix = csr_array([[4, 0, 5], [0, 0, 3], [0, 1, 0]])
    lists = Dataset.of(labels=ROWS[2], qid=ROWS[0], documents=ROWS[1])
    names = {"users": ["ann", "bob", "cid"], "items": ["jam", "oil", "tea"]}
    for data in (
        as_interactions(path),
        as_interactions(table),
        as_interactions(lists),
        Interactions.of_matrix(matrix, **names),
        Interactions.of_matrix(coo_array(matrix), **names),
    ):
        assert rows(data) == WANTED


def test_a_table_may_have_times_weights_and_other_names() -> None:
    when = np.array(["2026-03-01", "2026-01-01"], "datetime64[us]")
    table = {"who": [1, 1], "what": [7, 8], "plays": [2, 3], "at": when, "w": [0.5, 2]}
    data = Interactions.read(table, user="who", item="what", value="plays", time="at", weight="w")
    assert data.values.tolist() == [2, 3] and data.weights is not None and data.weights.tolist() == [0.5, 2]
    assert data.times is not None and data.times[0] > data.times[1]


def test_rows_and_columns_without_entries_are_users_and_items_of_which_nothing_is_known() -> None:
    data = Interactions.of_matrix(csr_array(([1.0], ([1], [0])), shape=(3, 2)))
    assert len(data.users) == 3 and len(data.items) == 2 and np.diff(data.offsets).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("how", "value", "weight"), [("sum", 9, 6), ("mean", 3, 2), ("max", 5, 2), ("last", 3, 2)], ids=lambda v: str(v)
)
def test_several_rows_of_one_pair_become_one(how: str, value: float, weight: float) -> None:
    data = Interactions.of([1, 1, 1], [7, 7, 7], [1, 5, 3], times=[1, 2, 3], weights=[1, 3, 2], duplicates=how)
    assert data.values.tolist() == [value] and data.times is not None and data.times.tolist() == [3]
    assert data.weights is not None and data.weights.tolist() == [weight]


def test_rows_without_values_are_counted() -> None:
    assert Interactions.of([1, 1, 2], [7, 7, 7]).values.tolist() == [2, 1]


def test_what_is_liked_is_said_by_a_threshold() -> None:
    data = Interactions.of(*ROWS)
    assert rows(data.implicit(4)) == [("ann", "jam", 1.0), ("ann", "tea", 1.0)]
    assert data.implicit(4, below="negative").values.tolist() == [1, 1, 0, 0]
    assert len(data.implicit(4).users) == 3


def test_a_matrix_comes_back() -> None:
    assert (Interactions.of(*ROWS).matrix().toarray() == [[4, 0, 5], [0, 0, 3], [0, 1, 0]]).all()


def test_a_movielens_file_is_read(movielens: str = "") -> None:
    from pathlib import Path

    from rankwise.data.collections.movielens import movielens as read

    folder = Path(__file__).parents[2] / "../shared/data/ml-100k"
    if not folder.exists():
        pytest.skip("the folder of MovieLens 100k is not here")
    data = Interactions.of_dataset(read(folder).read())
    assert repr(data) == "Interactions(943 users, 1,682 items, 100,000 interactions)"
    assert list(data.users)[:3] == ["1", "2", "3"] and data.times is not None


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        (([], []), {}, "there are no interactions"),
        (([1, 2], [1]), {}, "there are 1 items for 2 users"),
        (([[1]], [1]), {}, "users must have 1 dimension, not 2"),
        (([1.5, np.nan], [1, 2]), {}, "row 1 has no user"),
        (([1, 2], ["a", None]), {}, "row 1 has no item"),
        ((["a", ""], [1, 2]), {}, "row 1 has no user"),
        (([1, 2], [1, 2], [1, np.inf]), {}, "row 1: the value is inf; it must be finite"),
        (([1, 2], [1, 2]), {"weights": [1, np.nan]}, "row 1: the weight is nan; it must be finite"),
        (([1, 2], [1, 2], [1, np.nan]), {}, "row 1: the value is nan; it must be finite"),
        (([1, 2], [1, 2], [1, 1e300]), {}, "row 1: the value is 1e\\+300; it must be finite"),
        (([1, 2], [1, 2], [1]), {}, "there are 1 values for 2 interactions"),
        (([1, 2], [1, 2], ["a", "b"]), {}, "values must be numbers"),
        (([1, 1], [3, 3], [1, 2]), {}, "user '1' has item '3' 2 times, with values\nHint: .*duplicates='last'"),
        (([1, 1], [3, 3]), {"duplicates": "first"}, "duplicates is 'first'\nHint: choose one of error, sum"),
        (([1], [3]), {"weights": [-1]}, "row 0: the weight is -1; weights are not negative"),
        (([1], [3]), {"times": [np.nan]}, "row 0: there is no time"),
        (([1], [3]), {"times": ["now"]}, "times must be numbers or dates"),
        (([1], [3]), {"times": [1, 2]}, "there are 2 times for 1 interactions"),
    ],
)
def test_columns_that_are_no_interactions_are_refused(columns: tuple, options: dict, words: str) -> None:
    with pytest.raises(DataError, match=words):
        Interactions.of(*columns, **options)


def test_other_sources_are_refused_by_name() -> None:
    with pytest.raises(DataError, match="a sparse matrix is wanted, not list"):
        Interactions.of_matrix([[1]])
    with pytest.raises(DataError, match="there are 1 names for 2 users"):
        Interactions.of_matrix(csr_array([[1], [1]]), users=["a"])
    with pytest.raises(DataError, match="two items have one name"):
        Interactions.of_matrix(csr_array([[1, 1]]), items=["a", "a"])
    with pytest.raises(DataError, match="row 0, column 1: the value is nan"):
        Interactions.of_matrix(csr_array([[0, np.nan]]))
    with pytest.raises(DataError, match="no column is known to be the user"):
        Interactions.read({"item": [1]})
    with pytest.raises(DataError, match="column 'time' holds texts, where times are wanted"):
        Interactions.read({"user": [1], "item": [1], "time": ["now"]})
    with pytest.raises(DataError, match="row 1: the value is nan"):
        Interactions.read({"user": [1, 2], "item": [1, 2], "rating": [1, np.nan]})
    with pytest.raises(DataError, match="do not say which item a row is"):
        as_interactions(Dataset.of(labels=[1], qid=[1]))
    with pytest.raises(DataError, match="below is 'keep'"):
        Interactions.of([1], [1]).implicit(below="keep")
    with pytest.raises(DataError, match="no value is 6 or more; the highest is 5"):
        Interactions.of(*ROWS).implicit(6)
    with pytest.raises(DataError, match="there is no user 'dan'"):
        Interactions.of(*ROWS).of_users(["ann", "dan"])


def test_a_file_names_the_row_that_is_refused(tmp_path: pytest.TempPathFactory) -> None:
    path = tmp_path / "seen.csv"  # type: ignore[operator]
    path.write_text("user,item,rating\n1,2,3\n1,3,\n")
    with pytest.raises(DataError, match=r"seen\.csv, row 2: the value is nan"):
        Interactions.read(path)


def test_what_was_never_learnt_from_is_not_known_though_it_has_a_number() -> None:
    data = Interactions.of(["a", "a", "b", "c"], ["x", "y", "x", "y"])
    training = data.where(np.array([True, False, True, False]))
    kept = data.known_to(training)
    assert [(data.users[u], data.items[i]) for u, i in zip(kept.user, kept.item, strict=True)] == [
        ("a", "x"),
        ("b", "x"),
    ]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("", "seen.csv: there are no rows"),
        ("1,2,3\n,3,4\n", "seen.csv, row 2: there is no user$"),
        ("1,2,3\n4,,4\n", "seen.csv, row 2: there is no item$"),
        ("1,2,3\n1,2,4\n", "user '1' has item '2' 2 times, with values\nHint: .*duplicates='last'"),
        ("1,2,3\n1,3,x\n", "seen.csv, line 3: column 'rating': 'x' is no number"),
    ],
)
def test_a_file_with_bad_rows_is_refused_with_their_place(tmp_path: Path, rows: str, words: str) -> None:
    path = tmp_path / "seen.csv"
    path.write_text(f"user,item,rating\n{rows}")
    with pytest.raises(DataError, match=words):
        Interactions.read(path)


def test_an_empty_text_is_no_user() -> None:
    with pytest.raises(DataError, match=r"row 1: there is no user$"):
        Interactions.read({"user": ["a", ""], "item": ["x", "y"]})


@pytest.mark.parametrize("name", RECOMMENDERS)
def test_values_below_zero_are_turned_down_or_fitted(name: str) -> None:
    data = Interactions.of([1, 1, 2, 2], [2, 3, 2, 4], [3, -4, 1, 2])
    learner = recommender_learner(name)()
    liked = recommender_learner(name)().fit(data.where(data.values > 0)).recommender_
    found = learner.fit(data).recommender_
    if name == "svd":
        assert found.predict(["1"], ["3"])[0] < 0
    else:
        assert (
            found.recommend(k=3, exclude_seen=False).scores == liked.recommend(k=3, exclude_seen=False).scores
        ).all()


@pytest.mark.parametrize("name", RECOMMENDERS)
def test_no_learner_learns_from_nothing(name: str) -> None:
    nothing = Interactions.of([1], [2]).where(np.array([False]))
    with pytest.raises(DataError, match="there are no interactions to learn from"):
        recommender_learner(name)().fit(nothing)


@pytest.mark.parametrize("name", RECOMMENDERS)
def test_a_user_of_whom_nothing_is_known_gets_the_order_of_the_biases(name: str) -> None:
    recommender = recommender_learner(name)().fit(csr_array([[0, 2, 0, 1], [0, 0, 0, 0], [1, 0, 0, 3]])).recommender_
    found = [item for item, _ in recommender.recommend(["1"], 4)["1"]]
    biases = np.zeros(4) if name == "item-knn" else recommender.factors("items").biases
    assert found == [str(item) for item in np.argsort(-biases, kind="stable")]
