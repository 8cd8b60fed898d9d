"""Small trainings are slower with two threads than with one, most of all on a busy machine."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def one_thread_a_training():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankwise.study.run.cores", lambda: 1)
        yield
