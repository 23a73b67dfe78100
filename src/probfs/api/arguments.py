"""The arguments of a call: checked against their declarations, and passed on to the settings that they belong to."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from inspect import signature
from typing import Any, TypeVar

from probfs.api.options import ABOUT_ROWS, CELLS, CLASSIFIER, ENGINE, FLAG, IN_PYTHON, OTHER_COLUMNS, READING, Group
from probfs.classifiers.options import check_value
from probfs.errors import ProbfsWarning, TargetWarning, UsageError
from probfs.notes import Note, NoteKind
from probfs.ranking.inputs import InputRequest, choose_columns
from probfs.ranking.settings import SelectionSettings, Settings
from probfs.ranking.stages import Engine, LocalEngine
from probfs.runtime.progress import listening
from probfs.tables.opening import ReadOptions
from probfs.text import did_you_mean, mask_urls, option, printable

Chosen = TypeVar("Chosen", bound=Settings)
_OF_CLASSIFIERS = CLASSIFIER.keys() - {"classifier"}
"""Options that are checked by the classifier."""


def check_arguments(
    function: Callable[..., Any], declared: Group, given: Mapping[str, Any], further: Mapping[str, Any]
) -> dict[str, Any]:
    """The given arguments, converted; ``further`` are the keywords that go into ``**options``.

    None means that an argument was not given, unless its default is another value.
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


@contextmanager
def prepare(
    function: Callable[..., Any], declared: Group, given: Mapping[str, Any], choose: Callable[..., Chosen]
) -> Iterator[tuple[Engine, InputRequest, Chosen, Callable[[Note], None]]]:
    """What ``rank``, ``select`` or ``pairs`` works with: engine, inputs, settings and who hears of notes.

    ``given`` are the local variables at the start of the function. While the engine is open, progress is reported to
    ``on_progress``.
    """
    given = dict(given)
    options = given.pop("options")
    values = check_arguments(function, declared | ENGINE | IN_PYTHON, given, options)

    def take(names: Iterable[str]) -> dict[str, Any]:
        return {name: values[name] for name in names if name in values}

    chosen = take(("classifier", *(each.name for each in fields(SelectionSettings))))
    mapping = values.get("mapping")
    if mapping is not None:
        chosen["mapping"] = "<dict>" if isinstance(mapping, Mapping) else printable(mask_urls(os.fspath(mapping)))
    of_classifier = {name: value for name, value in options.items() if name not in (*READING, *CELLS, *IN_PYTHON)}
    settings = choose(**chosen, options=of_classifier)
    request = InputRequest(
        values["data"],
        mapping,
        ReadOptions(**take(READING)),
        choose_columns(settings.model, take((*CELLS, *OTHER_COLUMNS, *ABOUT_ROWS))),
        y=values.get("y"),
        feature_names=values.get("feature_names"),
        unlabelled=values.get("unlabeled"),
        every_column=bool(values.get("report")),
        load_ahead=settings.model.load_ahead,
    )
    rest = request, settings, values.get("on_note", warn_of)
    cluster, listener = take(("scheduler", "workers")), values.get("on_progress")
    with listening(listener):
        if values.get("engine", "local") == "local":
            for name in cluster:
                raise UsageError(f"{option(name)} goes with {option('engine', 'dask')} only")
            yield LocalEngine(), *rest
            return
        from probfs.cluster.connection import connect
        from probfs.cluster.engine import ClusterEngine

        with connect(cluster.get("scheduler"), cluster.get("workers")) as connected:
            if settings.model.takes_blocks:
                yield ClusterEngine(connected), *rest
            else:
                # Models that need all rows are fitted here, by joblib's tasks there.
                with connected.running_joblib():
                    yield LocalEngine(), *rest


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
