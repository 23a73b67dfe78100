"""Words for messages, notes, errors and names that are looked up: safe to show, one line each, and documented."""

from __future__ import annotations

import copy
import csv
import io
import json
import pickle
import re
import subprocess
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs import text
from probfs.errors import DataError, MappingError
from probfs.notes import Note, NoteKind
from probfs.text import command_line_language, delimited, did_you_mean, option, printable, quoted
from tests.support import ROOT


def test_the_language_is_restored_after_an_error_and_nests() -> None:
    with pytest.raises(RuntimeError), command_line_language(), command_line_language():
        raise RuntimeError
    assert option("top") == "top="
    with command_line_language():
        with command_line_language():
            pass
        assert option("top") == "--top"


def test_a_command_that_was_typed_can_be_typed_again() -> None:
    words = ["rank", "-o", "my table.csv", "it's", "a\\b", "é", "", "$HOME `id`"]
    assert text.typed_command() is None
    with command_line_language(words):
        script = "printf '%s\\0' " + str(text.typed_command()).removeprefix("probfs ")
    typed = subprocess.run(["bash", "-c", script], capture_output=True, check=True, text=True).stdout
    assert typed.split("\0")[:-1] == words
    with command_line_language(["rank", "\x1b\u202e"]):
        assert not any(map(text.is_unseen, str(text.typed_command())))


@given(st.text())
def test_nothing_printable_steers_a_terminal(name: str) -> None:
    assert not any(map(text.is_unseen, printable(name)))
    assert "\n" not in quoted(name)
    assert len(quoted(name)) <= 2 + 10 * 60


@pytest.mark.parametrize(
    ("name", "shown"),
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
        ("e" + "\u0301" * 6, "e" + "\u0301" * 5 + "\\u0301"),
        ("\u0301" * 6 + "e\u0301", "\u0301" * 5 + "\\u0301e\u0301"),
    ],
)
def test_what_is_unseen_is_shown_as_an_escape(name: str, shown: str) -> None:
    assert printable(name) == shown


def test_numbers_and_long_texts_are_short() -> None:
    assert [text.counted(number, "row") for number in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    sizes = (1023, 1 << 10, 1023 << 10, 3 << 19, 1 << 20, 1 << 30)
    assert [text.shown_bytes(size) for size in sizes] == ["1023 bytes", "1 KB", "1023 KB", "1.5 MB", "1 MB", "1 GB"]
    assert [text.shorten_middle("abcdef", width) for width in (6, 5, 4, 1, 0)] == ["abcdef", "ab…ef", "ab…f", "…", "…"]
    assert (text.listed("abc", 3), text.listed("abcd", 3)) == ("'a', 'b', 'c'", "'a', 'b', 'c' and 1 more")
    assert text.listed("abcdefgh") == "'a', 'b', 'c', 'd', 'e', 'f' and 2 more"
    assert (quoted("x" * 60), quoted("x" * 61)) == (f"'{'x' * 60}'", f"'{'x' * 59}…'")


@pytest.mark.parametrize(
    ("wrong", "names", "end"),
    [
        ("abcdefghij", ["abcdefghijklm"], "; did you mean 'abcdefghijklm'?"),
        ("abcdefghij", ["abcdefghijklmn"], "; choose from 'abcdefghijklmn'"),
        (" AGE ", ["age", "Age"], "; did you mean 'age'?"),
        ("aeg", ["age"], "; did you mean 'age'?"),
        ("outcome", ["postcode"], "; choose from 'postcode'"),
        ("column_77x", [f"column_{number}" for number in range(200_000)], "; did you mean 'column_77'?"),
        ("x" * 1_000_000, ["y" * 1_000_000], f"; choose from '{'y' * 59}…'"),
        ("a", [], ""),
    ],
    ids=["near", "too long", "blanks and case", "short", "too far", "very many names", "very long names", "no name"],
)
def test_the_nearest_name_is_suggested(wrong: str, names: list[str], end: str) -> None:
    assert did_you_mean(wrong, names) == end


CELLS = st.one_of(st.none(), st.integers(), st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=4), st.sampled_from(",;\t"))
def test_what_is_written_as_csv_reads_back(rows: list[list[object]], delimiter: str) -> None:
    read = list(csv.reader(io.StringIO(delimited(rows, delimiter), newline=""), delimiter=delimiter))
    assert read == [["" if cell is None else str(cell) for cell in row] for row in rows]
    assert delimited([[""], [None]]) == '""\n""\n', "an empty cell alone is still a row"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_a_formula_is_disarmed_and_a_number_kept(start: str) -> None:
    (row,) = csv.reader(io.StringIO(delimited([[f"{start}SUM(A1)", "-1.5e3", "+2", -3, "a=b"]], safe=True), newline=""))
    assert row == [f"'{start}SUM(A1)", "-1.5e3", "+2", "-3", "a=b"]


# Notes and errors


def test_a_note_can_be_pickled_and_copied_and_goes_into_json() -> None:
    note = NoteKind.LEAKAGE.note("these give the class away: 'a\\n'", ["a\n", "b"])
    for again in (pickle.loads(pickle.dumps(note)), copy.deepcopy(note)):
        assert (type(again), again.to_dict()) == (Note, note.to_dict())
    content = {"code": "leakage", "severity": "warning", "columns": ["a\n", "b"], "message": str(note)}
    assert json.loads(json.dumps(note.to_dict())) == content


def test_the_docs_list_every_code_with_its_severity_and_meaning() -> None:
    page = (ROOT / "docs" / "reference" / "notes.md").read_text()
    rows = re.findall(r"^\| `([a-z-]+)` \| (\w+) \| (.+) \|$", page, re.MULTILINE)
    assert rows == [(kind.code, kind.severity, kind.meaning) for kind in NoteKind]


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ({}, "is wrong"),
        ({"source": "t.csv"}, "t.csv: is wrong"),
        ({"source": "t.csv", "line": 3}, "t.csv:3: is wrong"),
        ({"source": "t.csv", "line": 3, "column": 7}, "t.csv:3:7: is wrong"),
        ({"line": 3}, "is wrong"),
    ],
)
def test_an_error_says_where_as_far_as_it_is_known(place: dict[str, Any], shown: str) -> None:
    error = DataError("is wrong", **place)
    assert (str(error), error.message) == (shown, "is wrong")


def test_an_error_is_one_line_and_comes_whole_out_of_another_process() -> None:
    error = pickle.loads(pickle.dumps(MappingError("is wrong:    a\n0  x", source="t.csv", line=3)))
    assert (type(error), str(error), error.line) == (MappingError, "t.csv:3: is wrong: a 0 x", 3)
