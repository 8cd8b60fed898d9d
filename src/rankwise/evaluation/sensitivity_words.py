"""The words and tables of who wins under which convention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise.evaluation.choices import Kinds
from rankwise.evaluation.result import EMPTY, MISSING
from rankwise.evaluation.table import Table
from rankwise.measures.base import Measure

if TYPE_CHECKING:
    from rankwise.evaluation.sensitivity import Named, Sensitivity, Verdict

__all__ = [
    "as_dict", "axes_table", "called", "cannot_table", "csv", "pairs_table", "statement", "summary", "table", "why",
]  # fmt: skip


def summary(found: Sensitivity) -> str:
    """What changes, in one or two sentences."""
    total, names = len(found.pairs), sum(len(named.names) for named in found.named)
    best = list(dict.fromkeys(found._best(named) for named in found.named))
    under = f"under all {names} conventions" if names > 1 else "under this one convention"
    first = f"The best system is {best[0]} {under}"
    if len(best) > 1:
        first = f"The best system is not the same {under}: {', '.join(best)}"
    if not found.changing:
        none = f"no pair of {total} changes winner" if total > 1 else "the order of the two never changes"
        return f"{first}; {none}."
    many = len(found.changing)
    changes = f"{many} of {_several(total, 'pair')} change{'s' * (many == 1)} winner among them"
    return f"{first}; {changes}, {_significance(found)}."


def _significance(found: Sensitivity) -> str:
    """On how many sides the winners that change are significant."""
    on = [sum(p < found.alpha for _, p in found.sides(pair)) for pair in found.changing]
    either, both = sum(count > 0 for count in on), sum(count == 2 for count in on)
    if not either:
        return "none significantly on either side" if len(on) > 1 else "not significantly on either side"
    if len(on) == 1:
        return f"significantly on {'both sides' if both else 'one side'}"
    return f"{either} of them significantly on one side at least, {both} on both"


def statement(found: Sensitivity) -> str:
    """A sentence to print under a table of these numbers."""
    from rankwise.evaluation.present import convention_line

    runs = found._field.systems[0].judged_run
    measure = found.measure
    line = convention_line("", [measure], runs=runs).removeprefix(": ").replace(" · ", "; ")
    what = f"{called(measure)} ({line})"
    names = sum(len(named.names) for named in found.named) - 1
    if not names:
        return f"{what}."
    others = f"under {_several(names, 'other named convention')} that compute{'s' * (names == 1)} it"
    if not found.changing:
        told = f"{others}, the order of the {len(found.systems)} systems has no other winner in any pair"
    else:
        pairs = f"the winner of {len(found.changing)} of {_several(len(found.pairs), 'pair')} of systems changes"
        test = f"(randomisation test with Holm's correction, p < {found.alpha:g})"
        told = f"{others}, {pairs}, {_significance(found)} {test}"
    return f"{what}; {told}."


def table(found: Sensitivity, *, digits: int = 4) -> Table:
    """One row a convention: the mean of each system, their order, and τ with the first row."""
    order = sorted(range(len(found.systems)), key=lambda at: (found.reference.standing.ranks[at], found.systems[at]))
    heads, legend = _heads([found.systems[at] for at in order])
    rows = []
    for at, named in enumerate(found.named):
        means = [f"{named.standing.means[system]:.{digits}f}" for system in order]
        same = np.array_equal(named.standing.signs, found.reference.standing.signs)
        said = "same" if same and at else _ordered(named.standing.ranks, order, heads)
        rows.append([named.label, *means, said, f"{found.tau[0, at]:.2f}"])
    notes = [*legend, *(f"{n.label}: {', '.join(n.names)}" for n in found.named if len(n.names) > 1)]
    reasons = dict.fromkeys(found.set_aside.values())
    notes += [f"set aside: {', '.join(n for n, w in found.set_aside.items() if w == why)}: {why}" for why in reasons]
    title = f"{called(found.measure)}: {len(found.systems)} systems, {_several(found._field.lists, 'list')}"
    left = frozenset({0, len(heads) + 1})
    notes += [found.summary, f"Statement: {found.statement}"]
    return Table(["convention", *heads, "order", "τ"], rows, notes, title, left)


def pairs_table(found: Sensitivity, *, digits: int = 4) -> Table:
    """One row a pair whose winner changes among the named conventions: where either wins most clearly, and p."""
    by_pair: dict[tuple[str, str], list[str]] = {}
    for verdict in found.axes:
        for change in verdict.changes:
            by_pair.setdefault(change.pair, []).append(verdict.axis)
    rows = []
    for pair in found.changing:
        cells = []
        for system, (named, p) in zip(found.pairs[pair], found.sides(pair), strict=True):
            lead = abs(float(named.standing.leads[pair]))
            cells += [system, f"{named.label} +{lead:.{digits}f}", _p(p)]
        rows.append([*cells, ", ".join(by_pair.get(found.pairs[pair], [])) or "several at once"])
    total = _several(len(found.pairs), "pair")
    note = f"p: randomisation test of {found._permutations:,} patterns, Holm's correction over {total}"
    head = ["wins", "most clearly under", "p", "or wins", "most clearly under", "p", "changed by"]
    return Table(head, rows, [note], "pairs that change winner", frozenset({0, 1, 3, 4, 6}))


def axes_table(found: Sensitivity) -> Table:
    """One row an axis that may change a winner: its choices, and the pairs whose winner it changes."""
    rows = [
        [
            verdict.axis,
            verdict.words,
            f"{len(verdict.alone)}",
            f"{len(verdict.changes)}",
            f"{sum(change.significant(found.alpha) > 0 for change in verdict.changes)}",
            f"{sum(change.significant(found.alpha) > 1 for change in verdict.changes)}",
        ]
        for verdict in found.axes
        if not verdict.cannot
    ]
    head = ["axis", "choices", "alone", "anywhere", "significant", "on both sides"]
    notes = [
        f"how many of {_several(len(found.pairs), 'pair')} change winner by this choice only: "
        f"alone, the others as in the first row; anywhere, in {_extent(found)}",
        f"significant: how many of the latter have a significant winner (p < {found.alpha:g}) on one side at least",
    ]
    return Table(head, rows, notes, "choices that may change a winner", frozenset({0, 1}))


def _extent(found: Sensitivity) -> str:
    if found.covers_product:
        return f"any of the {found.combinations:,} settings of these choices"
    return f"any of {found.combinations:,} settings, each choice changed alone and in pairs"


def cannot_table(found: Sensitivity) -> Table:
    """One row an axis that cannot change a winner on these lists, and why."""
    rows = [[verdict.axis, verdict.why] for verdict in found.axes if verdict.cannot]
    return Table(["axis", "why"], rows, [], "choices that cannot change a winner here", frozenset({0, 1}))


def csv(found: Sensitivity) -> str:
    """`convention,system,mean,rank` with full precision, a row a name and system."""
    import csv as writer
    import io

    out = io.StringIO()
    rows = writer.writer(out, lineterminator="\n")
    rows.writerow(["convention", "system", "mean", "rank"])
    for named in found.named:
        for system, mean, rank in zip(found.systems, named.standing.means.tolist(), named.standing.ranks, strict=True):
            rows.writerows([name, system, repr(mean), rank] for name in named.names)
    return out.getvalue()


def as_dict(found: Sensitivity) -> dict[str, Any]:
    """Plain values, for JSON."""
    return {
        "measure": str(found.measure),
        "systems": found.systems,
        "lists": found._field.lists,
        "summary": found.summary,
        "statement": found.statement,
        "conventions": [_named_dict(found, named) for named in found.named],
        "set_aside": found.set_aside,
        "tau": found.tau.tolist(),
        "settings": found.combinations,
        "whole_product": found.covers_product,
        "axes": [_verdict_dict(found, verdict) for verdict in found.axes],
    }


def _named_dict(found: Sensitivity, named: Named) -> dict[str, Any]:
    standing = named.standing
    p = [
        {"pair": list(pair), "lead": float(lead), "p": float(p)}
        for pair, lead, p in zip(found.pairs, standing.leads, named.p, strict=True)
    ]
    means = dict(zip(found.systems, standing.means.tolist(), strict=True))
    ranks = dict(zip(found.systems, standing.ranks, strict=True))
    return {
        "names": list(named.names),
        "measure": str(found._measures[named.names[0]]),
        "means": means,
        "ranks": ranks,
        "pairs": p,
    }


def _verdict_dict(found: Sensitivity, verdict: Verdict) -> dict[str, Any]:
    changes = [
        {"pair": list(c.pair), "share": c.share, "significant_sides": c.significant(found.alpha)}
        for c in verdict.changes
    ]
    groups = [[choice.words for choice in group] for group in verdict.groups]
    alone = [list(pair) for pair in verdict.alone]
    return {"axis": verdict.axis, "choices": groups, "why_not": verdict.why, "alone": alone, "anywhere": changes}


def why(found: Sensitivity, axis: str, kinds: Kinds) -> str:
    """Why the choices on an axis cannot change a winner on these lists."""
    if len(kinds.groups[0]) == 1:
        return "the other choices are refused on these lists" if kinds.refusals else _agreed(found, kinds)
    if not kinds.changes_numbers:
        return _nothing_to_decide(found, axis, bool(kinds.refusals))
    return _RESCALES.get(axis, "each difference between two systems is multiplied by one factor").format(
        empty=_count(found, EMPTY), missing=_count(found, MISSING)
    )


def _agreed(found: Sensitivity, kinds: Kinds) -> str:
    return f"all conventions agree: {kinds.choices[0].words}"


def _nothing_to_decide(found: Sensitivity, axis: str, refused: bool) -> str:
    if axis in ("negative", "outside") and refused:
        return "where it is not refused, no number changes"
    if axis in ("empty", "short", "missing", "unjudged", "ties"):
        return _NOTHING[axis] if not _flagged(found, axis) else "those concerned get the same number either way"
    return _NOTHING.get(axis, "no number changes on these lists")


def _flagged(found: Sensitivity, axis: str) -> bool:
    name = {"ties": "tied"}.get(axis, axis)
    return any(getattr(o.counts, name) for named in found.named for o in named.standing.outcomes)


def _count(found: Sensitivity, flag: int) -> str:
    outcome = found.reference.standing.outcomes[0]
    return f"{int(((outcome.flags & flag) != 0).sum()):,} of {len(outcome.flags):,}"


# Why choices that change numbers change no winner.
_RESCALES = {
    "empty": "the empty lists ({empty}) are the same for every system: a constant adds the same to every mean, leaving "
    "them out divides every mean by the same number of lists",
    "missing": "the missing lists ({missing}) are the same for every run: they add the same to every mean",
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
    "negative": "no label is negative",
    "outside": "no label is outside the table",
    "ideal": "the ideal is worth the same either way",
    "precision": "scores in single precision change no number",
}


def called(measure: Measure) -> str:
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


def _p(p: float) -> str:
    return f"{p:.4f}" if p >= 0.0001 else "< .0001"
