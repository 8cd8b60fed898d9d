"""The page in a headless Chromium: figures are drawn, tables sort and are exported, nothing is asked of a network."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankwise.study.result import StudyResult
from report.browser import Browser, found

pytestmark = pytest.mark.skipif(found() is None, reason="no Chromium; Debian's package is `chromium`")

READY = "document.documentElement.dataset.ready === 'yes'"
OF_STUDY = {"figure-1", "figure-2", "ranks", "pairs-of-all", "two-systems", "learning-curves"}
FIGURES = {
    "plain": OF_STUDY,
    "hostile": OF_STUDY,
    "run": OF_STUDY,
    "comparison": {"means-figure", "pairs-of-all", "two-systems"},
}
WIDTHS = {"phone": 390, "desktop": 1200}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    one = Browser(tmp_path_factory.mktemp("browser"))
    yield one
    one.close()


@pytest.fixture
def plain(browser: Browser, pages: dict[str, Path]) -> Browser:
    browser.events.clear()
    browser.open(pages["plain"].as_uri())
    browser.wait(READY)
    return browser


def complaints(browser: Browser) -> list[object]:
    """Errors and warnings of the page, and violations of its policy."""
    logged = [event["entry"] for event in browser.told("Log.entryAdded")]
    called = [event for event in browser.told("Runtime.consoleAPICalled") if event["type"] in ("error", "warning")]
    return [*logged, *called, *browser.told("Runtime.exceptionThrown")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("which", ["plain", "hostile", "comparison", "run"])
def test_every_figure_is_drawn_without_a_complaint_or_a_request(
    browser: Browser, pages: dict[str, Path], which: str, width: int, scheme: str
) -> None:
    browser.events.clear()
    browser.open(pages[which].as_uri(), width=width, scheme=scheme)
    browser.wait(READY)
    assert complaints(browser) == []
    asked = [event["request"]["url"] for event in browser.told("Network.requestWillBeSent")]
    assert [url for url in asked if not url.startswith(("data:", "blob:"))] == [pages[which].as_uri()]
    charts = browser.run(
        "[...document.querySelectorAll('.chart')].map((chart) => [chart.closest('figure').dataset.figure,"
        " chart.querySelectorAll('svg .mark-symbol path, svg .mark-rect path, svg .mark-line path').length,"
        " chart.querySelector('svg').getBoundingClientRect().width])"
    )
    assert {name for name, _, _ in charts} == FIGURES[which]
    assert all(marks > 2 and wide > 100 for _, marks, wide in charts), charts
    # What is wider than the page scrolls in its own place.
    assert browser.run("document.documentElement.scrollWidth") <= width


def test_a_hostile_name_runs_nothing(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["hostile"].as_uri())
    browser.wait(READY)
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    time.sleep(0.5)
    assert browser.run("window.pwned === undefined && document.images.length === 0")
    # The script is there to be read, as text.
    assert browser.run("document.querySelector('h1').textContent.includes('<script>')")


def test_the_policy_stops_what_would_slip_through(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["plain"].as_uri())
    browser.wait(READY)
    browser.run(
        "{ const one = document.createElement('script');"
        " one.textContent = 'window.pwned = 3'; document.body.append(one); }"
    )
    assert browser.run("window.pwned === undefined")
    assert browser.run("fetch('http://localhost:9/').then(() => 'asked', () => 'refused')") == "refused"
    assert any("Content Security Policy" in str(entry) for entry in browser.told("Log.entryAdded"))


def column(browser: Browser, at: int) -> list[str]:
    rows = "[...document.querySelector('[data-table=means] table').tBodies[0].rows]"
    values: list[str] = browser.run(f"{rows}.map((row) => row.cells[{at}].textContent)")
    return values


def test_a_table_sorts_by_click_and_by_keyboard(plain: Browser, study: StudyResult) -> None:
    head = "document.querySelector('[data-table=means] table').tHead.rows[0].cells[2]"
    before = column(plain, 2)
    plain.run(f"{head}.querySelector('button').click()")
    means = [float(text.lstrip("*").split()[0]) for text in column(plain, 2)]
    assert means == sorted(means) and plain.run(f"{head}.getAttribute('aria-sort')") == "ascending"
    assert sorted(column(plain, 2)) == sorted(before) and len(means) == len(study.entries)
    plain.run(f"{head}.querySelector('button').focus()")
    plain.press("Enter", 13, "\r")
    means = [float(text.lstrip("*").split()[0]) for text in column(plain, 2)]
    assert means == sorted(means, reverse=True) and plain.run(f"{head}.getAttribute('aria-sort')") == "descending"


def test_words_sort_as_words_and_numbers_in_them_as_numbers(plain: Browser) -> None:
    plain.run("document.querySelector('[data-table=means] th:nth-child(2) button').click()")
    words = column(plain, 1)
    assert words == sorted(words, key=str.casefold) and len(set(words)) > 2


def saved(browser: Browser, folder: Path, button: str) -> tuple[str, bytes]:
    """The file that a button saves."""
    browser.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    browser.run(f"{button}.click()")
    until = time.monotonic() + 30
    while time.monotonic() < until:
        done = [path for path in folder.iterdir() if path.suffix != ".crdownload" and not path.name.startswith(".")]
        if done and done[0].stat().st_size:
            return done[0].name, done[0].read_bytes()
        time.sleep(0.1)
    raise AssertionError(f"nothing was saved by {button}")


def tool(within: str, text: str) -> str:
    return f"[...document.querySelectorAll('{within} .tools button')].find((one) => one.textContent === '{text}')"


def test_a_table_is_saved_as_csv_in_its_order(plain: Browser, study: StudyResult, tmp_path: Path) -> None:
    name, content = saved(plain, tmp_path, tool("[data-table=means]", "CSV"))
    rows = list(csv.reader(io.StringIO(content.decode())))
    assert name == "means.csv" and rows == [list(map(str, row)) for row in [study.table().head, *study.table().rows]]


def test_a_table_is_saved_as_latex(plain: Browser, study: StudyResult, tmp_path: Path) -> None:
    name, content = saved(plain, tmp_path, tool("[data-table=means]", "LaTeX"))
    assert (name, content.decode()) == ("means.tex", study.table().to_latex() + "\n")


def test_a_figure_is_saved_with_its_data(plain: Browser, study: StudyResult, tmp_path: Path) -> None:
    name, content = saved(plain, tmp_path, tool("[data-figure=figure-1]", "Data as CSV"))
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    assert name == "figure-1.csv" and len(rows) == len(study.distinct) * len(study.evaluation)
    first = rows[0]
    score = study.score(first["chart"], first["series"], first["measure"])
    assert float(first["mean"]) == score.mean


@pytest.mark.parametrize(("form", "start"), [("SVG", b"<svg"), ("PNG", b"\x89PNG")])
def test_a_figure_is_saved_as_a_picture(plain: Browser, tmp_path: Path, form: str, start: bytes) -> None:
    name, content = saved(plain, tmp_path, tool("[data-figure=ranks]", form))
    assert name == f"ranks.{form.lower()}" and content.startswith(start) and len(content) > 5_000
    assert b"currentColor" not in content


def test_the_data_of_a_figure_open_as_a_table(plain: Browser, study: StudyResult) -> None:
    plain.run("document.querySelector('[data-figure=ranks] details').open = true")
    plain.wait("document.querySelector('[data-figure=ranks] details table') !== null")
    rows = plain.run("document.querySelector('[data-figure=ranks] details table').tBodies[0].rows.length")
    assert rows == len(study.distinct) * len(study.conventions)


def test_a_point_tells_its_exact_values(plain: Browser, study: StudyResult) -> None:
    point = "document.querySelector('[data-figure=figure-1] svg .mark-symbol.role-mark path')"
    plain.run(f"{point}.scrollIntoView({{block: 'center'}})")
    x, y = plain.run(
        f"(() => {{ const r = {point}.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
    )
    plain.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    plain.wait("document.querySelector('#vg-tooltip-element.visible') !== null")
    cells = "#vg-tooltip-element td"
    words = plain.run(f"[...document.querySelectorAll('{cells}')].map((cell) => cell.textContent)")
    told = dict(zip(words[::2], words[1::2], strict=True))
    score = study.score("learner 1", told["series"], told["measure"])
    assert (told["mean"], told["error"]) == (f"{score.mean:.6f}", f"{score.stderr:.6f}")


def test_every_button_and_place_that_scrolls_can_be_reached_by_keyboard(plain: Browser) -> None:
    script = (
        "[...document.querySelectorAll('.wide, .chart, pre, button, summary, nav a')]"
        ".filter((one) => one.offsetParent !== null && one.tabIndex < 0).length"
    )
    assert plain.run(script) == 0


def test_the_page_can_be_printed(plain: Browser) -> None:
    import base64

    # A sheet is narrower than the window that the figures were drawn for; nothing may be cut off.
    plain.ask("Emulation.setEmulatedMedia", media="print")
    plain.ask("Emulation.setDeviceMetricsOverride", width=720, height=1000, deviceScaleFactor=1, mobile=False)
    ends = "[...document.querySelectorAll('svg, table')].map((one) => one.getBoundingClientRect().right)"
    wide = plain.run(f"Math.max(...{ends})")
    assert wide <= 720
    plain.ask("Emulation.setEmulatedMedia", media="")
    content = base64.b64decode(plain.ask("Page.printToPDF", printBackground=False)["data"])
    assert content.startswith(b"%PDF") and len(content) > 50_000
