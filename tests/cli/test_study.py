"""The verb `study`: plan in, tables and verdict out, everything kept in a folder."""

import io
import json
import math
import os

import pytest

from rankwise.cli import main
from rankwise.cli.progress import Line
from rankwise.cli.study import Progress
from rankwise.study.run import Told

PLAN = """
[data]
simulated = "hotels"
searches = 60
folds = 3
[measures]
train = ["nDCG@5", "hotels:nDCG@5"]
[[learner]]
name = "best-feature"
[[learner]]
name = "pointwise"
trees = 3
[statistics]
permutations = 200
"""


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.toml").write_text(PLAN)
    return "plan.toml"


def test_tables_and_verdict_go_to_standard_output(plan, tmp_path, capsys):
    assert main(["study", plan, "--workers", "1", "--no-report"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0].split() == ["learner", "trained", "for", "nDCG@5", "hotels:nDCG@5"]
    assert "Under nDCG@5 (standard) " in out
    assert err.splitlines()[0] == "9 trainings, 1 at a time"
    assert "9 of 9 · " in err and "are in plan.study\n" in err
    assert (tmp_path / "plan.study" / "result.study").exists()


def test_the_report_is_drawn_and_where_it_is_is_said(plan, tmp_path, capsys):
    pytest.importorskip("vl_convert")
    assert main(["study", plan, "--workers", "1"]) == 0
    place = os.path.join("plan.study", "report.html")
    assert capsys.readouterr().err.endswith(f"rankwise: the report is {place}\n")
    assert (tmp_path / place).read_text("utf-8").startswith("<!DOCTYPE html>")


def test_without_the_packages_that_draw_a_study_says_so(plan, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["study", plan, "--workers", "1"]) == 0
    assert "rankwise: no report is drawn; after `pip install 'rankwise[report]'`" in capsys.readouterr().err
    assert not (tmp_path / "plan.study" / "report.html").exists()


def test_formats(plan, capsys):
    for form, sign in {"markdown": "| learner |", "latex": r"\begin{tabular}", "csv": "learner,training,"}.items():
        assert main(["study", plan, "--workers", "1", "--quiet", "--no-report", "--format", form]) == 0
        out, err = capsys.readouterr()
        assert sign in out and not err
    assert main(["study", plan, "--workers", "1", "--quiet", "--no-report", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"]["winners"][0]["convention"] == "standard"


def test_a_dry_run_does_nothing(plan, tmp_path, capsys):
    assert main(["study", plan, "--dry-run"]) == 0
    assert "9 trainings, of which 0 are kept" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["plan.toml"]


def test_init_writes_a_plan_that_can_be_read(tmp_path, monkeypatch, capsys):
    from rankwise import read_plan

    monkeypatch.chdir(tmp_path)
    assert main(["study", "--init"]) == 0
    assert "`rankwise study plan.toml` runs it" in capsys.readouterr().out
    assert [one.label for one in read_plan("plan.toml").contenders][-1] == "LambdaMART"
    assert main(["study", "--init", "plan.toml"]) == 2
    assert "plan.toml: is there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["study"], "a plan is needed\nHint: `rankwise study --init plan.toml`"),
        (["study", "plan.toml", "--init", "other.toml"], "--init writes a plan, and one is given"),
        (["study", "none.toml"], "none.toml: no such file"),
        (["study", "plan.toml", "--format", "pdf"], "pdf"),
        (["study", "plan.toml", "--workers", "0"], "workers must be a whole number from 1, not 0"),
    ],
)
def test_refusals(plan, words, told, capsys):
    assert main(words) == 2
    assert told in capsys.readouterr().err


class Terminal(io.StringIO):
    def isatty(self):
        return True


def told(number, of=40, **other):
    about = {"name": f"cell {number}", "how": "trained", "failed": "", "seconds": 1.0, "left": 90.0, **other}
    return Told(number=number, of=of, **about)


def test_a_log_gets_each_tenth_part_and_each_failure():
    log = io.StringIO()
    progress = Progress(Line(log, clock=lambda: 0.0))
    progress.begin(40, 3, 2)
    for number in range(1, 41):
        progress.done(told(number, failed="it broke\nHint: mend it" if number == 6 else ""))
    progress.end()
    lines = log.getvalue().splitlines()
    assert lines[0] == "40 trainings, 3 of them kept from before, 2 at a time"
    assert "failed: cell 6: it broke" in lines and len(lines) == 12
    assert lines[1] == "4 of 40 · about 1 min 30 s left · cell 4" and lines[-1] == "40 of 40 · cell 40"


def test_a_terminal_has_one_line_that_changes(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    terminal, now = Terminal(), iter(range(100))
    progress = Progress(Line(terminal, clock=lambda: float(next(now))))
    progress.begin(40, 0, 2)
    progress.done(told(1, left=math.nan))
    progress.done(told(2))
    progress.end()
    shown = terminal.getvalue()
    assert shown.count("\r") == 3 and shown.count("\n") == 1
    assert "1 of 40 · cell 1" in shown and "2 of 40 · about 1 min 30 s left · cell 2" in shown
