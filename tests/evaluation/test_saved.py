"""A result in a file: what is loaded is what was saved; what a file cannot hold is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from measures.making import List, every_measure, lists_of, small_lists
from rankwise import DataError, Dataset, MeasureError, RankwiseError, evaluate, load_result, measure
from rankwise.data.formats import arrays
from rankwise.evaluation.result import Result
from rankwise.measures import AP, MEASURES, STANDARD, Measure, nDCG
from rankwise.measures.record import from_record, record
from rankwise.measures.tools import FILES, names, tool
from rankwise.measures.user import user_measure

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}, "é": {"x": 1, "y": 0}}
RUN = {"q1": {"a": 0.5, "b": 0.5, "x": 0.1}, "q3": {"a": 1.0}, "é": {"y": 2.0, "x": 1.0}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bm25.result"


def kept(result: Result, path: Path) -> Result:
    result.save(path)
    return load_result(path)


# What is loaded is what was saved.


@pytest.mark.parametrize(
    "choices", [{}, {"bounds": True}, {"bootstrap": True}, {"by": {"q1": "short", "q2": 1, "é": None}}]
)
def test_a_loaded_result_prints_the_same(choices: dict[str, Any], path: Path) -> None:
    result = evaluate(QRELS, RUN, ["ndcg@10", "AP", "trec_eval:map", "letor4:P@2"], name="bm25", **choices)
    loaded = kept(result, path)
    for form in (repr, Result._repr_html_, Result.to_markdown, Result.to_latex, Result.to_csv):
        assert form(loaded) == form(result)
    assert loaded == result
    assert loaded["ndcg@10"].mean == result["ndcg@10"].mean
    assert (loaded.queries, loaded.unknown_queries) == (result.queries, 1)
    if choices.get("bounds"):
        assert [o.bounds for o in loaded] == [o.bounds for o in result]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(lists=st.lists(small_lists(), min_size=1, max_size=4), data=st.data())
def test_every_bit_comes_back(lists: list[List], data: st.DataObject, path: Path) -> None:
    measures = data.draw(st.lists(st.sampled_from(every_measure(STANDARD)), min_size=1, max_size=3))
    result = Result(lists_of(lists), [(str(m), m) for m in measures])
    loaded = kept(result, path)
    assert loaded == result
    for one, other in zip(result, loaded, strict=True):
        assert one.values.tobytes() == other.values.tobytes()
        assert one.flags.tobytes() == other.flags.tobytes()
        assert (str(one.measure), one.counts.as_dict(), one.given) == (
            str(other.measure), other.counts.as_dict(), other.given,
        )  # fmt: skip
        assert repr((one.mean, one.stderr, one.interval)) == repr((other.mean, other.stderr, other.interval))


def test_weights_and_what_is_saved_again(path: Path) -> None:
    data = Dataset.of(labels=[1, 0, 0, 1], qid=[1, 1, 2, 2], weights=[3.0, 1.0])
    result = evaluate(data, [2.0, 1.0, 2.0, 1.0], "RR", keep=None, by=["a", "b"])
    loaded = kept(result, path)
    assert loaded[0].mean == result[0].mean == 0.875
    assert loaded[0].bootstrap == result[0].bootstrap
    assert loaded.groups.to_csv() == result.groups.to_csv()
    first = path.read_bytes()
    loaded.save(path)
    assert path.read_bytes() == first


def test_a_file_is_small(path: Path) -> None:
    rng = np.random.default_rng(0)
    evaluate(rng.integers(0, 3, 50_000), rng.random(50_000), ["nDCG@10", "AP"], group=[10] * 5000).save(path)
    assert path.stat().st_size < 5000 * (2 * 9 + 8) + 6000


def all_measures() -> list[Measure]:
    found: dict[str, Measure] = {}
    for name in names():
        for kind in (
            MEASURES.values() if name == "standard" else [MEASURES[m] for m in getattr(_tool(name), "measures", {})]
        ):
            one = kind(convention=name)
            found[f"{name}:{one}"] = one
    return list(found.values())


def _tool(name: str) -> Any:
    return tool(name) if any(name in versions for versions in FILES.values()) else None


@pytest.mark.parametrize("one", all_measures(), ids=str)
def test_a_measure_comes_back_with_every_choice(one: Measure) -> None:
    again = from_record(record(one))
    assert (again, again.convention.name, str(again)) == (one, one.convention.name, str(one))
    assert measure(str(one)) == again


def test_a_measure_comes_back_though_its_tool_has_changed_since() -> None:
    one = nDCG(
        5, gain={0: 0, 2: 7.25}, rel={1, 2}, discount=(1, 0.5), labels={9: 0}, empty="nan", ties="random", seed=7
    )
    again = from_record(record(one))
    assert again == one
    changed = record(measure("letor4:nDCG@5"))
    changed["convention"]["gain"] = "linear"
    assert str(from_record(changed)) == "letor4:nDCG(gain='linear')@5"
    del changed["convention"]["gain"]
    assert from_record(changed).convention.gain == STANDARD.gain


# What a file does not hold.


def test_what_needs_the_scores_says_so(path: Path) -> None:
    loaded = kept(evaluate(QRELS, RUN, "AP"), path)
    with pytest.raises(
        MeasureError, match=r"AP\(ties='worst'\) needs the scores, which a saved result does not hold\nHint"
    ):
        loaded[0].bounds  # noqa: B018


@pytest.mark.parametrize(
    ("one", "says"),
    [
        (nDCG(5, gain=np.sqrt), "gain of nDCG is the function sqrt, which a file cannot hold\nHint: say it as a table"),
        (nDCG(5, discount=lambda rank: 1 / rank), "discount of nDCG is the function .*<lambda>, which a file"),
        (type("Mine", (AP,), {"name": "Mine"})(), "Mine is a measure of yours, which a file cannot hold"),
    ],
)
def test_functions_of_the_caller_are_refused(one: Measure, says: str, path: Path) -> None:
    result = evaluate([1, 0], [2.0, 1.0], one)
    with pytest.raises(MeasureError, match=says):
        result.save(path)
    assert not path.exists()


def test_a_users_measure_is_refused() -> None:
    with pytest.raises(MeasureError, match=r"user:top.* is a measure of yours, which a file cannot hold"):
        record(user_measure("top", len))


# Damaged files, whose arrays are whole.


def header(**how: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    return lambda kept, columns: kept.update(how)


def first_measure(**how: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    return lambda kept, columns: kept["measures"][0].update(how)


def choice(**how: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    return lambda kept, columns: kept["measures"][0]["convention"].update(how)


def array(name: str, of: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def set_array(kept: dict[str, Any], columns: dict[str, Any]) -> None:
        if of is None:
            del columns[name]
        else:
            columns[name] = of

    return set_array


DAMAGE = [
    (header(lists=3), r"its array 'values' is float64 \(1, 2\), not float64 \(1, 3\)"),
    (header(lists=2.0), "its header gives 2.0 as 'lists'"),
    (header(measures=None), "its header gives None as 'measures'"),
    (header(show_bounds=1), "its header gives 1 as 'show_bounds'"),
    (header(keep="2"), "its header gives '2' as 'keep'"),
    (header(measures=[3]), "a measure lacks its text"),
    (header(further=[{}]), "a measure lacks its name, its cut-off or its convention"),
    (header(groups=["a", "a"]), "its groups are not called by different names"),
    (header(groups=["a"]), "a list belongs to a group that does not exist"),
    (first_measure(name="nDGC"), "there is no measure 'nDGC'\nHint: a newer Rankwise may know it"),
    (first_measure(k=-1), "the cut-off of RR must be a whole number from 1, not -1"),
    (first_measure(parameters={"times": 2}), "there is no choice 'times'"),
    (first_measure(given=None), "a measure lacks its text"),
    (choice(gain="log"), "gain='log' is not a choice"),
    (choice(gain=[[1, 2, 3]]), r"gain=\(\(1, 2, 3\),\) is not a choice"),
    (choice(colour="red"), "RR has an unknown choice 'colour'\nHint: a newer"),
    (array("values", None), "it lacks the array 'values'"),
    (array("flags", np.full((1, 2), 200, np.uint8)), "its flags have an unknown bit"),
    (array("flags", np.zeros((1, 2), np.int32)), r"its array 'flags' is int32 \(1, 2\), not uint8 \(1, 2\)"),
    (array("weights", np.array([1.0, -1.0])), "a weight is negative or not finite"),
    (array("weights", np.array([1.0, np.nan])), "a weight is negative or not finite"),
    (
        array("queries.lengths", np.array([1, 9], np.uint16)),
        r"its array 'queries.text' is uint8 \(2,\), not uint8 \(10,\)",
    ),
    (array("queries.lengths", None), "it has half of the ids 'queries'"),
    (array("groups", np.array([0, -1], np.int32)), "a list belongs to a group that does not exist"),
]


@pytest.mark.parametrize(("damage", "says"), DAMAGE, ids=[says for _, says in DAMAGE])
def test_a_header_that_does_not_fit_is_refused(damage: Any, says: str, path: Path) -> None:
    data = Dataset.of(labels=[1, 0, 0, 1], group=[2, 2], weights=[1.0, 2.0])
    evaluate(data, [2.0, 1.0, 2.0, 1.0], "RR", by=["a", "b"]).save(path)
    kept_header, columns = arrays.read(path, "result", 1)
    damage(kept_header, columns)
    arrays.write(path, "result", 1, kept_header, columns)
    with pytest.raises(RankwiseError, match=says) as refusal:
        load_result(path)
    assert str(refusal.value).startswith(f"{path}: ")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
@given(data=st.data())
def test_anything_anywhere_in_a_header_is_read_or_refused(data: st.DataObject, path: Path) -> None:
    evaluate(QRELS, RUN, ["nDCG@2", "IPrec(recall=0.5, ties='input')"], by={"q1": 1, "q2": 2, "é": 2}).save(path)
    kept_header, columns = arrays.read(path, "result", 1)
    inside: Any = kept_header
    while True:
        key = data.draw(st.sampled_from(sorted(inside) if isinstance(inside, dict) else range(len(inside))))
        if not inside[key] or not isinstance(inside[key], (dict, list)) or data.draw(st.booleans()):
            break
        inside = inside[key]
    inside[key] = data.draw(ANYTHING)
    arrays.write(path, "result", 1, kept_header, columns)
    try:
        repr(load_result(path))
    except RankwiseError:
        return


def test_a_header_of_many_levels_is_refused(path: Path) -> None:
    evaluate(QRELS, RUN, "AP").save(path)
    kept_header, columns = arrays.read(path, "result", 1)
    deep: Any = 1
    for _ in range(450):
        deep = [deep]
    kept_header["measures"][0]["parameters"] = {"times": deep}
    arrays.write(path, "result", 1, kept_header, columns)
    with pytest.raises(RankwiseError, match="times"):
        load_result(path)


def test_a_file_of_another_kind_is_refused(path: Path) -> None:
    arrays.write(path, "model", 1, {}, {})
    with pytest.raises(DataError, match="it holds a 'rankwise model', not a 'rankwise result'"):
        load_result(path)
