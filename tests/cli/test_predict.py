"""`rankwise predict`: the scores of a ranker, in the file's order."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from contracts.settings import easy
from rankwise import Dataset, read_run, read_scores, read_table
from rankwise.cli import main
from rankwise.rankers import Inputs, Linear, Ranker

DATA = easy(2, lists=6)
ROWS = np.random.default_rng(0).permutation(len(DATA.labels))
QUERIES = np.repeat(list(DATA.queries), np.diff(DATA.offsets))[ROWS]
RANKER = Ranker(Inputs(4), Linear([1.0, 0.3, 0.0, -0.7], 0.1))
NAMED = Ranker(Inputs(4, ("a", "b", "c", "d")), RANKER.scorer)
WITHIN = Ranker(Inputs.fit(DATA, relative=["rank"]), Linear(np.arange(8.0), 0.0))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows in any order, as text with ids but for one, and as a table without labels."""
    monkeypatch.chdir(tmp_path)
    for name, ranker in (("m", RANKER), ("named", NAMED), ("within", WITHIN)):
        ranker.save(name)
    lines, table = [], ["other,d,c,b,a,qid,docno"]
    for at, row in enumerate(ROWS):
        values = DATA.features[row].tolist()
        comment = "" if at == 3 else f" #docid = D{at} x"
        words = " ".join(f"{number}:{value!r}" for number, value in enumerate(values, 1))
        lines.append(f"{DATA.labels[row]} qid:{QUERIES[at]} {words}{comment}")
        table.append(",".join([f"{at}", *map(repr, values[::-1]), QUERIES[at], f"D{at}"]))
    Path("test.txt").write_text("# head\n\n" + "\n".join(lines) + "\n")
    Path("test.csv").write_text("\n".join(table) + "\n")


def scores(ranker: Ranker = RANKER) -> np.ndarray:
    whole = ranker.predict(DATA)
    return whole[ROWS]


def predict(*words: str, model: str = "m", file: str = "test.txt") -> int:
    return main(["predict", model, file, *words])


def test_scores_are_one_a_line_in_the_files_order_with_all_their_bits() -> None:
    assert predict("-o", "s.txt") == 0
    assert read_scores("s.txt").tobytes() == scores().tobytes()


def test_lists_are_seen_whole() -> None:
    assert predict("-o", "s.txt", model="within") == 0
    assert read_scores("s.txt").tobytes() == scores(WITHIN).tobytes()


def test_standard_output_and_input(monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-m", "rankwise", "predict", "m", "-"]
    done = subprocess.run(command, input=Path("test.txt").read_bytes(), capture_output=True, check=True)
    assert [float(line) for line in done.stdout.splitlines()] == scores().tolist()
    assert done.stderr == b""


@pytest.mark.parametrize("model", ["m", "named"])
def test_a_table_needs_no_labels_and_columns_are_found_by_name(model: str) -> None:
    columns = [] if model == "named" else ["--features", "a,b,c,d"]
    assert predict("-o", "s.txt", *columns, model=model, file="test.csv") == 0
    assert read_scores("s.txt").tobytes() == scores().tobytes()


def test_a_run_names_documents_by_id_or_by_row() -> None:
    assert predict("--format", "run", "-o", "r", "--tag", "mine") == 0
    run = read_run("r").to_dict()
    assert read_run("r").name == "mine"
    wanted = {(QUERIES[at], "4" if at == 3 else f"D{at}"): score for at, score in enumerate(scores().tolist())}
    assert {(q, d): score for q, documents in run.items() for d, score in documents.items()} == wanted
    lines = [line.split() for line in Path("r").read_text().splitlines()]
    for query in run:
        mine = [(int(rank), float(score)) for q, _, _, rank, score, _ in lines if q == query]
        assert [rank for rank, _ in mine] == list(range(1, len(mine) + 1))
        assert [score for _, score in mine] == sorted((score for _, score in mine), reverse=True)


def test_top_k_keeps_the_first_of_each_list() -> None:
    assert predict("--format", "run", "-o", "all") == predict("--format", "run", "--top-k", "2", "-o", "top") == 0
    lines = [line for line in Path("all").read_text().splitlines() if int(line.split()[3]) <= 2]
    assert sorted(Path("top").read_text().splitlines()) == sorted(lines)


def test_equal_scores_keep_the_files_order(tmp_path: Path) -> None:
    Ranker(Inputs(4), Linear(np.zeros(4), 0.0)).save("flat")
    assert predict("--format", "csv", "-o", "s.csv", model="flat") == 0
    rows = list(csv.DictReader(Path("s.csv").read_text().splitlines()))
    assert [int(row["row"]) for row in rows] == list(range(1, len(ROWS) + 1))
    for query in set(QUERIES):
        assert [int(row["rank"]) for row in rows if row["query_id"] == query] == list(
            range(1, 1 + sum(query == QUERIES))
        )


def test_csv_and_parquet_hold_the_same() -> None:
    assert predict("--format", "csv", "-o", "s.csv") == predict("--format", "parquet", "-o", "s.parquet") == 0
    found = [read_table(path, label="rank", keep=["row"]) for path in ("s.csv", "s.parquet")]
    for one in found:
        assert one.in_callers_order(one.columns["score"]).tobytes() == scores().tobytes()
        assert one.in_callers_order(one.columns["row"]).tolist() == list(range(1, len(ROWS) + 1))
    assert list(found[0].documents) == list(found[1].documents)


def test_features_that_a_file_leaves_out_are_0(capsys: pytest.CaptureFixture[str]) -> None:
    Path("few.txt").write_text("0 qid:1 1:2 2:1\n1 qid:1 1:1\n")
    assert predict("-o", "s.txt", file="few.txt") == 0
    assert read_scores("s.txt").tolist() == RANKER.predict([[2, 1, 0, 0], [1, 0, 0, 0]]).tolist()
    assert "few.txt: its highest feature is 2, and 4 are known: those that are lacking are 0" in capsys.readouterr().err


def test_neither_scikit_learn_nor_lightgbm_is_needed() -> None:
    program = (
        "import sys\n"
        "for name in ('sklearn', 'lightgbm', 'duckdb', 'scipy'): sys.modules[name] = None\n"
        "from rankwise.cli import main\n"
        "sys.exit(main(['predict', 'within', 'test.txt', '-o', 's.txt']))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert read_scores("s.txt").tobytes() == scores(WITHIN).tobytes()


@pytest.mark.parametrize(
    ("words", "model", "file", "told"),
    [
        ([], "no", "test.txt", "no: no such file"),
        ([], "test.txt", "test.txt", "is it a file that Rankwise wrote as a ranker?"),
        ([], "m", "no.txt", "no.txt: no such file"),
        ([], "named", "few.csv", "few.csv: there is no column 'b'"),
        ([], "m", "many.txt", "many.txt: there are 5 features, and the ranker was trained with 4"),
        (["-o", "test.txt"], "m", "test.txt", "test.txt: this file is read too"),
        (["-o", "m", "--overwrite"], "m", "test.txt", "m: this file is read too"),
        (["-o", "within"], "m", "test.txt", "within: there is such a file already"),
        (["-o", "no/s.txt"], "m", "test.txt", "no: there is no such folder"),
        (["--top-k", "3"], "m", "test.txt", "--top-k leaves out documents, and scores are one a line"),
        (["--top-k", "0", "--format", "run"], "m", "test.txt", "--top-k must be a whole number from 1, not 0"),
        (["--tag", "x"], "m", "test.txt", "--tag belongs to --format run"),
        (["--tag", "x y", "--format", "run"], "m", "test.txt", "a tag is one word"),
        (["--format", "parquet"], "m", "test.txt", "Parquet is not written to standard output"),
        (["--format", "xml"], "m", "test.txt", "there is no format 'xml'"),
        (["--format", "run"], "m", "twice.txt", "document 'D' stands twice in list 'q'"),
        (["--query", "q"], "m", "test.txt", "--query belongs to tables"),
        (["--group", "g"], "named", "test.csv", "--group belongs to LETOR text"),
    ],
)
def test_what_is_refused(
    words: list[str], model: str, file: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("few.csv").write_text("qid,a\n1,2\n")
    Path("many.txt").write_text("0 qid:1 5:1\n")
    Path("twice.txt").write_text("0 qid:q 1:1 #docid = D\n0 qid:q 1:2 #docid = D\n")
    before = sorted(Path().iterdir())
    assert predict(*words, model=model, file=file) == 2
    assert told in capsys.readouterr().err
    assert sorted(Path().iterdir()) == before


def test_unlabelled_tables_are_read_where_one_says_so() -> None:
    frame = {"qid": [1, 1], "x": [0.5, 1.0]}
    data = read_table(frame, labelled=False)
    assert isinstance(data, Dataset) and np.isnan(data.labels).all()
    graded = read_table({**frame, "label": [1, 0]}, labelled=False)
    assert (graded.labels.tolist(), graded.feature_names) == ([1.0, 0.0], ("x",))
