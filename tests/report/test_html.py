"""The page of a study: what stands in it, what cannot get out of it, what it needs."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

from rankwise.report.html import json_text
from rankwise.report.html import page as page_of
from rankwise.report.of_study import document
from rankwise.study.result import StudyResult
from report.conftest import HOSTILE


class Tags(HTMLParser):
    """Tags with their attributes, and the text of each script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.words: list[str] = []
        self._in = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in == "script":
            self.scripts[-1] += data
        else:
            self.words.append(data)


def data_of(text: str) -> Any:
    return json.loads(Tags(text).scripts[0])


def test_the_verdict_stands_first(page: str, study: StudyResult) -> None:
    sections = [attributes["id"] for tag, attributes in Tags(page).tags if tag == "section"]
    assert sections[0] == "verdict" and sections[1] == "notices" and {"tables", "again", "cite"} <= set(sections)
    assert study.verdict.sentences()[0].replace("±", "±") in "".join(Tags(page).words)


def test_every_link_of_the_contents_leads_somewhere(page: str) -> None:
    tags = Tags(page).tags
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for tag, attributes in tags if tag == "a"]
    assert links and all(link is not None and link[1:] in ids for link in links)


def test_nothing_is_loaded(page: str) -> None:
    for tag, attributes in Tags(page).tags:
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            value = attributes.get(name) or ""
            assert value == "" or value.startswith("#") or value == "data:,", f"<{tag} {name}={value}>"
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None and "url(" not in style[1] and "@import" not in style[1]


def test_the_policy_lets_the_two_scripts_run_and_nothing_connect(page: str) -> None:
    tags = Tags(page)
    policy = next(a["content"] for tag, a in tags.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None and policy.startswith("default-src 'none';") and "connect-src" not in policy
    script = next(part for part in policy.split("; ") if part.startswith("script-src"))
    digests = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in tags.scripts[1:]]
    assert script == "script-src " + " ".join(f"'sha256-{digest}'" for digest in digests)


def test_there_is_one_bundle_for_all_figures(page: str) -> None:
    assert len(Tags(page).scripts) == 3
    # The library is 0.9 MB; figures and tables of this small study take little beside it.
    assert 0.5e6 < len(page) < 1.6e6


def test_every_figure_has_its_data_and_a_place(page: str, study: StudyResult) -> None:
    data = data_of(page)
    places = [a["data-figure"] for tag, a in Tags(page).tags if tag == "figure"]
    assert places == list(data["figures"])
    assert {"figure-1", "figure-2", "ranks", "pairs-of-all", "two-systems", "learning-curves"} == set(places)
    for name, specs in data["figures"].items():
        assert specs and all(any(row for rows in spec["datasets"].values() for row in rows) for spec in specs), name
    assert len(data["figures"]["figure-1"]) == len(study.learners)


def test_the_numbers_of_the_first_figure_are_the_study_s(page: str, study: StudyResult) -> None:
    spec = data_of(page)["figures"]["figure-1"][0]
    rows = [row for part in spec["datasets"].values() for row in part]
    assert len(rows) == len(study.training) * len(study.evaluation)
    for row in rows:
        score = study.score("learner 1", row["series"], row["measure"])
        assert (row["mean"], row["error"]) == (score.mean, score.stderr)


def test_entries_that_came_out_the_same_are_one_curve_labelled_so(page: str) -> None:
    spec = data_of(page)["figures"]["figure-1"][2]
    names = {row["series"] for part in spec["datasets"].values() for row in part}
    assert names == {"nDCG@5 = yahoo:nDCG@5", "letor4:nDCG@5"}


def test_every_table_can_be_had_as_latex(page: str) -> None:
    tables = [a["data-table"] for _, a in Tags(page).tags if "data-table" in a]
    latex = data_of(page)["latex"]
    assert tables == list(latex) and {"means", "winners", "by-training"} <= set(tables)
    assert all(r"\begin{tabular}" in text for text in latex.values())


def test_how_to_make_it_again_is_told(page: str, study: StudyResult) -> None:
    words = "".join(Tags(page).words)
    assert study.plan_text in words and "a" * 32 in words and "12.5 seconds" in words
    assert "standard: gain 2^label − 1" in words and "@inproceedings{" in words


def test_the_same_study_gives_the_same_page(page: str, study: StudyResult) -> None:
    assert page_of(document(study)) == page


def test_a_hostile_name_is_text(hostile_page: str, page: str) -> None:
    hostile, plain = Tags(hostile_page), Tags(page)
    assert len(hostile.scripts) == len(plain.scripts) and hostile.scripts[1:] == plain.scripts[1:]
    kinds = {tag for tag, _ in hostile.tags}
    assert "img" not in kinds and kinds <= {tag for tag, _ in plain.tags} | {"sup"}
    assert not any(name.startswith("on") for _, attributes in hostile.tags for name in attributes)
    words = "".join(hostile.words)
    assert words.count(HOSTILE) > 5


def test_a_hostile_name_in_the_data_cannot_end_the_script(hostile_page: str) -> None:
    text = Tags(hostile_page).scripts[0]
    assert "<" not in text and ">" not in text and "&" not in text
    specs = data_of(hostile_page)["figures"]["two-systems"]
    rows = [row for spec in specs for part in spec["datasets"].values() for row in part]
    assert any(HOSTILE in row.get("lists", "") for row in rows)


def test_json_in_a_script_reads_back() -> None:
    value = {"a": [HOSTILE, "\u2028\u2029", "é", 1.5, None]}
    text = json_text(value)
    assert json.loads(text) == value and not set("<>&\u2028\u2029") & set(text)
