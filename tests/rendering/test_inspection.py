"""An inspection in every format."""

from __future__ import annotations

import csv
import io
import json

import pytest

from probfs.columns.inspection import Inspection, inspect_table
from probfs.columns.mapping_file import MappingFile
from probfs.columns.prepare import prepare
from probfs.columns.roles import ColumnChoice
from probfs.rendering.formats import Presentation
from probfs.rendering.inspection import INSPECTION_FORMATS
from probfs.text import is_unseen
from tests.support.hostile_names import HOSTILE_NAMES, hostile_csv
from tests.support.table_content import read_csv_text


@pytest.fixture
def inspection() -> Inspection:
    return inspect_table(prepare(read_csv_text(hostile_csv()), MappingFile(), ColumnChoice()))


def render(name: str, inspection: Inspection, presentation: Presentation = Presentation()) -> str:  # noqa: B008  # frozen
    text = INSPECTION_FORMATS[name].render(inspection, presentation)
    assert isinstance(text, str)
    return text


def test_the_csv_has_a_row_for_each_column_and_keeps_names(inspection: Inspection) -> None:
    rows = list(csv.DictReader(io.StringIO(render("csv", inspection), newline="")))
    assert list(rows[0]) == ["column", "kind", "distinct", "missing", "most_frequent", "frequency", "use", "flags"]
    assert [row["column"] for row in rows] == [*HOSTILE_NAMES, "y"]
    assert rows[-1]["use"] == "target (the last column)"
    assert f"'{HOSTILE_NAMES[0].split('|')[0]}" in render("csv", inspection, Presentation(safe_csv=True))


def test_the_keys_of_the_json_are_a_contract(inspection: Inspection) -> None:
    document = json.loads(render("json", inspection))
    assert list(document) == [
        "schema",
        "source",
        "target",
        "target_reason",
        "labelled_rows",
        "unlabelled_rows",
        "classes",
        "columns",
        "notes",
    ]
    assert document["schema"] == "probfs.inspection/1"
    assert list(document["columns"][0])[:3] == ["column", "kind", "distinct"]


def test_the_table_shows_the_balance_of_the_classes_and_steers_nothing(inspection: Inspection) -> None:
    shown = render("table", inspection)
    assert shown.startswith("t.csv: 10 columns, 12 labelled and 0 unlabelled rows\n")
    assert "target y (the last column): 'a' 6 (50.0%), 'b' 6 (50.0%)" in shown
    assert not any(map(is_unseen, shown.replace("\n", "")))


def test_markdown_escapes_names(inspection: Inspection) -> None:
    shown = render("markdown", inspection)
    assert "pipe\\|pipe" in shown
    assert "<b>" not in shown


def test_a_target_without_classes_is_said() -> None:
    empty = inspect_table(prepare(read_csv_text("a,y\nx,\nz,\n"), MappingFile(), ColumnChoice()))
    assert "target y (the last column): no class" in render("table", empty)
