"""Hotel searches end to end: a log in CSV, lists with grades, the order of the site and that by lot."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from rankwise import DataError, Dataset, collections, evaluate, hotel_log, hotel_searches, read_table
from rankwise.cli import main
from rankwise.data.collections.expedia import FEATURES

from .collections import collection

LABELS = {"booking_bool": 5, "click_bool": 1}
KEEP = ["random_bool", "date_time", "site_id"]


def read_log(path: Path) -> Dataset:
    return read_table(path, query="srch_id", document="prop_id", labels=LABELS, position="position", keep=KEEP)


def is_by_lot(data: Dataset) -> np.ndarray:
    """Of each search, whether its order was by lot."""
    return np.asarray(data.columns["random_bool"])[data.offsets[:-1]] == 1


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hotels") / "log.csv"
    hotel_log(path, 3_000, seed=2, shuffled=0.4)
    return path


def test_a_simulated_log_comes_back_as_its_lists(tmp_path: Path) -> None:
    hotel_log(tmp_path / "log.csv", 150, seed=2, shuffled=0)
    read, made = read_log(tmp_path / "log.csv"), hotel_searches(150, seed=2)
    assert [f"s{query}" for query in read.queries] == list(made.queries)
    assert [f"h{name}" for name in read.documents or ()] == list(made.documents or ())
    np.testing.assert_array_equal(read.labels, made.labels)
    np.testing.assert_array_equal(read.positions, made.positions)
    # Neither clicks nor bookings are features.
    np.testing.assert_array_equal(read.features, made.features)


def value_of_a_list(labels: list[float], k: int) -> float:
    """nDCG with the label as gain, written out; a list without a click scores 0."""

    def gained(ranked: list[float]) -> float:
        return sum(label / np.log2(rank + 1) for rank, label in enumerate(ranked[:k], 1))

    best = gained(sorted(labels, reverse=True))
    return gained(labels) / best if best else 0.0


def test_the_logged_orders_are_worth_what_the_definition_says(log: Path) -> None:
    with log.open(newline="") as file:
        rows = list(csv.DictReader(file))
    shown: dict[str, list[tuple[int, float]]] = {}
    lots = {}
    for row in rows:
        label = 5.0 if row["booking_bool"] == "1" else float(row["click_bool"])
        shown.setdefault(row["srch_id"], []).append((int(row["position"]), label))
        lots[row["srch_id"]] = row["random_bool"] == "1"
    data = read_log(log)
    for by_lot in (True, False):
        part = data.take(np.flatnonzero(is_by_lot(data) == by_lot))
        assert part.positions is not None
        wanted = [value_of_a_list([label for _, label in sorted(shown[q])], 5) for q in shown if lots[q] == by_lot]
        result = evaluate(part, -part.positions, "hotels:nDCG@5")
        assert len(part) == len(wanted)
        np.testing.assert_allclose(result[0].values, wanted, rtol=0, atol=1e-12)


def test_the_site_ranks_better_than_lots(log: Path) -> None:
    data = read_log(log)
    value = {}
    for by_lot in (True, False):
        part = data.take(np.flatnonzero(is_by_lot(data) == by_lot))
        assert part.positions is not None
        value[by_lot] = evaluate(part, -part.positions, "hotels:nDCG@5")[0].mean
    assert value[False] > value[True] + 0.02


def test_the_command_line_gives_the_same_numbers(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--query", "srch_id", "--document", "prop_id", "--label", "booking_bool=5,click_bool=1"]
    words += ["--score", "position", "--ascending", "--by", "random_bool", "-m", "hotels:nDCG@5"]
    assert main(["evaluate", "--table", str(log), *words]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("hotels:nDCG@5 ")]
    data = read_log(log)
    for by_lot, row in zip((False, True), rows[1:], strict=True):
        part = data.take(np.flatnonzero(is_by_lot(data) == by_lot))
        assert part.positions is not None
        value = evaluate(part, -part.positions, "hotels:nDCG@5")[0].mean
        assert row[1:4] == [f"{by_lot:d}", f"{len(part):,}", f"{value:.4f}"]


def test_the_published_columns_read_as_the_collection(tmp_path: Path) -> None:
    head = ["srch_id", "date_time", "site_id", "prop_id", "position", "random_bool", *FEATURES, "click_bool"]
    head += ["gross_bookings_usd", "booking_bool"]
    rows = [
        [1, "2013-04-04 08:32:15", 12, 893, 2, 1, *(["NULL"] * 45), 1, 114.2, 1],
        [1, "2013-04-04 08:32:15", 12, 10404, 1, 1, *([1.5] * 45), 1, "NULL", 0],
        [4, "2012-12-31 08:59:22", 5, 893, 1, 0, *([2] * 45), 0, "NULL", 0],
    ]
    text = "\n".join(",".join(map(str, row)) for row in [head, *rows]) + "\n"
    (tmp_path / "train.csv").write_text(text)
    test = [[word for word, name in zip(row, head, strict=True) if name not in UNKNOWN] for row in [head, *rows]]
    (tmp_path / "test.csv").write_text("\n".join(",".join(map(str, row)) for row in test) + "\n")
    expedia = collections.expedia(tmp_path)
    train, unlabelled = expedia.read("train"), expedia.read("test")
    assert train.labels.tolist() == [5, 1, 0]
    assert (list(train.queries), train.offsets.tolist()) == (["1", "4"], [0, 2, 3])
    assert train.positions is not None and train.positions.tolist() == [2, 1, 1]
    assert train.feature_names == unlabelled.feature_names == FEATURES
    assert np.isnan(train.features[0]).all() and (train.features[2] == 2).all()
    assert np.asarray(train.columns["random_bool"]).tolist() == [1, 1, 0]
    assert np.asarray(train.columns["date_time"])[2] == np.datetime64("2012-12-31T08:59:22")
    assert np.isnan(unlabelled.labels).all()
    assert expedia.check()[0].startswith("train.csv: rows 3, not 9,917,530; lists 2, not 399,344")


UNKNOWN = ("position", "click_bool", "gross_bookings_usd", "booking_bool")


# The real sample, where this machine has it; its last line is cut off.


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    (tmp_path / "train.csv.gz").write_bytes((collection("expedia") / "training_sample.csv.gz").read_bytes())
    return tmp_path


def test_a_line_that_is_cut_off_is_refused_with_what_to_do(sample: Path) -> None:
    with pytest.raises(DataError, match=r"train.csv.gz, line 5060: \d+ fields where the first line has 54\n.*skip_bad"):
        collections.expedia(sample).read("train")


def test_the_line_that_is_cut_off_is_left_out_and_counted(sample: Path) -> None:
    data = collections.expedia(sample, skip_bad_lines=True).read("train")
    assert data.skipped_lines == 1
    assert (len(data), len(data.labels)) == (209, 5_058)
    assert (data.labels == 5).sum() == 138
    assert (data.labels > 0).sum() == 227
    assert is_by_lot(data).sum() == 76


def test_the_order_of_the_site_and_that_by_lot_are_those_of_the_file(sample: Path) -> None:
    data = collections.expedia(sample, skip_bad_lines=True).read("train")
    lines = gzip.decompress((sample / "train.csv.gz").read_bytes()).decode().splitlines()[:-1]
    rows = [row for row in csv.DictReader(lines) if row["random_bool"] == "1"]
    shown: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        label = 5.0 if row["booking_bool"] == "1" else float(row["click_bool"])
        shown.setdefault(row["srch_id"], []).append((int(row["position"]), label))
    by_lot = data.take(np.flatnonzero(is_by_lot(data)))
    assert by_lot.positions is not None
    wanted = np.mean([value_of_a_list([label for _, label in sorted(rows)], 38) for rows in shown.values()])
    assert evaluate(by_lot, -by_lot.positions, "hotels:nDCG@38")[0].mean == pytest.approx(wanted, abs=1e-12)
