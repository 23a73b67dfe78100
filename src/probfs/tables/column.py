"""A column: its cells in whatever Arrow type a file or frame has them, what they are, and what is derived from them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from probfs.tables.arrays import (
    Codes,
    Flags,
    Floats,
    Integers,
    Rows,
    code_array,
    code_type,
    double_array,
    filled,
    index_array,
    is_missing,
    known_moments,
    known_numbers,
    looked_up,
    loses_a_zero,
    mask_array,
    numpy_array,
    text_array,
)
from probfs.tables.cells import (
    Kind,
    UnusableError,
    encode_cells,
    is_text,
    kind_of,
    null_where,
    numbers_by_row,
    plain_cells,
    texts_of,
    unify_numbers,
)
from probfs.text import printable

NO_ROW = np.iinfo(np.int64).max
"""In place of the first row of a value that no row holds."""
_NOT_READ = "was not read"


@dataclass(frozen=True, eq=False)
class Column:
    """One column: its cells as the file or frame has them, and what they are.

    ``values[codes[i]]`` is the text of row i, and the code ``len(values)`` is a missing cell; both are made when they
    are first asked for. Of numbers and dates, ``by_row`` has one in each row.
    """

    name: str
    cells: pa.ChunkedArray
    kind: Kind = Kind.TEXT
    declared: pa.StringArray | None = None
    """The values that the file declares (an ARFF nominal), all of which count, seen or not."""
    categorical: bool = False
    """Whether the type says that the values are categories, even if they look like numbers or dates."""
    order: pa.StringArray | None = None
    """All values that an ordering type knows, in its order, whether a row holds them or not."""
    problem: str | None = None
    """Why the cells cannot be used, as a message has it after the column's name; such a column may only be left out."""
    typed: bool = False
    """Whether the file or frame declares the type, and no reader has found it out."""
    stored: pa.ChunkedArray | pa.DataType | None = None
    """The cells as the file or frame has them, if that is another type; of whole numbers the type is enough."""

    @property
    def stored_cells(self) -> pa.ChunkedArray:
        """The cells in the type that the file or frame has; plain texts may be held as a dictionary."""
        if self.stored is not None:
            return self.stored if isinstance(self.stored, pa.ChunkedArray) else self.cells.cast(self.stored)
        dtype = self.cells.type
        if not pa.types.is_dictionary(dtype) or (self.typed and self.categorical):
            return self.cells
        # How wide the indices are shall not depend on how many values there are.
        return self.cells.cast(dtype.value_type if self.typed else pa.dictionary(pa.int32(), dtype.value_type))

    @property
    def is_nominal(self) -> bool:
        """Whether the values are categories by the word of the file or frame, whatever they look like."""
        return self.declared is not None or self.categorical

    @property
    def is_numeric(self) -> bool:
        """Whether ``by_row`` has a number or a date for every row, and they are no categories."""
        return self.kind in (Kind.NUMBER, Kind.DATE) and not self.is_nominal and self.problem is None

    @property
    def ordered(self) -> bool:
        """Whether ``values`` stand in the order of their type."""
        return self.order is not None

    @property
    def rows(self) -> int:
        return len(self.cells)

    @property
    def unread(self) -> bool:
        """Whether the cells were left in the file, since nobody needs them."""
        return self.problem == _NOT_READ

    @property
    def _encoded(self) -> tuple[Codes, pa.Array]:
        if not self.is_encoded:
            # Python 3.11's cached_property would encode one column at a time, whatever threads there are.
            vars(self)["codes_and_entries"] = self._encode()
        encoded: tuple[Codes, pa.Array] = vars(self)["codes_and_entries"]
        return encoded

    def _encode(self) -> tuple[Codes, pa.Array]:
        if self.problem is not None:
            return is_missing(self.cells).astype(np.uint8), text_array([self.kind.value])
        codes, entries = encode_cells(self.cells, self.kind)
        wanted = self.declared
        if self.order is not None:
            wanted = self.order.filter(pc.is_in(self.order, value_set=texts_of(entries)))
        elif wanted is None and self.categorical:
            # An unordered type of categories lists them in any order.
            first = index_array(np.argsort(_first_rows(codes, len(entries))[:-1]))
            entries, wanted = texts_of(entries), texts_of(entries.take(first))
        if wanted is None:
            return codes, entries
        places = np.append(filled(pc.index_in(texts_of(entries), value_set=wanted), len(wanted)), len(wanted))
        return looked_up(places.astype(code_type(len(wanted))), codes), wanted

    @property
    def is_encoded(self) -> bool:
        """Whether the codes are known already."""
        return "codes_and_entries" in vars(self)

    def as_codes(self) -> Column:
        """The same column held as codes of one or two bytes, from which its cells are made."""
        codes, entries = self._encoded
        cells = pa.DictionaryArray.from_arrays(code_array(codes, len(entries)), entries)
        column = replace(self, cells=pa.chunked_array([cells]), stored=None)
        vars(column)["codes_and_entries"] = self._encoded
        return column

    @property
    def codes(self) -> Codes:
        """The position of each row's value, or how many values there are for a missing cell."""
        return self._encoded[0]

    @property
    def entries(self) -> pa.Array:
        """The distinct cells, as doubles or as texts, in the order of their codes."""
        return self._encoded[1]

    @cached_property
    def values(self) -> pa.StringArray:
        """The distinct texts of the column, each number in one spelling; all declared ones, where there are such."""
        return texts_of(self.entries)

    @property
    def by_row(self) -> Floats:
        """The number in each row (of a date, seconds since 1970), NaN where it is missing."""
        return numbers_by_row(self.cells, self.kind)

    def numbers(self) -> Floats | None:
        """The values as numbers (dates as seconds since 1970), or None when they are not all numbers."""
        if pa.types.is_floating(self.entries.type):
            return numpy_array(self.entries)
        return numbers_of(self.values, self.kind)

    def without_cells(self, gone: Flags) -> Column:
        """The column with some cells made missing."""
        stored = null_where(self.stored, gone) if isinstance(self.stored, pa.ChunkedArray) else self.stored
        return replace(self, cells=null_where(self.cells, gone), stored=stored)

    def without_values(self, gone: Flags) -> Column:
        """The column with the cells made missing that hold some of its values."""
        left = self.without_cells(np.append(gone, False)[self.codes])
        return left if self.declared is None else replace(left, declared=self.declared.filter(mask_array(~gone)))

    def counts(self, weights: Integers | None = None) -> Integers:
        """How many rows hold each value, the last entry being missing cells; without weights, each row counts once."""
        if weights is None:
            return self._row_counts
        # Weighted bincount adds in double precision, exact up to 2**53 rows.
        return np.bincount(self.codes, weights, minlength=len(self.entries) + 1).astype(np.int64)

    @cached_property
    def _row_counts(self) -> Integers:
        return np.bincount(self.codes, minlength=len(self.entries) + 1)

    def distinct(self, weights: Integers | None = None) -> int:
        """How many values are in rows of positive weight; without weights, how many there are."""
        return len(self.entries) if weights is None else int(np.count_nonzero(self.counts(weights)[:-1]))

    def is_missing(self) -> Flags:
        """For each row, whether its cell is missing."""
        if self.is_numeric and not self.is_encoded:
            return np.isnan(self.by_row)
        return np.equal(self.codes, len(self.entries))

    def missing_cells(self, weights: Integers | None) -> tuple[Integers, Integers | None]:
        """The row of each missing cell, and its weight; None without weights, where each weighs one."""
        rows = np.flatnonzero(self.is_missing())
        return rows, None if weights is None else weights[rows]

    def count_rows(self, cells: Flags) -> int:
        """How many rows some cells stand for: here, one each."""
        return int(np.count_nonzero(cells))

    def coded_cells(self, weights: Integers | None) -> tuple[Codes, Rows, Integers | None]:
        """The code of each cell, its row, and its weight; None without weights, where each weighs one."""
        return self.codes, slice(None), weights

    def first_rows(self) -> Integers:
        """The first row that holds each value, the last entry being missing cells; NO_ROW where none does."""
        return _first_rows(self.codes, len(self.entries))

    def of_known_numbers(self) -> Column:
        """The column without numbers that are only known as counts; here every number is known."""
        return self

    def __getstate__(self) -> dict[str, Any]:
        # Cached values are made again on demand.
        return {field.name: getattr(self, field.name) for field in fields(self)}


def _first_rows(codes: Codes, count: int) -> Integers:
    rows = np.full(count + 1, NO_ROW)
    # Of the rows of a code, the last one written is the first.
    rows[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return rows


def numbers_of(values: pa.StringArray, kind: Kind) -> Floats | None:
    """The texts as numbers (dates as seconds since 1970), or None unless all are and nothing is lost, as of 007."""
    numbers = (known_moments if kind is Kind.DATE else known_numbers)(values)
    return None if np.isnan(numbers).any() or (kind is Kind.TEXT and loses_a_zero(values)) else numbers


def dictionary_cells(codes: Codes, values: pa.StringArray) -> pa.ChunkedArray:
    """Cells of texts, given by the code of each; the code after the last value is a missing cell."""
    # Signed, as pandas takes no other indices.
    indices = code_array(codes.astype(np.min_scalar_type(-len(values) - 1)), len(values))
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, values)])


def text_column(name: str, codes: Codes, values: pa.StringArray, **others: Any) -> Column:
    """A column of texts, given by the code of each cell."""
    return Column(name, dictionary_cells(codes, values), **others)


def number_column(name: str, numbers: Floats) -> Column:
    """A column of numbers, NaN where one is missing."""
    return Column(name, pa.chunked_array([double_array(numbers)]), Kind.NUMBER)


def typed_column(name: str, cells: pa.ChunkedArray, *, checked: bool = False) -> Column:
    """Cells of any Arrow type as a column; one that may only be left out, if they cannot be used.

    ``checked`` says that Arrow has found them valid.
    """
    kind, remedy = kind_of(cells.type), "write the file again"
    try:
        if not checked:
            cells.validate(full=True)
        if isinstance(cells.type, pa.BaseExtensionType):
            cells = pa.chunked_array([chunk.storage for chunk in cells.chunks], cells.type.storage_type)
        kind = kind_of(cells.type)
        plain = plain_cells(cells)
    except UnusableError as error:
        problem, remedy = str(error), "turn it into text or numbers"
    except (pa.ArrowInvalid, pa.ArrowIndexError, pa.ArrowNotImplementedError, UnicodeDecodeError) as error:
        not_text = isinstance(error, UnicodeDecodeError) or "UTF8" in str(error) or is_text(cells.type)
        damage = f"cannot be read: {printable(str(error).splitlines()[0].rstrip('.'))}"
        problem = "holds text that is not UTF-8" if not_text else damage
    else:
        categorical, order = pa.types.is_dictionary(cells.type), None
        if categorical and cells.type.ordered:
            entries = [chunk.dictionary.cast(pa.string()) for chunk in plain.chunks]
            order = pa.concat_arrays([text_array([]), *entries])
            order = (unify_numbers(order) if kind is Kind.NUMBER else order).drop_null().unique()
        is_whole = pa.types.is_integer(cells.type) and pa.types.is_float64(plain.type)
        stored = None if plain.type == cells.type else cells.type if is_whole else cells
        return Column(name, plain, kind, categorical=categorical, order=order, typed=True, stored=stored)
    return unusable_column(name, is_missing(cells), kind, problem, remedy)


def unusable_column(
    name: str, missing: Flags, kind: Kind, problem: str, remedy: str = "turn it into text or numbers"
) -> Column:
    """A column whose cells cannot be used: it is known which of them are missing, and nothing else."""
    return Column(name, unusable_cells(missing, kind), kind, problem=f"{problem}; {remedy}, or leave it out")


def unusable_cells(missing: Flags, kind: Kind) -> pa.ChunkedArray:
    return dictionary_cells(missing.astype(np.uint8), text_array([kind.value]))


def unread_column(name: str, rows: int) -> Column:
    """A column that is left out, of which nothing but the name was read."""
    return Column(name, pa.chunked_array([pa.nulls(rows)]), problem=_NOT_READ)


def missing_column(name: str, rows: int) -> Column:
    """A column without a value in any row."""
    return Column(name, pa.chunked_array([pa.nulls(rows)]))
