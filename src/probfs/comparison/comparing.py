"""One call from two rankings, selections or their files to what changed; one of the two may be a table."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeAlias

from probfs.api.options import READING
from probfs.classifiers.catalogue import UserEstimator
from probfs.classifiers.options import WholeNumber, check_value
from probfs.classifiers.scores import SCORES
from probfs.comparison.changes import compare_rankings
from probfs.comparison.result import Comparison, Side
from probfs.errors import DataError, UsageError
from probfs.notes import Note, NoteKind
from probfs.output.documents import plain
from probfs.ranking.document import kind_of_document, read_json
from probfs.ranking.result import Ranking
from probfs.runtime.progress import Progress, listening
from probfs.selection.result import Selection
from probfs.tables.files import may_be_many
from probfs.tables.formats import format_of_path
from probfs.tables.opening import STANDARD_INPUT, display_name, open_source, without_compression_ending
from probfs.text import did_you_mean, listed, option, printable, quoted, shorten_middle

if TYPE_CHECKING:
    from probfs.tables.frames import InMemory

Comparable: TypeAlias = "str | os.PathLike[str] | Ranking | Selection | InMemory"
"""A path, a result, or a table."""
TOP = WholeNumber(1, metavar="K")


def compare(
    old: Comparable,
    new: Comparable,
    *,
    top: int | None = None,
    on_note: Callable[[Note], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    **reading: Any,
) -> Comparison:
    """Say what changed from an old ranking or selection to a new one.

    Parameters
    ----------
    old, new : path, Ranking, Selection or data frame
        The JSON of ``rank`` or ``select``, or their results. One of the two may be a table, a path or a data frame: it
        is ranked, or its columns are selected, with the target and the settings of the other, unless that is a file
        made with an estimator of your own. A pattern or a folder is the table of its files.
    top : int, default: 10, or half of the columns where there are fewer than 20
        How many of the first columns the measure ``overlap`` is about.
    on_note : callable, optional
        Called with each ``probfs.Note`` as it arises: a line of text with a code and a severity. Without it, notes that
        are warnings become Python's, as for ``rank``.
    on_progress : callable, optional
        Called with a ``probfs.Progress`` while a table is ranked, as for ``rank``.
    **reading
        How the table is read, in the keywords of ``probfs.read``: ``delimiter``, ``decimal``, ``encoding``,
        ``input_format``, ``union``, ``sheet``, ``skip_rows``, ``no_header``. ``max_unpacked`` also limits how many
        bytes a compressed document may have.

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
    for name in reading:
        if name not in READING:
            problem = f"compare() got an unexpected keyword argument {name!r}"
            raise TypeError(f"{problem}{did_you_mean(name, READING)}")
    first = None if top is None else check_value("top", TOP, top)
    reading = {name: value for name, value in reading.items() if value is not None and value is not False}
    if on_note is None:
        # Imports numpy, which commands can do without.
        from probfs.api.arguments import warn_of

        on_note = warn_of
    if _is_standard_input(old) and _is_standard_input(new):
        raise UsageError("standard input can be read only once; name a file for the other")
    with listening(on_progress):
        before, after = _find_side(old, "old", reading), _find_side(new, "new", reading)
        if before is not None and after is not None:
            for name in reading.keys() - {"max_unpacked"}:
                problem = "both are JSON of probfs, and there is no table to read"
                raise UsageError(f"{option(name, reading[name])}: {problem}")
        elif before is not None:
            after = _rank_alike(new, before, reading, on_note)
        elif after is not None:
            before = _rank_alike(old, after, reading, on_note)
        else:
            names = " and ".join(map(_name_of_table, (old, new)))
            problem = f"{names} are both tables; one of the two must be the JSON of probfs rank or select"
            raise UsageError(f"{problem}, or rank both and compare the results")
    comparison = compare_rankings(before, after, first)
    for remark in comparison.warnings:
        on_note(remark)
    return comparison


def _find_side(given: Comparable, name: str, reading: Mapping[str, Any]) -> Side | None:
    """The document that was given, or that a path leads to; None for a table. ``name`` is the parameter's."""
    if isinstance(given, Ranking | Selection):
        return _side_of(given, f"<{name}>")
    if isinstance(given, str | os.PathLike):
        limit = reading.get("max_unpacked")
        if not _leads_to_document(os.fspath(given), "input_format" in reading, limit):
            return None
        content, source = read_json(given, limit), display_name(given)
        kind = Ranking if kind_of_document(content, source) == "ranking" else Selection
        return _side_of(kind.from_dict(content, source), source, content["settings"])
    # Imports numpy, which whoever holds a table has anyway.
    from probfs.tables.frames import is_table

    if is_table(given):
        return None
    expected = "a path, a Ranking, a Selection or a data frame"
    raise UsageError(f"{name} must be {expected}, not {type(given).__name__}")


def _side_of(result: Ranking | Selection, document: str, settings: Mapping[str, Any] | None = None) -> Side:
    if not result.features:
        raise DataError("lists no column, so there is nothing to compare", source=document)
    return Side(document, result, plain(result.settings) if settings is None else settings)


def _leads_to_document(path: str, has_format: bool, max_unpacked: int | None) -> bool:
    """Whether a path leads to a document: by its ending, else by how the file begins.

    A table in JSON lines begins as a document does, so it needs its ending or the name of its format. What a named pipe
    holds cannot be looked at twice: it is taken for a document unless the format of a table was named.
    """
    if without_compression_ending(path.lower()).endswith(".json"):
        return True
    if has_format or format_of_path(path) is not None or may_be_many(path):
        return False
    if path == STANDARD_INPUT:
        # What is peeked at stays there to be read; a closed standard input has nothing.
        peek = getattr(getattr(sys.stdin, "buffer", None), "peek", None)
        head = b"" if peek is None else peek(1)
    elif os.path.exists(path) and not os.path.isfile(path):
        return True
    else:
        with open_source(path, max_unpacked, most=1 << 18) as (_, head):
            pass
    return bool(head.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"))


def _is_standard_input(given: Comparable) -> bool:
    return isinstance(given, str | os.PathLike) and os.fspath(given) == STANDARD_INPUT


def _name_of_table(given: Comparable) -> str:
    return display_name(given) if isinstance(given, str | os.PathLike) else "a data frame"


def _rank_alike(data: Any, side: Side, reading: Mapping[str, Any], on_note: Callable[[Note], None]) -> Side:
    """Rank a table, or select its columns, with the target and the settings of the other side."""
    from probfs.api import calls

    settings, files = side.result.settings, side.input.unlabelled_sources
    known = plain(settings)
    strange = [name for name, value in side.settings.items() if value is not None and known.get(name) != value]
    problem = ""
    if isinstance(settings.model, UserEstimator) and settings.model.estimator is None:
        shown = shorten_middle(printable(settings.model.shown), 100)
        problem = f"was made in Python with {shown}, an object that no document holds; rank the other table with it"
    elif files and SCORES[settings.score].needs_unlabelled:
        rest = "which are not read again; rank the other table with probfs rank --unlabeled"
        problem = f"was ranked with the unlabelled rows of {listed(files)}, {rest}"
    if problem:
        raise DataError(f"{problem}, and compare the two results", source=side.document)
    if strange:
        problem = "is a setting that this version of probfs does not know, or not with the others"
        raise DataError(f"settings.{quoted(strange[0])} {problem}", source=side.document)
    # Settings that follow from others are no options.
    following = ("estimate", "step", "eliminate", "uncertainty", "screen") if side.kind == "selection" else ()
    left_out = ("model", *following, *(("step",) if settings.step is None else ()))
    keywords = {each.name: getattr(settings, each.name) for each in fields(settings) if each.name not in left_out}
    message = f"{_name_of_table(data)} is read with the target and the settings of {side.document}"
    on_note(NoteKind.SETTINGS_REUSED.note(message))

    def tell(note: Note) -> None:
        # Nobody has named the target here.
        named = note.code == NoteKind.TARGET.code
        on_note(note.reworded(f"target: {printable(side.input.target)} (as in {side.document})") if named else note)

    call: Callable[..., Any] = calls.rank if side.kind == "ranking" else calls.select
    try:
        result = call(data, target=side.input.target, classifier=settings.model, **keywords, **reading, on_note=tell)
    except UsageError as error:
        if any(str(error).startswith(option(name)) for name in reading):
            raise
        # It is no option of the user's that is wrong.
        problem = f"what was done there cannot be done with the other table: {error}"
        raise DataError(problem, source=side.document) from error
    return _side_of(result, result.input.source)
