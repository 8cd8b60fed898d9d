"""The verb `report`: saved results in, a page, a text or figures out."""

import pytest

from rankwise import evaluate
from rankwise.cli import main
from study.making import small_study


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("saved")
    (place / "plan.study").mkdir()
    small_study(learners=2, lists=30, seeds=1).save(place / "plan.study" / "result.study")
    labels, group = [1, 0, 1, 0, 1, 0, 0, 0], [2, 2, 4]
    for name, scores in {"old": [2, 1, 2, 1, 2, 4, 3, 1], "new": [1, 2, 1, 2, 4, 3, 2, 1]}.items():
        evaluate(labels, scores, ["nDCG@3", "AP"], group=group, name=name).save(place / f"{name}.result")
    return place


def test_a_study_is_drawn_beside_its_result(folder, capsys):
    pytest.importorskip("vl_convert")
    assert main(["report", str(folder / "plan.study")]) == 0
    place = folder / "plan.study" / "report.html"
    assert capsys.readouterr().out == f"{place}\n"
    assert place.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_results_are_compared(folder, tmp_path, capsys):
    pytest.importorskip("vl_convert")
    words = ["report", str(folder / "old.result"), str(folder / "new.result"), "--format", "markdown"]
    assert main([*words, "-o", str(tmp_path / "compared.md"), "--title", "Old and new"]) == 0
    text = (tmp_path / "compared.md").read_text("utf-8")
    assert text.startswith("# Old and new\n") and "2 systems under 2 measures on 3 lists" in text
    assert (tmp_path / "compared_figures" / "means-figure.svg").exists()


def test_figures_of_one_evaluation(folder, tmp_path, capsys):
    pytest.importorskip("vl_convert")
    assert main(["report", str(folder / "old.result"), "--format", "figures", "-o", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'out'}: 3 files\n"
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".svg", ".png", ".pdf"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["none.study"], "none.study: no such file"),
        (["{}/old.result", "--format", "docx"], "html, markdown"),
        (["{}/old.result", "{}/plan.study"], "a study has a report of its own"),
        (["{}/old.result", "-o", "{}/old.result"], "old.result: this file is read too"),
        (["{}/old.result", "-o", "{}/nowhere/x.html"], "there is no such folder"),
    ],
)
def test_refusals(words, told, folder, capsys):
    pytest.importorskip("vl_convert")
    assert main(["report", *(word.format(folder) for word in words)]) == 2
    assert told in capsys.readouterr().err
