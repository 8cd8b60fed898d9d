"""Simulated hotel searches: reproducible, and as their model says."""

from __future__ import annotations

import csv
import time
from pathlib import Path

import numpy as np
import pytest

from rankwise import DataError, Dataset
from rankwise.data.simulate import BOOKED, CLICKED, FEATURES, PAGE, hotel_log, hotel_searches


@pytest.fixture(scope="module")
def data() -> Dataset:
    return hotel_searches(4_000, seed=3)


def per_list(data: Dataset, rows: np.ndarray) -> np.ndarray:
    """How many rows of each list are true."""
    return np.add.reduceat(rows.astype(np.int64), data.offsets[:-1])


# Reproducible.


def test_the_same_seed_gives_the_same_bits() -> None:
    one, two = hotel_searches(50, seed=9), hotel_searches(50, seed=9)
    for name in ("features", "labels", "offsets", "positions"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes(), name
    assert (one.queries, one.documents) == (two.queries, two.documents)


def test_another_seed_gives_other_searches() -> None:
    one, two = hotel_searches(50, seed=9), hotel_searches(50, seed=10)
    assert one.features.tobytes() != two.features.tobytes()


def test_the_global_random_state_plays_no_part() -> None:
    np.random.seed(1)
    one = hotel_searches(20)
    np.random.seed(2)
    assert one.features.tobytes() == hotel_searches(20).features.tobytes()


# Lists.


def test_it_is_a_dataset_of_that_many_searches(data: Dataset) -> None:
    assert len(data) == 4_000
    assert data.features.dtype == np.float32
    assert data.features.flags.c_contiguous
    assert data.feature_names == FEATURES
    assert data.rows is None
    assert len(data.documents) == len(data.positions) == len(data.labels) == len(data.features)
    assert len(set(data.queries)) == 4_000


def test_one_search_is_enough() -> None:
    assert len(hotel_searches(1)) == 1


def test_lists_are_of_varied_length_and_fit_on_a_page(data: Dataset) -> None:
    sizes = np.diff(data.offsets)
    assert sizes.min() >= 1
    assert sizes.max() == PAGE
    assert 0.01 < (sizes < 5).mean() < 0.2
    assert 0.1 < (sizes < 10).mean() < 0.5


def test_rows_stand_in_the_order_shown(data: Dataset) -> None:
    for start, end in zip(data.offsets[:200], data.offsets[1:201], strict=True):
        np.testing.assert_array_equal(data.positions[start:end], np.arange(1, end - start + 1))


def test_the_site_shows_first_what_a_usual_customer_likes(data: Dataset) -> None:
    reviews, first, last = data.feature("review_score"), data.positions == 1, data.positions >= 20
    assert reviews[first].mean() > reviews[last].mean() + 0.3


def test_a_search_shows_a_property_once(data: Dataset) -> None:
    names = list(data.documents)
    for start, end in zip(data.offsets[:200], data.offsets[1:201], strict=True):
        assert len(set(names[start:end])) == end - start


def test_a_property_keeps_its_stars_but_not_its_price(data: Dataset) -> None:
    names = np.array(list(data.documents))
    of_one = names == names[0]
    assert len(set(data.feature("stars")[of_one])) == 1
    assert len(set(data.feature("price")[of_one])) > 1


# Labels.


def test_labels_are_0_1_and_5(data: Dataset) -> None:
    assert set(data.labels.tolist()) == {0, CLICKED, BOOKED} == {0, 1, 5}


def test_a_search_has_at_most_one_booking(data: Dataset) -> None:
    assert per_list(data, data.labels == BOOKED).max() == 1


def test_many_searches_lead_nowhere_and_fewer_to_a_booking_than_to_a_click(data: Dataset) -> None:
    clicked, booked = per_list(data, data.labels > 0) > 0, per_list(data, data.labels == BOOKED) > 0
    assert 0.4 < clicked.mean() < 0.65
    assert 0.1 < booked.mean() < 0.3
    assert per_list(data, data.labels > 0).max() > 2


def test_clicks_fall_with_the_position(data: Dataset) -> None:
    rates = [(data.labels[data.positions == at] > 0).mean() for at in (1, 2, 4, 8, 16)]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 5 * rates[-1]


def test_bookings_follow_clicks_not_positions(data: Dataset) -> None:
    """Given a click, the position says nothing more to the customer, who favours better offers at any place."""
    clicked = data.labels > 0
    near, far = (clicked & at for at in (data.positions <= 3, data.positions > 8))
    shares = [(data.labels[rows] == BOOKED).mean() for rows in (near, far)]
    assert 0.5 < shares[0] / shares[1] < 2


# Features.


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("price", 10, 5_000), ("stars", 1, 5), ("review_score", 2, 10), ("reviews", 1, 1e6), ("location_score", 0, 10),
        ("distance_km", 0, 60), ("brand", 0, 1), ("promotion", 0, 1), ("destination_price", 10, 1_000),
        ("nights", 1, 14), ("guests", 1, 4),
    ],
)  # fmt: skip
def test_features_stay_in_their_ranges(data: Dataset, name: str, low: float, high: float) -> None:
    values = data.feature(name)
    assert low <= values.min() < values.max() <= high


@pytest.mark.parametrize("name", ["price", "stars", "reviews", "brand", "promotion", "nights", "guests"])
def test_what_is_counted_is_a_whole_number(data: Dataset, name: str) -> None:
    assert (data.feature(name) % 1 == 0).all()


def test_stars_cost_money_and_distance_costs_location(data: Dataset) -> None:
    relative = np.log(data.feature("price") / data.feature("destination_price"))
    assert np.corrcoef(relative, data.feature("stars"))[0, 1] > 0.3
    assert np.corrcoef(data.feature("distance_km"), data.feature("location_score"))[0, 1] < -0.3


def test_what_holds_for_a_search_holds_for_all_its_rows(data: Dataset) -> None:
    for name in ("destination_price", "nights", "guests"):
        values = data.feature(name)
        np.testing.assert_array_equal(values, np.repeat(values[data.offsets[:-1]], np.diff(data.offsets)))


# Speed and refusals.


def test_two_thousand_searches_take_well_under_a_second() -> None:
    start = time.perf_counter()
    hotel_searches(2_000)
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("searches", [0, -1, 2.5, "10", True])
def test_a_number_of_searches_that_is_none_is_refused(searches: object) -> None:
    with pytest.raises(DataError, match="the number of searches must be a whole number from 1"):
        hotel_searches(searches)


@pytest.mark.parametrize("seed", [-1, 0.5, None, True])
def test_a_seed_that_is_none_is_refused(seed: object) -> None:
    with pytest.raises(DataError, match="the seed must be a whole number from 0"):
        hotel_searches(5, seed=seed)


# Logs.


def logged(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_an_unshuffled_log_holds_the_searches(tmp_path: Path) -> None:
    hotel_log(tmp_path / "log.csv", 200, seed=4, shuffled=0)
    rows, data = logged(tmp_path / "log.csv"), hotel_searches(200, seed=4)
    search = np.repeat(list(data.queries), np.diff(data.offsets)).tolist()
    assert [f"s{row['srch_id']}" for row in rows] == search
    assert [f"h{row['prop_id']}" for row in rows] == list(data.documents)
    assert [int(row["position"]) for row in rows] == data.positions.tolist()
    labels = [5 if row["booking_bool"] == "1" else int(row["click_bool"]) for row in rows]
    assert labels == data.labels.tolist()
    assert [np.float32(row["price_usd"]) for row in rows] == data.feature("price").tolist()
    assert [np.float32(row["srch_adults_count"]) for row in rows] == data.feature("guests").tolist()


def test_a_booking_is_a_click_and_a_search_has_one_time_and_site(tmp_path: Path) -> None:
    hotel_log(tmp_path / "log.csv", 200, seed=4)
    rows = logged(tmp_path / "log.csv")
    assert all(row["click_bool"] == "1" for row in rows if row["booking_bool"] == "1")
    of_search = {(row["srch_id"], row["date_time"], row["site_id"], row["random_bool"]) for row in rows}
    assert len(of_search) == 200
    times = [time for _, time, _, _ in sorted(of_search, key=lambda one: int(one[0]))]
    assert times == sorted(times)


def test_shuffled_searches_show_the_good_as_late_as_the_bad(tmp_path: Path) -> None:
    """What the site thinks of the reviews shows in its order, and by lot it does not."""
    hotel_log(tmp_path / "log.csv", 4_000, seed=4, shuffled=0.5)
    rows = [row for row in logged(tmp_path / "log.csv") if int(row["position"]) <= 25]
    agreement = {}
    for random in "01":
        of = [row for row in rows if row["random_bool"] == random]
        ranks = np.array([[float(row["position"]), float(row["prop_review_score"])] for row in of])
        agreement[random] = np.corrcoef(ranks.T)[0, 1]
    assert agreement["0"] < -0.2
    assert abs(agreement["1"]) < 0.03


def test_the_same_seed_gives_the_same_log(tmp_path: Path) -> None:
    for name in ("one.csv", "two.csv"):
        hotel_log(tmp_path / name, 50, seed=9)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), True, "half"])
def test_a_share_that_is_none_is_refused(share: object, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the share of shuffled searches must lie between 0 and 1"):
        hotel_log(tmp_path / "log.csv", 10, shuffled=share)
