"""What the report of a study says, in studies that lack this or that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankwise.report import pairs
from rankwise.report.document import Document, Facts, Figure, Tabled
from rankwise.report.html import spec_of
from rankwise.report.of_study import document
from rankwise.study.result import StudyResult
from study.making import named, small_study

pytest.importorskip("altair")


def section(made: Document, name: str) -> list[object]:
    return next((list(one.parts) for one in made.sections if one.name == name), [])


def without(study: StudyResult, keep: list[int], **changes: object) -> StudyResult:
    """A study with some of its evaluation measures alone."""
    return replace(
        study,
        evaluation=tuple(study.evaluation[at] for at in keep),
        main=study.evaluation[keep[0]],
        seeds_of={name: values[:, keep] for name, values in study.seeds_of.items()},
        flags=study.flags[keep],
        **changes,
    )


def test_the_facts_are_the_verdict_s(study: StudyResult) -> None:
    (facts,) = [part for part in section(document(study), "verdict") if isinstance(part, Facts)]
    main = study.verdict.main
    assert [fact.value for fact in facts.facts] == [
        main.entry.learner, f"{main.mean:.4f}", f"{abs(main.rival.difference):.4f}", "no",
    ]  # fmt: skip


def test_where_nothing_has_several_cut_offs_means_are_drawn() -> None:
    made = document(without(small_study(), [1, 3, 5]))
    (figure,) = section(made, "trained-for")
    assert isinstance(figure, Figure) and figure.title == "Figure 1: means"
    assert not section(made, "learners")
    panels = figure.charts[0].to_dict()["concat"]
    assert [panel["title"] for panel in panels] == ["nDCG@5", "yahoo:nDCG@5", "letor4:nDCG@5"]


def test_a_study_of_one_learner_and_one_measure_has_no_pairs() -> None:
    plain = small_study(learners=1, seeds=1)
    one = without(
        replace(plain, entries=plain.entries[:1], training=plain.training[:1], cells=(), curves=(), notices=()), [1]
    )
    made = document(one)
    assert [one.name for one in made.sections] == ["verdict", "trained-for", "tables", "again", "cite"]


def test_conventions_of_one_name_have_panels_of_their_own() -> None:
    plain = small_study()
    twice = tuple(named(f"nDCG(gain='linear')@{k}") for k in (3, 5))
    both = replace(
        plain,
        evaluation=(*plain.evaluation, *twice),
        seeds_of={name: np.concatenate([v, v[:, :2]], axis=1) for name, v in plain.seeds_of.items()},
        flags=np.concatenate([plain.flags, plain.flags[:2]]),
    )
    figure = section(document(both), "trained-for")[0]
    assert isinstance(figure, Figure)
    titles = [panel["title"] for panel in figure.charts[0].to_dict()["concat"]]
    assert len(titles) == 4 and len(set(titles)) == 4


def test_learning_curves_keep_the_first_the_last_and_the_kept_step() -> None:
    plain = small_study(learners=1, seeds=1)
    steps = np.arange(1, 1001)
    curve = replace(plain.curves[0], steps=steps, values=steps / 1000.0, validation=1 - steps / 2000.0, best=137)
    figure = section(document(replace(plain, curves=(curve,))), "curves")[0]
    assert isinstance(figure, Figure)
    (kept,) = spec_of(figure.charts[0])["datasets"].values()
    rows = [row for row in kept if row["lists"] == "validation lists"]
    drawn = [row["step"] for row in rows]
    assert drawn[0] == 1 and drawn[-1] == 1000 and 137 in drawn and len(drawn) < 50
    assert [row["step"] for row in rows if row["kept"]] == [137]
    assert {row["training"] for row in kept} == {curve.training}


def test_the_data_of_means_say_of_which_measure_they_are() -> None:
    mean = {"name": "one", "series": "mean", "mean": 0.5, "low": 0.4, "high": 0.6}
    spec = spec_of(pairs.dots({"AP": [mean], "RR": [mean]}, ["one"], {"mean": 0}, of=""))
    assert sorted(row["measure"] for rows in spec["datasets"].values() for row in rows) == ["AP", "RR"]


def test_the_lists_that_differ_most_are_those(study: StudyResult) -> None:
    (table,) = [part for part in section(document(study), "pairs") if isinstance(part, Tabled)]
    main = study.verdict.main
    rival = next(entry for entry in study.distinct if entry.name == main.rival.system)
    apart = study.values(main.entry.learner, main.entry.training, study.main) - study.values(
        rival.learner, rival.training, study.main
    )
    told = [float(row[-1]) for row in table.table.rows]
    expected = sorted((abs(value) for value in apart), reverse=True)[: len(told)]
    np.testing.assert_allclose([abs(value) for value in told], expected, atol=1e-4)
    by_query = dict(zip(study.queries, apart, strict=True))
    assert all(abs(by_query[row[0]] - float(row[-1])) < 1e-4 for row in table.table.rows)


def test_names_of_parts_are_not_used_twice(study: StudyResult) -> None:
    names = [part.name for one in document(study).sections for part in one.parts if hasattr(part, "name")]
    assert len(names) == len(set(names))
