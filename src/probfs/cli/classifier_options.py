"""The options of classifiers and of the elimination, made from the fields of the classifiers."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import typer

from probfs.classifiers.catalogue import CLASSIFIERS, find_classifier, known_options
from probfs.classifiers.options import DEFAULT_FOLDS, ESTIMATES, Choice, Option, ValueType
from probfs.classifiers.scores import SCORES
from probfs.cli import parsers
from probfs.cli.bundles import Bundle, keyword
from probfs.cli.options import ColumnOptions, choice, parsed
from probfs.columns.choice import DEFAULT_BINS
from probfs.ranking.settings import FOLDS, SEED, Step

if TYPE_CHECKING:
    from probfs.columns.choice import ColumnChoice


@dataclass(frozen=True)
class ClassifierOptions(Bundle):
    """The classifier, and the options of all classifiers."""

    classifier: str
    options: Mapping[str, Any]
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
            *(_parameter(name, declared, owners) for name, declared, owners in cls._options()),
        ]

    @classmethod
    def collect(cls, values: Mapping[str, Any]) -> Self:
        return cls(values["classifier"], {name: values[name] for name, _, _ in cls._options()})

    @classmethod
    def _options(cls) -> Iterator[tuple[str, Option, tuple[str, ...]]]:
        return (known for known in known_options() if known[1].for_columns or not cls.for_columns_only)


@dataclass(frozen=True)
class ColumnClassifierOptions(ClassifierOptions):
    """The classifier that columns are looked at for."""

    for_columns_only = True

    def column_choice(self, columns: ColumnOptions) -> ColumnChoice:
        from probfs.columns.choice import ColumnChoice

        classifier = find_classifier(self.classifier, self.options)
        return ColumnChoice(
            columns.target,
            columns.count,
            tuple(columns.include or ()),
            tuple(columns.exclude or ()),
            tuple(columns.na or ()),
            classifier.in_effect().get("bins", DEFAULT_BINS),
            classifier.takes_numbers,
            keep_identifiers=columns.keep_identifiers,
            missing=classifier.missing,
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
    step: Step | None = None
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
        forests = _and(CLASSIFIERS.names(lambda known: "oob" in known.estimates))
        return {
            "score": choice(SCORES.names(), f"The score that decides which feature leaves: {scores}.", cls.score),
            "estimate": choice(
                tuple(ESTIMATES),
                "Which model scores a labelled row: one trained on all other rows (loo), on all rows "
                "(resubstitution), or on the other folds (cv), or the trees that it was not drawn for (oob, with "
                f"{forests} only). Default: {_defaults('default_estimate')}.",
            ),
            "step": Annotated[
                str | None,
                parsed(
                    parsers.step,
                    "auto|N",
                    "How many features leave in a round: a number, a fraction of those that remain, or auto, a tenth "
                    f"of them while more than 30 remain, then one by one. Default: {_defaults('default_step')}.",
                ),
            ],
        }


def _defaults(attribute: str) -> str:
    """What each classifier has by default, as in "1 for nb, auto for svm and forest"."""
    owners: dict[str, list[str]] = {}
    for classifier in CLASSIFIERS:
        owners.setdefault(getattr(classifier, attribute), []).append(classifier.name)
    return ", ".join(f"{default} for {_and(names)}" for default, names in owners.items())


def _parameter(name: str, declared: Option, owners: tuple[str, ...]) -> inspect.Parameter:
    """An option; help begins with the classifiers, and the other option's value, that it goes with."""
    goes_with = [*owners, *([] if declared.only_with is None else [declared.only_with[1]])]
    default = declared.default if declared.default_help is None else declared.default_help
    help_text = f"{', '.join(goes_with)}: {declared.help} Default: {default}."
    return keyword(name, _annotation(declared.kind, help_text, f"--{name.replace('_', '-')}"), None)


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
