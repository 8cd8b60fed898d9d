"""A recommender: what was learnt of users and items, by their ids, and what each user has seen."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, final

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.data.formats.files import PathLike
from rankwise.data.ids import Ids
from rankwise.errors import DataError, RankwiseWarning, message
from rankwise.rankers.histories import Histories
from rankwise.recommenders.interactions import Interactions, Names, as_interactions
from rankwise.recommenders.lists import UserLists

if TYPE_CHECKING:
    from rankwise.recommenders.exported import Rows

__all__ = ["Model", "Recommendations", "Recommender", "histories_of"]

Numbers = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]


class Model(Protocol):
    """What was learnt, by numbers of users and items. One file a kind of model."""

    kind: ClassVar[str]

    def top(
        self,
        users: Numbers,
        k: int,
        histories: Histories | None = None,
        *,
        left_out: Histories | None = None,
        items: Numbers | None = None,
        threads: int | None = None,
    ) -> tuple[npt.NDArray[np.int32], Scores]:
        """The best items of users, whose histories these are."""

    def scores(self, users: Numbers, histories: Histories | None = None, threads: int | None = None) -> Scores:
        """The score of each user, whose histories these are, for each item."""

    def pair_scores(
        self, users: Numbers, items: Numbers, histories: Histories | None = None, threads: int | None = None
    ) -> Scores:
        """The score of each user for the item beside it; the histories are those of all users."""

    def similar(self, items: Numbers, k: int, threads: int | None = None) -> tuple[npt.NDArray[np.int32], Scores]:
        """The items most like each of those."""

    def text(self) -> str:
        """The model in a few words."""

    def plain(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """The model as JSON values and arrays."""

    @classmethod
    def of_plain(
        cls, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], users: int, items: int
    ) -> Self:
        """The model of what `plain` gave, every part of it checked."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Recommendations:
    """The best items of users, the best first; `table()` has one row an item.

    >>> users, items = Names.of(["ann"]), Names.of(["tea", "jam"])
    >>> Recommendations(users, items, np.array([[1, -1]]), np.array([[2.5, np.nan]]))["ann"]
    [('jam', 2.5)]
    """

    of: Names
    """Users, or items that others are like."""
    items: Names
    found: npt.NDArray[np.int32]
    """Numbers of items, a row a user; −1 where there are fewer."""
    scores: Scores

    def __len__(self) -> int:
        return len(self.of)

    def __getitem__(self, name: object) -> list[tuple[str, float]]:
        at = self.of.number(name)
        if at is None:
            raise DataError(message(f"there are no recommendations for '{name}'"))
        return self._at(at)

    def __iter__(self) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        return ((name, self._at(at)) for at, name in enumerate(self.of))

    def table(self) -> dict[str, npt.NDArray[Any]]:
        """Columns user, item, rank (from 1) and score: a table that frames and `evaluate` take."""
        rows, ranks = np.nonzero(self.found >= 0)
        names, items = (np.array(list(part), dtype=np.str_) for part in (self.of, self.items))
        return {
            "user": names[rows],
            "item": items[self.found[rows, ranks]],
            "rank": ranks + 1,
            "score": self.scores[rows, ranks],
        }

    def run(self) -> dict[str, dict[str, float]]:
        """Scores by user and item, as `evaluate(judgments, run)` takes them."""
        return {name: dict(items) for name, items in self}

    def _at(self, at: int) -> list[tuple[str, float]]:
        pairs = zip(self.found[at].tolist(), self.scores[at].tolist(), strict=True)
        return [(self.items[item], score) for item, score in pairs if item >= 0]

    def __repr__(self) -> str:
        return f"Recommendations({len(self):,} × {self.found.shape[1]})"


@final
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Recommender:
    """Users and items become scores.

    >>> from rankwise.rankers.factors import Factors
    >>> model = Factors([[1.0], [-1.0]], [[1.0], [2.0], [-1.0]])
    >>> seen = Histories(np.array([0, 1, 1]), np.array([1], np.uint32))
    >>> recommender = Recommender(
    ...     users=Names.of(["ann", "bob"]), items=Names.of(["jam", "tea", "oil"]), model=model, histories=seen)
    >>> recommender.recommend(["ann"], 1)["ann"], recommender.recommend(["ann"], 1, exclude_seen=False)["ann"]
    ([('jam', 1.0)], [('tea', 2.0)])
    """

    users: Names
    items: Names
    model: Model
    histories: Histories
    """What each user had to do with."""
    about: Mapping[str, Any] = field(default_factory=dict)

    def recommend(
        self,
        users: Any = None,
        k: int = 10,
        *,
        exclude_seen: bool = True,
        candidates: Iterable[object] | None = None,
        filter: Callable[[str], bool] | None = None,
        threads: int | None = None,
    ) -> Recommendations:
        """The `k` best items of each of those users (None: of all).

        `exclude_seen` leaves out what the user had to do with. `candidates` are the items to choose from; `filter` says
        of an item's id whether it may be recommended. Of equal scores the item whose id comes first wins.
        """
        numbers, names = self._users(users)
        _check_k(k)
        chosen = self._candidates(candidates, filter)
        mine = self.histories.take(numbers)
        found, scores = self.model.top(
            numbers, k, mine, left_out=mine if exclude_seen else None, items=chosen, threads=threads
        )
        return Recommendations(names, self.items, found, scores)

    def similar(self, items: Any, k: int = 10, *, threads: int | None = None) -> Recommendations:
        """The `k` items most like each of those: by the cosine of their factors, or their similarity."""
        numbers, names = _numbers(self.items, items, "item")
        _check_k(k)
        found, scores = self.model.similar(numbers, k, threads)
        found = np.where(np.isnan(scores), -1, found).astype(np.int32)
        return Recommendations(names, self.items, found, scores)

    def predict(self, users: Any, items: Any, *, threads: int | None = None) -> Scores:
        """The score of each user for the item beside it."""
        of_users, of_items = _numbers(self.users, users, "user")[0], _numbers(self.items, items, "item")[0]
        if len(of_users) != len(of_items):
            raise DataError(message(f"there are {len(of_items):,} items for {len(of_users):,} users"))
        return self.model.pair_scores(of_users, of_items, self.histories, threads)

    def lists(
        self,
        judged: Any,
        *,
        exclude_seen: bool = True,
        sampled: int | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> tuple[Dataset, Scores]:
        """Users of the judged interactions as lists, and a score for each of their rows: what `evaluate` takes.

        A list holds all items that the user has not seen in training (or all there are), labelled with the judged
        values, 0 for every other item. With `sampled` it holds the judged items and so many others by lot: measures
        of such lists are another quantity than those of full ones, and may order recommenders otherwise;
        `recommenders.sampled.corrected` estimates the full ones.
        """
        data = as_interactions(judged)
        if sampled is None:
            found = UserLists.of(self.learnt_from(), data, exclude_seen=exclude_seen)
        else:
            _warn_of_samples(sampled, len(self.items))
            found = UserLists.sampled(self.learnt_from(), data, sampled, seed=seed)
        return found.dataset, found.scores(self.model, threads)

    def fold_in(self, interactions: Any) -> Recommender:
        """The recommender for the users of those interactions, whom it need not know, without learning anew.

        Their rows are what they would be if the items stayed as they are. Items have to be known.
        """
        data = as_interactions(interactions)
        items = self.items.numbers(data.items)
        unknown = items[data.item] < 0
        if unknown.any():
            what = f"item '{data.items[int(data.item[int(unknown.argmax())])]}' is not known from training"
            raise DataError(message(what, hint="leave it out: nothing was learnt of it."))
        numbered = renumbered(data, self.items, items)
        from rankwise.recommenders import recommender_learner

        name = self.about.get("learner")
        learner = recommender_learner(str(name))(**dict(self.about.get("parameters", {})))
        model = learner.fold_in(self.model, numbered)
        if model is None:
            raise DataError(message(f"{name} has no way to take in users without learning anew"))
        return replace(self, users=numbered.users, model=model, histories=histories_of(numbered))

    def factors(self, of: str = "items") -> Rows:
        """What was learnt of 'items' or of 'users', as NumPy arrays and, by `write_parquet`, as a file.

        They are copies: ids, biases and factors, a row an id. Programs that search for neighbours take
        `factors("items").products`, and `factors("users").products` to ask them with.
        """
        from rankwise.recommenders.exported import rows_of

        return rows_of(self, of)

    def learnt_from(self) -> Interactions:
        """What each user had to do with in training, without times and weights."""
        seen = self.histories
        values = np.ones(len(seen.items), np.float32) if seen.values is None else seen.values
        return Interactions(users=self.users, items=self.items, offsets=seen.offsets, item=seen.items, values=values)

    def save(self, path: PathLike) -> None:
        """Writes the recommender to one file; `rankwise.load_recommender` reads it."""
        from rankwise.recommenders.saved import save

        save(self, path)

    def __str__(self) -> str:
        return f"{self!r}\n{self.model.text()}"

    def __repr__(self) -> str:
        learner = f"{self.about['learner']}: " if "learner" in self.about else ""
        return f"Recommender({learner}{len(self.users):,} users, {len(self.items):,} items)"

    def model_for(self, data: Interactions) -> Model:
        """The model, if it is of the users and items of those interactions."""
        if self.users.ids != data.users.ids or self.items.ids != data.items.ids:
            hint = "train from the start, or take in new users with `fold_in`."
            raise DataError(message("the recommender to go on from is of other users or items", hint=hint))
        return self.model

    def _users(self, users: Any) -> tuple[Numbers, Names]:
        if users is None:
            return np.arange(len(self.users)), self.users
        return _numbers(self.users, users, "user")

    def _candidates(self, candidates: Iterable[object] | None, filter: Callable[[str], bool] | None) -> Numbers | None:
        if candidates is None and filter is None:
            return None
        chosen = np.arange(len(self.items)) if candidates is None else _numbers(self.items, candidates, "item")[0]
        chosen = np.unique(chosen)
        if filter is not None:
            chosen = chosen[[bool(filter(self.items[item])) for item in chosen]]
        if not len(chosen):
            raise DataError(message("no item is left to recommend"))
        return chosen


def histories_of(data: Interactions) -> Histories:
    return Histories(data.offsets, data.item, data.values)


def renumbered(data: Interactions, items: Names, numbers: Numbers) -> Interactions:
    """The same interactions with the items of another numbering."""
    item = numbers[data.item]
    order = np.lexsort((item, data.user))
    return replace(
        data,
        items=items,
        item=item[order].astype(np.uint32),
        values=data.values[order],
        times=None if data.times is None else data.times[order],
        weights=None if data.weights is None else data.weights[order],
    )


def _numbers(names: Names, given: Any, what: str) -> tuple[Numbers, Names]:
    if isinstance(given, (str, int, np.integer)):
        given = [given]
    asked: Sequence[object] = list(given) if not isinstance(given, Ids) else given
    numbers = names.numbers(asked)
    if (numbers < 0).any():
        unknown = asked[int((numbers < 0).argmax())]
        hint = "a new user is taken in with `fold_in`." if what == "user" else "nothing was learnt of it."
        raise DataError(message(f"{what} '{unknown}' is not known from training", hint=hint))
    return numbers, Names(names.ids[numbers])


def _warn_of_samples(count: int, items: int) -> None:
    hint = "rank all items, or estimate the full measure with `recommenders.sampled.corrected`."
    what = f"{count:,} sampled candidates of {items:,} items: values are no estimates of those over all items"
    warnings.warn(RankwiseWarning(message(what, hint=hint)), stacklevel=3)


def _check_k(k: int) -> None:
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise DataError(message(f"k must be a whole number from 1, not {k!r}"))
