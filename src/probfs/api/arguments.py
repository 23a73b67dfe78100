"""The arguments of a call: checked by what is declared of each, and sorted by what they concern."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import fields
from inspect import signature
from typing import Any

from probfs.api.options import (
    ABOUT_ROWS,
    CELLS,
    CLASSIFIER,
    ENGINE,
    FLAG,
    IN_PYTHON,
    OTHER_COLUMNS,
    READING,
    Group,
    plain_number,
)
from probfs.classifiers.options import check_value
from probfs.classifiers.unfitted import UnfittedClassifier
from probfs.errors import ProbfsWarning, TargetWarning, UsageError
from probfs.notes import Note, NoteKind
from probfs.ranking.inputs import InputRequest, choose_columns
from probfs.ranking.settings import SelectionSettings, Settings
from probfs.ranking.stages import Engine, LocalEngine
from probfs.ranking.story import WRITING_A_REPORT
from probfs.runtime.progress import listening
from probfs.tables.opening import STANDARD_INPUT, ReadOptions, display_name
from probfs.text import did_you_mean, mask_urls, option, printable, typed_command

_OF_CLASSIFIERS = CLASSIFIER.keys() - {"classifier"}
"""Options that are checked by the classifier."""
_LONGEST_LIST = 20
"""Values of a list that is written out in a report."""


def check_arguments(
    function: Callable[..., Any], declared: Group, given: Mapping[str, Any], further: Mapping[str, Any]
) -> dict[str, Any]:
    """What was said, converted; ``further`` are the keywords that go into ``**options``.

    None means that nothing was said, unless the default says something else.
    """
    parameters = signature(function).parameters
    known = [name for name in (*parameters, *declared, "categories") if name != "options"]
    for name in further:
        if name in _OF_CLASSIFIERS and name not in declared:
            raise UsageError(f"{option(name)} has no meaning for {function.__name__}; leave it out")
        if name not in known or name in IN_PYTHON.keys() - {"feature_names"}:
            problem = f"{function.__name__}() got an unexpected keyword argument {name!r}"
            raise TypeError(f"{problem}{did_you_mean(name, known)}")
    values = {}
    for name, value in {**given, **further}.items():
        if name not in declared or name in _OF_CLASSIFIERS:
            continue
        takes = declared[name].takes
        may_be_none = name not in parameters or parameters[name].default in (None, ())
        if value is not None or not may_be_none or takes is FLAG:
            values[name] = check_value(name, takes, value)
    return values


class Call:
    """One call of ``rank``, ``select`` or ``pairs``: its arguments, checked, and the engine that does the work."""

    def __init__(self, function: Callable[..., Any], declared: Group, given: Mapping[str, Any]) -> None:
        """``given`` are the local variables at the start of the function."""
        given = dict(given)
        options = given.pop("options")
        self._values = check_arguments(function, declared | ENGINE | IN_PYTHON, given, options)
        self._options = {name: value for name, value in options.items() if name not in (*READING, *CELLS, *IN_PYTHON)}
        """Those of the classifier."""
        self.on_note = self._values.get("on_note", warn_of)
        self.text = _describe(function, given, options) if self._values.get("report") else None
        """The call as users can write it again, where a report is to show it."""

    @property
    def settings(self) -> dict[str, Any]:
        """What goes into the settings of the result."""
        chosen = self._take(("classifier", *(each.name for each in fields(SelectionSettings))))
        mapping = chosen.get("mapping")
        if mapping is not None:
            shown = "<dict>" if isinstance(mapping, Mapping) else printable(mask_urls(os.fspath(mapping)))
            chosen["mapping"] = shown
        return {**chosen, "options": self._options}

    def _take(self, names: Iterable[str]) -> dict[str, Any]:
        return {name: self._values[name] for name in names if name in self._values}

    def request(self, settings: Settings) -> InputRequest:
        """What is to be read, and how."""
        given = self._values
        return InputRequest(
            given["data"],
            given.get("mapping"),
            ReadOptions(**self._take(READING)),
            choose_columns(settings.model, self._take((*CELLS, *OTHER_COLUMNS, *ABOUT_ROWS))),
            y=given.get("y"),
            feature_names=given.get("feature_names"),
            unlabelled=given.get("unlabeled"),
            every_column=self.text is not None,
        )

    @contextmanager
    def open_engine(self, settings: Settings) -> Iterator[Engine]:
        """The engine that the call names, while progress goes to whoever listens.

        On a cluster, models that need all rows are fitted here, by joblib's tasks there.
        """
        cluster = self._take(("scheduler", "workers"))
        listener = self._values.get("on_progress")
        with nullcontext() if listener is None else listening(listener):
            if self._values.get("engine", "local") == "local":
                for name in cluster:
                    raise UsageError(f"{option(name)} goes with {option('engine', 'dask')} only")
                yield LocalEngine()
                return
            from probfs.cluster.connection import connect
            from probfs.cluster.engine import ClusterEngine

            with connect(cluster.get("scheduler"), cluster.get("workers")) as connected:
                if settings.model.takes_blocks:
                    yield ClusterEngine(connected)
                else:
                    with connected.running_joblib():
                        yield LocalEngine()


def warn_of(note: Note) -> None:
    """Turn a warning into one of Python's, at the line that called the package; other notes are in the result.

    A target that nobody named is worth a warning, too, where nobody hears of it otherwise.
    """
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "probfs":
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]  # None at the end
    if note.code == NoteKind.TARGET_BY_DEFAULT.code:
        message = f"{note.message}; say so with {option('target', note.columns[0])}"
        warnings.warn(message, TargetWarning, stacklevel=level)
    elif note.is_warning:
        warnings.warn(note, ProbfsWarning, stacklevel=level)


def _describe(function: Callable[..., Any], given: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """The command that was typed, or else the call in Python that writes a report: the arguments that are not their
    defaults, without listeners.
    """
    # A command may have read the table already.
    data = given["data"][0] if isinstance(given["data"], list | tuple) and given["data"] else given["data"]
    source = data if isinstance(data, str) else getattr(data, "source", None)
    from_input = isinstance(source, str) and source in (STANDARD_INPUT, display_name(STANDARD_INPUT))
    typed = typed_command(reads_input=from_input)
    if typed is not None:
        return typed
    words = [_as_code(given["data"], "data")]
    parameters = signature(function).parameters
    for name, value in {**given, **options}.items():
        is_default = name in parameters and value is parameters[name].default
        if name != "data" and not name.startswith("on_") and not is_default:
            words.append(f"{name}={_as_code(value, name)}")
    return f"probfs.{function.__name__}({', '.join(words)}){WRITING_A_REPORT}"


def _as_code(value: Any, name: str) -> str:
    """A value as it would be written; one that is too large to be written goes by the name of its parameter."""
    value = plain_number(os.fspath(value) if isinstance(value, os.PathLike) else value)
    if value is None or isinstance(value, str | int | float):
        return repr(mask_urls(value) if isinstance(value, str) else value)
    if isinstance(value, UnfittedClassifier):
        return f"probfs.{value!r}"
    is_short = isinstance(value, list | tuple) and len(value) <= _LONGEST_LIST
    if is_short and all(isinstance(each, str | os.PathLike | int | float) for each in value):
        return f"[{', '.join(_as_code(each, name) for each in value)}]"
    return name
