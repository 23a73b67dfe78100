"""The rules that a mapping file gives to columns: from TOML values to rules."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any, NoReturn

from probfs.columns.limits import MISSING_IN_A_COLUMN, MOST_BINS
from probfs.columns.mapping_toml import line_of
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
)
from probfs.errors import MappingError
from probfs.tables.arrow_arrays import text_array
from probfs.tables.table import Kind, numbers_of
from probfs.text import did_you_mean, quoted

TOP_KEYS = ("target", "drop", "missing", "columns")
_COMPARISON = re.compile(r"(<=|>=|==|!=|<|>|=)\s*(.*)", re.DOTALL)
_MEMBERSHIP = re.compile(r"in\s*(\[.*\])", re.DOTALL)
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?")
_WORDS: Mapping[str, Rule] = {"category": Category(), "numeric": Numeric()}
_INTERVAL_RULES: Mapping[str, Callable[[int], Rule]] = {"quantiles": Quantiles, "widths": Widths}
_TABLE_KEYS = ("cut", *_INTERVAL_RULES, "groups", "min_count", "other")
_MOST_COUNTED = 2**53


@dataclass(frozen=True)
class RuleReader:
    """Makes rules of TOML values; whatever it does not understand is an error that names file, line and column."""

    source: str
    text: str

    def split_missing(self, name: str, value: object) -> tuple[str | None, object]:
        """What a column's table says of missing cells, None if nothing; and the table without that."""
        if not isinstance(value, dict) or "missing" not in value:
            return None, value
        how = value["missing"]
        if how not in MISSING_IN_A_COLUMN:
            choices = " or ".join(f'"{word}"' for word in MISSING_IN_A_COLUMN)
            self.fail(name, f"column {quoted(name)}: missing must be {choices}")
        return how, {key: rest for key, rest in value.items() if key != "missing"}

    def rule(self, name: str, value: object) -> Rule:
        if isinstance(value, str):
            return self.rule_from_text(name, value.strip())
        if name in TOP_KEYS and isinstance(value, list):
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
        raise MappingError(problem, source=self.source, line=line_of(self.text, key))


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
