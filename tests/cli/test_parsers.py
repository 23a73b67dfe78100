"""Words of the command line, and what is wrong with some."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import typer

from probfs.classifiers.options import Choice
from probfs.cli import parsers

Parser = Callable[[Any], Any]


@pytest.mark.parametrize(
    ("parse", "word", "value"),
    [
        (parsers.whole_number(1, 10), "10", 10),
        (parsers.parser(Choice(("a", "b"))), "b", "b"),
        (parsers.number, "0", 0.0),
        (parsers.number, "1e3", 1000.0),
        (parsers.share, "1", 1.0),
        (parsers.step, "1", 1),
        (parsers.step, "0.25", 0.25),
        (parsers.step, ".5", 0.5),
        (parsers.step, "auto", "auto"),
        (parsers.size, "700", 700),
        (parsers.size, "500m", 500 << 20),
        (parsers.size, "8GB", 8 << 30),
        (parsers.size, "1T", 1 << 40),
        (parsers.delimiter, "tab", "\t"),
        (parsers.delimiter, "\\t", "\t"),
        (parsers.delimiter, ";", ";"),
    ],
)
def test_a_word_becomes_its_value(parse: Parser, word: str, value: object) -> None:
    parsed = parse(word)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("parse", "word", "message"),
    [
        (parsers.whole_number(1, 10), "11", "'11' is not a whole number from 1 to 10."),
        (parsers.parser(Choice(("a", "b"))), "c", "'c' is not one of a, b."),
        (parsers.number, "-1", "'-1' is not a number from 0 on."),
        (parsers.number, "inf", "'inf' is not a number from 0 on."),
        (parsers.share, "1.1", "'1.1' is not a number from 0 to 1."),
        (parsers.share, "nan", "'nan' is not a number from 0 to 1."),
        (parsers.step, "0", "'0' is neither auto nor a whole number from 1 on nor a fraction like 0.1."),
        (parsers.step, "1.5", "'1.5' is neither auto nor a whole number from 1 on nor a fraction like 0.1."),
        (parsers.step, "1e-1", "'1e-1' is neither auto nor a whole number from 1 on nor a fraction like 0.1."),
        (parsers.size, "0", "'0' is not a size like 500M or 8G."),
        (parsers.size, "lots", "'lots' is not a size like 500M or 8G."),
        (parsers.size, "1.5G", "'1.5G' is not a size like 500M or 8G."),
    ],
)
def test_a_wrong_word_is_typer_s_error(parse: Parser, word: str, message: str) -> None:
    with pytest.raises(typer.BadParameter) as caught:
        parse(word)
    assert caught.value.message == message


@pytest.mark.parametrize(("parse", "default"), [(parsers.step, 1), (parsers.size, 700), (parsers.whole_number(0), 0)])
def test_typer_may_pass_a_default_through_the_parser(parse: Parser, default: int) -> None:
    assert parse(default) == default
