"""Which conventions make a reported number: named tools first, then every point of a finite grid of choices.

Numbers were printed with so many digits, so that a convention fits where its mean prints alike. Several numbers of
several runs are made by one convention; each further number leaves fewer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.errors import DataError, MeasureError, RankwiseError, message
from rankwise.evaluation.columns import Evaluated
from rankwise.evaluation.grid import CHOICES, Grid, columns_or_none, spelled
from rankwise.evaluation.result import Outcome, Result
from rankwise.evaluation.table import Table
from rankwise.measures.base import Measure
from rankwise.measures.parse import measure as parse
from rankwise.measures.tools import convention as named
from rankwise.measures.tools import names as convention_names

__all__ = ["Candidate", "Further", "Identification", "Number", "identify"]

Values = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int64]
# What was reported: {measure: number}, or of several runs {run: {measure: number}}.
Reported = Mapping[str, Any]

# Means that are nearer to each other than this are one value, whatever the order in which they were added up.
_SAME = 1e-9
# So many numbers are searched over the whole grid; further ones are asked of what is left.
_IN_FULL = 8
# The grid is held as arrays.
_LARGEST = 1 << 26
# How many groups of choices are worked out for a candidate, and how many conventions are tried with other numbers.
_GROUPS, _TRIED = 12, 64
# How many runs and lists are looked at whose value might be asked for.
_FOLDS, _LISTS = 5, 20
# Cut-offs at which a further number may be asked for.
_CUTS = (1, 2, 3, 5, 10, 20, 50, 100)
# Measures that may exceed 1, and those that may be below 0.
_UNBOUNDED = (
    "DCG", "NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelRet", "Utility", "FirstRelevant", "WARPLoss",
)  # fmt: skip
_SIGNED = ("Tau", "Spearman", "Utility", "Bpref", "DCG")


def identify(
    results: Result | Sequence[Result],
    reported: Reported,
    *,
    digits: int = 4,
    truncated: bool = False,
    mean_of_folds: bool = False,
) -> Identification:
    """Finds the conventions under which a run has the numbers that were reported for it.

    `results` are what `evaluate` returned for one run or several, under whatever measures; `reported` is {measure:
    number}, or {name of the run: {measure: number}}, of which one convention must make all. Measures are named without
    a convention, such as "nDCG@10". A number has `digits` digits; one given as text, such as "0.227", has those that it
    shows. `truncated` says that digits were cut off instead of rounded, `mean_of_folds` that each number is the mean of
    the means of all results.

    The expected number of chance matches is Σ n(n − 1) / D over the D distinct values (vectors of the numbers) that the
    grid takes, where n of them print alike: how many others print as one drawn at random.

    >>> from rankwise import evaluate
    >>> labels, scores = [0, 2, 1, 2, 0, 1, 0, 0, 1, 2, 0], [7, 6, 5, 4, 7, 6, 5, 7, 6, 5, 4]
    >>> result = evaluate(labels, scores, "P@1", group=[4, 3, 4])
    >>> found = identify(result, {"nDCG@4": 0.4990})
    >>> found.names, found.is_settled, found.candidates[0].words
    (['letor3', 'letor4', 'mslr'], True, 'gain not linear, discount jarvelin, cut kept, short zero')
    >>> found.further.what, list(found.further.predictions)
    ('nDCG@2', ['0.5675', '0.5833'])
    """
    return Identification(results, reported, digits=digits, truncated=truncated, mean_of_folds=mean_of_folds)


@dataclass(frozen=True, slots=True)
class Number:
    """One reported number: which measure of which run, and how it was printed."""

    run: str
    text: str
    measure: Measure
    value: float
    digits: int
    truncated: bool
    # Of which results it is the mean.
    places: tuple[int, ...]

    @property
    def called(self) -> str:
        return f"{self.text} of {self.run}" if self.run else self.text

    def fits(self, means: Values) -> Marks:
        """Whether each mean is printed as this number."""
        unit = 10.0**-self.digits
        low, high = (0.0, unit) if self.truncated else (-unit / 2, unit / 2)
        with np.errstate(invalid="ignore"):
            return np.asarray((means >= self.value + low - _SAME) & (means <= self.value + high + _SAME))

    def printed(self, means: Values) -> Values:
        """The means as they would be printed."""
        if self.truncated:
            return np.floor(means * 10.0**self.digits + _SAME)
        return np.array([float(f"{mean:.{self.digits}f}") for mean in means.tolist()])


@dataclass(frozen=True, slots=True)
class Candidate:
    """Conventions that make the same values of all reported numbers, which fit."""

    names: tuple[str, ...]
    """Tools among them, and presets."""
    values: tuple[float, ...]
    """The value of each reported number."""
    groups: tuple[dict[str, tuple[Any, ...]], ...]
    """The points of the grid, as products of choices; an axis that is not there may have any choice."""
    points: int
    """How many points of the grid they are, where axes that cannot matter on these lists are not counted."""
    places: Codes = field(repr=False, compare=False)

    @property
    def words(self) -> str:
        """Its choices in words; for several groups of choices, the first ones."""
        said = [_said(group) for group in self.groups[:3]]
        more = f"; and {len(self.groups) - 3} more groups" if len(self.groups) > 3 else ""
        return ("; or ".join(said) or "no one point of the grid") + more


@dataclass(frozen=True, slots=True)
class Further:
    """A number that was not reported and would tell candidates apart."""

    what: str
    predictions: dict[str, tuple[int, ...]]
    """Each value that it may have, with the places of the candidates that predict it."""


class Identification:
    """The conventions that fit, how sure that is, and what would make it surer."""

    def __init__(
        self,
        results: Result | Sequence[Result],
        reported: Reported,
        *,
        digits: int,
        truncated: bool,
        mean_of_folds: bool,
    ) -> None:
        self.results = _results(results)
        self.numbers = _numbers(self.results, reported, digits, truncated, mean_of_folds)
        self._lists = [result.evaluated for result in self.results]
        self.grid = Grid([number.measure for number in self.numbers], self._lists)
        if math.prod(self.grid.shape) > _LARGEST:
            hint = "give fewer kinds of measures at once."
            raise MeasureError(message("the conventions of these measures together are too many to search", hint=hint))
        search = _Search(self.grid, self._lists, self.numbers)
        self.points = self.grid.points
        """How many conventions the grid has."""
        self.distinct = search.distinct
        """How many distinct values (vectors of the first eight numbers) they take on these lists."""
        self.chance = search.chance
        """How many others print the same numbers as one of them drawn at random: Σ n(n − 1) / D."""
        self.nearest = search.nearest
        """Where nothing fits, the value of each number that comes nearest."""
        self.asked = len(convention_names())
        """How many named conventions were asked."""
        self.candidates = _candidates(search, _named(self._lists, self.numbers), self.grid)
        self.further = _further(self) if self.candidates else None
        """The number that would tell most of the candidates apart; None if none does."""

    @property
    def names(self) -> list[str]:
        """The named conventions that fit."""
        return [name for candidate in self.candidates for name in candidate.names]

    @property
    def is_settled(self) -> bool:
        """Whether one value fits, and no chance match is to be expected."""
        return len(self.candidates) == 1 and self.chance <= 1

    # Its forms.

    @property
    def verdict(self) -> str:
        if not self.candidates:
            nearest = ", ".join(
                f"{n.called} = {v:.{n.digits + 2}f}" for n, v in zip(self.numbers, self.nearest, strict=True) if v == v
            )
            return (
                "no convention of the grid and no named one has "
                + ("this number" if len(self.numbers) == 1 else "all these numbers")
                + (f"; the nearest has {nearest}" if nearest else "")
                + ". Is it this run, and are these the judgments?"
            )
        if self.is_settled:
            return "identified: one value fits; choices that are not named above change none of these numbers."
        many = len(self.candidates)
        fit = "one value fits" if many == 1 else f"{many:,} values fit"
        return f"not identifiable from this: {fit}, and {self.chance:.2g} would fit by chance."

    def table(self, *, most: int = 20) -> Table:
        """One row a candidate, named ones first; below, what was searched and what would settle it."""
        shown = self.numbers if len(self.numbers) <= 5 else ()
        rows = []
        for at, candidate in enumerate(self.candidates[:most], 1):
            values = [
                f"{v:.{n.digits + 2}f}" for n, v in zip(self.numbers, candidate.values, strict=True) if n in shown
            ]
            rows.append([str(at), ", ".join(candidate.names) or "–", *values, candidate.words])
        head = ["", "named", *(number.called for number in shown), "choices"]
        title = "reported: " + ", ".join(f"{n.called} = {n.value:.{n.digits}f}" for n in self.numbers[:8])
        title += f" and {len(self.numbers) - 8} more" if len(self.numbers) > 8 else ""
        return Table(head, rows, self._notes(most), title, frozenset({0, 1, len(head) - 1}))

    def _notes(self, most: int) -> list[str]:
        left_out = len(self.candidates) - most
        axes = " × ".join(f"{axis} {len(choices)}" for axis, choices in self.grid.choices.items())
        notes = [f"and {left_out:,} more candidates"] if left_out > 0 else []
        notes += [
            f"searched: {self.asked} named conventions, and a grid of {self.points:,} ({axes}), "
            f"which takes {self.distinct:,} distinct values on these lists",
            f"expected by chance: {self.chance:.2g} others, "
            f"Σ n(n − 1) / {self.distinct:,} over values of which n print alike",
            self.verdict,
        ]
        if self.further is not None and len(self.candidates) > 1:
            said = "; ".join(f"{v} ({', '.join(map(str, at))})" for v, at in self.further.predictions.items())
            notes.append(f"what would tell them apart best: {self.further.what}, which is {said}")
        elif self.further is not None:
            said = " or ".join(self.further.predictions)
            notes.append(f"what would narrow the choices left: {self.further.what}, which is {said}")
        elif len(self.candidates) > 1:
            notes.append(
                "no further number of these measures, at another cut-off or of one list, tells them apart here"
            )
        return notes

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        reported = [{"run": n.run, "measure": n.text, "value": n.value, "digits": n.digits} for n in self.numbers]
        candidates = [
            {
                "names": list(candidate.names),
                "values": list(candidate.values),
                "points": candidate.points,
                "choices": [
                    {axis: [spelled(choice) for choice in choices] for axis, choices in group.items()}
                    for group in candidate.groups
                ],
            }
            for candidate in self.candidates
        ]
        further = self.further and {
            "number": self.further.what,
            "predictions": [{"value": v, "candidates": list(at)} for v, at in self.further.predictions.items()],
        }
        return {
            "reported": reported,
            "candidates": candidates,
            "settled": self.is_settled,
            "grid": {axis: len(choices) for axis, choices in self.grid.choices.items()},
            "points": self.points,
            "named": self.asked,
            "distinct": self.distinct,
            "chance": self.chance,
            "further": further,
            "verdict": self.verdict,
        }

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().to_html()


# The search.


class _Search:
    """The points of the grid that make all numbers, and how many values the grid takes."""

    def __init__(self, grid: Grid, lists: Sequence[Evaluated], numbers: Sequence[Number]) -> None:
        self.grid, self.count = grid, len(numbers)
        self.fit = np.ones(grid.shape, bool)
        self.means: dict[int, Values] = {}
        self._off = np.zeros((1,) * len(grid.shape))
        # Spread over the numbers, so that they are of many runs and measures.
        full = dict.fromkeys(np.linspace(0, len(numbers) - 1, min(len(numbers), _IN_FULL)).astype(int).tolist())
        for at in [*full, *(at for at in range(len(numbers)) if at not in full)]:
            number = numbers[at]
            wanted = None if at in full else self.fit
            means = np.mean([grid.means(lists[place], number.measure, wanted) for place in number.places], axis=0)
            self.means[at] = means
            self.fit &= number.fits(means)
            off = np.where(np.isnan(means), np.inf, np.abs(means - number.value) * 10.0**number.digits)
            self._off = np.maximum(self._off, off)
            if wanted is not None and not self.fit.any():
                break
        self.codes, firsts = _codes([self.means[at] for at in full], grid.shape)
        self.distinct = len(firsts)
        values = [np.broadcast_to(self.means[at], grid.shape).ravel()[firsts] for at in full]
        printed = np.array([numbers[at].printed(of) for at, of in zip(full, values, strict=True)])
        alike = np.unique(printed, axis=1, return_counts=True)[1] if self.distinct else np.zeros(0)
        self.chance = float((alike * (alike - 1)).sum() / max(1, self.distinct))

    @property
    def nearest(self) -> tuple[float, ...]:
        """The values at the point whose greatest deviation, in units of the last digit, is least."""
        place = int(np.broadcast_to(self._off, self.grid.shape).argmin())
        return tuple(self._value(n, place) if n in self.means else math.nan for n in range(self.count))

    def values(self, at: int) -> tuple[float, ...]:
        """The value of each number at a point, by its place in the flat grid."""
        return tuple(self._value(number, at) for number in range(self.count))

    def _value(self, number: int, at: int) -> float:
        return float(np.broadcast_to(self.means[number], self.grid.shape)[np.unravel_index(at, self.grid.shape)])


def _codes(means: Iterable[Values], shape: tuple[int, ...]) -> tuple[Codes, Codes]:
    """A code for each point of the grid, equal where all means are, −1 where one is undefined; where each first is."""
    codes = np.zeros((1,) * len(shape), np.int64)
    # Numbers that look at the same axes first: their arrays are small.
    for one in sorted(means, key=lambda array: array.shape):
        mine = _classes(one)
        both = np.where((codes < 0) | (mine < 0), -1, codes * (int(mine.max()) + 1) + mine)
        codes = np.unique(both, return_inverse=True)[1].reshape(both.shape) - int(both.min() < 0)
    codes = np.broadcast_to(codes, shape)
    found, firsts = np.unique(codes, return_index=True)
    return codes, firsts[found >= 0]


def _classes(means: Values) -> Codes:
    """Equal codes for values that are one but for rounding; −1 for what is undefined."""
    flat = means.ravel()
    order = np.argsort(flat, kind="stable")
    rises = np.diff(flat[order], prepend=-np.inf) > _SAME
    codes = np.empty(len(flat), np.int64)
    codes[order] = np.cumsum(rises) - 1
    codes[np.isnan(flat)] = -1
    return codes.reshape(means.shape)


def _candidates(search: _Search, by_values: dict[tuple[float, ...], list[str]], grid: Grid) -> list[Candidate]:
    """The points that fit by the values that they have, with the named conventions of the same values."""
    found: list[Candidate] = []
    if search.fit.any():
        places = np.flatnonzero(search.fit)
        # Numbers that were not searched in full may tell points apart that have one code.
        mine = [_classes(np.broadcast_to(means, grid.shape).ravel()[places]) for means in search.means.values()]
        of_place = np.unique(np.stack(mine), axis=1, return_inverse=True)[1].ravel()
        for which in range(int(of_place.max()) + 1):
            members = places[of_place == which]
            values = search.values(int(members[0]))
            alike = [key for key in by_values if np.allclose(key, values, rtol=0, atol=_SAME)]
            names = [name for key in alike for name in by_values.pop(key)]
            found.append(Candidate(tuple(names), values, _groups(grid, members), len(members), members))
    found += [Candidate(tuple(names), values, (), 0, np.zeros(0, np.int64)) for values, names in by_values.items()]
    order = convention_names()
    first = {id(c): min((order.index(name) for name in c.names), default=len(order)) for c in found}
    return sorted(found, key=lambda c: (not c.names, first[id(c)], -c.points))


def _groups(grid: Grid, places: Codes) -> tuple[dict[str, tuple[Any, ...]], ...]:
    """Points as few products of choices: each is grown axis by axis from a point that is in none yet."""
    fit = np.zeros(grid.shape, bool)
    fit.flat[places] = True
    left = fit.copy()
    found: list[dict[str, tuple[Any, ...]]] = []
    while left.any() and len(found) < _GROUPS:
        chosen = [[int(i)] for i in np.unravel_index(int(left.argmax()), grid.shape)]
        for axis, size in enumerate(grid.shape):
            others = [i for i in range(size) if i not in chosen[axis]]
            chosen[axis] += [i for i in others if fit[np.ix_(*chosen[:axis], [i], *chosen[axis + 1 :])].all()]
        left[np.ix_(*chosen)] = False
        kept = zip(grid.kept.items(), chosen, strict=True)
        found.append({axis: tuple(all_[i] for i in sorted(at)) for (axis, all_), at in kept if len(at) < len(all_)})
    return tuple(found)


def _said(group: Mapping[str, Sequence[Any]]) -> str:
    """The choices on the axes that are not free; of most of an axis, those that are not among them."""
    parts = []
    for axis, choices in group.items():
        # That scores stay tied is a choice for the few measures with a rule for it.
        others = [one for one in CHOICES[axis] if one not in choices and (axis, one) != ("ties", "kept")]
        few, word = (others, "not ") if len(others) < len(choices) else (choices, "")
        parts.append(f"{axis} {word}{' or '.join(map(spelled, few))}")
    return ", ".join(parts) or "any"


# Named conventions.


def _named(lists: Sequence[Evaluated], numbers: Sequence[Number]) -> dict[tuple[float, ...], list[str]]:
    """The named conventions that make all numbers, by the values they give."""
    left: dict[str, tuple[float, ...]] = dict.fromkeys(convention_names(), ())
    for number in numbers:
        measures = {name: one for name in left if (one := _of_tool(number, name)) is not None}
        means = np.mean([_means(lists[place], list(measures.values())) for place in number.places], axis=0)
        fits = number.fits(means)
        left = {name: (*left[name], float(mean)) for name, mean, fit in zip(measures, means, fits, strict=True) if fit}
        if not left:
            break
    found: dict[tuple[float, ...], list[str]] = {}
    for name, values in left.items():
        key = next((k for k in found if np.allclose(k, values, rtol=0, atol=_SAME)), values)
        found.setdefault(key, []).append(name)
    return found


def _of_tool(number: Number, name: str) -> Measure | None:
    """The measure as the tool computes it; its own words first, such as NDCG of RankLib, which is cut at 10."""
    try:
        return parse(number.text, name)
    except RankwiseError:
        return None


def _means(lists: Evaluated, measures: Sequence[Measure]) -> Values:
    """The mean of each measure; NaN where it is refused."""
    return np.array([math.nan if o is None else o.mean for o in _outcomes(lists, measures)])


def _outcomes(lists: Evaluated, measures: Sequence[Measure]) -> list[Outcome | None]:
    distinct = list(dict.fromkeys(measures))
    orders: dict[Any, list[Measure]] = {}
    for one in distinct:
        orders.setdefault((one.convention.ties, one.convention.precision), []).append(one)
    found: dict[Measure, Outcome | None] = {}
    for members in orders.values():
        for one, column in zip(members, columns_or_none(lists, members), strict=True):
            try:
                found[one] = None if column is None else Outcome(str(one), one, *column, lists)
            except DataError:  # a query that the run lacks
                found[one] = None
    return [found[one] for one in measures]


# What would tell more.


def _further(found: Identification) -> Further | None:
    """The number, not reported, that tells most candidates apart; of one candidate, most of what it leaves open."""
    tried = _tried(found.candidates)
    offers: list[tuple[str, list[str]]] = []
    longer: list[tuple[str, list[str]]] = []
    for number, place in [(one, place) for one in _kinds(found.numbers) for place in one.places[:_FOLDS]]:
        lists = found._lists[place]
        where = f" of {found.results[place].name or f'run {place + 1}'}" if len(found.results) > 1 else ""
        given = {n.measure.k for n in found.numbers if n.measure.name == number.measure.name}
        for k in [k for k in (*_CUTS, None) if k not in given] if number.measure.takes_k else []:
            outcomes = _outcomes(lists, [_under(found.grid, one, number, k) for _, one in tried])
            means = np.array([math.nan if o is None else o.mean for o in outcomes])
            offers.append((f"{_at(number.measure, k)}{where}", _texts(means, number.digits)))
        outcomes = _outcomes(lists, [_under(found.grid, one, number, number.measure.k) for _, one in tried])
        values = np.stack([np.full(len(lists), np.nan) if o is None else o.values for o in outcomes])
        distinct = _distinct_in_columns(np.round(values, number.digits))
        for at in np.argsort(-distinct, kind="stable")[:_LISTS].tolist():
            offers.append((f"{number.text} of list {lists.called(at)}{where}", _texts(values[:, at], number.digits)))
        means = np.array([math.nan if o is None else o.mean for o in outcomes])
        longer.append((f"{number.text}{where} to {number.digits + 2} digits", _texts(means, number.digits + 2)))
    places = [place for place, _ in tried]
    # More digits of a number are asked for where no other number helps.
    for several in (offers, longer):
        what, texts = max(several, key=lambda offer: _told_apart(places, offer[1]))
        pairs, many = _told_apart(places, texts)
        if pairs or (len(found.candidates) == 1 and many > 1):
            break
    else:
        return None
    predictions: dict[str, set[int]] = {}
    for place, text in zip(places, texts, strict=True):
        predictions.setdefault(text, set()).add(place + 1)
    return Further(what, {text: tuple(sorted(predictions[text])) for text in sorted(predictions)})


def _told_apart(places: Sequence[int], texts: Sequence[str]) -> tuple[int, int]:
    """How many pairs of candidates have no value in common, and how many values there are."""
    of = [{text for place, text in zip(places, texts, strict=True) if place == one} for one in range(max(places) + 1)]
    return sum(a.isdisjoint(b) for at, a in enumerate(of) for b in of[:at]), len(set(texts))


def _kinds(numbers: Sequence[Number]) -> list[Number]:
    """The first number of each kind of measure."""
    return list({number.measure.name: number for number in reversed(numbers)}.values())[::-1]


def _tried(candidates: Sequence[Candidate]) -> list[tuple[int, int | str]]:
    """Places of candidates, each with some points of the grid that are among its own, or its name if none is."""
    room = max(1, _TRIED // len(candidates))
    tried: list[tuple[int, int | str]] = []
    for at, candidate in enumerate(candidates[:_TRIED]):
        places = candidate.places
        spread = np.linspace(0, len(places) - 1, room).astype(int).tolist() if len(places) else []
        tried += [(at, int(places[i])) for i in dict.fromkeys(spread)] or [(at, candidate.names[0])]
    return tried


def _under(grid: Grid, convention: int | str, number: Number, k: int | None) -> Measure:
    """The measure of a number, cut at k, at a point of the grid or under a named convention."""
    measure = number.measure
    chosen = (
        named(convention, measure.name, k)
        if isinstance(convention, str)
        else grid.convention(measure.convention, convention)
    )
    return type(measure)(k, convention=chosen, **measure._parameters())


def _at(measure: Measure, k: int | None) -> str:
    """What a measure is called at another cut-off."""
    return str(type(measure)(k, convention=measure.convention, **measure._parameters()))


def _texts(values: Values, digits: int) -> list[str]:
    return ["left out" if math.isnan(value) else f"{value:.{digits}f}" for value in values.tolist()]


def _distinct_in_columns(values: Values) -> Codes:
    """How many distinct values each column has."""
    ordered = np.sort(np.nan_to_num(values, nan=-1.0), axis=0)
    return np.asarray((np.diff(ordered, axis=0) != 0).sum(axis=0) + 1)


# What is reported.


def _results(results: Any) -> list[Result]:
    found = [results] if isinstance(results, Result) else list(results) if isinstance(results, Iterable) else []
    if not found or not all(isinstance(one, Result) for one in found):
        hint = "identify(evaluate(qrels, run), {'nDCG@10': 0.2266})."
        raise DataError(message("a result of `evaluate` is needed, or several", hint=hint))
    return found


def _numbers(
    results: Sequence[Result], reported: Reported, digits: int, truncated: bool, mean_of_folds: bool
) -> list[Number]:
    """Each reported number with the results that it is of."""
    if isinstance(digits, bool) or not isinstance(digits, (int, np.integer)) or not 1 <= digits <= 15:
        raise RankwiseError(message(f"digits lies between 1 and 15, not at {digits!r}"))
    if not isinstance(reported, Mapping) or not reported:
        hint = "give {'nDCG@10': 0.2266}."
        raise RankwiseError(message("no reported number is given", hint=hint))
    everywhere = tuple(range(len(results)))
    tables = [isinstance(one, Mapping) for one in reported.values()]
    if any(tables) and not all(tables):
        raise RankwiseError(message("numbers stand beside tables of runs", hint="give {run: {measure: number}}."))
    if not any(tables):
        if len(results) > 1 and not mean_of_folds:
            what = f"there are {len(results)} results, and whose the numbers are is not said"
            hint = "give {run: {measure: number}}, or mean_of_folds=True if each is the mean over these results."
            raise RankwiseError(message(what, hint=hint))
        return [_number("", text, value, digits, truncated, everywhere) for text, value in reported.items()]
    if mean_of_folds:
        what = "a mean of folds is a number of all results together, and numbers of single runs are given"
        raise RankwiseError(message(what, hint="give {measure: number}."))
    return [
        _number(run, text, value, digits, truncated, (_place(results, run),))
        for run, table in reported.items()
        for text, value in table.items()
    ]


def _place(results: Sequence[Result], run: str) -> int:
    names = [result.name for result in results]
    if names.count(run) != 1:
        known = ", ".join(repr(name) for name in names)
        what = f"there is no run '{run}'" if run not in names else f"there are several runs '{run}'"
        raise DataError(message(what, hint=f"the runs are {known}; evaluate(…, name=…) names one."))
    return names.index(run)


def _number(run: str, text: Any, value: Any, digits: int, truncated: bool, places: tuple[int, ...]) -> Number:
    measure = _measure(text)
    if isinstance(value, str):
        digits = _digits_of(text, value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise RankwiseError(message(f"{text}: {value!r} is not a number")) from None
    if abs(round(number, digits) - number) > 1e-9 * 10.0**-digits:
        hint = f"give the number as text, '{value}', or digits=."
        raise RankwiseError(message(f"{text}: {value} has more than the {digits} digits that were printed", hint=hint))
    _refuse_out_of_range(text, measure, number)
    return Number(run, text, measure, number, digits, truncated, places)


def _digits_of(text: str, value: str) -> int:
    """How many decimals a number shows."""
    whole, dot, decimals = value.strip().partition(".")
    if not dot or not decimals.isascii() or not decimals.isdigit() or not whole.lstrip("+-").isascii():
        hint = "write it with the decimals that were printed, like 0.2266."
        raise RankwiseError(message(f"{text}: '{value}' shows no decimals", hint=hint))
    if len(decimals) > 15:
        raise RankwiseError(message(f"{text}: '{value}' has more decimals than a number holds, which is 15"))
    return len(decimals)


def _measure(text: Any) -> Measure:
    """The measure of a reported number, whose convention is not known."""
    measure = parse(text)
    if measure.convention.name != "standard" or ":" in text.partition("(")[0]:
        hint = f"write {text.partition(':')[2]}; to see one convention, evaluate it."
        raise MeasureError(message(f"'{text}' names a convention, which is what is looked for", hint=hint))
    if measure != type(measure)(measure.k, **measure._parameters()):
        hint = f"write {_at(type(measure)(**measure._parameters()), measure.k)}."
        raise MeasureError(message(f"'{text}' makes choices of a convention, which is what is looked for", hint=hint))
    return measure


def _refuse_out_of_range(text: str, measure: Measure, value: float) -> None:
    if not math.isfinite(value):
        raise RankwiseError(message(f"{text}: {value} is no value of a measure"))
    if value > 1 and measure.name not in _UNBOUNDED:
        hint = f"a percentage is written as a share: {value / 100:g}." if value <= 100 else ""
        raise RankwiseError(message(f"{text}: {value:g} is out of range, {measure.name} is at most 1", hint=hint))
    if value < 0 and measure.name not in _SIGNED:
        raise RankwiseError(message(f"{text}: {value:g} is out of range, {measure.name} is never negative"))
