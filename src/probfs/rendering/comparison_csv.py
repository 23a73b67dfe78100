"""A comparison as CSV: a row for each column, with all digits of its scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from probfs.text import delimited

if TYPE_CHECKING:
    from probfs.comparison.result import Comparison

COMPARISON_HEADER = (
    "column",
    "change",
    "moved",
    "old_rank",
    "new_rank",
    "old_rank_low",
    "old_rank_high",
    "new_rank_low",
    "new_rank_high",
    "beyond",
    "old_score",
    "new_score",
    "old_verdict",
    "new_verdict",
    "renamed",
)


def comparison_rows(comparison: Comparison) -> list[tuple[Any, ...]]:
    """The columns as rows below ``COMPARISON_HEADER``."""
    return [tuple(getattr(column, name) for name in COMPARISON_HEADER) for column in comparison.columns]


def comparison_texts(comparison: Comparison) -> list[list[Any]]:
    """The rows as text has them: true and false in small letters, as in JSON."""
    return [
        [str(value).lower() if isinstance(value, bool) else value for value in row]
        for row in comparison_rows(comparison)
    ]


def comparison_csv(comparison: Comparison, safe: bool = False) -> str:
    """The CSV; with ``safe``, a name that a spreadsheet would take for a formula begins with an apostrophe."""
    return delimited([COMPARISON_HEADER, *comparison_texts(comparison)], safe=safe)
