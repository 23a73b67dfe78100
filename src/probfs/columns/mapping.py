"""The mapping: what to predict, what to leave out, what means missing, and a rule for some of the columns.

It is a TOML file, or a dictionary of the same content. Whatever is unknown, misspelt or contradictory in it is an error
that names file, line and column.
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from probfs.columns.choice import MISSING_IN_A_COLUMN, MOST_BINS
from probfs.columns.rules import (
    ORDERINGS,
    Among,
    Category,
    Cut,
    Frequent,
    Groups,
    Numeric,
    Ordering,
    Quantiles,
    Rule,
    Widths,
    scale_of,
    speaks_of_texts,
)
from probfs.errors import MappingError
from probfs.tables.arrays import text_array
from probfs.tables.cells import Kind
from probfs.tables.column import numbers_of
from probfs.text import did_you_mean, mask_urls, printable, quoted

MOST_BYTES = 32 << 20
_TOP_KEYS = ("target", "drop", "missing", "together", "columns")
_COMPARISON = re.compile(r"(<=|>=|==|!=|<|>|=)\s*(.*)", re.DOTALL)
_MEMBERSHIP = re.compile(r"in\s*(\[.*\])", re.DOTALL)
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?")
_WORDS: Mapping[str, Rule] = {
    "category": Category(),
    "number": Numeric(),
    "numeric": Numeric(),
    "date": Numeric(scale=Kind.DATE),
}
_TABLE_KEYS = ("cut", "quantiles", "widths", "groups", "min_count", "other")
_MOST_COUNTED = 2**53
_MOST_DOTS = 64
"""tomllib takes time and memory quadratic in the dots of a key: 6 GB for 80 KB of them."""


@dataclass(frozen=True)
class ColumnMapping:
    """The content of a mapping."""

    source: str = ""
    target: str | None = None
    drop: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    together: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The columns of groups, as their names or patterns of names."""
    columns: Mapping[str, Rule] = field(default_factory=dict)
    missing_cells: Mapping[str, str] = field(default_factory=dict)
    """For some columns, whether a missing cell counts as a value: ``skip`` or ``value``."""
    text: str = field(default="", repr=False)

    def check_names(self, names: Iterable[str], table: str, left_out: Collection[str] = ()) -> None:
        """Refuse the first column that is named here and is not in the table; one already left out may be dropped."""
        known = dict.fromkeys(names)
        wanted = [("target", name) for name in (self.target,) if name is not None]
        wanted += [("drop", name) for name in self.drop if name not in left_out]
        wanted += [("columns", name) for name in (*self.columns, *self.missing_cells)]
        for key, name in wanted:
            if name not in known:
                raise self.error(f"{key}: no column {quoted(name)} in {table}{did_you_mean(name, known)}", name)

    def error(self, problem: str, key: str) -> MappingError:
        """What is wrong with the mapping, with the line on which a key stands."""
        return MappingError(problem, source=self.source, line=_line_of(self.text, key))

    def is_numeric(self, name: str) -> bool:
        """Whether a column is to be numbers as they are."""
        return isinstance(self.columns.get(name), Numeric)

    def columns_of_texts(self) -> list[str]:
        """The columns whose rule speaks of texts as the file has them, or of dates, which may be mere digits."""
        return [name for name, rule in self.columns.items() if speaks_of_texts(rule) or scale_of(rule) is Kind.DATE]


def load_mapping(mapping: str | os.PathLike[str] | Mapping[str, Any] | None) -> ColumnMapping:
    """Read and check a mapping: a file, or a dictionary of what a file would hold."""
    if mapping is None:
        return ColumnMapping()
    if isinstance(mapping, Mapping):
        return _check_document(mapping, "mapping", "")
    source = printable(mask_urls(os.fspath(mapping)))
    try:
        with open(mapping, "rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise MappingError(f"cannot be read: {reason.lower()}", source=source) from error
    if len(content) > MOST_BYTES:
        raise MappingError(f"is larger than {MOST_BYTES >> 20} MiB; is it a mapping?", source=source)
    return parse_mapping(content, source)


def parse_mapping(content: bytes, source: str = "mapping") -> ColumnMapping:
    """Check the text of a mapping file and make its rules."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line: int | None = content.count(b"\n", 0, error.start) + 1
        raise MappingError("is not UTF-8, as TOML must be; save it as UTF-8", source=source, line=line) from error
    for number, line_text in enumerate(text.split("\n"), 1):
        if re.split("[\"'#=,]", line_text, maxsplit=1)[0].count(".") > _MOST_DOTS:
            problem = f"a key has more than {_MOST_DOTS} dotted parts; quote it if it is one name"
            raise MappingError(problem, source=source, line=number)
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Integers of thousands of digits, and lists nested thousands deep, have no place.
        problem, _, place = str(error).removesuffix(")").partition(" (at ")
        found = re.fullmatch(r"line (\d+), column (\d+)", place)
        at_end = text.count("\n") + 1 if place else None
        line, position = (int(found[1]), int(found[2])) if found else (at_end, None)
        problem = f"TOML: {problem[:1].lower()}{problem[1:]}"
        raise MappingError(problem, source=source, line=line, column=position) from error
    return _check_document(document, source, text)


class _RefusedError(Exception):
    """What is wrong with a mapping; ``key`` stands on the line of it."""

    def __init__(self, problem: str, key: str = "") -> None:
        super().__init__(problem)
        self.key = key


def _check_document(document: Mapping[str, Any], source: str, text: str) -> ColumnMapping:
    try:
        return _read_document(document if text else _as_in_toml(document), source, text)
    except _RefusedError as error:
        raise MappingError(str(error), source=source, line=_line_of(text, error.key)) from None


def _read_document(document: Mapping[str, Any], source: str, text: str) -> ColumnMapping:
    for key in document:
        if key not in _TOP_KEYS:
            raise _RefusedError(f"unknown key {quoted(key)}{did_you_mean(key, _TOP_KEYS)}", key)
    target, columns, groups = document.get("target"), document.get("columns", {}), document.get("together", {})
    if target is not None and not isinstance(target, str):
        raise _RefusedError("target must be a column's name, in quotes", "target")
    if not isinstance(columns, Mapping):
        raise _RefusedError("columns must be a table: put the rules under [columns]", "columns")
    if not isinstance(groups, Mapping):
        problem = 'together must be a table: put groups like colour = ["colour_*"] under [together]'
        raise _RefusedError(problem, "together")
    drop, missing = (_texts(document.get(key, []), f"{key}:", key) for key in ("drop", "missing"))
    for name in drop:
        if name in columns or name == target:
            what = "dropped and given a rule" if name in columns else "the target and dropped"
            raise _RefusedError(f"column {quoted(name)} is both {what}; keep one of the two", name)
    together = {
        group: _texts([named] if isinstance(named, str) else named, f"group {quoted(group)}", group)
        for group, named in groups.items()
    }
    rules: dict[str, Rule] = {}
    missing_cells: dict[str, str] = {}
    for name, value in columns.items():
        if name in _TOP_KEYS and isinstance(value, list):
            raise _RefusedError(f"{name} stands below [columns] and is taken for a column; move it to the top", name)
        rest = value
        try:
            if isinstance(value, Mapping) and "missing" in value:
                if value["missing"] not in MISSING_IN_A_COLUMN:
                    raise _RefusedError('missing must be "skip" or "value"')
                missing_cells[name] = value["missing"]
                rest = {key: part for key, part in value.items() if key != "missing"}
            # A column may be there for its missing cells alone.
            if rest or name not in missing_cells:
                rules[name] = _rule(rest)
        except _RefusedError as error:
            raise _RefusedError(f"column {quoted(name)}: {error}", name) from None
    return ColumnMapping(source, target, drop, missing, together, rules, missing_cells, text)


# Rules


def _rule(value: Any) -> Rule:
    if isinstance(value, Mapping):
        return _rule_from_table(value)
    if not isinstance(value, str):
        raise _RefusedError('a rule is text like "<= 5" or a table like { cut = [1, 2] }')
    text = value.strip()
    if text in _WORDS:
        return _WORDS[text]
    comparison, membership = _COMPARISON.fullmatch(text), _MEMBERSHIP.fullmatch(text)
    if comparison:
        return _compare(comparison[1], comparison[2])
    if not membership:
        hint = did_you_mean(text, [*_WORDS, "in [...]"]) if text.isalpha() else ""
        known = '; write "category", "number", "date", a comparison (<= < > >= == !=) or "in [...]"'
        raise _RefusedError(f"rule {quoted(text)} is not understood{hint or known}")
    texts, numbers = _literals(membership[1])
    if not texts:
        raise _RefusedError("the list after 'in' is empty")
    return Among(texts, numbers)


def _compare(symbol: str, operand: str) -> Rule:
    if symbol == "=":
        meant = {"<": "<=", ">": ">="}.get(operand[:1], "==")
        raise _RefusedError(f"'=' is not a comparison; did you mean '{meant}'?")
    if not operand:
        raise _RefusedError(f'{symbol} needs something to compare with, as in "{symbol} 5"')
    position = _position(operand)
    if symbol in ORDERINGS:
        if position is None:
            raise _RefusedError(f"{symbol} needs a number or an ISO date, not {quoted(operand)}")
        return Ordering(symbol, position[1], position[0])
    if operand[0] in "\"'":
        texts, _ = _literals(f"[{operand}]")
        if len(texts) != 1:
            raise _RefusedError(f"{symbol} takes one value; use 'in [...]' for several")
        (operand,) = texts
    scale, numbers = (Kind.NUMBER, ()) if position is None else (position[0], (position[1],))
    return Among((operand,), numbers, scale, negated=symbol == "!=")


def _literals(listing: str) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The texts of a list like [1, "red"], and the numbers among them."""
    try:
        document = tomllib.loads(f"items = {listing}")
    except (ValueError, RecursionError):
        document = {}
    if list(document) != ["items"]:
        raise _RefusedError(f'{quoted(listing)} is not a list; write it like [1, 2] or ["a", "b"]')
    items = document["items"]
    if not _are_texts(items):
        raise _RefusedError(f"{quoted(listing)} may hold only numbers and quoted texts")
    numbers = (_position(str(item)) for item in items if not isinstance(item, str))
    return _texts(items), tuple(number[1] for number in numbers if number is not None)


def _rule_from_table(table: Mapping[str, Any]) -> Rule:
    for key in table:
        if key not in _TABLE_KEYS:
            raise _RefusedError(f"unknown key {quoted(key)}{did_you_mean(key, [*_TABLE_KEYS, 'missing'])}")
    kinds, other = [key for key in table if key != "other"], table.get("other")
    if len(kinds) != 1:
        found = " and ".join(kinds) or "none"
        raise _RefusedError(f"needs one of cut, quantiles, widths, groups, min_count; found {found}")
    kind, value = kinds[0], table[kinds[0]]
    if "other" in table and kind not in ("groups", "min_count"):
        raise _RefusedError(f"'other' goes with groups and min_count, not with {kind}")
    if other is not None and not isinstance(other, str):
        raise _RefusedError("other must be a name, in quotes")
    if kind == "groups":
        return _groups(value, other)
    if kind == "cut":
        given = value if isinstance(value, list) and not any(isinstance(point, str) for point in value) else []
        points = [point for point in map(_position, map(str, given)) if point is not None]
        if not points or len(points) < len(given) or len({scale for scale, _ in points}) > 1:
            raise _RefusedError("cut must be a list of numbers, or of dates, like [18, 30, 65]")
        if not all(low < high for (_, low), (_, high) in pairwise(points)):
            raise _RefusedError("cut points must grow from left to right")
        return Cut(tuple(point for _, point in points), points[0][0])
    most = _MOST_COUNTED if kind == "min_count" else MOST_BINS
    if isinstance(value, bool) or not isinstance(value, int) or not 2 <= value <= most:
        limits = "of rows, 2 or more" if kind == "min_count" else f"from 2 to {most}"
        raise _RefusedError(f"{kind} must be a whole number {limits}")
    if kind == "min_count":
        return Frequent(value, other)
    return Quantiles(value) if kind == "quantiles" else Widths(value)


def _groups(value: Any, other: str | None) -> Rule:
    if not isinstance(value, Mapping) or not value:
        raise _RefusedError('groups must be a table of lists, like { warm = ["red"] }')
    groups: dict[str, tuple[str, ...]] = {}
    group_of: dict[str, str] = {}
    for group, members in value.items():
        if members == []:
            raise _RefusedError(f"group {quoted(group)} is empty")
        groups[group] = _texts(members, f"group {quoted(group)}")
        for member in groups[group]:
            if group_of.setdefault(member, group) != group:
                both = f"{quoted(group_of[member])} and {quoted(group)}"
                raise _RefusedError(f"value {quoted(member)} is in two groups, {both}")
    return Groups(groups, other)


# Values


def _texts(items: Any, what: str = "", key: str = "") -> tuple[str, ...]:
    """A list of texts; numbers are taken as the text a cell would hold."""
    if not _are_texts(items):
        raise _RefusedError(f'{what} must be a list of texts, like ["a", "b"]', key)
    try:
        return tuple(str(item) for item in items)
    except ValueError:
        # Thousands of digits, written as hexadecimal.
        raise _RefusedError("a number is too long to be read", key) from None


def _are_texts(items: Any) -> bool:
    """Whether this is a list of texts and numbers."""
    return isinstance(items, list) and all(
        isinstance(item, (str, int, float)) and not isinstance(item, bool) for item in items
    )


def _position(text: str) -> tuple[Kind, float] | None:
    """A number, or an ISO date with or without a time as seconds since 1970; None for anything else."""
    if _ISO_DATE.fullmatch(text):
        seconds = numbers_of(text_array([text]), Kind.DATE)
        return None if seconds is None else (Kind.DATE, float(seconds[0]))
    try:
        number = float(text)
    except ValueError:
        return None
    return (Kind.NUMBER, number) if math.isfinite(number) and "_" not in text else None


# Documents


def _as_in_toml(value: Any) -> Any:
    """A part of a dictionary as a TOML file would give it; what no file can hold is refused."""
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise _RefusedError(f'{quoted(str(key))} is not text; write it in quotes, as "{printable(str(key))}"')
        return {_as_in_toml(key): _as_in_toml(rest) for key, rest in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_in_toml(item) for item in value]
    if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        raise _RefusedError(f"{quoted(value)} is not valid Unicode")
    # Numbers and arrays of numpy.
    return value.tolist() if hasattr(value, "tolist") else value


def _line_of(text: str, key: str) -> int | None:
    """The line on which a key is set, or else first named; tomllib keeps no positions, so this searches the text."""
    name = re.escape(key)
    forms = (rf"^\s*(?:{name}|\"{name}\"|'{name}')\s*[=.]", rf"^\s*\[[^]\n]*{name}[\"']?\s*\]", rf"[\"']{name}[\"']")
    for form in forms:
        found = re.search(form, text, re.MULTILINE)
        if found:
            # The leading \s* may have crossed blank lines: count up to the last character of the match.
            return text.count("\n", 0, found.end() - 1) + 1
    return None
