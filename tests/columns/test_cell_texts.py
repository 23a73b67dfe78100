"""What texts mean: missing cells and numbers that are not written the plain way."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import probfs
from probfs.columns.mapping_file import parse_mapping
from probfs.columns.prepare import PreparedTable, apply_mapping, prepare
from probfs.columns.roles import ColumnChoice
from probfs.errors import UsageError
from probfs.tables.readers import read_table
from probfs.tables.readers.frame import table_from_frame
from probfs.text import command_line_language
from tests.support.table_content import Write, cell_texts, read_csv_text, table_content

AGES = "age,town,y\n1,NA,p\n2,Oslo,q\n3,Rome,p\nNA,-,q\n-,Oslo,p\n"
COMMAS = "x;big;y\n1,5;1.234;p\n2,5;12;q\n3;1.234.567;p\n-;7;q\n"


def prepared(text: str, mapping: str = "", decimal: str | None = None, **choice: object) -> PreparedTable:
    table = read_csv_text(text, ";" if ";" in text else ",")
    return prepare(table, parse_mapping(mapping.encode()), ColumnChoice(**choice), decimal)  # type: ignore[arg-type]


def cells(text: str, name: str, mapping: str = "", decimal: str | None = None, **choice: object) -> list[str | None]:
    return cell_texts(prepared(text, mapping, decimal, **choice).table.columns[name])


def test_among_numbers_a_text_that_looks_missing_is_missing() -> None:
    assert cells(AGES, "age") == ["1", "2", "3", None, None]
    assert cells(AGES, "town") == ["NA", "Oslo", "Rome", "-", "Oslo"]
    with command_line_language():
        assert prepared(AGES).notes == (
            "taken as missing among numbers: 'NA', '-' in 'age'; --na none keeps them as values, and so does the rule "
            '"category" in a mapping',
            "may mean missing: 'NA' in 'town'; --na auto takes them as missing",
        )


def test_auto_takes_the_unmistakable_ones_in_every_column() -> None:
    assert cells(AGES, "town", na=["auto"]) == [None, "Oslo", "Rome", "-", "Oslo"]
    assert cells(AGES, "age", na=["auto"]) == ["1", "2", "3", None, None]
    assert prepared(AGES, na=["auto"]).notes == ("taken as missing: 'NA', '-' in 'age', 'NA' in 'town'",)
    assert cells(AGES, "town", na=["auto", "Oslo"]) == [None, None, "Rome", "-", None]


def test_none_takes_only_what_is_named() -> None:
    assert cells(AGES, "age", na=["none"]) == ["1", "2", "3", "NA", "-"]
    assert prepared(AGES, na=["none"]).notes == ()
    assert cells(AGES, "age", na=["none", "-"]) == ["1", "2", "3", "NA", None]
    assert cells(AGES, "town", "missing = ['NA']", na=["none"]) == [None, "Oslo", "Rome", "-", "Oslo"]


def test_auto_and_none_are_words_not_texts() -> None:
    with pytest.raises(UsageError, match="na=: auto and none contradict each other"):
        prepared(AGES, na=["auto", "none"])
    text = "gear,y\nauto,p\nnone,q\n"
    assert cells(text, "gear", na=["auto"]) == ["auto", "none"]
    (note,) = prepared(text, na=["none"]).notes
    assert note.startswith("na=\"none\" is a choice, not the text 'none' in 'gear'; a mapping's list")
    assert cells(text, "gear", "missing = ['none']") == ["auto", None]


def test_a_rule_that_speaks_of_texts_keeps_them() -> None:
    for rule in ('"category"', '{ groups = { none = ["NA", "-"] } }', '"!= NA"'):
        found = prepared(AGES, f"[columns]\nage = {rule}")
        assert cell_texts(found.table.columns["age"]) == ["1", "2", "3", "NA", "-"]
        assert not any("age" in note for note in found.notes)
    assert cells(AGES, "age", '[columns]\nage = "<= 2"') == ["1", "2", "3", None, None]
    assert cells(AGES, "age", '[columns]\nage = "in [1, 2]"') == ["1", "2", "3", None, None]


def test_two_numbers_are_too_few_to_judge_by() -> None:
    text = "flag,y\n0,p\n1,q\n-,p\n"
    assert cells(text, "flag") == ["0", "1", "-"]
    assert prepared(text).notes == ("may mean missing: '-' in 'flag'; na=\"auto\" takes them as missing",)
    assert cells(text, "flag", na=["auto"]) == ["0", "1", None]
    assert cells(text.replace("-", "NA"), "flag") == ["0", "1", None], "NA means missing beside two numbers"
    assert prepared("flag,y\n-,p\n+,q\n").notes == ()
    assert prepared("flag,y\n-,p\n-,q\n").notes == ()


def test_codes_with_leading_zeros_are_no_numbers() -> None:
    text = "zip,y\n007,p\n01234,q\n12345,p\nNA,q\n"
    assert cells(text, "zip") == ["007", "01234", "12345", "NA"]
    assert "'NA' in 'zip'" in prepared(text).notes[0]


def test_blank_cells_among_numbers_are_missing() -> None:
    assert cells("x,y\n1,p\n2,q\n3,p\n ,q\n NA ,q\n", "x") == ["1", "2", "3", None, None]


def test_columns_that_are_not_used_are_not_spoken_of() -> None:
    assert prepared(AGES, exclude=["age", "town"]).notes == ()
    assert prepared(AGES, 'drop = ["age", "town"]').notes == ()
    assert "town" not in str(prepared(AGES, include=["age"]).notes)


def test_a_count_is_refused_as_it_is_written() -> None:
    with pytest.raises(probfs.ProbfsError, match="'NA' is not a row count"):
        prepared("n,a,y\n1,x,p\n2,x,q\n3,z,p\nNA,z,q\n", count="n")


def test_rows_without_a_number_in_the_target_are_unlabelled() -> None:
    target = prepared("a,y\nx,1\nz,2\nx,3\nz,NA\n").target
    assert target.classes == ("1", "2", "3")
    assert target.labels.tolist() == [0, 1, 2, -1]


def test_a_declared_value_is_missing_only_on_the_users_word(write: Write) -> None:
    arff = "@relation r\n@attribute a {1,2,3,NA,'-'}\n@attribute y {p,q}\n@data\n1,p\n2,q\n3,p\nNA,q\n-,p\n"
    table = read_table(write("t.arff", arff))
    found = prepare(table, parse_mapping(b""), ColumnChoice())
    assert found.table.columns["a"] is table.columns["a"]
    assert found.notes == ("may mean missing: 'NA' in 'a'; na=\"auto\" takes them as missing",)
    taken = prepare(table, parse_mapping(b""), ColumnChoice(na=["auto"])).table.columns["a"]
    assert taken.values.to_pylist() == ["1", "2", "3", "-"]


def test_decimal_commas_are_noticed_and_read_on_the_users_word() -> None:
    unread = prepared(COMMAS)
    assert cell_texts(unread.table.columns["x"]) == ["1,5", "2,5", "3", "-"]
    assert "look like numbers with decimal commas (1.234,5): 'x', 'big'; decimal=\",\" reads them" in unread.notes[0]
    assert cells(COMMAS, "x", decimal=",") == ["1.5", "2.5", "3", None]
    assert cells(COMMAS, "big", decimal=",") == ["1234", "12", "1234567", "7"]
    assert "read as numbers with decimal commas (1.234,5): 'x', 'big'" in prepared(COMMAS, decimal=",").notes
    assert prepared(COMMAS, '[columns]\nx = "category"\nbig = "category"').notes == ()


def test_commas_that_can_be_either_are_left_to_the_user() -> None:
    text = 'x,y\n"1,234",p\n"5,678",q\n9,p\n'
    assert cells(text, "x") == ["1,234", "5,678", "9"]
    assert 'decimal="," or decimal="." reads them as numbers' in prepared(text).notes[0]
    assert cells(text, "x", decimal=".") == ["1234", "5678", "9"]
    assert cells(text, "x", decimal=",") == ["1.234", "5.678", "9"]


def test_two_spellings_of_a_number_become_one_value() -> None:
    text = "x,y\n1 234,p\n1234,q\n1 234 567,p\nNA,q\n5,p\n,q\n"
    column = prepared(text).table.columns["x"]
    assert cell_texts(column) == ["1234", "1234", "1234567", None, "5", None]
    assert column.values.to_pylist() == ["1234", "1234567", "5"]
    assert "read as numbers with thousands separators: 'x'" in prepared(text).notes


def test_a_comma_table_ranks_as_the_same_table_with_points(write: Write) -> None:
    rows = [(f"{number * 7 % 60 + number / 8:.3f}", "pq"[number * 5 % 7 > 3]) for number in range(60)]
    points = "".join(f"{number};{cls}\n" for number, cls in rows)
    commas = write("c.csv", "x;y\n" + points.replace(".", ",") + "-;p\n")
    plain = write("p.csv", "x;y\n" + points + ";p\n")
    unlabelled = write("u.csv", "x;z\n17,25;1\n-;2\n")
    for classifier in ("nb", "svm"):
        expected = probfs.rank(plain, target="y", classifier=classifier)
        assert probfs.rank(commas, target="y", decimal=",", classifier=classifier).to_csv() == expected.to_csv()
    noted = json.loads(probfs.rank(commas, target="y", decimal=",", unlabeled=unlabelled).to_json())
    assert noted["input"]["unlabelled_rows"] == 2
    assert not any("most unlabelled cells" in note for note in noted["warnings"])


def test_further_tables_are_read_as_the_first() -> None:
    found = prepared(COMMAS, decimal=",")
    other = table_content(found.texts.read(read_csv_text("x;big\n-;9\n1.000,5;\nz;1.000\n", ";")))
    assert other == {"x": [None, "1000.5", "z"], "big": ["9", None, "1000"]}


def test_a_frame_of_texts_is_read_so_too() -> None:
    table = table_from_frame(pd.DataFrame({"x": ["1,5", "2,5", "n/a", "4"], "n": [1.5, 2, None, 3], "y": list("pqpq")}))
    found = prepare(table, parse_mapping(b""), ColumnChoice(), ",").table
    assert cell_texts(found.columns["x"]) == ["1.5", "2.5", None, "4"]
    assert found.columns["n"] is table.columns["n"]


def test_a_mapped_table_has_plain_numbers() -> None:
    mapping = parse_mapping(b"[columns]\nx = '<= 2'")
    mapped = apply_mapping(prepared(COMMAS, "[columns]\nx = '<= 2'", decimal=","), mapping)
    assert table_content(mapped)["x"] == ["yes", "no", "no", None]
    assert table_content(mapped)["big"] == ["1234", "12", "1234567", "7"]


def test_with_nothing_to_tell_the_columns_stay_as_they_are() -> None:
    table = read_csv_text("a,b,y\nx,1,p\nz,2.5,q\n")
    found = prepare(table, parse_mapping(b""), ColumnChoice())
    assert found.texts.columns == {}
    assert all(found.table.columns[name] is column for name, column in table.columns.items())


def test_many_columns_are_counted() -> None:
    names = [f"c{number}" for number in range(9)]
    text = ",".join([*names, "y"]) + "\n" + ",".join(["NA"] * 9 + ["p"]) + "\n" + ",".join(["x"] * 9 + ["q"]) + "\n"
    assert "'NA' in 'c5' and 3 more columns; " in prepared(text).notes[0]
