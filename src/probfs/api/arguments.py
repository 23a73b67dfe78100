"""The arguments of a call: checked by one table, and sorted by what they concern."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import date
from inspect import signature
from numbers import Number
from typing import Any, Protocol

import numpy as np

from probfs.classifiers.catalogue import known_options
from probfs.classifiers.options import Choice, WholeNumber
from probfs.classifiers.unfitted import UnfittedClassifier
from probfs.columns.choice import DATE_ORDERS, DEFAULT_BINS, ColumnChoice
from probfs.errors import ProbfsWarning, TargetWarning, UsageError
from probfs.notes import Note, NoteKind
from probfs.ranking.inputs import InputRequest, Labels
from probfs.ranking.settings import ENGINES, Settings
from probfs.ranking.stages import Engine, LocalEngine
from probfs.ranking.story import WRITING_A_REPORT
from probfs.runtime.progress import listening
from probfs.tables.opening import STANDARD_INPUT, ReadOptions, display_name
from probfs.text import did_you_mean, mask_urls, option, printable, typed_command

READING: Mapping[str, Any] = {
    "feature_names": None,
    "na": (),
    "dates": None,
    "ignore_case": False,
    "delimiter": None,
    "decimal": None,
    "encoding": None,
    "max_unpacked": None,
    "input_format": None,
    "union": False,
    "sheet": None,
    "skip_rows": None,
    "no_header": False,
}
"""The keywords of ``read``, which ``rank`` and ``select`` pass on, with their defaults."""
_CELLS = ("na", "dates", "ignore_case")
"""Those that say what cells mean, once they are read."""
_OTHERS = ("include", "exclude", "keep_identifiers", "cut_target", "min_class", "join")
_COLUMN_SETTINGS = ("count", "group", *_CELLS, *_OTHERS)
_LONGEST_LIST = 20
"""Values of a list that is written out in a report."""


class _Check(Protocol):
    """What an argument must be. A value that is not is a ValueError that says what would be."""

    def check(self, value: Any) -> Any: ...


@dataclass(frozen=True)
class _Instance:
    """An object of some types, as it is or converted."""

    wanted: str
    types: Any
    convert: Callable[[Any], Any] = lambda value: value

    def check(self, value: Any) -> Any:
        if not isinstance(value, self.types):
            raise ValueError(f"{value!r} is not {self.wanted}")
        return self.convert(value)


class _Names:
    """One name or several; here a tuple is several, though it may be the name of a column, too."""

    def check(self, value: Any) -> tuple[str, ...]:
        names = (value,) if isinstance(value, str) or not isinstance(value, Iterable) else tuple(value)
        if isinstance(value, bytes) or not all(isinstance(name, _NAME_TYPES) for name in names):
            raise ValueError(f"{value!r} is neither a text nor a list of texts")
        return tuple(map(str, names))


_NAME_TYPES = (str, Number, date, tuple)
"""The columns of a frame may be called by numbers and dates."""
_TRUTH = _Instance("True or False", bool | np.bool_, bool)
_ENGINE = Choice(ENGINES)
_CHECKS: Mapping[str, _Check] = {
    **dict.fromkeys(
        ("eliminate", "ignore_case", "keep_identifiers", "no_header", "report", "screen", "uncertainty", "union"),
        _TRUTH,
    ),
    **dict.fromkeys(("target", "count", "group"), _Instance("the name of a column", _NAME_TYPES, str)),
    **dict.fromkeys(("include", "exclude", "always", "join", "na"), _Names()),
    **dict.fromkeys(("decimal", "delimiter", "encoding", "scheduler", "sheet"), _Instance("a text", str)),
    **dict.fromkeys(("max_unpacked", "workers"), WholeNumber(1)),
    **dict.fromkeys(("on_note", "on_progress"), _Instance("a function", Callable)),
    "dates": Choice(DATE_ORDERS),
    "engine": _ENGINE,
    "feature_names": _Instance("a list of names", Iterable),
    "mapping": _Instance("a path or a dictionary", str | os.PathLike | Mapping),
}
"""What the arguments of all calls must be. Other parameters are checked where their values are used: options of
classifiers and settings that have ranges, and what only readers of files know."""


def check_argument(name: str, value: Any) -> Any:
    """The value, converted, if the parameter takes it; None means that nothing was said."""
    check = _CHECKS.get(name)
    if check is None or (value is None and check not in (_TRUTH, _ENGINE)):
        return () if isinstance(check, _Names) else value
    try:
        return check.check(value)
    except ValueError as error:
        raise UsageError(f"{option(name)}: {error}") from None


class Call:
    """One call of ``rank`` or ``select``: its arguments, checked, and the engine that does the work."""

    def __init__(self, function: Callable[..., Any], given: Mapping[str, Any]) -> None:
        """``given`` are the local variables at the start of the function."""
        options = given["options"]
        _refuse_unknown(function, options)
        reading = {name: options.get(name, default) for name, default in READING.items()}
        arguments = {**given, **reading}
        self._values = {name: check_argument(name, value) for name, value in arguments.items()}
        self.options = {name: value for name, value in options.items() if name not in READING}
        """Those of the classifier."""
        self.on_note = self._values["on_note"] or warn_of
        self.text = _describe(function, given) if self._values["report"] else None
        """The call as users can write it again, where a report is to show it."""

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    @property
    def column_settings(self) -> dict[str, Any]:
        """The settings that say which columns and cells are used."""
        mapping = self["mapping"]
        shown = "<dict>" if isinstance(mapping, Mapping) else mapping and printable(mask_urls(os.fspath(mapping)))
        return {"mapping": shown, **{name: self[name] for name in _COLUMN_SETTINGS}}

    def request(self, settings: Settings) -> InputRequest:
        """What is to be read, and how."""
        options = settings.options
        choice = ColumnChoice(
            self["target"],
            settings.count,
            settings.include,
            settings.exclude,
            settings.na,
            options.get("bins") or DEFAULT_BINS,
            settings.model.takes_numbers,
            dates=settings.dates,
            ignore_case=settings.ignore_case,
            keep_identifiers=settings.keep_identifiers,
            missing=options.get("missing") or "skip",
            cut_target=settings.cut_target,
            min_class=settings.min_class,
            # To all others an order says nothing, and the same cells as plain texts must give the same numbers.
            keep_category_order=options.get("categories") in ("codes", "frame"),
            group=settings.group,
        )
        labels = Labels(self["y"], self["feature_names"])
        unlabelled = self._values.get("unlabeled")
        reading = read_options(self._values)
        return InputRequest(
            self["data"], unlabelled, self["mapping"], reading, choice, labels, every_column=self["report"]
        )

    @contextmanager
    def open_engine(self, settings: Settings) -> Iterator[Engine]:
        """The engine that the call names, while progress goes to whoever listens.

        On a cluster, models that need all rows are fitted here, by joblib's tasks there.
        """
        scheduler, workers, on_progress = self["scheduler"], self["workers"], self["on_progress"]
        with nullcontext() if on_progress is None else listening(on_progress):
            if self["engine"] == "local":
                for name, value in (("scheduler", scheduler), ("workers", workers)):
                    if value is not None:
                        raise UsageError(f"{option(name)} goes with {option('engine', 'dask')} only")
                yield LocalEngine()
                return
            from probfs.cluster.connection import connect
            from probfs.cluster.engine import ClusterEngine

            with connect(scheduler, workers) as cluster:
                if settings.model.takes_blocks:
                    yield ClusterEngine(cluster)
                else:
                    with cluster.running_joblib():
                        yield LocalEngine()


def read_options(values: Mapping[str, Any]) -> ReadOptions:
    """The checked keywords of ``read`` as readers take them; texts that mean missing are the columns' business."""
    return ReadOptions(**{name: values[name] for name in READING if name not in ("feature_names", *_CELLS)})


def _refuse_unknown(function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Refuse a keyword that is neither a parameter nor an option of a classifier, as Python would."""
    known = [*(name for name, _, _ in known_options()), "categories", *READING]
    for name in options:
        if name not in known:
            problem = f"{function.__name__}() got an unexpected keyword argument {name!r}"
            raise TypeError(f"{problem}{did_you_mean(name, [*signature(function).parameters, *known])}")


def warn_of(note: Note) -> None:
    """Turn a warning into one of Python's, at the line that called the package; other notes are in the result.

    A target that nobody named is worth a warning, too, where nobody hears of it otherwise.
    """
    if note.code == NoteKind.TARGET_BY_DEFAULT.code:
        message = f"{note.message}; say so with {option('target', note.columns[0])}"
        warnings.warn(message, TargetWarning, stacklevel=_caller_level())
    elif note.is_warning:
        warnings.warn(note, ProbfsWarning, stacklevel=_caller_level())


def _caller_level() -> int:
    """How far up the stack, as warnings count, the line is that called the package."""
    level, frame = 1, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "probfs":
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]  # None at the end
    return level


def _describe(function: Callable[..., Any], given: Mapping[str, Any]) -> str:
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
    words = []
    for name, parameter in signature(function).parameters.items():
        value = given[name]
        if parameter.kind is parameter.VAR_KEYWORD:
            words += [f"{keyword}={_as_code(chosen, keyword)}" for keyword, chosen in value.items()]
        elif parameter.default is parameter.empty:
            words.append(_as_code(value, name))
        elif not name.startswith("on_") and not _is_default(value, parameter.default):
            words.append(f"{name}={_as_code(value, name)}")
    return f"probfs.{function.__name__}({', '.join(words)}){WRITING_A_REPORT}"


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, str | int | float | tuple) and value == default)


def _as_code(value: Any, name: str) -> str:
    """A value as it would be written; one that is too large to be written goes by the name of its parameter."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if getattr(value, "ndim", None) == 0:
        # A number of numpy's.
        value = value.item()
    if value is None or isinstance(value, str | int | float):
        return repr(mask_urls(value) if isinstance(value, str) else value)
    if isinstance(value, UnfittedClassifier):
        return f"probfs.{value!r}"
    is_short = isinstance(value, list | tuple) and len(value) <= _LONGEST_LIST
    if is_short and all(isinstance(each, str | os.PathLike | int | float) for each in value):
        return f"[{', '.join(_as_code(each, name) for each in value)}]"
    return name
