"""Small tables prepared and encoded as a ranking would have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from probfs.columns.choice import ColumnChoice
from probfs.columns.dataset import Dataset
from probfs.columns.encode import encode
from probfs.columns.mapping import parse_mapping
from probfs.columns.prepare import PreparedTable, prepare
from probfs.ranking.inputs import reading_for
from probfs.tables.frames import table_in_memory
from probfs.tables.opening import ReadOptions
from tests.support.table_content import read_csv_text


def prepare_csv(text: str, mapping: str = "", decimal: str | None = None, **choice: Any) -> PreparedTable:
    """A CSV file ``t.csv`` with this content, prepared with the mapping ``m.toml`` and a choice of columns; cells are
    separated by semicolons if there are any.
    """
    rules, columns = parse_mapping(mapping.encode(), "m.toml"), ColumnChoice(**choice)
    options = reading_for(ReadOptions(decimal=decimal), rules, columns, every_column=True)
    return prepare(read_csv_text(text, ";" if ";" in text else ",", options), rules, columns, decimal)


def prepare_frame(columns: Any, mapping: str = "", decimal: str | None = None, **choice: Any) -> PreparedTable:
    """A data frame, or its columns, prepared in the same way."""
    table = table_in_memory(pd.DataFrame(columns), "data")
    return prepare(table, parse_mapping(mapping.encode(), "m.toml"), ColumnChoice(**choice), decimal)


def encode_csv(text: str, mapping: str = "", unlabelled: Sequence[str] = (), **choice: Any) -> Dataset:
    """The dataset of a CSV file and of further ones without classes."""
    dataset, _ = encode(prepare_csv(text, mapping, **choice), [read_csv_text(other) for other in unlabelled])
    return dataset


def csv_of_rows(names: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """CSV of cells that need no quotes."""
    return "".join(f"{','.join(map(str, row))}\n" for row in (names, *rows))
