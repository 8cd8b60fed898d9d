"""Which number that was not reported would tell apart the conventions that make the reported ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankwise.evaluation.grid import Grid, outcomes_or_none
from rankwise.evaluation.reported import Number, at_cut
from rankwise.evaluation.result import Result
from rankwise.evaluation.search import Candidate
from rankwise.measures.base import Measure
from rankwise.measures.tools import convention as named

__all__ = ["Further", "further"]

Values = npt.NDArray[np.float64]

# Cut-offs at which a number may be asked for.
_CUTS = (1, 2, 3, 5, 10, 20, 50, 100)
# How many conventions are tried, and how many runs and lists are looked at.
_TRIED, _FOLDS, _LISTS = 64, 5, 20


@dataclass(frozen=True, slots=True)
class Further:
    """A number that was not reported and would tell candidates apart."""

    what: str
    predictions: dict[str, tuple[int, ...]]
    """Each value that it may have, with the places of the candidates that predict it."""


def further(
    grid: Grid, candidates: Sequence[Candidate], numbers: Sequence[Number], results: Sequence[Result]
) -> Further | None:
    """The number, not reported, that tells most candidates apart; of one candidate, most of what it leaves open."""
    tried = _tried(candidates)
    offers: list[tuple[str, list[str]]] = []
    longer: list[tuple[str, list[str]]] = []
    for number, place in [(one, place) for one in _kinds(numbers) for place in one.places[:_FOLDS]]:
        lists = results[place].evaluated
        where = f" of {results[place].name or f'run {place + 1}'}" if len(results) > 1 else ""
        given = {n.measure.k for n in numbers if n.measure.name == number.measure.name}
        for k in [k for k in (*_CUTS, None) if k not in given] if number.measure.takes_k else []:
            outcomes = outcomes_or_none(lists, [_under(grid, one, number, k) for _, one in tried])
            means = np.array([math.nan if o is None else o.mean for o in outcomes])
            offers.append((f"{at_cut(number.measure, k)}{where}", _texts(means, number.digits)))
        outcomes = outcomes_or_none(lists, [_under(grid, one, number, number.measure.k) for _, one in tried])
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
        if pairs or (len(candidates) == 1 and many > 1):
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


def _texts(values: Values, digits: int) -> list[str]:
    return ["left out" if math.isnan(value) else f"{value:.{digits}f}" for value in values.tolist()]


def _distinct_in_columns(values: Values) -> npt.NDArray[np.int64]:
    """How many distinct values each column has."""
    ordered = np.sort(np.nan_to_num(values, nan=-1.0), axis=0)
    return np.asarray((np.diff(ordered, axis=0) != 0).sum(axis=0) + 1)
