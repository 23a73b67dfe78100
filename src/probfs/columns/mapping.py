"""The mapping: what to predict, what to leave out, what means missing, and a rule for some of the columns.

It is a TOML file, or a dictionary of the same content. Whatever is unknown, misspelt or contradictory in it is an error
that names file, line and column.
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from typing import Any, NoReturn

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
    speaks_of_texts,
)
from probfs.errors import MappingError
from probfs.tables.arrays import parse_moments, text_array
from probfs.tables.cells import Kind
from probfs.text import did_you_mean, printable, quoted

MOST_BYTES = 4 << 20
_TOP_KEYS = ("target", "drop", "missing", "columns")
_COMPARISON = re.compile(r"(<=|>=|==|!=|<|>|=)\s*(.*)", re.DOTALL)
_MEMBERSHIP = re.compile(r"in\s*(\[.*\])", re.DOTALL)
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?")
_WORDS: Mapping[str, Rule] = {"category": Category(), "numeric": Numeric()}
_INTERVAL_RULES: Mapping[str, Callable[[int], Rule]] = {"quantiles": Quantiles, "widths": Widths}
_TABLE_KEYS = ("cut", *_INTERVAL_RULES, "groups", "min_count", "other")
_MOST_COUNTED = 2**53
_TEXT_OR_COMMENT = re.compile(
    rb'"""(?:\\.|[^\\])*?"""|' rb"'''.*?'''|" rb'"(?:\\.|[^"\\\n])*"|' rb"'[^'\n]*'|#[^\n]*", re.DOTALL
)
_LONG_DOTTED_KEY = re.compile(rb"(?<![\w-])(?:[\w-]+[ \t]*\.[ \t]*){64}")
"""tomllib needs quadratic time and memory in the length of a dotted key."""
_LONGEST_KEY = 1_000
"""The line of a longer key is not searched for."""


@dataclass(frozen=True)
class ColumnMapping:
    """The content of a mapping."""

    source: str = ""
    target: str | None = None
    drop: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
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
                problem = f"{key}: no column {quoted(name)} in {table}{did_you_mean(name, known)}"
                raise MappingError(problem, source=self.source, line=_line_of(self.text, name))

    def is_numeric(self, name: str) -> bool:
        """Whether a column is to be numbers as they are."""
        return isinstance(self.columns.get(name), Numeric)

    def columns_of_texts(self) -> list[str]:
        """The columns whose rule names texts as the file has them."""
        return [name for name, rule in self.columns.items() if speaks_of_texts(rule)]


def load_mapping(mapping: str | os.PathLike[str] | Mapping[str, Any] | None) -> ColumnMapping:
    """Read and check a mapping: a file, or a dictionary of what a file would hold."""
    if mapping is None:
        return ColumnMapping()
    if isinstance(mapping, Mapping):
        reader = _RuleReader("mapping", "")
        return _read_document(_as_in_toml(mapping, reader), reader)
    source = printable(os.fspath(mapping))
    try:
        with open(mapping, "rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise MappingError(f"cannot be read: {(error.strerror or str(error)).lower()}", source=source) from error
    if len(content) > MOST_BYTES:
        raise MappingError(f"is larger than {MOST_BYTES >> 20} MiB; is it a mapping?", source=source)
    return parse_mapping(content, source)


def parse_mapping(content: bytes, source: str = "mapping") -> ColumnMapping:
    """Check the text of a mapping file and make its rules.

    >>> parse_mapping(b'drop = ["id"]').drop
    ('id',)
    """
    document, text = _parse_toml(content, source)
    return _read_document(document, _RuleReader(source, text))


def _read_document(document: Mapping[str, Any], reader: _RuleReader) -> ColumnMapping:
    for key in document:
        if key not in _TOP_KEYS:
            reader.fail(str(key), f"unknown key {quoted(str(key))}{did_you_mean(str(key), _TOP_KEYS)}")
    target = document.get("target")
    if target is not None and not isinstance(target, str):
        reader.fail("target", "target must be a column's name, in quotes")
    drop = reader.strings("drop", document.get("drop", []))
    missing = reader.strings("missing", document.get("missing", []))
    columns = document.get("columns", {})
    if not isinstance(columns, Mapping):
        reader.fail("columns", "columns must be a table: put the rules under [columns]")
    for name in drop:
        if name in columns:
            reader.fail(name, f"column {quoted(name)} is both dropped and given a rule; keep one of the two")
        if name == target:
            reader.fail(name, f"column {quoted(name)} is both the target and dropped; keep one of the two")
    split = {name: reader.split_missing(name, value) for name, value in columns.items()}
    missing_cells = {name: how for name, (how, _) in split.items() if how is not None}
    # A column may be there for its missing cells alone.
    rules = {name: reader.rule(name, rest) for name, (how, rest) in split.items() if how is None or rest}
    if target is not None and isinstance(rules.get(target), Numeric):
        reader.fail(target, f"the target {quoted(target)} cannot be numeric: classes are needed; cut it instead")
    return ColumnMapping(reader.source, target, drop, missing, rules, missing_cells, reader.text)


@dataclass(frozen=True)
class _RuleReader:
    """Makes rules of TOML values, or fails with the line of what it does not understand."""

    source: str
    text: str

    def split_missing(self, name: str, value: object) -> tuple[str | None, object]:
        """What a column's table says of missing cells, None if nothing; and the table without that."""
        if not isinstance(value, Mapping) or "missing" not in value:
            return None, value
        how = value["missing"]
        if how not in MISSING_IN_A_COLUMN:
            choices = " or ".join(f'"{word}"' for word in MISSING_IN_A_COLUMN)
            self.fail(name, f"column {quoted(name)}: missing must be {choices}")
        return how, {key: rest for key, rest in value.items() if key != "missing"}

    def rule(self, name: str, value: object) -> Rule:
        if isinstance(value, str):
            return self.rule_from_text(name, value.strip())
        if name in _TOP_KEYS and isinstance(value, (list, tuple)):
            self.fail(name, f"{name} stands below [columns] and is taken for a column; move it to the top")
        if not isinstance(value, Mapping):
            self.fail(name, f'column {quoted(name)}: a rule is text like "<= 5" or a table like {{ cut = [1, 2] }}')
        return self.rule_from_table(name, value)

    def rule_from_text(self, name: str, text: str) -> Rule:
        if text in _WORDS:
            return _WORDS[text]
        comparison = _COMPARISON.fullmatch(text)
        if comparison:
            return self.comparison(name, comparison[1], comparison[2])
        membership = _MEMBERSHIP.fullmatch(text)
        if not membership:
            hint = did_you_mean(text, [*_WORDS, "in [...]"]) if text.isalpha() else ""
            known = '; write "category", "numeric", a comparison (<= < > >= == !=) or "in [...]"'
            self.fail(name, f"column {quoted(name)}: rule {quoted(text)} is not understood{hint or known}")
        return self.membership(name, membership[1])

    def comparison(self, name: str, symbol: str, operand: str) -> Rule:
        if symbol == "=":
            meant = {"<": "<=", ">": ">="}.get(operand[:1], "==")
            self.fail(name, f"column {quoted(name)}: '=' is no comparison; did you mean '{meant}'?")
        if not operand:
            self.fail(name, f'column {quoted(name)}: {symbol} needs something to compare with, as in "{symbol} 5"')
        moment = _moment(operand)
        scale = Kind.NUMBER if moment is None else Kind.DATE
        number = _number(operand) if moment is None else moment
        if symbol in ORDERINGS:
            if number is None:
                self.fail(name, f"column {quoted(name)}: {symbol} needs a number or an ISO date, not {quoted(operand)}")
            return Ordering(symbol, number, scale)
        if operand[0] in "\"'":
            texts, _ = self.literals(name, f"[{operand}]")
            if len(texts) != 1:
                self.fail(name, f"column {quoted(name)}: {symbol} takes one value; use 'in [...]' for several")
            (operand,) = texts
        return Among((operand,), () if number is None else (number,), scale, negated=symbol == "!=")

    def membership(self, name: str, listing: str) -> Rule:
        texts, numbers = self.literals(name, listing)
        if not texts:
            self.fail(name, f"column {quoted(name)}: the list after 'in' is empty")
        return Among(texts, numbers)

    def literals(self, name: str, listing: str) -> tuple[tuple[str, ...], tuple[float, ...]]:
        """The texts of a list like [1, "red"], and the numbers among them."""
        try:
            document = tomllib.loads(f"items = {listing}")
            items = document.pop("items")
            if document:
                raise ValueError("more than a list")
        except (ValueError, RecursionError):
            self.fail(name, f'column {quoted(name)}: {quoted(listing)} is no list; write it like [1, 2] or ["a", "b"]')
        if any(isinstance(item, bool) or not isinstance(item, (str, int, float)) for item in items):
            self.fail(name, f"column {quoted(name)}: {quoted(listing)} may hold only numbers and quoted texts")
        numbers = tuple(_float(item) for item in items if not isinstance(item, str))
        return tuple(self.text_of(name, item) for item in items), numbers

    def rule_from_table(self, name: str, table: Mapping[str, Any]) -> Rule:
        for key in table:
            if key not in _TABLE_KEYS:
                near = did_you_mean(key, [*_TABLE_KEYS, "missing"])
                self.fail(name, f"column {quoted(name)}: unknown key {quoted(key)}{near}")
        kinds = [key for key in table if key != "other"]
        if len(kinds) != 1:
            found = " and ".join(kinds) or "none"
            self.fail(
                name, f"column {quoted(name)}: needs one of cut, quantiles, widths, groups, min_count; found {found}"
            )
        (kind,) = kinds
        if "other" in table and kind not in ("groups", "min_count"):
            self.fail(name, f"column {quoted(name)}: 'other' goes with groups and min_count, not with {kind}")
        if kind == "min_count":
            return self.frequent(name, table["min_count"], table.get("other"))
        if kind == "groups":
            return self.groups(name, table["groups"], table.get("other"))
        return self.cut(name, table["cut"]) if kind == "cut" else self.intervals(name, kind, table[kind])

    def intervals(self, name: str, kind: str, number: object) -> Rule:
        if isinstance(number, bool) or not isinstance(number, int) or not 2 <= number <= MOST_BINS:
            self.fail(name, f"column {quoted(name)}: {kind} must be a whole number from 2 to {MOST_BINS}")
        return _INTERVAL_RULES[kind](number)

    def frequent(self, name: str, number: object, other: object) -> Rule:
        if isinstance(number, bool) or not isinstance(number, int) or not 2 <= number <= _MOST_COUNTED:
            self.fail(name, f"column {quoted(name)}: min_count must be a whole number of rows, 2 or more")
        return Frequent(number, self.other(name, other))

    def other(self, name: str, other: object) -> str | None:
        if other is not None and not isinstance(other, str):
            self.fail(name, f"column {quoted(name)}: other must be a name, in quotes")
        return other

    def cut(self, name: str, value: object) -> Rule:
        points = value if isinstance(value, (list, tuple)) else []
        dates = [_moment(str(point)) for point in points if isinstance(point, date)]
        numbers = [_float(p) for p in points if isinstance(p, (int, float)) and not isinstance(p, bool)]
        scale = Kind.DATE if dates else Kind.NUMBER
        numbers += [moment for moment in dates if moment is not None]
        mixed = dates and len(dates) != len(points)
        if not points or mixed or len(numbers) != len(points) or not all(map(math.isfinite, numbers)):
            self.fail(name, f"column {quoted(name)}: cut must be a list of numbers, or of dates, like [18, 30, 65]")
        if not all(low < high for low, high in pairwise(numbers)):
            self.fail(name, f"column {quoted(name)}: cut points must grow from left to right")
        return Cut(tuple(numbers), scale)

    def groups(self, name: str, value: object, other: object) -> Rule:
        if not isinstance(value, Mapping) or not value:
            self.fail(name, f'column {quoted(name)}: groups must be a table of lists, like {{ warm = ["red"] }}')
        groups: dict[str, tuple[str, ...]] = {}
        home: dict[str, str] = {}
        for group, members in value.items():
            if members == []:
                self.fail(name, f"column {quoted(name)}: group {quoted(group)} is empty")
            groups[group] = self.strings(name, members, f"column {quoted(name)}, group {quoted(group)}")
            for member in groups[group]:
                if home.setdefault(member, group) != group:
                    both = f"{quoted(home[member])} and {quoted(group)}"
                    self.fail(name, f"column {quoted(name)}: value {quoted(member)} is in two groups, {both}")
        return Groups(groups, self.other(name, other))

    def strings(self, key: str, value: object, what: str | None = None) -> tuple[str, ...]:
        """A list of texts; numbers are taken as the text a cell would hold."""
        items: Sequence[Any] = value if isinstance(value, (list, tuple)) else [None]
        if any(isinstance(item, bool) or not isinstance(item, (str, int, float)) for item in items):
            self.fail(key, f'{what or key}: must be a list of texts, like ["a", "b"]')
        return tuple(self.text_of(key, item) for item in items)

    def text_of(self, key: str, item: str | int | float) -> str:
        """The text that a cell would hold."""
        try:
            return str(item)
        except ValueError:
            # Thousands of digits, written as hexadecimal.
            self.fail(key, "a number is too long to be read")

    def fail(self, key: str, problem: str) -> NoReturn:
        raise MappingError(problem, source=self.source, line=_line_of(self.text, key))


def _moment(text: str) -> float | None:
    """An ISO date, with or without a time, as seconds since 1970."""
    if not _ISO_DATE.fullmatch(text):
        return None
    numbers = parse_moments(text_array([text]))
    return None if numbers is None else float(numbers[0])


def _float(number: int | float) -> float:
    """The nearest double; infinite for an integer beyond all of them."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None


def _as_in_toml(value: Any, reader: _RuleReader) -> Any:
    """A part of a dictionary as a TOML file would give it; what no file can hold is refused."""
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                reader.fail("", f'{quoted(str(key))} is not text; write it in quotes, as "{printable(str(key))}"')
        return {_as_in_toml(key, reader): _as_in_toml(rest, reader) for key, rest in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_in_toml(item, reader) for item in value]
    if isinstance(value, str):
        if any("\ud800" <= character <= "\udfff" for character in value):
            reader.fail("", f"{quoted(value)} is not valid Unicode")
        return value
    # Numbers and arrays of numpy.
    return value.tolist() if hasattr(value, "tolist") else value


def _parse_toml(content: bytes, source: str) -> tuple[dict[str, Any], str]:
    """The document and its text; what TOML does not allow is an error with its line."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise MappingError("is not UTF-8, as TOML must be; save it as UTF-8", source=source, line=line) from error
    # A letter stands in for quoted parts and comments.
    bare = _TEXT_OR_COMMENT.sub(b"q", content)
    deep = _LONG_DOTTED_KEY.search(bare)
    if deep:
        line = bare.count(b"\n", 0, deep.start()) + 1
        raise MappingError("a key has more than 64 dotted parts; quote it if it is one name", source=source, line=line)
    try:
        return tomllib.loads(text), text
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(str(error), text, source) from error
    except ValueError as error:
        # What else tomllib raises: an integer of thousands of digits.
        raise MappingError("TOML: a number is too long to be read", source=source) from error
    except RecursionError as error:
        raise MappingError("lists or tables are nested too deeply", source=source) from error


def _line_of(text: str, key: str) -> int | None:
    """The line on which a key is set, or else first named; tomllib keeps no positions, so this searches the text."""
    if len(key) > _LONGEST_KEY:
        return None
    name = re.escape(key)
    forms = (rf"^\s*(?:{name}|\"{name}\"|'{name}')\s*[=.]", rf"^\s*\[[^]\n]*{name}[\"']?\s*\]", rf"[\"']{name}[\"']")
    for form in forms:
        found = re.search(form, text, re.MULTILINE)
        if found:
            # The leading \s* may have crossed blank lines: count up to the last character of the match.
            return text.count("\n", 0, found.end() - 1) + 1
    return None


def _syntax_error(message: str, text: str, source: str) -> MappingError:
    place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    problem = message[: place.start()] if place else message
    problem = "TOML: " + problem[:1].lower() + problem[1:]
    if place and place[1]:
        return MappingError(problem, source=source, line=int(place[1]), column=int(place[2]))
    return MappingError(problem, source=source, line=text.count("\n") + 1)
