"""Fields of JSON objects from files that anyone may have written."""

from __future__ import annotations

import re
from typing import Any

import pytest

from probfs.comparison.json_fields import Fields, is_unicode, parse_json
from probfs.errors import DataError

FIELDS = Fields(
    {"text": "a", "list": ["a"], "no": None, "flag": True, "number": 1.5, "whole": 3, "half": "\ud800"},
    "r.json",
    "input",
)


def test_fields_of_the_right_type_are_given() -> None:
    assert (FIELDS.text("text"), FIELDS.texts("list"), FIELDS.flag("flag"), FIELDS.whole_number("whole")) == (
        "a",
        ("a",),
        True,
        3,
    )
    assert FIELDS.number_or_none("number") == 1.5
    assert FIELDS.number_or_none("whole") == 3.0
    assert FIELDS.number_or_none("no") is FIELDS.number_or_none("absent") is FIELDS.whole_number_or_none("no") is None


@pytest.mark.parametrize(
    ("method", "key", "problem"),
    [
        ("text", "whole", "is not a text"),
        ("text", "absent", "is not a text"),
        ("text", "half", "is not valid Unicode"),
        ("texts", "text", "is not a list of texts"),
        ("flag", "whole", "is neither true nor false"),
        ("whole_number", "number", "is not a whole number from 0 on"),
        ("whole_number", "flag", "is not a whole number from 0 on"),
        ("whole_number_or_none", "text", "is not a whole number from 0 on"),
        ("number_or_none", "flag", "is not a finite number"),
        ("number_or_none", "text", "is not a finite number"),
        ("objects", "text", "is not a list"),
    ],
)
def test_a_field_of_another_type_is_one_line_with_the_file_and_the_field(method: str, key: str, problem: str) -> None:
    with pytest.raises(
        DataError, match=rf"^r\.json: input\.{key} {re.escape(problem)}; write the file again"
    ) as caught:
        getattr(FIELDS, method)(key)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [1e999, -1e999, 10**400, float("nan"), "1", [1], True])
def test_what_is_no_finite_number_is_refused(value: Any) -> None:
    with pytest.raises(DataError, match="finite"):
        Fields({"a": value}, "r.json").number_or_none("a")
    with pytest.raises(DataError, match="whole number"):
        Fields({"a": value}, "r.json").whole_number("a")


def test_a_place_says_which_item_of_a_list_it_is() -> None:
    fields = Fields({"features": [{"initial": {}}, {"initial": 3}]}, "r.json")
    _, second = fields.objects("features")
    with pytest.raises(DataError, match=r"^r\.json: features\[1\]\.initial is not an object;"):
        second.object("initial")
    with pytest.raises(DataError, match=r"^r\.json: the document is not an object;"):
        Fields([], "r.json")


@pytest.mark.parametrize("value", [{"a": 1}, [{"a": 1}], [[1]], "\ud800", ["\udfff"], 1e999, [-1e999]])
def test_settings_are_plain_values_or_lists_of_them(value: Any) -> None:
    assert Fields({"a": [1, None, "x"], "b": 2.5}, "r.json").items() == {"a": [1, None, "x"], "b": 2.5}
    with pytest.raises(DataError, match=r"^r\.json: settings\.'a' is "):
        Fields({"a": value}, "r.json", "settings").items()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1', r"r\.json:1:8: is not JSON: expecting ',' delimiter; is the file cut off\?"),
        ("{\n", r"r\.json:2:1: is not JSON: expecting property name"),
        ('{"a": NaN}', r"r\.json: holds NaN, which is no JSON"),
        ('{"a": -Infinity}', r"r\.json: holds -Infinity, which is no JSON"),
        ("[" * 100_000, r"r\.json: is not JSON of probfs: lists or objects are nested too deeply"),
        ("9" * 10_000, r"r\.json: is not JSON of probfs: a number is too long to be read"),
    ],
)
def test_what_is_no_json_is_one_line(text: str, message: str) -> None:
    with pytest.raises(DataError, match=f"^{message}"):
        parse_json(text, "r.json")


def test_halves_of_characters_are_no_unicode() -> None:
    assert is_unicode("𝄞ü")
    assert not is_unicode("a\udc00")
