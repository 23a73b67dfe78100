"""The cells of a selection's tables."""

from __future__ import annotations

from probfs.rendering.selection_columns import selection_columns
from tests.support.selections import make_feature, make_selection


def test_every_column_has_a_cell_for_each_feature() -> None:
    columns = selection_columns(make_selection())
    assert list(columns) == ["rank", "feature", "verdict", "Ŝ_A", "log-loss", "folds", "why"]
    assert {len(cells) for cells in columns.values()} == {4}
    assert columns["why"] == ["", "albumin says 96% of it", "adds too little", "q 0.62"]
    assert columns["Ŝ_A"][3] == columns["log-loss"][3] == "-"


def test_without_folds_there_is_no_column_of_them() -> None:
    assert "folds" not in selection_columns(make_selection(honest=None, folds=0))


def test_names_are_printable_in_reasons_too() -> None:
    twin = make_feature(2, "b\n", "redundant", instead="a\u202e", explained=0.5)
    columns = selection_columns(make_selection(make_feature(1, "a\u202e", "keep"), twin))
    assert columns["feature"] == ["a\\u202e", "b\\n"]
    assert columns["why"][1] == "a\\u202e says 50% of it"


def test_a_copy_is_called_one() -> None:
    kept = make_feature(1, "a", "keep")
    copy = make_feature(2, "b", "redundant", log_loss=None, instead="a", explained=1.0)
    same_say = make_feature(3, "c", "redundant", instead="a", explained=1.0)
    assert selection_columns(make_selection(kept, copy, same_say))["why"] == ["", "copy of a", "a says 100% of it"]
