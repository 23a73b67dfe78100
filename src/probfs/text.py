"""Words for messages (names from files made safe to show, options as the caller writes them), and CSV text."""

from __future__ import annotations

import contextlib
import csv
import difflib
import json
import re
import shlex
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from os.path import commonprefix
from types import SimpleNamespace

# Format characters reorder what a reader sees, as the bidirectional ones do, or hide in it: they are shown, not obeyed.
# Some are seen, though, and two join letters where a script needs it.
_SEEN_FORMAT = frozenset("\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
_MOST_ACCENTS = 5
"""On one letter; no script needs more."""
_LONGEST_QUOTE = 60
_MANY_NAMES = 2_000
# Also as East Asian keyboards write them, and after a tab or a line end, which spreadsheets skip.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_OUTPUT = re.compile(r"-q*o.*|--output(?:=.*)?", re.DOTALL)
"""A word that names the file which a result goes to."""
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_URL_IN_TEXT = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://\S+")
# Behind a user's colon, a number is a port, and another colon belongs to a chain of URLs; all else is a password, which
# may hold any character.
_USER_COLON = r"[^/?#@:\[]*:(?!:|\d+(?:[/?#]|$))"
_USER = re.compile(rf"(://)(?:[^/?#@:]*@|{_USER_COLON}[^/]*@|{_USER_COLON}.*@)", re.DOTALL)
_QUERY = re.compile(r"([?#]).*", re.DOTALL)

_typed_words: ContextVar[tuple[str, ...] | None] = ContextVar("_typed_words", default=None)
"""What was typed behind the name of the program; None where no command line is."""


@contextlib.contextmanager
def command_line_language(words: Sequence[str] = ()) -> Iterator[None]:
    """Messages made meanwhile name options as a shell has them (``--exclude``), not as Python does (``exclude=``)."""
    token = _typed_words.set(tuple(words))
    try:
        yield
    finally:
        _typed_words.reset(token)


def speaks_command_line() -> bool:
    """Whether messages name options as a shell has them."""
    return _typed_words.get() is not None


def typed_command(*, reads_input: bool = False) -> str | None:
    """The command as a user can type it again into a shell; None if nobody typed one.

    Whoever typed it knows where standard input came from and where standard output went: a word stands for each file.

    >>> with command_line_language(["rank", "https://me:s3@host/t.csv?sig=1", "--na", "?", "-qqo", "r.html"]):
    ...     print(typed_command())
    probfs rank 'https://…@host/t.csv?…' --na '?' -qqo r.html
    >>> with command_line_language(["rank", "--format", "html"]):
    ...     print(typed_command(reads_input=True))
    probfs rank --format html < TABLE > REPORT
    """
    words = _typed_words.get()
    if not words:
        return None
    written = ["probfs", *(printable(shlex.quote(mask_urls(word))) for word in words)]
    written += ["< TABLE"] if reads_input else []
    return " ".join(written if any(map(_OUTPUT.fullmatch, words)) else [*written, "> REPORT"])


def option(name: str, value: object = None, *, typed: str | None = None) -> str:
    """An option as the caller writes it, with a value or without; ``name`` is Python's.

    ``typed`` is how a shell has the value, where it differs: alone, it stands for what the user would put there. True
    is a flag in a shell, without a value.

    >>> option("max_unpacked"), option("estimate", "cv"), option("unlabeled", typed="FILE")
    ('max_unpacked=', 'estimate="cv"', 'unlabeled=')
    >>> with command_line_language():
    ...     option("max_unpacked"), option("estimate", "cv"), option("unlabeled", typed="FILE"), option("union", True)
    ('--max-unpacked', '--estimate cv', '--unlabeled FILE', '--union')
    """
    if speaks_command_line():
        written = value if typed is None else typed
        return f"--{name.replace('_', '-')}" + ("" if written is None or written is True else f" {written}")
    if value is None:
        return f"{name}="
    return f"{name}={json.dumps(value, ensure_ascii=False)}" if isinstance(value, str) else f"{name}={value}"


def printable(text: str) -> str:
    """``text`` with every character written as an escape that could steer a terminal, hide, or is one of a pile of
    accents that would cover the lines above.
    """
    if text.isascii() and text.isprintable():
        return text
    shown, accents = [], 0
    for character in text:
        accents = accents + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        is_unsafe = accents > _MOST_ACCENTS or is_unseen(character)
        shown.append(character.encode("unicode_escape").decode() if is_unsafe else character)
    return "".join(shown)


def is_unseen(character: str) -> bool:
    """Whether a character acts on its neighbours, or hides, instead of being seen."""
    return (
        unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in _SEEN_FORMAT
    ) or "\U000e0000" <= character <= "\U000e0fff"


def shown_url(url: str) -> str:
    """A URL without what may be secret: its user and password, its query and its fragment.

    >>> shown_url("https://me:s3@cret@example.org/t.csv?signature=5f3"), shown_url("https://example.org/t.csv#token=5")
    ('https://…@example.org/t.csv?…', 'https://example.org/t.csv#…')
    """
    return _QUERY.sub(r"\1…", _USER.sub(r"\1…@", url))


def mask_urls(text: str) -> str:
    """A text in which no URL has a secret."""
    return _URL_IN_TEXT.sub(lambda found: shown_url(found[0]), text)


def quoted(text: str) -> str:
    """``text`` as it appears inside a message: escaped, shortened and in quotes."""
    shown = text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"
    return f"'{printable(shown)}'"


def shorten_middle(text: str, width: int) -> str:
    """``text`` in at most so many characters: an ellipsis stands for its middle where it is longer.

    >>> shorten_middle("cell_shape_uniformity", 13), shorten_middle("age", 13)
    ('cell_s…ormity', 'age')
    """
    if len(text) <= width:
        return text
    end = max(width - 1, 0) // 2
    return f"{text[: max(width - 1 - end, 0)]}…{text[len(text) - end :]}"


def first_line(error: object) -> str:
    """The first line of an error of another library, safe to show."""
    lines = str(getattr(error, "strerror", None) or error).strip().splitlines() or [type(error).__name__]
    return printable(mask_urls(lines[0].rstrip(".:")))


def listed(names: Iterable[str], most: int = 6) -> str:
    """A few names in quotes, and how many more there are."""
    return and_more([quoted(name) for name in names], most)


def and_more(phrases: Sequence[str], most: int) -> str:
    """A few phrases, and how many more there are: a and 2 more."""
    shown = ", ".join(phrases[:most])
    return shown if len(phrases) <= most else f"{shown} and {len(phrases) - most:,} more"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: 1 row, 2,000 rows."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def shown_bytes(number: int) -> str:
    """A number of bytes as people say it: 700 bytes, 1.5 MB."""
    for power, unit in ((30, "GB"), (20, "MB"), (10, "KB")):
        if number >= 1 << power:
            # 1,023 KB has four digits before the point.
            return f"{number / (1 << power):.{3 if number < 999 << power else 4}g} {unit}"
    return f"{number} bytes"


def delimited(rows: Iterable[Iterable[object]], delimiter: str = ",", safe: bool = False) -> str:
    """Rows as CSV; with ``safe``, a text that a spreadsheet would take for a formula begins with an apostrophe.

    >>> print(delimited([["a", "b, c"], [1.5, None]]), end="")
    a,"b, c"
    1.5,
    >>> print(delimited([["=1+1", "-1"]], safe=True), end="")
    '=1+1,-1
    """
    lines: list[str] = []
    # Python's csv module, before 3.13, quotes a carriage return only if it ends the lines.
    writer = csv.writer(SimpleNamespace(write=lines.append), delimiter=delimiter, lineterminator="\r\n")
    writer.writerows([f"'{cell}" if safe and _is_formula(cell) else cell for cell in row] for row in rows)
    return "".join(f"{line[:-2]}\n" for line in lines)


def _is_formula(cell: object) -> bool:
    return isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) and not _NUMBER.fullmatch(cell)


def did_you_mean(wrong: str, names: Iterable[str]) -> str:
    """The end of a message about an unknown name: the nearest valid one, or a list of what there is.

    >>> did_you_mean("clas", ["class", "age"]), did_you_mean("zzz", ["class", "age"])
    ("; did you mean 'class'?", "; choose from 'class', 'age'")
    """
    known = list(names)
    near = nearest_name(wrong, known)
    if near is not None:
        return f"; did you mean {quoted(near)}?"
    return f"; choose from {listed(known)}" if known else ""


def nearest_name(wrong: str, names: Iterable[str]) -> str | None:
    """The name that was probably meant by a misspelt one, if any is near; blanks and case do not matter."""
    folded = {name.casefold().strip(): name for name in reversed(list(names))}
    meant = wrong.casefold().strip()
    if meant in folded:
        return folded[meant]
    # Comparing with each of very many names, or very long ones, would take longer than anything else.
    alike = [name for name in folded if abs(len(name) - len(meant)) <= 3 and len(name) <= _LONGEST_QUOTE]
    if len(alike) > _MANY_NAMES:
        alike = sorted(alike, key=lambda name: -len(commonprefix((name, meant))))[:_MANY_NAMES]  # noqa: RUF071  # of texts
    # Of a short name, two thirds are enough to be near: aeg is age, but outcome is not postcode.
    near = difflib.get_close_matches(meant, alike, n=1, cutoff=0.6 if len(meant) <= 4 else 0.7)
    return folded[near[0]] if near else None
