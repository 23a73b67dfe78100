"""Reports in a real browser: nothing is asked for or complained of, and tables, schemes and print work."""

from __future__ import annotations

import io
import os
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

import probfs
from tests.support.browser import HOSTILE_FOR_PAGES, MISSING, Browser, find_browser, make_frame

NAMES = "#features tbody th"
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
AXE = Path(os.environ.get("AXE_CORE") or _CACHE / "probfs-tests" / "axe.min.js")
"""The checker that browsers' own tools use; `.ci/install-browser` fetches it."""
Show = Callable[..., Browser]
"""Shows a report, as ``ranking mixed``, in a window of this width and scheme."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    programs = find_browser()
    if programs is None:
        pytest.skip(MISSING)
    pytest.importorskip("selenium", reason="selenium is not installed (pip install 'probfs[test]')")
    with warnings.catch_warnings():
        # What chromium and its driver leave open is not ours to close.
        warnings.simplefilter("ignore", ResourceWarning)
        opened = Browser(programs, tmp_path_factory.mktemp("profile"))
        yield opened
        opened.driver.quit()


@pytest.fixture(scope="module")
def show(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Show:
    folder = tmp_path_factory.mktemp("pages")

    @cache
    def make(name: str) -> Path:
        kind, data = name.split()
        frame, page = make_frame(data), folder / f"{name}.html"
        target: str = frame.columns[-1]
        if kind == "pairs":
            probfs.pairs(frame, target=target).to_html(page)
        elif kind == "selection":
            probfs.select(frame, target=target, report=True, folds=2).to_html(page)
        else:
            # Every column has a round of its own.
            options: dict[str, Any] = {"screen": False, "score": "absolute", "uncertainty": kind == "uncertain"}
            probfs.rank(frame, target=target, report=True, step=0.05 if data == "large" else 1, **options).to_html(page)
        return page

    def shown(name: str, width: int = 1200, scheme: str = "light", media: str = "", scripts: bool = True) -> Browser:
        browser.set_scripting(scripts)
        browser.resize(width)
        browser.prefer(scheme, media)
        browser.open(make(name))
        browser.set_scripting(True)
        return browser

    return shown


def column(browser: Browser, number: int) -> list[str]:
    return list(browser.texts(f"#features tbody tr > :nth-child({number})"))


def sort_by(browser: Browser, heading: str) -> Any:
    """Press the heading, and say how the table is sorted now."""
    script = """const cell = [...document.querySelectorAll('#features thead th')]
        .find(e => e.textContent.trim() === arguments[0]);
      cell.querySelector('button').click(); return cell.getAttribute('aria-sort')"""
    return browser.run(script, heading)


@pytest.mark.parametrize("name", ["ranking hostile", "selection hostile", "pairs hostile"])
def test_nothing_is_asked_for_or_complained_of_and_no_name_becomes_markup(show: Show, name: str) -> None:
    browser = show(name)
    for heading in ("p", "column"):
        sort_by(browser, heading)
    browser.run("document.querySelectorAll('#features tbody *').forEach(e => e.dispatchEvent(new Event('mouseover')))")
    assert browser.run("return typeof window.hacked") == "undefined"
    assert browser.run("return document.querySelectorAll('img, b, #injected, h1').length") == 1
    assert (browser.complaints(), browser.requests()) == ([], [browser.driver.current_url])
    shown = set(browser.texts(NAMES))
    assert {*HOSTILE_FOR_PAGES[:3], "\\u202eright to left\\u2066", "tab\\tnew\\nline\\x1b[31m\\x00\\x7f"} < shown
    assert max(map(len, shown)) == 200


OVERFLOWING = """
  // A picture clips what is in it.
  const inside = (e) => e.closest('.heat *') || arguments[0] && e.closest('.scroll') && !e.matches('.scroll');
  return [...document.body.querySelectorAll('*')]
    .filter(e => !inside(e) && !e.matches('.skip') && e.getClientRects().length)
    .filter(e => { const box = e.getBoundingClientRect(); return box.left < -1 || box.right > innerWidth + 1 })
    .map(e => `${e.tagName} ${e.textContent.slice(0, 40)}`)"""
"""Elements that reach beyond the window, other than those within a part of the page that can be scrolled."""
NO_CELLS_OVERLAP = """
  return [...document.querySelectorAll('#features tbody tr')].every(row => {
    const boxes = [...row.cells].map(cell => cell.getBoundingClientRect()).filter(box => box.width);
    return boxes.every((box, place) => boxes.slice(0, place).every(other =>
      other.right <= box.left + 1 || box.right <= other.left + 1
      || other.bottom <= box.top + 1 || box.bottom <= other.top + 1)) })"""


@pytest.mark.parametrize("width", [320, 390, 1200])
@pytest.mark.parametrize("name", ["uncertain mixed", "selection hostile", "pairs hostile"])
def test_a_page_fits_windows_of_any_width(show: Show, name: str, width: int) -> None:
    browser = show(name, width)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    # On a phone there is nothing to scroll sideways.
    assert browser.run(OVERFLOWING, width > 700) == []
    assert browser.run(NO_CELLS_OVERLAP)


def test_a_phone_shows_headings_beside_cells_and_can_sort(show: Show) -> None:
    browser = show("ranking mixed", 390)
    script = "return getComputedStyle(document.querySelector('#features tbody td:nth-child(3)'), '::before').content"
    assert browser.run(script) == '"importance Ŝ_S"'
    assert sort_by(browser, "column") == "ascending"
    assert browser.texts(NAMES)[0] == "near_copy_0"


@pytest.mark.skipif(not AXE.exists(), reason=f"axe-core is not there ({AXE}); .ci/install-browser fetches it")
@pytest.mark.parametrize(
    ("name", "scheme", "width"),
    [("ranking mixed", "light", 390), ("selection mixed", "dark", 1200), ("pairs hostile", "light", 1200)],
)
def test_axe_finds_no_fault(show: Show, name: str, scheme: str, width: int) -> None:
    browser = show(name, width, scheme)
    browser.run(AXE.read_text("utf-8"))
    browser.driver.set_script_timeout(120)
    check = """const done = arguments[arguments.length - 1];
      axe.run(document, { resultTypes: ['violations'] }).then(
        found => done(found.violations.map(v => v.id)), error => done([String(error)]));"""
    assert browser.driver.execute_async_script(check) == []
    browser.run("document.querySelectorAll('.controls label').forEach(e => e.replaceWith(...e.children))")
    assert "label" in browser.driver.execute_async_script(check)


# Tables.


def test_tables_are_sorted_by_number_or_text_with_empty_cells_last(show: Show) -> None:
    browser = show("ranking mixed")
    assert sort_by(browser, "p") == "ascending"
    values = [float(text) for text in column(browser, 6)]
    assert values == sorted(values) != [float(text) for text in sorted(column(browser, 6))]
    assert sort_by(browser, "p") == "descending"
    assert [float(text) for text in column(browser, 6)] == values[::-1]
    assert sort_by(browser, "gain Ŝ_A") == "descending"
    assert browser.run("return document.querySelectorAll('[aria-sort]').length") == 1
    assert sort_by(browser, "rank") == "ascending"
    assert column(browser, 1) == [str(number) for number in range(1, 21)]
    show("selection mixed")
    for _ in range(2):
        sort_by(browser, "gain Ŝ_A")
        cells = column(browser, 4)
        assert 0 < cells.index("-") == len(cells) - cells.count("-")


def test_rows_are_searched_and_groups_chosen(show: Show) -> None:
    browser = show("ranking mixed")
    field, status = browser.find(".searched input[type=search]"), browser.find("#features-section .found")
    field.send_keys("COPY_")
    assert sorted(browser.texts(NAMES)) == [f"near_copy_{number}" for number in range(5)]
    assert (status.text, status.get_attribute("role")) == ("5 of 20 rows shown", "status")
    field.send_keys("1")
    assert (list(browser.texts(NAMES)), status.text) == (["near_copy_1"], "1 of 20 rows shown")
    field.clear()
    field.send_keys(" ")
    assert status.text == "20 of 20 rows shown"
    script = "const e = document.querySelector(arguments[0]); e.value = 'noise'; e.dispatchEvent(new Event('change'))"
    browser.run(script, "#features-section select")
    names = browser.texts(NAMES)
    assert 0 < len(names) < 20
    assert all(name.startswith("noise_") for name in names)


def test_everything_is_done_by_keys_and_shows_the_focus(show: Show) -> None:
    browser = show("selection mixed")
    browser.run("document.querySelector('#features thead button').focus()")
    browser.press("\ue007")
    assert browser.find("#features thead th").get_attribute("aria-sort") == "ascending"
    browser.run("document.activeElement.blur()")
    script = "const e = document.activeElement; return `${e.tagName} ${getComputedStyle(e).outlineStyle}`"
    seen: set[str] = set()
    while "BODY none" not in seen and len(seen) < 40:
        browser.press("\ue004")
        seen.add(browser.run(script))
    assert {"BUTTON", "INPUT"} <= {each.split()[0] for each in seen}
    assert [each for each in seen if each.endswith("none")] == ["BODY none"]


# Schemes, paper, and no scripts.


def test_dark_and_light_differ_and_bars_and_curves_are_seen_in_both(show: Show) -> None:
    papers = set()
    for scheme in ("light", "dark"):
        browser = show("selection mixed", scheme=scheme)
        script = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
        places = (("body", "backgroundColor"), ("td rect", "fill"), (".chart .curve", "stroke"))
        colors = [browser.run(script, *place) for place in places]
        # Axe measures the contrast of texts, but not that of pictures.
        paper, *lights = (sum(map(int, re.findall(r"\d+", color)[:3])) / 3 for color in colors)
        assert min(abs(paper - light) for light in lights) > 100
        papers.add(paper)
    assert len(papers) == 2


@pytest.mark.parametrize("name", ["uncertain hostile", "uncertain long-named"])
def test_paper_is_light_has_no_controls_and_cuts_no_column_off(show: Show, name: str) -> None:
    browser = show(name, scheme="dark", media="print")
    assert browser.texts(".controls, nav, .skip") == []
    assert browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    # Two letters may be one sign.
    pages = PdfReader(io.BytesIO(browser.print_pdf())).pages
    printed = unicodedata.normalize("NFKC", " ".join(page.extract_text() for page in pages)).split()
    for heading in browser.run("return [...document.querySelectorAll('thead th')].map(e => e.textContent)"):
        assert set(heading.split()) <= set(printed), heading
    # A4 without its margins.
    browser.resize(673)
    right = browser.run("return [...document.querySelectorAll('table')].map(e => e.getBoundingClientRect().right)")
    assert max(right) <= 673


@pytest.mark.slow
def test_a_long_table_has_its_headings_on_every_page(show: Show) -> None:
    printed = [page.extract_text() for page in PdfReader(io.BytesIO(show("ranking large").print_pdf())).pages]
    assert all(f"noise_{number}" in "\n".join(printed) for number in range(190))
    within_table = [page for page in printed if re.search(r"≈\snoise", page) and "none above" not in page]
    assert len(within_table) > 3
    assert all("left in" in page for page in within_table)


def test_without_scripts_the_page_is_complete(show: Show) -> None:
    browser = show("ranking mixed", scripts=False)
    assert len(browser.texts(NAMES)) == 20
    assert len(browser.texts("#rounds tbody tr")) == 20
    assert browser.texts(".controls, button") == []
    assert browser.texts("#features thead th")[:3] == ["rank", "column", "importance Ŝ_S"]
