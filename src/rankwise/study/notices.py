"""What a study warns of before its numbers are quoted, each with a code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from rankwise.data.dataset import Dataset
from rankwise.evaluation.result import EMPTY, SHORT, TIE_DECIDED
from rankwise.study.plan import Plan
from rankwise.study.result import Cell, Entry, Notice

__all__ = ["notices"]

Flags = npt.NDArray[np.uint8]
# Rules of ties that look at something else than the ranking: mostly at where a document stands in the file.
BY_ORDER = ("input", "reversed", "docid", "docid-desc", "selection-sort")
# Fewer lists than this share, decided by such a rule, are not worth a word.
FEW = 0.01


def notices(
    plan: Plan,
    tests: Sequence[Dataset],
    flags_of: Mapping[tuple[str, str], Flags],
    cells: Sequence[Cell],
    entries: Sequence[Entry],
    warned: Sequence[tuple[str, str]],
) -> Iterator[Notice]:
    """All that applies; `flags_of` are those of each entry."""
    flags = next(iter(flags_of.values()))
    yield from _zeroed(plan, flags)
    yield from _empty(plan, flags)
    yield from _by_order(plan, flags_of)
    yield from _shared(tests)
    if any(test.weights is not None for test in tests):
        hint = "the tests take each list as one."
        yield Notice("weights-left-out", "weights of lists count in training, and not in the means of test lists", hint)
    yield from _failed(plan, cells, entries)
    yield from _warned(warned)
    if any(cell.stopped == "the time is up" for cell in cells):
        hint = "another machine, or another hour, may give other numbers; raise time_budget or leave it out."
        yield Notice("time-is-up", "some trainings were stopped by the time budget", hint)


def _zeroed(plan: Plan, flags: Flags) -> Iterator[Notice]:
    """Conventions that lose short lists, at the cut where they lose most; one line a convention."""
    lost: dict[str, tuple[int, str]] = {}
    for named, row in zip(plan.evaluation, flags, strict=True):
        count = int(((row & SHORT) != 0).sum()) if named.measure.convention.short == "zero" else 0
        if count and count >= lost.get(named.convention, (0, ""))[0]:
            lost[named.convention] = (count, named.name)
    for count, name in lost.values():
        what = f"{name} scores {count:,} of {flags.shape[1]:,} test lists 0, since they are short, whatever the ranking"
        yield Notice("short-lists-zeroed", what, "judge by a convention that takes them as they are, such as standard.")


def _empty(plan: Plan, flags: Flags) -> Iterator[Notice]:
    at = plan.evaluation.index(plan.main)
    count = int(((flags[at] & EMPTY) != 0).sum())
    if count:
        what = f"{count:,} of {flags.shape[1]:,} test lists are empty: no ranking of them changes a value"
        hint = "`rankwise clean` makes a file without them; conventions differ in what they score."
        yield Notice("empty-lists", what, hint)


def _by_order(plan: Plan, flags_of: Mapping[tuple[str, str], Flags]) -> Iterator[Notice]:
    """Conventions under which the order of the rows decides, at the entry where it decides most."""
    told: dict[str, tuple[int, str]] = {}
    for at, named in enumerate(plan.evaluation):
        if named.measure.convention.ties in BY_ORDER and named.measure.k == plan.main.measure.k:
            for (learner, training), flags in flags_of.items():
                count = int(((flags[at] & TIE_DECIDED) != 0).sum())
                # Of entries that came out the same the first one is named.
                if count > max(FEW * flags.shape[1], told.get(named.name, (0, ""))[0]):
                    words = f"{count:,} of {flags.shape[1]:,} lists for {learner} for {training}"
                    told[named.name] = (count, words)
    under: dict[str, list[str]] = {}
    for name, (_, words) in told.items():
        under.setdefault(words, []).append(name)
    for words, names in under.items():
        what = f"under {', '.join(names)} the order of rows or ids decides the value of {words}"
        hint = "documents with equal scores stand as in the data: where that is a good order, it is not the learner's."
        yield Notice("ties-by-order", what, hint)


def _shared(tests: Sequence[Dataset]) -> Iterator[Notice]:
    every = [query for test in tests for query in test.queries]
    if (count := len(every) - len(set(every))) > 0:
        what = f"{count:,} query ids are in the test lists of several folds"
        yield Notice("shared-queries", what, "lists of several folds are not independent: intervals are too narrow.")


def _failed(plan: Plan, cells: Sequence[Cell], entries: Sequence[Entry]) -> Iterator[Notice]:
    failed = [cell for cell in cells if cell.failed]
    if failed:
        what = f"{len(failed):,} of {len(cells):,} cells failed; the first: {failed[0].failed.partition(chr(10))[0]}"
        yield Notice("failed-cells", what, "mend the cause and run again with `--retry-failed`.")
    there = {(entry.learner, entry.training) for entry in entries}
    for contender in plan.contenders:
        for training in contender.training:
            if (contender.label, training) not in there:
                what = f"{contender.label} for {training} has no seed with all folds, and is left out"
                yield Notice("left-out", what)


def _warned(warned: Sequence[tuple[str, str]]) -> Iterator[Notice]:
    """Words of several learners or folds once: they differ in their numbers alone."""
    whose: dict[str, tuple[str, dict[str, None]]] = {}
    for learner, words in warned:
        whose.setdefault(re.sub(r"\d[\d,]*", "#", words), (words, {}))[1][learner] = None
    for words, learners in whose.values():
        what, _, hint = words.partition("\nHint: ")
        yield Notice("training", f"{', '.join(learners)}: {what} (on one fold; others are alike)", hint)
