"""Simulates hotel searches, ranks them by a few rules, and shows which rule wins under eight conventions and why.

It needs no data and nothing else than Rankwise itself.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from textwrap import fill

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.data.simulate import BOOKED, CLICKED, hotel_searches
from rankwise.evaluation.effects import Effect, effects, single_changes
from rankwise.evaluation.evaluate import evaluate
from rankwise.evaluation.present import convention_line, sentence
from rankwise.evaluation.result import Result
from rankwise.evaluation.table import Table
from rankwise.measures.base import Measure
from rankwise.measures.convention import Labels
from rankwise.measures.parse import measure

__all__ = ["Demonstration", "demonstrate"]

EXAMPLES = """examples:
  rankwise demo
  rankwise demo --seed 7
  rankwise demo --searches 200
"""

# The presets and six tools that compute nDCG. LETOR 3's is left out: for nDCG it makes LETOR 4's choices.
CONVENTIONS = ("standard", "hotels", "letor4", "mslr", "yahoo", "ranklib1", "ranklib2", "trec_eval")
MEASURE = "nDCG@5"

RULES: dict[str, Callable[[Dataset], npt.NDArray[np.floating]]] = {
    "cheapest": lambda hotels: -hotels.feature("price"),
    "most stars": lambda hotels: hotels.feature("stars"),
    "best reviewed": lambda hotels: hotels.feature("review_score"),
    "most reviews": lambda hotels: hotels.feature("reviews"),
    "best located": lambda hotels: hotels.feature("location_score"),
    "value": lambda hotels: hotels.feature("review_score") / hotels.feature("price"),
}
# The order in which the site showed the properties is no contender: customers look at the first places most, so that
# the clicks speak for whatever stood there.
REFERENCE = "as shown"

WIDTH = 100
_NOTES = (
    f"* the winner. `{REFERENCE}` is no contender: customers look at the first places most.",
    "The rows stand in that order too, so that ties `as given` fall to what was shown first.",
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="another seed makes other searches (default 0)"
    )
    parser.add_argument("--searches", type=int, default=2_000, metavar="N", help="how many searches (default 2000)")


def run(arguments: Namespace) -> int:
    print(demonstrate(arguments.searches, seed=arguments.seed))
    return 0


def demonstrate(searches: int = 2_000, *, seed: int = 0) -> Demonstration:
    """Rules for ranking simulated hotel searches, under eight conventions.

    >>> demonstrate(100).verdict().splitlines()[0]  # doctest: +ELLIPSIS
    'The winner ...'
    """
    data = hotel_searches(searches, seed=seed)
    assert data.positions is not None
    measures = tuple(measure(f"{name}:{MEASURE}") for name in CONVENTIONS)
    singles = [single for m in measures for single in single_changes(measures[0], m.convention).values()]
    # Two tools often make the same choice.
    wanted = dict.fromkeys([*measures, *singles])
    return Demonstration(
        seed=seed,
        data=data,
        measures=measures,
        results=tuple(evaluate(data, rule(data), wanted, name=name) for name, rule in RULES.items()),
        reference=evaluate(data, np.negative(data.positions), measures, name=REFERENCE),
    )


@dataclass(frozen=True, kw_only=True)
class Demonstration:
    """What the verb shows: values of rules under conventions, why they differ, and whether the winner changes."""

    seed: int
    data: Dataset
    measures: tuple[Measure, ...]
    """One a convention, `standard` first."""
    results: tuple[Result, ...]
    """One a rule."""
    reference: Result

    @cached_property
    def values(self) -> npt.NDArray[np.float64]:
        """Means, conventions × rules."""
        return np.array([[result[m].mean for result in self.results] for m in self.measures])

    @cached_property
    def winners(self) -> list[list[str]]:
        """For each convention the rules of the greatest value: several if theirs are equal."""
        return [[r.name for r, wins in zip(self.results, row == row.max(), strict=True) if wins] for row in self.values]

    @cached_property
    def effects(self) -> list[list[Effect]]:
        """For each convention the single choices by which it departs from `standard`, if they change a value."""
        return [effects(self.results, self.measures[0], m.convention) for m in self.measures]

    @property
    def names(self) -> list[str]:
        """The names of the conventions."""
        return [m.convention.name for m in self.measures]

    def __str__(self) -> str:
        standard = fill(convention_line("standard", self.measures[:1], runs=False), WIDTH, subsequent_indent="  ")
        return "\n\n".join([self._searches(), str(self.table()), standard, str(self.reasons()), self.verdict()])

    def _searches(self) -> str:
        sizes = np.diff(self.data.offsets)
        best = np.maximum.reduceat(self.data.labels, self.data.offsets[:-1])
        k = self.measures[0].k
        return (
            f"{len(self.data):,} simulated hotel searches (seed {self.seed}): {(best > 0).mean():.0%} with a click, "
            f"{(best == BOOKED).mean():.0%} with a booking.\n"
            f"They showed {sizes.min()} to {sizes.max()} properties, {(sizes < k).sum():,} of them fewer than {k}. "
            f"Labels: booked {BOOKED}, clicked {CLICKED}, else 0."
        )

    def table(self) -> Table:
        """Conventions × rules, the winners marked."""
        rows = []
        for m, winners in zip(self.measures, self.winners, strict=True):
            cells = [f"{'*' if r.name in winners else ''}{r[m].mean:.4f}" for r in self.results]
            rows.append([m.convention.name, *cells, f"{self.reference[m].mean:.4f}"])
        return Table([MEASURE, *(r.name for r in self.results), REFERENCE], rows, _NOTES)

    def reasons(self) -> Table:
        """For each convention the choices that make its values differ from those of `standard`."""
        rows = []
        for name, found in zip(self.names[1:], self.effects[1:], strict=True):
            lines = [[self._words(effect), f"{effect.lists:,}", _range(effect.changes)] for effect in found]
            for at, line in enumerate(lines or [["no choice alone changes a value here", "", ""]]):
                rows.append(["" if at else name, *line])
        head = ["each choice alone", "put into standard", "lists", "change of the means"]
        return Table(head, rows, left=frozenset({0, 1}))

    def _words(self, effect: Effect) -> str:
        if effect.axis == "gain":
            return _gains(np.unique(self.data.labels).astype(np.float64), self.measures[0], effect.measure)
        return sentence(effect.measure.convention, effect.axis)

    def verdict(self) -> str:
        """Whether the winner changes, how close it is, and whether the rules change places."""
        return "\n".join([self._winner(), self._leads(), self._moves()])

    def _winner(self) -> str:
        under: dict[str, list[str]] = {}
        for name, winners in zip(self.names, self.winners, strict=True):
            under.setdefault(" and ".join(winners), []).append(name)
        if len(under) == 1:
            return f"The winner does not change: {next(iter(under))}, under all {len(self.names)} conventions."
        lines = (f"  {rule}: {', '.join(names)}" for rule, names in under.items())
        return "\n".join(["The winner changes:", *(fill(line, WIDTH, subsequent_indent="    ") for line in lines)])

    def _leads(self) -> str:
        second, first = np.sort(self.values, axis=1)[:, -2:].T
        lead = first - second
        least, greatest = (f"{lead[at]:.4f} ({self.names[at]})" for at in (lead.argmin(), lead.argmax()))
        return f"Its lead over the second is {least} to {greatest}."

    def _moves(self) -> str:
        places = 1 + (self.values[:, None, :] > self.values[:, :, None]).sum(axis=2)
        orders = len(np.unique(places, axis=0))
        if orders == 1:
            return "The rules keep their places under all of them."
        rule = int(np.ptp(places, axis=0).argmax())
        best, worst = int(places[:, rule].argmin()), int(places[:, rule].argmax())
        ends = (f"place {places[at, rule]} under {self.names[at]}" for at in (best, worst))
        return (
            f"The rules stand in {orders} different orders.\nMoves most: {self.results[rule].name}, {', '.join(ends)}."
        )


def _gains(labels: Labels, before: Measure, after: Measure) -> str:
    """Which labels are worth something else."""
    old, new = (m.convention.gains(labels) for m in (before, after))
    table = after.convention.gain
    known = dict(table) if isinstance(table, tuple) else None
    said = []
    for label, was, is_now in zip(labels.tolist(), old.tolist(), new.tolist(), strict=True):
        if was != is_now:
            why = "" if known is None or label in known else " (outside its table)"
            said.append(f"label {label:g}: {is_now:g}{why}, not {was:g}")
    return f"gain of {'; '.join(said)}"


def _range(changes: tuple[float, ...]) -> str:
    low, high = (f"{end:+.4f}" for end in (min(changes), max(changes)))
    return low if low == high else f"{low} to {high}"
