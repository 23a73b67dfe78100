"""Ranking, or selecting from, a table as a document says that another one was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from probfs.classifiers.catalogue import CLASSIFIERS, USER_ESTIMATOR, known_options
from probfs.comparison.documents import ComparedRanking
from probfs.comparison.json_fields import Fields
from probfs.comparison.sources import document_of, name_of_table
from probfs.errors import DataError, UsageError
from probfs.notes import Note, NoteKind
from probfs.ranking.settings import AUTO_STEP
from probfs.text import listed, printable, quoted, shorten_middle

_FLAGS = ("keep_identifiers", "eliminate", "uncertainty")
_NAMES = ("mapping", "count", "estimate")
"""Texts, or null."""
_LISTS = ("na", "include", "exclude", "always")
_NUMBERS = ("cut_target", "min_class", "seed", "folds", "step", "false_discoveries")
"""Numbers, or null; whether they are in range is checked where they are used."""
_FOLLOWING = ("estimate", "step", "eliminate", "uncertainty")
"""Settings of a selection that follow from others: its callers have no such choice."""
_SELECTING = ("false_discoveries", "keep", "always")
_LONGEST_ESTIMATOR = 100


def rank_alike(
    data: Any,
    document: ComparedRanking,
    reading: Mapping[str, Any],
    on_note: Callable[[Note], None] | None = None,
) -> ComparedRanking:
    """Rank a table, or select its columns, with the target and the settings of a document.

    ``reading`` says how the table is read, in the keywords of ``probfs.rank``. Every setting is checked as if a user
    had given it, since anyone may have written the file.
    """
    from probfs import api

    call: Callable[..., Any] = api.rank if document.kind == "ranking" else api.select
    keywords = settings_as_keywords(document)
    if on_note is not None:
        message = f"{name_of_table(data)} is read with the target and the settings of {document.source}"
        on_note(NoteKind.SETTINGS_REUSED.note(message))
    try:
        result = call(data, target=document.target, **keywords, **reading, on_note=on_note)
    except UsageError as error:
        # It is no option of the user's that is wrong.
        problem = f"what was done there cannot be done with the other table: {error}"
        raise DataError(problem, source=document.source) from error
    return document_of(result, result.input.source)


def settings_as_keywords(document: ComparedRanking) -> dict[str, Any]:
    """The settings of a document as keywords of ``probfs.rank`` or ``probfs.select``, their types checked."""
    fields = Fields(dict(document.settings), document.source, "settings")
    _refuse_user_estimator(document)
    options = [name for name, declared, _ in known_options() if declared.recorded]
    unselected = _SELECTING if document.kind == "ranking" else ()
    known = {"classifier", "score", "keep", *_FLAGS, *_NAMES, *_LISTS, *_NUMBERS, *options}.difference(unselected)
    for name, value in document.settings.items():
        if name not in known and value is not None:
            fields.fail(quoted(name), "is a setting that this version of probfs does not know")
    _refuse_unread_rows(document)
    keywords = {name: _checked(fields, name) for name in document.settings if name in known}
    if fields.text("classifier") not in CLASSIFIERS.names():
        fields.fail(
            "classifier", f"is {quoted(fields.text('classifier'))}, not one of {', '.join(CLASSIFIERS.names())}"
        )
    left_out = _FOLLOWING if document.kind == "selection" else ("step",) if keywords.get("step") is None else ()
    return {name: value for name, value in keywords.items() if name not in left_out}


def _checked(fields: Fields, name: str) -> Any:
    """A setting, if its type can be right."""
    value = fields.get(name)
    if name in _FLAGS:
        return fields.flag(name)
    if name in _LISTS:
        return fields.texts(name)
    if value is None or (name == "step" and value == AUTO_STEP):
        return value
    if name in _NUMBERS:
        return value if isinstance(value, int) and not isinstance(value, bool) else fields.number_or_none(name)
    if name in _NAMES and "\0" in fields.text(name):
        fields.fail(name, "holds a character that no name has")
    if isinstance(value, list):
        fields.fail(name, "is a list")
    return value


def _refuse_user_estimator(document: ComparedRanking) -> None:
    """Refuse to rank by a user's estimator, of which the document has only the text that Python shows."""
    if document.settings.get("classifier") == USER_ESTIMATOR:
        shown = shorten_middle(printable(str(document.settings.get("estimator") or "an estimator")), _LONGEST_ESTIMATOR)
        problem = f"was made in Python with {shown}, an object that no document holds"
        call = "probfs.rank" if document.kind == "ranking" else "probfs.select"
        remedy = f"call {call} for the other table with the same object, and compare the two results"
        raise DataError(f"{problem}; {remedy}", source=document.source)


def _refuse_unread_rows(document: ComparedRanking) -> None:
    """Refuse to rank by unlabelled rows of other files, which the document only names."""
    if document.unlabelled_sources and document.score.needs_unlabelled:
        files = listed(document.unlabelled_sources)
        problem = f"was ranked with the unlabelled rows of {files}, which are not read again"
        remedy = "rank the other table with probfs rank --unlabeled, and compare the two documents"
        raise DataError(f"{problem}; {remedy}", source=document.source)
