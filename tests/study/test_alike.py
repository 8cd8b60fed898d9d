"""Measures that must teach the same are told from those that need not."""

import numpy as np
import pytest

from rankwise import Dataset, evaluate
from rankwise.evaluation.lists import Lists
from rankwise.measures.parse import measure
from rankwise.study.alike import alike

rng = np.random.default_rng(3)
SIZES = [5, 3, 8, 6, 12, 4]
LABELS = np.concatenate([rng.integers(0, 3, size) * (at != 3) for at, size in enumerate(SIZES)])
DATA = Dataset.of(labels=LABELS, group=SIZES)
LISTS = Lists.of(DATA, np.zeros(len(LABELS)))

ALIKE = [
    ("yahoo:nDCG@5", "yahoo_v0_5:nDCG@5"),
    ("yahoo:nDCG@5", "ranklib:nDCG(precision='float64')@5"),
    ("nDCG@5", "nDCG(empty=1)@5"),
    ("letor3:nDCG@5", "letor4:nDCG@5"),
    ("nDCG@3", "nDCG(short='zero')@3"),
    ("AP", "AP(ideal='list')"),
]
NOT_ALIKE = [
    ("yahoo:nDCG@5", "ranklib:nDCG@5"),
    ("nDCG@5", "nDCG(gain='linear')@5"),
    ("nDCG@5", "nDCG@6"),
    ("nDCG@5", "nDCG(short='zero')@5"),
    ("nDCG@5", "nDCG(empty='skip')@5"),
    ("nDCG@5", "nDCG(ties='input')@5"),
    ("nDCG@5", "letor4:nDCG@5"),
    ("P@5", "nDCG@5"),
    ("DCG@5", "DCG(discount='ln')@5"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_what_is_alike_differs_by_a_constant_of_each_list_at_any_scores(one, other):
    first, second = measure(one), measure(other)
    assert alike(LISTS, first, second, constants=True)
    differences = []
    for _ in range(20):
        scores = rng.integers(0, 9, len(LABELS)).astype(float)
        values = evaluate(DATA, scores, [first, second]).values
        differences.append(values[1] - values[0])
    assert np.ptp(differences, axis=0).max() < 1e-12


@pytest.mark.parametrize(("one", "other"), NOT_ALIKE)
def test_what_differs_by_more_is_not_alike(one, other):
    assert not alike(LISTS, measure(one), measure(other), constants=True)


def test_constants_count_unless_they_are_allowed():
    first, second = measure("yahoo:nDCG@5"), measure("yahoo_v0_5:nDCG@5")
    assert not alike(LISTS, first, second, constants=False)
    assert alike(LISTS, measure("letor3:nDCG@5"), measure("letor4:nDCG@5"), constants=False)


def test_a_label_may_tell_two_gains_apart():
    three = Dataset.of(labels=[3, 0, 1], group=[3])
    lists = Lists.of(three, np.zeros(3))
    first, second = measure("nDCG@2"), measure("nDCG(gain={0: 0, 1: 1, 2: 3}, outside='zero')@2")
    assert alike(LISTS, first, second, constants=False)
    assert not alike(lists, first, second, constants=True)
