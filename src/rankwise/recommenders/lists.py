"""Users as lists of items, so that recommendations are evaluated as every ranking is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.data.ids import Ids
from rankwise.errors import DataError, message
from rankwise.rankers.histories import Histories
from rankwise.recommenders.interactions import Interactions

if TYPE_CHECKING:
    from rankwise.recommenders.recommender import Model

__all__ = ["MOST_ROWS", "UserLists"]

# Rows of one dataset; 20 bytes each and more.
MOST_ROWS = 200_000_000
# Scores that are computed at once.
BLOCK = 8_000_000

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class UserLists:
    """Lists of users with something to judge on, and where their rows are among users × items."""

    dataset: Dataset
    users: Numbers
    """The user of each list, as the model numbers them."""
    items: Numbers
    """The item of each row."""
    histories: Histories
    """What was learnt of all users."""
    whole: bool
    """Whether all items that a user has not seen are there, and not some candidates."""
    width: int

    @classmethod
    def sampled(cls, training: Interactions, judged: Interactions, count: int, *, seed: int = 0) -> UserLists:
        """One list a user of `judged`: the judged items, and `count` others by lot that the user has not seen."""
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise DataError(message(f"the number of sampled candidates must be a whole number from 1, not {count!r}"))
        users, pairs, values = matched(training, judged)
        named, place = np.unique(users, return_inverse=True)
        histories = Histories(training.offsets, training.item, training.values)
        width = len(training.items)
        rng = np.random.default_rng([seed, count])
        order = np.argsort(place, kind="stable")
        ends = np.searchsorted(place[order], np.arange(len(named) + 1))
        items, labels, sizes = [], [], []
        for at, user in enumerate(named):
            mine = order[ends[at] : ends[at + 1]]
            free = np.ones(width, np.bool_)
            free[histories.of(int(user))] = False
            free[pairs[mine]] = False
            left = np.flatnonzero(free)
            others = np.sort(rng.choice(left, min(count, len(left)), replace=False))
            both = np.concatenate((pairs[mine], others))
            into = np.argsort(both, kind="stable")
            items.append(both[into])
            labels.append(np.concatenate((values[mine], np.zeros(len(others), np.float32)))[into])
            sizes.append(len(both))
        dataset = _dataset(training, named, np.array(sizes), np.concatenate(items), np.concatenate(labels))
        return cls(dataset, named, np.concatenate(items), histories, whole=False, width=width)

    @classmethod
    def of(cls, training: Interactions, judged: Interactions, *, exclude_seen: bool = True) -> UserLists:
        """One list a user of `judged`: all items that training does not know of the user, or all there are.

        The label is the value that was judged, 0 for any other item. Users and items are found by their ids.
        """
        users, pairs, values = matched(training, judged)
        named, place = np.unique(users, return_inverse=True)
        width = len(training.items)
        if len(named) * width > MOST_ROWS:
            hint = "judge a sample of the users, or sampled candidates (`sampled=`)."
            what = f"{len(named):,} users × {width:,} items are more rows than fit here ({MOST_ROWS:,})"
            raise DataError(message(what, hint=hint))
        histories = Histories(training.offsets, training.item, training.values)
        seen = histories.take(named)
        there = np.ones((len(named), width), np.bool_)
        if exclude_seen:
            there[np.repeat(np.arange(len(named)), np.diff(seen.offsets)), seen.items] = False
        if not there[place, pairs].all():
            at = int((~there[place, pairs]).argmax())
            what = f"user '{training.users[users[at]]}' has item '{training.items[pairs[at]]}' in training too"
            hint = "judge on other interactions than those that are learnt from, or rank all: exclude_seen=False."
            raise DataError(message(what, hint=hint))
        labels = np.zeros((len(named), width), np.float32)
        labels[place, pairs] = values
        rows, items = np.nonzero(there)
        return cls(
            dataset=_dataset(training, named, np.bincount(rows, minlength=len(named)), items, labels[there]),
            users=named,
            items=items,
            histories=histories,
            whole=True,
            width=width,
        )

    def scores(self, model: Model, threads: int | None = None) -> npt.NDArray[np.float64]:
        """The model's score of each row."""
        if not self.whole:
            users = np.repeat(self.users, np.diff(self.dataset.offsets))
            return model.pair_scores(users, self.items, self.histories, threads)
        found = np.empty(len(self.items))
        step = max(1, BLOCK // self.width)
        for first in range(0, len(self.users), step):
            some = np.arange(first, min(first + step, len(self.users)))
            scores = model.scores(self.users[some], self.histories.take(self.users[some]), threads)
            start, end = self.dataset.offsets[first], self.dataset.offsets[some[-1] + 1]
            rows = np.repeat(np.arange(len(some)), np.diff(self.dataset.offsets)[some])
            found[start:end] = scores[rows, self.items[start:end]]
        return found


def matched(training: Interactions, judged: Interactions) -> tuple[Numbers, Numbers, npt.NDArray[np.float32]]:
    """The user and the item of each judged interaction, as training numbers them."""
    if judged.users is training.users and judged.items is training.items:
        return judged.user, judged.item.astype(np.int64), judged.values
    users, items = training.users.numbers(judged.users), training.items.numbers(judged.items)
    of_user, of_item = users[judged.user], items[judged.item]
    for what, codes, names in (("user", of_user, judged.users), ("item", of_item, judged.items)):
        if (codes < 0).any():
            at = int((codes < 0).argmax())
            number = int(judged.user[at] if what == "user" else judged.item[at])
            unknown = len(np.unique((judged.user if what == "user" else judged.item)[codes < 0]))
            are = f"{what} that is judged is" if unknown == 1 else f"{what}s that are judged are"
            left_out = "`known_to(training)`, or `rankwise evaluate --known-only`, leaves them out."
            hint = f"{unknown:,} {are} not in training; {left_out}"
            raise DataError(message(f"{what} '{names[number]}' is not known from training", hint=hint))
    return of_user, of_item, judged.values


def _dataset(
    training: Interactions, users: Numbers, sizes: Numbers, items: Numbers, labels: npt.NDArray[np.float32]
) -> Dataset:
    if not len(users):
        raise DataError(message("there is no user to judge"))
    if (sizes == 0).any():
        user = training.users[int(users[int((sizes == 0).argmax())])]
        raise DataError(message(f"user '{user}' has seen every item, so that none is left to rank"))
    return Dataset(
        features=None,
        labels=labels,
        offsets=np.concatenate(([0], np.cumsum(sizes))),
        queries=training.users.ids[users],
        documents=Ids(training.items.ids.text, training.items.ids.spans[items]),
    )
