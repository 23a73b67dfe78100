"""Output formats: declared once, and chosen by name, by ending or by where the result goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from probfs.errors import UsageError
from probfs.output.formats import DOCUMENT_FORMATS, RESULT_FORMATS
from probfs.text import command_line_language
from tests.conftest import SAMPLES, Run

COMMUTE = SAMPLES / "commute.csv"
BEGINNINGS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "parquet": b"PAR1", "html": b"<!DOCTYPE"}


def test_the_name_decides_then_the_ending_then_the_place() -> None:
    for name, path, chosen in (
        (None, "R.MD", "markdown"),
        (None, "r.htm", "html"),
        (None, "/dev/stdout", "csv"),
        ("markdown", "r.csv", "markdown"),
    ):
        assert RESULT_FORMATS.choose(name, Path(path), False).name == chosen
    assert [RESULT_FORMATS.choose(None, None, terminal).name for terminal in (True, False)] == ["table", "csv"]


def test_an_unknown_format_or_ending_is_an_error_that_lists_the_choices() -> None:
    with pytest.raises(UsageError, match=r"^format=: 'xml' is not one of table, csv, json, markdown$"):
        DOCUMENT_FORMATS.choose("xml", None, False)
    for name in ("r.xyz", "r", "r.csv.gz", ".csv"):
        with command_line_language(), pytest.raises(UsageError) as caught:
            DOCUMENT_FORMATS.choose(None, Path(name), False)
        assert str(caught.value).startswith("--output: ")
        assert str(caught.value).endswith(" tells no format; use .txt, .csv, .json, .md, .markdown, or --format")


def test_results_have_a_report_which_tells_their_background_and_pictures() -> None:
    formats, shared = RESULT_FORMATS, ("table", "csv", "json", "markdown")
    assert DOCUMENT_FORMATS.names() == shared
    assert formats.names() == (*shared, "parquet", "html", "png", "svg", "pdf")
    assert formats.names(lambda known: known.tells_background) == ("html",)
    assert formats.names(lambda known: known.is_picture) == ("png", "svg", "pdf")
    assert formats.names(lambda known: known.is_binary) == ("parquet", "png", "pdf")


@pytest.mark.parametrize("command", ["rank", "select"])
def test_every_format_is_written_and_pictures_beside_it(command: str, run_here: Run, tmp_path: Path) -> None:
    table = (command, COMMUTE, "--exclude", "person", "--quiet")
    for name, beginning in BEGINNINGS.items():
        result = run_here(*table, "--output", f"result.{name}")
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
        assert (tmp_path / f"result.{name}").read_bytes().startswith(beginning)
    beside = run_here(*table, "--format", "csv", "--plot", "other.svg")
    assert beside.stdout.startswith("rank,feature,")
    assert (tmp_path / "other.svg").read_bytes() == (tmp_path / "result.svg").read_bytes()
