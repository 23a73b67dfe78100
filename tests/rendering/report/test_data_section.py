"""What a report says of the table."""

from __future__ import annotations

from dataclasses import replace

import pytest

import probfs
from probfs.ranking.result import InputSummary
from probfs.ranking.story import Background
from probfs.rendering.report.content import ReportTable
from probfs.rendering.report.data_section import cut_points, data_section
from tests.support.paths import SAMPLES


@pytest.fixture(scope="module")
def ranking() -> probfs.Ranking:
    return probfs.rank(SAMPLES / "kiln.csv", target="cracked", report=True)


@pytest.fixture(scope="module")
def background(ranking: probfs.Ranking) -> Background:
    assert ranking.background is not None
    return ranking.background


@pytest.fixture(scope="module")
def data(ranking: probfs.Ranking) -> InputSummary:
    return ranking.input


def cells(table: ReportTable, row: str) -> dict[str, str]:
    place = list(table.columns[0].cells).index(row)
    return {column.heading: column.cells[place] for column in table.columns}


def test_classes_come_with_their_rows_the_largest_first(background: Background, data: InputSummary) -> None:
    table = data_section(background, data).classes
    assert [list(column.cells) for column in table.columns] == [["no", "yes"], ["180", "120"], ["60.0%", "40.0%"]]
    assert table.columns[1].bars == [1.0, pytest.approx(2 / 3)]


def test_every_column_says_what_was_made_of_it(background: Background, data: InputSummary) -> None:
    table = data_section(background, data).columns
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


def test_cuts_of_a_mapping_are_told_once(background: Background, data: InputSummary) -> None:
    column = replace(background.inspection.columns[0], use="3 intervals at 18, 30 (the mapping)")
    told = replace(
        background,
        inspection=replace(background.inspection, columns=(column,)),
        intervals={column.column: ("(-inf,18]", "(18,30]", "(30,inf)")},
    )
    assert data_section(told, data).columns.columns[-1].cells == ["3 intervals at 18, 30 (the mapping)"]


def test_dates_are_cut_at_dates() -> None:
    assert cut_points(["(-inf,2024-05-31]", "(2024-05-31,inf)"]) == "at 2024-05-31"


def test_the_sentence_counts_columns_with_missing_cells(background: Background, data: InputSummary) -> None:
    (sentence,) = data_section(background, data).sentences
    assert "9 columns, 300 labelled and 0 unlabelled rows. 3 columns have missing cells." in sentence
    assert sentence.endswith("The target is cracked (by target=).")


def test_values_that_are_long_or_act_on_others_are_made_harmless(background: Background, data: InputSummary) -> None:
    column = replace(background.inspection.columns[0], column="x" * 10_000, most_frequent="\u202e" + "v" * 10_000)
    told = replace(background, inspection=replace(background.inspection, columns=(column,)))
    shown = data_section(told, data).columns.columns
    assert len(shown[0].cells[0]) == 200
    assert shown[4].cells[0].startswith("\\u202evvv")
    assert len(shown[4].cells[0]) < 80


def test_rows_are_those_of_the_summary(background: Background, data: InputSummary) -> None:
    read = replace(data, dropped_rows=3, unlabelled_rows=20, unlabelled_sources=("more.csv",))
    sentence, counting = data_section(background, read, "times").sentences
    rows = "300 labelled and 0 unlabelled rows, without 3 rows of rare classes"
    assert f"{rows}; 20 further unlabelled rows are in 'more.csv'." in sentence
    assert counting == "Rows are counted as the column 'times' says, here and below."


def test_of_very_many_columns_the_usual_use_is_said_once(background: Background, data: InputSummary) -> None:
    (number,) = (own for own in background.inspection.columns if own.column == "soak_minutes")
    columns = [replace(number, column=f"{place:03}" + "x" * 100) for place in range(600)]
    columns[8] = replace(columns[8], most_frequent="43", frequency=1)
    columns[7] = replace(columns[7], use="left out", flags=("constant",))
    many = replace(background, inspection=replace(background.inspection, columns=tuple(columns)), intervals={})
    table = data_section(many, data).columns
    assert table.note == "Where nothing else is said, the use is: 5 intervals at quantiles."
    assert list(table.columns[-1].cells) == ["left out; constant" if place == 7 else "" for place in range(600)]
    assert {len(name) for name in table.columns[0].cells} == {60}
    assert list(table.columns[4].cells[7:9]) == ["43 (17)", ""], "a value that no other row has is not frequent"
    few = replace(many, inspection=replace(many.inspection, columns=tuple(columns[:500])))
    assert data_section(few, data).columns.columns[-1].cells[0] == "5 intervals at quantiles (41 numbers)"
