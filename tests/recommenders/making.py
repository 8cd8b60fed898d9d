"""Interactions in which taste follows from a few hidden factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.recommenders.interactions import Interactions


def tastes(seed: int = 0, users: int = 60, items: int = 40, each: int = 10, factors: int = 3) -> Interactions:
    """Each user has the items that fit best, with some noise; values from 1 to 5, times in random order."""
    rng = np.random.default_rng(seed)
    fit = rng.normal(size=(users, factors)) @ rng.normal(size=(items, factors)).T + 0.5 * rng.gumbel(
        size=(users, items)
    )
    item = np.argsort(-fit, axis=1)[:, :each]
    user = np.repeat(np.arange(users), each)
    values = np.clip(np.round(3 + np.take_along_axis(fit, item, 1).ravel() / 3), 1, 5)
    names: Any = [f"u{u:03}" for u in user], [f"i{i:03}" for i in item.ravel()]
    return Interactions.of(*names, values, times=rng.permutation(len(user)))


def ratings(seed: int = 0, users: int = 30, items: int = 20, share: float = 0.5) -> Interactions:
    """Ratings from two hidden factors, of a share of all pairs."""
    rng = np.random.default_rng(seed)
    whole = 3 + rng.normal(size=(users, 2)) @ rng.normal(size=(items, 2)).T + rng.normal(size=(users, 1))
    user, item = np.nonzero(rng.random((users, items)) < share)
    return Interactions.of(user, item, whole[user, item])
