"""One call from a file or a frame to its table."""

from __future__ import annotations

from collections.abc import Sequence

from probfs.api.arguments import texts
from probfs.columns.choice import ColumnChoice
from probfs.columns.mapping import ColumnMapping
from probfs.columns.texts import learn_texts, mark_missing
from probfs.ranking.inputs import Data, as_table, every_name
from probfs.tables.reading import ReadOptions
from probfs.tables.table import Table


def read(
    data: Data,
    *,
    feature_names: Sequence[str] | None = None,
    na: str | Sequence[str] = (),
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str = "utf-8",
    max_unpacked: int | None = None,
    input_format: str | None = None,
    union: bool = False,
    sheet: str | None = None,
    skip_rows: int = 0,
) -> Table:
    """Read a table once, to rank it, or select from it, several times.

    Parameters
    ----------
    data : path, list of paths, data frame or array
        The table, as for ``rank``.
    feature_names : sequence of str, default: x0, x1 …
        The names of the columns of an array.
    na : str or sequence of str, default: texts that look so in columns of numbers
        Texts that mean missing, besides the empty cell. ``"auto"`` takes all that look so, like NA, N/A, null and ?, in
        every column; ``"none"`` takes none but those named.
    delimiter : str, default: ",", or ";", a tab or "|" where the first lines show it
        What separates the cells of a CSV file.
    decimal : {".", ","}, default: a point
        The decimal separator of numbers; the other one separates thousands. Columns of decimal commas are noticed
        without it.
    encoding : str, default "utf-8"
        The encoding of text files.
    max_unpacked : int, default: 4 GB, less for data that is packed suspiciously well
        How many bytes compressed data may unpack to.
    input_format : {"csv", "tsv", "arff", "parquet", "feather", "jsonl", "excel"}, default: by its ending or content
        The format of the file.
    union : bool, default False
        Whether files of one table may have different columns: where a file lacks one, its cells are missing. Columns
        that the first file lacks come before its last. Otherwise such files are refused.
    sheet : str, default: the first
        Which sheet of an Excel workbook to read.
    skip_rows : int, default 0
        How many lines of a CSV file, or rows of a sheet, to pass over before the header.

    Returns
    -------
    Table
        Columns of numbers, dates and texts: ``kinds`` says which is which, ``arrow`` is the ``pyarrow.Table``, and
        ``notes`` say what to know about how it was read.

    Raises
    ------
    ProbfsError
        If the table cannot be read, or if a parameter is wrong; its message is one line.

    Examples
    --------
    >>> table = read("sample_data/commute.csv")
    >>> table.rows, table.kinds["distance"]
    (240, 'text')
    """
    choice, mapping = ColumnChoice(na=texts(na)), ColumnMapping()
    missing = choice.missing_texts(mapping)
    # With decimal commas, a point may stand between thousands.
    as_text = every_name if decimal == "," else None
    options = ReadOptions(
        input_format, delimiter, encoding, max_unpacked, decimal, union, missing, sheet, skip_rows, as_text
    )
    table = mark_missing(as_table(data, options, names=feature_names), options.na)
    meaning = learn_texts(table, mapping, choice, decimal, target=None)
    return meaning.read_columns(table).with_notes(meaning.notes(table.columns))
