"""Random tables, ARFF texts, objects and mappings: nothing but the product's own errors ever leaves the library."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from probfs.columns.choice import ColumnChoice
from probfs.columns.encode import encode
from probfs.columns.mapping import ColumnMapping, parse_mapping
from probfs.columns.prepare import apply_mapping, prepare
from probfs.errors import ProbfsError
from probfs.tables.formats import WRITABLE_FORMATS
from probfs.tables.table import Table
from probfs.tables.writers import table_bytes
from probfs.text import is_unseen
from tests.support.tables import read_bytes

TABLE = b"a,b,y\nx,1,p\nz,2,q\nx,2,p\nz,1.5,q\n,3,p\n"


def use(table: Table, mapping: ColumnMapping) -> None:
    """Go on to what a ranking and every writer needs."""
    for name, column in table.columns.items():
        assert len(column.codes) == table.rows, name
        assert not len(column.codes) or int(column.codes.max()) <= len(column.values), name
    usable = {name: column for name, column in table.columns.items() if column.problem is None}
    for format_name in WRITABLE_FORMATS:
        table_bytes(Table(table.source, usable, table.rows), format_name)
    for measured in (False, True):
        encode(prepare(table, mapping, ColumnChoice(numbers_as_they_are=measured)))


TOKENS = {
    "csv": [
        *("a,b,y\n", ",", ",", "\n", "\n", "x,1,p\n", "z,2,q\n", '"', '"a,b"', ";", "\r", "NA", "1e400", "007", "-"),
        *(" ", "é", "\0", "\ufeff"),
    ],
    "arff": [
        "@relation r\n@attribute a {x,'y z'}\n@attribute b numeric\n@attribute y string\n@data\n",
        *("x,1,p\n", "'y z',?,q\n", "{1 2, 2 p}\n", "{", "}", ",", "\n", "?", "'", '"', "\\", "%", " ", "\t", "1", "x"),
        *("{2}", "nan", "é", "@data\n", "@attribute c {p,q}\n", "@attribute d date yyyy\n", "\r", "\ufeff"),
    ],
    "jsonl": [
        *('{"a": 1, "y": "p"}\n', '{"a": 2, "y": "q"}\n', '{"b": null}\n', "{", "}", '"a"', ":", ",", "\n", "1", "NaN"),
        *("[1]", "true", '"\\ud800"', '{"a": [1]}\n', "9" * 5000, " ", "\r", '"é"'),
    ],
    "toml": [
        *("[columns]\n", 'a = "category"\n', "b = { cut = [1, 2] }\n", 'a = { groups = { g = ["x"] }, other = "o" }\n'),
        *('b = "> 1"\n', "b = { quantiles = 2 }\n", "a", "y", " = ", "{", "}", "[", "]", '"', "1", "1e9", "nan", "\n"),
        *(",", '"*" = ', '"in [1"', "-1", "= 1\n", 'missing = ["x"]\n'),
    ],
}  # fmt: skip
"""A good beginning for each format, and then what else its files are made of."""


@pytest.mark.parametrize("kind", TOKENS)
@settings(max_examples=250, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_nearly_right_texts_and_any_bytes_are_read_or_refused(kind: str, data: st.DataObject) -> None:
    head, *others = TOKENS[kind]
    nearly_right = st.lists(st.sampled_from(others), max_size=25).map(lambda some: (head + "".join(some)).encode())
    text = data.draw(nearly_right | st.binary(max_size=400))
    message = ""
    try:
        if kind == "toml":
            mapping, table = parse_mapping(text), read_bytes(TABLE)
            use(table, mapping)
            apply_mapping(prepare(table, mapping, ColumnChoice()))
        else:
            use(read_bytes(text, f"t.{kind}"), ColumnMapping())
    except ProbfsError as error:
        message = str(error)
    assert not any(map(is_unseen, message))
