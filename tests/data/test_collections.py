"""Public collections: made-up folders in each layout, real ones where they are, and what is refused."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rankwise import DataError, collections, read_letor
from rankwise.data.collections.base import File, Size, query

from .collections import collection

PARTS = [f"S{part}" for part in range(1, 6)]


def lines(queries: list[str], rows: int = 2) -> str:
    return "".join(
        f"{row} qid:{name} 1:0.{row + 1} 3:1 # docid = {name}-{row}\n" for name in queries for row in range(rows)
    )


def write(path: Path, text: str) -> None:
    """A text file, packed if its name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def letor_parts(folder: Path, end: str = ".txt") -> Path:
    """Five parts of two queries each: S1 has q1a and q1b."""
    for number, part in enumerate(PARTS, 1):
        write(folder / f"{part}{end}", lines([f"q{number}a", f"q{number}b"]))
    return folder


def letor_folds(folder: Path, end: str = ".txt") -> Path:
    """The same in the layout of folds."""
    for fold in range(1, 6):
        of = [lines([f"q{(fold + step - 1) % 5 + 1}{letter}" for letter in "ab"]) for step in range(5)]
        for name, text in (("train", "".join(of[:3])), ("vali", of[3]), ("test", of[4])):
            write(folder / f"Fold{fold}" / f"{name}{end}", text)
    return folder


@pytest.mark.parametrize("end", [".txt", ".txt.gz"])
@pytest.mark.parametrize("make", [letor_parts, letor_folds])
def test_mq2008_has_these_folds_in_either_layout(make: Callable[[Path, str], Path], end: str, tmp_path: Path) -> None:
    folds = collections.mq2008(make(tmp_path, end)).folds
    assert len(folds) == 5
    for number, fold in enumerate(folds, 1):
        of = [[f"q{(number + step - 1) % 5 + 1}{letter}" for letter in "ab"] for step in range(5)]
        assert list(fold.train.queries) == of[0] + of[1] + of[2]
        assert list(fold.validation.queries) == of[3]
        assert list(fold.test.queries) == of[4]
        assert fold.train.features is not None and fold.train.features.shape == (12, 46)


@pytest.mark.parametrize("make", [letor_parts, letor_folds])
def test_mq2008_as_a_whole_is_each_list_once(make: Callable[[Path], Path], tmp_path: Path) -> None:
    whole = collections.mq2008(make(tmp_path)).read()
    assert list(whole.queries) == [f"q{number}{letter}" for number in range(1, 6) for letter in "ab"]


def test_a_part_is_what_its_file_holds(tmp_path: Path) -> None:
    part = collections.mq2008(letor_parts(tmp_path)).read("S2")
    alone = read_letor(tmp_path / "S2.txt", n_features=46)
    np.testing.assert_array_equal(part.features, alone.features)
    assert list(part.documents or ()) == ["q2a-0", "q2a-1", "q2b-0", "q2b-1"]


def test_clueweb09_ltr_learns_from_the_other_four(tmp_path: Path) -> None:
    fold = collections.clueweb09_ltr(letor_parts(tmp_path)).folds[1]
    assert fold.name == "2"
    assert list(fold.test.queries) == ["q2a", "q2b"]
    assert list(fold.train.queries) == [f"q{part}{letter}" for part in (1, 3, 4, 5) for letter in "ab"]
    assert not fold.has_validation


def test_mslr_reads_folds_and_says_which_edition_is_nearest_what(tmp_path: Path) -> None:
    mslr = collections.mslr(letor_folds(tmp_path))
    assert list(mslr.folds[0].test.queries) == ["q5a", "q5b"]
    problems = mslr.check()
    assert problems[:2] == [
        "Fold1/train.txt: rows 12, not 723,412; lists 6, not 6,000 (of WEB10K)",
        "Fold1/train.txt: rows 12, not 2,270,296; lists 6, not 18,919 (of WEB30K)",
    ]
    assert len(problems) == 30


@pytest.mark.parametrize("inside", ["", "sample/"])
def test_istella_s_has_lists_to_choose_by(inside: str, tmp_path: Path) -> None:
    for name in ("train", "vali", "test"):
        write(tmp_path / f"{inside}{name}.txt", lines([name]))
    (fold,) = collections.istella(tmp_path).folds
    assert [list(part.queries) for part in (fold.train, fold.validation, fold.test)] == [["train"], ["vali"], ["test"]]


@pytest.mark.parametrize("inside", ["", "full/"])
def test_istella_has_none(inside: str, tmp_path: Path) -> None:
    for name in ("train", "test"):
        write(tmp_path / f"{inside}{name}.txt", lines([name]))
    istella = collections.istella(tmp_path)
    assert not istella.folds[0].has_validation
    assert list(istella.read().queries) == ["train", "test"]


def test_yahoo_has_a_fold_for_each_set_that_is_there(tmp_path: Path) -> None:
    for name in ("train", "valid", "test"):
        write(tmp_path / f"set2.{name}.txt", lines([name]))
    yahoo = collections.yahoo(tmp_path)
    assert [fold.name for fold in yahoo.folds] == ["set2"]
    assert list(yahoo.folds[0].validation.queries) == ["valid"]
    assert yahoo.parts == ("set2.train", "set2.valid", "set2.test")
    assert yahoo.check()[0] == "set1.train.txt is missing"
    with pytest.raises(DataError, match=r"part 'set1.test' needs set1.test.txt"):
        yahoo.read("set1.test")


def test_lightgbm_example_takes_the_sizes_of_lists_from_beside(tmp_path: Path) -> None:
    for name in ("train", "test"):
        write(tmp_path / f"rank.{name}", "0 1:1\n1 2:1\n2 3:1\n")
        write(tmp_path / f"rank.{name}.query", "1\n2\n")
    example = collections.lightgbm_example(tmp_path)
    assert example.read("train").offsets.tolist() == [0, 1, 3]
    assert example.folds[0].test.features is not None
    assert example.folds[0].test.features.shape == (3, 300)
    write(tmp_path / "rank.train.query", "1\n3\n")
    with pytest.raises(DataError, match=r"rank\.train\.query: the sizes of lists sum to 4 for 3 rows"):
        example.read("train")


RATINGS = [(1, 31, 4.0, 100), (2, 31, 3.0, 110), (1, 7, 5.0, 120)]


@pytest.mark.parametrize(
    ("file", "separator", "head"),
    [("u.data", "\t", ""), ("ratings.dat", "::", ""), ("ratings.csv", ",", "userId,movieId,rating,timestamp\n")],
)
def test_a_list_of_movielens_is_a_user(file: str, separator: str, head: str, tmp_path: Path) -> None:
    write(tmp_path / file, head + "".join(separator.join(map(str, rating)) + "\n" for rating in RATINGS))
    ratings = collections.movielens(tmp_path).read()
    assert list(ratings.queries) == ["1", "2"]
    assert list(ratings.documents or ()) == ["31", "7", "31"]
    assert ratings.labels.tolist() == [4, 5, 3]
    assert np.asarray(ratings.columns["timestamp"]).tolist() == [100, 120, 110]
    assert ratings.features is None


def test_the_folds_of_movielens_are_those_that_are_there(tmp_path: Path) -> None:
    for name in ("u2.base", "u2.test", "ub.base"):
        write(tmp_path / name, "1\t2\t3\t4\n")
    assert [fold.name for fold in collections.movielens(tmp_path).folds] == ["u2"]


# What is refused, and what a check finds.


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"there is no such folder\nHint: LETOR 4.0 MQ2008 .* is given out at https"):
        collections.mq2008(tmp_path / "nowhere")
    (tmp_path / "S1.txt").touch()
    with pytest.raises(DataError, match=r"S1\.txt: is a file, and the folder that holds it is wanted"):
        collections.mq2008(tmp_path / "S1.txt")


@pytest.mark.parametrize(
    ("name", "looked_for"),
    [
        ("mq2008", r"S1.txt, S2.txt, S3.txt, S4.txt, S5.txt · or · Fold1/train.txt, .* …, Fold5/test.txt"),
        ("mslr", "Fold1/train.txt"),
        ("yahoo", "set1.train.txt"),
        ("istella", "sample/train.txt"),
        ("clueweb09_ltr", "S1.txt"),
        ("lightgbm_example", "rank.train, rank.train.query"),
        ("movielens", "u.data, .* · or · ratings.dat · or · ratings.csv"),
    ],
)
def test_a_wrong_folder_is_refused_with_what_was_looked_for(name: str, looked_for: str, tmp_path: Path) -> None:
    refusal = (
        rf"this folder has no file of {name}\nHint: looked for {looked_for}.*, each also with .gz; .* given out at"
    )
    with pytest.raises(DataError, match=refusal):
        collections.COLLECTIONS[name](tmp_path)


def test_a_part_of_which_a_file_is_missing_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "rank.train", "0 1:1\n")
    with pytest.raises(DataError, match=r"part 'train' needs rank.train.query \(or .gz\), which the folder has not"):
        collections.lightgbm_example(tmp_path).read("train")


def test_a_part_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"mq2008 has no part 'S6'\nHint: there are S1, S2, S3, S4, S5."):
        collections.mq2008(letor_parts(tmp_path)).read("S6")


def test_parts_whose_ids_clash_are_not_read_as_one(tmp_path: Path) -> None:
    write(tmp_path / "set1.test.txt", lines(["1"]))
    with pytest.raises(DataError, match=r"the parts of yahoo are no one set of lists\nHint: name one of set1.train,"):
        collections.yahoo(tmp_path).read()


@pytest.mark.parametrize("line", ["1\t2\t3", "1\t2\tfive\t4", "1\t2\tnan\t4", "1::2::3::4", "1\t2\t3\t4\t5"])
def test_a_rating_that_is_none_is_refused_with_its_line(line: str, tmp_path: Path) -> None:
    write(tmp_path / "u.data", f"1\t2\t3\t4\n\n{line}\n")
    with pytest.raises(DataError, match=r"u.data, line 3: a line is user, film, rating and time, not '1"):
        collections.movielens(tmp_path).read()


def test_no_ratings_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "ratings.csv", "userId,movieId,rating,timestamp\n")
    with pytest.raises(DataError, match=r"ratings.csv: there is no rating in it"):
        collections.movielens(tmp_path).read()


def test_a_check_names_sizes_and_contents(tmp_path: Path) -> None:
    folder = letor_parts(tmp_path, ".txt.gz")
    (folder / "S3.txt.gz").unlink()
    size = len(lines(["q1a", "q1b"]))
    problems = collections.mq2008(folder).check()
    assert problems[0] == f"S1.txt.gz: bytes {size}, not 1,802,248; rows 4, not 2,933; lists 2, not 157"
    assert problems[2] == "S3.txt is missing"
    assert len(problems) == 5


def test_the_right_size_with_other_content_is_found(tmp_path: Path) -> None:
    write(tmp_path / "x", "0 qid:1 1:1\n")
    right = File(name="x", key=query).wrong(tmp_path / "x")
    assert right == []
    size = Size(bytes=12, rows=1, lists=1, sha256="0" * 64)
    assert File(name="x", key=query, expected=(size,)).wrong(tmp_path / "x")[0].startswith("the right size, but other")


def test_a_damaged_packed_file_is_refused_by_the_check(tmp_path: Path) -> None:
    folder = letor_parts(tmp_path, ".txt.gz")
    packed = (folder / "S1.txt.gz").read_bytes()
    (folder / "S1.txt.gz").write_bytes(packed[:-12])
    with pytest.raises(DataError, match=r"S1.txt.gz: the packed file is damaged"):
        collections.mq2008(folder).check()


# The registry.


def test_every_collection_says_where_it_comes_from_under_what_terms_and_who_wrote_it() -> None:
    references = (Path(__file__).parents[2] / "docs" / "references.bib").read_text("utf-8")
    assert set(collections.ABOUT) == {*collections.COLLECTIONS, "sample"}
    for name, about in collections.ABOUT.items():
        assert about.name == name
        assert about.url.startswith("http")
        assert about.terms and about.source and about.contents and about.checked
        assert f"{{{about.citation}," in references


def test_the_page_names_every_collection() -> None:
    page = (Path(__file__).parents[2] / "docs" / "collections.md").read_text("utf-8")
    for name, about in collections.ABOUT.items():
        assert f"`{name}`" in page
        assert about.url in page


# Real data, where this machine has them.


def test_mq2008_is_what_is_known_of_it() -> None:
    mq2008 = collections.mq2008(collection("mq2008"))
    assert mq2008.check() == []
    whole = mq2008.read()
    sizes = np.diff(whole.offsets)
    best = np.maximum.reduceat(whole.labels, whole.offsets[:-1])
    assert (len(whole), len(whole.labels)) == (784, 15_211)
    assert whole.features is not None and whole.features.shape == (15_211, 46)
    assert np.bincount(whole.labels.astype(int)).tolist() == [12_279, 2_001, 931]
    assert (best == 0).sum() == 220
    assert (sizes < 10).sum() == 403
    assert sizes[sizes < 10].max() <= 8
    assert len(mq2008.folds[0].train.labels) == 9_630


def test_mq2008_as_folds_is_checked_like_its_parts(tmp_path: Path) -> None:
    real = collection("mq2008")
    parts = [gzip.decompress((real / f"{part}.txt.gz").read_bytes()) for part in PARTS]
    folder = tmp_path / "Fold1"
    folder.mkdir()
    for name, of in (("train", parts[:3]), ("vali", parts[3:4]), ("test", parts[4:])):
        (folder / f"{name}.txt").write_bytes(b"".join(of))
    mq2008 = collections.mq2008(tmp_path)
    assert {line.partition("/")[0] for line in mq2008.check()} == {"Fold2", "Fold3", "Fold4", "Fold5"}
    assert len(mq2008.folds) == 1
    by_parts = collections.mq2008(real).folds[0]
    np.testing.assert_array_equal(mq2008.folds[0].train.features, by_parts.train.features)
    assert mq2008.folds[0].train.queries == by_parts.train.queries


def test_clueweb09_ltr_is_what_is_known_of_it() -> None:
    clueweb = collections.clueweb09_ltr(collection("clueweb09-ltr"))
    assert clueweb.check() == []
    whole = clueweb.read()
    assert (len(whole), len(whole.labels)) == (61, 26_646)
    assert sorted(set(whole.labels.tolist())) == [0, 1, 2, 3, 4]


def test_lightgbm_example_is_what_is_known_of_it() -> None:
    example = collections.lightgbm_example(collection("lightgbm-lambdarank"))
    assert example.check() == []
    (fold,) = example.folds
    assert (len(fold.train), len(fold.train.labels)) == (201, 3_005)
    assert (len(fold.test), len(fold.test.labels)) == (50, 768)


def test_movielens_100k_is_what_is_known_of_it() -> None:
    movielens = collections.movielens(collection("ml-100k"))
    assert all(line.endswith(" is missing") for line in movielens.check())
    ratings = movielens.read()
    assert (len(ratings), len(ratings.labels), len(set(ratings.documents or ()))) == (943, 100_000, 1_682)
    ua = movielens.folds[-1]
    assert (ua.name, len(ua.train.labels), len(ua.test.labels)) == ("ua", 90_570, 9_430)
    assert set(np.diff(ua.test.offsets).tolist()) == {10}


def test_the_mslr_sample_reads_as_mslr(tmp_path: Path) -> None:
    sample = collection("mslr-sample")
    (tmp_path / "Fold1").mkdir()
    for name in ("train", "test"):
        shutil.copyfile(sample / f"{name}.5k.txt.gz", tmp_path / "Fold1" / f"{name}.txt.gz")
    part = collections.mslr(tmp_path).read("Fold1/train")
    assert part.features is not None and part.features.shape == (5_000, 136)


def test_the_sample_is_the_file_that_lightgbm_ships() -> None:
    sample = collections.sample()
    (fold,) = collections.lightgbm_example(collection("lightgbm-lambdarank")).folds
    np.testing.assert_array_equal(sample.features, fold.test.features)
    assert sample.offsets.tolist() == fold.test.offsets.tolist()


def test_the_sample_has_its_licence_beside_it() -> None:
    from rankwise.data.collections.sample import FOLDER

    assert "MIT License" in (FOLDER / "LICENSE").read_text("utf-8")
    assert "Copyright (c) Microsoft Corporation" in (FOLDER / "README.md").read_text("utf-8")
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) <= 150_000
