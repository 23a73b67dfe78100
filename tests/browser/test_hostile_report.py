"""A table of hostile names, values and classes: its report runs none of them, shows all, and keeps its layout."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Pages
from tests.browser.test_report import NAMES, move_to, overflowing, sort_by
from tests.support.browser import Browser
from tests.support.browser_pages import HOSTILE_FOR_PAGES

HOSTILE_PAGES = ["ranking hostile", "selection hostile"]


@pytest.mark.parametrize("name", HOSTILE_PAGES)
def test_nothing_runs_nothing_is_asked_for_and_no_element_is_added(browser: Browser, pages: Pages, name: str) -> None:
    browser.open(pages[name])
    for heading in ("feature", "rank"):
        sort_by(browser, heading)
    browser.run("document.querySelectorAll('#features tbody *').forEach(e => e.dispatchEvent(new Event('mouseover')))")
    move_to(browser, 1)
    assert browser.run("return typeof window.hacked") == "undefined"
    assert browser.run("return document.querySelectorAll('img, b, #injected, h1').length") == 1
    assert browser.complaints() == []
    assert browser.requests() == [pages[name].resolve().as_uri()]


@pytest.mark.parametrize("name", HOSTILE_PAGES)
@pytest.mark.parametrize("width", [360, 1200])
def test_the_layout_holds(browser: Browser, pages: Pages, name: str, width: int) -> None:
    browser.resize(width)
    browser.open(pages[name])
    move_to(browser, 1)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert overflowing(browser) == []
    heights = browser.run("return [...document.querySelectorAll('#features tbody tr')].map(e => e.offsetHeight)")
    assert max(heights) < 600
    # Cells do not lie over each other.
    assert browser.run("""return [...document.querySelectorAll('#features tbody tr')].every(row => {
      const boxes = [...row.cells].map(cell => cell.getBoundingClientRect());
      return boxes.every((box, place) => !place || boxes[place - 1].right <= box.left + 1) })""")


def test_names_are_shown_as_text(browser: Browser, pages: Pages) -> None:
    browser.open(pages["ranking hostile"])
    names = set(browser.texts(NAMES))
    assert len(names) == len(HOSTILE_FOR_PAGES)
    for name in HOSTILE_FOR_PAGES[:8]:
        assert name in names
    assert "\\u202eright to left\\u2066" in names
    assert "tab\\tnew\\nline\\x1b[31m\\x00\\x7f" in names
    assert "line\\u2028paragraph\\u2029" in names
    assert max(map(len, names)) == 200
    assert set(browser.texts("#story-bars .name")) == names


def test_text_from_right_to_left_leaves_its_neighbours_in_place(browser: Browser, pages: Pages) -> None:
    browser.open(pages["ranking hostile"])
    script = """
      const row = [...document.querySelectorAll('#features tbody tr')].find(r => /\\u05d2/.test(r.textContent));
      return [row.querySelector('bdi') !== null, getComputedStyle(row.cells[2]).direction]"""
    assert browser.run(script) == [True, "ltr"]


def test_it_is_printed(browser: Browser, pages: Pages) -> None:
    browser.open(pages["selection hostile"])
    assert browser.print_pdf().startswith(b"%PDF-")
