"""``probfs.read``: a table once read is ranked as its file is; and the keywords that say how a file is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import probfs
from tests.support.workbook import workbook_bytes

MESSY = "id;price;seen;zip;note;y\n" + "".join(
    f"{row};{row % 23},5;2024-01-{row % 28 + 1:02};{row % 7:03};{'ok' if row % 5 else 'NA'};{'ny'[row % 2]}\n"
    for row in range(1, 61)
)


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    path = tmp_path / "messy.csv"
    path.write_text(MESSY)
    return path


def test_a_table_says_what_its_columns_hold(messy: Path) -> None:
    table = probfs.read(messy, decimal=",")
    assert table.kinds == {
        "id": "number",
        "price": "number",
        "seen": "date",
        "zip": "text",
        "note": "text",
        "y": "text",
    }
    assert (table.rows, table.source) == (60, str(messy))
    assert {"delimiter", "number-style"} <= {note.code for note in table.notes}
    assert table.columns["price"].by_row[:3].tolist() == [1.5, 2.5, 3.5]


def test_texts_that_mean_missing_are_the_readers_business(messy: Path) -> None:
    assert probfs.read(messy).columns["note"].counts().tolist() == [48, 12, 0]
    assert probfs.read(messy, na="NA").columns["note"].counts().tolist() == [48, 12]
    assert probfs.read(messy, na=["7"]).columns["id"].is_missing().nonzero()[0].tolist() == [6]


@pytest.mark.parametrize("call", [probfs.rank, probfs.select])
def test_a_read_table_is_ranked_as_its_file_is(messy: Path, call: Any) -> None:
    notes: list[list[str]] = [[], []]
    from_file = call(messy, decimal=",", keep_identifiers=True, on_note=notes[0].append)
    from_table = call(probfs.read(messy, decimal=","), keep_identifiers=True, on_note=notes[1].append)
    assert from_file.to_csv() == from_table.to_csv()
    assert sorted(notes[0]) == sorted(notes[1])


def test_frames_are_read_too_and_a_table_is_a_frame_to_others() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
    table = probfs.read(frame)
    assert table.kinds == {"a": "number", "b": "text"}
    assert pl.DataFrame(table).to_dict(as_series=False) == {"a": [1, 2], "b": ["x", None]}
    assert probfs.read(np.eye(2), feature_names=["u", "v"]).kinds == {"u": "number", "v": "number"}
    assert probfs.read(table) is not None


def test_a_sheet_and_rows_to_skip_are_keywords_of_every_call(tmp_path: Path) -> None:
    rows = [["a", "y"], *([str(row % 3), "p" if row % 2 else "q"] for row in range(20))]
    (tmp_path / "t.xlsx").write_bytes(workbook_bytes([["A title", None], *rows]))
    found = probfs.rank(tmp_path / "t.xlsx", skip_rows=1, target="y")
    assert [feature.feature for feature in found.features] == ["a"]
    with pytest.raises(probfs.UsageError, match="no sheet 'Other'"):
        probfs.read(tmp_path / "t.xlsx", sheet="Other")
    (tmp_path / "t.csv").write_text("made by hand\na,y\n1,p\n2,q\n")
    assert list(probfs.read(tmp_path / "t.csv", skip_rows=1).columns) == ["a", "y"]
    with pytest.raises(probfs.UsageError, match=r"skip_rows=: -1 is not a whole number of rows"):
        probfs.read(tmp_path / "t.csv", skip_rows=-1)


def test_how_to_read_a_file_is_refused_where_there_is_none() -> None:
    frame = pd.DataFrame({"a": [1, 2], "y": ["p", "q"]})
    with pytest.raises(probfs.UsageError, match=r"delimiter= says how to read a file, but data is a table in memory"):
        probfs.rank(frame, delimiter=";")
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'delimitr'; did you mean 'delimiter'\?"):
        probfs.rank(frame, delimitr=";")


def test_a_mapping_may_be_a_dictionary(tmp_path: Path, messy: Path) -> None:
    (tmp_path / "m.toml").write_text(
        'target = "y"\ndrop = ["id"]\n[columns]\nzip = { groups = { low = ["000", "001"] } }\n'
    )
    by_file = probfs.rank(messy, mapping=tmp_path / "m.toml")
    mapping = {"target": "y", "drop": ["id"], "columns": {"zip": {"groups": {"low": ["000", "001"]}}}}
    by_dict = probfs.rank(messy, mapping=mapping)
    assert by_dict.features == by_file.features
    assert by_dict.settings.mapping == "<dict>"
    with pytest.raises(probfs.MappingError, match=r"mapping: unknown key 'tarket'; did you mean 'target'\?"):
        probfs.rank(messy, mapping={"tarket": "y"})
