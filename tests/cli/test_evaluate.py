"""`rankwise evaluate` and `rankwise conventions`, as a user calls them."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rankwise
from rankwise.cli import main
from rankwise.measures.tools import names

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 a 1\n"
RUN = "q1 Q0 a 1 0.5 mine\nq1 Q0 b 2 0.5 mine\nq1 Q0 x 3 0.1 mine\nq3 Q0 a 1 1.0 mine\n"
LETOR = "2 qid:1 1:0.5 # docid = a\n0 qid:1 1:0.4 # docid = b\n1 qid:2 1:0.3 # docid = c\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "mine.run").write_text(RUN)
    (tmp_path / "other.run").write_text(RUN.replace("0.5", "0.7", 1))
    (tmp_path / "test.txt").write_text(LETOR)
    (tmp_path / "scores.txt").write_text("0.2\n0.9\n0.5\n")
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    """What a call prints where it belongs: on standard output, or on standard error if it refuses."""
    assert main(["evaluate", *words]) == status
    out, err = capsys.readouterr()
    assert (out == "") == (status == 2)
    return out if status == 0 else err


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.usefixtures("folder")
class TestTrecFiles:
    def test_without_measures_the_table_has_four_and_trec_evals_values(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        text = told(capsys, "qrels.txt", "mine.run")
        head, *lines = [line for line in text.splitlines() if line][1:]
        assert head.split() == [
            "measure",
            "value",
            "95",
            "%",
            "interval",
            "trec_eval",
            "short",
            "tied",
            "unjudged",
            "missing",
        ]
        assert [line.split()[0] for line in lines[:4]] == ["nDCG@10", "AP", "RR", "P@10"]
        assert "2 lists" in text
        assert "1 query of mine.run without judgments, left out" in text
        assert "trec_eval (trec_eval_9_0_8) differs: gain 2^label − 1, there the label (nDCG@10)" in text

    def test_csv_has_the_measure_as_given_in_full_precision(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = rows(told(capsys, "qrels.txt", "mine.run", "-m", "map", "-m", "trec_eval:map", "-q", "--format", "csv"))
        assert found[0] == ["run", "measure", "query", "value"]
        assert [row[:3] for row in found[1:]] == [
            ["mine.run", "map", "q1"], ["mine.run", "map", "q2"], ["mine.run", "map", "all"],
            ["mine.run", "trec_eval:map", "q1"], ["mine.run", "trec_eval:map", "all"],
        ]  # fmt: skip
        ours = rankwise.evaluate("qrels.txt", "mine.run", ["map", "trec_eval:map"])
        assert [float(row[3]) for row in found if row[2] == "all"] == list(ours.means.values())

    def test_several_runs_are_told_apart(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = rows(told(capsys, "qrels.txt", "mine.run", "other.run", "-m", "RR", "--format", "csv"))
        assert [row[0] for row in found[1:]] == ["mine.run", "other.run"]
        assert float(found[1][3]) == 0.375
        assert float(found[2][3]) == 0.5

    def test_json_says_the_convention_and_the_counts(self, capsys: pytest.CaptureFixture[str]) -> None:
        (result,) = json.loads(
            told(capsys, "qrels.txt", "mine.run", "-m", "nDCG@2", "--bounds", "-q", "--format", "json")
        )
        (measure,) = result["measures"]
        assert measure["convention"]["gain"] == "2^label − 1"
        assert measure["counts"]["missing"] == measure["counts"]["tied"] == 1
        assert measure["bounds"][0] < measure["value"] < measure["bounds"][1]
        assert list(measure["queries"]) == ["q1", "q2"]

    def test_json_knows_no_nan(self, capsys: pytest.CaptureFixture[str]) -> None:
        words = ["-m", "AP(empty='nan', rel=9)", "--bounds", "--format", "json"]
        (result,) = json.loads(told(capsys, "qrels.txt", "mine.run", *words), parse_constant=pytest.fail)
        assert result["measures"][0]["bounds"] == [None, None]

    @pytest.mark.parametrize(("form", "part"), [("markdown", "| AP | "), ("latex", r"\toprule"), ("table", "AP ")])
    def test_other_forms(self, form: str, part: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert part in told(capsys, "qrels.txt", "mine.run", "-m", "AP", "-q", "--format", form)

    def test_gzip_and_standard_input(self, folder: Path) -> None:
        (folder / "qrels.gz").write_bytes(gzip.compress(QRELS.encode()))
        command = [sys.executable, "-m", "rankwise", "evaluate", "qrels.gz", "-", "-m", "RR", "--format", "csv"]
        done = subprocess.run(command, input=RUN, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[1] == "-,RR,all,0.375"

    def test_a_project_file_sets_the_default_convention(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "rankwise.toml").write_text('convention = "trec_eval"\nmeasures = ["nDCG@2"]\n')
        assert "trec_eval_9_0_8:nDCG@2" in told(capsys, "qrels.txt", "mine.run")
        assert "letor4:nDCG@2" in told(capsys, "qrels.txt", "mine.run", "--convention", "letor4")

    def test_a_default_convention_leaves_out_the_default_measures_that_it_lacks(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (folder / "rankwise.toml").write_text('convention = "letor4"\n')
        found = rows(told(capsys, "qrels.txt", "mine.run", "--format", "csv"))
        assert [row[1] for row in found[1:]] == ["nDCG@10", "AP", "P@10"]

    def test_trec_evals_format(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert told(capsys, "qrels.txt", "mine.run", "--format", "trec_eval", "-q", "-c", "-m", "map") == (
            "map                   \tq1\t0.2500\nmap                   \tall\t0.1250\n"
        )


@pytest.mark.usefixtures("folder")
def test_letor_files_with_scores(capsys: pytest.CaptureFixture[str]) -> None:
    found = rows(
        told(capsys, "--letor", "test.txt", "--scores", "scores.txt", "-m", "letor4:nDCG@1..2", "--format", "csv")
    )
    assert found[1:] == [["scores.txt", "letor4:nDCG@1", "all", "0.5"], ["scores.txt", "letor4:nDCG@2", "all", "0.5"]]


def test_letor_files_without_query_ids_take_the_sizes_of_their_lists(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "rank.test").write_text("1 1:0.5\n0 1:0.2\n1 1:0.1\n")
    (folder / "rank.test.query").write_text("2\n1\n")
    (folder / "three.txt").write_text("1\n2\n3\n")
    words = ["--letor", "rank.test", "--scores", "three.txt", "-m", "RR", "--format", "csv"]
    found = told(capsys, *words, "--group", "rank.test.query")
    assert found.splitlines()[1] == "three.txt,RR,all,0.75"
    assert main(["evaluate", *words]) == 2
    assert "give the size of each list with `group=` (`--group FILE`)" in capsys.readouterr().err


REFUSALS = [
    (["qrels.txt"], "judgments and at least one run are needed\nHint: rankwise evaluate QRELS RUN"),
    (["nowhere.txt", "mine.run"], "nowhere.txt: no such file\nHint: check the path"),
    (["qrels.txt", "mine.run", "-m", "ndgc@10"], "there is no measure 'ndgc@10'\nHint: did you mean 'ndcg@10'"),
    (["qrels.txt", "mine.run", "-m", "ndcg@10-"], "carries a convention of its own\nHint: it is XGBoost's"),
    (["qrels.txt", "mine.run", "--convention", "leto4"], "there is no convention 'leto4'\nHint: did you mean 'letor4'"),
    (["qrels.txt", "mine.run", "--format", "xml"], "there is no format 'xml'\nHint: the formats are table"),
    (["qrels.txt", "mine.run", "-l", "2"], "-l belongs to --format trec_eval\nHint: add --format trec_eval"),
    (["-", "-"], "standard input can be only one of the files"),
    (["--letor", "test.txt"], "--letor needs --scores\nHint: give a file with one score a line"),
    (["--letor", "test.txt", "mine.run", "--scores", "scores.txt"], "--letor takes no further files (mine.run)"),
    (["mine.run", "--scores", "scores.txt"], "--scores needs --letor"),
    (["--letor", "test.txt", "--scores", "qrels.txt"], "qrels.txt, line 1: "),
    (
        ["--letor", "test.txt", "--scores", "short.txt"],
        "short.txt: scores: 2 for 3 documents; each document needs one score",
    ),
    (["qrels.txt", "mine.run", "-m", "trec_eval_10_0:map"], "mine.run: query 'q2' is judged but not in the run"),
    (["qrels.txt", "mine.run", "--format", "trec_eval=7"], "7"),
    (["mine.run", "qrels.txt"], "mine.run, line 1: "),
    (["qrels.txt", "mine.run", "-l", "0"], "-l belongs to --format trec_eval"),
    (["qrels.txt", "mine.run", "--digits", "-1"], "--digits lies between 0 and 17, not at -1"),
    (["qrels.txt", "mine.run", "--threads", "-3"], "--threads must be a whole number from 1, not -3"),
    (
        ["qrels.txt", "mine.run", "--format", "trec_eval", "--convention", "letor4"],
        "--format trec_eval has no place for --convention",
    ),
    (
        ["qrels.txt", "mine.run", "--format", "csv", "--bounds"],
        "--format csv has no place for --bounds\nHint: leave one",
    ),
    (["qrels.txt", "mine.run", "--score-column", "2"], "--score-column belongs to --letor"),
    (["qrels.txt", "mine.run", "--sort-features"], "--sort-features belongs to --letor"),
    (["qrels.txt", "mine.run", "--group", "sizes.txt"], "--group belongs to --letor"),
    (["qrels.txt", "mine.run", "-J"], "-J belongs to --format trec_eval\nHint: add --format trec_eval.\n"),
    (["test.txt", "scores.txt"], "Hint: this is a LETOR line: read it with `read_letor`, or as `--letor FILE"),
    (["negative.txt", "mine.run"], "query 'q1', document 'b': label -1 is negative (convention standard)\nHint: set"),
    (
        ["qrels.txt", "far.run"],
        "far.run: no query is both judged and in the run; the first in the run is 'x', ",
    ),
]


@pytest.mark.parametrize(("words", "message"), REFUSALS)
def test_refusals_say_what_and_where_and_what_to_do(
    words: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "short.txt").write_text("1\n2\n")
    (folder / "negative.txt").write_text(QRELS.replace("b 0", "b -1"))
    (folder / "far.run").write_text("x Q0 a 1 0.5 mine\n")
    text = told(capsys, *words, status=2)
    assert text.startswith("rankwise: ")
    assert message in text


def test_a_project_file_that_is_wrong_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "rankwise.toml").write_text("convention = letor4\n")
    assert "rankwise.toml: cannot be read as TOML" in told(capsys, "qrels.txt", "mine.run", status=2)
    (folder / "rankwise.toml").write_text('conventions = "letor4"\n')
    assert "has an unknown key 'conventions'" in told(capsys, "qrels.txt", "mine.run", status=2)
    for wrong in ("convention = 3", "measures = [3]", "measures = 3"):
        (folder / "rankwise.toml").write_text(wrong)
        assert "conventions and measures are texts\nHint: write convention" in told(
            capsys, "qrels.txt", "mine.run", status=2
        )


def test_a_project_file_that_names_what_there_is_not_is_refused_by_its_name(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for wrong, what in [
        ('convention = "leto4"', "there is no convention 'leto4'\nHint: did you mean 'letor4'"),
        ('measures = "ndgc@10"', "there is no measure 'ndgc@10'"),
        ('convention = "letor4"\nmeasures = ["AP", "ERR"]', "Eval-Score-4.0.pl (LETOR 4.0) does not compute ERR"),
    ]:
        (folder / "rankwise.toml").write_text(wrong)
        assert f"rankwise.toml: {what}" in told(capsys, "qrels.txt", "mine.run", status=2)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_said(folder: Path) -> None:
    with open("/dev/full", "w") as full:
        words = [sys.executable, "-m", "rankwise", "evaluate", "qrels.txt", "mine.run"]
        ended = subprocess.run(words, cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr == "rankwise: the output cannot be written (No space left on device)\n"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_what_the_output_cannot_encode_is_escaped(encoding: str, folder: Path) -> None:
    words = [sys.executable, "-m", "rankwise", "evaluate", "qrels.txt", "mine.run"]
    done = subprocess.run(
        words, cwd=folder, capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": encoding}
    )
    assert r"gain 2^label \u2212 1" in done.stdout.decode(encoding)
    assert done.stderr == b""


@pytest.mark.parametrize("name", names())
def test_every_convention_can_be_printed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conventions", name]) == 0
    assert "decides" in capsys.readouterr().out


def test_conventions_say_what_differs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conventions", "yahoo_v1_0", "yahoo_v0_5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines] == [
        ["axis", "yahoo_v1_0", "yahoo_v0_5", "for"],
        ["empty", "1", "0.5", "nDCG"],
    ]
    assert main(["conventions"]) == 0
    assert "trec_eval_9_0_8    trec_eval" in capsys.readouterr().out


def test_help_and_unknown_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "rankwise evaluate qrels.txt run.txt" in capsys.readouterr().out
    assert main(["evaluat"]) == 2
    assert "there is no verb 'evaluat'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["evaluate", "--help"])
    assert "examples:" in capsys.readouterr().out


def test_importing_is_light() -> None:
    code = "import sys, rankwise; print([m for m in ('numpy', 'duckdb', 'scipy', 'pandas') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


EVENTS = (
    "srch,hotel,position,model,site,click,book\n7,a,1,0.1,u,0,0\n8,b,1,0.5,v,1,0\n7,c,2,0.2,u,1,1\n8,d,2,0.25,v,0,0\n"
)
TABLE = ["--query", "srch", "--label", "book=5,click=1", "-m", "RR", "-m", "nDCG@5"]


def test_a_table_with_events_and_scores_is_evaluated(tmp_path, capsys):
    (tmp_path / "log.csv").write_text(EVENTS)
    table = ["evaluate", "--table", str(tmp_path / "log.csv"), *TABLE, "--format", "csv"]
    assert main([*table, "--score", "model"]) == 0
    assert capsys.readouterr().out == "run,measure,query,value\nmodel,RR,all,1.0\nmodel,nDCG@5,all,1.0\n"
    assert main([*table, "--score", "position", "--ascending", "-q"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert ("position,RR,7,0.5" in lines, "position,RR,8,1.0" in lines, "position,RR,all,0.75" in lines) == (True,) * 3
    assert main([*table, "--score", "model", "--by", "site"]) == 0
    assert "model,RR,u,1,1.0" in capsys.readouterr().out


def test_bad_lines_of_a_table_are_counted_on_standard_error(tmp_path, capsys):
    (tmp_path / "log.csv").write_text(EVENTS + "9,e")
    table = ["evaluate", "--table", str(tmp_path / "log.csv"), *TABLE, "--score", "model", "--format", "csv"]
    assert main(table) == 2
    error = capsys.readouterr().err
    assert "log.csv, line 6: 2 fields where the first line has 7" in error and "--skip-bad-lines" in error
    assert main([*table, "--skip-bad-lines"]) == 0
    found = capsys.readouterr()
    assert "model,RR,all,1.0" in found.out and "lines left out as bad: 1" in found.err


def test_qrels_and_runs_may_be_tables(tmp_path, capsys):
    (tmp_path / "qrels.csv").write_text("query_id,doc_id,relevance\nq,a,1\nq,b,0\n")
    (tmp_path / "one.csv").write_text("qid,docno,score\nq,a,0.5\nq,b,0.75\n")
    (tmp_path / "two.run").write_text("q Q0 a 1 9 t\n")
    files = [str(tmp_path / name) for name in ("qrels.csv", "one.csv", "two.run")]
    assert main(["evaluate", *files, "-m", "RR", "--format", "csv"]) == 0
    assert capsys.readouterr().out == "run,measure,query,value\none.csv,RR,all,0.5\ntwo.run,RR,all,1.0\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["q", "r", "--score", "x"], "--score belongs to --table"),
        (["--letor", "f", "--scores", "s", "--skip-bad-lines"], "--skip-bad-lines belongs to --table"),
        (["--letor", "f", "--table", "t.csv"], "--table and --letor each hold the labels"),
        (["--table", "LOG", "more.csv"], "--table takes no further files (more.csv)"),
        (["--table", "LOG", "--query", "srch", "--label", "book=5,click"], "--label: 'click' is not a column and its"),
        (["--table", "LOG", "--query", "srch", "--label", "book"], "no column is known to be the score"),
        (["--table", "LOG", "--query", "nothing"], "there is no column 'nothing'"),
        (["--table", "LOG", "--format", "trec_eval"], "--format trec_eval needs judgments and a run"),
    ],
)
def test_options_of_tables_that_cannot_be_are_refused(words, says, tmp_path, capsys):
    (tmp_path / "log.csv").write_text(EVENTS)
    assert main(["evaluate", *[str(tmp_path / "log.csv") if word == "LOG" else word for word in words]]) == 2
    assert says in capsys.readouterr().err
