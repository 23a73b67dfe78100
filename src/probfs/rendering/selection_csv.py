"""A selection as CSV: a row for each feature, with all digits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from probfs.text import delimited

if TYPE_CHECKING:
    from probfs.selection.result import Selection

SELECTION_HEADER = (
    "rank",
    "feature",
    "keep",
    "verdict",
    "p",
    "q",
    "s_s",
    "s_a",
    "log_loss",
    "folds",
    "instead",
    "explained",
)


def selection_rows(selection: Selection) -> list[tuple[Any, ...]]:
    """The features as rows below ``SELECTION_HEADER``."""
    return [tuple(getattr(feature, name) for name in SELECTION_HEADER) for feature in selection.features]


def selection_texts(selection: Selection) -> list[list[Any]]:
    """The rows as text has them: true and false in small letters, as in JSON."""
    return [
        [str(value).lower() if isinstance(value, bool) else value for value in row] for row in selection_rows(selection)
    ]


def selection_csv(selection: Selection, safe: bool = False) -> str:
    """The CSV; with ``safe``, a name that a spreadsheet would take for a formula begins with an apostrophe."""
    return delimited([SELECTION_HEADER, *selection_texts(selection)], safe=safe)
