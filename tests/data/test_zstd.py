"""zstd: every text format reads it by its first bytes, and writes it by its name."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise import (
    DataError,
    Dataset,
    Qrels,
    Run,
    read_groups,
    read_letor,
    read_qrels,
    read_run,
    read_scores,
    read_table,
    write_letor,
    write_qrels,
    write_run,
    write_scores,
)
from rankwise._kernels import pack_zstd
from rankwise.data.formats.files import unpacked, writing

MAGIC = b"\x28\xb5\x2f\xfd"


def test_a_long_text_is_written_in_frames_and_read_as_one(tmp_path):
    with writing(tmp_path / "scores.zst") as file:
        for number in range(5):
            file.write(b"%d\n" % number * 1_000_000)
    assert (tmp_path / "scores.zst").read_bytes().count(MAGIC) > 1
    assert read_scores(tmp_path / "scores.zst").sum() == 10_000_000


def test_scores_go_through_zstd_unchanged(tmp_path):
    scores = np.random.default_rng(1).standard_normal(10_000)
    write_scores(scores, tmp_path / "scores.zst")
    assert (tmp_path / "scores.zst").read_bytes().startswith(MAGIC)
    np.testing.assert_array_equal(read_scores(tmp_path / "scores.zst"), scores)


def test_groups_are_read_from_zstd(tmp_path):
    (tmp_path / "groups").write_bytes(pack_zstd(b"q1\tnews\n"))
    assert read_groups(tmp_path / "groups") == {"q1": "news"}


def test_letor_and_trec_files_go_through_zstd(tmp_path):
    data = Dataset.of([[1.0], [2.0]], [1, 0], qid=["a", "b"])
    write_letor(data, tmp_path / "data.zst")
    np.testing.assert_array_equal(read_letor(tmp_path / "data.zst").features, data.features)
    qrels, run = Qrels.of({"q": {"d": 1}}), Run.of({"q": {"d": 0.5}})
    write_qrels(tmp_path / "qrels.zst", qrels)
    write_run(tmp_path / "run.zst", run)
    assert (read_qrels(tmp_path / "qrels.zst"), read_run(tmp_path / "run.zst")) == (qrels, run)


@pytest.mark.parametrize("name", ["t.csv.zst", "t.csv"])
def test_tables_go_through_zstd_whatever_their_name(tmp_path, name):
    (tmp_path / name).write_bytes(pack_zstd(b"qid,label\n" + b"1,2\n" * 50_000))
    assert len(read_table(tmp_path / name).labels) == 50_000


def test_what_another_packer_wrote_is_read(tmp_path):
    pa = pytest.importorskip("pyarrow")
    with pa.CompressedOutputStream(str(tmp_path / "scores.zst"), "zstd") as file:
        file.write(b"0.5\n" * 100_000)
    assert read_scores(tmp_path / "scores.zst").sum() == 50_000


def test_a_truncated_file_is_refused(tmp_path):
    (tmp_path / "scores.zst").write_bytes(pack_zstd(b"0.5\n" * 1000)[:-9])
    with pytest.raises(DataError, match=r"scores\.zst: the zstd data are damaged or cut off .*\nHint: .*`zstd -t`"):
        read_scores(tmp_path / "scores.zst")


def test_a_changed_byte_is_refused(tmp_path):
    packed = bytearray(pack_zstd(b"".join(b"%d\n" % i for i in range(1000))))
    packed[-1] ^= 1
    (tmp_path / "scores.zst").write_bytes(packed)
    with pytest.raises(DataError, match=r"damaged or cut off after .*a checksum does not fit"):
        read_scores(tmp_path / "scores.zst")


def test_a_frame_that_asks_for_gigabytes_of_window_is_refused(tmp_path):
    # Magic number, a descriptor without size, a window of 2 to the power of 41.
    (tmp_path / "scores.zst").write_bytes(bytes([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xF8, 1, 0, 0]))
    with pytest.raises(DataError, match=r"the zstd data are damaged or cut off after 0 bytes"):
        read_scores(tmp_path / "scores.zst")


def test_zstd_is_refused_where_lines_are_read_one_by_one(tmp_path):
    (tmp_path / "data.zst").write_bytes(pack_zstd(b"1 qid:1\n"))
    words = r"data\.zst: a zstd file is not read line by line\nHint: unpack"
    with pytest.raises(DataError, match=words), unpacked(tmp_path / "data.zst"):
        pass
