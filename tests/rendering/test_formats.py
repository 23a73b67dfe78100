"""Output formats: declared once, and chosen by name, by ending or by where the document goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from probfs.errors import UsageError
from probfs.paper.rendering.claims import CLAIM_FORMATS
from probfs.paper.rendering.population import POPULATION_FORMATS
from probfs.rendering.comparison_formats import COMPARISON_FORMATS
from probfs.rendering.formats import OutputFormat, OutputFormats, Presentation, standard_formats
from probfs.rendering.inspection import INSPECTION_FORMATS
from probfs.rendering.ranking_formats import RANKING_FORMATS
from probfs.rendering.selection_formats import SELECTION_FORMATS
from probfs.text import command_line_language

ALL_FORMATS = (
    RANKING_FORMATS,
    SELECTION_FORMATS,
    COMPARISON_FORMATS,
    INSPECTION_FORMATS,
    POPULATION_FORMATS,
    CLAIM_FORMATS,
)


ONLY_OF_RESULTS = ("parquet", "html", "png", "svg", "pdf")


def render(document: str, presentation: Presentation) -> str:
    return document


@pytest.fixture
def formats() -> OutputFormats[str]:
    return standard_formats(table=render, csv=render, json=render, markdown=render)


@pytest.mark.parametrize(
    ("name", "path", "terminal", "chosen"),
    [
        (None, None, True, "table"),
        (None, None, False, "csv"),
        ("json", None, True, "json"),
        (None, "r.txt", False, "table"),
        (None, "r.csv", False, "csv"),
        (None, "r.json", False, "json"),
        (None, "r.md", False, "markdown"),
        (None, "r.markdown", False, "markdown"),
        (None, "R.JSON", False, "json"),
        (None, "/dev/stdout", False, "csv"),
        ("markdown", "r.csv", False, "markdown"),
    ],
)
def test_the_name_decides_then_the_ending_then_the_place(
    formats: OutputFormats[str], name: str | None, path: str | None, terminal: bool, chosen: str
) -> None:
    assert formats.choose(name, None if path is None else Path(path), terminal).name == chosen


def test_an_unknown_format_is_an_error_that_lists_the_choices(formats: OutputFormats[str]) -> None:
    with pytest.raises(UsageError, match=r"^format=: 'xml' is not one of table, csv, json, markdown$"):
        formats.choose("xml", None, False)
    with command_line_language(), pytest.raises(UsageError, match=r"^--format: 'xml' is not one of table"):
        formats.choose("xml", Path("r.csv"), False)


@pytest.mark.parametrize("name", ["r.xyz", "r", "r.csv.gz", ".csv"])
def test_an_unknown_ending_is_an_error_that_lists_the_endings(formats: OutputFormats[str], name: str) -> None:
    with command_line_language(), pytest.raises(UsageError) as caught:
        formats.choose(None, Path(name), False)
    assert str(caught.value).startswith("--output: ")
    assert str(caught.value).endswith(" tells no format; use .txt, .csv, .json, .md, .markdown, or --format")


def test_a_format_of_one_document_is_none_of_another(formats: OutputFormats[str]) -> None:
    formats.register(OutputFormat("names", (".names", ".lst"), render))
    assert formats.choose(None, Path("r.lst"), False).name == "names"
    for others in ALL_FORMATS:
        with pytest.raises(UsageError, match="'names' is not one of table, csv, json, markdown"):
            others["names"]


@pytest.mark.parametrize(
    "formats", ALL_FORMATS, ids=["ranking", "selection", "comparison", "inspection", "population", "claims"]
)
def test_every_document_has_the_same_formats_and_endings(formats: OutputFormats[Any]) -> None:
    shared = {known.name: known.endings for known in formats if known.name not in ONLY_OF_RESULTS}
    assert shared == {"table": (".txt",), "csv": (".csv",), "json": (".json",), "markdown": (".md", ".markdown")}


@pytest.mark.parametrize("formats", ALL_FORMATS[:2], ids=["ranking", "selection"])
def test_a_report_is_a_format_of_results_and_the_only_one_that_tells_their_background(
    formats: OutputFormats[Any],
) -> None:
    for ending in ("report.html", "report.htm", "REPORT.HTML"):
        assert formats.choose(None, Path(ending), False).name == "html"
    assert [known.name for known in formats if known.tells_background] == ["html"]
