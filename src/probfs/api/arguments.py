"""What calls of the library have in common: the arguments that say which columns there are, and unknown ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

from probfs.classifiers.registry import CLASSIFIERS
from probfs.classifiers.specification import known_options
from probfs.columns.limits import DEFAULT_BINS
from probfs.columns.roles import ColumnChoice
from probfs.ranking.settings import Settings
from probfs.text import did_you_mean, printable, typed_command


def refuse_unknown(call: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Refuse a keyword that is neither a parameter of a call nor an option of a classifier, as Python would."""
    known = [own.name for own, _ in known_options()]
    for name in options:
        if name not in known:
            parameters = [*signature(call).parameters, *known]
            problem = f"{call.__name__}() got an unexpected keyword argument {name!r}"
            raise TypeError(f"{problem}{did_you_mean(name, parameters)}")


def describe_call(call: Callable[..., Any], given: Mapping[str, Any]) -> str:
    """The command that was typed, or else the call in Python that writes a report: the arguments that are not their
    defaults, without listeners.
    """
    typed = typed_command()
    if typed is not None:
        return typed
    words = []
    for name, parameter in signature(call).parameters.items():
        value = given[name]
        if parameter.kind is parameter.VAR_KEYWORD:
            words += [f"{own}={_as_code(chosen, own)}" for own, chosen in value.items()]
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            words.append(_as_code(value, name))
        elif not name.startswith("on_") and not _is_default(value, parameter.default):
            words.append(f"{name}={_as_code(value, name)}")
    return f"probfs.{call.__name__}({', '.join(words)}).to_html('report.html')"


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, (str, int, float, tuple)) and value == default)


def _as_code(value: Any, name: str) -> str:
    """A value as it would be written; one that is too large to be written goes by the name of its parameter."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if value is None or isinstance(value, (str, int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)) and all(isinstance(own, (str, os.PathLike, int, float)) for own in value):
        return f"[{', '.join(_as_code(own, name) for own in value)}]"
    return name


def column_settings(
    *,
    mapping: str | os.PathLike[str] | None,
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
        "mapping": None if mapping is None else printable(os.fspath(mapping)),
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
        CLASSIFIERS[settings.classifier].takes_numbers,
        keep_identifiers=settings.keep_identifiers,
        missing=settings.options.get("missing") or "skip",
        cut_target=settings.cut_target,
        min_class=settings.min_class,
    )


def texts(names: str | Sequence[str]) -> tuple[str, ...]:
    """Names as texts: one name is a list of one, and a frame's columns may be called by numbers."""
    return (names,) if isinstance(names, str) else tuple(str(name) for name in names or ())


def _text(name: str | None) -> str | None:
    return None if name is None else str(name)
