"""Parsers for the words of the command line; what is wrong with a word becomes typer's message about its option."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import typer

from probfs.classifiers.options import ValueType, WholeNumber, parse_number
from probfs.ranking.settings import AUTO_STEP


def parser(kind: ValueType) -> Callable[[Any], Any]:
    """Typer's form of a value type; typer calls it with defaults too, which are no texts."""

    def parse(value: Any) -> Any:
        try:
            return kind.parse(str(value))
        except ValueError as error:
            raise typer.BadParameter(f"{error}.") from None

    return parse


def whole_number(least: int, most: int | None = None) -> Callable[[Any], int]:
    return parser(WholeNumber(least, most))


def number(value: str | float) -> float:
    """A number from 0 on."""
    found = parse_number(str(value))
    if found is None or found < 0:
        raise typer.BadParameter(f"{value!r} is not a number from 0 on.")
    return found


def share(value: str | float) -> float:
    """A number from 0 to 1."""
    found = parse_number(str(value))
    if found is None or not 0 <= found <= 1:
        raise typer.BadParameter(f"{value!r} is not a number from 0 to 1.")
    return found


def step(value: str | float) -> int | float | str:
    """How many features leave in a round."""
    text = str(value)
    if text == AUTO_STEP:
        return text
    if re.fullmatch(r"\d{1,18}", text) and int(text) >= 1:
        return int(text)
    if re.fullmatch(r"0?\.\d+", text) and 0 < float(text) < 1:
        return float(text)
    raise typer.BadParameter(f"{value!r} is neither auto nor a whole number from 1 on nor a fraction like 0.1.")


def size(value: str | int) -> int:
    """A number of bytes, like 500M or 8G."""
    match = re.fullmatch(r"(\d{1,12})([KMGT]?)B?", str(value).upper())
    if match is None or not int(match[1]):
        raise typer.BadParameter(f"{value!r} is not a size like 500M or 8G.")
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[match[2]]


def delimiter(text: str) -> str:
    return {"\\t": "\t", "tab": "\t"}.get(text, text)
