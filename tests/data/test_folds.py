"""Parts and folds: shares, lots, groups, times."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise import DataError, Dataset, Fold, folds, read_table, split
from rankwise.data.folds import assign, lot

NAMES = [f"q{number}" for number in range(40)]


def dealt(queries: list[str], into: dict[str, float], of_list: dict[str, object], seed: int) -> dict[str, str]:
    """Slow and obvious: a group falls to the part within whose share of the line its middle lies."""
    groups = sorted({of_list[name] for name in queries}, key=lambda group: lot(group, seed))
    line = [name for group in groups for name in queries if of_list[name] == group]
    total = sum(Fraction(str(share)) for share in into.values())
    found = {}
    for group in groups:
        at = [place for place, name in enumerate(line) if of_list[name] == group]
        middle = Fraction(at[0] + at[-1] + 1, 2)
        end = Fraction(0)
        for part, share in into.items():
            end += Fraction(str(share)) / total * len(line)
            if middle < end:
                found |= dict.fromkeys((line[place] for place in at), part)
                break
    return found


shares = st.sampled_from(
    [{"a": 0.5, "b": 0.5}, {"a": 0.6, "b": 0.2, "c": 0.2}, {"a": 3, "b": 1}, {"a": 1, "b": 1, "c": 1}]
)


@given(
    queries=st.lists(st.sampled_from(NAMES), unique=True, min_size=10),
    into=shares,
    groups=st.integers(6, 50),
    seed=st.integers(0, 2**64 - 1),
)
def test_lists_are_dealt_as_the_definition_says(
    queries: list[str], into: dict[str, float], groups: int, seed: int
) -> None:
    of_list: dict[str, object] = {name: f"g{int(name[1:]) % groups}" for name in queries}
    wanted = dealt(queries, into, of_list, seed)
    group = [of_list[name] for name in queries]
    if set(wanted.values()) < set(into):
        with pytest.raises(DataError, match="would be empty"):
            assign(queries, into, group=group, seed=seed)
        return
    parts = assign(queries, into, group=group, seed=seed)
    assert {name: list(into)[part] for name, part in zip(queries, parts, strict=True)} == wanted


@given(queries=st.permutations(NAMES), seed=st.integers(0, 9))
def test_the_order_of_lists_changes_nothing(queries: list[str], seed: int) -> None:
    into = {"train": 0.6, "validation": 0.2, "test": 0.2}
    usual = dict(zip(NAMES, assign(NAMES, into, seed=seed), strict=True))
    assert dict(zip(queries, assign(queries, into, seed=seed), strict=True)) == usual


def test_parts_have_their_shares_to_the_list() -> None:
    parts = assign(NAMES, {"train": 0.6, "validation": 0.2, "test": 0.2})
    assert np.bincount(parts).tolist() == [24, 8, 8]


def test_another_seed_draws_other_lots() -> None:
    into = {"train": 0.5, "test": 0.5}
    assert len({assign(NAMES, into, seed=seed).tobytes() for seed in range(10)}) == 10


def test_the_lots_never_change() -> None:
    """Published splits are made with these: a change here would be a change of them."""
    assert assign(NAMES[:10], {"train": 0.5, "test": 0.5}, seed=7).tolist() == LOTS_OF_SEED_7


LOTS_OF_SEED_7 = [0, 1, 0, 0, 1, 1, 0, 0, 1, 1]


def test_no_group_is_in_two_parts() -> None:
    group = [number % 9 for number in range(40)]
    parts = assign(NAMES, {"train": 0.5, "test": 0.5}, group=group)
    assert all(len({part for part, g in zip(parts, group, strict=True) if g == of}) == 1 for of in range(9))


def test_by_time_nothing_in_a_part_is_younger_than_the_next() -> None:
    time = np.random.default_rng(0).integers(0, 20, 40)
    parts = assign(NAMES, {"train": 0.6, "validation": 0.2, "test": 0.2}, time=time.tolist())
    for part in (0, 1):
        assert time[parts == part].max() < time[parts == part + 1].min()


def data_with_sites() -> Dataset:
    sites = np.repeat(np.arange(10), 4)
    return Dataset.of(
        np.stack([sites, np.arange(40)], axis=1),
        np.zeros(40),
        qid=np.repeat(np.arange(20), 2),
        feature_names=["site", "row"],
    )


def test_a_feature_may_name_the_group() -> None:
    parts = split(data_with_sites(), {"train": 0.7, "test": 0.3}, group="site")
    train, test = (set(parts[name].feature("site").tolist()) for name in ("train", "test"))
    assert train and test and not train & test
    assert train | test == set(range(10))


def test_a_feature_may_name_the_time() -> None:
    parts = split(data_with_sites(), {"train": 0.7, "test": 0.3}, time="site")
    assert parts["train"].feature("site").max() < parts["test"].feature("site").min()


def test_a_column_of_a_table_may_name_the_group() -> None:
    table = {"qid": ["a", "a", "b", "c", "d"], "label": [0] * 5, "site": ["x", "x", "y", "x", "z"]}
    data = read_table(table, keep=["site"])
    parts = split(data, {"train": 0.5, "test": 0.5}, group="site")
    train, test = (set(parts[name].columns["site"]) for name in ("train", "test"))
    assert train | test == {"x", "y", "z"} and not train & test
    with pytest.raises(DataError, match=r"there is no column and no feature 'country'\nHint: there are site\."):
        split(data, {"train": 0.5, "test": 0.5}, group="country")


def test_a_list_with_and_without_a_group_is_refused() -> None:
    data = Dataset.of([[3.0], [np.nan]], [0, 1], qid=["a", "a"], feature_names=["site"])
    with pytest.raises(DataError, match=r"list 'a' has several values of 'site' \(3.0 and nan\)"):
        split(data, {"train": 0.5, "test": 0.5}, group="site")


def test_each_list_is_judged_in_one_fold_and_is_in_one_part_of_each() -> None:
    data = data_with_sites()
    judged = []
    for fold in folds(data, 5, seed=3):
        parts = [set(part.queries) for part in (fold.train, fold.validation, fold.test)]
        assert sum(map(len, parts)) == len(set.union(*parts)) == 20
        judged += sorted(parts[2])
    assert sorted(judged) == sorted(data.queries)


def test_folds_choose_by_what_the_next_but_one_is_judged_on() -> None:
    made = folds(data_with_sites(), 5)
    for now, after in zip(made, [*made[1:], made[0]], strict=True):
        # Part S(f+3) chooses in fold f; fold f+1 chooses by S(f+4), on which fold f is judged.
        assert set(after.validation.queries) == set(now.test.queries)


def test_folds_without_validation_learn_from_all_the_rest() -> None:
    for fold in folds(data_with_sites(), 2, validation=False):
        assert len(fold.train) + len(fold.test) == 20
        assert not fold.has_validation
        with pytest.raises(DataError, match=r"fold . has no lists for validation\nHint: divide its training lists"):
            _ = fold.validation


def test_a_part_is_read_when_it_is_asked_for_and_once() -> None:
    reads = []

    def read() -> Dataset:
        reads.append("test")
        return Dataset.of(labels=[1], group=[1])

    fold = Fold("1", train=lambda: pytest.fail("nobody asked"), test=read)
    assert fold.test is fold.test
    assert reads == ["test"]


@pytest.mark.parametrize(
    ("into", "refusal"),
    [
        ({"train": 1.0}, "lists are divided into two parts at least"),
        ({"train": 0.6, "test": 0.3}, "the shares make 0.9, not 1"),
        ({"train": 0.5, "test": float("nan")}, "the share of 'test' must be a number above 0, not nan"),
        ({"train": 1, "test": 0}, "the share of 'test' must be a number above 0, not 0"),
        ({"train": 1, "test": True}, "the share of 'test' must be a number above 0, not True"),
        ({"train": 0.99, "test": 0.01}, "the part 'test' would be empty, with 40 lists to divide"),
    ],
)
def test_shares_that_divide_nothing_are_refused(into: dict[str, float], refusal: str) -> None:
    with pytest.raises(DataError, match=refusal):
        assign(NAMES, into)


def test_groups_too_large_to_divide_are_refused() -> None:
    with pytest.raises(DataError, match="the part 'a' would be empty, with 1 group to divide\nHint: give it a larger"):
        assign(NAMES, {"a": 0.5, "b": 0.5}, group=["g"] * 40)


def test_lists_are_not_divided_by_group_and_time() -> None:
    with pytest.raises(DataError, match="either by group or by time"):
        assign(["a", "b"], {"x": 1, "y": 1}, group=[1, 2], time=[1, 2])


def test_a_list_without_a_group_is_refused() -> None:
    with pytest.raises(DataError, match="list 'b' has no group"):
        assign(["a", "b"], {"x": 1, "y": 1}, group=[1, float("nan")])


def test_groups_for_other_lists_are_refused() -> None:
    with pytest.raises(DataError, match="there are 3 groups for 2 lists"):
        assign(["a", "b"], {"x": 1, "y": 1}, group=[1, 2, 3])


def test_a_list_of_several_groups_is_refused() -> None:
    with pytest.raises(DataError, match=r"list '0' has several values of 'row' \(0.0 and 1.0\)\nHint: "):
        split(data_with_sites(), {"train": 1, "test": 1}, group="row")


@pytest.mark.parametrize("k", [2, 0, 2.5, True, "5"])
def test_a_number_of_folds_that_is_none_is_refused(k: object) -> None:
    with pytest.raises(DataError, match="the number of folds must be a whole number from 3"):
        folds(data_with_sites(), k)  # type: ignore[arg-type]


def test_more_folds_than_lists_are_refused() -> None:
    with pytest.raises(DataError, match="5 folds need 5 lists, and there are 2\nHint: make fewer"):
        folds(Dataset.of(labels=[0, 1], group=[1, 1]), 5)


def test_what_is_no_dataset_is_not_divided() -> None:
    with pytest.raises(DataError, match="lists of a Dataset are divided, not str\nHint: read a file"):
        split("train.txt", {"train": 1, "test": 1})  # type: ignore[arg-type]
    with pytest.raises(DataError, match="lists of a Dataset are divided, not list"):
        folds([1, 2, 3])  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [-1, 2**64, 0.5, True])
def test_a_seed_that_is_none_is_refused(seed: object) -> None:
    with pytest.raises(DataError, match="the seed must be a whole number from 0"):
        assign(["a", "b"], {"x": 1, "y": 1}, seed=seed)  # type: ignore[arg-type]
