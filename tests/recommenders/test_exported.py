"""Factors as arrays and as a Parquet file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankwise.data.formats import engine
from rankwise.errors import DataError
from rankwise.rankers.factors import Factors
from rankwise.recommenders.interactions import Interactions
from rankwise.recommenders.item_knn import ItemKNN
from rankwise.recommenders.popularity import Popularity
from rankwise.recommenders.svd import SVD
from recommenders.making import ratings

RECOMMENDER = SVD(factors=3, epochs=5).fit(ratings(1)).recommender_
USERS, ITEMS = RECOMMENDER.factors("users"), RECOMMENDER.factors()


def test_scores_follow_from_what_is_exported() -> None:
    assert isinstance(RECOMMENDER.model, Factors)
    mine = RECOMMENDER.model.mean + USERS.biases[:, np.newaxis] + USERS.products.astype(float) @ ITEMS.products.T
    users, items = np.repeat(USERS.ids, len(ITEMS)), np.tile(ITEMS.ids, len(USERS))
    np.testing.assert_allclose(mine.ravel(), RECOMMENDER.predict(users, items), atol=1e-5)
    assert USERS.biases.any() and ITEMS.biases.any()


def test_they_are_copies() -> None:
    before = RECOMMENDER.recommend(k=3).scores
    for rows in (RECOMMENDER.factors("users"), RECOMMENDER.factors("items")):
        rows.factors[:], rows.biases[:] = 0, 0
    assert (RECOMMENDER.recommend(k=3).scores == before).all()


@pytest.mark.parametrize("rows", [USERS, ITEMS])
def test_a_parquet_file_holds_the_same(rows: object, tmp_path: Path) -> None:
    path = tmp_path / "factors.parquet"
    rows.write_parquet(path)  # type: ignore[attr-defined]
    with engine.opened(path) as table:
        assert [*table.types] == [rows.what, "bias", "factor_1", "factor_2", "factor_3"]  # type: ignore[attr-defined]
        found = table.connection.execute(f"SELECT * FROM {table.source}").fetchnumpy()
    for name, column in rows.table().items():  # type: ignore[attr-defined]
        assert (found[name] == column).all()
        assert name == rows.what or found[name].dtype == np.float32  # type: ignore[attr-defined]
    assert list(tmp_path.iterdir()) == [path]


def test_texts_are_ids_and_nothing_is_left_where_a_file_cannot_be(tmp_path: Path) -> None:
    rows = Popularity().fit(Interactions.of(["ä", "b"], ["1", "tea 'n' jam"])).recommender_.factors()
    assert rows.ids.tolist() == ["1", "tea 'n' jam"] and rows.table()["bias"].tolist() == [1, 1]
    rows.write_parquet(tmp_path / "popular.parquet")
    with pytest.raises(DataError, match="there is no such folder"):
        rows.write_parquet(tmp_path / "nowhere" / "popular.parquet")
    with pytest.raises(DataError, match="is a folder, not a file"):
        rows.write_parquet(tmp_path)


def test_what_has_no_factors_is_refused() -> None:
    with pytest.raises(DataError, match=r"there are no factors of 'genres'\nHint: choose one of users, items"):
        RECOMMENDER.factors("genres")
    with pytest.raises(DataError, match=r"of the kind 'neighbours' has no factors\nHint: bpr, warp-mf and svd"):
        ItemKNN().fit(ratings(1)).recommender_.factors()
