"""Small tables prepared and encoded as a ranking would have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from probfs.columns.dataset import Dataset
from probfs.columns.encode import encode
from probfs.columns.mapping_file import parse_mapping
from probfs.columns.prepare import PreparedTable, prepare
from probfs.columns.roles import ColumnChoice
from tests.support.table_content import read_csv_text


def prepare_csv(text: str, mapping: str = "", **choice: Any) -> PreparedTable:
    """A CSV file ``t.csv`` with this content, prepared with the mapping ``m.toml`` and a choice of columns."""
    return prepare(read_csv_text(text), parse_mapping(mapping.encode(), "m.toml"), ColumnChoice(**choice))


def encode_csv(text: str, mapping: str = "", unlabelled: Sequence[str] = (), **choice: Any) -> Dataset:
    """The dataset of a CSV file and of further ones without classes."""
    dataset, _ = encode(prepare_csv(text, mapping, **choice), [read_csv_text(other) for other in unlabelled])
    return dataset


def csv_of_rows(names: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """CSV of cells that need no quotes."""
    return "".join(f"{','.join(map(str, row))}\n" for row in (names, *rows))
