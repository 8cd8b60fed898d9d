"""What a study found: its numbers are those of `evaluate` and `compare`, and its file gives it back."""

import json
import math

import numpy as np
import pytest

import rankwise
from rankwise.errors import DataError, MeasureError, RankwiseError
from study.making import small_study


@pytest.fixture(scope="module")
def study():
    return small_study()


def test_a_score_is_the_mean_of_folds_with_errors_in_quadrature(study):
    values = study.values("learner 1", "nDCG@5", "letor4:nDCG@5")
    folds = [values[study.fold_of == fold] for fold in range(3)]
    score = study.score("learner 1", "nDCG@5", "letor4:nDCG@5")
    assert score.mean == pytest.approx(np.mean([fold.mean() for fold in folds]), abs=1e-15)
    errors = [fold.std(ddof=1) / math.sqrt(len(fold)) for fold in folds]
    assert score.stderr == pytest.approx(math.sqrt(sum(e * e for e in errors)) / 3, abs=1e-15)
    assert score.folds == pytest.approx([fold.mean() for fold in folds], abs=1e-15)


def test_the_spread_is_that_of_the_means_of_seeds(study):
    score = study.score("learner 2", "yahoo:nDCG@5", "nDCG@5")
    at = study.place("nDCG@5")
    by_hand = [one[at].mean() for one in study.seeds_of["learner 2", "yahoo:nDCG@5"]]
    assert score.seeds == pytest.approx(by_hand, abs=1e-12)
    assert score.spread == pytest.approx(np.std(by_hand, ddof=1), abs=1e-12)


def test_scores_are_the_means_of_the_comparison(study):
    found = study.comparison("nDCG@5")
    for name, mean, error in zip(found.systems, found[0].means, found[0].mean_errors, strict=True):
        learner, _, training = name.partition(" for ")
        score = study.score(learner, training, "nDCG@5")
        assert (score.mean, score.stderr) == pytest.approx((mean, error), abs=1e-14)


def test_equal_entries_stand_once_in_a_comparison(study):
    assert len(study.entries) == 9
    assert len(study.comparison().systems) == 8
    assert study.table().rows[7][1] == "yahoo:nDCG@5 (= nDCG@5)"


def test_the_winner_has_the_greatest_mean_and_is_held_against_all_others(study):
    for winner in study.verdict.winners:
        scores = [study.score(e.learner, e.training, winner.measure).mean for e in study.entries]
        assert winner.mean == max(scores)
        assert winner.others == 7
        assert winner.rival.difference <= winner.runner_up.difference <= 0 or winner.rival is winner.runner_up
    assert study.verdict.main.entry.learner == "learner 1"
    assert study.verdict.sure
    assert "learner 1" in str(study.verdict).splitlines()[0]


def test_conventions_are_those_of_the_main_measure(study):
    assert [one.name for one in study.conventions] == ["nDCG@5", "yahoo:nDCG@5", "letor4:nDCG@5"]


def test_a_file_gives_the_study_back(study, tmp_path):
    study.save(tmp_path / "small.study")
    again = rankwise.load_study(tmp_path / "small.study")
    assert repr(again) == repr(study)
    assert again.to_csv() == study.to_csv()
    assert json.dumps(again.as_dict(), allow_nan=False) == json.dumps(study.as_dict(), allow_nan=False)
    assert again.curves[3].values.tolist() == study.curves[3].values.tolist()
    assert again.cells == study.cells and again.folds == study.folds and again.entries == study.entries


def test_every_form_has_the_verdict_or_the_numbers(study):
    assert "empty-lists: 3 of 60" in study.to_markdown()
    assert r"\begin{tabular}" in study.to_latex()
    assert "<table>" in study.to_html()
    assert study.to_csv().count("\n") == 1 + 9 * 6


def test_a_hostile_query_id_cannot_be_markup_in_html(study):
    assert "<script" not in study.to_html()


def test_what_the_study_has_not_is_refused(study):
    with pytest.raises(RankwiseError, match="this study has no learner 9 for nDCG@5"):
        study.entry("learner 9", "nDCG@5")
    with pytest.raises(MeasureError, match=r"this study has no AP\nHint: it has nDCG@3, nDCG@5"):
        study.place("AP")


def test_a_damaged_file_is_refused(study, tmp_path):
    from rankwise.data.formats import arrays

    path = tmp_path / "small.study"
    study.save(path)
    header, columns = arrays.read(path, "study", 1)
    arrays.write(path, "study", 1, {**header, "evaluation": []}, columns)
    with pytest.raises(DataError, match="run the study again"):
        rankwise.load_study(path)
    arrays.write(path, "study", 1, header, {**columns, "flags": columns["flags"][:1]})
    with pytest.raises(DataError, match="its array 'flags' is uint8"):
        rankwise.load_study(path)
