"""`rankwise train`: files of lists become a ranker, or a clear word why not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from contracts.settings import easy
from rankwise import Dataset, learner, load_ranker, measure, write_letor
from rankwise.cli import main
from rankwise.cli.progress import Line, Progress, duration
from rankwise.cli.train import settings
from rankwise.learners import LEARNERS
from rankwise.learners.base import Learner
from rankwise.learners.curve import Step
from rankwise.rankers.linear import Linear

TRAIN, VALIDATION = easy(0), easy(1, lists=10)


@dataclass(frozen=True)
class Place:
    at: int
    weights: npt.NDArray[np.float64]


@dataclass(kw_only=True, eq=False, repr=False)
class Turning(Learner):
    """Turns a direction, a little further each step; a signal comes during one."""

    rounds: int = 20
    angle: float = 0.1
    signal_at: int | None = None
    sharp: bool = False

    name: ClassVar[str] = "turning"
    states: ClassVar[tuple[type, ...]] = (Place,)
    lengthens: ClassVar[str] = "rounds"

    def steps(self) -> int:
        return self.rounds

    def start(self, data: Any, rng: np.random.Generator) -> Place:
        return Place(0, np.zeros(data.table.shape[1]))

    def step(self, data: Any, state: Place, rng: np.random.Generator) -> Place:
        if os.environ.get("TURNING_DIES_AT") == str(state.at):
            os.kill(os.getpid(), signal.SIGKILL)
        if state.at == self.signal_at:
            signal.raise_signal(signal.SIGINT)
        weights = state.weights.copy()
        weights[:2] = np.cos(self.angle * state.at), np.sin(self.angle * state.at)
        return Place(state.at + 1, weights + 0.01 * rng.normal(size=len(weights)))

    def scorer(self, state: Place) -> Linear:
        return Linear(state.weights, 0.0)


@pytest.fixture(autouse=True)
def turning(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("rankwise.learners.turning", "Turns.")
    module.Turning = Turning  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "rankwise.learners.turning", module)
    monkeypatch.setitem(LEARNERS, "turning", "turning:Turning")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    write_letor(TRAIN, "train.txt")
    write_letor(VALIDATION, "vali.txt")
    return tmp_path


def train(*words: str, name: str = "turning", files: tuple[str, ...] = ("train.txt",), output: str = "m") -> int:
    return main(["train", "--learner", name, *files, "-o", output, *words])


def table(data: Dataset, path: str) -> None:
    names = [f"f{at}" for at in range(data.features.shape[1])]
    queries = np.repeat(list(data.queries), np.diff(data.offsets))
    lines = [",".join(["qid", "label", *names])]
    rows = zip(queries, data.labels, data.features.tolist(), strict=True)
    lines += [",".join([query, f"{label:g}", *map(repr, row)]) for query, label, row in rows]
    Path(path).write_text("\n".join(lines) + "\n")


# What it does.


def test_the_file_is_the_ranker_that_fit_makes(capsys: pytest.CaptureFixture[str]) -> None:
    assert train("--validation", "vali.txt", "--measure", "yahoo:nDCG@5", "--select", "AP", "--seed", "3",
                 "--set", "rounds=12", "--set", "angle=0.2", "--patience", "4", "--scaling", "z-score",
                 "--relative", "rank,share") == 0  # fmt: skip
    same = Turning(
        measure=measure("yahoo:nDCG@5"), select="AP", seed=3, rounds=12, angle=0.2, patience=4, scaling="z-score",
        relative=("rank", "share"),
    ).fit(TRAIN, validation=VALIDATION)  # fmt: skip
    found = load_ranker("m")
    assert dict(found.about) == dict(same.ranker_.about)
    assert found.predict(TRAIN).tobytes() == same.predict(TRAIN).tobytes()
    told = capsys.readouterr()
    assert "turning for yahoo" in told.out and "chosen by AP" in told.out and "24 lists" in told.out
    assert told.err.startswith("step 1 of 12 · training 0.")


def test_several_files_are_joined_and_packed_ones_too(capsys: pytest.CaptureFixture[str]) -> None:
    write_letor(TRAIN.take(range(9)), "one.txt.gz")
    write_letor(TRAIN.take(range(9, 24)), "two.txt")
    assert train() == train(files=("one.txt.gz", "two.txt"), output="n") == 0
    assert Path("m").read_bytes() == Path("n").read_bytes()


def test_a_table_gives_the_same_scores_as_text() -> None:
    table(TRAIN, "train.csv")
    table(VALIDATION, "vali.csv")
    assert train("--validation", "vali.txt") == 0
    assert (
        train("--validation", "vali.csv", "--query", "qid", "--label", "label", files=("train.csv",), output="n") == 0
    )
    text, named = load_ranker("m"), load_ranker("n")
    assert named.inputs.feature_names == ("f0", "f1", "f2", "f3")
    assert text.predict(TRAIN).tobytes() == named.predict(TRAIN.features).tobytes()


def test_lists_without_ids_come_with_their_sizes() -> None:
    for name, data in (("a", TRAIN.take(range(10))), ("b", TRAIN.take(range(10, 24)))):
        write_letor(data, f"{name}.txt")
        lines = Path(f"{name}.txt").read_text().splitlines()
        without = [" ".join(word for word in line.split() if not word.startswith("qid:")) for line in lines]
        Path(f"{name}.plain").write_text("\n".join(without) + "\n")
        Path(f"{name}.sizes").write_text("".join(f"{size}\n" for size in np.diff(data.offsets)))
    assert train(files=("a.plain", "b.plain")) == 2
    assert train("--group", "a.sizes", "--group", "b.sizes", files=("a.plain", "b.plain")) == 0
    assert load_ranker("m").about["counts"]["lists"] == 24


def test_a_validation_file_may_not_have_further_features(capsys: pytest.CaptureFixture[str]) -> None:
    Path("vali.txt").write_text("0 qid:1 5:1\n1 qid:1 5:2\n")
    assert train("--validation", "vali.txt") == 2
    assert "validation: there are 5 features, and the ranker was trained with 4" in capsys.readouterr().err


def test_a_validation_file_may_lack_the_last_features(capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("vali.txt").read_text()
    Path("vali.txt").write_text("\n".join(line.partition(" 4:")[0] for line in text.splitlines()) + "\n")
    assert train("--validation", "vali.txt") == 0
    assert load_ranker("m").inputs.features == 4
    assert (
        "vali.txt: its highest feature is 3, and 4 are known: those that are lacking are 0" in capsys.readouterr().err
    )


def test_json_is_what_the_ranker_knows(capsys: pytest.CaptureFixture[str]) -> None:
    assert train("--format", "json", "--quiet") == 0
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert {name: found[name] for name in load_ranker("m").about} == dict(load_ranker("m").about)
    assert (found["model"], told.err) == ("m", "")


def test_learners_are_listed_with_their_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--learners"]) == 0
    told = capsys.readouterr().out
    assert "best-feature\n  The best single feature" in told and "--set angle=0.1" in told


def test_a_project_file_sets_the_convention() -> None:
    Path("rankwise.toml").write_text('convention = "yahoo"')
    assert train("--measure", "nDCG@5") == 0
    assert load_ranker("m").about["measure"].startswith("yahoo")


def test_training_goes_on_from_a_ranker(capsys: pytest.CaptureFixture[str]) -> None:
    assert train() == 0
    assert train("--start-from", "m", output="n") == 2
    assert "Turning cannot go on from a ranker" in capsys.readouterr().err


def test_a_warning_is_one_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert train("--measure", "letor4:nDCG@8", "--quiet") == 0
    assert capsys.readouterr().err.startswith("rankwise: warning: 16 of 24 lists teach nothing: letor4")


# Stopping, and going on.


def test_ctrl_c_ends_after_the_step_and_the_checkpoint_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert train("--set", "signal_at=7", "--checkpoint", "c") == 130
    told = capsys.readouterr().err
    assert "stopping after this step" in told
    assert "stopped after step 8 of 20; no ranker is written\nHint: the same command goes on from c." in told
    assert not Path("m").exists()
    assert train("--set", "signal_at=7", "--checkpoint", "c") == 0
    assert train("--set", "signal_at=7", "--checkpoint", "d", output="n") == 130
    whole = Turning(signal_at=None).fit(TRAIN)
    assert load_ranker("m").predict(TRAIN).tobytes() == whole.predict(TRAIN).tobytes()


def test_without_a_checkpoint_ctrl_c_says_what_would_have_helped(capsys: pytest.CaptureFixture[str]) -> None:
    # A run in the background begins with another handler.
    before = signal.getsignal(signal.SIGINT)
    assert train("--set", "signal_at=0") == 130
    assert "Hint: with --checkpoint FILE" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGINT) is before


_KILLED = """
import sys, types
sys.path.insert(0, sys.argv[1])
from cli.test_train import Turning
from rankwise.learners import LEARNERS
module = types.ModuleType("rankwise.learners.turning")
module.Turning = Turning
sys.modules["rankwise.learners.turning"] = module
LEARNERS["turning"] = "turning:Turning"
import rankwise.data.formats.checkpoints as checkpoints
init = checkpoints.FileCheckpoint.__init__
checkpoints.FileCheckpoint.__init__ = lambda self, path: init(self, path, seconds=0)
from rankwise.cli import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_killed_training_goes_on_to_the_same_ranker() -> None:
    tests = str(Path(__file__).parents[1])
    words = ["train", "--learner", "turning", "train.txt", "--validation", "vali.txt", "-o", "m", "--checkpoint", "c"]
    command = [sys.executable, "-c", _KILLED, tests, *words]
    for at in ("3", "11"):
        died = subprocess.run(command, env={**os.environ, "TURNING_DIES_AT": at}, capture_output=True)
        assert died.returncode == -signal.SIGKILL
        assert not Path("m").exists() and Path("c").exists()
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr[:8]) == (0, "step 12 ")
    whole = Turning().fit(TRAIN, validation=VALIDATION)
    assert load_ranker("m").predict(TRAIN).tobytes() == whole.predict(TRAIN).tobytes()


# Progress.


class Screen:
    def __init__(self, *, terminal: bool) -> None:
        self.text = ""
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None: ...


def steps(count: int, seconds: float) -> Iterator[Step]:
    for number in range(1, count + 1):
        yield Step(number, count, 0.5 + number / 1000, 0.4 if number != 3 else 0.45, min(number, 3), seconds * number)


def test_a_log_gets_a_line_each_tenth_and_each_minute() -> None:
    for seconds, wanted in ((0.1, 11), (30.0, 51)):
        screen, now = Screen(terminal=False), [0.0]
        progress = Progress(Line(screen, clock=lambda now=now: now[0]))  # type: ignore[arg-type]
        for step in steps(100, seconds):
            now[0] = step.seconds
            progress(step)
        lines = screen.text.splitlines()
        assert len(lines) == wanted
        assert "\r" not in screen.text
    assert lines[0] == "step 1 of 100 · training 0.5010 · validation 0.4000 · best 0.4000 at this step · 30 s"
    assert lines[-2].startswith("step 98 of 100 · training 0.5980 · validation 0.4000 · best 0.4500 at step 3 · 49 min")
    assert lines[-2].endswith("at most 1 min 0 s left")


def test_a_terminal_has_one_living_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    screen, now = Screen(terminal=True), [0.0]
    progress = Progress(Line(screen, clock=lambda: now[0]))  # type: ignore[arg-type]
    for step in steps(1000, 0.01):
        now[0] = step.seconds
        progress(step)
    progress.end()
    shown = screen.text.split("\r\x1b[K")[1:]
    assert screen.text.count("\n") == 1 and screen.text.endswith("\n")
    assert 90 < len(shown) < 120
    assert all(len(text) < 40 for text in shown[:-1])


def test_a_time_has_about_two_figures() -> None:
    assert [duration(s) for s in (0.0, 59.6, 3599.7, 360000)] == ["0.0 s", "1 min 0 s", "1 h 0 min", "100 h 0 min"]


# Refusals.


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--set", "leafs=3"], "turning has no parameter 'leafs'\nHint: it has rounds=20, angle=0.1"),
        (["--set", "rounds=3.5"], "rounds must be a whole number, not '3.5'"),
        (["--set", "sharp=maybe"], "sharp must be true or false, not 'maybe'"),
        (["--set", "signal_at=x"], "signal_at must be a whole number or none, not 'x'"),
        (["--set", "rounds"], "'rounds' is no hyper-parameter and its value"),
        (["--set", "rounds=1", "--set", "rounds=2"], "--set: the hyper-parameter 'rounds' is named twice"),
        (["--set", "seed=1"], "it has an option of its own\nHint: say --seed."),
        (["--set", "rounds=0"], "the number of steps must be a whole number from 1, not 0"),
        (["--measure", "ndgc@10"], "there is no measure 'ndgc@10'"),
        (["--patience", "0"], "patience must be a whole number from 1, not 0"),
        (["--scaling", "sideways"], "sideways"),
        (["--time-budget", "0"], "the time budget must be a number of seconds above 0"),
        (["--query", "q"], "--query belongs to tables"),
        (["--validation-group", "x"], "--validation-group belongs to --validation"),
        (["--group", "x", "--group", "y"], "there are 2 files with sizes of lists for 1 files of LETOR text"),
        (["--validation", "nowhere.txt"], "nowhere.txt: no such file"),
        (["--validation", "train.txt"], "train.txt is given twice"),
        (["--checkpoint", "m"], "--checkpoint and the output are one file"),
        (["--checkpoint", "train.txt"], "train.txt: this file is read too"),
        (["--start-from", "vali.txt"], "vali.txt: "),
        (["--format", "xml"], "there is no format 'xml'"),
    ],
)
def test_what_is_refused(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(*words, "--quiet") == 2
    assert told in capsys.readouterr().err
    assert not Path("m").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["train.txt", "-o", "m"], "--learner is needed"),
        (["--learner", "turning", "train.txt"], "-o MODEL is needed"),
        (["--learner", "turning", "-o", "m"], "a FILE of labelled lists is needed"),
        (["--learner", "lambda", "train.txt", "-o", "m"], "there is no learner 'lambda'\nHint: there are "),
        (["--learner", "turning", "train.txt", "-o", "no/m"], "no: there is no such folder"),
        (["--learner", "turning", "train.txt", "-o", "."], "is a folder, not a file"),
        (["--learner", "turning", "train.txt", "-o", "-"], "a ranker is not written to standard output"),
        (["--learner", "turning", "train.txt", "-o", "vali.txt"], "there is such a file already"),
        (["--learner", "turning", "train.txt", "-o", "train.txt", "--overwrite"], "train.txt: this file is read too"),
        (["--learner", "turning", "-", "-", "-o", "m"], "standard input is given twice"),
    ],
)
def test_what_is_refused_before_anything_is_read(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = Path("train.txt").read_bytes()
    assert main(["train", *words]) == 2
    assert told in capsys.readouterr().err
    assert Path("train.txt").read_bytes() == before


def test_a_bad_line_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.txt").write_text("1 qid:1 1:2\n1 qid:1 1:x\n")
    assert train(files=("bad.txt",)) == 2
    assert "bad.txt, line 2: " in capsys.readouterr().err


def test_a_query_in_two_files_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    write_letor(TRAIN, "again.txt")
    assert train(files=("train.txt", "again.txt")) == 2
    assert "train.txt, again.txt: query 'q00' is in 2 of the datasets to join" in capsys.readouterr().err


def test_a_ranker_that_is_there_stays_unless_one_says_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    assert train() == 0
    before = Path("m").read_bytes()
    assert train("--set", "rounds=2") == 2
    assert "m: there is such a file already" in capsys.readouterr().err
    assert Path("m").read_bytes() == before
    assert train("--set", "rounds=2", "--overwrite") == 0
    assert Path("m").read_bytes() != before


def test_settings_take_hyphens() -> None:
    assert settings(["learning-rate=0.1", "text=a=b"]) == {"learning_rate": "0.1", "text": "a=b"}


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_each_default_reads_back_from_its_text(name: str) -> None:
    from rankwise.learners.parameters import defaults, value_of_text

    kind = learner(name)
    assert kind().get_params(deep=False) == defaults(kind)
    for parameter, value in defaults(kind).items():
        if isinstance(value, (int, float, str)) or value is None:
            assert value_of_text(kind, parameter, str(value)) == value


def test_parameters_of_several_values_and_of_any_kind() -> None:
    from rankwise.learners.parameters import value_of_text

    kind = learner("lambdamart")
    assert value_of_text(kind, "goss", "0.2, 0.1") == (0.2, 0.1)
    assert value_of_text(kind, "categorical", "3,site") == ("3", "site")
    assert value_of_text(kind, "monotone", '{"price": -1}') == {"price": -1}
    assert value_of_text(kind, "monotone", "none") is None
