"""Records: found by what they depend on, whole or not there, claimed by one process at a time."""

import multiprocessing

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.study.record import Record, Records, key_of

FACTS = {"learner": "adarank", "seed": 0}


def test_what_was_written_is_read(tmp_path):
    records = Records(tmp_path / "deep" / "cells")
    records.write(FACTS, Record({"value": 0.5}, {"scores": np.arange(3.0)}))
    found = records.read(FACTS)
    assert found.values == {"value": 0.5}
    assert found.arrays["scores"].tolist() == [0.0, 1.0, 2.0]


def test_another_fact_is_another_record(tmp_path):
    records = Records(tmp_path)
    records.write(FACTS, Record())
    assert records.read({**FACTS, "seed": 1}) is None
    assert key_of({**FACTS, "seed": 1}) != key_of(FACTS)


def test_a_damaged_record_is_none(tmp_path):
    records = Records(tmp_path)
    records.write(FACTS, Record({"value": 0.5}, {"scores": np.arange(30.0)}))
    path = records.path(FACTS)
    content = path.read_bytes()
    for damaged in (content[:-9], b"", content[:50], content[:-4] + b"abcd"):
        path.write_bytes(damaged)
        assert records.read(FACTS) is None
    records.write(FACTS, Record({"value": 0.5}))
    assert records.read(FACTS).values == {"value": 0.5}


def test_a_record_under_the_name_of_other_facts_is_none(tmp_path):
    records = Records(tmp_path)
    records.write(FACTS, Record())
    records.path(FACTS).rename(records.path({"seed": 9}))
    assert records.read({"seed": 9}) is None


def test_a_claim_is_one_s_own(tmp_path):
    records = Records(tmp_path)
    with records.claim(FACTS) as mine, Records(tmp_path).claim(FACTS) as other, records.claim({"seed": 2}) as another:
        assert (mine, other, another) == (True, False, True)
    with records.claim(FACTS) as again:
        assert again


def _hold(folder, held):
    with Records(folder).claim(FACTS):
        held.set()
        multiprocessing.Event().wait(60)


def test_a_claim_ends_with_its_process(tmp_path):
    context = multiprocessing.get_context("spawn")
    held = context.Event()
    other = context.Process(target=_hold, args=(tmp_path, held))
    other.start()
    assert held.wait(60)
    with Records(tmp_path).claim(FACTS) as mine:
        assert not mine
    other.kill()
    other.join()
    with Records(tmp_path).claim(FACTS) as mine:
        assert mine


def test_a_file_in_the_way_of_the_folder_is_named(tmp_path):
    (tmp_path / "cells").write_text("")
    with pytest.raises(RankwiseError, match=r"cells: the folder cannot be made \(File exists\)"):
        Records(tmp_path / "cells").write(FACTS, Record())
