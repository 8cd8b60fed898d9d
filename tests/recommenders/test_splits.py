from __future__ import annotations

import numpy as np
import pytest

from rankwise import DataError
from rankwise.recommenders.interactions import Interactions
from rankwise.recommenders.splits import Parts, by_ratio, by_time, by_user, leave_one_out
from recommenders.making import tastes

DATA = tastes(0)


def pairs(data: Interactions) -> set[tuple[int, int]]:
    return set(zip(data.user.tolist(), data.item.tolist(), strict=True))


@pytest.mark.parametrize(
    "parts",
    [
        leave_one_out(DATA),
        leave_one_out(DATA, by="random"),
        by_ratio(DATA, 0.3),
        by_ratio(DATA, 0.3, by="time"),
        by_time(DATA, 0.25),
        by_user(DATA, 0.25),
    ],
    ids=["last", "one", "ratio", "last ratio", "time", "user"],
)
def test_every_interaction_is_in_one_part_and_no_pair_leaks(parts: Parts) -> None:
    found = [part for part in parts if part is not None]
    assert sum(map(len, found)) == len(DATA)
    assert set().union(*map(pairs, found)) == pairs(DATA)
    for part in found:
        assert part.users is DATA.users and part.items is DATA.items


def test_the_last_one_of_each_user_is_left_out() -> None:
    train, test, _ = leave_one_out(DATA)
    assert np.diff(test.offsets).tolist() == [1] * 60
    assert train.times is not None and test.times is not None
    for user in range(60):
        assert train.times[train.user == user].max() < test.times[test.user == user].min()


def test_a_single_interaction_stays_for_learning() -> None:
    train, test, _ = leave_one_out(Interactions.of([1, 2, 2], [1, 1, 2], times=[1, 2, 3]))
    assert np.diff(train.offsets).tolist() == [1, 1] and np.diff(test.offsets).tolist() == [0, 1]


def test_a_ratio_is_of_each_user() -> None:
    train, test, _ = by_ratio(DATA, 0.3)
    assert set(np.diff(test.offsets)) == {3} and set(np.diff(train.offsets)) == {7}
    assert pairs(by_ratio(DATA, 0.3, seed=1).test) != pairs(test)


def test_what_is_judged_on_comes_later() -> None:
    train, test, _ = by_time(DATA, 0.25)
    assert train.times is not None and test.times is not None
    assert train.times.max() < test.times.min() and len(test) == 150
    assert len(by_time(DATA, at=500).test) == 100


def test_users_that_are_judged_are_not_learnt_from() -> None:
    train, test, known = by_user(DATA, 0.25, known=0.8)
    assert known is not None
    assert set(test.user) == set(known.user) and not set(test.user) & set(train.user)
    assert len(set(test.user)) == 15 and len(known) == 15 * 8


def test_the_order_of_rows_changes_nothing() -> None:
    order = np.random.default_rng(1).permutation(len(DATA))
    names = [[ids[n] for n in numbers[order]] for ids, numbers in ((DATA.users, DATA.user), (DATA.items, DATA.item))]
    assert DATA.times is not None
    other = Interactions.of(*names, DATA.values[order], times=DATA.times[order])
    for divide in (leave_one_out, by_ratio, by_time, by_user):
        assert pairs(divide(other).test) == pairs(divide(DATA).test)  # type: ignore[operator]


def test_divisions_that_mean_nothing_are_refused() -> None:
    for share in (0, 1, "half", np.nan):
        with pytest.raises(DataError, match="a share must be a number between 0 and 1"):
            by_ratio(DATA, share)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="by is 'size'"):
        by_ratio(DATA, by="size")
    with pytest.raises(DataError, match=r"have no times\nHint: .*by='random'"):
        leave_one_out(Interactions.of([1, 1], [1, 2]))
    with pytest.raises(DataError, match="leaves nothing to learn from"):
        by_time(DATA, at=-1)
    with pytest.raises(DataError, match="leaves nothing to judge on"):
        by_time(DATA, at=1e9)
