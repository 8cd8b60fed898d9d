"""`rankwise collections`: lists, describes, checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise import collections
from rankwise.cli import main


def test_without_a_name_it_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collections"]) == 0
    words = [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]]
    assert words == list(collections.ABOUT)


@pytest.mark.parametrize("name", collections.ABOUT)
def test_a_name_is_described(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collections", name]) == 0
    out, about = capsys.readouterr().out, collections.ABOUT[name]
    for text in (about.title, about.source, about.url, about.terms, about.citation, about.contents, about.checked):
        assert text in out


def test_a_folder_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "S1.txt").write_bytes(b"1 qid:1 1:1\n")
    assert main(["collections", "clueweb09_ltr", str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines()[:2] == [
        "S1.txt: bytes 12, not 2,874,211; rows 1, not 5,309; lists 1, not 12",
        "S2.txt is missing",
    ]


def test_a_folder_that_is_right_is_said_to_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from data.collections import collection

    assert main(["collections", "lightgbm_example", str(collection("lightgbm-lambdarank"))]) == 0
    assert capsys.readouterr().out == "lightgbm_example: all files are there and as published\n"


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["mq2009"], "there is no collection 'mq2009'\nHint: there are mq2008, mslr,"),
        (["sample", "."], "sample lies in the package"),
        (["mq2008", "nowhere-at-all"], "nowhere-at-all: there is no such folder"),
    ],
)
def test_it_refuses(words: list[str], refusal: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collections", *words]) == 2
    assert refusal in capsys.readouterr().err
