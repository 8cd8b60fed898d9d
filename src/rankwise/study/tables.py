"""The tables of a study, and its plain values."""

from __future__ import annotations

import csv as writer
import io
import math
from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise.evaluation.paired import Contrast
from rankwise.evaluation.present import convention_line
from rankwise.evaluation.table import Marked, Table

if TYPE_CHECKING:
    from rankwise.study.result import Cell, Entry, Named, Score, StudyResult

__all__ = ["all_of", "as_dict", "by_training", "csv", "failures", "means", "notices", "winners"]

WIDTH = 100
# Conventions in one table.
MOST = 6


def all_of(result: StudyResult, *, digits: int = 4) -> list[Table]:
    """Means, what the training measure changes, winners; failures if there are any."""
    found = [means(result, digits=digits)]
    others = [named for named in result.conventions if named not in shown(result)]
    found += [further(result, others[at : at + MOST], digits=digits) for at in range(0, len(others), MOST)]
    trained = by_training(result, digits=digits)
    found += [trained] if trained.rows else []
    found.append(winners(result, digits=digits))
    return [*found, failures(result)] if any(cell.failed for cell in result.cells) else found


def shown(result: StudyResult) -> tuple[Named, ...]:
    """The conventions that stand in the first table: all if they are few, else the main one and those trained for."""
    if len(result.conventions) <= MOST:
        return result.conventions
    trained = [named.measure for named in result.training]
    return tuple(one for one in result.conventions if one == result.main or one.measure in trained)


def means(result: StudyResult, *, digits: int = 4) -> Table:
    """One row an entry, one column a convention of the main measure: mean ± error over lists, * the best."""
    columns = shown(result)
    spread = any(len(entry.seeds) > 1 for entry in result.entries)
    rows = _rows(result, columns, digits, errors=True)
    if spread:
        scores = [result.score(entry.learner, entry.training, columns[0]) for entry in result.entries]
        rows = [[*row, _spread(score, digits)] for row, score in zip(rows, scores, strict=True)]
    head = ["learner", "trained for", *(named.name for named in columns), *(["seeds ±"] if spread else [])]
    return Table(head, rows, _notes(result, spread=spread), left=frozenset({0, 1}))


def further(result: StudyResult, columns: Sequence[Named], *, digits: int = 4) -> Table:
    """The same under other conventions, without errors."""
    head = ["learner", "trained for", *(named.name for named in columns)]
    return Table(head, _rows(result, columns, digits, errors=False), left=frozenset({0, 1}))


def _rows(result: StudyResult, columns: Sequence[Named], digits: int, *, errors: bool) -> list[list[str]]:
    scores = {named.name: [result.score(e.learner, e.training, named) for e in result.entries] for named in columns}
    best = {named.name: _best([score.mean for score in scores[named.name]], named) for named in columns}
    return [
        [
            entry.learner,
            _training(entry),
            *(_value(scores[n.name][at], at in best[n.name], digits, errors=errors) for n in columns),
        ]
        for at, entry in enumerate(result.entries)
    ]


def _best(values: Sequence[float], named: Named) -> set[int]:
    sign = 1 if named.measure.higher_is_better else -1
    best = max(sign * value for value in values)
    return {at for at, value in enumerate(values) if abs(sign * value - best) <= 1e-12}


def _value(score: Score, best: bool, digits: int, *, errors: bool) -> str:
    error = "" if math.isnan(score.stderr) or not errors else f" ± {score.stderr:.{digits}f}"
    return f"{'*' if best else ''}{score.mean:.{digits}f}{error}"


def _spread(score: Score, digits: int) -> str:
    return "–" if math.isnan(score.spread) else f"{score.spread:.{digits}f} ({len(score.seeds)})"


def _training(entry: Entry) -> str:
    return f"{entry.training} (= {entry.same_as})" if entry.same_as else entry.training


def _notes(result: StudyResult, *, spread: bool) -> list[str]:
    lists = f"{len(result.queries):,} lists in {_counted(len(result.folds), 'fold')}"
    of_folds = "mean of the folds' means ± their errors in quadrature" if len(result.folds) > 1 else "mean ± its error"
    said = [f"{lists}; {of_folds}; * the best of a column"]
    said += ["seeds ±: standard deviation of the seeds' means (how many seeds)"] if spread else []
    same = {entry.why_same for entry in result.entries if entry.same_as}
    said += [f"(= …): {why}" for why in sorted(same)]
    return [*said, convention_line(result.main.convention, [result.main.measure], runs=False)]


def by_training(result: StudyResult, *, digits: int = 4) -> Table:
    """Each entry less that of the same learner trained for the baseline, under the main convention and the trained."""
    rows = []
    trained = [named.measure for named in result.training]
    for named in (one for one in result.conventions if one == result.main or one.measure in trained):
        pairs = [(e, b) for e in result.distinct if (b := _baseline(result, e)) is not None and b != e]
        for entry, base in pairs:
            first, second = (result.values(e.learner, e.training, named) for e in (base, entry))
            if np.array_equal(first, second, equal_nan=True):
                continue
            contrast = result.comparison(named, entries=(base, entry), baseline=base).contrasts[0]
            rows.append([named.name, entry.learner, entry.training, *_difference(contrast, digits)])
    head = [
        "measure",
        "learner",
        "trained for",
        f"less {result.baseline}",
        _level(result),
        "p",
        "better – same – worse",
    ]
    notes = [
        "paired differences over lists; p of each pair alone, not corrected for the others; s: significant",
        "entries that differ on no list are left out",
    ]
    return Table(head, rows, notes, left=frozenset({0, 1, 2}))


def _baseline(result: StudyResult, entry: Entry) -> Entry | None:
    return next(
        (one for one in result.distinct if (one.learner, one.training) == (entry.learner, result.baseline)), None
    )


def _difference(contrast: Contrast, digits: int) -> list[str]:
    low, high = contrast.interval
    p = next(iter(contrast.p.values()))
    return [
        f"{contrast.difference:+.{digits}f}",
        f"{low:+.{digits}f} – {high:+.{digits}f}",
        Marked(_p(p), "s" if contrast.significant else ""),
        " – ".join(f"{count:,}" for count in contrast.counts),
    ]


def _p(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def _level(result: StudyResult) -> str:
    return f"{result.statistics.level:.0%} interval".replace("%", " %")


def winners(result: StudyResult, *, digits: int = 4) -> Table:
    """Under each convention who wins, and its lead over the best entry of another learner."""
    rows = []
    for w in result.verdict.winners:
        lead = ["", "", "", ""]
        if w.rival is not None:
            low, high = sorted(-end for end in w.rival.interval)
            p = next(iter(w.rival.p.values()))
            lead = [w.rival.system, f"{abs(w.rival.difference):.{digits}f}", f"{low:+.{digits}f} – {high:+.{digits}f}",
                    _p(p)]  # fmt: skip
        rows.append([w.measure.name, w.entry.name, f"{w.mean:.{digits}f}", *lead])
    head = ["measure", "winner", "value", "best of another learner", "lead", _level(result), "p"]
    tests = result.statistics
    notes = [f"p by the test '{tests.tests[0]}', all entries against the winner, corrected by '{tests.correction}'"]
    return Table(head, rows, notes, left=frozenset({0, 1, 3}))


def failures(result: StudyResult) -> Table:
    """The cells that have no model, and why."""
    rows = [
        [cell.learner, cell.training, cell.fold, str(cell.seed), _point(cell), cell.failed.partition("\n")[0]]
        for cell in result.cells
        if cell.failed
    ]
    head = ["learner", "trained for", "fold", "seed", "parameters", "why it failed"]
    return Table(head, rows, title="Failed cells", left=frozenset(range(6)))


def notices(result: StudyResult) -> str:
    """What to know before a number is quoted."""
    said = []
    for one in result.notices:
        said.append(fill(f"{one.code}: {one.text}.", WIDTH, subsequent_indent="  "))
        said += [fill(one.hint, WIDTH, initial_indent="  ", subsequent_indent="  ")] if one.hint else []
    return "\n".join(said)


def _point(cell: Cell) -> str:
    return ", ".join(f"{name}={value}" for name, value in cell.parameters.items())


def csv(result: StudyResult) -> str:
    out = io.StringIO()
    rows = writer.writer(out, lineterminator="\n")
    rows.writerow(["learner", "training", "same_as", "measure", "mean", "stderr", "spread", "seeds", "lists", "folds"])
    for entry in result.entries:
        for named in result.evaluation:
            s = result.score(entry.learner, entry.training, named)
            numbers = ["" if math.isnan(x) else repr(x) for x in (s.mean, s.stderr, s.spread)]
            rows.writerow(
                [entry.learner, entry.training, entry.same_as, named.name, *numbers, len(entry.seeds),
                 len(result.queries), len(result.folds)]
            )  # fmt: skip
    return out.getvalue()


def as_dict(result: StudyResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "plan": dict(result.plan),
        "training": {named.name: str(named.measure) for named in result.training},
        "evaluation": {named.name: str(named.measure) for named in result.evaluation},
        "main": result.main.name,
        "lists": len(result.queries),
        "folds": [one.name for one in result.folds],
        "scores": [_scores(result, entry) for entry in result.entries],
        "verdict": result.verdict.as_dict(),
        "cells": [_cell(cell) for cell in result.cells],
        "notices": [{"code": one.code, "text": one.text, "hint": one.hint} for one in result.notices],
        "about": dict(result.about),
    }


def _scores(result: StudyResult, entry: Entry) -> dict[str, Any]:
    def plain(score: Score) -> dict[str, Any]:
        return {
            "mean": _finite(score.mean),
            "stderr": _finite(score.stderr),
            "spread": _finite(score.spread),
            "folds": [_finite(value) for value in score.folds.tolist()],
            "seeds": [_finite(value) for value in score.seeds.tolist()],
        }

    scores = {n.name: plain(result.score(entry.learner, entry.training, n)) for n in result.evaluation}
    about = {"learner": entry.learner, "kind": entry.kind, "training": entry.training, "seeds": list(entry.seeds)}
    return {**about, "same_as": entry.same_as, "scores": scores}


def _cell(cell: Cell) -> dict[str, Any]:
    from dataclasses import asdict

    plain = asdict(cell)
    return {**plain, "parameters": dict(cell.parameters), "validation": _finite(cell.validation),
            "seconds": _finite(cell.seconds)}  # fmt: skip


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _counted(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count} {what}s"
