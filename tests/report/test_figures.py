"""Figures: what is drawn, in which file, and what is refused."""

from __future__ import annotations

import re
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from rankwise import RankwiseError
from rankwise.report import figures, look

RANKS = [[1, 2, 3], [2, 1, 3], [1, 1, 3]]


def bump() -> Any:
    pytest.importorskip("altair")
    return figures.bump_chart(["a", "b", "c"], ["x", "y", "z"], RANKS, title="ranks")


def rows(chart: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (
        chart.to_dict()["layer"][0]["data"]["values"] if "data" in chart.to_dict()["layer"][0] else []
    )
    return found or chart.to_dict()["data"]["values"]


def test_a_line_stands_at_its_rank_and_shared_ranks_a_little_apart() -> None:
    height = {(row["system"], row["convention"]): row["height"] for row in rows(bump())}
    assert [height[s, "x"] for s in "abc"] == [1, 2, 3]
    assert height["a", "z"] < 1 < height["b", "z"] and height["b", "z"] - height["a", "z"] < 0.5


def test_only_systems_that_move_have_colours() -> None:
    scale = bump().to_dict()["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == ["a", "b", "c"]
    assert scale["range"][:2] == list(figures.COLOURS[:2]) and scale["range"][2] not in figures.COLOURS


def test_of_many_systems_those_that_move_most_have_colours() -> None:
    pytest.importorskip("altair")
    still = list(range(1, 11))
    # The last becomes the first.
    turned = [2, 3, 4, 5, 6, 7, 8, 9, 10, 1]
    chart = figures.bump_chart([str(rank) for rank in still], ["x", "y"], [still, turned], title="ranks")
    colours = chart.to_dict()["layer"][0]["encoding"]["color"]["scale"]["range"]
    assert sum(colour in figures.COLOURS for colour in colours) == len(figures.COLOURS)
    assert colours[9] in figures.COLOURS


def test_names_stand_at_both_ends() -> None:
    texts = [layer for layer in bump().to_dict()["layer"] if layer["mark"]["type"] == "text"]
    assert [layer["transform"][0]["filter"] for layer in texts] == ["datum.place == 0", "datum.place == 2"]
    assert {row["after"] for row in rows(bump()) if row["place"] == 0} == {"a  1", "b  2", "c  3"}


def test_every_cell_of_the_heat_map_says_its_value() -> None:
    pytest.importorskip("altair")
    chart = figures.heat_map(["x", "y"], [[1.0, -0.5], [-0.5, 1.0]], title="τ")
    assert [row["said"] for row in rows(chart)] == ["1.00", "-.50", "-.50", "1.00"]


@pytest.mark.parametrize(
    ("ending", "start"), [("html", b"<!DOCTYPE html>"), ("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_files_need_no_network(ending: str, start: bytes, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    path = tmp_path / f"out.{ending}"
    figures.save(bump, path)
    written = path.read_bytes()
    assert written.startswith(start) and b'src="http' not in written
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_another_ending_is_refused() -> None:
    with pytest.raises(
        RankwiseError, match=r"(?s)out.gif: a figure cannot be written in that format.*\.html, \.svg, \.png, \.pdf"
    ):
        figures.save(bump, "out.gif")


@pytest.mark.parametrize(("module", "package"), [("altair", "altair"), ("vl_convert", "vl-convert-python")])
def test_without_the_extra_it_is_named(
    module: str, package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chart = bump()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(RankwiseError, match=rf"(?s)figures need the package {package}.*rankwise\[report\]"):
        figures.save(lambda: chart, tmp_path / "out.svg")
    assert not list(tmp_path.iterdir())


def test_colours_stand_out_on_white_and_on_the_dark_page() -> None:
    style = resources.files("rankwise.report").joinpath("page.css").read_text("utf-8")
    papers = re.findall(r"--paper: (#[0-9a-f]{6})", style)
    assert len(papers) == 2
    for paper in papers:
        for colour in (*look.COLOURS, look.GREY):
            assert contrast(colour, paper) >= 3, (colour, paper)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, by the guidelines for accessible pages (WCAG 2)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_no_two_series_look_the_same() -> None:
    looks = [(look.colour(at), look.shape(at)) for at in range(40)]
    assert len(set(looks)) == len(looks)


def test_words_on_the_page_are_readable() -> None:
    style = resources.files("rankwise.report").joinpath("page.css").read_text("utf-8")
    for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL)[:2]:
        colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block))
        for ink in ("ink", "soft", "accent"):
            assert min(contrast(colours[ink], colours[paper]) for paper in ("paper", "raised")) >= 4.5, ink
        assert contrast(colours["warn"], colours["warn-paper"]) >= 4.5


def test_a_hostile_name_in_a_figure_of_its_own_cannot_end_the_script(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    name = "</script><script>alert(1)</script>"
    figures.save(
        lambda: figures.bump_chart([name, "b"], ["x", "y"], [[1, 2], [2, 1]], title=name), tmp_path / "out.html"
    )
    written = (tmp_path / "out.html").read_text("utf-8")
    assert name not in written and written.count("<script") == written.count("</script>")
