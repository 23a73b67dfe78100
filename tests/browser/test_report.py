"""Reports in a real browser: nothing is asked for or complained of, and tables, schemes and print work."""

from __future__ import annotations

import io
import os
import re
import unicodedata
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pypdf import PdfReader

import probfs
from tests.support import SAMPLES
from tests.support.browser import (
    HOSTILE_FOR_PAGES,
    MISSING,
    Browser,
    find_browser,
    hostile_frame,
    large_frame,
    long_named_frame,
    mixed_frame,
    open_browser,
)

NAMES = "#features tbody th"
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
AXE = Path(os.environ.get("AXE_CORE") or _CACHE / "probfs-tests" / "axe.min.js")
"""The checker that browsers' own tools use; `.ci/install-browser` fetches it."""


PLAIN: dict[str, Any] = {"screen": False, "score": "absolute"}
"""Every column has a round of its own."""


@pytest.fixture(scope="module")
def shared_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    programs = find_browser()
    if programs is None:
        pytest.skip(MISSING)
    pytest.importorskip("selenium", reason="selenium is not installed (pip install 'probfs[test]')")
    with warnings.catch_warnings():
        # What chromium and its driver leave open is not ours to close.
        warnings.simplefilter("ignore", ResourceWarning)
        with open_browser(programs, tmp_path_factory.mktemp("profile")) as opened:
            yield opened


@pytest.fixture
def browser(shared_browser: Browser) -> Browser:
    """Every test begins in a light window of the same size, with scripts."""
    shared_browser.set_scripting(True)
    shared_browser.resize(1200)
    shared_browser.prefer("light")
    return shared_browser


class Pages(dict[str, Path]):
    """Reports, each made when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __missing__(self, name: str) -> Path:
        kind, _, data = name.partition(" ")
        frames = {"hostile": hostile_frame, "mixed": mixed_frame, "large": large_frame, "long-named": long_named_frame}
        table: Path | pd.DataFrame = frames[data]() if data in frames else SAMPLES / "kiln.csv"
        target = {"kiln": "cracked", "hostile": "<h1>target</h1>"}.get(data, "outcome")
        result: probfs.Ranking | probfs.Selection | probfs.Pairs
        if kind == "pairs":
            result = probfs.pairs(table, target=target)
        elif kind == "selection":
            result = probfs.select(table, target=target, report=True, folds=2)
        else:
            step, sure = 0.05 if data == "large" else 1, kind == "uncertain"
            result = probfs.rank(table, target=target, report=True, step=step, uncertainty=sure, **PLAIN)
        self[name] = self._folder / f"{name}.html"
        result.to_html(self[name])
        return self[name]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    return Pages(tmp_path_factory.mktemp("pages"))


def column(browser: Browser, number: int) -> list[str]:
    return list(browser.texts(f"#features tbody tr > :nth-child({number})"))


def sort_by(browser: Browser, heading: str) -> str | None:
    """Press the heading, and say how the table is sorted now."""
    script = (
        "const cell = [...document.querySelectorAll('#features thead th')]"
        ".find(e => e.textContent.trim() === arguments[0]);"
        "cell.querySelector('button').click(); return cell.getAttribute('aria-sort')"
    )
    sorted_now: str | None = browser.run(script, heading)
    return sorted_now


def overflowing(browser: Browser, *, may_scroll: bool = False) -> list[str]:
    """Elements that reach beyond the window, other than those within a part of the page that can be scrolled."""
    script = """
      // A picture clips what is in it.
      const inside = (e) => e.closest('.heat *') || arguments[0] && e.closest('.scroll') && !e.matches('.scroll');
      return [...document.body.querySelectorAll('*')]
        .filter(e => !inside(e) && !e.matches('.skip') && e.getClientRects().length)
        .filter(e => { const box = e.getBoundingClientRect(); return box.left < -1 || box.right > innerWidth + 1 })
        .map(e => `${e.tagName} ${e.textContent.slice(0, 40)}`)"""
    found: list[str] = browser.run(script, may_scroll)
    return found


@pytest.mark.parametrize("name", ["ranking hostile", "selection hostile", "pairs hostile"])
def test_nothing_is_asked_for_or_complained_of_and_no_name_becomes_markup(
    browser: Browser, pages: Pages, name: str
) -> None:
    browser.open(pages[name])
    for heading in ("p", "column"):
        sort_by(browser, heading)
    browser.run("document.querySelectorAll('#features tbody *').forEach(e => e.dispatchEvent(new Event('mouseover')))")
    assert browser.run("return typeof window.hacked") == "undefined"
    assert browser.run("return document.querySelectorAll('img, b, #injected, h1').length") == 1
    assert browser.complaints() == []
    assert browser.requests() == [pages[name].resolve().as_uri()]
    shown = set(browser.texts(NAMES))
    assert {*HOSTILE_FOR_PAGES[:3], "\\u202eright to left\\u2066", "tab\\tnew\\nline\\x1b[31m\\x00\\x7f"} < shown
    assert max(map(len, shown)) == 200


@pytest.mark.parametrize("width", [320, 390, 1200])
@pytest.mark.parametrize("name", ["uncertain mixed", "selection hostile", "pairs hostile"])
def test_a_page_fits_windows_of_any_width(browser: Browser, pages: Pages, name: str, width: int) -> None:
    browser.resize(width)
    browser.open(pages[name])
    assert browser.run("return document.documentElement.scrollWidth") <= width
    # On a phone there is nothing to scroll sideways.
    assert overflowing(browser, may_scroll=width > 700) == []
    # Cells do not lie over each other.
    assert browser.run("""return [...document.querySelectorAll('#features tbody tr')].every(row => {
      const boxes = [...row.cells].map(cell => cell.getBoundingClientRect()).filter(box => box.width);
      return boxes.every((box, place) => boxes.slice(0, place).every(other =>
        other.right <= box.left + 1 || box.right <= other.left + 1
        || other.bottom <= box.top + 1 || box.bottom <= other.top + 1)) })""")


def test_a_phone_shows_headings_beside_cells_and_can_sort(browser: Browser, pages: Pages) -> None:
    browser.resize(390)
    browser.open(pages["ranking mixed"])
    script = "return getComputedStyle(document.querySelector('#features tbody td:nth-child(3)'), '::before').content"
    assert browser.run(script) == '"importance Ŝ_S"'
    assert sort_by(browser, "column") == "ascending"
    assert browser.texts(NAMES)[0] == "near_copy_0"


@pytest.mark.skipif(not AXE.exists(), reason=f"axe-core is not there ({AXE}); .ci/install-browser fetches it")
@pytest.mark.parametrize(
    ("name", "scheme", "width"),
    [("ranking mixed", "light", 390), ("selection mixed", "dark", 1200), ("pairs hostile", "light", 1200)],
)
def test_axe_finds_no_fault(browser: Browser, pages: Pages, name: str, scheme: str, width: int) -> None:
    browser.resize(width)
    browser.prefer("dark" if scheme == "dark" else "light")
    browser.open(pages[name])
    assert faults(browser) == []
    browser.run("document.querySelectorAll('.controls label').forEach(e => e.replaceWith(...e.children))")
    assert "label" in faults(browser)


def faults(browser: Browser) -> list[str]:
    browser.driver.execute_script(AXE.read_text("utf-8"))
    browser.driver.set_script_timeout(120)
    run = """const done = arguments[arguments.length - 1];
      axe.run(document, { resultTypes: ['violations'] }).then(
        found => done(found.violations.map(v => v.id)), error => done([String(error)]));"""
    found: list[str] = browser.driver.execute_async_script(run)
    return found


# Tables.


def test_tables_are_sorted_by_number_or_text_with_empty_cells_last(browser: Browser, pages: Pages) -> None:
    browser.open(pages["ranking mixed"])
    ranks = column(browser, 1)
    assert sort_by(browser, "p") == "ascending"
    values = [float(text) for text in column(browser, 6)]
    assert values == sorted(values) != [float(text) for text in sorted(column(browser, 6))]
    assert sort_by(browser, "p") == "descending"
    assert [float(text) for text in column(browser, 6)] == sorted(values, reverse=True)
    assert sort_by(browser, "gain Ŝ_A") == "descending"
    assert browser.run("return document.querySelectorAll('[aria-sort]').length") == 1
    assert sort_by(browser, "rank") == "ascending"
    assert column(browser, 1) == ranks == [str(number) for number in range(1, 21)]
    browser.open(pages["selection mixed"])
    for _ in range(2):
        sort_by(browser, "gain Ŝ_A")
        cells = column(browser, 4)
        assert 0 < cells.index("-") == len(cells) - cells.count("-")


def test_rows_are_searched_and_groups_chosen(browser: Browser, pages: Pages) -> None:
    browser.open(pages["ranking mixed"])
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


def test_everything_is_done_by_keys_and_shows_the_focus(browser: Browser, pages: Pages) -> None:
    browser.open(pages["ranking kiln"])
    browser.run("document.querySelector('#features thead button').focus()")
    browser.press("\ue007")
    assert browser.find("#features thead th").get_attribute("aria-sort") == "ascending"
    browser.run("document.activeElement.blur()")
    seen = set()
    script = (
        "const e = document.activeElement; return [`${e.tagName}.${e.className}`, getComputedStyle(e).outlineStyle]"
    )
    for _ in range(40):
        browser.press("\ue004")
        tag, outline = browser.run(script)
        if tag.startswith("BODY"):
            break
        seen.add(tag)
        assert outline != "none", tag
    assert {"BUTTON.sort", "INPUT."} <= seen


# Schemes, paper, and no scripts.


def test_dark_and_light_differ_and_bars_and_curves_are_seen_in_both(browser: Browser, pages: Pages) -> None:
    papers = []
    for scheme in ("light", "dark"):
        browser.prefer("dark" if scheme == "dark" else "light")
        browser.open(pages["selection mixed"])
        script = "const s = getComputedStyle(arguments[0]); return [s.backgroundColor, s.fill, s.stroke]"
        paper, _, _ = browser.run(script, browser.find("body"))
        _, bar, _ = browser.run(script, browser.find("td rect"))
        _, _, curve = browser.run(script, browser.find(".chart .curve"))
        # Axe measures the contrast of texts, but not that of pictures.
        lights = [sum(map(int, re.findall(r"\d+", color)[:3])) / 3 for color in (paper, bar, curve)]
        assert min(abs(lights[0] - light) for light in lights[1:]) > 100
        papers.append(paper)
    assert papers[0] != papers[1]


@pytest.mark.parametrize("name", ["uncertain hostile", "uncertain long-named"])
def test_paper_is_light_has_no_controls_and_cuts_no_column_off(browser: Browser, pages: Pages, name: str) -> None:
    browser.prefer("dark", "print")
    browser.open(pages[name])
    assert browser.texts(".controls, nav, .skip") == []
    assert browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    pages_of_pdf = PdfReader(io.BytesIO(browser.print_pdf())).pages
    # Two letters may be one sign.
    printed = unicodedata.normalize("NFKC", " ".join(page.extract_text() for page in pages_of_pdf)).split()
    for heading in browser.run("return [...document.querySelectorAll('thead th')].map(e => e.textContent)"):
        assert set(heading.split()) <= set(printed), heading
    # A4 without its margins.
    browser.resize(673)
    right = browser.run("return [...document.querySelectorAll('table')].map(e => e.getBoundingClientRect().right)")
    assert max(right) <= 673


@pytest.mark.slow
def test_a_long_table_has_its_headings_on_every_page(browser: Browser, pages: Pages) -> None:
    browser.open(pages["ranking large"])
    printed = [page.extract_text() for page in PdfReader(io.BytesIO(browser.print_pdf())).pages]
    assert all(f"measurement_{number}" in "\n".join(printed) for number in range(200))
    within_table = [page for page in printed if re.search(r"≈\snoise", page) and "none above" not in page]
    assert len(within_table) > 3
    assert all("left in" in page for page in within_table)


def test_without_scripts_the_page_is_complete(browser: Browser, pages: Pages) -> None:
    browser.set_scripting(False)
    browser.open(pages["ranking mixed"])
    browser.set_scripting(True)
    assert len(browser.texts(NAMES)) == 20
    assert len(browser.texts("#rounds tbody tr")) == 20
    assert browser.texts(".controls, button") == []
    assert browser.texts("#features thead th")[:3] == ["rank", "column", "importance Ŝ_S"]
