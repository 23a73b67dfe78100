"""Formats by the ending of a file, and the message about an unknown one."""

from __future__ import annotations

from pathlib import Path

import pytest

import probfs
from probfs.runtime.output import deliver_text, format_by_ending
from probfs.text import command_line_language

ENDINGS = {".csv": "csv", ".json": "json"}


def test_a_text_is_returned_and_also_written_where_a_path_is_given(tmp_path: Path) -> None:
    assert deliver_text("größe", None) == deliver_text("größe", tmp_path / "text") == "größe"
    assert (tmp_path / "text").read_bytes() == "größe".encode()


def test_the_ending_of_a_file_chooses_its_format() -> None:
    assert format_by_ending("ranking.JSON", ENDINGS, "csv") == "json"
    assert format_by_ending("/dev/stdout", ENDINGS, "csv") == "csv"


def test_an_unknown_ending_is_refused_in_the_caller_s_language() -> None:
    with pytest.raises(probfs.UsageError) as caught:
        format_by_ending("ranking.xls", ENDINGS, "csv")
    assert str(caught.value) == "output=: the ending '.xls' tells no format; use .csv, .json, or format="
    with command_line_language(), pytest.raises(probfs.UsageError) as caught:
        format_by_ending("rows", ENDINGS, "csv", "unlabeled_output")
    problem = "--unlabeled-output: a name without an ending tells no format"
    assert str(caught.value) == f"{problem}; use .csv, .json, or --format"


def test_only_endings_are_named_where_the_format_has_no_option_of_its_own() -> None:
    with pytest.raises(probfs.UsageError, match=r"^reduced=: .* tells no format; use \.csv or \.json$"):
        format_by_ending("t.csv.gz", ENDINGS, "csv", "reduced", by_name=False)
