"""Whether two measures must teach the same: equal on given lists whatever the scores, or apart by a constant.

A convention is a table to the kernels (`Measure.plan`), and an order. Measures whose tables and orders agree on some
lists have the same value for every ranking of them; if they differ in what an empty list scores alone, each ranking's
mean is higher by the same number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.evaluation.lists import Lists
from rankwise.measures.base import Measure
from rankwise.measures.user import UserMeasure

__all__ = ["alike"]

# Formulas in which a factor of all discounts cancels.
NORMALISED = ("ndcg", "mean_ndcg")
# Entries of a plan that a formula without these axes does not read.
READ_BY = {"single_reciprocal": ("reciprocal_rank",), "undefined_of_none": ("err",)}


def alike(lists: Lists, one: Measure, other: Measure, *, constants: bool) -> bool:
    """Whether two measures agree on every ranking of these lists; with `constants`, up to a constant of each list.

    >>> from rankwise.data.dataset import Dataset
    >>> from rankwise.measures.parse import measure
    >>> data = Dataset.of(labels=[1, 0, 0, 0], group=[2, 2])
    >>> lists = Lists.of(data, [1.0, 2.0, 3.0, 4.0])
    >>> first, second = measure("yahoo_v1_0:nDCG@2"), measure("yahoo_v0_5:nDCG@2")
    >>> alike(lists, first, second, constants=True), alike(lists, first, second, constants=False)
    (True, False)
    """
    if one == other:
        return True
    if type(one) is not type(other) or isinstance(one, UserMeasure) or one.k != other.k:
        return False
    mine, theirs = one.convention, other.convention
    if one._parameters() != other._parameters() or mine.mean != theirs.mean:
        return False
    orders = lists.order(mine), lists.order(theirs)
    if not all(_same(orders[0][name], orders[1][name]) for name in orders[0]):
        return False
    first, second = lists.plan(one), lists.plan(other)
    return all(_agree(lists, one, name, first[name], second[name], constants=constants) for name in first)


def _agree(lists: Lists, measure: Measure, name: str, first: Any, second: Any, *, constants: bool) -> bool:
    if name in READ_BY and measure.formula not in READ_BY[name]:
        return True
    if name == "denominator" and not {"p_over", "ap_over"} & set(measure.axes):
        return True
    if name == "pool" and int(lists.outside_offsets[-1]) == 0:
        # Without judged documents outside the lists, those judged and those of the list are the same.
        return True
    if name == "short_is_zero" and measure.k is not None and int(np.diff(lists.offsets).min()) >= measure.k:
        return True
    if name == "empty":
        number = bool(np.isfinite(first) and np.isfinite(second))
        return _same(first, second) or (constants and number)
    if name == "discounts" and measure.formula in NORMALISED:
        return _proportional(first, second)
    return _same(first, second)


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return first.shape == second.shape and bool(np.array_equal(first, second, equal_nan=True))
    return bool(first == second) or (first != first and second != second)


def _proportional(first: Any, second: Any) -> bool:
    if first.shape != second.shape or not len(first) or not (first > 0).all() or not (second > 0).all():
        return _same(first, second)
    return bool(np.ptp(first / second) <= 1e-12 * float((first / second)[0]))
