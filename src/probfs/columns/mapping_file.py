"""The mapping file: TOML in, rules out, and a precise complaint about anything that is not understood."""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from typing import Any, NoReturn

from probfs.choices import MOST_BINS
from probfs.columns.rules import ORDERINGS, Among, Category, Cut, Groups, Numeric, Ordering, Quantiles, Rule, Widths
from probfs.errors import MappingError
from probfs.tables.arrow_arrays import text_array
from probfs.tables.table import Kind, numbers_of
from probfs.text import did_you_mean, printable, quoted

MOST_BYTES = 4 << 20
# tomllib needs quadratic time and memory in the length of a dotted key; quoted parts are stood in for by a letter.
_TEXT_OR_COMMENT = re.compile(
    rb'"""(?:\\.|[^\\])*?"""|' rb"'''.*?'''|" rb'"(?:\\.|[^"\\\n])*"|' rb"'[^'\n]*'|#[^\n]*", re.DOTALL
)
_LONG_DOTTED_KEY = re.compile(rb"(?<![\w-])(?:[\w-]+[ \t]*\.[ \t]*){64}")
_LONGEST_KEY = 1_000
"""Longer ones are not looked for."""
_COMPARISON = re.compile(r"(<=|>=|==|!=|<|>|=)\s*(.*)", re.DOTALL)
_MEMBERSHIP = re.compile(r"in\s*(\[.*\])", re.DOTALL)
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?")
_TOP_KEYS = ("target", "drop", "missing", "columns")
_WORDS: Mapping[str, Rule] = {"category": Category(), "numeric": Numeric()}
_TABLE_KEYS = ("cut", "quantiles", "widths", "groups", "other")


@dataclass(frozen=True)
class MappingFile:
    """What a mapping file says: what to predict, what to leave out, and a rule for some of the columns."""

    source: str = ""
    target: str | None = None
    drop: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    columns: Mapping[str, Rule] = field(default_factory=dict)
    text: str = field(default="", repr=False)

    def check_names(self, names: Iterable[str], table: str) -> None:
        """Complain about the first column that is named here and is not in the table."""
        known = dict.fromkeys(names)
        wanted = [("target", name) for name in (self.target,) if name is not None]
        wanted += [("drop", name) for name in self.drop] + [("columns", name) for name in self.columns]
        for key, name in wanted:
            if name not in known:
                problem = f"{key}: no column {quoted(name)} in {table}{did_you_mean(name, known)}"
                raise MappingError(problem, source=self.source, line=_line_of(self.text, name))


def load_mapping(path: str | os.PathLike[str]) -> MappingFile:
    """Read and check a mapping file."""
    source = printable(os.fspath(path))
    try:
        with open(path, "rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise MappingError(f"cannot be read: {(error.strerror or str(error)).lower()}", source=source) from error
    if len(content) > MOST_BYTES:
        raise MappingError(f"is larger than {MOST_BYTES >> 20} MiB; is it a mapping?", source=source)
    return parse_mapping(content, source)


def parse_mapping(content: bytes, source: str = "mapping") -> MappingFile:
    """Check the text of a mapping file and make its rules.

    >>> parse_mapping(b'drop = ["id"]').drop
    ('id',)
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise MappingError("is not UTF-8, as TOML must be; save it as UTF-8", source=source, line=line) from error
    bare = _TEXT_OR_COMMENT.sub(b"q", content)
    deep = _LONG_DOTTED_KEY.search(bare)
    if deep:
        line = bare.count(b"\n", 0, deep.start()) + 1
        raise MappingError("a key has more than 64 dotted parts; quote it if it is one name", source=source, line=line)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(str(error), text, source) from error
    except ValueError as error:
        # What else tomllib raises: an integer of thousands of digits.
        raise MappingError("TOML: a number is too long to be read", source=source) from error
    except RecursionError as error:
        raise MappingError("lists or tables are nested too deeply", source=source) from error
    return _Reader(source, text).read(document)


@dataclass(frozen=True)
class _Reader:
    source: str
    text: str

    def read(self, document: Mapping[str, Any]) -> MappingFile:
        for key in document:
            if key not in _TOP_KEYS:
                self.fail(key, f"unknown key {quoted(key)}{did_you_mean(key, _TOP_KEYS)}")
        target = document.get("target")
        if target is not None and not isinstance(target, str):
            self.fail("target", "target must be a column's name, in quotes")
        drop = self.strings("drop", document.get("drop", []))
        missing = self.strings("missing", document.get("missing", []))
        columns = document.get("columns", {})
        if not isinstance(columns, dict):
            self.fail("columns", "columns must be a table: put the rules under [columns]")
        for name in drop:
            if name in columns:
                self.fail(name, f"column {quoted(name)} is both dropped and given a rule; keep one of the two")
            if name == target:
                self.fail(name, f"column {quoted(name)} is both the target and dropped; keep one of the two")
        rules = {name: self.rule(name, value) for name, value in columns.items()}
        if target is not None and isinstance(rules.get(target), Numeric):
            self.fail(target, f"the target {quoted(target)} cannot be numeric: classes are needed; cut it instead")
        return MappingFile(self.source, target, drop, missing, rules, self.text)

    def rule(self, name: str, value: object) -> Rule:
        if isinstance(value, str):
            return self.rule_from_text(name, value.strip())
        if name in _TOP_KEYS and isinstance(value, list):
            self.fail(name, f"{name} stands below [columns] and is taken for a column; move it to the top")
        if not isinstance(value, dict):
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
                self.fail(name, f"column {quoted(name)}: unknown key {quoted(key)}{did_you_mean(key, _TABLE_KEYS)}")
        kinds = [key for key in table if key != "other"]
        if len(kinds) != 1:
            found = " and ".join(kinds) or "none"
            self.fail(name, f"column {quoted(name)}: needs one of cut, quantiles, widths, groups; found {found}")
        (kind,) = kinds
        if "other" in table and kind != "groups":
            self.fail(name, f"column {quoted(name)}: 'other' goes with groups, not with {kind}")
        if kind == "cut":
            return self.cut(name, table["cut"])
        if kind == "groups":
            return self.groups(name, table["groups"], table.get("other"))
        intervals = table[kind]
        if isinstance(intervals, bool) or not isinstance(intervals, int) or not 2 <= intervals <= MOST_BINS:
            self.fail(name, f"column {quoted(name)}: {kind} must be a whole number from 2 to {MOST_BINS}")
        return Quantiles(intervals) if kind == "quantiles" else Widths(intervals)

    def cut(self, name: str, value: object) -> Rule:
        points = value if isinstance(value, list) else []
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
        if not isinstance(value, dict) or not value:
            self.fail(name, f'column {quoted(name)}: groups must be a table of lists, like {{ warm = ["red"] }}')
        if other is not None and not isinstance(other, str):
            self.fail(name, f"column {quoted(name)}: other must be a name, in quotes")
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
        return Groups(groups, other)

    def strings(self, key: str, value: object, what: str | None = None) -> tuple[str, ...]:
        """A list of texts; numbers are taken as the text a cell would hold."""
        items: list[Any] = value if isinstance(value, list) else [None]
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
    numbers = numbers_of(text_array([text]), Kind.DATE)
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


def _line_of(text: str, key: str) -> int | None:
    """The line on which a key is set, or else first named; tomllib keeps no positions, so this looks for it."""
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
