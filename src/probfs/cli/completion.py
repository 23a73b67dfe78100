"""What a shell may offer for the word at the cursor: commands, options, choices, files, and columns of the table.

What an option takes is known by its metavar, which help shows too: a FILE, a DIR, a COLUMN, or a choice.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from io import BytesIO
from typing import TYPE_CHECKING, Any

import typer
from typer.main import get_command

from probfs.cli.parsers import delimiter as parse_delimiter
from probfs.errors import ProbfsError
from probfs.text import is_unseen

if TYPE_CHECKING:
    from probfs.tables.opening import ReadOptions

DATA = "DATA..."
_HELP = ("Show this message and exit.", ("--help", "-h"))
_FILES = (DATA, "JOINT...", "FILE", "OLD", "NEW")
_FOLDERS = ("DIR",)
_COLUMNS = ("COLUMN",)
_LONGEST_HEADER = 1 << 22
"""Bytes of a file that are read at most for the names of its columns."""
_LONGEST_NAME = 1000
"""Characters of a name that is offered at most."""


class Kind(Enum):
    """Who knows what can be offered: we, or the shell itself."""

    WORDS = "words"
    FILES = "files"
    FOLDERS = "folders"


@dataclass(frozen=True)
class Suggestions:
    """What may stand in the place of the word at the cursor."""

    kind: Kind
    words: tuple[tuple[str, str], ...] = ()
    """Words with what they mean, or with an empty text. None holds a character that acts on a terminal or a line."""
    prefix: str = ""
    """What of the word at the cursor stands before the part to complete, like ``--target=``."""


def suggest_words(
    before: Sequence[str], current: str, after: Sequence[str], commands: Mapping[str, str], build_app: Any
) -> Suggestions:
    """What to offer for the word ``current`` between other words of a line; the program's name is none of them."""
    name = next((word for word in before if not word.startswith("-")), None)
    if name is None:
        if current.startswith("-"):
            return _offer_options(_CommandLine(get_command(build_app(()))))
        return _words(commands)
    if name not in commands:
        return Suggestions(Kind.WORDS)
    root: Any = get_command(build_app((name,)))
    line = _CommandLine(root.commands[name])
    for word in before[list(before).index(name) + 1 :]:
        line.read(word)
    return _complete(line, current, after)


def _complete(line: _CommandLine, current: str, after: Sequence[str]) -> Suggestions:
    if line.awaiting is not None:
        parameter, prefix = line.awaiting, ""
        line.read(current)
    elif current.startswith("-") and not line.options_ended:
        option, equals, _ = current.partition("=")
        if not equals or not line.takes_value(option):
            return _offer_options(line)
        parameter, prefix = line.options[option], option + equals
    elif line.next_argument() is not None:
        parameter, prefix = line.next_argument(), ""
    else:
        return _offer_options(line)
    # The table may be named after the cursor.
    for word in after:
        line.read(word)
    return _offer_values(line, parameter, prefix, current.removeprefix(prefix))


def _offer_options(line: _CommandLine) -> Suggestions:
    offered = {
        name: parameter.help
        for parameter in line.options.values()
        if not parameter.hidden and (parameter.multiple or parameter.name not in line.given)
        for name in (*parameter.opts, *parameter.secondary_opts)
    }
    return _words({**offered, **dict.fromkeys(_HELP[1], _HELP[0])})


def _offer_values(line: _CommandLine, parameter: Any, prefix: str, current: str) -> Suggestions:
    if parameter.metavar in _FILES:
        return Suggestions(Kind.FILES, prefix=prefix)
    if parameter.metavar in _FOLDERS:
        return Suggestions(Kind.FOLDERS, prefix=prefix)
    if parameter.metavar not in _COLUMNS:
        choices = [item.value for item in parameter.shell_complete(typer.Context(line.command), "")]
        # Words that may stand in the place of a number, as in best|fewest|most|N.
        others = [word for word in (parameter.metavar or "").split("|") if word.islower()]
        return _words(dict.fromkeys(choices or others, ""), prefix)
    columns = line.column_names()
    named = line.given.get(parameter.name, ())
    free = [column for column in columns if column not in named or column == current]
    if parameter.multiple and "," in current:
        # Several columns in one word: those before the last comma stay as they are.
        first = current.rpartition(",")[0]
        free += [f"{first},{column}" for column in columns if column not in first.split(",")]
    return _words(dict.fromkeys(free, ""), prefix)


def _words(words: Mapping[str, str | None], prefix: str = "") -> Suggestions:
    """Words to offer, without those that would act on the terminal that shows them, or end a line."""
    shown = ((word, _first_sentence(meaning or "")) for word, meaning in words.items())
    return Suggestions(Kind.WORDS, tuple(pair for pair in shown if not any(map(is_unseen, pair[0]))), prefix)


def _first_sentence(text: str) -> str:
    return " ".join(text.split()).partition(". ")[0].rstrip(".")


@dataclass
class _CommandLine:
    """The words after a command, read one by one as the command would read them."""

    command: Any
    given: dict[str, list[str]] = field(default_factory=dict)
    """The values of each option that is on the line, by the option's name in Python."""
    positional: list[str] = field(default_factory=list)
    awaiting: Any = None
    """The option whose value is to come."""
    options_ended: bool = False

    def __post_init__(self) -> None:
        self._arguments = [one for one in self.command.params if one.param_type_name == "argument"]
        options = [one for one in self.command.params if one.param_type_name == "option"]
        self.options = {name: option for option in options for name in (*option.opts, *option.secondary_opts)}

    def takes_value(self, option: str) -> bool:
        known = self.options.get(option)
        return known is not None and not known.is_flag and not known.count

    def next_argument(self) -> Any:
        """The argument that the next word would be, or None when there are enough."""
        position = len(self.positional)
        if position < len(self._arguments):
            return self._arguments[position]
        return self._arguments[-1] if self._arguments and self._arguments[-1].nargs == -1 else None

    def read(self, word: str) -> None:
        if self.awaiting is not None:
            self.given.setdefault(self.awaiting.name, []).append(word)
            self.awaiting = None
        elif self.options_ended or word == "-" or not word.startswith("-"):
            self.positional.append(word)
        elif word == "--":
            self.options_ended = True
        elif word.startswith("--"):
            name, equals, value = word.partition("=")
            self._read_option(name, value if equals else None)
        else:
            self._read_short_options(word)

    def _read_option(self, name: str, value: str | None) -> None:
        if name in self.options:
            given = self.given.setdefault(self.options[name].name, [])
            if value is not None:
                given.append(value)
            elif self.takes_value(name):
                self.awaiting = self.options[name]

    def _read_short_options(self, word: str) -> None:
        """Options of one letter each, of which the last may be followed by its value: ``-qo r.csv``, ``-qor.csv``."""
        for position in range(1, len(word)):
            name, rest = f"-{word[position]}", word[position + 1 :]
            takes_value = self.takes_value(name)
            self._read_option(name, rest if takes_value and rest else None)
            if takes_value:
                return

    def column_names(self) -> list[str]:
        """The columns of the table that the line names."""
        table = next((n for n, argument in enumerate(self._arguments) if argument.metavar == DATA), None)
        if table is None or table >= len(self.positional):
            return []
        chosen = {name: values[-1] for name, values in self.given.items() if values}
        delimiter = chosen.get("delimiter")
        return read_column_names(
            os.path.expanduser(os.path.expandvars(self.positional[table])),
            chosen.get("input_format"),
            None if delimiter is None else parse_delimiter(delimiter),
            chosen.get("encoding", "utf-8"),
        )


def read_column_names(
    path: str, input_format: str | None = None, delimiter: str | None = None, encoding: str = "utf-8"
) -> list[str]:
    """The names of a table's columns in order, for a shell; none if they are not to be read or understood.

    Of many files the first one is read; none of another computer is.
    """
    # Neither numpy nor pyarrow is imported, as a shell waits for the answer at every press of a key.
    from probfs.tables.files import find_parts
    from probfs.tables.opening import ReadOptions
    from probfs.tables.urls import is_url

    try:
        if is_url(path):
            return []
        part = find_parts([path])[0]
        # To open a pipe would wait for somebody to write to it.
        is_file = stat.S_ISREG(os.stat(part.path).st_mode)
        options = ReadOptions(input_format, delimiter, encoding)
        names = _names_in_file(part.path, options) if is_file else []
        return list(dict.fromkeys([*(name for name, _ in part.partition), *names]))
    except (ProbfsError, OSError, ValueError):
        return []


def _names_in_file(path: str, options: ReadOptions) -> Sequence[str]:
    from probfs.tables.csv_head import CsvText, read_head
    from probfs.tables.formats import choose_format
    from probfs.tables.opening import open_source

    with open_source(path, most=_LONGEST_HEADER) as (raw, head):
        table_format = choose_format(path, head, options)
        if table_format.name == "parquet":
            return _parquet_names(path)
        first: Any = BytesIO(raw.read(_LONGEST_HEADER))
    table_input = table_format.input_from(first, path, options)
    if table_format.name == "arff":
        from probfs.tables.arff_header import open_text, read_header

        with table_input.as_utf8() as raw:
            return [attribute.name for attribute in read_header(open_text(raw), path).attributes]
    if not table_format.delimiter:
        return []
    with table_input.as_utf8() as raw:
        columns = read_head(CsvText(raw), table_input).columns
    return [name for name in columns.names[columns.indexes :] if len(name) <= _LONGEST_NAME]


def _parquet_names(path: str) -> list[str]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = pq.read_schema(path).names
    except pa.ArrowException:
        return []
    # Under such a name pandas stores an index that has none.
    return [name for name in names if name.strip() and not name.startswith("__index_level_")]
