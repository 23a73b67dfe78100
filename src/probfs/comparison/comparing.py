"""One call from two rankings, selections or their files to what changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from probfs.classifiers.options import WholeNumber
from probfs.comparison.changes import compare_rankings
from probfs.comparison.documents import ComparedRanking
from probfs.comparison.sources import Comparable, find_document, name_of_table
from probfs.errors import UsageError
from probfs.notes import Note
from probfs.runtime.progress import Progress, listening
from probfs.tables.opening import STANDARD_INPUT
from probfs.text import option

if TYPE_CHECKING:
    from probfs.comparison.result import Comparison

TOP = WholeNumber(1, metavar="K")


def compare(
    old: Comparable,
    new: Comparable,
    *,
    top: int | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str = "utf-8",
    max_unpacked: int | None = None,
    input_format: str | None = None,
    union: bool = False,
    on_note: Callable[[Note], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Comparison:
    """Say what changed from an old ranking or selection to a new one.

    Parameters
    ----------
    old, new : path, Ranking, Selection or data frame
        The JSON of ``rank`` or ``select``, or their results. One of the two may be a table, a path or a data frame: it
        is ranked, or its columns are selected, with the target and the settings of the other, unless that was made
        with an estimator of your own. A pattern or a folder is the table of its files.
    top : int, default: 10, or half of the columns where there are fewer than 20
        How many of the first columns the measure ``overlap`` is about.
    delimiter, decimal, encoding, input_format, union
        How the table is read, as for ``rank``.
    max_unpacked : int, default: 4 GB, less for data that is packed suspiciously well
        How many bytes compressed data may unpack to.
    on_note : callable, optional
        Called with each ``probfs.Note`` as it arises: a line of text with a code and a severity.
    on_progress : callable, optional
        Called with a ``probfs.Progress`` while a table is ranked, as for ``rank``.

    Returns
    -------
    Comparison
        What became of every column, and how alike the two rankings are.

    Raises
    ------
    ProbfsError
        If a file is not a ranking or selection, or the table cannot be read or ranked; its message is one line.

    Examples
    --------
    >>> import probfs
    >>> ranking = probfs.rank("sample_data/breast_cancer.csv", target="class")
    >>> compare(ranking, "sample_data/breast_cancer.csv").measures["changed"]
    0
    """
    first = None if top is None else _check_top(top)
    reading: dict[str, Any] = {
        "delimiter": delimiter,
        "decimal": decimal,
        "encoding": encoding,
        "input_format": input_format,
        "union": union or None,
    }
    if _is_standard_input(old) and _is_standard_input(new):
        raise UsageError("standard input can be read only once; name a file for the other")
    with nullcontext() if on_progress is None else listening(on_progress):
        before = find_document(old, "old", input_format, max_unpacked)
        after = find_document(new, "new", input_format, max_unpacked)
        if before is not None and after is not None:
            _refuse_reading(reading)
        else:
            reading |= {"max_unpacked": max_unpacked, "union": union}
            before, after = _rank_the_table(old, new, before, after, reading, on_note)
    comparison = compare_rankings(before, after, first)
    for remark in comparison.warnings:
        if on_note is not None:
            on_note(remark)
    return comparison


def _rank_the_table(
    old: Comparable,
    new: Comparable,
    before: ComparedRanking | None,
    after: ComparedRanking | None,
    reading: dict[str, Any],
    on_note: Callable[[Note], None] | None,
) -> tuple[ComparedRanking, ComparedRanking]:
    """Both sides as documents, once the one that is a table has been ranked."""
    from probfs.comparison.reranking import rank_alike

    document = before or after
    if document is None:
        names = " and ".join(name_of_table(table) for table in (old, new))
        problem = f"{names} are both tables; one of the two must be the JSON of probfs rank or select"
        raise UsageError(f"{problem}, or rank both and compare the results")
    data = new if after is None else old
    table = rank_alike(data, document, reading, on_note)
    return (document, table) if after is None else (table, document)


def _refuse_reading(reading: dict[str, Any]) -> None:
    """Refuse what says how a table is read where there is none."""
    for name, value in reading.items():
        if value is not None and (name, value) != ("encoding", "utf-8"):
            raise UsageError(f"{option(name, value)}: both are JSON of probfs, and there is no table to read")


def _check_top(top: Any) -> int:
    try:
        return int(TOP.check(top))
    except ValueError as error:
        raise UsageError(f"{option('top')}: {error}") from None


def _is_standard_input(given: Comparable) -> bool:
    return isinstance(given, str | os.PathLike) and os.fspath(given) == STANDARD_INPUT
