"""Which numbers are tested before they are cut: those of every feature cut into intervals, in labelled rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from probfs.columns.choice import ColumnChoice
from probfs.columns.encode import encode
from probfs.columns.mapping import ColumnMapping
from probfs.columns.prepare import PreparedTable, prepare
from probfs.screening.counting import CodedNumbers, numbers_before_cutting
from tests.support.prepared_tables import csv_of_rows, prepare_csv
from tests.support.table_content import read_csv_text


def numbers_by_name(prepared: PreparedTable) -> dict[str, list[float | None]]:
    """The number of each labelled row, by feature; None where it is missing."""
    dataset, _ = encode(prepared)
    found: dict[str, list[float | None]] = {}
    for part in numbers_before_cutting(prepared, dataset):
        if isinstance(part, CodedNumbers):
            rows = {part.feature: np.append(part.numbers, np.nan)[part.codes]}
        else:
            rows = dict(zip(part.features.tolist(), part.numbers, strict=True))
        for feature, numbers in rows.items():
            found[dataset.features[feature].name] = [None if np.isnan(x) else x for x in numbers.tolist()]
    return found


def table(**columns: Sequence[object]) -> str:
    return csv_of_rows(list(columns), list(zip(*columns.values(), strict=True)))


RISING = [f"{row}.5" for row in range(30)]
LABELS = ["no", "yes"] * 15


def test_numbers_cut_on_a_guess_are_found_and_categories_are_not() -> None:
    text = table(x=RISING, few=[str(row % 3) for row in range(30)], word=["a", "b", "c"] * 10, y=LABELS)
    assert numbers_by_name(prepare_csv(text)) == {"x": [row + 0.5 for row in range(30)]}


@pytest.mark.parametrize("rule", ["{ cut = [3, 12] }", "{ widths = 4 }", "{ quantiles = 3 }", '"numeric"'])
def test_numbers_cut_by_a_mapping_are_found(rule: str) -> None:
    prepared = prepare_csv(table(x=RISING, y=LABELS), f"[columns]\nx = {rule}")
    assert numbers_by_name(prepared) == {"x": [row + 0.5 for row in range(30)]}


@pytest.mark.parametrize("rule", ['"<= 5"', '"category"', '"in [0.5, 1.5]"'])
def test_what_a_mapping_makes_of_numbers_but_intervals_is_no_number(rule: str) -> None:
    assert numbers_by_name(prepare_csv(table(x=RISING, y=LABELS), f"[columns]\nx = {rule}")) == {}


def test_a_classifier_that_measures_has_the_numbers_itself() -> None:
    assert numbers_by_name(prepare_csv(table(x=RISING, y=LABELS), numbers_as_they_are=True)) == {}


def test_only_labelled_rows_that_count_are_there_with_missing_cells_and_decimals_as_they_are_meant() -> None:
    cells = [f'"{row},5"' for row in range(30)]
    cells[3], cells[4], cells[5] = "NA", "", '"1,25"'
    labels = [*LABELS[:-2], "", "no"]
    counts = [2] * 29 + [0]
    read = read_csv_text(table(x=cells, n=counts, y=labels))
    found = numbers_by_name(prepare(read, ColumnMapping(), ColumnChoice(count="n"), decimal=","))
    assert found == {"x": [0.5, 1.5, 2.5, None, None, 1.25, *(row + 0.5 for row in range(6, 28))]}


def test_numbers_that_repeat_are_coded() -> None:
    cells = [f"{row % 21}.5" for row in range(840)]
    prepared = prepare_csv(table(x=cells, y=["no", "yes"] * 420))
    (part,) = numbers_before_cutting(prepared, encode(prepared)[0])
    assert isinstance(part, CodedNumbers)
    assert numbers_by_name(prepared) == {"x": [row % 21 + 0.5 for row in range(840)]}
