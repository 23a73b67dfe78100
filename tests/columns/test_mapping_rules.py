"""Rules as a mapping writes them: from TOML to rules, and the mistakes on the way."""

from __future__ import annotations

import pytest

from probfs.columns.mapping_file import parse_mapping
from probfs.columns.rules import Among, Category, Cut, Frequent, Groups, Numeric, Ordering, Quantiles, Rule, Widths
from probfs.errors import MappingError
from probfs.tables.table import Kind
from tests.support.mappings import check_mistake
from tests.support.table_content import Write


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ('"category"', Category()),
        ('" numeric "', Numeric()),
        ('"<=5"', Ordering("<=", 5.0)),
        ('"> -1e3"', Ordering(">", -1000.0)),
        ('">= 1970-01-02"', Ordering(">=", 86_400.0, Kind.DATE)),
        ('"== red"', Among(("red",))),
        ('"== 1.0"', Among(("1.0",), (1.0,))),
        ("'!= \"1\"'", Among(("1",), negated=True)),
        ("'in [1, \"red\"]'", Among(("1", "red"), (1.0,))),
        ("{ cut = [1, 2.5] }", Cut((1.0, 2.5))),
        ("{ cut = [1970-01-01, 1970-01-02] }", Cut((0.0, 86_400.0), Kind.DATE)),
        ("{ quantiles = 10000 }", Quantiles(10_000)),
        ("{ widths = 2 }", Widths(2)),
        ("{ min_count = 5 }", Frequent(5)),
        ('{ min_count = 2, other = "rest" }', Frequent(2, "rest")),
        ('{ groups = { warm = ["red", 1] }, other = "cold" }', Groups({"warm": ("red", "1")}, "cold")),
    ],
)
def test_a_rule_is_read(rule: str, expected: Rule) -> None:
    assert parse_mapping(f"[columns]\nx = {rule}\n".encode()).columns["x"] == expected


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('[columns]\n\nx = "categroy"\n', 3, "did you mean 'category'?"),
        ('[columns]\nx = "= 5"\n', 2, "did you mean '=='?"),
        ('[columns]\nx = "<= five"\n', 2, "<= needs a number or an ISO date, not 'five'"),
        ('[columns]\nx = "in [1, "\n', 2, "not understood"),
        ('[columns]\nx = "in []"\n', 2, "empty"),
        ('[columns]\nx = "in [[1]]"\n', 2, "only numbers and quoted texts"),
        ("[columns]\nx = 5\n", 2, "a rule is text"),
        ("[columns]\nx = { cuts = [1] }\n", 2, "unknown key 'cuts'; did you mean 'cut'?"),
        ("[columns]\nx = { cut = [1], widths = 3 }\n", 2, "found cut and widths"),
        ("[columns]\nx = { cut = [3, 1] }\n", 2, "cut points must grow"),
        ("[columns]\nx = { cut = [1, inf] }\n", 2, "list of numbers"),
        ("[columns]\nx = { cut = [] }\n", 2, "list of numbers"),
        ("[columns]\nx = { cut = [1, 2020-01-01] }\n", 2, "list of numbers"),
        ("[columns]\nx = { cut = [" + "9" * 400 + "] }\n", 2, "list of numbers"),
        ("[columns]\nx = '== \"5\", 6'\n", 2, "takes one value"),
        ("[columns]\nx = { quantiles = 1 }\n", 2, "from 2 to 10000"),
        ("[columns]\nx = { quantiles = true }\n", 2, "from 2 to 10000"),
        ('[columns]\nx = { cut = [1], other = "r" }\n', 2, "'other' goes with groups"),
        ('[columns]\nx = { groups = { a = ["1"], b = ["1"] } }\n', 2, "value '1' is in two groups"),
        ("[columns]\nx = { groups = { a = 1 } }\n", 2, "must be a list of texts"),
        ('[columns]\nx = "<="\n', 2, '<= needs something to compare with, as in "<= 5"'),
        ("[columns]\nx = {}\n", 2, "needs one of cut, quantiles, widths, groups, min_count; found none"),
        ("[columns]\nx = { groups = {} }\n", 2, "groups must be a table of lists"),
        ("[columns]\nx = { groups = { a = [] } }\n", 2, "group 'a' is empty"),
        ("[columns]\nx = { min_count = 1 }\n", 2, "min_count must be a whole number of rows, 2 or more"),
        ("[columns]\nx = { min_count = 2.5 }\n", 2, "min_count must be a whole number"),
        ("[columns]\nx = { min_count = true }\n", 2, "min_count must be a whole number"),
        ("[columns]\nx = { min_count = 5, other = 2 }\n", 2, "other must be a name, in quotes"),
        ("[columns]\nx = { min_count = 5, widths = 2 }\n", 2, "found min_count and widths"),
        ("[columns]\nx = { mincount = 5 }\n", 2, "unknown key 'mincount'; did you mean 'min_count'?"),
        ('[columns]\nx = { groups = { a = ["1"] }, other = 2 }\n', 2, "other must be a name, in quotes"),
        ("[columns]\nx = { widths = 10001 }\n", 2, "widths must be a whole number from 2 to 10000"),
    ],
)
def test_every_mistake_in_a_rule_has_its_line(write: Write, text: str, line: int, message: str) -> None:
    check_mistake(write("m.toml", text), line, message)


def test_a_key_below_columns_by_mistake_is_explained() -> None:
    with pytest.raises(MappingError, match="move it to the top"):
        parse_mapping(b'[columns]\nx = "category"\ndrop = ["y"]\n')
    with pytest.raises(MappingError, match="did you mean '<='"):
        parse_mapping(b'[columns]\nx = "=< 5"\n')


def test_missing_cells_have_a_word_alone_or_beside_a_rule() -> None:
    mapping = parse_mapping(
        b'[columns]\nboat = { missing = "value" }\nage = { cut = [18], missing = "skip" }\nb = "> 1"\n'
    )
    assert mapping.missing_cells == {"boat": "value", "age": "skip"}
    assert list(mapping.columns) == ["age", "b"]
    for wrong in (b'"auto"', b"true", b"[1]", b'{ a = "value" }'):
        with pytest.raises(MappingError, match=r'^mapping:2: column .boat.: missing must be "skip" or "value"$'):
            parse_mapping(b"[columns]\nboat = { missing = " + wrong + b" }\n")
    with pytest.raises(MappingError, match=r"unknown key 'mising'; did you mean 'missing'\?$"):
        parse_mapping(b'[columns]\nboat = { mising = "value" }\n')
    with pytest.raises(MappingError, match=r"columns: no column 'boat' in t\.csv; did you mean 'boot'\?$"):
        mapping.check_names(["boot", "age", "b"], "t.csv")
