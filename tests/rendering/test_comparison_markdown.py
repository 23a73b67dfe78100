"""A comparison as Markdown."""

from __future__ import annotations

from probfs.rendering.comparison_markdown import comparison_markdown
from tests.support.comparisons import compare_orders
from tests.support.hostile_names import HOSTILE_NAMES


def test_the_sentences_and_the_columns_that_changed() -> None:
    text = comparison_markdown(compare_orders("abc", "bac"))
    assert "Of 3 columns: 1 rose, 1 fell, 1 stayed." in text
    assert text.split("\n\n")[-1].splitlines() == [
        "| column | change | moved | old_rank | new_rank | old_score | new_score |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
        "| b | rose | 1 | 2 | 1 | 0.5 | 1 |",
        "| a | fell | -1 | 1 | 2 | 1 | 0.5 |",
    ]


def test_there_is_no_table_where_nothing_changed() -> None:
    text = comparison_markdown(compare_orders("abc", "abc"))
    assert "|" not in text
    assert text.endswith("(3 columns).\n")


def test_hostile_names_do_nothing() -> None:
    text = comparison_markdown(compare_orders(HOSTILE_NAMES, HOSTILE_NAMES[::-1]))
    assert "<b>" not in text
    assert "pipe\\|pipe" in text
    assert "\x1b" not in text
