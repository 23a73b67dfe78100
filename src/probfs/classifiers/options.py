"""What an option is: the values it takes, and how a classifier declares it as a field.

Help and completion import this module, so nothing heavy is imported here.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from probfs.errors import UsageError
from probfs.text import option

EstimateName = Literal["loo", "resubstitution", "cv", "oob"]
"""Which model scores a labelled row."""
ESTIMATES: Mapping[EstimateName, str] = {
    "loo": "leave-one-out",
    "resubstitution": "resubstitution",
    "cv": "cross-validation",
    "oob": "out-of-bag",
}
"""Each estimate with the words of the summary."""
REFITTED: tuple[EstimateName, ...] = ("loo", "resubstitution", "cv")
"""The estimates that any classifier can have: models of other rows."""
DEFAULT_FOLDS = 10

Removal = Literal["permute", "retrain"]
"""How the probabilities without a feature are found: with its values permuted among the rows, or by a new model."""
KernelName = Literal["linear", "rbf"]
Cost: TypeAlias = "float | Literal['scale']"
"""C, the penalty of a row on the wrong side; ``scale`` sets it by the table."""
Gamma: TypeAlias = "float | Literal['scale', 'auto']"
"""γ of the RBF kernel exp(-γ·squared distance); ``scale`` and ``auto`` are scikit-learn's rules."""
Categories = Literal["onehot", "codes", "frame"]

_MOST_DIGITS = 18
"""Of whole numbers: they fit into 64 bits."""


@dataclass(frozen=True)
class Choice:
    """One of some words."""

    words: tuple[str, ...]

    @property
    def metavar(self) -> str:
        return "|".join(self.words)

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.words:
            # A comma among commas would not be seen.
            words = ", ".join(word if word[:1].isalnum() else repr(word) for word in self.words)
            raise ValueError(f"{value!r} is not one of {words}")
        return str(value)

    parse = check


@dataclass(frozen=True)
class Number:
    """A number in a range, or one of some words, or 0 where that has a meaning of its own."""

    least: float
    most: float | None = None
    metavar: str = "NUMBER"
    words: tuple[str, ...] = ()
    zero: str | None = None
    """What 0 means, if it is allowed below the range."""
    called: ClassVar[str] = "a number"

    def parse(self, text: str) -> Any:
        return self._accept(text, parse_number(text))

    def check(self, value: Any) -> Any:
        try:
            return self._accept(value, None if isinstance(value, str | bool) else float(value))
        except (TypeError, OverflowError):
            return self._accept(value, None)

    def _accept(self, given: Any, number: float | None) -> Any:
        """What was given, as a number where it is one and not a word."""
        if isinstance(given, str) and given in self.words:
            return given
        if number is not None:
            is_zero, most = self.zero is not None and number == 0, math.inf if self.most is None else self.most
            if is_zero or self.least <= number <= most:
                return number
        end = "on" if self.most is None else f"to {self.most:.15g}"
        wanted = [*self.words, *([] if self.zero is None else [f"0 ({self.zero})"])]
        wanted.append(f"{self.called} from {self.least:g} {end}")
        is_not = f"neither {' nor '.join(wanted)}" if len(wanted) > 1 else f"not {wanted[0]}"
        raise ValueError(f"{given!r} is {is_not}")


@dataclass(frozen=True)
class WholeNumber(Number):
    """A whole number, written in digits only: 3.0 and 1_0 are refused."""

    metavar: str = "N"
    called: ClassVar[str] = "a whole number"

    def parse(self, text: str) -> Any:
        is_whole = re.fullmatch(rf"\d{{1,{_MOST_DIGITS}}}", text)
        return self._accept(text, int(text) if is_whole else None)

    def check(self, value: Any) -> Any:
        try:
            number = None if isinstance(value, bool) else operator.index(value)
        except TypeError:
            number = None
        # Numbers of numpy's are shown as Python's.
        return self._accept(value if number is None else number, number)


ValueType: TypeAlias = Choice | Number
"""What an option takes. ``parse`` makes a value of a word of the command line, ``check`` of an object from Python; a
ValueError says what is wrong with it.
"""


def parse_number(text: str) -> float | None:
    """The finite number that a word of the command line stands for; Python's 1_000 is not one."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None


def check_value(name: str, kind: ValueType, value: Any) -> Any:
    """The value that a user gave for an option, if it is one that the option takes."""
    try:
        return kind.check(value)
    except ValueError as error:
        raise UsageError(f"{option(name)}: {error}") from None


@dataclass(frozen=True)
class Option:
    """An option as a classifier declares it; several classifiers may share it."""

    default: Any
    kind: ValueType
    help: str
    """What it means, without its classifiers and its default, which are added."""
    default_help: str | None = None
    """The default in words, where the value alone would not do."""
    only_with: tuple[str, str] | None = None
    """Another option, and the value that it must have for this one to mean anything."""
    recorded: bool = True
    """Whether results depend on it, so that it stands in the settings of the JSON."""


def setting(default: Any, kind: ValueType, help: str, **more: Any) -> Any:  # noqa: A002  # what dataclasses call it
    """A field of a classifier that is an option.

    Where it goes with another option only, the field is None until it is given: ``UnfittedClassifier.in_effect`` has
    its default.
    """
    declared = Option(default, kind, help, **more)
    starting = default if declared.only_with is None else None
    return field(default=starting, compare=declared.recorded, metadata={"option": declared})
