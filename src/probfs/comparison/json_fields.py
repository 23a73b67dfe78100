"""The fields of a JSON object from a file that anyone may have written: each is checked when it is asked for."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from probfs.errors import DataError
from probfs.text import printable, quoted, shorten_middle

_MOST = 10**18
_LONGEST_PLACE = 100
_REMEDY = "write the file again with probfs rank or select, --format json"


class Fields:
    """A JSON object; what is wrong with one of its fields is an error that names the file and the field."""

    def __init__(self, content: Any, source: str, place: str = "") -> None:
        self.source = source
        self._place = place
        if not isinstance(content, dict):
            self.fail(None, "is not an object")
        self._content: dict[str, Any] = content

    def fail(self, key: str | None, problem: str) -> NoReturn:
        """Refuse the file for a field, or for the object itself."""
        # A key may be the name of a class, which can hold anything.
        place = ".".join(part for part in (self._place, key) if part) or "the document"
        where = shorten_middle(printable(place), _LONGEST_PLACE)
        raise DataError(f"{where} {problem}; {_REMEDY}", source=self.source)

    def get(self, key: str) -> Any:
        """A field as it is; None if it is not there."""
        return self._content.get(key)

    def text(self, key: str) -> str:
        value = self.get(key)
        if not isinstance(value, str):
            self.fail(key, "is not a text")
        if not is_unicode(value):
            self.fail(key, "is not valid Unicode")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self.get(key)
        if not isinstance(value, list) or not all(isinstance(item, str) and is_unicode(item) for item in value):
            self.fail(key, "is not a list of texts")
        return tuple(value)

    def flag(self, key: str) -> bool:
        value = self.get(key)
        if not isinstance(value, bool):
            self.fail(key, "is neither true nor false")
        return value

    def whole_number(self, key: str, least: int = 0) -> int:
        value = self.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _MOST:
            self.fail(key, f"is not a whole number from {least} on")
        return value

    def whole_number_or_none(self, key: str, least: int = 0) -> int | None:
        return None if self.get(key) is None else self.whole_number(key, least)

    def number_or_none(self, key: str) -> float | None:
        """A finite number; None for null, and where the field is not there."""
        value = self.get(key)
        if value is None:
            return None
        # A whole number may have more digits than a double can hold.
        is_number = isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool))
        if not is_number or not -_MOST <= value <= _MOST:
            self.fail(key, "is not a finite number")
        return float(value)

    def object(self, key: str) -> Fields:
        """A field that is an object itself."""
        return Fields(self.get(key), self.source, f"{self._place}.{key}" if self._place else key)

    def objects(self, key: str) -> list[Fields]:
        """A field that is a list of objects."""
        value = self.get(key)
        if not isinstance(value, list):
            self.fail(key, "is not a list")
        return [Fields(item, self.source, f"{key}[{position}]") for position, item in enumerate(value)]

    def items(self) -> Mapping[str, Any]:
        """All fields, texts and keys checked, each a plain value or a list of such."""
        for key, value in self._content.items():
            values = value if isinstance(value, list) else [value]
            if not all(item is None or isinstance(item, str | int | float) for item in values):
                self.fail(quoted(key), "is neither a value nor a list of values")
            if not all(math.isfinite(item) for item in values if isinstance(item, float)):
                self.fail(quoted(key), "is not a finite number")
            if not all(map(is_unicode, (key, *(item for item in values if isinstance(item, str))))):
                self.fail(quoted(key), "is not valid Unicode")
        return dict(self._content)


def parse_json(text: str, source: str) -> Any:
    """The value that a JSON text holds; what JSON does not allow is an error with its line."""

    def refuse(constant: str) -> NoReturn:
        raise DataError(f"holds {constant}, which is no JSON", source=source)

    try:
        return json.loads(text, parse_constant=refuse)
    except DataError:
        raise
    except json.JSONDecodeError as error:
        problem = f"is not JSON: {error.msg[:1].lower()}{error.msg[1:]}; is the file cut off?"
        raise DataError(problem, source=source, line=error.lineno, column=error.colno) from error
    except ValueError as error:
        # What else there is: a whole number of thousands of digits.
        raise DataError("is not JSON of probfs: a number is too long to be read", source=source) from error
    except RecursionError as error:
        raise DataError("is not JSON of probfs: lists or objects are nested too deeply", source=source) from error


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8; JSON can hold halves of characters, as in ``"\\ud800"``."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
