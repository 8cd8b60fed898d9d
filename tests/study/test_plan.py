"""A plan: the same from a file and from Python, and every mistake is told with its place."""

import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

import rankwise
from rankwise import Dataset, Plan, folds, read_plan
from rankwise.errors import RankwiseError
from rankwise.study.plan import PlanError

SMALL = {
    "data": {"simulated": "hotels", "searches": 60, "folds": 3},
    "measures": {"train": ["nDCG@5", "letor4:nDCG@5"], "evaluate": "yahoo:nDCG@1..5"},
    "learner": [{"name": "best-feature"}],
}


def but(**changes):
    return {**SMALL, **changes}


def learner(**keys):
    return but(learner=[{"name": "lambdamart", **keys}])


def test_the_verdict_s_measure_and_the_training_measures_are_evaluated():
    plan = Plan.of(SMALL)
    assert plan.main.name == "nDCG@5"
    assert [one.name for one in plan.evaluation] == [
        "nDCG@5", "letor4:nDCG@5", *(f"yahoo:nDCG@{k}" for k in range(1, 6))
    ]  # fmt: skip


def test_a_measure_may_have_a_name_of_the_plan_s_own():
    train = {"yahoo": "yahoo:nDCG@5", "mine": "nDCG(gain='linear')@5"}
    plan = Plan.of(but(measures={"train": train, "evaluate": {"letor": "letor4:nDCG@4..5"}}))
    assert [one.name for one in plan.training] == ["yahoo", "mine"]
    assert [one.name for one in plan.evaluation] == ["nDCG@5", "yahoo", "mine", "letor@4", "letor@5"]


def test_a_grid_is_the_product_of_its_values():
    plan = Plan.of(learner(trees=20, grid={"leaves": [4, 8], "learning_rate": [0.1, 0.2]}, seeds=3))
    contender = plan.contenders[0]
    assert contender.points() == [
        {"leaves": leaves, "learning_rate": rate} for leaves in (4, 8) for rate in (0.1, 0.2)
    ]  # fmt: skip
    assert contender.seeds == (0, 1, 2)
    made = contender.learner(contender.points()[-1], plan.training[1].measure, None, 2, 1)
    assert (made.trees, made.leaves, made.learning_rate, made.seed) == (20, 8, 0.2, 2)
    assert str(made.measure) == "letor4:nDCG@5"


def test_none_is_said_where_a_parameter_may_be_none():
    assert Plan.of(learner(patience="none")).contenders[0].fixed["patience"] is None


def test_features_are_those_of_the_learner_or_of_the_plan():
    tables = but(features={"scaling": "rank"}, learner=[{"name": "best-feature"},
                 {"name": "lambdamart", "scaling": "z-score"}])  # fmt: skip
    assert [one.fixed["scaling"] for one in Plan.of(tables).contenders] == ["rank", "z-score"]


def test_the_text_of_a_plan_made_in_python_is_that_plan():
    tables = learner(grid={"leaves": [4, 8]}, label='a "quoted" one', relative=["rank"])
    plan = Plan.of(tables)
    again = Plan.of(tomllib.loads(plan.text))
    assert (again.contenders, again.evaluation, again.tables) == (plan.contenders, plan.evaluation, plan.tables)


def test_lists_may_be_given():
    data = Dataset.of([[float(i % 3)] for i in range(12)], [i % 2 for i in range(12)], group=[2] * 6)
    rest = {name: table for name, table in SMALL.items() if name != "data"}
    assert len(Plan.of({**rest, "data": {"folds": 3}}, lists=data).data.folds()) == 3
    assert len(Plan.of(rest, lists=folds(data, 4)).data.folds()) == 4
    with pytest.raises(RankwiseError, match=r"'simulated': the lists are given already"):
        Plan.of(SMALL, lists=data)
    with pytest.raises(RankwiseError, match="a study has lists of a Dataset or of folds, not int"):
        Plan.of(rest, lists=7)


def test_at_most_so_many_lists_of_each_part_are_drawn():
    plan = Plan.of(but(data={**SMALL["data"], "lists": 7}))
    fold = plan.data.folds()[0]
    assert (len(fold.train), len(fold.validation), len(fold.test)) == (7, 7, 7)
    assert list(fold.test.queries) == list(plan.data.folds()[0].test.queries)


def test_paths_begin_at_the_folder_of_the_plan(tmp_path):
    (tmp_path / "deep").mkdir()
    lines = "".join(f"{i % 2} qid:{i // 2} 1:{i % 5} 2:{i % 3}\n" for i in range(12))
    (tmp_path / "deep" / "all.txt").write_text(lines)
    head = 'data = {files = "all.txt", folds = 3}\nmeasures = {train = "AP"}\n[[learner]]\nname = "best-feature"\n'
    (tmp_path / "deep" / "plan.toml").write_text(head)
    plan = read_plan(tmp_path / "deep" / "plan.toml")
    assert (plan.name, plan.main.name) == ("plan", "AP")
    assert [len(fold.test) for fold in plan.data.folds()] == [2, 2, 2]


def test_folds_of_files(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text(f"1 qid:{name}1 1:2\n0 qid:{name}1 1:1\n")
    tables = but(data={"fold": [{"train": ["a.txt", "b.txt"], "test": "c.txt"}, {"name": "B", "train": "a.txt",
                 "validation": "b.txt", "test": "c.txt"}]})  # fmt: skip
    first, second = Plan.of(tables, folder=tmp_path).data.folds()
    assert (first.name, second.name) == ("1", "B")
    assert (len(first.train), first.has_validation, len(second.validation)) == (2, False, 1)
    missing = Plan.of(but(data={"train": "no.txt", "test": "c.txt"}), folder=tmp_path).data.folds()[0]
    with pytest.raises(RankwiseError, match=r"no\.txt: no such file\nHint: paths of a plan begin at the folder"):
        missing.train  # noqa: B018


def test_the_plan_that_init_writes_is_the_one_that_is_shipped():
    shipped = Path(rankwise.__file__).parents[2] / "studies" / "quick.toml"
    assert files("rankwise.study").joinpath("quick.toml").read_text() == shipped.read_text()


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({"data": SMALL["data"]}, r"plan: 'measures' is missing"),
        (but(learners=[]), r"plan: there is no key 'learners'\nHint: did you mean 'learner'\?"),
        (but(data={}), r"plan, \[data\]: there are no lists\nHint: one of simulated"),
        (but(data=3), r"plan: 'data' is 3, not a table"),
        (but(data={"simulated": "hotels", "files": "a"}), r"\[data\]: several sources of lists \(simulated, files\)"),
        (but(data={"simulated": "cars"}), r"'simulated': there are no simulated lists 'cars'\nHint: there are hotels"),
        (but(data={"simulated": "hotels", "serches": 9}), r"no key 'serches'\nHint: did you mean 'searches'\?"),
        (but(data={"simulated": "hotels", "folds": 2}), r"'folds' is 2, not a whole number from 3"),
        (but(data={"folds": 1, "simulated": "hotels", "validation": False}), "'folds' is 1, not a whole number from 2"),
        (but(data={"simulated": "hotels", "folds": "3"}), r"'folds' is '3', not a whole number"),
        (but(data={"simulated": "hotels", "folds": True}), r"'folds' is True, not a whole number"),
        (but(data={"collection": "mq2009", "folder": "x"}), r"there is no collection 'mq2009'\nHint: there are mq2008"),
        (but(data={"train": "a.txt"}), r"the fold has no files for 'test'"),
        (but(data={"files": []}), r"'files' is \[\], not a list of texts"),
        (but(measures={"train": "nDCG@5", "select": "AP@1..3"}), r"'select' names 3 measures where one is wanted"),
        (but(measures={"train": "ndgc@5"}), r"\[measures\]: 'train': there is no measure 'ndgc@5'\nHint: did you mean"),
        (but(measures={"train": []}), r"'train': is \[\], not texts|'train' is \[\], not texts of measures"),
        (but(measures={"train": ["AP", "map"]}), r"'train': map is there twice"),
        (but(measures={"train": "AP", "main": "yahoo:nDCG@5"}), r"'main' names not one measure of the standard"),
        (but(measures={"train": "AP", "baseline": "P@5"}), r"'baseline': 'P@5' is no training measure"),
        (but(measures={"train": "AP", "evaluat": "P@5"}), r"no key 'evaluat'\nHint: did you mean 'evaluate'\?"),
        (but(learner=[]), r"'learner' is empty"),
        (but(learner=[{"name": "lambdamat"}]), r"\[\[learner\]\] 1: 'name': there is no learner 'lambdamat'\nHint"),
        (but(learner=[{}]), r"\[\[learner\]\] 1: 'name' is missing"),
        (learner(tres=9), r"\[\[learner\]\] 1 \(lambdamart\): there is no key 'tres'\nHint: did you mean 'trees'\?"),
        (learner(grid={"leafs": [3]}), r"there is no key 'leafs'\nHint: did you mean 'leaves'\?"),
        (learner(grid={"leaves": 3}), r"'grid': 'leaves' has 3, not a list of values"),
        (learner(leaves=3, grid={"leaves": [3]}), r"'leaves' is fixed, and in the grid too"),
        (learner(trees=-1), r"\(lambdamart\): .*must be a whole number from 1, not -1"),
        (learner(grid={"leaves": [4, "x"]}), r"\(lambdamart\): "),
        (learner(seed=3), r"'seed' is not a parameter of a learner here\nHint: say seeds = \[0, 1, …\]"),
        (learner(seeds=[1, 1]), r"'seeds' is \[1, 1\], not how many there are, or different whole numbers from 0"),
        (learner(train="AP"), r"'train': 'AP' is no training measure\nHint: there are nDCG@5, letor4:nDCG@5"),
        (but(learner=[{"name": "best-feature"}] * 2), r"two learners are called 'best-feature'"),
        (but(statistics={"tests": "chi"}), r"\[statistics\]: there is no test 'chi'"),
        (but(statistics={"levle": 0.9}), r"\[statistics\]: there is no key 'levle'\nHint: did you mean 'level'\?"),
        (but(run={"time_budget": 0}), r"'time_budget' is 0, not a number of seconds above 0"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_place(tables, words):
    with pytest.raises(RankwiseError, match=words):
        Plan.of(tables)


def test_files_that_are_no_plans(tmp_path):
    with pytest.raises(PlanError, match=r"none\.toml: no such file\nHint: `rankwise study --init"):
        read_plan(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("[data\n")
    with pytest.raises(PlanError, match=r"bad\.toml: cannot be read as TOML \(.*line 1"):
        read_plan(tmp_path / "bad.toml")
    with pytest.raises(PlanError, match=r"cannot be read \(Is a directory\)"):
        read_plan(tmp_path)


def test_values_of_a_file_s_plan_may_be_changed(tmp_path):
    (tmp_path / "plan.toml").write_text(Plan.of(SMALL).text)
    changed = {"data.lists": 5, "learner.1.label": "best", "run.seeds": [3]}
    plan = read_plan(tmp_path / "plan.toml", changed)
    assert (plan.data.most, plan.contenders[0].label, plan.contenders[0].seeds) == (5, "best", (3,))
    assert "lists = 5" in plan.text
    for key in ("learner.2.trees", "learner.x.trees", "learner.label", "name.x"):
        with pytest.raises(PlanError, match=f"there is no place for '{key}'"):
            read_plan(tmp_path / "plan.toml", {key: 1})


def test_rows_by_lot_are_the_same_rows_in_an_order_of_their_own():
    given, drawn = (
        Plan.of(but(data={**SMALL["data"], **rows})).data.folds()[0].test for rows in ({}, {"rows": "by lot"})
    )
    assert list(given.queries) == list(drawn.queries) and given.offsets.tolist() == drawn.offsets.tolist()
    assert (given.positions != drawn.positions).any()
    for start, end in zip(given.offsets[:-1], given.offsets[1:], strict=True):
        order = drawn.positions[start:end].argsort()
        assert (drawn.features[start:end][order] == given.features[start:end]).all()
        assert (drawn.labels[start:end][order] == given.labels[start:end]).all()
    with pytest.raises(PlanError, match="'rows' is 'shuffled', not 'as given' or 'by lot'"):
        Plan.of(but(data={**SMALL["data"], "rows": "shuffled"}))
