"""Columns of a block give what the same columns give one by one: plans, notes, drafts, codes and labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from probfs.columns.encode import encode
from probfs.columns.inspection import inspect_table
from probfs.columns.mapping_file import MappingFile
from probfs.columns.prepare import prepare
from probfs.columns.roles import ColumnChoice
from probfs.columns.rules import Category, Numeric, Quantiles, Rule
from probfs.columns.suggestion import suggest_mapping
from probfs.errors import ProbfsError
from probfs.tables.number_block import NumberColumn
from probfs.tables.readers import read_table
from tests.support.wide_tables import as_csv, blocks, wide_tables

CHOICES = st.builds(
    ColumnChoice,
    target=st.just("y"),
    count=st.sampled_from([None, None, "n"]),
    na=st.sampled_from(
        [(), (), ("999",), ("1", "0.5"), ("auto",), ("none",), ("-3",), ("-9",), ("-9", "NA", "."), ("none", "?")]
    ),
    bins=st.sampled_from([2, 5, 5, 50]),
    numbers_as_they_are=st.booleans(),
    keep_identifiers=st.booleans(),
    missing=st.sampled_from(["skip", "value", "auto"]),
)
MAPPINGS = st.sampled_from(
    [
        MappingFile(),
        MappingFile(),
        MappingFile(columns={"measured1": Category(), "measured2": Quantiles(3)}, missing_cells={"counted3": "value"}),
        MappingFile(columns={"genotypes5": Category(), "measured12": Numeric()}, missing=("NA", "--")),
        MappingFile(columns={"empty10": Quantiles(3), "empty32": Category()}, missing_cells={"empty10": "value"}),
    ]
)


def everything(
    path: Path, unlabelled: Path | None, choice: ColumnChoice, mapping: MappingFile, decimal: str | None
) -> list[Any]:
    """Whatever anybody can see of a table, up to the first refusal."""
    seen: list[Any] = []
    try:
        table = read_table(path)
        others = [] if unlabelled is None else [read_table(unlabelled)]
        prepared = prepare(table, mapping, choice, decimal)
        seen += [[plan.describe() for plan in prepared.plans], prepared.notes, prepared.leaks]
        seen += [suggest_mapping(prepared, "nb"), inspect_table(prepared)]
        for column in (*table.columns.values(), *prepared.table.columns.values()):
            seen += [column.name, column.values.to_pylist(), column.codes.tolist(), column.codes.dtype, column.kind]
            seen += [column.rows, column.distinct(), column.missing(), column.is_missing().tolist()]
            seen += [column.distinct(prepared.labelled_weights), column.missing(prepared.labelled_weights)]
            numbers = column.numbers()
            seen.append(None if numbers is None else numbers.tolist())
        dataset, notes = encode(prepared, others)
        seen += [notes, dataset.labels.tolist(), dataset.counts.tolist(), dataset.unlabelled_counts.tolist()]
        for feature in dataset.features:
            numbers = None if feature.numbers is None else feature.numbers.tolist()
            seen += [feature.name, feature.labels.to_pylist(), feature.labelled.tolist(), feature.unlabelled.tolist()]
            seen += [feature.values, feature.own_labels().to_pylist(), numbers, feature.missing_is_value]
    except ProbfsError as error:
        seen.append(str(error))
    return seen


CASES = st.tuples(
    wide_tables(), st.one_of(st.none(), wide_tables()), CHOICES, MAPPINGS, st.sampled_from([None, None, ",", "."])
)
HEALTH = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
Case = tuple[dict[str, list[str]], dict[str, list[str]] | None, ColumnChoice, MappingFile, str | None]


@settings(max_examples=12, suppress_health_check=HEALTH)
@given(CASES)
def test_a_block_changes_nothing_that_can_be_seen(tmp_path: Path, case: Case) -> None:
    check_that_a_block_changes_nothing(tmp_path, case)


@pytest.mark.slow
@settings(max_examples=1_000, suppress_health_check=HEALTH)
@given(CASES)
def test_a_block_changes_nothing_in_many_tables(tmp_path: Path, case: Case) -> None:
    check_that_a_block_changes_nothing(tmp_path, case)


def check_that_a_block_changes_nothing(folder: Path, case: Case) -> None:
    table, further, choice, mapping, decimal = case
    path, unlabelled = folder / "t.csv", None if further is None else folder / "u.csv"
    path.write_bytes(as_csv(table))
    if unlabelled is not None and further is not None:
        unlabelled.write_bytes(as_csv(further))
    found = []
    for wanted in (False, True):
        with blocks(wanted):
            found.append(everything(path, unlabelled, choice, mapping, decimal))
    assert found[0] == found[1]


WORDS_AND_NOTHING = {
    "na": ["1", "NA", "2", "NA", "3", "4"],
    "na_and_two": ["1", "NA", "2", "NA", "1", "2"],
    "na_and_one": ["1", "NA", "1", "NA", "1", "1"],
    "na_alone": ["NA", "NA", "", "NA", "NA", "NA"],
    "dash_and_two": ["1", "-", "2", "-", "1", "2"],
    "dash_and_three": ["1", "-", "2", "..", "1", "3"],
    "none": ["1", "none", "2", "7", "1", "3"],
    "two_words": ["?", "NA", "2.5", "7", "?", "3"],
    "nine": ["-9", "NA", "2.5", "7", "-9", "3"],
    "nine_with_point": ["-9.0", "1", "2.5", "7", "8", "3"],
    "empty": [""] * 6,
    "unlabelled_only": ["", "", "", "", "", "5"],
    "y": ["no", "yes", "no", "yes", "no", ""],
}


@pytest.mark.parametrize("na", [(), ("auto",), ("none",), ("NA",), ("-9",), ("-9", "NA", "none"), ("2.5", "?"), ("1",)])
@pytest.mark.parametrize(
    ("name", "rule"), [("na", Category()), ("empty", Quantiles(2)), ("unlabelled_only", Quantiles(2))]
)
def test_words_and_empty_columns_are_the_same_in_a_block(
    tmp_path: Path, na: tuple[str, ...], name: str, rule: Rule
) -> None:
    choice = ColumnChoice(target="y", na=na, keep_identifiers=True)
    wide = WORDS_AND_NOTHING | {f"more{number}": list("123456") for number in range(20)}
    check_that_a_block_changes_nothing(tmp_path, (wide, None, choice, MappingFile(columns={name: rule}), None))


@pytest.mark.parametrize("na", [("-9",), ("NA", "-9"), ("auto",), ()])
def test_columns_with_missing_words_and_numbers_named_missing_stay_in_a_block(
    tmp_path: Path, na: tuple[str, ...]
) -> None:
    rows = ["NA,1.5,-9,4,-9,no", "2,-9,NA,5,.,yes", "3,.,6,NA,7,no", "4,2.5,8,-9,8,yes", "5,3.5,9,6,9,no"]
    path = tmp_path / "t.csv"
    path.write_text("a,b,c,d,e,y\n" + "\n".join(rows) + "\n")
    with blocks(True):
        prepared = prepare(read_table(path), MappingFile(), ColumnChoice(target="y", na=na))
    columns = [prepared.table.columns[name] for name in "abcde"]
    assert all(isinstance(column, NumberColumn) for column in columns)
    assert len({column.block for column in columns if isinstance(column, NumberColumn)}) == 1


def test_numeric_columns_are_in_a_block_and_others_are_not(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b,c,d,e,f,y\n1,1.5,x,007,1.0,1,no\n2,,y,8,1,2,yes\n")
    with blocks(True):
        table = read_table(path)
    assert [name for name, column in table.columns.items() if isinstance(column, NumberColumn)] == ["a", "b", "f"]


@pytest.mark.parametrize("rows", [6, 7])
def test_a_table_with_as_many_rows_as_columns_has_no_block(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b,c,d,e,f,y\n" + "1,2,3,4,5,6,no\n" * rows)
    with blocks(True):
        table = read_table(path)
    assert any(isinstance(column, NumberColumn) for column in table.columns.values()) == (rows < 7)
