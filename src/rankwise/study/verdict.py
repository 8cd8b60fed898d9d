"""The verdict: who wins under the main measure, by how much, how surely, and whether another convention changes it.

A winner is the entry of the greatest mean. It was picked on the same lists on which its lead is tested, so that all
others are tested against it, and corrected together: `unbeaten` are those that it is not significantly better than.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

from rankwise.evaluation.paired import Contrast
from rankwise.study.result import Entry, Named

if TYPE_CHECKING:
    from rankwise.study.result import StudyResult

__all__ = ["Verdict", "Winner"]

WIDTH = 100
# Values closer than this differ by rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Winner:
    """Who wins under one measure."""

    measure: Named
    entry: Entry
    mean: float
    stderr: float
    tied: tuple[Entry, ...]
    """Other entries with the same mean."""
    runner_up: Contrast | None
    """The first entry with another mean, whatever its learner: its value less the winner's. None if there is none."""
    rival: Contrast | None
    """The best entry of another learner."""
    unbeaten: tuple[str, ...]
    """Entries that the winner is not significantly better than."""
    others: int
    """How many entries it was held against."""

    @property
    def names(self) -> tuple[str, ...]:
        """The learners that win: several if their means are the same."""
        return tuple(dict.fromkeys([self.entry.learner, *(one.learner for one in self.tied)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The winner under the main measure, and under each other convention of it."""

    winners: tuple[Winner, ...]
    """One a convention, the main one first."""
    level: float

    @classmethod
    def of(cls, result: StudyResult) -> Verdict:
        winners = tuple(_winner(result, named) for named in result.conventions)
        return cls(winners=winners, level=result.statistics.level)

    @property
    def main(self) -> Winner:
        return self.winners[0]

    @property
    def entry_changes(self) -> bool:
        """Whether another convention has another winning entry."""
        return len({winner.entry.name for winner in self.winners}) > 1

    @property
    def learner_changes(self) -> bool:
        """Whether another convention has another winning learner."""
        return len({winner.entry.learner for winner in self.winners}) > 1

    @property
    def sure(self) -> bool:
        """Whether the winner is significantly better than the best entry of any other learner."""
        return self.main.rival is not None and self.main.rival.significant

    def sentences(self) -> list[str]:
        """The verdict in words, the winner first."""
        return [self._winner(), *self._leads(), *self._changes()]

    def __str__(self) -> str:
        return "\n".join(fill(sentence, WIDTH, subsequent_indent="  ") for sentence in self.sentences())

    def _winner(self) -> str:
        w = self.main
        also = f", the same as {_listed([one.name for one in w.tied])}" if w.tied else ""
        return f"Under {_called(w.measure)} {w.entry.name} wins: {w.mean:.4f} ± {w.stderr:.4f}{also}."

    def _leads(self) -> list[str]:
        w = self.main
        said = []
        if w.runner_up is not None:
            said.append(f"It leads {w.runner_up.system}, the second, by {self._sure(w.runner_up)}.")
        if w.rival is not None and (w.runner_up is None or w.rival.system != w.runner_up.system):
            said.append(f"It leads {w.rival.system}, the best of another learner, by {self._sure(w.rival)}.")
        if w.unbeaten:
            said.append(f"Not significantly worse than it: {len(w.unbeaten)} of {w.others} others.")
        elif w.others:
            said.append(f"It is significantly better than each of the {w.others} others.")
        return said

    def _sure(self, contrast: Contrast) -> str:
        low, high = sorted(-end for end in contrast.interval)
        test, p = next(iter(contrast.p.items()))
        verdict = "no chance" if contrast.significant else "which could be chance"
        interval = f"{self.level:.0%} interval {low:+.4f} to {high:+.4f}".replace("%", " %")
        return f"{abs(contrast.difference):.4f} ({interval}; p = {p:.2g}, {test}), {verdict}"

    def _changes(self) -> list[str]:
        if len(self.winners) < 2:
            return []
        count = len(self.winners)
        if not self.entry_changes:
            return [f"The winner does not change: {self.main.entry.name}, under all {count} conventions."]
        under: dict[str, list[str]] = {}
        for winner in self.winners:
            under.setdefault(winner.entry.name, []).append(winner.measure.convention)
        what = "learner changes" if self.learner_changes else "learner stays, but what it is best trained for changes"
        lines = (f"  {name}: {', '.join(conventions)}" for name, conventions in under.items())
        return [f"The winning {what} with the convention:", *lines, *self._caution()]

    def _caution(self) -> list[str]:
        """A change of winners whose leads are chance says little."""
        if not self.learner_changes:
            return []
        sure = [w for w in self.winners if w.rival is not None and w.rival.significant]
        if not sure:
            return ["Under none of them is the winner significantly better than the best of another learner."]
        names = _listed([winner.measure.convention for winner in sure])
        return [f"Significantly better than the best of another learner it is under {names} alone."]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "sentences": self.sentences(),
            "entry_changes": self.entry_changes,
            "learner_changes": self.learner_changes,
            "sure": self.sure,
            "winners": [_plain(winner) for winner in self.winners],
        }


def _winner(result: StudyResult, named: Named) -> Winner:
    sign = 1 if named.measure.higher_is_better else -1
    scores = {entry.name: result.score(entry.learner, entry.training, named) for entry in result.distinct}
    means = {name: score.mean for name, score in scores.items()}
    entries = sorted(result.distinct, key=lambda entry: -sign * means[entry.name])
    first, *others = entries
    contrasts = {}
    if others:
        held = result.comparison(named, baseline=first).contrasts
        contrasts = {contrast.system: contrast for contrast in held}
    alike = [entry for entry in others if abs(means[entry.name] - means[first.name]) <= _ROUNDING]
    ordered = [contrasts[entry.name] for entry in others]
    behind = [contrasts[entry.name] for entry in others if entry not in alike]
    rivals = [contrasts[entry.name] for entry in others if entry.learner != first.learner]
    return Winner(
        measure=named,
        entry=first,
        mean=scores[first.name].mean,
        stderr=scores[first.name].stderr,
        tied=tuple(alike),
        runner_up=behind[0] if behind else None,
        rival=rivals[0] if rivals else None,
        unbeaten=tuple(contrast.system for contrast in ordered if not contrast.significant),
        others=len(ordered),
    )


def _called(named: Named) -> str:
    return f"{named.name} ({named.convention})" if named.convention not in named.name else named.name


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _plain(winner: Winner) -> dict[str, Any]:
    def contrast(one: Contrast | None) -> dict[str, Any] | None:
        if one is None:
            return None
        low, high = one.interval
        return {
            "entry": one.system,
            "difference": _finite(one.difference),
            "interval": [_finite(low), _finite(high)],
            "p": {test: _finite(p) for test, p in one.p.items()},
            "significant": one.significant,
        }

    return {
        "measure": str(winner.measure.measure),
        "convention": winner.measure.convention,
        "learner": winner.entry.learner,
        "training": winner.entry.training,
        "mean": _finite(winner.mean),
        "stderr": _finite(winner.stderr),
        "tied": [entry.name for entry in winner.tied],
        "runner_up": contrast(winner.runner_up),
        "rival": contrast(winner.rival),
        "unbeaten": list(winner.unbeaten),
        "others": winner.others,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
