"""The JSON of a ranking or selection, read back into data classes: anyone may have written it, so it is all checked."""

from __future__ import annotations

import json
import os
import types
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache
from math import inf
from typing import Any, Literal, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints

from probfs.classifiers.catalogue import USER_ESTIMATOR, UserEstimator, find_classifier
from probfs.classifiers.options import Choice, UnfittedClassifier, check_value
from probfs.classifiers.scores import SCORES
from probfs.errors import DataError, UsageError
from probfs.notes import Note, Severity
from probfs.ranking.settings import Settings
from probfs.tables.opening import display_name, open_source
from probfs.text import option, printable, quoted, shorten_middle, shown_bytes

Result = TypeVar("Result")

MOST_BYTES = 128 << 20
"""The JSON of 100,000 columns has about half of that."""
_VERSIONS = ("1", "2")
"""The versions of both schemas that are read; in the first, warnings are texts."""
_PLAIN = {str: "a text", bool: "true or false", int: "a whole number from 0 on", float: "a finite number"}
_LARGEST_NUMBER = 10**18
_LONGEST_PROBLEM = 300
_NOTE = {"message": str, "code": str, "severity": Severity, "columns": tuple[str, ...]}
_REMEDY = "write the file again with probfs rank or select, --format json"


class Document:
    """The content of a document; what is wrong with it is a DataError that names the file and the field."""

    def __init__(self, content: Any, kind: str, source: str) -> None:
        found = kind_of_document(content, source)
        if found != kind:
            raise DataError(f"is a {found}, not a {kind}", source=source)
        self._content: Mapping[str, Any] = content
        self._source = source

    def read(self, kind: type[Result], *names: str) -> Result:
        """A result made of some of its fields, if their content is of the right types."""
        hints = _hints_of(kind)  # type: ignore[arg-type]  # a class can be hashed
        try:
            return kind(**{name: _decode_field(hints[name], self._content, name, "") for name in names})
        except _MisfitError as error:
            self.fail(*error.args)

    def check(self, features: Iterable[Any], data: Any, rows: Mapping[str, int]) -> None:
        """Refuse a table without classes or rows, and features that are not those of one ranking: ranks other than
        1, 2, 3 …, a name that is there twice, and more features than there were. ``rows`` are those judged, by place.
        """
        if not data.classes:
            self.fail("input.classes", "has none")
        for name, number in {"input.labelled_rows": data.labelled_rows, **rows}.items():
            if number == 0:
                self.fail(name, "is 0")
        seen: set[str] = set()
        for place, feature in enumerate(features):
            if feature.rank != place + 1:
                self.fail(f"features[{place}].rank", f"is {feature.rank}, but the column is number {place + 1}")
            if feature.feature in seen:
                self.fail(f"features[{place}].feature", f"{quoted(feature.feature)} stands there twice")
            seen.add(feature.feature)
        if data.features < len(seen):
            self.fail("input.features", f"is {data.features}, but {len(seen)} are listed")

    def fail(self, place: str, problem: str) -> NoReturn:
        # A place may be the name of a class, and a problem may quote a value: both can hold anything.
        said = shorten_middle(printable(f"{place} {problem}"), _LONGEST_PROBLEM)
        raise DataError(f"{said}; {_REMEDY}", source=self._source)


def kind_of_document(content: Any, source: str) -> str:
    """Which of the two a document says that it is; a DataError if it is neither, or of an unknown version."""
    schema = content.get("schema") if isinstance(content, Mapping) else None
    if not isinstance(schema, str) or not schema.startswith("probfs."):
        raise DataError("is JSON, but not of probfs rank or probfs select", source=source)
    name, _, version = schema.removeprefix("probfs.").partition("/")
    if name not in ("ranking", "selection"):
        problem = f"is {quoted(schema)}, which is neither a ranking nor a selection"
        raise DataError(f"{problem}; name the JSON of probfs rank or select", source=source)
    if version not in _VERSIONS:
        problem = f"is {quoted(schema)}, which this version of probfs does not know"
        raise DataError(f"{problem}; it reads up to probfs.{name}/{_VERSIONS[-1]}", source=source)
    return name


def load_json(given: str | os.PathLike[str]) -> tuple[Any, str]:
    """The content of a JSON text, or of the file that a path object leads to; and what messages call it."""
    if isinstance(given, str):
        return _parse_json(given, "<json>"), "<json>"
    if not isinstance(given, os.PathLike):
        raise UsageError(f"{option('json')}: {given!r} is neither a text nor a path object")
    return read_json(given), display_name(given)


def read_json(path: str | os.PathLike[str], max_unpacked: int | None = None) -> Any:
    """The content of a JSON file, compressed or not."""
    source = display_name(path)
    with open_source(path, max_unpacked) as (stream, _):
        content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise DataError(f"is larger than {shown_bytes(MOST_BYTES)}; is it a ranking or selection?", source=source)
    if not content.strip():
        raise DataError("is empty", source=source)
    try:
        return _parse_json(content.decode(), source)
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 near byte {error.start}, as JSON must be", source=source) from error


def _parse_json(text: str, source: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(constant)

    try:
        content = json.loads(text.removeprefix("\ufeff"), parse_constant=refuse)
        if "\\ud" in text.lower():
            json.dumps(content, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        problem = f"is not JSON: {error.msg[:1].lower()}{error.msg[1:]}; is the file cut off?"
        raise DataError(problem, source=source, line=error.lineno, column=error.colno) from error
    except (ValueError, RecursionError) as error:
        what = "NaN or infinity, a number of thousands of digits, half of a character, or lists in a thousand lists"
        raise DataError(f"is not JSON of probfs: it holds {what}", source=source) from error
    return content


class _MisfitError(Exception):
    """Where a value is that is not of the type wanted, and what is wrong with it."""


def _decode(kind: Any, value: Any, place: str) -> Any:
    """A value of JSON as a type has it that a field of a result can be of."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in _PLAIN:
        return _decode_plain(kind, value, place)
    if kind is Note:
        plain = {"message": value, "code": "unknown", "severity": "warning", "columns": ()}
        content = plain if isinstance(value, str) else value
        return Note(**{key: _decode_field(each, content, key, place) for key, each in _NOTE.items()})
    if origin in (Union, types.UnionType):
        if value is None and type(None) in inner:
            return None
        *others, last = [each for each in inner if each is not type(None)]
        for each in others:
            with suppress(_MisfitError):
                return _decode(each, value, place)
        return _decode(last, value, place)
    if origin is Literal:
        if value not in inner:
            shown = f"is {quoted(value)}, " if isinstance(value, str) else "is "
            raise _MisfitError(place, f"{shown}not one of {', '.join(inner)}")
        return value
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise _MisfitError(place, "is not a list")
        return tuple([_decode(inner[0], item, f"{place}[{number}]") for number, item in enumerate(value)])
    if not isinstance(value, Mapping):
        raise _MisfitError(place, "is not an object")
    if not (isinstance(kind, type) and is_dataclass(kind)):
        return {_decode(str, key, place): _decode(inner[1], item, f"{place}.{key}") for key, item in value.items()}
    given = {"model": _find_model(value, place)} if issubclass(kind, Settings) else {}
    hints = _hints_of(kind)
    for each in fields(kind):
        has_default = each.default is not MISSING or each.default_factory is not MISSING
        if each.name not in given and not (has_default and each.name not in value):
            given[each.name] = _decode_field(hints[each.name], value, each.name, place)
    return kind(**given)


@cache
def _hints_of(kind: Any) -> dict[str, Any]:
    """The types of all fields; what only a report needs is never read."""
    return get_type_hints(kind, localns={"Background": object})


def _decode_field(kind: Any, content: Any, key: str, place: str) -> Any:
    if not isinstance(content, Mapping):
        raise _MisfitError(place, "is not an object")
    inside = f"{place}." if place else ""
    group, _, rest = key.partition("_")
    if key not in content and isinstance(content.get(group), Mapping):
        # The initial scores of a feature are an object of their own.
        content, inside, key = content[group], f"{inside}{group}.", rest
    if key not in content:
        raise _MisfitError(f"{inside}{key}", "is missing")
    return _decode(kind, content[key], f"{inside}{key}")


def _decode_plain(kind: Any, value: Any, place: str) -> Any:
    if kind is float and value is None:
        # JSON has no number that is not finite, and null instead.
        return inf
    fits = isinstance(value, kind)
    if kind in (int, float):
        fits = isinstance(value, int | kind) and not isinstance(value, bool) and abs(value) <= _LARGEST_NUMBER
        fits = fits and (kind is float or value >= 0)
    if not fits:
        raise _MisfitError(place, f"is not {_PLAIN[kind]}")
    return kind(value)


def _find_model(settings: Mapping[str, Any], place: str) -> UnfittedClassifier:
    """The classifier that settings name, with its options; those of others do not matter."""
    name, score = (_decode_field(str, settings, key, place) for key in ("classifier", "score"))
    try:
        check_value("score", Choice(tuple(SCORES)), score)
        if name == USER_ESTIMATOR:
            found: Any = UserEstimator(shown=_decode_field(str, settings, "estimator", place))
        else:
            found = find_classifier(name)
        given = {each: settings.get(each) for each, declared in found.options().items() if declared.recorded}
        model: UnfittedClassifier = replace(found, **given)
    except UsageError as error:
        raise _MisfitError(place, f"are wrong: {error}") from None
    return model
