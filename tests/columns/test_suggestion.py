"""Draft mappings."""

from __future__ import annotations

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.columns.mapping_file import parse_mapping
from probfs.columns.prepare import prepare
from probfs.columns.roles import ColumnChoice
from probfs.columns.rules import Measured
from probfs.columns.suggestion import suggest_mapping
from probfs.tables.readers.frame import table_from_frame

CELL = st.one_of(st.none(), st.integers(0, 40).map(str), st.text(max_size=4))


@settings(max_examples=60)
@given(
    st.lists(st.text(min_size=1, max_size=5).filter(str.strip), min_size=2, max_size=4, unique=True),
    st.lists(st.lists(CELL, min_size=4, max_size=4), min_size=3, max_size=40),
)
def test_what_suggest_writes_is_accepted_for_any_table(names: list[str], rows: list[list[str | None]]) -> None:
    columns = {name: [row[position] for row in rows] for position, name in enumerate(names)}
    table = table_from_frame(pd.DataFrame(columns, dtype=object))
    prepared = prepare(table, parse_mapping(b""), ColumnChoice(na=("?",)))
    mapping = parse_mapping(suggest_mapping(prepared, "nb").encode())
    again = prepare(table, mapping, ColumnChoice())
    for plan in again.features:
        assert not isinstance(plan.rule, Measured)
        again.learn(again.table.columns[plan.name], plan.rule)
