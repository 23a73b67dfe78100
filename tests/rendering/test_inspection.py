"""An inspection in every format."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

import pytest

from probfs.columns.choice import ColumnChoice
from probfs.columns.inspect import Inspection, inspect_table
from probfs.columns.mapping import ColumnMapping
from probfs.columns.prepare import prepare
from probfs.rendering.formats import Presentation
from probfs.rendering.inspection import INSPECTION_FORMATS
from probfs.text import is_unseen
from tests.support.hostile_names import HOSTILE_NAMES, hostile_csv
from tests.support.prepared_tables import csv_of_rows, prepare_csv
from tests.support.table_content import read_csv_text


@pytest.fixture
def inspection() -> Inspection:
    return inspect_table(prepare(read_csv_text(hostile_csv()), ColumnMapping(), ColumnChoice()))


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
    assert document["schema"] == "probfs.inspection/2"
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
    empty = inspect_table(prepare(read_csv_text("a,y\nx,\nz,\n"), ColumnMapping(), ColumnChoice()))
    assert "target y (the last column): no class" in render("table", empty)


def inspect_rows(names: list[str], cells: Sequence[tuple[object, ...]]) -> Inspection:
    return inspect_table(prepare_csv(csv_of_rows(names, cells)))


def test_the_table_fits_80_columns_with_names_and_values_shortened_in_the_middle() -> None:
    names = ["PassengerId", "the port at which the passenger embarked", "a very long name of another column", "y"]
    long = "a value that is much too long for one line of any terminal"
    cells = [(n + 1, long if n % 3 else "short", "" if n % 2 else n % 4, "pq"[n % 2]) for n in range(60)]
    inspection = inspect_rows(names, cells)
    lines = render("table", inspection, Presentation(width=80)).splitlines()
    assert max(map(len, lines)) <= 80
    shown = "\n".join(lines)
    assert "the port…mbarked" in shown
    assert "(40)" in shown, "how many rows hold the value is never cut off"
    heads = [line.split()[0] for line in lines[4:] if not line.startswith(" ")]
    assert heads == ["PassengerId", "the", "a", "y"], "each column begins one line"
    assert "leakage? missing or not tells 'q'" in " ".join(shown.split())
    wide = render("table", inspection)
    assert all(name in wide for name in names)
    assert long in wide


def test_names_that_would_look_the_same_are_not_shortened() -> None:
    names = [f"the concentration of compound {number} in the blood plasma" for number in (1, 2)]
    inspection = inspect_rows([*names, "y"], [(n % 2, n % 3, "pq"[n % 2]) for n in range(4)])
    shown = render("table", inspection, Presentation(width=80))
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("width", [20, 40, 60, 100])
def test_a_table_of_any_width_can_be_shown(inspection: Inspection, width: int) -> None:
    assert render("table", inspection, Presentation(width=width))


def test_flags_are_one_cell_of_csv_and_a_list_in_json() -> None:
    inspection = inspect_rows(["nr", "k", "y"], [(n, "x", "pq"[n % 2]) for n in range(30)])
    rows = list(csv.DictReader(io.StringIO(render("csv", inspection))))
    assert [row["flags"] for row in rows] == ["identifier", "constant", ""]
    assert [column["flags"] for column in json.loads(render("json", inspection))["columns"]] == [
        ["identifier"],
        ["constant"],
        [],
    ]
