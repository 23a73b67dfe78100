"""The options of classifiers and of the elimination, made from what is registered."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import typer

from probfs.classifiers.estimates import DEFAULT_FOLDS, ESTIMATES
from probfs.classifiers.registry import CLASSIFIERS
from probfs.classifiers.scores import SCORES
from probfs.classifiers.specification import Option, known_options, refuse_options_of_others
from probfs.classifiers.value_types import Choice, ValueType
from probfs.cli import parsers
from probfs.cli.bundles import Bundle, keyword
from probfs.cli.options import ColumnOptions, choice, parsed
from probfs.columns.limits import DEFAULT_BINS
from probfs.ranking.settings import FOLDS, SEED

if TYPE_CHECKING:
    from probfs.columns.roles import ColumnChoice


@dataclass(frozen=True)
class ClassifierOptions(Bundle):
    """The classifier, and the options that the registered classifiers have."""

    classifier: str
    own: Mapping[str, Any]
    """None for an option that was not given."""

    for_columns_only: ClassVar[bool] = False
    """Whether only options that say how columns are encoded are taken."""

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        described = [f"{classifier.description} ({classifier.name})" for classifier in CLASSIFIERS]
        help_text = f"The classifier whose probabilities are used: {_either(described)}."
        default = CLASSIFIERS.names()[0]
        return [
            keyword("classifier", choice(CLASSIFIERS.names(), help_text, default), default),
            *(_own_parameter(option, owners) for option, owners in cls._options()),
        ]

    @classmethod
    def collect(cls, values: Mapping[str, Any]) -> Self:
        return cls(values["classifier"], {option.name: values[option.name] for option, _ in cls._options()})

    @classmethod
    def _options(cls) -> Iterator[tuple[Option, tuple[str, ...]]]:
        return (
            (option, owners) for option, owners in known_options() if option.for_columns or not cls.for_columns_only
        )


@dataclass(frozen=True)
class ColumnClassifierOptions(ClassifierOptions):
    """The classifier that columns are looked at for."""

    for_columns_only = True

    def column_choice(self, columns: ColumnOptions) -> ColumnChoice:
        from probfs.columns.roles import ColumnChoice

        classifier = CLASSIFIERS[self.classifier]
        refuse_options_of_others(classifier, self.own)
        own = classifier.complete(self.own)
        return ColumnChoice(
            columns.target,
            columns.count,
            tuple(columns.include or ()),
            tuple(columns.exclude or ()),
            tuple(columns.na or ()),
            own.get("bins") or DEFAULT_BINS,
            classifier.takes_numbers,
            keep_identifiers=columns.keep_identifiers,
            missing=own.get("missing", "skip"),
            cut_target=columns.cut_target,
            min_class=columns.min_class,
        )


@dataclass(frozen=True)
class EliminationOptions(Bundle):
    """Which score drives the elimination, which model scores a row, and how fast features leave."""

    score: str = "absolute"
    estimate: str | None = None
    folds: Annotated[
        int | None,
        parsed(
            parsers.parser(FOLDS), FOLDS.metavar, f"The number of folds for --estimate cv. Default: {DEFAULT_FOLDS}."
        ),
    ] = None
    step: Annotated[
        float,
        typer.Option(
            parser=parsers.step,
            metavar="N",
            help="How many features leave in a round: a number, or a fraction of those that remain.",
        ),
    ] = 1
    no_eliminate: Annotated[
        bool, typer.Option("--no-eliminate", help="Rank by the scores of one round, without elimination.")
    ] = False
    seed: Annotated[
        int,
        typer.Option(
            parser=parsers.parser(SEED),
            metavar=SEED.metavar,
            help="The seed of folds, of shuffled columns, of forests, of tables drawn for p-values where values are "
            "rare, and of the samples of --uncertainty; nothing else is random.",
        ),
    ] = 0

    @classmethod
    def registered(cls) -> Mapping[str, Any]:
        scores = _either([f"{score.name} ({score.key})" for score in SCORES], comma=False)
        by_default: dict[str, list[str]] = {}
        for classifier in CLASSIFIERS:
            by_default.setdefault(classifier.default_estimate, []).append(classifier.name)
        defaults = ", ".join(f"{estimate} for {_and(names)}" for estimate, names in by_default.items())
        forests = _and(CLASSIFIERS.names(lambda known: "oob" in known.estimates))
        return {
            "score": choice(SCORES.names(), f"The score that decides which feature leaves: {scores}.", cls.score),
            "estimate": choice(
                tuple(ESTIMATES),
                "Which model scores a labelled row: one trained on all other rows (loo), on all rows "
                "(resubstitution), or on the other folds (cv), or the trees that it was not drawn for (oob, with "
                f"{forests} only). Default: {defaults}.",
            ),
        }


def _own_parameter(option: Option, owners: tuple[str, ...]) -> inspect.Parameter:
    """A classifier's own option; help begins with the classifiers, and the other option's value, that it goes with."""
    goes_with = [*owners, *([] if option.only_with is None else [option.only_with[1]])]
    default = option.default if option.default_help is None else option.default_help
    help_text = f"{', '.join(goes_with)}: {option.help} Default: {default}."
    name = f"--{option.name.replace('_', '-')}"
    return keyword(option.name, _annotation(option.type, help_text, name), None)


def _annotation(kind: ValueType, help_text: str, name: str) -> Any:
    if isinstance(kind, Choice):
        return choice(kind.words, help_text)
    shown = typer.Option(name, parser=parsers.parser(kind), metavar=kind.metavar, help=help_text, show_default=False)
    return Annotated[str | None, shown]


def _and(items: Sequence[str]) -> str:
    """The items as a list in words."""
    *others, last = items
    return f"{', '.join(others)} and {last}" if others else last


def _either(items: Sequence[str], comma: bool = True) -> str:
    """The items as a choice in words."""
    *others, last = items
    return f"{', '.join(others)}{',' if comma else ''} or {last}" if others else last
