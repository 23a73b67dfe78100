"""Columns of an ARFF file, once all rows are read: their values must be what the header declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from probfs.tables.arrow_arrays import equal_mask, index_array, numpy_array, text_array
from probfs.tables.readers.arff_dates import make_date_parser
from probfs.tables.readers.arff_header import Attribute
from probfs.tables.readers.column_builder import ColumnBuilder
from probfs.tables.table import Column, Kind, Table, is_number
from probfs.text import listed, quoted


def sparse_default(attribute: Attribute) -> str | None:
    """The value that a sparse row means by leaving an attribute out: zero, or the first declared value."""
    if attribute.kind is Kind.NUMBER:
        return "0"
    return attribute.nominal[0] if attribute.nominal else None


def encode_sparse(default: str | None, exceptions: Mapping[int, str | None], rows: int) -> pa.DictionaryArray:
    """Cells that hold ``default``, except for the values of some rows."""
    codes = {default: 0}
    indices = np.zeros(rows, dtype=np.int64)
    for row, value in exceptions.items():
        indices[row] = codes.setdefault(value, len(codes))
    return pa.DictionaryArray.from_arrays(index_array(indices), text_array(list(codes)))


def finish_column(table: Table, builder: ColumnBuilder, attribute: Attribute) -> Column:
    """The column of an attribute; ``table`` says in an error on which line a value stands that does not fit."""
    if attribute.kind is Kind.NUMBER:
        return _finish_numbers(table, builder)
    if attribute.nominal is not None:
        return _finish_nominal(table, builder, attribute.nominal)
    column, _ = builder.finish()
    if attribute.kind is Kind.DATE and attribute.date_format is not None:
        return _parse_dates(table, column, attribute.date_format)
    return column


def _finish_numbers(table: Table, builder: ColumnBuilder) -> Column:
    if not _is_weka_number(builder.distinct()).all():
        column, _ = builder.finish()
        code = int(np.argmin(_is_weka_number(column.values)))
        value = quoted(column.values[code].as_py())
        raise table.cell_error(column, code, f"{value} is not a number, as declared; ? is a missing one")
    return builder.finish(Kind.NUMBER)[0]


def _finish_nominal(table: Table, builder: ColumnBuilder, declared: Sequence[str]) -> Column:
    column, undeclared = builder.finish(declared=declared)
    if len(undeclared):
        # Undeclared values are in the order of their first appearance.
        first = int(undeclared[0])
        value = quoted(column.values[first].as_py())
        problem = f"{value} is not among the declared values: {listed(declared)}; declare it too"
        raise table.cell_error(column, first, problem)
    return column


def _is_weka_number(texts: pa.StringArray) -> npt.NDArray[np.bool_]:
    """Whether each text is a number to Weka, whose missing value is NaN and may be written so."""
    nan = numpy_array(equal_mask(pc.utf8_lower(texts), "nan"))
    either: npt.NDArray[np.bool_] = is_number(texts) | nan
    return either


def _parse_dates(table: Table, column: Column, pattern: str) -> Column:
    """The column with its dates in ISO form, or unchanged if their format is not supported."""
    parse = make_date_parser(pattern)
    if parse is None:
        return column
    dates: list[str] = []
    for code, text in enumerate(column.values.to_pylist()):
        try:
            dates.append(parse(text))
        except (ValueError, OverflowError):
            problem = f"{quoted(text)} is not a date written as {quoted(pattern)}, as declared; ? is a missing one"
            raise table.cell_error(column, code, problem) from None
    return _replace_values(column, dates)


def _replace_values(column: Column, dates: Sequence[str]) -> Column:
    """The column with another text for each value; values that get the same text become one."""
    builder = ColumnBuilder(column.name)
    indices = np.append(np.arange(len(dates)), len(dates))[column.codes]
    builder.append(pa.DictionaryArray.from_arrays(index_array(indices), text_array([*dates, None])))
    return builder.finish(Kind.DATE)[0]
