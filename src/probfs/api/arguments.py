"""What calls of the library have in common: the arguments that say which columns there are, and unknown ones."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import signature
from typing import Any

from probfs.classifiers.catalogue import known_options
from probfs.classifiers.unfitted import UnfittedClassifier
from probfs.columns.choice import DEFAULT_BINS, ColumnChoice
from probfs.columns.prepare import PreparedTable
from probfs.errors import TargetWarning
from probfs.notes import Note
from probfs.ranking.settings import Settings
from probfs.ranking.story import WRITING_A_REPORT
from probfs.tables.opening import STANDARD_INPUT, display_name
from probfs.tables.reading import ReadOptions
from probfs.text import did_you_mean, option, printable, quoted, typed_command

_MOST_WRITTEN = 20
"""Values of a list that is written out."""

READING_KEYWORDS = {"input_format": "format"} | {
    name: name for name in ("delimiter", "decimal", "encoding", "max_unpacked", "union", "sheet", "skip_rows")
}
"""The keywords that say how a file is read, and what ``ReadOptions`` calls them."""


def split_reading(options: Mapping[str, Any]) -> tuple[ReadOptions, dict[str, Any]]:
    """The keywords that say how a file is read, and the other options."""
    reading = {own: options[name] for name, own in READING_KEYWORDS.items() if name in options}
    return ReadOptions(**reading), {name: value for name, value in options.items() if name not in READING_KEYWORDS}


def refuse_unknown(call: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Refuse a keyword that is neither a parameter of a call nor an option of a classifier, as Python would."""
    known = [*(name for name, _, _ in known_options()), "categories"]
    for name in options:
        if name not in known:
            parameters = [*signature(call).parameters, *known, *READING_KEYWORDS]
            problem = f"{call.__name__}() got an unexpected keyword argument {name!r}"
            raise TypeError(f"{problem}{did_you_mean(name, parameters)}")


def describe_call(call: Callable[..., Any], given: Mapping[str, Any]) -> str:
    """The command that was typed, or else the call in Python that writes a report: the arguments that are not their
    defaults, without listeners.
    """
    # A command may have read the table already.
    data = given["data"][0] if isinstance(given["data"], (list, tuple)) and given["data"] else given["data"]
    source = data if isinstance(data, str) else getattr(data, "source", None)
    from_input = isinstance(source, str) and source in (STANDARD_INPUT, display_name(STANDARD_INPUT))
    typed = typed_command(reads_input=from_input)
    if typed is not None:
        return typed
    words = []
    for name, parameter in signature(call).parameters.items():
        value = given[name]
        if parameter.kind is parameter.VAR_KEYWORD:
            words += [f"{own}={_as_code(chosen, own)}" for own, chosen in value.items()]
        elif parameter.default is parameter.empty:
            words.append(_as_code(value, name))
        elif not name.startswith("on_") and not _is_default(value, parameter.default):
            words.append(f"{name}={_as_code(value, name)}")
    return f"probfs.{call.__name__}({', '.join(words)}){WRITING_A_REPORT}"


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, (str, int, float, tuple)) and value == default)


def _as_code(value: Any, name: str) -> str:
    """A value as it would be written; one that is too large to be written goes by the name of its parameter."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if getattr(value, "ndim", None) == 0:
        # A number of numpy's.
        value = value.item()
    if value is None or isinstance(value, (str, int, float)):
        return repr(value)
    if isinstance(value, UnfittedClassifier):
        return f"probfs.{value!r}"
    is_list = isinstance(value, (list, tuple)) and len(value) <= _MOST_WRITTEN
    if is_list and all(isinstance(own, (str, os.PathLike, int, float)) for own in value):
        return f"[{', '.join(_as_code(own, name) for own in value)}]"
    return name


def column_settings(
    *,
    mapping: str | os.PathLike[str] | Mapping[str, Any] | None,
    count: str | None,
    na: str | Sequence[str],
    include: str | Sequence[str],
    exclude: str | Sequence[str],
    keep_identifiers: bool,
    cut_target: int | None,
    min_class: int,
) -> dict[str, Any]:
    """The settings that say which columns and cells are read."""
    return {
        "mapping": "<dict>" if isinstance(mapping, Mapping) else mapping and printable(os.fspath(mapping)),
        "count": _text(count),
        "na": texts(na),
        "include": texts(include),
        "exclude": texts(exclude),
        "keep_identifiers": bool(keep_identifiers),
        "cut_target": cut_target,
        "min_class": min_class,
    }


def column_choice(settings: Settings, target: str | None) -> ColumnChoice:
    """What the settings, and the name of the target, say of columns."""
    return ColumnChoice(
        _text(target),
        settings.count,
        settings.include,
        settings.exclude,
        settings.na,
        settings.options.get("bins") or DEFAULT_BINS,
        settings.model.takes_numbers,
        keep_identifiers=settings.keep_identifiers,
        missing=settings.options.get("missing") or "skip",
        cut_target=settings.cut_target,
        min_class=settings.min_class,
        # To all others an order says nothing, and the same cells as plain texts must give the same numbers.
        keep_category_order=settings.options.get("categories") in ("codes", "frame"),
    )


def texts(names: object) -> tuple[str, ...]:
    """Names as texts: one name is a list of one, and a frame's columns may be called by numbers."""
    if names is None:
        return ()
    # A tuple may be the name of a column, too, but here it is several names.
    return tuple(map(str, names)) if isinstance(names, Iterable) and not isinstance(names, str) else (str(names),)


def _text(name: str | None) -> str | None:
    return None if name is None else str(name)


def warn_unless(on_note: Callable[[Note], None] | None) -> Callable[[PreparedTable], None] | None:
    """What warns of a target that nobody named, unless notes are listened to: one of them says so already."""
    return _warn_of_assumed_target if on_note is None else None


def _warn_of_assumed_target(prepared: PreparedTable) -> None:
    target = prepared.target
    message = f"the target is {quoted(target.name)}, {target.reason}; say so with {option('target', target.name)}"
    warnings.warn(message, TargetWarning, stacklevel=_level_of_the_caller())


def _level_of_the_caller() -> int:
    """How far up the stack the line is that called the package, by whichever of its functions, as warnings count."""
    level, frame = 1, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "probfs":
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]  # None at the end
    return level
