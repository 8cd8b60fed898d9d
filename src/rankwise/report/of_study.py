"""The report of a study: the verdict first, then what to know, the figures, the tables, and how to make it again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from rankwise.evaluation import significance
from rankwise.evaluation.present import convention_line
from rankwise.evaluation.table import Table
from rankwise.report import curves, methods, pairs
from rankwise.report.document import Document, Fact, Facts, Figure, Listing, Part, Section, Tabled, Warned, Words
from rankwise.report.figures import bump_chart
from rankwise.report.look import COLOURS, extent
from rankwise.report.of_comparison import list_by_list, pairwise
from rankwise.study.result import Curve, Entry, Named, StudyResult

__all__ = ["document"]

# Points of a learning curve that are drawn.
POINTS = 40
# Means closer than this are the same.
_ROUNDING = 1e-12


def document(result: StudyResult) -> Document:
    """The report of a study."""
    return Document(
        result.name or "study", _subtitle(result), [section for section in _sections(result) if section.parts]
    )


def _sections(result: StudyResult) -> Iterator[Section]:
    yield Section("verdict", "Verdict", [_facts(result), Words(_paragraphs(result.verdict.sentences()))])
    told = [(one.code, one.text, one.hint) for one in result.notices]
    yield Section("notices", "Before a number is quoted", [Warned(told)] if told else [])
    points = _points(result)
    yield Section("trained-for", "What learners are trained for", list(_by_learner(result, points)))
    yield Section("learners", "Learners side by side", list(_by_training(result, points)))
    yield Section("conventions", "Does the winner change?", list(_over_conventions(result)))
    yield Section("pairs", "Pairs", [*_pairs(result), *_two(result)])
    yield Section("tables", "Tables", list(_tables(result)))
    yield Section("curves", "Learning curves", list(_learning(result)))
    yield Section("again", "How to make it again", list(_again(result)))
    yield Section("cite", "Methods to cite", list(_cite(result)))


# The verdict.


def _subtitle(result: StudyResult) -> str:
    learners = _counted(len(result.learners), "learner")
    training = _counted(len(result.training), "training measure")
    return f"{learners} × {training} on {len(result.queries):,} lists in {_counted(len(result.folds), 'fold')}"


def _facts(result: StudyResult) -> Facts:
    verdict, main = result.verdict, result.verdict.main
    facts = [
        Fact(
            f"wins under {main.measure.convention}",
            " = ".join(main.names),
            f"trained for {main.entry.training}" + (", and others with the same values" if main.tied else ""),
        ),
        Fact(main.measure.name, f"{main.mean:.4f}", f"± {main.stderr:.4f}, standard error over lists"),
    ]
    if main.rival is not None:
        low, high = sorted(-end for end in main.rival.interval)
        chance = "no chance" if main.rival.significant else "could be chance"
        said = f"over {main.rival.system}; {_level(result)} interval {low:+.4f} to {high:+.4f}: {chance}"
        facts.append(Fact("leads by", f"{abs(main.rival.difference):.4f}", said))
    if len(verdict.winners) > 1:
        changed = sum(w.entry.learner != main.entry.learner for w in verdict.winners)
        others = _counted(len(verdict.winners) - 1, "other convention")
        of = f"another learner wins under {changed} of {others}" if changed else f"the same learner wins under {others}"
        value = "yes" if verdict.learner_changes else "in its training only" if verdict.entry_changes else "no"
        facts.append(Fact("does the winner change?", value, of))
    return Facts(facts)


def _level(result: StudyResult) -> str:
    return f"{result.statistics.level:.0%}".replace("%", " %")


def _paragraphs(sentences: Sequence[str]) -> list[str]:
    """Points stay with the sentence that they belong to."""
    found: list[str] = []
    for sentence in sentences:
        if sentence.startswith("  ") and found:
            found[-1] += f"\n{sentence}"
        else:
            found.append(sentence)
    return found


# Curves over cut-offs.

Family = list[tuple[int, Named]]
Points = Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]]


def _families(result: StudyResult) -> dict[str, Family]:
    """Evaluation measures that differ in their cut alone, those of the main measure's formula, by what names them."""
    found: dict[Any, Family] = {}
    main = result.main.measure
    for named in result.evaluation:
        one = named.measure
        if one.k is not None and type(one) is type(main) and one._parameters() == main._parameters():
            found.setdefault(one.convention, []).append((one.k, named))
    whole = [sorted(family, key=lambda at: at[0]) for family in found.values() if len(family) > 1]
    names = [family[0][1].convention for family in whole]
    return {
        name if names.count(name) == 1 else f"{name}, {family[-1][1].name}": family
        for name, family in zip(names, whole, strict=True)
    }


def _by_learner(result: StudyResult, points: Points) -> Iterator[Part]:
    if not points:
        yield from _standings(result)
        return
    places = {named.name: at for at, named in enumerate(result.training)}
    charts = []
    for learner in result.learners:
        entries = [entry for entry in result.distinct if entry.learner == learner]
        names = {entry.name: _called(result, entry) for entry in entries}
        series = {names[entry.name]: places[entry.training] for entry in entries}
        made = _panels(result, points, entries, names)
        charts.append(curves.panels(made, series, title=learner, x="cut-off k", of="trained for"))
    yield Figure("figure-1", "Figure 1: each learner by what it was trained for", _about_curves(result), charts)


def _by_training(result: StudyResult, points: Points) -> Iterator[Part]:
    learners = {learner: at for at, learner in enumerate(result.learners)}
    charts = []
    for named in result.training if points else ():
        entries = [entry for entry in result.entries if entry.training == named.name]
        if entries:
            made = _panels(result, points, entries, {entry.name: entry.learner for entry in entries})
            series = {entry.learner: learners[entry.learner] for entry in entries}
            title = f"trained for {named.name}"
            charts.append(curves.panels(made, series, title=title, x="cut-off k", of="learner"))
    if charts:
        yield Figure("figure-2", "Figure 2: learners under each convention", _about_curves(result), charts)


def _panels(
    result: StudyResult, points: Points, entries: Sequence[Entry], names: Mapping[str, str]
) -> list[curves.Panel]:
    """A panel a convention; its scale is the same for all entries of the study."""
    made = []
    for convention, of_entry in points.items():
        rows = [{"series": names[entry.name], **row} for entry in entries for row in of_entry[entry.name]]
        ends = extent([row[end] for rows in of_entry.values() for row in rows for end in ("low", "high")])
        title = f"{result.main.measure.name}@k under {convention}"
        made.append(curves.Panel(title, rows, (ends[0], ends[1])))
    return made


def _about_curves(result: StudyResult) -> str:
    folds = f", those of {len(result.folds)} folds in quadrature" if len(result.folds) > 1 else ""
    return (
        f"Means over lists; bands are one standard error to each side{folds}. Panels of one convention have one "
        "scale in all rows; scales of different conventions are not comparable."
    )


def _points(result: StudyResult) -> Points:
    """By convention and entry, a point for each cut-off."""
    return {
        name: {entry.name: [_point(result, entry, k, named) for k, named in family] for entry in result.entries}
        for name, family in _families(result).items()
    }


def _point(result: StudyResult, entry: Entry, k: int, named: Named) -> dict[str, Any]:
    score = result.score(entry.learner, entry.training, named)
    error = 0.0 if math.isnan(score.stderr) else score.stderr
    ends = {"low": score.mean - error, "high": score.mean + error}
    return {"measure": named.name, "x": k, "mean": score.mean, "error": error, **ends}


def _called(result: StudyResult, entry: Entry) -> str:
    """A training measure, with those that came out the same."""
    same = [one.training for one in result.entries if one.learner == entry.learner and one.same_as == entry.training]
    return " = ".join([entry.training, *same])


def _standings(result: StudyResult) -> Iterator[Part]:
    """Means with intervals, where there are no cut-offs to draw a curve over."""
    places = {named.name: at for at, named in enumerate(result.training)}
    of_measure = {}
    for named in result.conventions:
        rows = []
        for entry in result.distinct:
            score = result.score(entry.learner, entry.training, named)
            error = 0.0 if math.isnan(score.stderr) else score.stderr
            rows.append({"name": entry.name, "series": entry.training, "mean": score.mean,
                         "low": score.mean - error, "high": score.mean + error})  # fmt: skip
        of_measure[named.name] = rows
    trained = {name: places[name] for name in dict.fromkeys(entry.training for entry in result.distinct)}
    chart = pairs.dots(of_measure, [entry.name for entry in result.distinct], trained, of="trained for")
    yield Figure("figure-1", "Figure 1: means", "Means over lists, one standard error to each side.", [chart])


# Conventions and pairs.


def _over_conventions(result: StudyResult) -> Iterator[Part]:
    if len(result.conventions) < 2 or len(result.distinct) < 2:
        return
    ranks = [_ranks(result, named) for named in result.conventions]
    names = [entry.name for entry in result.distinct]
    chart = bump_chart(
        names, [named.convention for named in result.conventions], ranks, title=f"Ranks by {result.main.name}"
    )
    caption = (
        "The best stands at the top. Lines have colours where the rank changes with the convention, of many such lines "
        f"the {len(COLOURS)} that move most."
    )
    yield Figure("ranks", "Ranks under each convention", caption, [chart])


def _ranks(result: StudyResult, named: Named) -> list[int]:
    sign = 1 if named.measure.higher_is_better else -1
    means = [sign * result.score(entry.learner, entry.training, named).mean for entry in result.distinct]
    return [1 + sum(other > mean + _ROUNDING for other in means) for mean in means]


def _pairs(result: StudyResult) -> Iterator[Part]:
    if len(result.distinct) > 1:
        yield pairwise(result.comparison(), "pairs-of-all", "Each entry against each other")


def _two(result: StudyResult) -> Iterator[Part]:
    """The winner and the best of another learner, list by list."""
    main = result.verdict.main
    against = main.rival or main.runner_up
    if against is not None:
        other = next(entry for entry in result.distinct if entry.name == against.system)
        held = result.comparison(entries=(other, main.entry))
        yield from list_by_list(held[0], 0, 1, "The winner and the best of another learner, list by list")


# Tables, curves, and how it was made.


def _tables(result: StudyResult) -> Iterator[Part]:
    more = 0
    for at, table in enumerate(result.tables()):
        if at == 0:
            yield Tabled("means", "Means", table)
        elif table.head[1] == "winner":
            yield Tabled("winners", "Winners", table)
        elif table.head[3].startswith("less "):
            yield Tabled("by-training", "What the training measure changes", table)
        elif table.title:
            yield Tabled("failed", table.title, Table(table.head, table.rows, table.notes, left=table.left))
        else:
            more += 1
            yield Tabled(f"further-{more}", "Under further conventions", table)
    yield Listing(
        "all-values.csv", "Every entry under every measure, with full precision", result.to_csv(), folded=True
    )


def _learning(result: StudyResult) -> Iterator[Part]:
    charts = []
    own = {(cell.learner, cell.training) for cell in result.cells if not cell.shared}
    for learner in result.learners:
        made = []
        for named in result.training:
            of_cell = [
                curve
                for curve in result.curves
                if (curve.learner, curve.training) == (learner, named.name)
                and (learner, named.name) in own
                and len(curve.steps) > 2
            ]
            rows = [{"training": named.name, **row} for curve in of_cell for row in _learnt(curve)]
            if rows:
                made.append(curves.Panel(f"trained for {named.name}", rows))
        if made:
            charts.append(curves.learning(made, title=learner))
    if charts:
        caption = (
            "The training measure on the training lists, the selection measure on the validation lists, a line for "
            "each fold and seed; the point is the step that was kept."
        )
        yield Figure("learning-curves", "Learning curves", caption, charts)


def _learnt(curve: Curve) -> Iterator[dict[str, Any]]:
    """Steps evenly spaced, with the first, the last and the one that was kept."""
    count = len(curve.steps)
    places = set(np.linspace(0, count - 1, min(count, POINTS)).round().astype(int).tolist())
    places |= set(np.flatnonzero(curve.steps == curve.best).tolist())
    for lists, values in {"training lists": curve.values, "validation lists": curve.validation}.items():
        for at in sorted(places):
            if math.isfinite(values[at]):
                step = int(curve.steps[at])
                kept = step == curve.best and lists == "validation lists"
                yield {"lists": lists, "fold": curve.fold, "seed": curve.seed, "step": step,
                       "value": float(f"{values[at]:.7g}"), "kept": kept}  # fmt: skip


def _again(result: StudyResult) -> Iterator[Part]:
    about = result.about
    packages = about.get("packages", {})
    rows = [
        ["rankwise", str(about.get("rankwise", "unknown"))],
        ["Python", str(about.get("python", "unknown"))],
        *([str(name), str(version)] for name, version in packages.items()),
        ["machine", str(about.get("machine", "unknown"))],
        ["processes at a time", str(about.get("workers", "unknown"))],
        ["time", _time(about.get("seconds"))],
        ["seeds", ", ".join(map(str, sorted({seed for entry in result.entries for seed in entry.seeds})))],
        ["statistics", _statistics(result)],
    ]
    yield Words(["The plan below, the same versions and the same lists give the same bits.", *_conventions(result)])
    yield Tabled("made-with", "Made with", Table(["what", "which"], rows, left=frozenset({0, 1})))
    yield Tabled("lists", "Lists", _folds(result))
    yield Listing("plan.toml", "The plan", result.plan_text)
    if result.cells:
        yield Tabled("trainings", "Trainings that were chosen on validation", _cells(result), folded=True)


def _conventions(result: StudyResult) -> list[str]:
    """The sentence that states each convention, of the main measure."""
    said = "\n".join(
        f"  {convention_line(named.convention, [named.measure], runs=False)}" for named in result.conventions
    )
    return [f"What the conventions of {result.main.name} choose:\n{said}"]


def _statistics(result: StudyResult) -> str:
    s = result.statistics
    tests = f"tests {', '.join(s.tests)}, corrected by {s.correction}, {s.permutations:,} permutations, seed {s.seed}"
    return f"{tests}; {_level(result)} intervals"


def _time(seconds: Any) -> str:
    return f"{seconds:.1f} seconds" if isinstance(seconds, (int, float)) and math.isfinite(seconds) else "unknown"


def _folds(result: StudyResult) -> Table:
    parts = list(dict.fromkeys(part for fold in result.folds for part in fold.lists))
    rows = [
        [fold.name, part, f"{fold.lists[part]:,}", f"{fold.rows.get(part, 0):,}", str(fold.digests.get(part, ""))]
        for fold in result.folds
        for part in parts
        if part in fold.lists
    ]
    return Table(["fold", "part", "lists", "rows", "digest of the contents"], rows, left=frozenset({0, 1, 4}))


def _cells(result: StudyResult) -> Table:
    rows = []
    for cell in result.cells:
        if cell.chosen:
            plain = asdict(cell)
            point = ", ".join(f"{name}={value}" for name, value in plain["parameters"].items())
            rows.append([cell.learner, cell.training, cell.fold, str(cell.seed), point, _number(cell.validation),
                         str(cell.steps), cell.stopped, _number(cell.seconds, 2)])  # fmt: skip
    head = ["learner", "trained for", "fold", "seed", "parameters", "validation", "steps", "stopped", "seconds"]
    return Table(head, rows, left=frozenset({0, 1, 2, 4, 7}))


def _number(value: float, digits: int = 4) -> str:
    return f"{value:.{digits}f}" if math.isfinite(value) else "–"


def _cite(result: StudyResult) -> Iterator[Part]:
    used: list[Any] = [type(named.measure) for named in (*result.evaluation, *result.training)]
    used += [kind for kind in map(_class, dict.fromkeys(entry.kind for entry in result.entries)) if kind is not None]
    used += [getattr(significance, test, None) for test in result.statistics.tests]
    used.append(significance.CORRECTIONS.get(result.statistics.correction))
    keys = methods.cited(*[one for one in used if one is not None])
    if keys:
        yield Listing(
            "methods.bib", "Measures, learners and tests of this report, as BibTeX", methods.bibliography(keys)
        )


def _class(kind: str) -> Any:
    from rankwise.learners import LEARNERS, learner

    return learner(kind) if kind in LEARNERS else None


def _counted(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"
