"""Divisions of interactions: what is learnt from, and what is judged on.

All parts number users and items alike. Lots are drawn from the seed for the interactions in their own order, so that
the order of the rows given changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, message
from rankwise.recommenders.interactions import Interactions

__all__ = ["Parts", "by_ratio", "by_time", "by_user", "leave_one_out"]

Mask = npt.NDArray[np.bool_]


class Parts(NamedTuple):
    train: Interactions
    test: Interactions
    known: Interactions | None = None
    """Of users that are not learnt from: what is known of them when they are judged (`Recommender.fold_in`)."""


def leave_one_out(data: Interactions, *, by: str = "time", seed: int = 0) -> Parts:
    """The last interaction of each user (by='time'), or one by lot (by='random'), is judged on.

    A user with a single interaction keeps it for learning.

    >>> data = Interactions.of([1, 1, 2], ["a", "b", "a"], times=[30, 10, 20])
    >>> train, test, _ = leave_one_out(data)
    >>> len(train), [test.items[item] for item in test.item]
    (2, ['a'])
    """
    rank = _ranks(data, by, seed)
    sizes = np.diff(data.offsets)[data.user]
    return _parts(data, (rank == sizes - 1) & (sizes > 1))


def by_ratio(data: Interactions, share: float = 0.2, *, by: str = "random", seed: int = 0) -> Parts:
    """That share of each user's interactions, rounded down, is judged on: by lot, or the last of them (by='time')."""
    _check_share(share)
    rank = _ranks(data, by, seed)
    sizes = np.diff(data.offsets)[data.user]
    return _parts(data, rank >= sizes - np.floor(sizes * share + 1e-9))


def by_time(data: Interactions, share: float = 0.2, *, at: float | None = None) -> Parts:
    """What happened from a time on, `at`, is judged on; without it, the last share of all interactions.

    Interactions of the same time stay together.
    """
    times = _times(data)
    if at is None:
        _check_share(share)
        at = np.sort(times)[min(int(np.ceil(len(times) * (1 - share) - 1e-9)), len(times) - 1)]
    return _parts(data, times >= at)


def by_user(data: Interactions, share: float = 0.2, *, known: float = 0.8, by: str = "random", seed: int = 0) -> Parts:
    """That share of the users is not learnt from at all.

    Of each of them, the share `known` of the interactions is known when they are judged, and the rest is judged on.
    """
    _check_share(share)
    _check_share(known)
    users = len(data.users)
    judged = np.random.default_rng([seed, 1]).permutation(users) < round(users * share)
    rank = _ranks(data, by, seed)
    sizes = np.diff(data.offsets)[data.user]
    later = rank >= np.ceil(sizes * known - 1e-9)
    mine = judged[data.user]
    return Parts(_some(data, ~mine, "learn from"), _some(data, mine & later, "judge on"), data.where(mine & ~later))


def _ranks(data: Interactions, by: str, seed: int) -> npt.NDArray[np.int64]:
    """Where each interaction stands among those of its user, from 0: by time, or by lot."""
    if by not in ("time", "random"):
        raise DataError(message(f"by is {by!r}", hint="choose one of time, random."))
    keys = _times(data) if by == "time" else np.random.default_rng([seed, 0]).random(len(data))
    user = data.user
    order = np.lexsort((keys, user))
    rank = np.empty(len(data), np.int64)
    rank[order] = np.arange(len(data)) - data.offsets[:-1][user[order]]
    return rank


def _times(data: Interactions) -> npt.NDArray[np.int64] | npt.NDArray[np.float64]:
    if data.times is None:
        hint = "give them as `times=`, or divide with by='random'."
        raise DataError(message("these interactions have no times", hint=hint))
    return data.times


def _parts(data: Interactions, judged: Mask) -> Parts:
    return Parts(_some(data, ~judged, "learn from"), _some(data, judged, "judge on"))


def _some(data: Interactions, mask: Mask, what: str) -> Interactions:
    if not mask.any():
        raise DataError(message(f"this division leaves nothing to {what}", hint="choose another share or time."))
    return data.where(mask)


def _check_share(share: float) -> None:
    if isinstance(share, bool) or not isinstance(share, (int, float, np.number)) or not 0 < share < 1:
        raise DataError(message(f"a share must be a number between 0 and 1, not {share!r}"))
