"""axe-core, the checker that browsers' own tools use, finds no serious fault in a report."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.browser.conftest import Pages
from tests.support.browser import Browser

_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
AXE = Path(os.environ.get("AXE_CORE") or _CACHE / "probfs-tests" / "axe.min.js")
"""The script; `.ci/install-browser` fetches it."""

_RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ['violations'] }).then(
  found => done(found.violations.map(v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))])),
  error => done([['critical', String(error), []]]));
"""


def faults(browser: Browser) -> list[tuple[str, str, list[str]]]:
    browser.driver.execute_script(AXE.read_text("utf-8"))
    browser.driver.set_script_timeout(120)
    found: list[tuple[str, str, list[str]]] = browser.driver.execute_async_script(_RUN)
    return found


@pytest.mark.skipif(not AXE.exists(), reason=f"axe-core is not there ({AXE}); .ci/install-browser fetches it")
@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("ranking mixed", "light"),
        ("ranking mixed", "dark"),
        ("selection mixed", "light"),
        ("selection mixed", "dark"),
        ("ranking hostile", "light"),
    ],
)
def test_no_fault_is_found(browser: Browser, pages: Pages, name: str, scheme: str) -> None:
    browser.prefer("dark" if scheme == "dark" else "light")
    browser.open(pages[name])
    assert faults(browser) == []


@pytest.mark.skipif(not AXE.exists(), reason=f"axe-core is not there ({AXE}); .ci/install-browser fetches it")
def test_faults_would_be_found(browser: Browser, pages: Pages) -> None:
    browser.open(pages["ranking mixed"])
    browser.run(
        "document.querySelector('#story-round').closest('label').replaceWith(document.querySelector('#story-round'))"
    )
    assert "label" in [rule for _, rule, _ in faults(browser)]
