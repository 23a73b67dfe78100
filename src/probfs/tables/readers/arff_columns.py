"""Columns of an ARFF file, once all rows are read: their values must be what the header declares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from probfs.tables.arrow_arrays import equal_mask, index_array, looked_up, numpy_array, text_array
from probfs.tables.readers.arff_dates import make_date_parser
from probfs.tables.readers.arff_header import Attribute
from probfs.tables.readers.column_builder import ColumnBuilder, unify_numbers
from probfs.tables.table import Column, Kind, Table, code_type, is_number
from probfs.text import listed, quoted

_FEW_TEXTS = 64
"""Distinct texts of a column up to which Python is faster than Arrow, whose calls are what takes time in wide files."""


def finish_columns(
    table: Table, builders: Sequence[ColumnBuilder], attributes: Sequence[Attribute]
) -> dict[str, Column]:
    """The columns by name; ``table`` says in an error on which line a value stands that does not fit."""
    small = _SmallColumns(builders, attributes)
    return {
        attribute.name: small.finish(builder, attribute) or _finish_column(table, builder, attribute)
        for builder, attribute in zip(builders, attributes, strict=True)
    }


class _SmallColumns:
    """Finishes columns of few values, without a call of Arrow's for each, if their values need no change at all."""

    def __init__(self, builders: Sequence[ColumnBuilder], attributes: Sequence[Attribute]) -> None:
        numbers: set[str] = set()
        for builder, attribute in zip(builders, attributes, strict=True):
            if attribute.kind is Kind.NUMBER:
                numbers.update(_few_texts(builder) or ())
        self._numbers = _usual_numbers(sorted(numbers))
        self._nominal: dict[tuple[str, ...], tuple[dict[str, int], pa.StringArray]] = {}

    def finish(self, builder: ColumnBuilder, attribute: Attribute) -> Column | None:
        """The column of an attribute, or None if its values need another look."""
        texts = _few_texts(builder)
        block = builder.only_block()
        if texts is None or block is None:
            return None
        codes, dictionary = block
        if attribute.kind is Kind.NUMBER:
            fits = self._numbers.issuperset(texts)
            return Column(builder.name, codes, dictionary[:-1], Kind.NUMBER) if fits else None
        if attribute.nominal is None:
            return None
        if attribute.nominal not in self._nominal:
            places = {text: place for place, text in enumerate(attribute.nominal)}
            self._nominal[attribute.nominal] = places, text_array(attribute.nominal)
        places, values = self._nominal[attribute.nominal]
        if not places.keys() >= set(texts):
            return None
        dtype = code_type(len(values))
        own = np.array([*(places[text] for text in texts), len(values)], dtype=dtype)
        return Column(builder.name, looked_up(own, codes), values, Kind.TEXT, declared=True)


def _few_texts(builder: ColumnBuilder) -> list[str] | None:
    """The distinct texts of a column that was read in one block, or None if there are many."""
    block = builder.only_block()
    if block is None or len(block[1]) > _FEW_TEXTS:
        return None
    texts: list[str] = block[1].to_pylist()[:-1]
    return texts


def _usual_numbers(texts: Sequence[str]) -> frozenset[str]:
    """Those of some distinct texts that are numbers in the one spelling that a table has for each."""
    numbers = [text for text, fits in zip(texts, is_number(text_array(texts)).tolist(), strict=True) if fits]
    usual = unify_numbers(text_array(numbers)).to_pylist()
    return frozenset(text for text, spelling in zip(numbers, usual, strict=True) if text == spelling)


def _finish_column(table: Table, builder: ColumnBuilder, attribute: Attribute) -> Column:
    if attribute.kind is Kind.NUMBER:
        return _finish_numbers(table, builder)
    if attribute.nominal is not None:
        return _finish_nominal(table, builder, attribute.nominal, attribute.otherwise_nominal)
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


def _finish_nominal(
    table: Table, builder: ColumnBuilder, declared: Sequence[str], otherwise_declared: Sequence[str] | None
) -> Column:
    column, undeclared = builder.finish(declared=declared)
    if len(undeclared) and otherwise_declared is not None:
        other_column, others = builder.finish(declared=otherwise_declared)
        if not len(others):
            return other_column
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
