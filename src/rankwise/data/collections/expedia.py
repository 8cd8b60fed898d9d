"""The hotel searches that Expedia published for the ICDM 2013 contest, and their halves of the VU course."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from rankwise.data.collections.base import About, Collection, File, Layout, Part, Size, found
from rankwise.data.dataset import Dataset
from rankwise.data.formats.files import PathLike

__all__ = ["ABOUT", "BOOKED", "CLICKED", "expedia", "read_searches"]

ABOUT = About(
    name="expedia",
    title="Personalize Expedia Hotel Searches (ICDM 2013)",
    source="Expedia: searches of its sites from November 2012 to June 2013, with clicks and bookings",
    url="https://www.kaggle.com/c/expedia-personalized-sort",
    terms="the contest's rules: use for the contest and for research, no redistribution",
    citation="expedia2013",
    contents="399,344 searches of 9,917,530 properties, as many again without labels; VU course: 199,795 and 4,958,347",
    checked="published sizes: rows and searches",
)
BOOKED, CLICKED = 5, 1
FILES = {
    "Kaggle": {"train": "train.csv", "test": "test.csv"},
    "VU course": {"train": "training_set_VU_DM.csv", "test": "test_set_VU_DM.csv"},
}
SIZES = {
    "Kaggle": {"train": Size(rows=9_917_530, lists=399_344), "test": Size(rows=6_622_629, lists=266_230)},
    "VU course": {"train": Size(rows=4_958_347, lists=199_795), "test": Size(rows=4_959_183, lists=199_549)},
}
# What is known before anybody clicks, in either file. The ids of site, property and search say which, not how much.
FEATURES = (
    "visitor_location_country_id", "visitor_hist_starrating", "visitor_hist_adr_usd", "prop_country_id",
    "prop_starrating", "prop_review_score", "prop_brand_bool", "prop_location_score1", "prop_location_score2",
    "prop_log_historical_price", "price_usd", "promotion_flag", "srch_destination_id", "srch_length_of_stay",
    "srch_booking_window", "srch_adults_count", "srch_children_count", "srch_room_count", "srch_saturday_night_bool",
    "srch_query_affinity_score", "orig_destination_distance",
    *(f"comp{at}_{what}" for at in range(1, 9) for what in ("rate", "inv", "rate_percent_diff")),
)  # fmt: skip
KEPT = ("date_time", "site_id", "random_bool")


def expedia(folder: PathLike, *, skip_bad_lines: bool = False) -> Collection:
    """The hotel searches in a folder: `train.csv` and `test.csv`, or `training_set_VU_DM.csv` and `test_set_VU_DM.csv`.

    A list is a search, labelled 5 for the property that was booked, 1 for those that were clicked only, else 0 (the
    contest's grades, `expedia2013`). `positions` is where each stood, the columns `random_bool` (whether the order was
    by lot), `date_time` and `site_id` are kept. The test file has no labels: its documents are unjudged.

    A line that was cut off is refused, unless `skip_bad_lines` leaves it out; `Dataset.skipped_lines` counts those.

    >>> expedia("expedia").read("train")  # doctest: +SKIP
    """
    layouts = []
    for edition, names in FILES.items():
        parts = tuple(_part(name, file, SIZES[edition][name], skip_bad_lines) for name, file in names.items())
        layouts.append(Layout(parts=parts))
    return found(ABOUT, folder, layouts)


def _part(name: str, file: str, size: Size, skip_bad_lines: bool) -> Part:
    read = read_searches if name == "train" else read_unlabelled
    return Part(
        name=name,
        files=(File(name=file, key=lambda line: line.partition(b",")[0], header=True, expected=(size,)),),
        read=partial(read, skip_bad_lines=skip_bad_lines),
    )


def read_searches(path: PathLike, *, skip_bad_lines: bool = False) -> Dataset:
    """A file of searches with what was clicked and booked."""
    # The table engine is imported where a table is read.
    from rankwise.data.formats import tables

    return tables.read(
        path,
        query="srch_id",
        document="prop_id",
        labels={"booking_bool": BOOKED, "click_bool": CLICKED},
        position="position",
        features=FEATURES,
        keep=KEPT,
        skip_bad_lines=skip_bad_lines,
    )


def read_unlabelled(path: PathLike, *, skip_bad_lines: bool = False) -> Dataset:
    """A file of searches without positions, clicks and bookings: nobody has judged its documents."""
    from rankwise.data.formats import tables

    # A table is read with labels; these are none, and are taken away again.
    data = tables.read(
        path,
        query="srch_id",
        document="prop_id",
        label="random_bool",
        features=FEATURES,
        keep=KEPT,
        skip_bad_lines=skip_bad_lines,
    )
    return replace(data, labels=np.full(len(data.labels), np.nan))
