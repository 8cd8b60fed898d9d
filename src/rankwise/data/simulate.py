r"""Simulated hotel searches: lists to try a measure, a convention or a learner on, where nothing may be downloaded.

A destination has a price level and some properties; a property has a quality that shows, with noise, in its stars and
its reviews, and its price follows from what it offers. A search takes the properties of one destination that are free,
the site shows them in the order of its own idea of a usual customer, and this customer, who has tastes of their own,
looks at the first places more than at the last.

With :math:`s` a search, :math:`j` a property and :math:`i` the position at which it was shown:

.. math::
    \ln \frac{\mathrm{price}_{sj}}{\mathrm{usual}_s} &= 0.28\,(\mathrm{stars} - 3) + 0.08\,(\mathrm{review} - 8)
        + 0.06\,(\mathrm{location} - 6) + 0.08\,\mathrm{brand} + 0.2\,\varepsilon_j
        + \ln 0.85\,\mathrm{promotion}_{sj} \\
    u(\beta)_{sj} &= -\beta_1 \ln \frac{\mathrm{price}_{sj}}{\mathrm{usual}_s} + \beta_2\,(\mathrm{stars} - 3)
        + \beta_3\,(\mathrm{review} - 8) + \beta_4\,(\mathrm{location} - 6) \\
        &\quad + 0.1 \ln \frac{\mathrm{reviews}}{100} + 0.15\,\mathrm{brand} + 0.2\,\mathrm{promotion} \\
    \mathrm{shown}_{sj} &= u(\bar\beta)_{sj} + 0.6\,\varepsilon_{sj} \quad\text{(at most 25, the greatest first)} \\
    v_{sj} &= u(\beta_s)_{sj} + 0.5\,\varepsilon'_{sj} \\
    P(\mathrm{click}_{sj}) &= i^{-0.8} \cdot \sigma(v_{sj} + t_s - 2), \quad t_s \sim N(0, 1) \\
    P(\mathrm{booking}_{sj}) &= \frac{e^{v_{sj}}}{e^2 + \sum_{\mathrm{clicked}\ l} e^{v_{sl}}}
        \quad\text{for a clicked property}

where :math:`\mathrm{usual}_s` is the destination's level × season × a factor of the number of guests, and
:math:`\beta_s` are the customer's tastes around their usual values :math:`\bar\beta`.

Quality is standard normal; stars are 3 + 0.7 quality + 0.7 noise, rounded to 1 … 5, and review scores 8 + 0.6 quality
+ 0.6 noise, to one decimal. The constants are round numbers, written down before any rule ranked these searches and not
touched since. What came of them: half of the searches lead to no click, one in five or six to a booking, a star costs
a third more, three lists in ten are shorter than ten and one in sixteen shorter than five.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.data.formats.files import PathLike, writing
from rankwise.data.ids import Ids
from rankwise.errors import DataError, message

__all__ = ["BOOKED", "CLICKED", "FEATURES", "hotel_log", "hotel_searches"]

BOOKED, CLICKED = 5, 1
FEATURES = (
    "price", "stars", "review_score", "reviews", "location_score", "distance_km", "brand", "promotion",
    "destination_price", "nights", "guests",
)  # fmt: skip

# A log's columns: those of the search and of how it was shown, the features, what the customer did.
LOG_COLUMNS = (
    "srch_id", "date_time", "site_id", "prop_id", "position", "random_bool",
    "price_usd", "prop_starrating", "prop_review_score", "prop_reviews", "prop_location_score1", "prop_distance_km",
    "prop_brand_bool", "promotion_flag", "srch_destination_price", "srch_length_of_stay", "srch_adults_count",
    "click_bool", "booking_bool",
)  # fmt: skip

DESTINATIONS = 40
# What fits on one page of results.
PAGE = 25
# Usual taste for a low price, stars, reviews and location, and how much customers differ in it. The first is the
# spread of a logarithm, because nobody likes to pay more.
TASTE = (1.2, 0.3, 0.5, 0.25)
TASTE_SPREAD = (0.5, 0.2, 0.2, 0.1)
# Examination is often modelled as 1/i; those who choose a hotel are taken to look a little further down.
EXAMINATION_DECAY = 0.8
ATTRACTION_OF_AN_AVERAGE_PROPERTY = -2.0
UTILITY_OF_NOT_BOOKING = 2.0
# Rooms for one are cheaper than those for two, which set the level; 1 to 4 guests.
PRICE_OF_GUESTS = np.array([0.9, 1.0, 1.2, 1.4])
SHARE_OF_GUESTS = (0.25, 0.5, 0.12, 0.13)

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Properties:
    """One entry a property, those of a destination next to each other."""

    first: Whole
    """Of each destination, its first property; the last entry ends the last destination."""
    stars: Floats
    review_score: Floats
    reviews: Floats
    location_score: Floats
    distance: Floats
    brand: Floats
    dearness: Floats
    """Logarithm of the price over what is usual at the destination."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Searches:
    """One entry a search."""

    destination: Whole
    level: Floats
    season: Floats
    nights: Whole
    guests: Whole
    availability: Floats
    interest: Floats
    taste: Floats
    """Searches × the four tastes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offers:
    """One entry a property that a search found free."""

    search: Whole
    property: Whole
    promotion: Flags
    dearness: Floats


def hotel_searches(searches: int = 2_000, *, seed: int = 0) -> Dataset:
    """Simulated hotel searches with clicks and bookings, by the model that the module's text gives.

    Labels are 5 for the property that was booked, 1 for one that was clicked only, else 0. Rows of a list stand in
    the order in which the site showed them, as a log writes them, and `positions` counts it from 1; an order of ties
    that follows the input therefore follows the site. `documents` are property ids, `queries` search ids.
    The same seed gives the same searches.

    >>> data = hotel_searches(100, seed=1)
    >>> len(data), data.feature_names[:3], sorted(set(data.labels.tolist()))
    (100, ('price', 'stars', 'review_score'), [0, 1, 5])
    """
    return _simulate(searches, seed, 0.0)[0]


def hotel_log(path: PathLike, searches: int = 2_000, *, seed: int = 0, shuffled: float = 0.3) -> None:
    """Writes simulated searches as a site logs them: a CSV file, a line for each property that was shown.

    The model is that of `hotel_searches`, but a share of the searches, `shuffled`, showed its properties in an order by
    lot, which `random_bool` marks; without it the searches are those of `hotel_searches`. The columns are named as in
    the log that Expedia published (`srch_id`, `date_time`, `site_id`, `prop_id`, `position`, `random_bool`,
    `click_bool`, `booking_bool`, …). A booking is a click too. Packed if the name ends in `.gz`.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     hotel_log(Path(folder) / "log.csv", 100, seed=1)
    ...     print((Path(folder) / "log.csv").read_text().splitlines()[0][:58])
    srch_id,date_time,site_id,prop_id,position,random_bool,pri
    """
    if isinstance(shuffled, bool) or not isinstance(shuffled, (int, float)) or not 0 <= shuffled <= 1:
        raise DataError(message(f"the share of shuffled searches must lie between 0 and 1, not at {shuffled!r}"))
    data, by_lot = _simulate(searches, seed, float(shuffled))
    with writing(path) as file:
        file.write(f"{','.join(LOG_COLUMNS)}\n".encode())
        file.writelines(_log_lines(data, by_lot, np.random.default_rng([seed, 2])))


def _simulate(searches: int, seed: int, shuffled: float) -> tuple[Dataset, Flags]:
    """The searches, and which of them showed their properties in an order by lot."""
    if isinstance(searches, bool) or not isinstance(searches, (int, np.integer)) or searches < 1:
        raise DataError(message(f"the number of searches must be a whole number from 1, not {searches!r}"))
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise DataError(message(f"the seed must be a whole number from 0, not {seed!r}"))
    rng = np.random.default_rng(seed)
    properties = _draw_properties(rng)
    customers = _draw_searches(rng, int(searches), properties)
    # Lots of their own, so that a search that is not shuffled is what it would be without the others.
    lots = np.random.default_rng([seed, 1])
    by_lot = lots.random(searches) < shuffled
    offers = _show(rng, properties, customers, _draw_offers(rng, properties, customers), by_lot, lots)
    positions = _places(offers.search)
    labels = _draw_labels(rng, properties, customers, offers, positions)
    data = Dataset(
        features=_features(properties, customers, offers),
        feature_names=FEATURES,
        labels=labels,
        offsets=np.append(_starts(offers.search), len(labels)),
        queries=Ids.of(f"s{number}" for number in range(1, searches + 1)),
        documents=_names(rng, len(properties.stars))[offers.property],
        positions=positions,
    )
    return data, by_lot


def _log_lines(data: Dataset, by_lot: Flags, rng: np.random.Generator) -> Iterator[bytes]:
    """The rows of the log, search by search."""
    assert data.features is not None and data.documents is not None and data.positions is not None
    # Two months of searches in the order of their ids; a few large sites and many small ones.
    seconds = np.sort(rng.integers(0, 60 * 24 * 3600, len(data)))
    times = np.datetime_as_string(np.datetime64("2013-01-01T00:00:00") + seconds.astype("timedelta64[s]"))
    sites = rng.choice(20, len(data), p=1 / np.arange(1, 21) / (1 / np.arange(1, 21)).sum()) + 1
    search = np.repeat(np.arange(len(data)), np.diff(data.offsets))
    heads = [
        f"{number + 1},{time.replace('T', ' ')},{site}"
        for number, (time, site) in enumerate(zip(times.tolist(), sites.tolist(), strict=True))
    ]
    columns = (search, data.documents, data.positions, by_lot[search], data.features, data.labels)
    for at, name, position, random, values, label in zip(*(list(column) for column in columns), strict=True):
        shown = ",".join(f"{value:.6g}" for value in values.tolist())
        where = f"{heads[at]},{name.removeprefix('h')},{position},{random:d}"
        yield f"{where},{shown},{label >= CLICKED:d},{label == BOOKED:d}\n".encode()


def _draw_properties(rng: np.random.Generator) -> _Properties:
    # From a village with two properties to a city with 150.
    sizes = np.minimum(2 + rng.lognormal(np.log(18), 1.0, DESTINATIONS).astype(np.int64), 150)
    count = int(sizes.sum())
    quality = rng.standard_normal(count)
    stars = np.clip(np.round(3 + 0.7 * quality + 0.7 * rng.standard_normal(count)), 1, 5)
    review_score = np.clip(np.round(8 + 0.6 * quality + 0.6 * rng.standard_normal(count), 1), 2, 10)
    reviews = 1 + np.floor(rng.lognormal(np.log(100), 1.3, count))
    distance = np.round(rng.gamma(1.5, 2.0, count), 1)
    location_score = np.clip(np.round(9 - 1.8 * np.sqrt(distance) + 0.8 * rng.standard_normal(count), 1), 0, 10)
    # Chains own more of the better houses.
    brand = (rng.random(count) < _sigmoid(0.7 * (stars - 3) - 0.8)).astype(np.float64)
    dearness = 0.28 * (stars - 3) + 0.08 * (review_score - 8) + 0.06 * (location_score - 6) + 0.08 * brand
    return _Properties(
        first=np.concatenate(([0], np.cumsum(sizes))),
        stars=stars,
        review_score=review_score,
        reviews=reviews,
        location_score=location_score,
        distance=distance,
        brand=brand,
        dearness=dearness + 0.2 * rng.standard_normal(count),
    )


def _draw_searches(rng: np.random.Generator, count: int, properties: _Properties) -> _Searches:
    level = rng.lognormal(np.log(110), 0.35, DESTINATIONS)
    # Larger destinations are searched more often, though not in proportion.
    popularity = np.sqrt(np.diff(properties.first))
    destination = rng.choice(DESTINATIONS, count, p=popularity / popularity.sum())
    price_taste = np.log(TASTE[0]) + TASTE_SPREAD[0] * rng.standard_normal((count, 1))
    other_tastes = np.array(TASTE[1:]) + np.array(TASTE_SPREAD[1:]) * rng.standard_normal((count, 3))
    return _Searches(
        destination=destination,
        level=level[destination],
        season=rng.lognormal(0.0, 0.15, count),
        nights=np.minimum(1 + rng.poisson(1.6, count), 14),
        guests=rng.choice(4, count, p=SHARE_OF_GUESTS) + 1,
        availability=rng.beta(4, 2, count),
        interest=rng.standard_normal(count),
        taste=np.hstack([np.exp(price_taste), other_tastes]),
    )


def _draw_offers(rng: np.random.Generator, properties: _Properties, searches: _Searches) -> _Offers:
    """Of the properties of each search's destination, those that are free."""
    sizes = np.diff(properties.first)[searches.destination]
    starts = np.cumsum(sizes) - sizes
    search = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(search)) - starts[search]
    lot = rng.random(len(search))
    # One property is always free: a search that finds nothing leaves no list.
    free = (lot < searches.availability[search]) | (lot == np.minimum.reduceat(lot, starts)[search])
    search, place = search[free], place[free]
    found = properties.first[searches.destination[search]] + place
    promotion = rng.random(len(search)) < 0.18
    dearness = properties.dearness[found] + np.log(0.85) * promotion
    return _Offers(search=search, property=found, promotion=promotion, dearness=dearness)


def _show(
    rng: np.random.Generator,
    properties: _Properties,
    searches: _Searches,
    offers: _Offers,
    by_lot: Flags,
    lots: np.random.Generator,
) -> _Offers:
    """The offers as the site shows them: its best guess first, one page; in some searches by lot."""
    usual = np.broadcast_to(np.array(TASTE), (len(searches.level), len(TASTE)))
    guess = _utility(properties, offers, usual) + 0.6 * rng.standard_normal(len(offers.search))
    guess = np.where(by_lot[offers.search], lots.random(len(guess)), guess)
    order = np.lexsort((-guess, offers.search))
    shown = order[_places(offers.search) <= PAGE]
    return _Offers(
        search=offers.search[shown],
        property=offers.property[shown],
        promotion=offers.promotion[shown],
        dearness=offers.dearness[shown],
    )


def _utility(properties: _Properties, offers: _Offers, taste: Floats) -> Floats:
    """What each offer is worth to a customer with such tastes (searches × 4)."""
    of = offers.property
    likes = taste[offers.search]
    return (
        -likes[:, 0] * offers.dearness
        + likes[:, 1] * (properties.stars[of] - 3)
        + likes[:, 2] * (properties.review_score[of] - 8)
        + likes[:, 3] * (properties.location_score[of] - 6)
        + 0.1 * np.log(properties.reviews[of] / 100)
        + 0.15 * properties.brand[of]
        + 0.2 * offers.promotion
    )


def _draw_labels(
    rng: np.random.Generator, properties: _Properties, searches: _Searches, offers: _Offers, positions: Whole
) -> npt.NDArray[np.int32]:
    utility = _utility(properties, offers, searches.taste) + 0.5 * rng.standard_normal(len(positions))
    attraction = _sigmoid(utility + searches.interest[offers.search] + ATTRACTION_OF_AN_AVERAGE_PROPERTY)
    examination = positions.astype(np.float64) ** -EXAMINATION_DECAY
    clicked = rng.random(len(positions)) < examination * attraction
    booked = _draw_bookings(rng, utility, clicked, offers.search)
    return np.where(booked, BOOKED, np.where(clicked, CLICKED, 0)).astype(np.int32)


def _draw_bookings(rng: np.random.Generator, utility: Floats, clicked: Flags, search: Whole) -> Flags:
    """At most one booking a search, among its clicks."""
    starts = _starts(search)
    # The largest of utilities with Gumbel noise is a draw from their softmax.
    appeal = np.where(clicked, utility + rng.gumbel(size=len(utility)), -np.inf)
    staying_away = UTILITY_OF_NOT_BOOKING + rng.gumbel(size=len(starts))
    bar = np.maximum(np.maximum.reduceat(appeal, starts), staying_away)
    return appeal >= bar[search]


def _features(properties: _Properties, searches: _Searches, offers: _Offers) -> npt.NDArray[np.float32]:
    """The columns of `FEATURES`."""
    of, by = offers.property, offers.search
    usual = searches.level * searches.season * PRICE_OF_GUESTS[searches.guests - 1]
    # Whole units of money, as sites show them; nothing is free.
    price = np.maximum(np.round(usual[by] * np.exp(offers.dearness)), 10)
    columns = [
        price, properties.stars[of], properties.review_score[of], properties.reviews[of], properties.location_score[of],
        properties.distance[of], properties.brand[of], offers.promotion,
        np.round(searches.level)[by], searches.nights[by], searches.guests[by],
    ]  # fmt: skip
    return np.stack(columns, axis=1).astype(np.float32)


def _names(rng: np.random.Generator, count: int) -> Ids:
    """Property ids in no order that means anything."""
    return Ids.of(f"h{number}" for number in 10_000 + rng.permutation(count))


def _starts(search: Whole) -> Whole:
    """Where each list starts; every search has rows, and they stand together."""
    return np.flatnonzero(np.diff(search, prepend=-1))


def _places(search: Whole) -> Whole:
    """1, 2, … within each list."""
    starts = _starts(search)
    return np.arange(1, len(search) + 1) - starts[search]


def _sigmoid(x: Floats) -> Floats:
    return 1 / (1 + np.exp(-x))
