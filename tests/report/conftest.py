"""A study whose names try to be more than text, and its report; both are made once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.cli import main
from rankwise.report.of_study import document
from rankwise.report.write import write_report
from rankwise.study.result import Notice, StudyResult
from study.making import small_study

HOSTILE = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=2>'\"&<!--"


# As the demonstration, but small.
PLAN = """
name = "hotels"
[data]
simulated = "hotels"
searches = 90
folds = 3
[measures]
train = ["nDCG@5", "hotels:nDCG@5"]
evaluate = ["nDCG@1..5", "hotels:nDCG@1..5", "yahoo:nDCG@5"]
[[learner]]
name = "best-feature"
[[learner]]
name = "adarank"
rounds = 10
[statistics]
permutations = 200
"""


@pytest.fixture(scope="session")
def study() -> StudyResult:
    return small_study()


@pytest.fixture(scope="session")
def hostile() -> StudyResult:
    """The same, where a learner, all lists, a fold, the plan and a notice carry a script."""
    plain = small_study(learners=2, lists=30, seeds=1)
    bad = f"learner 1{HOSTILE}"

    def name(learner: str) -> str:
        return bad if learner == "learner 1" else learner

    return replace(
        plain,
        name=f"study {HOSTILE}",
        entries=tuple(replace(entry, learner=name(entry.learner)) for entry in plain.entries),
        cells=tuple(replace(cell, learner=name(cell.learner)) for cell in plain.cells),
        curves=tuple(replace(curve, learner=name(curve.learner)) for curve in plain.curves),
        seeds_of={(name(learner), training): v for (learner, training), v in plain.seeds_of.items()},
        queries=tuple(f"{query}{HOSTILE}" for query in plain.queries),
        folds=tuple(replace(fold, name=f"{fold.name}{HOSTILE}") for fold in plain.folds),
        plan_text=f"# {HOSTILE}\n",
        notices=(Notice("empty-lists", HOSTILE, HOSTILE),),
        about={"machine": HOSTILE, "packages": {HOSTILE: HOSTILE}},
    )


@pytest.fixture(scope="session")
def page(study: StudyResult) -> str:
    pytest.importorskip("vl_convert")
    from rankwise.report.html import page

    return page(document(study))


@pytest.fixture(scope="session")
def hostile_page(hostile: StudyResult) -> str:
    pytest.importorskip("vl_convert")
    from rankwise.report.html import page

    return page(document(hostile))


@pytest.fixture(scope="session")
def pages(
    study: StudyResult, page: str, hostile_page: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    places = {name: folder / f"{name}.html" for name in ("plain", "hostile", "comparison")}
    (folder / "hotels.toml").write_text(PLAN)
    assert main(["study", str(folder / "hotels.toml"), "-o", str(folder / "run"), "--workers", "1", "--quiet"]) == 0
    places["run"] = folder / "run" / "report.html"
    write_report(study.comparison(["nDCG@3", "nDCG@5"]), places["comparison"])
    places["plain"].write_text(page, "utf-8")
    places["hostile"].write_text(hostile_page, "utf-8")
    return places
