"""What there is to know of a classifier before it is fitted: one object from which everything else follows.

The options of the command line, their checks and help, the manual page, the settings in the JSON and the summary line
are all made from it. Nothing heavy is imported here: a specification imports its classifier when it is fitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from probfs.classifiers.estimates import REFITTED, EstimateName
from probfs.classifiers.value_types import Choice, ValueType
from probfs.columns.limits import MISSING_CHOICES
from probfs.errors import UsageError
from probfs.notes import Note
from probfs.registry import Registry
from probfs.text import did_you_mean, option

if TYPE_CHECKING:
    from probfs.classifiers.naive_bayes.grouping import RowStore
    from probfs.classifiers.protocol import Classifier
    from probfs.classifiers.row_odds import RowOdds
    from probfs.columns.dataset import Dataset
    from probfs.columns.value_counts import ValueCounts
    from probfs.tables.table import Integers


@dataclass(frozen=True)
class Option:
    """One option of a classifier; several classifiers may share it."""

    name: str
    """The keyword of ``probfs.rank``; the command line has it behind two dashes."""
    type: ValueType
    default: Any
    help: str
    """What it means, without its classifiers and its default, which are added."""
    default_help: str | None = None
    """The default in words, where the value alone would not do."""
    only_with: tuple[str, str] | None = None
    """Another option, and the value that it must have for this one to mean anything."""
    for_columns: bool = False
    """Whether it says how columns are encoded, so that commands that only look at a table take it too."""
    recorded: bool = True
    """Whether results depend on it, so that it stands in the settings of the JSON."""


MISSING = Option(
    "missing",
    Choice(MISSING_CHOICES),
    "auto",
    "what a missing cell is: nothing (skip), a value of its own (value), or a value in the columns where missing cells "
    "tell the class (auto).",
    for_columns=True,
)
"""For every classifier that takes missing cells as a value where a feature says so (``Feature.missing_is_value``)."""


@dataclass(frozen=True)
class FitRequest:
    """What a classifier is fitted on, and how."""

    dataset: Dataset
    estimate: EstimateName
    folds: int | None
    seed: int
    options: Mapping[str, Any]
    """The classifier's own options, all of them; None for one that has no meaning beside the others."""
    rounds: Sequence[int]
    """How many features each round of the elimination will have."""
    on_note: Callable[[Note], None]
    on_model: Callable[[int, int], None] | None
    """To be called with how many models have been fitted and how many there will be."""
    counts: ValueCounts | None = None
    """Those of the dataset, where they are known already."""
    store: RowStore | None = None
    """Where the rows are, if not in the dataset, which then has one for each class; for Naive Bayes alone."""


@dataclass(frozen=True)
class HoldOutRequest:
    """Rows that a model of some features is trained on, and rows that it judges."""

    dataset: Dataset
    features: Sequence[int]
    """By position in the dataset."""
    training: ValueCounts
    """The counts of the training rows, of all features."""
    held_out: Integers
    """How many copies of each row of the dataset are judged."""
    options: Mapping[str, Any]
    """The classifier's own options, as in a ``FitRequest``."""
    seed: int


def _never(options: Mapping[str, Any]) -> bool:
    return False


@dataclass(frozen=True)
class Specification:
    """A classifier: its name, its options and defaults, what it wants of a table, and how it is fitted."""

    name: str
    description: str
    """For help, as in "Naive Bayes, which counts categories"."""
    options: tuple[Option, ...]
    default_estimate: EstimateName
    takes_numbers: bool
    """Whether it measures numbers as they are; otherwise it counts categories, and numeric columns are cut."""
    arrange: Callable[[Dataset, int], Dataset]
    """Puts rows and features in the order it wants, and merges equal rows; the second argument is the seed."""
    fit: Callable[[FitRequest], Classifier]
    summarize: Callable[[Mapping[str, Any]], str]
    """The classifier and its options in a few words, for the summary line."""
    estimates: tuple[EstimateName, ...] = REFITTED
    """The estimates that it has."""
    lacking: Mapping[EstimateName, str] = field(default_factory=dict)
    """Why it has not one that its like have, and what to do, for the message."""
    check_columns: Callable[[Sequence[str], str], None] | None = None
    """Refuses a table that lacks a column which the classifier names; the arguments are the table's columns and source.
    """
    hold_out: Callable[[HoldOutRequest], RowOdds] | None = None
    """Judges rows by a model of others. Columns can be selected by a classifier that has this, and whose fitted models
    are ``OddsClassifier``.
    """
    training_rows_of_class: int = 1
    """How many rows of each class a model has to be trained on, at least."""
    sees_columns_together: Callable[[Mapping[str, Any]], bool] = _never
    """Whether, with these options, columns may matter together of which each alone says nothing: to such a classifier,
    a column that is unrelated to the class is not yet noise.
    """

    def __post_init__(self) -> None:
        names = [own.name for own in self.options]
        for own in self.options:
            if own.only_with is not None and own.only_with[0] not in names:
                raise ValueError(f"{self.name}: {own.name!r} goes with {own.only_with[0]!r}, which is no option of it")
            if own.default is None and own.default_help is None:
                raise ValueError(f"{self.name}: {own.name!r} has no default, and no words for what happens without it")

    def find_option(self, name: str) -> Option | None:
        return next((own for own in self.options if own.name == name), None)

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The classifier's options with defaults for those not given (None); every value is checked."""
        completed = {own.name: _check(own, given.get(own.name)) for own in self.options}
        for own in self.options:
            if own.only_with is not None and completed[own.only_with[0]] != own.only_with[1]:
                if given.get(own.name) is not None:
                    raise UsageError(f"{option(own.name)} goes with {option(*own.only_with)} only")
                completed[own.name] = None
        return completed


CLASSIFIERS: Registry[Specification] = Registry("classifier")


def known_options() -> Iterator[tuple[Option, tuple[str, ...]]]:
    """Every option that some classifier has, and the names of the classifiers that have it."""
    owners: dict[str, list[Specification]] = {}
    for classifier in CLASSIFIERS:
        for own in classifier.options:
            owners.setdefault(own.name, []).append(classifier)
    for name, having in owners.items():
        shared = having[0].find_option(name)
        assert shared is not None
        if any(classifier.find_option(name) != shared for classifier in having):
            raise ValueError(f"{', '.join(classifier.name for classifier in having)}: {name!r} is declared differently")
        yield shared, tuple(classifier.name for classifier in having)


def check_estimate(classifier: Specification, estimate: EstimateName) -> None:
    """Refuse an estimate that the classifier does not have."""
    if estimate not in classifier.estimates:
        known = classifier.name in CLASSIFIERS.names()
        who = option("classifier", classifier.name) if known else classifier.description
        problem = classifier.lacking.get(estimate, f"{who} has no such estimate")
        choices = ", ".join(classifier.estimates)
        raise UsageError(f"{option('estimate', estimate)}: {problem}; choose from {choices}")


def refuse_options_of_others(classifier: Specification, given: Mapping[str, Any]) -> None:
    """Refuse an option that was given and that the classifier does not have; None is not given."""
    owners = {own.name: names for own, names in known_options()}
    for name, value in given.items():
        if classifier.find_option(name) is not None:
            continue
        if name not in owners:
            raise TypeError(f"no classifier has an option {name!r}{did_you_mean(name, owners)}")
        if value is not None:
            having = " or ".join(option("classifier", owner) for owner in owners[name])
            raise UsageError(f"{option(name)} goes with {having} only")


def _check(own: Option, value: Any) -> Any:
    try:
        return own.default if value is None else own.type.check(value)
    except ValueError as error:
        raise UsageError(f"{option(own.name)}: {error}") from None
