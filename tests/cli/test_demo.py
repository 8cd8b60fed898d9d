"""`rankwise demo`: what it shows is what `evaluate` computes."""

from __future__ import annotations

import re
import time
from pathlib import Path

import numpy as np
import pytest

from rankwise import evaluate, hotel_searches
from rankwise.cli import main
from rankwise.cli.demo import MEASURE, RULES, Demonstration, demonstrate

# One in whose searches the winner changes, one in whose it does not, and few searches with equal winners.
CASES = [(600, 0), (600, 2), (2_000, 2), (2_000, 3), (3, 0)]


@pytest.fixture(scope="module", params=CASES, ids=str)
def demo(request: pytest.FixtureRequest) -> Demonstration:
    searches, seed = request.param
    return demonstrate(searches, seed=seed)


def cells(line: str) -> list[str]:
    return re.split(r"\s{2,}", line.strip())


def shown_table(demo: Demonstration) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table of values, read back from the text."""
    lines = str(demo).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(MEASURE))
    end = lines.index("", at)
    return cells(lines[at])[1:], [cells(line) for line in lines[at + 1 : end]]


def test_there_are_eight_conventions(demo: Demonstration) -> None:
    _, rows = shown_table(demo)
    names = [row[0] for row in rows]
    assert len(set(names)) == 8
    assert names[:2] == ["standard", "hotels"]


def test_the_values_shown_are_those_of_evaluate(demo: Demonstration) -> None:
    head, rows = shown_table(demo)
    data = hotel_searches(len(demo.data), seed=demo.seed)
    scores = {name: rule(data) for name, rule in RULES.items()} | {"as shown": -data.positions}
    assert head == list(scores)
    for name, *values in rows:
        for rule, value in zip(head, values, strict=True):
            mean = evaluate(data, scores[rule], f"{name}:{MEASURE}")[0].mean
            assert value.lstrip("*") == f"{mean:.4f}"


def test_the_winner_has_the_star_and_the_greatest_value(demo: Demonstration) -> None:
    head, rows = shown_table(demo)
    for (_, *values), winners in zip(rows, demo.winners, strict=True):
        starred = [rule for rule, value in zip(head, values, strict=True) if value.startswith("*")]
        assert starred == winners
        contenders = [float(value.lstrip("*")) for value in values[:-1]]
        assert all(contenders[head.index(rule)] == max(contenders) for rule in starred)


def test_the_verdict_agrees_with_the_table(demo: Demonstration) -> None:
    head, rows = shown_table(demo)
    winners = {
        row[0]: " and ".join(rule for rule, value in zip(head, row[1:], strict=True) if value.startswith("*"))
        for row in rows
    }
    first, *rest = demo.verdict().splitlines()
    if len(set(winners.values())) == 1:
        assert first == f"The winner does not change: {winners['standard']}, under all 8 conventions."
        return
    assert first == "The winner changes:"
    said = dict(line.strip().split(": ") for line in rest if line.startswith("  "))
    assert {name: rule for rule, names in said.items() for name in names.split(", ")} == winners


def test_each_difference_is_one_choice_that_changes_a_value(demo: Demonstration) -> None:
    standard = demo.measures[0]
    for m, found in zip(demo.measures, demo.effects, strict=True):
        for effect in found:
            choices = {axis: getattr(m.convention, axis) for axis in {effect.axis, "outside"}}
            alone = standard.but(**choices)
            before = [evaluate(demo.data, rule(demo.data), [standard]).values for rule in RULES.values()]
            after = [evaluate(demo.data, rule(demo.data), [alone]).values for rule in RULES.values()]
            changes = [(b - a).mean() for a, b in zip(before, after, strict=True)]
            assert any((a != b).any() for a, b in zip(before, after, strict=True))
            assert effect.changes == pytest.approx(changes, abs=1e-12)
            assert effect.lists == max((np.abs(a - b) > 1e-12).sum() for a, b in zip(before, after, strict=True))


def test_a_choice_left_out_changes_no_value(demo: Demonstration) -> None:
    standard = demo.measures[0]
    for m, found in zip(demo.measures, demo.effects, strict=True):
        named = {effect.axis for effect in found} | {"outside"}
        for axis in set(standard.convention.differences(m.convention)) - named:
            alone = standard.but(**{axis: getattr(m.convention, axis)} | {"outside": m.convention.outside})
            for rule in RULES.values():
                values = evaluate(demo.data, rule(demo.data), [standard, alone]).values
                np.testing.assert_allclose(values[1], values[0], rtol=0, atol=1e-12)


def test_every_effect_has_its_line(demo: Demonstration) -> None:
    rows = demo.reasons().rows
    assert len(rows) == sum(max(len(found), 1) for found in demo.effects[1:])
    assert [row[0] for row in rows if row[0]] == [m.convention.name for m in demo.measures[1:]]


def test_labels_outside_a_gain_table_are_named() -> None:
    rows = demonstrate(600).reasons().rows
    assert any(row[1] == "gain of label 5: 0 (outside its table), not 31" for row in rows)
    assert any(row[1] == "gain of label 5: 5, not 31" for row in rows)


def test_places_and_leads_are_those_of_the_values(demo: Demonstration) -> None:
    verdict = demo.verdict()
    (leads,) = (line for line in verdict.splitlines() if line.startswith("Its lead"))
    greatest = np.sort(demo.values, axis=1)
    for value in re.findall(r"\d\.\d{4}", leads):
        assert value in [f"{lead:.4f}" for lead in greatest[:, -1] - greatest[:, -2]]
    if found := re.search(r"Moves most: (.+), place (\d) under (\w+), place (\d) under (\w+)", verdict):
        rule, *ends = found.groups()
        column = list(RULES).index(rule)
        for place, name in (ends[:2], ends[2:]):
            row = demo.values[[m.convention.name for m in demo.measures].index(name)]
            assert int(place) == 1 + (row > row[column]).sum()


def test_it_fits_a_terminal_of_100_columns(demo: Demonstration) -> None:
    assert max(map(len, str(demo).splitlines())) <= 100


def test_the_page_shows_what_it_prints() -> None:
    page = (Path(__file__).parents[2] / "docs" / "demo.md").read_text("utf-8")
    assert f"$ rankwise demo\n{demonstrate()}\n```" in page
    end = "\n".join(str(demonstrate(seed=2)).splitlines()[-6:])
    assert f"$ rankwise demo --seed 2 | tail -6\n{end}\n```" in page


def test_it_is_deterministic() -> None:
    assert str(demonstrate(300, seed=5)) == str(demonstrate(300, seed=5))


def test_it_takes_less_than_five_seconds() -> None:
    start = time.perf_counter()
    str(demonstrate())
    assert time.perf_counter() - start < 5


# The verb.


def test_the_verb_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--seed", "3", "--searches", "50"]) == 0
    captured = capsys.readouterr()
    assert captured.out == f"{demonstrate(50, seed=3)}\n"
    assert captured.err == ""


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["demo", "--help"])
    assert "rankwise demo --seed 7" in capsys.readouterr().out


def test_no_searches_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--searches", "0"]) == 2
    assert "the number of searches must be a whole number from 1, not 0" in capsys.readouterr().err
