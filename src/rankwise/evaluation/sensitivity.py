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
from rankwise.evaluation.choices import Choice, Grid, Kinds, alternatives, settled
from rankwise.evaluation.result import Result
from rankwise.evaluation.significance import correct, randomisation
from rankwise.evaluation.table import Table
from rankwise.evaluation.winners import Field, Standing, pairs
from rankwise.measures.base import Measure

if TYPE_CHECKING:
    from rankwise.data.formats.files import PathLike

__all__ = ["Change", "Named", "Sensitivity", "Verdict", "sensitivity"]

Values = npt.NDArray[np.float64]

PERMUTATIONS = 10_000
# The most settings of the axes' product that are all computed.
SETTINGS = 4096
_OTHER = "choose another convention; `evaluate` gives the number itself."


def sensitivity(
    results: Sequence[Result],
    measure: Measure | str = "nDCG@10",
    *,
    conventions: Iterable[str] | None = None,
    everything: bool = False,
    level: float = 0.95,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    settings: int = SETTINGS,
) -> Sensitivity:
    """Ranks several systems under all conventions that compute a measure, and says which choice changes a winner.

    `results` are those of `evaluate` for each system on the same lists; which measures they hold does not matter.
    `measure` has the convention that the others are held against, `standard` unless it says so. `conventions` are the
    names to look at, all that compute the measure if it is left out. The axes' product is that of the choices which
    these make; `everything` adds choices that no tool makes. Where it has more than `settings`, each choice is changed
    alone and in pairs. A winner is significant if its p is below 1 − `level` by the randomisation test with so many
    `permutations`, corrected by Holm's method over the pairs of systems under one convention.

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

    def significant(self, alpha: float) -> int:
        """On how many sides at once the winner is significant: 0, 1 or 2."""
        return max(sum(side.p < alpha for side in both) for both in self.sides)


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
        level: float = 0.95,
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
        if conventions is not None:
            self._refuse_if_alone()

    @property
    def alpha(self) -> float:
        """Below which p a winner is significant."""
        # 1 − 0.95 is a little more than 0.05.
        return round(1 - self.level, 12)

    # Under named conventions.

    def _named(self) -> tuple[Named, ...]:
        fits = dict(
            zip(self._measures, self._field.standings([_strict(m) for m in self._measures.values()]), strict=True)
        )
        groups: list[tuple[list[str], Standing]] = []
        for name, standing in fits.items():
            why = _unfit(standing)
            if why:
                self.set_aside[name] = why.removesuffix(f" (convention {name})") + _otherwise(
                    self._measures[name], standing
                )
                continue
            assert isinstance(standing, Standing)
            home = next((names for names, other in groups if standing.equals(other)), None)
            if home is None:
                groups.append(([name], standing))
            else:
                home.append(name)
        own = self._reference_name
        if own in self.set_aside:
            raise MeasureError(message(f"{self.measure} ranks no systems here: {self.set_aside[own]}", hint=_OTHER))
        tested = self._tested([standing for _, standing in groups])
        return tuple(Named(tuple(n), standing, p) for (n, standing), p in zip(groups, tested, strict=True))

    def _refuse_if_alone(self) -> None:
        """Of the conventions that were named, one at least must fit these lists."""
        own, *others = self._measures
        if others and all(name in self.set_aside for name in others):
            told = "; ".join(f"{name}: {self.set_aside[name]}" for name in others)
            raise MeasureError(message(f"no convention is left beside {own}: {told}", hint=_OTHER))

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
        from rankwise.evaluation.sensitivity_words import why

        groups = tuple(tuple(group) for group in found.groups)
        if axis not in self._grid.axes:
            return Verdict(axis, groups, why(self, axis, found))
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

    # Its forms. The words are in `sensitivity_words`, which is imported when somebody looks.

    @property
    def summary(self) -> str:
        """What changes, in one or two sentences."""
        from rankwise.evaluation.sensitivity_words import summary

        return summary(self)

    @property
    def statement(self) -> str:
        """A sentence to print under a table of these numbers."""
        from rankwise.evaluation.sensitivity_words import statement

        return statement(self)

    def tables(self, *, digits: int = 4) -> list[Table]:
        """All of them: conventions, pairs that change winner, axes that may and that cannot change one."""
        from rankwise.evaluation.sensitivity_words import axes_table, cannot_table, pairs_table, table

        found = [table(self, digits=digits)]
        found += [pairs_table(self, digits=digits)] if self.changing else []
        found += [axes_table(self)] if self._grid.axes else []
        return [*found, cannot_table(self)]

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
        from rankwise.evaluation.sensitivity_words import csv

        return csv(self)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        from rankwise.evaluation.sensitivity_words import as_dict

        return as_dict(self)

    # Its figures; the drawing is report's, and loads when somebody draws.

    def bump_chart(self) -> Any:
        """The rank of each system under each convention, an Altair chart."""
        from rankwise.evaluation.sensitivity_words import called
        from rankwise.report.figures import bump_chart

        ranks = [named.standing.ranks for named in self.named]
        return bump_chart(self.systems, [n.label for n in self.named], ranks, title=f"Ranks by {called(self.measure)}")

    def heat_map(self) -> Any:
        """Kendall's τ between the rankings of all conventions, an Altair chart."""
        from rankwise.evaluation.sensitivity_words import called
        from rankwise.report.figures import heat_map

        title = f"Kendall's τ between rankings by {called(self.measure)}"
        return heat_map([named.label for named in self.named], self.tau.tolist(), title=title)

    def save_figure(self, path: PathLike) -> None:
        """Both figures as one file: .html (which needs no network), .svg or .png."""
        from rankwise.report.figures import save, stacked

        save(lambda: stacked(self.bump_chart(), self.heat_map()), path)


def _strict(measure: Measure) -> Measure:
    """The measure, refused where its gain table lacks a label that occurs."""
    return measure.but(outside="error") if isinstance(measure.convention.gain, tuple) else measure


def _unfit(standing: Standing | RankwiseError) -> str:
    """Why a convention has nothing to say on these lists."""
    if isinstance(standing, RankwiseError):
        return str(standing).partition("\n")[0]
    return "" if standing.is_defined else "the mean is undefined"


def _otherwise(measure: Measure, standing: Standing | RankwiseError) -> str:
    """What a tool makes of a label that its table lacks, if the lists fit it but for that."""
    if not isinstance(standing, RankwiseError) or "has no gain" not in str(standing):
        return ""
    return "; the tool lets it count 0, as if not relevant" if measure.convention.outside == "zero" else ""


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
        hint = "0.95 is usual: a winner is then significant at p < 0.05."
        raise RankwiseError(message(f"level lies between 0 and 1, not at {level!r}", hint=hint))
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
