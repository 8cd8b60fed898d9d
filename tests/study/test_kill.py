"""A study that is killed at any moment ends as one that never was; two at once do not hurt each other."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rankwise import load_study

PLAN = """
[data]
simulated = "hotels"
searches = 100
folds = 3
[measures]
train = ["nDCG@5", "letor4:nDCG@5"]
evaluate = ["yahoo:nDCG@1..5"]
[[learner]]
name = "best-feature"
[[learner]]
name = "lambdamart"
trees = 8
patience = "none"
seeds = 2
list_share = 0.5
[statistics]
permutations = 500
"""


def start(plan, folder, workers):
    command = [
        sys.executable,
        "-m",
        "rankwise",
        "study",
        str(plan),
        "-o",
        str(folder),
        "--workers",
        str(workers),
        "--no-report",
    ]
    # A group of its own: what is killed is the study with its workers, as a machine that goes down would.
    process = subprocess.Popen(
        [*command, "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    on_one_core(process.pid)
    return process


def on_one_core(process):
    """Trainings take one thread each then, which is fastest for small ones on a busy machine."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(process, {min(os.sched_getaffinity(process))})


def finished(plan, folder, workers=1):
    process = start(plan, folder, workers)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err.decode()
    return out


def contents(folder):
    """What a study leaves, without times: tables, scores of every seed and list, rankers."""
    study = load_study(folder / "result.study")
    scores = {place: hashlib.sha256(values.tobytes()).hexdigest() for place, values in study.seeds_of.items()}
    rankers = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (folder / "rankers").iterdir()}
    chosen = [(cell.key, cell.chosen, cell.validation, cell.steps) for cell in study.cells]
    curves = [(curve.values.tobytes(), curve.validation.tobytes(), curve.best) for curve in study.curves]
    texts = [(folder / name).read_text() for name in ("result.md", "result.tex", "result.csv")]
    return scores, rankers, chosen, curves, texts


@pytest.fixture(scope="module")
def never_killed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    (folder / "plan.toml").write_text(PLAN)
    began = time.monotonic()
    out = finished(folder / "plan.toml", folder / "study")
    return folder, out, time.monotonic() - began


def killed_and_finished(never_killed, tmp_path, moments, workers):
    folder, out, _ = never_killed
    for moment in moments:
        process = start(folder / "plan.toml", tmp_path / "study", workers)
        time.sleep(moment)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
    assert finished(folder / "plan.toml", tmp_path / "study", workers) == out
    assert contents(tmp_path / "study") == contents(folder / "study")


def test_killed_once_it_ends_the_same(never_killed, tmp_path):
    killed_and_finished(never_killed, tmp_path, [0.7 * never_killed[2]], workers=1)


@pytest.mark.slow
def test_killed_at_twenty_moments_it_ends_the_same(never_killed, tmp_path):
    moments = np.random.default_rng(0).uniform(0.2, 1.0, 20) * never_killed[2]
    killed_and_finished(never_killed, tmp_path, moments, workers=2)


def test_two_at_once_share_the_work(never_killed, tmp_path):
    folder, out, _ = never_killed
    both = [start(folder / "plan.toml", tmp_path / "study", 1) for _ in range(2)]
    told = [process.communicate(timeout=300) for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    assert [words for words, _ in told] == [out, out]
    assert contents(tmp_path / "study") == contents(folder / "study")


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="reads /proc")
def test_workers_end_with_a_study_that_is_killed(never_killed, tmp_path):
    folder = never_killed[0]
    process = start(folder / "plan.toml", tmp_path / "study", 2)
    deadline = time.monotonic() + 120
    while not list(tmp_path.rglob("*.record")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert process.poll() is None
    members = _group(process.pid)
    assert len(members) >= 3
    process.kill()
    process.communicate(timeout=60)
    while _group(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert _group(process.pid) == []


def _group(leader):
    """The processes of a group that have not ended."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            state, _, group = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(group) == leader and state != "Z":
            found.append(int(name))
    return found
