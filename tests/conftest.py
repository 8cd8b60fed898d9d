"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

PROJECT = Path(__file__).parent.parent

# A busy machine is no failure: how long an example takes says nothing about what it computes.
settings.register_profile("rankwise", deadline=None)
settings.load_profile("rankwise")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data, which is no part of the project."""
    folder = Path(os.environ.get("RANKWISE_DATA", PROJECT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no real data here: set RANKWISE_DATA to their folder")
    return folder


@pytest.fixture(scope="session")
def trec_data(real_data: Path) -> Path:
    """TREC qrels and runs."""
    if not (real_data / "trec").is_dir():
        pytest.skip(f"no folder trec in {real_data}")
    return real_data / "trec"


@pytest.fixture(scope="session")
def golden_counts(pytestconfig: pytest.Config) -> dict[str, str]:
    """What was compared with each emulated tool; shown at the end of the run."""
    return pytestconfig.stash.setdefault(_GOLDEN, {})


_GOLDEN = pytest.StashKey[dict[str, str]]()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    counts = config.stash.get(_GOLDEN, {})
    if counts:
        terminalreporter.section("golden values")
        for tool, words in counts.items():
            terminalreporter.write_line(f"{tool:18} {words}")
