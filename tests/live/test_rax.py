"""Rax itself."""

from __future__ import annotations

import numpy as np
import pytest

from live.lists import Lists, random_lists

rax = pytest.importorskip("rax")
pytestmark = pytest.mark.live

METRICS = ["ndcg", "dcg", "ap", "mrr", "precision", "recall"]


def padded(lists: Lists) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lists by documents, and where a document is."""
    shape = (len(lists.sizes), lists.sizes.max())
    there = np.arange(shape[1]) < lists.sizes[:, None]
    labels, scores = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    labels[there], scores[there] = lists.labels, lists.scores
    return labels, scores, there


@pytest.mark.parametrize("k", [None, 1, 2, 5, 10, 50])
def test_every_measure_of_every_list(k: int | None) -> None:
    at = "" if k is None else f"@{k}"
    for seed in range(2):
        lists = random_lists(seed)
        labels, scores, there = padded(lists)
        ours = lists.values("rax", [f"{name}{at}" for name in METRICS])
        for name, mine in zip(METRICS, ours, strict=True):
            metric = getattr(rax, f"{name}_metric")
            theirs = metric(scores, labels, where=there, topn=k, reduce_fn=None)
            np.testing.assert_allclose(mine, theirs, rtol=2e-6, atol=2e-6, err_msg=name)
