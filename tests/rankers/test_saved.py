"""A ranker in one file: what is saved is loaded, and whatever is done to the file, it loads or is refused."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rankwise
from rankers import making
from rankwise import DataError, Dataset, Ranker
from rankwise.data.formats import arrays as container
from rankwise.errors import RankwiseError
from rankwise.rankers import Inputs, Linear, Scorer, Stumps, Trees

RNG = np.random.default_rng(0)
TABLE = making.table(RNG, 40)
DATA = Dataset.of(TABLE, np.zeros(40), group=[10, 30], feature_names=["a", "b", "c", "d", "é"])
SCORERS: list[Scorer] = [
    Linear([0.5, -2.0, 0, 0, 1.5], 0.25),
    Stumps(5, [1, 0], [0.3, -1.0], [0.0, 0.5], [1.0, 0.0], [0.0, -0.25]),
    Trees.join([making.tree(np.random.default_rng(seed), 6) for seed in range(3)]),
    Trees.join([making.tree(np.random.default_rng(seed), 70, counted=False) for seed in range(2)]),
]
ALL_INPUTS = [
    Inputs.fit(DATA, transform=transform, over=over)
    for transform in ("none", "min-max", "z-score", "rank", "log1p")
    for over in ("train", "list")
]


@pytest.mark.parametrize("inputs", ALL_INPUTS, ids=repr)
@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
def test_what_is_saved_is_loaded(scorer: Scorer, inputs: Inputs, tmp_path: Path) -> None:
    ranker = Ranker(inputs, scorer, {"learner": "some", "seed": 3, "curve": [0.5, None, {"é": True}]})
    ranker.save(tmp_path / "some.ranker")
    found = rankwise.load_ranker(tmp_path / "some.ranker")
    np.testing.assert_array_equal(found.predict(DATA), ranker.predict(DATA))
    assert found.about == ranker.about
    assert found.inputs.names == ("a", "b", "c", "d", "é")
    assert str(found) == str(ranker)
    found.save(tmp_path / "again.ranker")
    assert (tmp_path / "again.ranker").read_bytes() == (tmp_path / "some.ranker").read_bytes()


def test_list_relative_features_are_saved(tmp_path: Path) -> None:
    data = Dataset.of([[1.0], [3.0]], [0, 1], group=[2])
    ranker = Ranker(Inputs.fit(data, relative=["share", "rank"]), Linear([1, 2, 4]))
    ranker.save(tmp_path / "some.ranker")
    assert rankwise.load_ranker(tmp_path / "some.ranker").predict(data).tolist() == ranker.predict(data).tolist()


def parts(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    return container.read(path, "ranker", 1)


def change(header: Callable[[Any], Any] | None = None, **arrays: Any) -> Callable[[Any, Any], None]:
    """A file that says other things, with a checksum that fits."""

    def damage(found: Any, columns: Any) -> None:
        if header is not None:
            header(found)
        for name, values in arrays.items():
            columns[f"scorer.{name}"] = values

    return damage


ONE = Trees.of(
    2, feature=[0, 1], threshold=[0, 0], left=[1, -1], right=[-2, -3], leaf_value=[0, 1, 2], leaf_count=[1, 1, 1]
)
HOSTILE = [
    (change(left=np.int32([0, -1])), "tree 1, node 0: its left child 0 cannot be"),
    (change(left=np.int32([1, 0])), "tree 1, node 1: its left child 0 cannot be"),
    (change(right=np.int32([-2, 2**31 - 1])), "tree 1, node 1: its right child 2147483647 cannot be"),
    (change(right=np.int32([-2, -(2**31)])), "its right child -2147483648 cannot be"),
    (change(feature=np.int32([0, 2])), "it looks at column 2 of 2"),
    (change(feature=np.int32([[0, 1]])), "its array 'feature' is int32 of 2 dimensions, not int32 of 1"),
    (change(feature=np.int64([0, 1])), "its array 'feature' is int64 of 1 dimensions, not int32 of 1"),
    (change(leaf_value=np.array([0, np.nan, 1])), "the value of a leaf is NaN"),
    (change(starts=np.int64([0, 2**62])), "'starts' of trees must begin with 0 and rise"),
    (change(starts=np.int64([0, 4])), "'feature' of trees has 2 values, not 3"),
    (change(starts=np.int64([])), "'starts' of trees must begin with 0 and rise"),
    (change(set_starts=np.int64([0, 5])), "the sets of categories of trees do not fit together"),
    (change(set_starts=np.int64([0, -5, 0])), "the sets of categories of trees do not fit together"),
    (change(category_set=np.int32([7, -1])), "there is no set 7 of categories"),
    (change(missing=np.uint8([9, 0])), "what it takes for missing is not 0, 1 or 2"),
    (change(gain=np.array([1.0])), "'gain' of trees must be a finite number a node"),
    (change(lambda h: h["inputs"].update(features=2**40)), "inputs are of 1 to 1,048,576 features, not 1099511627776"),
    (change(lambda h: h["inputs"].update(features=True)), "its inputs have True features"),
    (change(lambda h: h["inputs"].update(features=3)), "3 features need as many different names"),
    (change(lambda h: h["inputs"].update(feature_names=["a", 1])), "its feature names are not texts"),
    (change(lambda h: h["inputs"].update(feature_names=["a", "a"])), "2 features need as many different names"),
    (change(lambda h: h["inputs"].update(transform=["none"])), r"transform is \['none'\]"),
    (change(lambda h: h["inputs"].update(transform="min-max")), "it lacks the array 'low'"),
    (change(lambda h: h["inputs"].update(transform="rank")), "it lacks the array 'starts'"),
    (change(lambda h: h["inputs"].update(over=None)), "over is None"),
    (change(lambda h: h["inputs"].update(relative="rank")), "its list-relative features are not texts"),
    (change(lambda h: h["inputs"].update(relative=["rank"])), None),
    (change(lambda h: h.update(scorer={"kind": "oracle"})), "its model is of the kind 'oracle', which is none of"),
    (change(lambda h: h.update(scorer={"kind": "linear"})), "it lacks the array 'weights'"),
    (change(lambda h: h.update(scorer=7)), "its header has no 'scorer'"),
    (change(lambda h: h.pop("inputs")), "its header has no 'inputs'"),
    (change(lambda h: h.update(about=[])), "its header has no 'about'"),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "says"), HOSTILE, ids=lambda x: x if isinstance(x, str) else "")
def test_a_file_that_says_what_cannot_be_is_refused(damage: Any, says: str | None, tmp_path: Path) -> None:
    path = tmp_path / "some.ranker"
    Ranker(Inputs(2, ("a", "b")), ONE).save(path)
    header, arrays = parts(path)
    damage(header, arrays)
    container.write(path, "ranker", 1, header, arrays)
    if says is None:
        # Another table, which this model can read as well.
        assert rankwise.load_ranker(path).inputs.columns == 4
        return
    with pytest.raises(DataError, match=says) as refusal:
        rankwise.load_ranker(path)
    assert str(refusal.value).startswith(f"{path}: ")
    assert "Hint: " in str(refusal.value)


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"weights": np.array([1.0])}, "its array 'weights' has 1 values, not 5"),
        ({"weights": np.array([1.0, 2, 3, 4, np.inf])}, "the weight of column 5 is not finite"),
    ],
)
def test_weights_that_cannot_be_are_refused(arrays: Any, says: str, tmp_path: Path) -> None:
    path = tmp_path / "some.ranker"
    Ranker(Inputs(5), SCORERS[0]).save(path)
    header, columns = parts(path)
    container.write(path, "ranker", 1, header, columns | {f"scorer.{name}": a for name, a in arrays.items()})
    with pytest.raises(DataError, match=says):
        rankwise.load_ranker(path)
    container.write(path, "ranker", 1, header | {"scorer": {"kind": "linear", "bias": "1"}}, columns)
    with pytest.raises(DataError, match="its header gives '1' as 'bias'"):
        rankwise.load_ranker(path)


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"starts": np.arange(6)[::-1].copy()}, "the values of its features do not follow each other"),
        ({"values": np.zeros(3)}, "its array 'shares' has"),
        ({"shares": None}, "the values of its features do not rise, or their shares"),
    ],
)
def test_statistics_that_cannot_be_are_refused(arrays: Any, says: str, tmp_path: Path) -> None:
    path = tmp_path / "some.ranker"
    Ranker(Inputs.fit(DATA, transform="rank"), SCORERS[0]).save(path)
    header, columns = parts(path)
    if "shares" in arrays:
        arrays = {"shares": columns["inputs.shares"][::-1].copy()}
    container.write(path, "ranker", 1, header, columns | {f"inputs.{name}": a for name, a in arrays.items()})
    with pytest.raises(DataError, match=says):
        rankwise.load_ranker(path)
    Ranker(Inputs.fit(DATA, transform="z-score"), SCORERS[0]).save(path)
    header, columns = parts(path)
    container.write(path, "ranker", 1, header, columns | {"inputs.mean": np.full(5, np.inf)})
    with pytest.raises(DataError, match="a statistic of its features is infinite"):
        rankwise.load_ranker(path)


def test_deep_json_is_refused_or_kept(tmp_path: Path) -> None:
    path = tmp_path / "some.ranker"
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(DataError, match="what is said about the ranker cannot be written"):
        Ranker(Inputs(2), ONE, {"curve": deep}).save(path)
    Ranker(Inputs(2), ONE, {"curve": "DEEP"}).save(path)
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    entries = json.loads(content[8 : 8 + length])
    metadata = entries["__metadata__"]
    metadata["header"] = metadata["header"].replace('"DEEP"', "[" * 100_000 + "]" * 100_000)
    text = json.dumps(entries).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length :])
    with pytest.raises(DataError, match="its header cannot be read as JSON"):
        rankwise.load_ranker(path)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scorer=st.sampled_from(SCORERS), inputs=st.sampled_from(ALL_INPUTS), data=st.data())
def test_bytes_that_are_changed_with_a_checksum_that_fits_load_or_are_refused(
    scorer: Scorer, inputs: Inputs, data: Any, tmp_path: Path
) -> None:
    path = tmp_path / "some.ranker"
    Ranker(inputs, scorer, {"learner": "some"}).save(path)
    content = bytearray(path.read_bytes())
    start = 8 + int.from_bytes(content[:8], "little")
    old = zlib.crc32(content[start:])
    for _ in range(data.draw(st.integers(1, 4))):
        # Half of the changes in the arrays, which are most of the file.
        at = data.draw(st.integers(start, len(content) - 1) | st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    content[8:start] = content[8:start].replace(b"%08x" % old, b"%08x" % zlib.crc32(content[start:]))
    path.write_bytes(content)
    try:
        ranker = rankwise.load_ranker(path)
    except RankwiseError:
        return
    try:
        scores = ranker.predict(DATA)
        str(ranker), ranker.importances(), ranker.contributions(DATA)
    except RankwiseError:
        return
    assert len(scores) == 40
