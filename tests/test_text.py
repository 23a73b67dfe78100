"""Words for messages: the caller's language, names made safe to show, CSV, and the nearest name."""

from __future__ import annotations

import csv
import io
import subprocess
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.text import (
    command_line_language,
    delimited,
    did_you_mean,
    is_unseen,
    option,
    printable,
    quoted,
    typed_command,
)


def test_the_language_is_restored_after_an_error_and_nests() -> None:
    with pytest.raises(RuntimeError), command_line_language(), command_line_language():
        raise RuntimeError
    assert option("top") == "top="
    with command_line_language():
        with command_line_language():
            pass
        assert option("top") == "--top"


def test_a_command_that_was_typed_can_be_typed_again() -> None:
    # Names of files may be any bytes but 0.
    words = [
        "rank",
        "-o",
        "my table.csv",
        "it's",
        "a\\b",
        "\x1b\u202e'\\1",
        "\udcff\udc80",
        "é",
        "",
        "$HOME `id`",
        "\n\t",
    ]
    assert typed_command() is None
    with command_line_language(words):
        command = typed_command()
    assert command is not None
    assert not any(map(is_unseen, command))
    assert command.startswith("probfs rank -o 'my table.csv' ")
    script = "printf '%s\\0' " + command.removeprefix("probfs ")
    shown = subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout
    assert shown.decode("utf-8", "surrogateescape").split("\0")[:-1] == words
    assert typed_command() is None


@given(st.text())
def test_nothing_printable_steers_a_terminal(text: str) -> None:
    assert not any(map(is_unseen, printable(text)))
    assert "\n" not in quoted(text)
    assert len(quoted(text)) <= 2 + 10 * 60


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é ☃ 日本", "plain é ☃ 日本"),
        ("a\tb\nc\r", "a\\tb\\nc\\r"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\u202eevil", "\\u202eevil"),
        ("\u2028", "\\u2028"),
        ("\U000e0041", "\\U000e0041"),
        ("\ufeffa", "\\ufeffa"),
        ("क्\u200dष", "क्\u200dष"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_is_unseen_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert printable(text) == shown


CELLS = st.one_of(st.none(), st.integers(), st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=4), st.sampled_from(",;\t"))
def test_what_is_written_as_csv_reads_back(rows: list[list[object]], delimiter: str) -> None:
    written = delimited(rows, delimiter)
    read = list(csv.reader(io.StringIO(written, newline=""), delimiter=delimiter))
    assert read == [["" if cell is None else str(cell) for cell in row] for row in rows]


def test_an_empty_cell_alone_is_still_a_row() -> None:
    assert delimited([[""], [None]]) == '""\n""\n'


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_a_formula_is_disarmed_and_a_number_kept(start: str) -> None:
    (row,) = csv.reader(io.StringIO(delimited([[f"{start}SUM(A1)", "-1.5e3", "+2", -3, "a=b"]], safe=True), newline=""))
    assert row == [f"'{start}SUM(A1)", "-1.5e3", "+2", "-3", "a=b"]


def test_the_nearest_of_very_many_or_very_long_names_is_found_at_once() -> None:
    start = time.process_time()
    assert "; did you mean 'column_" in did_you_mean("column_77x", (f"column_{number}" for number in range(200_000)))
    assert did_you_mean("x" * 1_000_000, ["y" * 1_000_000]).startswith("; choose from 'yyy")
    assert time.process_time() - start < 5
