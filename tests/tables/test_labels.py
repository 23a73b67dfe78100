"""The values to predict beside a table: their forms, their name, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import probfs
from probfs.errors import UsageError
from probfs.tables.readers.frame import table_from_frame
from probfs.tables.readers.labels import add_labels, column_of_labels
from tests.support.table_content import Write, cell_texts

CELLS = ["p", "q", None, "p", "q", "p", "q", "p"]
FEATURES = pd.DataFrame({"a": list("xxyyxxyx"), "b": list("uvuvuvuv")})


@pytest.mark.parametrize(
    ("y", "name"),
    [
        (CELLS, ""),
        (tuple(CELLS), ""),
        (pd.Series(CELLS, name="kind"), "kind"),
        (pd.Series(CELLS, name=7), "7"),
        (pd.Series(CELLS, dtype="category"), ""),
        (pd.Categorical(CELLS), ""),
        (pd.Index(CELLS, name="kind"), "kind"),
        (pd.array(CELLS, dtype="string"), ""),
        (pd.DataFrame({"kind": CELLS}), "kind"),
        (pl.Series("kind", CELLS), "kind"),
        (pl.Series(CELLS), ""),
        (pl.DataFrame({"kind": CELLS}), "kind"),
        (pl.LazyFrame({"kind": CELLS}), "kind"),
        (pa.array(CELLS), ""),
        (pa.chunked_array([CELLS[:3], CELLS[3:]]), ""),
        (pa.array(CELLS).dictionary_encode(), ""),
        (pa.table({"kind": CELLS}), "kind"),
        (pa.record_batch({"kind": CELLS}), "kind"),
        (np.array(CELLS, dtype=object), ""),
        (np.array(CELLS, dtype=object)[:, None], ""),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value,
)
def test_values_to_predict_may_have_any_form(y: Any, name: str) -> None:
    column = column_of_labels(y)
    assert (column.name, cell_texts(column)) == (name, CELLS)
    ranking = probfs.rank(FEATURES, y)
    assert (ranking.input.target, ranking.input.target_reason) == (name or "y", "given as y")
    assert (ranking.input.labelled_rows, ranking.input.unlabelled_rows) == (7, 1)
    whole = probfs.rank(FEATURES.assign(y=pd.Series(CELLS)), target="y")
    assert ranking.to_csv() == whole.to_csv()


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([0, 1] * 4, ["0", "1"]),
        (range(8), [str(number) for number in range(8)]),
        (np.array([0.0, 1.0] * 4), ["0", "1"]),
        (np.array([0.0, np.nan] * 4), ["0"]),
        (np.array([True, False] * 4), ["false", "true"]),
        (np.ma.array([0, 1] * 4, mask=[False] * 7 + [True]), ["0", "1"]),
    ],
    ids=str,
)
def test_classes_may_be_numbers_and_truth_values(y: Any, classes: list[str]) -> None:
    assert sorted(column_of_labels(y).values.to_pylist()) == classes


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1], "y has 2 values, but data has 8 rows"),
        ("kind", 'y must hold a value for each row; to name a column, use target="kind"'),
        ({"a": 1}, "not dict"),
        ({1, 2}, "not set"),
        (3, "not int"),
        (np.eye(8), r"not an array of shape \(8, 8\)"),
        (FEATURES, "not a frame of 2 columns"),
        (pl.from_pandas(FEATURES), "not a frame of 2 columns"),
        (
            pd.Series([0, 1] * 4, name="a"),
            "y is called 'a', and so is a column of data; use target=\"a\" in place of y",
        ),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value[:10],
)
def test_what_cannot_be_predicted_is_refused_in_one_line(y: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        probfs.rank(FEATURES, y)
    assert "\n" not in str(caught.value)


def test_y_and_target_are_not_given_together() -> None:
    with pytest.raises(UsageError, match="y and target= both say what to predict; keep one of the two"):
        probfs.rank(FEATURES, CELLS, target="a")
    with pytest.raises(UsageError, match="exclude=: 'y' is the target"):
        probfs.rank(FEATURES, CELLS, exclude="y")


def test_a_target_without_a_name_gets_one_that_no_column_has() -> None:
    frame = pd.DataFrame({name: list("xxyyxxyx") for name in ("y", "target", "class", "y (2)")})
    for taken, name in ((0, "y"), (1, "target"), (2, "class"), (3, "y (2)"), (4, "y (3)")):
        table = table_from_frame(frame.iloc[:, :taken].assign(more=1))
        assert add_labels(table, CELLS).target_hint == (name, "given as y")


def test_a_mapping_names_a_target_that_has_no_name(write: Write) -> None:
    mapping = write("m.toml", 'target = "kind"\n[columns]\nkind = { groups = { one = ["p"] }, other = "two" }\n')
    for y in (CELLS, pd.Series(CELLS, name="kind")):
        ranking = probfs.rank(FEATURES, y, mapping=mapping)
        assert (ranking.input.target, list(ranking.input.classes)) == ("kind", ["one", "two"])
    with pytest.raises(UsageError, match="y is called 'other', but the mapping's target is 'kind'"):
        probfs.rank(FEATURES, pd.Series(CELLS, name="other"), mapping=mapping)


def test_numbers_to_predict_may_be_cut(tmp_path: Path) -> None:
    y = np.arange(8) / 7
    ranking = probfs.rank(FEATURES, y, cut_target=2)
    assert sorted(ranking.input.classes.values()) == [4, 4]
    FEATURES.to_csv(tmp_path / "t.csv", index=False)
    assert probfs.rank(tmp_path / "t.csv", y, cut_target=2).to_csv() == ranking.to_csv()
