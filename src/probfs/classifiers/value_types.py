"""The types of option values: how the command line writes them, how Python gives them, and what is out of range.

``parse`` takes a word of the command line, ``check`` a value from Python. Both return the value, and raise a ValueError
that says what is wrong with it.
"""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass
from typing import Any, Protocol

_MOST_DIGITS = 18


class ValueType(Protocol):
    """What an option takes."""

    @property
    def metavar(self) -> str:
        """What stands for the value in help."""
        ...

    def parse(self, text: str) -> Any: ...

    def check(self, value: Any) -> Any: ...


@dataclass(frozen=True)
class Choice:
    """One of some words."""

    words: tuple[str, ...]

    @property
    def metavar(self) -> str:
        return "|".join(self.words)

    def parse(self, text: str) -> str:
        return self.check(text)

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.words:
            raise ValueError(f"{value!r} is not one of {', '.join(self.words)}")
        return str(value)


@dataclass(frozen=True)
class WholeNumber:
    """A whole number, written in digits only (3.0 and 1_0 are refused), or one of some words, or 0 with a meaning."""

    least: int
    most: int | None = None
    metavar: str = "N"
    words: tuple[str, ...] = ()
    zero: str | None = None
    """What 0 means, if it is allowed below the range."""

    def parse(self, text: str) -> int | str:
        if text in self.words:
            return text
        if not re.fullmatch(rf"\d{{1,{_MOST_DIGITS}}}", text) or not self._in_range(int(text)):
            raise ValueError(f"{text!r} {self._complaint(f'a whole number {self._range()}')}")
        return int(text)

    def check(self, value: Any) -> int | str:
        if isinstance(value, str) and value in self.words:
            return value
        try:
            number = operator.index(value)
        except TypeError:
            number = None
        if number is None or isinstance(value, bool):
            raise ValueError(f"{value!r} {self._complaint('a whole number')}")
        if not self._in_range(number):
            allowed = f"{self.least} or more" if self.most is None else f"{self.least} to {self.most}"
            raise ValueError(f"{number} is out of range; {' or '.join([*self._others(), allowed])}")
        return number

    def _in_range(self, number: int) -> bool:
        within = self.least <= number and (self.most is None or number <= self.most)
        return within or (self.zero is not None and number == 0)

    def _range(self) -> str:
        if self.most is None:
            return f"from {self.least} on, of up to {_MOST_DIGITS} digits"
        return f"from {self.least} to {self.most}"

    def _others(self) -> list[str]:
        return [*self.words, *([] if self.zero is None else [f"0 ({self.zero})"])]

    def _complaint(self, number: str) -> str:
        return f"is neither {' nor '.join([*self._others(), number])}" if self._others() else f"is not {number}"


@dataclass(frozen=True)
class Number:
    """A number in a range, or one of some words, or 0 where that has a meaning of its own."""

    least: float
    most: float
    words: tuple[str, ...] = ()
    zero: str | None = None
    """What 0 means, if it is allowed below the range."""
    name: str = "NUMBER"

    @property
    def metavar(self) -> str:
        return "|".join([*self.words, self.name])

    def parse(self, text: str) -> float | str:
        if text in self.words:
            return text
        number = parse_number(text)
        if number is None or not self._in_range(number):
            raise ValueError(f"{text!r} {self._complaint()}")
        return number

    def check(self, value: Any) -> float | str:
        if isinstance(value, str) and value in self.words:
            return value
        try:
            number = math.nan if isinstance(value, str | bool) else float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not self._in_range(number):
            raise ValueError(f"{value!r} {self._complaint()}")
        return number

    def _in_range(self, number: float) -> bool:
        return self.least <= number <= self.most or (self.zero is not None and number == 0)

    def _complaint(self) -> str:
        in_range = f"a number from {self.least:g} to {self.most:g}"
        others = [*self.words, *([] if self.zero is None else [f"0 ({self.zero})"])]
        return f"is neither {' nor '.join([*others, in_range])}" if others else f"is not {in_range}"


def parse_number(text: str) -> float | None:
    """The finite number that a word of the command line stands for; Python's 1_000 is not one."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None
