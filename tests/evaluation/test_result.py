"""What `evaluate` returns: counts, means and their errors, and the forms of a result."""

from __future__ import annotations

import csv
import io
import math

import numpy as np
import pytest

from measures.making import List, lists_of, random_list, values_of
from oracles import measures as oracle
from rankwise import DataError, Dataset, evaluate
from rankwise.data.ids import Ids
from rankwise.evaluation.interval import t_quantile
from rankwise.evaluation.lists import Lists
from rankwise.evaluation.present import why
from rankwise.evaluation.result import Result
from rankwise.evaluation.table import Table
from rankwise.measures import AP, DCG, ERR, RR, STANDARD, MeanNDCG, NumRel, P, R, Rprec, nDCG

stats = pytest.importorskip("scipy.stats")


def result_of(lists: list[List], *measures, **how) -> Result:
    return Result(lists_of(lists), [(str(m), m) for m in measures], **how)


def of_values(values: list[float], mean: str = "lists", weights: np.ndarray | None = None, **choices):
    """An outcome whose per-list values are these: DCG@1 of one document with that label."""
    n = len(values)
    m = DCG(1, gain="linear", mean=mean, negative="as is", **choices)
    lists = Lists(np.array(values), np.zeros(n), np.arange(n + 1), queries=Ids.of(range(n)), weights=weights)
    return Result(lists, [("DCG@1", m)])[0]


# Counts.


def slow_counts(m, lists: list[List]) -> dict[str, int]:
    counts = dict.fromkeys(
        ("empty", "lists", "missing", "short", "short_decided", "tied", "tied_decided", "unjudged"), 0
    )
    k = m.k or 10**9
    for one in lists:
        blocks = oracle.blocks(one.scores)
        starts = np.cumsum([0, *map(len, blocks)])
        near = [b for b, start in zip(blocks, starts, strict=False) if start < k]
        ranked = [one.labels[row] for block in blocks for row in block]
        _, best, worst = oracle.over_orders(m, one.labels, one.scores, one.outside)
        counts["lists"] += 1
        counts["empty"] += oracle.formula(m, ranked, one.outside) is None
        counts["missing"] += not one.labels and bool(one.outside)
        counts["short"] += m.k is not None and len(one.labels) < m.k
        counts["short_decided"] += oracle.value(m, ranked, one.outside) != oracle.value(
            m.but(short="as is"), ranked, one.outside
        )
        counts["tied"] += any(len(block) > 1 for block in near)
        counts["tied_decided"] += abs(best - worst) > 1e-12
        counts["unjudged"] += any(math.isnan(one.labels[row]) for block in near for row in block)
    return counts


@pytest.mark.parametrize(
    "choices", [{}, {"short": "zero"}, {"discount": "jarvelin"}, {"rel": 2, "ideal": "list"}], ids=str
)
def test_what_was_special_is_counted(choices: dict) -> None:
    rng = np.random.default_rng(1)
    lists = [random_list(rng, int(rng.integers(0, 7)), int(rng.integers(1, 6)), grades=3) for _ in range(60)]
    measures = [kind(k, **choices) for kind in (nDCG, DCG, AP, RR, P, R, ERR, MeanNDCG) for k in (1, 2, 4)]
    measures.append(Rprec(**choices))
    for outcome in result_of(lists, *measures):
        assert outcome.counts.as_dict() == slow_counts(outcome.measure, lists), str(outcome.measure)


def test_counts_print_themselves() -> None:
    counts = evaluate([1, 0], [1.0, 1.0], "nDCG@5")[0].counts
    assert repr(counts) == (
        "Counts(empty=0, lists=1, missing=0, short=1, short_decided=0, tied=1, tied_decided=1, unjudged=0)"
    )


# Means and their errors.


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_mean_error_and_interval_are_the_textbooks(n: int) -> None:
    values = np.random.default_rng(n).random(n)
    outcome = of_values(values.tolist())
    assert outcome.mean == pytest.approx(values.mean(), rel=1e-14)
    assert outcome.stderr == pytest.approx(stats.sem(values), rel=1e-12)
    wanted = stats.t.interval(0.95, n - 1, values.mean(), stats.sem(values))
    assert outcome.interval == pytest.approx(wanted, rel=1e-10)
    assert outcome.included == n
    assert float(outcome) == outcome.mean


def test_one_list_has_no_error() -> None:
    outcome = of_values([0.5])
    assert outcome.mean == 0.5
    assert math.isnan(outcome.stderr) and all(map(math.isnan, outcome.interval + outcome.bootstrap))


@pytest.mark.parametrize("df", [*range(1, 60), 99, 100, 298, 299, 300, 301, 1000, 10**5, 10**8])
def test_the_quantiles_of_students_t(df: int) -> None:
    for p in (0.5, 0.75, 0.95, 0.975, 0.995):
        assert t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-9, abs=1e-9)


def test_a_mean_is_summed_without_loss() -> None:
    assert of_values([1e16, 1.0, -1e16, 1.0]).mean == 0.5
    assert of_values([0.1] * 10).mean == 0.1


def test_weights_weigh_lists() -> None:
    rng = np.random.default_rng(6)
    values, weights = rng.random(30), rng.random(30)
    outcome = of_values(values.tolist(), weights=weights)
    mean = np.average(values, weights=weights)
    assert outcome.mean == pytest.approx(mean)
    spread = (weights**2 * (values - mean) ** 2).sum()
    assert outcome.stderr == pytest.approx(math.sqrt(spread * 30 / 29) / weights.sum())
    equal = of_values(values.tolist(), weights=np.full(30, 3.0))
    plain = of_values(values.tolist())
    assert (equal.mean, equal.stderr) == pytest.approx((plain.mean, plain.stderr))
    assert math.isnan(of_values([0.5, 1.0], weights=np.zeros(2)).mean)


def test_weights_come_with_a_dataset() -> None:
    data = Dataset.of(labels=[1, 0, 0, 1], qid=[1, 1, 2, 2], weights=[3.0, 1.0])
    assert evaluate(data, [2.0, 1.0, 2.0, 1.0], "RR")[0].mean == pytest.approx((3 * 1 + 0.5) / 4)


def test_other_means() -> None:
    values = [0.0, 0.5, 0.25]
    assert of_values(values, mean="sum").mean == 0.75
    assert of_values(values, mean="geometric").mean == pytest.approx((1e-5 * 0.5 * 0.25) ** (1 / 3))
    assert math.isnan(of_values(values, mean="geometric").stderr)


@pytest.mark.parametrize(
    "empty, mean, included", [(0.0, 0.5, 2), (1.0, 1.0, 2), (0.5, 0.75, 2), ("skip", 1.0, 1), ("nan", math.nan, 1)]
)
def test_what_an_empty_list_does_to_the_mean(empty: float | str, mean: float, included: int) -> None:
    outcome = evaluate([1, 0, 0, 0], [2.0, 1, 2, 1], nDCG(5, empty=empty), group=[2, 2])[0]
    assert outcome.mean == pytest.approx(mean, nan_ok=True)
    assert (outcome.included, outcome.counts.empty) == (included, 1)


@pytest.mark.parametrize("missing, mean", [("zero", 0.5), ("skip", 1.0), ("as is", 0.5)])
def test_what_a_missing_list_does_to_the_mean(missing: str, mean: float) -> None:
    qrels, run = {"a": {"x": 1}, "b": {"y": 1}}, {"a": {"x": 1.0}, "c": {"z": 1.0}}
    result = evaluate(qrels, run, nDCG(5, missing=missing))
    assert (result[0].mean, result[0].counts.missing, result.unknown_queries) == (mean, 1, 1)
    with pytest.raises(DataError, match="query 'b' is judged but not in the run, which standard refuses"):
        evaluate(qrels, run, nDCG(5, missing="error"))
    assert evaluate(qrels, run, NumRel(missing=missing, mean="sum"))[0].mean == (2 if missing == "as is" else 1)


def test_no_lists_have_no_mean() -> None:
    outcome = result_of([], nDCG(5))[0]
    assert (outcome.included, outcome.counts.lists) == (0, 0)
    assert math.isnan(outcome.mean)


def test_bounds_enclose_the_mean() -> None:
    outcome = evaluate([0, 1, 1, 0], [1.0, 1, 1, 0], "AP")[0]
    assert outcome.bounds == (outcome.worst.mean, outcome.best.mean)
    assert outcome.worst.mean < outcome.mean < outcome.best.mean == 1


def test_only_so_many_documents_are_looked_at() -> None:
    rng = np.random.default_rng(7)
    lists = [random_list(rng, 300, 0) for _ in range(5)]
    for one in lists:
        one.outside = []
    order = [sorted(range(300), key=lambda row, s=one.scores: -s[row]) for one in lists]
    top = [one.reordered(rows[:40]) for one, rows in zip(lists, order, strict=True)]
    for m in (nDCG(10, ideal="list"), NumRel(ideal="list"), P(50), AP(ideal="list"), Rprec(ideal="list")):
        kept = result_of(lists, m, keep=40)[0].values
        np.testing.assert_array_equal(kept, values_of([m], top)[0], err_msg=str(m))


# Its forms.


def small_result(**how) -> Result:
    labels, scores, qid = [3, 0, 1, 0, 2, 0], [0.5, 0.4, 0.3, 0.2, 0.2, 0.1], ["a", "a", "a", "b", "b", "c"]
    return evaluate(labels, scores, ["nDCG@10", "letor4:MAP"], qid=qid, name="mine", **how)


def test_a_result_prints_values_and_conventions() -> None:
    lines = repr(small_result()).splitlines()
    assert lines[0] == "mine"
    assert lines[2].split() == ["measure", "value", "95", "%", "interval", "empty", "short", "tied"]
    assert lines[3].startswith("nDCG@10    0.")
    assert lines[3].endswith("1      3  1 (1)")
    assert lines[4].split()[0] == "letor4:AP"
    assert lines[6] == "3 lists; in brackets: those whose value the convention decided"
    assert lines[7].startswith("standard: gain 2^label − 1 · discount 1/log2(i + 1) · ideal: all judged documents, cut")
    assert lines[8].startswith("letor4: ") and "relevant: 1 and 2" in lines[8] and "ties: as given" in lines[8]


@pytest.mark.parametrize(
    "measures, said",
    [
        (["P@2", "P(p_over='min(k, n)')@5"], "P@k over min(k, n) (P(p_over='min(k, n)')@5)"),
        (["P(p_over='min(k, n)')@2", "P(p_over='min(k, n)')@5"], "P@k over min(k, n)"),
        (["nDCG@2", "nDCG"], "ideal: all judged documents, cut at k (nDCG@2) · ideal: all judged documents (nDCG)"),
        (["AP", "RR(ties='input')"], "ties: the mean over all orders (AP) · ties: as given (RR)"),
        (["AP(ties='random', seed=3)"], "ties: drawn by lot with the seed 3"),
    ],
)
def test_a_choice_is_said_of_those_measures_alone_that_make_it(measures: list[str], said: str) -> None:
    line = repr(evaluate([1, 0, 1], [1.0, 2, 3], measures)).splitlines()[-1]
    assert line.startswith("standard: ")
    assert f" · {said} · " in line + " · "


def test_bounds_are_shown_when_asked_for() -> None:
    assert "worst – best" in repr(small_result(bounds=True))
    assert "worst – best" not in repr(small_result())


def test_a_judged_run_shows_trec_evals_value_beside() -> None:
    shown = repr(evaluate({"q": {"a": 3, "b": 1}}, {"q": {"a": 1.0, "b": 2.0}}, ["nDCG@10", "P@2"]))
    assert "trec_eval" in shown.splitlines()[0]
    assert "trec_eval (trec_eval_9_0_8) differs: gain 2^label − 1, there the label (nDCG@10)" in shown


def test_a_result_as_markdown_latex_and_html() -> None:
    result = small_result()
    assert "| measure | value | 95 % interval | empty | short | tied |\n| --- | ---: | ---: | ---: | ---: | ---: |" in (
        result.to_markdown()
    )
    latex = result.to_latex()
    assert r"\begin{tabular}{lrrrrr}" in latex and r"95 \% interval" in latex and r"\bottomrule" in latex
    html = result._repr_html_()
    assert html.startswith("<table><caption>mine</caption>") and html.count("<tr>") == 3
    assert "<script" not in evaluate([1], [1.0], "AP", name="<script>")._repr_html_()


def test_latex_has_the_title_and_signs_that_every_font_has() -> None:
    latex = Table(["pair", "τ", "p"], [["a > b | 1 → 2", "0.50", "<0.0001"]], ["a note"], "a title").to_latex()
    assert latex.startswith("% a title\n% a note\n\\begin{tabular}{lrr}")
    assert r"pair & $\tau$ & p \\" in latex and r"a $>$ b $|$ 1 $\to$ 2 & 0.50 & $<$0.0001 \\" in latex


def test_csv_keeps_every_digit() -> None:
    result = small_result()
    rows = list(csv.DictReader(io.StringIO(result.to_csv(per_query=True))))
    assert [row["query"] for row in rows] == ["a", "b", "c", "all"] * 2
    assert [row["measure"] for row in rows] == ["nDCG@10"] * 4 + ["letor4:MAP"] * 4
    for outcome, at in zip(result, (0, 4), strict=True):
        assert [float(row["value"]) for row in rows[at : at + 4]] == [*outcome.values.tolist(), outcome.mean]
    assert len(result.to_csv().splitlines()) == 3


def test_arrow_reads_the_values() -> None:
    arrow = pytest.importorskip("pyarrow")
    pytest.importorskip("nanoarrow")
    result = small_result()
    for table in (arrow.table(result), arrow.RecordBatchReader.from_stream(result).read_all()):
        assert table.column_names == ["run", "measure", "query", "value"]
        assert table["query"].to_pylist() == ["a", "b", "c"] * 2
        assert table["measure"].to_pylist() == ["nDCG@10"] * 3 + ["letor4:MAP"] * 3
        assert table["run"].unique().to_pylist() == ["mine"]
        assert table["value"].to_pylist() == result.values.ravel().tolist()


def test_an_outcome_is_found_by_any_of_its_names() -> None:
    result = small_result()
    for name in ("letor4:MAP", "letor4:AP", AP(convention="letor4"), 1):
        assert result[name] is result.outcomes[1]
    assert result["ndcg_cut_10"] is result.outcomes[0]
    assert result.means == {"nDCG@10": result[0].mean, "letor4:MAP": result[1].mean}
    assert result.measures == (nDCG(10), AP(convention="letor4"))
    assert (len(result), result.values.shape, result.queries) == (2, (2, 3), ["a", "b", "c"])


def test_two_conventions_in_one_call_are_independent() -> None:
    together = evaluate([2, 0, 1], [1.0, 2, 3], ["letor4:nDCG@2", "nDCG@2", nDCG(2, gain="linear", ties="worst")])
    for outcome in together:
        assert evaluate([2, 0, 1], [1.0, 2, 3], outcome.measure)[0].mean == outcome.mean
    assert len({outcome.mean for outcome in together}) == 3
    assert STANDARD.gain == "exp2"


def test_a_sum_is_no_mean_times_a_number() -> None:
    """1/49 × 49 is less than 1."""
    assert of_values([1.0] + [0.0] * 48, "sum").mean == 1.0


def test_means_of_huge_values_are_within_range_and_infinite_ones_print() -> None:
    assert of_values([1.5e308, 1.5e308]).mean == 1.5e308
    assert "inf" in repr(evaluate([1e308] * 10, np.arange(10.0), DCG(gain="linear")))


def test_weights_do_not_hide_an_undefined_list() -> None:
    data = Dataset.of(labels=[1, 0, 0, 0], qid=[1, 1, 2, 2], weights=[1, 2])
    assert math.isnan(evaluate(data, [1.0, 2.0, 3.0, 4.0], nDCG(empty="nan"))[0].mean)
    assert evaluate(data, [1.0, 2.0, 3.0, 4.0], nDCG(empty="skip"))[0].included == 1


def test_bounds_look_at_no_more_documents_than_the_value() -> None:
    outcome = evaluate([0, 1, 1], [3.0, 2.0, 1.0], [R], keep=2)[0]
    assert outcome.bounds == (outcome.mean, outcome.mean) == (0.5, 0.5)


def test_a_result_does_not_follow_what_becomes_of_the_callers_scores() -> None:
    scores = np.array([1.0, 1.0, 0.0])
    outcome = evaluate([1, 0, 1], scores, AP)[0]
    scores[:] = [0.0, 1.0, 2.0]
    assert outcome.bounds == pytest.approx(((1 / 2 + 2 / 3) / 2, (1 + 2 / 3) / 2))


def test_ids_may_be_a_slice_of_others() -> None:
    data = Dataset.of(labels=[1, 0], group=[2], documents=Ids.of(["b", "x", "a", "y"])[::2])
    assert evaluate(data, [1.0, 1.0], RR(ties="docid"))[0].mean == 0.5


def why_trec_eval_differs(best: float, *, tied: bool) -> list[str]:
    qrels, run = (
        {"q": {"a": best, "b": 0}, "r": {"a": 1, "c": best}},
        {"q": {"a": 1.0, "b": 1.0}, "r": {"a": 1.0, "c": 0.5}},
    )
    if not tied:
        run["q"]["b"] = 2.0
    return why([evaluate(qrels, run, ["nDCG@10", "AP"])])


def test_a_choice_that_makes_no_difference_to_the_labels_is_no_reason() -> None:
    # On labels 0 and 1 both gains are the label.
    assert why_trec_eval_differs(1, tied=False) == []
    (line,) = why_trec_eval_differs(1, tied=True)
    assert line.startswith("trec_eval (trec_eval_9_0_8) differs: ties: ") and "gain" not in line
    (line,) = why_trec_eval_differs(2, tied=False)
    assert line.endswith("differs: gain 2^label − 1, there the label (nDCG@10)")
