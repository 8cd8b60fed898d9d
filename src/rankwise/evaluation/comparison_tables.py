"""What a comparison shows: tables for people, CSV and plain values for programs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

from rankwise.evaluation.paired import TESTS, Contrast, Paired
from rankwise.evaluation.present import _json_number, _number, _range, conventions
from rankwise.evaluation.significance import tries_all_signs
from rankwise.evaluation.table import Marked, Table

if TYPE_CHECKING:
    from rankwise.evaluation.compare import Comparison

__all__ = ["as_dict", "csv", "differences", "extremes", "means", "segments"]

# How many rows of differences are shown; the CSV has them all.
SHOWN = 200
_TEST_WORDS = {
    "randomisation": "randomisation test",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "sign": "sign test",
    "tukey": "Tukey's HSD test",
}
_CORRECTION_WORDS = {"holm": "Holm's", "bh": "Benjamini and Hochberg's", "bonferroni": "Bonferroni's"}


def means(comparison: Comparison, *, digits: int = 4) -> Table:
    """One row a system, one column a measure with its interval; letters for significant differences."""
    letters = _letters(comparison)
    marks = [_marks(comparison, paired, letters) for paired in comparison.paired]
    interval = f"{comparison.settings.level * 100:g} % interval"
    head = [*([""] if letters else []), "system"]
    head += [cell for paired in comparison.paired for cell in (str(paired.measure), interval)]
    rows = []
    for at, name in enumerate(comparison.systems):
        row = [*([letters[at]] if letters else []), name]
        for paired, marked in zip(comparison.paired, marks, strict=True):
            row += [Marked(_number(float(paired.means[at]), digits), marked[at]), _range(paired.interval(at), digits)]
        rows.append(row)
    left = frozenset(at for at, cell in enumerate(head) if cell != interval)
    notes = [*_letter_notes(comparison, letters), *_out_of_reach(comparison), *_notes(comparison)]
    return Table(head, rows, notes, left=left)


def _letters(comparison: Comparison) -> str:
    """A letter for each system; none where they would not do."""
    return ascii_lowercase[: len(comparison.systems)] if len(comparison.systems) <= len(ascii_lowercase) else ""


def _marks(comparison: Comparison, paired: Paired, letters: str) -> list[str]:
    """For each system the letters of those that it is significantly better than."""
    found: list[list[str]] = [[] for _ in paired.names]
    for at in range(len(paired)) if letters else ():
        contrast = Contrast(paired, comparison.family, at)
        if contrast.significant and contrast.favours:
            first, second = paired.pairs[at].tolist()
            better, worse = (second, first) if contrast.favours > 0 else (first, second)
            found[better].append(letters[worse])
    return ["".join(sorted(marks)) for marks in found]


def _letter_notes(comparison: Comparison, letters: str) -> list[str]:
    against = "the baseline is compared with each" if comparison.baseline is not None else "all pairs"
    if not letters:
        return [f"{len(comparison.systems):,} systems are too many for letters; {significance_words(comparison)}"]
    return [f"letters: significantly better than that system; {against}; {significance_words(comparison)}"]


def significance_words(comparison: Comparison) -> str:
    """Which test, correction and level make a difference significant."""
    s = comparison.settings
    test, tests = s.tests[0], len(comparison.family)
    words = _TEST_WORDS[test]
    if test == "randomisation":
        words += f" ({_drawn(comparison)})"
    measures = len(comparison.family.members)
    if test == "tukey":
        corrected = f", times {measures} measures" if measures > 1 and s.correction != "none" else ""
    else:
        how = _CORRECTION_WORDS.get(s.correction)
        corrected = ", not corrected" if how is None else f" after {how} correction over {tests:,} tests"
        corrected = corrected if tests > 1 else ", the one test"
    return f"{words}, p < {s.alpha:g}{corrected}"


def _drawn(comparison: Comparison) -> str:
    s = comparison.settings
    exact = all(tries_all_signs(paired.lists, s.permutations) for paired in comparison.paired)
    return "all signs" if exact else f"{s.permutations:,} draws, seed {s.seed}"


def _out_of_reach(comparison: Comparison) -> list[str]:
    """Whether the least p that the first test can have, corrected, is too large to call anything significant."""
    s, test = comparison.settings, comparison.settings.tests[0]
    lists = max(paired.lists for paired in comparison.paired)
    if test in ("t", "tukey") or s.correction == "bh" or not lists:
        return []
    # All differences of one sign: two of the 2ⁿ ways.
    drawn = test == "randomisation" and not tries_all_signs(lists, s.permutations)
    least = 1 / (1 + s.permutations) if drawn else 2.0 ** (1 - lists)
    least *= 1 if s.correction == "none" else len(comparison.family)
    if least < s.alpha:
        return []
    more = "more permutations" if drawn else "more lists"
    return [
        f"no p can be below {min(1.0, least):.2g} here, so that nothing is called significant: {more}, or fewer pairs"
    ]


def differences(comparison: Comparison, *, digits: int = 4) -> Table:
    """One row a measure and pair."""
    head = ["measure", *_about_head(comparison), *_difference_head(comparison)]
    contrasts = comparison.contrasts
    rows = [
        [str(contrast.measure), *_about(comparison, contrast), *_difference(contrast, digits)]
        for contrast in contrasts[:SHOWN]
    ]
    notes = [f"and {len(contrasts) - SHOWN:,} more, in the CSV"] if len(contrasts) > SHOWN else []
    return Table(
        head, rows, [*notes, *_difference_notes(comparison)], left=frozenset(range(2 + _all_pairs(comparison)))
    )


def segments(comparison: Comparison, *, digits: int = 4) -> Table:
    """One row a measure, segment and pair."""
    parts = comparison.segments
    level = f"{comparison.settings.level * 100:g} %"
    tests = comparison.settings.tests
    head = ["measure", "segment", *_about_head(comparison), "lists", "means", "difference", f"{level} interval"]
    head += [f"p {test}" for test in tests]
    rows = [
        [
            str(contrast.measure),
            name,
            *_about(comparison, contrast),
            f"{contrast.paired.lists:,}",
            _two_means(contrast, digits),
            _signed(contrast.difference, digits),
            _range(contrast.interval, digits),
            *(_p(contrast.p[test]) for test in tests),
        ]
        for at in range(len(comparison.paired))
        for name, part in parts.items()
        for contrast in (Contrast(part.paired[at], part.family, pair) for pair in range(len(part.paired[at])))
    ]
    first = next(iter(parts.values()))
    notes = [f"segments: {significance_words(first)}, in all segments"] if len(parts) > 1 else []
    return Table(head, rows, notes, left=frozenset(range(3 + _all_pairs(comparison))))


def extremes(comparison: Comparison, *, most: int = 3, digits: int = 4) -> Table:
    """The lists with the largest gain and loss of each pair."""
    head = ["measure", *_about_head(comparison), "largest gains", "largest losses"]

    def said(found: list[tuple[str, float]]) -> str:
        return ", ".join(f"{query} ({_signed(value, digits)})" for query, value in found)

    rows = [
        [str(c.measure), *_about(comparison, c), said(c.gains(most)), said(c.losses(most))]
        for c in comparison.contrasts[:SHOWN]
    ]
    return Table(head, rows, left=frozenset(range(len(head))))


def _all_pairs(comparison: Comparison) -> bool:
    return comparison.baseline is None


def _about_head(comparison: Comparison) -> list[str]:
    return ["system", "against"] if _all_pairs(comparison) else ["system"]


def _about(comparison: Comparison, contrast: Contrast) -> list[str]:
    return [contrast.system, contrast.baseline] if _all_pairs(comparison) else [contrast.system]


def _difference_head(comparison: Comparison) -> list[str]:
    s = comparison.settings
    level = f"{s.level * 100:g} %"
    head = ["difference", f"{level} interval", *([f"{level} bootstrap"] if s.bootstrap else [])]
    head += [*(f"p {test}" for test in s.tests), "effect", "better/same/worse"]
    return head if s.detect is None else [*head, f"power for {s.detect:g}", f"lists for {s.detect:g}", "detectable"]


def _difference(contrast: Contrast, digits: int) -> list[str]:
    s, p = contrast.paired.settings, contrast.p
    cells = [_signed(contrast.difference, digits), _range(contrast.interval, digits)]
    if s.bootstrap:
        cells.append(_range(_bootstrapped(contrast), digits))
    cells += [_p(p[test]) for test in s.tests]
    cells += [_decimals(contrast.effect_size, 2), "/".join(f"{count:,}" for count in contrast.counts)]
    if s.detect is not None:
        needed = contrast.lists_needed(s.detect)
        cells += [
            _decimals(contrast.power(s.detect), 2),
            "–" if needed is None else f"{needed:,}",
            _decimals(contrast.detectable, digits),
        ]
    return cells


def _bootstrapped(contrast: Contrast) -> tuple[float, float]:
    return contrast.bca if contrast.paired.settings.bootstrap == "bca" else contrast.bootstrap


def _difference_notes(comparison: Comparison) -> list[str]:
    s = comparison.settings
    notes = [] if comparison.baseline is None else [f"differences to {comparison.systems[comparison.baseline]}"]
    corrected = f"p after {_CORRECTION_WORDS[s.correction]} correction" if s.correction != "none" else "p not corrected"
    notes.append(f"{corrected}; intervals are of each difference alone; effect: Cohen's d")
    if "tukey" in s.tests:
        measures = len(comparison.family.members)
        times = f", times {measures} measures" if measures > 1 and s.correction != "none" else ""
        notes.append(f"p tukey: for all pairs of the {len(comparison.systems)} systems at once{times}")
    if s.bootstrap:
        how = "percentiles" if s.bootstrap == "percentile" else "BCa"
        notes.append(f"bootstrap: {how} of {s.resamples:,} resamples of the lists, seed {s.seed}")
    if s.detect is not None:
        notes.append(
            f"power: how likely the t test finds a true difference of {s.detect:g} on these lists; lists: how many make"
            " that 80 %; detectable: what these lists find with 80 %"
        )
    return notes


def _notes(comparison: Comparison) -> list[str]:
    """How many lists there were, what was left out, and the conventions."""
    matched = comparison.matched
    lists = len(matched.queries)
    notes = ["1 list" if lists == 1 else f"{lists:,} lists"]
    if matched.folds is not None:
        folds = len(set(matched.folds.tolist()))
        notes[0] += f" in {folds} folds: means of the folds' means, errors √(Σ error²)/{folds}"
        pooled = [test for test in comparison.settings.tests if test in ("wilcoxon", "sign", "tukey")]
        notes += [f"{', '.join(pooled)}: over the lists of all folds alike"] if pooled else []
    for name, count in matched.left_out.items():
        if count:
            notes.append(f"left out: {_lists(count)} of {name} that not all systems have")
    for paired in comparison.paired:
        if paired.partly:
            notes.append(f"left out under {paired.given}: {_lists(paired.partly)} without a value in some systems")
        if paired.nowhere:
            notes.append(f"left out under {paired.given}: {_lists(paired.nowhere)} without a value")
        if paired.kind == "geometric":
            notes.append(f"{paired.given} is a geometric mean: the tests are of the logarithms")
        if paired.sign < 0:
            notes.append(f"{paired.given}: less is better")
    runs = any(result.evaluated.judged_run for result in matched.results)
    return notes + conventions(comparison.measures, runs=runs)


def _lists(count: int) -> str:
    return "1 list" if count == 1 else f"{count:,} lists"


def _two_means(contrast: Contrast, digits: int) -> str:
    first, second = contrast.paired.pairs[contrast.at]
    means = contrast.paired.means
    return f"{_number(float(means[second]), digits)} − {_number(float(means[first]), digits)}"


def _signed(value: float, digits: int) -> str:
    return f"+{_number(value, digits)}" if value > 0 else _number(value, digits)


def _decimals(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def _p(value: float) -> str:
    """A p with four decimals; what is below the last of them is said to be less."""
    if math.isnan(value):
        return "–"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


# The CSV has all columns, whichever tests there were: scripts may rely on them.
_COLUMNS = (
    "segment", "measure", "system", "baseline", "lists", "mean", "baseline_mean", "difference", "stderr", "low", "high",
    "bootstrap_low", "bootstrap_high", "effect_size", "better", "same", "worse", "power", "lists_needed",
    *(f"p_{test}{kind}" for test in TESTS for kind in ("", "_corrected")), "significant",
)  # fmt: skip


def csv(comparison: Comparison) -> str:
    """One row a segment, measure and pair; the segment of all lists is empty, as is what was not asked for."""
    import csv as writer
    import io

    out = io.StringIO()
    rows = writer.DictWriter(out, _COLUMNS, lineterminator="\n", restval="")
    rows.writeheader()
    for segment, contrast in _all(comparison):
        rows.writerow({"segment": segment} | {key: _plain(value) for key, value in _values(contrast).items()})
    return out.getvalue()


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(value) if isinstance(value, float) else value


def _all(comparison: Comparison) -> Iterator[tuple[str, Contrast]]:
    parts = comparison.segments.items() if comparison.has_segments else ()
    for name, part in [("", comparison), *parts]:
        yield from ((name, contrast) for contrast in part.contrasts)


def _values(contrast: Contrast) -> dict[str, Any]:
    paired, s = contrast.paired, contrast.paired.settings
    first, second = paired.pairs[contrast.at]
    low, high = contrast.interval
    better, same, worse = contrast.counts
    found: dict[str, Any] = {
        "measure": paired.given,
        "system": contrast.system,
        "baseline": contrast.baseline,
        "lists": paired.lists,
        "mean": float(paired.means[second]),
        "baseline_mean": float(paired.means[first]),
        "difference": contrast.difference,
        "stderr": contrast.stderr,
        "low": low,
        "high": high,
        "effect_size": contrast.effect_size,
        "better": better,
        "same": same,
        "worse": worse,
    }
    if s.bootstrap:
        found["bootstrap_low"], found["bootstrap_high"] = _bootstrapped(contrast)
    if s.detect is not None:
        found |= {"power": contrast.power(s.detect), "lists_needed": contrast.lists_needed(s.detect)}
    for test, p in contrast.raw_p.items():
        found |= {f"p_{test}": p, f"p_{test}_corrected": contrast.p[test]}
    return found | {"significant": contrast.significant}


def as_dict(comparison: Comparison) -> dict[str, Any]:
    """A comparison as plain values, for JSON."""
    s = comparison.settings
    return {
        "systems": list(comparison.systems),
        "baseline": None if comparison.baseline is None else comparison.systems[comparison.baseline],
        "lists": len(comparison.matched.queries),
        "left_out": comparison.matched.left_out,
        "level": s.level,
        "tests": list(s.tests),
        "correction": s.correction,
        "permutations": s.permutations,
        "seed": s.seed,
        "significant": significance_words(comparison),
        "measures": [_measure_dict(comparison, paired) for paired in comparison.paired],
        "differences": [
            {"segment": segment} | {key: _json(value) for key, value in _values(contrast).items()}
            for segment, contrast in _all(comparison)
        ],
    }


def _measure_dict(comparison: Comparison, paired: Paired) -> dict[str, Any]:
    axes = paired.measure.relevant_axes
    convention = paired.measure.convention
    return {
        "given": paired.given,
        "measure": str(paired.measure),
        "lists": paired.lists,
        "left_out": paired.partly + paired.nowhere,
        "higher_is_better": paired.measure.higher_is_better,
        "convention": {"name": convention.name}
        | {axis: convention.words(axis) for axis, _ in convention if axis in axes},
        "systems": {
            name: {
                "value": _json_number(float(paired.means[at])),
                "stderr": _json_number(float(paired.mean_errors[at])),
                "interval": [_json_number(end) for end in paired.interval(at)],
            }
            for at, name in enumerate(comparison.systems)
        },
    }


def _json(value: Any) -> Any:
    return _json_number(value) if isinstance(value, float) else value
