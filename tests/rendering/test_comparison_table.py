"""A comparison for people."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from probfs.comparison.changes import compare_rankings
from probfs.comparison.result import Comparison
from probfs.rendering.comparison_table import comparison_table
from probfs.rendering.formats import Presentation
from tests.support.comparisons import compare_orders, ranking_of, selection_of
from tests.support.hostile_names import HOSTILE_NAMES


def lines_of(comparison: Comparison, width: int | None = None) -> list[str]:
    """The lines below the sentences, if there is a table."""
    return comparison_table(comparison, Presentation(width)).partition("\n\n")[2].splitlines()


def test_only_columns_that_changed_are_listed_best_first() -> None:
    scores = dict.fromkeys("dx", 0.3)
    comparison = compare_rankings(ranking_of("abcd", scores=scores), ranking_of("bacx", scores=scores))
    assert lines_of(comparison) == [
        "new  old  column  change                       score",
        "  1    2  b       ▲ 1                0.5000 → 1.0000",
        "  2    1  a       ▼ 1                1.0000 → 0.5000",
        "  4    -  x       appeared (was d?)       - → 0.2500",
        "  -    4  d       vanished (now x?)       0.2500 → -",
    ]


def test_nothing_is_listed_where_nothing_changed() -> None:
    assert lines_of(compare_orders("abc", "abc")) == []


def test_intervals_and_verdicts_have_columns_where_there_are_any() -> None:
    tight = {name: (rank, rank) for rank, name in enumerate("abc", 1)}
    header, *rows = lines_of(compare_rankings(ranking_of("abc", intervals=tight), ranking_of("bac")))
    assert header.split()[4:6] == ["rank", "intervals"]
    assert [row.split()[5] for row in rows] == ["beyond", "beyond"]
    judged = compare_rankings(selection_of({"a": "keep", "b": "weak"}), selection_of({"a": "keep", "b": "noise"}))
    assert lines_of(judged) == [
        "new  old  column  change  verdict            score",
        "  2    2  b       =       weak → noise  0.5000 → -",
    ]


def test_different_scores_are_not_shown_beside_each_other() -> None:
    comparison = compare_rankings(ranking_of("ab"), ranking_of("ba", settings={"score": "signed"}))
    assert lines_of(comparison)[0].split() == ["new", "old", "column", "change"]


def test_many_columns_are_summarised() -> None:
    names = [f"c{number:03}" for number in range(80)]
    lines = lines_of(compare_orders(names, names[::-1]))
    assert len(lines) == 52
    assert lines[-1] == "… and 30 more columns that changed; --format csv lists all"


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_the_table_fits_the_terminal(width: int) -> None:
    intervals = dict.fromkeys(("a_name_that_is_rather_long_for_a_column", "short", "other"), (1, 3))
    old = ranking_of(list(intervals), intervals=intervals)
    lines = lines_of(compare_rankings(old, ranking_of(list(intervals)[::-1])), width)
    assert max(map(cell_len, lines)) <= width
    assert lines[0].split()[:4] == ["new", "old", "column", "change"]
    assert ("score" in lines[0]) == (width >= 80)


def test_hostile_names_are_escaped() -> None:
    text = comparison_table(compare_orders(HOSTILE_NAMES, [*HOSTILE_NAMES[1:], HOSTILE_NAMES[0]]), Presentation())
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "new\\nline" in text
    assert "[/x]" in text


def test_what_chance_may_explain_is_dim_on_a_terminal() -> None:
    wide = dict.fromkeys("abc", (1, 3))
    comparison = compare_rankings(ranking_of("abc", intervals=wide), ranking_of("cba"))
    assert "\x1b[2m" in comparison_table(comparison, Presentation(100, color=True))
    assert "\x1b[2m" not in comparison_table(compare_orders("abc", "cba"), Presentation(100, color=True))
