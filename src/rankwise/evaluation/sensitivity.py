"""Whether the winner survives: several systems on the same lists under every convention that computes a measure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankwise.errors import MeasureError, RankwiseError, message
from rankwise.evaluation.result import EMPTY, MISSING, Result
from rankwise.evaluation.significance import correct, randomisation
from rankwise.evaluation.table import Table
from rankwise.evaluation.winners import Choice, Field, Grid, Kinds, Standing, alternatives, pairs, settled
from rankwise.measures.base import Measure

if TYPE_CHECKING:
    from rankwise.data.formats.files import PathLike

__all__ = ["Change", "Named", "Sensitivity", "Verdict", "sensitivity"]

Values = npt.NDArray[np.float64]

PERMUTATIONS = 10_000
# The most settings of the axes' product that are all computed.
SETTINGS = 4096


def sensitivity(
    results: Sequence[Result],
    measure: Measure | str = "nDCG@10",
    *,
    conventions: Iterable[str] | None = None,
    everything: bool = False,
    level: float = 0.05,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    settings: int = SETTINGS,
) -> Sensitivity:
    """Ranks several systems under all conventions that compute a measure, and says which choice changes a winner.

    `results` are those of `evaluate` for each system on the same lists; which measures they hold does not matter.
    `measure` has the convention that the others are held against, `standard` unless it says so. `conventions` are the
    names to look at, all that compute the measure if it is left out. The axes' product is that of the choices which
    these make; `everything` adds choices that no tool makes. Where it has more than `settings`, each choice is changed
    alone and in pairs. A winner is significant below `level` by the randomisation test with so many `permutations`,
    corrected by Holm's method over the pairs of systems under one convention.

    >>> from rankwise import evaluate
    >>> labels, group = [1, 0, 1, 0, 1, 0, 0, 0], [2, 2, 4]
    >>> scores = {"old": [2, 1, 2, 1, 2, 4, 3, 1], "new": [1, 2, 1, 2, 4, 3, 2, 1]}
    >>> systems = [evaluate(labels, of, group=group, name=name) for name, of in scores.items()]
    >>> found = sensitivity(systems, "nDCG@3")
    >>> found.winners["standard"], found.winners["letor4"]
    ('old', 'new')
    >>> [verdict.axis for verdict in found.axes if verdict.changes]
    ['discount', 'short']
    """
    return Sensitivity(
        results,
        _parsed(measure),
        conventions=conventions,
        everything=everything,
        level=level,
        permutations=permutations,
        seed=seed,
        settings=settings,
    )


@dataclass(frozen=True)
class Named:
    """The conventions under which all systems get the same numbers, and what these are."""

    names: tuple[str, ...]
    standing: Standing
    p: Values
    """Of each pair of systems, corrected over the pairs."""

    @property
    def label(self) -> str:
        return self.names[0] if len(self.names) == 1 else f"{self.names[0]} +{len(self.names) - 1}"


@dataclass(frozen=True)
class Side:
    """A winner of a pair under one measure."""

    measure: Measure
    lead: float
    """By how much it is better."""
    p: float


@dataclass(frozen=True)
class Change:
    """A pair of systems of which either wins, as far as one axis decides."""

    pair: tuple[str, str]
    share: float
    """Of the settings of the other axes, in how many the axis alone changes the winner."""
    sides: tuple[tuple[Side, Side], ...]
    """Two settings that differ on this axis only, in which the first and the second system win: those with the clearest
    winner, and those in which both winners are clear."""

    def significant(self, level: float) -> int:
        """On how many sides at once the winner is significant: 0, 1 or 2."""
        return max(sum(side.p < level for side in both) for both in self.sides)


@dataclass(frozen=True)
class Verdict:
    """What an axis does to the winners."""

    axis: str
    groups: tuple[tuple[Choice, ...], ...]
    """The choices, those together that cannot change a winner among them."""
    why: str
    """Why it cannot change a winner; empty if it may."""
    changes: tuple[Change, ...] = ()
    alone: tuple[tuple[str, str], ...] = ()
    """The pairs whose winner changes where nothing else differs from the convention the others are held against."""

    @property
    def cannot(self) -> bool:
        return bool(self.why)

    @property
    def words(self) -> str:
        """Its choices, one for each group."""
        return " | ".join(f"{g[0].words} (or {len(g) - 1} alike)" if g[1:] else g[0].words for g in self.groups)


class Sensitivity:
    """Who wins under which convention, and which choice it depends on."""

    def __init__(
        self,
        results: Sequence[Result],
        measure: Measure,
        *,
        conventions: Iterable[str] | None = None,
        everything: bool = False,
        level: float = 0.05,
        permutations: int = PERMUTATIONS,
        seed: int = 0,
        settings: int = SETTINGS,
    ) -> None:
        results = list(results)
        _refuse(results, level, settings)
        self.measure = measure
        self.systems = _names(results)
        self.level = level
        self._permutations, self._seed, self._settings = permutations, seed, settings
        self._everything = everything
        self._field = Field([result.evaluated for result in results])
        self._measures = _under(measure, conventions)
        _refuse_saved(results, list(self._measures.values()))
        self.set_aside: dict[str, str] = {}
        """The names that do not fit these lists, each with the reason."""
        self.named = self._named()

    # Under named conventions.

    def _named(self) -> tuple[Named, ...]:
        fits = dict(
            zip(self._measures, self._field.standings([_strict(m) for m in self._measures.values()]), strict=True)
        )
        groups: list[tuple[list[str], Standing]] = []
        for name, standing in fits.items():
            why = _unfit(standing)
            if why:
                self.set_aside[name] = why.removesuffix(f" (convention {name})")
                continue
            assert isinstance(standing, Standing)
            home = next((names for names, other in groups if standing.equals(other)), None)
            if home is None:
                groups.append(([name], standing))
            else:
                home.append(name)
        if not groups or self._reference_name in self.set_aside:
            what = self.set_aside.get(self._reference_name, "no convention fits")
            raise MeasureError(
                message(f"{self.measure} ranks no systems here: {what}", hint="choose another convention.")
            )
        tested = self._tested([standing for _, standing in groups])
        return tuple(Named(tuple(n), standing, p) for (n, standing), p in zip(groups, tested, strict=True))

    @property
    def _reference_name(self) -> str:
        return next(iter(self._measures))

    def _tested(self, standings: Sequence[Standing]) -> list[Values]:
        """The corrected p of each pair of systems, a row a standing."""
        n = len(self._field)
        first, second = pairs(n)
        rows = np.concatenate([standing.shares for standing in standings])
        asked = np.concatenate([np.stack([first, second], axis=1) + n * at for at in range(len(standings))])
        threads = self._field.systems[0].threads
        p = randomisation(rows, asked, permutations=self._permutations, seed=self._seed, threads=threads)
        return [correct(part, "holm") for part in p.reshape(len(standings), -1)]

    @property
    def reference(self) -> Named:
        """The convention that the others are held against."""
        return self.named[0]

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        return list(combinations(self.systems, 2))

    @property
    def winners(self) -> dict[str, str]:
        """The best system under each name; equally good ones joined by ` = `."""
        return {name: self._best(named) for named in self.named for name in named.names}

    def _best(self, named: Named) -> str:
        return " = ".join(s for s, rank in zip(self.systems, named.standing.ranks, strict=True) if rank == 1)

    @cached_property
    def tau(self) -> Values:
        """Kendall's τ-b between the rankings of the systems, conventions × conventions, in the order of `named`."""
        signs = np.array([named.standing.signs for named in self.named], dtype=np.float64)
        size = np.sqrt((signs**2).sum(axis=1))
        agree = signs @ signs.T
        with np.errstate(invalid="ignore", divide="ignore"):
            tau = agree / np.outer(size, size)
        # Where all systems are equal there is no order to agree with, but its own.
        return np.where(np.outer(size, size) > 0, tau, np.equal.outer(size, size).astype(float))

    @cached_property
    def changing(self) -> list[int]:
        """The places in `pairs` of those whose winner is not the same under all names."""
        signs = np.array([named.standing.signs for named in self.named])
        return [int(at) for at in np.flatnonzero((signs.max(axis=0) > 0) & (signs.min(axis=0) < 0))]

    def sides(self, pair: int) -> tuple[tuple[Named, float], tuple[Named, float]]:
        """Of a pair that changes winner: where the one and where the other wins most clearly, with p."""
        signs = np.array([named.standing.signs[pair] for named in self.named])
        t = np.array([abs(named.standing.t[pair]) for named in self.named])
        best = [max(np.flatnonzero(signs == sign), key=lambda at: t[at]) for sign in (1, -1)]
        one, other = ((self.named[at], float(self.named[at].p[pair])) for at in best)
        return one, other

    # Over the axes.

    @cached_property
    def _settled(self) -> tuple[dict[str, Kinds], Grid]:
        used = [measure.convention for name, measure in self._measures.items() if name not in self.set_aside]
        choices = alternatives(self.measure, used, everything=self._everything)
        anchors = [named.standing.measure for named in self.named]
        return settled(self._field, anchors[0], choices, anchors, self._settings)

    @property
    def _grid(self) -> Grid:
        return self._settled[1]

    @cached_property
    def axes(self) -> tuple[Verdict, ...]:
        """Every axis that the measure looks at: why it cannot change a winner, or which winners it changes."""
        return tuple(self._verdict(axis, found) for axis, found in self._settled[0].items())

    @property
    def combinations(self) -> int:
        """How many settings of the axes were computed."""
        return len(self._grid.codes)

    @property
    def covers_product(self) -> bool:
        """Whether these are the whole product; else each choice was changed alone and in pairs."""
        return self._grid.whole

    def _verdict(self, axis: str, found: Kinds) -> Verdict:
        groups = tuple(tuple(group) for group in found.groups)
        if axis not in self._grid.axes:
            return Verdict(axis, groups, self._why(axis, found))
        changes, alone = self._grid.changes(axis), self._grid.alone(axis)
        return Verdict(
            axis,
            groups,
            "",
            tuple(self._change(pair, share, witnesses) for pair, share, witnesses in changes),
            tuple(self.pairs[pair] for pair in alone),
        )

    def _change(self, pair: int, share: float, witnesses: Sequence[tuple[Measure, Measure]]) -> Change:
        standings = [
            s for s in self._field.standings([m for both in witnesses for m in both]) if isinstance(s, Standing)
        ]
        tested = self._tested(standings)
        sides = [
            Side(standing.measure, abs(float(standing.leads[pair])), float(p[pair]))
            for standing, p in zip(standings, tested, strict=True)
        ]
        return Change(self.pairs[pair], share, tuple(zip(sides[::2], sides[1::2], strict=True)))

    def _why(self, axis: str, found: Kinds) -> str:
        """Why the choices on an axis cannot change a winner on these lists."""
        if len(found.groups[0]) == 1:
            return "the other choices are refused on these lists" if found.refusals else self._agreed(found)
        if not found.changes_numbers:
            return self._nothing_to_decide(axis)
        return _RESCALES.get(axis, "each difference between two systems is multiplied by one factor").format(
            empty=self._count(EMPTY), missing=self._count(MISSING)
        )

    def _agreed(self, found: Kinds) -> str:
        return f"all conventions agree: {found.choices[0].words}"

    def _nothing_to_decide(self, axis: str) -> str:
        if axis in ("empty", "short", "missing", "unjudged", "ties"):
            return _NOTHING[axis] if not self._flagged(axis) else "those concerned get the same number either way"
        return _NOTHING.get(axis, "no number changes on these lists")

    def _flagged(self, axis: str) -> bool:
        name = {"ties": "tied"}.get(axis, axis)
        return any(getattr(o.counts, name) for named in self.named for o in named.standing.outcomes)

    def _count(self, flag: int) -> str:
        outcome = self.reference.standing.outcomes[0]
        return f"{int(((outcome.flags & flag) != 0).sum()):,} of {len(outcome.flags):,}"

    # Its words.

    @property
    def summary(self) -> str:
        """What changes, in one or two sentences."""
        total, names = len(self.pairs), sum(len(named.names) for named in self.named)
        best = list(dict.fromkeys(self._best(named) for named in self.named))
        first = (
            f"The best system is {best[0]} under all {names} conventions"
            if len(best) == 1
            else (f"The best system is not the same under all {names} conventions: {', '.join(best)}")
        )
        if not self.changing:
            return f"{first}; no pair of {total} changes winner among them."
        told = (
            f"{first}; {len(self.changing)} of {_several(total, 'pair')} {_verb(len(self.changing))} winner among them"
        )
        return f"{told}, {self._significance()}."

    def _significance(self) -> str:
        """On how many sides the winners that change are significant."""
        on = [sum(p < self.level for _, p in self.sides(pair)) for pair in self.changing]
        either, both = sum(count > 0 for count in on), sum(count == 2 for count in on)
        if not either:
            return "none of them significantly on either side"
        return f"{either} of them significantly on one side at least, {both} on both"

    @property
    def statement(self) -> str:
        """A sentence to print under a table of these numbers."""
        from rankwise.evaluation.present import convention_line

        runs = self._field.systems[0].judged_run
        measure = self.measure
        line = convention_line("", [measure], runs=runs).removeprefix(": ").replace(" · ", "; ")
        names = sum(len(named.names) for named in self.named) - 1
        others = f"under {_several(names, 'other named convention')} that compute{'s' * (names == 1)} it"
        if not self.changing:
            told = f"{others}, the order of the {len(self.systems)} systems has no other winner in any pair"
        else:
            pairs = f"the winner of {len(self.changing)} of {_several(len(self.pairs), 'pair')} of systems changes"
            test = f"(randomisation test with Holm's correction, p < {self.level:g})"
            told = f"{others}, {pairs}, {self._significance()} {test}"
        return f"{measure.name}{'' if measure.k is None else f'@{measure.k}'} ({line}); {told}."

    # Its tables.

    def tables(self, *, digits: int = 4) -> list[Table]:
        """All of them: conventions, pairs that change winner, axes that may and that cannot change one."""
        found = [self.table(digits=digits)]
        found += [self.pairs_table(digits=digits)] if self.changing else []
        found += [self.axes_table()] if self._grid.axes else []
        return [*found, self.cannot_table()]

    def table(self, *, digits: int = 4) -> Table:
        """One row a convention: the mean of each system, their order, and τ with the first row."""
        order = sorted(range(len(self.systems)), key=lambda at: (self.reference.standing.ranks[at], self.systems[at]))
        heads, legend = _heads([self.systems[at] for at in order])
        rows = []
        for at, named in enumerate(self.named):
            means = [f"{named.standing.means[system]:.{digits}f}" for system in order]
            same = np.array_equal(named.standing.signs, self.reference.standing.signs)
            said = "same" if same and at else _ordered(named.standing.ranks, order, heads)
            rows.append([named.label, *means, said, f"{self.tau[0, at]:.2f}"])
        notes = [*legend, *(f"{n.label}: {', '.join(n.names)}" for n in self.named if len(n.names) > 1)]
        reasons = dict.fromkeys(self.set_aside.values())
        notes += [f"set aside: {', '.join(n for n, w in self.set_aside.items() if w == why)}: {why}" for why in reasons]
        title = f"{_called(self.measure)}: {len(self.systems)} systems, {_several(self._field.lists, 'list')}"
        left = frozenset({0, len(heads) + 1})
        return Table(
            ["convention", *heads, "order", "τ"],
            rows,
            [*notes, self.summary, f"Statement: {self.statement}"],
            title,
            left,
        )

    def pairs_table(self, *, digits: int = 4) -> Table:
        """One row a pair whose winner changes among the named conventions: where either wins most clearly, and p."""
        by_pair: dict[tuple[str, str], list[str]] = {}
        for verdict in self.axes:
            for change in verdict.changes:
                by_pair.setdefault(change.pair, []).append(verdict.axis)
        rows = []
        for pair in self.changing:
            cells = []
            for system, (named, p) in zip(self.pairs[pair], self.sides(pair), strict=True):
                lead = abs(float(named.standing.leads[pair]))
                cells += [system, f"{named.label} +{lead:.{digits}f}", _p(p)]
            rows.append([*cells, ", ".join(by_pair.get(self.pairs[pair], [])) or "several at once"])
        total = _several(len(self.pairs), "pair")
        note = f"p: randomisation test of {self._permutations:,} patterns, Holm's correction over {total}"
        head = ["wins", "most clearly under", "p", "or wins", "most clearly under", "p", "changed by"]
        return Table(head, rows, [note], "pairs that change winner", frozenset({0, 1, 3, 4, 6}))

    def axes_table(self) -> Table:
        """One row an axis that may change a winner: its choices, and the pairs whose winner it changes."""
        rows = [
            [
                verdict.axis,
                verdict.words,
                f"{len(verdict.alone)}",
                f"{len(verdict.changes)}",
                f"{sum(change.significant(self.level) > 0 for change in verdict.changes)}",
                f"{sum(change.significant(self.level) > 1 for change in verdict.changes)}",
            ]
            for verdict in self.axes
            if not verdict.cannot
        ]
        head = ["axis", "choices", "alone", "anywhere", "significant", "on both sides"]
        notes = [
            f"how many of {_several(len(self.pairs), 'pair')} change winner by this choice only: "
            f"alone, the others as in the first row; anywhere, in {self._extent}",
            f"significant: how many of the latter have a significant winner (p < {self.level:g}) on one side at least",
        ]
        return Table(head, rows, notes, "choices that may change a winner", frozenset({0, 1}))

    @property
    def _extent(self) -> str:
        if self.covers_product:
            return f"any of the {self.combinations:,} settings of these choices"
        return f"any of {self.combinations:,} settings, each choice changed alone and in pairs"

    def cannot_table(self) -> Table:
        """One row an axis that cannot change a winner on these lists, and why."""
        rows = [[verdict.axis, verdict.why] for verdict in self.axes if verdict.cannot]
        return Table(["axis", "why"], rows, [], "choices that cannot change a winner here", frozenset({0, 1}))

    def __repr__(self) -> str:
        return "\n\n".join(map(str, self.tables()))

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        return "".join(table.to_html() for table in self.tables())

    def to_markdown(self) -> str:
        return "\n\n".join(table.to_markdown() for table in self.tables())

    def to_latex(self) -> str:
        return "\n\n".join(table.to_latex() for table in self.tables())

    def to_csv(self) -> str:
        """`convention,system,mean,rank` with full precision, a row a name and system."""
        import csv
        import io

        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["convention", "system", "mean", "rank"])
        for named in self.named:
            for system, mean, rank in zip(
                self.systems, named.standing.means.tolist(), named.standing.ranks, strict=True
            ):
                rows.writerows([name, system, repr(mean), rank] for name in named.names)
        return out.getvalue()

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "measure": str(self.measure),
            "systems": self.systems,
            "lists": self._field.lists,
            "summary": self.summary,
            "statement": self.statement,
            "conventions": [self._named_dict(named) for named in self.named],
            "set_aside": self.set_aside,
            "tau": self.tau.tolist(),
            "settings": self.combinations,
            "whole_product": self.covers_product,
            "axes": [self._verdict_dict(verdict) for verdict in self.axes],
        }

    def _named_dict(self, named: Named) -> dict[str, Any]:
        standing = named.standing
        p = [
            {"pair": list(pair), "lead": float(lead), "p": float(p)}
            for pair, lead, p in zip(self.pairs, standing.leads, named.p, strict=True)
        ]
        means = dict(zip(self.systems, standing.means.tolist(), strict=True))
        ranks = dict(zip(self.systems, standing.ranks, strict=True))
        return {
            "names": list(named.names),
            "measure": str(self._measures[named.names[0]]),
            "means": means,
            "ranks": ranks,
            "pairs": p,
        }

    def _verdict_dict(self, verdict: Verdict) -> dict[str, Any]:
        changes = [
            {"pair": list(c.pair), "share": c.share, "significant_sides": c.significant(self.level)}
            for c in verdict.changes
        ]
        groups = [[choice.words for choice in group] for group in verdict.groups]
        alone = [list(pair) for pair in verdict.alone]
        return {"axis": verdict.axis, "choices": groups, "why_not": verdict.why, "alone": alone, "anywhere": changes}

    # Its figures; the drawing is report's, and loads when somebody draws.

    def bump_chart(self) -> Any:
        """The rank of each system under each convention, an Altair chart."""
        from rankwise.report.figures import bump_chart

        ranks = [named.standing.ranks for named in self.named]
        return bump_chart(self.systems, [n.label for n in self.named], ranks, title=f"Ranks by {_called(self.measure)}")

    def heat_map(self) -> Any:
        """Kendall's τ between the rankings of all conventions, an Altair chart."""
        from rankwise.report.figures import heat_map

        title = f"Kendall's τ between rankings by {_called(self.measure)}"
        return heat_map([named.label for named in self.named], self.tau.tolist(), title=title)

    def save_figure(self, path: PathLike) -> None:
        """Both figures as one file: .html (which needs no network), .svg or .png."""
        from rankwise.report.figures import save, stacked

        save(lambda: stacked(self.bump_chart(), self.heat_map()), path)


# Why choices that change numbers change no winner.
_RESCALES = {
    "empty": "{empty} lists are empty, the same for every system: a constant adds the same to every mean, and leaving "
    "them out divides every mean by the same number of lists",
    "missing": "{missing} lists are missing, the same from every run: they add the same to every mean",
    "discount": "the base of the logarithm is one factor of every discount",
    "gain": "the gains of the labels that occur are the same but for one factor",
    "labels": "the gains of the labels that occur are the same but for one factor",
    "gmax": "it divides every value by one number",
    "mean": "the sum is the mean times the number of lists, which is the same for every system",
}
# Why choices change no number.
_NOTHING = {
    "empty": "no list is empty",
    "short": "no list has fewer than k documents",
    "missing": "no list is missing from a run",
    "unjudged": "no document within reach lacks a judgment",
    "ties": "no scores are equal within reach of the cut-off",
    "gain": "the labels that occur have the same gains",
    "labels": "the labels that occur are read alike",
    "negative": "no label is negative",
    "outside": "no label is outside the table",
    "ideal": "all judged documents that are worth anything are in the lists",
    "precision": "scores that differ still differ in single precision, within reach of the cut-off",
    "rel": "the same documents are relevant",
}


def _strict(measure: Measure) -> Measure:
    """The measure, refused where its gain table lacks a label that occurs."""
    return measure.but(outside="error") if isinstance(measure.convention.gain, tuple) else measure


def _unfit(standing: Standing | RankwiseError) -> str:
    """Why a convention has nothing to say on these lists."""
    if isinstance(standing, RankwiseError):
        return str(standing).partition("\n")[0]
    return "" if standing.is_defined else "the mean is undefined"


def _under(measure: Measure, conventions: Iterable[str] | None) -> dict[str, Measure]:
    """By name, the measure under each convention; first, the one that the others are held against."""
    from rankwise.measures.tools import ALIASES, computes, convention, names, tool

    if conventions is None:
        wanted = [name for name in names() if computes(name, measure.name)]
    else:
        wanted = [conventions] if isinstance(conventions, str) else list(conventions)
    for name in wanted:
        if not computes(ALIASES.get(name, name), measure.name):
            hint = f"it has {', '.join(tool(name).measures)}."
            raise MeasureError(message(f"{tool(name).title} does not compute {measure.name}", hint=hint))
    found = {
        ALIASES.get(name, name): measure.but(convention=convention(name, measure.name, measure.k)) for name in wanted
    }
    own = measure.convention.name
    if not computes(own, measure.name) or measure.convention != convention(own, measure.name, measure.k):
        own = str(measure)
    return {own: measure, **{name: one for name, one in found.items() if name != own}}


def _parsed(measure: Measure | str) -> Measure:
    if isinstance(measure, Measure):
        return measure
    from rankwise.measures.parse import measure as parse

    return parse(measure)


def _refuse(results: Sequence[Result], level: float, settings: int) -> None:
    if len(results) < 2 or not all(isinstance(result, Result) for result in results):
        hint = "give the results of evaluate for two systems or more, on the same lists."
        what = f"{len(results)} of them" if all(isinstance(r, Result) for r in results) else "something else"
        raise RankwiseError(message(f"several results are ranked, and this is {what}", hint=hint))
    if not 0 < level < 1:
        raise RankwiseError(message(f"level lies between 0 and 1, not at {level!r}", hint="0.05 is usual."))
    if settings < 1:
        raise RankwiseError(message(f"settings must be a whole number from 1, not {settings!r}"))
    if not len(results[0].evaluated):
        raise RankwiseError(message("there are no lists to rank systems by"))


def _refuse_saved(results: Sequence[Result], measures: Sequence[Measure]) -> None:
    """A result without its scores cannot be seen under another convention."""
    for at, result in enumerate(results, start=1):
        lacking = next((measure for measure in measures if not result.evaluated.has(measure)), None)
        if lacking is not None:
            hint = "evaluate again and give the results themselves, not saved ones."
            raise MeasureError(message(f"result {at} has no scores to compute {lacking} from", hint=hint))


def _names(results: Sequence[Result]) -> list[str]:
    """The systems' names; those that have none, or another one's, are counted."""
    names = [result.name for result in results]
    return [
        name if name and names.count(name) == 1 else f"{name or 'system'} {at}"
        for at, name in enumerate(names, start=1)
    ]


def _called(measure: Measure) -> str:
    return f"{measure.name}{'' if measure.k is None else f'@{measure.k}'}"


def _heads(systems: Sequence[str]) -> tuple[list[str], list[str]]:
    """The heads of columns: names, or letters with a legend where names are long."""
    if sum(map(len, systems)) <= 40 or len(systems) > 26:
        return list(systems), []
    letters = [chr(ord("A") + at) for at in range(len(systems))]
    return letters, [", ".join(f"{letter} = {name}" for letter, name in zip(letters, systems, strict=True))]


def _ordered(ranks: Sequence[int], order: Sequence[int], heads: Sequence[str]) -> str:
    """The systems from the best down; equal ones joined by =."""
    by_rank: dict[int, list[str]] = {}
    for system, head in zip(order, heads, strict=True):
        by_rank.setdefault(ranks[system], []).append(head)
    return " > ".join(" = ".join(by_rank[rank]) for rank in sorted(by_rank))


def _several(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"


def _verb(count: int) -> str:
    return "changes" if count == 1 else "change"


def _p(p: float) -> str:
    return f"{p:.4f}" if p >= 0.0001 else "< .0001"
