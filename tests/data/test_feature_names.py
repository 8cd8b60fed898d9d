"""Features of a dataset may have names."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise import DataError, Dataset

FEATURES = [[3, 80], [4, 120], [2, 60]]


def test_a_feature_is_found_by_its_name_in_the_order_of_the_dataset() -> None:
    data = Dataset.of(FEATURES, [0, 1, 2], qid=["b", "a", "b"], feature_names=["stars", "price"])
    assert data.feature_names == ("stars", "price")
    np.testing.assert_array_equal(data.feature("price"), np.float32([80, 60, 120]))


def test_names_are_optional() -> None:
    assert Dataset.of(FEATURES, [0, 1, 2], group=[3]).feature_names is None


@pytest.mark.parametrize(
    ("names", "refusal"),
    [
        (["stars"], "there are 1 feature name for 2 features"),
        (["stars", "stars"], "2 features are called 'stars'"),
        ("ab", "feature names must be a list of names, not the text 'ab'"),
    ],
)
def test_names_that_do_not_fit_are_refused(names: object, refusal: str) -> None:
    with pytest.raises(DataError, match=refusal):
        Dataset.of(FEATURES, [0, 1, 2], group=[3], feature_names=names)


def test_names_without_features_are_refused() -> None:
    with pytest.raises(DataError, match="there are 1 feature name for 0 features"):
        Dataset.of(labels=[1], group=[1], feature_names=["stars"])


def test_an_unknown_feature_is_refused_with_those_there_are() -> None:
    data = Dataset.of(FEATURES, [0, 1, 2], group=[3], feature_names=["stars", "price"])
    with pytest.raises(DataError, match=r"there is no feature 'prize'\nHint: there are stars, price\."):
        data.feature("prize")


def test_a_name_is_refused_where_there_are_none() -> None:
    with pytest.raises(DataError, match="there is no feature 'price': these features have no names"):
        Dataset.of(FEATURES, [0, 1, 2], group=[3]).feature("price")
