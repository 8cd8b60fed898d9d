"""Reports of every kind of result, in every format."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import rankwise
from rankwise import RankwiseError, Result, evaluate
from rankwise.report import methods
from rankwise.report.document import Figure, Tabled
from rankwise.report.write import document_of, load, write_report
from rankwise.study.result import StudyResult
from report.conftest import HOSTILE

LABELS, GROUP = [2, 1, 0, 0, 1, 0] * 10, [6] * 10
MEASURES = ("nDCG@1", "nDCG@3", "nDCG@5", "letor4:nDCG@3", "letor4:nDCG@5", "AP")


def run(name: str, noise: float) -> Result:
    import numpy as np

    scores = np.array(LABELS) + noise * np.random.default_rng(len(name)).normal(size=len(LABELS))
    return evaluate(LABELS, scores, MEASURES, group=GROUP, name=name)


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return [run("old", 1.5), run("newer", 1.0), run(f"new {HOSTILE}", 0.5)]


def kinds(results: list[Result]) -> dict[str, Any]:
    return {
        "one": results[0],
        "several": results,
        "comparison": rankwise.compare(results, permutations=200),
        "explanation": rankwise.explain(results[0]["nDCG@5"], results[0]["letor4:nDCG@5"]),
        "sensitivity": rankwise.sensitivity(results, "nDCG@5", conventions=["letor4", "yahoo"], permutations=200),
    }


@pytest.mark.parametrize("kind", ["one", "several", "comparison", "explanation", "sensitivity"])
def test_every_kind_of_result_has_a_report(kind: str, results: list[Result]) -> None:
    pytest.importorskip("altair")
    made = document_of(kinds(results)[kind])
    parts = [part for section in made.sections for part in section.parts]
    assert made.figures and any(isinstance(part, Tabled) for part in parts)
    names = [part.name for part in parts if isinstance(part, (Figure, Tabled))]
    assert len(names) == len(set(names))
    for figure in made.figures:
        assert figure.charts and all(chart.to_dict() for chart in figure.charts)


@pytest.mark.parametrize("kind", ["several", "explanation", "sensitivity", "comparison"])
def test_every_kind_is_a_page(kind: str, results: list[Result], tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    (path,) = write_report(kinds(results)[kind], tmp_path / "report.html", title="Mine & <yours>")
    written = path.read_text("utf-8")
    assert "<h1>Mine &amp; &lt;yours&gt;</h1>" in written and HOSTILE not in written
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_markdown_refers_to_its_figures(study: StudyResult, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    text, *pictures = write_report(study, tmp_path / "study.md", form="markdown")
    words = text.read_text("utf-8")
    assert words.startswith("# small\n") and words.index("## Verdict") < words.index("## Tables")
    referred = re.findall(r"!\[.*?\]\((.*?)\)", words)
    assert [tmp_path / place for place in referred] == pictures
    assert all(picture.read_bytes().startswith(b"<svg") for picture in pictures)
    assert study.table().to_markdown() in words


def test_markup_in_a_name_is_text_in_markdown(hostile: StudyResult) -> None:
    pytest.importorskip("altair")
    from rankwise.report.markdown import markdown

    words = markdown(document_of(hostile), "figures")
    outside = re.sub(r"^```.*?^```$", "", words, flags=re.DOTALL | re.MULTILINE)
    assert "<script" not in re.sub(r"\\<", "", outside) and "<img" not in re.sub(r"\\<", "", outside)


def test_figures_are_files_of_three_kinds(results: list[Result], tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    found = rankwise.explain(results[0]["nDCG@5"], results[0]["letor4:nDCG@5"])
    written = write_report(found, tmp_path / "figures", form="figures")
    assert [path.name for path in written] == ["effects.svg", "effects.png", "effects.pdf"]
    for path, start in zip(written, (b"<svg", b"\x89PNG", b"%PDF"), strict=True):
        assert path.read_bytes().startswith(start)
    assert b"currentColor" not in written[0].read_bytes()


def test_saved_results_are_compared_and_a_saved_study_is_itself(
    results: list[Result], study: StudyResult, tmp_path: Path
) -> None:
    for at, result in enumerate(results):
        result.save(tmp_path / f"{at}.result")
    study.save(tmp_path / "result.study")
    assert isinstance(load([tmp_path / "result.study"]), StudyResult)
    assert isinstance(load([tmp_path / "0.result"]), Result)
    assert load([tmp_path / f"{at}.result" for at in range(3)]).systems == tuple(one.name for one in results)
    with pytest.raises(RankwiseError, match=r"(?s)result.study: a study has a report of its own.*once a study"):
        load([tmp_path / "0.result", tmp_path / "result.study"])


def test_results_of_one_name_are_told_by_their_files(results: list[Result], tmp_path: Path) -> None:
    for name in ("a", "b"):
        results[0].save(tmp_path / f"{name}.result")
    assert load([tmp_path / "a.result", tmp_path / "b.result"]).systems == ("a", "b")


def test_what_has_no_report_is_refused() -> None:
    with pytest.raises(RankwiseError, match=r"there is no report of int"):
        document_of(3)
    with pytest.raises(RankwiseError, match=r"(?s)there is no report as 'pdf'.*html, markdown, figures"):
        write_report(3, "x", form="pdf")


def test_a_file_that_is_no_result_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"0123456789")
    with pytest.raises(RankwiseError, match=r"(?s)x: its first eight bytes .*wrote as a result"):
        load([tmp_path / "x"])


def test_the_papers_in_the_package_are_those_of_the_documents() -> None:
    known = (Path(__file__).parents[2] / "docs" / "references.bib").read_text("utf-8")
    for key, entry in methods.entries().items():
        assert entry in known, f"{key} differs from docs/references.bib: copy it to report/methods.bib"


def test_every_paper_of_a_learner_or_a_measure_is_in_the_package() -> None:
    from rankwise.learners import LEARNERS, learner
    from rankwise.measures.base import Measure

    used = [learner(name) for name in LEARNERS] + list(subclasses(Measure))
    known = (Path(__file__).parents[2] / "docs" / "references.bib").read_text("utf-8")
    words = " ".join(methods.words(one) for one in used)
    for key in set(re.findall(r"`([a-z]+\d{4}[a-z]?)`", words)):
        assert key in methods.entries() or f"{{{key}," not in known, f"copy {key} to report/methods.bib"


def subclasses(kind: type) -> set[type]:
    found = {one for one in kind.__subclasses__() if one.__module__.startswith("rankwise")}
    return found.union(*map(subclasses, found)) if found else found
