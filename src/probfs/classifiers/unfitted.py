"""What all classifiers have in common before they are fitted: options in fields, and what is known of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import Field, dataclass, fields, replace
from inspect import get_annotations
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from probfs.classifiers.options import (
    REFITTED,
    Choice,
    EstimateName,
    Option,
    Removal,
    WholeNumber,
    check_value,
    setting,
)
from probfs.columns.choice import MISSING_CHOICES
from probfs.errors import UsageError
from probfs.text import counted, option

if TYPE_CHECKING:
    from probfs.classifiers.protocol import Classifier, FitRequest, HoldOutRequest
    from probfs.classifiers.refitting.models import Trainer
    from probfs.classifiers.row_odds import RowOdds
    from probfs.columns.dataset import Dataset


@dataclass(frozen=True, repr=False, kw_only=True)
class UnfittedClassifier(ABC):
    """A classifier before it is fitted. Its fields are its options; each is checked when the object is made."""

    name: ClassVar[str]
    """What users call it."""
    default_estimate: ClassVar[EstimateName] = "cv"
    default_step: ClassVar[int | Literal["auto"]] = "auto"
    takes_blocks: ClassVar[bool] = False
    """Whether it needs nothing but sums over rows, which may be on a cluster then."""
    training_rows_of_class: ClassVar[int] = 1
    """How many rows of each class a model has to be trained on, at least."""

    missing: Literal["skip", "value", "auto"] = setting(
        "auto",
        Choice(MISSING_CHOICES),
        "what a missing cell is: nothing (skip), a value of its own (value), or a value in the columns where missing "
        "cells tell the class (auto).",
    )

    @property
    @abstractmethod
    def description(self) -> str:
        """For help, as in "Naive Bayes, which counts categories"."""

    @property
    def estimates(self) -> tuple[EstimateName, ...]:
        """The estimates that it has."""
        return REFITTED

    @property
    @abstractmethod
    def summary(self) -> str:
        """The classifier and its options in a few words, for the summary line."""

    @property
    def takes_numbers(self) -> bool:
        """Whether it measures numbers as they are; otherwise it counts categories, and numeric columns are cut."""
        return True

    @property
    def sees_columns_together(self) -> bool:
        """Whether columns may matter together of which each alone says nothing: to such a classifier, a column that is
        unrelated to the class is not yet noise.
        """
        return False

    def check_columns(self, columns: Sequence[str], source: str) -> None:  # noqa: B027  # most name no column
        """Refuse a table that lacks a column which the classifier names."""

    def load_ahead(self) -> None:  # noqa: B027  # most load nothing
        """Load in another thread what large tables will need."""

    def require_memory(self, dataset: Dataset, estimate: EstimateName, folds: int) -> None:  # noqa: B027
        """Refuse a table that would not fit into memory, before its values are counted."""

    @abstractmethod
    def arrange(self, dataset: Dataset, seed: int) -> Dataset:
        """The rows and features in the order that it wants, equal rows merged where it wants that."""

    @abstractmethod
    def fit(self, request: FitRequest) -> Classifier: ...

    @abstractmethod
    def hold_out(self, request: HoldOutRequest) -> RowOdds:
        """Rows as a model of others judges them."""

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
        """The fields of a class before those that it shares with others: what sets it apart comes first in help."""
        nearness = {name: -place for place, kind in enumerate(reversed(cls.__mro__)) for name in get_annotations(kind)}
        return sorted(fields(cls), key=lambda each: nearness[each.name])

    def in_effect(self) -> dict[str, Any]:
        """The value of every option; None for one that has no meaning beside the others."""
        values = {}
        for name, declared in self.options().items():
            value = getattr(self, name)
            use_default = value is None and self._has_meaning(declared)
            values[name] = declared.default if use_default else value
        return values

    def completed(self) -> Self:
        """The same classifier with every option said that is in effect, as a result's JSON says them."""
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
        """What it is called in the summary."""

    @abstractmethod
    def trainer(self, dataset: Dataset, seed: int, estimate: EstimateName) -> Trainer:
        """What fits models on rows and features of a table. Only here is scikit-learn imported, which takes longer than
        most rankings.
        """

    @property
    def summary(self) -> str:
        permutations = self.in_effect()["permutations"]
        removal = "retrained" if permutations is None else f"{counted(permutations, 'shuffle')} a column"
        return f"{self.title}, {removal}"

    def arrange(self, dataset: Dataset, seed: int) -> Dataset:
        from probfs.columns.folds import order_by_content

        return order_by_content(dataset, seed)

    def fit(self, request: FitRequest) -> Classifier:
        from probfs.classifiers.refitting.classifier import RefittedClassifier

        trainer = self.trainer(request.dataset, request.seed, request.estimate)
        return RefittedClassifier(trainer, request, self.in_effect()["permutations"], self.jobs)

    def hold_out(self, request: HoldOutRequest) -> RowOdds:
        from probfs.classifiers.refitting.classifier import judge_held_out

        return judge_held_out(request, lambda table: self.trainer(table, request.seed, "resubstitution"))
