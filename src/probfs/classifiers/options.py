"""Options: the values that they take, and how a classifier declares them as fields; and the base classes of classifiers
that are not fitted yet.

Help and completion import this module, so nothing heavy is imported here.
"""

from __future__ import annotations

import math
import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from inspect import get_annotations
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

from probfs.columns.choice import MISSING_CHOICES
from probfs.errors import UsageError
from probfs.text import counted, option

if TYPE_CHECKING:
    from probfs.classifiers.protocol import Classifier, FitRequest, HoldOutRequest
    from probfs.classifiers.refitting.models import Trainer
    from probfs.classifiers.row_odds import RowOdds
    from probfs.columns.dataset import Dataset

EstimateName = Literal["loo", "resubstitution", "cv", "oob"]
"""Which models score the labelled rows."""
ESTIMATES: Mapping[EstimateName, str] = {
    "loo": "leave-one-out",
    "resubstitution": "resubstitution",
    "cv": "cross-validation",
    "oob": "out-of-bag",
}
"""Each estimate with the words of the summary."""
REFITTED: tuple[EstimateName, ...] = ("loo", "resubstitution", "cv")
"""The estimates that every classifier can make."""
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
"""Whole numbers of so many digits fit into 64 bits."""


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
    """What 0 means, if it is allowed although it is below the range."""
    called: ClassVar[str] = "a number"

    def parse(self, text: str) -> Any:
        return self._accept(text, parse_number(text))

    def check(self, value: Any) -> Any:
        try:
            return self._accept(value, None if isinstance(value, str | bool) else float(value))
        except (TypeError, OverflowError):
            return self._accept(value, None)

    def _accept(self, given: Any, number: float | None) -> Any:
        """The value as a number, or as the word that it is."""
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
"""The values that an option takes. ``parse`` makes a value from a word of the command line, ``check`` from an object of
Python; a ValueError says what is wrong.
"""


def parse_number(text: str) -> float | None:
    """The finite number that a word of the command line stands for, None if it is no number; 1_000 is none."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None


def check_value(name: str, kind: ValueType, value: Any) -> Any:
    """The value that was given for an option; a UsageError if the option does not take it."""
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
    """Its meaning, without its classifiers and its default, which are added."""
    default_help: str | None = None
    """The default in words, if the value alone does not explain it."""
    only_with: tuple[str, str] | None = None
    """Another option, and the value that it must have; otherwise this option has no meaning."""
    recorded: bool = True
    """Whether results depend on it, so that the settings in the JSON contain it."""


def setting(default: Any, kind: ValueType, help: str, **more: Any) -> Any:  # noqa: A002  # what dataclasses call it
    """A field of a classifier that is an option.

    The field of an option with ``only_with`` is None unless it is given: ``UnfittedClassifier.in_effect`` has its
    default.
    """
    declared = Option(default, kind, help, **more)
    starting = default if declared.only_with is None else None
    return field(default=starting, compare=declared.recorded, metadata={"option": declared})


# Classifiers that are not fitted yet


@dataclass(frozen=True, repr=False, kw_only=True)
class UnfittedClassifier(ABC):
    """A classifier before it is fitted. Its fields are its options; each is checked when the object is made."""

    name: ClassVar[str]
    """The word that users choose it by."""
    default_estimate: ClassVar[EstimateName] = "cv"
    default_step: ClassVar[int | Literal["auto"]] = "auto"
    takes_blocks: ClassVar[bool] = False
    """Whether it needs only sums over rows, which may then be on a cluster."""
    training_rows_of_class: ClassVar[int] = 1
    """The fewest rows of each class that a model can be trained on."""

    missing: Literal["skip", "value", "auto"] = setting(
        "auto",
        Choice(MISSING_CHOICES),
        "how a missing cell counts: not at all (skip), as a value (value), or as one in the columns where missing "
        "cells tell the class (auto).",
    )

    @property
    @abstractmethod
    def description(self) -> str:
        """For help, as in "Naive Bayes, which counts categories"."""

    @property
    def estimates(self) -> tuple[EstimateName, ...]:
        """The estimates that it can make."""
        return REFITTED

    @property
    @abstractmethod
    def summary(self) -> str:
        """The classifier and its options in a few words, for the summary line."""

    @property
    def takes_numbers(self) -> bool:
        """Whether it takes numbers as they are; otherwise it counts categories, and numeric columns are cut."""
        return True

    @property
    def sees_columns_together(self) -> bool:
        """Whether it can use columns that are informative only together: for such a classifier, a column that by itself
        is unrelated to the class need not be noise.
        """
        return False

    def check_columns(self, columns: Sequence[str], source: str) -> None:  # noqa: B027  # most name no column
        """Refuse a table that lacks a column which the classifier names."""

    def load_ahead(self) -> None:  # noqa: B027  # most load nothing
        """Load, in another thread, the libraries that large tables need."""

    def require_memory(self, dataset: Dataset, estimate: EstimateName, folds: int) -> None:  # noqa: B027
        """Refuse a table that does not fit into memory, before its values are counted."""

    @abstractmethod
    def fit(self, request: FitRequest) -> Classifier: ...

    @abstractmethod
    def hold_out(self, request: HoldOutRequest) -> RowOdds:
        """The odds of the held-out rows by a model of the training rows."""

    def __post_init__(self) -> None:
        for name, declared in self.options().items():
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, check_value(name, declared.kind, value))
            elif declared.only_with is None:
                object.__setattr__(self, name, declared.default)
        for name, declared in self.options().items():
            if getattr(self, name) is not None and not self._has_meaning(declared):
                assert declared.only_with is not None
                raise UsageError(f"{option(name)} goes with {option(*declared.only_with)} only")

    def __repr__(self) -> str:
        values = [(each.name, getattr(self, each.name), each.default) for each in self._fields() if each.repr]
        shown = ", ".join(f"{name}={value!r}" for name, value, default in values if value != default)
        return f"{type(self).__name__}({shown})"

    @classmethod
    def options(cls) -> dict[str, Option]:
        """The options by their names, which are the keywords of ``probfs.rank``."""
        return {each.name: each.metadata["option"] for each in cls._fields() if "option" in each.metadata}

    @classmethod
    def _fields(cls) -> list[Field[Any]]:
        """The fields of this class before inherited ones, so that the most specific options come first in help."""
        nearness = {name: -place for place, kind in enumerate(reversed(cls.__mro__)) for name in get_annotations(kind)}
        return sorted(fields(cls), key=lambda each: nearness[each.name])

    def in_effect(self) -> dict[str, Any]:
        """The value of every option; None for an option that has no meaning with the values of the others."""
        values = {}
        for name, declared in self.options().items():
            value = getattr(self, name)
            use_default = value is None and self._has_meaning(declared)
            values[name] = declared.default if use_default else value
        return values

    def completed(self) -> Self:
        """The same classifier with every option that is in effect given explicitly, as in the JSON of results."""
        return replace(self, **self.in_effect())

    def _has_meaning(self, declared: Option) -> bool:
        return declared.only_with is None or getattr(self, declared.only_with[0]) == declared.only_with[1]


@dataclass(frozen=True, repr=False, kw_only=True)
class RefittedModel(UnfittedClassifier):
    """A classifier that fits models anew in every round."""

    removal: Removal = setting(
        "permute",
        Choice(("permute", "retrain")),
        "how a column is taken away: by shuffling it among the rows (permute), or by fitting the model without it "
        "(retrain), which is exact and takes a fit for each column.",
    )
    permutations: int | None = setting(
        20,
        WholeNumber(1, 10_000, "M"),
        "number of shuffles; their probabilities are averaged.",
        only_with=("removal", "permute"),
    )
    jobs: int | None = setting(
        None,
        WholeNumber(1, 10_000),
        "processes that fit models at a time.",
        default_help="one for each core",
        recorded=False,
    )

    @property
    @abstractmethod
    def title(self) -> str:
        """Its name in the summary."""

    @abstractmethod
    def trainer(self, dataset: Dataset, seed: int, estimate: EstimateName) -> Trainer:
        """The trainer of models of rows and features of a table. scikit-learn is imported only here, as that takes
        longer than most rankings.
        """

    @property
    def summary(self) -> str:
        permutations = self.in_effect()["permutations"]
        removal = "retrained" if permutations is None else f"{counted(permutations, 'shuffle')} a column"
        return f"{self.title}, {removal}"

    def fit(self, request: FitRequest) -> Classifier:
        from probfs.classifiers.refitting.classifier import RefittedClassifier

        trainer = self.trainer(request.dataset, request.seed, request.estimate)
        return RefittedClassifier(trainer, request, self.in_effect()["permutations"], self.jobs)

    def hold_out(self, request: HoldOutRequest) -> RowOdds:
        from probfs.classifiers.refitting.classifier import judge_held_out

        return judge_held_out(request, lambda table: self.trainer(table, request.seed, "resubstitution"))
