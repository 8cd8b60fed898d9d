"""`inspect`: each code has data that trigger it and data that do not, and says what it does to which tool's number."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rankwise
from rankwise import Dataset, Interactions, Qrels, Run, evaluate, inspect, judge, read_letor
from rankwise.errors import DataError
from rankwise.evaluation.checks.base import CODES, Subject
from rankwise.evaluation.checks.features import pair_shares, tied_documents
from rankwise.evaluation.inspect import Report
from rankwise.measures import nDCG
from rankwise.recommenders import splits

LISTS, LENGTH = 20, 12
ROWS = LISTS * LENGTH


def fine(**changes: object) -> Dataset:
    """Lists with nothing to say about them, but for what is changed."""
    rng = np.random.default_rng(1)
    labels = rng.permuted(np.tile([0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2], (LISTS, 1)), axis=1).ravel()
    features = rng.normal(size=(ROWS, 3)).astype(np.float32)
    qid = np.repeat(np.arange(LISTS), LENGTH)
    given = {"features": features, "labels": labels.astype(np.float64), "qid": qid, **changes}
    return Dataset.of(**given)


def with_labels(change: Callable[[np.ndarray], np.ndarray]) -> Dataset:
    return fine(labels=change(fine().labels.copy()))


def with_features(change: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Dataset:
    data = fine()
    return fine(features=change(data.features.copy(), data.labels))


def put(array: np.ndarray, at: object, value: object) -> np.ndarray:
    array[at] = value
    return array


def with_column(column: Callable[[np.ndarray], object]) -> Dataset:
    """One more feature, made of the labels."""
    return with_features(lambda table, labels: np.column_stack([table, column(labels)]))


def documents(of: Callable[[int], str]) -> Dataset:
    return fine(documents=[of(row) for row in range(ROWS)])


RUN = {f"q{q}": {f"d{d}": float(-d) for d in range(12)} for q in range(4)}
JUDGED = {f"q{q}": {f"d{d}": int(d % 3 == 1) for d in range(12)} for q in range(4)}


def judged(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> Report:
    return inspect(Qrels.of(qrels), Run.of(run, name="run"))


def without(lists: dict[str, dict[str, float]], name: str) -> dict[str, dict[str, float]]:
    return {query: documents for query, documents in lists.items() if query != name}


scores = np.random.default_rng(2).normal(size=ROWS)
ENDS = slice(0, LENGTH)
FIRST_OF_LISTS = slice(0, ROWS, LENGTH)

LEARNT = [("a", "x", 1), ("a", "y", 3), ("b", "x", 1), ("b", "z", 3)]


def divided(judged: list[tuple[str, str, int]]) -> Report:
    return inspect({"train": interactions(LEARNT), "test": interactions(judged)})


def interactions(rows: list[tuple[str, str, int]]) -> Interactions:
    users, items, times = zip(*rows, strict=True)
    return Interactions.of(users, items, times=times)


# Code → a report that has it, how many it counts, and a report of data that come near without having it.
TRIGGERS: dict[str, tuple[Callable[[], Report], int, Callable[[], Report]]] = {
    "RW001": (lambda: inspect(replace(fine(), skipped_lines=2)), 2, lambda: inspect(fine())),
    "RW101": (
        lambda: inspect(with_labels(lambda labels: put(labels, ENDS, 0))),
        1,
        lambda: inspect(with_labels(lambda labels: put(put(labels, ENDS, 0), 3, 1))),
    ),
    "RW102": (lambda: inspect(fine(), k=13), LISTS, lambda: inspect(fine(), k=12)),
    "RW103": (
        lambda: inspect(with_labels(lambda labels: put(labels, ENDS, 1))),
        1,
        lambda: inspect(with_labels(lambda labels: put(labels, ENDS, 0))),
    ),
    "RW104": (
        lambda: inspect(fine(qid=np.tile(np.arange(LISTS), LENGTH))),
        LISTS,
        lambda: inspect(fine(qid=np.repeat(np.arange(LISTS)[::-1], LENGTH))),
    ),
    "RW105": (
        lambda: inspect({"train": fine(), "test": fine().take([4, 2])}),
        2,
        lambda: inspect({"train": fine().take([0, 1]), "test": fine().take([4, 2])}),
    ),
    "RW106": (lambda: judged(JUDGED, without(RUN, "q1")), 1, lambda: judged(JUDGED, RUN)),
    "RW107": (lambda: judged(JUDGED, {**RUN, "x": {"d": 1.0}}), 1, lambda: judged(JUDGED, RUN)),
    "RW201": (
        lambda: inspect(with_labels(lambda labels: put(labels, labels == 2, 5))),
        1,
        lambda: inspect(with_labels(lambda labels: labels + 1)),
    ),
    "RW202": (
        lambda: inspect(with_labels(lambda labels: put(labels, [0, 1], -2))),
        2,
        lambda: inspect(with_labels(lambda labels: put(labels, [0, 1], -0.0))),
    ),
    "RW203": (
        lambda: inspect(with_labels(lambda labels: put(labels, [0, 1, 2], 0.5))),
        3,
        lambda: inspect(with_labels(lambda labels: labels.astype(np.float32))),
    ),
    "RW204": (
        lambda: inspect(with_labels(lambda labels: labels * 0)),
        LISTS,
        lambda: inspect(with_labels(lambda labels: put(labels * 0, 5, 1))),
    ),
    "RW205": (
        lambda: inspect(with_labels(lambda labels: put(labels, 3, np.nan))),
        1,
        lambda: inspect(with_labels(lambda labels: put(labels, 3, 0))),
    ),
    "RW206": (
        lambda: inspect(with_labels(lambda labels: put(labels, 7, 3))),
        1,
        lambda: inspect(with_labels(lambda labels: put(labels, 7, 2))),
    ),
    "RW207": (
        lambda: inspect(with_labels(lambda labels: labels * np.nan)),
        ROWS,
        lambda: inspect(with_labels(lambda labels: put(labels * np.nan, 0, 1))),
    ),
    "RW301": (lambda: inspect(with_column(lambda labels: labels * 0 + 7)), 1, lambda: inspect(fine())),
    "RW302": (
        lambda: inspect(with_features(lambda table, _: np.column_stack([table, table[:, 1]]))),
        1,
        lambda: inspect(with_features(lambda table, _: np.column_stack([table, put(table[:, 1].copy(), 9, 0)]))),
    ),
    "RW303": (
        lambda: inspect(with_column(lambda labels: np.where(labels == 2, -9.0, scores))),
        1,
        lambda: inspect(with_column(lambda labels: labels + scores)),
    ),
    "RW304": (
        lambda: inspect(with_features(lambda table, _: put(table, (slice(4), 0), np.nan))),
        4,
        lambda: inspect(fine()),
    ),
    "RW305": (
        lambda: inspect(with_column(lambda _: np.repeat(np.arange(LISTS), LENGTH))),
        1,
        lambda: inspect(with_column(lambda _: put(np.repeat(np.arange(LISTS), LENGTH), 0, 99))),
    ),
    "RW306": (
        lambda: inspect(replace(fine(), features=put(fine().features.copy(), (7, 1), np.inf))),
        1,
        lambda: inspect(replace(fine(), features=put(fine().features.copy(), (7, 1), 3e38))),
    ),
    "RW307": (
        lambda: inspect(with_column(lambda _: np.arange(ROWS) % 3)),
        1,
        lambda: inspect(with_column(lambda _: np.arange(ROWS) % 11)),
    ),
    "RW401": (
        lambda: inspect(
            fine(
                features=put(fine().features.copy(), 4, fine().features[3]),
                labels=put(fine().labels.copy(), 4, fine().labels[3]),
            )
        ),
        1,
        lambda: inspect(with_features(lambda table, _: put(table, LENGTH, table[0]))),
    ),
    "RW402": (
        lambda: inspect(
            fine(
                features=put(fine().features.copy(), 4, fine().features[3]),
                labels=put(fine().labels.copy(), 4, fine().labels[3]),
                documents=range(ROWS),
            )
        ),
        1,
        lambda: inspect(documents(str)),
    ),
    "RW403": (
        lambda: inspect(documents(lambda row: "d" if row in (2, 5) else str(row))),
        1,
        lambda: inspect(documents(lambda row: str(row % LENGTH) if row != 3 else "")),
    ),
    "RW404": (
        lambda: inspect(with_labels(lambda labels: np.sort(labels.reshape(LISTS, LENGTH))[:, ::-1].ravel())),
        LISTS,
        lambda: inspect(fine()),
    ),
    "RW405": (
        lambda: inspect(
            fine(
                features=put(fine().features.copy(), 4, fine().features[3]),
                labels=put(put(fine().labels.copy(), 3, 0), 4, 1),
            )
        ),
        1,
        lambda: inspect(fine()),
    ),
    "RW501": (lambda: inspect(fine(), put(scores.copy(), 1, scores[0])), 2, lambda: inspect(fine(), scores)),
    "RW502": (
        lambda: inspect(fine(), put(put(scores.copy(), 1, np.nan), 2, np.inf)),
        2,
        lambda: inspect(fine(), put(scores.copy(), 1, 1e300)),
    ),
    "RW503": (lambda: inspect(fine(), put(scores.copy(), ENDS, 1)), 1, lambda: inspect(fine(), scores)),
    "RW601": (lambda: divided([("b", "y", 9), ("a", "y", 9)]), 1, lambda: divided([("b", "y", 9), ("a", "z", 9)])),
    "RW602": (lambda: divided([("a", "z", 2), ("b", "y", 3)]), 1, lambda: divided([("a", "z", 3), ("b", "y", 3)])),
    "RW603": (lambda: divided([("b", "y", 1)]), 2, lambda: divided([("b", "y", 3)])),
    "RW604": (lambda: divided([("c", "x", 9), ("c", "y", 9)]), 1, lambda: divided([("b", "y", 9)])),
    "RW605": (lambda: divided([("a", "w", 9), ("b", "w", 9)]), 1, lambda: divided([("b", "y", 9)])),
}


def test_every_code_has_its_data() -> None:
    assert set(TRIGGERS) == set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_a_code_is_found_where_it_is_and_counted(code: str) -> None:
    report = TRIGGERS[code][0]()
    assert code in report.codes
    finding = report[code][0]
    assert finding.count == TRIGGERS[code][1]
    assert finding.severity == CODES[code][0]
    assert f"{finding.severity} {code}" in str(report)


@pytest.mark.parametrize("code", CODES)
def test_a_code_is_not_found_where_it_is_not(code: str) -> None:
    assert code not in TRIGGERS[code][2]().codes


def test_the_page_lists_every_code_with_its_severity() -> None:
    page = (Path(__file__).parents[2] / "docs" / "inspect.md").read_text("utf-8")
    assert dict(re.findall(r"^\| (RW\d{3}) \| (\w+) \|", page, re.M)) == {c: sev for c, (sev, _) in CODES.items()}


def test_nothing_is_found_in_lists_that_are_fine() -> None:
    assert inspect(fine(), scores).codes == set()
    assert inspect(fine()).passes(strict=True)


# What a finding says it does to a number is what the number does.


def test_the_mean_with_empty_lists_is_what_each_choice_makes_of_it() -> None:
    data = with_labels(lambda labels: put(labels, ENDS, 0))
    said = inspect(data, scores)["RW101"][0].effects[1]
    means = [evaluate(data, scores, nDCG(10, empty=empty)).outcomes[0].mean for empty in (0, 1, "skip")]
    assert [f"{mean:.4f}" for mean in means] == re.findall(r"0\.\d{4}", said)


def test_the_best_mean_with_short_lists_is_that_of_a_perfect_order() -> None:
    data = Dataset.of(labels=fine().labels[: LENGTH + 3], group=[LENGTH, 3])
    said = " ".join(inspect(data)["RW102"][0].effects)
    perfect = evaluate(data, data.labels, ["letor4:NDCG@10", "letor3:P@10"])
    assert f"letor4:NDCG@10 {perfect['letor4:NDCG@10'].mean:.4f}" in said
    assert f"letor3:P@10 {perfect['letor3:P@10'].mean:.4f}" in said


def test_the_bounds_of_tied_scores_are_those_of_evaluate() -> None:
    tied = np.round(scores)
    low, high = evaluate(fine(), tied, "nDCG@10", bounds=True).outcomes[0].bounds
    assert f"between {low:.4f} and {high:.4f}" in inspect(fine(), tied)["RW501"][0].effects[0]


def test_one_missing_grade_is_a_gap() -> None:
    assert "RW201" in inspect(with_labels(lambda labels: put(labels, labels == 2, 3))).codes


def test_a_good_feature_is_no_leak() -> None:
    data = with_column(lambda labels: labels + 0.4 * scores)
    shares = [share for _, share, _ in pair_shares(Subject(data=data), data.features[:, 3])]
    assert 0.95 < max(shares) < 0.99
    assert "RW303" not in inspect(data).codes


def test_a_value_that_only_the_best_have_tells_the_labels() -> None:
    found = inspect(with_column(lambda labels: np.where(labels == 2, -5, np.nan)))["RW303"][0]
    assert found.examples == (f"feature 4: AUC 1.0000 of labels from 2 in {LISTS} lists",)


def test_a_value_that_is_missing_in_places_is_not_constant() -> None:
    some = inspect(with_column(lambda labels: np.where(labels * 0 + np.arange(ROWS) % 5 == 0, np.nan, 1)))
    assert not {"RW301", "RW305"} & some.codes
    assert "RW301" in inspect(with_column(lambda labels: labels * np.nan)).codes
    per_list = np.where(np.repeat(np.arange(LISTS), LENGTH) % 2, np.nan, 1)
    assert "RW305" in inspect(with_column(lambda _: per_list)).codes


def test_scores_are_those_of_the_callers_rows() -> None:
    data = fine(qid=np.tile(np.arange(LISTS), LENGTH))
    given = put(scores.copy(), slice(3, ROWS, LISTS), 1)
    assert inspect(data, given)["RW503"][0].examples == ("3",)


def test_one_document_ties_with_none() -> None:
    report = inspect(Dataset.of(labels=[0, 1, 1, 0], group=[2, 1, 1]), [1.0, 1.0, 2.0, 2.0], k=1)
    assert report["RW503"][0].examples == ("1",)


def test_a_label_of_5_weighs_31_clicks_under_exp2_and_5_under_linear() -> None:
    data = with_labels(lambda labels: put(labels, labels == 2, 5))
    said = inspect(data)["RW201"][0]
    weights = dict(part.split(" in ") for part in said.effects[0].partition(": ")[2].split("; "))
    assert "standard" in weights["31"]
    assert "letor4" in weights["0"]
    assert "gain='linear'" in said.hint


def test_a_label_without_gain_is_said_of_the_tools_that_give_none() -> None:
    said = inspect(with_labels(lambda labels: put(labels, 7, 3)))["RW206"][0].effects
    assert said[0] == "label 3: no gain in letor3, letor4"
    hint = inspect(with_labels(lambda labels: put(labels, 7, 3)))["RW206"][0].hint
    assert hint == "leave those tools out, or merge the highest grades for them."
    several = inspect(with_labels(lambda labels: put(put(labels, 7, 5), 8, 3)))["RW206"][0]
    assert several.words == "some tools give no gain to labels 3, 5, those of 2 of 240 documents"
    assert several.hint == "leave those tools out, or number the grades from 0 without gaps for them."
    values = evaluate([3, 0, 1], [1.0, 2.0, 3.0], ["letor4:nDCG(short='as is')@3", "nDCG@3"], group=[3])
    assert values[0].mean == 1 > values[1].mean


def test_what_was_said_of_one_file_is_not_said_again_of_the_next() -> None:
    text = str(inspect({"a": fine(), "b": fine().take(range(1, 5))}, k=13))
    assert text.count("Hint: a cut-off of 12 leaves no list short") == 1
    assert text.count("RW102") == 2


def test_what_was_found_in_several_files_is_added_up() -> None:
    report = inspect({"a": fine(), "b": fine().take(range(1, 5))}, k=13)
    lists = LISTS + 4
    assert report.together == {"RW102": (lists, lists)}
    assert f"in all 2 sources: {lists} of {lists} lists" in str(report)
    assert f"RW102 in all 2 sources: {lists} of {lists} lists" in report.to_markdown()
    assert report.as_dict()["together"] == {"RW102": {"count": lists, "of": lists}}
    assert inspect(fine(), k=13).together == {}


def test_one_score_for_all_scores_what_the_order_of_rows_makes_of_it() -> None:
    data = with_labels(lambda labels: np.sort(labels.reshape(LISTS, LENGTH))[:, ::-1].ravel())
    said = inspect(data)["RW404"][0].effects[0]
    values = [evaluate(data, np.zeros(ROWS), measure).outcomes[0].mean for measure in ("nDCG@10", "lightgbm:ndcg@10")]
    assert all(f"{value:.4f}" in said for value in values)


def test_what_tools_do_with_missing_queries_is_read_from_their_conventions() -> None:
    said = judged(JUDGED, without(RUN, "q1"))["RW106"][0].effects[0]
    assert "score 0 in standard" in said
    assert "refused in trec_eval_10_0" in said


def test_ids_and_rows_of_examples_are_the_callers() -> None:
    data = fine(qid=np.tile(np.arange(LISTS), LENGTH), documents=["twice" if r in (3, 23) else r for r in range(ROWS)])
    assert inspect(data)["RW403"][0].examples == ("3 twice",)
    unnamed = fine(qid=np.tile(np.arange(LISTS), LENGTH), labels=put(fine().labels.copy(), 23, -1))
    assert inspect(unnamed)["RW202"][0].examples == ("3 row 23",)


@pytest.mark.parametrize("seed", range(5))
def test_tied_documents_are_those_with_an_equal_neighbour(seed: int) -> None:
    rng = np.random.default_rng(seed)
    column = rng.choice([0.0, -0.0, 1.5, 2.0, np.nan], 60).astype(np.float32)
    data = Dataset.of(column.reshape(-1, 1), rng.integers(0, 2, 60), qid=np.sort(rng.integers(0, 12, 60)))
    subject = Subject(data=data)
    texts = [str(value + 0.0) for value in data.features[:, 0].tolist()]
    pairs = list(zip(subject.lists.tolist(), texts, strict=True))
    assert tied_documents(subject, data.features[:, 0]) == sum(pairs.count(pair) > 1 for pair in pairs)
    finite = np.nan_to_num(column)
    named = list(zip(subject.lists.tolist(), np.abs(finite).tolist(), strict=True))
    found = inspect(data, finite)["RW501"]
    assert [one.count for one in found] == [sum(named.count(pair) > 1 for pair in named)]


def test_the_order_of_rows_and_lists_changes_no_count() -> None:
    data = with_column(lambda labels: np.where(labels == 2, -9.0, scores))
    shuffled = np.random.default_rng(3).permutation(ROWS)
    other = Dataset.of(data.features[shuffled], data.labels[shuffled], qid=np.repeat(range(LISTS), LENGTH)[shuffled])
    counts = [{f.code: f.count for f in inspect(one) if f.code != "RW104"} for one in (data, other)]
    assert counts[0] == counts[1]
    assert "RW303" in counts[0]


def test_means_are_weighted_as_evaluate_weighs_them() -> None:
    data = replace(with_labels(lambda labels: put(labels, ENDS, 0)), weights=np.arange(1.0, LISTS + 1))
    means = [evaluate(data, scores, nDCG(10, empty=empty)).outcomes[0].mean for empty in (0, 1, "skip")]
    said = inspect(data, scores)["RW101"][0].effects[1]
    assert [f"{mean:.4f}" for mean in means] == re.findall(r"0\.\d{4}", said)


def test_weights_of_documents_are_not_passed_over() -> None:
    data = replace(with_labels(lambda labels: put(labels, ENDS, 0)), document_weights=np.ones(ROWS))
    assert "of these scores" not in str(inspect(data, scores))


def test_lists_that_were_counted_have_no_ids_to_compare() -> None:
    one, other = (Dataset.of(labels=[0, 1, 1, 0], group=[2, 2]) for _ in range(2))
    assert inspect({"train": one, "test": other}, k=2).passes()


# Doors.


def test_a_path_a_frame_and_a_dataset_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "all.txt"
    rankwise.write_letor(fine(), path)
    table = {"qid": np.repeat(range(LISTS), LENGTH), "label": fine().labels}
    table |= {f"f{at}": column for at, column in enumerate(fine().features.T)}
    reports = [inspect(one, k=13) for one in (path, table, fine())]
    assert len({tuple((f.code, f.count) for f in report) for report in reports}) == 1


def test_events_become_labels() -> None:
    table = {"qid": [1] * 4, "book": [0, 0, 0, 1], "click": [1, 0, 0, 1], "x": [1, 2, 3, 4]}
    assert "RW201" in inspect(table, labels={"book": 5, "click": 1}).codes


def test_several_files_are_looked_at_together(tmp_path: Path) -> None:
    for name, lists in {"a.txt": [0, 1], "b.txt": [1, 2]}.items():
        rankwise.write_letor(fine().take(lists), tmp_path / name)
    report = inspect([tmp_path / "a.txt", tmp_path / "b.txt"])
    assert report["RW105"][0].examples == ("1",)
    assert not report.passes()


def test_judgments_alone_have_no_short_lists() -> None:
    assert "RW102" not in inspect(Qrels.of({"q": {"a": 1}})).codes
    assert "RW102" in judged({"q": {"a": 1}}, {"q": {"a": 1.0}}).codes


def test_a_judged_run_counts_relevant_documents_that_it_did_not_retrieve() -> None:
    run = judge(Qrels.of({"q": {"a": 1, "b": 0}, "r": {"a": 0}}), Run.of({"q": {"b": 1.0}, "r": {"a": 1.0}}))
    assert inspect(run)["RW101"][0].examples == ("r",)


def test_a_report_is_text_html_markdown_and_plain_values() -> None:
    report = inspect(fine(), k=13)
    assert report._repr_html_().startswith("<table>")
    assert "| warning | RW102 |" in report.to_markdown()
    plain = report.as_dict()
    assert plain["counts"] == {"error": 0, "warning": 1, "note": 0}
    assert plain["findings"][0]["count"] == LISTS
    assert str(report).endswith("0 errors, 1 warning, 0 notes")


# Real data.


def test_mq2008_has_220_empty_and_403_short_lists(real_data: Path) -> None:
    if not (real_data / "mq2008").is_dir():
        pytest.skip(f"no folder mq2008 in {real_data}")
    data = Dataset.join([read_letor(real_data / "mq2008" / f"S{part}.txt.gz", n_features=46) for part in range(1, 6)])
    report = inspect(data)
    assert report["RW101"][0].words == "220 of 784 lists have no relevant document"
    assert report["RW102"][0].words == "403 of 784 lists have fewer than 10 documents"
    assert "letor4:NDCG@10 0.3737" in " ".join(report["RW102"][0].effects)
    assert report.passes()
    parts = inspect([real_data / "mq2008" / f"S{part}.txt.gz" for part in range(1, 6)])
    assert parts.together["RW101"] == (220, 784)
    assert parts.together["RW102"] == (403, 784)
    assert "in all 5 sources: 403 of 784 lists" in str(parts)


def test_the_clicks_of_expedia_are_told_by_what_was_paid(real_data: Path) -> None:
    path = real_data / "expedia" / "training_sample.csv.gz"
    if not path.is_file():
        pytest.skip(f"no {path}")
    events = {"booking_bool": 5, "click_bool": 1}
    with pytest.raises(rankwise.DataError, match="line 5060: 35 fields where the first line has 54"):
        inspect(path, query="srch_id", labels=events)
    report = inspect(path, query="srch_id", labels=events, skip_bad_lines=True)
    assert report["RW001"][0].count == 1
    assert report["RW303"][0].examples[0].startswith("gross_bookings_usd: AUC 1.0000 of labels from 5")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: inspect(fine(), k=0), "k must be a whole number from 1, not 0"),
        (lambda: inspect(fine(), k=True), "k must be a whole number from 1, not True"),
        (lambda: inspect(fine(), scores[:-1]), "scores: 239 for 240 documents"),
        (lambda: inspect(fine(), scores.reshape(-1, 2)), r"scores: an array of shape \(120, 2\) for 240 documents"),
        (lambda: inspect(fine(), ["a"] * ROWS), "scores: numbers are needed, not <U1"),
        (lambda: inspect(fine(), "bm25"), "the dataset has no column of numbers 'bm25'"),
        (lambda: inspect(fine(), query="q"), "a dataset is read already, and query given"),
        (lambda: inspect({"a": fine()}, scores), "scores and a name are those of one source"),
        (lambda: inspect(["a.txt", "a.txt"]), "a.txt is given twice"),
        (lambda: inspect(Run.of(RUN)), r"a run alone has no labels"),
        (lambda: inspect(np.zeros((2, 2))), "nothing says what the columns of an object of type ndarray are"),
        (lambda: inspect(Qrels.of(JUDGED), RUN), "judgments need a run, not an object of type dict"),
        (lambda: inspect(Qrels.of(JUDGED), query="q"), "query: options are those of reading a file or a table"),
        (lambda: inspect(judge(Qrels.of(JUDGED), Run.of(RUN)), scores), "a judged run holds its scores already"),
        (lambda: inspect({"qid": [1], "label": [1]}, qid="q"), "there is no option 'qid' for this kind of source"),
    ],
)
def test_what_cannot_be_inspected_is_refused(call: Callable[[], object], said: str) -> None:
    with pytest.raises(rankwise.RankwiseError, match=said):
        call()


def test_each_way_of_dividing_leaks_what_it_must_and_no_more() -> None:
    rng = np.random.default_rng(5)
    user, item = np.divmod(rng.choice(30 * 40, 400, replace=False), 40)
    data = Interactions.of(user, item, times=rng.permutation(400))
    assert inspect(splits.leave_one_out(data)).codes <= {"RW603", "RW605"}
    assert "RW602" not in inspect(splits.by_ratio(data, by="time")).codes
    assert {"RW602", "RW603"} <= inspect(splits.by_ratio(data, by="random")).codes
    assert not inspect(splits.by_time(data)).codes & {"RW601", "RW602", "RW603"}
    parts = splits.by_user(data, by="time")
    assert "RW604" not in inspect(parts).codes
    assert inspect({"train": parts.train, "test": parts.test})["RW604"][0].count == 6


def test_leaks_between_parts_are_those_of_sets() -> None:
    rng = np.random.default_rng(6)
    rows = [[(f"u{rng.integers(9)}", f"i{rng.integers(9)}", int(rng.integers(50))) for _ in range(25)] for _ in "abc"]
    train, vali, test = (list({row[:2]: row for row in part}.values()) for part in rows)
    report = inspect({"train": interactions(train), "vali": interactions(vali), "test": interactions(test)})
    pairs = [{row[:2] for row in part} for part in (train, vali, test)]
    wanted = [len(pairs[1] & pairs[0]), len(pairs[2] & pairs[0]), len(pairs[2] & pairs[1])]
    assert [one.count for one in report["RW601"]] == wanted
    assert [one.place for one in report["RW601"]] == ["vali", "test", "test"]
    for name, part in (("vali", vali), ("test", test)):
        codes = {one.code: one for one in report if one.place == name and one.code != "RW601"}
        assert codes["RW602"].count == sum(any(u == v and t < s for v, _, s in train) for u, _, t in part)
        assert codes["RW603"].count == sum(s > min(t for *_, t in part) for *_, s in train)


def test_parts_without_times_are_looked_at_for_the_rest() -> None:
    train, test = Interactions.of(["a"], ["x"]), Interactions.of(["a"], ["x"])
    report = inspect({"train": train, "test": test})
    assert report.codes == {"RW601"} and report["RW601"][0].examples == ("a x",)
    assert "error RW601: test: 1 of 1 interaction is in train too (a x)" in str(report)
    assert "Interactions(1 user" in report.as_dict()["sources"]["train"]


def test_what_is_no_division_is_refused() -> None:
    train = interactions(LEARNT)
    with pytest.raises(DataError, match=r"interactions alone are no division\nHint: .*those that are judged"):
        inspect(train)
    for parts in ({"train": train}, {"train": train, "test": fine()}):
        with pytest.raises(DataError, match="a division is two parts or more, each of them interactions"):
            inspect(parts)
    with pytest.raises(DataError, match="test: there are no interactions"):
        inspect({"train": train, "test": train.where(np.zeros(len(train), np.bool_))})
    with pytest.raises(DataError, match="a division of interactions has no scores, no name and no options"):
        inspect({"train": train, "test": train}, scores=[1])
