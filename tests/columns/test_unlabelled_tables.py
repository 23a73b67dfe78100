"""Tables of further rows must have the features, and should have the counts."""

from __future__ import annotations

import pytest

from probfs.columns.unlabelled_tables import notes_on_lacking_counts, refuse_lacking_columns
from probfs.errors import DataError
from tests.support.table_content import read_csv_text


def test_a_lacking_feature_is_refused_by_name() -> None:
    table = read_csv_text("a,b\n1,2\n")
    refuse_lacking_columns(table, ["b", "a"], "train.csv")
    with pytest.raises(DataError, match=r"^t.csv: lacks 2 columns of train.csv: 'c', 'd'; add them, or leave them out"):
        refuse_lacking_columns(table, ["c", "a", "d"], "train.csv")


def test_a_lacking_count_is_noted() -> None:
    table = read_csv_text("a,b\n1,2\n")
    assert notes_on_lacking_counts(table, None) == notes_on_lacking_counts(table, "a") == []
    assert notes_on_lacking_counts(table, "n") == ["t.csv: no column 'n', so each of its rows counts once"]
