"""Which conventions make a reported number: named tools first, then every point of a finite grid of choices.

Numbers were printed with so many digits, so that a convention fits where its mean prints alike. Several numbers of
several runs are made by one convention; each further number leaves fewer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rankwise.errors import MeasureError, message
from rankwise.evaluation.further import further
from rankwise.evaluation.grid import Grid, spelled
from rankwise.evaluation.reported import Reported, checked_results, numbers
from rankwise.evaluation.result import Result
from rankwise.evaluation.search import Search, candidates, named_fits
from rankwise.evaluation.table import Table
from rankwise.measures.tools import names as convention_names

__all__ = ["Identification", "identify"]

# The grid is held as arrays, of some 60 bytes a point.
_LARGEST = 1 << 25


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
        self.results = checked_results(results)
        self.numbers = numbers(self.results, reported, digits, truncated, mean_of_folds)
        lists = [result.evaluated for result in self.results]
        self.grid = Grid([number.measure for number in self.numbers], lists)
        if math.prod(self.grid.shape) > _LARGEST:
            hint = "give fewer kinds of measures at once."
            raise MeasureError(message("the conventions of these measures together are too many to search", hint=hint))
        search = Search(self.grid, lists, self.numbers)
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
        self.candidates = candidates(search, named_fits(lists, self.numbers), self.grid)
        self.further = further(self.grid, self.candidates, self.numbers, self.results) if self.candidates else None
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
        # Those with names stand first.
        named = sum(bool(candidate.names) for candidate in self.candidates)
        only = "; of them the first alone has a name" if many > named == 1 else ""
        return f"not identifiable from this: {fit}, and {self.chance:.2g} would fit by chance{only}."

    def table(self, *, most: int = 20) -> Table:
        """One row a candidate, named ones first; below, what was searched and what would settle it."""
        shown = self.numbers if len(self.numbers) <= 5 else ()
        rows = []
        for at, candidate in enumerate(self.candidates[:most], 1):
            values = [
                f"{v:.{n.digits + 2}f}" for n, v in zip(self.numbers, candidate.values, strict=True) if n in shown
            ]
            rows.append([str(at), ", ".join(candidate.names) or "–", *values, candidate.words])
        if not rows:
            nearest = [f"{v:.{n.digits + 2}f}" for n, v in zip(self.numbers, self.nearest, strict=True) if n in shown]
            rows.append(["–", "none fits", *nearest, "the nearest point of the grid"])
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
            f"chance matches to expect: {self.chance:.2g}, Σ n(n − 1) / {self.distinct:,} where n of these values "
            "print alike",
            self.verdict,
        ]
        if not self.candidates:
            del notes[-2]
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
            "nearest": None if self.candidates else [None if math.isnan(value) else value for value in self.nearest],
            "verdict": self.verdict,
        }

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().to_html()
