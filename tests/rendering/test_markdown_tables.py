"""Pipe tables, and text that Markdown or HTML would act on."""

from __future__ import annotations

import html
import re

from hypothesis import example, given
from hypothesis import strategies as st

from probfs.rendering.markdown_tables import escape_markdown, pipe_table, table_for_reading
from probfs.text import printable


def test_names_are_left_and_numbers_right_aligned() -> None:
    assert pipe_table(["rank", "feature"], [(1, "a_b"), (None, 0.1)]) == (
        "| rank | feature |\n| ---: | --- |\n| 1 | a\\_b |\n|  | 0.1 |\n"
    )


def test_a_table_for_reading_has_few_digits_and_no_empty_columns() -> None:
    rows = [(1, 0.123456, None, "a"), (2, None, None, None), (20_000, 1.5e-7, None, "b")]
    assert table_for_reading(["rank", "q", "se", "instead"], rows) == (
        "| rank | q | instead |\n| ---: | ---: | --- |\n| 1 | 0.1235 | a |\n| 2 |  |  |\n| 20000 | 1.5e-07 | b |\n"
    )


@given(st.text(max_size=30) | st.text("&<>\\#|ampltgt;", max_size=12))
@example("\\<")
def test_escaped_text_shows_as_it_was(text: str) -> None:
    """What a Markdown reader undoes, backslashes and HTML's entities, gives back what a terminal would show."""
    shown = html.unescape(re.sub(r"\\([\\`*_\[\]#|~$])", r"\1", escape_markdown(text)))
    assert shown == printable(text)


@given(st.text(max_size=30) | st.text("&<>\\#|`*_[]\n", max_size=12))
def test_nothing_is_left_that_html_or_a_pipe_table_would_act_on(text: str) -> None:
    escaped = escape_markdown(text)
    assert "<" not in escaped
    assert ">" not in escaped
    assert "\n" not in escaped
    assert not re.search(r"(?<!\\)(?:\\\\)*[|`*_\[\]]", escaped)
