"""RW6: interactions that were divided, and what of the judged part leaks into the part that is learnt from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, message
from rankwise.evaluation.checks.base import SHOWN, Finding, Mask, found, nouns
from rankwise.recommenders.interactions import Interactions, Names
from rankwise.recommenders.splits import Parts

__all__ = ["Division", "check", "division"]

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """Parts of interactions by name."""

    train: str
    """What items are learnt from."""
    known: str | None
    """What is known of users that are not learnt from."""
    parts: Mapping[str, Interactions]

    def __post_init__(self) -> None:
        for name, part in self.parts.items():
            if not len(part):
                raise DataError(message("there are no interactions", place=name))


def division(source: Any) -> Division | None:
    """The parts, if that is what is given: `Parts`, or interactions by name of which the first are learnt from."""
    if isinstance(source, Parts):
        given = {name: part for name, part in source._asdict().items() if part is not None}
        return Division(train="train", known="known" if "known" in given else None, parts=given)
    if isinstance(source, Interactions):
        hint = 'give them with those that are judged on: inspect({"train": …, "test": …}).'
        raise DataError(message("interactions alone are no division", hint=hint))
    if not isinstance(source, Mapping) or not any(isinstance(one, Interactions) for one in source.values()):
        return None
    if len(source) < 2 or not all(isinstance(one, Interactions) for one in source.values()):
        hint = 'inspect({"train": interactions, "test": interactions}).'
        raise DataError(message("a division is two parts or more, each of them interactions", hint=hint))
    parts = {str(name): one for name, one in source.items()}
    return Division(train=next(iter(parts)), known=None, parts=parts)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part whose users and items are numbered as in all other parts."""

    name: str
    users: Codes
    items: Codes
    times: npt.NDArray[Any] | None
    pairs: Codes
    data: Interactions

    def __len__(self) -> int:
        return len(self.users)

    def shown(self, rows: Mask) -> tuple[str, ...]:
        """The first few of some interactions."""
        data, user = self.data, self.data.user
        return tuple(f"{data.users[user[at]]} {data.items[data.item[at]]}" for at in np.flatnonzero(rows)[:SHOWN])


def check(division: Division) -> Iterator[Finding]:
    parts = _numbered(division.parts)
    by_name = {part.name: part for part in parts}
    train, known = by_name[division.train], by_name.get(division.known or "")
    learnt = [train] if known is None else [train, known]
    yield from _pairs(parts)
    for judged in parts:
        if judged not in learnt:
            for finding in (*_times(learnt, judged), *_never_learnt(learnt, judged)):
                yield replace(finding, place=judged.name)


def _numbered(given: Mapping[str, Interactions]) -> list[_Part]:
    users: dict[str, int] = {}
    items: dict[str, int] = {}
    coded = {
        name: (_codes(part.users, users)[part.user], _codes(part.items, items)[part.item])
        for name, part in given.items()
    }
    return [
        _Part(name, *coded[name], part.times, coded[name][0] * len(items) + coded[name][1], part)
        for name, part in given.items()
    ]


def _codes(names: Names, numbers: dict[str, int]) -> Codes:
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int64)


def _pairs(parts: Sequence[_Part]) -> Iterator[Finding]:
    """Users with an item in two of the parts, part by part."""
    for at, later in enumerate(parts):
        for earlier in parts[:at]:
            both = np.isin(later.pairs, earlier.pairs)
            if not both.any():
                continue
            count, of = int(both.sum()), len(later)
            finding = found(
                "RW601",
                f"{{n}} of {{of}} {nouns(of, 'interaction')} {nouns(count, 'is', 'are')} in {earlier.name} too",
                count,
                of,
                effects=[
                    "what was learnt, or chosen, by one is measured by the other: every measure of it is too good"
                ],
                hint="divide once: `rankwise.recommenders.splits` puts each interaction into one part.",
                examples=later.shown(both),
            )
            yield replace(finding, place=later.name)


def _times(learnt: Sequence[_Part], judged: _Part) -> Iterator[Finding]:
    timed = [part for part in learnt if part.times is not None]
    if judged.times is None or not timed:
        return
    users = np.concatenate([part.users for part in timed])
    times = np.concatenate([part.times for part in timed if part.times is not None])
    yield from _own_future(users, times, judged)
    first = judged.times.min()
    count, of = int((times > first).sum()), len(times)
    if count:
        yield found(
            "RW603",
            f"{{n}} of {{of}} {nouns(of, 'interaction')} learnt from {nouns(count, 'is', 'are')} later than the first "
            "that is judged",
            count,
            of,
            effects=["at the time of what is judged, no recommender could have learnt from them"],
            hint="`splits.by_time` divides all users at one time; by each user's own times there are always some.",
        )


def _own_future(users: Codes, times: npt.NDArray[Any], judged: _Part) -> Iterator[Finding]:
    """What is judged although something later of the same user was learnt from."""
    assert judged.times is not None
    order = np.lexsort((times, users))
    last = np.flatnonzero(np.append(np.diff(users[order]) > 0, True))
    of_users, latest = users[order][last], times[order][last]
    place = np.minimum(np.searchsorted(of_users, judged.users), len(of_users) - 1)
    before = (of_users[place] == judged.users) & (judged.times < latest[place])
    if not before.any():
        return
    count, of, whose = int(before.sum()), len(judged), len(np.unique(judged.users[before]))
    yield found(
        "RW602",
        f"{{n}} of {{of}} judged {nouns(of, 'interaction')} {nouns(count, 'comes', 'come')} before what is learnt of "
        "the same user",
        count,
        of,
        effects=[
            f"{whose:,} of {len(np.unique(judged.users)):,} judged users are predicted from what they did afterwards"
        ],
        hint="divide by time: by='time' in `splits.leave_one_out` and `splits.by_ratio`, or `splits.by_time`.",
        examples=judged.shown(before),
    )


def _never_learnt(learnt: Sequence[_Part], judged: _Part) -> Iterator[Finding]:
    """Users of whom nothing is known, and items that were not learnt; what is known of new users teaches no item."""
    users = np.unique(np.concatenate([part.users for part in learnt]))
    for code, what, mine, theirs, effect in (
        ("RW604", "user", judged.users, users, "all such users get one and the same order of items"),
        ("RW605", "item", judged.items, np.unique(learnt[0].items), "nothing tells such an item from any other"),
    ):
        new = ~np.isin(mine, theirs)
        if not new.any():
            continue
        count, of, rows = len(np.unique(mine[new])), len(np.unique(mine)), int(new.sum())
        take_in = ", `fold_in` takes them in" if what == "user" else ""
        yield found(
            code,
            f"{{n}} of {{of}} judged {nouns(of, what)} {nouns(count, 'was', 'were')} never learnt from",
            count,
            of,
            effects=[f"{effect}: {rows:,} of {len(judged):,} judged {nouns(len(judged), 'interaction')}"],
            hint=f"leave them out (`known_to(training)`){take_in}; else say that they are among those judged.",
            examples=_first(judged, new, what),
        )


def _first(part: _Part, rows: Mask, what: str) -> tuple[str, ...]:
    data = part.data
    numbers, names = (data.user, data.users) if what == "user" else (data.item, data.items)
    return tuple(names[int(number)] for number in np.unique(numbers[rows])[:SHOWN])
