"""The output of trec_eval: byte for byte what the program itself printed."""

from __future__ import annotations

import getopt
import gzip
import os
import random
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rankwise import DataError, MeasureError, RankwiseError
from rankwise.data.formats.trec import read_qrels, read_run
from rankwise.data.judgments import Qrels, Run
from rankwise.evaluation.trec_eval_format import left_out, trec_eval_output

CASES = Path(__file__).parent / "trec_eval"
# What the program prints and Rankwise does not. A measure that is added is taken from here, none may come.
NOT_PRINTED = {"9.0.8": {"relstring"}, "10.0": {"relstring", "rbp", "rbp_resid"}}


def options_of(words: list[str]) -> dict[str, Any]:
    """The program's options as ours."""
    given, _ = getopt.getopt(words, "qcnJl:M:m:")
    flags = {word for word, _ in given}
    numbers = {word: int(value) for word, value in given if word in ("-l", "-M")}
    return {
        "measures": [value for word, value in given if word == "-m"],
        "per_query": "-q" in flags,
        "complete": "-c" in flags,
        "summary": "-n" not in flags,
        "judged_only": "-J" in flags,
        "level": numbers.get("-l", 1),
        "depth": numbers.get("-M"),
    }


def printed_here(text: str, version: str) -> str:
    """The lines of the measures that Rankwise has; relstring may carry its length."""
    left = re.compile(rf"({'|'.join(NOT_PRINTED[version])})(_\d+)? *\t")
    return "".join(line for line in text.splitlines(keepends=True) if not left.match(line))


def blocks() -> list[Any]:
    found = []
    for path in sorted(CASES.glob("*.txt")):
        case, version = path.stem.split(".", 1)
        for block in path.read_text(encoding="utf-8").split("$ trec_eval ")[1:]:
            command, _, wanted = block.partition("\n")
            *options, _, _ = shlex.split(command)
            found.append(pytest.param(case, version, options, wanted, id=f"{version} {command}"))
    return found


@pytest.mark.parametrize("case, version, options, wanted", blocks())
def test_small_cases_are_printed_byte_for_byte(case: str, version: str, options: list[str], wanted: str) -> None:
    qrels, run = read_qrels(CASES / f"{case}.qrels"), read_run(CASES / f"{case}.run")
    if wanted.startswith("exit"):
        with pytest.raises(DataError, match=r"not in the run|both judged and in the run"):
            trec_eval_output(qrels, run, version=version, **options_of(options))
        return
    assert trec_eval_output(qrels, run, version=version, **options_of(options)) == printed_here(wanted, version)


# trec_eval's own tests, with the commands of its Makefile.
OWN = {
    "out.test": "qrels.test results.test",
    "out.test.a": "-m all_trec qrels.test results.test",
    "out.test.aq": "-m all_trec -q qrels.test results.test",
    "out.test.aqc": "-m all_trec -q -c qrels.test results.trunc",
    "out.test.aqcM": "-m all_trec -q -c -M100 qrels.test results.trunc",
    "out.test.aql": "-m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test",
    "out.comment.test": "qrels.comment.test results.comment.test",
}


@pytest.mark.parametrize("name", OWN)
def test_its_own_tests_pass(trec_data: Path, tmp_path: Path, name: str) -> None:
    folder = trec_data / "trec_eval_test"
    *words, qrels, run = shlex.split(OWN[name])
    if not (folder / run).exists():
        (tmp_path / run).write_bytes(gzip.decompress((folder / f"{run}.gz").read_bytes()))
        run = str(tmp_path / run)
    options = options_of([word for word in words if word != "-mrelstring.20"])
    found = trec_eval_output(read_qrels(folder / qrels), read_run(folder / run), version="10.0", **options)
    assert found == printed_here((folder / name).read_text(), "10.0")


@pytest.mark.parametrize("version", NOT_PRINTED)
def test_what_is_left_out_is_told(version: str) -> None:
    assert set(left_out(["all_trec"], version=version)) == NOT_PRINTED[version]
    assert left_out(["official", "map", "set"], version=version) == {}


QRELS = Qrels.of({"1": {"a": 1, "b": 0}})
RUN = Run.of({"1": {"a": 1.0, "b": 0.5}}, name="mine")


def test_the_first_parameters_of_a_measure_count() -> None:
    assert trec_eval_output(QRELS, RUN, measures=["P.2", "P.1", "P"]) == "P_2                   \tall\t0.5000\n"


def test_a_set_takes_parameters_from_a_member_beside_it() -> None:
    lines = trec_eval_output(QRELS, RUN, measures=["P.1", "official"]).splitlines()
    assert [line.split()[0] for line in lines if line.startswith("P_")] == ["P_1"]


@pytest.mark.parametrize(
    "measures, match",
    [
        (["relstring"], "relstring' of trec_eval 9.0.8 .* is not supported: it is the string"),
        (["unj"], "has no measure 'unj'"),
        (["ndgc"], "did you mean 'ndcg'"),
        (["P."], "ends where its parameters should be"),
        (["P.0"], "cut-offs must be from 1"),
        (["P.5,5"], "and differ, not '5,5'"),
        (["P.five"], "'five' is not a number"),
        (["iprec_at_recall.0.1,.1"], "must differ"),
        (["11pt_avg..5,.25"], "must rise"),
        (["utility.1,-1"], "four weights"),
        (["utility.1,-1,0,1"], "size of the collection"),
        (["ndcg.1"], "'1' does not give a label its gain"),
        (["ndcg.1=1.5"], None),
        (["ndcg.0=0.5"], "too close to each other"),
    ],
)
def test_measures_that_cannot_be_printed_are_refused(measures: list[str], match: str | None) -> None:
    if match is None:
        assert trec_eval_output(QRELS, RUN, measures=measures) == "ndcg_1=1.5            \tall\t1.0000\n"
        return
    with pytest.raises(MeasureError, match=match):
        trec_eval_output(QRELS, RUN, measures=measures)


def test_unknown_versions_and_impossible_options_are_refused() -> None:
    with pytest.raises(RankwiseError, match=r"trec_eval 8\.1 is not known to this format"):
        trec_eval_output(QRELS, RUN, version="8.1")
    with pytest.raises(RankwiseError, match="level of relevance must be from 0, not -1"):
        trec_eval_output(QRELS, RUN, level=-1)
    with pytest.raises(RankwiseError, match="at least one document a query must be looked at, not 0"):
        trec_eval_output(QRELS, RUN, depth=0)


def test_a_query_with_only_negative_labels_is_refused() -> None:
    with pytest.raises(DataError, match="query '1' has only negative labels"):
        trec_eval_output(Qrels.of({"1": {"a": -1}}), RUN)


# Against the program itself, where one is at hand: TREC_EVAL is its path, TREC_EVAL_VERSION its version (9.0.8).

MEASURES = [
    [],
    ["all_trec"],
    ["all_trec", "P.1,2,3", "ndcg_cut.1,2,7", "success.2,3", "relative_P.1,4", "map_cut.2", "recall.3"],
    ["all_trec", "11pt_avg..25,.5,.75", "Rprec_mult.5.0,0.2,0.35", "set_F.0.5", "iprec_at_recall..10,.25,.75"],
    ["ndcg.1=3,2=9,4=5", "ndcg_rel.1=3,2=9", "Rndcg.1=2,2=1", "G.0=1,1=3", "gm_map", "utility.2,-1,-0.5,0"],
]


@pytest.mark.skipif("TREC_EVAL" not in os.environ, reason="TREC_EVAL does not name the program")
@pytest.mark.parametrize("seed", range(200 if "TREC_EVAL" in os.environ else 1))
def test_random_cases_are_printed_byte_for_byte(tmp_path: Path, seed: int) -> None:
    version = os.environ.get("TREC_EVAL_VERSION", "9.0.8")
    drawn = random.Random(seed)
    qrels, run = random_files(drawn)
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "run").write_text(run)
    words = [word for word in ("-q", "-c", "-J") if drawn.random() < 0.4]
    words += [f"{word}{drawn.randint(0, 5)}" for word in ("-l",) if drawn.random() < 0.4]
    words += [f"{word}{drawn.randint(1, 6)}" for word in ("-M",) if drawn.random() < 0.4]
    words += [f"-m{measure}" for measure in drawn.choice(MEASURES)]
    done = subprocess.run([os.environ["TREC_EVAL"], *words, "qrels", "run"], cwd=tmp_path, capture_output=True)
    arguments = read_qrels(tmp_path / "qrels"), read_run(tmp_path / "run")
    if done.returncode:
        with pytest.raises(DataError):
            trec_eval_output(*arguments, version=version, **options_of(words))
        return
    found = trec_eval_output(*arguments, version=version, **options_of(words))
    assert found == printed_here(done.stdout.decode(), version)


def random_files(drawn: random.Random) -> tuple[str, str]:
    """Judgments and a run with ties, holes, negative labels, and queries that one of them lacks."""
    documents = [f"d{i}" for i in range(drawn.choice([4, 15, 40]))]
    scores = drawn.choice([(1, 2, 3), (1, 1 + 1e-9, 1 + 6e-8), tuple(range(-20, 20))])
    greatest, judged = drawn.choice([1, 2, 4, 12]), drawn.choice([0.2, 0.5, 0.8])
    qrels, run = [], []
    for query in drawn.sample(range(1, 60), drawn.randint(1, 6)):
        if drawn.random() < 0.9:
            labels = {d: drawn.randint(-1, greatest) for d in documents if drawn.random() < judged}
            # A query with nothing but negative labels is more than the program can take.
            qrels += [f"{query} 0 {d} {label}" for d, label in {**labels, documents[0]: 0}.items()]
        if drawn.random() < 0.9:
            found = drawn.sample(documents, drawn.randint(1, len(documents)))
            run += [f"{query} Q0 {d} 1 {drawn.choice(scores)!r} tag" for d in found]
    # Neither file may be empty.
    qrels += ["0 0 d0 1"]
    run += ["0 Q0 d0 1 1 tag"]
    drawn.shuffle(qrels)
    return "\n".join(qrels) + "\n", "\n".join(run) + "\n"
