"""What a report says of the table."""

from __future__ import annotations

from dataclasses import replace

import pytest

import probfs
from probfs.ranking.background import Background
from probfs.rendering.report.content import ReportTable
from probfs.rendering.report.data_section import cut_points, data_section
from tests.support.paths import SAMPLES


@pytest.fixture(scope="module")
def background() -> Background:
    ranking = probfs.rank(SAMPLES / "kiln.csv", target="cracked", report=True)
    assert ranking.background is not None
    return ranking.background


def cells(table: ReportTable, row: str) -> dict[str, str]:
    place = list(table.columns[0].cells).index(row)
    return {column.heading: column.cells[place] for column in table.columns}


def test_classes_come_with_their_rows_the_largest_first(background: Background) -> None:
    table = data_section(background).classes
    assert [list(column.cells) for column in table.columns] == [["no", "yes"], ["180", "120"], ["60.0%", "40.0%"]]
    assert table.columns[1].bars == [1.0, pytest.approx(2 / 3)]


def test_every_column_says_what_was_made_of_it(background: Background) -> None:
    table = data_section(background).columns
    assert cells(table, "soak_minutes") == {
        "column": "soak_minutes",
        "kind": "number",
        "distinct": "41",
        "missing": "11",
        "most frequent": "43 (17)",
        "use": "5 intervals at quantiles (41 numbers); at 35, 40, 44, 49",
    }
    assert cells(table, "clay")["use"] == "category"
    assert cells(table, "cracked")["use"] == "target (by target=)"


def test_cuts_of_a_mapping_are_told_once(background: Background) -> None:
    column = replace(background.inspection.columns[0], use="3 intervals at 18, 30 (the mapping)")
    told = replace(
        background,
        inspection=replace(background.inspection, columns=(column,)),
        intervals={column.column: ("(-inf,18]", "(18,30]", "(30,inf)")},
    )
    assert data_section(told).columns.columns[-1].cells == ["3 intervals at 18, 30 (the mapping)"]


def test_dates_are_cut_at_dates() -> None:
    assert cut_points(["(-inf,2024-05-31]", "(2024-05-31,inf)"]) == "at 2024-05-31"


def test_the_sentence_counts_columns_with_missing_cells(background: Background) -> None:
    (sentence,) = data_section(background).sentences
    assert "9 columns, 300 labelled and 0 unlabelled rows. 3 columns have missing cells." in sentence
    assert sentence.endswith("The target is cracked (by target=).")


def test_values_that_are_long_or_act_on_others_are_made_harmless(background: Background) -> None:
    column = replace(background.inspection.columns[0], column="x" * 10_000, most_frequent="\u202e" + "v" * 10_000)
    told = replace(background, inspection=replace(background.inspection, columns=(column,)))
    shown = data_section(told).columns.columns
    assert len(shown[0].cells[0]) == 200
    assert shown[4].cells[0].startswith("\\u202evvv")
    assert len(shown[4].cells[0]) < 80
