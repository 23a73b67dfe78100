"""A browser that all tests of a process share, and the pages that they open."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import probfs
from tests.support.browser import (
    MISSING,
    Browser,
    find_browser,
    hostile_frame,
    large_frame,
    long_named_frame,
    mixed_frame,
    open_browser,
)
from tests.support.paths import SAMPLES

PLAIN: dict[str, Any] = {"screen": False, "score": "absolute"}
"""Every column has a round of its own."""


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    programs = find_browser()
    if programs is None:
        pytest.skip(MISSING)
    pytest.importorskip("selenium", reason="selenium is not installed (pip install 'probfs[test]')")
    with warnings.catch_warnings():
        # What chromium and its driver leave open is not ours to close.
        warnings.simplefilter("ignore", ResourceWarning)
        with open_browser(programs, tmp_path_factory.mktemp("profile")) as opened:
            yield opened


@pytest.fixture(autouse=True)
def _restore(request: pytest.FixtureRequest) -> None:
    """Every test begins in a light window of the same size, with scripts."""
    if "browser" in request.fixturenames:
        browser = request.getfixturevalue("browser")
        browser.set_scripting(True)
        browser.resize(1200)
        browser.prefer("light")


class Pages:
    """Reports, each made when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __getitem__(self, name: str) -> Path:
        path = self._folder / f"{name}.html"
        if not path.exists():
            self._make(name).to_html(path)
        return path

    def _make(self, name: str) -> probfs.Ranking | probfs.Selection | probfs.Pairs:
        kind, _, data = name.partition(" ")
        frames = {
            "hostile": hostile_frame,
            "mixed": mixed_frame,
            "large": large_frame,
            "long-named": long_named_frame,
        }
        samples = {"kiln": SAMPLES / "kiln.csv", "cancer": SAMPLES / "breast_cancer.csv"}
        table: Path | pd.DataFrame = samples[data] if data in samples else frames[data]()
        targets = {"kiln": "cracked", "cancer": "class", "hostile": "<h1>target</h1>"}
        target = targets.get(data, "outcome")
        if kind in ("ranking", "uncertain"):
            step = 0.05 if data == "large" else 1
            return probfs.rank(table, target=target, report=True, step=step, uncertainty=kind == "uncertain", **PLAIN)
        if kind == "pairs":
            return probfs.pairs(table, target=target)
        return probfs.select(table, target=target, report=True, folds=2)


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    return Pages(tmp_path_factory.mktemp("pages"))
