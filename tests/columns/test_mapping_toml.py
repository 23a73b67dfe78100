"""The TOML of a mapping: read within limits, and with the line of every key and mistake."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.columns.mapping_file import MappingFile, parse_mapping
from probfs.columns.mapping_toml import line_of, parse_toml
from probfs.errors import MappingError, ProbfsError
from tests.support.mappings import check_mistake
from tests.support.table_content import Write


@pytest.mark.parametrize(
    ("text", "line", "message"), [("target = ", 1, "TOML"), ('drop = ["a"\n\n[columns]\n', 3, "TOML")]
)
def test_every_mistake_in_the_toml_has_its_line(write: Write, text: str, line: int, message: str) -> None:
    check_mistake(write("m.toml", text), line, message)


def test_a_mistake_in_the_toml_has_its_column_too() -> None:
    with pytest.raises(MappingError) as caught:
        parse_toml(b'target = "y"\ndrop = yes\n', "m.toml")
    assert str(caught.value) == "m.toml:2:8: TOML: invalid value"


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert parse_toml(b'\xef\xbb\xbftarget = "y"', "m.toml") == ({"target": "y"}, 'target = "y"')


@pytest.mark.parametrize(
    "text", [b"a" + b".b" * 40_000 + b" = 1", b"x = " + b"[" * 50_000, b'x = "\xff"', b"\0", b"x = " + b"9" * 5000]
)
def test_a_hostile_mapping_is_refused(text: bytes) -> None:
    with pytest.raises(MappingError):
        parse_mapping(text)


@given(st.binary(max_size=60))
def test_no_mapping_raises_anything_but_its_own_error(content: bytes) -> None:
    with contextlib.suppress(ProbfsError):
        assert isinstance(parse_mapping(content), MappingFile)


def test_dots_in_texts_and_comments_are_no_dotted_keys() -> None:
    dotted = ".".join(["a"] * 100)
    assert parse_mapping(f'# {dotted}\ndrop = ["{dotted}"]\n[columns]\n"{dotted}x" = "category"\n'.encode()).drop == (
        dotted,
    )


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ("a = 1\n\n  b = 2\n", "b", 3),
        ("[columns]\n'b c' = 1\n", "b c", 2),
        ("[columns]\n\n[columns.b]\ncut = [1]\n", "b", 3),
        ('drop = [\n    "a",\n    "b",\n]\n', "b", 3),
        ('drop = ["b"]\n[columns]\nb = 1\n', "b", 3),
        ("a = 1\n", "b", None),
        ("a.c = 1\n", "a.*", None),
        ("k" * 1_001 + " = 1\n", "k" * 1_001, None),
    ],
)
def test_the_line_of_a_key_is_where_it_is_set_or_else_first_named(text: str, key: str, line: int | None) -> None:
    assert line_of(text, key) == line
